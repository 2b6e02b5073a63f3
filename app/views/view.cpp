// The list of views, and what is done around each: lengths of ropes, facets, related curves, words of cards.

#include "app/views/view.h"

#include <algorithm>
#include <set>

#include "app/experiment/own_data.h"
#include "app/experiment/rope_spec.h"
#include "app/views/atlas.h"
#include "app/views/attention/view.h"
#include "app/views/check/view.h"
#include "app/views/compare/view.h"
#include "app/views/decay/view.h"
#include "app/views/frequencies.h"
#include "app/views/layout.h"
#include "app/views/limits.h"
#include "app/views/precision.h"
#include "app/views/race/view.h"
#include "app/views/reported.h"
#include "app/views/rotation/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/similarity.h"
#include "app/views/sweep.h"
#include "core/words.h"

namespace ropescope {

namespace {

// The order of the list at the left edge: a group's views stand together.
constexpr const View* kViews[] = {&kRotationView,   &kDecayView, &kFrequenciesView, &kLimitsView,    &kPrecisionView,
                                  &kSweepView,      &kAtlasView, &kCompareView,     &kAttentionView, &kLayoutView,
                                  &kSimilarityView, &kCheckView, &kReportedView,    &kRaceView};

ViewResult figures_or_fault(const View& view, const Experiment& experiment, const Text& text, Store& store) {
  try {
    if (view.compares_ropes) check_curves(experiment);
    return view.figures(experiment, text, store);
  } catch (const InputError& error) {
    return fault_result(view.empty(experiment, text), text.say(error.words()));
  }
}

ViewResult draw_once(const View& view, const Experiment& given, const Text& text, Store& store) {
  const Experiment experiment = at_shown_length(view, given);
  const bool related = view.compares_ropes && relates(experiment);
  ViewResult result = figures_or_fault(view, related ? with_reference(experiment) : experiment, text, store);
  result.language = text.language();
  result.thousands = text["language.thousands"];
  result.font = text["language.font"];
  result.formulas = text.formulas();
  if (result.stale && result.status.empty()) result.status = text["view.computing"];
  for (Readout& readout : result.readouts) readout.text = value_text(readout.value, text);
  if (view.compares_ropes) name_origins(result, experiment);
  if (view.compares_ropes) name_shortly(result, experiment, text);
  add_notes(result, experiment, text);
  if (related) relate_curves(result, experiment, text, store);
  return result;
}

}  // namespace

std::size_t bytes_of(const Series& series) {
  return bytes_in(series.xs, series.ys);
}

std::size_t bytes_of(const MapCells& cells) {
  return bytes_of(cells.values);
}

std::size_t bytes_of(const Pixels& pixels) {
  return bytes_of(pixels.values);
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
    return fault_result(view.empty(experiment, text), text.say(error.words()));
  }
}

std::span<const View* const> all_views() {
  return kViews;
}

const View& find_view(std::string_view id) {
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [id](const View* view) { return view->id == id; });
  if (found != views.end()) return **found;
  Words::List known;
  for (const View* view : views) known.push_back(as_it_is(view->id));
  throw InputError("view.unknown", {{"id", id}, {"known", known}});
}

const Player* player_of(const Experiment& experiment) {
  const Player* player = find_view(experiment.view).player;
  return player && (!player->moves || player->moves(experiment)) ? player : nullptr;
}

FieldList fields_of(const View& view, Experiment& experiment) {
  FieldList list;
  view.describe(list, experiment);
  return list;
}

const FieldList fields_of(const View& view, const Experiment& experiment) {
  return fields_of(view, const_cast<Experiment&>(experiment));
}

FieldList panel_fields(const View& view, Experiment& experiment) {
  FieldList list;
  // What was asked for from a menu is seen at once.
  describe(list, experiment.facet);
  view.describe(list, experiment);
  if (view.compares_ropes) describe(list, experiment.curves, experiment.pins.size());
  return list;
}

void assign(Experiment& experiment, const std::string& assignment, const char* option) {
  // Whoever sets the view to none of these is told so once all is set.
  const bool layout = std::any_of(std::begin(kViews), std::end(kViews), [&](const View* view) {
    return view->id == experiment.view && view->shows_layout && view->shows_layout(experiment);
  });
  Experiment edited = experiment;
  const std::string key = set_field(edited, assignment, layout ? "layout" : "", option);
  edited.rope.ladder = ladder_of_file(edited.rope.ladder);
  for (const View* view : all_views()) {
    if (!view->settle) continue;
    const Words why = view->settle(experiment, edited);
    if (why.empty()) continue;
    throw InputError("set.settled",
                     {{"key", key}, {"value", assignment.substr(assignment.find('=') + 1)}, {"why", why}});
  }
  experiment = std::move(edited);
}

void offer_config(Experiment& experiment, const std::string& path) {
  // Views of the same fields take them once.
  std::set<decltype(View::take_config)> asked;
  for (const View* view : all_views()) {
    if (!view->take_config || !asked.insert(view->take_config).second) continue;
    try {
      view->take_config(experiment, path);
    } catch (const InputError&) {
      // Nothing for this view; the rope can be shown all the same.
    }
  }
}

}  // namespace ropescope
