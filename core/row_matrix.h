#pragma once

#include <Eigen/Core>

namespace ropescope {

/// Row by row in memory, as files and other people's tensors are: rows are tokens (or positions, or queries), columns
/// are channels (or keys, or pairs).
template <class Cell>
using RowMatrix = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrixXd = RowMatrix<double>;

}  // namespace ropescope
