#include <algorithm>
#include <cmath>

#include "app/views/layout/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

// A part's cells lie within one unit; text, which has any shape, within one by a half.
constexpr double kGap = 0.12, kNameHeight = 0.12;
/// Height of a column of parts beside the image, in its width, from which there are more columns.
constexpr double kTallest = 4;
/// Width of the room below the image, in its height.
constexpr double kWidest = 7;
/// A name needs some width, however narrow its part.
constexpr double kNameWidth = 1.25;
/// Parts that are shown; of more the rest is counted.
constexpr std::size_t kMostParts = 12;

struct Spot {
  double x = 0, y = 0;
};

struct PartPlace {
  std::size_t block = 0;
  double scale = 1, width = 1, height = 1;  ///< scale: of one cell
};

std::size_t hidden_parts(const LayoutShown& shown) {
  const std::size_t parts = shown.cells->blocks.size() - 1;
  return parts > kMostParts ? parts - kMostParts : 0;
}

std::vector<PartPlace> places_of(const LayoutShown& shown) {
  std::vector<PartPlace> places;
  const std::size_t main = shown.main();
  for (std::size_t block = 0; block < shown.cells->blocks.size(); ++block) {
    if (block == main || places.size() == kMostParts) continue;
    const SeenBlock& seen = shown.cells->blocks[block];
    const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
    // A few tokens are not blown up to a wall.
    const double scale = std::min({1 / columns, 1 / rows, 1.0 / 12});
    places.push_back({block, scale, scale * columns, scale * rows});
  }
  return places;
}

std::string name_of(const LayoutShown& shown, std::size_t block, bool whole) {
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

double tall_height(const std::vector<PartPlace>& places) {
  double height = 0;
  for (const PartPlace& place : places) height += place.height + kNameHeight + kGap;
  return height;
}

std::size_t column_count(const std::vector<PartPlace>& places) {
  const auto columns = static_cast<std::size_t>(std::ceil(tall_height(places) / kTallest));
  return std::clamp<std::size_t>(columns, 1, places.size());
}

/// Adds a part with its name above it, the corner at (left, top).
void add_part(Figure& figure, const LayoutShown& shown, const PartPlace& place, const Spot& corner, bool whole_name) {
  Label name;
  name.x = corner.x;
  // Above the cells: within them it would take a colour that can be read there.
  name.y = corner.y + 0.8 * kNameHeight;
  name.text = name_of(shown, place.block, whole_name);
  name.role = Role::secondary;
  name.anchor_x = 0;
  name.anchor_y = 1;
  figure.labels.push_back(std::move(name));
  const double half = place.scale / 2;
  Map map = block_map(shown, place.block, {corner.x + half, corner.y + kNameHeight + half, place.scale});
  map.bar = false;
  figure.maps.push_back(std::move(map));
}

/// One under another, in as many columns as keep them large.
Spot add_columns(Figure& figure, const LayoutShown& shown, const std::vector<PartPlace>& places) {
  const std::size_t columns = column_count(places);
  const double most = tall_height(places) / static_cast<double>(columns);
  double left = 0, top = 0, bottom = 0;
  for (const PartPlace& place : places) {
    const double height = kNameHeight + place.height;
    if (top > 0 && columns > 1 && top + height / 2 > most) {
      left += 1 + kGap;
      top = 0;
    }
    add_part(figure, shown, place, {left, top}, columns == 1);
    bottom = std::max(bottom, top + height);
    top += height + kGap;
  }
  return {left + 1, bottom};
}

/// From left to right, in as many lines as the room below the image asks for.
Spot add_lines(Figure& figure, const LayoutShown& shown, const std::vector<PartPlace>& places) {
  double width = 0;
  for (const PartPlace& place : places) width += std::max(kNameWidth, place.width) + kGap;
  const double lines = std::ceil(std::sqrt(width / kWidest));
  const double most = std::max(width / std::max(1.0, lines), kWidest);
  double left = 0, top = 0, right = 0;
  const bool whole_names = places.size() <= 3;
  double line = 0;
  for (const PartPlace& place : places) line = std::max(line, place.height);
  for (const PartPlace& place : places) {
    const double slot = std::max(kNameWidth, place.width);
    if (left > 0 && left + slot > most + kGap) {
      left = 0;
      top += kNameHeight + line + kGap;
    }
    add_part(figure, shown, place, {left, top}, whole_names);
    right = std::max(right, left + slot);
    left += slot + (whole_names ? 3 : 1) * kGap;
  }
  return {right, top + line + kNameHeight};
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
  const std::vector<PartPlace> places = places_of(shown);
  const bool low =
      std::all_of(places.begin(), places.end(), [](const PartPlace& place) { return place.height <= 0.5; });
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
  const std::vector<PartPlace> places = places_of(shown);
  const Spot size = below ? add_lines(figure, shown, places) : add_columns(figure, shown, places);
  figure.x.name = "part_column";
  figure.x = fixed_axis(figure.x, {0, size.x});
  figure.y.name = "part_row";
  figure.y = fixed_axis(figure.y, {0, size.y});
  figure.y.reversed = true;
  return figure;
}

}  // namespace ropescope
