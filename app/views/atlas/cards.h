#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/atlas/inputs.h"

namespace ropescope {

/// The rows of the map that are looked at, and what they are called: "position 16", or a word.
struct AtlasRows {
  std::int64_t kept = 0, pointed = 0;  ///< equal where the mouse is elsewhere
  std::int64_t other = 0;              ///< what the kept one is compared with: the pointed one, or a neighbour
  std::string kept_name, pointed_name, other_name;
};

/// How many pairs move, and how alike two rows are: the kept one and the other one.
std::vector<Readout> atlas_readouts(const Atlas& atlas, const AtlasRows& rows, const Text& text);

}  // namespace ropescope
