#include <utility>

#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, FacetKnobs& knobs) {
  fields.group("facets");
  // Asked for from the menu of a knob; then there is something to edit, or to clear.
  const bool control = !knobs.across.empty() || !knobs.down.empty();
  fields.text({.key = "facet.across", .control = control}, knobs.across);
  fields.text({.key = "facet.down", .control = control}, knobs.down);
}

void describe(Fields& fields, CurveKnobs& knobs, std::size_t pins) {
  static const CurveKnobs initial;
  fields.group("pinned");
  std::vector<std::string> ropes{"current"};
  for (std::size_t pin = 0; pin < pins; ++pin) ropes.push_back(pin_key(pin));
  fields.choice({.key = "curves.shown_as",
                 .options = {"values", "difference", "ratio"},
                 .initial = initial.shown_as,
                 .control = pins > 0},
                knobs.shown_as);
  fields.choice({.key = "curves.relative_to",
                 .options = std::move(ropes),
                 .initial = initial.relative_to,
                 .control = pins > 0 && knobs.shown_as != "values"},
                knobs.relative_to);
}

}  // namespace ropescope
