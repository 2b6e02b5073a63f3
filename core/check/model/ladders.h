// The ladders behind the frequencies of a model: base, exponents, extension, so that one of them can be changed and the
// others kept. Read model.h first; evidence and causes fit with it.
#pragma once

#include <functional>

#include "core/check/model/model.h"
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

/// Where the frequencies of the axes of a layout come from.
enum class LadderCut {
  own,     ///< each axis has a plain ladder over its own channels
  shared,  ///< all axes share one plain ladder over all channels
  other,
};
LadderCut cut_of(const TokenLayout& tokens);

/// Whether ggml could have computed the angles of a model: each pair is turned by one axis, down a ladder with a base.
bool could_recur(const CheckModel& model);
/// [axes × pairs] k of θ_k: how many times ggml multiplies by its scale on the way to a pair.
Eigen::MatrixXd recurrent_steps(const Ladders& ladders);
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

/// What an exact power costs, of which ladders are made, in numbers: many times what a cosine does.
inline constexpr Eigen::Index kOfPower = 10;

}  // namespace ropescope
