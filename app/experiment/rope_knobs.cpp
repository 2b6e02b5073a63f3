#include "app/experiment/axis_list.h"
#include "app/experiment/experiment.h"

namespace ropescope {

void describe_pairing(Fields& fields, RopeKnobs& knobs, bool control) {
  static const RopeKnobs initial;
  fields.choice(
      {.key = "rope.pairing", .options = {"interleaved", "half"}, .initial = initial.pairing, .control = control},
      knobs.pairing);
}

void describe(Fields& fields, RopeKnobs& knobs) {
  static const RopeKnobs initial;
  fields.group("embedding");
  fields.text({.key = "rope.label", .initial = initial.label, .control = false}, knobs.label);
  fields.text({.key = "rope.config", .initial = initial.config, .control = false, .endings = ".json .gguf"},
              knobs.config);
  fields.text({.key = "rope.model", .initial = initial.model, .control = false}, knobs.model);
  fields.text({.key = "rope.profile", .initial = initial.profile, .control = false}, knobs.profile);
  fields.text({.key = "rope.axes", .initial = initial.axes, .control = false}, knobs.axes);

  // Which controls make sense depends on the axes: a reader of files has filled these in by now.
  std::vector<AxisEntry> axes;
  read_axis_list(knobs.axes, axes);
  std::vector<std::string> names;
  bool own_base = false;
  for (const AxisEntry& axis : axes) {
    const bool looked_at = axis.name == knobs.axis || (knobs.axis.empty() && names.empty());
    if (looked_at) own_base = axis.base.has_value();
    names.push_back(axis.name);
  }
  const bool several = !names.empty();

  fields.number({.key = "rope.base",
                 .minimum = 1.01,
                 .maximum = 1e12,
                 .initial = initial.base,
                 .logarithmic = true,
                 .control = !own_base},
                knobs.base);
  fields.number({.key = "rope.rotary_dim",
                 .minimum = 2,
                 .maximum = kLargestDimension,
                 .initial = initial.rotary_dim,
                 .logarithmic = true,
                 .whole = true,
                 .step = 2,
                 .unit = "unit.channels",
                 .control = !several},
                knobs.rotary_dim);
  fields.choice(
      {.key = "rope.axis", .options = names, .initial = several ? names.front() : std::string(), .control = several},
      knobs.axis);
  fields.number({.key = "rope.trained_length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = initial.trained_length,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.none"},
                knobs.trained_length);
  fields.number({.key = "rope.context_length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = initial.context_length,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.none",
                 .control = false},
                knobs.context_length);
  fields.number({.key = "rope.head_dim",
                 .minimum = 2,
                 .maximum = kLargestDimension,
                 .initial = initial.head_dim,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.channels",
                 .control = false},
                knobs.head_dim);
  // The pairing says which channels form a pair; only the view that shows channels has a control for it.
  describe_pairing(fields, knobs, false);
  describe(fields, knobs.scaling);
}

}  // namespace ropescope
