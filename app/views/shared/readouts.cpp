#include "app/views/shared/readouts.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "app/experiment/partial_fields.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

std::vector<ShownNumber> numbers_in(const ReadoutValue& value) {
  std::vector<ShownNumber> numbers;
  if (const auto* quantity = std::get_if<Quantity>(&value)) {
    numbers = {quantity->number};
  } else if (const auto* position = std::get_if<Position>(&value)) {
    std::transform(position->ids.begin(), position->ids.end(), std::back_inserter(numbers), as_whole<double>);
  } else if (const auto* several = std::get_if<NamedValues>(&value)) {
    for (const NamedValues::One& one : several->list) {
      numbers.insert(numbers.end(), one.numbers.begin(), one.numbers.end());
    }
  }
  return numbers;
}

/// Those of a part of a readout; null: it has no such part.
std::optional<std::vector<ShownNumber>> numbers_in(const ReadoutValue& value, const std::string& part) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) {
    if (part == "other" && quantity->other) return std::vector{*quantity->other};
  } else if (const auto* several = std::get_if<NamedValues>(&value)) {
    const auto found = std::find_if(several->list.begin(), several->list.end(),
                                    [&part](const NamedValues::One& one) { return one.name == part; });
    if (found != several->list.end()) return found->numbers;
  }
  return std::nullopt;
}

/// What a view's own controls offer beside what is chosen, as --set takes it: its pictures apart.
class OwnChoices : public PartialFields {
 public:
  explicit OwnChoices(std::string_view view) : own_(std::string(view) + "."), show_(own_ + "show") {}
  std::vector<std::string> pictures, others;
  void choice(const ChoiceField& field, std::string& value) override {
    for (const std::string& option : field.options) {
      if (option != value) take(field.key, field.control, option);
    }
  }
  void toggle(const ToggleField& field, bool& value) override {
    take(field.key, field.control, value ? "false" : "true");
  }

 private:
  void take(std::string_view key, bool control, const std::string& option) {
    if (!control || !key.starts_with(own_)) return;
    (key == show_ ? pictures : others).push_back(std::string(key) + "=" + option);
  }
  std::string own_, show_;
};

constexpr const char* kAnotherRope = R"(pins=[{"slot":1,"rope":{"base":500000}}])";

OwnChoices choices_of(const View& view, Experiment experiment) {
  OwnChoices choices(view.id);
  view.describe(choices, experiment);
  return choices;
}

}  // namespace

const Readout* find_readout(const ViewResult& shown, std::string_view name) {
  const auto found = std::find_if(shown.readouts.begin(), shown.readouts.end(),
                                  [name](const Readout& readout) { return readout.name == name; });
  return found == shown.readouts.end() ? nullptr : &*found;
}

std::optional<std::vector<ShownNumber>> numbers_of(const ViewResult& shown, const std::string& name) {
  if (const Readout* whole = find_readout(shown, name)) return numbers_in(whole->value);
  const std::size_t dot = name.rfind('.');
  const Readout* readout = dot == std::string::npos ? nullptr : find_readout(shown, name.substr(0, dot));
  return readout ? numbers_in(readout->value, name.substr(dot + 1)) : std::nullopt;
}

const View& view_of_readout(const std::string& name, const Experiment& experiment) {
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [&name](const View* view) {
    return view->id == std::string_view(name).substr(0, name.find('.'));
  });
  if (found != views.end()) return **found;
  // A card that several views have (patch.nearer): the sweep is none of them.
  return find_view(experiment.view == "sweep" ? "layout" : experiment.view);
}

std::vector<ListedReadout> list_readouts(const View& view, const Experiment& experiment, const Text& text,
                                         Store& store) {
  Experiment own = experiment;
  own.view = view.id;
  std::vector<ListedReadout> list;
  const auto add = [&](const Experiment& shown, const std::string& setting) {
    for (const Readout& readout : draw_view(view, shown, text, store).readouts) {
      const bool known = std::any_of(list.begin(), list.end(),
                                     [&readout](const ListedReadout& one) { return one.name == readout.name; });
      if (!known) list.push_back({readout.name, readout.label, setting});
    }
  };
  const auto with = [](Experiment shown, const std::string& setting) {
    try {
      assign(shown, setting);
      return std::optional(std::move(shown));
    } catch (const InputError&) {
      return std::optional<Experiment>();  // what the other settings rule out shows nothing
    }
  };
  const auto add_all = [&](const Experiment& shown, const std::vector<std::string>& settings,
                           const std::string& before) {
    for (const std::string& setting : settings) {
      if (const auto changed = with(shown, setting)) add(*changed, before + setting);
    }
  };
  add(own, {});
  OwnChoices choices = choices_of(view, own);
  // Cards that compare with another rope.
  if (view.compares_ropes && own.pins.empty()) choices.others.emplace_back(kAnotherRope);
  add_all(own, choices.others, {});
  for (const std::string& picture : choices.pictures) {
    const auto shown = with(own, picture);
    if (!shown) continue;
    add(*shown, picture);
    // What is offered in this picture alone: a picture may take seconds.
    std::vector<std::string> others = choices_of(view, *shown).others;
    std::erase_if(others, [&choices](const std::string& other) {
      return std::find(choices.others.begin(), choices.others.end(), other) != choices.others.end();
    });
    if (view.compares_ropes && own.pins.empty()) others.emplace_back(kAnotherRope);
    add_all(*shown, others, picture + " --set ");
  }
  return list;
}

}  // namespace ropescope
