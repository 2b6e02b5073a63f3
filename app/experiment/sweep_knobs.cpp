#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, SweepKnobs& knobs) {
  static const SweepKnobs initial;
  fields.group("sweep");
  fields.text({.key = "sweep.readout", .initial = initial.readout}, knobs.readout);
  fields.text({.key = "sweep.over", .initial = initial.over}, knobs.over);
  fields.text({.key = "sweep.second", .initial = initial.second}, knobs.second);
  fields.choice({.key = "sweep.value_axis", .options = {"linear", "log"}, .initial = initial.value_axis},
                knobs.value_axis);
  fields.range({.key = "sweep.over_range"}, knobs.over_range);
  fields.range({.key = "sweep.second_range"}, knobs.second_range);
  fields.range({.key = "sweep.value_range"}, knobs.value_range);
}

}  // namespace ropescope
