#include "core/formats/png_chunk.h"

namespace ropescope {

std::string png_chunk(std::string_view name, std::string_view data) {
  const std::string named = std::string(name) + std::string(data);
  std::string chunk;
  append_png_number(chunk, static_cast<std::uint32_t>(data.size()));
  chunk += named;
  append_png_number(chunk, png_checksum(named));
  return chunk;
}

std::uint32_t png_checksum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

void append_png_number(std::string& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
}

std::uint32_t png_number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[place + i]);
  return number;
}

}  // namespace ropescope
