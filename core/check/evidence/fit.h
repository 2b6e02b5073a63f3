// Frequencies measured from the rotation that was observed, and ladders fitted to them: one parameter, lines, a number
// for each axis. Read evidence.h first; causes propose what fits.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/check/evidence/evidence.h"
#include "core/check/model/ladders.h"

namespace ropescope {

class Situation;

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

// --- Measuring and fits --------------------------------------------------------------------------------------------

/// In which of its two ways ggml gives the rotation that was read, all of it: both are replayed, the products with the
/// nearest float32 and its two neighbours as their scale (powf differs from library to library), the powers with one
/// error for each pair over all its rows. What remains may be no more than rounding. None if neither way gives it.
std::optional<Recurrence> recurrence_of(const CheckModel& model, const Evidence& evidence);

/// One fitted number.
struct Fit {
  double value = 0, error = 0, misfit = 0;
};

/// What the tables say about the frequency of each pair, if the ids are those of the model up to a shift of each part.
struct Measured {
  Eigen::MatrixXd frequency;       ///< [axes × pairs]
  Eigen::MatrixXd sigma;           ///< infinity where nothing is known
  Eigen::MatrixXd period;          ///< the frequency is known up to multiples of it
  std::int64_t serial = 0;         ///< one number for what was measured once; 0: not remembered
  std::shared_ptr<Effort> effort;  ///< of the search that it belongs to

  bool is_spent() const { return effort && effort->is_spent(); }
  void spend(Eigen::Index numbers) const {
    if (effort) effort->spend(numbers);
  }
};
std::shared_ptr<MeasuredMemory> new_measured_memory();

/// `by_grid`: rows are compared only where the ids of all other axes are equal, so that it does not matter which axis
/// turns a pair. `given`: frequencies among the inputs stand in place of what the tables say.
Measured measure(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid = false,
                 bool given = true);

/// What the first rung of an axis could be, whatever its base, spacing and rotary dimension are: where the whole
/// measured ladder points, and what its first pair shows, as it is and wrapped. `frequencies`: of the model, whose
/// pairs count.
std::vector<Fit> first_rungs(const Measured& measured, const Eigen::MatrixXd& frequencies, const Ladders& ladders,
                             Eigen::Index axis);

/// Deviation of frequencies from the measured ones in units of their error: log-like, so that outliers do not decide.
double misfit(const Measured& measured, const Eigen::MatrixXd& frequencies);

using Family = std::function<Eigen::MatrixXd(double)>;
/// Fits a positive parameter: the best of the starts, then Gauss-Newton in its logarithm. Nothing where no start gives
/// finite frequencies.
std::optional<Fit> fit_parameter(const Measured& measured, const Family& family, const std::vector<double>& starts);

/// A fitted number made as exact as all tables together allow: least squares over cos and sin, weighted by 1/unit² of
/// their storage. `build` applies a value; the fit itself where it is not near, or there are no tables.
Fit polished(const Evidence& evidence, const Fit& fit, const std::function<CheckModel(double)>& build);

/// Round numbers near a fit, the shortest first, then the number itself.
std::vector<double> round_numbers(const Fit& fit);

/// Whether a number, or one over it, has at most three digits.
bool has_few_digits(double value);

/// Some within three errors of a fit: frequencies that were rounded allow any that rounds to the same ones.
std::vector<double> numbers_around(const Fit& fit);

/// Numbers evenly spaced in their logarithm.
std::vector<double> logarithmic_grid(double low, double high, int count);

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
/// The number of each axis: its fit made as exact as the tables allow, then the candidate that gives most of them.
AxisNumbers settled(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits);

/// Rows of a matrix set to 0 but one.
Eigen::MatrixXd only_axis(const Eigen::MatrixXd& frequencies, std::size_t axis);

}  // namespace ropescope
