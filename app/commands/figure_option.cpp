#include "app/commands/figure_option.h"

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

}  // namespace ropescope
