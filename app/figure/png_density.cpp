#include "app/figure/png_density.h"

#include <cmath>
#include <cstdint>

namespace ropescope {

namespace {

constexpr std::size_t kAfterHeader = 33;  ///< signature (8) and the chunk IHDR (length, name, 13 bytes, sum)
constexpr double kMetresPerInch = 0.0254;

void append_number(std::string& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
}

/// The sum of ISO 3309 that ends a chunk.
std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

}  // namespace

std::string with_dpi(std::string png, double dpi) {
  if (png.size() < kAfterHeader) return png;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / kMetresPerInch));
  std::string named = "pHYs";
  append_number(named, per_metre);
  append_number(named, per_metre);
  named += '\1';  // the unit: the metre
  std::string chunk;
  append_number(chunk, static_cast<std::uint32_t>(named.size() - 4));
  chunk += named;
  append_number(chunk, checksum(named));
  return png.insert(kAfterHeader, chunk);
}

}  // namespace ropescope
