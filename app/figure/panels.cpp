#include <algorithm>
#include <cmath>

#include "app/figure/scene.h"

namespace ropescope {

namespace {

/// The last of the panels with the same x axis says what is on it.
bool shows_x_labels(const std::vector<Panel>& panels, std::size_t index) {
  return std::none_of(panels.begin() + static_cast<std::ptrdiff_t>(index) + 1, panels.end(),
                      [&](const Panel& below) { return below.figure.x.name == panels[index].figure.x.name; });
}

}  // namespace

std::vector<PanelPlace> stack_panels(const std::vector<Panel>& panels, const PanelColumn& column,
                                     const LayoutOptions& options, const MeasureText& measure) {
  const double count = static_cast<double>(panels.size()), around = 2 * column.padding;
  double shares = 0, free_height = column.room.height - column.gap * (count - 1) - around * count;
  std::vector<double> label_heights;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    shares += std::max(panels[i].height_share, 0.0);
    label_heights.push_back(shows_x_labels(panels, i) ? x_labels_height(panels[i].figure, options, measure) : 0);
    free_height -= label_heights.back();
  }
  std::vector<PanelPlace> places;
  double left_margin = options.left_margin, top = column.room.top;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double share = shares > 0 ? std::max(panels[i].height_share, 0.0) / shares : 1 / count;
    PanelPlace place{{column.room.left, top, column.room.width, 0}, options};
    const double inner = std::max(std::floor(free_height * share) + label_heights[i], 0.0);
    place.rect.height = inner + around;
    place.options.show_x_labels = shows_x_labels(panels, i);
    left_margin = std::max(left_margin, left_margin_of(panels[i].figure, inner, place.options, measure));
    places.push_back(place);
    top += place.rect.height + column.gap;
  }
  for (PanelPlace& place : places) place.options.left_margin = left_margin;
  return places;
}

}  // namespace ropescope
