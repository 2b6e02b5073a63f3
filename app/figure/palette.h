#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

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
/// "dark" or "light"; InputError otherwise.
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

}  // namespace ropescope
