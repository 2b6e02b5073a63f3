#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"

namespace ropescope {

namespace {

std::vector<std::string> axis_scales() {
  return {"linear", "log", "symlog"};
}

}  // namespace

void describe(Fields& fields, DecayKnobs& knobs) {
  const DecayKnobs initial;
  fields.group("plot");
  // The switches come first, as the controls after them depend on them.
  fields.toggle({.key = "decay.show_similarity", .initial = initial.show_similarity}, knobs.show_similarity);
  fields.toggle({.key = "decay.show_bound", .initial = initial.show_bound}, knobs.show_bound);
  fields.toggle({.key = "decay.show_trend", .initial = initial.show_trend}, knobs.show_trend);
  fields.toggle({.key = "decay.show_envelope", .initial = initial.show_envelope}, knobs.show_envelope);
  fields.number({.key = "decay.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions"},
                knobs.span);
  fields.choice({.key = "decay.distance_axis", .options = axis_scales(), .initial = initial.distance_axis},
                knobs.distance_axis);
  fields.choice({.key = "decay.similarity_axis",
                 .options = axis_scales(),
                 .initial = initial.similarity_axis,
                 .control = knobs.show_similarity},
                knobs.similarity_axis);
  fields.choice({.key = "decay.envelope",
                 .options = {"from-here", "window"},
                 .initial = initial.envelope,
                 .control = knobs.show_envelope},
                knobs.envelope);
  fields.number({.key = "decay.envelope_window",
                 .minimum = 1,
                 .maximum = 1'048'576,
                 .initial = initial.envelope_window,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = knobs.show_envelope && knobs.envelope == "window"},
                knobs.envelope_window);
  fields.choice({.key = "decay.content", .options = {"aligned", "random"}, .initial = initial.content}, knobs.content);
  fields.number(seed_field("decay.seed", initial.seed, knobs.content == "random"), knobs.seed);
  fields.text({.key = "decay.marked_pairs", .initial = initial.marked_pairs}, knobs.marked_pairs);
  fields.toggle({.key = "decay.show_plain", .initial = initial.show_plain}, knobs.show_plain);
  fields.group("bound");
  fields.choice({.key = "decay.order",
                 .options = {"fast-first", "slow-first"},
                 .initial = initial.order,
                 .control = knobs.show_bound},
                knobs.order);
  fields.choice(
      {.key = "decay.bound_axis", .options = axis_scales(), .initial = initial.bound_axis, .control = knobs.show_bound},
      knobs.bound_axis);
  fields.range({.key = "decay.distance_range"}, knobs.distance_range);
  fields.range({.key = "decay.similarity_range"}, knobs.similarity_range);
  fields.range({.key = "decay.bound_range"}, knobs.bound_range);
}

}  // namespace ropescope
