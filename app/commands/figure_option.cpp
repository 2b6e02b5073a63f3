#include "app/commands/figure_option.h"

#include <cmath>

#include "app/commands/commands.h"
#include "app/figure/number_text.h"
#include "app/resources/system.h"
#include "core/error.h"

namespace ropescope {

const Panel& find_panel(const ViewResult& result, const std::string& figure) {
  std::string names;
  for (std::size_t i = 0; i < result.panels.size(); ++i) {
    const Panel& panel = result.panels[i];
    if (figure == panel.figure.name || figure == std::to_string(i + 1)) return panel;
    names += (names.empty() ? "" : ", ") + std::to_string(i + 1) + " (" + panel.figure.name + ")";
  }
  throw InputError("--figure is \"" + figure + "\"; one of " + names + " was expected");
}

void check_picture_memory(const PageSize& size) {
  constexpr double kBytesOfPixel = 5;  // four of the picture, and what the file takes
  constexpr double kMega = 1e6, kLarge = 250;
  const double needed = kBytesOfPixel * size.width * size.height / kMega;
  const std::optional<double> free = os::free_memory();
  const std::string takes = "a picture of " + shortest_number(size.width) + "x" + shortest_number(size.height) +
                            " pixels takes up to " + shortest_number(std::ceil(needed)) + " MB of memory";
  if (free && needed > *free / kMega) {
    throw InputError("--size: " + takes + ", of which " + shortest_number(std::floor(*free / kMega)) +
                     " MB are free; a smaller one was expected");
  }
  if (needed >= kLarge) put_notice(takes + " and some seconds");
}

}  // namespace ropescope
