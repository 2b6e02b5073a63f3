#include "app/figure/screen_fill.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ropescope {

namespace {

double turn(Vec2 a, Vec2 b, Vec2 c) {
  return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

double area(const std::vector<Vec2>& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum / 2;
}

/// All turns in one direction, and once around: a star turns in one direction too.
bool is_convex(const std::vector<Vec2>& points) {
  if (points.size() > 64) return false;
  bool left = false, right = false;
  double around = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()], c = points[(i + 2) % points.size()];
    const double bend = turn(a, b, c);
    left |= bend < 0;
    right |= bend > 0;
    around += std::atan2(bend, (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y));
  }
  return !(left && right) && std::abs(around) < 6.4;
}

struct Crossing {
  double x = 0;
  int direction = 0;
};

/// Where the outline crosses the middle of a row of pixels, from left to right.
std::vector<Crossing> crossings_at(const std::vector<Vec2>& points, double y) {
  std::vector<Crossing> crossings;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    if ((a.y <= y) == (b.y <= y)) continue;
    crossings.push_back({a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x), a.y < b.y ? 1 : -1});
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
  return crossings;
}

}  // namespace

ImU32 colour32(Colour colour) {
  return IM_COL32(colour.red, colour.green, colour.blue, colour.alpha);
}

void fill_polygon(ImDrawList* list, const PolygonItem& polygon, const Rect& clip) {
  if (polygon.points.size() < 3) return;
  if (is_convex(polygon.points)) {
    std::vector<ImVec2> corners;
    for (const Vec2& p : polygon.points) corners.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
    // ImGui softens the edges of clockwise polygons.
    if (area(polygon.points) < 0) std::reverse(corners.begin(), corners.end());
    list->AddConvexPolyFilled(corners.data(), static_cast<int>(corners.size()), colour32(polygon.fill));
    return;
  }
  double top = clip.bottom(), bottom = clip.top;
  for (const Vec2& p : polygon.points) {
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  bottom = std::min(bottom, clip.bottom());
  for (double y = std::floor(std::max(top, clip.top)); y < bottom; ++y) {
    const std::vector<Crossing> crossings = crossings_at(polygon.points, y + 0.5);
    int winding = 0;
    for (std::size_t i = 0; i + 1 < crossings.size(); ++i) {
      winding += crossings[i].direction;
      if (winding == 0) continue;
      const float left = static_cast<float>(std::round(crossings[i].x));
      const float right = static_cast<float>(std::round(crossings[i + 1].x));
      const float low = static_cast<float>(y);
      if (left < right) list->AddRectFilled({left, low}, {right, low + 1}, colour32(polygon.fill));
    }
  }
}

void fill_gradient(ImDrawList* list, const GradientItem& gradient) {
  if (gradient.colours.size() < 2) return;
  const auto whole = [](double value) { return static_cast<float>(std::round(value)); };
  const Rect& rect = gradient.rect;
  const double steps = static_cast<double>(gradient.colours.size() - 1);
  for (std::size_t i = 0; i + 1 < gradient.colours.size(); ++i) {
    const ImU32 lower = colour32(gradient.colours[i]), upper = colour32(gradient.colours[i + 1]);
    const float bottom = whole(rect.bottom() - rect.height * static_cast<double>(i) / steps);
    const float top = whole(rect.bottom() - rect.height * static_cast<double>(i + 1) / steps);
    if (top < bottom) {
      list->AddRectFilledMultiColor({whole(rect.left), top}, {whole(rect.right()), bottom}, upper, upper, lower, lower);
    }
  }
}

}  // namespace ropescope
