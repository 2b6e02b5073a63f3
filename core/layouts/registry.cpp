#include <algorithm>

#include "core/error.h"
#include "core/layouts/layout.h"

namespace ropescope {

extern const Layout kTextLayout, kRasterLayout, kFlux1Layout, kFlux1KontextLayout, kFlux2Layout, kQwenImageLayout,
    kWanLayout, kHunyuanVideoLayout, kCogView4Layout, kLumina2Layout, kZImageLayout, kLtxVideoLayout, kVitAxialLayout,
    kVitMixedLayout, kDinov3Layout, kQwen2VlLayout, kQwen3VlLayout, kTorchtuneVisionLayout, kLucidrainsAxialLayout,
    kPixtralLayout, kErnieImageLayout, kCustomLayout;

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
  Words::List known;
  for (const Layout& layout : layouts) known.push_back(as_it_is(layout.name));
  throw InputError("layouts.unknown", {{"name", name}, {"known", known}});
}

Words words_of(const Layout& layout, std::string_view what) {
  return Words("layout." + std::string(layout.name) + "." + std::string(what));
}

std::vector<LayoutSetting> all_layout_settings() {
  static const std::vector<LayoutSetting> each_once = [] {
    std::vector<LayoutSetting> all;
    for (const Layout& layout : all_layouts()) {
      for (const LayoutSetting& setting : layout.settings) {
        const auto same = [&](const LayoutSetting& known) { return known.name == setting.name; };
        if (std::none_of(all.begin(), all.end(), same)) all.push_back(setting);
      }
    }
    return all;
  }();
  return each_once;
}

const LayoutSetting* find_setting(const Layout& layout, std::string_view name) {
  const auto found = std::find_if(layout.settings.begin(), layout.settings.end(),
                                  [name](const LayoutSetting& setting) { return setting.name == name; });
  return found == layout.settings.end() ? nullptr : &*found;
}

bool takes(const Layout& layout, std::string_view setting) {
  return find_setting(layout, setting) != nullptr;
}

std::optional<double> shared_base(const Layout& layout) {
  if (layout.axes.empty()) return std::nullopt;
  const double base = layout.axes.front().base;
  const auto has_base = [base](const AxisDefault& axis) { return axis.base == base; };
  if (!std::all_of(layout.axes.begin(), layout.axes.end(), has_base)) return std::nullopt;
  return base;
}

}  // namespace ropescope
