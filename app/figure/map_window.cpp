// The value and colour of each pixel of a map: means of cells, mean directions of angles, and hatched holes.

#include "app/figure/map_window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/rotary/spec.h"

namespace ropescope {

namespace {

constexpr double kMagnified = 1 + 1e-6;  ///< cells per pixel up to which a pixel shows a single cell

/// Weighted sum of values over cells, and the sum of weights of values that are not NaN.
struct Sum {
  double value = 0, sine = 0, weight = 0;
};

/// Returns 1 up to a quarter turn, 0 from half a turn on: pixels cannot show faster rotation.
double compute_fade(double turn) {
  return std::clamp(2 - 2 * turn / std::numbers::pi, 0.0, 1.0);
}

double mean_of(const MapWindow& window, const Sum& sum, const PixelTurn& turn, bool single) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (!(sum.weight > 0)) return kNothing;
  const TablePlace& place = window.paint.place;
  if (place.wave != MapWave::none) {
    const double wave = place.wave == MapWave::sine ? sum.sine : sum.value;
    return wave / sum.weight * compute_fade(turn.columns) * compute_fade(turn.rows);
  }
  if (!place.cyclic) return sum.value / sum.weight;
  const bool blurred = !single && std::hypot(sum.sine, sum.value) < kShortestPhasor * sum.weight;
  if (blurred || std::max(turn.columns, turn.rows) > std::numbers::pi) return kNothing;
  return place.range.low + std::atan2(sum.sine, sum.value) / kTurn * (place.range.high - place.range.low);
}

/// Returns the difference between the middle cell and the cell so far after it, or before it if there is none after.
double neighbour_difference(const MapCells& cells, std::size_t row, std::size_t column, std::size_t columns_apart,
                            std::size_t rows_apart) {
  const auto other = [](std::size_t at, std::size_t apart, std::size_t count) {
    return at + apart < count ? at + apart : at >= apart ? at - apart : at;
  };
  const std::size_t next_row = other(row, rows_apart, cells.rows);
  const std::size_t next_column = other(column, columns_apart, cells.columns);
  const double here = static_cast<double>(cells.values[row * cells.columns + column]);
  const double there = static_cast<double>(cells.values[next_row * cells.columns + next_column]);
  const double difference = std::abs(there - here);
  return std::isfinite(difference) ? difference / static_cast<double>(columns_apart + rows_apart) : 0;
}

/// Returns the number of cells in a step; 0 if it stays within a single exact cell.
double cells_of(double step, std::size_t per_cell) {
  if (std::abs(step) > kMagnified) return std::abs(step);
  return per_cell > 1 ? 1 : 0;
}

double weight_of(const Footprint& footprint, std::size_t cell) {
  if (cell == footprint.first) return footprint.first_weight;
  return cell == footprint.last ? footprint.last_weight : 1;
}

/// Returns the change of angle per pixel over these cells.
PixelTurn pixel_turn(const MapWindow& window, const Footprint& columns, const Footprint& rows) {
  const MapCells& cells = *window.cells;
  const auto [across, down] = turning_cells(window);
  const std::size_t row = (rows.first + rows.last) / 2, column = (columns.first + columns.last) / 2;
  return {across > 0 ? across * neighbour_difference(cells, row, column, cells.kinds, 0) : 0,
          down > 0 ? down * neighbour_difference(cells, row, column, 0, 1) : 0};
}

/// Returns whether a pixel is on a stripe of a hatched hole.
bool is_on_stripe(const MapPaint& paint, int x, int y) {
  return (x + y) % std::max(paint.hatch_period, 2) < stripe_width(paint);
}

}  // namespace

bool MapPaint::operator==(const MapPaint& other) const {
  return table == other.table && place.cyclic == other.place.cyclic && place.range == other.place.range &&
         place.wave == other.place.wave && ground == other.ground && hatch == other.hatch &&
         hatch_period == other.hatch_period;
}

bool MapWindow::operator==(const MapWindow& other) const {
  return cells == other.cells && width == other.width && height == other.height && first_column == other.first_column &&
         column_step == other.column_step && first_row == other.first_row && row_step == other.row_step &&
         paint == other.paint;
}

Footprint footprint(double first, double step, int pixel, std::size_t cells) {
  const double one = first + step * pixel, other = one + step, size = static_cast<double>(cells);
  const double low = std::clamp(std::min(one, other), 0.0, size), high = std::clamp(std::max(one, other), 0.0, size);
  if (std::abs(step) <= kMagnified || !(low < high)) {
    const double middle = std::clamp(std::floor((one + other) / 2), 0.0, size - 1);
    const auto cell = static_cast<std::size_t>(middle);
    return {cell, cell, 1, 1};
  }
  const double begin = std::floor(low), end = std::ceil(high);
  return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end) - 1, begin + 1 - low, high - (end - 1)};
}

PixelTurn turning_cells(const MapWindow& window) {
  const MapReduction& reduction = window.cells->reduction;
  return {cells_of(window.column_step, reduction.columns_per_cell), cells_of(window.row_step, reduction.rows_per_cell)};
}

double value_at(const MapWindow& window, const Footprint& columns, const Footprint& rows) {
  const MapCells& cells = *window.cells;
  const TablePlace& place = window.paint.place;
  const bool angles = place.cyclic || place.wave != MapWave::none;
  const bool single = columns.first == columns.last && rows.first == rows.last;
  if (single && !angles) return static_cast<double>(cells.values[rows.first * cells.columns + columns.first]);
  const double low = place.cyclic ? place.range.low : 0;
  const double turns = place.cyclic ? kTurn / (place.range.high - place.range.low) : 1;
  Sum sum;
  for (std::size_t row = rows.first; row <= rows.last; ++row) {
    const double row_weight = weight_of(rows, row);
    for (std::size_t column = columns.first; column <= columns.last; ++column) {
      const double value = static_cast<double>(cells.values[row * cells.columns + column]);
      if (std::isnan(value) || (angles && std::isinf(value))) continue;
      const double weight = row_weight * weight_of(columns, column);
      sum.weight += weight;
      sum.value += weight * (angles ? std::cos((value - low) * turns) : value);
      if (angles) sum.sine += weight * std::sin((value - low) * turns);
    }
  }
  return mean_of(window, sum, angles ? pixel_turn(window, columns, rows) : PixelTurn{}, single);
}

int stripe_width(const MapPaint& paint) {
  return std::max(1, (paint.hatch_period + 3) / 7);
}

std::vector<Colour> paint_window(const MapWindow& window, Holes holes) {
  std::vector<Footprint> columns;
  for (int x = 0; x < window.width; ++x) {
    columns.push_back(footprint(window.first_column, window.column_step, x, window.cells->columns));
  }
  std::vector<Colour> pixels;
  pixels.reserve(static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height));
  for (int y = 0; y < window.height; ++y) {
    const Footprint rows = footprint(window.first_row, window.row_step, y, window.cells->rows);
    for (int x = 0; x < window.width; ++x) {
      const double value = value_at(window, columns[static_cast<std::size_t>(x)], rows);
      Colour colour = colour_at(window.paint.table, window.paint.place, value);
      if (colour.alpha == 0 && holes == Holes::hatched) {
        colour = is_on_stripe(window.paint, x, y) ? window.paint.hatch : window.paint.ground;
      }
      pixels.push_back(colour);
    }
  }
  return pixels;
}

}  // namespace ropescope
