// The view Weights: norms of pairs, shares and kernels of a checkpoint's query and key weights. registry.cpp registers
// kWeightsView. Read app/resources/weights.h first.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "app/resources/weights.h"
#include "app/views/view.h"
#include "core/weights/weights.h"

namespace ropescope {

/// The numbers of one layer that the view shows.
struct WeightsLayer {
  int layer = 0;
  WeightRope rope;
  Eigen::MatrixXd norms;  ///< [heads × pairs] pair_norms()
  /// Content per head from the biases, else from the norm weights; empty: neither.
  std::vector<std::optional<WeightContent>> contents;
  KernelOf of = {};
};

/// The numbers of a whole checkpoint.
struct WeightsOverview {
  std::vector<WeightsLayer> layers;  ///< in ascending order
  double seconds = 0;
  std::size_t bytes() const;
};
/// The key of an overview: it changes with the files.
struct WeightsInput {
  WeightsName name;
  std::vector<FileStamp> files;
  bool operator==(const WeightsInput&) const = default;
};
/// Reads all layers. Throws InputError as load_weights() and row_norms() do.
WeightsOverview weights_overview(const WeightsInput& input, const Work& work);

/// Returns the layer with this number; if there is none, the nearest earlier one, or the first. Precondition: there is
/// a layer.
const WeightsLayer& layer_of(const WeightsOverview& overview, double number);

/// Map over layers and pairs, profile of a head, kernel, and cards.
extern const View kWeightsView;

}  // namespace ropescope
