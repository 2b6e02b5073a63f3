// One row of a model against what was read of it, what a model leaves unexplained, and all rows that it does not give.
// Read evidence.h first: it says which rows are looked at.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/evidence/evidence.h"

namespace ropescope {

// --- Remainders ----------------------------------------------------------------------------------------------------

/// What a model leaves unexplained of an input, judged as the verdict judges it: without the slack of fitted numbers,
/// and with angle errors estimated from the rows.
struct Remainder {
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance
  double largest = 0, tolerance = 0;                         ///< largest |difference|, and largest tolerance, anywhere
  void add(double difference, double allowed);
};

/// What a model leaves unexplained of the rows that are looked at, input by input.
struct Remainders {
  Remainder tables, heads, ids, frequencies;
  Remainder& of(InputBit input);
  const Remainder& of(InputBit input) const;
};

/// What a model leaves of the inputs asked for; infinity where it has not their shape.
Remainders remainders_of(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Whether a model that reproduces() the inputs owes that to what was changed in it and not to the kinder judgement of
/// candidates: of some input that the model without the change gets wrong, it leaves a quarter at most. True where that
/// model gets nothing wrong on the rows that are looked at.
bool improves_on(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs);

// --- Rows ----------------------------------------------------------------------------------------------------------

/// One row of a model against what was read, input by input. Preconditions: the model has the rows and pairs of what is
/// asked for, and outlives the judge; tables and vectors are asked about after compute() of their row.
class RowJudge {
 public:
  RowJudge(const CheckModel& model, const Evidence& evidence, Strictness how = Strictness::candidate);

  /// Row i of the evidence.
  bool ids_agree(Eigen::Index i);
  void compute(Eigen::Index i);
  bool pair_agrees(Eigen::Index i, Eigen::Index pair) const;
  bool tables_agree(Eigen::Index i) const;
  bool heads_agree(Eigen::Index i) const;
  /// What the row leaves unexplained is added to `left`.
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
  std::vector<double> largest_size_;  ///< of an angle, beyond which nothing more is allowed; [pairs]
};

// --- All rows ------------------------------------------------------------------------------------------------------

/// Every row of the tensors that a model does not give, in order; empty where it has other rows or pairs than they, or
/// it was stopped.
std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence);

/// Whether a model gives what was read, those rows too that the reference has not: they are not among those that are
/// looked at.
bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Looks at some of the rows that a model does not give as well, where the rows that were spread over the tensors hold
/// few of them: what is wrong in few rows of many would be seen by nobody.
void look_at_wrong_rows(const CheckModel& model, Evidence& evidence);

}  // namespace ropescope
