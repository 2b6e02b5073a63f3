// Comparison of single model rows with the tensors, unexplained differences, and all rows that a model does not
// reproduce. Read evidence.h first: it chooses the sampled rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/evidence/evidence.h"

namespace ropescope {

// --- Remainders ----------------------------------------------------------------------------------------------------

/// Unexplained differences of the sampled rows, input by input, judged as for the verdict: without the slack of fitted
/// numbers, and with angle errors estimated from the rows.
struct Remainders {
  Remainder tables, heads, ids, frequencies;
  Remainder& of(InputBit input);
  const Remainder& of(InputBit input) const;
};

/// Computes the differences of the requested inputs; infinity if the model does not have their shape.
Remainders compute_remainders(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Returns whether a model that reproduces() the inputs owes that to its change and not to the looser tolerance of
/// candidates: in some input that the unchanged model gets wrong, at most a quarter of the difference is left. True if
/// the unchanged model gets nothing wrong in the sampled rows.
bool improves_on(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs);

// --- Rows ----------------------------------------------------------------------------------------------------------

/// Compares single rows of a model with the tensors. Preconditions: the model has the rows and pairs of the requested
/// inputs and outlives the judge; compute() precedes any query about tables and vectors of its row.
class RowJudge {
 public:
  RowJudge(const CheckModel& model, const Evidence& evidence, Strictness how = Strictness::candidate);

  /// Returns whether the requested inputs of row i of the evidence agree; stops at the first that does not.
  bool agrees(Eigen::Index i, unsigned inputs);
  /// Adds what one input of the row leaves unexplained to `left`.
  void add(Eigen::Index i, InputBit input, Remainder& left);
  bool ids_agree(Eigen::Index i);
  /// Calls see(axis, difference, tolerance) for the ids of a row as long as it returns true. Returns whether it did for
  /// all.
  template <class See>
  bool look_at_ids(Eigen::Index i, const See& see) {
    evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
    for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
      const double expected = id_[static_cast<std::size_t>(axis)];
      if (!see(axis, std::abs(evidence_.ids(i, axis) - expected), id_tolerance(id_unit_, expected))) return false;
    }
    return true;
  }
  void compute(Eigen::Index i);
  bool pair_agrees(Eigen::Index i, Eigen::Index pair) const;
  bool heads_agree(Eigen::Index i) const;
  Eigen::Index pairs() const { return pairs_; }

 private:
  /// Calls see(difference, tolerance) for cos and sin of a pair as look_at_ids() does.
  template <class See>
  bool look_at_pair(Eigen::Index i, Eigen::Index pair, const See& see) const {
    const auto p = static_cast<std::size_t>(pair);
    return see(std::abs(evidence_.cosine(i, pair) - row_.cosine[p]), tolerance(p, row_.cosine[p])) &&
           see(std::abs(evidence_.sine(i, pair) - row_.sine[p]), tolerance(p, row_.sine[p]));
  }
  /// Calls see(difference) for the heads of a row as look_at_ids() does.
  template <class See>
  bool look_at_heads(Eigen::Index i, const See& see) const;
  double tolerance(std::size_t pair, double expected) const;

  const CheckModel& model_;
  const Evidence& evidence_;
  RowEvaluator evaluator_;
  Eigen::Index pairs_;
  ModelRow row_;
  std::vector<double> id_;
  StorageUnit unit_, id_unit_;
  RotationRule rotation_;
  std::vector<double> angle_error_;   ///< [pairs]
  std::vector<double> largest_size_;  ///< sizes of angles beyond which the tolerance does not grow; [pairs]
};

// --- All rows ------------------------------------------------------------------------------------------------------

/// Returns whether a model has the pairs of the tensors.
bool has_pairs(const CheckModel& model, const Evidence& evidence);

/// Returns every tensor row that a model does not reproduce, in order; empty if it has other rows or pairs than they
/// have, or if it was cancelled.
std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence);

/// Returns whether a model reproduces the inputs, including the rows that the reference does not have: these are not
/// sampled.
bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Adds some of the rows that a model does not reproduce to the sample if it contains few of them, so that an error
/// in few of many rows is detected.
void add_mismatched_rows(const CheckModel& model, Evidence& evidence);

}  // namespace ropescope
