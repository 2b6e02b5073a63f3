#include "core/training/parameters.h"

#include <cmath>

#include "core/training/random.h"

namespace ropescope {

namespace {

class Builder {
 public:
  explicit Builder(ParameterLayout& layout) : layout_(layout) {}

  std::int64_t weights(const std::string& name, std::int64_t rows, std::int64_t columns, double spread) {
    return add({name, 0, rows, columns, spread, 0, true});
  }
  std::int64_t vector(const std::string& name, std::int64_t count, double middle) {
    return add({name, 0, 1, count, 0, middle, false});
  }
  std::int64_t add(ParameterBlock block) {
    block.offset = layout_.total;
    layout_.total += block.count();
    layout_.blocks.push_back(std::move(block));
    return layout_.blocks.back().offset;
  }

 private:
  ParameterLayout& layout_;
};

/// The same name has the same numbers in every model: FNV-1a.
std::uint64_t key_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables) {
  ParameterLayout layout;
  Builder builder(layout);
  const std::int64_t width = shape.width, wide = 4 * width;
  const double spread = 1 / std::sqrt(static_cast<double>(width));
  const double last = 1 / std::sqrt(2.0 * shape.layers);
  layout.tokens = builder.weights("tokens.weight", shape.vocabulary, width, spread);
  const bool vectors = tables.trained == TrainedPositions::vectors;
  layout.positions =
      builder.add({"positions", 0, tables.trained_rows, tables.trained_columns, vectors ? spread : 0, 0, false});
  for (int i = 0; i < shape.layers; ++i) {
    const std::string name = "layers." + std::to_string(i) + ".";
    LayerOffsets at{};
    at.norm_gain = builder.vector(name + "attention_norm.weight", width, 1);
    at.norm_shift = builder.vector(name + "attention_norm.bias", width, 0);
    at.qkv = builder.weights(name + "qkv.weight", width, 3 * width, spread);
    at.qkv_bias = builder.vector(name + "qkv.bias", 3 * width, 0);
    at.out = builder.weights(name + "out.weight", width, width, spread * last);
    at.out_bias = builder.vector(name + "out.bias", width, 0);
    at.mlp_gain = builder.vector(name + "mlp_norm.weight", width, 1);
    at.mlp_shift = builder.vector(name + "mlp_norm.bias", width, 0);
    at.up = builder.weights(name + "up.weight", width, wide, spread);
    at.up_bias = builder.vector(name + "up.bias", wide, 0);
    at.down = builder.weights(name + "down.weight", wide, width, spread / 2 * last);
    at.down_bias = builder.vector(name + "down.bias", width, 0);
    layout.layers.push_back(at);
  }
  layout.gain = builder.vector("norm.weight", width, 1);
  layout.shift = builder.vector("norm.bias", width, 0);
  return layout;
}

template <class Cell>
void put_initial(const ParameterLayout& layout, const ModelShape& shape, const PositionTables& tables,
                 std::uint64_t seed, Cell* parameters) {
  for (const ParameterBlock& block : layout.blocks) {
    RandomStream random{seed, key_of(block.name)};
    Cell* const to = parameters + block.offset;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      to[i] = static_cast<Cell>(block.middle + (block.spread > 0 ? block.spread * random.normal() : 0));
    }
  }
  // Without a scale the scores would begin √d times as wide.
  if (tables.scale < 1) return;
  const auto factor = static_cast<Cell>(1 / std::sqrt(static_cast<double>(shape.head_width())));
  for (const LayerOffsets& layer : layout.layers) {
    for (std::int64_t row = 0; row < shape.width; ++row) {
      Cell* const query = parameters + layer.qkv + row * 3 * shape.width;
      for (int i = 0; i < shape.width; ++i) query[i] *= factor;
    }
  }
}

template void put_initial(const ParameterLayout&, const ModelShape&, const PositionTables&, std::uint64_t, float*);
template void put_initial(const ParameterLayout&, const ModelShape&, const PositionTables&, std::uint64_t, double*);

}  // namespace ropescope
