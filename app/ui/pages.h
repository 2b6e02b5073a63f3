// The division of a view's panels into pages that fit the window. Read app/figure/pages/page.h first.
#pragma once

#include <cstddef>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/ui/ui.h"

namespace ropescope::ui {

inline constexpr std::size_t kGap = static_cast<std::size_t>(-1);

/// A panel on a page; it may be on a different page from the other panels of its row.
struct PagePanel {
  std::size_t index = 0;  ///< kGap: an empty place among small multiples
  bool beside = false;
  double height_share = 1;
  double legend = 0;  ///< lines of height reserved for its legend
};
using Page = std::vector<PagePanel>;

/// Returns the panels in pages: one page if all fit, else several in order. `room` is the area for panels; sizes are
/// measured at 100 % text. Small multiples wrap to the width of the area, and none is too small to read.
std::vector<Page> pages_of(const Ui& ui, const std::vector<Panel>& panels, const Rect& room);
/// Returns the panels of a page, as laid out there.
std::vector<Panel> panels_of(const std::vector<Panel>& panels, const Page& page);

/// Draws a dot per page in the middle of a row, the current one filled; returns the selected page, else `shown`.
std::size_t draw_dots(Ui& ui, const Rect& row, std::size_t pages, std::size_t shown);
/// At 100 %: the height of the row of dots, the gap between panels, and the padding around their content.
inline constexpr double kDots = 18, kPanelGap = 12, kPanelPadding = 8;

}  // namespace ropescope::ui
