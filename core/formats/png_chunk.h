#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ropescope {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
/// Where a chunk may be added: after the signature (8 bytes) and the chunk IHDR (length, name, 13 bytes, sum).
inline constexpr std::size_t kAfterPngHeader = 33;

/// A chunk of a PNG: length, name (4 letters), data, and the sum of the last two.
std::string png_chunk(std::string_view name, std::string_view data);
/// The sum of ISO 3309 that ends a chunk.
std::uint32_t png_checksum(std::string_view bytes);
/// Four bytes, the highest first.
void append_png_number(std::string& bytes, std::uint32_t number);
/// Precondition: four bytes are there.
std::uint32_t png_number_at(std::string_view bytes, std::size_t place);

}  // namespace ropescope
