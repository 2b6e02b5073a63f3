// Pictures of the view Rotation as figures of numbers: the forms of the rotation (matrix, complex numbers, elementwise,
// columns, two versions of FLUX's code), and the weights before it. Read view.h first for the sheet.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/rotation/view.h"

namespace ropescope {

/// A token x in two channels, projected to a query or key W x, then rotated to R_m W x (RoFormer eq. 13).
struct RotationWeights {
  Eigen::Matrix2d weights, turn;  ///< W; amplitude · R_m of the pair
  Eigen::Vector2d x, projected, turned;
};
RotationWeights rotation_weights(const RotationState& state);
/// Draw both products as numbers, and the three vectors in the plane, where x can be dragged (handle "x").
Figure products_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);
Figure plane_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);

/// Draw the four forms, and two versions of FLUX's code: each with x, its rotation, and the result.
Figure matrix_figure(const RotationForms& forms, const Text& text);
Figure complex_figure(const RotationForms& forms, const Text& text);
Figure elements_figure(const RotationForms& forms, const Text& text);
Figure columns_figure(const RotationForms& forms, const Text& text);
Figure stack_figure(const RotationForms& forms, const Text& text);
Figure blocks_figure(const RotationForms& forms, const Text& text);

/// Returns the cards of the weights.
std::vector<Readout> weights_readouts(const RotationWeights& weights, const Text& text);

}  // namespace ropescope
