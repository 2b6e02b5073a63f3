#pragma once

#include <memory>
#include <vector>

#include "app/figure/colour_map.h"

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

/// Mean phasors that are shorter have no direction: those of angles all over half a circle have 2/π. Drawn all the
/// same, directions of what turns further from pixel to pixel would be a pattern that is not in the data.
inline constexpr double kShortestPhasor = 0.6366;

/// What the pixel shows: the mean of the cells under it, of angles the direction of their mean phasor; cells that are
/// NaN are passed over. NaN where there is nothing, or no direction (kShortestPhasor).
double value_at(const MapWindow& window, const Footprint& columns, const Footprint& rows);

/// Colours of the pixels, row by row from the top. Cells without a value are hatched, or transparent. This is what the
/// shader has to agree with. Precondition: the map has cells.
enum class Holes { hatched, transparent };
std::vector<Colour> paint_window(const MapWindow& window, Holes holes = Holes::hatched);

/// Pixels of each stripe of a hatched hole along a row; and whether a pixel lies on one.
int stripe_width(const MapPaint& paint);
bool is_on_stripe(const MapPaint& paint, int x, int y);

}  // namespace ropescope
