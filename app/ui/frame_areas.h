#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

/// Where the parts of the frame are. Everything is measured at 100 % text: a larger text is a smaller window. Where
/// room is short, in this order: the controls become a drawer over the figures, the list of views a menu in the top
/// bar, the cards one row of numbers, the panels pages, and the status line goes into the sheet of the cards.
struct Areas {
  Rect top, list, controls, figures, status;
  bool show_top = true, show_list = true, show_status = true;
  bool show_controls = true;  ///< else only the strip to unfold them, where they are not a drawer
  bool drawer = false;        ///< the controls lie over the figures while they are open
};
Areas areas_of(const App& app, double width, double height);

/// Whether the controls are open now: a drawer closes by itself when the window gets room for them.
bool& controls_open(App& app, const Areas& areas);

}  // namespace ropescope::ui
