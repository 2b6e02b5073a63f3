// Maps of differences and values, profiles and curves of the view Check.
//
// Contents: Maps; Figures; Curves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/check/report.h"
#include "app/views/check/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/compare/sides.h"
#include "core/check/phrases.h"
#include "core/message.h"

namespace ropescope {

// --- Maps ----------------------------------------------------------------------------------------------------------

namespace {

/// Returns log₁₀ (tolerance ÷ |difference|), at most kMaxMargin; `ratio` is difference ÷ tolerance.
double margin_of(double ratio) {
  constexpr double kMinMargin = -30;
  return ratio > 0 ? std::clamp(-std::log10(ratio), kMinMargin, kMaxMargin) : kMaxMargin;
}

constexpr double kNoCheckValue = std::numeric_limits<double>::quiet_NaN();

std::int64_t cells_for(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step;
}

/// The cells of the rows and of the image patches.
struct Grid {
  std::int64_t rows = 0, pairs = 0, step = 1;
  std::optional<CheckImage> image;
  std::int64_t image_step_x = 1, image_step_y = 1;

  Grid(const CheckExtent& extent, const std::optional<CheckImage>& of)
      : rows(extent.rows), pairs(extent.columns), step(items_per_cell(extent.rows)), image(of) {
    if (!image) return;
    image_step_x = items_per_cell(frame().columns);
    image_step_y = items_per_cell(frame().rows);
  }
  std::int64_t columns() const { return cells_for(rows, step); }
  std::size_t cell(std::int64_t row, std::int64_t pair) const {
    return static_cast<std::size_t>(pair * columns() + row / step);
  }
  const SeenBlock& frame() const { return image->tiles.frames.front(); }
  std::int64_t image_columns() const { return image ? cells_for(frame().columns, image_step_x) : 0; }
  std::int64_t image_rows() const { return image ? cells_for(frame().rows, image_step_y) : 0; }
  std::int64_t frame_cells() const { return image_columns() * image_rows(); }
  /// Returns the frame of a row, among all frames, visible or not; nullopt for rows that are not patches.
  std::optional<std::size_t> frame_of(std::int64_t row) const {
    if (!image || row < image->first_row) return std::nullopt;
    const std::int64_t index = (row - image->first_row) / image->frame_size();
    return index < image->tiles.all ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
  }
  /// Returns the cell of a row, with frames concatenated; nullopt unless the row is a patch of a visible frame.
  std::optional<std::size_t> image_cell(std::int64_t row) const {
    const auto tile = frame_of(row) ? image->tiles.tile_of(row - image->first_row) : std::nullopt;
    if (!tile) return std::nullopt;
    const std::int64_t patch = (row - image->first_row) % image->frame_size();
    const std::int64_t x = patch % frame().columns / image_step_x, y = patch / frame().columns / image_step_y;
    return static_cast<std::size_t>(static_cast<std::int64_t>(*tile) * frame_cells() + y * image_columns() + x);
  }
  std::size_t map_size() const { return static_cast<std::size_t>(columns() * pairs); }
  std::size_t image_size() const {
    return image ? image->tiles.frames.size() * static_cast<std::size_t>(frame_cells()) : 0;
  }
  /// Returns the cells. `by` names the reduction of the rows that share one, see MapReduction.
  CheckCells cells(std::vector<float> map, const std::vector<float>& of_image, const char* by) const {
    CheckCells made;
    MapCells all = cells_over(rows, 1, by);
    all.rows = all.reduction.rows = static_cast<std::size_t>(pairs);  // one pair per cell
    all.values = std::move(map);
    made.map = std::make_shared<const MapCells>(std::move(all));
    if (!image) return made;
    for (std::size_t i = 0; i < image->tiles.frames.size(); ++i) {
      MapCells patches = cells_over(frame().columns, frame().rows, by);
      const auto from = of_image.begin() + static_cast<std::ptrdiff_t>(i) * frame_cells();
      patches.values.assign(from, from + frame_cells());
      made.frames.push_back(std::make_shared<const MapCells>(std::move(patches)));
    }
    return made;
  }
};

/// The worst difference along an axis, and its tolerance.
struct WorstByCell {
  std::vector<double> value, tolerance;
  explicit WorstByCell(std::int64_t count) : value(static_cast<std::size_t>(count), -1), tolerance(value.size(), 0) {}
  void add(std::size_t at, double found, double allowed) {
    if (!(found > value[at])) return;
    value[at] = found;
    tolerance[at] = allowed;
  }
};

/// The worst differences collected so far.
struct Collected {
  const Grid& grid;
  bool by_tolerance;
  std::vector<float> map, image;
  WorstByCell tokens, pairs, frames;
  double worst = -1;
  std::int64_t worst_row = 0, worst_pair = 0;

  Collected(const Grid& of, bool ratio)
      : grid(of),
        by_tolerance(ratio),
        map(of.map_size(), 0),
        image(of.image_size(), 0),
        tokens(of.columns()),
        pairs(of.pairs),
        frames(of.image ? of.image->tiles.all : 0) {}

  void add(const CheckDifferences& found) {
    const std::int64_t rows = std::min(found.rows, grid.rows - found.first);
    const std::int64_t count = std::min(found.columns, grid.pairs);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = found.first + i;
      const auto column = static_cast<std::size_t>(row / grid.step);
      const auto frame = grid.frame_of(row);
      float largest = 0;
      for (std::int64_t pair = 0; pair < count; ++pair) {
        const auto at = static_cast<std::size_t>(i * found.columns + pair);
        const auto difference = static_cast<double>(found.values[at]);
        const auto allowed = static_cast<double>(found.tolerance[at]);
        const double value = by_tolerance ? ratio_of(difference, allowed) : difference;
        const auto cell = static_cast<float>(value);
        float& shown = map[grid.cell(row, pair)];
        shown = std::max(shown, cell);
        largest = std::max(largest, cell);
        tokens.add(column, value, allowed);
        pairs.add(static_cast<std::size_t>(pair), value, allowed);
        if (frame) frames.add(*frame, value, allowed);
        if (value > worst) worst = value, worst_row = row, worst_pair = pair;
      }
      if (const auto patch = grid.image_cell(row)) image[*patch] = std::max(image[*patch], largest);
    }
  }
  static double ratio_of(double difference, double allowed) {
    if (!(difference > allowed)) return allowed > 0 ? difference / allowed : 0;
    // Where 0 is expected the tolerance is nearly 0, and the ratio to it would dominate all others.
    constexpr double kTelling = 1e-8, kBeyond = 1.01;
    return std::max(difference / std::max(allowed, kTelling), kBeyond);
  }
  void finish() {
    if (!by_tolerance) return;
    for (float& cell : map) cell = static_cast<float>(margin_of(static_cast<double>(cell)));
    for (float& cell : image) cell = static_cast<float>(margin_of(static_cast<double>(cell)));
  }
};

/// Returns a series for a logarithmic axis, which cannot show 0: the smallest values are at 1/1000 of the tolerance.
std::shared_ptr<const Series> drawn(double first, double step, std::vector<double> values, bool ratio) {
  constexpr double kMin = 1e-3, kLargest = 1e30;
  for (double& value : values) {
    if (ratio) value = std::clamp(value, kMin, kLargest);
  }
  return make_series(first, step, std::move(values));
}

/// Computes means from sums; single numbers are unchanged.
struct Mean {
  std::vector<double> sums;
  std::vector<float> counts;
  explicit Mean(std::size_t size) : sums(size, 0), counts(size, 0) {}
  void add(std::size_t at, double value) {
    if (std::isnan(value)) return;
    sums[at] += value;
    counts[at] += 1;
  }
  std::vector<float> cells() const {
    std::vector<float> means;
    means.reserve(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      means.push_back(static_cast<float>(counts[i] > 0 ? sums[i] / static_cast<double>(counts[i]) : kNoCheckValue));
    }
    return means;
  }
};

struct CollectedValues {
  const Grid& grid;
  std::int64_t pair;
  Mean mine, reference, image_mine, image_reference;
  Range range{0, 0};

  CollectedValues(const Grid& of, std::int64_t seen_pair)
      : grid(of),
        pair(seen_pair),
        mine(of.map_size()),
        reference(of.map_size()),
        image_mine(of.image_size()),
        image_reference(of.image_size()) {}

  void add(const CheckValues& found) {
    const std::int64_t rows = std::min(found.rows, grid.rows - found.first);
    const std::int64_t count = std::min(found.columns, grid.pairs);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = found.first + i;
      const auto patch = grid.image_cell(row);
      for (std::int64_t p = 0; p < count; ++p) {
        const auto at = static_cast<std::size_t>(i * found.columns + p);
        const auto own = static_cast<double>(found.mine[at]), other = static_cast<double>(found.reference[at]);
        mine.add(grid.cell(row, p), own);
        reference.add(grid.cell(row, p), other);
        for (const double value : {own, other}) include(range, value);
        if (!patch || p != pair) continue;
        image_mine.add(*patch, own);
        image_reference.add(*patch, other);
      }
    }
  }
};

// --- Figures -------------------------------------------------------------------------------------------------------

std::vector<std::string> axis_labels(const CheckShown& shown) {
  std::vector<std::string> names;
  for (const LayoutAxis& axis : shown.outcome->reference.tokens.axes) names.push_back(axis_word(axis.name, shown.text));
  return names;
}

Range margin_range(double worst) {
  constexpr double kMinReach = 4;  // keeps a matching table pale
  const double reach = std::clamp(std::ceil(std::log10(std::max(worst, 1.0))), kMinReach, 8.0);
  return {-reach, reach};
}

/// Sets the colours of the differences.
void colour_differences(Map& map, const CheckShown& shown) {
  const CheckDifferenceMap& of = *shown.map;
  map.key = "difference";
  map.label = shown.text[of.input.by_tolerance ? "view.check.margin" : "view.check.difference"];
  map.colours = of.input.by_tolerance ? MapColours::signed_value : MapColours::magnitude;
  map.range = of.input.by_tolerance ? margin_range(of.worst) : Range{0, of.worst > 0 ? of.worst : 1};
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

/// Reads the exact numbers of the token under the mouse, and caches the last one.
class RowReader {
 public:
  RowReader(std::shared_ptr<const CheckOutcome> outcome, std::string applied)
      : outcome_(std::move(outcome)), applied_(std::move(applied)) {}

  /// Returns false if there is no such number.
  bool look_at(std::int64_t row) {
    if (row == row_) return !differences_.values.empty();
    row_ = row;
    differences_ = {};
    try {
      if (!sides_) {
        sides_ =
            std::make_unique<const ComparedValues>(outcome_->reference, outcome_->inputs, outcome_->applied(applied_));
      }
      values_ = sides_->values(row, 1);
      differences_ = sides_->differences(row, 1);
    } catch (const InputError&) {
      // The file has changed meanwhile; it will be read again.
    }
    return !differences_.values.empty();
  }
  const CheckDifferences& differences() const { return differences_; }
  const CheckValues& values() const { return values_; }
  const CheckOutcome& outcome() const { return *outcome_; }

 private:
  std::shared_ptr<const CheckOutcome> outcome_;
  std::string applied_;
  std::unique_ptr<const ComparedValues> sides_;
  std::int64_t row_ = -1;
  CheckDifferences differences_;
  CheckValues values_;
};

/// Returns the row of the reference for a row of the tensors; nullopt if only the tensors have it.
std::optional<std::int64_t> reference_row_of(const CheckOutcome& outcome, std::int64_t row) {
  if (!outcome.reference.layout) return std::nullopt;
  for (const auto& [first, count] : find_part_rows(outcome.reference.tokens, outcome.inputs.part).stretches) {
    if (row < count) return first + row;
    row -= count;
  }
  return std::nullopt;
}

/// Returns "image, row 3, column 5"; for a text, the place in it.
std::string place_words(const CheckOutcome& outcome, std::int64_t row, const Text& text) {
  const auto at = reference_row_of(outcome, row);
  if (!at) return {};
  const TokenLayout& tokens = outcome.reference.tokens;
  const TokenPlace place = place_of(tokens, *at);
  const TokenBlock& block = tokens.blocks[place.block];
  if (block.rows == 1 && block.frames == 1) {
    return text.format("view.check.place_line",
                       {{"part", text.render(part_words(block.part))}, {"number", counted(place.column)}});
  }
  return text.format(block.frames > 1 ? "view.check.place_in_frame" : "view.check.place",
                     {{"part", text.render(part_words(block.part))},
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

/// Draws one of the visible frames.
Map frame_map(const CheckShown& shown, std::size_t tile) {
  const CheckImage& image = *shown.map->input.image;
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

/// Returns the index at a place; nullopt outside the rows or pairs.
std::optional<std::int64_t> index_at(double at, std::int64_t count) {
  const double nearest = std::round(at);
  if (!(nearest >= 0 && nearest < static_cast<double>(count))) return std::nullopt;
  return static_cast<std::int64_t>(nearest);
}

FigureAxis check_token_axis(const CheckShown& shown) {
  // A rope's rows are its positions, unless positions were set.
  const bool positions = shown.outcome->reference.rope && !shown.outcome->reference.positions;
  return cell_axis(named_axis("check", positions ? "position" : "token", shown.text, AxisScale::linear, "token"),
                   cell_range(shown.map->rows), shown.fields.zooms);
}

/// Returns the axis over pairs, or over the axes of ids.
FigureAxis check_pair_axis(const CheckShown& shown) {
  FigureAxis axis =
      cell_axis(named_axis("check", "pair", shown.text), cell_range(shown.map->pairs), shown.fields.zooms);
  if (!shown.of_ids()) return axis;
  axis.label = shown.text["view.check.axis"];
  axis.names = axis_labels(shown);
  return axis;
}

/// Returns the title, with "…, Wrong base applied" if a cause is applied.
std::string add_applied_cause(const std::string& title, const std::string& applied, const Text& text) {
  if (applied.empty()) return title;
  return text.format("view.check.with", {{"title", title}, {"cause", cause_words(applied, text)}});
}

/// A named range of an axis: the rows of a part, or the pairs of an axis.
struct NamedStretch {
  std::string name;
  std::int64_t first = 0, count = 0;
};

void extend(std::vector<NamedStretch>& stretches, const std::string& name, std::int64_t at, std::int64_t count = 1) {
  NamedStretch* last = stretches.empty() ? nullptr : &stretches.back();
  if (last != nullptr && last->name == name && last->first + last->count == at) {
    last->count += count;
  } else {
    stretches.push_back({name, at, count});
  }
}

/// Returns the tensor rows by part of the sequence; empty if there is only one part.
std::vector<NamedStretch> parts_of_rows(const CheckShown& shown) {
  std::vector<NamedStretch> parts;
  const CheckReference& reference = shown.outcome->reference;
  if (!reference.layout) return parts;
  std::int64_t row = 0;
  for (const auto& [first, count] : find_part_rows(reference.tokens, shown.outcome->inputs.part).stretches) {
    for (const TokenBlock& block : reference.tokens.blocks) {
      const std::int64_t begin = std::max(first, block.first_row);
      const std::int64_t end = std::min(first + count, block.first_row + block.count());
      if (begin < end) extend(parts, shown.text.render(part_words(block.part)), row + begin - first, end - begin);
    }
    row += count;
  }
  if (parts.size() < 2) parts.clear();
  return parts;
}

/// Returns the pairs by their axis; empty if axes are interleaved or there is only one.
std::vector<NamedStretch> find_pair_axes(const CheckShown& shown) {
  constexpr std::size_t kMax = 8;
  std::vector<NamedStretch> axes;
  const TokenLayout& tokens = shown.outcome->reference.tokens;
  if (shown.of_ids() || tokens.axes.size() < 2) return axes;
  for (Eigen::Index pair = 0; pair < std::min<Eigen::Index>(tokens.pair_count(), shown.map->pairs); ++pair) {
    const auto turning = (tokens.frequencies.col(pair).array() != 0).count();
    Eigen::Index axis = 0;
    tokens.frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    extend(axes, turning == 1 ? axis_word(tokens.axes[static_cast<std::size_t>(axis)].name, shown.text) : "", pair);
  }
  if (axes.size() < 2 || axes.size() > kMax) axes.clear();
  return axes;
}

/// Tints every second named range of the x axis as a background for the curves.
void mark_stretches(Figure& figure, const std::vector<NamedStretch>& stretches) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto first = static_cast<double>(stretches[i].first), count = static_cast<double>(stretches[i].count);
    figure.spans.push_back({.vertical = true,
                            .low = first - 0.5,
                            .high = first + count - 0.5,
                            .style = {0, true},
                            .role = i % 2 == 0 ? Role::secondary : Role::line,
                            .label = stretches[i].name});
  }
}

/// Adds lines between the parts and the axes of a map, and their names at its upper and right edges.
void mark_map(Figure& figure, const CheckShown& shown) {
  const double right = static_cast<double>(shown.map->rows) - 0.5, top = -0.5;
  for (const NamedStretch& part : parts_of_rows(shown)) {
    const auto first = static_cast<double>(part.first), count = static_cast<double>(part.count);
    if (part.first > 0) figure.rules.push_back({true, first - 0.5, {}, false, Role::text, {}});
    figure.labels.push_back({first + (count - 1) / 2, top, part.name, Role::text, {}, 0.5, -0.15, 0.9, true});
  }
  for (const NamedStretch& axis : find_pair_axes(shown)) {
    const auto first = static_cast<double>(axis.first), count = static_cast<double>(axis.count);
    if (axis.first > 0) figure.rules.push_back({false, first - 0.5, {}, false, Role::text, {}});
    figure.labels.push_back({right, first + (count - 1) / 2, axis.name, Role::text, {}, 1.15, 0.5, 0.9, true});
  }
}

void mark_token(Figure& figure, const CheckShown& shown) {
  add_rule(figure, static_cast<double>(shown.token()), {}, Role::text);
}

// --- Curves --------------------------------------------------------------------------------------------------------

/// The colours of both sides, in all figures that show both.
constexpr LineStyle kOwnSide{0, false}, kReference{1, false}, kBefore{0, true};

FigureAxis curves_error_axis(const CheckShown& shown, const Range& errors) {
  const bool ratio = shown.map->input.by_tolerance;
  const FigureAxis axis = named_axis("check", ratio ? "ratio" : "difference", shown.text,
                                     ratio ? AxisScale::log : AxisScale::linear, "error");
  const auto [least, most] = errors;
  return value_axis(axis, ratio ? Range{std::min(least / 1.6, 0.3), std::max(most * 1.6, 3.0)} : from_zero(most),
                    shown.fields.zooms);
}

/// Adds the differences, and those before a cause was applied, as lines; the tolerance is a rule or a line.
void add_errors(Figure& figure, const CheckShown& shown, std::shared_ptr<const Series> CheckDifferenceMap::*errors,
                std::shared_ptr<const Series> CheckDifferenceMap::*tolerances) {
  const Text& text = shown.text;
  const bool applied = shown.before != nullptr;
  const std::string label = applied ? text.format("view.check.applied", {{"cause", cause_words(shown.applied, text)}})
                                    : text["view.check.worst"];
  if (applied) {
    figure.lines.push_back({"before", text["view.check.as_it_is"], kBefore, (*shown.before).*errors});
  }
  // A single line is described by the title; otherwise a page would list it with the lines of both sides.
  const bool named = applied || !shown.map->input.by_tolerance;
  figure.lines.push_back({"difference", label, kOwnSide, (*shown.map).*errors, named});
  if (shown.map->input.by_tolerance) {
    add_level(figure, 1, text["view.check.tolerance"]);
  } else if (!shown.of_ids()) {
    figure.lines.push_back({"tolerance", text["view.check.tolerance"], {2, false}, (*shown.map).*tolerances});
  }
  figure.legend = figure.lines.size() > 1;
  figure.y = curves_error_axis(shown, widened({std::numeric_limits<double>::infinity(), 0}, figure.lines));
}

}  // namespace

bool CheckImage::operator==(const CheckImage& other) const {
  const auto same = [](const SeenBlock& a, const SeenBlock& b) { return a.block == b.block && a.frame == b.frame; };
  return first_row == other.first_row && std::equal(tiles.frames.begin(), tiles.frames.end(),
                                                    other.tiles.frames.begin(), other.tiles.frames.end(), same);
}

std::optional<CheckImage> image_of(const CheckOutcome& outcome, double frame, double token) {
  const CheckReference& reference = outcome.reference;
  if (!reference.layout) return std::nullopt;
  const TokenLayout& tokens = reference.tokens;
  const std::size_t index = main_block(tokens);
  const TokenBlock& block = tokens.blocks[index];
  if (!block.is_image()) return std::nullopt;
  CheckImage image;
  const std::int64_t first = block.first_row;
  std::int64_t before = 0;
  for (const auto& [from, count] : find_part_rows(tokens, outcome.inputs.part).stretches) {
    if (first >= from && first < from + count) {
      image.first_row = before + first - from;
      std::vector<int> wanted{static_cast<int>(frame) - 1};
      const double patch = token - 1 - static_cast<double>(image.first_row);
      if (patch >= 0) wanted.push_back(static_cast<int>(patch / (static_cast<double>(block.rows) * block.columns)));
      image.tiles = frame_tiles(tokens, index, shown_frames(block.frames, wanted));
      return image;
    }
    before += count;
  }
  return std::nullopt;
}

CheckDifferenceMap check_difference_map(const CheckedRows& of, const Work& work) {
  CheckDifferenceMap result;
  result.input = of;
  const ComparedValues sides(of.outcome->reference, of.outcome->inputs, of.outcome->applied(of.applied));
  const Grid grid(sides.extent(), of.image);
  result.which = sides.which();
  // An id is right or wrong: most of them must match exactly.
  result.input.by_tolerance &= !result.of_ids();
  Collected collected(grid, result.input.by_tolerance);
  const auto look = [&](const RowPiece& piece) {
    return [&collected, found = sides.differences(piece.first, piece.count)] { collected.add(found); };
  };
  if (!parallel_for_rows(grid.rows, check_options(work), [&] { return look; })) return result;
  of.outcome->check_unchanged();
  collected.finish();
  result.rows = grid.rows;
  result.pairs = grid.pairs;
  result.step = grid.step;
  result.cells = grid.cells(std::move(collected.map), collected.image, "worst");
  result.worst = collected.worst;
  result.worst_row = collected.worst_row;
  result.worst_pair = collected.worst_pair;
  const bool ratio = result.input.by_tolerance;
  const auto step = static_cast<double>(grid.step), middle = (step - 1) / 2;
  result.over_tokens = drawn(middle, step, std::move(collected.tokens.value), ratio);
  result.tolerance_over_tokens = drawn(middle, step, std::move(collected.tokens.tolerance), false);
  if (of.image && of.image->tiles.all > 1) {
    result.over_frames = drawn(1, 1, std::move(collected.frames.value), ratio);
    result.tolerance_over_frames = drawn(1, 1, std::move(collected.frames.tolerance), false);
  }
  result.over_pairs = drawn(0, 1, std::move(collected.pairs.value), ratio);
  result.tolerance_over_pairs = drawn(0, 1, std::move(collected.pairs.tolerance), false);
  return result;
}

CheckValueMap check_value_map(const CheckedRows& of, const Work& work) {
  CheckValueMap result;
  const ComparedValues sides(of.outcome->reference, of.outcome->inputs, of.outcome->applied(of.applied));
  const Grid grid(sides.extent(), of.image);
  CollectedValues collected(grid, of.pair);
  const auto look = [&](const RowPiece& piece) {
    return [&collected, found = sides.values(piece.first, piece.count)] { collected.add(found); };
  };
  if (!parallel_for_rows(grid.rows, check_options(work), [&] { return look; })) return result;
  of.outcome->check_unchanged();
  result.mine = grid.cells(collected.mine.cells(), collected.image_mine.cells(), "mean");
  result.reference = grid.cells(collected.reference.cells(), collected.image_reference.cells(), "mean");
  result.step = grid.step;
  result.pair = of.pair;
  result.range = collected.range;
  if (!(result.range.low < result.range.high)) result.range.high = result.range.low + 1;
  return result;
}

std::int64_t CheckShown::token() const {
  if (fields.token < 1) return map->worst_row;
  return std::min(static_cast<std::int64_t>(fields.token) - 1, map->rows - 1);
}

std::int64_t CheckShown::pair() const {
  if (fields.pair < 1) return map->worst_pair;
  return std::min(static_cast<std::int64_t>(fields.pair) - 1, map->pairs - 1);
}

Figure check_map_figure(const CheckShown& shown) {
  Figure figure = named_figure("map");
  figure.x = check_token_axis(shown);
  figure.y = check_pair_axis(shown);
  figure.y.reversed = true;
  Map map;
  if (shown.values) {
    figure.title = shown.text[shown.reference_side() ? "view.check.title_reference" : "view.check.title_mine"];
    if (shown.reference_side()) figure.title = add_applied_cause(figure.title, shown.applied, shown.text);
    colour_values(map, shown);
  } else {
    const std::string which = shown.text["view.check.which." + shown.map->which];
    figure.title =
        add_applied_cause(shown.text.format("view.check.title", {{"which", which}}), shown.applied, shown.text);
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
  mark_map(figure, shown);
  return figure;
}

Figure check_image_figure(const CheckShown& shown) {
  const CheckImage& image = *shown.map->input.image;
  const FrameTiles& tiles = image.tiles;
  Figure figure = named_figure("image");
  set_patch_axes(figure, "check", shown.outcome->reference.tokens, tiles.frames.front(), shown.text);
  fit_tiles(figure, tiles);
  figure.x = data_axis(figure.x, figure.x.fit, shown.fields.zooms);
  figure.y = data_axis(figure.y, figure.y.fit, shown.fields.zooms);
  // A narrower strip would look like a line, with an empty panel next to it.
  constexpr double kStrip = 8;
  figure.equal_axes = std::max(tiles.width(), tiles.height()) <= kStrip * std::min(tiles.width(), tiles.height());
  figure.title = add_frame_count(image_title(shown), tiles, shown.text);
  const std::int64_t picked = shown.token() - image.first_row;
  add_captions(figure, tiles, picked, shown.text);
  for (std::size_t i = 0; i < tiles.frames.size(); ++i) figure.maps.push_back(frame_map(shown, i));
  if (const auto tile = tiles.tile_of(picked)) {
    const SeenBlock& frame = tiles.frames[*tile];
    const CellPlace at = tiles.place(*tile);
    const double column = at.x + static_cast<double>(frame.column_of(picked));
    const double row = at.y + static_cast<double>(frame.row_of(picked));
    figure.boxes.push_back({around(column, 0.5), around(row, 0.5), {}, Role::text});
  }
  return figure;
}

std::size_t count_bytes(const CheckValues& values) {
  return bytes_in(values.mine, values.reference);
}

CheckValues check_row(const CheckedRow& of, const Work&) {
  return ComparedValues(of.outcome->reference, of.outcome->inputs, of.outcome->applied(of.applied)).values(of.row, 1);
}

Figure check_profile_figure(const CheckShown& shown) {
  Figure figure = named_figure("profile", shown.text["view.check.profile_title"]);
  figure.x = check_token_axis(shown);
  add_errors(figure, shown, &CheckDifferenceMap::over_tokens, &CheckDifferenceMap::tolerance_over_tokens);
  mark_stretches(figure, parts_of_rows(shown));
  mark_token(figure, shown);
  return figure;
}

Figure check_frames_figure(const CheckShown& shown) {
  Figure figure = named_figure("over_frames", shown.text["view.check.frames_title"]);
  figure.x = named_axis("check", "frame", shown.text);
  figure.x.label = shown.text["view.similarity.frame"];
  figure.x = fixed_axis(figure.x, {1, static_cast<double>(shown.map->input.image->tiles.all)});
  figure.x.whole = true;
  add_errors(figure, shown, &CheckDifferenceMap::over_frames, &CheckDifferenceMap::tolerance_over_frames);
  const CheckImage& image = *shown.map->input.image;
  const std::int64_t picked = shown.token() - image.first_row;
  if (picked < 0 || picked >= image.frame_size() * image.tiles.all) return figure;
  const std::int64_t frame = picked / image.frame_size() + 1;
  add_rule(figure, static_cast<double>(frame), shown.text.format("view.layout.frame_name", {{"frame", counted(frame)}}),
           Role::text);
  return figure;
}

Figure check_pairs_figure(const CheckShown& shown) {
  Figure figure =
      named_figure("pairs", shown.text[shown.of_ids() ? "view.check.axes_title" : "view.check.pairs_title"]);
  figure.x = check_pair_axis(shown);
  add_errors(figure, shown, &CheckDifferenceMap::over_pairs, &CheckDifferenceMap::tolerance_over_pairs);
  mark_stretches(figure, find_pair_axes(shown));
  return figure;
}

Figure check_row_figure(const CheckShown& shown) {
  const Text& text = shown.text;
  Figure figure = named_figure("row");
  // No legend, because it would cover the lines: the title describes the dashes, the axis the quantity.
  figure.title = text["view.check.row_title"];
  figure.x = check_pair_axis(shown);
  figure.x.label = text.format(shown.of_ids() ? "view.check.axis_of" : "view.check.pair_of",
                               {{"token", readable_integer(static_cast<double>(shown.token()))}});
  figure.y = named_axis("check", "value", text);
  figure.y.label = text[shown.of_ids() ? "view.check.id" : "view.check.cosine"];
  if (!shown.row.fault.empty()) figure.empty_message = text.render(shown.row.fault);
  if (!shown.row.result) return figure;
  const CheckValues& values = *shown.row.result;
  const auto line = [&](const char* key, const LineStyle& style, const std::vector<float>& of) {
    figure.lines.push_back({key, text[std::string("view.check.") + key], style, series_of(of)});
  };
  line("reference", kReference, values.reference);
  line("mine", kOwnSide, values.mine);
  figure.y = value_axis(figure.y, add_margin(widened({-1, 1}, figure.lines), 0.06), shown.fields.zooms);
  figure.zero_line = true;
  return figure;
}

Figure check_frequencies_figure(const CheckOutcome& outcome, const std::string& applied, const CheckFields& fields,
                                const Text& text) {
  const CheckFrequencies found =
      ComparedValues(outcome.reference, outcome.inputs, outcome.applied(applied)).frequencies();
  Figure figure = named_figure("frequencies", add_applied_cause(text["view.check.frequencies_title"], applied, text));
  figure.x = cell_axis(named_axis("check", "pair", text),
                       cell_range(std::max(found.mine.size(), found.reference.size())), fields.zooms);
  const auto line = [&](const char* key, const LineStyle& style, const std::vector<double>& of) {
    std::vector<double> sizes;
    for (const double value : of) {
      // A static pair has no position on a logarithmic axis.
      sizes.push_back(value == 0 ? std::numeric_limits<double>::quiet_NaN() : std::abs(value));
    }
    figure.lines.push_back(
        {key, text[std::string("view.check.") + key], style, make_series(0, 1, std::move(sizes)), true});
  };
  line("reference", kReference, found.reference);
  line("mine", kOwnSide, found.mine);
  figure.legend = true;
  const auto [least, most] = widened({std::numeric_limits<double>::infinity(), 0}, figure.lines);
  figure.y = value_axis(named_axis("check", "frequency", text, AxisScale::log, "value"),
                        most > 0 ? Range{least / 1.5, most * 1.5} : Range{0.1, 1}, fields.zooms);
  return figure;
}

}  // namespace ropescope
