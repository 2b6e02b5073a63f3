#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/figure/ticks.h"
#include "app/views/rotation/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

constexpr LineStyle kHelixQuery{0, false}, kHelixKey{1, false}, kHelixCosine{2, false}, kHelixSine{3, false};
/// More turns than this are a smear on any screen: their outline is drawn instead.
constexpr double kMostTurns = 150;
constexpr double kTurns = 5;          ///< that are shown where nothing else was asked for
constexpr double kMostSamples = 128;  ///< positions that get a dot each
constexpr double kFloor = -1.7, kCeiling = 1.3, kWall = 1.3, kFront = -1.3;
constexpr double kShear = 0.28;  ///< how far up the depth goes

/// The stretch of positions that is on screen: the page on which the query stands.
struct HelixPage {
  double first = 0, span = 0;
  double last() const { return first + span; }
  bool holds(double position) const { return position >= first && position <= last(); }
};

double span_of_helix(const RotationState& state) {
  if (state.knobs.span > 0) return state.knobs.span;
  constexpr double kStill = 64;
  const double length = std::abs(wavelength(state.frequency));
  return std::isfinite(length) ? std::clamp(std::ceil(kTurns * length), 2.0, kMostRotationPosition) : kStill;
}

/// Seen obliquely from the front: positions run to the right, sin upwards, cos away from the viewer.
class Projection {
 public:
  explicit Projection(const HelixPage& page) : along_(0.07 * page.span) {}
  double x(double position, double cosine) const { return position + along_ * cosine; }
  double y(double sine, double cosine) const { return sine + kShear * cosine; }
  void add(Path& path, double position, double cosine, double sine) const {
    path.xs.push_back(x(position, cosine));
    path.ys.push_back(y(sine, cosine));
  }

 private:
  double along_;
};

Path path_of(const std::string& key, const LineStyle& style, double width) {
  Path path;
  path.key = key;
  path.style = style;
  path.width = width;
  return path;
}

Path outline(const std::string& key) {
  Path path;
  path.key = key;
  path.role = Role::line;
  path.width = 0.7;
  return path;
}

struct HelixDrawing {
  Figure& figure;
  const RotationState& state;
  const HelixPage& page;
  const Projection projection;
  const Text& text;
};

/// Floor and wall, with the positions along the floor's front edge.
void add_room(const HelixDrawing& d) {
  Path edges = outline("floor");
  for (const auto& [position, depth] :
       {std::pair(d.page.first, kFront), std::pair(d.page.last(), kFront), std::pair(d.page.last(), kWall),
        std::pair(d.page.first, kWall), std::pair(d.page.first, kFront)}) {
    d.projection.add(edges, position, depth, kFloor);
  }
  d.figure.paths.push_back(edges);
  Path wall = outline("wall");
  for (const auto& [position, height] : {std::pair(d.page.first, kFloor), std::pair(d.page.first, kCeiling),
                                         std::pair(d.page.last(), kCeiling), std::pair(d.page.last(), kFloor)}) {
    d.projection.add(wall, position, kWall, height);
  }
  d.figure.paths.push_back(wall);
  FigureAxis axis;
  axis.range = {d.page.first, d.page.last()};
  axis.whole = true;
  Path ticks = outline("ticks");
  for (const Tick& tick : make_ticks(axis, 9, 1)) {
    if (!tick.major) continue;
    d.projection.add(ticks, tick.value, kFront, kFloor);
    d.projection.add(ticks, tick.value, kWall, kFloor);
    ticks.xs.push_back(std::nan(""));
    ticks.ys.push_back(std::nan(""));
    Label label = label_at(d.projection.x(tick.value, kFront), d.projection.y(kFloor, kFront) - 0.06,
                           readable_integer(tick.value));
    label.role = Role::secondary;
    label.anchor_y = 0;
    d.figure.labels.push_back(label);
  }
  d.figure.paths.push_back(ticks);
  Path middle = outline("axis");
  d.projection.add(middle, d.page.first, 0, 0);
  d.projection.add(middle, d.page.last(), 0, 0);
  d.figure.paths.push_back(middle);
}

/// A pair that turns too slowly for five turns in as many positions as there are says how many it is.
void add_cut(const HelixDrawing& d) {
  const double turns = d.page.span * std::abs(d.state.frequency) / (2 * std::numbers::pi);
  if (d.state.knobs.span > 0 || d.page.span < kMostRotationPosition || turns >= kTurns) return;
  Label words = label_at(d.page.first + d.page.span / 2, d.projection.y(kCeiling, kWall) + 0.05,
                         d.text.format("view.rotation.cut", {{"turns", readable_number(turns, 3)},
                                                             {"positions", counted(kMostRotationPosition)}}));
  words.role = Role::secondary;
  words.anchor_y = 1;
  d.figure.labels.push_back(words);
}

void add_names(const HelixDrawing& d) {
  Label position = label_at(d.page.first + d.page.span / 2, d.figure.y.range.low, d.text["view.rotation.position"]);
  position.anchor_y = 1;
  d.figure.labels.push_back(position);
  const double above = d.projection.y(kCeiling, kWall) + 0.05;
  Label sine = label_at(d.projection.x(d.page.first, kWall), above, d.text["view.rotation.shadow_sine"]);
  sine.style = kHelixSine;
  Label cosine = label_at(d.projection.x(d.page.last(), kWall), above, d.text["view.rotation.shadow_cosine"]);
  cosine.style = kHelixCosine;
  cosine.anchor_x = 1;
  sine.anchor_x = 0;
  for (Label* label : {&sine, &cosine}) {
    label->anchor_y = 1;
    label->role = Role::curve;
    d.figure.labels.push_back(*label);
  }
}

/// Too many turns to tell apart: what they fill, and their number.
void add_smear(const HelixDrawing& d, double turns) {
  Path filled = path_of("helix", kHelixQuery, 1);
  filled.filled = true;
  const double top = std::hypot(1, kShear);
  for (const auto& [position, height] :
       {std::pair(d.page.first, -top), std::pair(d.page.last(), -top), std::pair(d.page.last(), top),
        std::pair(d.page.first, top), std::pair(d.page.first, -top)}) {
    filled.xs.push_back(position);
    filled.ys.push_back(height);
  }
  d.figure.paths.push_back(filled);
  Label words = label_at(d.page.first + d.page.span / 2, 0,
                         d.text.format("view.rotation.too_dense", {{"turns", counted(turns)}}));
  words.size = 1.2;
  d.figure.labels.push_back(words);
}

void add_curves(const HelixDrawing& d) {
  const double turns = std::abs(d.page.span * d.state.frequency) / (2 * std::numbers::pi);
  if (turns > kMostTurns) return add_smear(d, turns);
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
  if (d.page.span > kMostSamples) return;
  Points samples;
  samples.key = "positions";
  samples.style = kHelixQuery;
  for (double position = d.page.first; position <= d.page.last(); ++position) {
    const double angle = position * d.state.frequency;
    samples.xs.push_back(d.projection.x(position, std::cos(angle)));
    samples.ys.push_back(d.projection.y(std::sin(angle), std::cos(angle)));
  }
  d.figure.points.push_back(samples);
}

struct HelixPlace {
  const char* key;
  double position;
  LineStyle style;
  bool first = false;  ///< stands before the other one: its name reaches to the left
};

/// Where the key stands that is on no position shown.
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

/// The circle at a position with the hand that points to the helix, and its two shadows.
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
  Arrow hand;
  hand.key = place.key;
  hand.style = place.style;
  hand.x0 = d.projection.x(place.position, 0);
  hand.y0 = d.projection.y(0, 0);
  hand.x1 = d.projection.x(place.position, cosine);
  hand.y1 = d.projection.y(sine, cosine);
  d.figure.arrows.push_back(hand);
  Label name = label_at(
      d.projection.x(place.position, kFront), d.projection.y(kFloor, kFront) - 0.28,
      d.text.format(std::string("view.rotation.at_") + place.key, {{"position", counted(std::floor(place.position))}}));
  name.role = Role::curve;
  name.style = place.style;
  name.anchor_x = place.first ? 1 : 0;
  name.anchor_y = 0;
  name.semibold = true;
  d.figure.labels.push_back(name);
}

/// Beyond it lie positions that the model never saw.
void add_trained_length(const HelixDrawing& d) {
  const double length = d.state.trained_length;
  if (length <= d.page.first || length > d.page.last()) return;
  Path mark;
  mark.key = "trained";
  mark.role = Role::secondary;
  mark.width = 0.8;
  d.projection.add(mark, length, kFront, kFloor);
  d.projection.add(mark, length, kWall, kFloor);
  d.projection.add(mark, length, kWall, kCeiling);
  d.figure.paths.push_back(mark);
  Label words = label_at(d.projection.x(length, kWall) + 0.006 * d.page.span, d.projection.y(kCeiling, kWall) - 0.04,
                         d.text.format("view.rotation.trained", {{"length", counted(length)}}));
  words.role = Role::secondary;
  words.anchor_x = words.anchor_y = 0;
  d.figure.labels.push_back(words);
}

}  // namespace

Figure helix_figure(const RotationState& state, const Text& text) {
  Figure figure;
  figure.name = "helix";
  figure.bare = true;
  HelixPage page;
  page.span = span_of_helix(state);
  page.first = page.span * std::floor(state.query_position / page.span);
  figure.x.name = "position";
  figure.y.name = "sine";
  figure.x.range = figure.x.fit = {page.first - 0.11 * page.span, page.last() + 0.11 * page.span};
  figure.y.range = figure.y.fit = {-2.75, 1.9};
  figure.title = text.format("view.rotation.helix", {{"pair", counted(state.pair)},
                                                     {"frequency", readable_number(state.frequency, 4)},
                                                     {"wavelength", readable_number(wavelength(state.frequency), 4)}});
  const HelixDrawing drawing{figure, state, page, Projection(page), text};
  add_absent_key(drawing);
  add_cut(drawing);
  add_room(drawing);
  add_trained_length(drawing);
  add_curves(drawing);
  add_place(drawing, {"key", state.key_position, kHelixKey, state.key_position <= state.query_position});
  add_place(drawing, {"query", state.query_position, kHelixQuery, state.query_position < state.key_position});
  add_names(drawing);
  return figure;
}

}  // namespace ropescope
