#include <algorithm>
#include <cmath>

#include "core/check/causes/axis_scale.h"

namespace ropescope {

namespace {

/// `fitted`: the number as it is, not a round one near it. The doubt is `doubt` at least.
void add_position_scale(const Situation& situation, double factor, bool fitted, std::vector<Proposal>& proposals,
                        Doubt doubt = Doubt::none) {
  // Beyond this the angles are so large that float32 could have given any.
  constexpr double kMost = 1e3, kLeast = 1e-3;
  if (factor == 1 || !(std::abs(factor) <= kMost) || (factor != 0 && std::abs(factor) < kLeast)) return;
  Proposal found = situation.proposal();
  found.model.id_factor *= factor;
  if (fitted) found.model.slack = 0.5;
  found.doubt = std::max(doubt, doubt_of(factor));
  found.parameters = {{"factor", factor}};
  found.evidence = factor == 0 ? Words("check.position-scale.evidence_zero")
                               : Words("check.position-scale.evidence", {{"factor", factor}});
  found.advice = Words(factor == 0 ? "check.position-scale.advice_zero" : "check.position-scale.advice");
  proposals.push_back(std::move(found));
}

/// Ratios that single pairs show, and a grid.
std::vector<double> starts_of_position_scale(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  std::vector<double> starts = logarithmic_grid(1e-3, 1e3, 25);
  const bool as_many = measured.frequency.size() == frequencies.size();
  for (Eigen::Index i = 0; as_many && i < frequencies.size() && starts.size() < 80; ++i) {
    const double found = measured.frequency.reshaped()[i], expected = frequencies.reshaped()[i];
    if (expected != 0 && std::abs(found) > 4 * measured.sigma.reshaped()[i] && found / expected > 0) {
      starts.push_back(found / expected);
    }
  }
  return starts;
}

/// Ids that were given: the ratio at the largest, and what they grow by where all are shifted as well.
void propose_by_ids(const Situation& situation, std::vector<Proposal>& proposals) {
  struct Place {
    double due = 0, given = 0;
  };
  const RowEvaluator evaluator(situation.model);
  const auto axes = static_cast<std::size_t>(evaluator.axes());
  std::vector<double> ids(axes);
  std::vector<Place> lowest(axes), highest(axes);
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    evaluator.ids(situation.evidence.rows[i], ids.data());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Place here{ids[axis],
                       situation.evidence.ids(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis))};
      if (i == 0 || here.due < lowest[axis].due) lowest[axis] = here;
      if (i == 0 || here.due > highest[axis].due) highest[axis] = here;
    }
  }
  Place largest;
  double slope = 1, reach = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const Place& place : {lowest[axis], highest[axis]}) {
      if (std::abs(place.due) > std::abs(largest.due)) largest = place;
    }
    const double of_axis = highest[axis].due - lowest[axis].due;
    if (of_axis <= reach) continue;
    reach = of_axis;
    slope = (highest[axis].given - lowest[axis].given) / of_axis;
  }
  const auto add_near = [&](double ratio, Doubt doubt) {
    for (const double factor : round_numbers({ratio, 1e-7 * std::abs(ratio), 0}))
      add_position_scale(situation, factor, false, proposals, doubt);
  };
  if (largest.due == 0) return;
  const double ratio = largest.given / largest.due;
  add_near(ratio, Doubt::none);
  if (std::abs(slope - ratio) > 1e-6 * std::abs(ratio)) add_near(slope, Doubt::none);
}

/// The frequency that the model gives its first rung.
double first_of_position_scale(const Eigen::MatrixXd& frequencies, const Ladders& ladders, Eigen::Index axis) {
  double first = ladders.unit[static_cast<std::size_t>(axis)];
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool is_first = frequencies(axis, pair) != 0 && std::abs(ladders.exponent(axis, pair)) < 1e-9;
    if (is_first) first = frequencies(axis, pair);
  }
  return first;
}

/// The factor although the base, the spacing or the rotary dimension is wrong too: these do not change the first rung
/// of a ladder, or change it by a whole rung.
void propose_by_first_rung(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Ladders& ladders = situation.ladders();
  if (measured.frequency.size() != frequencies.size()) return;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!(ladders.base[a] > 1)) continue;
    const std::vector<Fit> first_ones = first_rungs(measured, frequencies, ladders, axis);
    if (first_ones.empty()) continue;
    const double rung = std::pow(ladders.base[a], ladders.step[a]),
                 due = first_of_position_scale(frequencies, ladders, axis);
    for (const double part : {1 / due, rung / due, 1 / (rung * due)}) {
      for (const Fit& first : first_ones) {
        for (const double factor : round_numbers({part * first.value, part * first.error, 0})) {
          add_position_scale(situation, factor, factor == part * first.value, proposals, Doubt::fitted);
        }
      }
    }
    return;
  }
}

}  // namespace

void propose_factors(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Observed& observed = situation.observed();
  if ((observed.phase.array().abs() <= observed.noise.array()).all()) {
    add_position_scale(situation, 0, false, proposals);
    return;
  }
  const Measured measured = measure(situation.evidence, observed, situation.model, false, false);
  const Family family = [&](double factor) -> Eigen::MatrixXd { return factor * frequencies; };
  auto fit = fit_parameter(measured, family, starts_of_position_scale(measured, frequencies));
  if (!fit || !(fit->error < 0.1 * fit->value)) {
    propose_by_first_rung(situation, measured, proposals);
    return;
  }
  *fit = polished(situation.evidence, *fit, [&](double factor) {
    CheckModel scaled = situation.model;
    scaled.id_factor *= factor;
    return scaled;
  });
  for (const double factor : round_numbers(*fit))
    add_position_scale(situation, factor, factor == fit->value, proposals);
  // A factor that is one over a round number.
  const Fit inverse{1 / fit->value, fit->error / (fit->value * fit->value), 0};
  for (const double divisor : round_numbers(inverse)) add_position_scale(situation, 1 / divisor, false, proposals);
  propose_by_first_rung(situation, measured, proposals);
}

namespace {

void propose_position_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  if (situation.evidence.has_ids()) propose_by_ids(situation, proposals);
  if (situation.evidence.has_rotation()) propose_factors(situation, proposals);
  propose_axis_scales(situation, proposals);
}

}  // namespace

/// Ids multiplied by a constant, or by one for each axis.
constinit const Cause kPositionScale{.name = "position-scale",
                                     .group = CauseGroup::ids,
                                     .seen_in = "ml-explore/mlx-lm#1545",
                                     .propose = propose_position_scale};

}  // namespace ropescope
