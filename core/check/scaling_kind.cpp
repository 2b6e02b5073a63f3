#include "core/check/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// A method as it would be used in place of the config's: with its factor, and defaults for the rest.
struct Kind {
  std::string_view method;
  std::string_view ramp;
  std::map<std::string, double> numbers;
};

std::vector<Kind> kinds() {
  return {{"linear", "every frequency is divided alike", {}},
          {"ntk-aware", "one larger base", {}},
          {"yarn", "a ramp linear in the index", {}},
          {"yarn", "a ramp linear in the index, without truncation", {{"truncate", 0}}},
          {"ntk-by-parts", "a ramp in turns", {}},
          {"llama3", "a ramp in 1/wavelength", {{"low_frequency_factor", 1}, {"high_frequency_factor", 4}}},
          {"ntk-by-parts-released", "the ramps of the first release", {}},
          {"diffusers-ntk", "the base times the factor", {}}};
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope) return;
  const RotarySpec& spec = *situation.model.rope;
  const auto factor = spec.extension.numbers.find("factor");
  for (const Kind& kind : kinds()) {
    if (kind.method == spec.extension.method && kind.numbers.empty()) continue;
    const ScalingMethod& method = find_scaling_method(kind.method);
    if (method.needs_trained_length && !spec.trained_length) continue;
    RotarySpec other = spec;
    other.extension = {std::string(kind.method), kind.numbers, {}};
    for (const auto& [name, value] : spec.extension.numbers) {
      const bool taken = name != "truncate" && find_parameter(method, name) != nullptr;
      if (taken && kind.numbers.find(name) == kind.numbers.end()) other.extension.numbers[name] = value;
    }
    const auto describe = [&](Proposal& found, double value) {
      found.parameters = {{"factor", value}, {"kind", std::string(kind.method)}};
      found.evidence = "The frequencies are those of " + std::string(kind.method) + " with factor " +
                       number_text(value) + " (" + std::string(kind.ramp) + "); the config asks for " +
                       spec.extension.method + ".";
      found.advice = spec.extension.method == "none" ? "Leave the frequencies as they are."
                                                     : "Apply " + spec.extension.method + " instead.";
    };
    if (factor != spec.extension.numbers.end()) {
      add_ropes(situation, with_number(other, "factor", factor->second), situation.model.length, proposals,
                [&](Proposal& found) { describe(found, factor->second); });
    }
    add_fitted(situation, other, "factor", logarithmic_grid(1.01, 512, 33), proposals, describe);
  }
}

}  // namespace

/// Another method's ramp.
constinit const Cause kScalingKind{.name = "scaling-kind",
                                   .group = CauseGroup::frequencies,
                                   .seen_in = "ml-explore/mlx-examples#907",
                                   .propose = propose};

}  // namespace ropescope
