#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/formats/gguf.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// Frequency factors: llama.cpp divides the frequency of pair i by the ith number of a tensor.
inline constexpr std::string_view kRopeFactors = "rope_freqs.weight";
inline constexpr std::string_view kLongFactors = "rope_factors_long.weight";
inline constexpr std::string_view kShortFactors = "rope_factors_short.weight";

/// Whether one of the files has the tensor.
bool has_factors(std::span<const GgufFile> parts, std::string_view name);

/// Its first `pairs` numbers; none where no file has it. Throws InputError: another type than float32, fewer numbers,
/// one that is not above 0.
std::optional<std::vector<double>> read_factors(std::span<const GgufFile> parts, std::string_view name, int pairs);

/// What llama3 was asked for.
struct Llama3Numbers {
  double factor = 1, low = 1, high = 4, length = 8192;
};
/// The numbers of llama3 whose factors, rounded to float32, are these to within 4e-6 (the converters compute in
/// float32, some steps). A file keeps the factors alone, so that only length/low and length/high can be told: they are
/// said with low = 1. None where no numbers give them.
std::optional<Llama3Numbers> find_llama3(const RotaryAxis& axis, std::span<const double> factors);

/// Gemma 4's proportional ladder as converters write it: how many pairs turn where their factors are 1 and the others'
/// so large (10³⁰) that they stand still. None where the factors are others.
std::optional<int> find_live_pairs(std::span<const double> factors);

}  // namespace ropescope
