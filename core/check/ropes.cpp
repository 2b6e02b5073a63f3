#include "core/check/ropes.h"

#include <cmath>

#include "core/error.h"

namespace ropescope {

namespace {

std::optional<RopeLadders> computed(const RotarySpec& spec, std::optional<double> length) {
  try {
    return rope_ladders(spec, length);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Eigen::MatrixXd frequencies_or_nan(const RotarySpec& spec, std::optional<double> length) {
  if (const auto ladders = computed(spec, length)) return ladders->frequencies;
  return Eigen::MatrixXd::Constant(1, 1, std::nan(""));
}

void add_ropes(const Situation& situation, const RotarySpec& spec, std::optional<double> length,
               std::vector<Proposal>& proposals, const std::function<void(Proposal&)>& describe) {
  const auto ladders = computed(spec, length);
  if (!ladders) return;
  const CheckModel& model = situation.model;
  const auto add = [&](double amplitude) {
    const bool same = ladders->frequencies.cols() == model.tokens.pair_count() &&
                      ladders->frequencies.isApprox(model.tokens.frequencies, 1e-12);
    if (same && std::abs(amplitude - model.amplitude) < 1e-12) return;
    Proposal found = situation.proposal();
    found.model.rope = spec;
    found.model.length = length;
    found.model.tokens.frequencies = ladders->frequencies;
    found.model.amplitude = amplitude;
    describe(found);
    proposals.push_back(std::move(found));
  };
  add(model.amplitude);
  // The amplitude comes with the method, unless another cause has changed it.
  const bool untouched = model.amplitude == situation.reference.amplitude;
  if (untouched && ladders->amplitude != model.amplitude) add(ladders->amplitude);
}

RotarySpec with_number(const RotarySpec& spec, const std::string& name, double value) {
  RotarySpec other = spec;
  if (name == "trained_length") {
    other.trained_length = value;
  } else {
    other.extension.numbers[name] = value;
  }
  return other;
}

void add_fitted(const Situation& situation, const RotarySpec& spec, const std::string& name,
                const std::vector<double>& starts, std::vector<Proposal>& proposals,
                const std::function<void(Proposal&, double)>& describe) {
  const Family family = [&](double value) {
    return frequencies_or_nan(with_number(spec, name, value), situation.model.length);
  };
  auto fit = fit_parameter(situation.measured(), family, starts);
  if (!fit) return;
  *fit = polished(situation.evidence, *fit, [&](double value) {
    CheckModel model = situation.model;
    const auto ladders = computed(with_number(spec, name, value), model.length);
    if (!ladders || ladders->frequencies.cols() != model.tokens.pair_count()) return model;
    model.tokens.frequencies = ladders->frequencies;
    // Whichever amplitude the tables show.
    const double radius = situation.observed().radius;
    if (std::abs(ladders->amplitude - radius) < std::abs(model.amplitude - radius))
      model.amplitude = ladders->amplitude;
    return model;
  });
  std::vector<double> values = round_numbers(*fit);
  // A round multiple or part of what is asked for.
  const auto asked = situation.model.rope->extension.numbers.find(name);
  if (asked != situation.model.rope->extension.numbers.end() && asked->second > 0) {
    const double ratio = fit->value / asked->second, error = fit->error / asked->second;
    std::vector<double> related;
    for (const double times : round_numbers({ratio, error, 0})) related.push_back(times * asked->second);
    for (const double part : round_numbers({1 / ratio, error / (ratio * ratio), 0})) {
      related.push_back(asked->second / part);
    }
    values.insert(values.end() - 1, related.begin(), related.end());
  }
  for (const double value : values) {
    add_ropes(situation, with_number(spec, name, value), situation.model.length, proposals, [&](Proposal& found) {
      if (value == fit->value && fit->error > 0) found.model.slack = 0.5;
      describe(found, value);
    });
  }
}

}  // namespace ropescope
