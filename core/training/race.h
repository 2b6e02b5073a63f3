// Races between small models that differ only in their position encoding: setup, lanes, saved state, and comparison of
// final results. Start here to use training; trainer.h trains each lane.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/training/trainer.h"

namespace ropescope {

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
