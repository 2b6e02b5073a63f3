#include <algorithm>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

constexpr double kOpacity = 0.12, kFaintOpacity = 0.06;

/// The part of the plot that a span covers; empty where none of it is shown.
Rect shown_part(const SceneContext& context, const Span& span) {
  const Rect& plot = context.frame.plot;
  const AxisMap& map = span.vertical ? context.frame.x : context.frame.y;
  const double low = std::max(span.low, map.range.low), high = std::min(span.high, map.range.high);
  if (!(low < high)) return {};
  const double one = map.to_pixel(low), other = map.to_pixel(high);
  const double from = std::min(one, other), to = std::max(one, other);
  if (span.vertical) return {from, plot.top, to - from, plot.height};
  return {plot.left, from, plot.width, to - from};
}

Colour colour_of_span(const SceneContext& context, const Span& span) {
  return span.role == Role::curve ? stroke_of(context.palette, span.style).colour
                                  : colour_of(context.palette, span.role);
}

}  // namespace

void add_spans(Scene& scene, const SceneContext& context) {
  const double gap = 0.4 * context.options.text_size;
  for (const Span& span : context.figure.spans) {
    const Rect part = shown_part(context, span);
    if (!(part.width > 0 && part.height > 0)) continue;
    const Colour colour = colour_of_span(context, span);
    scene.items.push_back(RectItem{part, with_alpha(colour, span.style.faint ? kFaintOpacity : kOpacity), 0});
    const Vec2 size = context.measure(span.label, context.text_style());
    if (span.label.empty() || size.x + 2 * gap > part.width || size.y + 2 * gap > part.height) continue;
    TextItem label;
    label.at = {part.left + part.width / 2, part.bottom() - gap};
    label.anchor_x = 0.5;
    label.anchor_y = 1;
    label.text = span.label;
    label.style = context.text_style();
    label.colour = context.palette.secondary;
    scene.items.push_back(label);
  }
}

}  // namespace ropescope
