#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/training/crew.h"
#include "core/training/piece.h"

namespace ropescope {

struct TrainingOptions {
  int batch = 16;              ///< sequences of a step
  double rate = 1e-3;          ///< of AdamW after the warm-up, constant
  int warm_up = 100;           ///< steps over which the rate grows from rate/warm_up
  double weight_decay = 0.01;  ///< of matrices
  double clip = 1;             ///< largest norm of the gradient
  bool operator==(const TrainingOptions&) const = default;
};
/// Throws InputError where a number is out of its range.
void validate(const TrainingOptions& options);

struct StepResult {
  double loss = 0;           ///< mean over what is predicted, nats
  double gradient_norm = 0;  ///< before clipping
  bool done = false;  ///< not where it was stopped, or where loss or gradient are not finite: nothing has changed
};

/// A model while it is trained. The result depends on no number of threads: a batch is always cut into the same pieces,
/// whose gradients are always added in the same order. After construction neither a step nor a test allocates anything.
/// A stop is heard between two units of work (Halt).
template <class Cell>
class Trainer {
 public:
  Trainer(const ModelShape& shape, const PositionTables& tables, const TrainingOptions& options, std::uint64_t seed,
          int threads);
  /// Bytes that one takes, as far as they grow with the model.
  static std::int64_t bytes_wanted(const ModelShape& shape, const PositionTables& tables,
                                   const TrainingOptions& options, int threads);

  /// Tokens, targets: [batch × length]; a target below 0 is not predicted.
  StepResult step(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                  const std::stop_token& stop = {});
  /// The gradient of the mean loss alone, for tests: [ParameterLayout::total], and the loss.
  double gradient(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets, std::span<Cell> result);
  /// The mean loss without a change; any number of sequences. NaN where it was stopped.
  double test(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
              const std::stop_token& stop = {});

  /// For tests: is told of every unit of work before it begins (Halt), by any thread.
  void watch(Halt::Watch watch) { watch_ = std::move(watch); }

  /// Goes on with other tables under the same weights: another base. Precondition: the same encoding and length.
  void change_tables(const PositionTables& tables);

  const ModelShape& shape() const { return shape_; }
  const PositionTables& tables() const { return tables_.from; }
  const ParameterLayout& layout() const { return layout_; }
  std::int64_t steps() const { return steps_; }
  std::span<const Cell> parameters() const { return parameters_; }
  std::span<Cell> parameters() { return parameters_; }
  /// All that the next step depends on beside its batch: parameters, then both moments of AdamW.
  std::vector<Cell> state() const;
  /// Takes up a state again. Throws InputError where it has another size.
  void restore(std::span<const Cell> state, std::int64_t steps);

 private:
  struct Chunk {
    std::int64_t offset, count;
    bool decays;
  };
  std::int64_t piece_begin(std::int64_t piece) const;
  void run_piece(std::int64_t index, int worker, std::span<const std::int32_t> tokens,
                 std::span<const std::int32_t> targets, const Halt& halt);
  void add_up(std::int64_t chunk);
  std::optional<double> run_batch(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                                  const std::stop_token& stop);
  double squared_norm(const Halt& halt);

  ModelShape shape_;
  TrainingOptions options_;
  CellTables<Cell> tables_;
  ParameterLayout layout_;
  std::int64_t steps_ = 0;
  std::vector<Cell> parameters_, first_, second_, gradient_;
  std::vector<std::vector<Cell>> piece_gradients_;  // of every piece; of one thread alone one is enough
  PackedWeights<Cell> packed_;
  std::vector<std::unique_ptr<Piece<Cell>>> rooms_;  // of every thread, for one piece after the other
  std::vector<double> piece_losses_, norms_;
  std::vector<Chunk> chunks_;
  Cell weight_ = 0;  // of a prediction
  Crew crew_;
  bool alone_;
  Halt::Watch watch_;
};

}  // namespace ropescope
