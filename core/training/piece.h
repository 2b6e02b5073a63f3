// Forward and backward pass of part of a batch: loss and gradient. Read parameters.h first. Matrix products are in
// multiply.h, elementwise operations in elementwise.h; a trainer (race.h) splits a batch into pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "core/training/elementwise.h"
#include "core/training/multiply.h"
#include "core/training/parameters.h"

namespace ropescope {

/// Position tables in a model's cell type, with the current values of its trained numbers.
template <class Cell>
struct CellTables {
  explicit CellTables(const PositionTables& tables, const ModelShape& shape);
  /// Updates `vectors` and `biases` from the trained parameters; called before every step.
  void take(const ParameterLayout& layout, const Cell* parameters);
  /// Adds the gradient with respect to `biases` to the gradient with respect to the parameters from which they are
  /// computed.
  void add_bias_gradient(const ParameterLayout& layout, const Cell* parameters, const Cell* d_biases,
                         Cell* gradient) const;

  PositionTables from;
  int heads, width;
  std::vector<Cell> vectors;  ///< [length × width], added to the tokens; empty: none
  std::vector<Cell> biases;   ///< [heads × (2·length − 1)]; empty: none
  std::vector<Cell> query_cosine, query_sine, key_cosine, key_sine;
  /// ω/d^¼ of Performer's features, as many as a head has channels, the same for all heads and layers
  /// (random_directions with seed 1); empty: elu + 1.
  std::vector<Cell> directions;
};

/// Replaces the queries and keys of a token [2·width] by φ of linear attention.
template <class Cell>
void take_features(const CellTables<Cell>& tables, const ModelShape& shape, Cell* query);

/// Forward and backward pass for whole sequences of a batch. The constructor allocates all memory.
template <class Cell>
class Piece {
 public:
  /// `packed`: weights that the caller packs before every forward(), once for all pieces; if null, the piece packs them
  /// itself.
  Piece(const ModelShape& shape, const ParameterLayout& layout, int sequences, int length,
        const PackedWeights<Cell>* packed = nullptr);
  /// Returns an upper limit of the number of cells needed.
  static std::int64_t cells_required(const ModelShape& shape, int sequences, int length);

  /// Runs as many sequences as `tokens` contains, up to the capacity. Returns the sum of the losses in nats over all
  /// targets ≥ 0 (the others are not predicted); losses() receives the loss of each token. `weight` is the factor of
  /// each loss in the gradient of backward(). Tokens, targets: [sequences × length]. All results are invalid after a
  /// halt.
  double forward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                 std::span<const std::int32_t> targets, Cell weight, const Halt& halt = {});
  std::span<const double> losses() const { return losses_; }
  /// Writes the gradient of the weighted sum of losses to `gradient` [ParameterLayout::total].
  void backward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                Cell* gradient, const Halt& halt = {});

  /// Returns a layer's queries and keys as used in the scores, and its values, [sequences · length × 3·width], from the
  /// last forward().
  std::span<const Cell> queries_keys_values(int layer) const;

 private:
  struct Layer {
    Cell *hat, *inverse, *qkv, *weights, *context, *mlp_hat, *mlp_inverse;
    Cell *raised, *bent;  // input of GELU, later its slope there; output of GELU
    Cell *phi, *sums;     // linear attention: φ(q), φ(k) [n × 2·width] unrotated; denominators [n × heads]
    Cell* asked;          // random features: q, k before φ [n × 2·width]
  };
  /// The arguments of a pass, needed by all its parts.
  struct Way {
    const Cell* parameters;
    const CellTables<Cell>& tables;
    const Halt& halt;
    Cell* gradient;
  };
  using Rows = RowRange;
  struct Head {  // within a sequence
    std::int64_t sequence, head;
  };
  struct Norm {  // its parameters, and the values it keeps
    std::int64_t gain, shift;
    Cell *hat, *inverse;
  };

  bool embed(const Way& way, std::span<const std::int32_t> tokens);
  bool forward_layer(const Way& way, std::size_t index);
  bool bend(const Way& way, std::size_t index);
  double compare(const Way& way, std::span<const std::int32_t> targets, Cell weight);
  bool compare_backward(const Way& way);
  bool bend_backward(const Way& way, std::size_t index);
  bool backward_layer(const Way& way, std::size_t index);
  void embed_backward(const Way& way, std::span<const std::int32_t> tokens);
  bool weight_gradient(const Way& way, Rows rows, const Cell* x, std::int64_t in, const Cell* d, std::int64_t out,
                       std::int64_t weights, std::int64_t bias);
  NormRows<Cell> norm(const Way& way, const Norm& norm, Rows rows) const;
  void norm_backward(const Way& way, const Norm& norm, Rows rows);

  bool attend(const Way& way, const Layer& layer);
  bool attend_head(const Way& way, const Layer& layer, Head at);
  bool attend_backward(const Way& way, const Layer& layer);
  bool attend_head_backward(const Way& way, const Layer& layer, Head at);
  void weigh(const Way& way, Cell* weights, std::int64_t head, Rows rows) const;
  void weigh_backward(const Way& way, const Cell* weights, std::int64_t head, Rows rows);
  void turn(const Way& way, Cell* qkv, Rows rows, bool back) const;
  void keep_features(const Way& way, const Layer& layer, Rows rows) const;
  void divide_context(const Layer& layer, Rows rows) const;
  void divide_backward(const Layer& layer, Rows rows);
  void features_backward(const Way& way, const Layer& layer, Rows rows) const;
  std::int64_t last_seen(Rows rows) const { return shape_.causal ? rows.begin + rows.count : length_; }
  Cells<Cell> part(Cell* qkv, Head at, int which) const;

  ModelShape shape_;
  const ParameterLayout& layout_;
  std::unique_ptr<PackedWeights<Cell>> own_;
  const PackedWeights<Cell>* packed_;
  Multiplier<Cell> multiply_;
  int sequences_, length_;
  std::int64_t rows_, predicted_ = 0;
  std::vector<Cell> cells_;
  std::vector<Layer> layers_;
  std::vector<std::int64_t> chosen_;  // rows with a target
  std::vector<double> losses_;
  Cell *x_, *normed_, *hat_, *inverse_, *picked_, *logits_, *d_x_, *d_normed_, *d_wide_, *d_context_, *d_weights_,
      *d_biases_, *room_;
};

}  // namespace ropescope
