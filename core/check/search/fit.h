// Ladders fitted to what was measured: frequencies and their errors, one parameter, lines, axes.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check/causes/cause.h"

namespace ropescope {

// --- Lines ---------------------------------------------------------------------------------------------------------

/// y = start + slope·x by least squares with weights: of a geometric ladder, y = ln θ over the exponent or the index.
class LineFit {
 public:
  void add(double x, double y, double weight) {
    w_ += weight, x_ += weight * x, xx_ += weight * x * x;
    y_ += weight * y, xy_ += weight * x * y;
  }
  /// Two places at least tell.
  bool determined() const { return determinant() > 1e-9 * w_ * xx_; }
  double slope() const { return (w_ * xy_ - x_ * y_) / determinant(); }
  double start() const { return (y_ - slope() * x_) / w_; }
  /// The slope of a line through (0, 0); 0 where nothing tells.
  double slope_through_origin() const { return xx_ > 0 ? xy_ / xx_ : 0; }
  /// y at x, and its standard error where the weights are 1/error².
  std::pair<double, double> at(double x) const {
    const double variance = (xx_ - 2 * x * x_ + x * x * w_) / determinant();
    return {start() + slope() * x, std::sqrt(std::max(variance, 0.0))};
  }

 private:
  double determinant() const { return w_ * xx_ - x_ * x_; }

  double w_ = 0, x_ = 0, xx_ = 0, y_ = 0, xy_ = 0;
};

// --- Axes ----------------------------------------------------------------------------------------------------------

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
