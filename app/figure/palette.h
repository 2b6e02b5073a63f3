// Colours of curves and maps that are safe for colour-blind readers, for every painter, and line strokes. Figures name
// slots and roles (figure.h); here they become colours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

// --- Palette -------------------------------------------------------------------------------------------------------

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0, alpha = 255;
  bool operator==(const Colour&) const = default;
};

enum class Dash { solid, long_dash, dots, dash_dot, short_dash };

/// The colours of a theme, as measured in the design drawings (Okabe–Ito for lines).
struct Palette {
  Colour ground, panel, raised, line, text, secondary, faint, accent, warning;
  Colour canvas;  ///< under a plot: between ground and panel
  std::array<Colour, 5> curves;
  bool dark = true;
};

enum class ThemeName { dark, light };
Palette palette(ThemeName name);
/// Returns the colours with more contrast: secondary and faint text as clear as the text, lines as secondary text was.
Palette with_contrast(Palette palette);
/// Returns the theme with a name, "dark" or "light". Throws InputError for any other.
ThemeName parse_theme(const std::string& name);
/// Returns the name of a theme.
std::string theme_name(ThemeName theme);
/// Returns the theme with a name; nullopt for any other.
std::optional<ThemeName> find_theme(std::string_view name);

struct Stroke {
  Colour colour;
  Dash dash;
};
/// Returns colour and dash of a slot: the first five combine colour k with dash k; each further five shift the dash by
/// one. Faint styles are half transparent.
Stroke stroke_of(const Palette& palette, const LineStyle& style);
/// Returns the width of a style's stroke, relative to that of a line.
double width_of(const LineStyle& style);
Colour colour_of(const Palette& palette, Role role);
Colour with_alpha(Colour colour, double alpha);
/// Returns a colour without its alpha as "#0072b2".
std::string hex(Colour colour);
/// Returns the lengths of strokes and gaps, alternating, for butt ends and this line width; empty if solid.
std::vector<double> dash_pattern(Dash dash, double width);

// --- Maps ----------------------------------------------------------------------------------------------------------

/// The colours of a map from one end of its bar to the other. Entry k of a table for magnitudes or signed values is at
/// k/255 of the range; for angles it is at k/256, and the table wraps to entry 0.
using ColourTable = std::array<Colour, 256>;

/// Returns a colour table. magnitude: viridis (dark violet to yellow; its lightness grows evenly). signed_value:
/// orange, the theme's ground in the middle, blue; larger sizes are brighter on dark, darker on light. angle: a loop
/// through white, blue, black and orange with equal steps in Oklab (Ottosson 2020).
ColourTable colour_table(MapColours colours, const Palette& palette);

/// Returns the colour of a value, linear between the entries of a table (per channel in sRGB, rounded). Values outside
/// the range get the colour of the nearer end, angles wrap around, NaN is fully transparent. If the range is empty,
/// every value gets the middle colour.
struct TablePlace {
  bool cyclic = false;
  Range range;
  MapWave wave = MapWave::none;  ///< for cells; the value passed is their sine or cosine already
};
Colour colour_at(const ColourTable& table, const TablePlace& place, double value);

/// Returns the colour of one value of a map. Shader and page must agree with it.
Colour colour_of(const Map& map, double value, const Palette& palette);

}  // namespace ropescope
