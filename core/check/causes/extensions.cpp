// Causes in the context extension: missing, of another kind, with other parameters, one block each.
//
// Contents: Missing; Another kind; Other parameters; The ramp; The switch by length.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/ropes.h"
#include "core/check/tuning.h"
#include "core/scaling/methods.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Missing -------------------------------------------------------------------------------------------------------

namespace {

void propose_scaling_missing(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.is_extended()) return;
  RotarySpec plain = *situation.model.rope;
  const std::string method = plain.extension.method;
  plain.extension = Extension{};
  add_ropes(situation, plain, situation.model.length, proposals, [&](Proposal& found) {
    // LongRoPE's lists extend with a factor of 1 as well.
    const bool told = situation.model.rope->extension.number("factor").value_or(1) != 1;
    if (told) found.parameters = {{"factor", 1.0}};
    found.evidence = Message("check.scaling-missing.evidence", {{"method", method}});
    found.advice = Message("check.scaling-missing.advice", {{"method", method}});
  });
}

/// Returns the model's value of an extension parameter, or its default.
std::optional<double> own_number_of_extension(const CheckModel& model, std::string_view parameter, std::size_t) {
  if (!model.rope) return std::nullopt;
  if (parameter == "trained_length") return model.rope->trained_length;
  if (parameter == "length") return model.length ? model.length : model.rope->trained_length;
  if (const auto found = model.rope->extension.number(parameter)) return found;
  for (const ScalingField& one : find_scaling_method(model.rope->extension.method).parameters) {
    if (one.name == parameter) return one.initial;
  }
  return std::nullopt;
}

// --- Another kind --------------------------------------------------------------------------------------------------

/// A method used in place of the config's: with its factor, and defaults for the rest.
struct OtherKind {
  std::string_view method;
  std::string_view ramp;  ///< key of its description
  std::map<std::string, double> numbers;
  /// factor: the plain ladder times a factor; geometric: one geometric ladder. Both apply to all frequencies: no ramp.
  enum class Shape { ramp, factor, geometric } shape = Shape::ramp;
};

std::vector<OtherKind> kinds() {
  return {{"linear", "check.scaling-kind.linear", {}, OtherKind::Shape::factor},
          {"ntk-aware", "check.scaling-kind.ntk-aware", {}, OtherKind::Shape::geometric},
          {"yarn", "check.scaling-kind.yarn", {}},
          {"yarn", "check.scaling-kind.yarn-untruncated", {{"truncate", 0}}},
          {"ntk-by-parts", "check.scaling-kind.ntk-by-parts", {}},
          {"llama3", "check.scaling-kind.llama3", {{"low_frequency_factor", 1}, {"high_frequency_factor", 4}}},
          {"ntk-by-parts-released", "check.scaling-kind.ntk-by-parts-released", {}},
          {"diffusers-ntk", "check.scaling-kind.diffusers-ntk", {}, OtherKind::Shape::geometric}};
}

RotarySpec spec_of(const RotarySpec& spec, const OtherKind& kind, const ScalingMethod& method) {
  RotarySpec other = spec;
  other.extension = {std::string(kind.method), kind.numbers, {}};
  for (const auto& [name, value] : spec.extension.numbers) {
    const bool taken = name != "truncate" && find_parameter(method, name) != nullptr;
    if (taken && kind.numbers.find(name) == kind.numbers.end()) other.extension.numbers[name] = value;
  }
  return other;
}

void describe_kind(const RotarySpec& spec, const OtherKind& kind, double factor, Proposal& found) {
  found.parameters = {{"factor", factor}, {"kind", verbatim(kind.method)}};
  const Message::Named due("due", spec.extension.method);
  found.evidence = Message("check.scaling-kind.evidence",
                           {{"method", kind.method}, {"factor", factor}, {"ramp", Message(kind.ramp)}, due});
  found.advice = extends(spec.extension.method) ? Message("check.scaling-kind.advice", {due})
                                                : Message("check.scaling-kind.advice_none");
}

/// Returns whether another kind only means another number of the model's own: a factor of the plain ladder, or another
/// base of one geometric ladder.
bool is_of_own_shape(const Situation& situation, OtherKind::Shape shape) {
  if (shape == OtherKind::Shape::geometric) return is_geometric(situation.model);
  const Ladders& ladders = situation.ladders();
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const double ratio = frequencies(0, 0) / ladders.plain(0, 0);
  return shape == OtherKind::Shape::factor && frequencies.isApprox(ratio * ladders.plain, tuned::kSameLadder);
}

/// Appends other methods with the config's factor and defaults for the rest: no fit, so stronger evidence than a fit.
void propose_exact(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope) return;
  const RotarySpec& spec = *situation.model.rope;
  const auto factor = spec.extension.number("factor");
  // With a factor of 1 every method gives the plain frequencies.
  if (!factor || *factor == 1) return;
  for (const OtherKind& kind : kinds()) {
    // A method that only multiplies the model's frequencies is a factor first.
    if (kind.method == spec.extension.method || is_of_own_shape(situation, kind.shape)) continue;
    const ScalingMethod& method = find_scaling_method(kind.method);
    if (method.needs_trained_length && !spec.trained_length) continue;
    add_ropes(situation, set_number_by_name(spec_of(spec, kind, method), "factor", *factor), situation.model.length,
              proposals, [&](Proposal& found) { describe_kind(spec, kind, *factor, found); });
  }
}

/// Appends another method over another trained length: a config whose method needs none omits it, or has the extended
/// one. Of the usual lengths, the best fit.
void propose_kind_lengths(const Situation& situation, const OtherKind& kind, double factor,
                          std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(kind.method);
  if (!method.needs_trained_length) return;
  std::vector<double> lengths;
  for (double length = 1024; length <= (1 << 20); length *= 2) lengths.push_back(length);
  if (spec.trained_length)
    lengths.insert(lengths.end(), {*spec.trained_length / factor, *spec.trained_length * factor});
  const RotarySpec other = set_number_by_name(spec_of(spec, kind, method), "factor", factor);
  const auto misfit_at = [&](double length) {
    const RotarySpec at = set_number_by_name(other, "trained_length", length);
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return misfit(situation.measured(), frequencies_or_nan(at, situation.model.length));
  };
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (const double length : lengths) {
    if (spec.trained_length && length == *spec.trained_length) continue;
    if (situation.evidence.is_spent()) return;
    const double of_length = misfit_at(length);
    if (of_length < least) least = of_length, best = length;
  }
  if (best == 0) return;
  const auto add = [&](Proposal& found) {
    describe_kind(spec, kind, factor, found);
    found.parameters.push_back({"trained_length", best});
    found.evidence =
        sentences(std::move(found.evidence), Message("check.scaling-kind.trained_length", {{"length", best}}));
    found.doubt = Doubt::round_number;
  };
  add_ropes(situation, set_number_by_name(other, "trained_length", best), situation.model.length, proposals, add);
}

/// Appends ramps over an unspecified trained length, if no extension is specified.
void propose_missing_ramps(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto slowest = divisor_of_slowest(situation.measured(), situation.model.tokens.frequencies, tuned::kSureRatio);
  if (!slowest || !(slowest->value > tuned::kLeastFactor)) return;
  const std::vector<double> likely = round_numbers(*slowest);
  for (const OtherKind& kind : kinds()) {
    if (kind.shape != OtherKind::Shape::ramp) continue;
    const std::vector<double> factors = {likely.front(), slowest->value};
    for (const double factor : factors) propose_kind_lengths(situation, kind, factor, proposals);
  }
}

void propose_scaling_kind(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope) return;
  const RotarySpec& spec = *situation.model.rope;
  const bool plain = !situation.model.is_extended();
  if (plain) propose_missing_ramps(situation, proposals);
  auto factor = spec.extension.number("factor");
  if (factor == 1) factor.reset();
  for (const OtherKind& kind : kinds()) {
    // Other numbers of the specified method are "scaling-parameters", except a ramp that is not cut to whole pairs.
    if (kind.method == spec.extension.method && kind.numbers.count("truncate") == 0) continue;
    if (factor && kind.method != spec.extension.method) {
      propose_kind_lengths(situation, kind, *factor, proposals);
    }
    // If no extension is specified, one geometric ladder is a base, and one factor is a factor of positions.
    if (plain && kind.shape != OtherKind::Shape::ramp) continue;
    const ScalingMethod& method = find_scaling_method(kind.method);
    if (method.needs_trained_length && !spec.trained_length) continue;
    const RotarySpec other = spec_of(spec, kind, method);
    if (factor) {
      add_ropes(situation, set_number_by_name(other, "factor", *factor), situation.model.length, proposals,
                [&](Proposal& found) { describe_kind(spec, kind, *factor, found); });
    }
    std::vector<Proposal> fitted;
    add_fitted(situation, other, "factor", logarithmic_grid(tuned::kStartsOfKind), fitted,
               [&](Proposal& found, double value) { describe_kind(spec, kind, value, found); });
    // With a factor of 1 every method gives the plain frequencies: that is not a method.
    std::erase_if(
        fitted, [](const Proposal& found) { return std::abs(std::get<double>(found.parameters[0].value) - 1) < 1e-3; });
    std::move(fitted.begin(), fitted.end(), std::back_inserter(proposals));
  }
}

// --- Other parameters ----------------------------------------------------------------------------------------------

/// Returns whether a field changes only the amplitude: that is the cause "amplitude".
bool changes_amplitude_only(std::string_view name) {
  return name == "attention_factor" || name == "mscale" || name == "mscale_all_dim";
}

std::vector<double> starts_of_number(const ScalingField& parameter) {
  std::vector<double> starts;
  for (double power = 1.0 / 64; power <= 4096; power *= 2) starts.push_back(power);
  const bool is_cut = parameter.name.substr(0, 4) == "beta";
  for (const double start : logarithmic_grid(is_cut ? tuned::kStartsOfCutRamp : tuned::kStartsOfField))
    starts.push_back(start);
  std::erase_if(starts, [&](double start) { return start < parameter.minimum || start > parameter.maximum; });
  return starts;
}

/// Reports the number that was found.
void describe_number(Proposal& found, const std::string& method, const std::string& name, double value, double asked) {
  found.parameters.push_back({name, value});
  const Message::Named parameter("parameter", name), due("due", asked);
  found.evidence = Message("check.scaling-parameters.evidence", {{"method", method}, parameter, {"found", value}, due});
  found.advice = Message("check.scaling-parameters.advice", {parameter, due});
  if (name != "factor" || value != asked * asked) return;
  found.parameters.push_back({"kind", named_value("squared")});
  found.evidence = sentences(std::move(found.evidence), Message("check.scaling-parameters.evidence_squared"));
}

/// Appends the numbers of Llama 3.1 and 3.2, all of them, in place of the specified ones.
void propose_usual(const Situation& situation, std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (!find_parameter(method, "low_frequency_factor")) return;
  for (const double factor : {8.0, 32.0}) {
    RotarySpec other = spec;
    std::vector<std::pair<const ScalingField*, double>> changed;
    for (const auto& [name, value] : {std::pair("factor", factor), std::pair("low_frequency_factor", 1.0),
                                      std::pair("high_frequency_factor", 4.0)}) {
      const ScalingField& parameter = *find_parameter(method, name);
      if (parameter_or_default(spec.extension, name) == value) continue;
      other = set_number_by_name(other, name, value);
      changed.emplace_back(&parameter, value);
    }
    // A single number is fitted elsewhere.
    if (changed.size() < 2) continue;
    add_ropes(situation, other, situation.model.length, proposals, [&](Proposal& found) {
      for (const auto& [parameter, value] : changed) {
        Proposal one;
        describe_number(one, std::string(method.name), std::string(parameter->name), value,
                        parameter_or_default(spec.extension, parameter->name));
        found.parameters.push_back(one.parameters[0]);
        const bool first = found.parameters.size() == 1;
        found.evidence = first ? one.evidence : sentences(std::move(found.evidence), std::move(one.evidence));
        found.advice = first ? one.advice : sentences(std::move(found.advice), std::move(one.advice));
      }
    });
  }
}

void propose_number_lengths(const Situation& situation, const std::string& method, std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const double trained = *spec.trained_length;
  const auto factor = spec.extension.number("factor");
  std::vector<double> starts;
  for (double part = 1.0 / 128; part <= 128; part *= 2) starts.push_back(part * trained);
  for (const double part : logarithmic_grid(tuned::kStartsOfTrainedLength)) starts.push_back(part * trained);
  if (factor) {
    starts.push_back(trained * *factor);
    starts.push_back(trained / *factor);
  }
  add_fitted(situation, spec, "trained_length", starts, proposals,
             [&](Proposal& found, double value) { describe_number(found, method, "trained_length", value, trained); });
  if (!factor) return;
  // Length and factor together: the length after the extension in place of the one before it.
  for (const double length : {trained * *factor, trained / *factor}) {
    add_fitted(situation, set_number_by_name(spec, "trained_length", length), "factor",
               logarithmic_grid(tuned::kStartsOfFactorAtLength), proposals, [&](Proposal& found, double value) {
                 describe_number(found, method, "factor", value, *factor);
                 found.parameters.push_back({"trained_length", length});
               });
  }
}

/// Removes proposals that change only the amplitude: LongRoPE's factor gives the context length and nothing more.
void drop_those_of_amplitude(const CheckModel& model, std::vector<Proposal>& proposals) {
  std::erase_if(proposals, [&](const Proposal& found) {
    const Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    return frequencies.cols() == model.tokens.pair_count() &&
           frequencies.isApprox(model.tokens.frequencies, tuned::kPlainFactor);
  });
}

void propose_scaling_fields(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.is_extended()) return;
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  const std::string name(method.name);
  for (const ScalingField& parameter : method.parameters) {
    const std::string key(parameter.name);
    // The paper's ramp is the cause "scaling-kind".
    if (changes_amplitude_only(parameter.name) || key == "paper_ramp") continue;
    const double asked = parameter_or_default(spec.extension, parameter.name);
    if (parameter.is_switch) {
      add_ropes(situation, set_number_by_name(spec, key, asked != 0 ? 0 : 1), situation.model.length, proposals,
                [&](Proposal& found) { describe_number(found, name, key, asked != 0 ? 0 : 1, asked); });
      continue;
    }
    add_fitted(situation, spec, key, starts_of_number(parameter), proposals,
               [&](Proposal& found, double value) { describe_number(found, name, key, value, asked); });
  }
  propose_usual(situation, proposals);
  if (method.needs_trained_length && spec.trained_length) propose_number_lengths(situation, name, proposals);
  drop_those_of_amplitude(situation.model, proposals);
}

// --- The ramp ------------------------------------------------------------------------------------------------------

/// θ = kept·plain + (1 − kept)·plain/factor of each pair, as in the methods with a ramp.
struct Ramp {
  Eigen::VectorXd plain, due, kept;
  double factor = 1, base = 0, dimension = 0;

  Eigen::VectorXd blend(const Eigen::VectorXd& fast, const Eigen::VectorXd& slow) const {
    return blend(kept, fast, slow);
  }
  static Eigen::VectorXd blend(const Eigen::VectorXd& part, const Eigen::VectorXd& fast, const Eigen::VectorXd& slow) {
    return part.array() * fast.array() + (1 - part.array()) * slow.array();
  }
  Eigen::VectorXd slowed() const { return plain / factor; }
  /// Returns the plain ladder with another base.
  Eigen::VectorXd scale_to_base(double other) const { return plain.array().pow(std::log(other) / std::log(base)); }
  double ntk() const { return dimension > 2 ? base * std::pow(factor, dimension / (dimension - 2)) : base; }
};

/// Returns the ladder of an extended rotary embedding with one axis that rotates all its pairs; nullopt for others.
std::optional<Ramp> extended_ladder(const Situation& situation) {
  const CheckModel& model = situation.model;
  if (!model.is_extended() || model.rope->axes.size() != 1) return std::nullopt;
  const Ladders& ladders = situation.ladders();
  Ramp ramp{ladders.plain.row(0).transpose(), model.tokens.frequencies.row(0).transpose(), {}};
  ramp.base = model.rope->axes[0].base;
  ramp.dimension = model.rope->axes[0].rotary_dim;
  const bool turns = ramp.due.size() > 1 && ramp.due.size() == ramp.plain.size() && ramp.plain.minCoeff() > 0 &&
                     ramp.due.minCoeff() > 0;
  if (!turns || ladders.unit[0] != 1) return std::nullopt;
  ramp.factor = model.rope->extension.number("factor").value_or(1);
  return ramp;
}

/// Returns an extended_ladder() with its ramp; nullopt if the method has none.
std::optional<Ramp> ramp_of(const Situation& situation, Ramp ramp) {
  const ScalingMethod& method = find_scaling_method(situation.model.rope->extension.method);
  if (method.ramp.along == ScalingRamp::Along::nothing) return std::nullopt;
  if (!find_parameter(method, "factor")) ramp.factor = (ramp.plain.array() / ramp.due.array()).maxCoeff();
  if (!(ramp.factor > 1)) return std::nullopt;
  const double divided = 1 / ramp.factor;
  ramp.kept = (ramp.due.array() / ramp.plain.array() - divided) / (1 - divided);
  for (double& part : ramp.kept) part = std::clamp(part, 0.0, 1.0);
  return ramp;
}

/// Appends frequencies of the only axis, with their name and the key of the evidence.
struct Adder {
  const Situation& situation;
  std::vector<Proposal>& proposals;
  double factor = 1;

  Proposal* operator()(std::string_view kind, std::string_view evidence, const Eigen::VectorXd& frequencies,
                       Doubt doubt = Doubt::none, bool of_ramp = true) const {
    const CheckModel& model = situation.model;
    situation.evidence.spend(kOfPower * frequencies.size());
    const Eigen::VectorXd due = model.tokens.frequencies.row(0).transpose();
    if (situation.evidence.is_spent() || !frequencies.allFinite() || frequencies.isApprox(due, tuned::kPlainFactor))
      return nullptr;
    Proposal& found = situation.add_to(proposals);
    found.model.tokens.frequencies.row(0) = frequencies.transpose();
    found.parameters = {{"kind", named_value(kind)}};
    const Message::Named method("method", model.rope->extension.method);
    found.evidence = Message(evidence, {method, {"factor", factor}});
    found.advice = of_ramp ? Message("check.scaling-kind.advice_ramp", {method})
                           : Message("check.scaling-kind.advice", {{"due", model.rope->extension.method}});
    found.doubt = doubt;
    return &found;
  }
};

/// Numbers of turns in the trained length at the two ends of the ramp.
struct RampTurns {
  double slow = 0, fast = 0;
};

std::optional<RampTurns> turns_of(const RotarySpec& spec) {
  if (!spec.trained_length) return std::nullopt;
  const ScalingRamp& ramp = find_scaling_method(spec.extension.method).ramp;
  return RampTurns{parameter_or_default(spec.extension, ramp.slow), parameter_or_default(spec.extension, ramp.fast)};
}

/// Appends the ramp over another variable, or from its other end.
void add_other_ramps(const Situation& situation, const Ramp& ramp, const Adder& add) {
  const RotarySpec& spec = *situation.model.rope;
  const Eigen::VectorXd slowed = ramp.slowed();
  const Eigen::VectorXd inverted = 1 - ramp.kept.array();
  const auto turns = turns_of(spec);
  const bool truncates = find_parameter(find_scaling_method(spec.extension.method), "truncate") != nullptr;
  if (turns && truncates) {
    const auto [low, high] = correction_range(spec.axes[0], *spec.trained_length, {turns->slow, turns->fast},
                                              parameter_or_default(spec.extension, "truncate") != 0);
    const Eigen::VectorXd kept = make_ramp(low, high, ramp.plain.size());
    // If nothing is rounded, this is the inverted mask.
    if (!kept.isApprox(inverted, tuned::kSameLadder))
      add("exchanged", "check.scaling-kind.evidence_exchanged", Ramp::blend(kept, ramp.plain, slowed));
  }
  add("inverted", "check.scaling-kind.evidence_inverted", Ramp::blend(inverted, ramp.plain, slowed));
  Eigen::VectorXd middle = ramp.kept;
  for (double& part : middle) part = part > 0 && part < 1 ? 1 - part : part;
  add("inverted", "check.scaling-kind.evidence_inverted_middle", Ramp::blend(middle, ramp.plain, slowed));
  add("reversed", "check.scaling-kind.evidence_reversed", Ramp::blend(ramp.kept.reverse(), ramp.plain, slowed));
  add("wavelengths", "check.scaling-kind.evidence_wavelengths",
      ramp.blend(ramp.plain.cwiseInverse(), slowed.cwiseInverse()).cwiseInverse());
  add("geometric", "check.scaling-kind.evidence_geometric",
      ramp.plain.array() * ((ramp.kept.array() - 1) * std::log(ramp.factor)).exp());
  if (!turns || !(turns->fast > turns->slow) || !(turns->slow > 0)) return;
  const double longest = *spec.trained_length / turns->slow, shortest = *spec.trained_length / turns->fast;
  Eigen::VectorXd by_wavelength(ramp.plain.size()), by_index(ramp.plain.size());
  for (Eigen::Index pair = 0; pair < ramp.plain.size(); ++pair) {
    const double wave = 2 * std::numbers::pi / ramp.plain[pair];
    by_wavelength[pair] = std::clamp((longest - wave) / (longest - shortest), 0.0, 1.0);
    by_index[pair] = std::clamp(std::log(longest / wave) / std::log(longest / shortest), 0.0, 1.0);
  }
  add("wavelengths", "check.scaling-kind.evidence_by_wavelength", Ramp::blend(by_wavelength, ramp.plain, slowed));
  // YaRN's own ramp without truncation is another number of the method.
  if (!truncates) add("index", "check.scaling-kind.evidence_by_index", Ramp::blend(by_index, ramp.plain, slowed));
}

/// Appends another ladder in one or both of the two parts that the ramp blends.
void add_other_parts(const Situation& situation, const Ramp& ramp, const Adder& add) {
  const Eigen::VectorXd slowed = ramp.slowed(), on_product = ramp.scale_to_base(ramp.base * ramp.factor),
                        on_ntk = ramp.scale_to_base(ramp.ntk());
  add("interpolated-base", "check.scaling-kind.evidence_interpolated_base", ramp.blend(ramp.plain, on_product));
  add("interpolated-ntk", "check.scaling-kind.evidence_interpolated_ntk", ramp.blend(ramp.plain, on_ntk));
  add("interpolated-ntk", "check.scaling-kind.evidence_interpolated_ntk_divided",
      ramp.blend(ramp.plain, on_ntk / ramp.factor));
  add("interpolated-multiplied", "check.scaling-kind.evidence_interpolated_multiplied",
      ramp.blend(ramp.plain, ramp.plain * ramp.factor));
  add("kept-base", "check.scaling-kind.evidence_kept_base", ramp.blend(on_product, slowed));
  add("kept-ntk", "check.scaling-kind.evidence_kept_ntk", ramp.blend(on_ntk, slowed));
  add("kept-ntk", "check.scaling-kind.evidence_both_ntk", ramp.blend(on_ntk, on_ntk / ramp.factor));
  // The whole method on NTK's base, including its ramp.
  RotarySpec rebased = *situation.model.rope;
  for (const double base : {ramp.ntk(), ramp.base * ramp.factor}) {
    rebased.axes[0].base = base;
    const Eigen::MatrixXd frequencies = frequencies_or_nan(rebased, situation.model.length);
    if (frequencies.cols() != ramp.plain.size()) continue;
    add("ntk-base", "check.scaling-kind.evidence_ntk_base", frequencies.row(0).transpose());
  }
}

void propose_ramp(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto extended = extended_ladder(situation);
  if (!extended) return;
  const Adder add{situation, proposals, extended->factor};
  const Eigen::ArrayXd ratio = extended->due.array() / extended->plain.array();
  if (const auto ramp = ramp_of(situation, *extended)) {
    const Adder add_ramp{situation, proposals, ramp->factor};
    add_other_ramps(situation, *ramp, add_ramp);
    add_other_parts(situation, *ramp, add_ramp);
  }
  // One factor for all pairs is a factor of positions.
  if ((ratio / ratio[0] - 1).abs().maxCoeff() < tuned::kSameLadder) return;
  const auto add_whole = [&](std::string_view kind, std::string_view evidence, const Eigen::VectorXd& frequencies) {
    constexpr bool kOfRamp = false;
    add(kind, evidence, frequencies, Doubt::none, kOfRamp);
  };
  add_whole("twice", "check.scaling-kind.evidence_twice", extended->due.array() * ratio);
  add_whole("multiplied", "check.scaling-kind.evidence_multiplied", extended->plain.array() / ratio);
  const ScalingMethod& method = find_scaling_method(situation.model.rope->extension.method);
  if (method.ramp.along == ScalingRamp::Along::turns) {
    // The second time with the wavelengths that the first one gave.
    const Eigen::MatrixXd again = extend_plain_ladder(situation.model, situation.ladders(), extended->due.transpose());
    add_whole("twice", "check.scaling-kind.evidence_twice", again.row(0).transpose());
  }
  if (method.lists.empty()) return;
  const Eigen::Index pairs = ratio.size();
  add_whole("reversed", "check.scaling-kind.evidence_list_reversed", extended->plain.array() * ratio.reverse());
  Eigen::ArrayXd later = ratio, earlier = ratio;
  later.head(pairs - 1) = ratio.tail(pairs - 1), earlier.tail(pairs - 1) = ratio.head(pairs - 1);
  for (const Eigen::ArrayXd& shifted : {later, earlier})
    add_whole("shifted", "check.scaling-kind.evidence_list_shifted", extended->plain.array() * shifted);
}

/// Returns the ends of a line through the blended pairs: where their plain part is 1 and where it is 0. nullopt if
/// fewer than two pairs show it.
std::optional<std::pair<Fit, Fit>> ends_of(const Eigen::VectorXd& kept, const Eigen::VectorXd& error,
                                           const Eigen::VectorXd& along) {
  LineFit line;
  for (Eigen::Index pair = 0; pair < kept.size(); ++pair) {
    if (!(kept[pair] > tuned::kBlended && kept[pair] < 1 - tuned::kBlended && error[pair] < tuned::kSureRatio))
      continue;
    line.add(along[pair], kept[pair], 1 / (error[pair] * error[pair]));
  }
  if (!line.determined() || line.slope() == 0) return std::nullopt;
  const auto at = [&](double part) {
    const double place = (part - line.start()) / line.slope();
    return Fit{place, line.at(place).second / std::abs(line.slope()), 0};
  };
  return std::pair(at(1), at(0));
}

/// Rounds an end to an integer, a half or a tenth if one is near; else returns the fit.
double round_end(const Fit& fit) {
  const double reach = std::max(tuned::kErrors * fit.error, tuned::kSameRatio * std::abs(fit.value));
  for (const double unit : {1.0, 0.5, 0.1}) {
    const double near = std::nearbyint(fit.value / unit) * unit;
    if (std::abs(near - fit.value) <= reach) return near;
  }
  return fit.value;
}

/// Appends a ramp between other ends than those from the config's numbers.
void propose_ends(const Situation& situation, const Ramp& ramp, const PairRatios& ratios, const Adder& add) {
  const RotarySpec& spec = *situation.model.rope;
  const double divided = 1 / ramp.factor;
  const Eigen::VectorXd kept = (ratios.ratio.array() - divided) / (1 - divided);
  const Eigen::VectorXd error = ratios.error.array() / (1 - divided) + 1e-12;
  const bool by_index = find_scaling_method(spec.extension.method).ramp.along == ScalingRamp::Along::index;
  Eigen::VectorXd along(kept.size());
  for (Eigen::Index pair = 0; pair < kept.size(); ++pair) {
    along[pair] = by_index ? static_cast<double>(pair)
                           : spec.trained_length.value_or(1) * ramp.plain[pair] / (2 * std::numbers::pi);
  }
  const auto ends = ends_of(kept, error, along);
  if (!ends) return;
  for (const bool rounded : {true, false}) {
    const double low = rounded ? round_end(ends->first) : ends->first.value;
    const double high = rounded ? round_end(ends->second) : ends->second.value;
    if (low == high) continue;
    Eigen::VectorXd part(kept.size());
    for (Eigen::Index pair = 0; pair < part.size(); ++pair)
      part[pair] = std::clamp((along[pair] - high) / (low - high), 0.0, 1.0);
    Proposal* found =
        add("bounds", by_index ? "check.scaling-kind.evidence_bounds" : "check.scaling-kind.evidence_bounds_turns",
            Ramp::blend(part, ramp.plain, ramp.slowed()), rounded ? Doubt::round_number : Doubt::fitted);
    if (found == nullptr) continue;
    // The slower a pair is, the fewer turns it completes.
    const double first = by_index ? low : high, last = by_index ? high : low;
    found->parameters.push_back({"low", first});
    found->parameters.push_back({"high", last});
    found->evidence.values.emplace_back("low", first);
    found->evidence.values.emplace_back("high", last);
    if (!rounded) found->model.slack = tuned::kSlackOfFit;
  }
}

/// Returns the ladder that each pair is on, of several ratios to the plain one; empty if a known pair is on none.
std::vector<std::size_t> assign_ladders(const PairRatios& ratios, const std::vector<Eigen::VectorXd>& ladders) {
  std::vector<std::size_t> taken;
  for (Eigen::Index pair = 0; pair < ratios.ratio.size(); ++pair) {
    std::optional<std::size_t> nearest;
    double least = std::max(tuned::kErrors * ratios.error[pair], tuned::kSameStretch * ratios.ratio[pair]);
    for (std::size_t i = 0; i < ladders.size() && std::isfinite(ratios.error[pair]); ++i) {
      const double by = std::abs(ratios.ratio[pair] - ladders[i][pair]);
      if (by < least) least = by, nearest = i;
    }
    const bool known = ratios.error[pair] < tuned::kSureRatio * ratios.ratio[pair];
    if (known && !nearest) return {};
    // An unknown pair continues the run of the previous one.
    taken.push_back(known ? *nearest : taken.empty() ? 0 : taken.back());
  }
  return taken;
}

/// Appends pairs that use one of a few ladders, in runs: a step instead of the ramp, or only some pairs scaled.
void propose_runs(const Ramp& extended, const PairRatios& ratios, const Adder& add) {
  const Eigen::VectorXd plain = Eigen::VectorXd::Ones(ratios.ratio.size());
  const Eigen::VectorXd due = extended.due.array() / extended.plain.array();
  std::vector<Eigen::VectorXd> ladders = {due, plain};
  if (extended.factor > 1) ladders.push_back(plain / extended.factor);
  const std::vector<std::size_t> taken = assign_ladders(ratios, ladders);
  std::vector<double> runs;
  Eigen::VectorXd frequencies(due.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const auto pair = static_cast<Eigen::Index>(i);
    const double ratio = ladders[taken[i]][pair];
    frequencies[pair] = taken[i] == 0 ? extended.due[pair] : extended.plain[pair] * ratio;
    // If the expected ladder equals the plain or the divided one, a run of these includes it.
    if (std::abs(ratio - due[pair]) <= tuned::kSameLadder * due[pair]) continue;
    const bool goes_on = !runs.empty() && runs.back() == static_cast<double>(pair) - 1;
    if (!goes_on) runs.insert(runs.end(), 2, static_cast<double>(pair));
    runs.back() = static_cast<double>(pair);
  }
  if (runs.empty() || runs.size() > 2 * tuned::kMaxLadderRuns) return;
  const Eigen::ArrayXd made = frequencies.array() / extended.plain.array();
  // Without any extension there is no partial one.
  if ((made - 1).abs().maxCoeff() < tuned::kSameLadder) return;
  Eigen::Index steps = 0, step = 0;
  for (Eigen::Index pair = 1; pair < made.size(); ++pair) {
    if (std::abs(made[pair] - made[pair - 1]) > tuned::kSameLadder) ++steps, step = pair;
  }
  const bool from_plain = std::abs(made[0] - 1) < tuned::kSameLadder;
  const bool bent = (due.array() - due[0]).abs().maxCoeff() > tuned::kSameLadder;
  const bool is_step = steps == 1 && from_plain && bent;
  Proposal* found = is_step ? add("step", "check.scaling-kind.evidence_step", frequencies, Doubt::round_number)
                            : add("part", "check.scaling-kind.evidence_part", frequencies, Doubt::round_number);
  if (found == nullptr) return;
  if (is_step) {
    found->parameters.push_back({"pairs", static_cast<double>(step)});
    found->evidence.values.emplace_back("last", static_cast<std::int64_t>(step - 1));
    found->evidence.values.emplace_back("first", static_cast<std::int64_t>(step));
  } else {
    found->parameters.push_back({"pairs", runs});
    found->evidence.values.emplace_back("runs", ratio_runs(ratios));
  }
}

void propose_fitted_ramp(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto extended = extended_ladder(situation);
  if (!extended) return;
  const auto ratios = pair_ratios(situation);
  if (!ratios) return;
  const Adder add{situation, proposals, extended->factor};
  propose_runs(*extended, *ratios, add);
  if (const auto ramp = ramp_of(situation, *extended))
    propose_ends(situation, *ramp, *ratios, {situation, proposals, ramp->factor});
}

// --- The switch by length ------------------------------------------------------------------------------------------

void add_at(const Situation& situation, double length, bool fitted, std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  add_ropes(situation, spec, length, proposals, [&](Proposal& found) {
    found.set_fitted(fitted, length == *spec.trained_length ? Doubt::none : doubt_of(length));
    found.parameters = {{"length", length}};
    const bool lists = !spec.extension.lists.empty();
    const bool is_long = length > *spec.trained_length;
    if (lists) found.parameters.push_back({"list", named_value(is_long ? "long" : "short")});
    const double due = situation.model.length.value_or(*spec.trained_length);
    found.evidence = lists
                         ? Message(is_long ? "check.length-switch.evidence_long" : "check.length-switch.evidence_short",
                                   {{"due", due}})
                         : Message("check.length-switch.evidence",
                                   {{"method", spec.extension.method}, {"found", length}, {"due", due}});
    found.advice = Message("check.length-switch.advice", {{"due", due}});
  });
}

void propose_length_switch(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope || !situation.model.rope->trained_length) return;
  const RotarySpec& spec = *situation.model.rope;
  if (!find_scaling_method(spec.extension.method).depends_on_length) return;
  const double trained = *spec.trained_length;
  if (!spec.extension.lists.empty()) {
    add_at(situation, trained, false, proposals);
    add_at(situation, trained + 1, false, proposals);
    return;
  }
  add_at(situation, trained, false, proposals);
  const Family family = [&](double length) {
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return frequencies_or_nan(spec, length);
  };
  auto fit = fit_parameter(situation.measured(), family, logarithmic_grid(tuned::kStartsOfLength.times(trained)));
  if (!fit) return;
  *fit = refine_fit(situation.evidence, *fit, [&](double length) {
    CheckModel model = situation.model;
    model.tokens.frequencies = family(length);
    return model;
  });
  std::vector<double> lengths = round_numbers(*fit);
  for (const double length : numbers_for_rounded(situation.model, *fit)) lengths.push_back(length);
  for (const double length : lengths) {
    if (length > trained) add_at(situation, length, length == fit->value, proposals);
  }
}

}  // namespace

/// Plain frequencies although the config specifies an extension.
constinit const Cause kScalingMissing{.name = "scaling-missing",
                                      .group = CauseGroup::frequencies,
                                      .seen_in = "unslothai/unsloth#6197",
                                      .propose = propose_scaling_missing,
                                      .own_number = own_number_of_extension};

/// Another method's ramp.
extern constinit const Cause kScalingKindExact{.name = "scaling-kind",
                                               .group = CauseGroup::frequencies,
                                               .seen_in = "ml-explore/mlx-examples#907",
                                               .propose = propose_exact};

/// Another method's ramp with a fitted factor.
constinit const Cause kScalingKind{.name = "scaling-kind",
                                   .group = CauseGroup::frequencies,
                                   .seen_in = "ml-explore/mlx-examples#907",
                                   .propose = propose_scaling_kind};

/// The right method with another factor, length, ramp or truncation.
constinit const Cause kScalingFields{.name = "scaling-parameters",
                                     .group = CauseGroup::frequencies,
                                     .seen_in = "vllm-project/vllm#27722, keras-team/keras-hub#2981",
                                     .propose = propose_scaling_fields,
                                     .own_number = own_number_of_extension};

/// The specified method with its ramp or one of its two parts computed differently.
extern constinit const Cause kScalingRamp{
    .name = "scaling-kind", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_ramp};

/// A ramp of the specified method with fitted ends or runs of pairs.
extern constinit const Cause kScalingRampFitted{
    .name = "scaling-kind", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_fitted_ramp};

/// The other list of LongRoPE, or the dynamic base of another length.
constinit const Cause kLengthSwitch{.name = "length-switch",
                                    .group = CauseGroup::frequencies,
                                    .seen_in = "huggingface/transformers#33129, ggml-org/llama.cpp#8995",
                                    .propose = propose_length_switch,
                                    .own_number = own_number_of_extension};

}  // namespace ropescope
