#include <algorithm>
#include <array>
#include <cmath>

#include "core/check/compare/angle_errors.h"
#include "core/check/compare/compare.h"
#include "core/check/compare/judge_run.h"
#include "core/check/compare/pieces.h"
#include "core/check/compare/tolerances.h"
#include "core/check/phrases.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Rows that are held at a time, so that all of it stays in the nearest cache.
constexpr std::int64_t kCachedRows = 16;

[[noreturn]] void reject_infinite(const TablePlane& plane, std::int64_t row, const double* stored, std::int64_t count) {
  const auto* found = std::find_if(stored, stored + count, [](double number) { return !std::isfinite(number); });
  throw InputError(plane.numbers.name, "check.odd_number_of_pair",
                   {{"row", row}, {"found", odd_number(*found)}, {"pair", found - stored}});
}

/// Buffers of one thread.
struct Buffers {
  std::vector<double> cosine, sine, size, stored;
  std::array<double, kCachedRows> reach{};  ///< of rows, where one axis turns all pairs
  explicit Buffers(std::int64_t pairs) {
    const auto cells = static_cast<std::size_t>(kCachedRows * pairs);
    for (auto* one : {&cosine, &sine, &size, &stored}) one->resize(cells);
  }
};

const double* expected_of(const TablePlane& plane, const Buffers& buffers) {
  return plane.holds == Holds::cosine ? buffers.cosine.data() : buffers.sine.data();
}

/// What all planes show, in their order.
using Tally = std::vector<RunResult>;

class PlanesJob {
 public:
  PlanesJob(const CheckModel& model, const TablePlanes& tables)
      : tables_(tables),
        expected_(model),
        pairs_(tables.pairs),
        angle_errors_(table_errors(model, expected_.evaluator(), tables)) {
    for (const TablePlane& plane : tables.planes) rules_.push_back(rule_of(plane, model));
    by_reach_ = expected_.knows_reaches() && tables.pairs == expected_.evaluator().pairs();
    for (std::size_t p = 0; p < rules_.size(); ++p) {
      by_reach_ = by_reach_ && reads_floats(tables.planes[p].numbers, rules_[p]);
    }
    if (!by_reach_) return;
    for (std::size_t pair = 0; pair < angle_errors_.size(); ++pair) {
      reach_errors_.push_back(angle_errors_[pair] * expected_.evaluator().speeds()[pair]);
    }
  }

  /// Judges rows first … first + count − 1.
  Tally judge(std::int64_t first, std::int64_t count, Buffers& buffers) const {
    Tally tally(tables_.planes.size());
    for (std::int64_t row = first; row < first + count; row += kCachedRows) {
      judge_few(row, std::min(kCachedRows, first + count - row), buffers, tally);
    }
    return tally;
  }

  /// The place of the largest difference of a plane; where it is tolerated although others are not, of the one that is
  /// farthest beyond what is.
  Difference locate(std::size_t p, const RunResult& sum) const {
    Difference found = locate_among(p, sum.row, false);
    const double most = found.largest;
    if (sum.excess > 0 && found.largest <= found.tolerance) found = locate_among(p, sum.row_of_excess, true);
    found.most = most;
    found.excess = sum.excess;
    found.computed_in_float32 = rules_[p].strict && sum.strict_excess > 0 && found.agrees();
    return found;
  }

  std::int64_t pairs() const { return pairs_; }

 private:
  /// Among the rows that are held together from `first` on.
  Difference locate_among(std::size_t p, std::int64_t first, bool by_excess) const {
    Difference found;
    Buffers buffers(pairs_);
    const std::int64_t count = std::min(kCachedRows, tables_.rows - first);
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), buffers.size.data());
    const TablePlane& plane = tables_.planes[p];
    read_rows(plane.numbers, first, count, buffers.stored.data());
    const double* expected = expected_of(plane, buffers);
    const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < count * pairs_; ++i) {
      const auto at = static_cast<std::size_t>(i), pair = static_cast<std::size_t>(i % pairs_);
      const double difference =
          beyond_rounding(rules_[p], std::abs(buffers.stored[at] - sign * expected[i]), expected[i]);
      const double tolerance = rules_[p].unit.at(expected[i]) + angle_errors_[pair] * buffers.size[at];
      const double counts = by_excess ? difference - tolerance : difference;
      if (counts <= most) continue;
      most = counts;
      found.largest = difference;
      found.tolerance = tolerance;
      found.row = first + i / pairs_;
      found.pair = i % pairs_;
    }
    return found;
  }

  /// What is expected of at most kCachedRows rows, with their sizes or the reaches that make them.
  void expect(std::int64_t first, std::int64_t count, Buffers& buffers) const {
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), by_reach_ ? nullptr : buffers.size.data());
    if (!by_reach_) return;
    const RowEvaluator& evaluator = expected_.evaluator();
    evaluator.reaches_of(*evaluator.only_axis(), first, count, buffers.reach.data());
  }

  /// At most kCachedRows.
  void judge_few(std::int64_t first, std::int64_t count, Buffers& buffers, Tally& tally) const {
    expect(first, count, buffers);
    for (std::size_t p = 0; p < tables_.planes.size(); ++p) {
      const TablePlane& plane = tables_.planes[p];
      RunNumbers run{buffers.stored.data(),
                     expected_of(plane, buffers),
                     buffers.size.data(),
                     count,
                     pairs_,
                     plane.holds == Holds::minus_sine ? -1.0 : 1.0,
                     angle_errors_.data()};
      if (by_reach_) run.reach = buffers.reach.data(), run.angle_errors = reach_errors_.data();
      if (reads_floats(plane.numbers, rules_[p])) {
        run.row_bytes = plane.numbers.strides[0] * static_cast<std::int64_t>(sizeof(float));
        run.floats = plane.numbers.bytes.data() + first * run.row_bytes;
      } else {
        read_rows(plane.numbers, first, count, buffers.stored.data());
      }
      RunResult result = judge_run(run, rules_[p]);
      if (!result.finite) reject_row(plane, first, count, buffers);
      result.row = result.row_of_excess = first;
      tally[p].join(result);
    }
  }

  [[noreturn]] void reject_row(const TablePlane& plane, std::int64_t first, std::int64_t count,
                               Buffers& buffers) const {
    read_rows(plane.numbers, first, count, buffers.stored.data());
    for (std::int64_t r = 0; r < count; ++r) {
      const double* row = buffers.stored.data() + r * pairs_;
      if (!std::all_of(row, row + pairs_, [](double number) { return std::isfinite(number); })) {
        reject_infinite(plane, first + r, row, pairs_);
      }
    }
    throw InputError(plane.numbers.name, "check.too_large", {{"row", first}});
  }

  const TablePlanes& tables_;
  ExpectedRows expected_;
  std::int64_t pairs_;
  std::vector<PlaneRule> rules_;
  std::vector<double> angle_errors_;
  bool by_reach_ = false;             ///< all that is asked of all planes can be had from the reaches of rows
  std::vector<double> reach_errors_;  ///< angle errors per unit of reach
};

void put_planes(const PlanesJob& job, const TablePlanes& tables, const Tally& tally, Comparison& comparison) {
  for (std::size_t p = 0; p < tables.planes.size(); ++p) {
    const Difference found = job.locate(p, tally[p]);
    const std::string& which = tables.planes[p].which;
    const auto same = std::find_if(comparison.inputs.begin(), comparison.inputs.end(),
                                   [&](const auto& input) { return input.first == which; });
    if (same == comparison.inputs.end()) {
      comparison.inputs.emplace_back(which, found);
      continue;
    }
    const double excess = std::max(same->second.excess, found.excess);
    const double most = std::max(same->second.size(), found.size());
    const bool single = same->second.computed_in_float32 || found.computed_in_float32;
    if (found.shows_more_than(same->second)) same->second = found;
    same->second.excess = excess;
    same->second.most = most;
    same->second.computed_in_float32 = single && same->second.agrees();
  }
}

}  // namespace

PlaneRule rule_of(const TablePlane& plane, const CheckModel& model) {
  PlaneRule rule;
  const bool rounded = model.table_format != ShortFormat::none;
  rule.unit = loose_unit_of(plane.numbers);
  if (rounded) rule.unit = coarser(loose_unit_of(model.table_format), rule.unit);
  rule.unit = with_amplitude(rule.unit, model.largest_amplitude());
  rule.unit.scale *= 1 + model.slack;
  rule.unit.least *= 1 + model.slack;
  if (rounded) rule.rounding = unit_of(model.table_format);
  rule.strict_unit = unit_of(plane.numbers);
  rule.strict = !rounded && plane.numbers.storage == Storage::float64;
  return rule;
}

std::vector<double> table_errors(const CheckModel& model, const RowEvaluator& evaluator, const TablePlanes& tables) {
  std::vector<double> errors = estimated_angle_errors(model, evaluator, tables);
  for (double& error : errors) error = error * model.largest_amplitude() + kTableNoise;
  return errors;
}

bool compare_planes(const CheckModel& model, const TablePlanes& tables, const CheckOptions& options,
                    Comparison& comparison) {
  if (tables.planes.empty()) return true;
  const PlanesJob job(model, tables);
  Tally all(tables.planes.size());
  const auto make_worker = [&]() -> WorkPiece {
    return [&, buffers = Buffers(job.pairs())](const RowPiece& piece) mutable -> JoinPiece {
      return [&all, found = job.judge(piece.first, piece.count, buffers)] {
        for (std::size_t p = 0; p < all.size(); ++p) all[p].join(found[p]);
      };
    };
  };
  if (!share_rows(tables.rows, options, make_worker)) return false;
  put_planes(job, tables, all, comparison);
  return true;
}

}  // namespace ropescope
