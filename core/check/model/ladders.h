#pragma once

#include <functional>

#include "core/check/reading/evidence.h"
#include "core/precision/precision.h"

namespace ropescope {

/// The ladders behind the frequencies of a model: frequency = unit·base^(−exponent) before any extension.
struct Ladders {
  Eigen::MatrixXd plain;        ///< [axes × pairs] without extension, 0 where an axis does not turn a pair
  Eigen::MatrixXd exponent;     ///< [axes × pairs]
  std::vector<double> base;     ///< of each axis; 0 where it has none
  std::vector<double> unit;     ///< of each axis: 1, but π/2 for LTX
  std::vector<double> step;     ///< exponent from one rung to the next
  std::vector<double> own_dim;  ///< of each axis: channels that the exponent is divided by
  double head_dim = 0;          ///< channels of the head
  bool known() const;           ///< some axis has a base
};
Ladders ladders_of(const CheckModel& model);

/// Whether some pair is turned by several axes. `frequencies`: [axes × pairs], 0 where an axis does not turn a pair.
bool is_mixed(const Eigen::MatrixXd& frequencies);

/// Whether ggml could have computed the angles of a model: each pair is turned by one axis, down a ladder with a base.
bool could_recur(const CheckModel& model);
/// [axes × pairs] k of θ_k: how many times ggml multiplies by its scale on the way to a pair.
Eigen::MatrixXd recurrent_steps(const Ladders& ladders);
/// In which of its two ways ggml would have given the rotation that was read: both are replayed, the products with the
/// nearest float32 and its two neighbours as their scale (powf differs from library to library), the powers with scales
/// as far apart as powf's own logarithm may err.
Recurrence nearest_recurrence(const CheckModel& model, const Evidence& evidence);

/// Frequencies with other exponents: exponent(axis, old exponent). The extension of the model is applied again.
Eigen::MatrixXd with_exponents(const CheckModel& model, const Ladders& ladders,
                               const std::function<double(std::size_t, double)>& exponent);
/// The extension of the model applied to other plain frequencies.
Eigen::MatrixXd with_plain(const CheckModel& model, const Ladders& ladders, const Eigen::MatrixXd& plain);
/// Frequencies on another base, all axes (or one).
Eigen::MatrixXd with_base(const CheckModel& model, const Ladders& ladders, double base,
                          std::optional<std::size_t> axis = {});

/// Frequencies [axes × pairs] and amplitude of a rope.
struct RopeLadders {
  Eigen::MatrixXd frequencies;
  double amplitude = 1;
};
RopeLadders rope_ladders(const RotarySpec& spec, std::optional<double> length);

/// What an exact power costs, of which ladders are made, in numbers (effort.h): many times what a cosine does.
inline constexpr Eigen::Index kOfPower = 10;

/// One fitted number.
struct Fit {
  double value = 0, error = 0, misfit = 0;
};

/// What the tables say about the frequency of each pair, if the ids are those of the model up to a shift of each part.
struct Measured {
  Eigen::MatrixXd frequency;       ///< [axes × pairs]
  Eigen::MatrixXd sigma;           ///< infinity where nothing is known
  Eigen::MatrixXd period;          ///< the frequency is known up to multiples of it
  std::int64_t serial = 0;         ///< the same for what was measured once; 0: not remembered
  std::shared_ptr<Effort> effort;  ///< of the search that it belongs to

  bool is_spent() const { return effort && effort->is_spent(); }
  void spend(Eigen::Index numbers) const {
    if (effort) effort->spend(numbers);
  }
};
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

}  // namespace ropescope
