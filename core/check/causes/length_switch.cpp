#include <algorithm>

#include "core/check/search/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

void add_at(const Situation& situation, double length, bool fitted, std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  add_ropes(situation, spec, length, proposals, [&](Proposal& found) {
    if (fitted) found.model.slack = 0.5;
    found.doubt = length == *spec.trained_length ? Doubt::none : doubt_of(length);
    found.parameters = {{"length", length}};
    const bool lists = spec.extension.method == "longrope";
    const bool is_long = length > *spec.trained_length;
    if (lists) found.parameters.push_back({"list", named_value(is_long ? "long" : "short")});
    const double due = situation.model.length.value_or(*spec.trained_length);
    found.evidence = lists ? Words(is_long ? "check.length-switch.evidence_long" : "check.length-switch.evidence_short",
                                   {{"due", due}})
                           : Words("check.length-switch.evidence",
                                   {{"method", spec.extension.method}, {"found", length}, {"due", due}});
    found.advice = Words("check.length-switch.advice", {{"due", due}});
  });
}

void propose_length_switch(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope || !situation.model.rope->trained_length) return;
  const RotarySpec& spec = *situation.model.rope;
  if (!find_scaling_method(spec.extension.method).depends_on_length) return;
  const double trained = *spec.trained_length;
  if (spec.extension.method == "longrope") {
    add_at(situation, trained, false, proposals);
    add_at(situation, trained + 1, false, proposals);
    return;
  }
  add_at(situation, trained, false, proposals);
  const Family family = [&](double length) {
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return frequencies_or_nan(spec, length);
  };
  auto fit = fit_parameter(situation.measured(), family, logarithmic_grid(trained * 1.02, trained * 512, 49));
  if (!fit) return;
  *fit = polished(situation.evidence, *fit, [&](double length) {
    CheckModel model = situation.model;
    model.tokens.frequencies = family(length);
    return model;
  });
  std::vector<double> lengths = round_numbers(*fit);
  if (situation.model.frequency_format != ShortFormat::none) {
    const std::vector<double> around = numbers_around(*fit);
    lengths.insert(lengths.end(), around.begin(), around.end());
  }
  for (const double length : lengths) {
    if (length > trained) add_at(situation, length, length == fit->value, proposals);
  }
}

}  // namespace

/// The other list of LongRoPE, or the dynamic base of another length.
constinit const Cause kLengthSwitch{.name = "length-switch",
                                    .group = CauseGroup::frequencies,
                                    .seen_in = "huggingface/transformers#33129, ggml-org/llama.cpp#8995",
                                    .propose = propose_length_switch};

}  // namespace ropescope
