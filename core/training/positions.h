#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/encodings/encoding.h"

namespace ropescope {

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

/// What of an encoding is trained, one set for all layers.
enum class TrainedPositions {
  none,
  vectors,  ///< a vector per position, added to the tokens: [length × width]
  buckets,  ///< T5: a number per head and bucket of distances: [heads × buckets]
  kerple    ///< ln r₁ and ln r₂ of each head: [heads × 2]; r stays positive
};

/// An encoding of the registry as tables for sequences of up to `length` tokens. Everything that is not trained follows
/// from it, so that a base may change, or a sequence grow, under trained weights.
struct PositionTables {
  std::string encoding;
  int length = 0;
  double scale = 1;  ///< of q·k: 1/√d, T5 1
  TrainedPositions trained = TrainedPositions::none;
  std::int64_t trained_rows = 0, trained_columns = 0;
  std::vector<double> vectors;  ///< [length × width], added to the tokens' vectors; empty: none
  std::vector<double> biases;   ///< [heads × (2·length − 1)], by m − n + length − 1; empty: none
  std::vector<int> bucket;      ///< the same distances' buckets
  // Rotations: what pair i of a query at m is turned by, c₀ = x₀ cos − x₁ sin; [length × pairs], damping and amplitude
  // multiplied in; those of keys differ for xPos.
  int pairs = 0;
  bool half_split = false;
  std::vector<double> query_cosine, query_sine, key_cosine, key_sine;
};

/// Tables of an encoding for a model. `settings` gives what the encoding looks at beside the model's own sizes: base,
/// ladder, p, clip, …. The numbers are those of EncodingModel::values. Throws InputError where the encoding cannot be
/// trained here, with the reason: its positions meet the content inside each score (Shaw, Transformer-XL, DeBERTa,
/// TUPE); a bias by linear attention, whose weights are no softmax; xPos where later keys are seen; a learned table
/// past its rows.
PositionTables position_tables(const Encoding& encoding, EncodingSettings settings, const ModelShape& shape,
                               int length);

}  // namespace ropescope
