// Draws the laws of angle and length, their plane and table, and creates their cards.
//
// Contents: Law; Table; Plane; Cards.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/rotation/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"

namespace ropescope {

// --- Law -----------------------------------------------------------------------------------------------------------

namespace {

/// Samples per position step: between two positions a law is arbitrary, and it is drawn there too.
constexpr int kSamplesPerPlace = 8;
/// The maximum number of positions drawn as dots; more would merge into a thick line.
constexpr int kMaxDots = 96;
/// Slot of the first distance.
constexpr int kFirstDistance = 2;
/// The minimum height of the plot of scores, as a fraction of |q||k|, so that rounding appears as a flat line.
constexpr double kMinScores = 0.25;

Eigen::Vector2d vector_of(std::complex<double> number) {
  return {number.real(), number.imag()};
}

template <class Of>
std::shared_ptr<const Series> sample_function(int span, const Of& of) {
  std::vector<double> values;
  for (int i = 0; i <= span * kSamplesPerPlace; ++i) values.push_back(of(static_cast<double>(i) / kSamplesPerPlace));
  return make_series(0, 1.0 / kSamplesPerPlace, std::move(values));
}

FigureAxis law_axis(const std::string& name, const Text& text, const std::string& kept) {
  FigureAxis axis = named_axis("rotation", name, text, AxisScale::linear, kept);
  axis.label = text["view.rotation.law." + name];
  return axis;
}

/// Draws the effect of the laws on query and key over the position: the angle or the length.
template <class Of>
Figure law_figure(const LawState& state, const Text& text, const std::string& axis, const Of& of) {
  Figure figure;
  const auto add_line = [&](const std::string& key, const LineStyle& style, const auto& effect) {
    figure.lines.push_back({key, text["view.rotation." + key], style,
                            sample_function(state.span, [&](double at) { return of(effect(state.law, at)); })});
  };
  // Usually q and k have one law, so the dashes of k are on the line of q.
  add_line("k", kKey, key_effect);
  add_line("q", kQuery, query_effect);
  figure.x = data_axis(law_axis("place", text, "law_place"), {0, static_cast<double>(state.span)}, state.fields.zooms);
  // Leaves space above the curves for the names of the positions.
  Range values = widened({0, 1}, figure.lines);
  values.high += 0.25 * (values.high - values.low);
  figure.y = value_axis(law_axis(axis, text, "law_" + axis), values, state.fields.zooms);
  figure.legend = true;
  add_rule(figure, state.key_position, text["view.rotation.law.n"], Role::curve, kKey);
  add_rule(figure, state.query_position, text["view.rotation.law.m"], Role::curve, kQuery);
  return figure;
}

// --- Table ---------------------------------------------------------------------------------------------------------

/// Columns of the sheet: the law's name from the left edge, a change per distance, and the line that excludes it.
constexpr double kName = 0.12, kLawTableFirst = 5.42, kApart = 1.48, kLawTableHalfWidth = 0.68, kLine = 10.05,
                 kLawTableWidth = 11.1;
/// Rows: a heading and its laws, twice.
constexpr double kSecondHeading = 6.35;
constexpr int kFlatSlot = 2;

double column_of(std::size_t distance) {
  return kLawTableFirst + kApart * static_cast<double>(distance);
}

struct LawRow {
  double at = 0;
  std::string name, line;
  const LawChanges& changes;
  bool chosen = false;
};

void add_heading(Figure& figure, double row, const std::string& words) {
  figure.labels.push_back(label_at(kName, row, words, Role::secondary, 0));
}

void add_law_row(Figure& figure, const LawRow& row, const Text& text) {
  Label name = label_at(kName, row.at, row.name, row.chosen ? Role::text : Role::secondary, 0);
  name.semibold = row.chosen;
  figure.labels.push_back(name);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    const double x = column_of(i);
    const bool flat = row.changes.flat(i);
    if (flat) {
      figure.boxes.push_back(
          {around(x, kLawTableHalfWidth), around(row.at, 0.44), {kFlatSlot, false}, Role::curve, true});
    }
    Label cell = label_at(x, row.at, flat ? text["view.rotation.law.flat"] : readable_number(row.changes.change[i], 3),
                          flat ? Role::curve : Role::text);
    cell.style.slot = flat ? kFlatSlot : 0;
    cell.semibold = row.chosen;
    figure.labels.push_back(cell);
  }
  Label line = label_at(kLine, row.at, row.changes.flat() || row.line.empty() ? "–" : row.line,
                        row.chosen ? Role::text : Role::secondary);
  line.semibold = row.chosen;
  figure.labels.push_back(line);
  if (!row.chosen) return;
  figure.boxes.push_back({{0, kLawTableWidth}, around(row.at, 0.5), {}, Role::accent});
}

// --- Plane ---------------------------------------------------------------------------------------------------------

/// Longer arrows are outside the plane.
constexpr double kLongest = 1e6;

double measure_law_extent(const LawState& state) {
  double longest = std::max({1.0, state.q.norm(), state.k.norm(), state.turned_q.norm(), state.turned_k.norm()});
  if (!(longest < kLongest)) longest = kLongest;
  return plane_extent(longest);
}

/// One of the two vectors: its name, its position, and the effect of its law there.
struct Vector {
  const char* name;
  const Eigen::Vector2d& from;
  PositionEffect effect;
  LineStyle style;
  Range spiral;   ///< radii, as fractions of the plane
  double corner;  ///< of its label: top or bottom
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

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns a change; for rounding, only its magnitude (one digit).
ShownNumber round_change(double change) {
  return with_digits(change, change < kFlatnessTolerance ? 1 : 3);
}

std::string card_name(const std::string& of, double distance) {
  return "rotation." + of + "_" + std::to_string(static_cast<int>(distance));
}

Readout describe_law_change(const LawState& state, std::size_t distance, const Text& text) {
  const double change = state.changes.change[distance];
  const TextValue at = counted(kLawDistances[distance]);
  Readout readout = start_card(card_name("law_change", kLawDistances[distance]), text, "rotation.law_change");
  readout.label = text.format("readout.rotation.law_change.of", {{"distance", at}});
  readout.value = Quantity{round_change(change)};
  readout.note =
      text[change < kFlatnessTolerance ? "readout.rotation.law_change.flat" : "readout.rotation.law_change.seen"];
  return readout;
}

/// Returns "5 of 6" for lessons; the table shows the details.
template <class Laws>
Readout flat_readout(const std::string& of, const Laws& laws, std::size_t distance, const Text& text) {
  Readout readout = start_card(card_name(of, kLawDistances[distance]), text, "rotation." + of);
  readout.label = text.format("readout.rotation." + of + ".of", {{"distance", counted(kLawDistances[distance])}});
  const auto flat =
      std::count_if(laws.begin(), laws.end(), [&](const LawChanges& changes) { return changes.flat(distance); });
  readout.value = count_of(flat, laws.size());
  readout.aside = true;
  return readout;
}

/// Returns the lines that exclude the selected laws, each combined with the other's plain law.
Readout ruled_out_readout(const LawState& state, const Text& text) {
  Readout readout = start_card("rotation.law_ruled_out", text);
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  const bool angle_falls = !angles[static_cast<std::size_t>(state.law.angle)].flat(),
             length_falls = !lengths[static_cast<std::size_t>(state.law.length)].flat();
  const std::string of_length = length_falls ? line_against(state.law.length, text) : "",
                    of_angle = angle_falls ? line_against(state.law.angle, text) : "";
  const std::string key = "readout.rotation.law_ruled_out.";
  if (!of_length.empty() || !of_angle.empty()) {
    readout.value = verbatim(of_length.empty()  ? of_angle
                             : of_angle.empty() ? of_length
                                                : of_length + text["list.between"] + of_angle);
    readout.note = text[key + (of_length.empty() ? word_of(state.law.angle) : word_of(state.law.length))];
    return readout;
  }
  readout.value = Message("readout.rotation.law_ruled_out.nothing");
  readout.note = text[key + (state.law.length == LengthLaw::exponential ? "exponential" : "none")];
  return readout;
}

Readout apart_readout(const LawState& state, const Text& text) {
  Readout readout = start_card("rotation.law_apart", text);
  const double apart = law_contrast(state.law, state.pair);
  readout.value = Quantity{round_change(apart)};
  readout.note =
      text[apart < kFlatnessTolerance ? "readout.rotation.law_apart.blind" : "readout.rotation.law_apart.note"];
  return readout;
}

}  // namespace

std::string line_against(AngleLaw law, const Text& text) {
  const std::string key = "view.rotation.law.line." + word_of(law);
  return text.has(key) ? text[key] : std::string();
}

std::string line_against(LengthLaw law, const Text& text) {
  const std::string key = "view.rotation.law.line." + word_of(law);
  return text.has(key) ? text[key] : std::string();
}

LawState law_state(const RotationFields& fields) {
  LawState state;
  state.set(fields);
  state.law.angle = fields.angle_law;
  state.law.length = fields.length_law;
  state.law.theta = fields.law_theta;
  state.law.theta_key = fields.law_theta_key;
  state.law.gamma = fields.law_gamma;
  state.law.gamma_key = fields.law_gamma_key;
  state.law.rate = fields.law_rate;
  state.pair = {{fields.qx, fields.qy}, {fields.kx, fields.ky}};
  state.span = static_cast<int>(fields.law_span);
  state.turned_q = vector_of(apply_effect(state.pair.q, query_effect(state.law, state.query_position)));
  state.turned_k = vector_of(apply_effect(state.pair.k, key_effect(state.law, state.key_position)));
  state.changes = law_changes(state.law, state.pair, state.span);
  return state;
}

Figure laws_figure(const LawState& state, const Text& text) {
  Figure figure = law_figure(state, text, "angle", [](const PositionEffect& effect) { return effect.angle / kTurn; });
  figure.name = "laws";
  return figure;
}

Figure lengths_figure(const LawState& state, const Text& text) {
  Figure figure = law_figure(state, text, "length", [](const PositionEffect& effect) { return effect.length; });
  figure.name = "lengths";
  return figure;
}

Figure shift_figure(const LawState& state, const Text& text) {
  Figure figure = named_figure("shift", text["view.rotation.law.shift"]);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    const double distance = kLawDistances[i];
    const std::string key = "distance_" + std::to_string(static_cast<int>(distance));
    const LineStyle style{kFirstDistance + static_cast<int>(i), false};
    const auto score = [&](double shift) { return law_score(state.law, state.pair, distance, shift); };
    figure.lines.push_back({key, text.format("view.rotation.law.distance", {{"distance", counted(distance)}}), style,
                            sample_function(state.span, score)});
    if (state.span > kMaxDots) continue;
    Points places = points_of(key + ".places", style);
    for (int shift = 0; shift <= state.span; ++shift) {
      add_point(places, shift, score(shift));
    }
    figure.points.push_back(std::move(places));
  }
  figure.x = data_axis(law_axis("t", text, "law_shift"), {0, static_cast<double>(state.span)}, state.fields.zooms);
  // At least as high as the scores themselves, so that the three are distinguishable.
  const double least = kMinScores * std::max(state.q.norm() * state.k.norm(), 1e-3);
  const double first = figure.lines.front().series->ys.front();
  Range scores = widened({first, first}, figure.lines);
  const double missing = std::max(0.0, least - (scores.high - scores.low));
  scores = add_margin({scores.low - missing / 2, scores.high + missing / 2}, 0.12);
  figure.y = value_axis(law_axis("score", text, "law_score"), scores, state.fields.zooms);
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

Figure law_table_figure(const LawState& state, const Text& text) {
  Figure figure = empty_figure("table", "table_column", "row");
  figure.title = text.format("view.rotation.law.table", {{"span", counted(state.span)}});
  figure.bare = true;
  figure.x.range = figure.x.fit = {0, kLawTableWidth};
  figure.y.range = figure.y.fit = {-1.6, kSecondHeading + static_cast<double>(kLengthLaws.size()) + 0.7};
  figure.y.reversed = true;
  figure.least_lines = figure.y.fit.high - figure.y.fit.low;
  add_heading(figure, -1, text["view.rotation.law.angles"]);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    figure.labels.push_back(
        label_at(column_of(i), -1, text.format("view.rotation.law.distance", {{"distance", counted(kLawDistances[i])}}),
                 Role::secondary));
  }
  figure.labels.push_back(label_at(kLine, -1, text["view.rotation.law.against"], Role::secondary));
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kAngleLaws.size(); ++i) {
    const AngleLaw law = kAngleLaws[i];
    add_law_row(figure,
                {static_cast<double>(i), text["option.rotation.angle_law." + word_of(law)], line_against(law, text),
                 angles[i], law == state.law.angle},
                text);
  }
  add_heading(figure, kSecondHeading, text["view.rotation.law.lengths"]);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kLengthLaws.size(); ++i) {
    const LengthLaw law = kLengthLaws[i];
    add_law_row(figure,
                {kSecondHeading + 1 + static_cast<double>(i), text["option.rotation.length_law." + word_of(law)],
                 line_against(law, text), lengths[i], law == state.law.length},
                text);
  }
  return figure;
}

Figure law_plane_figure(const LawState& state, const Text& text) {
  const double reach = measure_law_extent(state);
  Figure figure = empty_plane(reach);
  figure.title = text.format("view.rotation.law.plane", {{"query", readable_number(state.query_position, 7)},
                                                         {"key", readable_number(state.key_position, 7)}});
  const bool finite = state.turned_q.allFinite() && state.turned_k.allFinite();
  if (finite) add_between(figure, state.turned_q, state.turned_k);
  const Vector vectors[] = {{"query", state.q, query_effect(state.law, state.query_position), kQuery, {0.26, 0.43}, 1},
                            {"key", state.k, key_effect(state.law, state.key_position), kKey, {0.1, 0.21}, -1}};
  for (const Vector& vector : vectors) add_effect(figure, vector, reach, text);
  if (state.fields.trail) {
    const auto trail = [&](const char* key, std::complex<double> from, double position, const LineStyle& style,
                           PositionEffect (*effect)(const PositionLaw&, double)) {
      add_trail(figure, key, style, position, [&](double at) {
        const std::complex<double> tip = apply_effect(from, effect(state.law, at));
        return Eigen::Vector2d(tip.real(), tip.imag());
      });
    };
    trail("query_trail", state.pair.q, state.query_position, kQuery, &query_effect);
    if (state.fields.locked) trail("key_trail", state.pair.k, state.key_position, kKey, &key_effect);
  }
  add_vectors(figure, state, "view.rotation.law.turned_", text);
  return figure;
}

std::vector<Readout> law_readouts(const LawState& state, const Text& text) {
  std::vector<Readout> readouts;
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) readouts.push_back(describe_law_change(state, i, text));
  readouts.push_back(ruled_out_readout(state, text));
  readouts.push_back(apart_readout(state, text));
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    readouts.push_back(flat_readout("flat_angles", angles, i, text));
    readouts.push_back(flat_readout("flat_lengths", lengths, i, text));
  }
  return readouts;
}

}  // namespace ropescope
