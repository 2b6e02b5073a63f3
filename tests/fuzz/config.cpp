#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/formats/config.h"
#include "core/message.h"
#include "core/rotary/spec.h"

/// Any bytes as a config.json: profiles that can be computed with, or an InputError; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ropescope::ModelConfig config = ropescope::parse_model_config(text, "fuzzed.json");
    if (config.profiles.empty()) __builtin_trap();
    for (const ropescope::Profile& profile : config.profiles) {
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
