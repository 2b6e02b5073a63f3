// The view Similarity: maps of similarity, profiles, figures and cards.
//
// Contents: Computed; Parts; Figures; View.

#include "app/views/similarity.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "app/figure/figure.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/patches.h"
#include "app/views/views.h"
#include "core/attention/attention.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Maximum number of rows for which an anchor is followed without a worker: two images of 512 × 512 tokens with text.
/// It ignores the cost of axes that share their pairs.
constexpr double kFollowed = 2 * 512 * 512 + 65'536;
/// Nanoseconds per row and pair of such axes (benchmark `follow_anchor`).
constexpr double kMultiplied = 0.5, kOneByOne = 5;

/// Returns the mean of a block of numbers, skipping NaN.
float mean_of(const SimilarityMap& map, const SeenBlock& seen, std::int64_t row, std::int64_t column, std::int64_t rows,
              std::int64_t columns) {
  double sum = 0;
  int count = 0;
  for (std::int64_t r = row; r < std::min(row + rows, seen.rows); ++r) {
    for (std::int64_t c = column; c < std::min(column + columns, seen.columns); ++c) {
      if (r * seen.columns + c >= seen.count) continue;
      sum += map.value(seen.block, seen.first() + r * seen.columns + c);
      ++count;
    }
  }
  return count > 0 ? static_cast<float>(sum / count) : std::numeric_limits<float>::quiet_NaN();
}

/// Returns the values of a block; beyond MapCells::kMax cells per side, means of several values.
std::shared_ptr<const MapCells> cells_of_similarity(const SimilarityMap& map, const SeenBlock& seen) {
  const std::int64_t row_step = items_per_cell(seen.rows), column_step = items_per_cell(seen.columns);
  auto cells = std::make_shared<MapCells>(cells_over(seen.columns, seen.rows));
  cells->values.assign(cells->rows * cells->columns, std::numeric_limits<float>::quiet_NaN());
  if (row_step == 1 && column_step == 1) {
    const double* values = map.values.data() + map.layout().blocks[seen.block].first_row + seen.first();
    std::transform(values, values + seen.count, cells->values.begin(),
                   [](double value) { return static_cast<float>(value); });
    return cells;
  }
  float* out = cells->values.data();
  for (std::int64_t row = 0; row < seen.rows; row += row_step) {
    for (std::int64_t column = 0; column < seen.columns; column += column_step) {
      *out++ = mean_of(map, seen, row, column, row_step, column_step);
    }
  }
  return cells;
}

Range seen_range(const SimilarityMap& map) {
  Range range = kNoRange;
  std::vector<SeenBlock> all = map.blocks;
  all.insert(all.end(), map.tiles.frames.begin(), map.tiles.frames.end());
  for (const SeenBlock& seen : all) {
    const Eigen::Index first = map.layout().blocks[seen.block].first_row + seen.first();
    const auto values = map.values.segment(first, seen.count);
    include(range, values.minCoeff());
    include(range, values.maxCoeff());
  }
  return range;
}

/// Returns the axis of that name; nullopt if there is none, or if its part is not defined.
std::optional<Eigen::Index> find_axis_named(const TokenLayout& layout, const std::string& name) {
  const auto found = std::find_if(layout.axes.begin(), layout.axes.end(),
                                  [&name](const LayoutAxis& axis) { return axis.name == name; });
  if (found == layout.axes.end() || layout.axes.size() < 2) return std::nullopt;
  return found - layout.axes.begin();
}

// Internal parts of similarity map pictures.

// --- Parts ---------------------------------------------------------------------------------------------------------

// In units of the longer side of the image.
constexpr double kSimilarityPartGap = 0.06, kBetween = 0.04, kSimilarityNameHeight = 0.06, kNameGap = 0.008,
                 kSimilarityPartWidth = 0.26;
/// The maximum number of visible parts; the others are counted, so they do not reduce the image.
constexpr std::size_t kMaxSimilarityParts = 6;
/// Maximum size of a cell, so that a short text does not fill the space.
constexpr double kLargestCell = kSimilarityPartWidth / 12;

/// The data for the card at a token; it outlives the drawing call.
struct CardSource {
  std::shared_ptr<const SimilarityMap> map, other;
  std::string other_title;
  const Text* text = nullptr;  ///< lives as long as the window
};

PlaceWords describe_similar_token(const CardSource& source, std::size_t index, std::int64_t token) {
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
  if (main && block.is_image()) add(text["view.layout.card.place"], place_text(layout, token, text));
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

/// A part and the place of its cells, in units of the image's longer side, from the corner of all parts.
struct PlacedSimilarityPart {
  std::size_t block = 0;
  double left = 0, top = 0, scale = 1;
};
struct Parts {
  std::vector<PlacedSimilarityPart> places;
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
    const std::size_t column = i / per_column;
    const double left = static_cast<double>(column) * (width + kBetween);
    top += (top > 0 ? kBetween : 0) + kSimilarityNameHeight;
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
    parts.places.push_back({block, left, kSimilarityNameHeight, scale});
    parts.width = left + scale * across;
    parts.height = std::max(parts.height, kSimilarityNameHeight + scale * down);
  }
  return parts;
}

/// Places the blocks next to the image, as large as this height allows, in at most three columns.
Parts parts_beside(const SimilarityMap& map, const std::vector<std::size_t>& blocks, double room) {
  Parts best;
  double largest = 0;
  for (std::size_t columns = 1; columns <= std::min<std::size_t>(blocks.size(), 3); ++columns) {
    for (double width = kSimilarityPartWidth; width > 0.02; width *= 0.9) {
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
  for (double height = grids ? kSimilarityPartWidth : kSimilarityPartWidth / 2; height > 0.01; height *= 0.9) {
    parts = row_of_parts(map, blocks, height);
    if (parts.width <= room) break;
  }
  return parts;
}

/// Returns the colour range: −1 to 1, wider if an amplitude requires it, or fitted to the values of all sides.
Range similarity_colours(const SimilarityScene& scene) {
  Range range = kNoRange;
  for (const SimilaritySide& side : scene.sides) {
    if (side.map) include(range, side.map->range.low), include(range, side.map->range.high);
  }
  constexpr double kFlat = 1e-6;
  if (!(range.low <= range.high)) return {-1, 1};
  if (!scene.fitted) {
    // An amplitude (YaRN) can raise similarities above 1.
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    return most > 1 + kFlat ? Range{-most, most} : Range{-1, 1};
  }
  return range.high - range.low > kFlat ? range : Range{range.low - kFlat, range.high + kFlat};
}

/// Returns the map of the visible part of a block in the colours of the scene.
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
      [source, block = seen.block](std::int64_t token) { return describe_similar_token(source, block, token); });
  map.label = scene.text[shown->axis.empty() ? "view.similarity.value" : "view.similarity.part"];
  map.colours = scene.fitted ? MapColours::magnitude : MapColours::signed_value;
  map.range = similarity_colours(scene);
  return map;
}

/// Returns the map of a block in the colours of the scene, with exact values and card texts.
Map similarity_block(const SimilarityScene& scene, std::size_t side, std::size_t block, const CellPlace& place) {
  const auto& shown = scene.sides[side].map;
  return seen_map(scene, side, shown->blocks[block], shown->cells[block], place);
}

/// Returns the visible frames of the main block as such maps, with one colour bar.
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

/// Adds text, references and padding of a side below its image, or next to a tall one, and extends the axes, which
/// fitted only the image, to include them.
void add_parts(Figure& figure, const SimilarityScene& scene, std::size_t side) {
  // Maps side by side have more space below than next to them, unless they are tall.
  constexpr double kTall = 1.25;
  const auto& map = scene.sides[side].map;
  const SeenBlock& image = map->blocks[map->main()];
  std::vector<std::size_t> blocks;
  for (std::size_t block = 0; block < map->blocks.size(); ++block) {
    if (block != image.block) blocks.push_back(block);
  }
  if (blocks.empty()) return;
  const std::size_t more = blocks.size() > kMaxSimilarityParts ? blocks.size() - kMaxSimilarityParts : 0;
  blocks.resize(blocks.size() - more);
  const double columns = map->tiles.width(), rows = map->tiles.height();
  const double unit = std::max(columns, rows);
  const bool below = rows < kTall * columns;
  const Parts parts = below ? parts_below(*map, blocks, columns / unit) : parts_beside(*map, blocks, rows / unit);
  const double left = below ? -0.5 : columns - 0.5 + kSimilarityPartGap * unit;
  const double top = below ? rows - 0.5 + kSimilarityPartGap / 2 * unit : -0.5;
  for (const PlacedSimilarityPart& place : parts.places) {
    const double x = left + place.left * unit, y = top + place.top * unit, scale = place.scale * unit;
    const std::string& part_of = map->layout().blocks[place.block].part;
    // There is no space for two long names side by side, or for one at the right edge.
    const bool brief = !below || parts.places.size() > 2;
    std::string name = brief ? short_part_name(part_of, scene.text) : part_name(part_of, scene.text);
    const bool rest = more > 0 && &place == &parts.places.back();
    if (rest) name += " +" + std::to_string(more);
    figure.labels.push_back(label_at(x, y - kNameGap * unit, name, Role::secondary, 0, 1));
    // It ends at the image's right edge, because the colour bar follows.
    if (rest && below) figure.labels.back().x = columns - 0.5, figure.labels.back().anchor_x = 1;
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

// --- Figures -------------------------------------------------------------------------------------------------------

/// Returns a figure name, which is different for the second side.
std::string figure_name(const char* name, std::size_t side) {
  return side == 0 ? name : std::string(name) + "_against";
}

std::string title_of_similarity(const SimilarityScene& scene, const SimilaritySide& side) {
  if (!side.map) return side.title;
  const std::string& axis = side.map->axis;
  return scene.text.format(axis.empty() ? "view.similarity.title" : "view.similarity.title_axis",
                           {{"layout", side.title},
                            {"axes", axes_text(side.map->layout(), scene.text)},
                            {"axis", axis_word(axis, scene.text)}});
}

Figure waiting_figure(const SimilarityScene& scene, std::size_t side, const char* name) {
  Figure figure = empty_figure(figure_name(name, side), "column", "row");
  figure.title = title_of_similarity(scene, scene.sides[side]);
  figure.empty_message = scene.sides[side].fault;
  figure.stale = figure.empty_message.empty();
  figure.bare = !figure.stale;
  return figure;
}

Figure similarity_map_figure(const SimilarityScene& scene, std::size_t index) {
  const SimilaritySide& side = scene.sides[index];
  if (!side.map) return waiting_figure(scene, index, "similarity");
  const SeenBlock& seen = side.map->blocks[side.map->main()];
  Figure figure = named_figure(figure_name("similarity", index),
                               add_frame_count(title_of_similarity(scene, side), side.map->tiles, scene.text));
  set_patch_axes(figure, "similarity", side.map->layout(), seen, scene.text);
  figure.equal_axes = true;
  figure.maps = similarity_frames(scene, index);
  fit_tiles(figure, side.map->tiles);
  add_captions(figure, side.map->tiles, side.map->anchor, scene.text);
  add_parts(figure, scene, index);
  figure.stale = side.stale;
  return figure;
}

/// Returns the similarity along the anchor's row, or along its column.
std::vector<double> profile(const SimilarityMap& map, bool along_row) {
  const SeenBlock& seen = map.blocks[map.main()];
  std::vector<double> values;
  const std::int64_t row = seen.row_of(map.anchor), column = seen.column_of(map.anchor);
  for (std::int64_t i = 0; i < (along_row ? seen.columns : seen.rows); ++i) {
    const std::int64_t token = along_row ? row * seen.columns + i : i * seen.columns + column;
    values.push_back(token < seen.count ? map.value(seen.block, seen.first() + token)
                                        : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

/// Returns the similarity of the patch at the anchor's place in every frame.
std::vector<double> over_frames(const SimilarityMap& map) {
  const TokenBlock& block = map.layout().blocks[map.main()];
  std::vector<double> values;
  if (block.frames == 1) return values;
  const std::int64_t frame = std::int64_t{block.rows} * block.columns;
  for (std::int64_t i = 0; i < block.frames; ++i)
    values.push_back(map.value(map.main(), i * frame + map.anchor % frame));
  return values;
}

/// Returns the range of the profiles, common to all sides so that their heights can be compared.
Range profile_fit(const SimilarityScene& scene) {
  Range all = kNoRange;
  for (const SimilaritySide& side : scene.sides) {
    if (!side.map) continue;
    for (const bool along_row : {true, false}) {
      for (const double value : profile(*side.map, along_row)) include(all, value);
    }
    for (const double value : over_frames(*side.map)) include(all, value);
  }
  return add_margin(all, 0.06, 0.01);
}

Figure profile_figure(const SimilarityScene& scene, std::size_t index, const Range& fit) {
  const SimilaritySide& side = scene.sides[index];
  Figure figure = empty_figure(figure_name("profile", index), {}, {});
  figure.x = named_axis("similarity", "patch_index", scene.text, AxisScale::linear, "profile");
  figure.y = value_axis(named_axis("similarity", "value", scene.text), fit, scene.zooms);
  figure.y.name = "similarity";
  if (side.map && !side.map->axis.empty()) figure.y.label = scene.text["view.similarity.part"];
  if (!side.map) {
    figure.x = fixed_axis(figure.x, {0, 1});
    figure.bare = true;
    return figure;
  }
  const SeenBlock& seen = side.map->blocks[side.map->main()];
  const std::int64_t longest = std::max(seen.rows, seen.columns);
  figure.x = cell_axis(figure.x, longest > 1 ? Range{0, static_cast<double>(longest - 1)} : cell_range(1), scene.zooms);
  const TextValue row = counted(seen.row_of(side.map->anchor)), column = counted(seen.column_of(side.map->anchor));
  figure.x.label = scene.text.format("view.similarity.profile", {{"row", row}, {"column", column}});
  const auto add = [&](const char* key, const std::string& label, bool along_row, int slot) {
    figure.lines.push_back({key, label, {slot, false}, make_series(0, 1, profile(*side.map, along_row)), false});
  };
  // The line added last is drawn on top: where both coincide, the solid one is visible between the dashes.
  add("down_column", scene.text.format("view.similarity.down_column", {{"column", column}}), false, 1);
  add("along_row", scene.text.format("view.similarity.along_row", {{"row", row}}), true, 0);
  figure.zero_line = true;
  figure.stale = side.stale;
  return figure;
}

bool is_video(const SimilarityScene& scene) {
  return std::any_of(scene.sides.begin(), scene.sides.end(), [](const SimilaritySide& side) {
    return side.map && side.map->layout().blocks[side.map->main()].frames > 1;
  });
}

/// Draws all sides over the frames, counted from 1.
Figure frames_figure(const SimilarityScene& scene, const Range& fit) {
  Figure figure = empty_figure("over_frames", {}, {});
  figure.x = named_axis("similarity", "frame", scene.text);
  figure.y = value_axis(named_axis("similarity", "value", scene.text), fit, scene.zooms);
  figure.y.name = "similarity";
  figure.zero_line = true;
  figure.legend = scene.sides.size() > 1;
  int frames = 1;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) {
    const SimilaritySide& side = scene.sides[i];
    if (!side.map) continue;
    const std::vector<double> values = over_frames(*side.map);
    if (values.empty()) continue;
    frames = std::max(frames, static_cast<int>(values.size()));
    const SeenBlock& seen = side.map->blocks[side.map->main()];
    figure.title = scene.text.format(
        "view.similarity.over_frames",
        {{"row", counted(seen.row_of(side.map->anchor))}, {"column", counted(seen.column_of(side.map->anchor))}});
    figure.lines.push_back({figure_name("over_frames", i),
                            side.title,
                            {static_cast<int>(i), false},
                            make_series(1, 1, values),
                            scene.sides.size() > 1});
    figure.stale |= side.stale;
    if (figure.rules.empty()) {
      add_rule(figure, seen.frame + 1,
               scene.text.format("view.layout.frame_name", {{"frame", counted(seen.frame + 1)}}), Role::text);
    }
  }
  figure.x = fixed_axis(figure.x, {1, static_cast<double>(std::max(frames, 2))});
  figure.x.whole = true;
  return figure;
}

/// Adds frames around the anchor, the targets and the patch under the mouse, large enough for the shown ranges.
void add_frames(Figure& figure, const SimilarityScene& scene, const SimilarityMap& map) {
  if (scene.pointed) add_tile_frame(figure, map.tiles, *scene.pointed, Role::secondary);
  for (const std::int64_t target : scene.targets) add_tile_frame(figure, map.tiles, target, Role::curve);
  add_tile_frame(figure, map.tiles, map.anchor, Role::text);
}

/// Gives patches equal sizes in both maps, whatever parts are next to them.
void share_extent(const SimilarityScene& scene, std::vector<Panel>& maps) {
  double columns = 0, rows = 0;
  for (const Panel& panel : maps) {
    if (panel.figure.maps.empty()) continue;
    columns = std::max(columns, panel.figure.x.fit.high);
    rows = std::max(rows, panel.figure.y.fit.high);
  }
  for (Panel& panel : maps) {
    if (panel.figure.maps.empty()) continue;
    FigureAxis &x = panel.figure.x, &y = panel.figure.y;
    // Ticks count the patches only.
    if (x.fit.high < columns || y.fit.high < rows) {
      if (!x.counted) x.counted = x.fit;
      if (!y.counted) y.counted = y.fit;
    }
    x.fit.high = columns;
    y.fit.high = rows;
    x = data_axis(x, x.fit, scene.zooms);
    y = data_axis(y, y.fit, scene.zooms);
  }
}

// --- View ----------------------------------------------------------------------------------------------------------

bool similarity_is_map(const std::string& figure) {
  return figure == figure_name("similarity", 0) || figure == figure_name("similarity", 1);
}

constexpr const char* kAllAxes = "all";

Figure make_empty_similarity_map(const Experiment&, const Text&) {
  return empty_figure("similarity", "column", "row");
}

/// The selected patches: anchor, and patch under the mouse.
struct Looking {
  std::int64_t anchor = 0;
  std::optional<std::int64_t> pointed;
};

Looking looking_at(const Experiment& experiment, const TokenLayout& layout) {
  Looking looking;
  looking.anchor = anchor_of(experiment.layout, layout);
  const auto& pointer = experiment.pointer;
  if (!pointer || !similarity_is_map(pointer->figure)) return looking;
  const auto token = main_tiles(experiment.layout, layout).token_at(pointer->x, pointer->y);
  if (!token) return looking;
  if (experiment.similarity.anchor_mode == AnchorMode::follow) {
    looking.anchor = *token;
  } else if (*token != looking.anchor) {
    looking.pointed = token;
  }
  return looking;
}

Store::Answer<SimilarityMap> ask_similarity(Store& store, const std::string& slot, const Experiment& experiment,
                                            std::shared_ptr<const ArrangedLayout> arranged, std::int64_t anchor) {
  const SimilarityFields& fields = experiment.similarity;
  SimilarityInput input;
  input.arranged = std::move(arranged);
  input.anchor = anchor;
  if (fields.content == ContentKind::random) input.seed = static_cast<std::uint64_t>(fields.seed);
  if (fields.axis != kAllAxes) input.axis = fields.axis;
  input.frames = visible_frames(experiment.layout, input.arranged->tables->layout());
  return store.request<similarity_map>({slot, input.cost()}, input);
}

void require_drawable(const TokenLayout& layout, const Text& text) {
  if (layout.row_count() <= kMaxSimilarityRows) return;
  throw InputError(text.format("view.similarity.too_large",
                               {{"tokens", counted(layout.row_count())}, {"most", counted(kMaxSimilarityRows)}}));
}

/// Returns the side of the second layout, computed in the same way.
SimilaritySide other_side(const Experiment& experiment, std::int64_t anchor, const Text& text, Store& store) {
  const std::string& name = experiment.similarity.against;
  SimilaritySide side;
  side.title = text["option.layout.name." + name];
  const auto arranged = ask_layout(store, "similarity.other", LayoutToArrange(experiment.layout, name));
  side.stale = !arranged.current;
  if (!arranged.fault.empty()) side.fault = text.render(arranged.fault);
  if (!arranged.result) return side;
  try {
    require_drawable(arranged.result->tables->layout(), text);
    const auto map = ask_similarity(store, "similarity.other", experiment, arranged.result, anchor);
    side.map = map.result;
    side.stale = side.stale || !map.current;
  } catch (const InputError& error) {
    side.fault = text.render(error.words());
  }
  return side;
}

std::string describe_similarity_status(const SimilarityScene& scene) {
  const SimilarityMap& map = *scene.sides.front().map;
  const SeenBlock& seen = map.blocks[map.main()];
  double seconds = 0;
  std::int64_t maps = 0;
  for (const SimilaritySide& side : scene.sides) {
    if (!side.map) continue;
    seconds += side.map->seconds;
    ++maps;
  }
  return scene.text.format(maps > 1 ? "view.similarity.status_both" : "view.similarity.status",
                           {{"anchor", anchor_text(map.layout(), map.anchor, scene.text)},
                            {"base", base_text(map.layout(), scene.text)},
                            {"rows", counted(seen.rows)},
                            {"columns", counted(seen.columns)},
                            {"time", readable_number(1e3 * seconds, 2)}});
}

std::vector<Readout> readouts_of_similarity(const SimilarityScene& scene, const Experiment& experiment) {
  const SimilaritySide& side = scene.sides.front();
  PatchQuestion question{side.map->layout(), side.title, nullptr, {}, 0, {}, {}, {}};
  question.anchor = side.map->anchor;
  question.targets = scene.targets;
  question.content = side.map->content;
  if (scene.sides.size() > 1 && scene.sides[1].map) {
    const SimilaritySide& other = scene.sides[1];
    question.other = &other.map->layout();
    question.other_title = experiment.similarity.against == kRaster ? scene.text["view.layout.raster"] : other.title;
    question.other_content = other.map->content;
  }
  std::vector<Readout> readouts = patch_readouts(question, scene.text);
  std::ranges::move(beyond_readouts(experiment.layout, side.map->layout(), scene.text), std::back_inserter(readouts));
  return readouts;
}

ViewResult similarity_figures(const Experiment& experiment, const Text& text, Store& store) {
  const auto arranged = ask_layout(store, "similarity", LayoutToArrange(experiment.layout));
  if (arranged.nothing()) return make_message_result(make_empty_similarity_map(experiment, text), {}, true);
  if (!arranged.result)
    return make_error_result(make_empty_similarity_map(experiment, text), text.render(arranged.fault),
                             !arranged.current);
  const TokenLayout& layout = arranged.result->tables->layout();
  require_drawable(layout, text);
  const Looking looking = looking_at(experiment, layout);
  const SimilarityFields& fields = experiment.similarity;
  SimilarityScene scene{{},
                        targets_of(experiment.layout, layout),
                        looking.pointed,
                        fields.colours == SimilarityColours::fitted,
                        fields.zooms,
                        text};
  const auto map = ask_similarity(store, "similarity", experiment, arranged.result, looking.anchor);
  scene.sides.push_back(
      {text["option.layout.name." + experiment.layout.name], map.result, {}, !arranged.current || !map.current});
  // A text alone cannot be compared with a second layout.
  const bool image = layout.blocks[main_block(layout)].is_image();
  if (image && fields.against != "none") scene.sides.push_back(other_side(experiment, looking.anchor, text, store));
  ViewResult result;
  result.panels = similarity_panels(scene);
  result.stale = std::any_of(scene.sides.begin(), scene.sides.end(), [](const auto& side) { return side.stale; });
  if (!map.result) return result;
  result.readouts = readouts_of_similarity(scene, experiment);
  if (!result.stale) result.status = describe_similarity_status(scene);
  return result;
}

void declare_similarity_fields(FieldList& list, Experiment& experiment) {
  const LayoutControls controls = controls_of(experiment.layout, false);
  declare_fields(list, experiment.layout, controls);
  std::vector<std::string> axes = controls.axes;
  // If axes share their pairs, none has its own part.
  if (takes(find_layout(experiment.layout.name), "mixed_frequencies"))
    axes.resize(std::min<std::size_t>(axes.size(), 1));
  declare_fields(list, experiment.similarity, axes);
  // The question is about one patch, independent of the mouse, and about the total similarity.
  const auto ask = [&experiment] {
    const LayoutFields before = experiment.layout;
    ask_raster_question(experiment.layout);
    if (experiment.layout == before) return;
    SimilarityFields& fields = experiment.similarity;
    fields.anchor_mode = AnchorMode::fixed;
    fields.content = ContentKind::aligned;
    fields.axis = kAllAxes;
    fields.against = kRaster;
    fields.zooms["similarity.row_range"].reset();
    fields.zooms["similarity.column_range"].reset();
  };
  // find_field() finds no actions.
  std::find_if(list.begin(), list.end(), [](const Field& field) { return field.key == "layout.ask"; })->value = ask;
  // A text alone cannot be compared with a second layout.
  find_field(list, "similarity.against")->control = takes(find_layout(experiment.layout.name), "image");
}

void react_similarity(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !similarity_is_map(event.figure)) return;
  LayoutFields& fields = experiment.layout;
  try {
    const TokenLayout layout = arrange(find_layout(fields.name), request_of(fields));
    const auto token = main_tiles(fields, layout).token_at(event.x, event.y);
    if (!token) return;
    if (experiment.similarity.anchor_mode != AnchorMode::follow) return click_token(fields, *token);
    experiment.similarity.anchor_mode = AnchorMode::fixed;
    fields.anchor = static_cast<double>(*token);
    if (fields.click == LayoutClick::next) fields.targets.clear();
  } catch (const InputError&) {
    // In this case there are no patches.
  }
}

}  // namespace

double SimilarityInput::cost() const {
  const TokenLayout& layout = arranged->tables->layout();
  const auto rows = static_cast<double>(layout.row_count());
  const auto pairs = static_cast<double>(layout.pair_count());
  const double work = 20 * rows + 100 * pairs;
  const SharedRows shared = shared_rows(*arranged->tables);
  const double products = pairs * (kMultiplied * static_cast<double>(shared.multiplied) +
                                   kOneByOne * static_cast<double>(shared.one_by_one));
  return (rows <= kFollowed ? std::min(work, kOnTheSpot) : work) + products;
}

SimilarityMap similarity_map(const SimilarityInput& input, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const LayoutTables& tables = *input.arranged->tables;
  const TokenLayout& layout = tables.layout();
  SimilarityMap map;
  map.arranged = input.arranged;
  map.anchor = input.anchor;
  if (input.seed) map.content = random_content(static_cast<int>(layout.pair_count()), *input.seed);
  LayoutSimilarity similarity = similarity_from(tables, table_row(layout, map.anchor), map.content);
  if (work.stopped()) return map;
  if (const auto index = find_axis_named(layout, input.axis)) map.values = contribution_of(layout, similarity, *index);
  if (map.values.size() == 0) {
    map.values = std::move(similarity.total);
  } else {
    map.axis = input.axis;
  }
  const TokenBlock& image = layout.blocks[map.main()];
  const int frame = static_cast<int>(map.anchor / (std::int64_t{image.rows} * image.columns));
  map.tiles = frame_tiles(layout, map.main(), input.frames.empty() ? std::vector{frame} : input.frames);
  for (std::size_t block = 0; block < layout.blocks.size(); ++block) {
    const bool main = block == map.main();
    map.blocks.push_back(find_seen_block(layout, block, frame));
    map.cells.push_back(main ? nullptr : cells_of_similarity(map, map.blocks.back()));
    if (work.stopped()) return map;
  }
  for (const SeenBlock& tile : map.tiles.frames) {
    map.frames.push_back(cells_of_similarity(map, tile));
    if (work.stopped()) return map;
  }
  map.range = seen_range(map);
  map.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return map;
}

std::vector<Panel> similarity_panels(const SimilarityScene& scene) {
  constexpr double kProfileHeight = 0.3;
  const Range fit = profile_fit(scene);
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) panels.push_back({similarity_map_figure(scene, i), 1, i > 0});
  share_extent(scene, panels);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (scene.sides[i].map) add_frames(panels[i].figure, scene, *scene.sides[i].map);
  }
  // Frames need the full width, so their profiles are below them.
  const bool alone = scene.sides.size() == 1, video = is_video(scene);
  if (alone && !video) panels.front().width_share = 1.4;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) {
    panels.push_back({profile_figure(scene, i, fit), kProfileHeight, (alone && !video) || i > 0});
  }
  if (video) panels.push_back({frames_figure(scene, fit), kProfileHeight, true});
  return panels;
}

constinit const View kSimilarityView{.id = "similarity",
                                     .group = "images",
                                     .declare_fields = declare_similarity_fields,
                                     .figures = similarity_figures,
                                     .empty = make_empty_similarity_map,
                                     .react = react_similarity,
                                     .open = open_layout_config,
                                     .compares_ropes = false,
                                     .subject = layout_subject,
                                     .follows_pointer = true,
                                     .shows_layout = uses_layout,
                                     .take_config = fill_layout,
                                     .check = check_layout};

}  // namespace ropescope
