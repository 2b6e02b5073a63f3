// The parameters of a small model: where each stands, how it begins, and the tables of positions that it reads. Begin
// reading training here; piece.h computes with them, trainer.h trains them.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "core/encodings/encoding.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

/// How large a model is, and how it looks around. Widths are channels; every head has width / heads of them.
struct ModelShape {
  int vocabulary = 256;
  int layers = 2, width = 64, heads = 4;
  int length = 128;               ///< T: tokens of a sequence it is trained on
  bool causal = true;             ///< no token sees later ones
  bool linear_attention = false;  ///< RoFormer eq. 17–19 with φ = elu + 1, else softmax
  bool random_features = false;   ///< of linear attention: Performer's φ instead, see CellTables::directions
  bool operator==(const ModelShape&) const = default;
  int head_width() const { return width / heads; }
};
/// Throws InputError where a size is out of its range, or the width is no multiple of twice the heads.
void validate(const ModelShape& shape);

/// An encoding of the registry as tables for sequences of up to `length` tokens. Everything that is not trained follows
/// from it, so that a base may change, or a sequence grow, under trained weights.
struct PositionTables {
  std::string encoding;
  int length = 0;
  double scale = 1;  ///< of q·k: 1/√d, T5 1
  Training training = Training::nothing;
  std::int64_t trained_rows = 0, trained_columns = 0;  ///< of what is trained, one set for all layers; 0: nothing is
  std::vector<double> vectors;                         ///< [length × width], added to the tokens' vectors; empty: none
  std::vector<double> biases;  ///< [heads × (2·length − 1)], by m − n + length − 1; empty: none
  std::vector<int> bucket;     ///< the same distances' buckets
  // Rotations: what pair i of a query at m is turned by, c₀ = x₀ cos − x₁ sin; [length × pairs], damping and amplitude
  // multiplied in; those of keys differ for xPos.
  int pairs = 0;
  bool half_split = false;
  std::vector<double> query_cosine, query_sine, key_cosine, key_sine;
};

/// Tables of an encoding for a model. `fields` gives what the encoding looks at beside the model's own sizes: base,
/// ladder, p, clip, …. The numbers are those of EncodingModel::values. Throws InputError where the encoding cannot be
/// trained here, with the reason: its positions meet the content inside each score (Shaw, Transformer-XL, DeBERTa,
/// TUPE); a bias by linear attention, whose weights are no softmax; xPos where later keys are seen; a learned table
/// past its rows.
PositionTables position_tables(const Encoding& encoding, EncodingValues settings, const ModelShape& shape, int length);

// --- Parameters ----------------------------------------------------------------------------------------------------

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

/// tokens [vocabulary × width] (input and, tied, output), positions (Training), the layers, the last
/// norm.
ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables);

/// Where training begins, from the seed: token and learned position vectors N(0, 1/width), weights N(0, 1/in), those
/// that end a branch divided by √(2·layers), T5's query weights by √d as well (its scores have no scale), gains 1,
/// KERPLE's r₁ = r₂ = 1, all else 0. Models that differ in nothing but their encoding begin with the same weights.
template <class Cell>
void put_initial(const ParameterLayout& layout, const ModelShape& shape, const PositionTables& tables,
                 std::uint64_t seed, Cell* parameters);

// --- Random numbers ------------------------------------------------------------------------------------------------

/// FNV-1a: a number made of all bytes of a text, the same everywhere.
constexpr std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Random numbers by counting (splitmix64, Steele et al. 2014): what a stream gives follows from its keys alone, so
/// that a batch of a step can be made again without the steps before it.
class RandomStream {
 public:
  explicit RandomStream(std::initializer_list<std::uint64_t> keys) {
    for (const std::uint64_t key : keys) state_ = mixed(state_ ^ (key + kStep));
  }
  std::uint64_t bits() { return mixed(state_ += kStep); }
  /// A number in [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// 0 … count − 1; count at most 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((bits() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  /// A number of a normal distribution with mean 0 and variance 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 0;
};

}  // namespace ropescope
