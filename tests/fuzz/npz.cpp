#include "core/formats/npz.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/formats/dumps/dump.h"
#include "core/message.h"
#include "tests/npy_files.h"

/// Any bytes as a .npz and as a dump of q and k: arrays that hold what their shapes say, or an InputError; nothing
/// else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  // Small limits, so that a well-packed input does not run into the fuzzer's own.
  const ropescope::NpzLimits limits{std::uint64_t{1} << 22, 64, {}};
  try {
    for (const std::string& name : ropescope::list_npz(bytes, "fuzzed.npz", limits)) {
      try {
        const ropescope::Tensor tensor = ropescope::parse_npz_array(bytes, "fuzzed.npz", name, limits);
        std::uint64_t count = 1;
        for (const std::int64_t side : tensor.shape) count *= static_cast<std::uint64_t>(side);
        if (count != tensor.values.size()) __builtin_trap();
      } catch (const ropescope::InputError&) {
      }
    }
  } catch (const ropescope::InputError&) {
  }
  try {
    ropescope::DumpReading reading;
    reading.accept = [](const ropescope::AttentionDump& dump) {
      const double channels = static_cast<double>(dump.heads) * static_cast<double>(dump.head_dim + dump.value_dim);
      if (channels * static_cast<double>(dump.tokens) > 1 << 20) throw ropescope::InputError("too large");
    };
    const ropescope::AttentionDump dump = ropescope::parse_attention_dump(bytes, nullptr, "fuzzed.npz", reading);
    for (std::int64_t head = 1; head <= dump.heads; ++head) {
      const ropescope::AttentionInput input = ropescope::head_of(dump, head, 16, "fuzzed.npz");
      if (input.queries.rows() != input.keys.rows() || !input.queries.allFinite()) __builtin_trap();
    }
  } catch (const ropescope::InputError&) {
  }
  return 0;
}
