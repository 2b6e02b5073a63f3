#include <algorithm>
#include <cmath>
#include <limits>

#include "app/views/layout/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

/// Patches a side up to which their edges are drawn over a picture: beyond, they would hide it.
constexpr std::int64_t kMostEdges = 160;

/// The picture covers the image: what stands out of its shape is cut off on both sides alike.
void add_picture(Figure& figure, const LayoutShown& shown, const SeenBlock& seen) {
  if (!shown.picture || shown.layout().blocks[seen.block].part != "image") return;
  const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
  const double width = static_cast<double>(shown.picture->columns), height = static_cast<double>(shown.picture->rows);
  const double scale = std::max(columns / width, rows / height);
  const double over_x = (scale * width - columns) / 2, over_y = (scale * height - rows) / 2;
  Picture picture;
  picture.key = "picture";
  picture.pixels = shown.picture;
  picture.x = {-0.5, columns - 0.5};
  picture.y = {-0.5, rows - 0.5};
  picture.whole_x = {picture.x.low - over_x, picture.x.high + over_x};
  picture.whole_y = {picture.y.low - over_y, picture.y.high + over_y};
  picture.opacity = shown.knobs.picture_strength;
  figure.pictures.push_back(std::move(picture));
}

/// The edges of the patches.
void add_edges(Figure& figure, const SeenBlock& seen) {
  const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
  const double shown_columns = figure.x.range.high - figure.x.range.low;
  const double shown_rows = figure.y.range.high - figure.y.range.low;
  if (std::max(shown_columns, shown_rows) > static_cast<double>(kMostEdges)) return;
  Path edges;
  edges.key = "edges";
  edges.role = Role::inverse;
  edges.style.faint = true;
  edges.width = 0.5;
  const double pen_up = std::numeric_limits<double>::quiet_NaN();
  const auto add = [&](double x0, double y0, double x1, double y1) {
    edges.xs.insert(edges.xs.end(), {x0, x1, pen_up});
    edges.ys.insert(edges.ys.end(), {y0, y1, pen_up});
  };
  for (double x = 0; x < columns - 1; ++x) add(x + 0.5, -0.5, x + 0.5, rows - 0.5);
  for (double y = 0; y < rows - 1; ++y) add(-0.5, y + 0.5, columns - 0.5, y + 0.5);
  if (!edges.xs.empty()) figure.paths.push_back(std::move(edges));
}

std::string title_of_image(const LayoutShown& shown, const SeenBlock& seen) {
  const TokenBlock& block = shown.layout().blocks[seen.block];
  const std::string name = shown.text["option.layout.name." + shown.knobs.name];
  if (block.part != "image") {
    return shown.text.format("view.layout.title_line", {{"layout", name}, {"count", counted(block.count())}});
  }
  const std::string title = shown.text.format(
      "view.layout.title", {{"layout", name}, {"rows", counted(seen.rows)}, {"columns", counted(seen.columns)}});
  if (block.frames == 1) return title;
  return shown.text.format("view.layout.title_frame",
                           {{"title", title}, {"frame", counted(seen.frame + 1)}, {"frames", counted(block.frames)}});
}

}  // namespace

Figure image_figure(const LayoutShown& shown) {
  const SeenBlock& seen = shown.cells->blocks[shown.main()];
  Figure figure;
  figure.name = "layout";
  figure.title = title_of_image(shown, seen);
  set_patch_axes(figure, "layout", shown.layout(), seen, shown.text);
  figure.x = data_axis(figure.x, figure.x.fit, shown.knobs.column_range);
  figure.y = data_axis(figure.y, figure.y.fit, shown.knobs.row_range);
  figure.equal_axes = true;
  figure.maps.push_back(block_map(shown, seen.block, {}));
  add_picture(figure, shown, seen);
  if (!figure.pictures.empty()) add_edges(figure, seen);
  for (const std::int64_t target : shown.targets) add_patch_frame(figure, seen, target, Role::curve);
  add_patch_frame(figure, seen, shown.anchor, Role::text);
  return figure;
}

}  // namespace ropescope
