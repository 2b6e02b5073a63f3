#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, PrecisionKnobs& knobs) {
  static const PrecisionKnobs initial;
  fields.group("plot");
  fields.choice({.key = "precision.policies",
                 .options = {"common", "float32", "bfloat16", "float16", "all"},
                 .initial = initial.policies},
                knobs.policies);
  fields.number({.key = "precision.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .follows_length = true},
                knobs.span);
  fields.choice({.key = "precision.show", .options = {"score", "shift"}, .initial = initial.show}, knobs.show);
  // It has a control in either case: a readout always says what a shift does at this distance.
  fields.number({.key = "precision.distance",
                 .minimum = 0,
                 .maximum = 1'048'576,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions"},
                knobs.distance);
  fields.range({.key = "precision.position_range"}, knobs.position_range);
  fields.range({.key = "precision.error_range"}, knobs.error_range);
  fields.range({.key = "precision.score_error_range"}, knobs.score_error_range);
  fields.range({.key = "precision.score_range"}, knobs.score_range);
}

}  // namespace ropescope
