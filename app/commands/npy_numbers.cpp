#include "app/commands/npy_numbers.h"

#include <bit>
#include <cstdint>
#include <filesystem>

#include "app/experiment/experiment.h"

namespace ropescope {

void append_npy_numbers(std::span<const double> numbers, std::string& bytes) {
  std::size_t end = bytes.size();
  bytes.resize(end + sizeof(double) * numbers.size());
  for (const double number : numbers) {
    // Little end first, whatever the machine's own order.
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes[end++] = static_cast<char>(bits >> shift & 0xFF);
  }
}

bool names_npy_file(const std::string& text) {
  std::error_code ignored;
  return !is_list(text) && (text.ends_with(".npy") || std::filesystem::exists(text, ignored));
}

}  // namespace ropescope
