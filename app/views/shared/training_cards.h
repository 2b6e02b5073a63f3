#pragma once

#include <Eigen/Core>
#include <string>

#include "app/views/shared/cards.h"

namespace ropescope {

/// What a rope was trained on.
struct TrainedPairs {
  double length = 0;                        ///< 0: unknown
  const Eigen::VectorXd* ladder = nullptr;  ///< see trained_frequencies; none: there is no such rope
  const Eigen::VectorXd* in_use = nullptr;  ///< under the extension; its count is said where it is another
};

/// Of a rope on screen; none: an empty one.
template <class Of>
TrainedPairs trained_pairs(const Of* of, const Eigen::VectorXd* in_use = nullptr) {
  return of ? TrainedPairs{of->shown.rope->trained_length, &of->trained, in_use} : TrainedPairs{};
}

/// What stands behind a count of such pairs: how many stand still, and what the ladder in use would count.
std::string beside_unfinished(const TrainedPairs& of, const Text& text);
/// VIEW.unseen: pairs that finish no turn in the trained length.
Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned, const Text& text);
/// VIEW.critical: channels of the pairs that do.
Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text);

}  // namespace ropescope
