// The view Atlas: the values of an encoding, their map, statistics of each column, figures and cards.
//
// Contents: Computed; Cards; Column; Figures; View.

#include "app/views/atlas.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/parallel.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuarterTurn = std::numbers::pi / 2;
/// Rows that are computed in full before they are reduced to cells.
constexpr std::int64_t kBlock = 256;

/// Computes the mean within each cell for a block of rows.
RowMatrix<float> means(const RowMatrix<float>& block, std::int64_t rows, std::int64_t columns) {
  RowMatrix<float> cells((block.rows() + rows - 1) / rows, (block.cols() + columns - 1) / columns);
  for (Eigen::Index row = 0; row < cells.rows(); ++row) {
    const std::int64_t top = row * rows, height = std::min(rows, block.rows() - top);
    Eigen::RowVectorXf sum = block.row(top);
    for (std::int64_t i = 1; i < height; ++i) sum += block.row(top + i);
    sum /= static_cast<float>(height);
    if (columns == 1) {
      cells.row(row) = sum;
      continue;
    }
    for (Eigen::Index column = 0; column < cells.cols(); ++column) {
      const std::int64_t left = column * columns, width = std::min(columns, block.cols() - left);
      cells(row, column) = sum.segment(left, width).mean();
    }
  }
  return cells;
}

/// Adds the unwrapped angle at the centre of each cell, row by row. A painter computes cosines and sines from them and
/// infers the rate of rotation from adjacent cells. sine_cosine has two columns per pair, with the cosine as sin(mθ +
/// π/2). Only positions share cells: a ladder has no more pairs than a map has columns. Returns false if cancelled.
bool add_unwrapped_angles(MapCells& cells, const Atlas& atlas, const Work& work) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  const std::int64_t rows = static_cast<std::int64_t>(cells.rows), pairs = frequencies.size();
  const std::size_t kinds = cells.kinds;
  cells.values.resize(cells.columns * cells.rows);
  std::atomic<std::int64_t> next = 0;
  run_on_threads(work.threads, [&] {
    for (std::int64_t row = next++; row < rows && !work.stopped(); row = next++) {
      const std::int64_t first = row * atlas.cell_positions;
      const std::int64_t last = std::min(first + atlas.cell_positions, atlas.positions) - 1;
      const double middle = static_cast<double>(first + last) / 2;
      float* out = cells.values.data() + static_cast<std::size_t>(row) * cells.columns;
      for (Eigen::Index pair = 0; pair < pairs; ++pair) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
          *out++ = static_cast<float>(middle * frequencies[pair] + static_cast<double>(kind) * kQuarterTurn);
        }
      }
    }
  });
  return !work.stopped();
}

/// Returns all cells, for a learned table block by block; null if cancelled.
std::shared_ptr<const MapCells> reduce_cells(const Atlas& atlas, const Work& work) {
  const bool learned = atlas.source.learned();
  const std::int64_t columns = learned || !atlas.apart() ? atlas.columns : atlas.source.frequencies.size();
  auto cells = std::make_shared<MapCells>(cells_over(columns, atlas.positions));
  if (!learned) {
    cells->kinds = columns > atlas.source.frequencies.size() ? 2 : 1;
    return add_unwrapped_angles(*cells, atlas, work) ? cells : nullptr;
  }
  const bool whole = atlas.cell_positions == 1 && atlas.cell_columns == 1;
  cells->values.reserve(cells->columns * cells->rows);
  const std::int64_t block = kBlock * atlas.cell_positions;
  for (std::int64_t first = 0; first < atlas.positions; first += block) {
    const std::int64_t count = std::min(block, atlas.positions - first);
    const RowMatrix<float> values = atlas.table->value_map("p", first, count, work);
    if (work.stopped()) return nullptr;
    if (whole) {
      cells->values.insert(cells->values.end(), values.data(), values.data() + values.size());
      continue;
    }
    const RowMatrix<float> reduced = means(values, atlas.cell_positions, atlas.cell_columns);
    cells->values.insert(cells->values.end(), reduced.data(), reduced.data() + reduced.size());
  }
  return cells;
}

/// Adds turns, variances and the ranges of slow pairs of a ladder.
void add_pairs(Atlas& atlas) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  const auto context = static_cast<double>(atlas.positions);
  const bool channels = atlas.source.part == SinusoidPart::sine_cosine;
  const double squared = atlas.source.amplitude * atlas.source.amplitude;
  std::vector<double> turns, cosine, sine;
  for (const PairInformation& pair : pair_information(frequencies, context)) {
    for (int channel = 0; channel < (channels ? 2 : 1); ++channel) turns.push_back(pair.turns > 0 ? pair.turns : kNaN);
    cosine.push_back(squared * pair.variance_cos);
    sine.push_back(squared * pair.variance_sin);
    atlas.moving += pair.moving;
  }
  const double width = channels ? 2 : 1;
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const double angle = std::abs(frequencies[pair]) * context;
    if (!(angle > 0 && angle < kQuarterTurn)) continue;
    const double low = width * static_cast<double>(pair) - 0.5;
    if (atlas.quarter.empty() || atlas.quarter.back().high < low) atlas.quarter.push_back({low, low});
    atlas.quarter.back().high = low + width;
  }
  atlas.pairs = static_cast<int>(frequencies.size());
  atlas.below_turn = pairs_below_angle(frequencies, context, 2 * std::numbers::pi);
  atlas.below_quarter = pairs_below_angle(frequencies, context, kQuarterTurn);
  atlas.turns = make_series(0, 1, std::move(turns));
  if (atlas.source.part != SinusoidPart::sine) atlas.variance_cos = make_series(channels ? 1 : 0, width, cosine);
  if (atlas.source.part != SinusoidPart::cosine) atlas.variance_sin = make_series(0, width, sine);
}

/// Adds the row most similar to row 0 among the positions after a full turn of every column. For sinusoids the
/// similarity of two rows is the similarity kernel of their distance.
void add_return(Atlas& atlas, const Work& work) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  atlas.slowest = 2 * std::numbers::pi / frequencies.cwiseAbs().minCoeff();
  if (atlas.source.part != SinusoidPart::sine_cosine) return;
  if (!(atlas.slowest <= static_cast<double>(atlas.positions - 1))) return;
  KernelRequest request;
  request.frequencies = frequencies;
  request.first = static_cast<std::int64_t>(std::ceil(atlas.slowest));
  request.count = atlas.positions - request.first;
  request.want_bound = false;
  request.threads = work.threads;
  const std::vector<double> likeness = kernel_curves(request, work.stop).similarity;
  const auto most = std::max_element(likeness.begin(), likeness.end());
  if (most == likeness.end()) return;
  atlas.most_alike = *most;
  atlas.most_alike_at = request.first + (most - likeness.begin());
}

/// Adds the variance of every column of the learned table over the table's rows within the shown positions.
void add_table_variance(Atlas& atlas, const Work& work) {
  const std::int64_t count = std::min<std::int64_t>(atlas.positions, atlas.source.table.trained_length);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(atlas.columns), squares = sum;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const TokenMatrix block = atlas.table->value_map("p", first, std::min(kBlock, count - first), work).cast<double>();
    if (work.stopped()) return;
    sum += block.colwise().sum().transpose();
    squares += block.colwise().squaredNorm().transpose();
  }
  const Eigen::VectorXd mean = sum / static_cast<double>(count);
  const Eigen::VectorXd variance = (squares / static_cast<double>(count) - mean.cwiseAbs2()).cwiseMax(0.0);
  atlas.variance = make_series(0, 1, {variance.data(), variance.data() + variance.size()});
}

/// Input: some columns of a source over the positions 0 … positions − 1.
struct ColumnsOfAtlas {
  AtlasSource source;
  std::int64_t positions = 1;
  std::vector<std::int64_t> columns;
  bool operator==(const ColumnsOfAtlas&) const = default;
  double cost() const {
    // A learned table computes whole rows.
    const auto each = static_cast<double>(source.learned() ? source.columns() : 20 * std::ssize(columns));
    return 4 * static_cast<double>(positions) * each;
  }
};
std::vector<std::shared_ptr<const Series>> compute_atlas_columns(const ColumnsOfAtlas& of, const Work& work) {
  const bool learned = of.source.learned();
  Atlas atlas;
  atlas.source = of.source;
  atlas.positions = of.positions;
  atlas.columns = of.source.columns();
  if (learned) atlas.table = make_model(find_encoding("learned"), of.source.table);
  std::vector<std::vector<double>> values(of.columns.size());
  for (std::int64_t position = 0; position < of.positions && !work.stopped(); ++position) {
    const Eigen::VectorXd row = learned && !of.columns.empty() ? atlas.row(position) : Eigen::VectorXd();
    for (std::size_t i = 0; i < of.columns.size(); ++i) {
      values[i].push_back(row.size() > 0 ? row[of.columns[i]] : atlas.value(position, of.columns[i]));
    }
  }
  std::vector<std::shared_ptr<const Series>> result;
  for (std::vector<double>& column : values) result.push_back(make_series(0, 1, std::move(column)));
  return result;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The selected rows of the map, with their names: "position 16", or a word.
struct AtlasRows {
  std::int64_t kept = 0, pointed = 0;  ///< equal if the mouse is outside
  std::int64_t other = 0;              ///< what the kept row is compared with: the pointed one, or a neighbour
  std::string kept_name, pointed_name, other_name;
};

/// The maximum number of columns whose values fit on a card.
constexpr Eigen::Index kMaxColumnsOnCard = 4;

std::string percent_of(double part, int whole) {
  return readable_integer(std::round(100 * part / whole));
}

/// "108 of 1 536 pairs", "7 %: …".
Readout atlas_slow_pairs(const std::string& key, int count, const Atlas& atlas, const Text& text) {
  Readout readout = make_card("atlas." + key, count_of_pairs(count, atlas.pairs), text);
  readout.note = text.format("readout.atlas." + key + ".note",
                             {{"percent", percent_of(count, atlas.pairs)}, {"positions", counted(atlas.positions)}});
  return readout;
}

Readout moving_pairs(const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas.moving", text);
  readout.value = Quantity{with_decimals(atlas.moving, 1), "pairs", "readout.count_of", as_whole(atlas.pairs)};
  readout.note =
      text.format("readout.atlas.moving.note", {{"moving", percent_of(atlas.moving, atlas.pairs)},
                                                {"still", percent_of(atlas.pairs - atlas.moving, atlas.pairs)}});
  return readout;
}

Readout numbers_to_train(const Atlas& atlas, const Text& text) {
  const EncodingValues& table = atlas.source.table;
  Readout readout = make_card(
      "atlas.learned", Quantity{as_whole(static_cast<double>(table.trained_length) * table.dim), "numbers"}, text);
  readout.note = text.format("readout.atlas.learned.note",
                             {{"rows", counted(table.trained_length)}, {"columns", counted(table.dim)}});
  return readout;
}

Readout likeness(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  Readout readout = start_card("atlas.likeness", text);
  const Eigen::VectorXd kept = atlas.row(rows.kept), other = atlas.row(rows.other);
  readout.value = Quantity{with_decimals(kept.dot(other) / (kept.norm() * other.norm()), 4)};
  readout.note = text.format(atlas.source.learned() ? "readout.atlas.likeness.learned" : "readout.atlas.likeness.note",
                             {{"first", rows.kept_name}, {"second", rows.other_name}});
  return readout;
}

/// Returns the card with the kept row's name, "singing (2)", for lessons; the map itself marks the row.
Readout kept_row(const AtlasRows& rows, const Text& text) {
  Readout readout = make_card("atlas.kept", verbatim(rows.kept_name), text);
  readout.aside = true;
  return readout;
}

/// Returns "0.909, −0.416, 0.020, 1.000", with at most as many values as can be read.
Readout row_values(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  constexpr Eigen::Index kMaxReported = 8;
  Readout readout = start_card("atlas.row_values", text);
  const Eigen::VectorXd row = atlas.row(rows.kept);
  std::string values;
  for (Eigen::Index column = 0; column < std::min(row.size(), kMaxReported); ++column) {
    values += (column == 0 ? "" : ", ") + readable_fixed(row[column], 3);
  }
  if (row.size() > kMaxReported) values += ", …";
  readout.value = verbatim(values);
  readout.note = text.format("readout.atlas.row_values.note", {{"row", rows.kept_name}});
  readout.aside = row.size() > kMaxColumnsOnCard;
  readout.width_share = 2.2;
  return readout;
}

/// Returns 2π/θ of the slowest pair, for lessons.
Readout slowest_wave(const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas.slowest", text);
  readout.value =
      std::isfinite(atlas.slowest) ? ReadoutValue(Quantity{with_digits(atlas.slowest, 4), "positions"}) : no_number();
  readout.aside = true;
  return readout;
}

Readout return_of_row(const Atlas& atlas, const Text& text) {
  Readout readout = make_card("atlas.return", no_number(), text);
  readout.aside = !atlas.most_alike.has_value();
  if (!atlas.most_alike) return readout;
  readout.value = Quantity{with_decimals(*atlas.most_alike, 4)};
  readout.note = text.format("readout.atlas.return.note", {{"position", counted(atlas.most_alike_at)},
                                                           {"slowest", readable_number(atlas.slowest, 4)}});
  return readout;
}

/// Returns the number of moving pairs, and the similarity of the kept row to the other one.
std::vector<Readout> atlas_readouts(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  std::vector<Readout> readouts;
  if (atlas.source.learned()) {
    readouts.push_back(numbers_to_train(atlas, text));
  } else {
    readouts.push_back(atlas_slow_pairs("quarter", atlas.below_quarter, atlas, text));
    readouts.push_back(atlas_slow_pairs("turn", atlas.below_turn, atlas, text));
    readouts.push_back(moving_pairs(atlas, text));
    // With so few pairs the count is not informative; the values replace it.
    readouts.back().aside = atlas.source.part == SinusoidPart::sine_cosine && atlas.columns <= kMaxColumnsOnCard;
  }
  const bool vectors = atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine;
  if (vectors) readouts.push_back(likeness(atlas, rows, text));
  if (vectors) readouts.push_back(row_values(atlas, rows, text));
  if (vectors && !atlas.source.learned()) readouts.push_back(return_of_row(atlas, text));
  if (!atlas.source.learned()) readouts.push_back(slowest_wave(atlas, text));
  readouts.push_back(kept_row(rows, text));
  return readouts;
}

/// The state to draw: the finished map, the names of the positions, and the selected rows.
struct AtlasShown {
  const AtlasFields& fields;
  const Atlas& atlas;
  std::vector<std::string> words;  ///< empty: numbers
  AtlasRows rows;
  std::string extension;  ///< the drawn rope's: "llama3 ×8"; empty: none
  const Text& text;

  bool channels() const { return atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine; }
};

/// Limits of the columns field: channels of the widest table.
constexpr WholeNumbers kColumnNumbers{"atlas.columns", 8191, kMaxAtlasColumns};

// --- Column --------------------------------------------------------------------------------------------------------

/// Returns the name of a column: "dimension 4 (sin)" in sinusoidal vectors, "pair 4" if a column is a pair.
std::string column_name(const AtlasShown& shown, std::int64_t column) {
  const char* key = !shown.channels()              ? "view.atlas.column.pair"
                    : shown.atlas.source.learned() ? "view.atlas.column.learned"
                    : column % 2 == 0              ? "view.atlas.column.sin"
                                                   : "view.atlas.column.cos";
  return shown.text.format(key, {{"column", counted(column)}});
}

/// Returns ± the amplitude, or the range that the largest number of a learned table requires; for angles, a turn.
Range values_range(const AtlasShown& shown) {
  if (shown.atlas.source.part == SinusoidPart::angle) return {0, 2 * std::numbers::pi};
  const double amplitude = shown.atlas.source.amplitude;
  if (!shown.atlas.source.learned()) return {-amplitude, amplitude};
  const double most = largest_size(shown.atlas.cells->values);
  const double end = std::max(1.0, std::ceil(2 * most) / 2);
  return {-end, end};
}

/// Returns the columns of the field that the table has, without duplicates. Throws InputError if the field is not a
/// list of integers.
std::vector<std::int64_t> shown_columns(const AtlasFields& fields, const Atlas& atlas) {
  std::vector<std::int64_t> columns;
  for (const std::int64_t column : parse_integers(fields.columns, kColumnNumbers)) {
    const bool known = std::find(columns.begin(), columns.end(), column) != columns.end();
    if (column < atlas.columns && !known) columns.push_back(column);
  }
  return columns;
}

/// The panels below the map: the selected row and the pointed one, some columns over the positions, the turns of each
/// pair, and how well each dimension distinguishes rows.
Figure column_figure(const AtlasShown& shown, Store& store) {
  const ColumnsOfAtlas input{shown.atlas.source, shown.atlas.positions, shown_columns(shown.fields, shown.atlas)};
  const auto answer = store.request<compute_atlas_columns>({"atlas.columns", input.cost()}, input);
  Figure figure;
  figure.stale = !answer.current;
  figure.name = "column";
  figure.x = named_axis("atlas", "position", shown.text);
  figure.x.names = shown.words;
  if (!shown.words.empty()) figure.x.label.clear();
  figure.x = cell_axis(figure.x, cell_range(shown.atlas.positions), shown.fields.zooms);
  const Range range = values_range(shown);
  const double room = range.high - range.low;
  // Leaves space below for the legend.
  figure.y = value_axis(named_axis("atlas", "value", shown.text, AxisScale::linear, "column"),
                        {range.low - 0.35 * room, range.high + 0.06 * room}, shown.fields.zooms);
  figure.y.label = shown.text["view.atlas.row_of_values"];
  figure.zero_line = true;
  figure.legend = true;
  for (std::size_t i = 0; answer.result && i < std::min(input.columns.size(), answer.result->size()); ++i) {
    const std::int64_t column = input.columns[i];
    figure.lines.push_back({"column." + std::to_string(column),
                            column_name(shown, column),
                            {static_cast<int>(i), false},
                            (*answer.result)[i]});
  }
  if (input.columns.empty()) figure.empty_message = shown.text["view.atlas.no_column"];
  add_rule(figure, static_cast<double>(shown.rows.kept), {});
  return figure;
}

// --- Figures -------------------------------------------------------------------------------------------------------

/// Slots of lines: cos and values; sin.
constexpr int kAtlasCosine = 0, kSine = 1;

/// Marks the pairs that move less than a quarter turn.
void add_quarter(Figure& figure, const AtlasShown& shown) {
  for (const Range& stretch : shown.atlas.quarter) add_span(figure, stretch, {});
}

/// The values of a row: one line, or one each for sin (even channels) and cos (odd ones).
void add_atlas_row(Figure& figure, const AtlasShown& shown, std::int64_t position, const std::string& key,
                   const std::string& name, bool faint) {
  const Eigen::VectorXd row = shown.atlas.row(position);
  const bool parted = !shown.atlas.source.learned() && shown.channels();
  const auto add = [&](Eigen::Index first, Eigen::Index step, const std::string& part, int slot) {
    std::vector<double> values;
    for (Eigen::Index column = first; column < row.size(); column += step) values.push_back(row[column]);
    const std::string label =
        part.empty() ? name : shown.text.format("view.atlas.of_row", {{"part", part}, {"row", name}});
    figure.lines.push_back({part.empty() ? key : key + "." + part,
                            label,
                            {slot, faint},
                            make_series(static_cast<double>(first), static_cast<double>(step), std::move(values))});
  };
  if (!parted) {
    add(0, 1, {}, kAtlasCosine);
  } else {
    add(0, 2, "sin", kSine);
    add(1, 2, "cos", kAtlasCosine);
  }
}

FigureAxis atlas_position_axis(const AtlasShown& shown) {
  FigureAxis axis = named_axis("atlas", "position", shown.text);
  if (!shown.words.empty()) axis.label.clear();
  axis.reversed = true;
  axis.names = shown.words;
  return cell_axis(axis, cell_range(shown.atlas.positions), shown.fields.zooms);
}

constexpr const char* kSineHalf = "sine";

/// Returns the title. `half` names one of two separate maps: kSineHalf or "cosine".
std::string plain_title(const AtlasShown& shown, const std::string& half) {
  const AtlasSource& source = shown.atlas.source;
  std::string title =
      shown.text.format("view.atlas.title." + (shown.atlas.apart() ? half : word_of(shown.fields.values)),
                        {{"rows", counted(source.table.trained_length)}});
  if (shown.extension.empty()) return title;
  const bool multiplied = source.amplitude != 1 && source.part != SinusoidPart::angle;
  return shown.text.format(
      multiplied ? "view.atlas.title.multiplied" : "view.atlas.title.extended",
      {{"title", title}, {"extension", shown.extension}, {"amplitude", readable_number(source.amplitude, 4)}});
}

std::string make_atlas_title(const AtlasShown& shown, const std::string& half) {
  std::string title = plain_title(shown, half);
  // Above this number of turns a pixel or a cell covers too much of a turn to have one direction.
  constexpr double kManyTurns = 50;
  const bool fast =
      shown.atlas.turns && summarise(*shown.atlas.turns, 0, shown.atlas.turns->ys.size()).maximum > kManyTurns;
  if (!fast) return title;
  if (shown.atlas.apart()) {
    // Only in the title that has more space.
    return half == kSineHalf ? title : shown.text.format("view.atlas.title.faded_half", {{"title", title}});
  }
  const bool angles = shown.atlas.source.part == SinusoidPart::angle;
  return shown.text.format(angles ? "view.atlas.title.hatched" : "view.atlas.title.faded", {{"title", title}});
}

/// Returns how angle cells are drawn.
MapWave wave_of(const AtlasSource& source) {
  if (source.learned() || source.part == SinusoidPart::angle) return MapWave::none;
  return source.part == SinusoidPart::cosine ? MapWave::cosine : MapWave::sine;
}

/// Returns the map of all values; for two separate maps, it is what a table contains in their place.
Map make_atlas_map(const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  Map map;
  map.key = "values";
  map.label = shown.text["view.atlas.values." + word_of(shown.fields.values)];
  map.colours = atlas->source.part == SinusoidPart::angle ? MapColours::angle : MapColours::signed_value;
  map.wave = wave_of(atlas->source);
  map.wave_size = atlas->source.amplitude;
  map.cells = atlas->cells;
  if (atlas->apart()) {
    auto all = std::make_shared<MapCells>(MapCells{static_cast<std::size_t>(atlas->columns), atlas->cells->rows, {}});
    all->reduction = atlas->cells->reduction;
    all->reduction.columns = all->columns;
    map.cells = all;
  }
  reach_cells(map);
  map.range = values_range(shown);
  map.exact = [atlas](double x, double y) { return atlas->value(std::llround(y), std::llround(x)); };
  map.exact_row = [atlas](double y) {
    const Eigen::VectorXd row = atlas->row(std::llround(y));
    return std::vector<double>(row.begin(), row.end());
  };
  return map;
}

/// Maps the sines (dimensions 0, 2, …) or cosines (1, 3, …) alone, each column centred on its dimension.
Map half_map(const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas, bool sines) {
  Map map = make_atlas_map(shown, atlas);
  map.cells = atlas->cells;
  map.wave = sines ? MapWave::sine : MapWave::cosine;
  const auto end = static_cast<double>(atlas->columns);
  map.x = sines ? Range{-1, end - 1} : Range{0, end};
  const auto dimension = [sines](double x) {
    return sines ? 2 * std::llround(x / 2) : 2 * std::llround((x - 1) / 2) + 1;
  };
  map.exact = [atlas, dimension](double x, double y) { return atlas->value(std::llround(y), dimension(x)); };
  map.exact_row = [atlas, sines](double y) {
    const Eigen::VectorXd row = atlas->row(std::llround(y));
    std::vector<double> half;
    for (Eigen::Index column = sines ? 0 : 1; column < row.size(); column += 2) half.push_back(row[column]);
    return half;
  };
  map.words = [dimension, words = shown.words, text = &shown.text](double x, double y) {
    const auto row = static_cast<std::size_t>(std::max(0.0, std::round(y)));
    const std::string position = row < words.size() ? words[row] : readable_integer(static_cast<double>(row));
    const std::string number = readable_integer(static_cast<double>(dimension(x)));
    return PlaceWords{text->format("view.atlas.place", {{"dimension", number}, {"position", position}}), {}};
  };
  return map;
}

/// Returns the axis of dimensions, or of pairs.
FigureAxis column_axis(const AtlasShown& shown) {
  return cell_axis(
      named_axis("atlas", shown.channels() ? "dimension" : "pair", shown.text, AxisScale::linear, "dimension"),
      cell_range(shown.atlas.columns), shown.fields.zooms);
}

/// Names of the map, and of the cosines if they are separate.
constexpr const char *kAtlasMap = "atlas", *kCosineMap = "atlas_cosine";

Figure make_atlas_figure(const AtlasShown& shown, const std::string& name, const std::string& half, Map map) {
  Figure figure = named_figure(name, make_atlas_title(shown, half));
  figure.x = column_axis(shown);
  figure.y = atlas_position_axis(shown);
  figure.maps.push_back(std::move(map));
  for (const Range& stretch : shown.atlas.quarter) {
    add_rule(figure, stretch.low, shown.text["view.atlas.quarter"], Role::text);
  }
  mark_row(figure, static_cast<double>(shown.rows.kept));
  return figure;
}

/// Appends the map, or the two separate maps side by side.
void add_maps(ViewResult& result, const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  // Each word needs its own line.
  const double share = shown.words.empty() ? 0.56 : 0.7;
  if (!atlas->apart()) {
    result.panels.push_back({make_atlas_figure(shown, kAtlasMap, {}, make_atlas_map(shown, atlas)), share});
    return;
  }
  Figure sines = make_atlas_figure(shown, kAtlasMap, kSineHalf, half_map(shown, atlas, true));
  // A table contains all dimensions in order.
  sines.tables.push_back(make_atlas_map(shown, atlas));
  sines.maps.front().bar = false;
  Figure cosines = make_atlas_figure(shown, kCosineMap, "cosine", half_map(shown, atlas, false));
  cosines.y.label.clear();
  for (Rule& rule : cosines.rules) rule.label.clear();
  result.panels.push_back({std::move(sines), share});
  result.panels.push_back({std::move(cosines), share, true});
}

Figure row_figure(const AtlasShown& shown) {
  Figure figure = named_figure("row");
  figure.x = column_axis(shown);
  const Range range = values_range(shown);
  const double room = range.high - range.low;
  // Leaves space below for the legend.
  figure.y = value_axis(named_axis("atlas", "value", shown.text), {range.low - 0.2 * room, range.high + 0.06 * room},
                        shown.fields.zooms);
  figure.y.label = shown.text["view.atlas.row_of_values"];
  figure.zero_line = true;
  figure.legend = true;
  const bool both = shown.rows.pointed != shown.rows.kept;
  if (both) add_atlas_row(figure, shown, shown.rows.pointed, "pointed", shown.rows.pointed_name, false);
  add_atlas_row(figure, shown, shown.rows.kept, "kept", shown.rows.kept_name, both);
  // Four lines have a legend, two their names next to them.
  if (!both) name_lines(figure, {0.62, 0.4});
  return figure;
}

Figure turns_figure(const AtlasShown& shown) {
  Figure figure = named_figure("turns");
  figure.x = column_axis(shown);
  figure.lines.push_back(
      {"turns", shown.text["view.atlas.turns_line"], {kAtlasCosine, false}, shown.atlas.turns, false});
  figure.y = value_axis(named_axis("atlas", "turns", shown.text, AxisScale::log),
                        decades(widened({0.1, 10}, *shown.atlas.turns)), shown.fields.zooms);
  add_level(figure, 1, shown.text["view.limits.one_turn"]);
  add_level(figure, 0.25, shown.text["view.limits.quarter_turn"]);
  add_quarter(figure, shown);
  // The curve is far below the upper end there.
  if (!figure.spans.empty()) {
    figure.labels.push_back(label_at(figure.x.range.high, figure.y.range.high, shown.text["view.atlas.quarter"],
                                     Role::secondary, 1.02, -0.15));
  }
  return figure;
}

Figure variance_figure(const AtlasShown& shown) {
  Figure figure = named_figure("variance");
  figure.x = column_axis(shown);
  const auto add = [&](const std::string& key, const std::shared_ptr<const Series>& series, int slot) {
    if (!series) return;
    figure.lines.push_back({key, shown.text["view.atlas." + key], {slot, false}, series});
  };
  add("variance_sin", shown.atlas.variance_sin, kSine);
  add("variance_cos", shown.atlas.variance_cos, kAtlasCosine);
  add("variance", shown.atlas.variance, kAtlasCosine);
  figure.y = value_axis(named_axis("atlas", "variance", shown.text), {0, 1.06 * widened({0, 0.5}, figure.lines).high},
                        shown.fields.zooms);
  figure.legend = figure.lines.size() > 1;
  add_quarter(figure, shown);
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

bool atlas_is_map(const std::string& figure) {
  return figure == kAtlasMap || figure == kCosineMap;
}

std::vector<std::string> shown_words(const AtlasFields& fields) {
  return fields.rows == AtlasPositions::words ? words_of(fields.sentence) : std::vector<std::string>();
}

AtlasSource source_of(const Experiment& experiment) {
  const AtlasValues values = experiment.atlas.values;
  AtlasSource source;
  if (values == AtlasValues::learned) {
    source.table = collect_encoding_settings(experiment.rope, experiment.encoding, find_encoding("learned"));
    validate(find_encoding("learned"), source.table);
    // Projections affect the content, not the table; seeding them for a wide table would take over 100 ms.
    source.table.seeded_projections = false;
    return source;
  }
  // Only RoPE has a context extension.
  RopeFields rope = experiment.rope;
  if (values == AtlasValues::sinusoidal) rope.scaling.method = kNoMethod;
  const ScaledLadder ladder = read_rope(rope).ladder;
  source.frequencies = ladder.frequencies;
  source.amplitude = ladder.amplitude;
  if (values == AtlasValues::rope_cos) source.part = SinusoidPart::cosine;
  if (values == AtlasValues::rope_sin) source.part = SinusoidPart::sine;
  if (values == AtlasValues::rope_angle) source.part = SinusoidPart::angle;
  return source;
}

std::string atlas_row_name(const AtlasShown& shown, std::int64_t row) {
  const auto index = static_cast<std::size_t>(row);
  const std::string number = readable_integer(static_cast<double>(row));
  if (index >= shown.words.size()) return shown.text.format("view.atlas.row_name", {{"position", number}});
  return shown.text.format("view.atlas.word_name", {{"word", shown.words[index]}, {"position", number}});
}

std::int64_t clamp_row(double row, std::int64_t rows) {
  return std::clamp<std::int64_t>(std::llround(std::clamp(row, -1.0, kMaxAtlasPositions)), 0, rows - 1);
}

/// Returns the row to compare with if no other row is pointed at: the next one with the same word, else the next row.
std::int64_t row_to_compare(const AtlasShown& shown, std::int64_t kept) {
  const auto count = static_cast<std::int64_t>(shown.words.size());
  for (std::int64_t step = 1; kept < count && step < count; ++step) {
    const std::int64_t row = (kept + step) % count;
    if (same_word(shown.words[static_cast<std::size_t>(row)], shown.words[static_cast<std::size_t>(kept)])) return row;
  }
  return kept + 1 < shown.atlas.positions ? kept + 1 : std::max<std::int64_t>(kept - 1, 0);
}

AtlasRows find_pointed_rows(const AtlasShown& shown, const std::optional<Pointer>& pointer) {
  AtlasRows rows;
  rows.kept = rows.pointed = clamp_row(shown.fields.row, shown.atlas.positions);
  if (pointer && atlas_is_map(pointer->figure)) rows.pointed = clamp_row(pointer->y, shown.atlas.positions);
  rows.other = rows.pointed != rows.kept ? rows.pointed : row_to_compare(shown, rows.kept);
  rows.kept_name = atlas_row_name(shown, rows.kept);
  rows.other_name = atlas_row_name(shown, rows.other);
  rows.pointed_name = atlas_row_name(shown, rows.pointed);
  return rows;
}

bool wants(const AtlasFields& fields, const std::string& panel) {
  return std::find(fields.below.begin(), fields.below.end(), panel) != fields.below.end();
}

Figure no_atlas(const Experiment&, const Text&) {
  return empty_figure(kAtlasMap, "dimension", "position");
}

std::string describe_atlas_status(const AtlasShown& shown) {
  return shown.text.format(shown.channels() ? "view.atlas.status" : "view.atlas.status_pairs",
                           {{"positions", counted(shown.atlas.positions)},
                            {"columns", counted(shown.atlas.columns)},
                            {"time", readable_number(shown.atlas.seconds * 1e3, 2)}});
}

ViewResult atlas_figures(const Experiment& experiment, const Text& text, Store& store) {
  const AtlasFields& fields = experiment.atlas;
  std::vector<std::string> words = shown_words(fields);
  if (fields.rows == AtlasPositions::words && words.empty())
    return make_message_result(no_atlas(experiment, text), text["view.atlas.no_sentence"]);
  AtlasInput input;
  input.source = source_of(experiment);
  input.positions = words.empty() ? std::llround(fields.positions) : static_cast<std::int64_t>(words.size());
  const auto answer = store.request<atlas_of>({"atlas", input.cost()}, input);
  if (!answer.result) return make_message_result(no_atlas(experiment, text), {}, true);
  AtlasShown shown{fields, *answer.result, std::move(words), {}, {}, text};
  if (word_of(fields.values).starts_with("rope-")) shown.extension = extension_label(experiment.rope, text);
  shown.rows = find_pointed_rows(shown, experiment.pointer);
  ViewResult result;
  result.stale = !answer.current;
  add_maps(result, shown, answer.result);
  if (wants(fields, "row")) result.panels.push_back({row_figure(shown), 0.22});
  if (wants(fields, "column")) {
    result.panels.push_back({column_figure(shown, store), 0.22});
    result.stale |= result.panels.back().figure.stale;
  }
  if (wants(fields, "turns") && shown.atlas.turns) result.panels.push_back({turns_figure(shown), 0.22});
  if (wants(fields, "variance")) result.panels.push_back({variance_figure(shown), 0.22});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = atlas_readouts(shown.atlas, shown.rows, text);
  if (!shown.extension.empty()) add_ladder_in_use(result.readouts, "atlas", experiment.rope, text);
  if (!result.stale) result.status = describe_atlas_status(shown);
  return result;
}

void declare_atlas_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.atlas);
  const AtlasValues values = experiment.atlas.values;
  const bool learned = values == AtlasValues::learned;
  if (learned || values == AtlasValues::sinusoidal) {
    constexpr std::string_view kRope[] = {"rope.rotary_dim", "rope.axis", "rope.base"};
    constexpr std::string_view kTable[] = {"trained_length", "seed"};
    declare_embedding(list, experiment.rope, std::span(kRope).first(learned ? 2 : 3));
    declare_fields(list, experiment.encoding, std::span(kTable).first(learned ? 2 : 0));
  } else {
    declare_fields(list, experiment.rope);
  }
}

/// Returns the number of rows of the map: the number of words, or of positions.
double row_count(const Experiment& experiment) {
  const std::size_t words = shown_words(experiment.atlas).size();
  return words > 0 ? static_cast<double>(words) : std::round(experiment.atlas.positions);
}

void react_atlas(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !atlas_is_map(event.figure)) return;
  experiment.atlas.row = static_cast<double>(clamp_row(event.y, std::llround(row_count(experiment))));
}

/// Checks the text of the columns field, whatever columns the table has.
void check_columns(const Experiment& experiment) {
  parse_integers(experiment.atlas.columns, kColumnNumbers);
}

}  // namespace

std::int64_t AtlasSource::columns() const {
  return learned() ? table.dim : column_count(sinusoids());
}

Eigen::VectorXd Atlas::row(std::int64_t position) const {
  if (table) return table->values("p", {&position, 1}).row(0).transpose();
  Eigen::VectorXd values(columns);
  sinusoid_row(source.sinusoids(), position, {values.data(), static_cast<std::size_t>(columns)});
  return values;
}

double Atlas::value(std::int64_t position, std::int64_t column) const {
  if (position < 0 || position >= positions || column < 0 || column >= columns) return kNaN;
  if (table) return row(position)[column];
  const bool channels = source.part == SinusoidPart::sine_cosine;
  const Sinusoids one{source.frequencies.segment(channels ? column / 2 : column, 1), source.part, source.amplitude};
  double values[2] = {0, 0};
  sinusoid_row(one, position, {values, channels ? 2u : 1u});
  return values[channels ? column % 2 : 0];
}

std::size_t Atlas::bytes() const {
  return cells->values.size() * sizeof(float) + static_cast<std::size_t>(columns) * 3 * sizeof(double);
}

Atlas atlas_of(const AtlasInput& input, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const bool learned = input.source.learned();
  Atlas atlas;
  atlas.source = input.source;
  if (learned) atlas.table = make_model(find_encoding("learned"), input.source.table);
  atlas.positions = input.positions;
  atlas.columns = input.source.columns();
  atlas.cell_positions = items_per_cell(atlas.positions);
  atlas.cell_columns = items_per_cell(atlas.columns);
  atlas.cells = reduce_cells(atlas, work);
  if (!atlas.cells) return atlas;
  if (learned) {
    add_table_variance(atlas, work);
  } else {
    add_pairs(atlas);
    add_return(atlas, work);
  }
  atlas.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return atlas;
}

constinit const View kAtlasView{.id = "atlas",
                                .group = "compare",
                                .declare_fields = declare_atlas_fields,
                                .figures = atlas_figures,
                                .empty = no_atlas,
                                .react = react_atlas,
                                .length = row_count,
                                .compares_ropes = false,
                                .follows_pointer = true,
                                .check = check_columns};

}  // namespace ropescope
