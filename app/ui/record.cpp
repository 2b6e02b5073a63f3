#include <algorithm>

#include "app/ui/widgets.h"

namespace ropescope::ui {

void WidgetRecord::add(std::string key, const Rect& rect) {
  rects.emplace_back(std::move(key), rect);
}

const Rect* WidgetRecord::find(std::string_view key) const {
  // The last one wins: a popup drawn later lies above.
  const auto found =
      std::find_if(rects.rbegin(), rects.rend(), [key](const auto& entry) { return entry.first == key; });
  return found == rects.rend() ? nullptr : &found->second;
}

void WidgetRecord::clear() {
  rects.clear();
}

}  // namespace ropescope::ui
