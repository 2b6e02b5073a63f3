// Rotations by pairs, tables of cos and sin, and rotation laws. Read rotation.h first.
//
// Contents: Rotation; Laws.

#include "core/rotary/rotation.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Rotation ------------------------------------------------------------------------------------------------------

namespace {

int pair_count_of(const Eigen::VectorXd& frequencies) {
  return static_cast<int>(frequencies.size());
}

void require_channels(const Eigen::VectorXd& x, int pair_count) {
  if (x.size() < 2 * pair_count) {
    throw InputError("rotary.channels", {{"channels", x.size()}, {"least", 2 * pair_count}, {"pairs", pair_count}});
  }
}

Eigen::VectorXd rotate_by_table(const Eigen::VectorXd& x, const TableRow& row, Pairing pairing) {
  const int pair_count = pair_count_of(row.cosine);
  require_channels(x, pair_count);
  Eigen::VectorXd rotated = x;
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    // x ⊗ cos + companion ⊗ sin, the companion of (x_first, x_second) being (−x_second, x_first).
    rotated[first] = x[first] * row.cosine[pair] - x[second] * row.sine[pair];
    rotated[second] = x[second] * row.cosine[pair] + x[first] * row.sine[pair];
  }
  return rotated;
}

// --- Laws ----------------------------------------------------------------------------------------------------------

double norm_product(const PlanePair& pair) {
  return std::abs(pair.q) * std::abs(pair.k);
}

/// Returns the angle that a law gives for this θ and γ.
double angle_at(AngleLaw law, double place, double theta, double gamma) {
  switch (law) {
    case AngleLaw::quadratic:
      return place * place * theta;
    case AngleLaw::root:
      return theta * std::sqrt(place);
    case AngleLaw::offset:
    case AngleLaw::offsets:
      return place * theta + gamma;
    case AngleLaw::linear:
    case AngleLaw::other_key:
      break;
  }
  return place * theta;
}

}  // namespace

std::pair<int, int> pair_channels(Pairing pairing, int pair, int pair_count) {
  if (pairing == Pairing::interleaved) return {2 * pair, 2 * pair + 1};
  return {pair, pair + pair_count};
}

std::vector<int> half_split_from_interleaved(int pair_count) {
  std::vector<int> from(static_cast<std::size_t>(2 * pair_count));
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [target_first, target_second] = pair_channels(Pairing::half_split, pair, pair_count);
    const auto [source_first, source_second] = pair_channels(Pairing::interleaved, pair, pair_count);
    from[static_cast<std::size_t>(target_first)] = source_first;
    from[static_cast<std::size_t>(target_second)] = source_second;
  }
  return from;
}

Eigen::MatrixXd rotation_matrix(const Eigen::VectorXd& frequencies, Pairing pairing, double position,
                                double amplitude) {
  const int pair_count = pair_count_of(frequencies);
  const TableRow row = table_row(frequencies, position, amplitude);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(2 * pair_count, 2 * pair_count);
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    matrix(first, first) = row.cosine[pair];
    matrix(first, second) = -row.sine[pair];
    matrix(second, first) = row.sine[pair];
    matrix(second, second) = row.cosine[pair];
  }
  return matrix;
}

Eigen::VectorXd rotate_complex(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                               double position, double amplitude) {
  const int pair_count = pair_count_of(frequencies);
  require_channels(x, pair_count);
  Eigen::VectorXd rotated = x;
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    const double angle_radians = position * frequencies[pair];
    // Not std::polar: it is undefined for a negative amplitude.
    const std::complex<double> turn(std::cos(angle_radians), std::sin(angle_radians));
    const std::complex<double> turned = std::complex<double>(x[first], x[second]) * turn * amplitude;
    rotated[first] = turned.real();
    rotated[second] = turned.imag();
  }
  return rotated;
}

Eigen::VectorXd rotate_elementwise(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                                   double position, double amplitude) {
  return rotate_by_table(x, table_row(frequencies, position, amplitude), pairing);
}

std::vector<Eigen::Matrix2d> rotation_blocks(const Eigen::VectorXd& frequencies, double position, double amplitude) {
  const TableRow row = table_row(frequencies, position, amplitude);
  std::vector<Eigen::Matrix2d> blocks(static_cast<std::size_t>(frequencies.size()));
  for (std::size_t pair = 0; pair < blocks.size(); ++pair) {
    const double cosine = row.cosine[static_cast<Eigen::Index>(pair)];
    const double sine = row.sine[static_cast<Eigen::Index>(pair)];
    blocks[pair] << cosine, -sine, sine, cosine;
  }
  return blocks;
}

Eigen::VectorXd rotate_blocks(const Eigen::VectorXd& x, const std::vector<Eigen::Matrix2d>& blocks, Pairing pairing) {
  const int pair_count = static_cast<int>(blocks.size());
  require_channels(x, pair_count);
  Eigen::VectorXd rotated = x;
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    const Eigen::Vector2d turned = blocks[static_cast<std::size_t>(pair)] * Eigen::Vector2d(x[first], x[second]);
    rotated[first] = turned[0];
    rotated[second] = turned[1];
  }
  return rotated;
}

TableRow table_row(const Eigen::VectorXd& frequencies, double position, double amplitude) {
  TableRow row{Eigen::VectorXd(frequencies.size()), Eigen::VectorXd(frequencies.size())};
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const double angle_radians = position * frequencies[pair];
    row.cosine[pair] = amplitude * std::cos(angle_radians);
    row.sine[pair] = amplitude * std::sin(angle_radians);
  }
  return row;
}

TableRow head_table_row(const RotarySpec& spec, const Eigen::VectorXd& frequencies,
                        const std::vector<double>& positions) {
  if (positions.size() != spec.axes.size()) {
    throw InputError("rotary.positions", {{"positions", positions.size()}, {"axes", spec.axes.size()}});
  }
  if (2 * frequencies.size() != total_rotary_dim(spec)) {
    throw InputError("rotary.frequencies",
                     {{"frequencies", frequencies.size()}, {"pairs", total_rotary_dim(spec) / 2}});
  }
  TableRow row{Eigen::VectorXd(frequencies.size()), Eigen::VectorXd(frequencies.size())};
  Eigen::Index begin = 0;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const Eigen::Index count = spec.axes[axis].rotary_dim / 2;
    const TableRow of_axis = table_row(frequencies.segment(begin, count), positions[axis], spec.amplitude);
    row.cosine.segment(begin, count) = of_axis.cosine;
    row.sine.segment(begin, count) = of_axis.sine;
    begin += count;
  }
  return row;
}

Eigen::VectorXd rotate_by_row(const RotarySpec& spec, const TableRow& row, const Eigen::VectorXd& x) {
  if (x.size() != spec.head_dim) {
    throw InputError("rotary.head_channels", {{"channels", x.size()}, {"head_dim", spec.head_dim}});
  }
  return rotate_by_table(x, row, spec.pairing);
}

PositionEffect query_effect(const PositionLaw& law, double place) {
  PositionEffect effect{1, angle_at(law.angle, place, law.theta, law.gamma)};
  if (law.length == LengthLaw::growing || law.length == LengthLaw::reciprocal) effect.length = 1 + place;
  if (law.length == LengthLaw::exponential) effect.length = std::exp(law.rate * place);
  return effect;
}

PositionEffect key_effect(const PositionLaw& law, double place) {
  const double theta = law.angle == AngleLaw::other_key ? law.theta_key : law.theta;
  const double gamma = law.angle == AngleLaw::offsets ? law.gamma_key : law.gamma;
  PositionEffect effect{1, angle_at(law.angle, place, theta, gamma)};
  if (law.length == LengthLaw::growing) effect.length = 1 + place;
  if (law.length == LengthLaw::reciprocal) effect.length = 1 / (1 + place);
  if (law.length == LengthLaw::exponential) effect.length = std::exp(-law.rate * place);
  return effect;
}

std::complex<double> apply_effect(std::complex<double> vector, const PositionEffect& effect) {
  return effect.length * vector * std::complex<double>(std::cos(effect.angle), std::sin(effect.angle));
}

double law_score(const PositionLaw& law, const PlanePair& pair, double distance, double shift) {
  const std::complex<double> query = apply_effect(pair.q, query_effect(law, shift + distance));
  return (query * std::conj(apply_effect(pair.k, key_effect(law, shift)))).real();
}

double score_variation(const PositionLaw& law, const PlanePair& pair, double distance, int span) {
  const double size = norm_product(pair);
  if (!(size > 0)) return 0;
  double low = law_score(law, pair, distance, 0), high = low;
  for (int shift = 1; shift <= span; ++shift) {
    const double score = law_score(law, pair, distance, shift);
    low = std::min(low, score);
    high = std::max(high, score);
  }
  return (high - low) / size;
}

double law_contrast(const PositionLaw& law, const PlanePair& pair) {
  const double size = norm_product(pair);
  if (!(size > 0)) return 0;
  std::array<double, kLawDistances.size()> scores{};
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = law_score(law, pair, kLawDistances[i], 0);
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  return (*high - *low) / size;
}

LawChanges law_changes(const PositionLaw& law, const PlanePair& pair, int span) {
  LawChanges changes;
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    changes.change[i] = score_variation(law, pair, kLawDistances[i], span);
  }
  return changes;
}

std::array<LawChanges, kAngleLaws.size()> angle_law_changes(PositionLaw law, const PlanePair& pair, int span) {
  std::array<LawChanges, kAngleLaws.size()> all;
  law.length = LengthLaw::constant;
  for (std::size_t i = 0; i < all.size(); ++i) {
    law.angle = kAngleLaws[i];
    all[i] = law_changes(law, pair, span);
  }
  return all;
}

std::array<LawChanges, kLengthLaws.size()> length_law_changes(PositionLaw law, const PlanePair& pair, int span) {
  std::array<LawChanges, kLengthLaws.size()> all;
  law.angle = AngleLaw::linear;
  for (std::size_t i = 0; i < all.size(); ++i) {
    law.length = kLengthLaws[i];
    all[i] = law_changes(law, pair, span);
  }
  return all;
}

}  // namespace ropescope
