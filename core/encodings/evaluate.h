#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/encodings/plan.h"

namespace ropescope {

/// Scores between one q and one k at many places: what does not depend on the place is done once. For one thread.
class PairScores {
 public:
  /// The plan must live as long as this.
  PairScores(const ScorePlan& plan, const Eigen::VectorXd& q, const Eigen::VectorXd& k);

  /// Every term, its scale included, between q at m and k at n; NaN past a learned table.
  void terms(std::int64_t m, std::int64_t n, std::span<double> out);

 private:
  double value(const PlanTerm& term, std::size_t index, std::int64_t m, std::int64_t n);

  const ScorePlan& plan_;
  Eigen::VectorXd q_, k_;
  std::vector<Eigen::VectorXd> turned_;  ///< per term: weightsᵀ x, for those by distance
  Eigen::VectorXd left_, right_;
};

}  // namespace ropescope
