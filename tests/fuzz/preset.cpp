#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/formats/config.h"
#include "core/message.h"
#include "core/rotary/spec.h"

/// Any bytes as a preset: profiles that can be computed with, or an InputError; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ropescope::Preset preset = ropescope::parse_preset(text, "fuzzed");
    if (preset.profiles.empty()) __builtin_trap();
    for (const ropescope::Profile& profile : preset.profiles) {
      try {
        ropescope::validate(profile.spec);
      } catch (const ropescope::InputError&) {
        __builtin_trap();
      }
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
