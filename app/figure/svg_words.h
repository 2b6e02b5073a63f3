#pragma once

#include <string>

#include "app/figure/scene.h"

namespace ropescope {

/// A text of the scene as an element of an SVG, in its colour and font. `corner`: of its box, the lower left one where
/// it is vertical; `baseline`: below the box's top.
std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts);
/// Puts such elements at the end of an SVG, each unit of theirs so many of its own.
void add_svg_words(std::string& svg, const std::string& words, double scale);

}  // namespace ropescope
