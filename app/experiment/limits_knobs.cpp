#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, LimitsKnobs& knobs) {
  static const LimitsKnobs initial;
  fields.group("plot");
  fields.choice({.key = "limits.show", .options = {"curve", "information", "dropped"}, .initial = initial.show},
                knobs.show);
  fields.number({.key = "limits.context",
                 .minimum = 16,
                 .maximum = 1'048'576,
                 .initial = initial.context,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .follows_length = true},
                knobs.context);
  fields.range({.key = "limits.base_range"}, knobs.base_range);
  fields.range({.key = "limits.largest_range"}, knobs.largest_range);
  fields.range({.key = "limits.pair_range"}, knobs.pair_range);
  fields.range({.key = "limits.turns_range"}, knobs.turns_range);
  fields.range({.key = "limits.variance_range"}, knobs.variance_range);
  fields.range({.key = "limits.distance_range"}, knobs.distance_range);
  fields.range({.key = "limits.similarity_range"}, knobs.similarity_range);
}

}  // namespace ropescope
