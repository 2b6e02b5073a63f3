#include "app/views/race/inside.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/resources/trained_files.h"
#include "app/views/race/saved.h"
#include "core/error.h"
#include "core/training/heads.h"

namespace ropescope {

namespace {

constexpr std::string_view kInsideKey = "race.inside.";
/// They are made again wherever a race stands, so they have a shelf of their own and push no race from its.
constexpr ShelfLimits kHeadsLimits{32, std::uint64_t{256} << 20};

/// The encoding knobs that the runners have: those that the program begins with.
void take_initial(EncodingKnobs& knobs, const Encoding& encoding) {
  for (const EncodingSetting& setting : encoding.settings) {
    if (setting.knob) knobs.settings.set(setting.name, value_of(EncodingSettings(), setting));
  }
}

}  // namespace

bool can_look_into(const RaceRunner& runner) {
  return !trains_its_scores(runner.encoding);
}

std::shared_ptr<const InsideFile> InsideInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<InsideFile>();
  const std::shared_ptr<const Race> race = moment.present();
  if (!race) return result;  // computed before, and its race has gone on
  const std::size_t seeds = race->runners.size() / race->start.runners.size();
  std::size_t index = lane * seeds;
  while (index + 1 < (lane + 1) * seeds && race->runners[index].fault) ++index;
  const std::vector<float>& cells = race->runners[index].cells;
  try {
    const TrainedHeads heads =
        look_inside(*race->setup, race->specs[index], std::span<const float>(cells).first(cells.size() / 3), {},
                    race_workers(threads), stop);
    if (stop.stop_requested()) return nullptr;
    const std::string bytes = dump_of(heads),
                      number = text_digits(saved_name(race->start) + key_of(race->start.runners[lane]));
    const std::string name = "heads-" + number + ".safetensors";
    const std::array<std::string_view, 1> pieces{bytes};
    Shelf& heads_shelf = shelf->inner("heads", kHeadsLimits);
    if (heads_shelf.read(name) != bytes && !heads_shelf.write(name, pieces, stop)) return nullptr;
    result->path = heads_shelf.place(name).string();
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  moment.release();
  return result;
}

std::string inside_key(const RaceRunner& runner, const RaceCourse& course, const std::string& path) {
  return std::string(kInsideKey) + key_of(runner) + ":" + course_text(course) + "\n" + path;
}

bool look_into(Experiment& experiment, const std::string& key) {
  if (!key.starts_with(kInsideKey)) return false;
  const std::size_t colon = key.find(':'), line = key.find('\n');
  const std::string name = key.substr(kInsideKey.size(), colon - kInsideKey.size());
  const std::vector<RaceRunner> runners = race_runners(experiment.race);
  const auto runner =
      std::find_if(runners.begin(), runners.end(), [&name](const RaceRunner& one) { return key_of(one) == name; });
  if (colon > line || line == std::string::npos || runner == runners.end()) return false;
  const RaceCourse course = course_of(key.substr(colon + 1, line - colon - 1));
  const RaceKnobs& race = experiment.race;
  const Encoding& encoding = find_encoding(runner->encoding);
  AttentionKnobs& attention = experiment.attention;
  const AttentionKnobs initial;
  attention.content = "file", attention.file = key.substr(line + 1), attention.against.clear();
  // Vectors that were added to the tokens are in q and k.
  const bool added = runner->encoding == "sinusoidal" || runner->encoding == "learned";
  attention.encoding = added ? "none" : runner->encoding;
  attention.kind = runner->linear ? "linear" : "softmax", attention.kernel = initial.kernel;
  if (runner->performer) attention.kernel = "performer";
  attention.features = initial.features, attention.turn_vectors = attention.turn_denominator = false;
  attention.causal = race.task != "text" || race.objective != "masked";
  attention.tokens = race.length, attention.head = 1, attention.layer = 0, attention.page = 1;
  attention.row = std::floor(race.length / 2);
  attention.show = "weights", attention.energy_of = initial.energy_of;
  for (std::optional<Range>* range : {&attention.key_range, &attention.query_range, &attention.weight_range,
                                      &attention.sum_range, &attention.distance_range, &attention.pair_range}) {
    range->reset();
  }
  RopeKnobs rope;
  rope.base = runner->base.value_or(course.base);
  rope.rotary_dim = rope.head_dim = std::floor(race.width / race.heads);
  rope.pairing = "interleaved";
  rope.trained_length = race.length;
  rope.scaling = scaling_knobs_of(runner->extension.value_or(course.extension));
  rope.scaling.length = 0;
  experiment.rope = rope;
  take_initial(experiment.encoding, encoding);
  experiment.view = "attention";
  return true;
}

}  // namespace ropescope
