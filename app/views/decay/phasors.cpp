#include "app/views/decay/phasors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/decay/inputs.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

// As the clocks of the rotation view: what turns, and what finishes no turn in training.
constexpr LineStyle kPhasorsTurning{0, false}, kPhasorsSlow{3, false}, kHorizontal{2, false};

bool is_slow(const PhasorState& state, Eigen::Index i) {
  return state.trained_length > 0 && is_unfinished(state.trained[state.pair_at(i)], state.trained_length);
}

void add_phasors(Path& path, double x, double y) {
  path.xs.push_back(x);
  path.ys.push_back(y);
}

/// All arrows in one of two colours: as arrows, or where they are many as a path.
void add_arrows_phasors(Figure& figure, const PhasorState& state) {
  const bool arrows = state.pairs() <= kMostArrows;
  Path turning, slow;
  turning.key = "turning";
  slow.key = "slow";
  turning.style = kPhasorsTurning;
  slow.style = kPhasorsSlow;
  std::complex<double> from = 0;
  for (Eigen::Index i = 0; i < state.pairs(); ++i) {
    const std::complex<double> to = state.sums.joints[static_cast<std::size_t>(i)];
    const LineStyle& style = is_slow(state, i) ? kPhasorsSlow : kPhasorsTurning;
    if (arrows) {
      Arrow arrow;
      arrow.key = "pair." + std::to_string(state.pair_at(i));
      arrow.style = style;
      std::tie(arrow.x0, arrow.y0) = std::pair(from.real(), from.imag());
      std::tie(arrow.x1, arrow.y1) = std::pair(to.real(), to.imag());
      figure.arrows.push_back(arrow);
    } else {
      Path& path = is_slow(state, i) ? slow : turning;
      add_phasors(path, from.real(), from.imag());
      add_phasors(path, to.real(), to.imag());
      add_phasors(path, std::nan(""), std::nan(""));
    }
    from = to;
  }
  if (!arrows) figure.paths.insert(figure.paths.end(), {turning, slow});
}

/// The joints, of two colours as the arrows that end there.
void add_joints(Figure& figure, const PhasorState& state) {
  if (state.pairs() > kMostArrows) return;
  Points turning, slow;
  turning.key = "joints";
  slow.key = "slow_joints";
  turning.style = kPhasorsTurning;
  slow.style = kPhasorsSlow;
  for (Eigen::Index i = 0; i < state.pairs(); ++i) {
    const std::complex<double> joint = state.sums.joints[static_cast<std::size_t>(i)];
    Points& points = is_slow(state, i) ? slow : turning;
    points.xs.push_back(joint.real());
    points.ys.push_back(joint.imag());
  }
  for (Points* points : {&turning, &slow}) {
    if (!points->xs.empty()) figure.points.push_back(*points);
  }
}

void add_circle_phasors(Figure& figure, double radius, const Text& text) {
  Path circle;
  circle.key = "mean_distance";
  circle.role = Role::secondary;
  circle.width = 0.8;
  constexpr int kPoints = 180;
  for (int i = 0; i <= kPoints; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPoints;
    add_phasors(circle, radius * std::cos(angle), radius * std::sin(angle));
  }
  figure.paths.push_back(circle);
  // Outside, where the arrows seldom go: they begin to the right and curl up to the left.
  Label label;
  label.x = -radius * std::numbers::sqrt2 / 2;
  label.y = -radius * std::numbers::sqrt2 / 2;
  label.anchor_x = 0.5;
  label.anchor_y = -0.6;
  label.text = text.format("view.decay.mean_distance", {{"value", readable_number(radius, 4)}});
  label.role = Role::secondary;
  figure.labels.push_back(label);
}

/// The end, straight down to the axis, and from 0 to there the sum of all cosines.
void add_end(Figure& figure, const PhasorState& state, const Text& text) {
  const std::complex<double> end = state.sums.joints.back();
  Path down, bar;
  down.key = "to_axis";
  down.style = bar.style = kHorizontal;
  down.width = 0.7;
  down.dashed = true;
  add_phasors(down, end.real(), end.imag());
  add_phasors(down, end.real(), 0);
  bar.key = "horizontal";
  bar.width = 2.2;
  add_phasors(bar, 0, 0);
  add_phasors(bar, end.real(), 0);
  figure.paths.insert(figure.paths.end(), {down, bar});
  Points mark;
  mark.key = "end";
  mark.style = kHorizontal;
  mark.xs = {end.real()};
  mark.ys = {end.imag()};
  figure.points.push_back(mark);
  Label label;
  label.x = end.real();
  label.y = 0;
  label.anchor_x = end.real() < 0 ? 1 : 0.5;
  // On the side of the axis where the arrows do not end.
  label.anchor_y = end.imag() > 0 ? -0.35 : 1.35;
  label.text = text.format("view.decay.horizontal",
                           {{"pairs", counted(state.pairs())}, {"value", readable_number(end.real(), 4)}});
  label.role = Role::curve;
  label.style = kHorizontal;
  label.semibold = true;
  figure.labels.push_back(label);
}

/// Ends on round numbers: while the distance runs the picture must not tremble.
Range rounded(const Range& range, double step) {
  return {step * std::floor(range.low / step - 0.15), step * std::ceil(range.high / step + 0.15)};
}

void set_axes(Figure& figure, const PhasorState& state, const Text& text) {
  Range across{0, 0}, up{0, 0};
  for (const std::complex<double>& joint : state.sums.joints) {
    include(across, joint.real());
    include(up, joint.imag());
  }
  const double radius = state.sums.mean_distance;
  for (const double side : {-radius, radius}) {
    include(across, side);
    include(up, side);
  }
  const double size = std::max(across.high - across.low, up.high - up.low);
  constexpr double kSteps = 8;
  const double step = std::exp2(std::floor(std::log2(size / kSteps)));
  figure.x = fixed_axis(named_axis("decay", "real", text), rounded(across, step));
  figure.y = fixed_axis(named_axis("decay", "imaginary", text), rounded(up, step));
}

/// How many of all pairs are slow, in their colour.
void add_slow_note(Figure& figure, const PhasorState& state, const Text& text) {
  Eigen::Index slow = 0;
  for (Eigen::Index i = 0; i < state.pairs(); ++i) slow += is_slow(state, i);
  if (slow == 0) return;
  Label note;
  note.x = figure.x.range.high;
  note.y = figure.y.range.high;
  note.anchor_x = 1.02;
  note.anchor_y = -0.2;
  note.text = text.format("view.rotation.slow", {{"count", counted(slow)}, {"length", counted(state.trained_length)}});
  note.role = Role::curve;
  note.style = kPhasorsSlow;
  figure.labels.push_back(note);
}

}  // namespace

PhasorState phasor_state(const Experiment& experiment) {
  const DecayKnobs& knobs = experiment.decay;
  const RopeReading rope = read_rope(experiment.rope);
  // Order and content are those of the curves.
  const DecayInput input = decay_input(rope.ladder.frequencies, 1, knobs);
  PhasorState state;
  state.frequencies = input.frequencies;
  state.trained = trained_frequencies(rope.plain, rope.ladder.frequencies);
  state.trained_length = experiment.rope.trained_length;
  state.distance = knobs.distance + knobs.glide;
  state.order = input.order;
  state.random = !input.aligned();
  state.sums = phasor_sums(state.frequencies, state.distance, state.order);
  state.chain = abel_chain(state.frequencies, state.distance, input.content, state.order);
  return state;
}

Figure phasors_figure(const PhasorState& state, const Text& text) {
  Figure figure;
  figure.name = "phasors";
  figure.equal_axes = figure.zero_line = true;
  figure.title = text.format(state.order == PairOrder::fast_first ? "view.decay.phasors" : "view.decay.phasors_slow",
                             {{"pairs", counted(state.pairs())}, {"distance", counted(std::floor(state.distance))}});
  set_axes(figure, state, text);
  add_circle_phasors(figure, state.sums.mean_distance, text);
  add_arrows_phasors(figure, state);
  add_joints(figure, state);
  add_end(figure, state, text);
  add_slow_note(figure, state, text);
  return figure;
}

}  // namespace ropescope
