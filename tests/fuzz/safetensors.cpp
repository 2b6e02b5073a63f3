#include "core/formats/tensor_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/formats/dumps/dump.h"
#include "core/message.h"
#include "tests/fuzz/stored.h"

/// Any bytes as a .safetensors: tensors that lie side by side within the file and can be read, or an InputError of one
/// line; nothing else. What it says of itself is read, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    std::uint64_t filled = 0;
    for (const ropescope::SafetensorsEntry& entry : ropescope::read_safetensors_header(bytes, "fuzzed.safetensors")) {
      if (entry.begin < filled || entry.end < entry.begin || entry.end > size) __builtin_trap();
      filled = entry.end;
      try {
        const auto tensor = ropescope::open_tensor(bytes, nullptr, "fuzzed.safetensors", entry.name);
        if (tensor.bytes.size() != entry.end - entry.begin) __builtin_trap();
        tests::rows_of(tensor);
      } catch (const ropescope::InputError& error) {
        if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
      }
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  try {
    ropescope::read_dump_notes(bytes, "fuzzed.safetensors");
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
