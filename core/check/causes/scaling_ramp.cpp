#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check/search/line_fit.h"
#include "core/check/search/ratios.h"
#include "core/check/search/ropes.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

/// θ = kept·plain + (1 − kept)·plain/factor, as the methods with a ramp make it of each pair.
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
  /// The plain ladder on another base.
  Eigen::VectorXd on_base(double other) const { return plain.array().pow(std::log(other) / std::log(base)); }
  double ntk() const { return dimension > 2 ? base * std::pow(factor, dimension / (dimension - 2)) : base; }
};

/// Of a rope of one axis that turns all its pairs and is extended.
std::optional<Ramp> extended_ladder(const Situation& situation) {
  const CheckModel& model = situation.model;
  if (!model.rope || model.rope->axes.size() != 1 || model.rope->extension.method == "none") return std::nullopt;
  const Ladders& ladders = situation.ladders();
  Ramp ramp{ladders.plain.row(0).transpose(), model.tokens.frequencies.row(0).transpose(), {}};
  ramp.base = model.rope->axes[0].base;
  ramp.dimension = model.rope->axes[0].rotary_dim;
  const bool turns = ramp.due.size() > 1 && ramp.due.size() == ramp.plain.size() && ramp.plain.minCoeff() > 0 &&
                     ramp.due.minCoeff() > 0;
  if (!turns || ladders.unit[0] != 1) return std::nullopt;
  const auto factor = model.rope->extension.numbers.find("factor");
  ramp.factor = factor == model.rope->extension.numbers.end() ? 1 : factor->second;
  return ramp;
}

/// The same of a method with a ramp.
std::optional<Ramp> ramp_of(const Situation& situation) {
  auto ramp = extended_ladder(situation);
  if (!ramp) return std::nullopt;
  const std::string& method = situation.model.rope->extension.method;
  if (method == "dynamic-yarn") ramp->factor = (ramp->plain.array() / ramp->due.array()).maxCoeff();
  const bool known = method == "yarn" || method == "dynamic-yarn" || method == "llama3" || method == "ntk-by-parts";
  if (!known || !(ramp->factor > 1)) return std::nullopt;
  const double divided = 1 / ramp->factor;
  ramp->kept = (ramp->due.array() / ramp->plain.array() - divided) / (1 - divided);
  for (double& part : ramp->kept) part = std::clamp(part, 0.0, 1.0);
  return ramp;
}

/// Appends frequencies of the one axis, with what they are called and the key of what shows them.
struct Adder {
  const Situation& situation;
  std::vector<Proposal>& proposals;
  double factor = 1;

  Proposal* operator()(std::string_view kind, std::string_view evidence, const Eigen::VectorXd& frequencies,
                       Doubt doubt = Doubt::none, bool of_ramp = true) const {
    const CheckModel& model = situation.model;
    situation.evidence.spend(kOfPower * frequencies.size());
    const Eigen::VectorXd due = model.tokens.frequencies.row(0).transpose();
    if (situation.evidence.is_spent() || !frequencies.allFinite() || frequencies.isApprox(due, 1e-12)) return nullptr;
    Proposal found = situation.proposal();
    found.model.tokens.frequencies.row(0) = frequencies.transpose();
    found.parameters = {{"kind", named_value(kind)}};
    const Words::Named method("method", model.rope->extension.method);
    found.evidence = Words(evidence, {method, {"factor", factor}});
    found.advice = of_ramp ? Words("check.scaling-kind.advice_ramp", {method})
                           : Words("check.scaling-kind.advice", {{"due", model.rope->extension.method}});
    found.doubt = doubt;
    proposals.push_back(std::move(found));
    return &proposals.back();
  }
};

/// A number of the extension, or the one that stands in for it.
double number_of(const RotarySpec& spec, const std::string& name) {
  const auto given = spec.extension.numbers.find(name);
  if (given != spec.extension.numbers.end()) return given->second;
  const ScalingParameter* parameter = find_parameter(find_scaling_method(spec.extension.method), name);
  return parameter == nullptr ? 0 : parameter->initial;
}

/// Turns in the trained length between which the ramp lies.
struct ScalingRampTurns {
  double slow = 0, fast = 0;
};

std::optional<ScalingRampTurns> turns_of(const RotarySpec& spec) {
  const std::string& method = spec.extension.method;
  if (!spec.trained_length) return std::nullopt;
  if (method == "llama3")
    return ScalingRampTurns{number_of(spec, "low_frequency_factor"), number_of(spec, "high_frequency_factor")};
  if (method == "ntk-by-parts") return ScalingRampTurns{number_of(spec, "alpha"), number_of(spec, "beta")};
  return ScalingRampTurns{number_of(spec, "beta_slow"), number_of(spec, "beta_fast")};
}

/// The ramp over something else, or from its other end.
void add_other_ramps(const Situation& situation, const Ramp& ramp, const Adder& add) {
  const RotarySpec& spec = *situation.model.rope;
  const Eigen::VectorXd slowed = ramp.slowed();
  const Eigen::VectorXd inverted = 1 - ramp.kept.array();
  const auto turns = turns_of(spec);
  if (turns && spec.extension.method == "yarn") {
    const auto [low, high] = correction_range(spec.axes[0], *spec.trained_length, {turns->slow, turns->fast},
                                              number_of(spec, "truncate") != 0);
    const Eigen::VectorXd kept = kept_between(low, high, ramp.plain.size());
    // Where nothing is rounded that is the mask inverted.
    if (!kept.isApprox(inverted, 1e-9))
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
  if (spec.extension.method != "yarn")
    add("index", "check.scaling-kind.evidence_by_index", Ramp::blend(by_index, ramp.plain, slowed));
}

/// Another ladder in one of the two parts that the ramp blends, or in both.
void add_other_parts(const Situation& situation, const Ramp& ramp, const Adder& add) {
  const Eigen::VectorXd slowed = ramp.slowed(), on_product = ramp.on_base(ramp.base * ramp.factor),
                        on_ntk = ramp.on_base(ramp.ntk());
  add("interpolated-base", "check.scaling-kind.evidence_interpolated_base", ramp.blend(ramp.plain, on_product));
  add("interpolated-ntk", "check.scaling-kind.evidence_interpolated_ntk", ramp.blend(ramp.plain, on_ntk));
  add("interpolated-ntk", "check.scaling-kind.evidence_interpolated_ntk_divided",
      ramp.blend(ramp.plain, on_ntk / ramp.factor));
  add("interpolated-multiplied", "check.scaling-kind.evidence_interpolated_multiplied",
      ramp.blend(ramp.plain, ramp.plain * ramp.factor));
  add("kept-base", "check.scaling-kind.evidence_kept_base", ramp.blend(on_product, slowed));
  add("kept-ntk", "check.scaling-kind.evidence_kept_ntk", ramp.blend(on_ntk, slowed));
  add("kept-ntk", "check.scaling-kind.evidence_both_ntk", ramp.blend(on_ntk, on_ntk / ramp.factor));
  // The whole method on NTK's base, its ramp included.
  RotarySpec rebased = *situation.model.rope;
  for (const double base : {ramp.ntk(), ramp.base * ramp.factor}) {
    rebased.axes[0].base = base;
    const Eigen::MatrixXd frequencies = frequencies_or_nan(rebased, situation.model.length);
    if (frequencies.cols() != ramp.plain.size()) continue;
    add("ntk-base", "check.scaling-kind.evidence_ntk_base", frequencies.row(0).transpose());
  }
}

void propose_scaling_ramp(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto extended = extended_ladder(situation);
  if (!extended) return;
  const Adder add{situation, proposals, extended->factor};
  const Eigen::ArrayXd ratio = extended->due.array() / extended->plain.array();
  if (const auto ramp = ramp_of(situation)) {
    const Adder add_ramp{situation, proposals, ramp->factor};
    add_other_ramps(situation, *ramp, add_ramp);
    add_other_parts(situation, *ramp, add_ramp);
  }
  // One factor for all pairs is one of positions.
  if ((ratio / ratio[0] - 1).abs().maxCoeff() < 1e-9) return;
  const auto add_whole = [&](std::string_view kind, std::string_view evidence, const Eigen::VectorXd& frequencies) {
    constexpr bool kOfRamp = false;
    add(kind, evidence, frequencies, Doubt::none, kOfRamp);
  };
  add_whole("twice", "check.scaling-kind.evidence_twice", extended->due.array() * ratio);
  add_whole("multiplied", "check.scaling-kind.evidence_multiplied", extended->plain.array() / ratio);
  const std::string& method = situation.model.rope->extension.method;
  if (method == "llama3" || method == "ntk-by-parts") {
    // The second time with the wavelengths that the first one made.
    const Eigen::MatrixXd again = with_plain(situation.model, situation.ladders(), extended->due.transpose());
    add_whole("twice", "check.scaling-kind.evidence_twice", again.row(0).transpose());
  }
  if (method != "longrope") return;
  const Eigen::Index pairs = ratio.size();
  add_whole("reversed", "check.scaling-kind.evidence_list_reversed", extended->plain.array() * ratio.reverse());
  Eigen::ArrayXd later = ratio, earlier = ratio;
  later.head(pairs - 1) = ratio.tail(pairs - 1), earlier.tail(pairs - 1) = ratio.head(pairs - 1);
  for (const Eigen::ArrayXd& shifted : {later, earlier})
    add_whole("shifted", "check.scaling-kind.evidence_list_shifted", extended->plain.array() * shifted);
}

/// The ends of a line through the parts of pairs that are blended: where it is 1 and where 0. None where fewer than two
/// pairs show it.
std::optional<std::pair<Fit, Fit>> ends_of(const Eigen::VectorXd& kept, const Eigen::VectorXd& error,
                                           const Eigen::VectorXd& along) {
  constexpr double kClear = 1e-3, kSure = 0.05;
  LineFit line;
  for (Eigen::Index pair = 0; pair < kept.size(); ++pair) {
    if (!(kept[pair] > kClear && kept[pair] < 1 - kClear && error[pair] < kSure)) continue;
    line.add(along[pair], kept[pair], 1 / (error[pair] * error[pair]));
  }
  if (!line.determined() || line.slope() == 0) return std::nullopt;
  const auto at = [&](double part) {
    const double place = (part - line.start()) / line.slope();
    return Fit{place, line.at(place).second / std::abs(line.slope()), 0};
  };
  return std::pair(at(1), at(0));
}

/// Numbers that an end could have been: whole, half, or of few digits, else as it was fitted.
double rounded_end(const Fit& fit) {
  const double reach = std::max(8 * fit.error, 1e-4 * std::abs(fit.value));
  for (const double unit : {1.0, 0.5, 0.1}) {
    const double near = std::nearbyint(fit.value / unit) * unit;
    if (std::abs(near - fit.value) <= reach) return near;
  }
  return fit.value;
}

/// A ramp between other ends than those that the config's numbers give.
void propose_ends(const Situation& situation, const Ramp& ramp, const PairRatios& ratios, const Adder& add) {
  const RotarySpec& spec = *situation.model.rope;
  const double divided = 1 / ramp.factor;
  const Eigen::VectorXd kept = (ratios.ratio.array() - divided) / (1 - divided);
  const Eigen::VectorXd error = ratios.error.array() / (1 - divided) + 1e-12;
  const bool by_index = spec.extension.method == "yarn" || spec.extension.method == "dynamic-yarn";
  Eigen::VectorXd along(kept.size());
  for (Eigen::Index pair = 0; pair < kept.size(); ++pair) {
    along[pair] = by_index ? static_cast<double>(pair)
                           : spec.trained_length.value_or(1) * ramp.plain[pair] / (2 * std::numbers::pi);
  }
  const auto ends = ends_of(kept, error, along);
  if (!ends) return;
  for (const bool rounded : {true, false}) {
    const double low = rounded ? rounded_end(ends->first) : ends->first.value;
    const double high = rounded ? rounded_end(ends->second) : ends->second.value;
    if (low == high) continue;
    Eigen::VectorXd part(kept.size());
    for (Eigen::Index pair = 0; pair < part.size(); ++pair)
      part[pair] = std::clamp((along[pair] - high) / (low - high), 0.0, 1.0);
    Proposal* found =
        add("bounds", by_index ? "check.scaling-kind.evidence_bounds" : "check.scaling-kind.evidence_bounds_turns",
            Ramp::blend(part, ramp.plain, ramp.slowed()), rounded ? Doubt::round_number : Doubt::fitted);
    if (found == nullptr) continue;
    // Turns are the fewer the slower a pair is.
    const double first = by_index ? low : high, last = by_index ? high : low;
    found->parameters.push_back({"low", first});
    found->parameters.push_back({"high", last});
    found->evidence.values.emplace_back("low", first);
    found->evidence.values.emplace_back("high", last);
    if (!rounded) found->model.slack = 0.5;
  }
}

/// Pairs that take one of a few ladders, in runs: a step in place of the ramp, or only a part of the pairs scaled.
void propose_parts_scaling_ramp(const Ramp& extended, const PairRatios& ratios, const Adder& add) {
  const Eigen::VectorXd plain = Eigen::VectorXd::Ones(ratios.ratio.size());
  const Eigen::VectorXd due = extended.due.array() / extended.plain.array();
  std::vector<Eigen::VectorXd> ladders = {due, plain};
  if (extended.factor > 1) ladders.push_back(plain / extended.factor);
  std::vector<std::size_t> taken;
  for (Eigen::Index pair = 0; pair < ratios.ratio.size(); ++pair) {
    std::optional<std::size_t> nearest;
    double least = std::max(8 * ratios.error[pair], 1e-5 * ratios.ratio[pair]);
    for (std::size_t i = 0; i < ladders.size() && std::isfinite(ratios.error[pair]); ++i) {
      const double by = std::abs(ratios.ratio[pair] - ladders[i][pair]);
      if (by < least) least = by, nearest = i;
    }
    const bool known = ratios.error[pair] < 0.05 * ratios.ratio[pair];
    if (known && !nearest) return;
    // What nothing shows goes on as the pair before it.
    taken.push_back(known ? *nearest : taken.empty() ? 0 : taken.back());
  }
  // Where the due ladder is as the plain or the divided one, a run of these takes it in.
  const auto is_due = [&](std::size_t i, Eigen::Index pair) {
    return std::abs(ladders[i][pair] - due[pair]) <= 1e-9 * due[pair];
  };
  std::vector<double> runs;
  Eigen::VectorXd frequencies(due.size());
  for (Eigen::Index pair = 0; pair < due.size(); ++pair) {
    const std::size_t of = taken[static_cast<std::size_t>(pair)];
    frequencies[pair] = of == 0 ? extended.due[pair] : extended.plain[pair] * ladders[of][pair];
    const bool other = !is_due(of, pair);
    const bool goes_on = !runs.empty() && runs.back() == static_cast<double>(pair) - 1;
    if (other && goes_on) runs.back() = static_cast<double>(pair);
    if (other && !goes_on) runs.insert(runs.end(), 2, static_cast<double>(pair));
  }
  constexpr std::size_t kMostRuns = 4;
  if (runs.empty() || runs.size() > 2 * kMostRuns) return;
  const Eigen::VectorXd made = frequencies.array() / extended.plain.array();
  // Without any extension nothing is a part of it.
  if ((made.array() - 1).abs().maxCoeff() < 1e-9) return;
  const auto at_step = [&](Eigen::Index pair) { return std::abs(made[pair] - made[pair - 1]) > 1e-9; };
  Eigen::Index steps = 0, step = 0;
  for (Eigen::Index pair = 1; pair < made.size(); ++pair) {
    if (at_step(pair)) ++steps, step = pair;
  }
  const bool from_plain = std::abs(made[0] - 1) < 1e-9;
  const bool bent = (due.array() - due[0]).abs().maxCoeff() > 1e-9;
  if (steps == 1 && from_plain && bent) {
    Proposal* found = add("step", "check.scaling-kind.evidence_step", frequencies, Doubt::round_number);
    if (found == nullptr) return;
    found->parameters.push_back({"pairs", static_cast<double>(step)});
    found->evidence.values.emplace_back("last", static_cast<std::int64_t>(step - 1));
    found->evidence.values.emplace_back("first", static_cast<std::int64_t>(step));
    return;
  }
  Proposal* found = add("part", "check.scaling-kind.evidence_part", frequencies, Doubt::round_number);
  if (found == nullptr) return;
  found->parameters.push_back({"pairs", runs});
  found->evidence.values.emplace_back("runs", ratio_runs(ratios));
}

void propose_fitted_scaling_ramp(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto extended = extended_ladder(situation);
  if (!extended) return;
  const auto ratios = pair_ratios(situation);
  if (!ratios) return;
  const Adder add{situation, proposals, extended->factor};
  propose_parts_scaling_ramp(*extended, *ratios, add);
  if (const auto ramp = ramp_of(situation))
    propose_ends(situation, *ramp, *ratios, {situation, proposals, ramp->factor});
}

}  // namespace

/// The method that is asked for, its ramp or one of its two parts made otherwise.
constinit const Cause kScalingRamp{
    .name = "scaling-kind", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_scaling_ramp};

/// The same with ends or runs of pairs that the frequencies show.
constinit const Cause kScalingRampFitted{
    .name = "scaling-kind", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_fitted_scaling_ramp};

}  // namespace ropescope
