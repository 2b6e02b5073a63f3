// Curves and lanes of a race, losses beyond the trained length, and dumps of a runner's trained vectors.
//
// Contents: Curves; Lanes; Inside; Beyond.

#include "app/views/race/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/views/race/inputs.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/attention/attention.h"
#include "core/message.h"
#include "core/scaling/scaling.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Curves --------------------------------------------------------------------------------------------------------

namespace {

/// The maximum number of points along the area between the seeds; more could not be distinguished.
constexpr std::size_t kMaxPlaces = 512;

/// Returns the mean of up to `count` numbers that end at each number.
std::vector<double> smooth_losses(const std::vector<double>& values, std::size_t count) {
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= count) sum -= values[i - count];
    result.push_back(sum / static_cast<double>(std::min(i + 1, count)));
  }
  return result;
}

/// Statistics of the seeds that reached each step: the mean of the raw losses, and the mean, minimum and maximum of the
/// smoothed ones.
struct LaneCurve {
  std::vector<double> xs, raw, mean, least, most;
};
LaneCurve curve_of_race(const RaceLane& lane, bool seconds, std::size_t smoothing) {
  LaneCurve curve;
  std::vector<std::vector<double>> smooth;
  std::size_t steps = 0;
  for (const RunnerState* seed : lane.seeds) {
    std::vector<double> losses;
    for (const RacePoint& point : seed->curve) losses.push_back(point.loss);
    smooth.push_back(smooth_losses(losses, smoothing));
    steps = std::max(steps, losses.size());
  }
  for (std::size_t at = 0; at < steps; ++at) {
    double count = 0, raw = 0, sum = 0, time = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < lane.seeds.size(); ++i) {
      if (at >= smooth[i].size()) continue;
      const RacePoint& point = lane.seeds[i]->curve[at];
      ++count, raw += point.loss, sum += smooth[i][at], time += point.seconds;
      least = std::min(least, smooth[i][at]), most = std::max(most, smooth[i][at]);
    }
    const double x = seconds ? time / count : static_cast<double>(at + 1);
    // After a seed has stopped, the others' mean of seconds may be smaller.
    curve.xs.push_back(curve.xs.empty() ? x : std::max(x, curve.xs.back()));
    curve.raw.push_back(raw / count), curve.mean.push_back(sum / count);
    curve.least.push_back(least), curve.most.push_back(most);
  }
  return curve;
}

/// Returns the area between the minimum and maximum over seeds; many adjacent points are merged.
Path area_of(const RaceLane& lane, const LaneCurve& curve) {
  Path path = path_of(lane.key + ".range", LineStyle{lane.slot, true}, 0);
  path.filled = true;
  const std::size_t count = curve.xs.size(), each = (count + kMaxPlaces - 1) / kMaxPlaces;
  std::vector<double> back_x, back_y;
  for (std::size_t begin = 0; begin < count; begin += each) {
    const auto first = static_cast<std::ptrdiff_t>(begin);
    const auto last = static_cast<std::ptrdiff_t>(std::min(count, begin + each));
    add_point(path, curve.xs[begin], *std::max_element(curve.most.begin() + first, curve.most.begin() + last));
    back_x.push_back(curve.xs[begin]);
    back_y.push_back(*std::min_element(curve.least.begin() + first, curve.least.begin() + last));
  }
  path.xs.insert(path.xs.end(), back_x.rbegin(), back_x.rend());
  path.ys.insert(path.ys.end(), back_y.rbegin(), back_y.rend());
  return path;
}

void add_lane(const RaceLane& lane, const RaceFields& fields, Figure& figure) {
  const bool seconds = fields.over == RaceOver::seconds;
  const LaneCurve curve = curve_of_race(lane, seconds, static_cast<std::size_t>(fields.smoothing));
  if (curve.xs.empty()) return;
  const auto add = [&](const char* part, const std::vector<double>& ys, bool faint) {
    figure.lines.push_back({lane.key + part, lane.label, {lane.slot, faint}, make_series(curve.xs, ys), !faint});
  };
  add(".raw", curve.raw, true);
  if (lane.seeds.size() > 1) {
    add(".least", curve.least, true);
    add(".most", curve.most, true);
    figure.paths.push_back(area_of(lane, curve));
  }
  add("", curve.mean, false);
}

/// Marks the step at which a runner's loss was no longer finite.
void add_stops(const RaceLane& lane, const RaceFields& fields, const Text& text, Figure& figure) {
  Points points = points_of(lane.key + ".stopped", {lane.slot, false});
  points.label = lane.label;
  for (const RunnerState* seed : lane.seeds) {
    if (!seed->fault || seed->curve.empty()) continue;
    const RacePoint& last = seed->curve.back();
    add_point(points, fields.over == RaceOver::seconds ? last.seconds : static_cast<double>(last.step), last.loss);
    points.names.push_back(
        text.format("view.race.stopped", {{"runner", lane.label}, {"step", counted(seed->fault->step)}}));
  }
  if (!points.xs.empty()) figure.points.push_back(std::move(points));
}

FigureAxis way_axis(const RaceFields& fields, const Text& text) {
  FigureAxis axis =
      named_axis("race", fields.over == RaceOver::seconds ? "seconds" : "step", text, AxisScale::linear, "way");
  axis.whole = fields.over != RaceOver::seconds;
  return axis;
}

/// Returns an extension as text: "yarn ×4"; "not extended".
std::string extension_words(const Extension& extension, const Text& text) {
  RopeFields rope;
  rope.scaling = to_scaling_fields(extension);
  const std::string label = extension_label(rope, text);
  return label.empty() ? text["view.race.plain"] : label;
}

std::string change_words(const RaceCourse& before, const RaceCourse& after, const Text& text) {
  std::string words;
  if (after.base != before.base) words = text.format("view.race.base", {{"base", readable_number(after.base, 4)}});
  if (after.extension == before.extension) return words;
  return words + (words.empty() ? "" : " · ") + extension_words(after.extension, text);
}

/// Adds the loss of the token frequencies alone and, if known, the lowest possible one.
void add_known_losses(Figure& figure, const Task& task, const Text& text) {
  add_level(figure, task.unigram, text.format("view.race.unigram", {{"loss", readable_number(task.unigram, 3)}}));
  if (task.floor) add_level(figure, *task.floor, text["view.race.floor"]);
}

void add_rules_race(const RaceFields& fields, const Race& race, const Text& text, Figure& figure) {
  add_known_losses(figure, race.setup->task, text);
  if (fields.over == RaceOver::seconds) return;
  for (std::size_t i = 1; i < race.changes.size(); ++i) {
    const CourseChange& change = race.changes[i];
    add_rule(figure, static_cast<double>(change.step), change_words(race.changes[i - 1].course, change.course, text));
  }
}

std::string title_of_race(const Race& race, const Text& text) {
  const std::vector<RaceRunner>& runners = race.start.runners;
  const auto linear = std::count_if(runners.begin(), runners.end(), [](const RaceRunner& one) { return one.linear; });
  const RaceFields& fields = race.start.fields;
  const auto random =
      std::count_if(runners.begin(), runners.end(), [](const RaceRunner& one) { return one.performer; });
  const char* kind = linear == 0                                          ? "softmax"
                     : static_cast<std::size_t>(linear) != runners.size() ? "both"
                     : random == 0                                        ? "linear"
                     : random == linear                                   ? "performer"
                                                                          : "some_performer";
  std::string task = text["option.race.task." + word_of(fields.task)];
  if (fields.task == RaceTask::text && fields.objective == RaceObjective::masked) task = text["view.race.masked_text"];
  return text.format("view.race.title", {{"task", task}, {"attention", text[std::string("view.race.kind.") + kind]}});
}

// --- Lanes ---------------------------------------------------------------------------------------------------------

constexpr int kLanesColours = 5;

/// Assigns line styles. A lane keeps its encoding's slot if no earlier lane has that colour; the others get the first
/// free slot of the least used colour, because crossing curves are distinguished by colour first.
void give_slots(std::vector<RaceLane>& lanes) {
  std::array<int, kLanesColours> taken{};
  std::set<int> used;
  std::vector<RaceLane*> others;
  for (RaceLane& lane : lanes) {
    lane.slot = encoding_slot(lane.runner.encoding);
    int& count = taken[static_cast<std::size_t>(lane.slot % kLanesColours)];
    if (count > 0) {
      others.push_back(&lane);
      continue;
    }
    ++count;
    used.insert(lane.slot);
  }
  for (RaceLane* lane : others) {
    const auto colour = std::min_element(taken.begin(), taken.end());
    lane->slot = static_cast<int>(colour - taken.begin());
    while (used.contains(lane->slot)) lane->slot += kLanesColours;
    ++*colour;
    used.insert(lane->slot);
  }
}

/// Returns the active seeds, without those that failed.
std::vector<const RunnerState*> at_work(const std::vector<const RunnerState*>& seeds) {
  std::vector<const RunnerState*> running;
  for (const RunnerState* seed : seeds) {
    if (!seed->fault) running.push_back(seed);
  }
  return running;
}

// --- Inside --------------------------------------------------------------------------------------------------------

constexpr std::string_view kInsideKey = "race.inside.";
/// Limits of a separate cache: these files can be recreated from any stopped race, and must not evict saved races.
constexpr CacheLimits kHeadsLimits{32, std::uint64_t{256} << 20};

/// Sets the encoding fields that the runners use: the initial ones.
void take_initial(EncodingFields& fields, const Encoding& encoding) {
  for (const EncodingField& field : encoding.settings) {
    if (field.has_control) fields.settings.set(field.name, value_of(EncodingValues(), field));
  }
}

// --- Beyond --------------------------------------------------------------------------------------------------------

constexpr int kBeyondColours = 5, kSlots = 25;
constexpr int kBeyondBuckets = 32;

/// Returns the multiple of the trained length that a runner can process: a learned table ends with its rows, a text
/// with its last tenth.
int factor_of(const RaceSetup& setup, const RunnerSpec& spec) {
  if (find_encoding(spec.encoding).positions) return 1;
  for (int factor = kLargestBeyond; factor > 1; --factor) {
    try {
      require_text(setup, factor * setup.length);
      return factor;
    } catch (const InputError&) {
      continue;
    }
  }
  return 1;
}

/// Adds the numbers of a seed to the means; NaN if there are none.
void add_beyond(const BeyondLosses& losses, BeyondCurve& curve) {
  if (curve.positions.empty()) {
    for (const PositionBucket& bucket : losses.buckets) {
      curve.positions.push_back(0.5 * static_cast<double>(bucket.from + bucket.to - 1));
    }
    curve.losses.assign(losses.buckets.size(), 0);
  }
  for (std::size_t i = 0; i < losses.buckets.size(); ++i) curve.losses[i] += losses.buckets[i].loss;
  curve.within += losses.within.loss;
  curve.past += losses.past.tokens > 0 ? losses.past.loss : std::numeric_limits<double>::quiet_NaN();
}

/// A line of the picture.
struct BeyondShown {
  const RaceLane* lane;
  std::string method;
  std::shared_ptr<const BeyondCurve> curve;
};

/// Returns the methods of the fields that apply to a lane, with the plain one first.
std::vector<std::string> methods_of(const RaceFields& fields, const RunnerSpec& spec) {
  std::vector<std::string> methods;
  for (const std::string_view method : beyond_methods(spec)) {
    const auto wanted = std::find(fields.extensions.begin(), fields.extensions.end(), method);
    if (!extends(method) || wanted != fields.extensions.end()) methods.emplace_back(method);
  }
  return methods;
}

/// Returns "yarn ×8".
std::string method_words(const std::string& method, int factor, const Text& text) {
  Extension extension{method, {}, {}};
  if (find_parameter(find_scaling_method(method), "factor")) extension.numbers["factor"] = factor;
  return extension_words(extension, text);
}

/// Returns a slot with the lane's colour and its first unused dash; if all are used, any free slot.
int slot_of(const RaceLane& lane, const std::string& method, std::set<int>& taken) {
  int slot = lane.slot;
  if (extends(method)) {
    slot %= kBeyondColours;
    while (slot < kSlots && taken.contains(slot)) slot += kBeyondColours;
    for (int any = 0; slot >= kSlots && any < kSlots; ++any) {
      if (!taken.contains(any)) slot = any;
    }
  }
  taken.insert(slot);
  return slot;
}

void add_beyond_line(const BeyondShown& shown, std::set<int>& taken, const Text& text, Figure& figure) {
  Line line;
  line.key = shown.lane->key;
  line.label = shown.lane->label;
  if (extends(shown.method)) {
    line.key += "+" + shown.method;
    line.label =
        text.format("view.race.extended",
                    {{"runner", line.label}, {"extension", method_words(shown.method, shown.curve->factor, text)}});
  }
  line.style.slot = slot_of(*shown.lane, shown.method, taken);
  line.series = make_series(shown.curve->positions, shown.curve->losses);
  figure.lines.push_back(std::move(line));
}

Figure figure_of_beyond(const Experiment& experiment, const Race& race, const std::vector<BeyondShown>& shown,
                        const Text& text) {
  const RaceFields& fields = experiment.race;
  Figure figure = empty_race_figure(experiment, text);
  figure.title = text.format("view.race.beyond_title", {{"length", counted(race.setup->length)}});
  std::set<int> taken;
  for (const BeyondShown& one : shown) taken.insert(one.lane->slot);
  Range losses = kNoRange;
  double last = race.setup->length;
  for (const BeyondShown& one : shown) {
    add_beyond_line(one, taken, text, figure);
    losses = widened(losses, *figure.lines.back().series);
    last = std::max(last, one.curve->positions.empty() ? 0 : one.curve->positions.back());
  }
  const Task& task = race.setup->task;
  include(losses, task.unigram);
  if (task.floor) include(losses, *task.floor);
  add_rule(figure, race.setup->length, text["view.race.trained_length"]);
  add_known_losses(figure, task, text);
  figure.x = data_axis(named_axis("race", "position", text), {0, last}, fields.zooms);
  figure.x.whole = true;
  figure.y =
      value_axis(named_axis("race", "loss", text, AxisScale::linear, "beyond"), add_margin(losses, 0.06), fields.zooms);
  figure.legend = true;
  return figure;
}

Readout past_card(const RaceLane& lane, const std::vector<BeyondShown>& shown, const Text& text) {
  Readout card = start_card("race.past", text);
  card.name += "." + lane.card;
  card.label = text.format("readout.race.past.of", {{"runner", lane.label}});
  const BeyondShown *plain = nullptr, *best = nullptr;
  for (const BeyondShown& one : shown) {
    if (one.lane != &lane) continue;
    if (!extends(one.method)) plain = &one;
    if (std::isfinite(one.curve->past) && (!best || one.curve->past < best->curve->past)) best = &one;
  }
  card.value = no_number();
  if (!plain) return card;
  const std::string within = readable_fixed(plain->curve->within, 3);
  if (!std::isfinite(plain->curve->past)) {
    card.value = Message("readout.race.past.nothing");
    card.note = text.format("readout.race.past.ends", {{"within", within}});
    return card;
  }
  card.value = Quantity{with_decimals(plain->curve->past, 3), "nats"};
  card.note = text.format("readout.race.past.note", {{"within", within}});
  if (!extends(best->method)) return card;
  card.note +=
      " " + text.format("readout.race.past.best", {{"extension", method_words(best->method, best->curve->factor, text)},
                                                   {"loss", readable_fixed(best->curve->past, 3)}});
  return card;
}

}  // namespace

Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text) {
  const RaceFields& fields = experiment.race;
  Figure figure = named_figure("race", title_of_race(race, text));
  for (const RaceLane& lane : lanes) add_lane(lane, fields, figure);
  for (const RaceLane& lane : lanes) add_stops(lane, fields, text, figure);
  add_rules_race(fields, race, text, figure);
  double way = fields.over == RaceOver::seconds ? 0 : static_cast<double>(race.step);
  Range losses = kNoRange;
  include(losses, race.setup->task.unigram);
  for (const Line& line : figure.lines) {
    way = std::max(way, line.series->xs.empty() ? 0 : line.series->xs.back());
    losses = widened(losses, *line.series);
  }
  if (race.setup->task.floor) include(losses, *race.setup->task.floor);
  figure.x = data_axis(way_axis(fields, text), {0, std::max(way, 1.0)}, fields.zooms);
  figure.y = value_axis(named_axis("race", "loss", text), add_margin(losses, 0.06), fields.zooms);
  figure.legend = true;
  return figure;
}

Figure empty_race_figure(const Experiment& experiment, const Text& text) {
  const RaceFields& fields = experiment.race;
  if (fields.show == RaceShow::beyond) {
    Figure figure = empty_figure("beyond", "position", "loss");
    figure.x = fixed_axis(named_axis("race", "position", text), {0, 8 * fields.length});
    figure.y = fixed_axis(named_axis("race", "loss", text, AxisScale::linear, "beyond"), {0, 6});
    return figure;
  }
  Figure figure = empty_figure("race", "step", "loss");
  figure.x = fixed_axis(way_axis(fields, text), {0, fields.steps});
  figure.y = fixed_axis(named_axis("race", "loss", text), {0, 6});
  return figure;
}

std::int64_t RaceLane::last_test_step() const {
  const std::vector<const RunnerState*> running = at_work(seeds);
  if (running.empty()) return 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const RunnerState* seed : running) {
    std::int64_t tested = 0;
    for (auto point = seed->curve.rbegin(); point != seed->curve.rend() && tested == 0; ++point) {
      if (point->test_loss) tested = point->step;
    }
    last = std::min(last, tested);
  }
  return last;
}

std::vector<double> RaceLane::last_tests() const {
  const std::int64_t step = last_test_step();
  if (step == 0) return {};
  std::vector<double> losses;
  for (const RunnerState* seed : seeds) {
    double loss = std::numeric_limits<double>::quiet_NaN();
    for (const RacePoint& point : seed->curve) {
      if (!seed->fault && point.step == step && point.test_loss) loss = *point.test_loss;
    }
    losses.push_back(loss);
  }
  return losses;
}

std::string runner_label(const RaceRunner& runner, bool kinds_differ, const Text& text) {
  std::string label = text["option.encoding." + runner.encoding];
  if (kinds_differ && runner.linear) {
    label = text.format(runner.performer ? "view.race.performer" : "view.race.linear", {{"runner", label}});
  }
  if (runner.base) {
    label = text.format("view.race.of_base", {{"runner", label}, {"base", readable_number(*runner.base, 7)}});
  }
  if (!runner.extension) return label;
  return text.format("view.race.extended",
                     {{"runner", label}, {"extension", extension_words(*runner.extension, text)}});
}

Message lead_words(const std::string& words, const RunnerComparison& found) {
  const char* lead = found.seeds == 0   ? "not_compared"
                     : !found.spread    ? "one_seed"
                     : found.told_apart ? "told_apart"
                                        : "not_told_apart";
  return {words + lead,
          {{"ahead", found.ahead},
           {"behind", found.behind},
           {"difference", readable_fixed(found.difference, 3)},
           {"spread", readable_fixed(found.spread.value_or(0), 3)},
           {"seeds", found.seeds}}};
}

std::vector<RaceLane> lanes_of(const Race& race, const Text& text) {
  const std::vector<RaceRunner>& runners = race.start.runners;
  const bool differ = std::any_of(runners.begin(), runners.end(), [&](const RaceRunner& runner) {
    return runner.linear != runners.front().linear || runner.performer != runners.front().performer;
  });
  const std::size_t seeds = race.runners.size() / std::max<std::size_t>(1, runners.size());
  std::vector<RaceLane> lanes;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    RaceLane lane;
    lane.runner = runners[i], lane.key = lane.card = key_of(runners[i]);
    lane.label = runner_label(runners[i], differ, text);
    for (char& c : lane.card) c = c == '/' || c == '=' ? '-' : c;
    for (std::size_t seed = 0; seed < seeds; ++seed) lane.seeds.push_back(&race.runners[i * seeds + seed]);
    lanes.push_back(std::move(lane));
  }
  give_slots(lanes);
  return lanes;
}

std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes) {
  std::vector<std::pair<double, const RaceLane*>> ranking;
  for (const RaceLane& lane : lanes) {
    double sum = 0, count = 0;
    for (const double loss : lane.last_tests()) {
      if (std::isfinite(loss)) sum += loss, ++count;
    }
    if (count > 0) ranking.emplace_back(sum / count, &lane);
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return ranking;
}

bool can_look_into(const RaceRunner& runner) {
  return !trains_its_scores(runner.encoding);
}

std::shared_ptr<const std::string> inside_file(const InsideInput& input, const Work& work) {
  const std::shared_ptr<const Race> race = input.moment.take();
  if (!race) return std::make_shared<const std::string>();  // requested earlier; its race has continued
  const std::size_t seeds = race->runners.size() / race->start.runners.size();
  std::size_t index = input.lane * seeds;
  while (index + 1 < (input.lane + 1) * seeds && race->runners[index].fault) ++index;
  const std::vector<float>& cells = race->runners[index].cells;
  const TrainedHeads heads =
      look_inside(*race->setup, race->specs[index], std::span<const float>(cells).first(cells.size() / 3), {},
                  {race_workers(work.threads), work.stop});
  if (work.stopped()) return nullptr;
  const std::string bytes = dump_of(heads),
                    number = text_digits(name_saved_race(race->start) + key_of(race->start.runners[input.lane]));
  const std::string name = "heads-" + number + ".safetensors";
  const std::array<std::string_view, 1> pieces{bytes};
  ResultCache& shelf = input.shelf->inner("heads", kHeadsLimits);
  if (shelf.read(name) != bytes && !shelf.write(name, pieces, work.stop)) return nullptr;
  return std::make_shared<const std::string>(shelf.place(name).string());
}

std::string inside_key(const RaceRunner& runner, const RaceCourse& course, const std::string& path) {
  return std::string(kInsideKey) + key_of(runner) + ":" + course_text(course) + "\n" + path;
}

bool inspect_heads(Experiment& experiment, const std::string& key) {
  if (!key.starts_with(kInsideKey)) return false;
  const std::size_t colon = key.find(':'), line = key.find('\n');
  const std::string name = key.substr(kInsideKey.size(), colon - kInsideKey.size());
  const std::vector<RaceRunner> runners = race_runners(experiment.race);
  const auto runner =
      std::find_if(runners.begin(), runners.end(), [&name](const RaceRunner& one) { return key_of(one) == name; });
  if (colon > line || line == std::string::npos || runner == runners.end()) return false;
  const RaceCourse course = course_of(key.substr(colon + 1, line - colon - 1));
  const RaceFields& race = experiment.race;
  const Encoding& encoding = find_encoding(runner->encoding);
  AttentionFields& attention = experiment.attention;
  const AttentionFields initial;
  attention.content = AttentionSource::file, attention.file = key.substr(line + 1), attention.against.clear();
  // Vectors that were added to the tokens are already part of q and k.
  attention.encoding = adds_vectors(encoding.training) ? "none" : runner->encoding;
  attention.kind = runner->linear ? AttentionKind::linear : AttentionKind::softmax, attention.kernel = initial.kernel;
  if (runner->performer) attention.kernel = LinearKernel::random_features;
  attention.features = initial.features, attention.turn_vectors = attention.turn_denominator = false;
  attention.causal = race.task != RaceTask::text || race.objective != RaceObjective::masked;
  attention.tokens = race.length, attention.head = 1, attention.layer = 0, attention.page = 1;
  attention.row = std::floor(race.length / 2);
  attention.show = AttentionShow::weights, attention.energy_of = initial.energy_of;
  attention.zooms.reset();
  RopeFields rope;
  rope.base = runner->base.value_or(course.base);
  rope.rotary_dim = rope.head_dim = std::floor(race.width / race.heads);
  rope.pairing = Pairing::interleaved;
  rope.trained_length = race.length;
  rope.scaling = to_scaling_fields(runner->extension.value_or(course.extension));
  rope.scaling.length = 0;
  experiment.rope = rope;
  take_initial(experiment.encoding, encoding);
  experiment.view = "attention";
  return true;
}

BeyondCurve beyond_curve(const BeyondInput& input, const Work& work) {
  BeyondCurve curve;
  const std::shared_ptr<const Race> race = input.moment.take();
  if (!race) return curve;  // requested earlier; its race has continued
  const std::size_t seeds = race->runners.size() / race->start.runners.size();
  double count = 0;
  for (std::size_t i = input.lane * seeds; i < (input.lane + 1) * seeds; ++i) {
    const RunnerState& state = race->runners[i];
    if (state.fault) continue;
    const RunnerSpec& spec = race->specs[i];
    const BeyondOptions options{input.method, factor_of(*race->setup, spec), 0, kBeyondBuckets};
    const auto parameters = std::span<const float>(state.cells).first(state.cells.size() / 3);
    curve.factor = options.factor;
    const int workers = race_workers(work.threads);
    const BeyondLosses losses = beyond_losses(*race->setup, spec, parameters, options, {workers, work.stop});
    if (work.stopped()) return curve;
    add_beyond(losses, curve);
    ++count;
  }
  for (double& loss : curve.losses) loss /= count;
  curve.within /= count, curve.past /= count;
  return curve;
}

ViewResult beyond_figures(const Experiment& experiment, const std::shared_ptr<const Race>& race,
                          const std::vector<RaceLane>& lanes, const Text& text, Store& store) {
  const std::size_t seeds = race->runners.size() / lanes.size();
  std::vector<BeyondShown> shown;
  std::size_t asked = 0;
  ViewResult result;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (const std::string& method : methods_of(experiment.race, race->specs[i * seeds])) {
      ++asked;
      const std::string slot = "race.beyond." + lanes[i].key + "." + method;
      const auto answer = store.request<beyond_curve>({slot, 1e9, true}, {RaceMoment(race), i, method});
      if (!answer.current) continue;
      if (!answer.fault.empty()) result.status = text.render(answer.fault);
      if (answer.result && !answer.result->positions.empty()) shown.push_back({&lanes[i], method, answer.result});
      --asked;
    }
  }
  result.panels.push_back({figure_of_beyond(experiment, *race, shown, text), 1});
  Figure& figure = result.panels.front().figure;
  if (shown.empty()) figure.empty_message = asked > 0 ? text["view.computing"] : result.status;
  for (const RaceLane& lane : lanes) result.readouts.push_back(past_card(lane, shown, text));
  result.stale = asked > 0;
  if (asked > 0) result.progress = static_cast<double>(shown.size()) / static_cast<double>(shown.size() + asked);
  return result;
}

}  // namespace ropescope
