#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/resources/models.h"
#include "app/views/limits/curve.h"
#include "app/views/limits/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

constexpr double kLowestBase = 1.001, kHighestBase = 1e12;
/// More windows than this are a grey that says nothing.
constexpr std::size_t kMostWindows = 512;
constexpr std::size_t kBaseFigureMostNames = 1;
constexpr LineStyle kAdmissible{2, false}, kModels{3, false};

/// The decades that hold the bases on screen, and those around the smallest base for the context: with d = 128 that is
/// near 0.1·L^1.5, with few pairs it lies far higher.
Range base_decades(const std::vector<LimitsOf>& ropes, double context) {
  double low = 100, high = std::max(1e7, 30 * 0.1 * std::pow(context, 1.5));
  for (const LimitsOf& of : ropes) {
    low = std::min(low, of.axis.base);
    high = std::max({high, 2 * of.axis.base, 2 * of.effective_base.value_or(1)});
    if (of.smallest && of.smallest->found) high = std::max(high, 3 * of.smallest->found->window.low);
  }
  const Range around = decades({low, high});
  return {std::max(kLowestBase, around.low), std::min(kHighestBase, around.high)};
}

FigureAxis base_axis(const LimitsKnobs& knobs, const std::vector<LimitsOf>& ropes, const Text& text) {
  // All bases can be looked at, not only those of the fit.
  std::optional<Range> zoomed = knobs.base_range;
  if (zoomed) zoomed = Range{std::max(zoomed->low, kLowestBase), std::min(zoomed->high, kHighestBase)};
  return value_axis(named_axis("limits", "base", text, AxisScale::log), base_decades(ropes, knobs.context), zoomed);
}

/// Contexts are looked at up to here: a power of four well above the one in question, so that a drag computes little.
std::int64_t farthest_of(double context) {
  std::int64_t farthest = std::int64_t{1} << 20;
  while (static_cast<double>(farthest) < 4 * context) farthest *= 4;
  return farthest;
}

FigureAxis largest_axis(const LimitsKnobs& knobs, double lowest_base, const Text& text) {
  FigureAxis axis = named_axis("limits", "largest", text, AxisScale::log);
  axis.name = "largest_context";
  axis.whole = true;
  return value_axis(axis, {lowest_base < 100 ? 1.0 : 10.0, static_cast<double>(farthest_of(knobs.context))},
                    knobs.largest_range);
}

/// The windows from the smallest base on as they are known exactly, the rest as the curve's points show them.
std::vector<Range> windows_of(const LimitCurve& curve, const LimitsOf& of, const Windows* exact, double context) {
  std::vector<Range> windows;
  double known = 0;
  if (exact && of.smallest && of.smallest->found) {
    known = kWindowRange * of.smallest->found->window.low;
    for (const BaseWindow& window : exact->windows) windows.push_back({window.low, window.high});
  }
  for (Range window : admissible_windows(curve.points, context)) {
    if (window.high <= known) continue;
    window.low = std::max(window.low, known);
    if (!windows.empty() && windows.back().high >= window.low) {
      windows.back().high = window.high;
    } else {
      windows.push_back(window);
    }
  }
  return windows;
}

void add_windows(Figure& figure, const std::vector<Range>& windows, const Text& text) {
  if (windows.size() > kMostWindows) return;
  for (const Range& window : windows) {
    Span span;
    span.low = window.low;
    span.high = window.high;
    span.style = kAdmissible;
    span.label = text["view.limits.admissible"];
    figure.spans.push_back(span);
  }
}

/// The exact windows of the rope that is looked at, once its smallest base is known.
std::shared_ptr<const Windows> exact_windows(const LimitsOf& of, double context, Store& store, Figure& figure) {
  if (!of.smallest || !of.smallest->found || !of.smallest_current) return nullptr;
  const WindowsInput input{of.axis.rotary_dim, static_cast<std::int64_t>(context), of.smallest->found->window.low};
  const auto answer = store.get("windows", input);
  figure.stale |= !answer.current;
  return answer.current ? answer.result : nullptr;
}

void add_rules_base_figure(Figure& figure, const std::vector<LimitsOf>& ropes, double context, const Text& text) {
  add_level(figure, context, text.format("view.limits.context", {{"length", counted(context)}}), Role::text);
  const LimitsOf& first = ropes.front();
  if (first.smallest && first.smallest->found) {
    const RoundedBase& base = first.smallest->found->rounded;
    add_rule(figure, base.value,
             text.format("view.limits.smallest", {{"base", readable_number(base.value, base.digits)}}), Role::curve,
             kAdmissible);
  }
  for (const LimitsOf& of : ropes) {
    const auto add = [&](double base, const char* key) {
      const auto stands = [base](const Rule& rule) { return rule.vertical && rule.at == base; };
      if (std::any_of(figure.rules.begin(), figure.rules.end(), stands)) return;
      add_rule(figure, base, text.format(key, {{"base", readable_number(base, 6)}}), Role::curve,
               {of.shown.slot, false});
    };
    add(of.axis.base, "view.limits.current");
    if (of.effective_base && *of.effective_base != of.axis.base) add(*of.effective_base, "view.limits.effective");
  }
}

std::string model_name(const ModelPoint::Name& name, const Text& text) {
  return name.profile.empty() ? name.preset : name.preset + text["list.between"] + profile_label(text, name.profile);
}

void add_models_base_figure(Figure& figure, int rotary_dim, const Text& text, Store& store) {
  const auto answer = store.get("models", ModelPointsInput{});
  if (!answer.result) return;
  Points models;
  models.key = "models";
  models.label = text["view.limits.models"];
  models.style = kModels;
  for (const ModelPoint& point : answer.result->points) {
    if (point.rotary_dim != rotary_dim) continue;
    models.xs.push_back(point.base);
    models.ys.push_back(point.trained_length);
    const std::size_t more = point.names.size() - kBaseFigureMostNames;
    const std::string name = model_name(point.names.front(), text);
    models.names.push_back(
        more == 0 ? name : text.format("view.limits.and_more", {{"model", name}, {"count", counted(more)}}));
  }
  if (!models.xs.empty()) figure.points.push_back(models);
}

}  // namespace

Figure largest_context_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text,
                              Store& store, LimitsProgress& progress) {
  const LimitsKnobs& knobs = experiment.limits;
  Figure figure;
  figure.name = "largest_context";
  figure.x = base_axis(knobs, ropes, text);
  figure.y = largest_axis(knobs, figure.x.fit.low, text);
  std::vector<int> dimensions;
  for (const LimitsOf& of : ropes) {
    if (std::find(dimensions.begin(), dimensions.end(), of.axis.rotary_dim) != dimensions.end()) continue;
    dimensions.push_back(of.axis.rotary_dim);
    LimitCurveRequest request;
    request.slot = of.shown.key;
    request.rotary_dim = of.axis.rotary_dim;
    request.shown = figure.x.range;
    request.fit = figure.x.fit;
    request.farthest = farthest_of(knobs.context);
    LimitCurve curve = limit_curve_of(request, store);
    progress.parts += curve.chunks;
    progress.finished += curve.finished;
    figure.stale |= !curve.complete();
    if (dimensions.size() == 1) {
      const auto exact = exact_windows(of, knobs.context, store, figure);
      if (exact) add_points(curve, exact->peaks);
      add_windows(figure, windows_of(curve, of, exact.get(), knobs.context), text);
    }
    figure.lines.push_back({of.shown.key,
                            text.format("view.limits.line", {{"dimension", counted(of.axis.rotary_dim)}}),
                            {of.shown.slot, false},
                            series_of(curve),
                            true});
  }
  figure.legend = dimensions.size() > 1;
  if (figure.legend) {
    for (Span& span : figure.spans) span.label.clear();  // they would meet at the bottom
  }
  add_rules_base_figure(figure, ropes, knobs.context, text);
  add_models_base_figure(figure, ropes.front().axis.rotary_dim, text, store);
  return figure;
}

}  // namespace ropescope
