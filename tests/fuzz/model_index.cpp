#include "core/formats/tensor_file.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/message.h"

namespace {

template <class Read>
void expect_named(const Read& read) {
  try {
    read();
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
}

}  // namespace

/// Any bytes as the indexes of a folder: plain names of files and a stride that is one, or an InputError; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect_named([&] {
    for (const auto& [tensor, file] : ropescope::parse_weight_map(text, "fuzzed.json", [](auto) { return true; })) {
      if (file.empty() || file.find('/') != std::string::npos) __builtin_trap();
    }
  });
  expect_named([&] {
    const auto stride = ropescope::vae_stride(text, "fuzzed.json");
    if (stride && (*stride < 1 || *stride > (64 << 10))) __builtin_trap();
  });
  expect_named([&] { ropescope::pipeline_transformer(text, "fuzzed.json"); });
  return 0;
}
