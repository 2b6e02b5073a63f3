// The cause in vectors that are scaled in addition to the rotation: norms, factors of tokens and channels. Read cause.h
// first.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/check/causes/cause.h"
#include "core/check/compare/compare.h"
#include "core/check/evidence/evidence.h"
#include "core/check/phrases.h"
#include "core/check/tuning.h"

namespace ropescope {

namespace {

/// Vectors, one per row: a single head, or a token with all its heads concatenated.
struct Vectors {
  RowMatrixXd before, unturned;   ///< [vectors × channels]: x, and R(−angle)·after
  std::vector<Eigen::Index> row;  ///< row of the evidence for each vector
};

/// Returns after = R(angle)·x rotated back: x if there is nothing but the rotation.
RowMatrixXd rotate_vectors_back(const CheckModel& model, const Evidence& evidence) {
  const HeadVectors& heads = *evidence.tensors->heads;
  const RowEvaluator evaluator(model);
  const Eigen::Index pairs = evaluator.pairs();
  RowMatrixXd back = evidence.after;
  ModelRow row(pairs);
  for (Eigen::Index i = 0; i < evidence.after.rows(); ++i) {
    row.compute(evaluator, evidence.rows[static_cast<std::size_t>(i)]);
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      const Eigen::Index begin = head * heads.channels + model.still;
      for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
        const ChannelRole role = role_of(model, channel, pairs);
        const double cosine = row.cosine[static_cast<std::size_t>(role.pair)],
                     sine = row.sine[static_cast<std::size_t>(role.pair)];
        // x' = x cos − y sin, y' = y cos + x sin: each contributes to both x and y.
        const double square = cosine * cosine + sine * sine, out = evidence.after(i, begin + channel);
        if (channel == 0) back.row(i).segment(begin, 2 * pairs).setZero();
        if (!(square > 0)) continue;
        back(i, begin + role.source) += out * cosine / square;
        back(i, begin + role.companion) += role.sign * out * sine / square;
      }
    }
  }
  return back;
}

/// The factors in y ≈ a·w∘x, a for each vector and w for each channel, by alternating least squares.
struct Scales {
  Eigen::VectorXd of_vector, of_channel;
};
Scales fitted(const Vectors& vectors) {
  const RowMatrixXd& x = vectors.before;
  const RowMatrixXd& y = vectors.unturned;
  Scales scales{Eigen::VectorXd::Ones(x.rows()), Eigen::VectorXd::Ones(x.cols())};
  const auto quotient = [](const auto& above, const auto& below) {
    return (below.array() > 0).select(above.array() / below.array().max(1e-300), 0.0).matrix().eval();
  };
  for (int round = 0; round < tuned::kScaleRounds; ++round) {
    const RowMatrixXd by_channel = x * scales.of_channel.asDiagonal();
    scales.of_vector = quotient(y.cwiseProduct(by_channel).rowwise().sum(), by_channel.rowwise().squaredNorm());
    const RowMatrixXd by_vector = scales.of_vector.asDiagonal() * x;
    const Eigen::VectorXd above = y.cwiseProduct(by_vector).colwise().sum().transpose();
    const Eigen::VectorXd below = by_vector.colwise().squaredNorm().transpose();
    scales.of_channel = quotient(above, below);
  }
  // A common factor is assigned to the vectors.
  std::vector<double> sizes;
  for (const double w : scales.of_channel) {
    if (w != 0) sizes.push_back(w);
  }
  if (sizes.empty()) return scales;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double usual = *middle;
  scales.of_channel /= usual;
  scales.of_vector *= usual;
  return scales;
}

/// Fits y ≈ a·x with a factor a for each vector and unscaled channels. Numbers are weighted by how well their angles
/// are known. `weights`: [rows of the evidence × channels of a head].
Scales fit_by_vector(const Vectors& vectors, const RowMatrixXd& weights) {
  Scales scales{Eigen::VectorXd::Ones(vectors.before.rows()), Eigen::VectorXd::Ones(vectors.before.cols())};
  for (Eigen::Index v = 0; v < vectors.before.rows(); ++v) {
    const Eigen::RowVectorXd weight =
        weights.row(vectors.row[static_cast<std::size_t>(v)]).replicate(1, vectors.before.cols() / weights.cols());
    const Eigen::RowVectorXd weighed = vectors.before.row(v).cwiseProduct(weight);
    const double below = weighed.dot(vectors.before.row(v));
    scales.of_vector[v] = below > 0 ? weighed.dot(vectors.unturned.row(v)) / below : 0;
  }
  return scales;
}

/// Returns 1 over the square of the error of a number, for each row and channel.
RowMatrixXd weights_of(const CheckModel& model, const RotationRule& rule, const Evidence& evidence) {
  const std::int64_t channels = evidence.tensors->heads->channels;
  const RowEvaluator evaluator(model);
  const Eigen::Index pairs = evaluator.pairs();
  ModelRow row(pairs);
  RowMatrixXd weights(evidence.before.rows(), channels);
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    row.compute(evaluator, evidence.rows[static_cast<std::size_t>(i)]);
    for (Eigen::Index channel = 0; channel < channels; ++channel) {
      const Eigen::Index turned = channel - model.still;
      double off = rule.unit.scale + rule.arithmetic;
      if (turned >= 0 && turned < 2 * pairs) {
        const auto pair = static_cast<std::size_t>(role_of(model, turned, pairs).pair);
        off += rule.angle_error[pair] * row.size[pair];
      }
      weights(i, channel) = 1 / (off * off);
    }
  }
  return weights;
}

double largest_factor(const Eigen::VectorXd& of) {
  return of.size() == 0 ? 0 : of.cwiseAbs().maxCoeff();
}

/// Returns the range of the non-zero numbers, relative to the largest.
double spread_of(const Eigen::VectorXd& numbers) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double number : numbers) {
    if (number != 0) low = std::min(low, number), high = std::max(high, number);
  }
  const double size = std::max(std::abs(low), std::abs(high));
  return high >= low && size > 0 ? (high - low) / size : 0;
}

/// The parameters of the two published rules that scale queries by their position p.
struct ByPosition {
  double beta = 0, length = 0, shift = 0;  ///< 1 + beta·ln(1 + ⌊(p + shift)/length⌋)
};

/// Fits the rules of Llama 4 (p + 1 over floor_scale) and Ministral (p over trained length); nullopt if neither fits.
std::optional<ByPosition> by_position(const std::vector<double>& position, const Eigen::VectorXd& factor,
                                      double error) {
  double most = 0;
  for (const double p : position) most = std::max(most, p);
  // The step is between the last position with factor 1 and the first with another factor.
  double last = -1, first = most + 1;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const bool one = std::abs(factor[static_cast<Eigen::Index>(i)] - 1) <= error;
    if (one) last = std::max(last, position[i]);
    if (!one) first = std::min(first, position[i]);
  }
  if (!(last >= 0 && last < first && first <= most)) return std::nullopt;
  for (double length = last + 1; length <= first + 1 && length <= last + 4097; ++length) {
    for (const double shift : {0.0, 1.0}) {
      double beta = 0;
      bool fits = true;
      for (std::size_t i = 0; i < position.size() && fits; ++i) {
        const double steps = std::log1p(std::floor((position[i] + shift) / length));
        const double above = factor[static_cast<Eigen::Index>(i)] - 1;
        if (steps == 0) fits = std::abs(above) <= error;
        if (steps == 0) continue;
        if (beta == 0) beta = above / steps;
        fits = fits && std::abs(above - beta * steps) <= 2 * error;
      }
      if (fits && beta != 0) return ByPosition{beta, length, shift};
    }
  }
  return std::nullopt;
}

/// Returns the largest |difference| that remains in the rotated vectors after scaling; nullopt if any number disagrees.
/// Each channel is judged by the length of its own pair, so that no large channel hides an error.
std::optional<double> measure_remainder(const Scales& scales, const Vectors& vectors, bool centred,
                                        const CheckModel& model, const RotationRule& rule, const Evidence& evidence) {
  RowMatrixXd scaled = evidence.before;
  Eigen::Map<RowMatrixXd> as_vectors(scaled.data(), vectors.before.rows(), vectors.before.cols());
  if (centred) as_vectors = vectors.before;
  as_vectors = (scales.of_vector.asDiagonal() * as_vectors * scales.of_channel.asDiagonal()).eval();
  HeadsJudge judge(model, *evidence.tensors->heads);
  double most = 0;
  const auto fits = [&](std::int64_t, std::int64_t, const ChannelJudgement& one) {
    const double tolerance = one.tolerance + one.length * (rule.unit.scale + 1e-6);
    most = std::max(most, one.difference);
    return one.difference <= tuned::kScaledAndRounded * tolerance;
  };
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    const std::int64_t row = evidence.rows[static_cast<std::size_t>(i)];
    if (!judge.look(row, scaled.row(i).data(), evidence.after.row(i).data(), fits)) return std::nullopt;
  }
  return most;
}

/// Returns whether all vectors are multiples of one: a rotation by one angle then looks like channel weights.
bool are_parallel(const RowMatrixXd& vectors) {
  const Eigen::VectorXd first = vectors.row(0).transpose();
  for (Eigen::Index i = 1; i < vectors.rows(); ++i) {
    const double size = first.norm() * vectors.row(i).norm();
    if (std::abs(vectors.row(i).dot(first)) < (1 - tuned::kParallel) * size) return false;
  }
  return true;
}

std::vector<Vectors> arrange_vectors(const RowMatrixXd& back, const Evidence& evidence) {
  const HeadVectors& heads = *evidence.tensors->heads;
  const Eigen::Index rows = back.rows(), count = heads.heads, channels = heads.channels;
  const auto of_heads = [&](const RowMatrixXd& whole) {
    return RowMatrixXd(Eigen::Map<const RowMatrixXd>(whole.data(), rows * count, channels));
  };
  std::vector<Vectors> all;
  Vectors each{of_heads(evidence.before), of_heads(back), {}};
  for (Eigen::Index i = 0; i < rows * count; ++i) each.row.push_back(i / count);
  all.push_back(std::move(each));
  if (count == 1) return all;
  Vectors whole{evidence.before, back, {}};
  for (Eigen::Index i = 0; i < rows; ++i) whole.row.push_back(i);
  all.push_back(std::move(whole));
  return all;
}

/// Factors that map `before` to the vectors rotated back, and what they leave.
struct FittedScales {
  Scales scales;
  Vectors vectors;
  bool centred = false;
  double left = 0;       ///< largest |difference| in the rotated vectors
  double precision = 0;  ///< of a factor, fitted to many numbers: far better than that of one of them
  double error = 0;      ///< of a factor, at most

  bool same_channels() const { return spread_of(scales.of_channel) <= precision; }
  bool same_vectors() const { return spread_of(scales.of_vector) <= precision; }
  /// Returns whether the factors are those of a norm of each vector.
  bool is_norm() const {
    const Eigen::VectorXd sizes =
        (vectors.before.rowwise().squaredNorm() / static_cast<double>(vectors.before.cols())).cwiseSqrt();
    const double of_norm = spread_of(scales.of_vector.cwiseProduct(sizes));
    return centred || of_norm <= std::max(precision, 0.1 * spread_of(scales.of_vector));
  }
};

/// Fits the scaling that, in addition to a rotation, maps `before` to `after`; nullopt if none reproduces all numbers.
std::optional<FittedScales> fit_scales(const CheckModel& model, const Evidence& evidence) {
  const HeadVectors& heads = *evidence.tensors->heads;
  const RotationRule rule = rotation_rule(model, heads.before, heads.after);
  evidence.spend(evidence.before.size() * 60);
  const RowMatrixXd back = rotate_vectors_back(model, evidence), weights = weights_of(model, rule, evidence);
  // Angle errors change a fitted factor by half their square.
  const double of_angles = 1e-5 + 1 / weights.minCoeff();
  for (const Vectors& vectors : arrange_vectors(back, evidence)) {
    // Too few vectors determine no channel factors, and too few channels no vector factors.
    if (vectors.before.rows() < 4 || vectors.before.cols() < 4 || are_parallel(vectors.before)) continue;
    for (const bool centred : {false, true}) {
      Vectors of = vectors;
      if (centred) of.before.colwise() -= Eigen::VectorXd(of.before.rowwise().mean());
      // Without channel factors first: fitted ones would absorb the errors of large angles.
      Scales scales = fit_by_vector(of, weights);
      auto left = measure_remainder(scales, of, centred, model, rule, evidence);
      if (!left) scales = fitted(of), left = measure_remainder(scales, of, centred, model, rule, evidence);
      if (!left || largest_factor(scales.of_vector) == 0) continue;
      return FittedScales{std::move(scales),
                          std::move(of),
                          centred,
                          *left,
                          2 * rule.unit.scale + of_angles,
                          4 * rule.unit.scale + of_angles};
    }
  }
  return std::nullopt;
}

/// Returns the rule by which vectors are scaled by their positions, if there is one.
std::optional<ByPosition> rule_of_positions(const FittedScales& fit, const CheckModel& model,
                                            const Evidence& evidence) {
  if (!fit.same_channels()) return std::nullopt;
  std::vector<double> positions;
  const RowEvaluator evaluator(model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (const Eigen::Index row : fit.vectors.row) {
    evaluator.ids(evidence.rows[static_cast<std::size_t>(row)], ids.data());
    positions.push_back(ids[0]);
  }
  return by_position(positions, fit.scales.of_vector, fit.error);
}

/// Names a scaling: a norm, a factor per token (by position or unexplained), or a factor per channel. nullopt if a
/// single factor suffices (the amplitude).
std::optional<CheckCause> name_scales(const FittedScales& fit, const CheckModel& model, const Evidence& evidence) {
  if (fit.same_channels() && fit.same_vectors() && !fit.centred) return std::nullopt;
  CheckCause cause;
  cause.input = "after";
  cause.residual_after = fit.left;
  const auto name = [&](const char* kind, Message words, const char* advice) {
    cause.parameters.insert(cause.parameters.begin(), {"kind", named_value(kind)});
    cause.evidence = std::move(words);
    cause.advice = Message(advice);
    return cause;
  };
  const auto range = [](std::string_view key, const Eigen::VectorXd& of) {
    return Message(key, {{"least", of.minCoeff()}, {"most", of.maxCoeff()}});
  };
  constexpr const char* kByNorm = "check.vector-scale.advice_norm";
  if (!fit.same_vectors() && fit.is_norm()) {
    return name("norm",
                Message(fit.centred           ? "check.vector-scale.evidence_layer_norm"
                        : fit.same_channels() ? "check.vector-scale.evidence_norm"
                                              : "check.vector-scale.evidence_norm_weights"),
                kByNorm);
  }
  if (fit.same_vectors()) {
    return name("channel", range("check.vector-scale.evidence_channel", fit.scales.of_channel), kByNorm);
  }
  const auto rule = rule_of_positions(fit, model, evidence);
  if (!rule) {
    return name("token", range("check.vector-scale.evidence_token", fit.scales.of_vector),
                "check.vector-scale.advice_token");
  }
  cause.parameters = {{"beta", rule->beta}, {"length", rule->length}};
  return name(
      "position",
      Message(rule->shift > 0 ? "check.vector-scale.evidence_next_position" : "check.vector-scale.evidence_position",
              {{"beta", rule->beta}, {"length", rule->length}, {"most", fit.scales.of_vector.maxCoeff()}}),
      "check.vector-scale.advice_position");
}

std::optional<CheckCause> tell_vector_scale(const Sighting& seen) {
  if (!seen.evidence || !seen.evidence->has_heads() || seen.evidence->before.rows() == 0) return std::nullopt;
  const CheckModel& model = *seen.model;
  const Evidence& all = *seen.evidence;
  // This many numbers are as conclusive as all of them.
  const Eigen::Index step = 1 + all.before.size() / tuned::kMaxScaledNumbers;
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < all.rows.size(); i += static_cast<std::size_t>(step)) some.push_back(all.rows[i]);
  const Evidence evidence = select_rows(all, std::move(some));
  if (model.row_count != evidence.tensors->rows ||
      model.still + 2 * model.tokens.pair_count() > evidence.tensors->heads->channels)
    return std::nullopt;
  const auto fit = fit_scales(model, evidence);
  return fit ? name_scales(*fit, model, evidence) : std::nullopt;
}

}  // namespace

/// Not a rotation: detected before any other cause is tried.
extern constinit const Cause kVectorScale{
    .name = "vector-scale", .group = CauseGroup::values, .seen_in = "", .fix_kinds = kNoFix, .tell = tell_vector_scale};

}  // namespace ropescope
