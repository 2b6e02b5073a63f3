// Training of one small model, step by step: tasks, batches, steps and tests; it may be stopped before any unit of
// work. Read parameters.h and piece.h first; a race (race.h) has several trainers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "core/training/piece.h"

namespace ropescope {

// --- The task ------------------------------------------------------------------------------------------------------

/// What is learned. Made tasks are drawn anew for every batch, with answers at some tokens only; the loss that a model
/// cannot get below is known (`floor`), and so is that of one that knows only how often each answer comes (`unigram`).
enum class TaskKind {
  text,     ///< bytes of a text: the next one, or masked ones
  copy,     ///< the token `number` places before, of 16 that are drawn independently
  nearest,  ///< every token is one of 8 keys with one of 8 values: the value that this key had last
  count,    ///< of zeros and ones: how many ones so far, modulo `number`
  phrase,   ///< a phrase of 16 tokens comes twice amid noise, behind a mark: its second time. Training has it begin in
            ///< the first half of where it could, the test in the second
  sorted    ///< runs of 8 of 16 tokens, then the same ones sorted
};

enum class Split { train, test };

struct Task {
  std::string name;  ///< "copy:64", or the text's
  TaskKind kind = TaskKind::text;
  int number = 0;
  int vocabulary = 256;
  bool masked = false;          ///< text: 15 % of the bytes are to be found (BERT: of those 80 % are shown as a mask,
                                ///< 10 % as another byte, 10 % as they are), else the next byte is
  std::optional<double> floor;  ///< nats; none where nobody knows
  double unigram = 0;           ///< nats: cross entropy of the test's answers with how often each came in training
  std::string train, test;      ///< of a text: nine tenths and the last tenth

  bool causal() const { return !masked; }
};

/// Names of the made tasks as --task takes them: "copy:64", "nearest", "count:4", "phrase", "sorted".
bool is_made_task(std::string_view name);
/// Throws InputError where the number is missing or out of its range, or where a sequence of `length` has no room.
Task make_task(std::string_view name, int length);
/// Throws InputError where the text is too short for sequences of `length`: the test wants a whole one.
Task text_task(const std::string& name, std::string_view bytes, int length, bool masked);

/// Draws [sequences × length] tokens and targets (−1: none) of one step: the same for the same seed and step.
void draw_batch(const Task& task, Split split, std::uint64_t seed, std::uint64_t step, int length,
                std::span<std::int32_t> tokens, std::span<std::int32_t> targets);

// --- Trainer -------------------------------------------------------------------------------------------------------

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
