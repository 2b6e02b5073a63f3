// Colours of curves and maps that everybody can tell apart, for every painter, and strokes of lines. Figures name slots
// and roles (figure.h); here they become colours.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

// --- Palette -------------------------------------------------------------------------------------------------------

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0, alpha = 255;
  bool operator==(const Colour&) const = default;
};

enum class Dash { solid, long_dash, dots, dash_dot, short_dash };

/// The colours of a theme, as measured in the drawings of the intended look (Okabe–Ito for lines).
struct Palette {
  Colour ground, panel, raised, line, text, secondary, faint, accent, warning;
  Colour canvas;  ///< behind a plot: between ground and panel
  std::array<Colour, 5> curves;
  bool dark = true;
};

enum class ThemeName { dark, light };
Palette palette(ThemeName name);
/// The theme of a name, "dark" or "light". Throws InputError for any other.
ThemeName parse_theme(const std::string& name);

struct Stroke {
  Colour colour;
  Dash dash;
};
/// Colour and dash of a slot: the first five pair colour k with dash k, the next ones shift the dash by one each round.
/// Faint styles come half transparent.
Stroke stroke_of(const Palette& palette, const LineStyle& style);
Colour colour_of(const Palette& palette, Role role);
Colour with_alpha(Colour colour, double alpha);
/// Lengths of strokes and gaps in turn, for butt ends and a line of this width; empty where solid.
std::vector<double> dash_pattern(Dash dash, double width);

// --- Maps ----------------------------------------------------------------------------------------------------------

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
