#include "core/check/search/axis_fits.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

/// The number of one axis as its frequencies show it; its own one where nothing else does.
Fit fit_of(const Situation& situation, const AxisFamily& family, std::size_t axis) {
  const Fit own{family.own[axis], 0, 0};
  if (own.value == 0) return own;
  const Measured& measured = situation.measured();
  if ((measured.sigma.row(static_cast<Eigen::Index>(axis)).array() >= 1e30).all()) return own;
  const Family frequencies = [&](double value) { return family.frequencies(axis, value); };
  const auto fit = fit_parameter(measured, frequencies, family.starts(axis));
  constexpr double kErrors = 5;
  if (!fit || !(fit->error < family.sure * std::abs(fit->value))) return own;
  const bool same = std::abs(fit->value - own.value) <= kErrors * fit->error;
  // A farther number has to fit far better.
  const bool better = fit->misfit < 0.5 * misfit(measured, frequencies(own.value));
  return same || !better ? own : *fit;
}

}  // namespace

Eigen::MatrixXd only_axis(const Eigen::MatrixXd& frequencies, std::size_t axis) {
  Eigen::MatrixXd only = Eigen::MatrixXd::Zero(frequencies.rows(), frequencies.cols());
  only.row(static_cast<Eigen::Index>(axis)) = frequencies.row(static_cast<Eigen::Index>(axis));
  return only;
}

std::vector<Fit> axis_fits(const Situation& situation, const AxisFamily& family) {
  std::vector<Fit> fits;
  bool some = false;
  for (std::size_t axis = 0; axis < family.own.size(); ++axis) {
    fits.push_back(fit_of(situation, family, axis));
    some = some || fits[axis].value != family.own[axis];
  }
  return some ? fits : std::vector<Fit>{};
}

CheckModel with_fits(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits) {
  CheckModel model = situation.model;
  for (std::size_t axis = 0; axis < fits.size(); ++axis) {
    if (fits[axis].value != family.own[axis]) model = family.applied(model, axis, fits[axis].value);
  }
  return model;
}

namespace {

/// Numbers that other axes have been found to have, where they are near: axes mostly share what they have wrong.
std::vector<double> axis_fits_shared(const std::vector<Fit>& fits, const AxisNumbers& numbers, const AxisFamily& family,
                                     std::size_t axis, const Fit& fit) {
  constexpr double kErrors = 5, kNear = 2e-3;
  std::vector<double> near;
  for (std::size_t other = 0; other < axis; ++other) {
    const double value = numbers.values[other];
    const bool found = fits[other].value != family.own[other];
    if (found && std::abs(value - fit.value) <= std::max(kErrors * fit.error, kNear * std::abs(value))) {
      near.push_back(value);
    }
  }
  return near;
}

}  // namespace

AxisNumbers settled(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits) {
  AxisNumbers numbers{family.own};
  std::vector<Fit> now = fits;
  for (std::size_t axis = 0; axis < fits.size(); ++axis) {
    if (fits[axis].value == family.own[axis]) continue;
    const auto build = [&](double value) {
      now[axis].value = value;
      return with_fits(situation, family, now);
    };
    const Fit fit = polished(situation.evidence, fits[axis], build);
    double most = -1;
    std::vector<double> candidates = axis_fits_shared(fits, numbers, family, axis, fit);
    for (const double value : family.candidates(axis, fit)) candidates.push_back(value);
    for (const double value : candidates) {
      const double share = share_reproduced(build(value), situation.evidence);
      if (share > most) most = share, numbers.values[axis] = value;
    }
    now[axis].value = numbers.values[axis];
    numbers.fitted = numbers.fitted || numbers.values[axis] == fit.value;
  }
  return numbers;
}

}  // namespace ropescope
