#include "app/figure/palette.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace ropescope {

namespace {

Colour rgb(unsigned hex) {
  return {static_cast<std::uint8_t>(hex >> 16 & 255), static_cast<std::uint8_t>(hex >> 8 & 255),
          static_cast<std::uint8_t>(hex & 255), 255};
}

Palette dark_palette() {
  Palette p;
  p.ground = rgb(0x14161a);
  p.panel = rgb(0x1b1e24);
  p.raised = rgb(0x22262e);
  p.line = rgb(0x2d323c);
  p.text = rgb(0xe6e8ec);
  p.secondary = rgb(0x9aa1ad);
  p.faint = rgb(0x666e7b);
  p.accent = rgb(0x56b4e9);
  p.warning = rgb(0xe69f00);
  p.canvas = rgb(0x16191e);
  p.curves = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x009e73), rgb(0xcc79a7), rgb(0xf0e442)};
  p.dark = true;
  return p;
}

Palette light_palette() {
  Palette p;
  p.ground = rgb(0xf4f5f7);
  p.panel = rgb(0xffffff);
  p.raised = rgb(0xeef0f3);
  p.line = rgb(0xd9dde3);
  p.text = rgb(0x16181d);
  p.secondary = rgb(0x5a6270);
  p.faint = rgb(0x8d95a3);
  p.accent = rgb(0x0072b2);
  p.warning = rgb(0xd55e00);
  p.canvas = rgb(0xffffff);
  p.curves = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xaa4499), rgb(0x555555)};
  p.dark = false;
  return p;
}

}  // namespace

Palette palette(ThemeName name) {
  return name == ThemeName::dark ? dark_palette() : light_palette();
}

ThemeName parse_theme(const std::string& name) {
  if (name == "dark") return ThemeName::dark;
  if (name == "light") return ThemeName::light;
  throw InputError("page.theme", {{"name", name}});
}

Stroke stroke_of(const Palette& palette, const LineStyle& style) {
  constexpr int kCount = 5;
  const bool neutral = style.slot < 0;
  const int slot = neutral ? -1 - style.slot : style.slot;
  const int colour = slot % kCount;
  const int dash = (slot + slot / kCount) % kCount;
  Stroke stroke{neutral ? palette.text : palette.curves[static_cast<std::size_t>(colour)], static_cast<Dash>(dash)};
  if (style.faint) stroke.colour = with_alpha(stroke.colour, 0.5);
  return stroke;
}

Colour colour_of(const Palette& palette, Role role) {
  switch (role) {
    case Role::text:
      return palette.text;
    case Role::secondary:
      return palette.secondary;
    case Role::faint:
      return palette.faint;
    case Role::accent:
      return palette.accent;
    case Role::line:
      return palette.line;
    case Role::curve:
      return palette.curves[0];
    case Role::inverse:
      return palette.canvas;
  }
  return palette.text;
}

Colour with_alpha(Colour colour, double alpha) {
  colour.alpha = static_cast<std::uint8_t>(std::lround(255 * std::clamp(alpha, 0.0, 1.0)));
  return colour;
}

std::vector<double> dash_pattern(Dash dash, double width) {
  std::vector<double> pattern;
  switch (dash) {
    case Dash::solid:
      break;
    case Dash::long_dash:
      pattern = {5, 3};
      break;
    case Dash::dots:
      pattern = {1, 2};
      break;
    case Dash::dash_dot:
      pattern = {5, 2, 1, 2};
      break;
    case Dash::short_dash:
      pattern = {2.5, 2};
      break;
  }
  for (double& length : pattern) length *= width;
  return pattern;
}

}  // namespace ropescope
