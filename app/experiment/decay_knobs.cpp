#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"

namespace ropescope {

namespace {

std::vector<std::string> axis_scales() {
  return {"linear", "log", "symlog"};
}

}  // namespace

void describe(Fields& fields, DecayKnobs& knobs) {
  fields.group("plot");
  // The switches come first, as the controls after them depend on them.
  fields.toggle({.key = "decay.show_similarity", .initial = true}, knobs.show_similarity);
  fields.toggle({.key = "decay.show_bound", .initial = true}, knobs.show_bound);
  fields.toggle({.key = "decay.show_trend", .initial = true}, knobs.show_trend);
  fields.toggle({.key = "decay.show_envelope", .initial = false}, knobs.show_envelope);
  fields.number({.key = "decay.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = 8192,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions"},
                knobs.span);
  fields.choice({.key = "decay.distance_axis", .options = axis_scales(), .initial = "log"}, knobs.distance_axis);
  fields.choice(
      {.key = "decay.similarity_axis", .options = axis_scales(), .initial = "linear", .control = knobs.show_similarity},
      knobs.similarity_axis);
  fields.choice({.key = "decay.envelope",
                 .options = {"from-here", "window"},
                 .initial = "from-here",
                 .control = knobs.show_envelope},
                knobs.envelope);
  fields.number({.key = "decay.envelope_window",
                 .minimum = 1,
                 .maximum = 1'048'576,
                 .initial = 64,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = knobs.show_envelope && knobs.envelope == "window"},
                knobs.envelope_window);
  fields.choice({.key = "decay.content", .options = {"aligned", "random"}, .initial = "aligned"}, knobs.content);
  fields.number(seed_field("decay.seed", 1, knobs.content == "random"), knobs.seed);
  fields.text({.key = "decay.marked_pairs", .initial = ""}, knobs.marked_pairs);
  fields.toggle({.key = "decay.show_plain", .initial = true}, knobs.show_plain);
  fields.group("bound");
  fields.choice({.key = "decay.order",
                 .options = {"fast-first", "slow-first"},
                 .initial = "fast-first",
                 .control = knobs.show_bound},
                knobs.order);
  fields.choice({.key = "decay.bound_axis", .options = axis_scales(), .initial = "linear", .control = knobs.show_bound},
                knobs.bound_axis);
  fields.range({.key = "decay.distance_range"}, knobs.distance_range);
  fields.range({.key = "decay.similarity_range"}, knobs.similarity_range);
  fields.range({.key = "decay.bound_range"}, knobs.bound_range);
}

}  // namespace ropescope
