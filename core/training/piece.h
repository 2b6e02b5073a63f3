// Some sequences of a batch on their way through the model and back: loss and gradient. Read parameters.h first; the
// products stand in multiply.h, what lies between them in elementwise.h; trainer.h shares a batch among pieces.
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
  /// ω/d^¼ of Performer's features, as many as a head has channels, the same for all heads and layers
  /// (random_directions with seed 1); empty: elu + 1.
  std::vector<Cell> directions;
};

/// φ of linear attention takes the place of the queries and keys of a token [2·width].
template <class Cell>
void take_features(const CellTables<Cell>& tables, const ModelShape& shape, Cell* query);

/// Some whole sequences of a batch on their way through the model and back. All room is taken once, by the constructor.
template <class Cell>
class Piece {
 public:
  /// `packed`: the weights that somebody else packs before every forward(), once for all pieces; else it does so
  /// itself.
  Piece(const ModelShape& shape, const ParameterLayout& layout, int sequences, int length,
        const PackedWeights<Cell>* packed = nullptr);
  /// An upper limit of the room that it takes.
  static std::int64_t cells_wanted(const ModelShape& shape, int sequences, int length);

  /// Takes as many sequences as tokens say, at most those that there is room for. Returns the sum of the losses in nats
  /// over all targets ≥ 0 (others are not predicted); every loss by itself is put into losses() at its token. `weight`
  /// is what each counts in the gradient that backward() is of. Tokens, targets: [sequences × length]. Where it is
  /// halted, all of this means nothing.
  double forward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                 std::span<const std::int32_t> targets, Cell weight, const Halt& halt = {});
  std::span<const double> losses() const { return losses_; }
  /// gradient [ParameterLayout::total] = that of the weighted sum of losses.
  void backward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                Cell* gradient, const Halt& halt = {});

  /// Queries and keys of a layer as the scores met them, [sequences · length × 3·width] with the values: those of the
  /// last forward().
  std::span<const Cell> queries_keys_values(int layer) const;

 private:
  struct Layer {
    Cell *hat, *inverse, *qkv, *weights, *context, *mlp_hat, *mlp_inverse;
    Cell *raised, *bent;  // what GELU bends, from then on its slope there; what it makes of it
    Cell *phi, *sums;     // linear attention: φ(q), φ(k) [n × 2·width] unrotated; denominators [n × heads]
    Cell* asked;          // random features: q, k that φ was taken of [n × 2·width]
  };
  /// What every part of a way needs.
  struct Way {
    const Cell* parameters;
    const CellTables<Cell>& tables;
    const Halt& halt;
    Cell* gradient;
  };
  using Rows = RowRange;
  struct Head {  // of a sequence
    std::int64_t sequence, head;
  };
  struct Norm {  // where its parameters stand, and what it keeps
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
  std::vector<std::int64_t> chosen_;  // rows that are predicted
  std::vector<double> losses_;
  Cell *x_, *normed_, *hat_, *inverse_, *picked_, *logits_, *d_x_, *d_normed_, *d_wide_, *d_context_, *d_weights_,
      *d_biases_, *room_;
};

}  // namespace ropescope
