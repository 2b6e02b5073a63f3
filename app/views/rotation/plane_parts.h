#pragma once

#include <Eigen/Core>
#include <string>

#include "app/figure/figure.h"
#include "app/resources/text.h"

namespace ropescope {

// What the pictures of a pair in the plane share.

inline constexpr LineStyle kQuery{0, false}, kQueryFaint{0, true}, kKey{1, false}, kKeyFaint{1, true};

void add(Path& path, double x, double y);
/// Lifts the pen.
void lift(Path& path);
Path path_of(const std::string& key, Role role, double width = 1);

/// The axes of the plane as far as `reach`, and the circle of length 1 with its ticks.
void add_circle(Figure& figure, double reach);
/// The angle from the arrow to where it was turned, as a spiral that grows a little with each turn. More than a few
/// turns begin later: the end stays where it is.
Path spiral(const std::string& key, const Eigen::Vector2d& from, double angle, Range radius);
/// Words in a corner of the plane, the `line`-th from its edge: lines lie apart by the height of the words, which is
/// not known here, so the anchor counts in it.
Label corner_label(Eigen::Vector2d corner, double line, const std::string& words, const LineStyle& style);
Arrow arrow_to(const std::string& key, const Eigen::Vector2d& tip, const std::string& label, const LineStyle& style);
/// The shape that stays while both are locked: what lies between the two turned arrows, the short way.
void add_between(Figure& figure, const Eigen::Vector2d& query, const Eigen::Vector2d& key);
/// What is said over a tip that can be dragged.
std::string vector_tip(const std::string& name, const Eigen::Vector2d& vector, const Text& text);
/// The tips of q and k can be dragged: handles "q" and "k".
void add_vector_handles(Figure& figure, const Eigen::Vector2d& q, const Eigen::Vector2d& k, const Text& text);

}  // namespace ropescope
