// The view Limits: curves of largest contexts, windows of bases, figures and cards.
//
// Contents: Computed; Curve; Cards; Bases; Pairs; View.

#include "app/views/limits.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/decay/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Cost for computations that never run immediately, however small: many are requested at once.
constexpr double kElsewhere = 1e7;
/// Nanoseconds per distance and pair of a sum of cosines.
constexpr double kStep = 0.1;

constexpr std::int64_t kChunkBases = 256;

/// Distance in ln b between the bases of a level.
double level_step(int level) {
  return std::ldexp(std::numbers::ln10 / 64, -level);
}

/// A chunk of adjacent points of the largest-context curve. A level's bases are b = e^{j·step} for integer j, so chunks
/// are unchanged while the plot is panned. Chunk k contains kChunkBases of them, from j = k·kChunkBases on; step halves
/// from level to level.
struct LimitChunk {
  int rotary_dim = 128, level = 0;
  std::int64_t index = 0, farthest = 1;
  bool operator==(const LimitChunk&) const = default;
};
std::vector<LimitPoint> points_of_chunk(const LimitChunk& chunk, const Work& work) {
  std::vector<double> bases;
  for (std::int64_t j = chunk.index * kChunkBases; j < (chunk.index + 1) * kChunkBases; ++j) {
    const double base = std::exp(static_cast<double>(j) * level_step(chunk.level));
    if (base > 1) bases.push_back(base);
  }
  if (bases.empty()) return {};
  return limit_curve(chunk.rotary_dim, bases, chunk.farthest, work);
}

/// A context that the plain ladder must allow.
struct ContextOfLadder {
  int rotary_dim = 128;
  std::int64_t context = 1;
  bool operator==(const ContextOfLadder&) const = default;
};
using SmallestBase = std::optional<SmallestWindow>;
SmallestBase smallest_base_for(const ContextOfLadder& of, const Work& work) {
  return smallest_window({.rotary_dim = of.rotary_dim, .context = of.context, .threads = work.threads}, work.stop);
}
using LargeEnoughBase = std::optional<RobustBase>;
LargeEnoughBase robust_base_for(const ContextOfLadder& of, const Work& work) {
  return robust_base({.rotary_dim = of.rotary_dim, .context = of.context, .threads = work.threads}, work.stop);
}

/// Returns the remaining largest context of a rope when its base changes by 1 %.
PerturbedContext compute_context_of_rope(const RopeFields& rope, const Work& work) {
  const auto ladder = [&rope](double base) {
    RopeFields moved = rope;
    moved.base = base;
    return read_rope(moved).ladder.frequencies;
  };
  return perturbed_context(rope.base, ladder, kFarthestDistance, work).value_or(PerturbedContext());
}

/// The intervals of bases that allow a context, from the smallest base up to kWindowRange times it, and the largest
/// context at the centre of each. The curve's own bases can miss a narrow interval.
struct Windows {
  std::vector<BaseWindow> windows;
  std::vector<LimitPoint> peaks;
  std::size_t bytes() const { return bytes_in(windows, peaks); }
};
struct WindowsFrom {
  ContextOfLadder of;
  double smallest = 0;
  bool operator==(const WindowsFrom&) const = default;
};
constexpr double kWindowRange = 4;
Windows windows_from(const WindowsFrom& from, const Work& work) {
  Windows result;
  result.windows = admissible_windows({.rotary_dim = from.of.rotary_dim,
                                       .context = from.of.context,
                                       .lowest = from.smallest,
                                       .highest = kWindowRange * from.smallest,
                                       .threads = work.threads},
                                      work.stop);
  std::vector<double> middles;
  for (const BaseWindow& window : result.windows) middles.push_back(std::sqrt(window.low * window.high));
  result.peaks = limit_curve(from.of.rotary_dim, middles, 4 * from.of.context, work);
  return result;
}

/// Input: a ladder, and the distance up to which to find its first negative sum.
struct LimitedLadder {
  KeyVector frequencies;
  std::int64_t limit = kFarthestDistance;
  bool operator==(const LimitedLadder&) const = default;
};
using FirstNegative = std::optional<std::int64_t>;
FirstNegative first_negative_of(const LimitedLadder& of, const Work& work) {
  return first_negative_distance(of.frequencies, of.limit, work);
}

/// Turns and variances of a ladder's pairs over a context.
struct Information {
  std::shared_ptr<const Series> turns, variance_cos, variance_sin;  ///< over the pair; turns are NaN for static pairs
  double effective = 0;                                             ///< Σ moving
  int below_turn = 0, below_quarter = 0;
  std::size_t bytes() const { return bytes_in(turns, variance_cos, variance_sin); }
};
struct LadderOverContext {
  KeyVector frequencies;
  double context = 1;
  bool operator==(const LadderOverContext&) const = default;
};
Information information_of(const LadderOverContext& of, const Work&) {
  Information information;
  std::vector<double> turns, variance_cos, variance_sin;
  for (const PairInformation& pair : pair_information(of.frequencies, of.context)) {
    // A static pair has no position on a logarithmic axis, so the line ends there.
    turns.push_back(pair.turns > 0 ? pair.turns : std::numeric_limits<double>::quiet_NaN());
    variance_cos.push_back(pair.variance_cos);
    variance_sin.push_back(pair.variance_sin);
    information.effective += pair.moving;
  }
  information.turns = make_series(0, 1, std::move(turns));
  information.variance_cos = make_series(0, 1, std::move(variance_cos));
  information.variance_sin = make_series(0, 1, std::move(variance_sin));
  information.below_turn = pairs_below_angle(of.frequencies, of.context, 2 * std::numbers::pi);
  information.below_quarter = pairs_below_angle(of.frequencies, of.context, std::numbers::pi / 2);
  return information;
}

/// Presets with one text axis and a trained length; those with equal values are merged.
struct ModelPoint {
  struct Name {
    std::string preset, profile;  ///< empty profile: the first of the preset
  };
  int rotary_dim = 0;
  double base = 0, trained_length = 0;
  std::vector<Name> names;
};

void add_model(std::vector<ModelPoint>& points, const ModelPoint::Name& name, const RotarySpec& spec) {
  if (spec.axes.size() != 1 || !spec.trained_length || spec.axes.front().ladder != Ladder::plain) return;
  const RotaryAxis& axis = spec.axes.front();
  const auto found = std::find_if(points.begin(), points.end(), [&](const ModelPoint& point) {
    return point.rotary_dim == axis.rotary_dim && point.base == axis.base &&
           point.trained_length == *spec.trained_length;
  });
  if (found == points.end()) {
    points.push_back({axis.rotary_dim, axis.base, *spec.trained_length, {name}});
  } else {
    found->names.push_back(name);
  }
}

/// Returns no points if the presets cannot be read: the curve is useful without them.
std::vector<ModelPoint> model_points(const std::monostate&, const Work&) {
  std::vector<ModelPoint> points;
  try {
    for (const Preset& preset : load_presets(find_places().assets)) {
      for (const Profile& profile : preset.profiles) {
        const bool first = &profile == &preset.profiles.front();
        add_model(points, {preset.name, first ? "" : profile.name}, profile.spec);
      }
    }
  } catch (const InputError&) {
    points.clear();
  }
  return points;
}

// --- Curve ---------------------------------------------------------------------------------------------------------

/// The curve of largest contexts over bases, as far as it has been computed.
struct LimitCurve {
  std::vector<LimitPoint> points;  ///< in ascending order of the base; empty if none is finished
  int chunks = 0, finished = 0;    ///< of the shown range
  bool complete() const { return finished == chunks; }
};

struct LimitCurveRequest {
  std::string slot;  ///< identifies the curve: until it is ready, chunks of an earlier dimension are shown
  int rotary_dim = 128;
  Range shown, fit;  ///< of the base axis, both above 1
  std::int64_t farthest = 1;
};

constexpr double kFewestBases = 4096;
/// At this level bases differ only in the last digits of a double.
constexpr int kFinestLevel = 36;

int level_of(const Range& range) {
  const double width = std::log(range.high / range.low);
  int level = 0;
  while (level < kFinestLevel && width / level_step(level) < kFewestBases) ++level;
  return level;
}

/// The chunks of a level that overlap a range.
struct Chunks {
  int level;
  std::int64_t first, last;
};
Chunks chunks_of(const Range& range, int level) {
  const double width = level_step(level) * static_cast<double>(kChunkBases);
  return {level, static_cast<std::int64_t>(std::floor(std::log(range.low) / width)),
          static_cast<std::int64_t>(std::floor(std::log(range.high) / width))};
}

Store::Answer<std::vector<LimitPoint>> chunk_of(const LimitCurveRequest& request, int level, std::int64_t index,
                                                Store& store) {
  const std::string slot = request.slot + "." + std::to_string(level) + "." + std::to_string(index);
  return store.request<points_of_chunk>({slot, kElsewhere}, {request.rotary_dim, level, index, request.farthest});
}

/// Appends the points from `from` up to, not including, `to`.
void append_between(const std::vector<LimitPoint>& all, double from, double to, std::vector<LimitPoint>& points) {
  for (const LimitPoint& point : all) {
    if (point.base >= from && point.base < to) points.push_back(point);
  }
}

/// Returns about 4 096 … 8 192 bases of the shown range, chunk by chunk from the store. In a zoomed plot the bases are
/// denser; until they are ready, those of the whole axis are shown.
LimitCurve limit_curve_of(const LimitCurveRequest& request, Store& store) {
  const int fit_level = level_of(request.fit), level = std::max(fit_level, level_of(request.shown));
  std::vector<LimitPoint> coarse;
  if (level > fit_level) {
    const Chunks whole = chunks_of(request.fit, fit_level);
    for (std::int64_t index = whole.first; index <= whole.last; ++index) {
      const auto answer = chunk_of(request, fit_level, index, store);
      if (answer.result) coarse.insert(coarse.end(), answer.result->begin(), answer.result->end());
    }
  }
  LimitCurve curve;
  const Chunks shown = chunks_of(request.shown, level);
  const double width = level_step(level) * static_cast<double>(kChunkBases);
  for (std::int64_t index = shown.first; index <= shown.last; ++index) {
    const auto answer = chunk_of(request, level, index, store);
    ++curve.chunks;
    curve.finished += answer.current ? 1 : 0;
    if (answer.result) {
      curve.points.insert(curve.points.end(), answer.result->begin(), answer.result->end());
    } else {
      const double from = std::exp(static_cast<double>(index) * width);
      append_between(coarse, from, std::exp(static_cast<double>(index + 1) * width), curve.points);
    }
  }
  return curve;
}

/// Adds more points to those of the curve, in ascending order of the base.
void add_points(LimitCurve& curve, const std::vector<LimitPoint>& points) {
  const auto middle = static_cast<std::ptrdiff_t>(curve.points.size());
  curve.points.insert(curve.points.end(), points.begin(), points.end());
  std::inplace_merge(curve.points.begin(), curve.points.begin() + middle, curve.points.end(),
                     [](const LimitPoint& a, const LimitPoint& b) { return a.base < b.base; });
}

/// The curve as a line.
std::shared_ptr<const Series> series_of_curve(const LimitCurve& curve) {
  std::vector<double> bases, contexts;
  for (const LimitPoint& point : curve.points) {
    bases.push_back(point.base);
    contexts.push_back(static_cast<double>(point.largest_context));
  }
  return make_series(std::move(bases), std::move(contexts));
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The known limits of one rope.
struct LimitsOf {
  ShownRope shown;
  RotaryAxis axis;                                 ///< the selected one
  Eigen::VectorXd frequencies;                     ///< with the context extension
  Eigen::VectorXd trained;                         ///< see trained_frequencies
  std::optional<double> effective_base;            ///< of the extension, if it is a change of base
  std::shared_ptr<const FirstNegative> negative;   ///< null until computed
  std::shared_ptr<const PerturbedContext> shaken;  ///< null until computed
  std::shared_ptr<const SmallestBase> smallest;    ///< null until computed
  std::shared_ptr<const LargeEnoughBase> robust;   ///< null until computed
  std::shared_ptr<const Information> information;
  bool smallest_current = false;  ///< false if it belongs to an earlier input
  bool current = true;            ///< false if any of them belongs to an earlier input
};

/// The cards to show, depending on the picture.
enum class LimitsCards {
  of_bases,  ///< with the robust base
  of_pairs   ///< with the critical dimension
};

struct LimitsContext {
  const LimitsOf& current;
  const LimitsOf* pinned;
  double length;
  const Text& text;
};

ReadoutValue largest_context_of(const LimitsOf& of) {
  if (!of.negative) return Message("readout.unknown");
  if (!*of.negative) return Quantity{as_whole(kFarthestDistance), "tokens", "readout.more_than"};
  return Quantity{as_whole(**of.negative - 1), "tokens"};
}

Readout largest_context(const LimitsContext& c) {
  Readout readout = start_card("limits.largest_context", c.text);
  const auto& negative = c.current.negative;
  if (negative) {
    readout.note =
        c.text.format(*negative ? "readout.limits.largest_context.note" : "readout.limits.largest_context.never",
                      {{"distance", counted(negative->value_or(0))}});
  }
  const auto& shaken = c.current.shaken;
  if (shaken && shaken->negative) {
    readout.note = c.text.format("readout.limits.largest_context.shaken",
                                 {{"note", readout.note}, {"length", counted(*shaken->largest())}});
  }
  if (c.current.frequencies != c.current.trained) {
    readout.note = c.text.format("readout.limits.largest_context.extended", {{"note", readout.note}});
  }
  return with_pin(std::move(readout), c.current, c.pinned, largest_context_of, c.text);
}

/// Formats a rounded base with the digits with which it passes its test.
Quantity shown(const RoundedBase& base) {
  return Quantity{with_digits(base.value, base.digits)};
}

ReadoutValue smallest_base_of(const LimitsOf& of) {
  if (!of.smallest) return Message("readout.unknown");
  return *of.smallest ? shown((*of.smallest)->rounded) : no_number();
}

Readout smallest(const LimitsContext& c) {
  Readout readout = start_card("limits.smallest_base", c.text);
  readout.note = c.text.format("readout.limits.smallest_base.note",
                               {{"length", counted(c.length)}, {"dimension", counted(c.current.axis.rotary_dim)}});
  const auto& smallest = c.current.smallest;
  if (smallest && *smallest) {
    const RoundedBase& high = (*smallest)->rounded_high;
    readout.note =
        c.text.format((*smallest)->ends ? "readout.limits.smallest_base.window" : "readout.limits.smallest_base.open",
                      {{"note", readout.note}, {"high", readable_number(high.value, high.digits)}});
  }
  return with_pin(std::move(readout), c.current, c.pinned, smallest_base_of, c.text);
}

ReadoutValue robust_base_of(const LimitsOf& of) {
  if (!of.robust) return Message("readout.unknown");
  return *of.robust ? shown((*of.robust)->rounded) : no_number();
}

Readout robust(const LimitsContext& c) {
  Readout readout = start_card("limits.robust_base", c.text);
  const bool none = c.current.robust && !*c.current.robust;
  readout.note = c.text.format(none ? "readout.limits.robust_base.none" : "readout.limits.robust_base.note",
                               {{"length", counted(c.length)}, {"step", readable_number(100 * (kRobustRatio - 1), 2)}});
  return with_pin(std::move(readout), c.current, c.pinned, robust_base_of, c.text);
}

ReadoutValue moving_of(const LimitsOf& of) {
  return Quantity{with_decimals(of.information->effective, 1), "pairs", "readout.count_of",
                  as_whole(of.frequencies.size())};
}

Readout moving(const LimitsContext& c) {
  Readout readout = start_card("limits.moving", c.text);
  readout.note =
      c.text.format("readout.limits.moving.note", {{"turn", counted(c.current.information->below_turn)},
                                                   {"quarter", counted(c.current.information->below_quarter)},
                                                   {"length", counted(c.length)}});
  const auto still = (c.current.frequencies.array() == 0).count();
  if (still > 0) readout.note += " " + c.text.format("readout.unseen.still", {{"still", counted(still)}});
  return with_pin(std::move(readout), c.current, c.pinned, moving_of, c.text);
}

/// Largest context of the ladder, smallest base for the context, robust base or critical dimension, pairs unseen in
/// training and moving pairs; each compared with the first pinned rope, if any.
std::vector<Readout> limits_readouts(LimitsCards cards, const LimitsOf& current, const LimitsOf* pinned, double context,
                                     const Text& text) {
  const LimitsContext c{current, pinned, context, text};
  const TrainedPairs known = trained_pairs(&current, &current.frequencies), known_of_pin = trained_pairs(pinned);
  return {largest_context(c), smallest(c),
          cards == LimitsCards::of_bases ? robust(c) : critical_card("limits", known, known_of_pin, text),
          unseen_card("limits", known, known_of_pin, text), moving(c)};
}

// --- Bases ---------------------------------------------------------------------------------------------------------

/// Progress of a picture's computations.
struct LimitsProgress {
  int parts = 0, finished = 0;
};

constexpr double kLowestBase = 1.001, kHighestBase = 1e12;
/// The maximum number of shaded intervals; more would merge into uniform grey.
constexpr std::size_t kMaxWindows = 512;
constexpr std::size_t kMaxNamedModels = 1;
constexpr LineStyle kAdmissible{2, false}, kModels{3, false};

/// Returns the decades of the bases on screen and of the smallest base for the context. With d = 128 that is near
/// 0.1·L^1.5, with few pairs it is far larger.
Range base_decades(const std::vector<LimitsOf>& ropes, double context) {
  double low = 100, high = std::max(1e7, 30 * 0.1 * std::pow(context, 1.5));
  for (const LimitsOf& of : ropes) {
    low = std::min(low, of.axis.base);
    high = std::max({high, 2 * of.axis.base, 2 * of.effective_base.value_or(1)});
    if (of.smallest && *of.smallest) high = std::max(high, 3 * (*of.smallest)->window.low);
  }
  const Range around = decades({low, high});
  return {std::max(kLowestBase, around.low), std::min(kHighestBase, around.high)};
}

FigureAxis base_axis(const LimitsFields& fields, const std::vector<LimitsOf>& ropes, const Text& text) {
  // All bases can be shown, not only those of the fit.
  const FigureAxis axis = named_axis("limits", "base", text, AxisScale::log);
  Zooms zooms = fields.zooms;
  if (std::optional<Range>& zoomed = zooms[axis.range_key])
    zoomed = Range{std::max(zoomed->low, kLowestBase), std::min(zoomed->high, kHighestBase)};
  return value_axis(axis, base_decades(ropes, fields.context), zooms);
}

/// Returns the largest context examined: a power of four well above the given one, so that dragging computes little.
std::int64_t farthest_of(double context) {
  std::int64_t farthest = std::int64_t{1} << 20;
  while (static_cast<double>(farthest) < 4 * context) farthest *= 4;
  return farthest;
}

FigureAxis largest_axis(const LimitsFields& fields, double lowest_base, const Text& text) {
  FigureAxis axis = named_axis("limits", "largest", text, AxisScale::log);
  axis.name = "largest_context";
  axis.whole = true;
  return value_axis(axis, {lowest_base < 100 ? 1.0 : 10.0, static_cast<double>(farthest_of(fields.context))},
                    fields.zooms);
}

/// Returns the exact intervals from the smallest base on, then those that the curve's points show.
std::vector<Range> windows_of(const LimitCurve& curve, const LimitsOf& of, const Windows* exact, double context) {
  std::vector<Range> windows;
  double known = 0;
  if (exact && of.smallest && *of.smallest) {
    known = kWindowRange * (*of.smallest)->window.low;
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
  if (windows.size() > kMaxWindows) return;
  for (const Range& window : windows) {
    add_span(figure, window, text["view.limits.admissible"], Role::curve, kAdmissible);
  }
}

/// Returns the exact intervals of the selected rope once its smallest base is known.
std::shared_ptr<const Windows> exact_windows(const LimitsOf& of, double context, Store& store, Figure& figure) {
  if (!of.smallest || !*of.smallest || !of.smallest_current) return nullptr;
  const ContextOfLadder ladder{of.axis.rotary_dim, static_cast<std::int64_t>(context)};
  const auto answer = store.request<windows_from>({"windows", kElsewhere}, {ladder, (*of.smallest)->window.low});
  figure.stale |= !answer.current;
  return answer.current ? answer.result : nullptr;
}

void add_base_rules(Figure& figure, const std::vector<LimitsOf>& ropes, double context, const Text& text) {
  add_level(figure, context, text.format("view.limits.context", {{"length", counted(context)}}), Role::text);
  const LimitsOf& first = ropes.front();
  if (first.smallest && *first.smallest) {
    const RoundedBase& base = (*first.smallest)->rounded;
    add_rule(figure, base.value,
             text.format("view.limits.smallest", {{"base", readable_number(base.value, base.digits)}}), Role::curve,
             kAdmissible)
        .card = "limits.smallest_base";
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

void add_published_models(Figure& figure, int rotary_dim, const Text& text, Store& store) {
  const auto answer = store.request<model_points>({"models", kElsewhere}, {});
  figure.stale |= !answer.current;
  if (!answer.result) return;
  Points models = points_of("models", kModels);
  models.label = text["view.limits.models"];
  for (const ModelPoint& point : *answer.result) {
    if (point.rotary_dim != rotary_dim) continue;
    add_point(models, point.base, point.trained_length);
    const std::size_t more = point.names.size() - kMaxNamedModels;
    const auto& [preset, profile] = point.names.front();
    const std::string name = profile.empty() ? preset : preset + text["list.between"] + profile_label(text, profile);
    models.names.push_back(
        more == 0 ? name : text.format("view.limits.and_more", {{"model", name}, {"count", counted(more)}}));
  }
  if (!models.xs.empty()) figure.points.push_back(models);
}

/// Largest context over base, one line per dimension on screen.
Figure largest_context_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text,
                              Store& store, LimitsProgress& progress) {
  const LimitsFields& fields = experiment.limits;
  Figure figure = named_figure("largest_context");
  figure.x = base_axis(fields, ropes, text);
  figure.y = largest_axis(fields, figure.x.fit.low, text);
  std::vector<int> dimensions;
  for (const LimitsOf& of : ropes) {
    if (std::find(dimensions.begin(), dimensions.end(), of.axis.rotary_dim) != dimensions.end()) continue;
    dimensions.push_back(of.axis.rotary_dim);
    LimitCurveRequest request;
    request.slot = of.shown.key;
    request.rotary_dim = of.axis.rotary_dim;
    request.shown = figure.x.range;
    request.fit = figure.x.fit;
    request.farthest = farthest_of(fields.context);
    LimitCurve curve = limit_curve_of(request, store);
    progress.parts += curve.chunks;
    progress.finished += curve.finished;
    figure.stale |= !curve.complete();
    if (dimensions.size() == 1) {
      const auto exact = exact_windows(of, fields.context, store, figure);
      if (exact) add_points(curve, exact->peaks);
      add_windows(figure, windows_of(curve, of, exact.get(), fields.context), text);
    }
    figure.lines.push_back({of.shown.key,
                            text.format("view.limits.line", {{"dimension", counted(of.axis.rotary_dim)}}),
                            {of.shown.slot, false},
                            series_of_curve(curve)});
  }
  figure.legend = dimensions.size() > 1;
  if (figure.legend) {
    for (Span& span : figure.spans) span.label.clear();  // they would collide at the bottom
  }
  add_base_rules(figure, ropes, fields.context, text);
  if (fields.show_models) add_published_models(figure, ropes.front().axis.rotary_dim, text, store);
  return figure;
}

// --- Pairs ---------------------------------------------------------------------------------------------------------

/// Added to a slot: the same colour with the next dash.
constexpr int kOtherDash = 5;

FigureAxis make_limit_pair_axis(const LimitsFields& fields, const std::vector<LimitsOf>& ropes, const Text& text) {
  Eigen::Index most = 0;
  for (const LimitsOf& of : ropes) most = std::max(most, of.frequencies.size());
  return pair_axis("limits", most, fields.zooms, text);
}

/// Shades the pairs of a ladder that do not complete a turn, and static pairs. They are the last pairs, in this order,
/// because frequencies fall.
void add_unfinished(Figure& figure, const LimitsOf& of, const std::string& label, const std::string& still_label) {
  const auto still = (of.frequencies.array() == 0).count();
  const double last = static_cast<double>(of.frequencies.size() - 1);
  double high = last + 0.5;
  const auto add = [&](auto count, const std::string& words) {
    if (count == 0) return;
    const Range interval{std::max(0.0, high - static_cast<double>(count)), std::min(last, high)};
    add_span(figure, interval, words);
    high = interval.low;
  };
  add(still, still_label);
  add(of.information->below_turn, label);
}

/// Turns of each pair in the context.
Figure turns_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text) {
  const LimitsFields& fields = experiment.limits;
  Figure figure = named_figure("turns");
  figure.x = make_limit_pair_axis(fields, ropes, text);
  for (const LimitsOf& of : ropes) {
    figure.lines.push_back({of.shown.key, of.shown.label, {of.shown.slot, false}, of.information->turns});
  }
  const Range turns = decades(widened({1, 1}, figure.lines));
  figure.y = value_axis(named_axis("limits", "turns", text, AxisScale::log),
                        turns.low < turns.high ? turns : Range{0.1, 10}, fields.zooms);
  figure.y.label = text.format("view.limits.turns", {{"length", counted(fields.context)}});
  add_level(figure, 1, text["view.limits.one_turn"]);
  add_level(figure, 0.25, text["view.limits.quarter_turn"]);
  add_unfinished(figure, ropes.front(),
                 text.format("view.limits.unfinished", {{"count", counted(ropes.front().information->below_turn)}}),
                 text["view.frequencies.still"]);
  return figure;
}

/// Labels the two curves of the first rope, the dashed one further right; those of the other ropes look alike.
void name_parts_of_first(Figure& figure, const std::vector<LimitsOf>& ropes) {
  double along = 0.6;
  for (const Line& line : figure.lines) {
    if (line.key.substr(0, line.key.find('.')) != ropes.front().shown.key) continue;
    name_line(figure, line, along, line.label);
    along += 0.2;
  }
}

/// Variance of cos and sin of each pair over the context.
Figure variance_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text) {
  const LimitsFields& fields = experiment.limits;
  Figure figure = named_figure("variance");
  figure.x = make_limit_pair_axis(fields, ropes, text);
  for (const LimitsOf& of : ropes) {
    const Information& information = *of.information;
    const auto add = [&](const std::string& part, const std::shared_ptr<const Series>& series, int slot) {
      figure.lines.push_back(
          {of.shown.key + "." + part, text["view.limits.variance_" + part], {slot, false}, series, true});
    };
    add("cos", information.variance_cos, of.shown.slot);
    add("sin", information.variance_sin, of.shown.slot + kOtherDash);
  }
  name_parts_of_first(figure, ropes);
  const double most = widened({0, 0.5}, figure.lines).high;
  figure.y = value_axis(named_axis("limits", "variance", text), {0, 1.04 * most}, fields.zooms);
  add_unfinished(figure, ropes.front(), {}, {});  // labelled in the panel above
  return figure;
}

FigureAxis make_limit_distance_axis(const LimitsFields& fields, const Text& text) {
  FigureAxis axis = named_axis("limits", "distance", text, AxisScale::log);
  axis.label = text["view.decay.distance"];
  return distance_axis(std::move(axis), fields.context, fields.zooms);
}

/// Adds the similarity of some of the pairs as a line; nothing if no pair is left.
void add_similarity(Figure& figure, const std::string& key, const Eigen::VectorXd& frequencies, const Line& like,
                    double span, Store& store) {
  if (frequencies.size() == 0) return;
  DecayInput input;
  input.kernel.frequencies = frequencies;
  input.kernel.count = static_cast<std::int64_t>(span) + 1;
  input.kernel.want_bound = false;
  const auto answer = store.request<decay_curves>({"limits." + key, input.cost()}, input);
  figure.stale |= !answer.current;
  if (!answer.result) return;
  Line line = like;
  line.key = key;
  line.series = answer.result->similarity;
  figure.lines.push_back(line);
}

/// Similarity up to the context: of all pairs, and of those that complete a turn in it.
Figure dropped_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text,
                      Store& store) {
  const LimitsFields& fields = experiment.limits;
  Figure figure = named_figure("dropped");
  figure.x = make_limit_distance_axis(fields, text);
  for (const LimitsOf& of : ropes) {
    const Eigen::VectorXd moving = finished_frequencies(of.frequencies, fields.context);
    const std::string all_label = text.format("view.limits.all_pairs", {{"count", counted(of.frequencies.size())}});
    const std::string moving_label = text.format("view.limits.moving_pairs", {{"count", counted(moving.size())}});
    Line all{{}, all_label, {of.shown.slot, true}, nullptr, true};
    Line kept{{}, moving_label, {of.shown.slot, false}, nullptr, true};
    add_similarity(figure, of.shown.key + ".all", of.frequencies, all, fields.context, store);
    add_similarity(figure, of.shown.key + ".moving", moving, kept, fields.context, store);
  }
  name_parts_of_first(figure, ropes);
  const double least = widened({0, 1}, figure.lines).low;
  figure.y = value_axis(named_axis("limits", "similarity", text),
                        {least < 0 ? 0.1 * std::floor(10 * least - 0.25) : 0, 1.04}, fields.zooms);
  figure.y.label = text["view.decay.similarity"];
  figure.zero_line = true;
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

/// Distances × pairs that are computed immediately: a quarter of a millisecond.
constexpr double kFirstChunk = 2.5e6;

/// Returns the first negative sum: found immediately if it is near, otherwise on a worker thread.
std::shared_ptr<const FirstNegative> negative_of(const std::string& key, const Eigen::VectorXd& frequencies,
                                                 Store& store, bool& current) {
  const auto ask = [&](const char* slot, std::int64_t limit) {
    const double cost = kStep * static_cast<double>(limit) * static_cast<double>(frequencies.size());
    return store.request<first_negative_of>({key + slot, cost}, {frequencies, limit});
  };
  const double first = std::max(16.0, kFirstChunk / static_cast<double>(frequencies.size()));
  const auto near = ask(".near", static_cast<std::int64_t>(first));
  if (near.result && near.current && *near.result) return near.result;
  const auto far = ask(".far", kFarthestDistance);
  current &= far.current;
  return far.result;
}

LimitsOf limits_of(const ShownRope& shown, double context, Store& store) {
  LimitsOf of;
  of.shown = shown;
  const RopeReading rope = read_rope(*shown.rope);
  of.axis = rope.shown_axis();
  of.frequencies = rope.ladder.frequencies;
  of.trained = trained_frequencies(rope.plain, of.frequencies);
  of.effective_base = rope.ladder.effective_base;
  of.negative = negative_of(shown.key, of.frequencies, store, of.current);
  const auto shaken = store.request<compute_context_of_rope>({shown.key, kElsewhere}, *shown.rope);
  of.shaken = shaken.result;
  of.current &= shaken.current;
  const double cost = 200 * static_cast<double>(of.frequencies.size());
  const auto information = store.request<information_of>({shown.key, cost}, {of.frequencies, context});
  of.information = information.result;
  of.current &= information.current;
  return of;
}

/// Adds the required bases last, the robust ones after all others, because the curve can be shown before them.
void add_bases(LimitsCards cards, std::vector<LimitsOf>& ropes, double context, Store& store) {
  const auto ladder_of = [context](const LimitsOf& of) {
    return ContextOfLadder{of.axis.rotary_dim, static_cast<std::int64_t>(context)};
  };
  for (LimitsOf& of : ropes) {
    const auto answer = store.request<smallest_base_for>({of.shown.key, kElsewhere}, ladder_of(of));
    of.smallest = answer.result;
    of.smallest_current = answer.current;
    of.current &= answer.current;
  }
  if (cards != LimitsCards::of_bases) return;
  for (LimitsOf& of : ropes) {
    const auto answer = store.request<robust_base_for>({of.shown.key, kElsewhere}, ladder_of(of));
    of.robust = answer.result;
    of.current &= answer.current;
  }
}

Figure no_curve(const Experiment&, const Text&) {
  return empty_figure("largest_context", "base", "largest_context");
}

std::string describe_limits_status(const ViewResult& result, const LimitsOf& of, const LimitsProgress& progress,
                                   const Text& text) {
  if (progress.finished < progress.parts) {
    return text.format("view.limits.progress",
                       {{"finished", counted(progress.finished)}, {"parts", counted(progress.parts)}});
  }
  if (result.stale) return {};
  return text.format("view.limits.status",
                     {{"pairs", counted(of.frequencies.size())},
                      {"values", counted(result.panels.front().figure.lines.front().series->ys.size())}});
}

void declare_limits_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.rope);
  declare_fields(list, experiment.limits);
}

ViewResult limits_figures(const Experiment& experiment, const Text& text, Store& store) {
  const LimitsFields& fields = experiment.limits;
  std::vector<LimitsOf> ropes;
  for (const ShownRope& shown : shown_ropes(experiment, text)) {
    ropes.push_back(limits_of(shown, fields.context, store));
  }
  if (ropes.empty()) return hint_result(no_curve(experiment, text), text["view.decay.all_hidden"]);
  const LimitsCards cards = fields.show == LimitsShow::curve ? LimitsCards::of_bases : LimitsCards::of_pairs;
  add_bases(cards, ropes, fields.context, store);
  ViewResult result;
  LimitsProgress progress;
  if (fields.show == LimitsShow::information) {
    result.panels.push_back({turns_figure(experiment, ropes, text), 0.55});
    result.panels.push_back({variance_figure(experiment, ropes, text), 0.45});
  } else if (fields.show == LimitsShow::dropped) {
    result.panels.push_back({dropped_figure(experiment, ropes, text, store), 1});
  } else {
    result.panels.push_back({largest_context_figure(experiment, ropes, text, store, progress), 1});
  }
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  for (const LimitsOf& of : ropes) result.stale |= !of.current;
  result.readouts = limits_readouts(cards, ropes.front(), ropes.size() > 1 ? &ropes[1] : nullptr, fields.context, text);
  add_ladder_in_use(result.readouts, "limits", *ropes.front().shown.rope, text);
  result.status = describe_limits_status(result, ropes.front(), progress, text);
  return result;
}

}  // namespace

std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context) {
  const auto half_way = [&points](std::size_t i) { return std::sqrt(points[i].base * points[i + 1].base); };
  std::vector<Range> windows;
  bool open = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool allowed = static_cast<double>(points[i].largest_context) >= context;
    if (allowed && !open) windows.push_back({i > 0 ? half_way(i - 1) : points[i].base, points[i].base});
    if (allowed) windows.back().high = i + 1 < points.size() ? half_way(i) : points[i].base;
    open = allowed;
  }
  return windows;
}

constinit const View kLimitsView{.id = "limits",
                                 .group = "explore",
                                 .declare_fields = declare_limits_fields,
                                 .figures = limits_figures,
                                 .empty = no_curve,
                                 .length = [](const Experiment& experiment) { return experiment.limits.context; }};

}  // namespace ropescope
