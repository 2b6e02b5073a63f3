#include <algorithm>
#include <cmath>

#include "core/check/causes/axis_scale.h"

namespace ropescope {

namespace {

/// The factor between given frequencies and those of the model: the middle one of all pairs. 1 where there are others.
double given_factor(const Situation& situation) {
  const std::vector<double>& given = situation.evidence.frequencies;
  const std::vector<double> due = stored_frequencies(situation.model);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < due.size() && due.size() == given.size(); ++i) {
    if (due[i] != 0) ratios.push_back(given[i] / due[i]);
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

void add_frequency_scale(const Situation& situation, double factor, const Proposal& like,
                         std::vector<Proposal>& proposals) {
  const auto apply = [factor](const CheckModel& model) {
    CheckModel scaled = model;
    scaled.tokens.frequencies *= factor;
    return scaled;
  };
  Proposal found = situation.proposal();
  found.model = apply(situation.model);
  found.model.slack = like.model.slack;
  found.doubt = like.doubt;
  found.again = apply;
  found.parameters = {{"factor", factor}, {"of", named_value("frequencies")}};
  found.evidence = Words("check.position-scale.evidence_frequencies", {{"factor", factor}});
  found.advice = Words("check.position-scale.advice_frequencies");
  proposals.push_back(std::move(found));
}

/// Where ids are shifted after they were read (LTX), a factor of the frequencies is none of ids: the ladder without the
/// unit that it begins with, or with it twice.
void propose_units(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  if (std::all_of(axes.begin(), axes.end(), [](const LayoutAxis& axis) { return axis.id_offset == 0; })) return;
  for (const double unit : situation.ladders().unit) {
    if (unit == 1) continue;
    for (const double factor : {1 / unit, unit, 2.0, 1 / (2 * unit), 0.5}) {
      const std::size_t before = proposals.size();
      add_frequency_scale(situation, factor, situation.proposal(), proposals);
      if (factor == 1 / unit) {
        proposals[before].evidence = Words("check.position-scale.evidence_unit", {{"factor", factor}, {"unit", unit}});
        proposals[before].advice = Words("check.position-scale.advice_unit", {{"unit", unit}});
      }
    }
    return;
  }
}

void propose_frequency_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  if (situation.model.own_ids || situation.model.given_tables) return;
  propose_units(situation, proposals);
  if (!evidence.frequencies.empty()) {
    constexpr double kKnown = 1e-7;
    // Another sign is a cause of its own.
    const double factor = std::abs(given_factor(situation));
    if (!std::isfinite(factor) || factor == 0) return;
    for (const double value : round_numbers({factor, kKnown * factor, 0})) {
      if (value == 1) continue;
      Proposal like = situation.proposal();
      if (value == factor) like.model.slack = 0.5;
      like.doubt = doubt_of(value);
      add_frequency_scale(situation, value, like, proposals);
    }
    return;
  }
  // Tables alone cannot tell it from positions that are multiplied.
  if (!evidence.has_ids() || !evidence.has_rotation()) return;
  std::vector<Proposal> of_ids;
  propose_factors(situation, of_ids);
  for (const Proposal& found : of_ids) {
    const double factor = std::get<double>(found.parameters[0].value);
    if (factor != 0) add_frequency_scale(situation, factor, found, proposals);
  }
}

}  // namespace

/// Frequencies multiplied by a constant, where ids or frequencies show that it is they.
constinit const Cause kFrequencyScale{.name = "position-scale",
                                      .group = CauseGroup::frequencies,
                                      .seen_in = "ml-explore/mlx-lm#1545",
                                      .propose = propose_frequency_scale};

}  // namespace ropescope
