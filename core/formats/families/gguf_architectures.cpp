// Table of GGUF architectures, their lookup, and the factors stored as tensors. Read gguf_architectures.h first.
//
// Contents: Architectures; Factors.

#include "core/formats/families/gguf_architectures.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/formats/dumps/gguf.h"
#include "core/formats/families/config_families.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Architectures -------------------------------------------------------------------------------------------------

namespace {

using enum GgufPairs;
using Sliding = GgufSliding;
using LogMultiplier = GgufLogMultiplier;

// clang-format off
constexpr GgufArchitecture kArchitectures[] = {
  // Adjacent channels.
  {.name = "arcee", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "arctic", .pairs = neighbours, .permuted = true},
  {.name = "baichuan", .pairs = neighbours, .permuted = true, .unrotated_layers = 40},
  {.name = "bailingmoe", .pairs = neighbours, .permuted = true},
  {.name = "bailingmoe3", .pairs = neighbours},
  {.name = "chameleon", .pairs = neighbours, .permuted = true},
  {.name = "chatglm", .pairs = neighbours},
  {.name = "cohere2", .pairs = neighbours, .full_every = 4, .note = kSlidingOnly},
  {.name = "cohere2moe", .pairs = neighbours, .full_every = 4, .full_first = true, .lists_sliding = true,
   .note = kSlidingAndDense},
  {.name = "command-r", .pairs = neighbours},
  {.name = "deci", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "deepseek", .pairs = neighbours, .permuted = true},
  {.name = "deepseek2", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth, .mscale_of_all_dim = true},
  {.name = "deepseek32", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth},
  {.name = "deepseek4", .pairs = neighbours, .yarn_amplitude = false, .compressed = true},
  {.name = "dots3note", .pairs = neighbours, .lists_sliding = true},
  {.name = "eagle3", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "ernie4_5", .pairs = neighbours},
  {.name = "ernie4_5-moe", .pairs = neighbours},
  {.name = "glm-dsa", .pairs = neighbours},
  {.name = "glm4", .pairs = neighbours_or_sections},
  {.name = "granite", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "granite_swa", .pairs = neighbours, .permuted = true, .reads_factors = true, .lists_sliding = true},
  {.name = "granitehybrid", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "granitemoe", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "graniteswitch", .pairs = neighbours, .permuted = true, .reads_factors = true, .switched = true},
  {.name = "internlm2", .pairs = neighbours, .permuted = true},
  {.name = "llada", .pairs = neighbours, .permuted = true},
  {.name = "llama", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "llama-embed", .pairs = neighbours, .permuted = true, .reads_factors = true, .whole_head = true},
  {.name = "llama4", .pairs = neighbours, .reads_factors = true, .unrotated_every = 4},
  {.name = "maincoder", .pairs = neighbours},
  {.name = "minicpm", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "mistral3", .pairs = neighbours, .permuted = true, .reads_factors = true, .reads_betas = true,
   .log_multiplier = LogMultiplier::whole},
  {.name = "mistral4", .pairs = neighbours, .log_multiplier = LogMultiplier::tenth},
  {.name = "muse-glimmer", .pairs = neighbours, .sliding = Sliding::own_base, .full_every = 4, .lists_sliding = true,
   .note = kSlidingOnly},
  {.name = "nanbeige", .pairs = neighbours, .permuted = true, .reads_factors = true},
  {.name = "neo-bert", .pairs = neighbours},
  {.name = "olmo", .pairs = neighbours, .permuted = true},
  {.name = "plm", .pairs = neighbours},
  {.name = "pockettts", .pairs = neighbours},
  {.name = "smollm3", .pairs = neighbours, .permuted = true, .unrotated_every = 4},
  {.name = "xverse", .pairs = neighbours, .permuted = true},

  // Half split.
  {.name = "afmoe", .needs_window = true, .unrotated_every = 4, .full_every = 4},
  {.name = "apertus", .reads_factors = true},
  {.name = "bailingmoe2"}, {.name = "bitnet"}, {.name = "codeshell"}, {.name = "cogvlm"},
  {.name = "dbrx"}, {.name = "deepseek2-ocr"},  // its graph sets the half split itself
  {.name = "dflash"}, {.name = "dots1"}, {.name = "dream"}, {.name = "eurobert"},
  {.name = "exaone", .reads_factors = true},
  {.name = "exaone-moe", .reads_factors = true, .full_every = 4, .note = kMixedOnly},
  {.name = "exaone4", .needs_window = true, .reads_factors = true, .full_every = 4, .note = kMixedOnly},
  {.name = "falcon", .whole_head = true},
  {.name = "falcon-h1"},
  {.name = "gemma"}, {.name = "gemma2", .full_every = 2},
  {.name = "gemma-embedding", .sliding = Sliding::own, .full_every = 6, .both_sides = true},
  {.name = "gemma3", .sliding = Sliding::own, .needs_window = true, .full_every = 6, .extended_later = true},
  {.name = "gemma3n", .sliding = Sliding::own, .full_every = 5},
  {.name = "gemma4", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false, .lists_sliding = true},
  {.name = "gemma4-assistant", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false},
  {.name = "gpt-oss", .full_every = 2, .note = kRoundedRamp},
  {.name = "gptneox"},
  {.name = "grok", .reads_betas = true, .reads_ext_factor = true, .beta_fast = 8},
  {.name = "grovemoe"}, {.name = "hunyuan-dense"}, {.name = "hunyuan-moe"}, {.name = "hy_v3"}, {.name = "jais2"},
  {.name = "jina-bert-v3"},
  {.name = "laguna", .sliding = Sliding::own_base, .needs_window = true, .full_every = 4, .full_first = true},
  {.name = "lfm2"}, {.name = "lfm2moe"}, {.name = "llada-moe"},
  {.name = "mellum", .needs_window = true, .full_every = 4, .lists_sliding = true},
  {.name = "mimo2", .sliding = Sliding::own, .lists_sliding = true},
  {.name = "minicpm3", .always_longrope = true},
  {.name = "minimax-01", .recurrent_every = 8}, {.name = "minimax-m2"}, {.name = "minimax-m3"},
  {.name = "modern-bert", .sliding = Sliding::own, .needs_window = true, .full_every = 3, .full_first = true,
   .both_sides = true},
  {.name = "nemotron"}, {.name = "nomic-bert"}, {.name = "nomic-bert-moe"},
  {.name = "olmo2", .sliding = Sliding::plain, .needs_window = true, .full_every = 4},
  {.name = "olmoe"}, {.name = "openelm"}, {.name = "orion"}, {.name = "pangu-embedded"}, {.name = "phi2"},
  {.name = "phi3", .always_longrope = true},
  {.name = "phimoe", .always_longrope = true},
  {.name = "plamo"}, {.name = "plamo2"},
  {.name = "plamo3", .sliding = Sliding::own, .needs_window = true, .full_every = 8},
  {.name = "qwen"}, {.name = "qwen2"}, {.name = "qwen2moe"}, {.name = "qwen3"}, {.name = "qwen3moe"},
  {.name = "qwen3next", .recurrent_every = 4}, {.name = "rnd1"}, {.name = "seed_oss"},
  {.name = "smallthinker", .needs_window = true, .unrotated_every = 4, .full_every = 4, .full_first = true},
  {.name = "stablelm"}, {.name = "starcoder2"},
  {.name = "step35", .sliding = Sliding::own, .reads_factors = true, .factors_of_all = false, .half_of_full = true,
   .lists_sliding = true},
  {.name = "talkie"},

  // Half split with sections.
  {.name = "glm4moe", .pairs = halves_or_sections},
  {.name = "hunyuan_vl", .pairs = halves_or_sections, .reads_alpha = true},
  {.name = "paddleocr", .pairs = contiguous_sections},
  {.name = "qwen2vl", .pairs = contiguous_sections},
  {.name = "qwen35", .pairs = sections_by_turns, .recurrent_every = 4},
  {.name = "qwen35moe", .pairs = sections_by_turns, .recurrent_every = 4},
  {.name = "qwen3tts", .pairs = sections_by_turns},
  {.name = "qwen3vl", .pairs = sections_by_turns},
  {.name = "qwen3vlmoe", .pairs = sections_by_turns},
};
// clang-format on

// --- Factors -------------------------------------------------------------------------------------------------------

constexpr double kSameFloat = 4e-6;
/// A pair is static from this factor on: it rotates less than 10⁻⁸ radians over 10¹² positions.
constexpr double kStill = 1e20;

struct FactorTensor {
  const GgufFile* file = nullptr;
  const GgufTensor* tensor = nullptr;
};

FactorTensor find_in(std::span<const GgufFile> parts, std::string_view name) {
  for (const GgufFile& file : parts) {
    if (const GgufTensor* tensor = find_tensor(file, name)) return {&file, tensor};
  }
  return {};
}

bool same_float(double a, double b) {
  const double single = static_cast<float>(a);
  return std::abs(single - b) <= kSameFloat * std::abs(b);
}

/// Returns a converter's factor for a pair: 1, the factor, or 1/((1 − γ)/s + γ) between, γ = (L/λ − low)/(high − low).
double llama3_factor(const Llama3Numbers& asked, double frequency) {
  const double turn = wavelength(frequency);
  if (turn < asked.length / asked.high) return 1;
  if (turn > asked.length / asked.low) return asked.factor;
  if (asked.high == asked.low) return 1;
  const double kept = (asked.length / turn - asked.low) / (asked.high - asked.low);
  return 1 / ((1 - kept) / asked.factor + kept);
}

bool gives(const Llama3Numbers& asked, const Eigen::VectorXd& plain, std::span<const double> factors) {
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    if (!same_float(llama3_factor(asked, plain[pair]), factors[static_cast<std::size_t>(pair)])) return false;
  }
  return true;
}

/// Fits parameters to the first and last blended pair: γ = a/λ − b, a = L/(high − low), b = low/(high − low).
std::optional<Llama3Numbers> fitted(const Eigen::VectorXd& plain, std::span<const double> factors, double factor) {
  std::vector<std::pair<double, double>> blended;  // 1/λ, γ
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double here = factors[static_cast<std::size_t>(pair)];
    if (here <= 1 + kSameFloat || here >= factor * (1 - kSameFloat)) continue;
    blended.emplace_back(1 / wavelength(plain[pair]), (1 / here - 1 / factor) / (1 - 1 / factor));
  }
  if (blended.size() < 2) return std::nullopt;
  const auto [x, kept] = blended.front();
  const auto [last_x, last_kept] = blended.back();
  const double slope = (kept - last_kept) / (x - last_x), offset = slope * x - kept;
  if (!(slope > 0) || !(offset > 0)) return std::nullopt;
  constexpr double kParts = 64;  // published factors are simple fractions
  Llama3Numbers found{factor, 1, std::round((1 + 1 / offset) * kParts) / kParts, std::round(slope / offset)};
  if (!(found.high > 1) || !(found.length >= 1) || !std::isfinite(found.high + found.length)) return std::nullopt;
  return found;
}

}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  return find_named_entry(kArchitectures, name);
}

bool has_factors(std::span<const GgufFile> parts, std::string_view name) {
  return find_in(parts, name).tensor != nullptr;
}

std::optional<std::vector<double>> read_factors(std::span<const GgufFile> parts, std::string_view name, int pairs) {
  const auto [file, tensor] = find_in(parts, name);
  if (!tensor) return std::nullopt;
  if (tensor->type != kGgufFloat32) {
    throw InputError(file->source, "gguf.factor_type", {{"name", name}, {"type", tensor->type}});
  }
  const std::uint64_t count = (tensor->end - tensor->begin) / sizeof(float);
  if (count < static_cast<std::uint64_t>(pairs)) {
    throw InputError(file->source, "gguf.few_factors",
                     {{"name", name}, {"count", std::to_string(count)}, {"pairs", pairs}});
  }
  std::vector<double> factors;
  GgufEntry numbers{name, GgufType::float32, GgufType::float32, count, {}};
  numbers.bytes = file->bytes.subspan(static_cast<std::size_t>(tensor->begin),
                                      static_cast<std::size_t>(tensor->end - tensor->begin));
  for (int pair = 0; pair < pairs; ++pair) {
    const double factor = gguf_number(*file, numbers, static_cast<std::uint64_t>(pair));
    if (!std::isfinite(factor) || factor <= 0) {
      throw InputError(file->source, "gguf.factor", {{"name", name}, {"pair", pair}, {"found", number_text(factor)}});
    }
    factors.push_back(factor);
  }
  return factors;
}

std::optional<Llama3Numbers> find_llama3(const RotaryAxis& axis, std::span<const double> factors) {
  const Eigen::VectorXd plain = axis_frequencies(axis);
  if (factors.empty() || static_cast<std::size_t>(plain.size()) != factors.size()) return std::nullopt;
  const double factor = shortest_of_float(static_cast<float>(factors.back()));
  if (!(factor > 1)) return std::nullopt;
  for (const Llama3Numbers& known : {Llama3Numbers{factor, 1, 4, 8192}, Llama3Numbers{factor, 1, 1, 8192}}) {
    if (gives(known, plain, factors)) return known;
  }
  const auto found = fitted(plain, factors, factor);
  return found && gives(*found, plain, factors) ? found : std::nullopt;
}

std::optional<int> find_live_pairs(std::span<const double> factors) {
  const auto first_still = std::find_if(factors.begin(), factors.end(), [](double factor) { return factor != 1; });
  const bool rest_stands = std::all_of(first_still, factors.end(), [](double factor) { return factor >= kStill; });
  if (first_still == factors.begin() || first_still == factors.end() || !rest_stands) return std::nullopt;
  return static_cast<int>(first_still - factors.begin());
}

}  // namespace ropescope
