// Lines and areas cut to a rectangle.

#include "app/figure/scene/scene_parts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ropescope {

namespace {

/// Returns the part of a polygon on the side of a line with `distance` ≥ 0 (Sutherland and Hodgman 1974).
template <class Distance>
std::vector<Vec2> clip_to_side(const std::vector<Vec2>& points, const Distance& distance) {
  std::vector<Vec2> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    const double from = distance(a), to = distance(b);
    if (from >= 0) kept.push_back(a);
    if ((from < 0) != (to < 0)) {
      const double share = from / (from - to);
      kept.push_back({a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
    }
  }
  return kept;
}

}  // namespace

// Liang and Barsky 1984.
std::optional<std::pair<Vec2, Vec2>> clip_segment(Vec2 a, Vec2 b, const Rect& rect) {
  double from = 0, to = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto cut = [&](double along, double room) {  // keeps along·t ≤ room
    if (along == 0) return room >= 0;
    const double t = room / along;
    if (along < 0) {
      from = std::max(from, t);
    } else {
      to = std::min(to, t);
    }
    return from <= to;
  };
  if (!cut(-dx, a.x - rect.left) || !cut(dx, rect.right() - a.x) || !cut(-dy, a.y - rect.top) ||
      !cut(dy, rect.bottom() - a.y)) {
    return std::nullopt;
  }
  return std::pair{Vec2{a.x + from * dx, a.y + from * dy}, Vec2{a.x + to * dx, a.y + to * dy}};
}

void add_polyline(Scene& scene, const std::vector<Vec2>& points, const Rect& rect, const PathItem& like) {
  PathItem path = like;
  const auto finish = [&] {
    if (path.points.size() > 1) scene.items.push_back(path);
    path.points.clear();
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto segment = clip_segment(points[i - 1], points[i], rect);
    if (!segment) {
      finish();
      continue;
    }
    if (path.points.empty() || !(path.points.back() == segment->first)) {
      finish();
      path.points.push_back(segment->first);
    }
    path.points.push_back(segment->second);
  }
  finish();
}

void add_polygon(Scene& scene, std::vector<Vec2> points, const Rect& rect, Colour fill) {
  points = clip_to_side(points, [&](Vec2 p) { return p.x - rect.left; });
  points = clip_to_side(points, [&](Vec2 p) { return rect.right() - p.x; });
  points = clip_to_side(points, [&](Vec2 p) { return p.y - rect.top; });
  points = clip_to_side(points, [&](Vec2 p) { return rect.bottom() - p.y; });
  if (points.size() > 2) scene.items.push_back(PolygonItem{std::move(points), fill});
}

}  // namespace ropescope
