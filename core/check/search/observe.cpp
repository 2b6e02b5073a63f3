#include <algorithm>
#include <cmath>

#include "core/check/reading/evidence.h"

namespace ropescope {

namespace {

/// Cosine and sine that turn `before` into `after` in the sense of least squares over heads and both channels of a
/// pair.
void solve_rotation(const Evidence& evidence, const CheckModel& model, Eigen::Index i, Observed& observed) {
  const HeadVectors& heads = *evidence.tensors->heads;
  const Eigen::Index pairs = observed.cosine.cols();
  const bool told = evidence.vector_format != ShortFormat::none;
  const double unit = told ? usual_unit_of(evidence.vector_format).scale
                           : std::max(usual_unit_of(heads.after).scale, usual_unit_of(heads.before).scale);
  Eigen::VectorXd xx = Eigen::VectorXd::Zero(pairs), xy = xx, yy = xx, xr = xx, yr = xx;
  for (std::int64_t head = 0; head < heads.heads; ++head) {
    const double* before = evidence.before.data() + i * evidence.before.cols() + head * heads.channels + model.still;
    const double* after = evidence.after.data() + i * evidence.after.cols() + head * heads.channels + model.still;
    for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
      const ChannelRole role = role_of(model, channel, pairs);
      const double x = before[role.source], y = role.sign * before[role.companion], r = after[channel];
      xx[role.pair] += x * x, xy[role.pair] += x * y, yy[role.pair] += y * y;
      xr[role.pair] += x * r, yr[role.pair] += y * r;
    }
  }
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    const double determinant = xx[pair] * yy[pair] - xy[pair] * xy[pair], size = xx[pair] + yy[pair];
    if (!(determinant > 1e-9 * size * size)) {
      observed.cosine(i, pair) = 1, observed.sine(i, pair) = 0;
      observed.noise(i, pair) = std::numeric_limits<double>::infinity();
      continue;
    }
    observed.cosine(i, pair) = (yy[pair] * xr[pair] - xy[pair] * yr[pair]) / determinant;
    observed.sine(i, pair) = (xx[pair] * yr[pair] - xy[pair] * xr[pair]) / determinant;
    observed.noise(i, pair) = 2 * unit * size / std::sqrt(determinant);
  }
}

void fill_phases(Observed& observed, const Evidence& evidence) {
  const StorageUnit& unit = evidence.table_unit;
  std::vector<double> radii, between;
  for (Eigen::Index i = 0; i < observed.cosine.rows(); ++i) {
    for (Eigen::Index pair = 0; pair < observed.cosine.cols(); ++pair) {
      const double c = observed.cosine(i, pair), s = observed.sine(i, pair), radius = std::hypot(c, s);
      observed.phase(i, pair) = std::atan2(s, c);
      if (evidence.has_tables()) {
        const double of_sine = unit.at(s) * c, of_cosine = unit.at(c) * s;
        observed.noise(i, pair) = std::hypot(of_sine, of_cosine) / std::max(radius * radius, 1e-30) + 1e-15;
      }
      if (!std::isfinite(observed.noise(i, pair))) continue;
      radii.push_back(radius);
      // Slow pairs stand near cos = amplitude and are all rounded alike.
      if (std::min(std::abs(c), std::abs(s)) > 0.3 * radius) between.push_back(radius);
    }
  }
  constexpr std::size_t kEnough = 24;
  if (between.size() >= kEnough) radii = std::move(between);
  if (radii.empty()) return;
  const auto at = [&](std::size_t part) {
    const auto place = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() * part / 4);
    std::nth_element(radii.begin(), place, radii.end());
    return *place;
  };
  observed.radius = at(2);
  observed.spread = at(3) - at(1);
}

}  // namespace

Observed observe(const Evidence& evidence, const CheckModel& model) {
  Observed observed;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  evidence.spend(rows * model.tokens.pair_count());
  if (evidence.has_tables()) {
    observed.cosine = evidence.cosine;
    observed.sine = evidence.sine;
    if (model.exchanged) observed.cosine.swap(observed.sine);
    if (model.conjugate) observed.sine *= -1;
    observed.phase.resizeLike(observed.cosine);
    observed.noise.resizeLike(observed.cosine);
  } else if (evidence.has_heads()) {
    for (RowMatrixXd* one : {&observed.cosine, &observed.sine, &observed.phase, &observed.noise}) {
      one->resize(rows, model.tokens.pair_count());
    }
    // A model that turns more channels than the vectors have says nothing about them.
    const bool fits = model.still + 2 * model.tokens.pair_count() <= evidence.tensors->heads->channels;
    observed.cosine.setOnes();
    observed.sine.setZero();
    observed.noise.setConstant(std::numeric_limits<double>::infinity());
    for (Eigen::Index i = 0; i < rows && fits; ++i) solve_rotation(evidence, model, i, observed);
    if (model.exchanged) observed.cosine.swap(observed.sine);
    if (model.conjugate) observed.sine *= -1;
  }
  if (model.cosine_factor != 0) observed.cosine /= model.cosine_factor;
  if (model.sine_factor != 0) observed.sine /= model.sine_factor;
  fill_phases(observed, evidence);
  return observed;
}

}  // namespace ropescope
