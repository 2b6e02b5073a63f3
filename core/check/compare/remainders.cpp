#include "core/check/compare/remainders.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/compare/row_judge.h"
#include "core/check/compare/tolerances.h"

namespace ropescope {

namespace {

/// More than a half, as a fit can spread what one number is off by over all of them.
constexpr double kPart = 0.25;
/// What is left of numbers that cannot be compared.
constexpr double kAll = std::numeric_limits<double>::infinity();

constexpr InputBit kInputs[] = {kTables, kHeads, kIds, kFrequencies};

CheckModel without_slack(const CheckModel& model) {
  CheckModel exact = model;
  exact.slack = 0;
  return exact;
}

Remainder of_frequencies(const CheckModel& model, const Evidence& evidence) {
  const DueFrequencies due = due_frequencies(model, evidence.frequencies.size());
  const std::vector<double>& expected = due.values;
  const StorageUnit unit = loose_unit_of(*evidence.tensors->frequencies);
  Remainder left;
  if (!due.counted) left.add(kAll, 0);
  for (std::size_t i = 0; i < due.compared; ++i) {
    left.add(std::abs(evidence.frequencies[i] - expected[i]), frequency_tolerance(unit, expected[i]));
  }
  return left;
}

/// Adds up row by row until `enough` says so.
template <class Enough>
Remainder of_rows(const CheckModel& model, const Evidence& evidence, InputBit input, const Enough& enough) {
  RowJudge judge(model, evidence, Judged::as_verdict);
  Remainder left;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  for (Eigen::Index i = 0; i < rows && !enough(left); ++i) {
    if (input == kIds) {
      judge.add_ids(i, left);
      continue;
    }
    judge.compute(i);
    if (input == kTables) judge.add_tables(i, left);
    if (input == kHeads) judge.add_heads(i, left);
  }
  return left;
}

}  // namespace

void Remainder::add(double difference, double allowed) {
  excess = std::max(excess, difference - allowed);
  largest = std::max(largest, difference);
  tolerance = std::max(tolerance, allowed);
}

Remainder& Remainders::of(InputBit input) {
  return input == kTables ? tables : input == kHeads ? heads : input == kIds ? ids : frequencies;
}

const Remainder& Remainders::of(InputBit input) const {
  return const_cast<Remainders*>(this)->of(input);
}

Remainders remainders_of(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = without_slack(model);
  Remainders left;
  for (const InputBit input : kInputs) {
    if ((inputs & input) == 0) continue;
    if (!has_shape(exact, evidence, input)) {
      left.of(input) = {kAll, kAll, 0};
    } else if (input == kFrequencies) {
      left.frequencies = of_frequencies(exact, evidence);
    } else {
      left.of(input) = of_rows(exact, evidence, input, [](const Remainder&) { return false; });
    }
  }
  return left;
}

bool mends(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = without_slack(model);
  bool wrong = false;
  for (const InputBit input : kInputs) {
    const Remainder& before = without.of(input);
    if ((inputs & input) == 0 || !(before.excess > 0)) continue;
    wrong = true;
    // A candidate of huge angles is allowed much: what it leaves has to be small by the other's tolerance as well.
    const double largest = std::max(kPart * before.largest, before.tolerance);
    const auto too_much = [&](const Remainder& left) {
      return left.excess == kAll || left.excess > kPart * before.excess || left.largest > largest;
    };
    const Remainder left =
        input == kFrequencies ? of_frequencies(exact, evidence) : of_rows(exact, evidence, input, too_much);
    if (!too_much(left)) return true;
  }
  return !wrong;
}

}  // namespace ropescope
