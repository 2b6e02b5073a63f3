#pragma once

#include <array>

#include "app/figure/figure.h"
#include "app/figure/palette.h"

namespace ropescope {

/// The colours of a map from one end of its bar to the other. Entry k of a table of sizes or signed values stands at
/// k/255 of the range; of angles at k/256, and after the last entry follows the first.
using ColourTable = std::array<Colour, 256>;

/// magnitude: viridis (dark violet to yellow; its lightness grows evenly). signed_value: orange, the theme's ground at
/// the middle, blue; brighter with size on dark, darker on light. angle: a loop through white, blue, black and orange
/// whose steps are equally long in Oklab (Ottosson 2020).
ColourTable colour_table(MapColours colours, const Palette& palette);

/// The colour of a value, linear between the entries of a table (per channel in sRGB, rounded). Values outside the
/// range take the colour of its end, angles come round; NaN is fully transparent. Where the range is empty everything
/// is in its middle.
struct TablePlace {
  bool cyclic = false;
  Range range;
  MapWave wave = MapWave::none;  ///< of cells; the value that is looked up is their sine or cosine already
};
Colour colour_at(const ColourTable& table, const TablePlace& place, double value);

/// What shader and page must agree with: the colour of one value of a map.
Colour colour_of(const Map& map, double value, const Palette& palette);

}  // namespace ropescope
