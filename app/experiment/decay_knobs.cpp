#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"

namespace ropescope {

namespace {

std::vector<std::string> axis_scales() {
  return {"linear", "log", "symlog"};
}

/// What the picture of the arrows has of its own: the distance, and how it plays.
void describe_phasors(Fields& fields, DecayKnobs& knobs, bool phasors) {
  static const DecayKnobs initial;
  fields.number({.key = "decay.distance",
                 .minimum = 0,
                 .maximum = kMostDecayDistance,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = phasors},
                knobs.distance);
  fields.number({.key = "decay.speed",
                 .minimum = 0.1,
                 .maximum = 1000,
                 .initial = initial.speed,
                 .logarithmic = true,
                 .unit = "unit.positions_per_second",
                 .control = phasors},
                knobs.speed);
  fields.toggle({.key = "decay.playing", .initial = initial.playing, .control = false}, knobs.playing);
  fields.number({.key = "decay.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
                knobs.glide);
}

/// What the curves have of their own, and how their bound is drawn.
void describe_curves(Fields& fields, DecayKnobs& knobs, bool curves) {
  static const DecayKnobs initial;
  const bool whole = knobs.show == "curves";
  fields.number({.key = "decay.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = curves,
                 .follows_length = true},
                knobs.span);
  fields.choice(
      {.key = "decay.distance_axis", .options = axis_scales(), .initial = initial.distance_axis, .control = curves},
      knobs.distance_axis);
  fields.choice({.key = "decay.similarity_axis",
                 .options = axis_scales(),
                 .initial = initial.similarity_axis,
                 .control = curves && (!whole || knobs.show_similarity)},
                knobs.similarity_axis);
  fields.choice({.key = "decay.envelope",
                 .options = {"from-here", "window"},
                 .initial = initial.envelope,
                 .control = curves && knobs.show_envelope},
                knobs.envelope);
  fields.number({.key = "decay.envelope_window",
                 .minimum = 1,
                 .maximum = 1'048'576,
                 .initial = initial.envelope_window,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = curves && knobs.show_envelope && knobs.envelope == "window"},
                knobs.envelope_window);
}

}  // namespace

void describe(Fields& fields, DecayKnobs& knobs) {
  static const DecayKnobs initial;
  fields.group("plot");
  fields.choice({.key = "decay.show", .options = {"curves", "phasors", "differences"}, .initial = initial.show},
                knobs.show);
  // The differences stand below the similarity, without the bound.
  const bool curves = knobs.show != "phasors", whole = knobs.show == "curves";
  // The switches come first, as the controls after them depend on them.
  fields.toggle({.key = "decay.show_similarity", .initial = initial.show_similarity, .control = whole},
                knobs.show_similarity);
  fields.toggle({.key = "decay.show_bound", .initial = initial.show_bound, .control = whole}, knobs.show_bound);
  fields.toggle({.key = "decay.show_trend", .initial = initial.show_trend, .control = curves}, knobs.show_trend);
  fields.toggle({.key = "decay.show_envelope", .initial = initial.show_envelope, .control = curves},
                knobs.show_envelope);
  describe_phasors(fields, knobs, !curves);
  describe_curves(fields, knobs, curves);
  const bool content = knobs.show != "differences";
  fields.choice(
      {.key = "decay.content", .options = {"aligned", "random"}, .initial = initial.content, .control = content},
      knobs.content);
  fields.number(seed_field("decay.seed", initial.seed, content && knobs.content == "random"), knobs.seed);
  fields.text({.key = "decay.marked_pairs", .initial = initial.marked_pairs, .control = curves}, knobs.marked_pairs);
  fields.toggle({.key = "decay.show_plain", .initial = initial.show_plain, .control = curves}, knobs.show_plain);
  fields.toggle({.key = "decay.with_amplitude", .initial = initial.with_amplitude, .control = whole},
                knobs.with_amplitude);
  fields.group("bound");
  fields.choice({.key = "decay.order",
                 .options = {"fast-first", "slow-first"},
                 .initial = initial.order,
                 .control = !curves || (whole && knobs.show_bound)},
                knobs.order);
  fields.choice({.key = "decay.bound_axis",
                 .options = axis_scales(),
                 .initial = initial.bound_axis,
                 .control = whole && knobs.show_bound},
                knobs.bound_axis);
  fields.range({.key = "decay.distance_range"}, knobs.distance_range);
  fields.range({.key = "decay.similarity_range"}, knobs.similarity_range);
  fields.range({.key = "decay.bound_range"}, knobs.bound_range);
}

}  // namespace ropescope
