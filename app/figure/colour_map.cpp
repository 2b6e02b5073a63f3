#include "app/figure/colour_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ropescope {

namespace {

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

/// #a84300, #e69f00, the ground, #56b4e9, #00508f in the same way.
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
