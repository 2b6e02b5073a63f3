#include "core/check/compare/row_judge.h"

#include <algorithm>
#include <cmath>

#include "core/check/compare/angle_errors.h"
#include "core/check/compare/tolerances.h"

namespace ropescope {

RowJudge::RowJudge(const CheckModel& model, const Evidence& evidence, Judged how)
    : model_(model), evidence_(evidence), evaluator_(model), pairs_(evaluator_.pairs()) {
  const auto size = static_cast<std::size_t>(pairs_);
  cosine_.resize(size), sine_.resize(size), size_.resize(size);
  id_.resize(static_cast<std::size_t>(evaluator_.axes()));
  const bool rounded = how == Judged::as_rounded;
  unit_ = rounded ? evidence.usual_file_unit : evidence.file_unit;
  if (model.table_format != ShortFormat::none) {
    unit_ = coarser(rounded ? usual_unit_of(model.table_format) : loose_unit_of(model.table_format), unit_);
  }
  unit_ = with_amplitude(unit_, model.largest_amplitude());
  if (evidence.has_heads()) {
    const HeadVectors& heads = *evidence.tensors->heads;
    rotation_ = rotation_rule(model, heads.before, heads.after);
  }
  if (evidence.has_ids()) id_unit_ = unit_of(*evidence.tensors->ids);
  if (how == Judged::as_verdict && evidence.has_tables()) {
    angle_error_ = table_errors(model, evaluator_, evidence.tensors->tables);
  } else {
    angle_error_ = angle_errors(model).of_pair;
    for (double& error : angle_error_) error = error * model.largest_amplitude() + kTableNoise;
  }
  for (const double error : angle_error_) largest_size_.push_back(evidence.most_angle_error / error);
}

bool RowJudge::ids_agree(Eigen::Index i) {
  evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
  for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
    const double expected = id_[static_cast<std::size_t>(axis)];
    if (!(std::abs(evidence_.ids(i, axis) - expected) <= id_tolerance(id_unit_, expected))) return false;
  }
  return true;
}

void RowJudge::add_ids(Eigen::Index i, Remainder& left) {
  evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
  for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
    const double expected = id_[static_cast<std::size_t>(axis)];
    left.add(std::abs(evidence_.ids(i, axis) - expected), id_tolerance(id_unit_, expected));
  }
}

void RowJudge::compute(Eigen::Index i) {
  evidence_.spend(pairs_);
  evaluator_.row(evidence_.rows[static_cast<std::size_t>(i)], cosine_.data(), sine_.data(), size_.data());
  for (std::size_t pair = 0; pair < size_.size(); ++pair) {
    constexpr double kShowsNothing = 0.5;
    if (model_.too_fast && angle_error_[pair] * size_[pair] > kShowsNothing) size_[pair] = kAnySize;
    if (size_[pair] < kAnySize) size_[pair] = std::min(size_[pair], largest_size_[pair]);
  }
}

double RowJudge::tolerance(Eigen::Index pair, double expected) const {
  const auto p = static_cast<std::size_t>(pair);
  return (1 + model_.slack) * unit_.at(expected) + angle_error_[p] * size_[p] + kTableNoise;
}

bool RowJudge::pair_agrees(Eigen::Index i, Eigen::Index pair) const {
  const auto fits = [&](double stored, double expected) {
    return std::abs(stored - expected) <= tolerance(pair, expected);
  };
  const auto p = static_cast<std::size_t>(pair);
  return fits(evidence_.cosine(i, pair), cosine_[p]) && fits(evidence_.sine(i, pair), sine_[p]);
}

bool RowJudge::tables_agree(Eigen::Index i) const {
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    if (!pair_agrees(i, pair)) return false;
  }
  return true;
}

void RowJudge::add_tables(Eigen::Index i, Remainder& left) const {
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    const auto p = static_cast<std::size_t>(pair);
    // An angle on the middle of two numbers of its format says nothing.
    if (size_[p] >= kAnySize) continue;
    left.add(std::abs(evidence_.cosine(i, pair) - cosine_[p]), tolerance(pair, cosine_[p]));
    left.add(std::abs(evidence_.sine(i, pair) - sine_[p]), tolerance(pair, sine_[p]));
  }
}

HeadJudgement RowJudge::judge_one(Eigen::Index i, std::int64_t head) const {
  const HeadVectors& heads = *evidence_.tensors->heads;
  evidence_.spend(pairs_);
  const std::int64_t at = i * evidence_.before.cols() + head * heads.channels;
  return judge_head(model_, rotation_, {cosine_.data(), sine_.data(), size_.data(), pairs_, heads.channels},
                    evidence_.before.data() + at, evidence_.after.data() + at);
}

bool RowJudge::heads_agree(Eigen::Index i) const {
  for (std::int64_t head = 0; head < evidence_.tensors->heads->heads; ++head) {
    if (judge_one(i, head).excess > 0) return false;
  }
  return true;
}

void RowJudge::add_heads(Eigen::Index i, Remainder& left) const {
  for (std::int64_t head = 0; head < evidence_.tensors->heads->heads; ++head) {
    const HeadJudgement judged = judge_one(i, head);
    left.add(judged.largest, judged.tolerance);
    left.excess = std::max(left.excess, judged.excess);
  }
}

}  // namespace ropescope
