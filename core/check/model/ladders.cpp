// Ladders extracted from a model, and recomputed with changes, in the order of the header.

#include "core/check/model/ladders.h"

#include <algorithm>
#include <cmath>

#include "core/check/tuning.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// Returns whether the axes share the frequencies of one ladder over the head (M-RoPE, Pixtral).
bool is_one_ladder(const Eigen::MatrixXd& plain, double base) {
  if (plain.rows() < 2 || !(base > 1)) return false;
  std::vector<double> all;
  for (Eigen::Index pair = 0; pair < plain.cols(); ++pair) all.push_back(plain.col(pair).sum());
  std::sort(all.begin(), all.end(), std::greater<>());
  const Eigen::VectorXd ladder = plain_frequencies(static_cast<int>(2 * plain.cols()), base);
  for (Eigen::Index pair = 0; pair < ladder.size(); ++pair) {
    if (std::abs(all[static_cast<std::size_t>(pair)] - ladder[pair]) > 1e-9 * ladder[pair]) return false;
  }
  return true;
}

/// Returns the plain frequencies of a rotary embedding, one row per axis.
Eigen::MatrixXd plain_of(const RotarySpec& spec) {
  RotarySpec plain = spec;
  plain.extension = Extension{};
  return rope_ladders(plain, {}).frequencies;
}

/// Applies a method that depends only on the frequency to one frequency: the second pair of an axis with four channels.
double extend_frequency(const RotarySpec& spec, std::optional<double> length, double plain) {
  if (!(plain < 1) || plain <= 0) return plain;
  RotarySpec alone = spec;
  alone.head_dim = 4;
  alone.axes = {RotaryAxis{.rotary_dim = 4, .base = 1 / (plain * plain)}};
  return scaled_ladder(alone, 0, length).frequencies[1];
}

}  // namespace

Eigen::MatrixXd extend_plain_ladder(const CheckModel& model, const Ladders& ladders, const Eigen::MatrixXd& plain) {
  if (!model.is_extended()) return plain;
  const bool by_frequency = find_scaling_method(model.rope->extension.method).ramp.along == ScalingRamp::Along::turns;
  Eigen::MatrixXd frequencies = plain;
  for (Eigen::Index i = 0; i < plain.size(); ++i) {
    double& frequency = frequencies.reshaped()[i];
    const double before = ladders.plain.reshaped()[i];
    if (before == 0) continue;
    // The other methods depend only on the index of the pair.
    frequency = by_frequency ? extend_frequency(*model.rope, model.length, frequency)
                             : model.tokens.frequencies.reshaped()[i] * (frequency / before);
  }
  return frequencies;
}

bool is_mixed(const Eigen::MatrixXd& frequencies) {
  return ((frequencies.array() != 0).cast<int>().colwise().sum() > 1).any();
}

LadderCut cut_of(const TokenLayout& tokens) {
  if (is_mixed(tokens.frequencies) || tokens.axes.size() < 2) return LadderCut::other;
  bool own = true;
  for (std::size_t axis = 0; axis < tokens.axes.size(); ++axis) {
    std::vector<double> of_axis;
    for (const double frequency : tokens.frequencies.row(static_cast<Eigen::Index>(axis))) {
      if (frequency != 0) of_axis.push_back(frequency);
    }
    if (of_axis.empty()) continue;
    std::sort(of_axis.begin(), of_axis.end(), std::greater<>());
    const double base = tokens.axes[axis].base;
    own = own && base > 1 &&
          std::equal(of_axis.begin(), of_axis.end(),
                     plain_frequencies(static_cast<int>(2 * of_axis.size()), base).begin(),
                     [](double a, double b) { return std::abs(a - b) <= tuned::kSameLadder * std::abs(b); });
  }
  if (own) return LadderCut::own;
  return is_one_ladder(tokens.frequencies, tokens.axes[0].base) ? LadderCut::shared : LadderCut::other;
}

bool could_recur(const CheckModel& model) {
  if (model.given_tables || is_mixed(model.tokens.frequencies)) return false;
  const Ladders ladders = ladders_of(model);
  return ladders.known() && std::all_of(ladders.step.begin(), ladders.step.end(), [](double step) { return step > 0; });
}

Eigen::MatrixXd recurrent_steps(const Ladders& ladders) {
  Eigen::MatrixXd steps = ladders.exponent;
  for (Eigen::Index axis = 0; axis < steps.rows(); ++axis)
    steps.row(axis) /= ladders.step[static_cast<std::size_t>(axis)];
  return steps.array().round().max(0);
}

bool Ladders::known() const {
  return std::any_of(base.begin(), base.end(), [](double b) { return b > 1; });
}

RopeLadders rope_ladders(const RotarySpec& spec, std::optional<double> length) {
  RopeLadders all;
  all.frequencies = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(spec.axes.size()), total_rotary_dim(spec) / 2);
  Eigen::Index first = 0;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const ScaledLadder ladder = scaled_ladder(spec, axis, length);
    all.frequencies.row(static_cast<Eigen::Index>(axis)).segment(first, ladder.frequencies.size()) =
        ladder.frequencies.transpose();
    all.amplitude = ladder.amplitude;
    first += ladder.frequencies.size();
  }
  return all;
}

Ladders ladders_of(const CheckModel& model) {
  Ladders ladders;
  ladders.plain = model.rope ? plain_of(*model.rope) : model.tokens.frequencies;
  if (ladders.plain.cols() != model.tokens.pair_count()) ladders.plain = model.tokens.frequencies;
  const Eigen::Index axes = ladders.plain.rows(), pairs = ladders.plain.cols();
  ladders.exponent = Eigen::MatrixXd::Zero(axes, pairs);
  ladders.head_dim = model.rope ? model.rope->head_dim : static_cast<double>(2 * pairs);
  const bool mixed = is_mixed(ladders.plain);
  const Eigen::RowVectorXd length = ladders.plain.colwise().norm();
  const double first_base = model.tokens.axes.empty() ? 0 : model.tokens.axes[0].base;
  const bool one = model.blocks_of_pairs.empty() && is_one_ladder(ladders.plain, first_base);
  for (Eigen::Index axis = 0; axis < axes; ++axis) {
    const LayoutAxis& of = model.tokens.axes[static_cast<std::size_t>(axis)];
    const auto turning = (ladders.plain.row(axis).array() != 0).count();
    const double largest = ladders.plain.row(axis).cwiseAbs().maxCoeff();
    double smallest = largest;
    for (const double frequency : ladders.plain.row(axis)) {
      if (frequency != 0) smallest = std::min(smallest, std::abs(frequency));
    }
    const bool rises = largest > 1 + 1e-9 && !mixed;
    const double unit = rises ? smallest : 1;
    const bool proportional =
        model.rope && (model.rope->axes[static_cast<std::size_t>(axis)].ladder == Ladder::proportional ||
                       find_scaling_method(model.rope->extension.method).exponents_over_head);
    const double dim = mixed                 ? static_cast<double>(pairs)
                       : one || proportional ? static_cast<double>(2 * pairs)
                                             : static_cast<double>(2 * turning);
    ladders.base.push_back(of.base > 1 ? of.base : 0);
    ladders.unit.push_back(unit);
    ladders.own_dim.push_back(dim);
    ladders.step.push_back(rises ? -1.0 / std::max<double>(static_cast<double>(turning) - 1, 1) : 2 / dim);
    if (!(of.base > 1)) continue;
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      const double frequency = mixed ? length[pair] : std::abs(ladders.plain(axis, pair));
      if (frequency > 0) ladders.exponent(axis, pair) = -std::log(frequency / unit) / std::log(of.base);
    }
  }
  return ladders;
}

Eigen::MatrixXd replace_exponents(const CheckModel& model, const Ladders& ladders,
                                  const std::function<double(std::size_t, double)>& exponent) {
  Eigen::MatrixXd plain = ladders.plain;
  for (Eigen::Index axis = 0; axis < plain.rows(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (ladders.base[a] == 0) continue;
    for (Eigen::Index pair = 0; pair < plain.cols(); ++pair) {
      if (plain(axis, pair) == 0) continue;
      const double old = ladders.exponent(axis, pair);
      plain(axis, pair) *= std::pow(ladders.base[a], old - exponent(a, old));
    }
  }
  return extend_plain_ladder(model, ladders, plain);
}

Eigen::MatrixXd with_base(const CheckModel& model, const Ladders& ladders, double base,
                          std::optional<std::size_t> axis) {
  if (model.rope && model.blocks_of_pairs.empty()) {
    RotarySpec spec = *model.rope;
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      if (!axis || *axis == a) spec.axes[a].base = base;
    }
    return rope_ladders(spec, model.length).frequencies;
  }
  return replace_exponents(model, ladders, [&](std::size_t a, double old) {
    return axis && *axis != a ? old : old * std::log(base) / std::log(ladders.base[a]);
  });
}

}  // namespace ropescope
