#include "app/views/rotation/state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/experiment/ladder.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/decay/random.h"
#include "core/error.h"
#include "core/rotary/frequencies.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

Eigen::VectorXd turned(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, const RotationState& state,
                       double position) {
  return rotate_elementwise(x, frequencies, Pairing::interleaved, position, state.ladder.amplitude);
}

/// The ladder by which keys turn.
Eigen::VectorXd key_ladder(const RopeReading& rope, double length, const RotationKnobs& knobs) {
  if (knobs.show != "turn" || knobs.key_base == 0) return rope.ladder.frequencies;
  if (knobs.key_base < kLeastKeyBase) {
    throw InputError("rotation.key_base", {{"base", knobs.key_base}, {"least", kLeastKeyBase}});
  }
  RotarySpec spec = rope.spec;
  spec.axes[rope.axis].base = knobs.key_base;
  return scaled_ladder(spec, rope.axis, length > 0 ? std::optional(length) : std::nullopt).frequencies;
}

/// Of the score of two vectors in pair order.
Operands operands_of(const RotationState& state, const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                     double largest_frequency) {
  Operands operands;
  for (Eigen::Index pair = 0; pair < q.size() / 2; ++pair) {
    operands.size += q.segment<2>(2 * pair).norm() * k.segment<2>(2 * pair).norm();
  }
  operands.size *= state.ladder.amplitude * state.ladder.amplitude;
  operands.terms = static_cast<double>(q.size());
  operands.angle = std::max(state.query_position, state.key_position) * largest_frequency;
  return operands;
}

/// FLUX's code: the first column of each pair's block times its even channel plus the second column times its odd one
/// (black-forest-labs/flux, math.py, apply_rope).
Eigen::VectorXd rotate_columns(const Eigen::VectorXd& x, const std::vector<Eigen::Matrix2d>& blocks, Pairing pairing) {
  const int pairs = static_cast<int>(blocks.size());
  Eigen::VectorXd out(x.size());
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [even, odd] = pair_channels(pairing, pair, pairs);
    const Eigen::Matrix2d& block = blocks[static_cast<std::size_t>(pair)];
    const Eigen::Vector2d turned_pair = block.col(0) * x[even] + block.col(1) * x[odd];
    out[even] = turned_pair[0];
    out[odd] = turned_pair[1];
  }
  return out;
}

/// FLUX's code as it is often explained: x_even and x_odd apart, each turned by the table's row, then stacked beside
/// each other and flattened, which puts every pair back in its place (of a half split: one half after the other).
void rotate_apart(RotationForms& forms, const TableRow& row) {
  forms.even = forms.odd = Eigen::VectorXd(forms.pairs);
  forms.pair_cosine = row.cosine;
  forms.pair_sine = row.sine;
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    forms.even[pair] = forms.x[first];
    forms.odd[pair] = forms.x[second];
  }
  forms.turned_even = forms.even.cwiseProduct(row.cosine) - forms.odd.cwiseProduct(row.sine);
  forms.turned_odd = forms.even.cwiseProduct(row.sine) + forms.odd.cwiseProduct(row.cosine);
  forms.by_stack = Eigen::VectorXd(2 * forms.pairs);
  if (forms.pairing == Pairing::half_split) {
    forms.by_stack << forms.turned_even, forms.turned_odd;
    return;
  }
  Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor> stacked(forms.pairs, 2);
  stacked << forms.turned_even, forms.turned_odd;
  forms.by_stack = Eigen::Map<const Eigen::VectorXd>(stacked.data(), stacked.size());
}

}  // namespace

RotationState rotation_state(const Experiment& experiment) {
  RotationState state;
  state.knobs = experiment.rotation;
  const RotationKnobs& knobs = state.knobs;
  const RopeReading rope = read_rope(experiment.rope);
  const RotarySpec& spec = rope.spec;
  state.ladder = rope.ladder;
  state.trained = trained_frequencies(rope.plain, rope.ladder.frequencies);
  state.pairing = spec.pairing;
  state.base = rope.shown_axis().base;
  state.trained_length = experiment.rope.trained_length;
  state.pairs = state.ladder.frequencies.size();
  state.pair = std::min(static_cast<Eigen::Index>(knobs.pair), state.pairs - 1);
  int before = 0;
  for (std::size_t i = 0; i < rope.axis; ++i) before += spec.axes[i].rotary_dim / 2;
  state.channels = pair_channels(spec.pairing, before + static_cast<int>(state.pair), total_rotary_dim(spec) / 2);
  state.frequency = state.ladder.frequencies[state.pair];
  state.query_position = knobs.query_position + knobs.glide;
  state.key_position = knobs.key_position + (knobs.locked ? knobs.glide : 0);
  state.q = {knobs.qx, knobs.qy};
  state.k = {knobs.kx, knobs.ky};
  state.key_frequencies = key_ladder(rope, experiment.rope.scaling.length, knobs);
  state.key_frequency = state.key_frequencies[state.pair];
  const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, state.frequency);
  const Eigen::VectorXd key_frequency = Eigen::VectorXd::Constant(1, state.key_frequency);
  const double amplitude = state.ladder.amplitude;
  state.turned_q = rotate_elementwise(state.q, frequency, Pairing::interleaved, state.query_position, amplitude);
  state.turned_k = rotate_elementwise(state.k, key_frequency, Pairing::interleaved, state.key_position, amplitude);
  return state;
}

RotationContent rotation_content(const RotationState& state) {
  RotationContent content{Eigen::VectorXd(2 * state.pairs), Eigen::VectorXd(2 * state.pairs)};
  SplitMix generator{static_cast<std::uint64_t>(state.knobs.seed)};
  const bool random = state.knobs.content == "random";
  for (Eigen::Index pair = 0; pair < state.pairs; ++pair) {
    Eigen::Vector2d q = state.q, k = state.k;
    if (random) {
      const std::complex<double> drawn_q = normal_pair(generator), drawn_k = normal_pair(generator);
      // Drawn for every pair, so that the others keep theirs whichever pair is in the plane.
      if (pair != state.pair) {
        q = {drawn_q.real(), drawn_q.imag()};
        k = {drawn_k.real(), drawn_k.imag()};
      }
    }
    content.q.segment<2>(2 * pair) = q;
    content.k.segment<2>(2 * pair) = k;
  }
  return content;
}

bool is_rounding(double difference, const Operands& operands) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return std::abs(difference) <= kEpsilon * operands.size * (8 + operands.terms + 2 * operands.angle);
}

RotationScores pair_scores(const RotationState& state) {
  const double amplitude = state.ladder.amplitude;
  const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, state.frequency);
  const Eigen::VectorXd relative = rotate_elementwise(state.k, frequency, Pairing::interleaved,
                                                      state.key_position - state.query_position, amplitude * amplitude);
  return {state.q.dot(state.k), state.turned_q.dot(state.turned_k), state.q.dot(relative),
          operands_of(state, state.q, state.k, std::max(std::abs(state.frequency), std::abs(state.key_frequency)))};
}

RotationScores all_scores(const RotationState& state, const RotationContent& content) {
  const double amplitude = state.ladder.amplitude;
  const Eigen::VectorXd relative = rotate_elementwise(content.k, state.ladder.frequencies, Pairing::interleaved,
                                                      state.key_position - state.query_position, amplitude * amplitude);
  return {content.q.dot(content.k),
          turned(content.q, state.ladder.frequencies, state, state.query_position)
              .dot(turned(content.k, state.key_frequencies, state, state.key_position)),
          content.q.dot(relative),
          operands_of(
              state, content.q, content.k,
              std::max(state.ladder.frequencies.cwiseAbs().maxCoeff(), state.key_frequencies.cwiseAbs().maxCoeff()))};
}

Eigen::VectorXd in_layout(const Eigen::VectorXd& pair_order, Pairing pairing) {
  const int pairs = static_cast<int>(pair_order.size() / 2);
  Eigen::VectorXd channels(pair_order.size());
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pairs);
    channels[first] = pair_order[2 * pair];
    channels[second] = pair_order[2 * pair + 1];
  }
  return channels;
}

std::vector<Eigen::Index> clock_pairs(const RotationState& state) {
  const Eigen::Index count = std::min(state.pairs, kMostClocks);
  std::vector<Eigen::Index> shown;
  for (Eigen::Index i = 0; i < count; ++i) {
    shown.push_back(count < state.pairs ? i * (state.pairs - 1) / (count - 1) : i);
  }
  // The chosen pair takes the place of its neighbour.
  const auto place = std::lower_bound(shown.begin(), shown.end(), state.pair);
  if (*place != state.pair) *place = state.pair;
  return shown;
}

bool finishes_a_turn(const RotationState& state, Eigen::Index pair) {
  return state.trained_length <= 0 || !is_unfinished(state.trained[pair], state.trained_length);
}

RotationForms rotation_forms(const RotationState& state) {
  RotationForms forms;
  const int dim = static_cast<int>(state.knobs.form_dim);
  forms.pairs = dim / 2;
  forms.pairing = state.pairing;
  forms.position = state.query_position;
  forms.frequencies = plain_frequencies(dim, state.base);
  SplitMix generator{static_cast<std::uint64_t>(state.knobs.seed)};
  forms.x = Eigen::VectorXd(dim);
  for (int i = 0; i < dim; ++i) {
    // On hundredths: what is written out is what is computed with.
    forms.x[i] = std::round(100 * (2 * generator.uniform() - 1)) / 100;
  }
  const TableRow row = table_row(forms.frequencies, forms.position);
  forms.companion = forms.cosine = forms.sine = Eigen::VectorXd(dim);
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    forms.companion[first] = -forms.x[second];
    forms.companion[second] = forms.x[first];
    forms.cosine[first] = forms.cosine[second] = row.cosine[pair];
    forms.sine[first] = forms.sine[second] = row.sine[pair];
  }
  forms.matrix = rotation_matrix(forms.frequencies, forms.pairing, forms.position);
  forms.blocks = rotation_blocks(forms.frequencies, forms.position);
  forms.by_matrix = forms.matrix * forms.x;
  forms.by_complex = rotate_complex(forms.x, forms.frequencies, forms.pairing, forms.position);
  forms.by_elements = rotate_elementwise(forms.x, forms.frequencies, forms.pairing, forms.position);
  forms.by_columns = rotate_columns(forms.x, forms.blocks, forms.pairing);
  rotate_apart(forms, row);
  forms.by_blocks = rotate_blocks(forms.x, forms.blocks, forms.pairing);
  const Eigen::VectorXd* results[] = {&forms.by_matrix,  &forms.by_complex, &forms.by_elements,
                                      &forms.by_columns, &forms.by_stack,   &forms.by_blocks};
  for (const Eigen::VectorXd* a : results) {
    for (const Eigen::VectorXd* b : results) {
      forms.largest_difference = std::max(forms.largest_difference, (*a - *b).cwiseAbs().maxCoeff());
    }
  }
  return forms;
}

RotationScores form_scores(const RotationState& state, const RotationForms& forms) {
  const auto turned_to = [&](double position) {
    return rotate_elementwise(forms.x, forms.frequencies, forms.pairing, position);
  };
  const Operands operands{forms.x.squaredNorm(), 2.0 * forms.pairs,
                          std::max(state.query_position, state.key_position) * forms.frequencies[0]};
  return {forms.x.squaredNorm(), forms.by_elements.dot(turned_to(state.key_position)),
          forms.x.dot(turned_to(state.key_position - state.query_position)), operands};
}

}  // namespace ropescope
