#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/rotation/plane_parts.h"
#include "app/views/shared/counted.h"
#include "core/rotary/frequencies.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

constexpr LineStyle kPlaneCosine{2, false}, kPlaneSine{3, false};
constexpr int kPlaneTrail = 12;  ///< positions

/// Half the side of the plane: roomy around the unit circle, and around longer arrows in steps, so that dragging one
/// does not make the picture tremble.
double reach_of_plane(const RotationState& state) {
  const double amplitude = std::max(1.0, std::abs(state.ladder.amplitude));
  const double longest = amplitude * std::max(state.q.norm(), state.k.norm());
  return longest <= 1.15 ? 1.4 : std::ceil(2.4 * longest + 0.5) / 2;
}

/// After what is said in numbers: where there is little room, these go first.
void add_angle_names(Figure& figure, const Text& text) {
  // Beside the axes, not on them: arrows and bars lie there.
  const std::pair<double, const char*> names[] = {{1, "quarter"}, {3, "three_quarters"}, {5, "five"}, {7, "seven"}};
  for (const auto& [eighth, name] : names) {
    const double angle = eighth * std::numbers::pi / 4;
    Label label;
    label.x = 1.1 * std::cos(angle);
    label.y = 1.1 * std::sin(angle);
    label.text = text[std::string("view.rotation.angle.") + name];
    label.role = Role::faint;
    label.anchor_x = label.x > 0 ? 0.1 : 0.9;
    label.size = 0.9;
    figure.labels.push_back(label);
  }
}

/// mθ and nθ as spirals, and in words: radians, under them turns.
void add_angles_plane(Figure& figure, const RotationState& state, double reach, const Text& text) {
  struct Turn {
    const char* name;
    const Eigen::Vector2d& from;
    double angle;  ///< radians
    LineStyle style;
    Range radius;
    double corner;  ///< of its label: top or bottom
  };
  const Turn turns[] = {{"query_angle", state.q, state.query_position * state.frequency, kQuery, {0.36, 0.6}, 1},
                        {"key_angle", state.k, state.key_position * state.key_frequency, kKey, {0.14, 0.3}, -1}};
  for (const Turn& turn : turns) {
    Path path = spiral(turn.name, turn.from, turn.angle, turn.radius);
    path.style = turn.style;
    figure.paths.push_back(path);
    const AngleWords words = angle_words(turn.angle, std::string("view.rotation.") + turn.name, text);
    const Eigen::Vector2d corner(-reach, turn.corner * reach);
    const double above = turn.corner > 0 ? 0 : 1;
    figure.labels.push_back(corner_label(corner, above, words.angle, turn.style));
    figure.labels.push_back(corner_label(corner, 1 - above, words.turns, turn.style));
  }
}

/// Dashes of one length on every side, whatever the slot's own.
void add_dashes(Path& path, const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  constexpr double kDash = 0.035;
  const double length = (to - from).norm();
  for (double at = 0; at < length; at += 2 * kDash) {
    const Eigen::Vector2d a = from + (to - from) * (at / length);
    const Eigen::Vector2d b = from + (to - from) * (std::min(at + kDash, length) / length);
    add(path, a.x(), a.y());
    add(path, b.x(), b.y());
    lift(path);
  }
}

/// Dashed from the tip of R_m q to both axes, and the components as bars there. Their numbers stand in a corner, where
/// nothing moves across them; for q = (1, 0) they are cos mθ and sin mθ.
void add_components(Figure& figure, const RotationState& state, double reach, const Text& text) {
  const Eigen::Vector2d& tip = state.turned_q;
  const bool unit = state.q == Eigen::Vector2d(1, 0) && state.ladder.amplitude == 1;
  struct Component {
    const char* key;
    LineStyle style;
    Eigen::Vector2d foot;
    double value;
    std::string words;
    double line;
  };
  const Component components[] = {
      {"first", kPlaneCosine, {tip.x(), 0}, tip.x(), unit ? "view.rotation.cosine" : "view.rotation.first", 0},
      {"second", kPlaneSine, {0, tip.y()}, tip.y(), unit ? "view.rotation.sine" : "view.rotation.second", 1}};
  for (const Component& component : components) {
    Path dashes = path_of(std::string("to_") + component.key, Role::curve, 0.7);
    dashes.style = component.style;
    add_dashes(dashes, tip, component.foot);
    Path bar = path_of(component.key, Role::curve, 2);
    bar.style = component.style;
    add(bar, 0, 0);
    add(bar, component.foot.x(), component.foot.y());
    figure.paths.push_back(dashes);
    figure.paths.push_back(bar);
    figure.labels.push_back(corner_label({reach, reach}, component.line,
                                         text.format(component.words, {{"value", readable_fixed(component.value, 3)}}),
                                         component.style));
  }
}

/// Where the tips stood at the whole positions before this one.
void add_trail_plane(Figure& figure, const RotationState& state) {
  const auto trail = [&](const char* key, const Eigen::Vector2d& from, double turning, double position,
                         const LineStyle& style) {
    const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, turning);
    Points points;
    points.key = key;
    points.style = style;
    for (int back = 1; back <= kPlaneTrail; ++back) {
      const double at = std::ceil(position) - back;
      if (at < 0) break;
      const Eigen::VectorXd tip = rotate_elementwise(from, frequency, Pairing::interleaved, at, state.ladder.amplitude);
      points.xs.push_back(tip[0]);
      points.ys.push_back(tip[1]);
    }
    figure.points.push_back(points);
  };
  trail("query_trail", state.q, state.frequency, state.query_position, kQuery);
  if (state.knobs.locked) trail("key_trail", state.k, state.key_frequency, state.key_position, kKey);
}

}  // namespace

AngleWords angle_words(double angle_radians, const std::string& key, const Text& text) {
  const double turns = std::abs(angle_radians) / (2 * std::numbers::pi);
  const double full = std::floor(turns);
  const std::string part = readable_fixed(turns - full, 3);
  return {text.format(key, {{"angle", readable_number(angle_radians, 4)}}),
          text.format(full < 1 ? "view.rotation.turns.part" : "view.rotation.turns.many",
                      {{"full", counted(full)}, {"part", part}})};
}

Figure plane_figure(const RotationState& state, const Text& text) {
  Figure figure;
  figure.name = "plane";
  figure.equal_axes = figure.bare = true;
  figure.title = text.format("view.rotation.plane", {{"pair", counted(state.pair)},
                                                     {"frequency", readable_number(state.frequency, 4)},
                                                     {"wavelength", readable_number(wavelength(state.frequency), 4)},
                                                     {"first", counted(state.channels.first)},
                                                     {"second", counted(state.channels.second)}});
  const double reach = reach_of_plane(state);
  figure.x.name = "first";
  figure.y.name = "second";
  figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-reach, reach};
  add_circle(figure, reach);
  add_between(figure, state.turned_q, state.turned_k);
  add_angles_plane(figure, state, reach, text);
  add_components(figure, state, reach, text);
  add_angle_names(figure, text);
  if (state.knobs.trail) add_trail_plane(figure, state);
  figure.arrows.push_back(arrow_to("q", state.q, text["view.rotation.q"], kQueryFaint));
  figure.arrows.push_back(arrow_to("k", state.k, text["view.rotation.k"], kKeyFaint));
  figure.arrows.push_back(arrow_to("turned_q", state.turned_q, text["view.rotation.turned_q"], kQuery));
  figure.arrows.push_back(arrow_to("turned_k", state.turned_k, text["view.rotation.turned_k"], kKey));
  add_vector_handles(figure, state.q, state.k, text);
  return figure;
}

}  // namespace ropescope
