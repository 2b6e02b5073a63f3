// The colours of both themes, strokes of slots, and the colour tables of maps.
//
// Contents: Palette; Maps.

#include "app/figure/palette.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/message.h"

namespace ropescope {

// --- Palette -------------------------------------------------------------------------------------------------------

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

// --- Maps ----------------------------------------------------------------------------------------------------------

/// Colours at equal steps from the low end to the high one.
using Stops = std::vector<unsigned>;

/// Viridis by its ten published colours (van der Walt and Smith 2015).
Stops magnitude_stops() {
  return {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
}

/// #ffe3ae, #e69f00, the ground, #56b4e9, #dcf1ff, with three more between each two, straight in Oklab.
Stops signed_stops_on_dark() {
  return {0xffe3ae, 0xf9d28f, 0xf3c16f, 0xedb049, 0xe69f00, 0xaf7e29, 0x7b5d30, 0x4a3f2f, 0x1e2127,
          0x2e4252, 0x3c6681, 0x4a8cb4, 0x56b4e9, 0x7bc4ef, 0x9dd3f5, 0xbde2fa, 0xdcf1ff};
}

/// #a84300, #e69f00, the ground, #56b4e9, #00508f, interpolated in the same way.
Stops signed_stops_on_light() {
  return {0xa84300, 0xb85a00, 0xc87100, 0xd78800, 0xe69f00, 0xebb663, 0xf0cc99, 0xf3e2c9, 0xf6f7f8,
          0xd1e7f5, 0xabd6f2, 0x83c5ee, 0x56b4e9, 0x429ad2, 0x2e81bb, 0x1968a5, 0x00508f};
}

/// 24 points at equal distances on the loop L = 0.6 + 0.3 cos s, chroma 0.145 |sin s|, hue 252° where sin s > 0 and
/// 48° where it is negative, in Oklab.
Stops angle_stops() {
  return {0xdedede, 0xbedafb, 0x9cccff, 0x7ebbff, 0x62a8f5, 0x4a95e6, 0x3483d3, 0x2170be,
          0x135fa6, 0x0e4f8b, 0x13406e, 0x1e354e, 0x2e2e2e, 0x4a2a19, 0x652d09, 0x7f3500,
          0x974000, 0xae4f0c, 0xc36024, 0xd6743c, 0xe78956, 0xf39f73, 0xfab693, 0xf6cdb8};
}

Stops stops_of(MapColours colours, const Palette& palette) {
  switch (colours) {
    case MapColours::magnitude:
      return magnitude_stops();
    case MapColours::signed_value:
      return palette.dark ? signed_stops_on_dark() : signed_stops_on_light();
    case MapColours::angle:
      return angle_stops();
  }
  return magnitude_stops();
}

std::uint8_t rounded(double channel) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(channel, 0.0, 255.0)));
}

Colour mixed(const std::array<double, 3>& a, const std::array<double, 3>& b, double share) {
  const auto channel = [&](std::size_t i) { return rounded(a[i] + share * (b[i] - a[i])); };
  return {channel(0), channel(1), channel(2), 255};
}

std::array<double, 3> channels(unsigned rgb) {
  return {static_cast<double>(rgb >> 16 & 255), static_cast<double>(rgb >> 8 & 255), static_cast<double>(rgb & 255)};
}

std::array<double, 3> channels(Colour c) {
  return {static_cast<double>(c.red), static_cast<double>(c.green), static_cast<double>(c.blue)};
}

}  // namespace

Palette palette(ThemeName name) {
  return name == ThemeName::dark ? dark_palette() : light_palette();
}

Palette with_contrast(Palette palette) {
  palette.line = palette.secondary;
  palette.secondary = palette.faint = palette.text;
  return palette;
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

double width_of(const LineStyle& style) {
  return style.lit ? 2 : style.faint ? 0.6 : 1;
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

std::string hex(Colour colour) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const int part : {colour.red, colour.green, colour.blue}) {
    text += kDigits[part / 16];
    text += kDigits[part % 16];
  }
  return text;
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

ColourTable colour_table(MapColours colours, const Palette& palette) {
  Stops stops = stops_of(colours, palette);
  const bool cyclic = colours == MapColours::angle;
  if (cyclic) stops.push_back(stops.front());
  ColourTable table;
  const double steps = static_cast<double>(stops.size() - 1);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const double place = steps * static_cast<double>(k) / (cyclic ? 256 : 255);
    const std::size_t i = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    table[k] = mixed(channels(stops[i]), channels(stops[i + 1]), place - static_cast<double>(i));
  }
  return table;
}

Colour colour_at(const ColourTable& table, const TablePlace& place, double value) {
  if (std::isnan(value) || (place.cyclic && std::isinf(value))) return {0, 0, 0, 0};
  const double span = place.range.high - place.range.low;
  double share = span > 0 ? (value - place.range.low) / span : 0.5;
  if (place.cyclic) {
    share = 256 * (share - std::floor(share));
    const std::size_t k = static_cast<std::size_t>(share) % 256;
    return mixed(channels(table[k]), channels(table[(k + 1) % 256]), share - std::floor(share));
  }
  share = 255 * std::clamp(share, 0.0, 1.0);
  const std::size_t k = std::min(static_cast<std::size_t>(share), std::size_t{254});
  return mixed(channels(table[k]), channels(table[k + 1]), share - static_cast<double>(k));
}

Colour colour_of(const Map& map, double value, const Palette& palette) {
  return colour_at(colour_table(map.colours, palette), {map.colours == MapColours::angle, map.range}, value);
}

}  // namespace ropescope
