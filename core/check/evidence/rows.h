// Comparison of single model rows with the tensors, unexplained differences, and all rows that a model does not
// reproduce. Read evidence.h first: it chooses the sampled rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/evidence/evidence.h"

namespace ropescope {

// --- Remainders ----------------------------------------------------------------------------------------------------

/// Unexplained difference of an input, judged as for the verdict: without the slack of fitted numbers, and with angle
/// errors estimated from the rows.
struct Remainder {
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance
  double largest = 0, tolerance = 0;                         ///< maxima over all numbers
  void add(double difference, double allowed);
};

/// Unexplained differences of the sampled rows, input by input.
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

  /// Returns whether the ids of row i of the evidence agree.
  bool ids_agree(Eigen::Index i);
  void compute(Eigen::Index i);
  bool pair_agrees(Eigen::Index i, Eigen::Index pair) const;
  bool tables_agree(Eigen::Index i) const;
  bool heads_agree(Eigen::Index i) const;
  /// Adds what the row leaves unexplained to `left`.
  void add_ids(Eigen::Index i, Remainder& left);
  void add_tables(Eigen::Index i, Remainder& left) const;
  void add_heads(Eigen::Index i, Remainder& left) const;
  Eigen::Index pairs() const { return pairs_; }

 private:
  HeadJudgement judge_one(Eigen::Index i, std::int64_t head) const;
  double tolerance(Eigen::Index pair, double expected) const;

  const CheckModel& model_;
  const Evidence& evidence_;
  RowEvaluator evaluator_;
  Eigen::Index pairs_;
  std::vector<double> cosine_, sine_, size_, id_;
  StorageUnit unit_, id_unit_;
  RotationRule rotation_;
  std::vector<double> angle_error_;   ///< [pairs]
  std::vector<double> largest_size_;  ///< sizes of angles beyond which the tolerance does not grow; [pairs]
};

// --- All rows ------------------------------------------------------------------------------------------------------

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
