// The frequency ladders of a model (base, exponents, extension), so that one of these can be changed and the others
// kept. Read model.h first; evidence and causes fit with it.
#pragma once

#include <functional>

#include "core/check/model/model.h"
#include "core/precision/precision.h"

namespace ropescope {

/// Ladders that give the frequencies of a model: frequency = unit·base^(−exponent) before any extension.
struct Ladders {
  Eigen::MatrixXd plain;        ///< [axes × pairs] without extension, 0 if an axis does not rotate a pair
  Eigen::MatrixXd exponent;     ///< [axes × pairs]
  std::vector<double> base;     ///< per axis; 0 if it has none
  std::vector<double> unit;     ///< per axis: 1, but π/2 for LTX
  std::vector<double> step;     ///< per axis: exponent from one frequency to the next
  std::vector<double> own_dim;  ///< per axis: number of channels that divides the exponent
  double head_dim = 0;          ///< channels of the head
  bool known() const;           ///< returns whether any axis has a base
};
Ladders ladders_of(const CheckModel& model);

/// Returns whether several axes rotate one pair. `frequencies`: [axes × pairs], 0 if an axis does not rotate a pair.
bool is_mixed(const Eigen::MatrixXd& frequencies);

/// Origin of the frequencies of a layout's axes.
enum class LadderCut {
  own,     ///< each axis has a plain ladder over its own channels
  shared,  ///< all axes share one plain ladder over all channels
  other,
};
LadderCut cut_of(const TokenLayout& tokens);

/// Returns whether ggml could have computed a model's angles: one axis per pair, on a ladder with a base.
bool could_recur(const CheckModel& model);
/// Returns k of θ_k, [axes × pairs]: how many times ggml multiplies by its scale to reach a pair.
Eigen::MatrixXd recurrent_steps(const Ladders& ladders);
/// Returns frequencies with other exponents: exponent(axis, old exponent). The model's extension is applied again.
Eigen::MatrixXd replace_exponents(const CheckModel& model, const Ladders& ladders,
                                  const std::function<double(std::size_t, double)>& exponent);
/// Applies the extension of the model to other plain frequencies.
Eigen::MatrixXd extend_plain_ladder(const CheckModel& model, const Ladders& ladders, const Eigen::MatrixXd& plain);
/// Returns frequencies with another base, for all axes or one.
Eigen::MatrixXd with_base(const CheckModel& model, const Ladders& ladders, double base,
                          std::optional<std::size_t> axis = {});

/// Frequencies [axes × pairs] and amplitude of a rotary embedding.
struct RopeLadders {
  Eigen::MatrixXd frequencies;
  double amplitude = 1;
};
RopeLadders rope_ladders(const RotarySpec& spec, std::optional<double> length);

/// Cost of an exact power, as used for ladders, in computed numbers: many times that of a cosine.
inline constexpr Eigen::Index kOfPower = 10;

}  // namespace ropescope
