// Planes, clocks, pairs and the helix of the view Rotation.
//
// Contents: Parts of planes; Plane; Clocks; Pairs; Helix.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "app/figure/figure.h"
#include "app/figure/scene/ticks.h"
#include "app/views/rotation/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Parts of planes -----------------------------------------------------------------------------------------------

namespace {

constexpr int kPointsPerTurn = 72;
/// The maximum number of full turns in a spiral; its label includes the others.
constexpr double kMaxSpiralTurns = 5;

// --- Plane ---------------------------------------------------------------------------------------------------------

constexpr LineStyle kPlaneCosine{2, false}, kPlaneSine{3, false};
constexpr int kTrailLength = 12;  ///< positions

double measure_plane_extent(const RotationState& state) {
  const double amplitude = std::max(1.0, std::abs(state.ladder.amplitude));
  return plane_extent(amplitude * std::max(state.q.norm(), state.k.norm()));
}

/// Added after the numbers: in narrow figures these labels are dropped first.
void add_angle_names(Figure& figure, const Text& text) {
  // Next to the axes, not on them, because arrows and bars are there.
  const std::pair<double, const char*> names[] = {{1, "quarter"}, {3, "three_quarters"}, {5, "five"}, {7, "seven"}};
  for (const auto& [eighth, name] : names) {
    const double angle = eighth * std::numbers::pi / 4;
    Label label = label_at(1.1 * std::cos(angle), 1.1 * std::sin(angle),
                           text[std::string("view.rotation.angle.") + name], Role::faint);
    label.anchor_x = label.x > 0 ? 0.1 : 0.9;
    label.size = 0.9;
    figure.labels.push_back(label);
  }
}

/// Adds mθ and nθ as spirals and as text: radians, and turns below.
void add_angle_spirals(Figure& figure, const RotationState& state, double reach, const Text& text) {
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

/// Adds dashes of one length on every side, independent of the slot's own.
void add_dashes(Path& path, const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  constexpr double kDash = 0.035;
  const double length = (to - from).norm();
  for (double at = 0; at < length; at += 2 * kDash) {
    const Eigen::Vector2d a = from + (to - from) * (at / length);
    const Eigen::Vector2d b = from + (to - from) * (std::min(at + kDash, length) / length);
    add_point(path, a.x(), a.y());
    add_point(path, b.x(), b.y());
    lift(path);
  }
}

/// Adds dashed lines from the tip of R_m q to both axes, and the components as bars there. Their numbers are in a
/// corner where nothing moves across them; for q = (1, 0) they are cos mθ and sin mθ.
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
    Path dashes = path_of(std::string("to_") + component.key, component.style, 0.7);
    add_dashes(dashes, tip, component.foot);
    Path bar = path_of(component.key, component.style, 2);
    add_point(bar, 0, 0);
    add_point(bar, component.foot.x(), component.foot.y());
    figure.paths.push_back(dashes);
    figure.paths.push_back(bar);
    figure.labels.push_back(corner_label({reach, reach}, component.line,
                                         text.format(component.words, {{"value", readable_fixed(component.value, 3)}}),
                                         component.style));
  }
}

/// Adds the tips at the preceding integer positions.
void add_rotation_trail(Figure& figure, const RotationState& state) {
  const auto trail = [&](const char* key, const Eigen::Vector2d& from, double turning, double position,
                         const LineStyle& style) {
    const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, turning);
    add_trail(figure, key, style, position, [&](double at) -> Eigen::Vector2d {
      return rotate_elementwise(from, frequency, Pairing::interleaved, at, state.ladder.amplitude);
    });
  };
  trail("query_trail", state.q, state.frequency, state.query_position, kQuery);
  if (state.fields.locked) trail("key_trail", state.k, state.key_frequency, state.key_position, kKey);
}

// --- Clocks --------------------------------------------------------------------------------------------------------

constexpr double kRadius = 0.42, kHalf = 0.49;  ///< half the side of a clock's cell
constexpr LineStyle kClocksTurning{0, false}, kClocksSlow{3, false};

/// Rows and columns of the wall, which is slightly taller than wide, like the space for it.
struct Wall {
  std::size_t columns, rows;
  bool rows_named;    ///< no space for a number under each clock
  double row_height;  ///< includes the number of a clock
};
Wall wall_of(std::size_t clocks) {
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(clocks))));
  const bool rows_named = clocks > kMaxNamedClocks;
  return {columns, (clocks + columns - 1) / columns, rows_named, rows_named ? 1.15 : 1.4};
}

struct ClocksClock {
  Eigen::Index pair;
  double x, y;
  double angle;  ///< mθ, radians
  bool slow, chosen;
};

void add_hand(Path& path, const ClocksClock& clock) {
  add_point(path, clock.x, clock.y);
  add_point(path, clock.x + kRadius * std::cos(clock.angle), clock.y + kRadius * std::sin(clock.angle));
  lift(path);
}

/// Returns the part of the circle that the pair has covered up to m: all of it after a full turn.
Path covered(const ClocksClock& clock) {
  Path path = path_of("covered." + std::to_string(clock.pair), clock.slow ? kClocksSlow : kClocksTurning, 0);
  path.filled = true;
  const double turns = clock.angle / (2 * std::numbers::pi);
  const bool full = std::abs(turns) >= 1;
  const double angle = full ? 2 * std::numbers::pi : clock.angle;
  const int points = 2 + static_cast<int>(std::abs(angle) * 6);
  if (!full) add_point(path, clock.x, clock.y);
  add_arc(path, {clock.x, clock.y, kRadius, 0, angle}, points);
  if (!full) add_point(path, clock.x, clock.y);
  return path;
}

/// Returns the number of a clock, below it or left of its row.
Label name_of_clocks(const ClocksClock& clock, bool of_row) {
  Label label =
      label_at(of_row ? clock.x - 0.62 : clock.x, of_row ? clock.y : clock.y - kHalf - 0.03,
               readable_integer(static_cast<double>(clock.pair)), clock.chosen ? Role::text : Role::secondary);
  label.anchor_x = of_row ? 1 : 0.5;
  label.anchor_y = of_row ? 0.5 : 0;
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

/// Adds the number of slow pairs among all pairs, in their colour, below the wall; or a note if it is unknown.
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

// --- Pairs ---------------------------------------------------------------------------------------------------------

constexpr int kPairs = 4;
constexpr double kPairingTop = 0, kPairingBottom = 3.4, kPairingHalfWidth = 0.42, kHalfHeight = 0.48, kPass = 0.52;

Box box_at(double x, double y, int slot, bool filled) {
  return {around(x, kPairingHalfWidth), around(y, kHalfHeight), {slot, false}, Role::curve, filled};
}

/// Adds the names of the two arrangements next to their rows; the rope's own is emphasised.
void add_row_name(Figure& figure, double y, const std::string& words, bool own) {
  Label label = label_at(-0.5, y, words, own ? Role::text : Role::secondary, 0);
  label.semibold = own;
  figure.labels.push_back(label);
}

Line line_of_pairing(const char* key, int slot, const std::shared_ptr<const Series>& series, const Text& text) {
  return {key, text[std::string("view.rotation.mixed.") + key], {slot, false}, series, true};
}

/// Returns the range around all curves, with space above them for their names.
Range fit_pairing_scores(const std::vector<Line>& lines) {
  const auto [low, high] = widened({0, 0}, lines);
  if (!(low < high)) return {-1, 1};
  const double step = std::pow(10, std::floor(std::log10(high - low))) / 2;
  return {step * std::floor(low / step - 0.1), step * std::ceil((high + 0.5 * (high - low)) / step)};
}

// --- Helix ---------------------------------------------------------------------------------------------------------

constexpr LineStyle kHelixQuery{0, false}, kHelixKey{1, false}, kHelixCosine{2, false}, kHelixSine{3, false};
/// More turns than this would blur on any screen: their outline is drawn instead.
constexpr double kMaxTurns = 150;
constexpr double kTurns = 5;         ///< shown by default
constexpr double kMaxSamples = 128;  ///< positions with one dot each
constexpr double kFloor = -1.7, kCeiling = 1.3, kWall = 1.3, kFront = -1.3;
constexpr double kShear = 0.28;  ///< slope of the depth axis in the oblique drawing
constexpr double kAlong = 0.07;  ///< its shift along the positions, as a share of the span
/// Length of the drawn axis in radii of the helix. A camera that is turned draws to this scale.
constexpr double kLength = 8;
/// Degrees from the oblique drawing at which only the camera is left.
constexpr double kObliqueReach = 30;
/// Share of its length below which the axis is too foreshortened for names along it.
constexpr double kMinSeenAxis = 0.4;

constexpr double kTopMargin = 1.9 - kCeiling - kShear * kWall;     ///< for the names of the shadows
constexpr double kBottomMargin = 2.75 + kFloor + kShear * kFront;  ///< for the positions and the names of m and n

/// The range of positions on screen: the page that contains the query.
struct HelixPage {
  double first = 0, span = 0;
  double last() const { return first + span; }
  bool holds(double position) const { return position >= first && position <= last(); }
};

double span_of_helix(const RotationState& state) {
  if (state.fields.span > 0) return state.fields.span;
  constexpr double kStill = 64;
  const double length = std::abs(wavelength(state.frequency));
  return std::isfinite(length) ? std::clamp(std::ceil(kTurns * length), 2.0, kMaxRotationPosition) : kStill;
}

/// A parallel projection of (position, cos, sin), by default the oblique one from the front: positions run to the
/// right, sin upwards, cos away from the viewer. From kObliqueReach on it is that of a camera with the radius as unit:
/// with u the distance from the middle of the page, scaled to kLength, and yaw ψ, pitch φ:
///   x = u cos ψ + cos · sin ψ,   y = sin · cos φ + (cos · cos ψ − u sin ψ) sin φ.
/// In between the two are mixed, so that the picture does not jump when it is caught.
class Projection {
 public:
  Projection(const RotationFields& fields, const HelixPage& page)
      : middle_(page.first + page.span / 2), scale_(kLength / page.span) {
    const double yaw = fields.yaw * std::numbers::pi / 180, pitch = fields.pitch * std::numbers::pi / 180;
    Matrix camera, oblique;
    camera << std::cos(yaw), std::sin(yaw), 0,  //
        -std::sin(yaw) * std::sin(pitch), std::cos(yaw) * std::sin(pitch), std::cos(pitch);
    oblique << 1, kAlong * kLength, 0,  //
        0, kShear, 1;
    const double away = std::hypot(fields.yaw - kHelixYaw, fields.pitch - kHelixPitch) / kObliqueReach;
    mix_ = std::max(0.0, 1 - away);
    matrix_ = mix_ * oblique + (1 - mix_) * camera;
  }
  /// Returns the share of the oblique drawing in the projection: 1 for the default, 0 for a camera.
  double mix() const { return mix_; }
  bool oblique() const { return mix_ == 1; }
  /// Returns the length of a unit of the axis as seen: 0 along it.
  double seen_axis() const { return matrix_.col(0).norm(); }
  /// Returns the place in the figure: x in positions in the oblique drawing, otherwise both in radii.
  Eigen::Vector2d at(double position, double cosine, double sine) const {
    Eigen::Vector2d place = matrix_ * Eigen::Vector3d((position - middle_) * scale_, cosine, sine);
    if (oblique()) place.x() = middle_ + place.x() / scale_;
    return place;
  }
  void add(Path& path, double position, double cosine, double sine) const {
    const Eigen::Vector2d place = at(position, cosine, sine);
    add_point(path, place.x(), place.y());
  }
  /// Returns the point of the circle (cos, sin) that is farthest from the axis as seen.
  Eigen::Vector2d outermost() const {
    const Eigen::Vector2d across(-matrix_(1, 0), matrix_(0, 0));
    return Eigen::Vector2d(across.dot(matrix_.col(1)), across.dot(matrix_.col(2))).normalized();
  }

 private:
  using Matrix = Eigen::Matrix<double, 2, 3>;
  double middle_, scale_, mix_ = 1;
  Matrix matrix_;
};

struct HelixDrawing {
  Figure& figure;
  const RotationState& state;
  const HelixPage& page;
  const Projection projection;
  const Text& text;
  /// Returns the height of the words over the drawing.
  double top() const { return figure.y.range.high - kTopMargin + 0.05; }
};

/// Adds floor and wall, with the positions along the floor's front edge.
void add_room(const HelixDrawing& d) {
  Path edges = path_of("floor", Role::line, 0.7);
  for (const auto& [position, depth] :
       {std::pair(d.page.first, kFront), std::pair(d.page.last(), kFront), std::pair(d.page.last(), kWall),
        std::pair(d.page.first, kWall), std::pair(d.page.first, kFront)}) {
    d.projection.add(edges, position, depth, kFloor);
  }
  d.figure.paths.push_back(edges);
  Path wall = path_of("wall", Role::line, 0.7);
  for (const auto& [position, height] : {std::pair(d.page.first, kFloor), std::pair(d.page.first, kCeiling),
                                         std::pair(d.page.last(), kCeiling), std::pair(d.page.last(), kFloor)}) {
    d.projection.add(wall, position, kWall, height);
  }
  d.figure.paths.push_back(wall);
  FigureAxis axis;
  axis.range = {d.page.first, d.page.last()};
  axis.whole = true;
  Path ticks = path_of("ticks", Role::line, 0.7);
  for (const Tick& tick : make_ticks(axis, 9 * std::clamp(d.projection.seen_axis(), 0.1, 1.0), 1)) {
    if (!tick.major) continue;
    d.projection.add(ticks, tick.value, kFront, kFloor);
    d.projection.add(ticks, tick.value, kWall, kFloor);
    lift(ticks);
    if (d.projection.seen_axis() < kMinSeenAxis) continue;
    const Eigen::Vector2d place = d.projection.at(tick.value, kFront, kFloor);
    d.figure.labels.push_back(
        label_at(place.x(), place.y() - 0.06, readable_integer(tick.value), Role::secondary, 0.5, 0));
  }
  d.figure.paths.push_back(ticks);
  Path middle = path_of("axis", Role::line, 0.7);
  d.projection.add(middle, d.page.first, 0, 0);
  d.projection.add(middle, d.page.last(), 0, 0);
  d.figure.paths.push_back(middle);
}

/// Notes the number of turns shown if a pair is too slow for five turns in the available positions.
void add_cut(const HelixDrawing& d) {
  const double turns = d.page.span * std::abs(d.state.frequency) / (2 * std::numbers::pi);
  if (d.state.fields.span > 0 || d.page.span < kMaxRotationPosition || turns >= kTurns) return;
  const Eigen::Vector2d middle = d.projection.at(d.page.first + d.page.span / 2, 0, 0);
  d.figure.labels.push_back(label_at(middle.x(), d.top(),
                                     d.text.format("view.rotation.cut", {{"turns", readable_number(turns, 3)},
                                                                         {"positions", counted(kMaxRotationPosition)}}),
                                     Role::secondary, 0.5, 1));
}

void add_names(const HelixDrawing& d) {
  const Eigen::Vector2d middle = d.projection.at(d.page.first + d.page.span / 2, 0, 0);
  Label position = label_at(middle.x(), d.figure.y.range.low, d.text["view.rotation.position"], Role::text, 0.5, 1);
  if (d.projection.seen_axis() >= kMinSeenAxis) d.figure.labels.push_back(position);
  // Over the two ends of the wall; the more it is rotated, the nearer to those of the whole drawing.
  const double mix = d.projection.mix();
  const double left = std::lerp(d.figure.x.range.low, d.projection.at(d.page.first, kWall, kCeiling).x(), mix);
  const double right = std::lerp(d.figure.x.range.high, d.projection.at(d.page.last(), kWall, kCeiling).x(), mix);
  Label sine = label_at(left, d.top(), d.text["view.rotation.shadow_sine"]);
  sine.style = kHelixSine;
  Label cosine = label_at(right, d.top(), d.text["view.rotation.shadow_cosine"]);
  cosine.style = kHelixCosine;
  cosine.anchor_x = 1;
  sine.anchor_x = 0;
  for (Label* label : {&sine, &cosine}) {
    label->anchor_y = 1;
    label->role = Role::curve;
    d.figure.labels.push_back(*label);
  }
}

/// Adds the outline of too many turns to distinguish, and their number.
void add_smear(const HelixDrawing& d, double turns) {
  Path filled = path_of("helix", kHelixQuery, 1);
  filled.filled = true;
  const Eigen::Vector2d edge = d.projection.outermost();
  if (d.projection.seen_axis() < kMinSeenAxis) {
    for (int i = 0; i <= 72; ++i) {
      const double angle = i * std::numbers::pi / 36;
      d.projection.add(filled, d.page.last(), std::cos(angle), std::sin(angle));
    }
  } else {
    for (const auto& [position, side] :
         {std::pair(d.page.first, -1), std::pair(d.page.last(), -1), std::pair(d.page.last(), 1),
          std::pair(d.page.first, 1), std::pair(d.page.first, -1)}) {
      d.projection.add(filled, position, side * edge.x(), side * edge.y());
    }
  }
  d.figure.paths.push_back(filled);
  const Eigen::Vector2d middle = d.projection.at(d.page.first + d.page.span / 2, 0, 0);
  Label words = label_at(middle.x(), middle.y(), d.text.format("view.rotation.too_dense", {{"turns", counted(turns)}}));
  words.size = 1.2;
  d.figure.labels.push_back(words);
}

void add_curves(const HelixDrawing& d) {
  const double turns = std::abs(d.page.span * d.state.frequency) / (2 * std::numbers::pi);
  if (turns > kMaxTurns) return add_smear(d, turns);
  Path helix = path_of("helix", kHelixQuery, 1.3), cosine = path_of("cosine", kHelixCosine, 0.8),
       sine = path_of("sine", kHelixSine, 0.8);
  const int points = std::max(240, static_cast<int>(std::ceil(turns * 48)));
  for (int i = 0; i <= points; ++i) {
    const double position = d.page.first + d.page.span * i / points, angle = position * d.state.frequency;
    d.projection.add(helix, position, std::cos(angle), std::sin(angle));
    d.projection.add(cosine, position, std::cos(angle), kFloor);
    d.projection.add(sine, position, kWall, std::sin(angle));
  }
  for (Path* path : {&cosine, &sine, &helix}) d.figure.paths.push_back(*path);
  if (d.page.span > kMaxSamples) return;
  Points samples = points_of("positions", kHelixQuery);
  for (double position = d.page.first; position <= d.page.last(); ++position) {
    const double angle = position * d.state.frequency;
    const Eigen::Vector2d place = d.projection.at(position, std::cos(angle), std::sin(angle));
    add_point(samples, place.x(), place.y());
  }
  d.figure.points.push_back(samples);
}

struct HelixPlace {
  const char* key;
  double position;
  LineStyle style;
  bool first = false;  ///< left of the other one: its name extends to the left
};

/// Adds a note with the key's position if it is not on this page.
void add_absent_key(const HelixDrawing& d) {
  const double position = d.state.key_position;
  if (d.page.holds(position)) return;
  const bool before = position < d.page.first;
  const Range& across = d.figure.x.range;
  Label words = label_at(before ? across.low : across.high, d.figure.y.range.low,
                         d.text.format(before ? "view.rotation.key_before" : "view.rotation.key_after",
                                       {{"position", counted(std::floor(position))}}));
  words.role = Role::curve;
  words.style = kHelixKey;
  words.anchor_x = before ? 0 : 1;
  words.anchor_y = 1;
  words.semibold = true;
  d.figure.labels.push_back(words);
}

/// Adds the circle at a position with the hand that points to the helix, and its two shadows.
void add_place(const HelixDrawing& d, const HelixPlace& place) {
  if (!d.page.holds(place.position)) return;
  const double angle = place.position * d.state.frequency, cosine = std::cos(angle), sine = std::sin(angle);
  Path circle = path_of(std::string(place.key) + "_circle", {place.style.slot, true}, 0.8);
  for (int i = 0; i <= 72; ++i) {
    d.projection.add(circle, place.position, std::cos(i * std::numbers::pi / 36), std::sin(i * std::numbers::pi / 36));
  }
  Path drops = path_of(std::string(place.key) + "_shadows", {place.style.slot, true}, 0.7);
  drops.dashed = true;
  d.projection.add(drops, place.position, cosine, kFloor);
  d.projection.add(drops, place.position, cosine, sine);
  d.projection.add(drops, place.position, kWall, sine);
  Path across = path_of(std::string(place.key) + "_position", place.style, 0.8);
  d.projection.add(across, place.position, kFront, kFloor);
  d.projection.add(across, place.position, kWall, kFloor);
  for (Path* path : {&across, &circle, &drops}) d.figure.paths.push_back(*path);
  const Eigen::Vector2d from = d.projection.at(place.position, 0, 0),
                        tip = d.projection.at(place.position, cosine, sine);
  d.figure.arrows.push_back({place.key, {}, place.style, Role::curve, from.x(), from.y(), tip.x(), tip.y()});
  // Below the floor, or beyond the tip if all positions are behind each other.
  const bool along = d.projection.seen_axis() < kMinSeenAxis;
  const Eigen::Vector2d foot = d.projection.at(place.position, kFront, kFloor) - Eigen::Vector2d(0, 0.28);
  const Eigen::Vector2d beside = along ? Eigen::Vector2d(from + 1.08 * (tip - from)) : foot;
  Label name = label_at(
      beside.x(), beside.y(),
      d.text.format(std::string("view.rotation.at_") + place.key, {{"position", counted(std::floor(place.position))}}));
  name.role = Role::curve;
  name.style = place.style;
  name.anchor_x = along ? (1 - (tip - from).x()) / 2 : place.first ? 1 : 0;
  name.anchor_y = along ? (1 + (tip - from).y()) / 2 : 0;
  name.semibold = true;
  d.figure.labels.push_back(name);
}

/// Adds the trained length: positions after it were not seen in training.
void add_trained_length(const HelixDrawing& d) {
  const double length = d.state.trained_length;
  if (length <= d.page.first || length > d.page.last()) return;
  Path mark = path_of("trained", Role::secondary, 0.8);
  d.projection.add(mark, length, kFront, kFloor);
  d.projection.add(mark, length, kWall, kFloor);
  d.projection.add(mark, length, kWall, kCeiling);
  d.figure.paths.push_back(mark);
  if (d.projection.seen_axis() < kMinSeenAxis) return;
  const Eigen::Vector2d place = d.projection.at(length + 0.006 * d.page.span, kWall, kCeiling);
  Label words = label_at(place.x(), place.y() - 0.04,
                         d.text.format(d.state.extended_length > 0 ? "answer.original" : "view.rotation.trained",
                                       {{"length", counted(length)}, {"extended", counted(d.state.extended_length)}}));
  words.role = Role::secondary;
  words.anchor_x = words.anchor_y = 0;
  d.figure.labels.push_back(words);
}

}  // namespace

double plane_extent(double longest) {
  constexpr double kAroundCircle = 1.18, kAroundArrows = 1.15, kSteps = 4;
  if (longest * kAroundArrows <= kAroundCircle) return kAroundCircle;
  return std::ceil(kSteps * kAroundArrows * longest) / kSteps;
}

Figure empty_plane(double reach) {
  Figure figure = empty_figure("plane", "first", "second");
  figure.equal_axes = figure.bare = true;
  figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-reach, reach};
  Path axes = path_of("axes", Role::line, 0.7);
  add_point(axes, -reach, 0);
  add_point(axes, reach, 0);
  lift(axes);
  add_point(axes, 0, -reach);
  add_point(axes, 0, reach);
  figure.paths.push_back(axes);
  Path circle = path_of("circle", Role::secondary, 0.8);
  add_arc(circle, {}, 180);
  figure.paths.push_back(circle);
  Path ticks = path_of("ticks", Role::secondary, 0.8);
  for (int i = 0; i < 24; ++i) {
    const double angle = i * std::numbers::pi / 12, inner = i % 3 == 0 ? 0.95 : 0.975;
    add_point(ticks, inner * std::cos(angle), inner * std::sin(angle));
    add_point(ticks, std::cos(angle), std::sin(angle));
    lift(ticks);
  }
  figure.paths.push_back(ticks);
  return figure;
}

Path spiral(const std::string& key, const Eigen::Vector2d& from, double angle, Range radius) {
  Path path;
  path.key = key;
  const double turns = std::abs(angle) / (2 * std::numbers::pi);
  const double shown = turns > kMaxSpiralTurns ? kMaxSpiralTurns + std::fmod(turns, 1.0) : turns;
  const double begin = from.norm() > 0 ? std::atan2(from.y(), from.x()) : 0;
  const double per_turn = (radius.high - radius.low) / std::max(shown, kMaxSpiralTurns / 2);
  const int points = static_cast<int>(std::ceil(kPointsPerTurn * shown)) + 1;
  for (int i = 0; i <= points; ++i) {
    const double turn = shown * i / points;
    const double at = radius.low + per_turn * turn, phi = begin + std::copysign(2 * std::numbers::pi * turn, angle);
    add_point(path, at * std::cos(phi), at * std::sin(phi));
  }
  return path;
}

Label corner_label(Eigen::Vector2d corner, double line, const std::string& words, const LineStyle& style) {
  constexpr double kLine = 1.25;  // lines of Japanese and Korean are a fifth higher than Latin ones
  Label label = label_at(corner.x(), corner.y(), words, Role::curve, corner.x() < 0 ? 0 : 1,
                         corner.y() > 0 ? -kLine * line : 1 + kLine * line);
  label.style = style;
  label.semibold = true;
  return label;
}

void add_trail(Figure& figure, const std::string& key, const LineStyle& style, double position,
               const std::function<Eigen::Vector2d(double)>& tip_at) {
  Points points = points_of(key, style);
  for (int back = 1; back <= kTrailLength; ++back) {
    const double at = std::ceil(position) - back;
    if (at < 0) break;
    const Eigen::Vector2d tip = tip_at(at);
    add_point(points, tip.x(), tip.y());
  }
  figure.points.push_back(std::move(points));
}

void add_between(Figure& figure, const Eigen::Vector2d& query, const Eigen::Vector2d& key) {
  const double from = std::atan2(key.y(), key.x());
  const double to = std::atan2(query.y(), query.x());
  const double angle = std::remainder(to - from, 2 * std::numbers::pi);
  const double radius = 0.9 * std::min(key.norm(), query.norm());
  Path wedge = path_of("between", Role::secondary, 0.6);
  wedge.filled = true;
  add_point(wedge, 0, 0);
  for (int i = 0; i <= 32; ++i) {
    const double phi = from + angle * i / 32;
    add_point(wedge, radius * std::cos(phi), radius * std::sin(phi));
  }
  add_point(wedge, 0, 0);
  figure.paths.push_back(wedge);
}

std::string vector_tip(const std::string& name, const Eigen::Vector2d& vector, const Text& text) {
  return text.format(
      "view.rotation.vector_tip",
      {{"name", name}, {"first", readable_number(vector.x(), 4)}, {"second", readable_number(vector.y(), 4)}});
}

void add_vectors(Figure& figure, const PlaneState& vectors, const std::string& turned, const Text& text) {
  figure.arrows.push_back(arrow_to("q", vectors.q, text["view.rotation.q"], kQueryFaint));
  figure.arrows.push_back(arrow_to("k", vectors.k, text["view.rotation.k"], kKeyFaint));
  figure.arrows.push_back(arrow_to("turned_q", vectors.turned_q, text[turned + "q"], kQuery));
  figure.arrows.push_back(arrow_to("turned_k", vectors.turned_k, text[turned + "k"], kKey));
  for (const auto& [name, vector] : {std::pair<std::string, Eigen::Vector2d>("q", vectors.q), {"k", vectors.k}}) {
    figure.handles.push_back(
        {name, vector.x(), vector.y(), 0, true, vector_tip(text["view.rotation." + name], vector, text)});
  }
}

AngleWords angle_words(double angle_radians, const std::string& key, const Text& text) {
  const double turns = std::abs(angle_radians) / (2 * std::numbers::pi);
  const double full = std::floor(turns);
  const std::string part = readable_fixed(turns - full, 3);
  return {text.format(key, {{"angle", readable_number(angle_radians, 4)}}),
          text.format(full < 1 ? "view.rotation.turns.part" : "view.rotation.turns.many",
                      {{"full", counted(full)}, {"part", part}})};
}

Figure plane_figure(const RotationState& state, const Text& text) {
  const double reach = measure_plane_extent(state);
  Figure figure = empty_plane(reach);
  figure.title = text.format("view.rotation.plane", {{"pair", counted(state.pair)},
                                                     {"frequency", readable_number(state.frequency, 4)},
                                                     {"wavelength", readable_number(wavelength(state.frequency), 4)},
                                                     {"first", counted(state.channels.first)},
                                                     {"second", counted(state.channels.second)}});
  add_between(figure, state.turned_q, state.turned_k);
  add_angle_spirals(figure, state, reach, text);
  add_components(figure, state, reach, text);
  add_angle_names(figure, text);
  if (state.fields.trail) add_rotation_trail(figure, state);
  add_vectors(figure, state, "view.rotation.turned_", text);
  return figure;
}

Figure clocks_figure(const RotationState& state, const Text& text) {
  Figure figure = empty_figure("clocks", "column", "row");
  figure.equal_axes = figure.bare = true;
  const auto count = static_cast<std::size_t>(std::min(state.pairs, kMaxClocks));
  const Wall wall = wall_of(count);
  constexpr double kRowNames = 1.2;  // space for them
  figure.x.range = figure.x.fit = {wall.rows_named ? -0.6 - kRowNames : -0.6, static_cast<double>(wall.columns) - 0.4};
  figure.y.range =
      figure.y.fit = {-wall.row_height * static_cast<double>(wall.rows - 1) - (wall.rows_named ? 2.3 : 1.5), 0.55};
  figure.title = text.format(state.pairs > kMaxClocks ? "view.rotation.some_clocks" : "view.rotation.clocks",
                             {{"shown", counted(count)},
                              {"pairs", counted(state.pairs)},
                              {"position", counted(std::floor(state.query_position))}});
  Path rims = path_of("rims", Role::faint, 0.5), hands = path_of("hands", kClocksTurning),
       slow_hands = path_of("slow_hands", kClocksSlow);
  add_note(figure, state, wall, text);
  for (const ClocksClock& clock : clocks_of(state, wall)) {
    figure.paths.push_back(covered(clock));
    add_arc(rims, {clock.x, clock.y, kRadius}, 32);
    lift(rims);
    add_hand(clock.slow ? slow_hands : hands, clock);
    if (!wall.rows_named || clock.x == 0) figure.labels.push_back(name_of_clocks(clock, wall.rows_named));
    const std::string tip =
        text.format("view.rotation.clock_tip",
                    {{"pair", counted(clock.pair)},
                     {"wavelength", readable_number(wavelength(state.ladder.frequencies[clock.pair]), 4)}});
    figure.handles.push_back({"pair." + std::to_string(clock.pair), clock.x, clock.y, 0.5, false, tip});
    if (clock.chosen) figure.boxes.push_back({around(clock.x, kHalf), around(clock.y, kHalf), {}, Role::accent});
  }
  for (Path* path : {&rims, &hands, &slow_hands}) figure.paths.push_back(*path);
  return figure;
}

Figure permutation_figure(double progress, Pairing pairing, const Text& text) {
  Figure figure = empty_figure("permutation", "channel", "row");
  figure.title = text["view.rotation.permutation"];
  figure.bare = true;
  figure.x.range = figure.x.fit = {-0.7, 2 * kPairs - 0.3};
  figure.y.range = figure.y.fit = {-1.95, kPairingBottom + 1.95};
  figure.y.reversed = true;
  add_row_name(figure, kPairingTop - 1.55, text["view.rotation.interleaved"], pairing == Pairing::interleaved);
  add_row_name(figure, kPairingBottom + 1.55, text["view.rotation.half"], pairing == Pairing::half_split);
  const std::vector<int> from = half_split_from_interleaved(kPairs);
  const double done = std::clamp(progress, 0.0, 1.0);
  const double way = done * done * (3 - 2 * done);  // eased at the start and at the end
  for (int target = 0; target < 2 * kPairs; ++target) {
    const int source = from[static_cast<std::size_t>(target)], pair = target % kPairs;
    figure.paths.push_back({"way." + std::to_string(source),
                            {pair, true},
                            Role::curve,
                            {static_cast<double>(source), static_cast<double>(target)},
                            {kPairingTop + kHalfHeight, kPairingBottom - kHalfHeight}});
    // Channels that move left pass above those that move right, so that they do not touch.
    const double ahead = source == target ? 0 : (target < source ? kPass : -kPass) * std::sin(std::numbers::pi * way);
    const double x = source + way * (target - source), y = kPairingTop + way * (kPairingBottom - kPairingTop) + ahead;
    // Start and destination remain marked; the moving channel is filled.
    for (const auto& [column, row] : {std::pair<double, double>(source, kPairingTop), {target, kPairingBottom}}) {
      Box place = box_at(column, row, pair, false);
      place.style.faint = true;
      figure.boxes.push_back(place);
    }
    for (const double row : {kPairingTop - 0.82, kPairingBottom + 0.82}) {
      figure.labels.push_back(label_at(target, row, readable_integer(target), Role::faint));
    }
    figure.boxes.push_back(box_at(x, y, pair, true));
    figure.boxes.push_back(box_at(x, y, pair, false));
    Label name = label_at(x, y, text["view.rotation.channel." + std::to_string(source)], Role::curve);
    name.style.slot = pair;
    name.semibold = true;
    name.size = 1.2;
    figure.labels.push_back(name);
  }
  return figure;
}

Figure mixed_figure(const RotationState& state, const MixedCurves& curves, const Text& text) {
  Figure figure = named_figure("mixed");
  const TextValue pairs = counted(state.pairs);
  figure.title = text.format("view.rotation.mixed.title", {{"pairs", pairs}});
  figure.lines = {line_of_pairing("right", 0, curves.right, text), line_of_pairing("other", 1, curves.other, text),
                  line_of_pairing("mixed", 3, curves.mixed, text)};
  figure.x.name = "distance";
  figure.x.label = text.format("view.rotation.mixed.distance", {{"key", readable_number(state.key_position, 7)}});
  figure.x = cell_axis(figure.x, {0, state.fields.reach}, {});
  figure.y.name = "score";
  figure.y.label = text.format("view.rotation.mixed.score", {{"pairs", pairs}});
  figure.y = fixed_axis(figure.y, fit_pairing_scores(figure.lines));
  figure.zero_line = true;
  figure.legend = true;
  const double distance = state.query_position - state.key_position;
  if (distance >= 0 && distance <= state.fields.reach) {
    add_rule(figure, distance, text.format("view.rotation.mixed.here", {{"distance", readable_number(distance, 7)}}));
  }
  return figure;
}

namespace {

HelixPage helix_page(const RotationState& state) {
  HelixPage page;
  page.span = span_of_helix(state);
  page.first = page.span * std::floor(state.query_position / page.span);
  return page;
}

/// Sets the ranges to the projected box of floor, wall and ceiling, with space for the names around it.
void fit_helix(Figure& figure, const HelixPage& page, const Projection& projection) {
  constexpr double kSide = (0.11 - kAlong * kWall) * kLength;
  constexpr double kMinHalf = 3;  // radii: the two names over the drawing do not meet
  Eigen::AlignedBox2d box;
  for (const double position : {page.first, page.last()}) {
    for (const double depth : {kFront, kWall}) {
      for (const double height : {kFloor, kCeiling}) box.extend(projection.at(position, depth, height));
    }
  }
  const double unit = projection.oblique() ? page.span / kLength : 1;
  figure.equal_axes = !projection.oblique();
  figure.stretch = projection.mix();
  const double side = std::max(kSide * unit, kMinHalf * unit - box.sizes().x() / 2);
  figure.x.range = {box.min().x() - side, box.max().x() + side};
  figure.y.range = {box.min().y() - kBottomMargin, box.max().y() + kTopMargin};
  figure.x.fit = figure.x.range;
  figure.y.fit = figure.y.range;
}

}  // namespace

Figure helix_figure(const RotationState& state, const Text& text) {
  Figure figure = named_figure("helix");
  figure.bare = true;
  const HelixPage page = helix_page(state);
  const Projection projection(state.fields, page);
  figure.x.name = projection.oblique() ? "position" : "across";
  figure.y.name = projection.oblique() ? "sine" : "up";
  fit_helix(figure, page, projection);
  figure.title = text.format("view.rotation.helix", {{"pair", counted(state.pair)},
                                                     {"frequency", readable_number(state.frequency, 4)},
                                                     {"wavelength", readable_number(wavelength(state.frequency), 4)}});
  const HelixDrawing drawing{figure, state, page, projection, text};
  add_absent_key(drawing);
  add_cut(drawing);
  add_room(drawing);
  add_trained_length(drawing);
  add_curves(drawing);
  add_place(drawing, {"key", state.key_position, kHelixKey, state.key_position <= state.query_position});
  add_place(drawing, {"query", state.query_position, kHelixQuery, state.query_position < state.key_position});
  add_names(drawing);
  Handle camera;
  camera.key = "camera";
  camera.radius = std::numeric_limits<double>::infinity();
  camera.x = (figure.x.range.low + figure.x.range.high) / 2;
  camera.y = (figure.y.range.low + figure.y.range.high) / 2;
  figure.handles.push_back(camera);
  return figure;
}

}  // namespace ropescope
