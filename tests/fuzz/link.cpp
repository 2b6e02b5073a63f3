#include <cstddef>
#include <cstdint>
#include <string>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/experiment/figure_file.h"
#include "app/experiment/sweeps.h"
#include "core/message.h"

namespace {

void expect_short(const ropescope::Experiment& opened) {
  ropescope::Experiment experiment = opened;
  for (ropescope::Field& field : ropescope::fields_of(experiment)) {
    if (field.kind != ropescope::Field::Kind::text) continue;
    if (field.as<std::string>().size() > field.max_bytes) __builtin_trap();
  }
}

}  // namespace

/// Any bytes as what follows the address of a link: an experiment whose texts are short enough to be drawn, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string link = std::string(ropescope::kOwnAddress) + std::string(reinterpret_cast<const char*>(data), size);
  ropescope::parse_step_link(link);
  try {
    const ropescope::Experiment opened = ropescope::load_experiment(link);
    expect_short(opened);
    ropescope::facets_of(opened);
  } catch (const ropescope::InputError&) {
  }
  return 0;
}
