#include "app/figure/svg_words.h"

#include <cmath>

#include "app/figure/number_text.h"
#include "app/resources/xml.h"

namespace ropescope {

namespace {

/// Thousandths are enough.
std::string coordinate(double value) {
  return shortest_number(std::round(value * 1000) / 1000);
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

}  // namespace

std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts) {
  std::string place;
  if (item.vertical) {
    place = "transform=\"translate(" + coordinate(corner.x + baseline) + " " + coordinate(corner.y) + ") rotate(-90)\"";
  } else {
    place = "x=\"" + coordinate(corner.x) + "\" y=\"" + coordinate(corner.y + baseline) + "\"";
  }
  std::string look = " font-family=\"" + fonts + "\" font-size=\"" + coordinate(item.style.size) + "\" fill=\"" +
                     hex(item.colour) + "\"";
  if (item.style.weight == FontWeight::semibold) look += " font-weight=\"600\"";
  if (item.colour.alpha < 255) look += " fill-opacity=\"" + coordinate(item.colour.alpha / 255.0) + "\"";
  return "<text " + place + look + ">" + xml_escaped(item.text) + "</text>\n";
}

void add_svg_words(std::string& svg, const std::string& words, double scale) {
  const std::size_t end = svg.rfind("</svg>");
  if (end == std::string::npos) return;
  const std::string size = scale == 1 ? "" : " transform=\"scale(" + shortest_number(scale) + ")\"";
  svg.insert(end, "<g style=\"font-feature-settings:'tnum'\"" + size + ">\n" + words + "</g>\n");
}

}  // namespace ropescope
