#include "app/views/similarity/parts.h"

#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

// In units of the longer side of the image.
constexpr double kSimilarityPartsGap = 0.06, kBetween = 0.04, kSimilarityPartsNameHeight = 0.06, kNameGap = 0.008,
                 kSimilarityPartsWidth = 0.26;
/// Parts that are shown; of more the rest is counted, so that they do not take the image's room.
constexpr std::size_t kSimilarityPartsMostParts = 6;
/// The cells of a short text are not blown up to a wall.
constexpr double kLargestCell = kSimilarityPartsWidth / 12;

/// What the card at a token needs; it outlives the pass that drew it.
struct CardSource {
  std::shared_ptr<const SimilarityMap> map, other;
  std::string other_title;
  const Text* text = nullptr;  ///< lives as long as the window
};

PlaceWords words_of_similarity_parts(const CardSource& source, std::size_t index, std::int64_t token) {
  const SimilarityMap& map = *source.map;
  const TokenLayout& layout = map.layout();
  const TokenBlock& block = layout.blocks[index];
  const Text& text = *source.text;
  const bool main = index == map.main();
  PlaceWords words;
  words.head = main ? token_name(layout, token, text)
                    : text.format("view.similarity.token_of_part",
                                  {{"part", part_name(block.part, text)}, {"number", counted(token + 1)}});
  const auto add = [&words](const std::string& label, const std::string& value) {
    words.rows.emplace_back(label, value);
  };
  if (main && block.part == "image") add(text["view.layout.card.place"], place_text(layout, token, text));
  const TokenSimilarity exact =
      similarity_between(layout, table_row(layout, map.anchor), block.first_row + token, map.content);
  add(text.format("view.layout.card.difference", {{"anchor", token_name(layout, map.anchor, text)}}),
      ids_text(exact.difference));
  for (std::size_t axis = 0; axis < exact.per_axis.size() && exact.per_axis.size() > 1; ++axis) {
    add(text.format("view.similarity.part_of", {{"axis", axis_word(layout.axes[axis].name, text)}}),
        readable_fixed(exact.per_axis[axis], 4));
  }
  if (main && source.other) {
    add(source.other_title, readable_number(source.other->value(source.other->main(), token), 6, true));
  }
  return words;
}

/// A part and where its cells are, in units of the image's longer side, from the corner of all parts.
struct SimilarityPartsPartPlace {
  std::size_t block = 0;
  double left = 0, top = 0, scale = 1;
};
struct Parts {
  std::vector<SimilarityPartsPartPlace> places;
  double width = 0, height = 0;
};

/// Columns of parts of one width, filled from top to bottom.
Parts columns_of_parts(const SimilarityMap& map, const std::vector<std::size_t>& blocks, std::size_t columns,
                       double width) {
  Parts parts;
  const std::size_t per_column = (blocks.size() + columns - 1) / columns;
  double top = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % per_column == 0) top = 0;
    const SeenBlock& seen = map.blocks[blocks[i]];
    const double across = static_cast<double>(seen.columns), down = static_cast<double>(seen.rows);
    const double scale = std::min({width / across, width / down, kLargestCell});
    const double left = static_cast<double>(i / per_column) * (width + kBetween);
    top += (top > 0 ? kBetween : 0) + kSimilarityPartsNameHeight;
    parts.places.push_back({blocks[i], left, top, scale});
    parts.width = std::max(parts.width, left + width);
    top += scale * down;
    parts.height = std::max(parts.height, top);
  }
  return parts;
}

/// A row of parts of one height.
Parts row_of_parts(const SimilarityMap& map, const std::vector<std::size_t>& blocks, double height) {
  Parts parts;
  for (const std::size_t block : blocks) {
    const SeenBlock& seen = map.blocks[block];
    const double across = static_cast<double>(seen.columns), down = static_cast<double>(seen.rows);
    const double scale = std::min(height / down, kLargestCell);
    const double left = parts.places.empty() ? 0 : parts.width + kBetween;
    parts.places.push_back({block, left, kSimilarityPartsNameHeight, scale});
    parts.width = left + scale * across;
    parts.height = std::max(parts.height, kSimilarityPartsNameHeight + scale * down);
  }
  return parts;
}

/// As large as the room beside an image of this height allows, in at most three columns.
Parts parts_beside(const SimilarityMap& map, const std::vector<std::size_t>& blocks, double room) {
  Parts best;
  double largest = 0;
  for (std::size_t columns = 1; columns <= std::min<std::size_t>(blocks.size(), 3); ++columns) {
    for (double width = kSimilarityPartsWidth; width > 0.02; width *= 0.9) {
      Parts parts = columns_of_parts(map, blocks, columns, width);
      if (parts.height > room && width * 0.9 > 0.02) continue;
      if (width > largest * 1.2) {
        best = std::move(parts);
        largest = width;
      }
      break;
    }
  }
  return best;
}

Parts parts_below(const SimilarityMap& map, const std::vector<std::size_t>& blocks, double room) {
  Parts parts;
  const bool grids = std::any_of(blocks.begin(), blocks.end(),
                                 [&map](std::size_t block) { return map.layout().blocks[block].rows > 1; });
  for (double height = grids ? kSimilarityPartsWidth : kSimilarityPartsWidth / 2; height > 0.01; height *= 0.9) {
    parts = row_of_parts(map, blocks, height);
    if (parts.width <= room) break;
  }
  return parts;
}

Label name_label(double x, double y, std::string words) {
  Label label;
  label.x = x;
  label.y = y;
  label.text = std::move(words);
  label.role = Role::secondary;
  label.anchor_x = 0;
  label.anchor_y = 1;
  return label;
}

/// The map of what is seen of a block in the colours of the scene.
Map seen_map(const SimilarityScene& scene, std::size_t side, const SeenBlock& seen,
             std::shared_ptr<const MapCells> cells, const CellPlace& place) {
  const auto& shown = scene.sides[side].map;
  CardSource source{shown, nullptr, {}, &scene.text};
  if (scene.sides.size() > 1 && scene.sides[1 - side].map) {
    source.other = scene.sides[1 - side].map;
    source.other_title = scene.sides[1 - side].title;
  }
  Map map = patch_map(
      shown->layout(), seen, std::move(cells), place,
      [shown, block = seen.block](std::int64_t token) { return shown->value(block, token); },
      [source, block = seen.block](std::int64_t token) { return words_of_similarity_parts(source, block, token); });
  map.label = scene.text[shown->axis.empty() ? "view.similarity.value" : "view.similarity.part"];
  map.colours = scene.fitted ? MapColours::magnitude : MapColours::signed_value;
  map.range = similarity_colours(scene);
  return map;
}

}  // namespace

Map similarity_block(const SimilarityScene& scene, std::size_t side, std::size_t block, const CellPlace& place) {
  const auto& shown = scene.sides[side].map;
  return seen_map(scene, side, shown->blocks[block], shown->cells[block], place);
}

std::vector<Map> similarity_frames(const SimilarityScene& scene, std::size_t side) {
  const auto& shown = scene.sides[side].map;
  const FrameTiles& tiles = shown->tiles;
  std::vector<Map> maps;
  for (std::size_t i = 0; i < tiles.frames.size(); ++i) {
    maps.push_back(seen_map(scene, side, tiles.frames[i], shown->frames[i], tiles.place(i)));
    if (!tiles.several()) continue;
    maps.back().key += "_frame" + std::to_string(tiles.frames[i].frame + 1);
    maps.back().bar = i == 0;
  }
  return maps;
}

void add_parts(Figure& figure, const SimilarityScene& scene, std::size_t side) {
  // Maps side by side have more room below than beside them, unless they are tall.
  constexpr double kTall = 1.25;
  const auto& map = scene.sides[side].map;
  const SeenBlock& image = map->blocks[map->main()];
  std::vector<std::size_t> blocks;
  for (std::size_t block = 0; block < map->blocks.size(); ++block) {
    if (block != image.block) blocks.push_back(block);
  }
  if (blocks.empty()) return;
  const std::size_t more = blocks.size() > kSimilarityPartsMostParts ? blocks.size() - kSimilarityPartsMostParts : 0;
  blocks.resize(blocks.size() - more);
  const double columns = map->tiles.width(), rows = map->tiles.height();
  const double unit = std::max(columns, rows);
  const bool below = rows < kTall * columns;
  const Parts parts = below ? parts_below(*map, blocks, columns / unit) : parts_beside(*map, blocks, rows / unit);
  const double left = below ? -0.5 : columns - 0.5 + kSimilarityPartsGap * unit;
  const double top = below ? rows - 0.5 + kSimilarityPartsGap / 2 * unit : -0.5;
  for (const SimilarityPartsPartPlace& place : parts.places) {
    const double x = left + place.left * unit, y = top + place.top * unit, scale = place.scale * unit;
    const std::string& part_of = map->layout().blocks[place.block].part;
    // Two long names side by side, or one at the right edge, have no room.
    const bool brief = !below || parts.places.size() > 2;
    std::string name = brief ? short_part_name(part_of, scene.text) : part_name(part_of, scene.text);
    if (more > 0 && &place == &parts.places.back()) {
      name = scene.text.format("view.layout.and_more_parts", {{"parts", name}, {"count", counted(more)}});
    }
    figure.labels.push_back(name_label(x, y - kNameGap * unit, std::move(name)));
    Map part = similarity_block(scene, side, place.block, {x + 0.5 * scale, y + 0.5 * scale, scale});
    part.bar = false;
    figure.maps.push_back(std::move(part));
  }
  if (!figure.x.counted) figure.x.counted = figure.x.fit;
  if (!figure.y.counted) figure.y.counted = figure.y.fit;
  if (below) {
    figure.y.fit.high = std::max(figure.y.fit.high, top + parts.height * unit);
  } else {
    figure.x.fit.high = std::max(figure.x.fit.high, left + parts.width * unit);
    figure.y.fit.high = std::max(figure.y.fit.high, top + parts.height * unit);
  }
}

}  // namespace ropescope
