#pragma once

#include <Eigen/Core>
#include <string>

#include "app/views/shared/cards.h"

namespace ropescope {

/// What a rope was trained on.
struct TrainedPairs {
  double length = 0;                        ///< 0: unknown
  const Eigen::VectorXd* ladder = nullptr;  ///< see trained_frequencies; none: there is no such rope
};

/// Of a rope on screen; none: an empty one.
template <class Of>
TrainedPairs trained_pairs(const Of* of) {
  return of ? TrainedPairs{of->shown.rope->trained_length, &of->trained} : TrainedPairs{};
}

/// VIEW.unseen: pairs that finish no turn in the trained length.
Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned, const Text& text);
/// VIEW.critical: channels of the pairs that do.
Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text);

}  // namespace ropescope
