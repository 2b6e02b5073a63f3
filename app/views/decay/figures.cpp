// Curves, phasors, the chain of the bound, and the table of differences of two ropes.
//
// Contents: Curves; Phasors; Chain; Differences; Table of differences.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/figure/text_flow.h"
#include "app/resources/models.h"
#include "app/views/check/report.h"
#include "app/views/decay/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/shared/user_curve.h"
#include "core/attention/attention.h"
#include "core/decay/analysis.h"
#include "core/decay/limits.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Curves --------------------------------------------------------------------------------------------------------

namespace {

double smallest_positive(const std::vector<Line>& lines) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) {
    for (const double y : line.series->ys) {
      if (y > 0) smallest = std::min(smallest, y);
    }
  }
  return smallest;
}

/// Fits an axis to its lines. Linear ends are rounded to a tenth of the size, so the axis does not jitter while a field
/// is dragged.
Range fit_values_decay(const std::vector<Line>& lines, AxisScale scale) {
  if (lines.empty()) return {0, 1};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Range data = widened({kInfinity, -kInfinity}, lines);
  if (scale == AxisScale::log) {
    const double low = smallest_positive(lines);
    if (!std::isfinite(low)) return {0.1, 1};
    return {std::max(std::pow(10, std::floor(std::log10(low))), data.high * 1e-6), data.high * 1.15};
  }
  const double size = std::max(std::abs(data.low), std::abs(data.high));
  if (size == 0) return {-1, 1};
  const double grain = 0.1 * std::pow(10, std::floor(std::log10(size)));
  const double low = data.low >= 0 ? 0 : grain * std::floor(data.low / grain - 0.25);
  return {low, data.high + 0.04 * (data.high - std::min(data.low, 0.0))};
}

FigureAxis decay_distance_axis(const DecayFields& fields, const Text& text) {
  return distance_axis(named_axis("decay", "distance", text, fields.distance_axis), fields.span, fields.zooms);
}

FigureAxis similarity_axis(const DecayFields& fields, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "similarity", text, fields.similarity_axis);
  const bool score = fields.content != DecayContent::aligned;
  if (score) axis.label = text["view.decay.score"];
  if (fields.with_amplitude) {
    axis.label = text[score ? "view.decay.score_with_amplitude" : "view.decay.similarity_with_amplitude"];
  }
  return value_axis(axis, fit_values_decay(lines, axis.scale), fields.zooms);
}

FigureAxis bound_axis(const DecayFields& fields, const Text& text, const std::vector<Line>& lines) {
  FigureAxis axis = named_axis("decay", "bound", text, fields.bound_axis);
  axis.name = "abel_bound";
  if (fields.content != DecayContent::aligned) axis.label = text["view.decay.bound_of_score"];
  return value_axis(axis, fit_values_decay(lines, axis.scale), fields.zooms);
}

void add_rules_decay(Figure& figure, const Experiment& experiment, const std::vector<DecayShown>& curves,
                     const Text& text) {
  std::vector<double> seen;
  for (const DecayShown& curve : curves) {
    if (!experiment.decay.show_trained) break;
    const double length = curve.rope->trained_length;
    if (length <= 0 || is_hidden(experiment, curve.key)) continue;
    if (std::find(seen.begin(), seen.end(), length) != seen.end()) continue;
    seen.push_back(length);
    add_rule(figure, length, trained_label(*curve.rope, "view.decay.trained", text));
  }
  if (experiment.decay.marked_pairs.empty()) return;
  const Eigen::VectorXd& frequencies = curves.front().frequencies();
  for (const double pair : parse_list(experiment.decay.marked_pairs, "decay.marked_pairs", kMaxMarkedPairs)) {
    // Marked with a larger dimension; it returns with that dimension.
    if (!(pair >= 0 && pair < static_cast<double>(frequencies.size()))) continue;
    const double length = wavelength(frequencies[static_cast<Eigen::Index>(pair)]);
    if (!std::isfinite(length)) continue;
    add_rule(figure, length,
             text.format("view.decay.wavelength", {{"pair", counted(pair)}, {"length", readable_number(length, 4)}}),
             Role::curve, {0, false});
  }
}

/// Adds a line that shows a rope in another way, under its curve.
void add_faint_line(Figure& figure, Line line, DecayInput input, Store& store) {
  input.kernel.want_bound = input.trend = false;
  input.envelope = EnvelopeKind::none;
  const auto answer = store.request<decay_curves>({line.key, input.cost()}, input);
  figure.stale |= !answer.current;
  if (!answer.result) return;
  line.series = answer.result->similarity;
  figure.lines.push_back(std::move(line));
}

/// Adds the current rope without its extension, and, beside content from weights, with aligned content.
void add_faint_lines(Figure& figure, const Experiment& experiment, const DecayShown& current, const Text& text,
                     Store& store) {
  DecayFields fields = experiment.decay;
  if (is_hidden(experiment, current.key)) return;
  const bool louder = fields.with_amplitude && current.amplitude != 1;
  if (fields.show_plain && (current.frequencies() != current.plain || louder)) {
    add_faint_line(figure, {current.key + ".plain", text["view.decay.without"], {current.slot, true}, nullptr},
                   decay_input(current.plain, 1, fields, current.input.kernel.content), store);
  }
  if (fields.content != DecayContent::weights) return;
  fields.content = DecayContent::aligned;
  add_faint_line(figure, {current.key + ".aligned", text["view.decay.aligned"], {-1 - current.slot, false}, nullptr},
                 decay_input(current.frequencies(), current.amplitude, fields), store);
}

/// Marks 1 above the bound: the bound applies to |K|, which is at most 1.
void add_largest_similarity(Figure& figure, const DecayFields& fields, const std::vector<DecayShown>& curves,
                            const Text& text) {
  const DecayShown& current = curves.front();
  if (!fields.show_maximum || !current.curves || !current.curves->bound || figure.lines.empty()) return;
  const auto& telling = current.curves->first_telling;
  add_level(figure, 1,
            telling ? text.format("view.decay.bound_tells", {{"distance", counted(*telling)}})
                    : text["view.decay.bound_says_nothing"],
            Role::text);
}

/// Labels the lines of the current curve: the trend on the left, where the similarity is close to it and the space
/// above is free; then the envelope; then the plain ladder where it has decayed.
void name_lines(Figure& figure, const std::string& current, const Text& text) {
  for (const Line& line : std::vector<Line>(figure.lines)) {
    if (line.key == current + ".trend") name_line(figure, line, 0.3, text["view.decay.trend"]);
    if (line.key == current + ".envelope") name_line(figure, line, 0.55, text["view.decay.envelope"]);
    if (line.key == current + ".plain") name_line(figure, line, 0.8, line.label);
    if (line.key == current + ".aligned") name_line(figure, line, 0.3, line.label);
  }
}

// --- Phasors -------------------------------------------------------------------------------------------------------

// The colours of the clocks in the view Rotation: pairs that rotate, and those that complete no turn in training.
constexpr LineStyle kPhasorsTurning{0, false}, kPhasorsSlow{3, false}, kHorizontal{2, false};

bool is_slow(const PhasorState& state, Eigen::Index i) {
  return state.trained_length > 0 && is_unfinished(state.trained[state.pair_at(i)], state.trained_length);
}

/// Adds all arrows in one of two colours: as arrows, or as a path if there are many.
void add_phasor_arrows(Figure& figure, const PhasorState& state) {
  const bool arrows = state.pairs() <= kMaxArrows;
  Path turning = path_of("turning", kPhasorsTurning), slow = path_of("slow", kPhasorsSlow);
  std::complex<double> from = 0;
  for (Eigen::Index i = 0; i < state.pairs(); ++i) {
    const std::complex<double> to = state.sums.joints[static_cast<std::size_t>(i)];
    const LineStyle& style = is_slow(state, i) ? kPhasorsSlow : kPhasorsTurning;
    if (arrows) {
      const std::string key = "pair." + std::to_string(state.pair_at(i));
      figure.arrows.push_back({key, {}, style, Role::curve, from.real(), from.imag(), to.real(), to.imag()});
    } else {
      Path& path = is_slow(state, i) ? slow : turning;
      add_point(path, from.real(), from.imag());
      add_point(path, to.real(), to.imag());
      lift(path);
    }
    from = to;
  }
  if (!arrows) figure.paths.insert(figure.paths.end(), {turning, slow});
}

/// Adds the joints in the colours of the arrows that end there.
void add_joints(Figure& figure, const PhasorState& state) {
  if (state.pairs() > kMaxArrows) return;
  Points turning = points_of("joints", kPhasorsTurning), slow = points_of("slow_joints", kPhasorsSlow);
  for (Eigen::Index i = 0; i < state.pairs(); ++i) {
    const std::complex<double> joint = state.sums.joints[static_cast<std::size_t>(i)];
    Points& points = is_slow(state, i) ? slow : turning;
    add_point(points, joint.real(), joint.imag());
  }
  for (Points* points : {&turning, &slow}) {
    if (!points->xs.empty()) figure.points.push_back(*points);
  }
}

void add_phasor_circle(Figure& figure, double radius, const Text& text) {
  Path circle = path_of("mean_distance", Role::secondary, 0.8);
  add_arc(circle, {.radius = radius}, 180);
  figure.paths.push_back(circle);
  // Outside the usual range of the arrows, which start to the right and curl up to the left.
  const double place = -radius * std::numbers::sqrt2 / 2;
  figure.labels.push_back(label_at(place, place,
                                   text.format("view.decay.mean_distance", {{"value", readable_number(radius, 4)}}),
                                   Role::secondary, 0.5, -0.6));
}

/// Adds the end point with a vertical line to the axis, and from 0 to there the sum of all cosines.
void add_end(Figure& figure, const PhasorState& state, const Text& text) {
  const std::complex<double> end = state.sums.joints.back();
  Path down = path_of("to_axis", kHorizontal, 0.7), bar = path_of("horizontal", kHorizontal, 2.2);
  down.dashed = true;
  add_point(down, end.real(), end.imag());
  add_point(down, end.real(), 0);
  add_point(bar, 0, 0);
  add_point(bar, end.real(), 0);
  figure.paths.insert(figure.paths.end(), {down, bar});
  figure.points.push_back({"end", {}, kHorizontal, {end.real()}, {end.imag()}, {}});
  Label label = label_at(end.real(), 0,
                         text.format("view.decay.horizontal",
                                     {{"pairs", counted(state.pairs())}, {"value", readable_number(end.real(), 4)}}),
                         Role::curve, end.real() < 0 ? 1 : 0.5);
  // On the side of the axis without the end point.
  label.anchor_y = end.imag() > 0 ? -0.35 : 1.35;
  label.style = kHorizontal;
  label.semibold = true;
  figure.labels.push_back(label);
}

/// Rounds the ends, so the picture does not jitter while the distance changes.
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

/// Adds the number of slow pairs among all pairs, in their colour.
void add_slow_note(Figure& figure, const PhasorState& state, const Text& text) {
  Eigen::Index slow = 0;
  for (Eigen::Index i = 0; i < state.pairs(); ++i) slow += is_slow(state, i);
  if (slow == 0) return;
  Label note =
      label_at(figure.x.range.high, figure.y.range.high,
               text.format("view.rotation.slow", {{"count", counted(slow)}, {"length", counted(state.trained_length)}}),
               Role::curve);
  note.anchor_x = 1.02;
  note.anchor_y = -0.2;
  note.style = kPhasorsSlow;
  figure.labels.push_back(note);
}

// --- Chain ---------------------------------------------------------------------------------------------------------

constexpr LineStyle kBar{0, false};
constexpr double kChainThick = 0.38;  ///< height of a bar in a row of height 1
constexpr double kLinesOfBar = 2.6;   ///< text lines per row: a formula and its number
constexpr double kBelow = 0.14;       ///< offset of the bar below its row's centre: its formula is above it

struct ChainBar {
  const char* key;
  double value;
};

std::vector<ChainBar> bars_of(const AbelChain& chain) {
  return {{"score", chain.score},
          {"size", chain.size},
          {"abel", chain.transformed},
          {"terms", chain.terms},
          {"bound", chain.bound}};
}

void add_chain_bar(Figure& figure, const ChainBar& bar, double row, const Text& text) {
  Box box{{std::min(bar.value, 0.0), std::max(bar.value, 0.0)}, around(row + kBelow, kChainThick / 2), kBar};
  for (const bool filled : {true, true, false}) {
    box.filled = filled;
    figure.boxes.push_back(box);
  }
  figure.labels.push_back(label_at(figure.x.range.low, box.y.low, text[std::string("view.decay.chain.") + bar.key],
                                   Role::text, -0.02, 1.15));
  Label number = label_at(box.x.high, row + kBelow, readable_number(bar.value, 3, true), Role::text, -0.15);
  number.semibold = true;
  figure.labels.push_back(number);
}

// --- Differences ---------------------------------------------------------------------------------------------------

RopeFields clear_names(RopeFields rope) {
  rope.label.clear();
  rope.axis.clear();
  return rope;
}

FileStamp file_of(const RopeFields& rope) {
  return rope.config.empty() ? FileStamp() : stamp_of(rope.config);
}

/// Returns the difference that changes scores most; null if none changes them.
const ModelDifference* largest_of(const ModelComparison& found) {
  const auto largest =
      std::max_element(found.differences.begin(), found.differences.end(),
                       [](const auto& a, const auto& b) { return a.change.largest < b.change.largest; });
  return largest == found.differences.end() ? nullptr : &*largest;
}

/// Returns the difference that is noticeable at the smallest distance; null if none is.
const ModelDifference* first_of(const ModelComparison& found) {
  const ModelDifference* first = nullptr;
  for (const ModelDifference& each : found.differences) {
    if (each.change.first && (!first || *each.change.first < *first->change.first)) first = &each;
  }
  return first;
}

Readout describe_comparison_verdict(const DifferencesShown& shown) {
  const ModelComparison& found = *shown.found.result;
  Readout readout = start_card("decay.compare", shown.text, "compare_verdict");
  readout.width_share = 1.4;
  const std::vector<std::string> names =
      list_once(found.differences, [&](const ModelDifference& each) { return difference_name(each, shown.text); });
  if (found.agrees) {
    readout.value = Message("readout.check_verdict.agrees");
  } else if (names.size() == 1) {
    readout.value = Message("readout.compare_verdict.differs", {{"name", names.front()}});
  } else {
    readout.value = Message("readout.compare_verdict.differs_in", {{"count", names.size()}});
  }
  readout.note = shown.text.format("readout.compare_verdict.note", {{"a", shown.a}, {"b", shown.b}});
  return readout;
}

Readout describe_largest_difference(const DifferencesShown& shown) {
  Readout readout = start_card("decay.compare_largest", shown.text, "compare_largest");
  const ModelDifference* largest = largest_of(*shown.found.result);
  readout.value = Quantity{with_digits(largest ? largest->change.largest : 0, 3)};
  readout.note =
      largest ? shown.text.format("readout.compare_largest.note", {{"cause", difference_name(*largest, shown.text)},
                                                                   {"distance", counted(largest->change.at)}})
              : shown.text["readout.compare_largest.none"];
  return readout;
}

Readout first_readout(const DifferencesShown& shown) {
  Readout readout = start_card("decay.compare_first", shown.text, "compare_first");
  const ModelDifference* first = first_of(*shown.found.result);
  const std::string limit = readable_number(kNoticedChange);
  readout.value = first ? Quantity{as_whole(*first->change.first), "tokens"} : no_number();
  readout.note = first ? shown.text.format("readout.compare_first.note",
                                           {{"cause", difference_name(*first, shown.text)}, {"limit", limit}})
                       : shown.text.format("readout.compare_first.none", {{"limit", limit}});
  return readout;
}

/// Returns the effect of one difference, for lessons and files.
Readout describe_difference(const ModelDifference& difference, std::size_t number, const Text& text) {
  Readout readout;
  readout.name = "decay.compare_difference" + std::to_string(number);
  readout.label = difference_name(difference, text);
  readout.value = Quantity{with_digits(difference.change.largest, 3)};
  readout.note = text.render(difference.text);
  readout.tooltip = difference.cause + " (" + difference.profile + ")";
  readout.aside = true;
  return readout;
}

// --- Table of differences ------------------------------------------------------------------------------------------

/// Columns in hundredths of the width: text is left-aligned, numbers are right-aligned.
constexpr double kDifferenceTableWidth = 100, kCauseColumn = 0.4, kChange = 79, kFirstDistanceColumn = 99.6;
/// Letters per line: the table is next to the controls, or alone in a narrow window with large text. Ideographs are
/// twice as wide.
constexpr std::size_t kLettersPerLine = 90;
/// Fewer lines are aligned at the top; more do not fit.
constexpr double kFewestLines = 5, kDifferenceRowGap = 0.35;
constexpr std::size_t kMaxRows = 4;

struct DifferenceRow {
  std::string head, change, first;    ///< cause and numbers; empty: only a sentence
  std::vector<std::string> sentence;  ///< split into lines
};

/// Splits text into lines at permitted places.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  std::vector<std::size_t> starts = line_starts(text);
  starts.push_back(text.size());
  std::size_t from = 0;
  for (const std::size_t start : starts) {
    const std::string piece = text.substr(from, start - from);
    if (!lines.back().empty() && screen_width(lines.back() + piece) > kLettersPerLine) lines.emplace_back();
    lines.back() += piece;
    from = start;
  }
  return lines;
}

DifferenceRow row_of(const ModelDifference& difference, bool several, const Text& text) {
  DifferenceRow row;
  row.head = difference_name(difference, text);
  if (several) {
    row.head = text.format("view.decay.differences.of_profile",
                           {{"cause", row.head}, {"profile", profile_label(text, difference.profile)}});
  }
  const ScoreChange& change = difference.change;
  row.change = text.format("view.decay.differences.change",
                           {{"change", readable_number(change.largest, 3)}, {"distance", counted(change.at)}});
  row.first = change.first ? readable_integer(*change.first) : text["view.decay.differences.nowhere"];
  row.sentence = lines_of(text.render(difference.text));
  return row;
}

/// Returns the rows, differences first; if not all fit, the number of the others is shown.
std::vector<DifferenceRow> list_difference_rows(const ModelComparison& found, const Text& text) {
  std::vector<DifferenceRow> rows;
  const auto& differences = found.differences;
  const bool several = std::any_of(differences.begin(), differences.end(), [&](const ModelDifference& each) {
    return each.profile != differences.front().profile;
  });
  for (std::size_t i = 0; i < std::min(kMaxRows, differences.size()); ++i) {
    rows.push_back(row_of(differences[i], several, text));
  }
  const auto say = [&rows](const std::string& sentence) { rows.push_back({{}, {}, {}, lines_of(sentence)}); };
  if (differences.size() > kMaxRows) {
    say(text.format("view.decay.differences.more", {{"count", counted(differences.size() - kMaxRows)}}));
  }
  if (found.agrees) say(text["view.decay.differences.none"]);
  std::vector<std::string> notes;
  for (const ModelDifference& note : found.notes) notes.push_back(text.render(note.text));
  for (const Message& remark : found.remarks) notes.push_back(text.render(remark));
  for (std::size_t i = 0; i < notes.size() && rows.size() <= kMaxRows; ++i) say(notes[i]);
  return rows;
}

double lines_in(const DifferenceRow& row) {
  return static_cast<double>(row.sentence.size()) + (row.head.empty() ? 0 : 1) + kDifferenceRowGap;
}

double lines_in(const std::vector<DifferenceRow>& rows) {
  double lines = 0;
  for (const DifferenceRow& row : rows) lines += lines_in(row);
  return lines;
}

void add_difference_row(Figure& figure, double line, const DifferenceRow& row) {
  if (!row.head.empty()) {
    for (Label label :
         {label_at(kCauseColumn, line, row.head, Role::text, 0), label_at(kChange, line, row.change, Role::text, 1),
          label_at(kFirstDistanceColumn, line, row.first, Role::text, 1)}) {
      label.semibold = true;
      figure.labels.push_back(std::move(label));
    }
    ++line;
  }
  for (const std::string& words : row.sentence) {
    figure.labels.push_back(label_at(kCauseColumn, line++, words, Role::secondary, 0));
  }
}

void add_header(Figure& figure, const Text& text) {
  const std::string limit = readable_number(kNoticedChange);
  figure.labels.push_back(label_at(kChange, -1.2, text["view.decay.differences.largest"], Role::secondary, 1));
  figure.labels.push_back(label_at(
      kFirstDistanceColumn, -1.2, text.format("view.decay.differences.first", {{"limit", limit}}), Role::secondary, 1));
}

}  // namespace

bool shows_curves(const DecayFields& fields) {
  return fields.show_similarity || fields.show_envelope ||
         (fields.show_trend && fields.content == DecayContent::aligned);
}

Figure empty_decay_figure(const Experiment& experiment, const Text& text) {
  Figure figure = named_figure("similarity");
  figure.x = decay_distance_axis(experiment.decay, text);
  figure.y = named_axis("decay", "similarity", text);
  return figure;
}

Figure similarity_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text,
                         Store& store) {
  const DecayFields& fields = experiment.decay;
  Figure figure = named_figure("similarity");
  for (const DecayShown& curve : curves) {
    if (!curve.curves || is_hidden(experiment, curve.key)) continue;
    if (fields.show_similarity) {
      figure.lines.push_back({curve.key, curve.label, {curve.slot, false}, curve.curves->similarity});
    }
    if (fields.show_trend && curve.curves->trend) {
      figure.lines.push_back({curve.key + ".trend",
                              text.format("view.decay.trend_of", {{"rope", curve.label}}),
                              {-1 - curve.slot, false},
                              curve.curves->trend});
    }
    if (fields.show_envelope && curve.curves->envelope) {
      figure.lines.push_back({curve.key + ".envelope",
                              text.format("view.decay.envelope_of", {{"rope", curve.label}}),
                              {curve.slot, true},
                              curve.curves->envelope,
                              !fields.show_similarity});
    }
    figure.stale |= !curve.current;
  }
  if (fields.show_similarity) add_faint_lines(figure, experiment, curves.front(), text, store);
  figure.x = decay_distance_axis(fields, text);
  figure.y = similarity_axis(fields, text, figure.lines);
  figure.zero_line = true;
  add_rules_decay(figure, experiment, curves, text);
  name_lines(figure, curves.front().key, text);
  add_own_curves(figure, experiment, text);
  figure.empty_is_hint = figure.lines.empty();
  if (figure.empty_is_hint) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

Figure bound_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text) {
  const DecayFields& fields = experiment.decay;
  Figure figure = named_figure("bound");
  for (const DecayShown& curve : curves) {
    if (!curve.curves || !curve.curves->bound || is_hidden(experiment, curve.key)) continue;
    figure.lines.push_back({curve.key, curve.label, {curve.slot, false}, curve.curves->bound});
    figure.stale |= !curve.current;
  }
  figure.x = decay_distance_axis(fields, text);
  figure.y = bound_axis(fields, text, figure.lines);
  add_rules_decay(figure, experiment, curves, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // only labelled in the panel above
  if (!shows_curves(fields)) add_rules_decay(figure, experiment, curves, text);
  add_largest_similarity(figure, fields, curves, text);
  figure.empty_is_hint = figure.lines.empty();
  if (figure.empty_is_hint) figure.empty_message = text["view.decay.all_hidden"];
  return figure;
}

PhasorState phasor_state(const Experiment& experiment, const Content& weights) {
  const DecayFields& fields = experiment.decay;
  const RopeReading rope = read_rope(experiment.rope);
  // The order and content of the curves.
  const DecayInput input = decay_input(rope.ladder.frequencies, 1, fields, weights);
  PhasorState state;
  state.frequencies = input.kernel.frequencies;
  state.trained = trained_frequencies(rope.plain, rope.ladder.frequencies);
  state.trained_length = experiment.rope.trained_length;
  state.distance = fields.distance + fields.glide;
  state.order = input.kernel.order;
  state.content = fields.content;
  state.sums = phasor_sums(state.frequencies, state.distance, state.order);
  state.chain = abel_chain(state.frequencies, state.distance, input.kernel.content, state.order);
  return state;
}

Figure phasors_figure(const PhasorState& state, const Text& text) {
  Figure figure = named_figure("phasors");
  figure.equal_axes = figure.zero_line = true;
  figure.title = text.format(state.order == PairOrder::fast_first ? "view.decay.phasors" : "view.decay.phasors_slow",
                             {{"pairs", counted(state.pairs())}, {"distance", counted(std::floor(state.distance))}});
  set_axes(figure, state, text);
  add_phasor_circle(figure, state.sums.mean_distance, text);
  add_phasor_arrows(figure, state);
  add_joints(figure, state);
  add_end(figure, state, text);
  add_slow_note(figure, state, text);
  return figure;
}

Figure chain_figure(const PhasorState& state, const Text& text) {
  const std::vector<ChainBar> bars = bars_of(state.chain);
  Figure figure = named_figure("chain", text["view.decay.chain." + word_of(state.content)]);
  double least = 0, most = 1;
  for (const ChainBar& bar : bars)
    std::tie(least, most) = std::pair(std::min(least, bar.value), std::max(most, bar.value));
  // The number is right of the longest bar.
  const double decades = std::max(1.0, std::ceil(std::log10(most)));
  figure.x = named_axis("decay", "share", text, AxisScale::symlog);
  figure.x = fixed_axis(figure.x, {least < 0 ? -1.0 : 0.0, std::max(std::pow(10, decades), 4 * most)});
  const double rows = static_cast<double>(bars.size());
  figure.y.name = "row";
  figure.y.reversed = true;
  figure.y.names = std::vector<std::string>(bars.size());  // the formulas are above the bars
  figure.y.range = figure.y.fit = {-0.5, rows - 0.5};
  figure.least_lines = kLinesOfBar * rows;
  for (std::size_t i = 0; i < bars.size(); ++i) add_chain_bar(figure, bars[i], static_cast<double>(i), text);
  Points ends = points_of("chain", kBar);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    add_point(ends, bars[i].value, static_cast<double>(i) + kBelow);
  }
  figure.points.push_back(ends);
  add_rule(figure, 0, "", Role::line).dashed = false;
  // 1 is marked at the bars alone: the formulas above them stay clear.
  Path one = path_of("one", Role::secondary, 0.7);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double middle = static_cast<double>(i) + kBelow;
    for (const double side : {-0.5, 0.5}) add_point(one, 1, middle + 1.3 * side * kChainThick);
    lift(one);
  }
  figure.paths.push_back(one);
  return figure;
}

std::vector<Readout> phasor_readouts(const PhasorState& state, const Text& text) {
  std::vector<Readout> readouts;
  const TextValue pairs = counted(state.pairs());
  const auto add = [&](const std::string& key, ShownNumber number, bool aside = false) {
    Readout readout = make_card("decay." + key, Quantity{number}, text);
    readout.note = text.format("readout.decay." + key + ".note", {{"pairs", pairs}});
    readout.aside = aside;
    readouts.push_back(std::move(readout));
  };
  const PhasorSums& sums = state.sums;
  const AbelChain& chain = state.chain;
  add("phasor_similarity", with_decimals(sums.similarity, 3));
  add("phasor_length", with_decimals(sums.length, 3));
  add("phasor_mean", with_digits(sums.mean_distance, 4));
  add("chain_score", with_decimals(chain.score, 3));
  // Shown by the bars.
  add("chain_size", with_decimals(chain.size, 3), true);
  add("chain_abel", with_decimals(chain.transformed, 3), true);
  add("chain_terms", with_digits(chain.terms, 4), true);
  add("chain_bound", with_digits(chain.bound, 4));
  return readouts;
}

RopesToCompare ropes_to_compare(const RopeFields& a, const RopeFields& b) {
  return {clear_names(a), clear_names(b), file_of(a), file_of(b)};
}

ModelComparison compared_ropes(const RopesToCompare& ropes, const Work& work) {
  const ModelSide first = rope_side(ropes.a), second = rope_side(ropes.b);
  for (const auto& [side, rope] : {std::pair(&first, &ropes.a), std::pair(&second, &ropes.b)}) {
    for (const Profile& profile : side->profiles) require_known_extension(profile, rope->config);
  }
  ModelComparison found = compare_models(first, second, {work.threads, work.stop});
  for (const ModelSide* side : {&first, &second}) {
    for (const Message& note : notes_of(*side)) {
      if (std::find(found.remarks.begin(), found.remarks.end(), note) == found.remarks.end()) {
        found.remarks.push_back(note);
      }
    }
  }
  return found;
}

std::vector<Readout> differences_readouts(const DifferencesShown& shown) {
  if (!shown.found.result) return {};
  std::vector<Readout> readouts{describe_comparison_verdict(shown), describe_largest_difference(shown),
                                first_readout(shown)};
  std::size_t number = 0;
  for (const ModelDifference& difference : shown.found.result->differences) {
    readouts.push_back(describe_difference(difference, ++number, shown.text));
  }
  return readouts;
}

double difference_lines(const DifferencesShown& shown) {
  if (!shown.found.result) return kFewestLines;
  return std::max(kFewestLines, lines_in(list_difference_rows(*shown.found.result, shown.text)));
}

Figure differences_figure(const DifferencesShown& shown) {
  const Text& text = shown.text;
  Figure figure = empty_figure("differences", "table_column", "line");
  figure.bare = true;
  figure.x.range = figure.x.fit = {0, kDifferenceTableWidth};
  figure.y.range = figure.y.fit = {-1.8, difference_lines(shown) - 0.3};
  figure.y.reversed = true;
  if (shown.a.empty()) {
    figure.empty_is_hint = true;
    figure.empty_message = text["view.decay.differences.nothing_pinned"];
    return figure;
  }
  figure.title = text.format("view.decay.differences.title", {{"a", shown.a}, {"b", shown.b}});
  figure.stale = !shown.found.current;
  if (!shown.found.fault.empty()) figure.empty_message = text.render(shown.found.fault);
  if (!shown.found.result) return figure;
  if (!shown.found.result->differences.empty()) add_header(figure, text);
  double line = 0;
  for (const DifferenceRow& row : list_difference_rows(*shown.found.result, text)) {
    add_difference_row(figure, line, row);
    line += lines_in(row);
  }
  return figure;
}

}  // namespace ropescope
