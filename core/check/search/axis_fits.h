#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// One number for each axis (a factor of its ids, a base of its ladder) and how the model changes with it.
struct AxisFamily {
  std::vector<double> own;  ///< numbers that the model has; 0 where an axis has none
  double sure = 0.1;        ///< a fit counts whose error is a smaller part of it
  /// Frequencies [axes × pairs] of that axis alone, all others 0.
  std::function<Eigen::MatrixXd(std::size_t axis, double value)> frequencies;
  std::function<CheckModel(const CheckModel&, std::size_t axis, double value)> applied;
  std::function<std::vector<double>(std::size_t axis)> starts;
  /// What a fit could have been written as, likely ones first, the fit itself among them.
  std::function<std::vector<double>(std::size_t axis, const Fit&)> candidates;
};

struct AxisNumbers {
  std::vector<double> values;  ///< one for each axis
  bool fitted = false;         ///< some number stands as it was fitted
};

/// The number of each axis as the frequencies of its own pairs show it; its own one, with error 0, where they show no
/// other. Empty where all keep theirs.
std::vector<Fit> axis_fits(const Situation& situation, const AxisFamily& family);
/// The model with these numbers.
CheckModel with_fits(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits);
/// Each made as exact as the tables allow, then what gives most of them.
AxisNumbers settled(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits);

/// Rows of a matrix set to 0 but one.
Eigen::MatrixXd only_axis(const Eigen::MatrixXd& frequencies, std::size_t axis);

}  // namespace ropescope
