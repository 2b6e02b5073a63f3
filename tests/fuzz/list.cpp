#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/message.h"

/// Any bytes as what the command line takes: a LIST of finite numbers, never more than asked for; a list of axes that
/// reads back; and an assignment of --set after which clamping twice is clamping once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kMax = 10'000;
  try {
    const std::vector<double> numbers = ropescope::parse_list(text, "--list", kMax);
    if (numbers.empty() || numbers.size() > kMax) __builtin_trap();
    for (const double number : numbers) {
      if (!std::isfinite(number)) __builtin_trap();
    }
  } catch (const ropescope::InputError&) {
  }
  std::vector<ropescope::AxisEntry> axes, again;
  if (ropescope::read_axis_list(text, axes).empty() && !axes.empty()) {
    if (!ropescope::read_axis_list(ropescope::write_axis_list(axes), again).empty()) __builtin_trap();
    if (again.size() != axes.size()) __builtin_trap();
  }
  ropescope::Experiment experiment;
  try {
    ropescope::set_field(experiment, text);
    ropescope::clamp(experiment);
    ropescope::Experiment again_clamped = experiment;
    ropescope::clamp(again_clamped);
    if (!(again_clamped == experiment)) __builtin_trap();
  } catch (const ropescope::InputError&) {
  }
  return 0;
}
