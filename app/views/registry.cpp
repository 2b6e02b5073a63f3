// The registry of views, and the steps around each view: rope lengths, facets, related curves, card texts.

#include "app/views/view.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/experiment/rope_spec.h"
#include "app/experiment/user_data.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/layouts/extension.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

// In the order of the list on the left edge, grouped.
constexpr const View* kViews[] = {&kRotationView,   &kDecayView, &kFrequenciesView, &kLimitsView,    &kPrecisionView,
                                  &kSweepView,      &kAtlasView, &kCompareView,     &kAttentionView, &kLayoutView,
                                  &kSimilarityView, &kCheckView, &kWeightsView,     &kReportedView,  &kRaceView};

ViewResult draw_or_report(const View& view, const Experiment& experiment, const Text& text, Store& store) {
  try {
    if (view.compares_ropes) check_curves(experiment);
    return view.figures(experiment, text, store);
  } catch (const InputError& error) {
    return make_error_result(view.empty(experiment, text), text.render(error.words()));
  }
}

ViewResult draw_once(const View& view, const Experiment& given, const Text& text, Store& store) {
  const Experiment experiment = at_shown_length(view, given);
  const bool related = view.compares_ropes && relates(experiment);
  ViewResult result = draw_or_report(view, related ? show_reference(experiment) : experiment, text, store);
  result.language = text.language();
  result.thousands = text["language.thousands"];
  result.font = text["language.font"];
  result.formulas = text.formulas();
  if (result.stale && result.status.empty()) result.status = text["view.computing"];
  for (Readout& readout : result.readouts) readout.text = value_text(readout.value, text);
  if (view.compares_ropes) name_origins(result, experiment);
  if (view.compares_ropes) shorten_curve_names(result, experiment, text);
  add_notes(result, experiment, text);
  if (related) relate_curves(result, experiment, text, store);
  return result;
}

/// Removes methods for images from what is offered for a model with one axis of positions, which reads text; those that
/// are chosen stay.
void offer_methods_for_text(FieldList& list, const Experiment& experiment) {
  if (!experiment.rope.axes.empty()) return;
  for (const std::string_view key : {"rope.scaling", "race.extensions"}) {
    Field* field = find_field(list, key);
    if (!field) continue;
    const Field::Names chosen =
        field->kind == Field::Kind::names ? field->as<Field::Names>() : Field::Names{field->word()};
    std::erase_if(field->options, [&chosen](const std::string& option) {
      const ScalingMethod* method = find_named_entry(all_scaling_methods(), option);
      return method && is_of_images(*method) && std::find(chosen.begin(), chosen.end(), option) == chosen.end();
    });
  }
}

}  // namespace

std::size_t count_bytes(const Series& series) {
  return bytes_in(series.xs, series.ys);
}

std::size_t count_bytes(const MapCells& cells) {
  return count_bytes(cells.values);
}

std::size_t count_bytes(const Pixels& pixels) {
  return count_bytes(pixels.values);
}

Experiment at_shown_length(const View& view, Experiment experiment) {
  if (!view.length) return experiment;
  const double length = view.length(experiment);
  give_length(experiment.rope, length);
  for (Pin& pin : experiment.pins) give_length(pin.rope, length);
  return experiment;
}

ViewResult draw_view(const View& view, const Experiment& experiment, const Text& text, Store& store) {
  const ThousandsMark mark(text["language.thousands"]);
  if (!has_facets(experiment)) return draw_once(view, experiment, text, store);
  try {
    return draw_facets(view, experiment, text, store, draw_once);
  } catch (const InputError& error) {
    return make_error_result(view.empty(experiment, text), text.render(error.words()));
  }
}

std::span<const View* const> all_views() {
  return kViews;
}

bool is_view(std::string_view given) {
  const std::string id = current_key(given);
  return std::any_of(std::begin(kViews), std::end(kViews), [&id](const View* view) { return view->id == id; });
}

const View& find_view(std::string_view given) {
  const std::string id = current_key(given);
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [&id](const View* view) { return view->id == id; });
  if (found != views.end()) return **found;
  std::vector<std::string> names;
  for (const View* view : views) names.emplace_back(view->id);
  Message::List known;
  for (const std::string& near : near_or_all(given, names)) known.push_back(verbatim(near));
  throw InputError("view.unknown", {{"id", given}, {"known", known}});
}

const Player* find_player(const Experiment& experiment) {
  const Player* player = find_view(experiment.view).player;
  return player && (!player->moves || player->moves(experiment)) ? player : nullptr;
}

FieldList fields_of(const View& view, Experiment& experiment) {
  FieldList list;
  view.declare_fields(list, experiment);
  return list;
}

const FieldList fields_of(const View& view, const Experiment& experiment) {
  return fields_of(view, const_cast<Experiment&>(experiment));
}

FieldList panel_fields(const View& view, Experiment& experiment) {
  FieldList list;
  // Facets are activated from a menu, so their fields come first.
  declare_fields(list, experiment.facet);
  view.declare_fields(list, experiment);
  if (view.compares_ropes) declare_fields(list, experiment.curves, experiment.pins.size());
  offer_methods_for_text(list, experiment);
  return list;
}

void assign(Experiment& experiment, const std::string& assignment, const char* option) {
  // If the view is set to an unknown one, the error is reported after all settings.
  const bool layout = std::any_of(std::begin(kViews), std::end(kViews), [&](const View* view) {
    return view->id == experiment.view && view->shows_layout && view->shows_layout(experiment);
  });
  Experiment edited = experiment;
  const PinStart start{edited.rope, load_preset_rope};
  const std::string key = set_field(edited, assignment, layout ? "layout" : "", option, start);
  edited.rope.ladder = load_ladder(edited.rope.ladder);
  for (const View* view : all_views()) {
    if (!view->settle) continue;
    const Message why = view->settle(experiment, edited);
    if (why.empty()) continue;
    throw InputError("set.settled",
                     {{"key", key}, {"value", assignment.substr(assignment.find('=') + 1)}, {"why", why}});
  }
  experiment = std::move(edited);
}

void offer_config(Experiment& experiment, const std::string& path) {
  // Views with shared fields are called once.
  std::set<decltype(View::take_config)> asked;
  for (const View* view : all_views()) {
    if (!view->take_config || !asked.insert(view->take_config).second) continue;
    try {
      view->take_config(experiment, path);
    } catch (const InputError&) {
      // The config has nothing for this view; the rope can still be shown.
    }
  }
}

}  // namespace ropescope
