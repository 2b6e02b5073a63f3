// The context-extension methods: what each computes, then a table with a row for each. Read methods.h first.
//
// Contents: Shared helpers; None; Position interpolation; NTK-aware; NTK by α; NTK of diffusers; Dynamic NTK; Dynamic
// NTK of Qwen; NTK by parts; NTK by parts, as released; YaRN; Dynamic YaRN; DyPE; LongRoPE; Llama 3; Proportional;
// Pixel frequencies; All methods.

#include "core/scaling/methods.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/rotary/spec.h"

namespace ropescope {

// --- Shared helpers ------------------------------------------------------------------------------------------------

void reject_parameter(const ScalingMethod& method, std::string_view parameter, double found, const Message& expected) {
  throw InputError(method.name, "scaling.value", {{"parameter", parameter}, {"found", found}, {"expected", expected}});
}

void require_order(const ScalingMethod& method, const Extension& extension, std::string_view lower,
                   std::string_view upper) {
  const auto value = [&](std::string_view name) { return parameter_or_default(extension, name); };
  if (value(lower) <= value(upper)) return;
  reject_parameter(method, upper, value(upper),
                   Message("scaling.at_least", {{"lower", lower}, {"value", value(lower)}}));
}

namespace {

constexpr double kLargestFactor = 1e4;
/// Minimum of parameters that may be any number above 0.
constexpr double kSmallest = 1e-3;
constexpr double kLargestAmplitude = 100;

constexpr ScalingField positive_parameter(std::string_view key, double initial, std::string_view symbol, int order,
                                          bool required = false) {
  return {.key = key,
          .minimum = kSmallest,
          .maximum = kLargestFactor,
          .initial = initial,
          .required = required,
          .symbol = symbol,
          .order = order};
}

/// A fraction, 0 … 1.
constexpr ScalingField part_parameter(std::string_view key, std::string_view symbol, int order, double least = 0) {
  return {.key = key, .minimum = least, .maximum = 1, .initial = 1, .linear = true, .symbol = symbol, .order = order};
}

// clang-format off
constexpr ScalingField kFactor{.key = "rope.factor", .minimum = 1, .maximum = kLargestFactor, .initial = 4,
    .required = true, .is_extension_factor = true, .symbol = "S"};
constexpr ScalingField kFactorAlone[] = {kFactor};
constexpr ScalingField kBetaFast = positive_parameter("rope.beta_fast", 32, "B", 4);
constexpr ScalingField kBetaSlow = positive_parameter("rope.beta_slow", 1, "B", 5);
/// 0 means the method's own amplitude.
constexpr ScalingField kAttentionFactor{.key = "rope.attention_factor", .minimum = kSmallest,
    .maximum = kLargestAmplitude, .lowest = 0, .zero = "unit.by_method", .symbol = "A", .order = 16};
// clang-format on

/// Returns the parameter if it is set; for parameters without a default.
std::optional<double> find_given_number(const ScalingInput& input, std::string_view name) {
  return input.extension.number(name);
}

/// Returns l: the current length, else the trained one. The method needs a trained length.
double current_length(const ScalingInput& input) {
  return input.length.value_or(*input.trained_length);
}

/// Returns the plain ladder: every pair is kept, or still if its frequency is 0.
ScaledLadder plain_ladder(const RotaryAxis& axis) {
  ScaledLadder ladder;
  ladder.frequencies = axis_frequencies(axis);
  for (const double frequency : ladder.frequencies) {
    ladder.treatment.push_back(frequency == 0 ? PairTreatment::still : PairTreatment::kept);
  }
  if (axis.ladder == Ladder::plain) ladder.effective_base = axis.base;
  return ladder;
}

/// Returns θ = (1 − kept)·slowed + kept·plain for each pair, kept in 0 … 1: 1 is exactly kept, 0 interpolated.
ScaledLadder blend_ladders(const Eigen::VectorXd& plain, const Eigen::VectorXd& slowed, const Eigen::VectorXd& kept) {
  ScaledLadder ladder;
  ladder.frequencies.resize(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double frequency = slowed[pair] * (1 - kept[pair]) + plain[pair] * kept[pair];
    ladder.frequencies[pair] = frequency;
    // A blend of equal numbers may round to an adjacent double, but a method at factor 1 must keep every pair.
    const bool is_kept = kept[pair] == 1 || slowed[pair] == plain[pair];
    if (is_kept) ladder.frequencies[pair] = plain[pair];
    ladder.treatment.push_back(plain[pair] == 0  ? PairTreatment::still
                               : is_kept         ? PairTreatment::kept
                               : kept[pair] == 0 ? PairTreatment::interpolated
                                                 : PairTreatment::blended);
  }
  return ladder;
}

/// Returns the ladder of another base ≥ the axis's own (NTK methods): the first pair is unchanged.
ScaledLadder rebase_ladder(const RotaryAxis& axis, double base) {
  RotaryAxis rebased = axis;
  rebased.base = base;
  ScaledLadder ladder = plain_ladder(rebased);
  if (base == axis.base) return ladder;
  for (std::size_t pair = 1; pair < ladder.treatment.size(); ++pair) {
    if (ladder.treatment[pair] == PairTreatment::kept) ladder.treatment[pair] = PairTreatment::blended;
  }
  return ladder;
}

/// Returns b·stretch^(d/(d−2)): it divides the slowest frequency by `stretch`. A single pair (d = 2) is unchanged.
double ntk_base(const RotaryAxis& axis, double stretch) {
  if (axis.rotary_dim == 2) return axis.base;
  const double d = axis.rotary_dim;
  return axis.base * std::pow(stretch, d / (d - 2));
}

/// Returns the pair (a real number) with `turns` turns in the trained length: c(r) = d·ln(L/(2πr)) / (2·ln b).
double pair_of_turns(const RotaryAxis& axis, double trained_length, double turns) {
  return axis.rotary_dim * std::log(trained_length / (turns * 2 * std::numbers::pi)) / (2 * std::log(axis.base));
}

/// Returns the kept fraction of each pair: 1 from `fast` turns in the trained length on, 0 up to `slow`, linear in
/// turns between: the ramp of the YaRN paper (arXiv 2309.00071, section 3.2). Equal ends make a step.
Eigen::VectorXd make_ramp_by_turns(const Eigen::VectorXd& plain, double trained_length, double slow, double fast) {
  Eigen::VectorXd kept(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double turns = trained_length / wavelength(plain[pair]);
    const double step = turns >= fast ? 1 : 0;
    kept[pair] = slow == fast ? step : std::clamp((turns - slow) / (fast - slow), 0.0, 1.0);
  }
  return kept;
}

// --- None ----------------------------------------------------------------------------------------------------------

ScaledLadder compute_none(const ScalingInput& input) {
  return plain_ladder(input.axis);
}

// --- Position interpolation ----------------------------------------------------------------------------------------

ScaledLadder compute_linear(const ScalingInput& input) {
  const ScaledLadder plain = plain_ladder(input.axis);
  return blend_ladders(plain.frequencies, plain.frequencies / parameter_or_default(input, "factor"),
                       Eigen::VectorXd::Zero(plain.frequencies.size()));
}

// --- NTK-aware -----------------------------------------------------------------------------------------------------

ScaledLadder compute_ntk_aware(const ScalingInput& input) {
  return rebase_ladder(input.axis, ntk_base(input.axis, parameter_or_default(input, "factor")));
}

// --- NTK by α ------------------------------------------------------------------------------------------------------

// clang-format off
constexpr ScalingField kNtkAlphaParameters[] = {{.key = "rope.ntk_alpha", .minimum = 1, .maximum = kLargestFactor,
     .initial = 1000, .required = true, .is_extension_factor = true, .symbol = "A", .order = 1}};
// clang-format on

ScaledLadder compute_ntk_alpha(const ScalingInput& input) {
  return rebase_ladder(input.axis, ntk_base(input.axis, parameter_or_default(input, "ntk_alpha")));
}

// --- NTK of diffusers ----------------------------------------------------------------------------------------------

ScaledLadder compute_diffusers_ntk(const ScalingInput& input) {
  return rebase_ladder(input.axis, input.axis.base * parameter_or_default(input, "factor"));
}

// --- Dynamic NTK ---------------------------------------------------------------------------------------------------

ScaledLadder compute_dynamic(const ScalingInput& input) {
  const double factor = parameter_or_default(input, "factor"), length = current_length(input);
  if (length <= *input.trained_length) return plain_ladder(input.axis);
  const double stretch = factor * length / *input.trained_length - (factor - 1);
  return rebase_ladder(input.axis, ntk_base(input.axis, stretch));
}

// --- Dynamic NTK of Qwen -------------------------------------------------------------------------------------------

ScaledLadder compute_qwen_dynamic(const ScalingInput& input) {
  const double length = current_length(input);
  if (length <= *input.trained_length) return plain_ladder(input.axis);
  const double doublings = std::ceil(std::log2(length / *input.trained_length));
  return rebase_ladder(input.axis, ntk_base(input.axis, std::exp2(doublings + 1) - 1));
}

// --- NTK by parts --------------------------------------------------------------------------------------------------

constexpr ScalingField kNtkByPartsParameters[] = {kFactor, positive_parameter("rope.alpha", 1, "A", 6),
                                                  positive_parameter("rope.beta", 32, "B", 7)};

ScaledLadder compute_ntk_by_parts(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  return blend_ladders(plain, plain / parameter_or_default(input, "factor"),
                       make_ramp_by_turns(plain, *input.trained_length, parameter_or_default(input, "alpha"),
                                          parameter_or_default(input, "beta")));
}

// --- NTK by parts, as released -------------------------------------------------------------------------------------

constexpr ScalingField kNtkByPartsReleasedParameters[] = {kFactor,
                                                          positive_parameter("rope.beta_0", 1.25, "B", 8),
                                                          positive_parameter("rope.beta_1", 0.75, "B", 9),
                                                          positive_parameter("rope.gamma_0", 16, "G", 10),
                                                          positive_parameter("rope.gamma_1", 2, "G", 11),
                                                          part_parameter("rope.ntk_factor", "P", 12),
                                                          part_parameter("rope.extrapolation_factor", "P", 13)};

/// Returns the fraction of each pair that is above the range of turns.
Eigen::VectorXd part_above(const ScalingInput& input, std::string_view fast, std::string_view slow,
                           std::string_view strength) {
  const auto [low, high] = correction_range(
      input.axis, *input.trained_length, {parameter_or_default(input, fast), parameter_or_default(input, slow)}, true);
  return make_ramp(low, high, input.axis.rotary_dim / 2) * parameter_or_default(input, strength);
}

ScaledLadder compute_ntk_by_parts_released(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double factor = parameter_or_default(input, "factor");
  const Eigen::VectorXd ntk = rebase_ladder(input.axis, ntk_base(input.axis, factor)).frequencies;
  const Eigen::VectorXd ntk_part = part_above(input, "beta_0", "beta_1", "ntk_factor");
  const Eigen::VectorXd slowed = blend_ladders(ntk, plain / factor, ntk_part).frequencies;
  const Eigen::VectorXd kept = part_above(input, "gamma_0", "gamma_1", "extrapolation_factor");
  ScaledLadder ladder = blend_ladders(plain, slowed, kept);
  for (std::size_t pair = 0; pair < ladder.treatment.size(); ++pair) {
    const bool ntk_has_part = ntk_part[static_cast<Eigen::Index>(pair)] > 0;
    if (ladder.treatment[pair] == PairTreatment::interpolated && ntk_has_part) {
      ladder.treatment[pair] = PairTreatment::blended;
    }
  }
  return ladder;
}

void check_ntk_by_parts_released(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "beta_1", "beta_0");
  require_order(method, input.extension, "gamma_1", "gamma_0");
}

// --- YaRN ----------------------------------------------------------------------------------------------------------

constexpr ScalingField kYarnParameters[] = {
    kFactor,
    kBetaFast,
    kBetaSlow,
    {.key = "rope.truncate", .initial = 1, .is_switch = true, .order = 19},
    {.key = "rope.mscale", .maximum = kLargestAmplitude, .symbol = "M", .order = 14},
    {.key = "rope.mscale_all_dim", .maximum = kLargestAmplitude, .symbol = "M", .order = 15},
    kAttentionFactor,
    {.key = "rope.paper_ramp", .is_switch = true, .order = 20}};

double compute_given_amplitude(const ScalingInput& input) {
  if (const auto given = find_given_number(input, "attention_factor")) return *given;
  const double factor = parameter_or_default(input, "factor");
  const double mscale = parameter_or_default(input, "mscale"), all_dim = parameter_or_default(input, "mscale_all_dim");
  if (mscale != 0 && all_dim != 0) return yarn_amplitude(factor, mscale) / yarn_amplitude(factor, all_dim);
  return yarn_amplitude(factor, 1);
}

ScaledLadder compute_yarn(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double length = *input.trained_length;
  const double fast = parameter_or_default(input, "beta_fast"), slow = parameter_or_default(input, "beta_slow");
  Eigen::VectorXd kept;
  if (parameter_or_default(input, "paper_ramp") != 0) {
    kept = make_ramp_by_turns(plain, length, slow, fast);
  } else {
    const auto [low, high] =
        correction_range(input.axis, length, {fast, slow}, parameter_or_default(input, "truncate") != 0);
    kept = make_ramp(low, high, plain.size());
  }
  ScaledLadder ladder = blend_ladders(plain, plain / parameter_or_default(input, "factor"), kept);
  ladder.amplitude = compute_given_amplitude(input);
  return ladder;
}

// --- Dynamic YaRN --------------------------------------------------------------------------------------------------

constexpr ScalingField kDynamicYarnParameters[] = {kBetaFast, kBetaSlow};

ScaledLadder compute_dynamic_yarn(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double factor = std::max(current_length(input) / *input.trained_length, 1.0);
  const auto [low, high] =
      correction_range(input.axis, *input.trained_length,
                       {parameter_or_default(input, "beta_fast"), parameter_or_default(input, "beta_slow")}, true);
  ScaledLadder ladder = blend_ladders(plain, plain / factor, make_ramp(low, high, plain.size()));
  ladder.amplitude = yarn_amplitude(factor, 1);
  return ladder;
}

// --- DyPE ----------------------------------------------------------------------------------------------------------

constexpr ScalingField kDiffusionTime{
    .key = "rope.diffusion_time", .maximum = 1, .initial = 1, .linear = true, .symbol = "T", .order = 21};
constexpr ScalingField kDypeParameters[] = {kFactor, kDiffusionTime};

/// Returns t², with which DyPE weakens an extension as a picture gains detail.
double dype_strength(const ScalingInput& input) {
  const double time = parameter_or_default(input, "diffusion_time");
  return time * time;
}

/// Returns the fraction of each pair above a range of turns that falls with the time; 1 at the end. If the ends of the
/// range cross, near t = 0 or within a dozen tokens, nothing or everything is kept, as released.
Eigen::VectorXd part_above_at(const ScalingInput& input, double fast, double slow) {
  const double strength = dype_strength(input);
  const Eigen::Index pairs = input.axis.rotary_dim / 2;
  if (strength == 0) return Eigen::VectorXd::Ones(pairs);
  const auto [low, high] =
      correction_range(input.axis, *input.trained_length, {fast * strength, slow * strength}, true);
  return make_ramp(low, std::min(high, static_cast<double>(pairs)), pairs);
}

ScaledLadder compute_dype(const ScalingInput& input) {
  const double factor = parameter_or_default(input, "factor");
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const Eigen::VectorXd ntk = rebase_ladder(input.axis, ntk_base(input.axis, factor)).frequencies;
  const Eigen::VectorXd ntk_part = part_above_at(input, 1.25, 0.75), kept = part_above_at(input, 16, 2);
  ScaledLadder ladder = blend_ladders(plain, blend_ladders(ntk, plain / factor, ntk_part).frequencies, kept);
  for (std::size_t pair = 0; pair < ladder.treatment.size(); ++pair) {
    const bool interpolated = ladder.treatment[pair] == PairTreatment::interpolated;
    if (interpolated && ntk_part[static_cast<Eigen::Index>(pair)] > 0) ladder.treatment[pair] = PairTreatment::blended;
  }
  ladder.amplitude = yarn_amplitude(factor, 1);
  return ladder;
}

ScaledLadder compute_dype_ntk(const ScalingInput& input) {
  const double stretched = ntk_base(input.axis, parameter_or_default(input, "factor")) / input.axis.base;
  return rebase_ladder(input.axis, input.axis.base * std::pow(stretched, 2 * dype_strength(input)));
}

// --- LongRoPE ------------------------------------------------------------------------------------------------------

// The factor sets only the amplitude. A reader of a config without one passes max_position_embeddings / L.
constexpr ScalingField kLongropeParameters[] = {
    {.key = "rope.factor", .minimum = 1, .maximum = kLargestFactor, .initial = 1, .is_extension_factor = true},
    kAttentionFactor};
constexpr ScalingList factors(std::string_view key) {
  return {.key = key, .minimum = kSmallest, .maximum = kLargestFactor, .symbol = "LIST"};
}
constexpr ScalingList kShort = factors("rope.short_factors"), kLong = factors("rope.long_factors");
constexpr ScalingList kLists[] = {kShort, kLong};

double longrope_amplitude(const ScalingInput& input) {
  if (const auto given = find_given_number(input, "attention_factor")) return *given;
  const double factor = parameter_or_default(input, "factor");
  return factor > 1 ? std::sqrt(1 + std::log(factor) / std::log(*input.trained_length)) : 1;
}

ScaledLadder compute_longrope(const ScalingInput& input) {
  const bool is_long = current_length(input) > *input.trained_length;
  const std::vector<double>& factors = input.extension.lists.at(std::string((is_long ? kLong : kShort).name));
  const double factor = parameter_or_default(input, "factor");
  const double largest = *std::max_element(factors.begin(), factors.end());
  const double whole = factor > 1 ? std::min(factor, largest) : largest;
  ScaledLadder ladder = plain_ladder(input.axis);
  ladder.effective_base.reset();
  for (std::size_t pair = 0; pair < factors.size(); ++pair) {
    if (ladder.treatment[pair] == PairTreatment::still || factors[pair] == 1) continue;
    ladder.frequencies[static_cast<Eigen::Index>(pair)] /= factors[pair];
    const bool all_the_way = factors[pair] > 1 && factors[pair] >= whole;
    ladder.treatment[pair] = all_the_way ? PairTreatment::interpolated : PairTreatment::blended;
  }
  ladder.amplitude = longrope_amplitude(input);
  return ladder;
}

void check_longrope(const ScalingMethod& method, const ScalingInput& input) {
  if (*input.trained_length > 1) return;
  reject_parameter(method, "trained_length", *input.trained_length, Message("scaling.above", {{"least", 1}}));
}

// --- Llama 3 -------------------------------------------------------------------------------------------------------

constexpr ScalingField kLlama3Parameters[] = {kFactor, positive_parameter("rope.low_frequency_factor", 1, "F", 2, true),
                                              positive_parameter("rope.high_frequency_factor", 4, "F", 3, true)};

ScaledLadder compute_llama3(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double length = *input.trained_length;
  const double low = parameter_or_default(input, "low_frequency_factor"),
               high = parameter_or_default(input, "high_frequency_factor");
  Eigen::VectorXd kept(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double turn = wavelength(plain[pair]);
    if (turn > length / low) {
      kept[pair] = 0;
    } else if (turn < length / high || low == high) {  // equal factors (Llama 4): the range between is empty
      kept[pair] = 1;
    } else {
      kept[pair] = (length / turn - low) / (high - low);
    }
  }
  return blend_ladders(plain, plain / parameter_or_default(input, "factor"), kept);
}

// --- Proportional --------------------------------------------------------------------------------------------------

constexpr ScalingField kProportionalParameters[] = {
    part_parameter("rope.live_fraction", "R", 17, 0.001),
    {.key = "rope.factor", .minimum = 1, .maximum = kLargestFactor, .initial = 1, .is_extension_factor = true}};

ScaledLadder compute_proportional(const ScalingInput& input) {
  const RotaryAxis& axis = input.axis;
  const double factor = parameter_or_default(input, "factor");
  ScaledLadder ladder;
  ladder.frequencies =
      proportional_frequencies(axis.rotary_dim, axis.base, parameter_or_default(input, "live_fraction"), factor);
  for (const double frequency : ladder.frequencies) {
    ladder.treatment.push_back(frequency == 0 ? PairTreatment::still
                               : factor == 1  ? PairTreatment::kept
                                              : PairTreatment::interpolated);
  }
  return ladder;
}

// --- Pixel frequencies ---------------------------------------------------------------------------------------------

constexpr ScalingField kPixelParameters[] = {
    {.key = "rope.max_frequency", .minimum = 2, .maximum = kLargestFactor, .initial = 10, .symbol = "F", .order = 18}};

ScaledLadder compute_pixel(const ScalingInput& input) {
  const Eigen::Index pairs = input.axis.rotary_dim / 2;
  ScaledLadder ladder;
  ladder.frequencies.resize(pairs);
  const double step =
      pairs > 1 ? (parameter_or_default(input, "max_frequency") / 2 - 1) / static_cast<double>(pairs - 1) : 0;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    ladder.frequencies[pair] = (1 + step * static_cast<double>(pair)) * std::numbers::pi;
  }
  ladder.treatment.assign(static_cast<std::size_t>(pairs), PairTreatment::blended);
  return ladder;
}

}  // namespace

double parameter_or_default(const ScalingInput& input, std::string_view name) {
  if (const auto given = find_given_number(input, name)) return *given;
  return find_parameter(find_scaling_method(input.extension.method), name)->initial;
}

Eigen::VectorXd make_ramp(double low, double high, Eigen::Index pair_count) {
  constexpr double kGuard = 0.001;
  if (low == high) high += kGuard;
  Eigen::VectorXd kept(pair_count);
  for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
    kept[pair] = 1 - std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
  }
  return kept;
}

std::pair<double, double> correction_range(const RotaryAxis& axis, double trained_length,
                                           std::pair<double, double> turns, bool truncate) {
  double low = pair_of_turns(axis, trained_length, turns.first);
  double high = pair_of_turns(axis, trained_length, turns.second);
  if (truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  return {std::max(low, 0.0), std::min(high, axis.rotary_dim - 1.0)};
}

double yarn_amplitude(double factor, double mscale) {
  return factor > 1 ? 0.1 * mscale * std::log(factor) + 1 : 1;
}

Extension to_extension(const RotaryAxis& axis) {
  if (axis.ladder != Ladder::proportional) return {};
  return {"proportional", {{"live_fraction", axis.live_fraction}, {"factor", axis.factor}}, {}};
}

// --- All methods ---------------------------------------------------------------------------------------------------

// None first, then by age; ladders of single projects last.
// clang-format off
constexpr ScalingMethod kAllScalingMethods[] = {
  // θ_i = b^(−2i/d), independent of the length. RoFormer, arXiv 2104.09864, section 3.2.2.
  {.name = "none", .source = "arXiv 2104.09864", .parameters = {}, .uses_only_frequencies = true,
   .compute = compute_none},
  // June 2023: θ = p/s: position interpolation. arXiv 2306.15595; transformers
  // `_compute_linear_scaling_rope_parameters`.
  {.name = "linear", .source = "arXiv 2306.15595", .parameters = kFactorAlone, .uses_only_frequencies = true,
   .numpy = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d) / {factor}
)", .compute = compute_linear},
  // June 2023: Base b·s^(d/(d−2)): the slowest pair is divided by s, the fastest is kept. jquesnelle/yarn
  // `LlamaNTKScaledRotaryEmbedding`.
  {.name = "ntk-aware", .source = "jquesnelle/yarn LlamaNTKScaledRotaryEmbedding", .parameters = kFactorAlone,
   .numpy = R"(    base = base * {factor} ** (d / (d - 2)) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_ntk_aware},
  // July 2023: Base b·(s·l/L − (s − 1))^(d/(d−2)) for a sequence of length l > L, otherwise the plain ladder. Here L is
  // max_position_embeddings, whatever else a config contains. transformers `_compute_dynamic_ntk_parameters`.
  {.name = "dynamic", .source = "huggingface/transformers _compute_dynamic_ntk_parameters",
   .parameters = kFactorAlone, .depends_on_length = true, .identity_at_factor_one = false,
   .needs_trained_length = true,
   .numpy = R"(    base = base * ({factor} * {l} / {length} - ({factor} - 1)) ** (d / (d - 2)) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_dynamic},
  // July 2023: The form released before the paper: from slow to fast pairs p/s, then NTK-aware (index ramp between the
  // pairs of β₁ and β₀ turns in the trained length), then p (between γ₁ and γ₀ turns).
  {.name = "ntk-by-parts-released", .source = "jquesnelle/yarn LlamaPartNTKScaledRotaryEmbedding",
   .parameters = kNtkByPartsReleasedParameters, .needs_trained_length = true,
   .numpy = R"(    def kept(fast, slow, part):
        low, high = (d * numpy.log({length} / (2 * numpy.pi * r)) / (2 * numpy.log(base)) for r in (fast, slow))
        low, high = max(numpy.floor(low), 0), min(numpy.ceil(high), d - 1)
        return part * (1 - numpy.clip((numpy.arange(d // 2) - low) / ((high - low) or 0.001), 0, 1))
    plain = base ** (-numpy.arange(0, d, 2) / d)
    rebased = (base * {factor} ** (d / (d - 2)) if d > 2 else base) ** (-numpy.arange(0, d, 2) / d)
    ntk, whole = kept({beta_0}, {beta_1}, {ntk_factor}), kept({gamma_0}, {gamma_1}, {extrapolation_factor})
    frequency = (plain / {factor} * (1 - ntk) + rebased * ntk) * (1 - whole) + plain * whole
)", .compute = compute_ntk_by_parts_released, .check = check_ntk_by_parts_released},
  // September 2023: With r = L/λ turns in the trained length and γ = clamp((r − α)/(β − α), 0, 1): θ = (1 − γ)·p/s +
  // γ·p. arXiv 2309.00071, section 3.2; α = 1, β = 32 there.
  {.name = "ntk-by-parts", .source = "arXiv 2309.00071, section 3.2", .parameters = kNtkByPartsParameters,
   .needs_trained_length = true, .uses_only_frequencies = true, .ramp = {ScalingRamp::Along::turns, "alpha", "beta"},
   .compute = compute_ntk_by_parts},
  // September 2023: θ = (1 − γ)·p/s + γ·p with γ falling in the pair's index between the pairs of β_fast and β_slow
  // turns (paper_ramp: in turns, as the paper writes it). Amplitude: attention_factor, else get(s, mscale)/get(s,
  // mscale_all_dim) if both are nonzero, else get(s, 1), where get(s, m) = 0.1·m·ln s + 1. arXiv 2309.00071, sections
  // 3.2 and 3.4; transformers `_compute_yarn_parameters`.
  {.name = "yarn", .source = "arXiv 2309.00071; huggingface/transformers _compute_yarn_parameters",
   .parameters = kYarnParameters, .changes_amplitude = true, .needs_trained_length = true,
   .ramp = {ScalingRamp::Along::index, "beta_slow", "beta_fast"}, .compute = compute_yarn},
  // September 2023: YaRN with s = l/L for a sequence of length l > L, otherwise the plain ladder.
  {.name = "dynamic-yarn", .source = "jquesnelle/yarn LlamaDynamicYaRNScaledRotaryEmbedding",
   .parameters = kDynamicYarnParameters, .depends_on_length = true, .identity_at_factor_one = false,
   .changes_amplitude = true, .needs_trained_length = true,
   .ramp = {ScalingRamp::Along::index, "beta_slow", "beta_fast"}, .compute = compute_dynamic_yarn},
  // September 2023: Base b·(2^(⌈log2(l/L)⌉ + 1) − 1)^(d/(d−2)) for a sequence of length l > L, otherwise the plain
  // ladder: `use_dynamic_ntk` of the first Qwen, with L = `seq_length`.
  {.name = "qwen-dynamic", .source = "Qwen/Qwen-7B modeling_qwen.py QWenModel.get_ntk_alpha", .parameters = {},
   .depends_on_length = true, .identity_at_factor_one = false, .needs_trained_length = true,
   .numpy = R"(    alpha = max(2 ** (numpy.ceil(numpy.log2({l} / {length})) + 1) - 1, 1)
    base = base * alpha ** (d / (d - 2)) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_qwen_dynamic},
  // February 2024: θ_i = p_i/f_i with the long list for a sequence of length l > L, else the short one. Amplitude:
  // attention_factor, else √(1 + ln s/ln L). arXiv 2402.13753; transformers `_compute_longrope_parameters`.
  {.name = "longrope", .source = "arXiv 2402.13753; huggingface/transformers _compute_longrope_parameters",
   .parameters = kLongropeParameters, .lists = kLists, .depends_on_length = true, .identity_at_factor_one = false,
   .changes_amplitude = true, .needs_trained_length = true, .never_speeds_up_pairs = false,
   .uses_only_frequencies = true,
   .numpy = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d) / numpy.array([{list}])
)", .compute = compute_longrope, .check = check_longrope},
  // July 2024: λ < L/high: p; λ > L/low: p/s; between: (1 − γ)·p/s + γ·p with γ = (L/λ − low)/(high − low).
  // Llama 3.1; transformers `_compute_llama3_parameters`.
  {.name = "llama3", .source = "huggingface/transformers _compute_llama3_parameters", .parameters = kLlama3Parameters,
   .needs_trained_length = true, .uses_only_frequencies = true,
   .ramp = {ScalingRamp::Along::turns, "low_frequency_factor", "high_frequency_factor"}, .compute = compute_llama3},
  // 2024: Base b·α^(d/(d−2)) with a fixed α, independent of the length: `dynamic` with `alpha` in Hunyuan's configs.
  // mlx-lm `hunyuan`.
  {.name = "ntk-alpha", .source = "ml-explore/mlx-lm hunyuan DynamicNTKAlphaRoPE", .parameters = kNtkAlphaParameters,
   .numpy = R"(    base = base * {ntk_alpha} ** (d / (d - 2)) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_ntk_alpha},
  // 2026: θ_i = p_i/s for i < int(live_fraction·d // 2), where d is the whole head, and 0 from there on.
  // Gemma 4; transformers `_compute_proportional_rope_parameters`.
  {.name = "proportional", .source = "huggingface/transformers _compute_proportional_rope_parameters",
   .parameters = kProportionalParameters, .exponents_over_head = true,
   .numpy = R"(    live = numpy.arange(d // 2) < int({live_fraction} * d / 2)
    frequency = live * base ** (-numpy.arange(0, d, 2) / d) / {factor}
)", .compute = compute_proportional},
  // October 2025: The first release's NTK by parts with its bounds in turns times t². t falls from 1, pure noise, to 0,
  // where the ladder is plain. Amplitude 0.1·ln s + 1 at every time. guyyariv/DyPE `get_1d_rotary_pos_embed` (yarn),
  // commit 436fe612, which divides by zero at t = 0.
  {.name = "dype", .source = "arXiv 2510.20766; guyyariv/DyPE flux/transformer_flux.py FluxPosEmbed",
   .parameters = kDypeParameters, .changes_amplitude = true, .needs_trained_length = true,
   .numpy = R"(    def kept(fast, slow):
        if {diffusion_time} == 0:
            return numpy.ones(d // 2)
        turns = (r * {diffusion_time} ** 2 for r in (fast, slow))
        low, high = (d * numpy.log({length} / (2 * numpy.pi * r)) / (2 * numpy.log(base)) for r in turns)
        low, high = max(numpy.floor(low), 0), min(numpy.ceil(high), d - 1, d // 2)
        return 1 - numpy.clip((numpy.arange(d // 2) - low) / ((high - low) or 0.001), 0, 1)
    plain = base ** (-numpy.arange(0, d, 2) / d)
    rebased = (base * {factor} ** (d / (d - 2)) if d > 2 else base) ** (-numpy.arange(0, d, 2) / d)
    ntk, whole = kept(1.25, 0.75), kept(16, 2)
    frequency = (plain / {factor} * (1 - ntk) + rebased * ntk) * (1 - whole) + plain * whole
)", .compute = compute_dype},
  // October 2025: Base b·(s^(d/(d−2)))^(2t²): NTK-aware with the factor squared at t = 1, plain at 0. guyyariv/DyPE
  // `FluxPosEmbed` (ntk), commit 436fe612.
  {.name = "dype-ntk", .source = "arXiv 2510.20766; guyyariv/DyPE flux/transformer_flux.py FluxPosEmbed",
   .parameters = kDypeParameters,
   .numpy = R"(    base = base * {factor} ** (d / (d - 2) * 2 * {diffusion_time} ** 2) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_dype_ntk},
  // For image models: Base b·s, without NTK's exponent d/(d−2): `ntk_factor` of diffusers `get_1d_rotary_pos_embed`.
  {.name = "diffusers-ntk", .source = "huggingface/diffusers get_1d_rotary_pos_embed",
   .parameters = kFactorAlone,
   .numpy = R"(    frequency = (base * {factor}) ** (-numpy.arange(0, d, 2) / d)
)", .compute = compute_diffusers_ntk},
  // For image models: π·linspace(1, max_frequency/2, n) for coordinates from −1 to 1: it rises with the pair and has no
  // base.
  {.name = "pixel", .source = "lucidrains/rotary-embedding-torch RotaryEmbedding", .parameters = kPixelParameters,
   .identity_at_factor_one = false, .never_speeds_up_pairs = false,
   .numpy = R"(    frequency = numpy.pi * numpy.linspace(1, {max_frequency} / 2, d // 2)
)", .compute = compute_pixel},
};
// clang-format on

extern constinit const std::span<const ScalingMethod> kScalingMethods = kAllScalingMethods;

}  // namespace ropescope
