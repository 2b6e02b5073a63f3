#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/experiment/experiment.h"
#include "core/message.h"

/// Any bytes as a saved experiment: one that is within its limits and survives being saved and opened again, or an
/// InputError; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ropescope::Experiment experiment;
  try {
    experiment = ropescope::experiment_from_json(std::string(reinterpret_cast<const char*>(data), size), "fuzzed.json");
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
    return 0;
  }
  ropescope::Experiment again = ropescope::experiment_from_json(ropescope::experiment_to_json(experiment), "saved");
  if (!(again == experiment)) __builtin_trap();
  ropescope::clamp(again);
  if (!(again == experiment)) __builtin_trap();
  return 0;
}
