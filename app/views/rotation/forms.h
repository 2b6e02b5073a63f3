// The forms of the rotation (matrix, complex numbers, elementwise, columns, and two writings of FLUX's code), and the
// weights in front of it, as figures of numbers. Parts of the view Rotation, over the sheet of view.h.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/rotation/view.h"

namespace ropescope {

/// A token x in two channels on its way into a query or key: W x, then R_m W x (RoFormer eq. 13).
struct RotationWeights {
  Eigen::Matrix2d weights, turn;  ///< W; amplitude · R_m of the pair
  Eigen::Vector2d x, projected, turned;
};
RotationWeights rotation_weights(const RotationState& state);
/// The figures of both products in numbers, and of the three vectors in the plane, where x is dragged (handle "x").
Figure products_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);
Figure plane_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);

/// The four forms, and FLUX's code in two writings: each with x, what turns it, and the result.
Figure matrix_figure(const RotationForms& forms, const Text& text);
Figure complex_figure(const RotationForms& forms, const Text& text);
Figure elements_figure(const RotationForms& forms, const Text& text);
Figure columns_figure(const RotationForms& forms, const Text& text);
Figure stack_figure(const RotationForms& forms, const Text& text);
Figure blocks_figure(const RotationForms& forms, const Text& text);

/// The cards of the weights.
std::vector<Readout> weights_readouts(const RotationWeights& weights, const Text& text);

}  // namespace ropescope
