// Numbers that ggml stores in blocks with common scales: Q4_0 to Q8_0 and the K quants. Read ggml_dump.h first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ropescope {

/// Numbers and bytes of a block.
struct GgmlBlock {
  std::int64_t numbers = 32;
  std::int64_t bytes = 0;
};
/// Returns the block of a ggml type that unpack_blocks() supports: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K,
/// Q5_K, Q6_K; nullopt for others.
std::optional<GgmlBlock> find_ggml_block(std::uint32_t type);

/// Unpacks whole little-endian blocks to float64: scale · q, scale · q + minimum or scale · (q − centre) with the
/// block's own scales. `out` has place for all their numbers. Precondition: find_ggml_block supports the type, and
/// `bytes` are whole blocks. Source of the layouts: ggml, src/ggml-common.h.
void unpack_blocks(std::uint32_t type, std::span<const std::byte> bytes, double* out);

}  // namespace ropescope
