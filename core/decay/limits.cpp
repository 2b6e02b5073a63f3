// The search for smallest and robust bases, information per pair, and factors of extension. Read limits.h first.
//
// Contents: The requirement; Search for the smallest base; By information; By robustness; Factors of extension;
// Answers.

#include "core/decay/limits.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/decay/analysis.h"
#include "core/decay/sums.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- The requirement -----------------------------------------------------------------------------------------------

namespace {

/// Number of distances per thread and step.
constexpr std::int64_t kDistancesAtATime = std::int64_t{1} << 16;
/// Distances × pairs below which a second thread costs more than it saves.
constexpr double kMinLimitsWorkPerThread = 1e7;

void require_plain(int rotary_dim, std::span<const double> bases) {
  for (const double base : bases) {
    if (!std::isfinite(base) || base <= 1) {
      throw InputError("rotary.base", {{"base", base}});
    }
  }
  if (rotary_dim < 2 || rotary_dim > kLargestDimension || rotary_dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", rotary_dim}, {"least", 2}, {"most", kLargestDimension}});
  }
}

void require_context(std::int64_t context) {
  if (context < 1) {
    throw InputError("decay.context", {{"positions", context}});
  }
}

// --- Search for the smallest base ----------------------------------------------------------------------------------

// The admissible bases of a context are scattered windows, some narrower than a thousandth (d = 128, L = 4 096: the
// first is 26 952 … 26 973), so a grid can miss one. Here every skipped base is proven to fail: the next base ends a
// range over which one distance fails (BaseWalk). A base is accepted only if no distance fails (CosineSums).

/// Steps of ln b inside a window. They grow with contexts above the second number because each test costs more.
constexpr double kWindowGap = 1e-4, kFineContext = 16384;
constexpr double kNoBase = std::numeric_limits<double>::infinity();

/// A range of ln b in segments, which the threads process in ascending order.
struct Segments {
  double begin, end;
  std::atomic<std::int64_t> next{0};

  explicit Segments(const BaseSearch& search) : begin(std::log(search.lowest)), end(std::log(search.highest)) {}
  std::int64_t count() const { return static_cast<std::int64_t>((end - begin) / kSegment) + 1; }
  double from(std::int64_t index) const { return begin + kSegment * static_cast<double>(index); }
  /// Returns the end of a segment. The last segment ends after `end` by the smallest step, so `end` itself is tested.
  double to(std::int64_t index) const { return std::min(from(index) + kSegment, end + kSmallestStep); }
};

/// Returns the windows that begin in a segment or overlap it, in ln b.
std::vector<BaseWindow> windows_of_segment(BaseWalk& walk, double from, double to, double step,
                                           const std::stop_token& stop) {
  std::vector<BaseWindow> windows;
  bool open = false;
  for (double x = from; x < to && !stop.stop_requested();) {
    const auto stretch = walk.failing_from(x);
    if (!stretch) {
      if (!open) windows.push_back({x > from ? walk.lower_edge(x, from) : from, x});
      windows.back().high = x;
      x += step;
    } else {
      if (open) windows.back().high = walk.edge_between(x, windows.back().high);
      x += *stretch;
    }
    open = !stretch;
  }
  // Between the last test and the end, nothing is known except that the last tested base was allowed.
  if (open) windows.back().high = walk.allows(to) ? to : walk.edge_between(to, windows.back().high);
  return windows;
}

// --- By information ------------------------------------------------------------------------------------------------

/// Below this total angle Lθ the variances would be differences of nearly equal numbers; a series is used.
constexpr double kSmallAngle = 0.03;

void require_length(double length, const char* key) {
  if (!std::isfinite(length) || length < 1) throw InputError(key, {{"length", length}});
}

/// Returns the mean of e^{ikα} over the L positions k = −(L−1)/2 … (L−1)/2, a real number: sin(Lα/2)/(L sin(α/2)).
double centred_mean(double angle, double length) {
  const double half = std::remainder(angle, 2 * std::numbers::pi) / 2;
  if (std::abs(half) * length < 1e-9) return 1;
  return std::sin(length * half) / (length * std::sin(half));
}

/// Variances of cos kθ and sin kθ over the L centred positions; the two are uncorrelated.
struct CentredVariances {
  double cosine, sine;
};
CentredVariances centred_variances(double frequency, double length) {
  if (length * frequency >= kSmallAngle) {
    const double mean = centred_mean(frequency, length), mean_twice = centred_mean(2 * frequency, length);
    return {std::max(0.0, (1 + mean_twice) / 2 - mean * mean), (1 - mean_twice) / 2};
  }
  // E[k²], E[k⁴], E[k⁶] of the L centred positions k, times powers of θ.
  const double l2 = length * length, t2 = frequency * frequency;
  const double a = t2 * (l2 - 1) / 12;
  const double b = t2 * t2 * (l2 - 1) * (3 * l2 - 7) / 240;
  const double c = t2 * t2 * t2 * (l2 - 1) * (3 * l2 * l2 - 18 * l2 + 31) / 1344;
  return {std::max(0.0, (b - a * a) / 4 - (c - a * b) / 24), a - b / 3 + 2 * c / 45};
}

// --- By robustness -------------------------------------------------------------------------------------------------

/// Number of bases of the grid per thread and step.
constexpr std::int64_t kBasesAtATime = 256;
/// Minimum level c; below it the bound proves nothing.
constexpr double kMinLevel = 1e-3;

/// The grid highest·1.0005^−k, as ln b.
struct Grid {
  double top, step = std::log(kRobustRatio);
  std::int64_t count;
  explicit Grid(const BaseSearch& search)
      : top(std::log(search.highest)), count(static_cast<std::int64_t>((top - std::log(search.lowest)) / step) + 1) {}
  double at(std::int64_t k) const { return top - step * static_cast<double>(k); }
};

/// A descent along the grid. If all sums up to the context exceed a level c, none is negative at any base down to x − u
/// with u·e^u ≤ c/D, because the steepest slope D (sums.h) grows by at most a factor of e^u. These bases need not be
/// tested.
class Descent {
 public:
  Descent(const BaseSearch& search, const std::stop_token& stop)
      : search_(search), stop_(stop), level_(search.rotary_dim / 4.0) {}

  /// Returns how far below x no base fails; 0 if this is known only for x, negative if x fails.
  double held_below(double x, double step) {
    sums_.set_plain(search_.rotary_dim, std::exp(x));
    const double slope = steepest_slope(sums_.frequencies(), static_cast<double>(search_.context));
    for (; level_ > kMinLevel && 0.999 * level_ > step * slope; level_ /= 2) {
      bool above = true;
      sums_.visit_below(1, search_.context, level_, stop_, [&above](std::int64_t, double) { return above = false; });
      if (!above) continue;
      if (!(slope > 0)) return HUGE_VAL;
      const double most = 0.999 * level_ / slope;
      return most * std::exp(-most);
    }
    return sums_.first_negative(1, search_.context, stop_) ? -1 : 0;
  }

 private:
  const BaseSearch& search_;
  std::stop_token stop_;
  CosineSums sums_;
  double level_;
};

/// Returns the index of the first base of the grid that fails, or its length if none fails.
std::int64_t first_failing(const BaseSearch& search, const Grid& grid, const std::stop_token& stop) {
  std::atomic<std::int64_t> next = 0, found = grid.count;
  const std::thread::id caller = std::this_thread::get_id();
  run_on_threads(search.threads, [&] {
    const bool tells = search.progress && std::this_thread::get_id() == caller;
    for (std::int64_t begin = next.fetch_add(kBasesAtATime); begin < found && !stop.stop_requested();
         begin = next.fetch_add(kBasesAtATime)) {
      Descent descent(search, stop);
      for (std::int64_t k = begin; k < std::min(begin + kBasesAtATime, found.load()) && !stop.stop_requested();) {
        if (tells) search.progress(std::exp(grid.at(k)));
        const double held = descent.held_below(grid.at(k), grid.step);
        if (held < 0) {
          std::int64_t known = found;
          while (k < known && !found.compare_exchange_weak(known, k)) {
          }
          break;
        }
        k += 1 + static_cast<std::int64_t>(std::min(held / grid.step, static_cast<double>(kBasesAtATime)));
      }
    }
  });
  return found;
}

// --- Factors of extension ------------------------------------------------------------------------------------------

constexpr std::array<std::pair<ContextCriterion, std::string_view>, 4> kNames = {{
    {ContextCriterion::non_negative, "non-negative"},
    {ContextCriterion::level, "level"},
    {ContextCriterion::mean, "mean"},
    {ContextCriterion::seen, "seen"},
}};
constexpr int kDigitsOfFactor = 6;
/// Relative accuracy of an edge.
constexpr double kSameFactor = 1e-13;
/// Relative tolerance for the angles covered in training, for rounding.
constexpr double kSameAngle = 1e-12;

void require_question(const Eigen::VectorXd& frequencies, const ContextQuestion& question) {
  if (frequencies.size() == 0) throw InputError("decay.no_pair", {});
  if (question.context < 1) throw InputError("decay.context", {{"positions", question.context}});
  if (question.criterion == ContextCriterion::level && !(std::abs(question.level) <= 1)) {
    throw InputError("decay.level", {{"level", question.level}});
  }
  if (question.criterion != ContextCriterion::seen) return;
  if (!(question.trained_length >= 1) || !std::isfinite(question.trained_length)) {
    throw InputError("decay.trained_length", {{"length", question.trained_length}});
  }
  if (question.trained.size() != frequencies.size()) {
    throw InputError("decay.trained_pairs", {{"trained", question.trained.size()}, {"pairs", frequencies.size()}});
  }
}

bool all_seen(const Eigen::VectorXd& frequencies, const ContextQuestion& question) {
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double in_training = question.trained_length * question.trained[i];
    if (in_training >= 2 * std::numbers::pi) continue;
    if (static_cast<double>(question.context) * frequencies[i] > in_training * (1 + kSameAngle)) return false;
  }
  return true;
}

/// Tests ladders one after another. The distance at which the previous ladder failed usually fails again. It is tested
/// first because a single sum can then reject the ladder.
class Asker {
 public:
  explicit Asker(const ContextQuestion& question, std::stop_token stop) : question_(question), stop_(std::move(stop)) {}

  bool allows(const Eigen::VectorXd& frequencies) {
    if (question_.criterion == ContextCriterion::seen) return all_seen(frequencies, question_);
    if (question_.criterion == ContextCriterion::mean) return mean_allows(frequencies);
    sums_.set_frequencies({frequencies.data(), static_cast<std::size_t>(frequencies.size())});
    const bool by_sign = question_.criterion == ContextCriterion::non_negative;
    const double level = by_sign ? 0 : question_.level * static_cast<double>(frequencies.size());
    if (failed_ && sums_.at(*failed_) < level) return false;
    std::optional<std::int64_t> below;
    if (by_sign) {
      below = sums_.first_negative(1, question_.context, stop_);
    } else {
      sums_.visit_below(1, question_.context, level, stop_, [&below](std::int64_t distance, double) {
        below = distance;
        return false;
      });
    }
    if (below) failed_ = below;
    return !below;
  }

 private:
  bool mean_allows(const Eigen::VectorXd& frequencies) {
    const auto trend = trend_of(frequencies);
    if (!trend) return false;
    const auto below = trend_below_zero(*trend, static_cast<double>(question_.context));
    return !below;
  }

  const ContextQuestion& question_;
  std::stop_token stop_;
  CosineSums sums_;
  std::optional<std::int64_t> failed_;
};

double factor_at(std::int64_t k) {
  return nearest_decimal(std::pow(kFactorRatio, static_cast<double>(k)), kDigitsOfFactor);
}

using FactorLadder = std::function<Eigen::VectorXd(double factor)>;

/// The ladder of each factor, and the criterion to test it by.
struct FactorSearch {
  const FactorLadder& ladder;
  const ContextQuestion& question;
  int threads;
  std::stop_token stop;
};

/// Returns the first k of 0 … count − 1 whose factor is allowed, or not allowed (`wanted`); count if there is none.
/// `factor` increases or decreases with k.
std::int64_t first_on_grid(const FactorSearch& search, std::int64_t count, bool wanted,
                           const std::function<double(std::int64_t)>& factor,
                           const std::function<void(std::int64_t)>& progress) {
  std::atomic<std::int64_t> next = 0, found = count;
  const std::thread::id caller = std::this_thread::get_id();
  run_on_threads(search.threads, [&] {
    const bool tells = std::this_thread::get_id() == caller;
    Asker asker(search.question, search.stop);
    for (std::int64_t k = next++; k < found && !search.stop.stop_requested(); k = next++) {
      if (tells) progress(k);
      if (asker.allows(search.ladder(factor(k))) != wanted) continue;
      std::int64_t known = found;
      while (k < known && !found.compare_exchange_weak(known, k)) {
      }
    }
  });
  return found;
}

/// Returns the factor to report if `failing` fails and `holding`, above it, does not; nullopt if cancelled.
std::optional<double> factor_of_edge(const FactorSearch& search, double failing, double holding) {
  Asker asker(search.question, search.stop);
  const auto holds = [&](double factor) { return asker.allows(search.ladder(factor)); };
  BaseWindow edge{failing, holding};
  for (double middle = std::midpoint(edge.low, holding); !search.stop.stop_requested();
       middle = std::midpoint(edge.low, edge.high)) {
    if (middle <= edge.low || middle >= edge.high || edge.high - edge.low < kSameFactor * edge.high) break;
    (holds(middle) ? edge.high : edge.low) = middle;
  }
  const auto rounded = rounded_base({edge.high, holding}, true, kDigitsOfFactor, holds);
  if (search.stop.stop_requested()) return std::nullopt;
  return rounded ? rounded->value : holding;
}

/// Number of steps in which the extent of a window is proven.
constexpr int kProofSteps = 1000;
/// Bases closer to an edge are within its rounding; a proof begins at this relative distance.
constexpr double kOffEdge = 2e-13;
/// Number of consecutive decimal numbers tried before a digit is added.
constexpr int kNeighbours = 4;

/// Returns the next larger or smaller decimal number with this many digits.
double next_decimal(double value, int digits, bool upwards) {
  const double unit = std::pow(10, std::floor(std::log10(value)) + 1 - digits);
  const double next = nearest_decimal(value + (upwards ? unit : -unit), digits);
  // With 16 and 17 digits the next double is used.
  return next != value ? next : std::nextafter(value, upwards ? HUGE_VAL : 0);
}

/// Returns the proven window that begins at ln b = edge, and its rounded ends.
std::optional<SmallestWindow> window_from(const BaseSearch& search, long double edge, const std::stop_token& stop) {
  SmallestWindow found;
  found.exact = std::clamp(static_cast<double>(std::exp(edge)), search.lowest, search.highest);
  BaseWalk walk(search.rotary_dim, search.context, stop);
  const double begin = static_cast<double>(edge) + kOffEdge;
  const BaseWalk::Held held = walk.held_from(begin, std::log(search.highest), kProofSteps);
  const auto holds = [&](double base) {
    return base_holds(search.rotary_dim, base, search.context, {search.threads, stop});
  };
  const double until = held.until < std::log(search.highest) ? std::exp(held.until) : search.highest;
  const BaseWindow open{found.exact, std::clamp(until, found.exact, search.highest)};
  const auto low = rounded_base(open, true, kLongBase, holds), high = rounded_base(open, false, kLongBase, holds);
  if (stop.stop_requested() || !low || !high) return std::nullopt;
  found.window = {low->value, high->value};
  found.ends = held.ends;
  // A decimal number from `low` to `high` is inside the window.
  found.rounded = rounded_base(found.window, true, kShortBase, holds).value_or(*low);
  found.rounded_high = rounded_base(found.window, false, kShortBase, holds).value_or(*high);
  return found;
}

}  // namespace

std::optional<std::int64_t> first_negative_distance(const Eigen::VectorXd& frequencies, std::int64_t limit,
                                                    const Work& work,
                                                    const std::function<void(std::int64_t)>& progress) {
  if (frequencies.size() == 0) throw InputError("decay.no_pair", {});
  if (limit < 1) return std::nullopt;
  std::atomic<std::int64_t> next = 1, found = limit + 1;
  const std::thread::id caller = std::this_thread::get_id();
  const auto search = [&] {
    const bool tells = progress && std::this_thread::get_id() == caller;
    CosineSums sums;
    sums.set_frequencies({frequencies.data(), static_cast<std::size_t>(frequencies.size())});
    for (std::int64_t begin = next.fetch_add(kDistancesAtATime); begin < found && !work.stopped();
         begin = next.fetch_add(kDistancesAtATime)) {
      if (tells) progress(begin);
      const auto negative = sums.first_negative(begin, std::min(begin + kDistancesAtATime - 1, limit), work.stop);
      std::int64_t known = found;
      while (negative && *negative < known && !found.compare_exchange_weak(known, *negative)) {
      }
    }
  };
  const double cosines = static_cast<double>(limit) * static_cast<double>(frequencies.size());
  run_on_threads(cosines < kMinLimitsWorkPerThread ? 1 : work.threads, search);
  if (work.stopped() || found > limit) return std::nullopt;
  return found;
}

std::vector<LimitPoint> limit_curve(int rotary_dim, std::span<const double> bases, std::int64_t farthest,
                                    const Work& work) {
  require_plain(rotary_dim, bases);
  require_context(farthest);
  std::vector<LimitPoint> curve(bases.size());
  std::atomic<std::size_t> next = 0;
  run_on_threads(bases.size() < 2 ? 1 : work.threads, [&] {
    CosineSums sums;
    for (std::size_t i = next++; i < bases.size() && !work.stopped(); i = next++) {
      sums.set_plain(rotary_dim, bases[i]);
      const auto negative = sums.first_negative(1, farthest, work.stop);
      curve[i] = {bases[i], negative ? *negative - 1 : farthest};
    }
  });
  if (work.stopped()) curve.clear();
  return curve;
}

/// Throws InputError unless d is even in 2…8192, context ≥ 1, and 1 < lowest ≤ highest, both finite.
void require_search(const BaseSearch& search) {
  if (search.rotary_dim < 2 || search.rotary_dim > kLargestDimension || search.rotary_dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", search.rotary_dim}, {"least", 2}, {"most", kLargestDimension}});
  }
  if (search.context < 1) {
    throw InputError("decay.context", {{"positions", search.context}});
  }
  if (!(search.lowest > 1 && search.lowest <= search.highest && std::isfinite(search.highest))) {
    throw InputError("decay.bases", {{"lowest", search.lowest}, {"highest", search.highest}});
  }
}

/// Returns ln b of the smallest base to long double precision; nullopt as smallest_base. Requires require_search.
std::optional<long double> smallest_admissible(const BaseSearch& search, const std::stop_token& stop) {
  Segments segments(search);
  std::atomic<double> found = kNoBase;
  const std::thread::id caller = std::this_thread::get_id();
  run_on_threads(search.threads, [&] {
    const bool tells = search.progress && std::this_thread::get_id() == caller;
    BaseWalk walk(search.rotary_dim, search.context, stop);
    for (std::int64_t i = segments.next++; i < segments.count() && segments.from(i) < found; i = segments.next++) {
      walk.forget();
      double x = segments.from(i);
      while (x < segments.to(i) && x < found && !stop.stop_requested()) {
        if (tells) search.progress(std::exp(x));
        const auto stretch = walk.failing_from(x);
        if (!stretch) break;
        x += *stretch;
      }
      double known = found;
      while (x < segments.to(i) && x < known && !found.compare_exchange_weak(known, x)) {
      }
    }
  });
  if (found == kNoBase) return std::nullopt;
  const long double edge = BaseWalk(search.rotary_dim, search.context, stop).exact_edge(found, segments.begin);
  return stop.stop_requested() ? std::nullopt : std::optional(edge);
}

std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  const std::optional<long double> edge = smallest_admissible(search, stop);
  if (!edge) return std::nullopt;
  return std::clamp(static_cast<double>(std::exp(*edge)), search.lowest, search.highest);
}

std::vector<BaseWindow> admissible_windows(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  Segments segments(search);
  const double step = kWindowGap * std::max(1.0, static_cast<double>(search.context) / kFineContext);
  std::vector<std::vector<BaseWindow>> of_segment(static_cast<std::size_t>(segments.count()));
  run_on_threads(search.threads, [&] {
    BaseWalk walk(search.rotary_dim, search.context, stop);
    for (std::int64_t i = segments.next++; i < segments.count() && !stop.stop_requested(); i = segments.next++) {
      walk.forget();
      of_segment[static_cast<std::size_t>(i)] = windows_of_segment(walk, segments.from(i), segments.to(i), step, stop);
    }
  });
  if (stop.stop_requested()) return {};
  std::vector<BaseWindow> windows;
  for (const auto& some : of_segment) {
    for (const BaseWindow& window : some) {
      const double low = std::max(std::exp(window.low), search.lowest);
      const double high = std::min(std::exp(window.high), search.highest);
      // A window that continues in the next segment is counted once.
      if (!windows.empty() && low <= windows.back().high * (1 + 2 * kSmallestStep)) {
        windows.back().high = high;
      } else if (low <= high) {
        windows.push_back({low, high});
      }
    }
  }
  return windows;
}

int critical_dimension(int rotary_dim, double base, double trained_length) {
  if (!std::isfinite(base) || base <= 1) {
    throw InputError("rotary.base", {{"base", base}});
  }
  require_length(trained_length, "decay.trained_length");
  const double pairs = rotary_dim / 2 * std::log(trained_length / (2 * std::numbers::pi)) / std::log(base);
  return static_cast<int>(std::clamp(2 * std::ceil(pairs), 0.0, static_cast<double>(rotary_dim)));
}

int critical_dimension(const Eigen::VectorXd& frequencies, double trained_length) {
  require_length(trained_length, "decay.trained_length");
  const auto turning = static_cast<int>((frequencies.array() != 0).count());
  return 2 * (turning - unfinished_pairs(frequencies, trained_length));
}

Eigen::VectorXd trained_frequencies(const Eigen::VectorXd& plain, const Eigen::VectorXd& in_use) {
  return (in_use.array() == 0).select(0.0, plain.array());
}

std::vector<PairInformation> pair_information(const Eigen::VectorXd& frequencies, double context) {
  require_length(context, "decay.context_length");
  std::vector<PairInformation> pairs;
  pairs.reserve(static_cast<std::size_t>(frequencies.size()));
  for (const double frequency : frequencies) {
    // Centred at the middle of the context: cos(mθ) = cos(cθ)cos(kθ) − sin(cθ)sin(kθ), c = (L−1)/2 and k = m − c.
    const double middle = (context - 1) / 2 * frequency;
    const double cosine2 = std::cos(middle) * std::cos(middle), sine2 = std::sin(middle) * std::sin(middle);
    const CentredVariances centred = centred_variances(frequency, context);
    PairInformation pair;
    pair.turns = context * frequency / (2 * std::numbers::pi);
    pair.variance_cos = cosine2 * centred.cosine + sine2 * centred.sine;
    pair.variance_sin = sine2 * centred.cosine + cosine2 * centred.sine;
    pair.moving = centred.cosine + centred.sine;
    pairs.push_back(pair);
  }
  return pairs;
}

double effective_pairs(const Eigen::VectorXd& frequencies, double context) {
  double sum = 0;
  for (const PairInformation& pair : pair_information(frequencies, context)) sum += pair.moving;
  return sum;
}

int pairs_below_angle(const Eigen::VectorXd& frequencies, double context, double radians) {
  const auto angles = frequencies.array().abs() * context;
  return static_cast<int>((angles > 0 && angles < radians).count());
}

Eigen::VectorXd finished_frequencies(const Eigen::VectorXd& frequencies, double context) {
  std::vector<double> finished;
  for (const double frequency : frequencies) {
    if (frequency * context >= 2 * std::numbers::pi) finished.push_back(frequency);
  }
  return Eigen::Map<const Eigen::VectorXd>(finished.data(), static_cast<Eigen::Index>(finished.size()));
}

std::optional<RobustBase> robust_base(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  const Grid grid(search);
  const std::int64_t failing = first_failing(search, grid, stop);
  if (stop.stop_requested() || failing == 0) return std::nullopt;
  BaseWindow edge{search.lowest, search.lowest};
  if (failing < grid.count) {
    BaseWalk walk(search.rotary_dim, search.context, stop);
    const double held = grid.at(failing - 1);
    edge = {static_cast<double>(std::exp(walk.exact_edge_between(grid.at(failing), held))), std::exp(held)};
  } else {
    edge.high = std::exp(grid.at(grid.count - 1));
  }
  edge.high = std::min(std::max(edge.low, edge.high), search.highest);
  const auto holds = [&](double base) {
    return base_holds(search.rotary_dim, base, search.context, {search.threads, stop});
  };
  const auto base = rounded_base(edge, true, kLongBase, holds), rounded = rounded_base(edge, true, kShortBase, holds);
  if (stop.stop_requested() || !base || !rounded) return std::nullopt;
  return RobustBase{base->value, *rounded};
}

std::string_view criterion_name(ContextCriterion criterion) {
  for (const auto& [each, name] : kNames) {
    if (each == criterion) return name;
  }
  return {};
}

std::optional<ContextCriterion> criterion_of(std::string_view name) {
  for (const auto& [criterion, each] : kNames) {
    if (each == name) return criterion;
  }
  return std::nullopt;
}

bool ladder_allows(const Eigen::VectorXd& frequencies, const ContextQuestion& question, std::stop_token stop) {
  require_question(frequencies, question);
  return Asker(question, std::move(stop)).allows(frequencies);
}

std::optional<AllowingFactors> allowing_factors(const FactorLadder& ladder, const ContextQuestion& question,
                                                const Work& work, const std::function<void(double)>& progress) {
  require_question(ladder(1), question);
  const FactorSearch search{ladder, question, work.threads, work.stop};
  const auto count = static_cast<std::int64_t>(std::log(kLargestSearchedFactor) / std::log(kFactorRatio)) + 2;
  const auto factor_of = [count](std::int64_t k) { return k + 1 < count ? factor_at(k) : kLargestSearchedFactor; };
  const auto tell = [&](std::int64_t done) {
    if (progress) progress(static_cast<double>(done) / static_cast<double>(count));
  };
  const std::int64_t smallest = first_on_grid(search, count, true, factor_of, tell);
  // In descending order, the first factor that fails.
  const std::int64_t failing = first_on_grid(
      search, count - smallest, false, [&](std::int64_t k) { return factor_of(count - 1 - k); },
      [&](std::int64_t k) { tell(smallest + k); });
  if (work.stopped()) return std::nullopt;
  AllowingFactors factors;
  if (smallest == count) return factors;
  const auto say = [&](std::int64_t k) {
    return k == 0 ? std::optional(1.0) : factor_of_edge(search, factor_of(k - 1), factor_of(k));
  };
  factors.smallest = say(smallest);
  if (failing > 0) factors.robust = failing == count - smallest ? factors.smallest : say(count - failing);
  return work.stopped() ? std::nullopt : std::optional(factors);
}

// --- Answers -------------------------------------------------------------------------------------------------------

double nearest_decimal(double value, int digits) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*e", digits - 1, value);
  double read = 0;
  std::from_chars(text.data(), text.data() + length, read);
  return read;
}

bool base_holds(int rotary_dim, double base, std::int64_t context, const Work& work) {
  require_search({.rotary_dim = rotary_dim, .context = context, .lowest = base, .highest = base});
  return !first_negative_distance(plain_frequencies(rotary_dim, base), context, work);
}

std::optional<RoundedBase> rounded_base(const BaseWindow& window, bool upwards, int digits,
                                        const std::function<bool(double)>& holds) {
  for (; digits <= 17; ++digits) {
    double value = nearest_decimal(upwards ? window.low : window.high, digits);
    for (int tried = 0; tried < kNeighbours;) {
      const bool before = upwards ? value < window.low : value > window.high;
      if (!before && (upwards ? value > window.high : value < window.low)) break;
      if (!before && holds(value)) return RoundedBase{value, digits};
      if (!before) ++tried;
      value = next_decimal(value, digits, upwards);
    }
  }
  return std::nullopt;
}

std::optional<SmallestWindow> smallest_window(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  BaseSearch rest = search;
  while (rest.lowest <= search.highest) {
    const std::optional<long double> edge = smallest_admissible(rest, stop);
    if (!edge) return std::nullopt;
    const auto found = window_from(rest, *edge, stop);
    if (found || stop.stop_requested()) return found;
    rest.lowest = static_cast<double>(std::exp(*edge)) * (1 + kSmallestStep);
  }
  return std::nullopt;
}

std::optional<PerturbedContext> perturbed_context(double base, const std::function<Eigen::VectorXd(double)>& ladder,
                                                  std::int64_t limit, const Work& work) {
  constexpr int kSteps = 20;
  PerturbedContext worst{base, std::nullopt, {}};
  std::int64_t until = limit;
  for (int step = -kSteps; step <= kSteps && !work.stopped(); ++step) {
    const double moved = nearest_decimal(base * std::pow(1.01, static_cast<double>(step) / kSteps), kLongBase);
    if (moved <= 1) continue;
    // A base that fails no earlier than the worst one so far does not change the result.
    const auto negative = first_negative_distance(ladder(moved), until, work);
    if (negative) worst = {moved, negative, {moved, kLongBase}}, until = *negative - 1;
  }
  if (worst.negative) {
    // Rounded towards the base itself, because the other side is more than 1 % away.
    const BaseWindow window{std::min(base, worst.base), std::max(base, worst.base)};
    const auto holds = [&](double moved) {
      return first_negative_distance(ladder(moved), *worst.negative, work) == worst.negative;
    };
    worst.rounded = rounded_base(window, worst.base < base, kShortBase, holds).value_or(worst.rounded);
  }
  return work.stopped() ? std::nullopt : std::optional(worst);
}

}  // namespace ropescope
