#pragma once

#include "core/check/compare/remainders.h"

namespace ropescope {

/// One row of a model against what was read, input by input. Preconditions: the model has the rows and pairs of what is
/// asked for, and outlives the judge; tables and vectors are asked about after compute() of their row.
class RowJudge {
 public:
  RowJudge(const CheckModel& model, const Evidence& evidence, Judged how = Judged::as_candidate);

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

}  // namespace ropescope
