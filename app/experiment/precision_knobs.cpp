#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, PrecisionKnobs& knobs) {
  fields.group("plot");
  fields.choice({.key = "precision.policies",
                 .options = {"common", "float32", "bfloat16", "float16", "all"},
                 .initial = "common"},
                knobs.policies);
  fields.number({.key = "precision.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = 131'072,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions"},
                knobs.span);
  fields.choice({.key = "precision.show", .options = {"score", "shift"}, .initial = "score"}, knobs.show);
  // It has a control in either case: a readout always says what a shift does at this distance.
  fields.number({.key = "precision.distance",
                 .minimum = 0,
                 .maximum = 1'048'576,
                 .initial = 64,
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
