// The cells of a map that each pixel shows, and its colour. The shader of app/gpu computes the same on the graphics
// card and must agree with it. Read MapCells in figure.h and palette.h first.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/palette.h"

namespace ropescope {

/// The colours for the cells of a map.
struct MapPaint {
  ColourTable table{};
  TablePlace place;      ///< place of a value in the table
  Colour ground, hatch;  ///< for NaN cells: stripes of `hatch` on `ground`
  int hatch_period = 7;  ///< pixels from stripe to stripe, along a row
  bool operator==(const MapPaint& other) const;
};

/// Pixels and the cells that they show, in cell coordinates: cell c covers c to c + 1; the left edge of pixel i is at
/// first_column + i·column_step. A step is negative if columns run to the left, or rows upwards.
struct MapWindow {
  std::shared_ptr<const MapCells> cells;
  MapPaint paint;
  int width = 0, height = 0;
  double first_column = 0, column_step = 1;
  double first_row = 0, row_step = 1;
  bool operator==(const MapWindow& other) const;
};

/// The cells under one pixel in one direction: `first` with its weight, whole cells, `last` with its weight. Magnified
/// cells (a step of at most one cell) are sampled at the pixel's middle, which keeps their edges sharp; smaller ones
/// are weighted by their share within the pixel.
struct Footprint {
  std::size_t first = 0, last = 0;
  double first_weight = 1, last_weight = 1;
};
Footprint footprint(double first, double step, int pixel, std::size_t cells);

/// The smallest length of a mean phasor whose direction counts: angles spread evenly over half a circle give 2/π.
inline constexpr double kShortestPhasor = 0.6366;

/// The change of angle from pixel to pixel (radians, never negative) along columns and rows: the difference between the
/// pixel's middle cell and its neighbour. Angles are not wrapped, so whole turns count. 0 in a direction in which a
/// pixel shows one cell of an unreduced grid, or if there is no neighbour.
struct PixelTurn {
  double columns = 0, rows = 0;
};
/// Returns the number of cells from pixel to pixel; 0 where a pixel shows one cell of an unreduced grid.
PixelTurn turning_cells(const MapWindow& window);

/// Returns the value shown by a pixel: the mean of the cells under it without NaN cells; NaN if no cell is left. For
/// angles: the direction of their mean phasor; NaN if it is shorter than kShortestPhasor or the change per pixel
/// exceeds half a turn. Pixels that agree after whole turns would show a pattern that is not in the data. For waves:
/// the mean sine or cosine, which fades to 0 between a quarter turn and half a turn per pixel for the same reason.
double value_at(const MapWindow& window, const Footprint& columns, const Footprint& rows);

/// Returns the colours of the pixels, row by row from the top. Cells without a value are hatched or transparent. The
/// shader must agree with this function. Precondition: the map has cells.
enum class Holes { hatched, transparent };
std::vector<Colour> paint_window(const MapWindow& window, Holes holes = Holes::hatched);

/// Returns the width of one stripe of a hatched area, in pixels along a row.
int stripe_width(const MapPaint& paint);

}  // namespace ropescope
