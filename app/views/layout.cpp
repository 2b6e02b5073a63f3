// The view Layout: the cells of tokens, photographs on patches, figures and cards.
//
// Contents: Tokens; Map; Parts; Image; View.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/picture.h"
#include "app/resources/files.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/patches.h"
#include "app/views/views.h"
#include "core/layouts/similarity.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Tokens --------------------------------------------------------------------------------------------------------

namespace {

double wrapped(double angle) {
  const double turned = std::fmod(angle, kTurn);
  return turned < 0 ? turned + kTurn : turned;
}

/// The contribution of one axis to the value of a token: factor · id + offset.
struct Term {
  const AxisIds* ids = nullptr;
  double factor = 1, offset = 0;
  double at(std::int64_t value) const {
    return factor * (ids->along == Along::none ? ids->at(0) : ids->at(value)) + offset;
  }
};

/// The quantity that colours the tokens.
struct TokenColouring {
  enum class By { index, axis, angle };
  By by = By::index;
  std::size_t axis = 0;   ///< axis of the ids
  Eigen::Index pair = 0;  ///< pair of the angle
  bool operator==(const TokenColouring&) const = default;
};

std::vector<Term> terms_of(const TokenColouring& colouring, const TokenLayout& layout, const TokenBlock& block) {
  std::vector<Term> terms;
  for (std::size_t axis = 0; axis < layout.axes.size(); ++axis) {
    if (colouring.by == TokenColouring::By::axis && axis != colouring.axis) continue;
    Term term{&block.ids[axis], 1, 0};
    if (colouring.by == TokenColouring::By::angle) {
      const double frequency = layout.frequencies(static_cast<Eigen::Index>(axis), colouring.pair);
      if (frequency == 0) continue;
      term.factor = frequency * layout.axes[axis].id_scale;
      term.offset = frequency * layout.axes[axis].id_offset;
    }
    terms.push_back(term);
  }
  return terms;
}

/// Returns the values of one block; beyond MapCells::kMax cells per side, each cell has the value at its centre.
std::shared_ptr<const MapCells> cells_of_layout(const TokenColouring& colouring, const TokenLayout& layout,
                                                const SeenBlock& seen, const std::stop_token& stop) {
  const TokenBlock& block = layout.blocks[seen.block];
  const std::int64_t row_step = items_per_cell(seen.rows), column_step = items_per_cell(seen.columns);
  auto cells = std::make_shared<MapCells>(cells_over(seen.columns, seen.rows, "middle"));
  cells->values.resize(cells->rows * cells->columns);
  const bool index = colouring.by == TokenColouring::By::index;
  const std::vector<Term> terms = index ? std::vector<Term>{} : terms_of(colouring, layout, block);
  float* out = cells->values.data();
  for (std::size_t cell_row = 0; cell_row < cells->rows; ++cell_row) {
    if (stop.stop_requested()) return nullptr;
    const std::int64_t row = std::min(static_cast<std::int64_t>(cell_row) * row_step + row_step / 2, seen.rows - 1);
    for (std::size_t cell_column = 0; cell_column < cells->columns; ++cell_column, ++out) {
      const std::int64_t column =
          std::min(static_cast<std::int64_t>(cell_column) * column_step + column_step / 2, seen.columns - 1);
      const std::int64_t within = row * seen.columns + column, token = seen.first() + within;
      if (within >= seen.count) {
        *out = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      double value = index ? static_cast<double>(block.first_token + token) : 0;
      for (const Term& term : terms) {
        const Along along = term.ids->along;
        // The only row of a wrapped line is shown as several rows.
        const bool line = block.rows == 1 && block.frames == 1;
        const std::int64_t at = along == Along::row      ? (line ? 0 : row)
                                : along == Along::column ? (line ? within : column)
                                : along == Along::frame  ? seen.frame
                                                         : token;
        value += term.at(at);
      }
      // Angles are not wrapped: adjacent values must show the rate of rotation.
      *out = static_cast<float>(value);
    }
  }
  return cells;
}

/// Extends the range by the ids of a block.
void add_ids(Range& range, const TokenBlock& block, std::size_t axis) {
  const AxisIds& ids = block.ids[axis];
  if (!ids.listed.empty()) {
    for (const double id : ids.listed) include(range, id);
    return;
  }
  include(range, ids.at(0));
  if (ids.along != Along::none) include(range, ids.at(block.count(ids.along) - 1));
}

/// Returns the range of an axis's ids in the colours: that of the image if its ids differ, because next to a long text
/// all its colours would look alike; otherwise that of all tokens.
Range id_range(const TokenLayout& layout, std::size_t axis) {
  Range range = kNoRange;
  add_ids(range, layout.blocks[main_block(layout)], axis);
  if (range.low < range.high) return range;
  for (const TokenBlock& block : layout.blocks) add_ids(range, block, axis);
  return range.low < range.high ? range : Range{range.low - 0.5, range.high + 0.5};
}

Range colour_range(const TokenColouring& colouring, const TokenLayout& layout) {
  if (colouring.by == TokenColouring::By::angle) return {0, kTurn};
  if (colouring.by == TokenColouring::By::axis) return id_range(layout, colouring.axis);
  const TokenBlock& last = layout.blocks.back();
  const auto first = static_cast<double>(layout.blocks.front().first_token);
  return {first, std::max(first + 1, static_cast<double>(last.first_token + last.count() - 1))};
}

/// Returns the colouring of the fields. For an axis that the layout lacks, uses its first axis that counts rows,
/// columns or tokens.
TokenColouring colouring_of(const LayoutFields& fields, const TokenLayout& layout) {
  TokenColouring colouring;
  if (fields.colours == LayoutColours::angle) {
    colouring.by = TokenColouring::By::angle;
    colouring.pair = std::min(static_cast<Eigen::Index>(fields.pair), layout.pair_count() - 1);
    return colouring;
  }
  if (fields.colours != LayoutColours::axis) return colouring;
  colouring.by = TokenColouring::By::axis;
  const auto named = std::find_if(layout.axes.begin(), layout.axes.end(),
                                  [&](const LayoutAxis& axis) { return axis.name == fields.axis; });
  colouring.axis = named == layout.axes.end() ? 0 : static_cast<std::size_t>(named - layout.axes.begin());
  return colouring;
}

/// Returns the exact value of a row of the tables: token number in the whole sequence, id, or angle in [0, 2π).
double colour_value(const TokenColouring& colouring, const TokenLayout& layout, std::int64_t table_row) {
  if (colouring.by == TokenColouring::By::index) return static_cast<double>(place_of(layout, table_row).token);
  const std::vector<double> ids = ids_of(layout, table_row);
  if (colouring.by == TokenColouring::By::axis) return ids[colouring.axis];
  double angle = 0;
  for (std::size_t axis = 0; axis < ids.size(); ++axis) {
    const LayoutAxis& each = layout.axes[axis];
    angle += layout.frequencies(static_cast<Eigen::Index>(axis), colouring.pair) *
             (each.id_scale * ids[axis] + each.id_offset);
  }
  return wrapped(angle);
}

/// Returns the displayed sides of a photograph, from its header alone. Throws InputError for errors visible there.
PhotographSize read_photograph_size(const std::string& path) {
  const std::shared_ptr<const MappedFile> mapped = map_file(path);
  const PhotographSize size = photograph_size(characters_of(mapped->bytes()), path);
  mapped->check_unchanged();
  return size;
}

/// The values of every visible block.
struct LayoutCells {
  std::shared_ptr<const ArrangedLayout> arranged;
  TokenColouring colouring;
  std::vector<SeenBlock> blocks;                       ///< one per block of the layout
  std::vector<std::shared_ptr<const MapCells>> cells;  ///< of each; NaN past the end of a wrapped line
  Range range;  ///< of all values; for ids the image's, if they differ: text outside gets the last colour
  double seconds = 0;
  std::size_t bytes() const { return count_bytes(cells); }
};
struct ColouredLayout {
  std::shared_ptr<const ArrangedLayout> arranged;
  TokenColouring colouring;
  int frame = 0;
  bool operator==(const ColouredLayout&) const = default;
  double cost() const {
    double count = 0;
    for (const TokenBlock& block : arranged->tables->layout().blocks) {
      count += static_cast<double>(block.count() / block.frames);
    }
    return (colouring.by == TokenColouring::By::angle ? 20 : 4) * count;
  }
};
LayoutCells layout_cells(const ColouredLayout& of, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const TokenLayout& layout = of.arranged->tables->layout();
  LayoutCells result;
  result.arranged = of.arranged;
  result.colouring = of.colouring;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    result.blocks.push_back(find_seen_block(layout, i, of.frame));
    result.cells.push_back(cells_of_layout(of.colouring, layout, result.blocks.back(), work.stop));
    if (!result.cells.back()) return {};
  }
  result.range = colour_range(of.colouring, layout);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// --- Map -----------------------------------------------------------------------------------------------------------

struct LayoutShown {
  const LayoutFields& fields;
  const Text& text;
  std::shared_ptr<const LayoutCells> cells;
  std::shared_ptr<const Pixels> picture;  ///< may be null
  std::int64_t anchor = 0;
  std::vector<std::int64_t> targets;

  const TokenLayout& layout() const { return cells->arranged->tables->layout(); }
  std::size_t main() const { return main_block(layout()); }
};

std::string colour_label(const LayoutShown& shown) {
  const TokenColouring& colouring = shown.cells->colouring;
  if (colouring.by == TokenColouring::By::index) return shown.text["view.layout.by_index"];
  if (colouring.by == TokenColouring::By::axis) {
    return shown.text.format("view.layout.by_axis",
                             {{"axis", axis_word(shown.layout().axes[colouring.axis].name, shown.text)}});
  }
  return shown.text.format("view.layout.by_angle", {{"pair", counted(colouring.pair)}});
}

std::string axes_names(const TokenLayout& layout, const Text& text) {
  const std::string names =
      joined(layout.axes, text["list.between"], [&](const LayoutAxis& axis) { return axis_word(axis.name, text); });
  return layout.axes.size() == 1 ? names : text.format("view.layout.card.axes", {{"names", names}});
}

/// Returns the text of the card at a token, with everything that an engineer would look up.
PlaceWords describe_token(const LayoutShown& shown, const SeenBlock& seen, std::int64_t token) {
  const TokenLayout& layout = shown.layout();
  const TokenBlock& block = layout.blocks[seen.block];
  const Text& text = shown.text;
  const std::int64_t row = block.first_row + token;
  const bool main = seen.block == shown.main();
  PlaceWords words;
  words.head = main ? token_name(layout, token, text) : part_name(block.part, text);
  const auto add = [&](const char* key, const std::string& value) { words.rows.emplace_back(text[key], value); };
  if (main && block.is_image()) {
    add("view.layout.card.place", place_text(layout, token, text));
  } else {
    add("view.layout.card.within", counted(token).shown);
  }
  add("view.layout.card.token", counted(block.first_token + token).shown);
  words.rows.emplace_back(text.format("view.layout.card.ids", {{"axes", axes_names(layout, text)}}),
                          ids_text(ids_of(layout, row)));
  const std::int64_t anchor = table_row(layout, shown.anchor);
  if (row != anchor) {
    const TokenSimilarity similarity = similarity_between(layout, anchor, row);
    const std::string from = token_name(layout, shown.anchor, text);
    words.rows.emplace_back(text.format("view.layout.card.difference", {{"anchor", from}}),
                            ids_text(similarity.difference));
    words.rows.emplace_back(text.format("view.layout.card.similarity", {{"anchor", from}}),
                            readable_number(similarity.total, 6, true));
  }
  return words;
}

/// Returns the map of a block, with exact values and card texts.
Map block_map(const LayoutShown& shown, std::size_t block, const CellPlace& place) {
  const auto cells = shown.cells;
  const SeenBlock seen = cells->blocks[block];
  const auto value = [cells, seen](std::int64_t token) {
    const TokenLayout& layout = cells->arranged->tables->layout();
    return colour_value(cells->colouring, layout, layout.blocks[seen.block].first_row + token);
  };
  // The card outlives this call, so it keeps what it reads; the window's texts outlive the card.
  const auto keep = std::make_shared<LayoutFields>(shown.fields);
  const auto words = [keep, text = &shown.text, cells, anchor = shown.anchor, seen](std::int64_t token) {
    return describe_token({*keep, *text, cells, nullptr, anchor, {}}, seen, token);
  };
  Map map = patch_map(shown.layout(), seen, cells->cells[block], place, value, words);
  map.label = colour_label(shown);
  map.colours = cells->colouring.by == TokenColouring::By::angle ? MapColours::angle : MapColours::magnitude;
  map.range = cells->range;
  return map;
}

// --- Parts ---------------------------------------------------------------------------------------------------------

// The cells of a part fit within one unit; those of text, which may have any shape, within 1 × 0.5.
constexpr double kLayoutPartGap = 0.12, kLayoutNameHeight = 0.12;
/// Height of a column of parts next to the image, relative to its width, above which there are several columns.
constexpr double kTallest = 4;
/// Width of the space below the image, relative to its height.
constexpr double kWidest = 7;
/// Minimum width for a name, however narrow its part.
constexpr double kNameWidth = 1.25;
/// The maximum number of visible parts; the others are counted.
constexpr std::size_t kMaxLayoutParts = 12;

struct Spot {
  double x = 0, y = 0;
};

struct PlacedLayoutPart {
  std::size_t block = 0;
  double scale = 1, width = 1, height = 1;  ///< scale: size of one cell
};

std::size_t hidden_parts(const LayoutShown& shown) {
  const std::size_t parts = shown.cells->blocks.size() - 1;
  return parts > kMaxLayoutParts ? parts - kMaxLayoutParts : 0;
}

std::vector<PlacedLayoutPart> places_of(const LayoutShown& shown) {
  std::vector<PlacedLayoutPart> places;
  const std::size_t main = shown.main();
  for (std::size_t block = 0; block < shown.cells->blocks.size(); ++block) {
    if (block == main || places.size() == kMaxLayoutParts) continue;
    const SeenBlock& seen = shown.cells->blocks[block];
    const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
    // Limits the cell size so that a few tokens do not fill the space.
    const double scale = std::min({1 / columns, 1 / rows, 1.0 / 12});
    places.push_back({block, scale, scale * columns, scale * rows});
  }
  return places;
}

std::string to_layout_part_name(const LayoutShown& shown, std::size_t block, bool whole) {
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

double tall_height(const std::vector<PlacedLayoutPart>& places) {
  double height = 0;
  for (const PlacedLayoutPart& place : places) height += place.height + kLayoutNameHeight + kLayoutPartGap;
  return height;
}

std::size_t column_count(const std::vector<PlacedLayoutPart>& places) {
  const auto columns = static_cast<std::size_t>(std::ceil(tall_height(places) / kTallest));
  return std::clamp<std::size_t>(columns, 1, places.size());
}

/// Adds a part with its name above it, the corner at (left, top).
void add_part(Figure& figure, const LayoutShown& shown, const PlacedLayoutPart& place, const Spot& corner,
              bool whole_name) {
  // Above the cells: within them it would need a colour that is readable there.
  figure.labels.push_back(label_at(corner.x, corner.y + 0.8 * kLayoutNameHeight,
                                   to_layout_part_name(shown, place.block, whole_name), Role::secondary, 0, 1));
  const double half = place.scale / 2;
  Map map = block_map(shown, place.block, {corner.x + half, corner.y + kLayoutNameHeight + half, place.scale});
  map.bar = false;
  figure.maps.push_back(std::move(map));
}

/// Adds parts one below another, in as many columns as keep them large.
Spot add_columns(Figure& figure, const LayoutShown& shown, const std::vector<PlacedLayoutPart>& places) {
  const std::size_t columns = column_count(places);
  const double most = tall_height(places) / static_cast<double>(columns);
  double left = 0, top = 0, bottom = 0;
  for (const PlacedLayoutPart& place : places) {
    const double height = kLayoutNameHeight + place.height;
    if (top > 0 && columns > 1 && top + height / 2 > most) {
      left += 1 + kLayoutPartGap;
      top = 0;
    }
    add_part(figure, shown, place, {left, top}, columns == 1);
    bottom = std::max(bottom, top + height);
    top += height + kLayoutPartGap;
  }
  return {left + 1, bottom};
}

/// Adds parts from left to right, in as many lines as the space below the image requires.
Spot add_part_lines(Figure& figure, const LayoutShown& shown, const std::vector<PlacedLayoutPart>& places) {
  double width = 0;
  for (const PlacedLayoutPart& place : places) width += std::max(kNameWidth, place.width) + kLayoutPartGap;
  const double lines = std::ceil(std::sqrt(width / kWidest));
  const double most = std::max(width / std::max(1.0, lines), kWidest);
  double left = 0, top = 0, right = 0;
  const bool whole_names = places.size() <= 3;
  double line = 0;
  for (const PlacedLayoutPart& place : places) line = std::max(line, place.height);
  for (const PlacedLayoutPart& place : places) {
    const double slot = std::max(kNameWidth, place.width);
    if (left > 0 && left + slot > most + kLayoutPartGap) {
      left = 0;
      top += kLayoutNameHeight + line + kLayoutPartGap;
    }
    add_part(figure, shown, place, {left, top}, whole_names);
    right = std::max(right, left + slot);
    left += slot + (whole_names ? 3 : 1) * kLayoutPartGap;
  }
  return {right, top + line + kLayoutNameHeight};
}

/// Returns whether the image is so much wider than high that the parts fit better below it.
bool is_wide(const LayoutShown& shown) {
  constexpr double kWide = 1.4;
  const SeenBlock& seen = shown.cells->blocks[shown.main()];
  return static_cast<double>(seen.columns) > kWide * static_cast<double>(seen.rows);
}

/// Return the size of the parts: their height below the image and width next to it, relative to the image.
double parts_height(const LayoutShown& shown) {
  const std::vector<PlacedLayoutPart> places = places_of(shown);
  const bool low =
      std::all_of(places.begin(), places.end(), [](const PlacedLayoutPart& place) { return place.height <= 0.5; });
  return low ? 0.2 : 0.34;
}

double parts_width(const LayoutShown& shown) {
  constexpr double kOfOneColumn = 0.32, kMax = 0.9;
  return std::min(kMax, kOfOneColumn * static_cast<double>(column_count(places_of(shown))));
}

/// Draws text, references and padding next to the image, or below it.
Figure parts_figure(const LayoutShown& shown, bool below) {
  Figure figure = named_figure("parts", shown.text[below ? "view.layout.parts_below" : "view.layout.parts"]);
  if (const std::size_t hidden = hidden_parts(shown)) {
    figure.title =
        shown.text.format("view.layout.and_more_parts", {{"parts", figure.title}, {"count", counted(hidden)}});
  }
  figure.bare = true;
  figure.equal_axes = true;
  const std::vector<PlacedLayoutPart> places = places_of(shown);
  const Spot size = below ? add_part_lines(figure, shown, places) : add_columns(figure, shown, places);
  figure.x.name = "part_column";
  figure.x = fixed_axis(figure.x, {0, size.x});
  figure.y.name = "part_row";
  figure.y = fixed_axis(figure.y, {0, size.y});
  figure.y.reversed = true;
  return figure;
}

// --- Image ---------------------------------------------------------------------------------------------------------

/// The maximum number of patches per side for drawing their edges over a picture; more would hide it.
constexpr std::int64_t kMaxEdges = 160;

/// Adds the picture so that it covers the image; what exceeds the image's shape is cropped equally on both sides.
void add_picture(Figure& figure, const LayoutShown& shown, const SeenBlock& seen) {
  if (!shown.picture || !shown.layout().blocks[seen.block].is_image()) return;
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
  picture.opacity = shown.fields.picture_strength;
  figure.pictures.push_back(std::move(picture));
}

/// The edges of the patches.
void add_edges(Figure& figure, const SeenBlock& seen) {
  const double columns = static_cast<double>(seen.columns), rows = static_cast<double>(seen.rows);
  const double shown_columns = figure.x.range.high - figure.x.range.low;
  const double shown_rows = figure.y.range.high - figure.y.range.low;
  if (std::max(shown_columns, shown_rows) > static_cast<double>(kMaxEdges)) return;
  Path edges = path_of("edges", Role::inverse, 0.5);
  edges.style.faint = true;
  const auto add = [&](double x0, double y0, double x1, double y1) {
    add_point(edges, x0, y0);
    add_point(edges, x1, y1);
    lift(edges);
  };
  for (double x = 0; x < columns - 1; ++x) add(x + 0.5, -0.5, x + 0.5, rows - 0.5);
  for (double y = 0; y < rows - 1; ++y) add(-0.5, y + 0.5, columns - 0.5, y + 0.5);
  if (!edges.xs.empty()) figure.paths.push_back(std::move(edges));
}

std::string title_of_image(const LayoutShown& shown, const SeenBlock& seen) {
  const TokenBlock& block = shown.layout().blocks[seen.block];
  const std::string name = shown.text["option.layout.name." + shown.fields.name];
  if (!block.is_image()) {
    return shown.text.format("view.layout.title_line", {{"layout", name}, {"count", counted(block.count())}});
  }
  const std::string title = shown.text.format(
      "view.layout.title", {{"layout", name}, {"rows", counted(seen.rows)}, {"columns", counted(seen.columns)}});
  if (block.frames == 1) return title;
  return shown.text.format("view.layout.title_frame",
                           {{"title", title}, {"frame", counted(seen.frame + 1)}, {"frames", counted(block.frames)}});
}

/// The image with its patches.
Figure image_figure(const LayoutShown& shown) {
  const SeenBlock& seen = shown.cells->blocks[shown.main()];
  Figure figure = named_figure("layout", title_of_image(shown, seen));
  set_patch_axes(figure, "layout", shown.layout(), seen, shown.text);
  figure.x = data_axis(figure.x, figure.x.fit, shown.fields.zooms);
  figure.y = data_axis(figure.y, figure.y.fit, shown.fields.zooms);
  figure.equal_axes = true;
  figure.maps.push_back(block_map(shown, seen.block, {}));
  add_picture(figure, shown, seen);
  if (!figure.pictures.empty()) add_edges(figure, seen);
  for (const std::int64_t target : shown.targets) add_patch_frame(figure, seen, target, Role::curve);
  add_patch_frame(figure, seen, shown.anchor, Role::text);
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

constexpr const char* kPictureEndings = ".png .jpg .jpeg";

Figure no_tokens(const Experiment&, const Text&) {
  return empty_figure("layout", "column", "row");
}

std::vector<Readout> readouts_of_layout(const LayoutShown& shown, Store& store) {
  PatchQuestion question{shown.layout(), shown.text["option.layout.name." + shown.fields.name]};
  question.anchor = shown.anchor;
  question.targets = shown.targets;
  question.unrotated_text = takes(find_layout(shown.fields.name), "text") && shown.fields["text"] > 0;
  const bool image = shown.layout().blocks[shown.main()].is_image();
  std::shared_ptr<const ArrangedLayout> raster;
  if (image && shown.fields.name != kRaster) {
    raster = ask_layout(store, "layout.raster", LayoutToArrange(shown.fields, kRaster)).result;
    if (raster) {
      question.other = &raster->tables->layout();
      question.other_title = shown.text["view.layout.raster"];
    }
  }
  std::vector<Readout> readouts = patch_readouts(question, shown.text);
  std::ranges::move(beyond_readouts(shown.fields, shown.layout(), shown.text), std::back_inserter(readouts));
  return readouts;
}

std::string describe_layout_status(const LayoutShown& shown) {
  const TokenLayout& layout = shown.layout();
  return shown.text.format("view.layout.status", {{"anchor", anchor_text(layout, shown.anchor, shown.text)},
                                                  {"tokens", counted(layout.row_count())},
                                                  {"axes", axes_text(layout, shown.text)},
                                                  {"base", base_text(layout, shown.text)},
                                                  {"time", readable_number(1e3 * shown.cells->seconds, 2)}});
}

/// Gets the picture, or its error, if one was selected. Returns false if it is still being read.
bool take_picture(const LayoutFields& fields, Store& store, std::shared_ptr<const Pixels>& picture) {
  if (fields.picture.empty()) return true;
  const auto answer = store.request<photograph_of>({"layout.picture", 2e6, true}, stamp_of(fields.picture));
  if (answer.current && !answer.fault.empty()) throw InputError(answer.fault);
  picture = answer.result;
  return answer.current;
}

ViewResult layout_figures(const Experiment& experiment, const Text& text, Store& store) {
  const LayoutFields& fields = experiment.layout;
  const auto arranged = ask_layout(store, "layout", LayoutToArrange(fields));
  if (arranged.nothing()) return make_message_result(no_tokens(experiment, text), {}, true);
  if (!arranged.result)
    return make_error_result(no_tokens(experiment, text), text.render(arranged.fault), !arranged.current);
  const TokenLayout& layout = arranged.result->tables->layout();
  const ColouredLayout coloured{arranged.result, colouring_of(fields, layout), static_cast<int>(fields.frame) - 1};
  const auto cells = store.request<layout_cells>({"layout.cells", coloured.cost()}, coloured);
  if (!cells.result) return make_message_result(no_tokens(experiment, text), {}, true);
  LayoutShown shown{fields, text, cells.result, nullptr, 0, {}};
  const bool read = take_picture(fields, store, shown.picture);
  shown.anchor = anchor_of(fields, shown.layout());
  shown.targets = targets_of(fields, shown.layout());
  ViewResult result;
  result.stale = !arranged.current || !cells.current || !read;
  result.panels.push_back({image_figure(shown), 1});
  if (shown.cells->blocks.size() > 1) {
    // Below a wide image, next to any other one: this reduces the image least.
    const bool below = is_wide(shown);
    result.panels.push_back({parts_figure(shown, below), below ? parts_height(shown) : 1, !below, parts_width(shown)});
  }
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = readouts_of_layout(shown, store);
  result.status = describe_layout_status(shown);
  return result;
}

/// Sets the nearest size that is a multiple of the layout's token size, which a photograph's size rarely is.
void take_size(LayoutFields& fields, const PhotographSize& size) {
  const Layout& layout = find_layout(fields.name);
  if (!takes(layout, "image")) return;
  const double step = pixels_per_token(layout, request_of(fields));
  const auto snapped = [step](double side) {
    return std::clamp(std::round(side / step), 1.0, std::floor(8192 / step)) * step;
  };
  fields.size_by = SizeBy::pixels;
  fields.width = std::max(16.0, snapped(static_cast<double>(size.columns)));
  fields.height = std::max(16.0, snapped(static_cast<double>(size.rows)));
  fields.zooms.reset();
}

void declare_layout_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.layout, controls_of(experiment.layout, true));
}

void react_layout(Experiment& experiment, const FigureEvent& event) {
  if (!event.clicks("layout")) return;
  LayoutFields& fields = experiment.layout;
  try {
    const TokenLayout layout = arrange(find_layout(fields.name), request_of(fields));
    if (const auto token = main_seen(fields, layout).token_at(event.x, event.y)) click_token(fields, *token);
  } catch (const InputError&) {
    // In this case there are no patches.
  }
}

bool open_layout(Experiment& experiment, const std::string& path) {
  if (!is_ending_among(lower_ending(path), kPictureEndings)) return open_layout_config(experiment, path);
  // The picture itself is decoded on a worker thread when it is drawn.
  const PhotographSize size = read_photograph_size(path);
  experiment.layout.picture = path;
  take_size(experiment.layout, size);
  return true;
}

std::vector<FileStamp> layout_files(const Experiment& experiment) {
  if (experiment.layout.picture.empty()) return {};
  return {stamp_of(experiment.layout.picture)};
}

}  // namespace

constinit const View kLayoutView{.id = "layout",
                                 .group = "images",
                                 .declare_fields = declare_layout_fields,
                                 .figures = layout_figures,
                                 .empty = no_tokens,
                                 .react = react_layout,
                                 .open = open_layout,
                                 .opens = kPictureEndings,
                                 .compares_ropes = false,
                                 .subject = layout_subject,
                                 .files = layout_files,
                                 .shows_layout = uses_layout,
                                 .take_config = fill_layout,
                                 .check = check_layout};

}  // namespace ropescope
