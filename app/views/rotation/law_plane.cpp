#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/rotation/law.h"
#include "app/views/rotation/plane_parts.h"

namespace ropescope {

namespace {

constexpr int kLawPlaneTrail = 12;  ///< places
/// Longer arrows leave the plane.
constexpr double kLongest = 1e6;

/// Half the side of the plane, in steps, so that dragging an arrow does not make the picture tremble.
double reach_of_law_plane(const LawState& state) {
  double longest = std::max({1.0, state.q.norm(), state.k.norm(), state.turned_q.norm(), state.turned_k.norm()});
  if (!(longest < kLongest)) longest = kLongest;
  return longest <= 1.15 ? 1.4 : std::ceil(2.4 * longest + 0.5) / 2;
}

/// One of the two vectors: what it is called, where it stands, and what its law does to it there.
struct Vector {
  const char* name;
  const Eigen::Vector2d& from;
  PlaceEffect effect;
  LineStyle style;
  Range spiral;   ///< radii, as shares of the plane
  double corner;  ///< of its words: top or bottom
};

void add_effect(Figure& figure, const Vector& vector, double reach, const Text& text) {
  if (!std::isfinite(vector.effect.length)) return;
  Path path = spiral(std::string(vector.name) + "_angle", vector.from, vector.effect.angle,
                     {vector.spiral.low * reach, vector.spiral.high * reach});
  path.role = Role::curve;
  path.style = vector.style;
  figure.paths.push_back(path);
  const std::string words = text.format(
      std::string("view.rotation.law.") + vector.name,
      {{"angle", readable_number(vector.effect.angle, 4)}, {"length", readable_number(vector.effect.length, 4)}});
  figure.labels.push_back(corner_label({-reach, vector.corner * reach}, 0, words, vector.style));
}

/// Where a tip stood at the whole places before.
template <class Effect>
void add_trail_law_plane(Figure& figure, const std::string& key, std::complex<double> from, double position,
                         const LineStyle& style, const Effect& effect) {
  Points points;
  points.key = key;
  points.style = style;
  for (int back = 1; back <= kLawPlaneTrail; ++back) {
    const double at = std::ceil(position) - back;
    if (at < 0) break;
    const std::complex<double> tip = moved(from, effect(at));
    points.xs.push_back(tip.real());
    points.ys.push_back(tip.imag());
  }
  figure.points.push_back(std::move(points));
}

}  // namespace

Figure law_plane_figure(const LawState& state, const Text& text) {
  Figure figure;
  figure.name = "plane";
  figure.equal_axes = figure.bare = true;
  figure.title = text.format("view.rotation.law.plane", {{"query", readable_number(state.query_position, 7)},
                                                         {"key", readable_number(state.key_position, 7)}});
  const double reach = reach_of_law_plane(state);
  figure.x.name = "first";
  figure.y.name = "second";
  figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-reach, reach};
  add_circle(figure, reach);
  const bool finite = state.turned_q.allFinite() && state.turned_k.allFinite();
  if (finite) add_between(figure, state.turned_q, state.turned_k);
  const Vector vectors[] = {{"query", state.q, query_effect(state.law, state.query_position), kQuery, {0.26, 0.43}, 1},
                            {"key", state.k, key_effect(state.law, state.key_position), kKey, {0.1, 0.21}, -1}};
  for (const Vector& vector : vectors) add_effect(figure, vector, reach, text);
  if (state.knobs.trail) {
    add_trail_law_plane(figure, "query_trail", state.pair.q, state.query_position, kQuery,
                        [&](double at) { return query_effect(state.law, at); });
    if (state.knobs.locked) {
      add_trail_law_plane(figure, "key_trail", state.pair.k, state.key_position, kKey,
                          [&](double at) { return key_effect(state.law, at); });
    }
  }
  figure.arrows.push_back(arrow_to("q", state.q, text["view.rotation.q"], kQueryFaint));
  figure.arrows.push_back(arrow_to("k", state.k, text["view.rotation.k"], kKeyFaint));
  figure.arrows.push_back(arrow_to("turned_q", state.turned_q, text["view.rotation.law.turned_q"], kQuery));
  figure.arrows.push_back(arrow_to("turned_k", state.turned_k, text["view.rotation.law.turned_k"], kKey));
  add_vector_handles(figure, state.q, state.k, text);
  return figure;
}

}  // namespace ropescope
