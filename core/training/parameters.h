// The parameters of a small model: their layout, initial values, and the position tables it uses. Start here for
// training; piece.h computes with them, race.h trains them.
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

/// The size of a model and its kind of attention. Widths are in channels; every head has width / heads channels.
struct ModelShape {
  int vocabulary = 256;
  int layers = 2, width = 64, heads = 4;
  int length = 128;               ///< T: tokens per training sequence
  bool causal = true;             ///< later tokens are masked
  bool linear_attention = false;  ///< RoFormer eq. 17–19 with φ = elu + 1, else softmax
  bool random_features = false;   ///< for linear attention: Performer's φ instead, see CellTables::directions
  bool operator==(const ModelShape&) const = default;
  int head_width() const { return width / heads; }
};
/// Throws InputError if a size is out of range or the width is not a multiple of twice the heads.
void validate(const ModelShape& shape);

/// An encoding of the registry as tables for sequences of up to `length` tokens. All untrained numbers are derived from
/// it, so the base or the length may change while the trained weights stay.
struct PositionTables {
  std::string encoding;
  int length = 0;
  double scale = 1;  ///< of q·k: 1/√d, T5 1
  Training training = Training::nothing;
  std::int64_t trained_rows = 0, trained_columns = 0;  ///< size of the trained numbers, shared by all layers; 0: none
  std::vector<double> vectors;                         ///< [length × width], added to the token vectors; empty: none
  std::vector<double> biases;  ///< [heads × (2·length − 1)], by m − n + length − 1; empty: none
  std::vector<int> bucket;     ///< buckets of the same distances
  // Rotations: cos and sin for pair i of a query at m, c₀ = x₀ cos − x₁ sin; [length × pairs], including damping and
  // amplitude. The keys' tables differ for xPos.
  int pairs = 0;
  bool half_split = false;
  std::vector<double> query_cosine, query_sine, key_cosine, key_sine;
};

/// Returns the tables of an encoding for a model. `settings` contains the fields that are not the model's own sizes:
/// base, ladder, p, clip, …. The numbers equal EncodingModel::values. Throws InputError with the reason if the encoding
/// cannot be trained here: positions interact with content in each score (Shaw, Transformer-XL, DeBERTa, TUPE); a bias
/// with linear attention, whose weights are not a softmax; xPos without a causal mask; a learned table past its rows.
PositionTables position_tables(const Encoding& encoding, EncodingValues settings, const ModelShape& shape, int length);

// --- Parameters ----------------------------------------------------------------------------------------------------

/// One named block of a model's parameters, row-major; a vector has one row.
struct ParameterBlock {
  std::string name;  ///< name in files, such as "layers.0.qkv.weight"
  std::int64_t offset = 0, rows = 0, columns = 0;
  double spread = 0;    ///< initial standard deviation
  double middle = 0;    ///< initial mean
  bool decays = false;  ///< whether weight decay applies: matrices only
  std::int64_t count() const { return rows * columns; }
};

/// Offsets of a layer's parameters in one array. Weights are [in × out], y = x·W + b.
struct LayerOffsets {
  std::int64_t norm_gain, norm_shift, qkv, qkv_bias, out, out_bias;
  std::int64_t mlp_gain, mlp_shift, up, up_bias, down, down_bias;
};
struct ParameterLayout {
  std::vector<ParameterBlock> blocks;
  std::int64_t tokens = 0, positions = 0, gain = 0, shift = 0, total = 0;
  std::vector<LayerOffsets> layers;
};

/// Returns the layout: tokens [vocabulary × width] (input and, tied, output), positions (Training), the layers, the
/// last norm.
ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables);

/// Sets the initial values from the seed: token and learned position vectors N(0, 1/width), weights N(0, 1/in), divided
/// by √(2·layers) at the end of a branch, T5's query weights also by √d (its scores have no scale), gains 1, KERPLE's
/// r₁ = r₂ = 1, all others 0. Models that differ only in encoding have equal initial weights.
template <class Cell>
void put_initial(const ParameterLayout& layout, const ModelShape& shape, const PositionTables& tables,
                 std::uint64_t seed, Cell* parameters);

// --- Random numbers ------------------------------------------------------------------------------------------------

/// Returns the FNV-1a hash of a string, identical on every machine.
constexpr std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// A counter-based random generator (splitmix64, Steele et al. 2014). A stream depends only on its keys, so the batch
/// of a step can be reproduced without the previous steps.
class RandomStream {
 public:
  explicit RandomStream(std::initializer_list<std::uint64_t> keys) {
    for (const std::uint64_t key : keys) state_ = mixed(state_ ^ (key + kStep));
  }
  std::uint64_t bits() { return mixed(state_ += kStep); }
  /// Returns a number in [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Returns an integer in 0 … count − 1; count at most 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((bits() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  /// Returns a normally distributed number with mean 0 and variance 1 (Box and Muller).
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
