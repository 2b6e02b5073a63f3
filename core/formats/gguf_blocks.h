#pragma once

#include <cstdint>

namespace ropescope {

/// How numbers of a ggml type are stored: in blocks of so many numbers, of so many bytes each.
struct GgufBlock {
  std::uint32_t type;  ///< number in enum ggml_type
  const char* name;
  unsigned numbers;
  unsigned bytes;
};

/// nullptr for a type that is not known here, as one that is newer. Source: ggml, include/ggml.h (enum ggml_type) and
/// src/ggml-common.h (the blocks).
const GgufBlock* find_gguf_block(std::uint32_t type);

}  // namespace ropescope
