#include "core/formats/npy.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/error.h"

/// Any bytes as a .npy: a tensor that survives being written and read again, or an InputError; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ropescope::Tensor tensor;
  try {
    tensor = ropescope::parse_npy(std::as_bytes(std::span(data, size)), "fuzzed.npy");
  } catch (const ropescope::InputError&) {
    return 0;
  }
  std::vector<std::byte> written;
  try {
    written = ropescope::write_npy(tensor);
  } catch (const ropescope::InputError&) {
    // The largest 64-bit integers round up to 2^63 or 2^64 as doubles, which their format does not hold.
    if (tensor.format == ropescope::NumberFormat::int64 || tensor.format == ropescope::NumberFormat::uint64) return 0;
    __builtin_trap();
  }
  const ropescope::Tensor again = ropescope::parse_npy(written, "written.npy");
  if (again.shape != tensor.shape || again.format != tensor.format || again.values.size() != tensor.values.size()) {
    __builtin_trap();
  }
  for (std::size_t i = 0; i < again.values.size(); ++i) {
    const bool both_nan = again.values[i] != again.values[i] && tensor.values[i] != tensor.values[i];
    if (!both_nan && again.values[i] != tensor.values[i]) __builtin_trap();
  }
  return 0;
}
