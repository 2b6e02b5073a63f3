#include "app/ui/plot_page.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/figure/cell_legend.h"
#include "app/figure/cells.h"
#include "app/ui/pages.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

/// In the room all is large; panels that belong together stay on one page all the same.
constexpr double kPlotPageRoomShare = 0.78;
double panel_share(const App& app) {
  return app.lesson && app.lesson->room ? kPlotPageRoomShare : 1;
}

/// The page that holds the first figure that the step of a lesson points to.
std::size_t pointed_page(const App& app, const std::vector<Page>& pages) {
  const LessonPlay& play = *app.lesson;
  for (const std::string& name : play.lesson.steps[play.step].points) {
    for (std::size_t page = 0; page < pages.size(); ++page) {
      for (const PagePanel& each : pages[page]) {
        if (each.index == kGap) continue;
        if (figure_of_cell(app.result.panels[each.index].figure.name) == name) return page;
      }
    }
  }
  return 0;
}

/// The names of curves that no chip says, above small multiples; the height that they fill.
double legend_above(const App& app, const std::vector<Panel>& panels, const Rect& room, const FigureOptions& options,
                    Scene& scene) {
  constexpr double kMost = 0.3;  // of the height
  const double height = add_cell_legend(scene, panels, {room.left, room.top, room.width, kMost * room.height},
                                        app.ui.palette, options, screen_measure(app.ui));
  return height > 0 ? height + static_cast<double>(app.ui.px(kPanelPadding)) : 0;
}

}  // namespace

std::vector<Panel> page_of(App& app, Rect& room, const std::string& view, const FigureOptions& options) {
  PlotState& plot = app.plot;
  const std::vector<Panel>& panels = app.result.panels;
  const bool cells = are_cells(panels);
  Ui measures = app.ui;
  measures.scale *= static_cast<float>(panel_share(app));
  Scene unseen;
  const double legend = cells ? legend_above(app, panels, room, options, unseen) : 0;
  const std::vector<Page> pages =
      pages_of(measures, panels, {room.left, room.top + legend, room.width, room.height - legend});
  if (plot.pages_of != view) plot.page = 0;
  if (app.lesson && std::exchange(app.lesson->turn_page, false)) plot.page = pointed_page(app, pages);
  plot.pages_of = view;
  plot.pages = pages.size();
  plot.page = std::min(plot.page, pages.size() - 1);
  if (pages.size() > 1) {
    const double dots = app.ui.px(kDots);
    room.height -= dots;
    plot.page = draw_dots(app.ui, {room.left, room.bottom(), room.width, dots}, pages.size(), plot.page);
  } else if (!cells) {
    return {};
  }
  std::vector<Panel> shown = panels_of(panels, pages[plot.page]);
  if (!cells) return shown;
  Scene names;
  const double height = legend_above(app, shown, room, options, names);
  draw_scene(ImGui::GetWindowDrawList(), app.ui, names);
  room.top += height;
  room.height -= height;
  for (Panel& panel : shown) panel.figure.legend = false;
  return shown;
}

}  // namespace ropescope::ui
