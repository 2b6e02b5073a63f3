#include "app/commands/npy_numbers.h"

#include <bit>
#include <cstdint>

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

}  // namespace ropescope
