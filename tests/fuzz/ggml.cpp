#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/tensor_file.h"
#include "core/message.h"
#include "tests/fuzz/stored.h"

/// Any bytes as a dump of ggml, or a .gguf as a file of tensors: tensors that lie within the file and can be read, or
/// an InputError of one line; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    for (const std::string& name : ropescope::list_tensors(bytes, "fuzzed.bin")) {
      try {
        const auto tensor = ropescope::open_tensor(bytes, nullptr, "fuzzed.bin", name);
        if (tensor.bytes.size() > size) __builtin_trap();
        tests::rows_of(tensor);
      } catch (const ropescope::InputError& error) {
        if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
      }
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
