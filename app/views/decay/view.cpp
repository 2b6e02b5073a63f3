// Curves of ropes for the store, and the cards and the player of the view Decay.
//
// Contents: Computed; Cards; Player; View.

#include "app/views/decay/view.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/views/decay/figures.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/own.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/attention/attention.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/formats/curve_file.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// The trend at every distance up to 100, where the fastest pairs still move it, and from there on in steps of a
/// fiftieth: it bends no faster. None where stopped.
std::shared_ptr<const Series> trend_series(const SimilarityTrend& trend, std::int64_t span, double scale,
                                           const std::stop_token& stop) {
  constexpr std::int64_t kSteps = 50;
  std::vector<double> distances, values;
  for (std::int64_t distance = 0; distance <= span && !stop.stop_requested();) {
    distances.push_back(static_cast<double>(distance));
    values.push_back(scale * trend_at(trend, distances.back()));
    if (distance == span) break;
    distance = std::min(span, distance + std::max<std::int64_t>(1, distance / kSteps));
  }
  return make_series(std::move(distances), std::move(values));
}

/// The first distance where the bound is below 1, which no score exceeds anyway.
std::optional<std::int64_t> first_below_one(const std::vector<double>& bound) {
  const auto found = std::find_if(bound.begin(), bound.end(), [](double value) { return value < 1; });
  if (found == bound.end()) return std::nullopt;
  return found - bound.begin();
}

}  // namespace

DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayFields& fields) {
  DecayInput input;
  input.frequencies = frequencies;
  if (fields.with_amplitude) input.scale = amplitude * amplitude;
  if (fields.content == ContentKind::random) {
    input.content = random_content(static_cast<int>(input.frequencies.size()), static_cast<std::uint64_t>(fields.seed));
  }
  input.order = fields.order;
  input.span = static_cast<std::int64_t>(fields.span);
  input.bound = fields.show_bound;
  input.trend = true;
  if (fields.show_envelope) {
    input.envelope = fields.envelope == DecayEnvelope::window ? EnvelopeKind::window : EnvelopeKind::from_here;
    // The width matters only to one kind; else a change of it would compute the same curve again.
    if (input.envelope == EnvelopeKind::window) input.window = static_cast<std::int64_t>(fields.envelope_window);
  }
  return input;
}

double DecayInput::cost() const {
  const double curves = static_cast<double>(span + 1) * static_cast<double>(frequencies.size());
  if (!trend || !aligned()) return curves;
  // Some 500 values of the trend, each of as many integrals as the ladder has bends.
  constexpr double kValues = 500, kIntegral = 220;
  const auto course = trend_of(frequencies);
  return curves + (course ? kValues * kIntegral * static_cast<double>(course->pieces.size() + 1) : 0);
}

DecayCurves decay_curves(const DecayInput& input, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double scale = input.scale;
  KernelRequest request;
  request.frequencies = input.frequencies;
  request.content = input.content;
  request.order = input.order;
  request.first = 0;
  request.count = input.span + 1;
  request.want_bound = input.bound;
  request.threads = work.threads;
  KernelCurves curves = kernel_curves(request, work.stop);
  DecayCurves result;
  if (work.stopped()) return result;
  result.summary = summarise_decay(curves.similarity);
  if (scale != 1) std::for_each(curves.similarity.begin(), curves.similarity.end(), [&](double& k) { k *= scale; });
  if (input.envelope == EnvelopeKind::from_here) {
    result.envelope = make_series(0, 1, envelope_from(curves.similarity));
  } else if (input.envelope == EnvelopeKind::window) {
    result.envelope = make_series(0, 1, envelope_window(curves.similarity, input.window));
  }
  result.similarity = make_series(0, 1, std::move(curves.similarity));
  if (input.bound) {
    const double factor = bound_factor(input.content, input.frequencies.size(), input.order);
    if (factor != 1) std::for_each(curves.bound.begin(), curves.bound.end(), [factor](double& b) { b *= factor; });
    result.first_telling = first_below_one(curves.bound);
    result.bound = make_series(0, 1, std::move(curves.bound));
  }
  if (input.trend && input.aligned()) {
    if (const auto course = trend_of(input.frequencies)) {
      result.trend = trend_series(*course, input.span, scale, work.stop);
      result.trend_zero = trend_zero(*course);
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

struct DecayContext {
  const DecayCurvesOf& current;
  const DecayCurvesOf* pinned;
  const Text& text;

  /// A card of what the curves say; it is compared with a pinned rope only once the curves of that are there.
  Readout finished(Readout readout, ReadoutValue (*value)(const DecayCurvesOf&)) const {
    return with_pin(std::move(readout), current, pinned && pinned->curves ? pinned : nullptr, value, text);
  }
};

/// Distances that the curves have but 0: while a longer span is being computed the words speak of these.
TextValue span_of_decay(const DecayCurvesOf& of) {
  return counted(of.curves->similarity->ys.size() - 1);
}

ReadoutValue distance_or_none(const std::optional<std::int64_t>& distance) {
  return distance ? Quantity{as_whole(*distance), "tokens"} : no_number();
}

Readout start(const DecayContext& c, const std::string& key) {
  Readout readout = start_card("decay." + key, c.text);
  if (c.current.content_is_aligned()) return readout;
  // For random content another curve is plotted, by another formula.
  const std::string own = "readout.decay." + key + ".random";
  if (c.text.has(own + ".label")) readout.label = c.text[own + ".label"];
  if (c.text.has(own + ".tooltip")) readout.tooltip = c.text[own + ".tooltip"];
  return readout;
}

Readout first_negative(const DecayContext& c) {
  Readout readout = start(c, "first_negative");
  readout.note = c.current.curves->summary.first_negative
                     ? c.text["readout.decay.first_negative.note"]
                     : c.text.format("readout.decay.first_negative.none", {{"span", span_of_decay(c.current)}});
  return c.finished(std::move(readout),
                    [](const DecayCurvesOf& of) { return distance_or_none(of.curves->summary.first_negative); });
}

Readout last_above_half(const DecayContext& c) {
  Readout readout = start(c, "last_above_half");
  const auto& first = c.current.curves->summary.first_below_half;
  readout.note = c.text.format(first ? "readout.decay.last_above_half.note" : "readout.decay.last_above_half.never",
                               {{"first", counted(first.value_or(0))}, {"span", span_of_decay(c.current)}});
  return c.finished(std::move(readout),
                    [](const DecayCurvesOf& of) { return distance_or_none(of.curves->summary.last_above_half); });
}

ReadoutValue unfinished_of(const DecayCurvesOf& of) {
  const double length = of.rope.trained_length;
  return length > 0 ? count_of_pairs(unfinished_pairs(of.trained, length), of.frequencies.size()) : no_number();
}

Readout unfinished(const DecayContext& c) {
  Readout readout = start(c, "unfinished");
  const double length = c.current.rope.trained_length;
  readout.note = c.text.format(length > 0 ? "readout.decay.unfinished.note" : "readout.decay.unfinished.no_length",
                               {{"length", counted(length)}}) +
                 beside_unfinished({length, &c.current.trained, &c.current.frequencies}, c.text);
  return with_pin(std::move(readout), c.current, c.pinned, unfinished_of, c.text);
}

Readout lowest(const DecayContext& c) {
  Readout readout = start(c, "lowest");
  const DecaySummary& summary = c.current.curves->summary;
  readout.note = c.text.format("readout.decay.lowest.note", {{"distance", counted(summary.minimum_at)},
                                                             {"crossings", counted(summary.zero_crossings)}});
  return c.finished(std::move(readout), [](const DecayCurvesOf& of) -> ReadoutValue {
    return Quantity{with_decimals(of.curves->summary.minimum, 4)};
  });
}

/// "≈ 5 730": the course of an average has no more digits.
ReadoutValue trend_zero_of(const DecayCurvesOf& of) {
  if (!of.curves->trend_zero) return no_number();
  const double zero = *of.curves->trend_zero;
  const double grain = std::pow(10, std::floor(std::log10(zero)) - 2);
  return Quantity{with_digits(grain * std::round(zero / grain), 3), "tokens", "readout.about"};
}

Readout trend(const DecayContext& c) {
  Readout readout = start(c, "trend");
  if (!c.current.content_is_aligned()) {
    readout.value = no_number();
    readout.note = c.text["readout.decay.trend.of_random"];
    return readout;
  }
  readout.note = c.text[c.current.curves->trend_zero ? "readout.decay.trend.note"
                        : c.current.curves->trend    ? "readout.decay.trend.never"
                                                     : "readout.decay.trend.single"];
  return c.finished(std::move(readout), trend_zero_of);
}

/// |K(0) − K(1)| of the content, times what the amplitude does to scores: how far apart two neighbouring positions are.
double resolution_of(const DecayCurvesOf& of, const Eigen::VectorXd& frequencies, double amplitude) {
  const double step = similarity(frequencies, 0, of.content) - similarity(frequencies, 1, of.content);
  return amplitude * amplitude * std::abs(step);
}

Readout resolution(const DecayContext& c) {
  Readout readout = start(c, "resolution");
  const auto extended_of = [](const DecayCurvesOf& of) { return resolution_of(of, of.frequencies, of.amplitude); };
  const double extended = extended_of(c.current), plain = resolution_of(c.current, c.current.trained, 1);
  readout.note = c.text.format(
      extended > plain ? "readout.decay.resolution.more" : "readout.decay.resolution.note",
      {{"plain", readable_number(plain, 4)}, {"change", readable_number(100 * std::abs(1 - extended / plain), 3)}});
  if (c.current.amplitude != 1) {
    readout.note += " " + c.text.format("readout.decay.resolution.amplitude",
                                        {{"amplitude", readable_number(c.current.amplitude, 4)}});
  }
  return with_pin(
      std::move(readout), c.current, c.pinned,
      [&](const DecayCurvesOf& of) { return Quantity{with_digits(extended_of(of), 4)}; }, c.text);
}

bool is_extended(const DecayCurvesOf& of) {
  return of.frequencies != of.trained || of.amplitude != 1;
}

/// The answers in words under the plot: first negative value, last above one half, where the trend reaches 0, pairs
/// that never finish a turn in the trained length, lowest value and zero crossings or what neighbours differ by; all of
/// the content that is plotted, each compared with the first pinned rope, if any.
std::vector<Readout> decay_readouts(const DecayCurvesOf& current, const DecayCurvesOf* pinned, const Text& text) {
  const DecayContext c{current, pinned, text};
  if (!current.curves) return {unfinished(c)};
  // Five fit beside each other: the price of an extension matters more than the lowest value of its curve.
  return {first_negative(c), last_above_half(c), trend(c), unfinished(c),
          is_extended(current) ? resolution(c) : lowest(c)};
}

}  // namespace

// --- Player --------------------------------------------------------------------------------------------------------

namespace {

bool moves(const Experiment& experiment) {
  return experiment.decay.show == DecayShow::phasors;
}

bool decay_player_playing(const Experiment& experiment) {
  return experiment.decay.playing;
}

void play_decay_player(Experiment& experiment, bool on) {
  DecayFields& fields = experiment.decay;
  if (on && fields.distance >= kMostDecayDistance) fields.distance = 0;
  // Tokens stand at whole distances: only while it plays the picture may be between two.
  fields.glide = 0;
  fields.playing = on;
}

void advance_decay_player(Experiment& experiment, double seconds) {
  DecayFields& fields = experiment.decay;
  if (!fields.playing || !(seconds > 0)) return;
  const double room = kMostDecayDistance - fields.distance;
  const double onwards = std::min(fields.glide + fields.speed * seconds, room);
  fields.distance += std::floor(onwards);
  fields.glide = onwards - std::floor(onwards);
  if (onwards >= room) fields.playing = false;
}

void step_decay_player(Experiment& experiment, int steps) {
  DecayFields& fields = experiment.decay;
  // From between two distances, a step back goes to the one passed last.
  const double whole = steps < 0 && fields.glide > 0 ? steps + 1 : steps;
  fields.distance = std::clamp(fields.distance + whole, 0.0, kMostDecayDistance);
  fields.glide = 0;
}

constexpr Player kDecayPlayer{decay_player_playing, play_decay_player, advance_decay_player, step_decay_player, moves};

}  // namespace

// --- View ----------------------------------------------------------------------------------------------------------

namespace {

std::vector<DecayShown> curves_of(const Experiment& experiment, const Text& text, Store& store) {
  std::vector<DecayShown> curves;
  for (const auto& [key, label, slot, fields] : all_ropes(experiment, text)) {
    const RopeFields& rope = *fields;
    const RopeReading reading = read_rope(rope);
    const Eigen::VectorXd &frequencies = reading.ladder.frequencies, &plain = reading.plain;
    const DecayInput input = decay_input(frequencies, reading.ladder.amplitude, experiment.decay);
    const auto answer = store.ask<decay_curves>({key, input.cost()}, input);
    DecayCurvesOf of{
        rope,          frequencies,   plain,         trained_frequencies(plain, frequencies), reading.ladder.amplitude,
        input.content, answer.result, answer.current};
    curves.push_back({key, label, slot, std::move(of)});
  }
  return curves;
}

std::string status_of_decay(const DecayCurvesOf& current, const DecayFields& fields, const Text& text) {
  return text.format("view.decay.status", {{"distances", counted(fields.span + 1)},
                                           {"pairs", counted(current.frequencies.size())},
                                           {"time", readable_number(current.curves->seconds * 1e3, 2)}});
}

void describe_decay(FieldList& list, Experiment& experiment) {
  describe(list, experiment.rope);
  describe(list, experiment.decay);
  describe(list, experiment.own);
}

ViewResult phasor_figures(const Experiment& experiment, const Text& text) {
  const PhasorState state = phasor_state(experiment);
  ViewResult result;
  result.panels.push_back({phasors_figure(state, text), 1});
  result.panels.push_back({chain_figure(state, text), 1, true, 0.75});
  result.readouts = phasor_readouts(state, text);
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  result.status = text.format("view.decay.status_phasors", {{"pairs", counted(state.pairs())}});
  return result;
}

/// What is drawn above the differences: the similarity of all ropes, as the differences are of it.
Experiment shown_with_differences(Experiment experiment) {
  DecayFields& fields = experiment.decay;
  fields.show_similarity = true;
  fields.show_bound = false;
  fields.with_amplitude = true;
  fields.content = ContentKind::aligned;
  return experiment;
}

DifferencesShown differences_of(const Experiment& experiment, const Text& text, Store& store) {
  DifferencesShown shown{{}, {}, {}, text};
  if (experiment.pins.empty()) return shown;
  const Pin& first = experiment.pins.front();
  const bool dimensions_differ = labels_need_dimension(experiment);
  shown.a = pin_label(first, text, dimensions_differ);
  shown.b = current_label(experiment, text, dimensions_differ);
  shown.found = store.ask<compared_ropes>({"differences", 1e8, true}, ropes_to_compare(first.rope, experiment.rope));
  return shown;
}

ViewResult difference_figures(const Experiment& given, const Text& text, Store& store) {
  constexpr double kLeastTable = 0.4, kMostTable = 0.62, kHead = 0.19, kLine = 0.038;  // shares of the height
  const Experiment experiment = shown_with_differences(given);
  const std::vector<DecayShown> curves = curves_of(experiment, text, store);
  const DifferencesShown differences = differences_of(experiment, text, store);
  const double table = std::clamp(kHead + kLine * difference_lines(differences), kLeastTable, kMostTable);
  ViewResult result;
  result.panels.push_back({similarity_figure(experiment, curves, text, store), 1 - table});
  result.panels.push_back({differences_figure(differences), table});
  for (const DecayShown& curve : curves) result.stale |= !curve.of.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  result.readouts = differences_readouts(differences);
  if (!result.stale) result.status = status_of_decay(curves.front().of, experiment.decay, text);
  return result;
}

ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store) {
  const DecayFields& fields = experiment.decay;
  if (fields.show == DecayShow::phasors) return phasor_figures(experiment, text);
  if (fields.show == DecayShow::differences) return difference_figures(experiment, text, store);
  ViewResult result;
  const std::vector<DecayShown> curves = curves_of(experiment, text, store);
  if (shows_curves(fields)) {
    result.panels.push_back({similarity_figure(experiment, curves, text, store), fields.show_bound ? 0.62 : 1.0});
  }
  if (fields.show_bound) {
    result.panels.push_back({bound_figure(experiment, curves, text), result.panels.empty() ? 1.0 : 0.38});
  }
  if (result.panels.empty()) {
    result = hint_result(empty_decay_figure(experiment, text), text["view.decay.all_hidden"]);
  }
  for (const DecayShown& curve : curves) result.stale |= !curve.of.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  const DecayCurvesOf* pinned = curves.size() > 1 ? &curves[1].of : nullptr;
  result.readouts = decay_readouts(curves.front().of, pinned, text);
  if (fields.with_amplitude && curves.front().of.amplitude != 1) {
    for (Readout& readout : result.readouts) {
      const bool of_curve = readout.name == "decay.first_negative" || readout.name == "decay.last_above_half" ||
                            readout.name == "decay.lowest";
      if (of_curve) readout.note += " " + text["readout.decay.of_k"];
    }
  }
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  if (!result.stale) result.status = status_of_decay(curves.front().of, fields, text);
  return result;
}

/// The arrows are those of the curves, and may stand beyond them.
double longest_distance(const Experiment& experiment) {
  return std::max(experiment.decay.span, experiment.decay.show == DecayShow::phasors ? experiment.decay.distance : 0);
}

/// What a text of marked pairs may hold, whatever the rope has.
constexpr double kMostPairs = 4096;

void check_marked_pairs(const Experiment& experiment) {
  const std::string& marked = experiment.decay.marked_pairs;
  if (marked.empty()) return;
  for (const double pair : parse_list(marked, "decay.marked_pairs", kMostMarkedPairs)) {
    if (pair < 0 || pair >= kMostPairs || pair != std::floor(pair)) {
      throw InputError("whole_numbers",
                       {{"field", "decay.marked_pairs"}, {"text", in_quotes(marked)}, {"most", kMostPairs - 1}});
    }
  }
}

}  // namespace

constinit const View kDecayView{.id = "decay",
                                .group = "explore",
                                .describe = describe_decay,
                                .figures = decay_figures,
                                .empty = empty_decay_figure,
                                .player = &kDecayPlayer,
                                .open = open_own,
                                .opens = kCurveEndings,
                                .length = longest_distance,
                                .settle = settle_own,
                                .check = check_marked_pairs};

}  // namespace ropescope
