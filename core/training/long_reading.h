#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/training/crew.h"
#include "core/training/piece.h"

namespace ropescope {

/// One sequence of any length on its way through a trained model, forward only: the same arithmetic as Piece::forward,
/// but its room grows with the length and not with its square. The tables may be longer than the model's own length.
/// Not to be used by two threads at a time.
class LongReading {
 public:
  /// Threads ≥ 1. The numbers are the same for any number of them.
  LongReading(const ModelShape& shape, const PositionTables& tables, int threads);
  /// Bytes that one takes with its tables at that length, as far as they grow with model and length. `tables`: of the
  /// same encoding at any length, as making long ones takes its time.
  static std::int64_t bytes_wanted(const ModelShape& shape, const PositionTables& tables, std::int64_t length,
                                   int threads);

  /// Is given, layer by layer, q, k and v of all tokens before any position encoding (and before φ): [length ×
  /// 3·width].
  using Seen = std::function<void(int layer, std::span<const float> qkv)>;
  /// Puts the loss of every token with a target ≥ 0 into `losses` [length], in nats; of the others 0. False where it
  /// was stopped: then losses mean nothing. `parameters` as parameter_layout of the shape says.
  bool read(std::span<const float> parameters, std::span<const std::int32_t> tokens,
            std::span<const std::int32_t> targets, std::span<double> losses, const std::stop_token& stop = {},
            const Seen& seen = {});

  /// What is added to the scores before softmax, [heads × (2·length − 1)] by m − n + length − 1, trained numbers
  /// included; empty: nothing. Of the last read().
  std::span<const float> biases() const { return tables_.biases; }

 private:
  struct Bench {  // a thread's own room, for some rows at a time
    std::vector<float> normed, hat, inverse, context, weights, raised, bent, logits, room;
  };
  struct Rows {
    std::int64_t begin, count;
  };
  /// work(rows, bench) for all rows; false where it was stopped on the way.
  template <class Work>
  bool for_rows(const std::stop_token& stop, const Work& work);
  void prepare(Rows rows, const LayerOffsets& at, Bench& bench);
  void sum_features();
  void turn(Rows rows);
  void attend(Rows rows, int head, Bench& bench);
  void bend(Rows rows, const LayerOffsets& at, Bench& bench);
  void compare(Rows rows, std::span<const std::int32_t> targets, std::span<double> losses, Bench& bench);

  ModelShape shape_;
  CellTables<float> tables_;
  ParameterLayout layout_;
  Multiplier<float> multiply_;
  std::int64_t length_, rows_at_once_;
  const float* parameters_ = nullptr;
  std::vector<float> x_, qkv_, sums_;
  std::vector<Bench> benches_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace ropescope
