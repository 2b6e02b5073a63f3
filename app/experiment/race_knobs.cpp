#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"
#include "core/training/beyond.h"

namespace ropescope {

namespace {

/// Those that small models are trained with (core/training/positions.h), as the registry orders them.
const std::vector<std::string> kRunners{"none",  "sinusoidal", "learned", "t5",       "rope",
                                        "alibi", "kerple",     "xpos",    "sandwich", "p-rope"};

/// That a trained rotation can be given by a factor alone.
const std::vector<std::string>& extensions_beyond() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const std::string_view method : beyond_methods({})) {
      if (method != "none") names.emplace_back(method);
    }
    return names;
  }();
  return all;
}

void describe_network(Fields& fields, RaceKnobs& knobs) {
  static const RaceKnobs initial;
  fields.group("race_network");
  const auto count = [&fields](std::string_view key, double least, double most, double step, double first,
                               double& value) {
    fields.number({.key = key, .minimum = least, .maximum = most, .initial = first, .whole = true, .step = step},
                  value);
  };
  count("race.layers", 1, 4, 1, initial.layers, knobs.layers);
  count("race.width", 32, 256, 32, initial.width, knobs.width);
  count("race.heads", 1, 8, 1, initial.heads, knobs.heads);
  count("race.length", 32, 512, 32, initial.length, knobs.length);
  count("race.batch", 1, 64, 1, initial.batch, knobs.batch);
  fields.number(whole_field("race.steps", 10, 20'000, initial.steps), knobs.steps);
  fields.number({.key = "race.learning_rate",
                 .minimum = 1e-5,
                 .maximum = 0.1,
                 .initial = initial.learning_rate,
                 .logarithmic = true},
                knobs.learning_rate);
  count("race.seeds", 1, 5, 1, initial.seeds, knobs.seeds);
}

void describe_task(Fields& fields, RaceKnobs& knobs) {
  static const RaceKnobs initial;
  const bool text = knobs.task == "text";
  fields.choice({.key = "race.task",
                 .options = {"text", "copy", "nearest", "count", "phrase", "sorted"},
                 .initial = initial.task},
                knobs.task);
  fields.text({.key = "race.file", .control = text, .endings = ".txt .md"}, knobs.file);
  fields.choice({.key = "race.objective", .options = {"next", "masked"}, .initial = initial.objective, .control = text},
                knobs.objective);
  fields.number({.key = "race.distance",
                 .minimum = 1,
                 .maximum = 511,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.task == "copy"},
                knobs.distance);
  fields.number({.key = "race.modulus",
                 .minimum = 2,
                 .maximum = 16,  // as make_task() has it
                 .initial = initial.modulus,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.task == "count"},
                knobs.modulus);
}

}  // namespace

void describe(Fields& fields, RaceKnobs& knobs, const std::optional<std::string>& added) {
  static const RaceKnobs initial;
  fields.group("race");
  fields.names({.key = "race.encodings", .options = kRunners, .initial = initial.encodings, .labels = "encoding"},
               knobs.encodings);
  fields.choice(
      {.key = "race.attention", .options = {"softmax", "linear", "both", "performer"}, .initial = initial.attention},
      knobs.attention);
  fields.text({.key = "race.also"}, knobs.also);
  fields.action({.key = "race.add", .control = added.has_value()}, [&knobs, &added] { knobs.also = *added; });
  describe_task(fields, knobs);
  fields.action({.key = "race.restart"}, [&knobs] { ++knobs.attempt; });
  describe_network(fields, knobs);
  fields.group("plot");
  fields.choice({.key = "race.show", .options = {"losses", "beyond"}, .initial = initial.show}, knobs.show);
  const bool losses = knobs.show == "losses";
  fields.names({.key = "race.extensions",
                .options = extensions_beyond(),
                .initial = initial.extensions,
                .control = !losses,
                .labels = "rope.scaling"},
               knobs.extensions);
  fields.choice({.key = "race.over", .options = {"steps", "seconds"}, .initial = initial.over, .control = losses},
                knobs.over);
  fields.number({.key = "race.smoothing",
                 .minimum = 1,
                 .maximum = 500,
                 .initial = initial.smoothing,
                 .logarithmic = true,
                 .whole = true,
                 .control = losses},
                knobs.smoothing);
  fields.toggle({.key = "race.running", .initial = initial.running, .control = false}, knobs.running);
  fields.number({.key = "race.attempt", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
                knobs.attempt);
  // Last of what a race begins with: another one has none of the steps that were asked for before.
  fields.number(
      {.key = "race.single_steps", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
      knobs.single_steps);
  fields.range({.key = "race.way_range"}, knobs.way_range);
  fields.range({.key = "race.loss_range"}, knobs.loss_range);
  fields.range({.key = "race.position_range"}, knobs.position_range);
  fields.range({.key = "race.beyond_range"}, knobs.beyond_range);
}

}  // namespace ropescope
