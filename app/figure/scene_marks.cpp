#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

constexpr double kFillOpacity = 0.14;
constexpr double kHeadLength = 0.85, kHeadHalfWidth = 0.3;  ///< ems of the tick labels

Vec2 pixel_of(const SceneContext& context, double x, double y) {
  return {context.frame.x.to_pixel(x), context.frame.y.to_pixel(y)};
}

bool is_finite(Vec2 p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

/// The plot and as much around it as a stroke needs.
Rect room_of(const SceneContext& context, double width) {
  const Rect& plot = context.frame.plot;
  const double margin = 4 * width;
  return {plot.left - margin, plot.top - margin, plot.width + 2 * margin, plot.height + 2 * margin};
}

Colour filled(Colour colour) {
  colour.alpha = static_cast<std::uint8_t>(std::lround(colour.alpha * kFillOpacity));
  return colour;
}

/// Within the rectangle, so that boxes side by side do not cover each other nor one at the edge is cut. Whole pixels on
/// each side, the corners in one piece with the horizontal sides.
void add_outline(Scene& scene, Rect rect, const PathItem& like) {
  const double half = like.width / 2, in_x = std::min(half, rect.width / 4), in_y = std::min(half, rect.height / 4);
  rect = {rect.left + in_x, rect.top + in_y, rect.width - 2 * in_x, rect.height - 2 * in_y};
  const auto add = [&](Vec2 from, Vec2 to) {
    PathItem side = like;
    side.points = {from, to};
    scene.items.push_back(side);
  };
  for (const double y : {rect.top, rect.bottom()}) add({rect.left - half, y}, {rect.right() + half, y});
  for (const double x : {rect.left, rect.right()}) add({x, rect.top + half}, {x, rect.bottom() - half});
}

void add_box(Scene& scene, const SceneContext& context, const Box& box) {
  const Vec2 a = pixel_of(context, box.x.low, box.y.low), b = pixel_of(context, box.x.high, box.y.high);
  if (!is_finite(a) || !is_finite(b)) return;
  const double width = context.options.line_width;
  // Sides far away are as good as sides just outside.
  const Rect room = room_of(context, width);
  const double left = std::clamp(std::min(a.x, b.x), room.left, room.right());
  const double right = std::clamp(std::max(a.x, b.x), room.left, room.right());
  const double top = std::clamp(std::min(a.y, b.y), room.top, room.bottom());
  const double bottom = std::clamp(std::max(a.y, b.y), room.top, room.bottom());
  if (right <= room.left || left >= room.right() || bottom <= room.top || top >= room.bottom()) return;
  const Rect rect{left, top, right - left, bottom - top};
  const Colour colour = ink_of(context, box.role, box.style);
  if (box.filled) {
    scene.items.push_back(RectItem{rect, filled(colour), 0});
  } else {
    add_outline(scene, rect, PathItem{{}, colour, width * (box.style.faint ? 0.6 : 1), Dash::solid});
  }
}

/// A stroke that ends where it began goes on over its beginning, or a gap would be seen there.
void join_ends(std::vector<Vec2>& points, Colour colour) {
  if (points.size() < 4 || colour.alpha < 255) return;
  const Vec2 first = points.front(), last = points.back();
  if (std::hypot(first.x - last.x, first.y - last.y) < 0.5) points.push_back(points[1]);
}

void add_path(Scene& scene, const SceneContext& context, const Path& path) {
  const Colour colour = ink_of(context, path.role, path.style);
  const double width = context.options.line_width * (path.style.faint ? 0.6 : 1) * path.width;
  const Dash dash = path.dashed ? stroke_of(context.palette, path.style).dash : Dash::solid;
  const Rect room = room_of(context, width);
  std::vector<Vec2> points;
  const auto finish = [&] {
    if (path.filled) add_polygon(scene, points, room, filled(colour));
    if (dash == Dash::solid) join_ends(points, colour);
    add_polyline(scene, points, room, PathItem{{}, colour, width, dash});
    points.clear();
  };
  for (std::size_t i = 0; i < std::min(path.xs.size(), path.ys.size()); ++i) {
    const Vec2 point = pixel_of(context, path.xs[i], path.ys[i]);
    if (is_finite(point)) {
      points.push_back(point);
    } else {
      finish();
    }
  }
  finish();
}

struct Ink {
  Colour colour;
  bool faint = false;
};

/// The shaft ends inside the head, whose tip is the point itself. Short arrows have a smaller head.
void add_shaft(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip, const Ink& ink) {
  const double em = context.options.text_size, length = std::hypot(tip.x - from.x, tip.y - from.y);
  const double width = 1.25 * context.options.line_width * (ink.faint ? 0.6 : 1);
  const Colour colour = ink.colour;
  const Rect room = room_of(context, em);
  if (length < width) {
    if (room.contains(tip)) scene.items.push_back(DiscItem{tip, width, colour});
    return;
  }
  const double size = std::min(1.0, 0.6 * length / (kHeadLength * em)) * (ink.faint ? 0.8 : 1);
  const Vec2 along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const double head = size * kHeadLength * em, half = size * kHeadHalfWidth * em;
  const Vec2 base{tip.x - head * along.x, tip.y - head * along.y};
  // A faint shaft would show through the head where they overlap.
  const double overlap = colour.alpha == 255 ? 0.2 * head : 0;
  const Vec2 end{base.x + overlap * along.x, base.y + overlap * along.y};
  add_polyline(scene, {from, end}, room, PathItem{{}, colour, width, Dash::solid});
  add_polygon(
      scene,
      {tip, {base.x - half * along.y, base.y + half * along.x}, {base.x + half * along.y, base.y - half * along.x}},
      room, colour);
}

void add_arrow(Scene& scene, const SceneContext& context, const Arrow& arrow) {
  const Vec2 from = pixel_of(context, arrow.x0, arrow.y0), tip = pixel_of(context, arrow.x1, arrow.y1);
  if (!is_finite(from) || !is_finite(tip)) return;
  add_shaft(scene, context, from, tip, {ink_of(context, arrow.role, arrow.style), arrow.style.faint});
}

}  // namespace

Colour ink_of(const SceneContext& context, Role role, const LineStyle& style) {
  if (role == Role::curve) return stroke_of(context.palette, style).colour;
  const Colour colour = colour_of(context.palette, role);
  return style.faint ? with_alpha(colour, 0.5) : colour;
}

void add_boxes_and_paths(Scene& scene, const SceneContext& context) {
  if (context.figure.boxes.empty() && context.figure.paths.empty()) return;
  scene.items.push_back(ClipItem{context.frame.plot});
  for (const Box& box : context.figure.boxes) add_box(scene, context, box);
  for (const Path& path : context.figure.paths) add_path(scene, context, path);
  scene.items.push_back(UnclipItem{});
}

void add_pointer(Scene& scene, const SceneContext& context, Vec2 from, Vec2 tip) {
  add_shaft(scene, context, from, tip, {context.palette.text, false});
}

void add_arrows(Scene& scene, const SceneContext& context) {
  if (context.figure.arrows.empty()) return;
  scene.items.push_back(ClipItem{context.frame.plot});
  for (const Arrow& arrow : context.figure.arrows) add_arrow(scene, context, arrow);
  scene.items.push_back(UnclipItem{});
}

}  // namespace ropescope
