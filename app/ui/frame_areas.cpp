#include "app/ui/frame_areas.h"

#include <algorithm>

namespace ropescope::ui {

namespace {

// Measures of the frame at 100 %: top bar, view list, controls, status line.
constexpr double kTopBar = 48, kViewList = 168, kControls = 320, kStatus = 28, kFoldedControls = 28;
/// Below these widths the controls and the list, below this height the status line, give their place to the figures.
constexpr double kWidthForControls = 1000, kWidthForList = 700, kHeightForStatus = 400;
/// The lesson in place of the list of views; in the room.
constexpr double kLesson = 380, kLessonShare = 0.42, kFrameAreasRoomShare = 0.38;
/// What is left of the figures beside an open drawer.
constexpr double kBesideDrawer = 60;

}  // namespace

Areas areas_of(const App& app, double width, double height) {
  const Ui& ui = app.ui;
  const bool alone = app.figure_alone;
  Areas a;
  const bool room = app.lesson && app.lesson->room, panel = shows_lesson_panel(app);
  a.drawer = width < ui.px(kWidthForControls + (panel ? kLesson : 0));
  a.show_top = !alone && !room;
  a.show_list = !alone && (panel || width >= ui.px(kWidthForList));
  a.show_status = !alone && !room && height >= ui.px(kHeightForStatus);
  a.show_controls = !alone && !room && (a.drawer ? app.drawer_open : app.settings.controls_open);
  const double top = a.show_top ? ui.px(kTopBar) : 0, status = a.show_status ? ui.px(kStatus) : 0;
  const double middle = std::max(1.0, height - top - status);
  const double words = room ? kFrameAreasRoomShare * width : std::min<double>(ui.px(kLesson), kLessonShare * width);
  const double list = !a.show_list ? 0 : panel ? words : static_cast<double>(ui.px(kViewList));
  const double strip = alone || room ? 0 : ui.px(kFoldedControls);
  const double beside = a.show_controls && !a.drawer ? ui.px(kControls) : strip;
  const double drawer = std::max<double>(ui.px(kFoldedControls), width - list - ui.px(kBesideDrawer));
  a.top = {0, 0, width, top};
  a.list = {0, top, list, middle};
  a.controls = {list, top, a.show_controls && a.drawer ? std::min<double>(ui.px(kControls), drawer) : beside, middle};
  a.figures = {list + beside, top, std::max(1.0, width - list - beside), middle};
  a.status = {0, height - status, width, status};
  return a;
}

bool& controls_open(App& app, const Areas& areas) {
  return areas.drawer ? app.drawer_open : app.settings.controls_open;
}

}  // namespace ropescope::ui
