#include "core/check/row_judge.h"

#include <cmath>

#include "core/check/angle_errors.h"
#include "core/check/tolerances.h"

namespace ropescope {

RowJudge::RowJudge(const CheckModel& model, const Evidence& evidence)
    : model_(model), evidence_(evidence), evaluator_(model), pairs_(evaluator_.pairs()) {
  const auto size = static_cast<std::size_t>(pairs_);
  cosine_.resize(size), sine_.resize(size), size_.resize(size);
  id_.resize(static_cast<std::size_t>(evaluator_.axes()));
  unit_ = evidence.file_unit;
  if (model.table_format != ShortFormat::none) unit_ = coarser(loose_unit_of(model.table_format), unit_);
  if (evidence.has_heads()) {
    const HeadVectors& heads = *evidence.tensors->heads;
    rotation_ = rotation_rule(model, heads.before, heads.after);
  }
  if (evidence.has_ids()) id_unit_ = unit_of(*evidence.tensors->ids);
  // As the verdict judges them, but for what it can estimate from all rows.
  angle_error_ = angle_errors(model).of_pair;
  for (double& error : angle_error_) error = error * model.largest_amplitude() + kTableNoise;
}

bool RowJudge::ids_agree(Eigen::Index i) {
  evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
  for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
    const double expected = id_[static_cast<std::size_t>(axis)];
    if (!(std::abs(evidence_.ids(i, axis) - expected) <= id_tolerance(id_unit_, expected))) return false;
  }
  return true;
}

void RowJudge::compute(Eigen::Index i) {
  evidence_.spend(pairs_);
  evaluator_.row(evidence_.rows[static_cast<std::size_t>(i)], cosine_.data(), sine_.data(), size_.data());
}

bool RowJudge::pair_agrees(Eigen::Index i, Eigen::Index pair) const {
  const auto p = static_cast<std::size_t>(pair);
  const double slack = 1 + model_.slack;
  const auto fits = [&](double stored, double expected) {
    return std::abs(stored - expected) <= slack * unit_.at(expected) + angle_error_[p] * size_[p] + kTableNoise;
  };
  return fits(evidence_.cosine(i, pair), cosine_[p]) && fits(evidence_.sine(i, pair), sine_[p]);
}

bool RowJudge::tables_agree(Eigen::Index i) const {
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    if (!pair_agrees(i, pair)) return false;
  }
  return true;
}

bool RowJudge::heads_agree(Eigen::Index i) const {
  const HeadVectors& heads = *evidence_.tensors->heads;
  for (std::int64_t head = 0; head < heads.heads; ++head) {
    evidence_.spend(pairs_);
    const std::int64_t at = i * evidence_.before.cols() + head * heads.channels;
    const HeadJudgement judged =
        judge_head(model_, rotation_, {cosine_.data(), sine_.data(), size_.data(), pairs_, heads.channels},
                   evidence_.before.data() + at, evidence_.after.data() + at);
    if (judged.excess > 0) return false;
  }
  return true;
}

}  // namespace ropescope
