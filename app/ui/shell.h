// The frame of the window: its areas, the bar on top, pages of panels, and messages. draw_app() (app.h) draws it with
// the parts whose headers are included here. Read app.h before.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"
#include "app/ui/cards.h"
#include "app/ui/control_panel.h"
#include "app/ui/dialogs.h"
#include "app/ui/finder.h"
#include "app/ui/plot.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

// --- Pages ---------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kGap = static_cast<std::size_t>(-1);

/// A panel on a page: on a page of its own row it may have lost its neighbours.
struct PagePanel {
  std::size_t index = 0;  ///< kGap: an empty place among small multiples
  bool beside = false;
  double height_share = 1;
  double legend = 0;  ///< lines that its legend may take of the height
};
using Page = std::vector<PagePanel>;

/// The panels that are shown together: all of them where they have room, else page by page in their order. `room` is
/// that of the panels; sizes are measured at 100 % text. Small multiples wrap as the
/// room is wide, and none is smaller than can be read.
std::vector<Page> pages_of(const Ui& ui, const std::vector<Panel>& panels, const Rect& room);
/// The panels of a page, as they are laid out there.
std::vector<Panel> panels_of(const std::vector<Panel>& panels, const Page& page);

/// Draws a dot for each page in the middle of a row, the shown one filled; returns the page that was chosen, else
/// `shown`.
std::size_t draw_dots(Ui& ui, const Rect& row, std::size_t pages, std::size_t shown);
/// At 100 %: the height of the row of dots, the gap between panels, and the padding around what they hold.
inline constexpr double kDots = 18, kPanelGap = 12, kPanelPadding = 8;

// --- Shell ---------------------------------------------------------------------------------------------------------

// Parts of the frame. Each draws itself into its rectangle (pixels) and edits the experiment of this frame; the others
// stand in the headers that are included above.

/// When a message goes by itself; none where it stays.
std::optional<double> end_of(const Message& message);

}  // namespace ropescope::ui
