#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, FrequenciesKnobs& knobs) {
  static const FrequenciesKnobs initial;
  fields.group("plot");
  fields.choice({.key = "frequencies.quantity", .options = {"wavelength", "frequency"}, .initial = initial.quantity},
                knobs.quantity);
  fields.toggle({.key = "frequencies.show_ratio", .initial = initial.show_ratio}, knobs.show_ratio);
  fields.range({.key = "frequencies.pair_range"}, knobs.pair_range);
  fields.range({.key = "frequencies.value_range"}, knobs.value_range);
  fields.range({.key = "frequencies.ratio_range"}, knobs.ratio_range);
}

}  // namespace ropescope
