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
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/shared/user_curve.h"
#include "app/views/view.h"
#include "app/views/weights.h"
#include "core/attention/attention.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/formats/curve_file.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Returns the trend at every distance up to 100, where the fastest pairs still affect it, then in steps of a fiftieth,
/// because it bends no faster. Returns null if cancelled.
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

/// Returns the first distance with a bound below 1; 1 is a limit for every score anyway.
std::optional<std::int64_t> first_below_one(const std::vector<double>& bound) {
  const auto found = std::find_if(bound.begin(), bound.end(), [](double value) { return value < 1; });
  if (found == bound.end()) return std::nullopt;
  return found - bound.begin();
}

// --- Cards ---------------------------------------------------------------------------------------------------------

struct DecayContext {
  const DecayShown& current;
  const DecayShown* pinned;
  const Text& text;

  /// Returns a card from the curves; it is compared with a pinned rope only once that rope's curves are available.
  Readout finished(Readout readout, ReadoutValue (*value)(const DecayShown&)) const {
    return with_pin(std::move(readout), current, pinned && pinned->curves ? pinned : nullptr, value, text);
  }
};

bool is_aligned(const DecayShown& of) {
  return of.input.kernel.content.amplitudes.size() == 0;
}

/// Returns the last distance of the curves; while a longer span is being computed, the texts refer to this one.
TextValue span_of_decay(const DecayShown& of) {
  return counted(of.curves->similarity->ys.size() - 1);
}

ReadoutValue distance_or_none(const std::optional<std::int64_t>& distance) {
  return distance ? Quantity{as_whole(*distance), "tokens"} : no_number();
}

Readout start(const DecayContext& c, const std::string& key) {
  Readout readout = start_card("decay." + key, c.text);
  if (is_aligned(c.current)) return readout;
  // For random content a different curve with a different formula is plotted.
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
                    [](const DecayShown& of) { return distance_or_none(of.curves->summary.first_negative); });
}

Readout last_above_half(const DecayContext& c) {
  Readout readout = start(c, "last_above_half");
  const auto& first = c.current.curves->summary.first_below_half;
  readout.note = c.text.format(first ? "readout.decay.last_above_half.note" : "readout.decay.last_above_half.never",
                               {{"first", counted(first.value_or(0))}, {"span", span_of_decay(c.current)}});
  return c.finished(std::move(readout),
                    [](const DecayShown& of) { return distance_or_none(of.curves->summary.last_above_half); });
}

ReadoutValue count_unfinished(const DecayShown& of) {
  const double length = of.rope->trained_length;
  return length > 0 ? count_of_pairs(unfinished_pairs(of.trained, length), of.frequencies().size()) : no_number();
}

Readout unfinished(const DecayContext& c) {
  Readout readout = start(c, "unfinished");
  const double length = c.current.rope->trained_length;
  const TrainedPairs trained{length, &c.current.trained, &c.current.frequencies(), extended_length(*c.current.rope)};
  readout.note = (length > 0 ? trained_note(trained, "readout.decay.unfinished.note", c.text)
                             : c.text["readout.decay.unfinished.no_length"]) +
                 beside_unfinished(trained, c.text);
  return with_pin(std::move(readout), c.current, c.pinned, count_unfinished, c.text);
}

Readout lowest(const DecayContext& c) {
  Readout readout = start(c, "lowest");
  const DecaySummary& summary = c.current.curves->summary;
  readout.note = c.text.format("readout.decay.lowest.note", {{"distance", counted(summary.minimum_at)},
                                                             {"crossings", counted(summary.zero_crossings)}});
  return c.finished(std::move(readout), [](const DecayShown& of) -> ReadoutValue {
    return Quantity{with_decimals(of.curves->summary.minimum, 4)};
  });
}

/// Returns "≈ 5 730": an average does not justify more digits.
ReadoutValue trend_zero_of(const DecayShown& of) {
  if (!of.curves->trend_zero) return no_number();
  const double zero = *of.curves->trend_zero;
  const double grain = std::pow(10, std::floor(std::log10(zero)) - 2);
  return Quantity{with_digits(grain * std::round(zero / grain), 3), "tokens", "readout.about"};
}

Readout trend(const DecayContext& c) {
  Readout readout = start(c, "trend");
  if (!is_aligned(c.current)) {
    readout.value = no_number();
    readout.note = c.text["readout.decay.trend.of_random"];
    return readout;
  }
  readout.note = c.text[c.current.curves->trend_zero ? "readout.decay.trend.note"
                        : c.current.curves->trend    ? "readout.decay.trend.never"
                                                     : "readout.decay.trend.single"];
  return c.finished(std::move(readout), trend_zero_of);
}

/// Returns |K(0) − K(1)| of the content, times the squared amplitude: the difference between two adjacent positions.
double resolution_of(const DecayShown& of, const Eigen::VectorXd& frequencies, double amplitude) {
  const Content& content = of.input.kernel.content;
  const double step = similarity(frequencies, 0, content) - similarity(frequencies, 1, content);
  return amplitude * amplitude * std::abs(step);
}

Readout resolution(const DecayContext& c) {
  Readout readout = start(c, "resolution");
  const auto extended_of = [](const DecayShown& of) { return resolution_of(of, of.frequencies(), of.amplitude); };
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
      [&](const DecayShown& of) { return Quantity{with_digits(extended_of(of), 4)}; }, c.text);
}

/// Returns the cards below the plot: first negative value, last value above one half, zero of the trend, pairs that
/// never complete a turn in the trained length, lowest value, and under an extension the difference of neighbours. All
/// refer to the plotted content and are compared with the first pinned rope, if any.
std::vector<Readout> decay_readouts(const DecayShown& current, const DecayShown* pinned, const Text& text) {
  const DecayContext c{current, pinned, text};
  if (!current.curves) return {unfinished(c)};
  std::vector<Readout> cards = {first_negative(c), last_above_half(c), trend(c), unfinished(c), lowest(c)};
  if (current.frequencies() != current.trained || current.amplitude != 1) {
    // Five fit in a row. The price of an extension matters more than the lowest value, which tables and files keep.
    cards.back().aside = true;
    cards.insert(cards.end() - 1, resolution(c));
  }
  return cards;
}

/// Returns the card on the weights that the content comes from.
Readout weights_readout(const HeadContent& weights, const Eigen::VectorXd& frequencies, const Text& text) {
  Readout readout = make_card("decay.weights", Quantity{with_digits(weights.content.total, 4)}, text);
  readout.note = text.format("readout.decay.weights." + word_of(weights.content.of),
                             {{"layer", counted(weights.layer)}, {"head", counted(weights.head)}});
  if (frequencies != weights.rope.frequencies) readout.note += " " + text["readout.decay.weights.other_rope"];
  return readout;
}

// --- Player --------------------------------------------------------------------------------------------------------

bool moves(const Experiment& experiment) {
  return experiment.decay.show == DecayShow::phasors;
}

void set_decay_playing(Experiment& experiment, bool on) {
  DecayFields& fields = experiment.decay;
  if (on && fields.distance >= kMaxDecayDistance) fields.distance = 0;
  // Tokens are at integer distances: the picture may be between two only while playing.
  fields.glide = 0;
  fields.playing = on;
}

void advance_decay_distance(Experiment& experiment, double seconds) {
  DecayFields& fields = experiment.decay;
  if (!fields.playing || !(seconds > 0)) return;
  const double room = kMaxDecayDistance - fields.distance;
  const double onwards = std::min(fields.glide + fields.speed * seconds, room);
  fields.distance += std::floor(onwards);
  fields.glide = onwards - std::floor(onwards);
  if (onwards >= room) fields.playing = false;
}

void step_decay_distance(Experiment& experiment, int steps) {
  DecayFields& fields = experiment.decay;
  // From between two distances, a step back goes to the last integer distance.
  const double whole = steps < 0 && fields.glide > 0 ? steps + 1 : steps;
  fields.distance = std::clamp(fields.distance + whole, 0.0, kMaxDecayDistance);
  fields.glide = 0;
}

constexpr Player kDecayPlayer{[](const Experiment& experiment) { return experiment.decay.playing; }, set_decay_playing,
                              advance_decay_distance, step_decay_distance, moves};

// --- View ----------------------------------------------------------------------------------------------------------

bool takes_weights(const Experiment& experiment) {
  const DecayFields& fields = experiment.decay;
  return fields.content == DecayContent::weights && fields.show != DecayShow::differences;
}

/// The content from weights, or what to show until it is read.
struct WeightsForDecay {
  std::shared_ptr<const HeadContent> head;  ///< null: none
  std::optional<ViewResult> instead = {};
  Content content() const { return head ? head->content.content : Content(); }
};

WeightsForDecay weights_for_decay(const Experiment& experiment, const Text& text, Store& store) {
  if (!takes_weights(experiment)) return {};
  const Figure empty = empty_decay_figure(experiment, text);
  if (experiment.weights.path.empty()) return {nullptr, hint_result(empty, text["view.weights.no_file"])};
  constexpr double kCost = 1e8;
  const auto answer = store.request<read_head>({"weights", kCost, true}, named_head(experiment.weights));
  if (const auto head = answer.present()) return {head};
  return {nullptr, make_message_result(empty, {}, true)};
}

std::vector<DecayShown> curves_of(const Experiment& experiment, const Content& weights, const Text& text,
                                  Store& store) {
  std::vector<DecayShown> curves;
  for (const ShownRope& rope : all_ropes(experiment, text)) {
    const RopeReading reading = read_rope(*rope.rope);
    const Eigen::VectorXd& plain = reading.plain;
    DecayInput input = decay_input(reading.ladder.frequencies, reading.ladder.amplitude, experiment.decay, weights);
    const auto answer = store.request<decay_curves>({rope.key, input.cost()}, input);
    curves.push_back({rope, plain, trained_frequencies(plain, reading.ladder.frequencies), reading.ladder.amplitude,
                      std::move(input), answer.result, answer.current});
  }
  return curves;
}

std::string describe_decay_status(const DecayShown& current, const DecayFields& fields, const Text& text) {
  return text.format("view.decay.status", {{"distances", counted(fields.span + 1)},
                                           {"pairs", counted(current.frequencies().size())},
                                           {"time", readable_number(current.curves->seconds * 1e3, 2)}});
}

void declare_decay_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.rope);
  declare_fields(list, experiment.decay);
  declare_checkpoint(list, experiment.weights, kUsualLayers, kUsualHeads, takes_weights(experiment));
  declare_fields(list, experiment.own);
}

ViewResult phasor_figures(const Experiment& experiment, const Content& weights, const Text& text) {
  const PhasorState state = phasor_state(experiment, weights);
  ViewResult result;
  result.panels.push_back({phasors_figure(state, text), 1});
  result.panels.push_back({chain_figure(state, text), 1, true, 0.85});
  result.readouts = phasor_readouts(state, text);
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  result.status = text.format("view.decay.status_phasors", {{"pairs", counted(state.pairs())}});
  return result;
}

/// Returns the experiment drawn above the differences: the similarity of all ropes, to which the differences refer.
Experiment shown_with_differences(Experiment experiment) {
  DecayFields& fields = experiment.decay;
  fields.show_similarity = true;
  fields.show_bound = false;
  fields.with_amplitude = true;
  fields.content = DecayContent::aligned;
  return experiment;
}

DifferencesShown differences_of(const Experiment& experiment, const Text& text, Store& store) {
  DifferencesShown shown{{}, {}, {}, text};
  if (experiment.pins.empty()) return shown;
  const Pin& first = experiment.pins.front();
  const bool dimensions_differ = labels_need_dimension(experiment);
  shown.a = pin_label(first, text, dimensions_differ);
  shown.b = current_label(experiment, text, dimensions_differ);
  shown.found =
      store.request<compared_ropes>({"differences", 1e8, true}, ropes_to_compare(first.rope, experiment.rope));
  return shown;
}

ViewResult difference_figures(const Experiment& given, const Text& text, Store& store) {
  constexpr double kMinTableShare = 0.4, kMaxTableShare = 0.62, kHead = 0.19, kLine = 0.038;  // shares of the height
  const Experiment experiment = shown_with_differences(given);
  const std::vector<DecayShown> curves = curves_of(experiment, {}, text, store);
  const DifferencesShown differences = differences_of(experiment, text, store);
  const double table = std::clamp(kHead + kLine * difference_lines(differences), kMinTableShare, kMaxTableShare);
  ViewResult result;
  result.panels.push_back({similarity_figure(experiment, curves, text, store), 1 - table});
  result.panels.push_back({differences_figure(differences), table});
  for (const DecayShown& curve : curves) result.stale |= !curve.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  result.readouts = differences_readouts(differences);
  if (!result.stale) result.status = describe_decay_status(curves.front(), experiment.decay, text);
  return result;
}

ViewResult decay_figures(const Experiment& experiment, const Text& text, Store& store) {
  const DecayFields& fields = experiment.decay;
  if (fields.show == DecayShow::differences) return difference_figures(experiment, text, store);
  WeightsForDecay weights = weights_for_decay(experiment, text, store);
  if (weights.instead) return *std::move(weights.instead);
  if (fields.show == DecayShow::phasors) return phasor_figures(experiment, weights.content(), text);
  ViewResult result;
  const std::vector<DecayShown> curves = curves_of(experiment, weights.content(), text, store);
  if (shows_curves(fields)) {
    result.panels.push_back({similarity_figure(experiment, curves, text, store), fields.show_bound ? 0.62 : 1.0});
  }
  if (fields.show_bound) {
    result.panels.push_back({bound_figure(experiment, curves, text), result.panels.empty() ? 1.0 : 0.38});
  }
  if (result.panels.empty()) {
    result = hint_result(empty_decay_figure(experiment, text), text["view.decay.all_hidden"]);
  }
  for (const DecayShown& curve : curves) result.stale |= !curve.current;
  for (const Panel& panel : result.panels) result.stale |= panel.figure.stale;
  const DecayShown* pinned = curves.size() > 1 ? &curves[1] : nullptr;
  result.readouts = decay_readouts(curves.front(), pinned, text);
  if (weights.head) {
    // In place of the trend, which only aligned content has: five cards fit in a row.
    const HeadContent& head = *weights.head;
    result.panels.front().figure.title =
        text["view.weights." + word_of(head.content.of)] + " · " +
        text.format("view.weights.this_head", {{"layer", counted(head.layer)}, {"head", counted(head.head)}});
    std::erase_if(result.readouts, [](const Readout& readout) { return readout.name == "decay.trend"; });
    result.readouts.insert(result.readouts.begin(), weights_readout(*weights.head, curves.front().frequencies(), text));
  }
  if (fields.with_amplitude && curves.front().amplitude != 1) {
    constexpr std::string_view kOfCurve[] = {"decay.first_negative", "decay.last_above_half", "decay.lowest"};
    for (Readout& readout : result.readouts) {
      const bool of_curve = std::find(std::begin(kOfCurve), std::end(kOfCurve), readout.name) != std::end(kOfCurve);
      if (of_curve) readout.note += " " + text["readout.decay.of_k"];
    }
  }
  add_ladder_in_use(result.readouts, "decay", experiment.rope, text);
  if (!result.stale) result.status = describe_decay_status(curves.front(), fields, text);
  return result;
}

/// Returns the largest distance: that of the curves, or of the arrows, which may be beyond them.
double longest_distance(const Experiment& experiment) {
  return std::max(experiment.decay.span, experiment.decay.show == DecayShow::phasors ? experiment.decay.distance : 0);
}

/// The limit of pairs in the list of marked pairs, whatever the rope has.
constexpr double kMaxPairs = 4096;

std::vector<FileStamp> decay_files(const Experiment& experiment) {
  const bool reads = takes_weights(experiment) && !experiment.weights.path.empty();
  return reads ? named_head(experiment.weights).input.files : std::vector<FileStamp>();
}

/// Opens weights for the content, or a user's curve.
bool open_decay_file(Experiment& experiment, const std::string& path) {
  if (!kDecayView.is_shown(experiment) || !takes_weights(experiment) || !may_have_weights(path)) {
    return open_user_curve(experiment, path);
  }
  experiment.weights.path = path;
  return true;
}

void check_marked_pairs(const Experiment& experiment) {
  const std::string& marked = experiment.decay.marked_pairs;
  if (marked.empty()) return;
  for (const double pair : parse_list(marked, "decay.marked_pairs", kMaxMarkedPairs)) {
    if (pair < 0 || pair >= kMaxPairs || pair != std::floor(pair)) {
      throw InputError("whole_numbers",
                       {{"field", "decay.marked_pairs"}, {"text", in_quotes(marked)}, {"most", kMaxPairs - 1}});
    }
  }
}

}  // namespace

DecayInput decay_input(const Eigen::VectorXd& frequencies, double amplitude, const DecayFields& fields,
                       const Content& weights) {
  DecayInput input;
  KernelRequest& kernel = input.kernel;
  kernel.frequencies = frequencies;
  if (fields.with_amplitude) input.scale = amplitude * amplitude;
  if (fields.content == DecayContent::weights) {
    if (weights.amplitudes.size() != frequencies.size()) {
      throw InputError("weights.other_pairs", {{"pairs", weights.amplitudes.size()}, {"found", frequencies.size()}});
    }
    kernel.content = weights;
  }
  if (fields.content == DecayContent::random) {
    kernel.content = random_content(static_cast<int>(frequencies.size()), static_cast<std::uint64_t>(fields.seed));
  }
  kernel.order = fields.order;
  kernel.count = static_cast<std::int64_t>(fields.span) + 1;
  kernel.want_bound = fields.show_bound;
  input.trend = true;
  if (fields.show_envelope) {
    input.envelope = fields.envelope == DecayEnvelope::window ? EnvelopeKind::window : EnvelopeKind::from_here;
    // The width affects only this kind; otherwise its change would recompute an identical curve.
    if (input.envelope == EnvelopeKind::window) input.window = static_cast<std::int64_t>(fields.envelope_window);
  }
  return input;
}

double DecayInput::cost() const {
  const double curves = static_cast<double>(kernel.count) * static_cast<double>(kernel.frequencies.size());
  if (!trend || !aligned()) return curves;
  // About 500 values of the trend, each with as many integrals as the ladder has bends.
  constexpr double kValues = 500, kIntegral = 220;
  const auto course = trend_of(kernel.frequencies);
  return curves + (course ? kValues * kIntegral * static_cast<double>(course->pieces.size() + 1) : 0);
}

DecayCurves decay_curves(const DecayInput& input, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double scale = input.scale;
  KernelRequest request = input.kernel;
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
  if (request.want_bound) {
    const double factor = bound_factor(request.content, request.frequencies.size(), request.order);
    if (factor != 1) std::for_each(curves.bound.begin(), curves.bound.end(), [factor](double& b) { b *= factor; });
    result.first_telling = first_below_one(curves.bound);
    result.bound = make_series(0, 1, std::move(curves.bound));
  }
  if (input.trend && input.aligned()) {
    if (const auto course = trend_of(request.frequencies)) {
      result.trend = trend_series(*course, request.count - 1, scale, work.stop);
      result.trend_zero = trend_zero(*course);
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

constinit const View kDecayView{.id = "decay",
                                .group = "explore",
                                .declare_fields = declare_decay_fields,
                                .figures = decay_figures,
                                .empty = empty_decay_figure,
                                .player = &kDecayPlayer,
                                .open = open_decay_file,
                                .opens = kCurveEndings,
                                .length = longest_distance,
                                .hides_pins = moves,
                                .toggle_chip = "decay.show_bound",
                                .files = decay_files,
                                .settle = load_user_curve,
                                .check = check_marked_pairs};

}  // namespace ropescope
