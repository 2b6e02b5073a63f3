#include "app/views/check/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "core/check/compare/tolerances.h"
#include "core/check/phrases.h"
#include "core/error.h"

namespace ropescope {

namespace {

std::vector<std::string> axis_labels(const CheckShown& shown) {
  std::vector<std::string> names;
  for (const LayoutAxis& axis : shown.outcome->reference.tokens.axes) names.push_back(axis_word(axis.name, shown.text));
  return names;
}

Range margin_range(double worst) {
  constexpr double kLeastReach = 4;  // a table that agrees is calm
  const double reach = std::clamp(std::ceil(std::log10(std::max(worst, 1.0))), kLeastReach, 8.0);
  return {-reach, reach};
}

/// How the differences are coloured.
void colour_differences(Map& map, const CheckShown& shown) {
  const CheckDifferenceMap& of = *shown.map;
  map.key = "difference";
  map.label = shown.text[of.by_tolerance ? "view.check.margin" : "view.check.difference"];
  map.colours = of.by_tolerance ? MapColours::signed_value : MapColours::magnitude;
  map.range = of.by_tolerance ? margin_range(of.worst) : Range{0, of.worst > 0 ? of.worst : 1};
}

void colour_values(Map& map, const CheckShown& shown) {
  const Range& of = shown.values->range;
  map.key = shown.reference_side() ? "reference" : "mine";
  if (shown.of_ids()) {
    map.label = shown.text["view.check.id"];
    map.colours = MapColours::magnitude;
    map.range = of;
    return;
  }
  map.label = shown.text["view.check.cosine"];
  map.colours = MapColours::signed_value;
  const double reach = std::max({std::abs(of.low), std::abs(of.high), 1.0});
  map.range = {-reach, reach};
}

const CheckCells& shown_cells(const CheckShown& shown) {
  if (!shown.values) return shown.map->cells;
  return shown.reference_side() ? shown.values->reference : shown.values->mine;
}

/// Exact numbers of the token under the mouse; the last one looked at is kept.
class RowReader {
 public:
  RowReader(std::shared_ptr<const CheckOutcome> outcome, std::string applied)
      : outcome_(std::move(outcome)), applied_(std::move(applied)) {}

  /// False: there is no such number.
  bool look_at(std::int64_t row) {
    if (row == row_) return !differences_.values.empty();
    row_ = row;
    differences_ = {};
    try {
      if (!sides_) {
        sides_ = std::make_unique<const CheckSides>(outcome_->reference, outcome_->inputs, outcome_->applied(applied_));
      }
      values_ = sides_->values(row, 1);
      differences_ = sides_->differences(row, 1);
    } catch (const InputError&) {
      // The file has changed under the mouse; it will be read again.
    }
    return !differences_.values.empty();
  }
  const CheckDifferences& differences() const { return differences_; }
  const CheckValues& values() const { return values_; }
  const CheckOutcome& outcome() const { return *outcome_; }

 private:
  std::shared_ptr<const CheckOutcome> outcome_;
  std::string applied_;
  std::unique_ptr<const CheckSides> sides_;
  std::int64_t row_ = -1;
  CheckDifferences differences_;
  CheckValues values_;
};

/// Row of the reference for a row of the tensors; none where only the tensors have it.
std::optional<std::int64_t> reference_row_of(const CheckOutcome& outcome, std::int64_t row) {
  if (!outcome.reference.layout) return std::nullopt;
  for (const auto& [first, count] : rows_of_part(outcome.reference.tokens, outcome.inputs.part).stretches) {
    if (row < count) return first + row;
    row -= count;
  }
  return std::nullopt;
}

/// "image, row 3, column 5"; of a text its place in it.
std::string place_words(const CheckOutcome& outcome, std::int64_t row, const Text& text) {
  const auto at = reference_row_of(outcome, row);
  if (!at) return {};
  const TokenLayout& tokens = outcome.reference.tokens;
  const TokenPlace place = place_of(tokens, *at);
  const TokenBlock& block = tokens.blocks[place.block];
  if (block.rows == 1 && block.frames == 1) {
    return text.format("view.check.place_line",
                       {{"part", text.say(part_words(block.part))}, {"number", counted(place.column)}});
  }
  return text.format(block.frames > 1 ? "view.check.place_in_frame" : "view.check.place",
                     {{"part", text.say(part_words(block.part))},
                      {"frame", counted(place.frame + 1)},
                      {"row", counted(place.row)},
                      {"column", counted(place.column)}});
}

PlaceWords words_at_check(RowReader& reader, std::int64_t row, std::int64_t pair, const Text& text) {
  PlaceWords words;
  const auto add = [&](const char* key, const std::string& value) { words.rows.emplace_back(text[key], value); };
  words.head = text.format("view.check.at", {{"token", counted(row)}, {"pair", counted(pair)}});
  const std::string place = place_words(reader.outcome(), row, text);
  if (!place.empty()) add("view.check.card.place", place);
  if (!reader.look_at(row) || pair >= reader.differences().columns) return words;
  const auto at = static_cast<std::size_t>(pair);
  if (at < reader.values().mine.size()) {
    add("view.check.mine", readable_number(static_cast<double>(reader.values().mine[at]), 6, true));
    add("view.check.reference", readable_number(static_cast<double>(reader.values().reference[at]), 6, true));
  }
  add("view.check.card.difference", readable_number(static_cast<double>(reader.differences().values[at]), 3));
  add("view.check.card.tolerance", tolerance_words(static_cast<double>(reader.differences().tolerance[at]), 3, text));
  return words;
}

std::string image_title(const CheckShown& shown) {
  if (!shown.values) return shown.text["view.check.image_title"];
  const std::string pair = shown.of_ids()
                               ? axis_labels(shown)[static_cast<std::size_t>(shown.pair())]
                               : shown.text.format("view.check.pair_number", {{"pair", counted(shown.values->pair)}});
  return shown.text.format(shown.reference_side() ? "view.check.image_reference" : "view.check.image_mine",
                           {{"pair", pair}});
}

/// One of the frames that are seen.
Map frame_map(const CheckShown& shown, std::size_t tile) {
  const CheckImage& image = *shown.map->image;
  Map map;
  if (shown.values) {
    colour_values(map, shown);
  } else {
    colour_differences(map, shown);
  }
  if (image.tiles.several()) {
    map.key += "_frame" + std::to_string(image.tiles.frames[tile].frame + 1);
    map.bar = tile == 0;
  }
  map.cells = shown_cells(shown).frames[tile];
  reach_cells(map, image.tiles.place(tile));
  map.words = [outcome = shown.outcome, text = &shown.text, image](double x, double y) {
    PlaceWords words;
    const auto token = image.tiles.token_at(x, y);
    if (!token) return words;
    const std::int64_t row = image.first_row + *token;
    words.head = place_words(*outcome, row, *text);
    words.rows.emplace_back((*text)["view.check.card.token"], counted(row).shown);
    return words;
  };
  return map;
}

/// The cell's place must not fall beside the last row or pair.
std::optional<std::int64_t> index_at(double at, std::int64_t count) {
  const double nearest = std::round(at);
  if (!(nearest >= 0 && nearest < static_cast<double>(count))) return std::nullopt;
  return static_cast<std::int64_t>(nearest);
}

}  // namespace

std::int64_t CheckShown::token() const {
  if (knobs.token < 1) return map->worst_row;
  return std::min(static_cast<std::int64_t>(knobs.token) - 1, map->rows - 1);
}

std::int64_t CheckShown::pair() const {
  if (knobs.pair < 1) return map->worst_pair;
  return std::min(static_cast<std::int64_t>(knobs.pair) - 1, map->pairs - 1);
}

std::string tolerance_words(double tolerance, int digits, const Text& text) {
  return asks_for_equality(tolerance) ? text["view.check.no_tolerance"] : readable_number(tolerance, digits);
}

FigureAxis check_token_axis(const CheckShown& shown) {
  // A rope's rows are its positions, unless others were named.
  const bool positions = shown.outcome->reference.rope && !shown.outcome->reference.positions;
  return cell_axis(named_axis("check", positions ? "position" : "token", shown.text, AxisScale::linear, "token"),
                   cell_range(shown.map->rows), shown.knobs.token_range);
}

FigureAxis check_pair_axis(const CheckShown& shown) {
  FigureAxis axis =
      cell_axis(named_axis("check", "pair", shown.text), cell_range(shown.map->pairs), shown.knobs.pair_range);
  if (!shown.of_ids()) return axis;
  axis.label = shown.text["view.check.axis"];
  axis.names = axis_labels(shown);
  return axis;
}

std::string with_cause(const std::string& title, const std::string& applied, const Text& text) {
  if (applied.empty()) return title;
  return text.format("view.check.with", {{"title", title}, {"cause", cause_words(applied, text)}});
}

void mark_token(Figure& figure, const CheckShown& shown) {
  add_rule(figure, static_cast<double>(shown.token()), {}, Role::text);
}

Figure check_map_figure(const CheckShown& shown) {
  Figure figure;
  figure.name = "map";
  figure.x = check_token_axis(shown);
  figure.y = check_pair_axis(shown);
  figure.y.reversed = true;
  Map map;
  if (shown.values) {
    figure.title = shown.text[shown.reference_side() ? "view.check.title_reference" : "view.check.title_mine"];
    if (shown.reference_side()) figure.title = with_cause(figure.title, shown.applied, shown.text);
    colour_values(map, shown);
  } else {
    const std::string which = shown.text["view.check.which." + shown.map->which];
    figure.title = with_cause(shown.text.format("view.check.title", {{"which", which}}), shown.applied, shown.text);
    colour_differences(map, shown);
  }
  map.cells = shown_cells(shown).map;
  reach_cells(map);
  const auto reader = std::make_shared<RowReader>(shown.outcome, shown.applied);
  map.words = [reader, text = &shown.text, rows = shown.map->rows, pairs = shown.map->pairs](double x, double y) {
    const auto row = index_at(x, rows), pair = index_at(y, pairs);
    return row && pair ? words_at_check(*reader, *row, *pair, *text) : PlaceWords{};
  };
  figure.maps.push_back(std::move(map));
  mark_token(figure, shown);
  return figure;
}

Figure check_image_figure(const CheckShown& shown) {
  const CheckImage& image = *shown.map->image;
  const FrameTiles& tiles = image.tiles;
  Figure figure;
  figure.name = "image";
  set_patch_axes(figure, "check", shown.outcome->reference.tokens, tiles.frames.front(), shown.text);
  fit_tiles(figure, tiles);
  figure.x = data_axis(figure.x, figure.x.fit, shown.knobs.column_range);
  figure.y = data_axis(figure.y, figure.y.fit, shown.knobs.row_range);
  // A strip would be a line, with its panel empty beside it.
  constexpr double kStrip = 8;
  figure.equal_axes = std::max(tiles.width(), tiles.height()) <= kStrip * std::min(tiles.width(), tiles.height());
  figure.title = with_frames(image_title(shown), tiles, shown.text);
  const std::int64_t picked = shown.token() - image.first_row;
  add_captions(figure, tiles, picked, shown.text);
  for (std::size_t i = 0; i < tiles.frames.size(); ++i) figure.maps.push_back(frame_map(shown, i));
  if (const auto tile = tiles.tile_of(picked)) {
    const SeenBlock& frame = tiles.frames[*tile];
    const CellPlace at = tiles.place(*tile);
    const double column = at.x + static_cast<double>(frame.column_of(picked));
    const double row = at.y + static_cast<double>(frame.row_of(picked));
    Box box;
    box.x = {column - 0.5, column + 0.5};
    box.y = {row - 0.5, row + 0.5};
    box.role = Role::text;
    figure.boxes.push_back(box);
  }
  return figure;
}

}  // namespace ropescope
