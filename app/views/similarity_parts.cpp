#include "app/views/similarity_parts.h"

#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/layout_figures.h"

namespace ropescope {

namespace {

// In units of the width of all parts.
constexpr double kGap = 0.05, kNameHeight = 0.075, kTallest = 0.3, kLargestCell = 1.0 / 48;

/// What the card at a token needs; it outlives the pass that drew it.
struct CardSource {
  std::shared_ptr<const SimilarityMap> map, other;
  std::string other_title;
  const Text* text = nullptr;  ///< lives as long as the window
};

std::string place_text(const TokenBlock& block, std::int64_t token, const Text& text) {
  const auto number = [](std::int64_t value) { return readable_integer(static_cast<double>(value)); };
  const std::string place = text.format("view.layout.place", {{"row", number(token / block.columns % block.rows)},
                                                              {"column", number(token % block.columns)}});
  if (block.frames == 1) return place;
  return text.format("view.layout.place_in_frame",
                     {{"place", place}, {"frame", number(token / block.columns / block.rows + 1)}});
}

PlaceWords words_of(const CardSource& source, std::size_t index, std::int64_t token) {
  const SimilarityMap& map = *source.map;
  const TokenLayout& layout = map.layout();
  const TokenBlock& block = layout.blocks[index];
  const Text& text = *source.text;
  const bool main = index == map.main();
  PlaceWords words;
  words.head = main ? token_name(layout, token, text)
                    : text.format("view.similarity.token_of_part",
                                  {{"part", part_name(block.part, text)},
                                   {"number", readable_integer(static_cast<double>(token + 1))}});
  const auto add = [&words](const std::string& label, const std::string& value) {
    words.rows.emplace_back(label, value);
  };
  if (main && block.part == "image") add(text["view.layout.card.place"], place_text(block, token, text));
  const TokenSimilarity exact =
      similarity_between(layout, table_row(layout, map.anchor), block.first_row + token, map.content);
  add(text.format("view.layout.card.difference", {{"anchor", token_name(layout, map.anchor, text)}}),
      ids_text(exact.difference));
  for (std::size_t axis = 0; axis < exact.per_axis.size() && exact.per_axis.size() > 1; ++axis) {
    add(text.format("view.similarity.part_of", {{"axis", layout.axes[axis].name}}),
        readable_fixed(exact.per_axis[axis], 4));
  }
  if (main && source.other) {
    add(source.other_title, readable_number(source.other->value(source.other->main(), token), 6, true));
  }
  return words;
}

std::string name_of(const SimilarityMap& map, std::size_t index, const Text& text) {
  const TokenBlock& block = map.layout().blocks[index];
  const auto number = [](std::int64_t value) { return readable_integer(static_cast<double>(value)); };
  return text.format(block.rows > 1 ? "view.layout.part_grid" : "view.layout.part_line",
                     {{"part", part_name(block.part, text)},
                      {"rows", number(block.rows)},
                      {"columns", number(block.columns)},
                      {"count", number(block.count())}});
}

/// A line of the drawing: parts beside each other, as high as each other.
struct PartLine {
  std::vector<std::size_t> blocks;
  double height = 0;
};

double aspect_of(const SeenBlock& seen) {
  return static_cast<double>(seen.columns) / static_cast<double>(seen.rows);
}

/// Lines of tokens have a line of the drawing for themselves; grids stand beside each other, four at most.
std::vector<PartLine> lines_of(const SimilarityMap& map) {
  constexpr std::size_t kMostBeside = 4;
  std::vector<PartLine> lines;
  bool grids = false;
  for (std::size_t block = 0; block < map.blocks.size(); ++block) {
    if (block == map.main()) continue;
    const bool grid = map.layout().blocks[block].rows > 1;
    if (!grid || !grids || lines.back().blocks.size() == kMostBeside) lines.emplace_back();
    lines.back().blocks.push_back(block);
    grids = grid;
  }
  for (PartLine& line : lines) {
    double aspects = 0, rows = 1;
    for (const std::size_t block : line.blocks) {
      aspects += aspect_of(map.blocks[block]);
      rows = std::max(rows, static_cast<double>(map.blocks[block].rows));
    }
    const double room = 1 - kGap * static_cast<double>(line.blocks.size() - 1);
    line.height = std::min({kTallest, room / aspects, rows * kLargestCell});
  }
  return lines;
}

Label name_label(double x, double y, std::string words) {
  Label label;
  label.x = x;
  label.y = y;
  label.text = std::move(words);
  label.role = Role::secondary;
  label.anchor_x = 0;
  label.anchor_y = 1.2;
  return label;
}

}  // namespace

Map similarity_block(const SimilarityScene& scene, std::size_t side, std::size_t block, const CellPlace& place) {
  const auto& shown = scene.sides[side].map;
  const SeenBlock seen = shown->blocks[block];
  Map map;
  map.key = shown->layout().blocks[block].part;
  map.label = scene.text[shown->axis.empty() ? "view.similarity.value" : "view.similarity.part"];
  map.colours = scene.fitted ? MapColours::magnitude : MapColours::signed_value;
  map.range = similarity_colours(scene);
  map.cells = shown->cells[block];
  // The last cell of a reduced map reaches past the last token.
  const auto extent = [&place](double first, std::int64_t count, std::size_t cells) {
    const auto step = (count + static_cast<std::int64_t>(cells) - 1) / static_cast<std::int64_t>(cells);
    return Range{first - 0.5 * place.scale,
                 first + (static_cast<double>(step) * static_cast<double>(cells) - 0.5) * place.scale};
  };
  map.x = extent(place.x, seen.columns, map.cells->columns);
  map.y = extent(place.y, seen.rows, map.cells->rows);
  const auto token_at = [seen, place](double x, double y) {
    return seen.token_at((x - place.x) / place.scale, (y - place.y) / place.scale);
  };
  map.exact = [shown, seen, token_at](double x, double y) {
    const auto token = token_at(x, y);
    return token ? shown->value(seen.block, *token) : std::nan("");
  };
  CardSource source{shown, nullptr, {}, &scene.text};
  if (scene.sides.size() > 1 && scene.sides[1 - side].map) {
    source.other = scene.sides[1 - side].map;
    source.other_title = scene.sides[1 - side].title;
  }
  map.words = [source, seen, token_at](double x, double y) {
    const auto token = token_at(x, y);
    return token ? words_of(source, seen.block, *token) : PlaceWords{};
  };
  return map;
}

Figure similarity_parts(const SimilarityScene& scene, std::size_t side) {
  Figure figure;
  figure.name = side == 0 ? "parts" : "parts_against";
  figure.bare = true;
  figure.equal_axes = true;
  figure.x.name = "part_column";
  figure.y.name = "part_row";
  figure.y.reversed = true;
  figure.x.fit = figure.x.range = figure.y.fit = figure.y.range = {0, 1};
  const auto& map = scene.sides[side].map;
  if (!map || map->blocks.size() < 2) return figure;
  double top = 0;
  for (const PartLine& line : lines_of(*map)) {
    top += kNameHeight;
    double left = 0;
    for (const std::size_t block : line.blocks) {
      const double scale = line.height / static_cast<double>(map->blocks[block].rows);
      figure.labels.push_back(name_label(left, top, name_of(*map, block, scene.text)));
      Map part = similarity_block(scene, side, block, {left + 0.5 * scale, top + 0.5 * scale, scale});
      part.bar = false;
      figure.maps.push_back(std::move(part));
      left += line.height * aspect_of(map->blocks[block]) + kGap;
    }
    top += line.height;
  }
  figure.y.fit = figure.y.range = {0, top};
  figure.stale = scene.sides[side].stale;
  return figure;
}

}  // namespace ropescope
