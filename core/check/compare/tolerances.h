#pragma once

#include <limits>

#include "core/check/compare/compare.h"

namespace ropescope {

/// What two ways of computing cos and sin in float64 differ by, per radian of the angle.
inline constexpr double kTableNoise = 4e-16;

/// Whether a tolerance allows nothing but the very same number: below the smallest normal float32 nothing is stored.
inline bool asks_for_equality(double tolerance) {
  return tolerance < static_cast<double>(std::numeric_limits<float>::min());
}

/// Up to here a number of a float64 file beside its noise was computed in float64.
inline constexpr double kStrict = 1e-12;

/// What a number of a plane of a table may differ by: unit.at(expected) + angle error of the pair · size + kTableNoise.
struct PlaneRule {
  StorageUnit unit, strict_unit;
  bool strict = false;   ///< float64: also look whether it holds more than float32 gives
  StorageUnit rounding;  ///< of the format that the model rounds its tables to; 0: not rounded
};
PlaneRule rule_of(const TablePlane& plane, const CheckModel& model);

/// Angle errors of all pairs as they move cos and sin of the tables of a model: times its amplitude, and with the noise
/// of float64. [pairs]
std::vector<double> table_errors(const CheckModel& model, const RowEvaluator& evaluator, const TablePlanes& tables);

/// What a list of frequencies holds for a model.
enum class ListOf {
  all_pairs,      ///< stored_frequencies()
  turning_pairs,  ///< the same without the zeros at its end (a proportional ladder)
  shared_ladder,  ///< the one ladder that every axis has
};
/// What a list of `count` frequencies is held against, number by number: the first of those that there are.
struct DueFrequencies {
  std::vector<double> values;
  ListOf of = ListOf::all_pairs;
  std::size_t compared = 0;  ///< as many as both have
  bool counted = false;      ///< the list has as many as are due, or as the model says that it has
};
DueFrequencies due_frequencies(const CheckModel& model, std::size_t count);

/// One channel of a rotated vector beside what was expected.
struct ChannelJudgement {
  Eigen::Index pair = 0;
  double expected = 0, difference = 0, tolerance = 0;
  double length = 0;  ///< |x| + |y| of the two channels that make it
};
ChannelJudgement judge_channel(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel);
/// The same of any channel of a whole head: those that do not turn must stay, and belong to no pair (−1).
ChannelJudgement judge_of_head(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel);

}  // namespace ropescope
