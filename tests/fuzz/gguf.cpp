#include "core/formats/dumps/gguf.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/formats/families/gguf_config.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace {

bool inside(std::span<const std::byte> bytes, const void* begin, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(begin);
  return size == 0 || (first >= bytes.data() && first + size <= bytes.data() + bytes.size());
}

void check_views(const ropescope::GgufFile& file) {
  for (const ropescope::GgufEntry& entry : file.entries) {
    if (!inside(file.bytes, entry.key.data(), entry.key.size())) __builtin_trap();
    if (!inside(file.bytes, entry.bytes.data(), entry.bytes.size())) __builtin_trap();
  }
  for (const ropescope::GgufTensor& tensor : file.tensors) {
    if (!inside(file.bytes, tensor.name.data(), tensor.name.size())) __builtin_trap();
    if (tensor.begin > tensor.end || tensor.end > file.bytes.size()) __builtin_trap();
  }
}

}  // namespace

/// Any bytes as a GGUF: views within the file and profiles that can be computed with, or an InputError of one line;
/// nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const ropescope::GgufFile file = ropescope::read_gguf(bytes, "fuzzed.gguf");
    check_views(file);
    const ropescope::ModelConfig config = ropescope::parse_gguf_config({&file, 1});
    if (config.profiles.empty()) __builtin_trap();
    for (const ropescope::Profile& profile : config.profiles) {
      try {
        if (!(ropescope::head_ladder(profile.spec).amplitude > 0)) __builtin_trap();
      } catch (const ropescope::InputError&) {
        __builtin_trap();
      }
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
