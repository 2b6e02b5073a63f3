#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "core/check/compare.h"
#include "core/check/pieces.h"
#include "core/check/tolerances.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Rows that are held at a time, so that all of it stays in the nearest cache.
constexpr std::int64_t kCachedRows = 16;
constexpr double kStrict = 1e-12;

/// 2^⌊log2 |value|⌋; 0 for 0.
double power_below(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000u);
}

/// What a run of numbers of a plane shows.
struct RunResult {
  double largest = 0, excess = -std::numeric_limits<double>::infinity(), strict_excess = excess, finite = 0;
};

/// What is left of a difference once rounding has explained its part.
double beyond_rounding(const PlaneRule& rule, double difference, double expected) {
  return rule.rounding.scale > 0 ? std::max(difference - rule.rounding.at(expected), 0.0) : difference;
}

RunResult judge_run(const double* stored, const double* expected, const double* size, std::int64_t count,
                    const PlaneRule& rule, double sign) {
  RunResult run;
  // Four of each, so that no maximum waits for the one before.
  constexpr int kLanes = 8;
  double largest[kLanes] = {}, finite[kLanes] = {}, excess[kLanes];
  std::fill_n(excess, kLanes, run.excess);
  const double scale = rule.unit.scale, least = rule.unit.least, angle_error = rule.angle_error;
  const auto one = [&](std::int64_t i, int lane) {
    const double e = sign * expected[i];
    const double d = std::abs(stored[i] - e);
    const double tolerance = std::max(power_below(e) * scale, least) + angle_error * size[i] + kTableNoise;
    largest[lane] = std::max(largest[lane], d);
    excess[lane] = std::max(excess[lane], d - tolerance);
    finite[lane] += stored[i] * 0;
  };
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) one(i + lane, lane);
  }
  for (; i < count; ++i) one(i, 0);
  for (int lane = 0; lane < kLanes; ++lane) {
    run.largest = std::max(run.largest, largest[lane]);
    run.excess = std::max(run.excess, excess[lane]);
    run.finite += finite[lane];
  }
  if (rule.unit.printed) {
    // Digits are no powers of two: the shortcut above knows nothing of them.
    run.excess = -std::numeric_limits<double>::infinity();
    for (i = 0; i < count; ++i) {
      const double e = sign * expected[i];
      const double tolerance = rule.unit.at(e) + angle_error * size[i] + kTableNoise;
      run.excess = std::max(run.excess, std::abs(stored[i] - e) - tolerance);
    }
  }
  if (rule.rounding.scale > 0) {
    run.largest = 0;
    for (i = 0; i < count; ++i) {
      const double e = sign * expected[i];
      run.largest = std::max(run.largest, beyond_rounding(rule, std::abs(stored[i] - e), e));
    }
  }
  if (!rule.strict) return run;
  for (i = 0; i < count; ++i) {
    const double e = sign * expected[i];
    const double unit = rule.strict_unit.printed ? rule.strict_unit.at(e) : 0;
    run.strict_excess = std::max(run.strict_excess, std::abs(stored[i] - e) - (kStrict + kTableNoise * size[i] + unit));
  }
  return run;
}

[[noreturn]] void reject_infinite(const TablePlane& plane, std::int64_t row, const double* stored, std::int64_t count) {
  const auto* found = std::find_if(stored, stored + count, [](double number) { return !std::isfinite(number); });
  throw InputError(plane.numbers.name + ": row " + std::to_string(row) + " holds " +
                   (std::isnan(*found) ? "NaN" : "infinity") + " for pair " + std::to_string(found - stored) +
                   "; finite numbers were expected");
}

/// Buffers of one thread.
struct Buffers {
  std::vector<double> cosine, sine, size, stored;
  explicit Buffers(std::int64_t pairs) {
    const auto cells = static_cast<std::size_t>(kCachedRows * pairs);
    for (auto* one : {&cosine, &sine, &size, &stored}) one->resize(cells);
  }
};

/// Where the largest difference of a plane lies so far.
struct Best {
  double largest = -1;
  std::int64_t row = -1;
};

/// Results of all planes, joined from the threads.
struct Tally {
  std::vector<RunResult> planes;
  std::vector<Best> best;
  explicit Tally(std::size_t count) : planes(count), best(count) {}

  void add(std::size_t plane, const RunResult& run, std::int64_t row) {
    RunResult& sum = planes[plane];
    sum.largest = std::max(sum.largest, run.largest);
    sum.excess = std::max(sum.excess, run.excess);
    sum.strict_excess = std::max(sum.strict_excess, run.strict_excess);
    // The first of equal ones, whatever the threads did.
    const bool better =
        run.largest > best[plane].largest || (run.largest == best[plane].largest && row < best[plane].row);
    if (better) best[plane] = {run.largest, row};
  }
  void add(const Tally& other) {
    for (std::size_t i = 0; i < planes.size(); ++i) add(i, other.planes[i], other.best[i].row);
  }
};

const double* expected_of(const TablePlane& plane, const Buffers& buffers) {
  return plane.holds == Holds::cosine ? buffers.cosine.data() : buffers.sine.data();
}

class PlanesJob {
 public:
  PlanesJob(const CheckModel& model, const TablePlanes& tables)
      : tables_(tables), expected_(model), pairs_(tables.pairs), tally_(tables.planes.size()) {
    for (const TablePlane& plane : tables.planes) rules_.push_back(rule_of(plane, model));
  }

  /// Judges `count` rows, at most kCachedRows.
  void judge(std::int64_t first, std::int64_t count, Buffers& buffers, Tally& tally) const {
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), buffers.size.data());
    for (std::size_t p = 0; p < tables_.planes.size(); ++p) {
      const TablePlane& plane = tables_.planes[p];
      read_rows(plane.numbers, first, count, buffers.stored.data());
      const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
      const RunResult run = judge_run(buffers.stored.data(), expected_of(plane, buffers), buffers.size.data(),
                                      count * pairs_, rules_[p], sign);
      if (!(run.finite == 0)) reject_row(plane, first, count, buffers);
      tally.add(p, run, first);
    }
  }

  /// The place of the largest difference of a plane.
  Difference locate(std::size_t p, std::int64_t last_row) {
    Difference found;
    const RunResult& sum = tally_.planes[p];
    found.excess = sum.excess;
    found.computed_in_float32 = rules_[p].strict && sum.strict_excess > 0 && found.agrees();
    Buffers buffers(pairs_);
    const std::int64_t first = tally_.best[p].row, count = std::min(kCachedRows, last_row - first);
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), buffers.size.data());
    const TablePlane& plane = tables_.planes[p];
    read_rows(plane.numbers, first, count, buffers.stored.data());
    const double* expected = expected_of(plane, buffers);
    const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
    found.largest = -1;
    for (std::int64_t i = 0; i < count * pairs_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double difference =
          beyond_rounding(rules_[p], std::abs(buffers.stored[at] - sign * expected[i]), expected[i]);
      if (difference <= found.largest) continue;
      found.largest = difference;
      found.tolerance = rules_[p].unit.at(expected[i]) + rules_[p].angle_error * buffers.size[at];
      found.row = first + i / pairs_;
      found.pair = i % pairs_;
    }
    return found;
  }

  const TablePlanes& tables() const { return tables_; }
  Tally& tally() { return tally_; }
  std::int64_t pairs() const { return pairs_; }

 private:
  [[noreturn]] void reject_row(const TablePlane& plane, std::int64_t first, std::int64_t count,
                               const Buffers& buffers) const {
    for (std::int64_t r = 0; r < count; ++r) {
      const double* row = buffers.stored.data() + r * pairs_;
      if (!std::all_of(row, row + pairs_, [](double number) { return std::isfinite(number); })) {
        reject_infinite(plane, first + r, row, pairs_);
      }
    }
    throw InputError(plane.numbers.name + ": it holds numbers that are too large; cos and sin were expected");
  }

  const TablePlanes& tables_;
  ExpectedRows expected_;
  std::int64_t pairs_;
  std::vector<PlaneRule> rules_;
  Tally tally_;
};

void put_planes(PlanesJob& job, std::int64_t rows, Comparison& comparison) {
  for (std::size_t p = 0; p < job.tables().planes.size(); ++p) {
    const Difference found = job.locate(p, rows);
    const std::string& which = job.tables().planes[p].which;
    const auto same = std::find_if(comparison.inputs.begin(), comparison.inputs.end(),
                                   [&](const auto& input) { return input.first == which; });
    if (same == comparison.inputs.end()) {
      comparison.inputs.emplace_back(which, found);
      continue;
    }
    const double excess = std::max(same->second.excess, found.excess);
    const bool single = same->second.computed_in_float32 || found.computed_in_float32;
    if (found.largest > same->second.largest) same->second = found;
    same->second.excess = excess;
    same->second.computed_in_float32 = single && same->second.agrees();
  }
}

bool run_planes(PlanesJob& job, std::int64_t rows, const CheckOptions& options) {
  std::mutex joining;
  return share_rows(rows, options, [&](const TakePiece& take) {
    Tally tally(job.tables().planes.size());
    Buffers buffers(job.pairs());
    while (const auto piece = take()) {
      const std::int64_t end = piece->first + piece->count;
      for (std::int64_t row = piece->first; row < end; row += kCachedRows) {
        job.judge(row, std::min(kCachedRows, end - row), buffers, tally);
      }
    }
    const std::lock_guard lock(joining);
    job.tally().add(tally);
  });
}

}  // namespace

PlaneRule rule_of(const TablePlane& plane, const CheckModel& model) {
  PlaneRule rule;
  const bool rounded = model.table_format != ShortFormat::none;
  rule.unit = rounded ? loose_unit_of(model.table_format) : loose_unit_of(plane.numbers);
  rule.unit.scale *= 1 + model.slack;
  if (rounded) rule.rounding = unit_of(model.table_format);
  rule.strict_unit = unit_of(plane.numbers);
  rule.strict = !rounded && plane.numbers.storage == Storage::float64;
  rule.angle_error = kAngleError * std::abs(model.amplitude) + kTableNoise;
  return rule;
}

bool compare_planes(const CheckModel& model, const TablePlanes& tables, const CheckOptions& options,
                    Comparison& comparison) {
  if (tables.planes.empty()) return true;
  PlanesJob job(model, tables);
  if (!run_planes(job, tables.rows, options)) return false;
  put_planes(job, tables.rows, comparison);
  return true;
}

}  // namespace ropescope
