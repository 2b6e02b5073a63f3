#include <algorithm>
#include <cmath>

#include "app/views/layout/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

// A part's cells lie within one unit; text, which has any shape, within one by a half.
constexpr double kLayoutPartsGap = 0.12, kLayoutPartsNameHeight = 0.12;
/// Height of a column of parts beside the image, in its width, from which there are more columns.
constexpr double kTallest = 4;
/// Width of the room below the image, in its height.
constexpr double kWidest = 7;
/// A name needs some width, however narrow its part.
constexpr double kNameWidth = 1.25;
/// Parts that are shown; of more the rest is counted.
constexpr std::size_t kLayoutPartsMostParts = 12;

struct Spot {
  double x = 0, y = 0;
};

struct LayoutPartsPartPlace {
  std::size_t block = 0;
  double scale = 1, width = 1, height = 1;  ///< scale: of one cell
};

std::size_t hidden_parts(const LayoutShown& shown) {
  const std::size_t parts = shown.cells->blocks.size() - 1;
  return parts > kLayoutPartsMostParts ? parts - kLayoutPartsMostParts : 0;
}

std::vector<LayoutPartsPartPlace> places_of(const LayoutShown& shown) {
  std::vector<LayoutPartsPartPlace> places;
  const std::size_t main = shown.main();
  for (std::size_t block = 0; block < shown.cells->blocks.size(); ++block) {
    if (block == main || places.size() == kLayoutPartsMostParts) continue;
    const SeenBlock& seen = shown.cells->blocks[block];
    const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
    // A few tokens are not blown up to a wall.
    const double scale = std::min({1 / columns, 1 / rows, 1.0 / 12});
    places.push_back({block, scale, scale * columns, scale * rows});
  }
  return places;
}

std::string name_of_layout_parts(const LayoutShown& shown, std::size_t block, bool whole) {
  const TokenBlock& tokens = shown.layout().blocks[block];
  const SeenBlock& seen = shown.cells->blocks[block];
  if (!whole) return short_part_name(tokens.part, shown.text);
  const std::string name = part_name(tokens.part, shown.text);
  return shown.text.format(tokens.rows > 1 ? "view.layout.part_grid" : "view.layout.part_line",
                           {{"part", name},
                            {"rows", counted(seen.rows)},
                            {"columns", counted(seen.columns)},
                            {"count", counted(tokens.count())}});
}

double tall_height(const std::vector<LayoutPartsPartPlace>& places) {
  double height = 0;
  for (const LayoutPartsPartPlace& place : places) height += place.height + kLayoutPartsNameHeight + kLayoutPartsGap;
  return height;
}

std::size_t column_count(const std::vector<LayoutPartsPartPlace>& places) {
  const auto columns = static_cast<std::size_t>(std::ceil(tall_height(places) / kTallest));
  return std::clamp<std::size_t>(columns, 1, places.size());
}

/// Adds a part with its name above it, the corner at (left, top).
void add_part(Figure& figure, const LayoutShown& shown, const LayoutPartsPartPlace& place, const Spot& corner,
              bool whole_name) {
  Label name;
  name.x = corner.x;
  // Above the cells: within them it would take a colour that can be read there.
  name.y = corner.y + 0.8 * kLayoutPartsNameHeight;
  name.text = name_of_layout_parts(shown, place.block, whole_name);
  name.role = Role::secondary;
  name.anchor_x = 0;
  name.anchor_y = 1;
  figure.labels.push_back(std::move(name));
  const double half = place.scale / 2;
  Map map = block_map(shown, place.block, {corner.x + half, corner.y + kLayoutPartsNameHeight + half, place.scale});
  map.bar = false;
  figure.maps.push_back(std::move(map));
}

/// One under another, in as many columns as keep them large.
Spot add_columns(Figure& figure, const LayoutShown& shown, const std::vector<LayoutPartsPartPlace>& places) {
  const std::size_t columns = column_count(places);
  const double most = tall_height(places) / static_cast<double>(columns);
  double left = 0, top = 0, bottom = 0;
  for (const LayoutPartsPartPlace& place : places) {
    const double height = kLayoutPartsNameHeight + place.height;
    if (top > 0 && columns > 1 && top + height / 2 > most) {
      left += 1 + kLayoutPartsGap;
      top = 0;
    }
    add_part(figure, shown, place, {left, top}, columns == 1);
    bottom = std::max(bottom, top + height);
    top += height + kLayoutPartsGap;
  }
  return {left + 1, bottom};
}

/// From left to right, in as many lines as the room below the image asks for.
Spot add_lines_layout_parts(Figure& figure, const LayoutShown& shown, const std::vector<LayoutPartsPartPlace>& places) {
  double width = 0;
  for (const LayoutPartsPartPlace& place : places) width += std::max(kNameWidth, place.width) + kLayoutPartsGap;
  const double lines = std::ceil(std::sqrt(width / kWidest));
  const double most = std::max(width / std::max(1.0, lines), kWidest);
  double left = 0, top = 0, right = 0;
  const bool whole_names = places.size() <= 3;
  double line = 0;
  for (const LayoutPartsPartPlace& place : places) line = std::max(line, place.height);
  for (const LayoutPartsPartPlace& place : places) {
    const double slot = std::max(kNameWidth, place.width);
    if (left > 0 && left + slot > most + kLayoutPartsGap) {
      left = 0;
      top += kLayoutPartsNameHeight + line + kLayoutPartsGap;
    }
    add_part(figure, shown, place, {left, top}, whole_names);
    right = std::max(right, left + slot);
    left += slot + (whole_names ? 3 : 1) * kLayoutPartsGap;
  }
  return {right, top + line + kLayoutPartsNameHeight};
}

}  // namespace

bool has_parts(const LayoutShown& shown) {
  return shown.cells->blocks.size() > 1;
}

bool is_wide(const LayoutShown& shown) {
  constexpr double kWide = 1.4;
  const SeenBlock& seen = shown.cells->blocks[shown.main()];
  return static_cast<double>(seen.columns) > kWide * static_cast<double>(seen.rows);
}

double parts_height(const LayoutShown& shown) {
  const std::vector<LayoutPartsPartPlace> places = places_of(shown);
  const bool low =
      std::all_of(places.begin(), places.end(), [](const LayoutPartsPartPlace& place) { return place.height <= 0.5; });
  return low ? 0.2 : 0.34;
}

double parts_width(const LayoutShown& shown) {
  constexpr double kOfOneColumn = 0.32, kMost = 0.9;
  return std::min(kMost, kOfOneColumn * static_cast<double>(column_count(places_of(shown))));
}

Figure parts_figure(const LayoutShown& shown, bool below) {
  Figure figure;
  figure.name = "parts";
  figure.title = shown.text[below ? "view.layout.parts_below" : "view.layout.parts"];
  if (const std::size_t hidden = hidden_parts(shown)) {
    figure.title =
        shown.text.format("view.layout.and_more_parts", {{"parts", figure.title}, {"count", counted(hidden)}});
  }
  figure.bare = true;
  figure.equal_axes = true;
  const std::vector<LayoutPartsPartPlace> places = places_of(shown);
  const Spot size = below ? add_lines_layout_parts(figure, shown, places) : add_columns(figure, shown, places);
  figure.x.name = "part_column";
  figure.x = fixed_axis(figure.x, {0, size.x});
  figure.y.name = "part_row";
  figure.y = fixed_axis(figure.y, {0, size.y});
  figure.y.reversed = true;
  return figure;
}

}  // namespace ropescope
