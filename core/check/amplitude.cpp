#include <cmath>

#include "core/check/cause.h"

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

void add(const Situation& situation, double amplitude, bool fitted, std::vector<Proposal>& proposals) {
  if (amplitude == situation.model.amplitude) return;
  Proposal found = situation.proposal();
  found.model.amplitude = amplitude;
  if (fitted) found.model.slack = 0.5;
  found.doubt = doubt_of(amplitude, fitted);
  found.parameters = {{"amplitude", amplitude}};
  found.evidence = "√(cos² + sin²) is " + number_text(amplitude) + "; the attention factor of the reference is " +
                   number_text(situation.model.amplitude) + ".";
  found.advice = "Multiply cos and sin by " + number_text(situation.model.amplitude) + ", once.";
  proposals.push_back(std::move(found));
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
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
    if (std::abs(value - radius) < 2 * unit * radius) add(situation, value, false, proposals);
  }
  for (const double value : round_numbers(fit)) add(situation, value, value == fit.value, proposals);
  // Where ids are wrong too, a fit to cos and sin is drawn away from what the radii alone show.
  for (const double value : round_numbers(rough)) add(situation, value, value == rough.value, proposals);
}

}  // namespace

/// √(cos² + sin²) is not the attention factor: missing, squared, logged twice.
constinit const Cause kAmplitude{
    .name = "amplitude",
    .group = CauseGroup::values,
    .seen_in = "sgl-project/sglang#33558, NVIDIA/TensorRT-LLM#16379, ml-explore/mlx-lm#1507",
    .propose = propose};

}  // namespace ropescope
