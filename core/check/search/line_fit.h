#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace ropescope {

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

}  // namespace ropescope
