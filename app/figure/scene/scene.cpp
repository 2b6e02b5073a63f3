// Layout of figures: heights and widths of panels, and the order of all parts.
//
// Contents: Panels; Parts.

#include "app/figure/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figure/scene/scene_axes.h"
#include "app/figure/scene/scene_labels.h"
#include "app/figure/scene/scene_marks.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

namespace {

// --- Panels --------------------------------------------------------------------------------------------------------

/// Panels in one row: `count` of them from `first` on.
struct Row {
  std::size_t first = 0, count = 1;
  double height = 0, labels_height = 0;
};

std::vector<Row> rows_of_panels(const std::vector<Panel>& panels) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (panels[i].beside && !rows.empty()) {
      ++rows.back().count;
    } else {
      rows.push_back({i, 1});
    }
  }
  return rows;
}

/// Returns whether a row has x labels: the last of the panels with the same x axis; panels in a row all have them.
bool shows_x_labels(const std::vector<Panel>& panels, const std::vector<Row>& rows, std::size_t row) {
  if (panels[rows[row].first].inner_x) return false;
  if (rows[row].count > 1) return true;
  const std::string& name = panels[rows[row].first].figure.x.name;
  return std::none_of(rows.begin() + static_cast<std::ptrdiff_t>(row) + 1, rows.end(),
                      [&](const Row& below) { return below.count == 1 && panels[below.first].figure.x.name == name; });
}

double width_share(const Panel& panel) {
  return std::max(panel.width_share, 0.0);
}

/// Returns whether rows have equal shares: their plots are then aligned.
bool are_alike(const std::vector<Panel>& panels, const Row& a, const Row& b) {
  if (a.count != b.count) return false;
  for (std::size_t i = 0; a.count > 1 && i < a.count; ++i) {
    if (width_share(panels[a.first + i]) != width_share(panels[b.first + i])) return false;
  }
  return true;
}

/// Shared data of all panels of the stack.
struct Stack {
  const std::vector<Panel>& panels;
  const PanelColumn& column;
  const FigureOptions& options;
  const MeasureText& measure;
  std::vector<Row> rows;
};

/// Returns whether some panels leave the names of their y axis to others: all plots are then equally wide.
bool shares_y(const std::vector<Panel>& panels, const Row& row) {
  return std::any_of(panels.begin() + static_cast<std::ptrdiff_t>(row.first),
                     panels.begin() + static_cast<std::ptrdiff_t>(row.first + row.count),
                     [](const Panel& panel) { return panel.inner_y; });
}

/// Returns the width in a panel for colour bars, and for the names of a y axis shared by several.
double extra_width(const Stack& stack, const Panel& panel, std::size_t row, bool names) {
  const Figure& figure = panel.figure;
  // A plot without x labels is higher and may have other ticks.
  FigureOptions with = stack.options;
  with.show_x_labels = shows_x_labels(stack.panels, stack.rows, row);
  const double height = stack.rows[row].height;
  Figure plain;
  plain.bare = figure.bare;
  double extra =
      right_margin_of(figure, height, with, stack.measure) - right_margin_of(plain, height, with, stack.measure);
  if (names && !panel.inner_y) {
    FigureOptions without = with;
    without.show_y_labels = false;
    extra +=
        left_margin_of(figure, height, with, stack.measure) - left_margin_of(figure, height, without, stack.measure);
  }
  return extra;
}

/// Returns widths in whole pixels; extra width is added to a panel's share, as wide as the widest in its place among
/// rows with equal shares.
std::vector<double> widths_of(const Stack& stack, const Row& row) {
  const double room = stack.column.room.width;
  if (row.count == 1) return {room};
  const double count = static_cast<double>(row.count);
  double shares = 0, free_width = room - stack.column.gap * (count - 1);
  std::vector<double> bars(row.count, 0);
  const bool names = shares_y(stack.panels, row);
  for (std::size_t i = 0; i < row.count; ++i) {
    shares += width_share(stack.panels[row.first + i]);
    for (std::size_t r = 0; r < stack.rows.size(); ++r) {
      const Row& other = stack.rows[r];
      if (!are_alike(stack.panels, row, other)) continue;
      bars[i] = std::max(bars[i], extra_width(stack, stack.panels[other.first + i], r, names));
    }
    free_width -= bars[i];
  }
  if (free_width < 0.3 * room) {
    free_width = room - stack.column.gap * (count - 1);
    bars.assign(row.count, 0);
  }
  std::vector<double> widths;
  double used = 0;
  for (std::size_t i = 0; i < row.count; ++i) {
    const double share = shares > 0 ? width_share(stack.panels[row.first + i]) / shares : 1 / count;
    const double rest = room - stack.column.gap * (count - 1) - used;
    widths.push_back(std::max(i + 1 == row.count ? rest : std::floor(free_width * share + bars[i]), 0.0));
    used += widths.back();
  }
  return widths;
}

bool has_shape(const Figure& figure) {
  return figure.equal_axes && !figure.maps.empty();
}

/// Returns the height that a row of maps of a fixed shape can use; nullopt if a panel of the row can use any height.
std::optional<double> useful_height(const Stack& stack, const Row& row) {
  const double around = 2 * stack.column.padding, em = stack.options.text_size;
  const double line = stack.measure("0", {em, FontWeight::regular}).y;
  std::optional<double> most;
  for (std::size_t i = row.first; i < row.first + row.count; ++i) {
    const Figure& figure = stack.panels[i].figure;
    // A bare figure without maps only has a message.
    if (figure.bare && figure.maps.empty()) continue;
    if (!has_shape(figure)) return std::nullopt;
    double shares = 0;
    for (std::size_t k = row.first; k < row.first + row.count; ++k) shares += width_share(stack.panels[k]);
    const double share = shares > 0 ? width_share(stack.panels[i]) / shares : 1 / static_cast<double>(row.count);
    const double gaps = stack.column.gap * static_cast<double>(row.count - 1);
    const double width = (stack.column.room.width - gaps) * share - around -
                         left_margin_of(figure, row.height, stack.options, stack.measure) -
                         right_margin_of(figure, row.height, stack.options, stack.measure);
    const double columns = figure.x.fit.high - figure.x.fit.low, rows = figure.y.fit.high - figure.y.fit.low;
    if (!(columns > 0 && rows > 0) || width < 4 * em) return std::nullopt;
    // Title, half a tick label and the labels below.
    const double height = width * rows / columns + (figure.title.empty() ? 1 : 2.5) * line + row.labels_height + line;
    most = std::max(most.value_or(0), height);
  }
  return most;
}

/// Distributes height that maps of a fixed shape cannot use equally among the rows that can use any height.
void give_spare_height(Stack& stack) {
  double spare = 0;
  std::vector<Row*> takers;
  std::vector<std::pair<Row*, double>> givers;
  for (Row& row : stack.rows) {
    const auto useful = useful_height(stack, row);
    if (!useful) {
      takers.push_back(&row);
    } else if (*useful < row.height) {
      givers.emplace_back(&row, std::ceil(*useful));
    }
  }
  if (takers.empty()) return;
  for (const auto& [row, useful] : givers) {
    spare += row->height - useful;
    row->height = useful;
  }
  for (Row* row : takers) row->height += std::floor(spare / static_cast<double>(takers.size()));
}

/// Returns the minimum heights at which rows keep their labels.
std::vector<double> least_heights(const Stack& stack, double plot_ems) {
  std::vector<double> least;
  for (std::size_t r = 0; r < stack.rows.size(); ++r) {
    const Row& row = stack.rows[r];
    FigureOptions options = stack.options;
    options.show_x_labels = shows_x_labels(stack.panels, stack.rows, r);
    const double width = stack.column.room.width / static_cast<double>(row.count) - 2 * stack.column.padding;
    least.push_back(0);
    for (std::size_t i = row.first; i < row.first + row.count; ++i) {
      const Figure& figure = stack.panels[i].figure;
      least.back() = std::max(least.back(), least_height_of(figure, options, stack.measure, width, plot_ems));
    }
  }
  return least;
}

/// If height is short, no row loses labels or falls below its minimum while others have height to spare; with none to
/// spare, all rows lose the same amount.
void spare_labels(Stack& stack) {
  std::vector<double> least = least_heights(stack, kLowPlot);
  for (double& height : least) height = std::max(height, std::ceil(stack.column.least - 2 * stack.column.padding));
  double missing = 0, spare = 0;
  for (std::size_t r = 0; r < stack.rows.size(); ++r) {
    missing += std::max(0.0, least[r] - stack.rows[r].height);
    spare += std::max(0.0, stack.rows[r].height - least[r]);
  }
  if (!(missing > 0)) return;
  const double count = static_cast<double>(stack.rows.size());
  for (std::size_t r = 0; r < stack.rows.size(); ++r) {
    double& height = stack.rows[r].height;
    if (missing >= spare) {
      height = std::max(0.0, std::floor(least[r] - (missing - spare) / count));
    } else {
      height = std::max(least[r], std::floor(height - (height - least[r]) * missing / spare));
    }
  }
}

/// Distributes the height: each row's plot gets its share, and x labels are added to it.
void set_heights(Stack& stack) {
  const double count = static_cast<double>(stack.rows.size()), around = 2 * stack.column.padding;
  double shares = 0, free_height = stack.column.room.height - stack.column.gap * (count - 1) - around * count;
  for (std::size_t r = 0; r < stack.rows.size(); ++r) {
    Row& row = stack.rows[r];
    shares += std::max(stack.panels[row.first].height_share, 0.0);
    for (std::size_t i = row.first; i < row.first + row.count; ++i) {
      if (!shows_x_labels(stack.panels, stack.rows, r)) continue;
      const double width = stack.column.room.width / static_cast<double>(row.count) - around;
      row.labels_height =
          std::max(row.labels_height, x_labels_height(stack.panels[i].figure, stack.options, stack.measure, width));
    }
    free_height -= row.labels_height;
  }
  for (Row& row : stack.rows) {
    const double own = std::max(stack.panels[row.first].height_share, 0.0);
    const double share = shares > 0 ? own / shares : 1 / count;
    row.height = std::max(std::floor(free_height * share) + row.labels_height, 0.0);
  }
  give_spare_height(stack);
  spare_labels(stack);
}

/// Plots one below the other start and end at the same x.
void align(const Stack& stack, std::vector<PanelPlace>& places) {
  const double around = 2 * stack.column.padding;
  std::vector<PanelPlace> aligned = places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Rect& one = places[i].rect;
      const Rect& other = places[k].rect;
      if (one.left != other.left || one.width != other.width || stack.panels[k].figure.bare) continue;
      const Figure& figure = stack.panels[k].figure;
      const FigureOptions& options = places[k].options;
      const double height = other.height - around, width = other.width - around;
      FigureOptions& to = aligned[i].options;
      to.left_margin = std::max(to.left_margin, left_margin_of(figure, height, options, stack.measure, width));
      to.right_margin = std::max(to.right_margin, right_margin_of(figure, height, options, stack.measure, width));
    }
  }
  places = std::move(aligned);
}

// --- Parts ---------------------------------------------------------------------------------------------------------

constexpr double kMaxLegendHeightShare = 0.45;  ///< maximum share of the plot for a legend above it

/// Adds all parts in drawing order; returns the labels without a place.
std::vector<LegendEntry> add_parts(Scene& scene, const SceneContext& context) {
  const bool over_maps = !context.figure.maps.empty();
  // Over maps, spans tint them; else they are under the grid.
  if (!over_maps) add_spans(scene, context);
  add_grid(scene, context);
  add_maps(scene, context);
  add_pictures(scene, context);
  if (over_maps) add_spans(scene, context);
  add_boxes_and_paths(scene, context);
  add_curves(scene, context);
  add_arrows(scene, context);
  add_tick_marks(scene, context);
  add_bars(scene, context);
  add_axis_labels(scene, context);
  return add_inner_labels(scene, context);
}

}  // namespace

FigureLayout lay_out(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                     const MeasureText& measure) {
  if (!figure.paragraphs.empty()) return lay_out_paragraphs(figure, rect, palette, options, measure);
  if (!figure.grid.empty()) return lay_out_grid(figure, rect, palette, options, measure);
  // Labels without a place move to a legend above the plot, which lowers it: further ones may lose theirs.
  constexpr int kMaxRounds = 3;
  std::vector<LegendEntry> above;
  for (int round = 0;; ++round) {
    Frame frame = frame_of(figure, rect, options, measure);
    if (!above.empty()) {
      const double height = legend_height_above(above, {figure, frame, palette, options, measure},
                                                kMaxLegendHeightShare * frame.plot.height);
      if (height > 0) frame = frame_of(figure, rect, options, measure, height);
    }
    const SceneContext context{figure, frame, palette, options, measure, above};
    FigureLayout result{{}, frame.plot, frame.x, frame.y, frame.right};
    const std::vector<LegendEntry> unplaced = add_parts(result.scene, context);
    if (unplaced.empty() || !options.legend_above || round == kMaxRounds) return result;
    above.insert(above.end(), unplaced.begin(), unplaced.end());
  }
}

double least_height_of(const std::vector<Panel>& panels, const PanelColumn& column, const FigureOptions& options,
                       const MeasureText& measure, double plot_ems) {
  const Stack stack{panels, column, options, measure, rows_of_panels(panels)};
  double height = 0;
  for (const double least : least_heights(stack, plot_ems)) height += least + 2 * column.padding + column.gap;
  return height;
}

std::vector<PanelPlace> stack_panels(const std::vector<Panel>& panels, const PanelColumn& column,
                                     const FigureOptions& options, const MeasureText& measure) {
  Stack stack{panels, column, options, measure, rows_of_panels(panels)};
  set_heights(stack);
  std::vector<PanelPlace> places;
  double top = column.room.top;
  for (std::size_t r = 0; r < stack.rows.size(); ++r) {
    const Row& row = stack.rows[r];
    const std::vector<double> widths = widths_of(stack, row);
    double left = column.room.left;
    const double height = row.height + 2 * column.padding;
    // Plots in a row start and end at the same height.
    LabelLines lines;
    for (std::size_t i = 0; row.count > 1 && i < row.count; ++i) {
      const LabelLines own =
          label_lines_of(panels[row.first + i].figure, options, measure, widths[i] - 2 * column.padding);
      lines = {std::max(lines.title, own.title), std::max(lines.x_label, own.x_label)};
    }
    for (const double width : widths) {
      PanelPlace place{{left, top, width, height}, options};
      place.options.least_lines = lines;
      place.options.show_x_labels = shows_x_labels(panels, stack.rows, r);
      place.options.show_y_labels = !panels[places.size()].inner_y;
      // A legend above one plot of a row would make it lower than its neighbours.
      place.options.legend_above = row.count == 1;
      // Narrow panels have no space to give up.
      if (row.count > 1 && (width < 6 * options.left_margin || shares_y(panels, row))) place.options.left_margin = 0;
      places.push_back(place);
      left += width + column.gap;
    }
    top += height + column.gap;
  }
  align(stack, places);
  return places;
}

}  // namespace ropescope
