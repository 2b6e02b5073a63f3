// Which cells of a map a pixel shows, and in which colour. The shader of app/gpu does the same on the graphics card and
// has to agree with it. Read MapCells in figure.h and palette.h before.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/palette.h"

namespace ropescope {

/// What gives the cells of a map their colours.
struct MapPaint {
  ColourTable table{};
  TablePlace place;      ///< of values in the table
  Colour ground, hatch;  ///< of cells that are NaN: stripes of one colour on the other
  int hatch_period = 7;  ///< pixels from stripe to stripe, along a row
  bool operator==(const MapPaint& other) const;
};

/// Pixels and the cells that they show. Edges have cell coordinates: cell c lies between c and c + 1; the left edge of
/// pixel i is at first_column + i·column_step. A step is negative where columns run to the left, or rows upwards.
struct MapWindow {
  std::shared_ptr<const MapCells> cells;
  MapPaint paint;
  int width = 0, height = 0;
  double first_column = 0, column_step = 1;
  double first_row = 0, row_step = 1;
  bool operator==(const MapWindow& other) const;
};

/// The cells under one pixel along one direction: `first` with its weight, whole ones, `last` with its weight.
/// Magnified cells (a step of at most one cell) are taken by the pixel's middle, so that their edges stay sharp;
/// smaller ones count by the share of them that lies within the pixel.
struct Footprint {
  std::size_t first = 0, last = 0;
  double first_weight = 1, last_weight = 1;
};
Footprint footprint(double first, double step, int pixel, std::size_t cells);

/// Mean phasors that are shorter have no direction: those of angles all over half a circle have 2/π.
inline constexpr double kShortestPhasor = 0.6366;

/// How far angles turn from pixel to pixel (radians, never negative) along columns and along rows, by the difference of
/// the pixel's middle cell to its neighbour: the cells hold angles that grow without end, so that whole turns count. 0
/// along a direction in which a pixel shows one cell of an unreduced grid, or where there is no neighbour.
struct PixelTurn {
  double columns = 0, rows = 0;
};
/// The cells from pixel to pixel, as far as turning matters: 0 where a pixel shows one cell of an unreduced grid.
PixelTurn turning_cells(const MapWindow& window);

/// What the pixel shows: the mean of the cells under it; cells that are NaN are passed over. Of angles the direction of
/// their mean phasor; none (NaN) where that is short (kShortestPhasor) or where they turn by more than half a circle
/// from pixel to pixel: neighbours that happen to point the same way after whole turns would make a pattern that is not
/// in the data. Of waves the mean sine or cosine, which fades to 0 for the same reason from a quarter turn a pixel to
/// half a turn. NaN where there is nothing.
double value_at(const MapWindow& window, const Footprint& columns, const Footprint& rows);

/// Colours of the pixels, row by row from the top. Cells without a value are hatched, or transparent. This is what the
/// shader has to agree with. Precondition: the map has cells.
enum class Holes { hatched, transparent };
std::vector<Colour> paint_window(const MapWindow& window, Holes holes = Holes::hatched);

/// How many pixels along a row a stripe of a hatched hole has.
int stripe_width(const MapPaint& paint);

}  // namespace ropescope
