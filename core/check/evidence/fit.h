// Measurement of frequencies from the observed rotation, and fits of ladders to them: one parameter, straight lines, or
// a number per axis. Causes propose the fits. Read evidence.h first.
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
#include "core/check/tuning.h"

namespace ropescope {

class Situation;

// --- Lines ---------------------------------------------------------------------------------------------------------

/// A line y = start + slope·x by weighted least squares. For a geometric ladder, y is ln θ and x the exponent or the
/// index.
class LineFit {
 public:
  void add(double x, double y, double weight) {
    w_ += weight, x_ += weight * x, xx_ += weight * x * x;
    y_ += weight * y, xy_ += weight * x * y;
  }
  /// Returns whether the points determine the line: two different x at least.
  bool determined() const { return determinant() > 1e-9 * w_ * xx_; }
  double slope() const { return (w_ * xy_ - x_ * y_) / determinant(); }
  double start() const { return (y_ - slope() * x_) / w_; }
  /// Returns the slope of a line through (0, 0); 0 if nothing determines it.
  double slope_through_origin() const { return xx_ > 0 ? xy_ / xx_ : 0; }
  /// Returns y at x, and its standard error if the weights are 1/error².
  std::pair<double, double> at(double x) const {
    const double variance = (xx_ - 2 * x * x_ + x * x * w_) / determinant();
    return {start() + slope() * x, std::sqrt(std::max(variance, 0.0))};
  }

 private:
  double determinant() const { return w_ * xx_ - x_ * x_; }

  double w_ = 0, x_ = 0, xx_ = 0, y_ = 0, xy_ = 0;
};

// --- Measuring and fits --------------------------------------------------------------------------------------------

/// Returns which of ggml's two ways gives the whole observed rotation; nullopt if neither does. Both are replayed: the
/// products with the nearest float32 and its two neighbours as scale (powf differs between libraries), the powers with
/// one error per pair over all its rows. Only rounding errors may remain.
std::optional<Recurrence> find_recurrence(const CheckModel& model, const Evidence& evidence);

/// One fitted number.
struct Fit {
  double value = 0, error = 0, misfit = 0;
  Fit inverse() const { return {1 / value, error / (value * value), 0}; }
};

/// The frequency of each pair as the tables show it, if the ids are those of the model up to a shift of each part.
struct Measured {
  Eigen::MatrixXd frequency;       ///< [axes × pairs]
  Eigen::MatrixXd sigma;           ///< standard error; infinite if the frequency is unknown
  Eigen::MatrixXd period;          ///< the frequency is known up to multiples of it
  std::int64_t serial = 0;         ///< number of the measurement; 0: not remembered
  std::shared_ptr<Effort> effort;  ///< budget of the search that it belongs to

  bool is_spent() const { return effort && effort->is_spent(); }
  void spend(Eigen::Index numbers) const {
    if (effort) effort->spend(numbers);
  }
};
std::shared_ptr<MeasuredMemory> new_measured_memory();

/// Measures the frequencies. `by_grid`: compares only rows with equal ids on all other axes, so that it does not matter
/// which axis rotates a pair. `given`: frequencies among the inputs replace measured ones.
Measured measure(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid = false,
                 bool given = true);

/// Returns candidates for the first frequency of an axis, whatever its base, spacing and rotary dimension are:
/// extrapolated from the whole measured ladder, and read from its first pair, unwrapped or wrapped. `frequencies`:
/// those of the model, which determine the pairs of the axis. Empty if it has no base.
std::vector<Fit> first_rungs(const Measured& measured, const Eigen::MatrixXd& frequencies, const Ladders& ladders,
                             Eigen::Index axis);

/// Appends the ratios of measured frequencies to those of a model that are clearly above 0, up to `most` starts of a
/// fit.
void add_shown_ratios(const Measured& measured, const Eigen::MatrixXd& frequencies, std::size_t most,
                      std::vector<double>& starts);

/// Returns the divisor of the slowest frequency of a model that is known to a fraction `sure`; nullopt if none is
/// known. Every ramp of an extension divides the slowest pairs by its factor.
std::optional<Fit> divisor_of_slowest(const Measured& measured, const Eigen::MatrixXd& frequencies, double sure);

/// Returns the deviation from the measured frequencies in units of their error: log-like, so outliers do not dominate.
double misfit(const Measured& measured, const Eigen::MatrixXd& frequencies);

using Family = std::function<Eigen::MatrixXd(double)>;
/// Returns frequencies that no fit accepts: a 1×1 NaN.
Eigen::MatrixXd no_frequencies();
/// Fits a positive parameter: the best of the starts, then Gauss-Newton in its logarithm. nullopt if no start gives
/// finite frequencies.
std::optional<Fit> fit_parameter(const Measured& measured, const Family& family, const std::vector<double>& starts);

/// Refines a fitted number with all tables: least squares over cos and sin, weighted by 1/unit² of their storage.
/// `build` applies a value. Returns `fit` unchanged if the refined number is not near it, or if there are no tables.
Fit refine_fit(const Evidence& evidence, const Fit& fit, const std::function<CheckModel(double)>& build);

/// Returns round numbers near a fit, those with the fewest digits first, then the fit itself.
std::vector<double> round_numbers(const Fit& fit);

/// Returns whether a number, or its reciprocal, has at most three digits.
bool has_few_digits(double value);

/// Returns numbers within three errors of a fit if the model rounds its frequencies, because then several numbers give
/// the same ones; else none.
std::vector<double> numbers_for_rounded(const CheckModel& model, const Fit& fit);

/// Returns logarithmically spaced numbers.
std::vector<double> logarithmic_grid(const tuned::Grid& grid);

// --- Axes ----------------------------------------------------------------------------------------------------------

/// One number per axis (a factor of its ids, a base of its ladder) and how it changes the model.
struct AxisFamily {
  std::vector<double> own;           ///< numbers of the model; 0 if an axis has none
  double sure = tuned::kSureFactor;  ///< a fit counts if its error is less than this fraction of its value
  /// Returns the frequencies [axes × pairs] of that axis alone, all others 0.
  std::function<Eigen::MatrixXd(std::size_t axis, double value)> frequencies;
  std::function<CheckModel(const CheckModel&, std::size_t axis, double value)> applied;
  std::function<std::vector<double>(std::size_t axis)> starts;
  /// Returns the numbers that a fit may stand for, likely ones first, including the fit itself.
  std::vector<double> (*candidates)(const Fit&) = nullptr;
};

struct AxisNumbers {
  std::vector<double> values;  ///< one per axis
  bool fitted = false;         ///< some number is the fit itself
};

/// Returns for each axis the number that fits the frequencies of its pairs, or the model's own number with error 0 if
/// no other fits. Empty if every axis keeps the model's number.
std::vector<Fit> axis_fits(const Situation& situation, const AxisFamily& family);
/// Returns the model with these numbers.
CheckModel apply_fits(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits);
/// Returns for each axis the candidate of its refined fit that reproduces most of the evidence.
AxisNumbers choose_axis_values(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits);

/// Returns a matrix with all rows but one set to 0.
Eigen::MatrixXd only_axis(const Eigen::MatrixXd& frequencies, std::size_t axis);

}  // namespace ropescope
