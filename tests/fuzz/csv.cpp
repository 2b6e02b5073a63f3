#include "core/formats/tensor_file.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/message.h"
#include "tests/fuzz/stored.h"

/// Any bytes as a .csv: a table of finite numbers within the limits, or an InputError of one line; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ropescope::CsvLimits limits{4096};
    const auto table = ropescope::parse_csv(std::as_bytes(std::span(data, size)), "fuzzed.csv", limits);
    const std::vector<double> values = tests::rows_of(table);
    if (table.shape.size() != 2 || values.empty() || values.size() > limits.numbers) __builtin_trap();
    for (const double value : values) {
      if (!std::isfinite(value) || !(ropescope::half_unit(table, value) >= 0)) __builtin_trap();
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
