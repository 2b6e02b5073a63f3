#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/experiment/facets.h"
#include "app/resources/text.h"
#include "app/views/shared/facet_panels.h"
#include "app/views/view.h"

namespace ropescope {

/// A direction of small multiples whose knob the view does not look at.
struct IdleFacet {
  bool down = false;
  std::string why;  ///< the knob, and the one that stands in its place in this view: "rope.base … layout.base"
};

/// The first such direction: the view offers no control for its knob in any cell, and all cells along it are alike,
/// curves, maps and cards. None while a cell is being computed or cannot be drawn. `cells` row by row, as drawn.
std::optional<IdleFacet> find_idle_facet(const View& view, const std::vector<Experiment>& cells,
                                         const std::vector<FacetCell>& drawn, const FacetPair& pair, const Text& text);

}  // namespace ropescope
