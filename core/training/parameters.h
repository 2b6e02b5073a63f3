#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/training/positions.h"

namespace ropescope {

/// One named block of a model's parameters, by rows; a vector has one row.
struct ParameterBlock {
  std::string name;  ///< "layer 1 query, key, value weights": as files name it, "layers.0.qkv.weight"
  std::int64_t offset = 0, rows = 0, columns = 0;
  double spread = 0;    ///< standard deviation at the beginning
  double middle = 0;    ///< mean at the beginning
  bool decays = false;  ///< weight decay: matrices only
  std::int64_t count() const { return rows * columns; }
};

/// Where each parameter stands in one array. Weights are [in × out], y = x·W + b.
struct LayerOffsets {
  std::int64_t norm_gain, norm_shift, qkv, qkv_bias, out, out_bias;
  std::int64_t mlp_gain, mlp_shift, up, up_bias, down, down_bias;
};
struct ParameterLayout {
  std::vector<ParameterBlock> blocks;
  std::int64_t tokens = 0, positions = 0, gain = 0, shift = 0, total = 0;
  std::vector<LayerOffsets> layers;
};

/// tokens [vocabulary × width] (input and, tied, output), positions (PositionTables::trained), the layers, the last
/// norm.
ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables);

/// Where training begins, from the seed: token and learned position vectors N(0, 1/width), weights N(0, 1/in), those
/// that end a branch divided by √(2·layers), T5's query weights by √d as well (its scores have no scale), gains 1,
/// KERPLE's r₁ = r₂ = 1, all else 0. Models that differ in nothing but their encoding begin with the same weights.
template <class Cell>
void put_initial(const ParameterLayout& layout, const ModelShape& shape, const PositionTables& tables,
                 std::uint64_t seed, Cell* parameters);

}  // namespace ropescope
