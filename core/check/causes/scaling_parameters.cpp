#include "core/check/search/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// What changes the amplitude alone is the cause "amplitude".
bool scaling_parameters_is_of_amplitude(std::string_view name) {
  return name == "attention_factor" || name == "mscale" || name == "mscale_all_dim";
}

std::vector<double> starts_of_scaling_parameters(const ScalingParameter& parameter) {
  std::vector<double> starts;
  for (double power = 1.0 / 64; power <= 4096; power *= 2) starts.push_back(power);
  // Where a ramp is cut to whole pairs, each number stands for a narrow range: all of them are tried.
  const bool is_cut = parameter.name.substr(0, 4) == "beta";
  for (const double start : logarithmic_grid(0.01, 1000, is_cut ? 221 : 41)) starts.push_back(start);
  std::erase_if(starts, [&](double start) { return start < parameter.minimum || start > parameter.maximum; });
  return starts;
}

double value_of_scaling_parameters(const RotarySpec& spec, const ScalingParameter& parameter) {
  const auto given = spec.extension.numbers.find(std::string(parameter.name));
  return given != spec.extension.numbers.end() ? given->second : parameter.initial;
}

/// Says which number was found.
void describe_scaling_parameters(Proposal& found, const std::string& method, const std::string& name, double value,
                                 double asked) {
  found.parameters.push_back({name, value});
  const Words::Named parameter("parameter", name), due("due", asked);
  found.evidence = Words("check.scaling-parameters.evidence", {{"method", method}, parameter, {"found", value}, due});
  found.advice = Words("check.scaling-parameters.advice", {parameter, due});
  if (name != "factor" || value != asked * asked) return;
  found.parameters.push_back({"kind", named_value("squared")});
  found.evidence = sentences(std::move(found.evidence), Words("check.scaling-parameters.evidence_squared"));
}

/// Llama 3.1's and 3.2's numbers in place of those asked for, all of them.
void propose_usual(const Situation& situation, std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (method.name != "llama3") return;
  for (const double factor : {8.0, 32.0}) {
    RotarySpec other = spec;
    std::vector<std::pair<const ScalingParameter*, double>> changed;
    for (const auto& [name, value] : {std::pair("factor", factor), std::pair("low_frequency_factor", 1.0),
                                      std::pair("high_frequency_factor", 4.0)}) {
      const ScalingParameter& parameter = *find_parameter(method, name);
      if (value_of_scaling_parameters(spec, parameter) == value) continue;
      other = with_number(other, name, value);
      changed.emplace_back(&parameter, value);
    }
    // One alone is fitted.
    if (changed.size() < 2) continue;
    add_ropes(situation, other, situation.model.length, proposals, [&](Proposal& found) {
      for (const auto& [parameter, value] : changed) {
        Proposal one;
        describe_scaling_parameters(one, std::string(method.name), std::string(parameter->name), value,
                                    value_of_scaling_parameters(spec, *parameter));
        found.parameters.push_back(one.parameters[0]);
        const bool first = found.parameters.size() == 1;
        found.evidence = first ? one.evidence : sentences(std::move(found.evidence), std::move(one.evidence));
        found.advice = first ? one.advice : sentences(std::move(found.advice), std::move(one.advice));
      }
    });
  }
}

void propose_lengths_scaling_parameters(const Situation& situation, const std::string& method,
                                        std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const double trained = *spec.trained_length;
  const auto factor = spec.extension.numbers.find("factor");
  std::vector<double> starts;
  for (double part = 1.0 / 128; part <= 128; part *= 2) starts.push_back(part * trained);
  for (const double part : logarithmic_grid(1.0 / 32, 32, 133)) starts.push_back(part * trained);
  if (factor != spec.extension.numbers.end()) {
    starts.push_back(trained * factor->second);
    starts.push_back(trained / factor->second);
  }
  add_fitted(situation, spec, "trained_length", starts, proposals, [&](Proposal& found, double value) {
    describe_scaling_parameters(found, method, "trained_length", value, trained);
  });
  if (factor == spec.extension.numbers.end()) return;
  // Length and factor together: the length after the extension in place of the one before it.
  for (const double length : {trained * factor->second, trained / factor->second}) {
    add_fitted(situation, with_number(spec, "trained_length", length), "factor", logarithmic_grid(1, 256, 25),
               proposals, [&](Proposal& found, double value) {
                 describe_scaling_parameters(found, method, "factor", value, factor->second);
                 found.parameters.push_back({"trained_length", length});
               });
  }
}

/// The factor of LongRoPE says how long the context is and changes nothing but the amplitude.
void drop_those_of_amplitude(const CheckModel& model, std::vector<Proposal>& proposals) {
  std::erase_if(proposals, [&](const Proposal& found) {
    const Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    return frequencies.cols() == model.tokens.pair_count() && frequencies.isApprox(model.tokens.frequencies, 1e-12);
  });
}

void propose_scaling_parameters(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope || situation.model.rope->extension.method == "none") return;
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  const std::string name(method.name);
  for (const ScalingParameter& parameter : method.parameters) {
    const std::string key(parameter.name);
    // The paper's ramp is another kind.
    if (scaling_parameters_is_of_amplitude(parameter.name) || key == "paper_ramp") continue;
    const double asked = value_of_scaling_parameters(spec, parameter);
    if (parameter.is_switch) {
      add_ropes(situation, with_number(spec, key, asked != 0 ? 0 : 1), situation.model.length, proposals,
                [&](Proposal& found) { describe_scaling_parameters(found, name, key, asked != 0 ? 0 : 1, asked); });
      continue;
    }
    add_fitted(situation, spec, key, starts_of_scaling_parameters(parameter), proposals,
               [&](Proposal& found, double value) { describe_scaling_parameters(found, name, key, value, asked); });
  }
  propose_usual(situation, proposals);
  if (method.needs_trained_length && spec.trained_length)
    propose_lengths_scaling_parameters(situation, name, proposals);
  drop_those_of_amplitude(situation.model, proposals);
}

}  // namespace

/// The right method with another factor, length, ramp or truncation.
constinit const Cause kScalingParameters{.name = "scaling-parameters",
                                         .group = CauseGroup::frequencies,
                                         .seen_in = "vllm-project/vllm#27722, keras-team/keras-hub#2981",
                                         .propose = propose_scaling_parameters};

}  // namespace ropescope
