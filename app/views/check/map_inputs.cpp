#include "app/views/check/map_inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "app/views/shared/axes.h"
#include "core/check/compare/pieces.h"
#include "core/check/compare/sides.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// log₁₀ (tolerance ÷ |difference|), at most kMostMargin; `ratio`: difference ÷ tolerance.
double margin_of(double ratio) {
  constexpr double kLeastMargin = -30;
  return ratio > 0 ? std::clamp(-std::log10(ratio), kLeastMargin, kMostMargin) : kMostMargin;
}

constexpr double kMapInputsNothing = std::numeric_limits<double>::quiet_NaN();

std::int64_t cells_for(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step;
}

/// Where the rows and the patches of an image fall.
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
  /// Of all frames, also those that are not seen; none for rows that are no patches.
  std::optional<std::size_t> frame_of(std::int64_t row) const {
    if (!image || row < image->first_row) return std::nullopt;
    const std::int64_t index = (row - image->first_row) / image->frame_size();
    return index < image->tiles.all ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
  }
  /// Cells of one frame after the other; none for rows that are no patches of a frame that is seen.
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
  /// `by`: what a cell holds of the rows that share it, see MapReduction.
  CheckCells cells(std::vector<float> map, const std::vector<float>& of_image, const char* by) const {
    CheckCells made;
    MapCells all = cells_over(rows, 1, by);
    all.rows = all.reduction.rows = static_cast<std::size_t>(pairs);  // never several in a cell
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

/// What is worst along an axis, and the tolerance there.
struct MapInputsWorst {
  std::vector<double> value, tolerance;
  explicit MapInputsWorst(std::int64_t count)
      : value(static_cast<std::size_t>(count), -1), tolerance(value.size(), 0) {}
  void add(std::size_t at, double found, double allowed) {
    if (!(found > value[at])) return;
    value[at] = found;
    tolerance[at] = allowed;
  }
};

/// The worst of everything that was seen so far.
struct Collected {
  const Grid& grid;
  bool by_tolerance;
  std::vector<float> map, image;
  MapInputsWorst tokens, pairs, frames;
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
    // Next to nothing is allowed where 0 is expected: how many times that is would drown everything else.
    constexpr double kTelling = 1e-8, kBeyond = 1.01;
    return std::max(difference / std::max(allowed, kTelling), kBeyond);
  }
  void finish() {
    if (!by_tolerance) return;
    for (float& cell : map) cell = static_cast<float>(margin_of(static_cast<double>(cell)));
    for (float& cell : image) cell = static_cast<float>(margin_of(static_cast<double>(cell)));
  }
};

/// A logarithmic axis shows nothing at 0: what is nothing against the tolerance is drawn at a thousandth of it.
std::shared_ptr<const Series> drawn(double first, double step, std::vector<double> values, bool ratio) {
  constexpr double kLeast = 1e-3, kLargest = 1e30;
  for (double& value : values) {
    if (ratio) value = std::clamp(value, kLeast, kLargest);
  }
  return make_series(first, step, std::move(values));
}

std::size_t size_of_map_inputs(const CheckCells& cells) {
  std::size_t numbers = cells.map ? cells.map->values.size() : 0;
  for (const auto& frame : cells.frames) numbers += frame->values.size();
  return numbers * sizeof(float);
}

CheckOptions options_of(int threads, const std::stop_token& stop, const std::shared_ptr<const CheckProgress>& board) {
  CheckOptions options;
  options.threads = threads;
  options.stop = stop;
  options.progress = [board](double fraction, const Words&) {
    if (board) board->fraction = fraction;
  };
  return options;
}

/// Rows times what a row of the widest table costs; sizes are known only after the file was read.
double cost_of(const CheckOutcome& outcome) {
  return 1.1e6 + 2 * static_cast<double>(outcome.bytes());
}

double map_inputs_seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Sums for means; of single numbers the numbers themselves.
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
      means.push_back(static_cast<float>(counts[i] > 0 ? sums[i] / static_cast<double>(counts[i]) : kMapInputsNothing));
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
  if (block.part != "image") return std::nullopt;
  CheckImage image;
  const std::int64_t first = block.first_row;
  std::int64_t before = 0;
  for (const auto& [from, count] : rows_of_part(tokens, outcome.inputs.part).stretches) {
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

std::size_t CheckDifferenceMap::bytes() const {
  return size_of_map_inputs(cells) + sizeof(double) * 2 * MapCells::kMost;
}

bool CheckDifferenceInput::operator==(const CheckDifferenceInput& other) const {
  return outcome == other.outcome && applied == other.applied && by_tolerance == other.by_tolerance &&
         image == other.image;
}

double CheckDifferenceInput::cost() const {
  return cost_of(*outcome);
}

std::shared_ptr<const CheckDifferenceMap> CheckDifferenceInput::compute(int threads,
                                                                        const std::stop_token& stop) const {
  const auto start = std::chrono::steady_clock::now();
  auto result = std::make_shared<CheckDifferenceMap>();
  result->outcome = outcome;
  result->applied = applied;
  try {
    const CheckSides sides(outcome->reference, outcome->inputs, outcome->applied(applied));
    const Grid grid(sides.extent(), image);
    result->which = sides.which();
    // An id is right or wrong: most of them may not differ at all.
    result->by_tolerance = by_tolerance && result->which != "ids";
    Collected collected(grid, result->by_tolerance);
    const auto look = [&](const RowPiece& piece) {
      return [&collected, found = sides.differences(piece.first, piece.count)] { collected.add(found); };
    };
    if (!share_rows(grid.rows, options_of(threads, stop, progress), [&] { return look; })) return nullptr;
    outcome->check_unchanged();
    collected.finish();
    result->rows = grid.rows;
    result->pairs = grid.pairs;
    result->step = grid.step;
    result->cells = grid.cells(std::move(collected.map), collected.image, "worst");
    result->image = image;
    result->worst = collected.worst;
    result->worst_row = collected.worst_row;
    result->worst_pair = collected.worst_pair;
    const bool ratio = result->by_tolerance;
    const auto step = static_cast<double>(grid.step), middle = (step - 1) / 2;
    result->over_tokens = drawn(middle, step, std::move(collected.tokens.value), ratio);
    result->tolerance_over_tokens = drawn(middle, step, std::move(collected.tokens.tolerance), false);
    if (image && image->tiles.all > 1) {
      result->over_frames = drawn(1, 1, std::move(collected.frames.value), ratio);
      result->tolerance_over_frames = drawn(1, 1, std::move(collected.frames.tolerance), false);
    }
    result->over_pairs = drawn(0, 1, std::move(collected.pairs.value), ratio);
    result->tolerance_over_pairs = drawn(0, 1, std::move(collected.pairs.tolerance), false);
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  result->seconds = map_inputs_seconds_since(start);
  return result;
}

std::size_t CheckValueMap::bytes() const {
  return size_of_map_inputs(mine) + size_of_map_inputs(reference);
}

bool CheckValueInput::operator==(const CheckValueInput& other) const {
  return outcome == other.outcome && applied == other.applied && pair == other.pair && image == other.image;
}

double CheckValueInput::cost() const {
  return cost_of(*outcome);
}

std::shared_ptr<const CheckValueMap> CheckValueInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<CheckValueMap>();
  try {
    const CheckSides sides(outcome->reference, outcome->inputs, outcome->applied(applied));
    const Grid grid(sides.extent(), image);
    CollectedValues collected(grid, pair);
    const auto look = [&](const RowPiece& piece) {
      return [&collected, found = sides.values(piece.first, piece.count)] { collected.add(found); };
    };
    if (!share_rows(grid.rows, options_of(threads, stop, progress), [&] { return look; })) return nullptr;
    outcome->check_unchanged();
    result->mine = grid.cells(collected.mine.cells(), collected.image_mine.cells(), "mean");
    result->reference = grid.cells(collected.reference.cells(), collected.image_reference.cells(), "mean");
    result->step = grid.step;
    result->pair = pair;
    result->range = collected.range;
    if (!(result->range.low < result->range.high)) result->range.high = result->range.low + 1;
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  return result;
}

}  // namespace ropescope
