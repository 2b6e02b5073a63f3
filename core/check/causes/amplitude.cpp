#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

/// What an attention factor is mistaken for.
std::vector<double> likely(const Situation& situation) {
  const double due = situation.model.amplitude;
  std::vector<double> values = {1, due * due, std::sqrt(std::abs(due)), 1 / due};
  if (situation.model.rope) {
    const auto& numbers = situation.model.rope->extension.numbers;
    if (const auto factor = numbers.find("factor"); factor != numbers.end() && factor->second > 1) {
      const double once = 0.1 * std::log(factor->second) + 1;
      values.insert(values.end(), {once, once * once, 1 / once, 0.1 * std::log(once) + 1});
    }
  }
  return values;
}

void add_causes_amplitude(const Situation& situation, double amplitude, bool fitted, std::vector<Proposal>& proposals) {
  if (amplitude == situation.model.amplitude) return;
  Proposal found = situation.proposal();
  found.model.amplitude = amplitude;
  if (fitted) found.model.slack = 0.5;
  found.doubt = doubt_of(amplitude);
  found.parameters = {{"amplitude", amplitude}};
  const double due = situation.model.amplitude;
  found.evidence = Words("check.amplitude.evidence", {{"found", amplitude}, {"due", due}});
  found.advice = Words("check.amplitude.advice", {{"due", due}});
  proposals.push_back(std::move(found));
}

/// The amplitudes of cos and of sin: (cos/a)² + (sin/b)² = 1 whatever the angles are.
struct TwoAmplitudes {
  Fit of_cosine, of_sine;
};

/// Least squares for 1/a² and 1/b² over some rows; none where they do not explain nearly all numbers.
std::optional<TwoAmplitudes> two_amplitudes(const Situation& situation) {
  constexpr Eigen::Index kRows = 256;
  constexpr double kErrors = 8, kNearlyAll = 0.9;
  const Observed& observed = situation.observed();
  const bool has_tables = situation.evidence.has_tables();
  const StorageUnit& unit = situation.evidence.table_unit;
  const Eigen::Index rows = std::min(kRows, observed.cosine.rows());
  situation.evidence.spend(rows * observed.cosine.cols());
  const double size = observed.radius * observed.radius;
  // Slow pairs stand near cos = amplitude and are all rounded alike.
  constexpr double kBetween = 0.2;
  constexpr std::int64_t kEnough = 24;
  const RowMatrixXd smaller = observed.cosine.topRows(rows).cwiseAbs().cwiseMin(observed.sine.topRows(rows).cwiseAbs());
  const bool some_between = (smaller.array() > kBetween * observed.radius).count() >= kEnough;
  const auto each = [&](const auto& act) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index pair = 0; pair < observed.cosine.cols(); ++pair) {
        const double c = observed.cosine(i, pair), s = observed.sine(i, pair), noise = observed.noise(i, pair);
        if (!std::isfinite(noise) || (some_between && smaller(i, pair) <= kBetween * observed.radius)) continue;
        const double of_c = has_tables ? unit.at(c) : noise, of_s = has_tables ? unit.at(s) : noise;
        act(c * c / size, s * s / size, 2 * std::hypot(c * of_c, s * of_s) / size + 1e-15);
      }
    }
  };
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  each([&](double cc, double ss, double error) {
    const Eigen::Vector2d of{cc / error, ss / error};
    normal += of * of.transpose();
    sum += of / error;
  });
  if (!(normal.determinant() > 1e-12 * normal(0, 0) * normal(1, 1))) return std::nullopt;
  const Eigen::Matrix2d inverse = normal.inverse();
  const Eigen::Vector2d found = inverse * sum;
  if (!(found.minCoeff() > 0)) return std::nullopt;
  double right = 0, all = 0;
  each([&](double cc, double ss, double error) {
    const double larger = std::max({1.0, found[0], found[1]});
    right += std::abs(found[0] * cc + found[1] * ss - 1) <= kErrors * error * larger ? 1 : 0;
    all += 1;
  });
  if (right < kNearlyAll * all) return std::nullopt;
  const auto fit_of = [&](Eigen::Index i) {
    const double amplitude = observed.radius / std::sqrt(found[i]);
    return Fit{amplitude, amplitude * std::sqrt(inverse(i, i)) / (2 * found[i]), 0};
  };
  return TwoAmplitudes{fit_of(0), fit_of(1)};
}

/// Whether cosines, or sines, have the sign that the model gives most of them.
bool has_sign_of_model(const Situation& situation, bool cosines) {
  constexpr std::size_t kRows = 64;
  const Observed& observed = situation.observed();
  const RowEvaluator evaluator(situation.model);
  const auto pairs = static_cast<std::size_t>(evaluator.pairs());
  if (observed.cosine.cols() != evaluator.pairs()) return true;
  std::vector<double> c(pairs), s(pairs), size(pairs);
  double sum = 0;
  const std::size_t rows = std::min(kRows, situation.evidence.rows.size());
  situation.evidence.spend(static_cast<Eigen::Index>(rows * pairs));
  for (std::size_t i = 0; i < rows; ++i) {
    evaluator.row(situation.evidence.rows[i], c.data(), s.data(), size.data());
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const auto row = static_cast<Eigen::Index>(i), p = static_cast<Eigen::Index>(pair);
      if (!std::isfinite(observed.noise(row, p))) continue;
      sum += cosines ? observed.cosine(row, p) * c[pair] : observed.sine(row, p) * s[pair];
    }
  }
  // Of a model that turns backwards the sign is taken out of what is observed.
  return sum * (cosines || !situation.model.conjugate ? 1 : -1) >= 0;
}

CheckModel with_amplitude(const CheckModel& of, bool cosines, double amplitude) {
  CheckModel model = of;
  (cosines ? model.cosine_factor : model.sine_factor) = amplitude / of.amplitude;
  return model;
}

/// An amplitude of cos alone, or of sin alone.
void propose_alone(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.cosine_factor != 1 || model.sine_factor != 1 || model.amplitude == 0 || model.given_tables ||
      model.exchanged)
    return;
  const auto two = two_amplitudes(situation);
  if (!two) return;
  constexpr double kErrors = 6, kNear = 1e-6;
  const StorageUnit& unit = situation.evidence.table_unit;
  const auto is_due = [&](const Fit& fit) {
    const double due = std::abs(model.amplitude);
    return std::abs(fit.value - due) <= std::max(kErrors * fit.error, unit.at(due) + kNear * due);
  };
  const bool both_due = is_due(two->of_cosine) && is_due(two->of_sine);
  const bool cosines = is_due(two->of_sine);
  if (!cosines && !is_due(two->of_cosine)) return;
  // The sign of all sines is a cause of its own, that of all cosines is not.
  if (both_due && has_sign_of_model(situation, true)) return;
  const double sign = (model.amplitude < 0) == has_sign_of_model(situation, cosines) ? -1 : 1;
  Fit rough = cosines ? two->of_cosine : two->of_sine;
  rough.value *= sign;
  const Fit fit =
      polished(situation.evidence, rough, [&](double amplitude) { return with_amplitude(model, cosines, amplitude); });
  std::vector<double> values;
  for (const double value : likely(situation)) {
    const double reach = std::max(kErrors * rough.error, kNear * std::abs(rough.value));
    if (std::abs(value - rough.value) < reach) values.push_back(value);
  }
  // Where much of a table is rounded alike, a fit to all of it is drawn away.
  for (const Fit& one : {fit, rough}) {
    for (const double value : round_numbers(one)) values.push_back(value);
  }
  const std::string one = cosines ? "cos" : "sin", other = cosines ? "sin" : "cos";
  for (const double value : values) {
    Proposal found = situation.proposal();
    found.model = with_amplitude(model, cosines, value);
    const bool fitted = value == fit.value || value == rough.value;
    if (fitted) found.model.slack = 0.5;
    found.doubt = doubt_of(value);
    found.parameters = {{"amplitude", value}, {"of", as_it_is(one)}};
    found.evidence = Words("check.amplitude.evidence_alone",
                           {{"one", one}, {"found", value}, {"other", other}, {"due", model.amplitude}});
    found.advice = Words("check.amplitude.advice_alone", {{"due", model.amplitude}});
    proposals.push_back(std::move(found));
  }
}

void propose_amplitude(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  propose_alone(situation, proposals);
  const Observed& observed = situation.observed();
  const double unit = situation.evidence.has_tables() ? situation.evidence.table_unit.scale : 0.02;
  const double radius = observed.radius;
  if (!(radius > 0) || observed.spread > 8 * unit * radius + 1e-6) return;
  const Fit rough{radius, 0.2 * unit * radius, 0};
  const Fit fit = polished(situation.evidence, rough, [&](double amplitude) {
    CheckModel model = situation.model;
    model.amplitude = amplitude;
    return model;
  });
  for (const double value : likely(situation)) {
    if (std::abs(value - radius) < 2 * unit * radius) add_causes_amplitude(situation, value, false, proposals);
  }
  for (const double value : round_numbers(fit)) add_causes_amplitude(situation, value, value == fit.value, proposals);
  // Where ids are wrong too, a fit to cos and sin is drawn away from what the radii alone show.
  for (const double value : round_numbers(rough))
    add_causes_amplitude(situation, value, value == rough.value, proposals);
}

}  // namespace

/// √(cos² + sin²) is not the attention factor: missing, squared, logged twice, or on one of the two alone.
constinit const Cause kAmplitude{
    .name = "amplitude",
    .group = CauseGroup::values,
    .seen_in = "sgl-project/sglang#33558, NVIDIA/TensorRT-LLM#16379, ml-explore/mlx-lm#1507",
    .propose = propose_amplitude};

}  // namespace ropescope
