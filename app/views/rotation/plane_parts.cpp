#include "app/views/rotation/plane_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/number_text.h"

namespace ropescope {

namespace {

constexpr int kPointsPerTurn = 72;
/// A spiral shows this many full turns at most; its label counts the others.
constexpr double kMostSpiralTurns = 5;

}  // namespace

void add(Path& path, double x, double y) {
  path.xs.push_back(x);
  path.ys.push_back(y);
}

void lift(Path& path) {
  add(path, std::nan(""), std::nan(""));
}

Path path_of(const std::string& key, Role role, double width) {
  Path path;
  path.key = key;
  path.role = role;
  path.width = width;
  return path;
}

void add_circle(Figure& figure, double reach) {
  Path axes = path_of("axes", Role::line, 0.7);
  add(axes, -reach, 0);
  add(axes, reach, 0);
  lift(axes);
  add(axes, 0, -reach);
  add(axes, 0, reach);
  figure.paths.push_back(axes);
  Path circle = path_of("circle", Role::secondary, 0.8);
  for (int i = 0; i <= 180; ++i) add(circle, std::cos(i * std::numbers::pi / 90), std::sin(i * std::numbers::pi / 90));
  figure.paths.push_back(circle);
  Path ticks = path_of("ticks", Role::secondary, 0.8);
  for (int i = 0; i < 24; ++i) {
    const double angle = i * std::numbers::pi / 12, inner = i % 3 == 0 ? 0.95 : 0.975;
    add(ticks, inner * std::cos(angle), inner * std::sin(angle));
    add(ticks, std::cos(angle), std::sin(angle));
    lift(ticks);
  }
  figure.paths.push_back(ticks);
}

Path spiral(const std::string& key, const Eigen::Vector2d& from, double angle, Range radius) {
  Path path;
  path.key = key;
  const double turns = std::abs(angle) / (2 * std::numbers::pi);
  const double shown = turns > kMostSpiralTurns ? kMostSpiralTurns + std::fmod(turns, 1.0) : turns;
  const double begin = from.norm() > 0 ? std::atan2(from.y(), from.x()) : 0;
  const double per_turn = (radius.high - radius.low) / std::max(shown, kMostSpiralTurns / 2);
  const int points = static_cast<int>(std::ceil(kPointsPerTurn * shown)) + 1;
  for (int i = 0; i <= points; ++i) {
    const double turn = shown * i / points;
    const double at = radius.low + per_turn * turn, phi = begin + std::copysign(2 * std::numbers::pi * turn, angle);
    add(path, at * std::cos(phi), at * std::sin(phi));
  }
  return path;
}

Label corner_label(Eigen::Vector2d corner, double line, const std::string& words, const LineStyle& style) {
  constexpr double kLine = 1.1;
  Label label;
  label.x = corner.x();
  label.y = corner.y();
  label.anchor_x = corner.x() < 0 ? 0 : 1;
  label.anchor_y = corner.y() > 0 ? -kLine * line : 1 + kLine * line;
  label.text = words;
  label.role = Role::curve;
  label.style = style;
  label.semibold = true;
  return label;
}

Arrow arrow_to(const std::string& key, const Eigen::Vector2d& tip, const std::string& label, const LineStyle& style) {
  Arrow arrow;
  arrow.key = key;
  arrow.label = label;
  arrow.style = style;
  arrow.x1 = tip.x();
  arrow.y1 = tip.y();
  return arrow;
}

void add_between(Figure& figure, const Eigen::Vector2d& query, const Eigen::Vector2d& key) {
  const double from = std::atan2(key.y(), key.x());
  const double to = std::atan2(query.y(), query.x());
  const double angle = std::remainder(to - from, 2 * std::numbers::pi);
  const double radius = 0.9 * std::min(key.norm(), query.norm());
  Path wedge = path_of("between", Role::secondary, 0.6);
  wedge.filled = true;
  add(wedge, 0, 0);
  for (int i = 0; i <= 32; ++i) {
    const double phi = from + angle * i / 32;
    add(wedge, radius * std::cos(phi), radius * std::sin(phi));
  }
  add(wedge, 0, 0);
  figure.paths.push_back(wedge);
}

std::string vector_tip(const std::string& name, const Eigen::Vector2d& vector, const Text& text) {
  return text.format(
      "view.rotation.vector_tip",
      {{"name", name}, {"first", readable_number(vector.x(), 4)}, {"second", readable_number(vector.y(), 4)}});
}

void add_vector_handles(Figure& figure, const Eigen::Vector2d& q, const Eigen::Vector2d& k, const Text& text) {
  for (const auto& [name, vector] : {std::pair<std::string, Eigen::Vector2d>("q", q), {"k", k}}) {
    figure.handles.push_back(
        {name, vector.x(), vector.y(), 0, true, vector_tip(text["view.rotation." + name], vector, text)});
  }
}

}  // namespace ropescope
