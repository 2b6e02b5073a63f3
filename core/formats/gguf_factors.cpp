#include "core/formats/gguf_factors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/formats/gguf_metadata.h"
#include "core/number_text.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

constexpr double kSameFloat = 4e-6;
/// From here on a pair stands still: it turns less than 10⁻⁸ radians over 10¹² positions.
constexpr double kStill = 1e20;

struct GgufFactorsFound {
  const GgufFile* file = nullptr;
  const GgufTensor* tensor = nullptr;
};

GgufFactorsFound find_in(std::span<const GgufFile> parts, std::string_view name) {
  for (const GgufFile& file : parts) {
    if (const GgufTensor* tensor = find_tensor(file, name)) return {&file, tensor};
  }
  return {};
}

bool same_float(double a, double b) {
  const double single = static_cast<float>(a);
  return std::abs(single - b) <= kSameFloat * std::abs(b);
}

/// What a converter writes for a pair: 1, the factor, or 1/((1 − γ)/s + γ) between, γ = (L/λ − low)/(high − low).
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

/// From the first and the last blended pair: γ = a/λ − b with a = L/(high − low), b = low/(high − low).
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
  constexpr double kParts = 64;  // factors are simple numbers
  Llama3Numbers found{factor, 1, std::round((1 + 1 / offset) * kParts) / kParts, std::round(slope / offset)};
  if (!(found.high > 1) || !(found.length >= 1) || !std::isfinite(found.high + found.length)) return std::nullopt;
  return found;
}

}  // namespace

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
