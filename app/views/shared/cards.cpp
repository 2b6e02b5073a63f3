// Finds and lists readouts, creates cards, and formats their values.
//
// Contents: Whole numbers; Readouts; Cards; Training.

#include "app/views/shared/cards.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/views/view.h"
#include "app/views/views.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Whole numbers -------------------------------------------------------------------------------------------------

std::vector<std::int64_t> parse_integers(const std::string& text, const WholeNumbers& expected) {
  std::vector<std::int64_t> numbers;
  if (text.empty()) return numbers;
  for (const double number : parse_list(text, std::string(expected.field), expected.count)) {
    if (number < 0 || number > static_cast<double>(expected.most) || number != std::floor(number)) {
      throw InputError("whole_numbers",
                       {{"field", expected.field}, {"text", in_quotes(text)}, {"most", expected.most}});
    }
    numbers.push_back(std::llround(number));
  }
  return numbers;
}

// --- Readouts ------------------------------------------------------------------------------------------------------

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

/// Returns the numbers of a part of a readout; nullopt if it has no such part.
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

constexpr const char* kAnotherRope = R"(pins=[{"slot":1,"rope":{"base":500000}}])";

/// The alternatives to the current choices of a view's own controls, as --set arguments, with its pictures separate.
struct OwnChoices {
  std::vector<std::string> pictures, others;
};

OwnChoices choices_of(const View& view, const Experiment& experiment) {
  OwnChoices choices;
  const std::string own = std::string(view.id) + ".", show = own + "show";
  for (const Field& field : fields_of(view, experiment)) {
    const bool toggle = field.kind == Field::Kind::toggle;
    if (!field.control || !field.key.starts_with(own) || !(toggle || field.kind == Field::Kind::choice)) continue;
    const std::string present = toggle ? text_of(field) : shown_choice(field);
    for (const std::string& option : toggle ? std::vector<std::string>{"true", "false"} : field.options) {
      if (option == present) continue;
      (field.key == show ? choices.pictures : choices.others).push_back(std::string(field.key) + "=" + option);
    }
  }
  return choices;
}

std::string named_text(const NamedValues::One& one, const Text& text) {
  constexpr std::size_t kMax = 6;
  const std::vector<ShownNumber>& numbers = one.numbers;
  std::string shown = numbers.empty() ? text.render(one.word) : readable(numbers.front());
  if (one.range && readable(numbers.back()) != shown) {
    shown += " … " + readable(numbers.back());
  } else if (one.list) {
    for (std::size_t i = 1; i < numbers.size() && i < kMax; ++i) shown += ", " + readable(numbers[i]);
    shown = "(" + shown + (numbers.size() > kMax ? ", …)" : ")");
  }
  if (one.label.empty()) return shown;
  return text.format("readout.named_value", {{"name", text.render(one.label)}, {"value", shown}});
}

std::string named_text(const NamedValues& values, const Text& text) {
  return joined(values.list, " · ", [&](const NamedValues::One& one) { return named_text(one, text); });
}

// --- Training ------------------------------------------------------------------------------------------------------

ReadoutValue unseen_of(const TrainedPairs& of) {
  return of.length > 0 ? count_of_pairs(unfinished_pairs(*of.ladder, of.length), of.ladder->size()) : no_number();
}

ReadoutValue critical_of(const TrainedPairs& of) {
  if (of.length <= 0) return no_number();
  return Quantity{as_whole(critical_dimension(*of.ladder, of.length)), "channels"};
}

}  // namespace

const Readout* find_readout(const ViewResult& shown, std::string_view given) {
  const std::string name = current_key(given);
  const auto found = std::find_if(shown.readouts.begin(), shown.readouts.end(),
                                  [&name](const Readout& readout) { return readout.name == name; });
  return found == shown.readouts.end() ? nullptr : &*found;
}

std::optional<std::vector<ShownNumber>> numbers_of(const ViewResult& shown, const std::string& name) {
  if (const Readout* whole = find_readout(shown, name)) return numbers_in(whole->value);
  const std::size_t dot = name.rfind('.');
  const Readout* readout = dot == std::string::npos ? nullptr : find_readout(shown, name.substr(0, dot));
  return readout ? numbers_in(readout->value, name.substr(dot + 1)) : std::nullopt;
}

const View* find_view_of_readout(std::string_view name) {
  const std::string id = current_key(name.substr(0, name.find('.')));
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [&id](const View* view) { return view->id == id; });
  return found == views.end() ? nullptr : *found;
}

const View& view_of_readout(const std::string& name, const Experiment& experiment) {
  if (const View* named = find_view_of_readout(current_key(name))) return *named;
  // A card shared by several views (patch.nearer), which never include the sweep.
  return kSweepView.is_shown(experiment) ? kLayoutView : find_view(experiment.view);
}

std::vector<ListedReadout> list_readouts(const View& view, const Experiment& experiment, const Text& text,
                                         Store& store) {
  Experiment own = experiment;
  own.view = view.id;
  // Only the names of the cards are needed, and they do not depend on the length of a text or the size of an image:
  // small ones are computed. Images keep their size if targets were chosen, which a smaller image might not contain.
  own.attention.longest = 256;
  if (const LayoutFields initial; own.layout.targets == initial.targets) {
    constexpr double kFrames = 8;
    own.layout.width = std::min(own.layout.width, initial.width);
    own.layout.height = std::min(own.layout.height, initial.height);
    own.layout.rows = std::min(own.layout.rows, initial.rows);
    own.layout.columns = std::min(own.layout.columns, initial.columns);
    own.layout["frames"] = std::min(own.layout["frames"], kFrames);
  }
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
      return std::optional<Experiment>();  // excluded by the other fields: shows nothing
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
  // For cards that compare with a second rope.
  if (view.compares_ropes && own.pins.empty()) choices.others.emplace_back(kAnotherRope);
  add_all(own, choices.others, {});
  for (const std::string& picture : choices.pictures) {
    const auto shown = with(own, picture);
    if (!shown) continue;
    add(*shown, picture);
    // Only the settings new in this picture, because drawing may take seconds.
    std::vector<std::string> others = choices_of(view, *shown).others;
    std::erase_if(others, [&choices](const std::string& other) {
      return std::find(choices.others.begin(), choices.others.end(), other) != choices.others.end();
    });
    if (view.compares_ropes && own.pins.empty()) others.emplace_back(kAnotherRope);
    add_all(*shown, others, picture + " --set ");
  }
  return list;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

Readout start_card(const std::string& name, const Text& text, const std::string& texts) {
  const std::string key = "readout." + (texts.empty() ? name : texts);
  Readout readout;
  readout.name = name;
  readout.label = text[key + ".label"];
  if (text.has(key + ".tooltip")) readout.tooltip = text[key + ".tooltip"];
  return readout;
}

Readout make_card(const std::string& name, ReadoutValue value, const Text& text, std::string note) {
  Readout readout = start_card(name, text);
  readout.value = std::move(value);
  readout.note = std::move(note);
  return readout;
}

ReadoutValue no_number() {
  return Message("readout.none");
}

std::string value_text(const ReadoutValue& value, const Text& text) {
  if (const auto* words = std::get_if<Message>(&value)) return text.render(*words);
  if (const auto* position = std::get_if<Position>(&value)) return ids_text(position->ids);
  if (const auto* several = std::get_if<NamedValues>(&value)) return named_text(*several, text);
  const Quantity& quantity = std::get<Quantity>(value);
  if (std::isnan(quantity.number.value)) return text["readout.undefined"];
  const TextValue number{readable(quantity.number), quantity.number.value};
  if (quantity.form.empty()) return number.shown;
  const ShownNumber other = quantity.other.value_or(ShownNumber{});
  return text.format(quantity.form, {{"number", number}, {"other", {readable(other), other.value}}});
}

std::string cause_words(const std::string& name, const Text& text) {
  const std::string key = "view.check.cause." + name;
  return text.has(key) ? text[key] : name;
}

void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text) {
  const std::string first = text.format("readout.pinned", {{"value", value_text(pinned, text)}});
  readout.note = text.format("list.sentences", {{"first", first}, {"second", readout.note}});
}

std::string beside_unfinished(const TrainedPairs& of, const Text& text) {
  if (of.length <= 0) return {};
  std::string note;
  if (of.in_use) {
    const int plain = unfinished_pairs(*of.ladder, of.length), extended = unfinished_pairs(*of.in_use, of.length);
    if (plain != extended) note += " " + text.format("readout.unseen.extended", {{"count", counted(extended)}});
  }
  const auto still = (of.ladder->array() == 0).count();
  if (still > 0) note += " " + text.format("readout.unseen.still", {{"still", counted(still)}});
  return note;
}

std::string trained_note(const TrainedPairs& of, const std::string& key, const Text& text) {
  return text.format(of.extended > 0 ? key + "_extended" : key,
                     {{"length", counted(of.length)}, {"extended", counted(of.extended)}});
}

Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                    const Text& text) {
  Readout readout = start_card(view + ".unseen", text, "unseen");
  readout.note =
      (current.length > 0 ? trained_note(current, "readout.unseen.note", text) : text["readout.unseen.none"]) +
      beside_unfinished(current, text);
  return with_pin(std::move(readout), current, pinned.ladder ? &pinned : nullptr, unseen_of, text);
}

Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text) {
  Readout readout = start_card(view + ".critical", text, "critical");
  readout.note = text.format(current.length > 0 ? "readout.critical.note" : "readout.unseen.none",
                             {{"length", counted(current.length)}});
  return with_pin(std::move(readout), current, pinned.ladder ? &pinned : nullptr, critical_of, text);
}

}  // namespace ropescope
