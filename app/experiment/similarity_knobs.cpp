#include <algorithm>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"
#include "core/layouts/layout.h"

namespace ropescope {

void describe(Fields& fields, SimilarityKnobs& knobs, const std::vector<std::string>& axes) {
  static const SimilarityKnobs initial;
  fields.group("similarity");
  fields.choice({.key = "similarity.anchor_mode", .options = {"follow", "fixed"}, .initial = initial.anchor_mode},
                knobs.anchor_mode);
  fields.choice({.key = "similarity.content", .options = {"aligned", "random"}, .initial = initial.content},
                knobs.content);
  fields.number(seed_field("similarity.seed", initial.seed, knobs.content == "random"), knobs.seed);
  ChoiceField axis{
      .key = "similarity.axis", .options = axes.empty() ? all_layout_axes() : axes, .initial = initial.axis};
  axis.options.insert(axis.options.begin(), "all");
  // The part of the only axis is the whole.
  axis.control = axis.options.size() > 2;
  // One that this layout has not shows all of them, and is kept.
  const bool known = std::find(axis.options.begin(), axis.options.end(), knobs.axis) != axis.options.end();
  std::string name = known || axes.empty() ? knobs.axis : "all";
  const std::string before = name;
  fields.choice(axis, name);
  if (name != before) knobs.axis = name;
  fields.choice({.key = "similarity.colours", .options = {"full", "fitted"}, .initial = initial.colours},
                knobs.colours);
  ChoiceField against{.key = "similarity.against",
                      .options = entry_names(all_layouts()),
                      .initial = initial.against,
                      .labels = "layout.name"};
  against.options.insert(against.options.begin(), "none");
  fields.choice(against, knobs.against);
  fields.range({.key = "similarity.row_range"}, knobs.row_range);
  fields.range({.key = "similarity.column_range"}, knobs.column_range);
  fields.range({.key = "similarity.profile_range"}, knobs.profile_range);
  fields.range({.key = "similarity.value_range"}, knobs.value_range);
}

}  // namespace ropescope
