#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/attention/layers.h"
#include "core/row_matrix.h"

namespace ropescope {

/// What is known of every layer and side; a layer that is still to be computed is null.
struct KnownLayers {
  std::vector<std::vector<std::shared_ptr<const MeansOfLayer>>> sides;  ///< [sides][layers]
  std::size_t finished = 0, parts = 0;
};
KnownLayers known_layers(const LayersShown& shown);

/// A map over layers (downwards, by their numbers) and pairs or heads.
struct LayerMap {
  std::string name;                 ///< of the figure
  std::string title, label;         ///< above it, and beside the bar
  std::string across = "pair";      ///< or "head": columns, counted from 0 or from 1
  RowMatrixXd numbers;              ///< [shown.layers × columns], NaN where not known
  bool is_signed = false;           ///< a difference: colours on both sides of 0
  std::optional<double> most = {};  ///< the colours end there; none: at the largest size
};
Figure layer_map_figure(const LayersShown& shown, const LayerMap& map);

/// Of one layer in shares of all (percent) by pair.
Eigen::VectorXd percent_by_pair(const MeansOfLayer& layer);

/// Cards: who carries the energy, how much of it points one way, and what two sides differ by.
std::vector<Readout> layers_readouts(const LayersShown& shown, const KnownLayers& known);
std::vector<Readout> directions_readouts(const LayersShown& shown, const std::vector<LayerMeans>& sides,
                                         std::size_t head);

}  // namespace ropescope
