#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "core/check/search/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// A method as it would be used in place of the config's: with its factor, and defaults for the rest.
struct ScalingKindKind {
  std::string_view method;
  std::string_view ramp;  ///< key of what it does
  std::map<std::string, double> numbers;
  /// One geometric ladder, or the plain one times a factor, whatever the frequencies: no ramp.
  enum class Shape { ramp, factor, geometric } shape = Shape::ramp;
};

std::vector<ScalingKindKind> kinds() {
  return {{"linear", "check.scaling-kind.linear", {}, ScalingKindKind::Shape::factor},
          {"ntk-aware", "check.scaling-kind.ntk-aware", {}, ScalingKindKind::Shape::geometric},
          {"yarn", "check.scaling-kind.yarn", {}},
          {"yarn", "check.scaling-kind.yarn-untruncated", {{"truncate", 0}}},
          {"ntk-by-parts", "check.scaling-kind.ntk-by-parts", {}},
          {"llama3", "check.scaling-kind.llama3", {{"low_frequency_factor", 1}, {"high_frequency_factor", 4}}},
          {"ntk-by-parts-released", "check.scaling-kind.ntk-by-parts-released", {}},
          {"diffusers-ntk", "check.scaling-kind.diffusers-ntk", {}, ScalingKindKind::Shape::geometric}};
}

RotarySpec spec_of(const RotarySpec& spec, const ScalingKindKind& kind, const ScalingMethod& method) {
  RotarySpec other = spec;
  other.extension = {std::string(kind.method), kind.numbers, {}};
  for (const auto& [name, value] : spec.extension.numbers) {
    const bool taken = name != "truncate" && find_parameter(method, name) != nullptr;
    if (taken && kind.numbers.find(name) == kind.numbers.end()) other.extension.numbers[name] = value;
  }
  return other;
}

void describe_scaling_kind(const RotarySpec& spec, const ScalingKindKind& kind, double factor, Proposal& found) {
  found.parameters = {{"factor", factor}, {"kind", as_it_is(kind.method)}};
  const Words::Named due("due", spec.extension.method);
  found.evidence = Words("check.scaling-kind.evidence",
                         {{"method", kind.method}, {"factor", factor}, {"ramp", Words(kind.ramp)}, due});
  found.advice = spec.extension.method == "none" ? Words("check.scaling-kind.advice_none")
                                                 : Words("check.scaling-kind.advice", {due});
}

/// Whether another kind says no more than another number of the model's own: a factor of the plain ladder, or another
/// base of one geometric ladder.
bool is_of_own_shape(const Situation& situation, ScalingKindKind::Shape shape) {
  if (shape == ScalingKindKind::Shape::geometric) return is_geometric(situation.model);
  const Ladders& ladders = situation.ladders();
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const double ratio = frequencies(0, 0) / ladders.plain(0, 0);
  return shape == ScalingKindKind::Shape::factor && frequencies.isApprox(ratio * ladders.plain, 1e-9);
}

/// Other methods with the config's factor and the defaults for the rest: no fit, so more telling than one.
void propose_exact(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope) return;
  const RotarySpec& spec = *situation.model.rope;
  const auto factor = spec.extension.numbers.find("factor");
  // With the factor 1 every method gives the plain frequencies.
  if (factor == spec.extension.numbers.end() || factor->second == 1) return;
  for (const ScalingKindKind& kind : kinds()) {
    // One that only is some times another is a factor first.
    if (kind.method == spec.extension.method || is_of_own_shape(situation, kind.shape)) continue;
    const ScalingMethod& method = find_scaling_method(kind.method);
    if (method.needs_trained_length && !spec.trained_length) continue;
    add_ropes(situation, with_number(spec_of(spec, kind, method), "factor", factor->second), situation.model.length,
              proposals, [&](Proposal& found) { describe_scaling_kind(spec, kind, factor->second, found); });
  }
}

/// Another method over a length of its own: a config whose method needs none says none, or the extended one. Of the
/// usual lengths the one that fits best.
void propose_lengths_scaling_kind(const Situation& situation, const ScalingKindKind& kind, double factor,
                                  std::vector<Proposal>& proposals) {
  const RotarySpec& spec = *situation.model.rope;
  const ScalingMethod& method = find_scaling_method(kind.method);
  if (!method.needs_trained_length) return;
  std::vector<double> lengths;
  for (double length = 1024; length <= (1 << 20); length *= 2) lengths.push_back(length);
  if (spec.trained_length)
    lengths.insert(lengths.end(), {*spec.trained_length / factor, *spec.trained_length * factor});
  const RotarySpec other = with_number(spec_of(spec, kind, method), "factor", factor);
  const auto misfit_at = [&](double length) {
    const RotarySpec at = with_number(other, "trained_length", length);
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
    describe_scaling_kind(spec, kind, factor, found);
    found.parameters.push_back({"trained_length", best});
    found.evidence =
        sentences(std::move(found.evidence), Words("check.scaling-kind.trained_length", {{"length", best}}));
    found.doubt = Doubt::round_number;
  };
  add_ropes(situation, with_number(other, "trained_length", best), situation.model.length, proposals, add);
}

/// What the slowest pairs are divided by, as every ramp does it: that of the slowest that is known. None where no pair
/// is slower than the plain one.
std::optional<Fit> factor_of_slowest(const Situation& situation) {
  const Measured& measured = situation.measured();
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  if (measured.frequency.size() != frequencies.size()) return std::nullopt;
  constexpr double kSure = 0.05, kLeast = 1.05;
  double slowest = std::numeric_limits<double>::infinity();
  std::optional<Fit> found;
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double due = frequencies.reshaped()[i], given = measured.frequency.reshaped()[i];
    const double error = measured.sigma.reshaped()[i] / given;
    if (!(due > 0) || !(due < slowest) || !(given > 0) || !(error < kSure)) continue;
    slowest = due;
    found = Fit{due / given, error * due / given, 0};
  }
  return found && found->value > kLeast ? found : std::nullopt;
}

/// A ramp where none is asked for, over a length that the spec does not say.
void propose_unasked(const Situation& situation, std::vector<Proposal>& proposals) {
  const auto slowest = factor_of_slowest(situation);
  if (!slowest) return;
  const std::vector<double> likely = round_numbers(*slowest);
  for (const ScalingKindKind& kind : kinds()) {
    if (kind.shape != ScalingKindKind::Shape::ramp) continue;
    const std::vector<double> factors = {likely.front(), slowest->value};
    for (const double factor : factors) propose_lengths_scaling_kind(situation, kind, factor, proposals);
  }
}

void propose_scaling_kind(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.model.rope) return;
  const RotarySpec& spec = *situation.model.rope;
  if (spec.extension.method == "none") propose_unasked(situation, proposals);
  auto factor = spec.extension.numbers.find("factor");
  if (factor != spec.extension.numbers.end() && factor->second == 1) factor = spec.extension.numbers.end();
  for (const ScalingKindKind& kind : kinds()) {
    // Other numbers of the method asked for are "scaling-parameters", all but a ramp that is not cut to whole pairs.
    if (kind.method == spec.extension.method && kind.numbers.count("truncate") == 0) continue;
    if (factor != spec.extension.numbers.end() && kind.method != spec.extension.method) {
      propose_lengths_scaling_kind(situation, kind, factor->second, proposals);
    }
    // Where no extension is asked for, one geometric ladder is a base, and one factor is one of positions.
    if (spec.extension.method == "none" && kind.shape != ScalingKindKind::Shape::ramp) continue;
    const ScalingMethod& method = find_scaling_method(kind.method);
    if (method.needs_trained_length && !spec.trained_length) continue;
    const RotarySpec other = spec_of(spec, kind, method);
    if (factor != spec.extension.numbers.end()) {
      add_ropes(situation, with_number(other, "factor", factor->second), situation.model.length, proposals,
                [&](Proposal& found) { describe_scaling_kind(spec, kind, factor->second, found); });
    }
    std::vector<Proposal> fitted;
    add_fitted(situation, other, "factor", logarithmic_grid(1.01, 512, 33), fitted,
               [&](Proposal& found, double value) { describe_scaling_kind(spec, kind, value, found); });
    // With the factor 1 every method gives the plain frequencies: that is no method at all.
    std::erase_if(
        fitted, [](const Proposal& found) { return std::abs(std::get<double>(found.parameters[0].value) - 1) < 1e-3; });
    std::move(fitted.begin(), fitted.end(), std::back_inserter(proposals));
  }
}

}  // namespace

/// Another method's ramp.
constinit const Cause kScalingKindExact{.name = "scaling-kind",
                                        .group = CauseGroup::frequencies,
                                        .seen_in = "ml-explore/mlx-examples#907",
                                        .propose = propose_exact};

/// The same with a factor of its own.
constinit const Cause kScalingKind{.name = "scaling-kind",
                                   .group = CauseGroup::frequencies,
                                   .seen_in = "ml-explore/mlx-examples#907",
                                   .propose = propose_scaling_kind};

}  // namespace ropescope
