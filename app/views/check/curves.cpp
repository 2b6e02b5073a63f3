#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/check/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Of both sides wherever they stand beside each other.
constexpr LineStyle kMine{0, false}, kReference{1, false}, kBefore{0, true};

FigureAxis curves_error_axis(const CheckShown& shown, const Range& errors) {
  const bool ratio = shown.map->by_tolerance;
  const FigureAxis axis = named_axis("check", ratio ? "ratio" : "difference", shown.text,
                                     ratio ? AxisScale::log : AxisScale::linear, "error");
  const auto [least, most] = errors;
  return value_axis(axis, ratio ? Range{std::min(least / 1.6, 0.3), std::max(most * 1.6, 3.0)} : from_zero(most),
                    shown.knobs.error_range);
}

/// Lines of the differences and of what they were before a cause was applied; a rule or a line for the tolerance.
void add_errors(Figure& figure, const CheckShown& shown, std::shared_ptr<const Series> CheckDifferenceMap::*errors,
                std::shared_ptr<const Series> CheckDifferenceMap::*tolerances) {
  const Text& text = shown.text;
  const bool applied = shown.before != nullptr;
  const std::string label = applied ? text.format("view.check.applied", {{"cause", cause_words(shown.applied, text)}})
                                    : text["view.check.worst"];
  if (applied) {
    figure.lines.push_back({"before", text["view.check.as_it_is"], kBefore, (*shown.before).*errors, true});
  }
  // On its own it is what the title says; a page would list it beside the lines of both sides.
  const bool named = applied || !shown.map->by_tolerance;
  figure.lines.push_back({"difference", label, kMine, (*shown.map).*errors, named});
  if (shown.map->by_tolerance) {
    add_level(figure, 1, text["view.check.tolerance"]);
  } else if (!shown.of_ids()) {
    figure.lines.push_back({"tolerance", text["view.check.tolerance"], {2, false}, (*shown.map).*tolerances, true});
  }
  figure.legend = figure.lines.size() > 1;
  figure.y = curves_error_axis(shown, widened({std::numeric_limits<double>::infinity(), 0}, figure.lines));
}

}  // namespace

std::shared_ptr<const CheckRow> CheckRowInput::compute(int, const std::stop_token&) const {
  auto result = std::make_shared<CheckRow>();
  try {
    result->values = CheckSides(outcome->reference, outcome->inputs, outcome->applied(applied)).values(row, 1);
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  return result;
}

Figure check_profile_figure(const CheckShown& shown) {
  Figure figure;
  figure.name = "profile";
  figure.title = shown.text["view.check.profile_title"];
  figure.x = check_token_axis(shown);
  add_errors(figure, shown, &CheckDifferenceMap::over_tokens, &CheckDifferenceMap::tolerance_over_tokens);
  mark_token(figure, shown);
  return figure;
}

Figure check_frames_figure(const CheckShown& shown) {
  Figure figure;
  figure.name = "over_frames";
  figure.title = shown.text["view.check.frames_title"];
  figure.x = named_axis("check", "frame", shown.text);
  figure.x.label = shown.text["view.similarity.frame"];
  figure.x = fixed_axis(figure.x, {1, static_cast<double>(shown.map->image->tiles.all)});
  figure.x.whole = true;
  add_errors(figure, shown, &CheckDifferenceMap::over_frames, &CheckDifferenceMap::tolerance_over_frames);
  const CheckImage& image = *shown.map->image;
  const std::int64_t picked = shown.token() - image.first_row;
  if (picked < 0 || picked >= image.frame_size() * image.tiles.all) return figure;
  const std::int64_t frame = picked / image.frame_size() + 1;
  add_rule(figure, static_cast<double>(frame), shown.text.format("view.layout.frame_name", {{"frame", counted(frame)}}),
           Role::text);
  return figure;
}

Figure check_pairs_figure(const CheckShown& shown) {
  Figure figure;
  figure.name = "pairs";
  figure.title = shown.text[shown.of_ids() ? "view.check.axes_title" : "view.check.pairs_title"];
  figure.x = check_pair_axis(shown);
  add_errors(figure, shown, &CheckDifferenceMap::over_pairs, &CheckDifferenceMap::tolerance_over_pairs);
  return figure;
}

Figure check_row_figure(const CheckShown& shown) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "row";
  // No legend, which would cover the lines: the title says which one is dashed, the axis of what they are.
  figure.title = text["view.check.row_title"];
  figure.x = check_pair_axis(shown);
  figure.x.label = text.format(shown.of_ids() ? "view.check.axis_of" : "view.check.pair_of",
                               {{"token", readable_integer(static_cast<double>(shown.token()))}});
  figure.y = named_axis("check", "value", text);
  figure.y.label = text[shown.of_ids() ? "view.check.id" : "view.check.cosine"];
  if (!shown.row || !shown.row->fault.empty()) {
    figure.empty_message = shown.row ? text.say(shown.row->fault) : std::string();
    return figure;
  }
  const CheckValues& values = shown.row->values;
  const auto line = [&](const char* key, const LineStyle& style, const std::vector<float>& of) {
    figure.lines.push_back({key, text[std::string("view.check.") + key], style,
                            make_series(0, 1, std::vector<double>(of.begin(), of.end())), true});
  };
  line("reference", kReference, values.reference);
  line("mine", kMine, values.mine);
  figure.y = value_axis(figure.y, with_room(widened({-1, 1}, figure.lines), 0.06), shown.knobs.value_range);
  figure.zero_line = true;
  return figure;
}

Figure check_frequencies_figure(const CheckOutcome& outcome, const std::string& applied, const CheckKnobs& knobs,
                                const Text& text) {
  const CheckFrequencies found = CheckSides(outcome.reference, outcome.inputs, outcome.applied(applied)).frequencies();
  Figure figure;
  figure.name = "frequencies";
  figure.title = with_cause(text["view.check.frequencies_title"], applied, text);
  figure.x = cell_axis(named_axis("check", "pair", text),
                       cell_range(std::max(found.mine.size(), found.reference.size())), knobs.pair_range);
  const auto line = [&](const char* key, const LineStyle& style, const std::vector<double>& of) {
    std::vector<double> sizes;
    for (const double value : of) {
      // A pair that does not turn has no place on a logarithmic axis.
      sizes.push_back(value == 0 ? std::numeric_limits<double>::quiet_NaN() : std::abs(value));
    }
    figure.lines.push_back(
        {key, text[std::string("view.check.") + key], style, make_series(0, 1, std::move(sizes)), true});
  };
  line("reference", kReference, found.reference);
  line("mine", kMine, found.mine);
  figure.legend = true;
  const auto [least, most] = widened({std::numeric_limits<double>::infinity(), 0}, figure.lines);
  figure.y = value_axis(named_axis("check", "frequency", text, AxisScale::log, "value"),
                        most > 0 ? Range{least / 1.5, most * 1.5} : Range{0.1, 1}, knobs.value_range);
  return figure;
}

}  // namespace ropescope
