#include "app/figure/map_window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropescope {

namespace {

constexpr double kMagnified = 1 + 1e-6;  ///< cells per pixel up to which a pixel shows a single cell
constexpr double kTurn = 2 * 3.14159265358979323846;

/// Sum of a value over cells with their weights, and the sum of weights of what is not NaN.
struct Sum {
  double value = 0, sine = 0, weight = 0;
};

double mean_of(const MapWindow& window, const Sum& sum) {
  if (!(sum.weight > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (!window.paint.place.cyclic) return sum.value / sum.weight;
  if (std::hypot(sum.sine, sum.value) < kShortestPhasor * sum.weight) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Range& range = window.paint.place.range;
  return range.low + std::atan2(sum.sine, sum.value) / kTurn * (range.high - range.low);
}

double weight_of(const Footprint& footprint, std::size_t cell) {
  if (cell == footprint.first) return footprint.first_weight;
  return cell == footprint.last ? footprint.last_weight : 1;
}

}  // namespace

bool MapPaint::operator==(const MapPaint& other) const {
  return table == other.table && place.cyclic == other.place.cyclic && place.range == other.place.range &&
         ground == other.ground && hatch == other.hatch && hatch_period == other.hatch_period;
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

double value_at(const MapWindow& window, const Footprint& columns, const Footprint& rows) {
  const MapCells& cells = *window.cells;
  const TablePlace& place = window.paint.place;
  if (columns.first == columns.last && rows.first == rows.last) {
    return static_cast<double>(cells.values[rows.first * cells.columns + columns.first]);
  }
  const double turns = kTurn / (place.range.high - place.range.low);
  Sum sum;
  for (std::size_t row = rows.first; row <= rows.last; ++row) {
    const double row_weight = weight_of(rows, row);
    for (std::size_t column = columns.first; column <= columns.last; ++column) {
      const double value = static_cast<double>(cells.values[row * cells.columns + column]);
      if (std::isnan(value)) continue;
      const double weight = row_weight * weight_of(columns, column);
      sum.weight += weight;
      if (!place.cyclic) {
        sum.value += weight * value;
      } else {
        sum.value += weight * std::cos((value - place.range.low) * turns);
        sum.sine += weight * std::sin((value - place.range.low) * turns);
      }
    }
  }
  return mean_of(window, sum);
}

int stripe_width(const MapPaint& paint) {
  return std::max(1, (paint.hatch_period + 3) / 7);
}

bool is_on_stripe(const MapPaint& paint, int x, int y) {
  return (x + y) % std::max(paint.hatch_period, 2) < stripe_width(paint);
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
