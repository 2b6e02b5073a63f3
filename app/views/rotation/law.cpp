#include "app/views/rotation/law.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/rotation/plane_parts.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

constexpr double kLawTurn = 2 * std::numbers::pi;
/// Between two places a law may do as it likes: it is drawn there too.
constexpr int kSamplesPerPlace = 8;
/// More places than this are not drawn as dots: they would be a thick line.
constexpr int kMostDots = 96;
/// Slots of what is drawn for the query, the key, and the distances.
constexpr int kQueryAngle = 0, kKeyAngle = 1, kQueryLength = 5, kKeyLength = 6, kFirstDistance = 2;

Eigen::Vector2d vector_of(std::complex<double> number) {
  return {number.real(), number.imag()};
}

template <class Of>
std::shared_ptr<const Series> sampled(int span, const Of& of) {
  std::vector<double> values;
  for (int i = 0; i <= span * kSamplesPerPlace; ++i) values.push_back(of(static_cast<double>(i) / kSamplesPerPlace));
  return make_series(0, 1.0 / kSamplesPerPlace, std::move(values));
}

FigureAxis law_axis(const std::string& name, const Text& text, const std::string& kept) {
  FigureAxis axis = named_axis("rotation", name, text, AxisScale::linear, kept);
  axis.label = text["view.rotation.law." + name];
  return axis;
}

}  // namespace

std::string name_of(AngleLaw law) {
  constexpr const char* kNames[] = {"linear", "quadratic", "root", "offset", "offsets", "other-key"};
  return kNames[static_cast<std::size_t>(law)];
}

std::string name_of(LengthLaw law) {
  constexpr const char* kNames[] = {"constant", "growing", "reciprocal", "exponential"};
  return kNames[static_cast<std::size_t>(law)];
}

std::string line_against(AngleLaw law, const Text& text) {
  const std::string key = "view.rotation.law.line." + name_of(law);
  return text.has(key) ? text[key] : std::string();
}

std::string line_against(LengthLaw law, const Text& text) {
  const std::string key = "view.rotation.law.line." + name_of(law);
  return text.has(key) ? text[key] : std::string();
}

LawState law_state(const RotationKnobs& knobs) {
  LawState state;
  state.knobs = knobs;
  for (const AngleLaw law : kAngleLaws) {
    if (name_of(law) == knobs.angle_law) state.law.angle = law;
  }
  for (const LengthLaw law : kLengthLaws) {
    if (name_of(law) == knobs.length_law) state.law.length = law;
  }
  state.law.theta = knobs.law_theta;
  state.law.theta_key = knobs.law_theta_key;
  state.law.gamma = knobs.law_gamma;
  state.law.gamma_key = knobs.law_gamma_key;
  state.law.rate = knobs.law_rate;
  state.pair = {{knobs.qx, knobs.qy}, {knobs.kx, knobs.ky}};
  state.span = static_cast<int>(knobs.law_span);
  state.query_position = knobs.query_position + knobs.glide;
  state.key_position = knobs.key_position + (knobs.locked ? knobs.glide : 0);
  state.q = vector_of(state.pair.q);
  state.k = vector_of(state.pair.k);
  state.turned_q = vector_of(moved(state.pair.q, query_effect(state.law, state.query_position)));
  state.turned_k = vector_of(moved(state.pair.k, key_effect(state.law, state.key_position)));
  state.changes = law_changes(state.law, state.pair, state.span);
  return state;
}

Figure laws_figure(const LawState& state, const Text& text) {
  Figure figure;
  figure.name = "laws";
  figure.title = text["view.rotation.law.laws"];
  const auto add_line = [&](const std::string& key, int slot, const auto& of) {
    figure.lines.push_back({key, text["view.rotation.law." + key], {slot, false}, sampled(state.span, of), true});
  };
  const PlaceLaw& law = state.law;
  // Mostly q and k have one law: the dashes of k lie on the line of q.
  add_line("angle_key", kKeyAngle, [&](double at) { return key_effect(law, at).angle / kLawTurn; });
  add_line("angle_query", kQueryAngle, [&](double at) { return query_effect(law, at).angle / kLawTurn; });
  add_line("length_key", kKeyLength, [&](double at) { return key_effect(law, at).length; });
  add_line("length_query", kQueryLength, [&](double at) { return query_effect(law, at).length; });
  figure.x = data_axis(law_axis("place", text, "law_place"), {0, static_cast<double>(state.span)},
                       state.knobs.law_place_range);
  const Range values = widened({0, 1}, figure.lines);
  // Above all curves there is room for their names.
  figure.y = value_axis(law_axis("angle_and_length", text, "law_angle"),
                        {values.low, values.high + 0.35 * (values.high - values.low)}, state.knobs.law_angle_range);
  figure.legend = true;
  add_rule(figure, state.key_position, text["view.rotation.law.n"], Role::curve, kKey);
  add_rule(figure, state.query_position, text["view.rotation.law.m"], Role::curve, kQuery);
  return figure;
}

Figure shift_figure(const LawState& state, const Text& text) {
  Figure figure;
  figure.name = "shift";
  figure.title = text["view.rotation.law.shift"];
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    const double distance = kLawDistances[i];
    const std::string key = "distance_" + std::to_string(static_cast<int>(distance));
    const LineStyle style{kFirstDistance + static_cast<int>(i), false};
    const auto score = [&](double shift) { return law_score(state.law, state.pair, distance, shift); };
    figure.lines.push_back({key, text.format("view.rotation.law.distance", {{"distance", counted(distance)}}), style,
                            sampled(state.span, score), true});
    if (state.span > kMostDots) continue;
    Points places{key + ".places", {}, style, {}, {}, {}};
    for (int shift = 0; shift <= state.span; ++shift) {
      places.xs.push_back(shift);
      places.ys.push_back(score(shift));
    }
    figure.points.push_back(std::move(places));
  }
  figure.x =
      data_axis(law_axis("t", text, "law_shift"), {0, static_cast<double>(state.span)}, state.knobs.law_shift_range);
  // Turning alone leaves the score within |q||k|: flat lines look flat beside others on one scale.
  const double size = std::max(state.q.norm() * state.k.norm(), 1e-3);
  Range scores = with_room(widened({-size, size}, figure.lines), 0.06);
  // Below all curves there is room for their names.
  scores.low -= 0.45 * (scores.high - scores.low);
  figure.y = value_axis(law_axis("score", text, "law_score"), scores, state.knobs.law_score_range);
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

}  // namespace ropescope
