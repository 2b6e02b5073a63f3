#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/shared/counted.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

constexpr double kRadius = 0.42, kHalf = 0.49;  ///< half the side of a clock's place
constexpr LineStyle kClocksTurning{0, false}, kClocksSlow{3, false};

/// Rows and columns of the wall: a little taller than wide, as its place is.
struct Wall {
  std::size_t columns, rows;
  bool rows_named;    ///< there is no room for a number under each clock
  double row_height;  ///< a clock's number, where it has one, is in it
};
Wall wall_of(std::size_t clocks) {
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(clocks))));
  const bool rows_named = clocks > kMostNamedClocks;
  return {columns, (clocks + columns - 1) / columns, rows_named, rows_named ? 1.15 : 1.4};
}

struct ClocksClock {
  Eigen::Index pair;
  double x, y;
  double angle;  ///< mθ, radians
  bool slow, chosen;
};

void add_point(Path& path, double x, double y) {
  path.xs.push_back(x);
  path.ys.push_back(y);
}

void lift_clocks(Path& path) {
  add_point(path, std::nan(""), std::nan(""));
}

void add_rim(Path& path, const ClocksClock& clock) {
  for (int i = 0; i <= 32; ++i) {
    const double phi = i * std::numbers::pi / 16;
    add_point(path, clock.x + kRadius * std::cos(phi), clock.y + kRadius * std::sin(phi));
  }
  lift_clocks(path);
}

void add_hand(Path& path, const ClocksClock& clock) {
  add_point(path, clock.x, clock.y);
  add_point(path, clock.x + kRadius * std::cos(clock.angle), clock.y + kRadius * std::sin(clock.angle));
  lift_clocks(path);
}

/// What of the circle the pair has covered on its way to m: after a full turn all of it.
Path covered(const ClocksClock& clock) {
  Path path;
  path.key = "covered." + std::to_string(clock.pair);
  path.style = clock.slow ? kClocksSlow : kClocksTurning;
  path.width = 0;
  path.filled = true;
  const double turns = clock.angle / (2 * std::numbers::pi);
  const bool full = std::abs(turns) >= 1;
  const double angle = full ? 2 * std::numbers::pi : clock.angle;
  const int points = 2 + static_cast<int>(std::abs(angle) * 6);
  if (!full) add_point(path, clock.x, clock.y);
  for (int i = 0; i <= points; ++i) {
    const double phi = angle * i / points;
    add_point(path, clock.x + kRadius * std::cos(phi), clock.y + kRadius * std::sin(phi));
  }
  if (!full) add_point(path, clock.x, clock.y);
  return path;
}

/// Under the clock, or left of its row.
Label name_of_clocks(const ClocksClock& clock, bool of_row) {
  Label label;
  label.x = of_row ? clock.x - 0.62 : clock.x;
  label.y = of_row ? clock.y : clock.y - kHalf - 0.03;
  label.anchor_x = of_row ? 1 : 0.5;
  label.anchor_y = of_row ? 0.5 : 0;
  label.text = readable_integer(static_cast<double>(clock.pair));
  label.role = clock.chosen ? Role::text : Role::secondary;
  label.semibold = clock.chosen;
  label.size = 0.9;
  return label;
}

std::vector<ClocksClock> clocks_of(const RotationState& state, const Wall& wall) {
  std::vector<ClocksClock> clocks;
  for (const Eigen::Index pair : clock_pairs(state)) {
    const std::size_t i = clocks.size();
    clocks.push_back(
        {pair, static_cast<double>(i % wall.columns), -wall.row_height * static_cast<double>(i / wall.columns),
         state.query_position * state.ladder.frequencies[pair], !finishes_a_turn(state, pair), pair == state.pair});
  }
  return clocks;
}

/// How many of all pairs are slow, in their colour, under the wall; where that cannot be known, so it says.
void add_note(Figure& figure, const RotationState& state, const Wall& wall, const Text& text) {
  int slow = 0;
  for (Eigen::Index pair = 0; pair < state.pairs; ++pair) slow += !finishes_a_turn(state, pair);
  const bool known = state.trained_length > 0;
  Label note;
  note.x = (static_cast<double>(wall.columns) - 1) / 2;
  note.y = figure.y.range.low;
  note.anchor_y = 1;
  note.text = text.format(!known      ? "view.rotation.unknown_slow"
                          : slow == 0 ? "view.rotation.no_slow"
                                      : "view.rotation.slow",
                          {{"count", counted(slow)}, {"length", counted(state.trained_length)}});
  note.role = slow == 0 ? Role::secondary : Role::curve;
  note.style = kClocksSlow;
  figure.labels.push_back(note);
}

}  // namespace

Figure clocks_figure(const RotationState& state, const Text& text) {
  Figure figure;
  figure.name = "clocks";
  figure.equal_axes = figure.bare = true;
  const auto count = static_cast<std::size_t>(std::min(state.pairs, kMostClocks));
  const Wall wall = wall_of(count);
  figure.x.name = "column";
  figure.y.name = "row";
  constexpr double kRowNames = 1.2;  // room for them
  figure.x.range = figure.x.fit = {wall.rows_named ? -0.6 - kRowNames : -0.6, static_cast<double>(wall.columns) - 0.4};
  figure.y.range = figure.y.fit = {-wall.row_height * static_cast<double>(wall.rows - 1) - 1.5, 0.55};
  figure.title = text.format(state.pairs > kMostClocks ? "view.rotation.some_clocks" : "view.rotation.clocks",
                             {{"shown", counted(count)},
                              {"pairs", counted(state.pairs)},
                              {"position", counted(std::floor(state.query_position))}});
  Path rims, hands, slow_hands, chosen;
  rims.key = "rims";
  rims.role = Role::faint;
  rims.width = 0.5;
  hands.key = "hands";
  hands.style = kClocksTurning;
  slow_hands.key = "slow_hands";
  slow_hands.style = kClocksSlow;
  add_note(figure, state, wall, text);
  for (const ClocksClock& clock : clocks_of(state, wall)) {
    figure.paths.push_back(covered(clock));
    add_rim(rims, clock);
    add_hand(clock.slow ? slow_hands : hands, clock);
    if (!wall.rows_named || clock.x == 0) figure.labels.push_back(name_of_clocks(clock, wall.rows_named));
    const std::string tip =
        text.format("view.rotation.clock_tip",
                    {{"pair", counted(clock.pair)},
                     {"wavelength", readable_number(wavelength(state.ladder.frequencies[clock.pair]), 4)}});
    figure.handles.push_back({"pair." + std::to_string(clock.pair), clock.x, clock.y, 0.5, false, tip});
    if (!clock.chosen) continue;
    Box frame;
    frame.x = {clock.x - kHalf, clock.x + kHalf};
    frame.y = {clock.y - kHalf, clock.y + kHalf};
    frame.role = Role::accent;
    figure.boxes.push_back(frame);
  }
  for (Path* path : {&rims, &hands, &slow_hands}) figure.paths.push_back(*path);
  return figure;
}

}  // namespace ropescope
