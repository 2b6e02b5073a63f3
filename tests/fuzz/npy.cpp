#include "core/formats/npy.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/message.h"
#include "tests/fuzz/stored.h"
#include "tests/npy_files.h"

/// Any bytes as a .npy: a tensor that survives being written and read again, or an InputError; nothing else. As it is
/// stored, its rows are those of the tensor read, and complex numbers and bfloat16 can be read too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<double> rows;
  try {
    rows = tests::rows_of(ropescope::view_npy(bytes, nullptr, "fuzzed.npy"));
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  ropescope::Tensor tensor;
  try {
    tensor = ropescope::parse_npy(bytes, "fuzzed.npy");
  } catch (const ropescope::InputError&) {
    return 0;
  }
  if (!tests::same_numbers(rows, tensor.values)) __builtin_trap();
  std::vector<std::byte> written;
  try {
    written = ropescope::write_npy(tensor);
  } catch (const ropescope::InputError&) {
    // The largest 64-bit integers round up to 2^63 or 2^64 as doubles, which their format does not hold.
    if (tensor.format == ropescope::NumberFormat::int64 || tensor.format == ropescope::NumberFormat::uint64) return 0;
    __builtin_trap();
  }
  const ropescope::Tensor again = ropescope::parse_npy(written, "written.npy");
  if (again.shape != tensor.shape || again.format != tensor.format) __builtin_trap();
  if (!tests::same_numbers(again.values, tensor.values)) __builtin_trap();
  return 0;
}
