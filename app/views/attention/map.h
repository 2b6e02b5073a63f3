#pragma once

#include <memory>
#include <string>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"

namespace ropescope {

/// Attention weights as a map needs them: keys to the right, queries downwards.
struct WeightsPicture {
  std::shared_ptr<const RowMatrix<float>> weights;  ///< [queries × keys]
  std::shared_ptr<const MapCells> cells;            ///< NaN where a key is left out; reduced beyond MapCells::kMost
  double shown = 1;                                 ///< the colours end at this size
  bool is_signed = false;                           ///< some weights are negative
  bool causal = false;
};

/// Share of the weights whose size the colours tell apart: a few large ones would leave all others dark.
inline constexpr double kShownShare = 0.995;

/// Prepares the cells. Of a causal matrix the keys after the query are left empty: they are no weights.
WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal);

/// The map with its axes. `name` is the figure's; ranges are all of the data.
Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text);

}  // namespace ropescope
