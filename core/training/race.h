// Training of small models, step by step (tasks, batches, steps and tests, cancellable between units of work), and
// races between models that differ only in their position encoding: setup, lanes, saved state, and comparison of final
// results. Start here to use training; read parameters.h and piece.h for the model.
#pragma once

#include <chrono>
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

/// The task to learn. Synthetic tasks sample each batch; only some of its tokens have an answer. Two reference losses
/// are known: the minimum (`floor`), and that of a model that knows only the answers' frequencies (`unigram`).
enum class TaskKind {
  text,     ///< bytes of a text: predict the next byte, or masked bytes
  copy,     ///< the token `number` places earlier, of 16 that are sampled independently
  nearest,  ///< every token is one of 8 keys with one of 8 values: predict the last value of this key
  count,    ///< zeros and ones: predict the number of ones so far, modulo `number`
  phrase,   ///< a phrase of 16 tokens occurs twice in noise, each after a mark: predict the second. The first begins in
            ///< the first half of the possible positions in training, in the second half in tests
  sorted    ///< runs of 8 of 16 tokens, each followed by the run sorted
};

enum class Split { train, test };

struct Task {
  std::string name;  ///< "copy:64", or the name of the text
  TaskKind kind = TaskKind::text;
  int number = 0;
  int vocabulary = 256;
  bool masked = false;          ///< text: predict 15 % of the bytes (BERT: of those 80 % are replaced by a mask,
                                ///< 10 % by a random byte, 10 % unchanged); if false, predict the next byte
  std::optional<double> floor;  ///< nats; nullopt if unknown
  double unigram = 0;           ///< nats: cross entropy of the test's answers, predicted by their frequencies in
                                ///< training
  std::string train, test;      ///< for a text: nine tenths, and the last tenth

  bool causal() const { return !masked; }
};

/// Returns whether --task names a synthetic task: "copy:64", "nearest", "count:4", "phrase", "sorted".
bool is_made_task(std::string_view name);
/// Returns a synthetic task. Throws InputError if its number is missing or out of range, or if `length` is too short.
Task make_task(std::string_view name, int length);
/// Returns the task for a text. Throws InputError if its test part is too short for a sequence of `length`.
Task text_task(const std::string& name, std::string_view bytes, int length, bool masked);

/// Samples [sequences × length] tokens and targets (−1: none) of one step, determined by seed and step.
void draw_batch(const Task& task, Split split, std::uint64_t seed, std::uint64_t step, int length,
                std::span<std::int32_t> tokens, std::span<std::int32_t> targets);

// --- Trainer -------------------------------------------------------------------------------------------------------

struct TrainingOptions {
  int batch = 16;              ///< sequences per step
  double rate = 1e-3;          ///< of AdamW after the warm-up, constant
  int warm_up = 100;           ///< number of steps over which the rate grows from rate/warm_up
  double weight_decay = 0.01;  ///< for matrices
  double clip = 1;             ///< maximum norm of the gradient
  bool operator==(const TrainingOptions&) const = default;
};
/// Throws InputError if a number is out of range.
void validate(const TrainingOptions& options);

struct StepResult {
  double loss = 0;           ///< mean over all predicted tokens, nats
  double gradient_norm = 0;  ///< before clipping
  bool done = false;         ///< false if cancelled, or if loss or gradient are not finite: nothing has changed
};

/// A model in training. Results do not depend on the number of threads: batches are always cut into the same pieces,
/// whose gradients are always added in the same order. Steps and tests allocate nothing. Cancellation takes effect
/// between two units of work (Halt).
template <class Cell>
class Trainer {
 public:
  Trainer(const ModelShape& shape, const PositionTables& tables, const TrainingOptions& options, std::uint64_t seed,
          int threads);
  /// Returns the part of a trainer's memory that grows with the model, in bytes.
  static std::int64_t bytes_required(const ModelShape& shape, const PositionTables& tables,
                                     const TrainingOptions& options, int threads);

  /// Computes one step. Tokens, targets: [batch × length]; a target below 0 is not predicted.
  StepResult step(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                  const std::stop_token& stop = {});
  /// Computes the gradient of the mean loss, for tests: [ParameterLayout::total]; returns the loss.
  double gradient(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets, std::span<Cell> result);
  /// Returns the mean loss without training, for any number of sequences. NaN if cancelled.
  double test(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
              const std::stop_token& stop = {});

  /// For tests: `watch` is called before every unit of work (Halt), by any thread.
  void watch(Halt::Watch watch) { watch_ = std::move(watch); }

  /// Replaces the tables under the same weights, such as for a new base. Precondition: same encoding and length.
  void change_tables(const PositionTables& tables);

  const ModelShape& shape() const { return shape_; }
  const PositionTables& tables() const { return tables_.from; }
  const ParameterLayout& layout() const { return layout_; }
  std::int64_t steps() const { return steps_; }
  std::span<const Cell> parameters() const { return parameters_; }
  std::span<Cell> parameters() { return parameters_; }
  /// Returns the state that, together with its batch, determines the next step: parameters, then both moments of AdamW.
  std::vector<Cell> state() const;
  /// Restores a state. Throws InputError if it has the wrong size.
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
  std::vector<std::vector<Cell>> piece_gradients_;  // one per piece; a single thread needs only one
  PackedWeights<Cell> packed_;
  std::vector<std::unique_ptr<Piece<Cell>>> training_pieces_;  // one per thread, for one piece after another
  std::vector<double> piece_losses_, norms_;
  std::vector<Chunk> chunks_;
  Cell weight_ = 0;  // of each prediction
  ThreadPool pool_;
  bool alone_;
  Halt::Watch watch_;
};

// --- Races ---------------------------------------------------------------------------------------------------------

/// The settings shared by all runners of a race.
struct RaceSetup {
  Task task;
  int layers = 2, width = 64, heads = 4, length = 128;
  TrainingOptions training;
  int every = 10;           ///< steps per point of a curve
  int test_every = 50;      ///< steps between two tests; a multiple of `every`
  int test_sequences = 32;  ///< sequences per test, equal for all runners and seeds
};
/// One runner of a race: a model with this encoding.
struct RunnerSpec {
  std::string encoding = "rope";
  bool linear_attention = false;
  std::uint64_t seed = 1;  ///< seed of initial weights and batches: runners with equal seeds get equal batches
  EncodingValues settings;
  bool random_features = false;  ///< for linear attention: Performer's kernel instead of elu + 1
};

/// Mean loss of the steps since the previous point, and the test loss if a test was scheduled.
struct RacePoint {
  std::int64_t step = 0;
  double seconds = 0;  ///< computing time of this runner so far
  double loss = 0;
  std::optional<double> test_loss;
};
/// Why a runner stopped: the loss of the step or its gradient was not finite.
struct RunnerError {
  std::int64_t step = 0;
  bool by_gradient = false;
};
/// A curve, and the full state needed to continue with bit-identical results.
struct RunnerState {
  std::int64_t steps = 0;
  double seconds = 0, sum = 0;  ///< sum: losses since the last point
  std::int64_t summed = 0;
  std::vector<RacePoint> curve;
  std::optional<RunnerError> fault;
  std::vector<float> cells;  ///< Trainer::state
};

ModelShape shape_of(const RaceSetup& setup, const RunnerSpec& spec);
/// Returns the name of a runner: "rope/softmax", "rope/linear", "rope/performer".
std::string name_of(const RunnerSpec& spec);

/// A model in training. Not thread-safe. Precondition: the setup outlives it.
class Runner {
 public:
  Runner(const RaceSetup& setup, RunnerSpec spec, int threads);
  static std::int64_t bytes_required(const RaceSetup& setup, const RunnerSpec& spec, int threads);

  /// Computes one step; returns false if cancelled or after a fault. A cancelled step changes nothing.
  bool advance(const std::stop_token& stop = {});
  /// Changes the base (or ladder, or slope) under the current weights. Throws InputError as position_tables does.
  void change_settings(const EncodingValues& settings);

  /// Returns the last row of a race that ends now: the current step with a test, if the curve does not already end with
  /// one. Returns nullopt if no step was made or if cancelled. Not part of state(), so a resumed race has the same rows
  /// as an uninterrupted one.
  std::optional<RacePoint> final_point(const std::stop_token& stop = {});

  const RunnerSpec& spec() const { return spec_; }
  const Trainer<float>& trainer() const { return trainer_; }
  std::int64_t steps() const { return trainer_.steps(); }
  const std::vector<RacePoint>& curve() const { return state_.curve; }
  const std::optional<RunnerError>& fault() const { return state_.fault; }
  RunnerState state() const;
  void restore(RunnerState state);

 private:
  void add_point(const std::stop_token& stop);

  const RaceSetup& setup_;
  RunnerSpec spec_;
  Trainer<float> trainer_;
  RunnerState state_;  // without cells
  std::vector<std::int32_t> tokens_, targets_, test_tokens_, test_targets_;
};

/// Serialises the states to bytes; `fingerprint` identifies their race.
std::string write_states(const std::string& fingerprint, std::span<const RunnerState> states);
/// Returns whether bytes begin like those of write_states().
bool is_saved_race(std::string_view bytes);
/// Reads serialised states. Throws InputError if the bytes are damaged, truncated or from a different race.
std::vector<RunnerState> read_states(const std::string& fingerprint, const std::string& bytes,
                                     const std::string& source);

/// Comparison of two runners by their last test losses over equal seeds.
struct RunnerComparison {
  std::string ahead, behind;
  double difference = 0;         ///< mean of behind − ahead, nats, ≥ 0
  std::optional<double> spread;  ///< standard deviation of the differences; nullopt for one seed
  int seeds = 0;
  bool told_apart = false;  ///< |difference| > t · spread/√seeds, with Student's two-sided t for 95 %
};
struct FinalLosses {
  std::string name;
  std::vector<double> losses;  ///< by seed; NaN if it did not finish
};
/// Compares each runner with the next, best mean first. Seeds that one of the two did not finish are excluded.
std::vector<RunnerComparison> compare_finals(std::vector<FinalLosses> finals);

}  // namespace ropescope
