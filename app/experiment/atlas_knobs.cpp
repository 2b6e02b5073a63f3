#include <algorithm>

#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, AtlasKnobs& knobs) {
  static const AtlasKnobs initial;
  fields.group("atlas");
  fields.choice({.key = "atlas.values",
                 .options = {"sinusoidal", "rope-cos", "rope-sin", "rope-angle", "learned"},
                 .initial = initial.values},
                knobs.values);
  fields.choice({.key = "atlas.rows", .options = {"numbers", "words"}, .initial = initial.rows}, knobs.rows);
  fields.number({.key = "atlas.positions",
                 .minimum = 2,
                 .maximum = kMostAtlasPositions,
                 .initial = initial.positions,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = knobs.rows != "words"},
                knobs.positions);
  fields.text({.key = "atlas.sentence", .initial = initial.sentence, .control = knobs.rows == "words"}, knobs.sentence);
  fields.number({.key = "atlas.row",
                 .minimum = 0,
                 .maximum = kMostAtlasPositions - 1,
                 .initial = initial.row,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.rows != "words"},
                knobs.row);
  fields.names({.key = "atlas.below", .options = {"row", "column", "turns", "variance"}, .initial = initial.below},
               knobs.below);
  const bool column = std::find(knobs.below.begin(), knobs.below.end(), "column") != knobs.below.end();
  fields.text({.key = "atlas.columns", .initial = initial.columns, .control = column}, knobs.columns);
  fields.range({.key = "atlas.dimension_range"}, knobs.dimension_range);
  fields.range({.key = "atlas.position_range"}, knobs.position_range);
  fields.range({.key = "atlas.value_range"}, knobs.value_range);
  fields.range({.key = "atlas.turns_range"}, knobs.turns_range);
  fields.range({.key = "atlas.variance_range"}, knobs.variance_range);
  fields.range({.key = "atlas.column_range"}, knobs.column_range);
}

}  // namespace ropescope
