#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/training/elementwise.h"
#include "core/training/multiply.h"
#include "core/training/parameters.h"

namespace ropescope {

/// Tables in a model's own cells, and what its trained numbers make of them at the moment.
template <class Cell>
struct CellTables {
  explicit CellTables(const PositionTables& tables, const ModelShape& shape);
  /// Puts what is trained into `vectors` and `biases`: before every step.
  void take(const ParameterLayout& layout, const Cell* parameters);
  /// Adds the gradient by `biases` to that by the numbers that they were made of.
  void add_bias_gradient(const ParameterLayout& layout, const Cell* parameters, const Cell* d_biases,
                         Cell* gradient) const;

  PositionTables from;
  int heads, width;
  std::vector<Cell> vectors;  ///< [length × width], what is added to the tokens; empty: nothing
  std::vector<Cell> biases;   ///< [heads × (2·length − 1)]; empty: none
  std::vector<Cell> query_cosine, query_sine, key_cosine, key_sine;
};

/// Some whole sequences of a batch on their way through the model and back. All room is taken once, by the constructor.
template <class Cell>
class Piece {
 public:
  Piece(const ModelShape& shape, const ParameterLayout& layout, int sequences, int length);
  /// An upper limit of the room that it takes.
  static std::int64_t cells_wanted(const ModelShape& shape, int sequences, int length);

  /// As many sequences as tokens say, at most those that there is room for. The sum of the losses in nats over all
  /// targets ≥ 0 (others are not predicted); every loss by itself is put into losses() at its token. `weight` is what
  /// each counts in the gradient that backward() is of. Tokens, targets: [sequences × length].
  double forward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                 std::span<const std::int32_t> targets, Cell weight);
  std::span<const double> losses() const { return losses_; }
  /// gradient [ParameterLayout::total] = that of the weighted sum of losses.
  void backward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                Cell* gradient);

  /// Queries and keys of a layer as the scores met them, [sequences · length × 3·width] with the values: those of the
  /// last forward().
  std::span<const Cell> queries_keys_values(int layer) const;

 private:
  struct Layer {
    Cell *hat, *inverse, *qkv, *weights, *context, *mlp_hat, *mlp_inverse, *raised, *bent;
    Cell *phi, *sums;  // linear attention: φ(q), φ(k) [n × 2·width] unrotated; denominators [n × heads]
  };
  void attend(const Layer& layer, const CellTables<Cell>& tables);
  void attend_backward(const Layer& layer, const CellTables<Cell>& tables);
  void turn(const CellTables<Cell>& tables, Cell* qkv, bool back) const;
  void keep_features(const Layer& layer) const;
  void divide_context(const Layer& layer) const;
  void divide_backward(const Layer& layer);
  void features_backward(const Layer& layer) const;
  NormRows<Cell> norm(const Cell* parameters, std::int64_t gain, std::int64_t shift, Cell* hat, Cell* inverse) const {
    return {rows_, shape_.width, parameters + gain, parameters + shift, hat, inverse};
  }
  void weight_gradient(const Cell* x, std::int64_t in, const Cell* d, std::int64_t out, Cell* weights, Cell* bias);

  ModelShape shape_;
  const ParameterLayout& layout_;
  Multiplier<Cell> multiply_;
  int sequences_, length_;
  std::int64_t rows_, predicted_ = 0;
  std::vector<Cell> cells_;
  std::vector<Layer> layers_;
  std::vector<std::int64_t> chosen_;  // rows that are predicted
  std::vector<double> losses_;
  Cell *x_, *normed_, *hat_, *inverse_, *picked_, *logits_, *d_x_, *d_normed_, *d_wide_, *d_context_, *d_weights_,
      *d_biases_, *room_;
};

}  // namespace ropescope
