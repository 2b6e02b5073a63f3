// Layouts of ggml's blocks. Read ggml_dump.h first.

#include "core/formats/dumps/ggml_dump.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/machine.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

using BlockBytes = const std::uint8_t*;

double half_at(BlockBytes at) {
  return float16_value(static_cast<std::uint16_t>(at[0] | at[1] << 8));
}

/// Q4_0, Q4_1, Q5_0, Q5_1: scale, minimum (…_1), a fifth bit of each number (Q5_…), then two numbers per byte: number i
/// and number i + 16.
template <int bits, bool minimum>
void unpack_short(BlockBytes block, double* out) {
  const double scale = half_at(block), least = minimum ? half_at(block + 2) : 0;
  BlockBytes high = block + (minimum ? 4 : 2), low = high + (bits == 5 ? 4 : 0);
  for (int i = 0; i < 32; ++i) {
    int number = i < 16 ? low[i] & 15 : low[i - 16] >> 4;
    if (bits == 5) number |= (high[i / 8] >> (i % 8) & 1) << 4;
    out[i] = minimum ? scale * number + least : scale * (number - (1 << (bits - 1)));
  }
}

/// Q8_0: scale, then signed numbers.
void unpack_q8_0(BlockBytes block, double* out) {
  for (int i = 0; i < 32; ++i) out[i] = half_at(block) * static_cast<std::int8_t>(block[2 + i]);
}

// K quants have 256 numbers. Of the two-bit numbers in 64 bytes, numbers i, i + 32, i + 64, i + 96 of each half share a
// byte; every 16 numbers have a scale.

/// Q2_K: 16 bytes of scale (low half) and minimum, the numbers, two factors.
void unpack_q2_k(BlockBytes block, double* out) {
  const double scale = half_at(block + 80), least = half_at(block + 82);
  for (int i = 0; i < 256; ++i) {
    const int number = block[16 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3, both = block[i / 16];
    out[i] = scale * (both & 15) * number - least * (both >> 4);
  }
}

/// Q3_K: 32 bytes of third bits (0: minus 4), the numbers, 12 bytes of six-bit scales, a factor.
void unpack_q3_k(BlockBytes block, double* out) {
  BlockBytes scales = block + 96;
  const double factor = half_at(block + 108);
  for (int i = 0; i < 256; ++i) {
    const int part = i / 16, low = part < 8 ? scales[part] & 15 : scales[part - 8] >> 4;
    const int scale = (low | (scales[8 + part % 4] >> (part / 4 * 2) & 3) << 4) - 32;
    const int number = block[32 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
    out[i] = factor * scale * (number - ((block[i % 32] >> (i / 32) & 1) != 0 ? 0 : 4));
  }
}

/// Returns six-bit scale and minimum of 32 numbers in Q4_K and Q5_K.
std::pair<int, int> scale_and_minimum(BlockBytes scales, int part) {
  if (part < 4) return {scales[part] & 63, scales[part + 4] & 63};
  return {(scales[part + 4] & 15) | scales[part - 4] >> 6 << 4, scales[part + 4] >> 4 | scales[part] >> 6 << 4};
}

/// Q4_K, Q5_K: two factors, 12 bytes of scales and minima, fifth bits (Q5_K), and 32 bytes for every 64 numbers.
template <int bits>
void unpack_q45_k(BlockBytes block, double* out) {
  const double scale = half_at(block), least = half_at(block + 2);
  BlockBytes high = block + 16, low = high + (bits == 5 ? 32 : 0);
  for (int i = 0; i < 256; ++i) {
    const auto [factor, minimum] = scale_and_minimum(block + 4, i / 32);
    const int both = low[i / 64 * 32 + i % 32];
    int number = i % 64 < 32 ? both & 15 : both >> 4;
    if (bits == 5) number |= (high[i % 32] >> (i / 32) & 1) << 4;
    out[i] = scale * factor * number - least * minimum;
  }
}

/// Q6_K: 128 bytes of low halves, 64 bytes of two high bits, 16 signed scales, a factor.
void unpack_q6_k(BlockBytes block, double* out) {
  const double factor = half_at(block + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32, both = block[half * 64 + quarter % 2 * 32 + i % 32];
    const int low = quarter < 2 ? both & 15 : both >> 4;
    const int high = block[128 + half * 32 + i % 32] >> (2 * quarter) & 3;
    out[i] = factor * static_cast<std::int8_t>(block[192 + i / 16]) * ((low | high << 4) - 32);
  }
}

struct BlockLayout {
  std::uint32_t type;
  GgmlBlock block;
  void (*unpack)(BlockBytes block, double* out);
};
constexpr BlockLayout kBlockLayouts[] = {
    {2, {32, 18}, unpack_short<4, false>}, {3, {32, 20}, unpack_short<4, true>}, {6, {32, 22}, unpack_short<5, false>},
    {7, {32, 24}, unpack_short<5, true>},  {8, {32, 34}, unpack_q8_0},           {10, {256, 84}, unpack_q2_k},
    {11, {256, 110}, unpack_q3_k},         {12, {256, 144}, unpack_q45_k<4>},    {13, {256, 176}, unpack_q45_k<5>},
    {14, {256, 210}, unpack_q6_k}};

const BlockLayout* layout_of(std::uint32_t type) {
  const auto* found = std::find_if(std::begin(kBlockLayouts), std::end(kBlockLayouts),
                                   [type](const BlockLayout& layout) { return layout.type == type; });
  return found == std::end(kBlockLayouts) ? nullptr : found;
}

}  // namespace

std::optional<GgmlBlock> find_ggml_block(std::uint32_t type) {
  const BlockLayout* found = layout_of(type);
  return found ? std::optional(found->block) : std::nullopt;
}

void unpack_blocks(std::uint32_t type, std::span<const std::byte> bytes, double* out) {
  const BlockLayout& layout = *layout_of(type);
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (const auto* end = from + bytes.size(); from < end; from += layout.block.bytes, out += layout.block.numbers) {
    layout.unpack(from, out);
  }
}

}  // namespace ropescope
