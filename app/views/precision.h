// The view Precision: what number formats do to a rotation. Keys say what the store computes for it; kPrecisionView
// is what view.cpp lists. Read view.h and app/store/store.h before.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/precision/precision.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// What one policy does at the sampled positions. NaN where its format overflows.
struct PolicyCurves {
  const PrecisionPolicy* policy = nullptr;
  std::shared_ptr<const Series> error;        ///< PrecisionError::max_abs by position
  std::shared_ptr<const Series> score_error;  ///< PrecisionError::score by position
  std::shared_ptr<const Series> shifted;      ///< score with the key at the position, the query `distance` further on
  double unshifted = 0;                       ///< that score with the key at 0
  double error_at_length = 0;                 ///< PrecisionError::max_abs at the length asked about
};

struct PrecisionCurves {
  std::vector<PolicyCurves> policies;
  double exact_score = 0;  ///< of two tokens at the distance, in float64
  std::size_t positions = 0;
  double seconds = 0;  ///< what it took
  std::size_t bytes() const { return 6 * policies.size() * positions * sizeof(double); }
};

/// Whole positions from 1 to `span`: about 400 at equal ratios, and each power of two with its neighbours, where
/// formats begin to skip positions. Ascending, without repetitions. Precondition: span ≥ 1.
std::vector<double> sampled_positions(double span);

/// Everything the curves depend on.
struct PrecisionInput {
  std::vector<const PrecisionPolicy*> policies;
  KeyVector frequencies;
  double span = 0;      ///< last position
  double distance = 0;  ///< between query and key while both are shifted
  double length = 0;    ///< position that is asked about

  bool operator==(const PrecisionInput&) const = default;
};
PrecisionCurves precision_curves(const PrecisionInput& input, const Work& work);

// --- View ----------------------------------------------------------------------------------------------------------

/// What number formats do to the first rope that is not hidden: the largest error of the cosines
/// by position, one line per chosen policy, with rules where neighbouring positions become the same number; under it
/// the error of the score, or the score of two tokens at a fixed distance while both are shifted.
extern const View kPrecisionView;

}  // namespace ropescope
