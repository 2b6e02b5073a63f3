// Single rows compared, unexplained differences and all wrong rows: implementation of rows.h; read it first.
//
// Contents: Rows; Remainders; All rows.

#include "core/check/evidence/rows.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/compare/sides.h"
#include "core/check/tuning.h"
#include "core/machine.h"
#include "core/parallel.h"

namespace ropescope {

// --- Rows ----------------------------------------------------------------------------------------------------------

RowJudge::RowJudge(const CheckModel& model, const Evidence& evidence, Strictness how)
    : model_(model),
      evidence_(evidence),
      evaluator_(model),
      pairs_(evaluator_.pairs()),
      row_(pairs_, evidence.has_heads() ? evidence.tensors->heads->channels : 0),
      id_(static_cast<std::size_t>(evaluator_.axes())) {
  const bool rounded = how == Strictness::rounded;
  unit_ = rounded ? evidence.usual_file_unit : evidence.file_unit;
  if (model.table_format != ShortFormat::none) {
    unit_ = coarser(rounded ? typical_unit(model.table_format) : loosest_unit(model.table_format), unit_);
  }
  unit_ = with_amplitude(unit_, model.largest_amplitude());
  if (evidence.has_heads()) {
    const HeadVectors& heads = *evidence.tensors->heads;
    rotation_ = rotation_rule(model, heads.before, heads.after);
  }
  if (evidence.has_ids()) id_unit_ = find_storage_unit(*evidence.tensors->ids);
  if (how == Strictness::verdict && evidence.has_tables()) {
    angle_error_ = table_errors(model, evaluator_, evidence.tensors->tables);
  } else {
    angle_error_ = angle_errors(model).of_pair;
    for (double& error : angle_error_) error = error * model.largest_amplitude() + kTableNoise;
  }
  for (const double error : angle_error_) largest_size_.push_back(evidence.most_angle_error / error);
}

bool RowJudge::ids_agree(Eigen::Index i) {
  return look_at_ids(i, [](Eigen::Index, double difference, double allowed) { return difference <= allowed; });
}

void RowJudge::compute(Eigen::Index i) {
  evidence_.spend(pairs_);
  row_.compute(evaluator_, evidence_.rows[static_cast<std::size_t>(i)]);
  std::vector<double>& size = row_.size;
  for (std::size_t pair = 0; pair < size.size(); ++pair) {
    if (model_.too_fast && angle_error_[pair] * size[pair] > tuned::kShowsNothing) size[pair] = kAnySize;
    if (size[pair] < kAnySize) size[pair] = std::min(size[pair], largest_size_[pair]);
  }
}

double RowJudge::tolerance(std::size_t pair, double expected) const {
  return (1 + model_.slack) * unit_.at(expected) + angle_error_[pair] * row_.size[pair] + kTableNoise;
}

bool RowJudge::pair_agrees(Eigen::Index i, Eigen::Index pair) const {
  return look_at_pair(i, pair, [](double difference, double allowed) { return difference <= allowed; });
}

template <class See>
bool RowJudge::look_at_heads(Eigen::Index i, const See& see) const {
  const HeadVectors& heads = *evidence_.tensors->heads;
  for (std::int64_t head = 0; head < heads.heads; ++head) {
    evidence_.spend(pairs_);
    const std::int64_t at = i * evidence_.before.cols() + head * heads.channels;
    if (!see(judge_head(model_, rotation_, row_.view(), evidence_.before.data() + at, evidence_.after.data() + at)))
      return false;
  }
  return true;
}

bool RowJudge::heads_agree(Eigen::Index i) const {
  return look_at_heads(i, [](const Difference& judged) { return judged.agrees(); });
}

bool RowJudge::agrees(Eigen::Index i, unsigned inputs) {
  if ((inputs & kIds) != 0 && !ids_agree(i)) return false;
  if ((inputs & (kTables | kHeads)) != 0) compute(i);
  for (Eigen::Index pair = 0; pair < pairs_ && (inputs & kTables) != 0; ++pair) {
    if (!pair_agrees(i, pair)) return false;
  }
  return (inputs & kHeads) == 0 || heads_agree(i);
}

void RowJudge::add(Eigen::Index i, InputBit input, Remainder& left) {
  const auto add_one = [&left](double difference, double allowed) {
    left.add(difference, allowed);
    return true;
  };
  if (input == kIds) {
    look_at_ids(i, [&](Eigen::Index, double difference, double allowed) { return add_one(difference, allowed); });
    return;
  }
  compute(i);
  if (input == kHeads) {
    look_at_heads(i, [&](const Difference& judged) {
      left.excess = std::max(left.excess, judged.excess);
      return add_one(judged.largest, judged.tolerance);
    });
    return;
  }
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    // An angle at the midpoint of two numbers of its format shows nothing.
    if (row_.size[static_cast<std::size_t>(pair)] < kAnySize) look_at_pair(i, pair, add_one);
  }
}

// --- Remainders ----------------------------------------------------------------------------------------------------

namespace {

/// Less than a half, because a fit can spread the error of one number over all of them.
constexpr double kPart = 0.25;
/// Difference of numbers that cannot be compared.
constexpr double kAll = std::numeric_limits<double>::infinity();

constexpr InputBit kInputs[] = {kTables, kHeads, kIds, kFrequencies};

CheckModel remove_slack(const CheckModel& model) {
  CheckModel exact = model;
  exact.slack = 0;
  return exact;
}

Remainder of_frequencies(const CheckModel& model, const Evidence& evidence) {
  const ExpectedFrequencies due = find_expected_frequencies(model, evidence.frequencies.size());
  const std::vector<double>& expected = due.values;
  const StorageUnit unit = loosest_unit(*evidence.tensors->frequencies);
  Remainder left;
  if (!due.counted) left.add(kAll, 0);
  for (std::size_t i = 0; i < due.compared; ++i) {
    left.add(std::abs(evidence.frequencies[i] - expected[i]), frequency_tolerance(unit, expected[i]));
  }
  return left;
}

/// Accumulates row by row until `enough` returns true.
template <class Enough>
Remainder of_rows(const CheckModel& model, const Evidence& evidence, InputBit input, const Enough& enough) {
  RowJudge judge(model, evidence, Strictness::verdict);
  Remainder left;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  for (Eigen::Index i = 0; i < rows && !enough(left); ++i) judge.add(i, input, left);
  return left;
}

// --- All rows ------------------------------------------------------------------------------------------------------

/// Returns the evidence of a piece. Threads do not share a budget: the caller counts all rows.
Evidence piece_of(const Evidence& evidence, const RowPiece& piece) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(piece.count));
  std::iota(rows.begin(), rows.end(), piece.first);
  Evidence part = select_rows(evidence, std::move(rows));
  part.effort = std::make_shared<Effort>(std::numeric_limits<std::int64_t>::max());
  return part;
}

}  // namespace

Remainder& Remainders::of(InputBit input) {
  return input == kTables ? tables : input == kHeads ? heads : input == kIds ? ids : frequencies;
}

const Remainder& Remainders::of(InputBit input) const {
  return const_cast<Remainders*>(this)->of(input);
}

Remainders compute_remainders(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = remove_slack(model);
  Remainders left;
  for (const InputBit input : kInputs) {
    if ((inputs & input) == 0) continue;
    if (!has_shape(exact, evidence, input)) {
      left.of(input) = {kAll, 0, kAll};
    } else if (input == kFrequencies) {
      left.frequencies = of_frequencies(exact, evidence);
    } else {
      left.of(input) = of_rows(exact, evidence, input, [](const Remainder&) { return false; });
    }
  }
  return left;
}

bool improves_on(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = remove_slack(model);
  bool wrong = false;
  for (const InputBit input : kInputs) {
    const Remainder& before = without.of(input);
    if ((inputs & input) == 0 || !(before.excess > 0)) continue;
    wrong = true;
    // A candidate with huge angles has a large tolerance: its difference must also be small by the other's tolerance.
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

bool has_pairs(const CheckModel& model, const Evidence& evidence) {
  const Eigen::Index pairs = model.tokens.pair_count();
  if (evidence.has_tables() && evidence.cosine.cols() != pairs) return false;
  return !evidence.has_heads() || model.still + 2 * pairs <= evidence.tensors->heads->channels;
}

std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence) {
  std::vector<std::int64_t> wrong;
  if (evidence.tensors->rows != model.row_count || !has_pairs(model, evidence)) return wrong;
  const auto make_worker = [&]() -> WorkPiece {
    return [&](const RowPiece& piece) -> JoinPiece {
      return [&wrong, found = wrong_rows(model, piece_of(evidence, piece))] {
        wrong.insert(wrong.end(), found.begin(), found.end());
      };
    };
  };
  if (!parallel_for_rows(model.row_count, evidence.options, make_worker)) wrong.clear();
  return wrong;
}

bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  if (!reproduces(model, evidence, inputs)) return false;
  if (model.row_count != evidence.tensors->rows) return true;
  evidence.spend(model.row_count * model.tokens.pair_count());
  const Comparison all = compare_all(model, rows_of(*evidence.tensors, 0, model.row_count), evidence.options);
  return !all.cancelled && std::all_of(all.inputs.begin(), all.inputs.end(), [inputs](const auto& input) {
    const unsigned bit = input.first == "ids" ? kIds : input.first == "after" ? kHeads : kTables;
    return (inputs & bit) == 0 || input.second.agrees();
  });
}

void add_mismatched_rows(const CheckModel& model, Evidence& evidence) {
  const auto seen = static_cast<std::int64_t>(evidence.rows.size());
  if (seen == 0 || seen >= evidence.tensors->rows) return;
  // If the sample already contains enough of them, nothing more is read.
  if (has_pairs(model, evidence) && wrong_rows(model, evidence).size() >= tuned::kEnoughWrongRows) return;
  const std::vector<std::int64_t> wrong = all_wrong_rows(model, evidence);
  std::vector<std::int64_t> rows = evidence.rows;
  const std::size_t count = std::min(wrong.size(), tuned::kEnoughWrongRows);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(wrong[i * wrong.size() / count]);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  evidence = select_rows(evidence, std::move(rows));
}

}  // namespace ropescope
