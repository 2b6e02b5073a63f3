#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/layout_figures.h"

namespace ropescope {

namespace {

// In units of the width that a part may fill.
constexpr double kGap = 0.16, kNameHeight = 0.16, kTallest = 1;

/// A part's cells within a room one unit wide.
struct PartPlace {
  std::size_t block = 0;
  double scale = 1, width = 1, height = 1;
};

std::vector<PartPlace> places_of(const LayoutShown& shown) {
  std::vector<PartPlace> places;
  const std::size_t main = shown.main();
  for (std::size_t block = 0; block < shown.cells->blocks.size(); ++block) {
    if (block == main) continue;
    const SeenBlock& seen = shown.cells->blocks[block];
    const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
    // A few tokens are not blown up to a wall.
    const double scale = std::min({1 / columns, kTallest / rows, 1.0 / 12});
    places.push_back({block, scale, scale * columns, scale * rows});
  }
  return places;
}

std::string name_of(const LayoutShown& shown, std::size_t block) {
  const TokenBlock& tokens = shown.layout().blocks[block];
  const SeenBlock& seen = shown.cells->blocks[block];
  const auto number = [](std::int64_t value) { return readable_integer(static_cast<double>(value)); };
  const std::string name = part_name(tokens.part, shown.text);
  const bool grid = tokens.rows > 1;
  return shown.text.format(grid ? "view.layout.part_grid" : "view.layout.part_line",
                           {{"part", name},
                            {"rows", number(seen.rows)},
                            {"columns", number(seen.columns)},
                            {"count", number(tokens.count())}});
}

/// Whole columns of parts, filled from top to bottom: as many as keep the drawing about as wide as high.
std::size_t columns_of(const std::vector<PartPlace>& places) {
  double height = 0;
  for (const PartPlace& place : places) height += place.height + kNameHeight + kGap;
  std::size_t columns = 1;
  while (columns < places.size() && height / static_cast<double>(columns) > 2.6 * static_cast<double>(columns))
    ++columns;
  return columns;
}

}  // namespace

bool has_parts(const LayoutShown& shown) {
  return shown.cells->blocks.size() > 1;
}

Figure parts_figure(const LayoutShown& shown) {
  Figure figure;
  figure.name = "parts";
  figure.title = shown.text["view.layout.parts"];
  figure.bare = true;
  figure.equal_axes = true;
  const std::vector<PartPlace> places = places_of(shown);
  const std::size_t columns = columns_of(places);
  const std::size_t per_column = (places.size() + columns - 1) / columns;
  double bottom = 0;
  std::vector<double> tops(columns, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PartPlace& place = places[i];
    const std::size_t column = i / per_column;
    const double left = static_cast<double>(column) * (1 + kGap);
    double& top = tops[column];
    if (top > 0) top += kGap;
    Label name;
    name.x = left;
    name.y = top + kNameHeight;
    name.text = name_of(shown, place.block);
    name.role = Role::secondary;
    name.anchor_x = 0;
    name.anchor_y = 1.25;
    figure.labels.push_back(std::move(name));
    top += kNameHeight;
    Map map = block_map(shown, place.block, {left + 0.5 * place.scale, top + 0.5 * place.scale, place.scale});
    map.bar = false;
    figure.maps.push_back(std::move(map));
    top += place.height;
    bottom = std::max(bottom, top);
  }
  figure.x.name = "part_column";
  figure.x.fit = figure.x.range = {0, static_cast<double>(columns) * (1 + kGap) - kGap};
  figure.y.name = "part_row";
  figure.y.fit = figure.y.range = {0, std::max(bottom, 1.0)};
  figure.y.reversed = true;
  return figure;
}

}  // namespace ropescope
