// A race of small models that differ in their encoding alone: its setup, its lanes, what is saved and how finals
// compare. Begin here to use training; trainer.h trains each lane.
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

/// What all runners of a race share.
struct RaceSetup {
  Task task;
  int layers = 2, width = 64, heads = 4, length = 128;
  TrainingOptions training;
  int every = 10;           ///< steps of one point of a curve
  int test_every = 50;      ///< steps between two tests; a multiple of `every`
  int test_sequences = 32;  ///< of each test, which is the same for all runners and seeds
};
/// One runner of a race: a model with this encoding.
struct RunnerSpec {
  std::string encoding = "rope";
  bool linear_attention = false;
  std::uint64_t seed = 1;  ///< of the first weights and of the batches: runners of one seed see the same ones
  EncodingValues settings;
  bool random_features = false;  ///< of linear attention: Performer's kernel instead of elu + 1
};

/// Mean loss of the steps since the point before, and the test's where one was due.
struct RacePoint {
  std::int64_t step = 0;
  double seconds = 0;  ///< that this runner has computed
  double loss = 0;
  std::optional<double> test_loss;
};
/// Why a runner stopped: the loss of the step was no finite number, or its gradient was not.
struct RunnerFault {
  std::int64_t step = 0;
  bool by_gradient = false;
};
/// A curve, and all that is needed to go on to the bit.
struct RunnerState {
  std::int64_t steps = 0;
  double seconds = 0, sum = 0;  ///< of the losses since the last point
  std::int64_t summed = 0;
  std::vector<RacePoint> curve;
  std::optional<RunnerFault> fault;
  std::vector<float> cells;  ///< Trainer::state
};

ModelShape shape_of(const RaceSetup& setup, const RunnerSpec& spec);
/// "rope/softmax", "rope/linear", "rope/performer"
std::string name_of(const RunnerSpec& spec);

/// One model on its way. Not to be used by two threads at a time. The setup must outlive it.
class Runner {
 public:
  Runner(const RaceSetup& setup, RunnerSpec spec, int threads);
  static std::int64_t bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, int threads);

  /// One step; false where it was stopped, or has a fault. A stopped step has changed nothing.
  bool advance(const std::stop_token& stop = {});
  /// Another base (or ladder, or slope) under the weights of the moment. Throws InputError as position_tables does.
  void change_settings(const EncodingValues& settings);

  /// The last row of a race that ends now: the present step with a test, where the curve does not end with one. None
  /// where no step has been made, or it was stopped. It is no part of state(), so that a race that is taken up again
  /// has the same rows as one that never stopped.
  std::optional<RacePoint> final_point(const std::stop_token& stop = {});

  const RunnerSpec& spec() const { return spec_; }
  const Trainer<float>& trainer() const { return trainer_; }
  std::int64_t steps() const { return trainer_.steps(); }
  const std::vector<RacePoint>& curve() const { return state_.curve; }
  const std::optional<RunnerFault>& fault() const { return state_.fault; }
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

/// Bytes from which the states can be read again; `fingerprint` says of which race they are.
std::string write_states(const std::string& fingerprint, std::span<const RunnerState> states);
/// Throws InputError where the bytes are damaged or cut off, or of another race.
std::vector<RunnerState> read_states(const std::string& fingerprint, const std::string& bytes,
                                     const std::string& source);

/// How two runners compare by their last test losses over the same seeds.
struct RunnerComparison {
  std::string ahead, behind;
  double difference = 0;         ///< mean of behind − ahead, nats, ≥ 0
  std::optional<double> spread;  ///< standard deviation of the differences; none of one seed
  int seeds = 0;
  bool told_apart = false;  ///< |difference| > t · spread/√seeds, t Student's for 95 % both ways
};
struct FinalLosses {
  std::string name;
  std::vector<double> losses;  ///< by seed; NaN where it did not arrive
};
/// The best mean first; each runner with the next one. Seeds that one of two did not finish are left out.
std::vector<RunnerComparison> compare_finals(std::vector<FinalLosses> finals);

}  // namespace ropescope
