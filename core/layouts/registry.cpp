#include <algorithm>

#include "core/error.h"
#include "core/layouts/parts.h"

namespace ropescope {

namespace {

// One line of tokens first, then image models by age, video, vision towers, and what is put together by hand.
const Layout kLayouts[] = {
    kTextLayout,             // a text
    kRasterLayout,           // an image read as a text
    kFlux1Layout,            // August 2024
    kFlux1KontextLayout,     // May 2025
    kFlux2Layout,            // November 2025
    kQwenImageLayout,        // August 2025
    kWanLayout,              // February 2025
    kHunyuanVideoLayout,     // December 2024
    kCogView4Layout,         // March 2025
    kLumina2Layout,          // January 2025
    kZImageLayout,           // November 2025
    kLtxVideoLayout,         // November 2024
    kVitAxialLayout,         // March 2024
    kVitMixedLayout,         // March 2024
    kDinov3Layout,           // August 2025
    kQwen2VlLayout,          // August 2024
    kQwen3VlLayout,          // September 2025
    kTorchtuneVisionLayout,  // library code
    kLucidrainsAxialLayout,  // library code
    kPixtralLayout,          // September 2024
    kErnieImageLayout,       // 2026
    kCustomLayout,           // last: axes of one's own
};

}  // namespace

std::span<const Layout> all_layouts() {
  return kLayouts;
}

const Layout& find_layout(std::string_view name) {
  const auto layouts = all_layouts();
  const auto found =
      std::find_if(layouts.begin(), layouts.end(), [name](const Layout& layout) { return layout.name == name; });
  if (found != layouts.end()) return *found;
  std::string known;
  for (const Layout& layout : layouts) known += (known.empty() ? "" : ", ") + std::string(layout.name);
  throw InputError("\"" + std::string(name) + "\" is not a layout known here; one of " + known + " was expected");
}

bool takes(const Layout& layout, std::string_view setting) {
  return std::find(layout.settings.begin(), layout.settings.end(), setting) != layout.settings.end();
}

}  // namespace ropescope
