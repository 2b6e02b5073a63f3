// Store computations of the view Attention: dumps, weights, shifts, orders, costs, errors of random features, and
// energies, each a function of a value. figures.h draws the results. Read app/store/store.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/attention/words.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/attention/attention.h"

namespace ropescope {

struct LayerOfDump {
  FileStamp file;
  std::int64_t layer = 0;  ///< of a file with several layers
  bool operator==(const LayerOfDump&) const = default;
  double cost() const { return 1e6 + 4 * static_cast<double>(file.size); }
};
/// Loads the vectors of a file. Throws InputError if it cannot be used.
LoadedDump load_dump(const LayerOfDump& of, const Work& work);
std::size_t count_bytes(const LoadedDump& loaded);

/// Rejects a layer whose q and k exceed the memory limit of a window (1 GiB of float32) before it is unpacked.
DumpReading make_bounded_reading(const std::string& path, const std::stop_token& stop);

/// The vectors of one head.
struct AttentionContent {
  bool aligned = false;
  std::vector<std::string> words;  ///< one token per word, with word vectors as q, k and v; empty: other content
  int tokens = 256, dim = 128;
  std::uint64_t seed = 1;  ///< of generated content: all of it, or the values that a file lacks
  FileStamp file;          ///< empty path: generated content
  std::int64_t head = 1, layer = 0;
  std::shared_ptr<const LoadedDump> dump;  ///< the contents of `file`

  bool operator==(const AttentionContent& other) const;
  /// Returns the number of steps to compute all scores of a head.
  double matrix_cost() const;
  /// Creates the vectors, with or without values (v) for outputs.
  AttentionInput make(bool values) const;
};

/// One attention head with its encoding and content, ready to compute.
struct AttentionSubject {
  ReadyEncoding ready;
  AttentionContent content;
  AttentionKind kind = AttentionKind::softmax;
  AttentionOptions options;  ///< its threads stay 0, as this is a key: options_on() sets them
  bool operator==(const AttentionSubject&) const = default;
  AttentionOptions options_on(int threads) const;
};

// The functions below throw InputError if the subject cannot be computed.

struct AttentionWeights {
  WeightsPicture picture;
  std::shared_ptr<const Series> row_sums;          ///< over the queries
  std::shared_ptr<const Series> mean_by_distance;  ///< mean weight over Δ = m − n
  double smallest = 0, largest = 0;
  double negative_share = 0;  ///< share of negative weights among the unmasked ones
  double least_sum = 0, most_sum = 0;
  double least_denominator = 0;     ///< for linear attention
  Eigen::Index undefined_rows = 0;  ///< rows that use a position past the end of a learned table
  double seconds = 0;
  std::size_t bytes() const { return bytes_in(picture.cells, picture.weights, row_sums, mean_by_distance); }
};
AttentionWeights compute_subject_weights(const AttentionSubject& subject, const Work& work);

/// The input for the change in outputs when all positions shift.
struct ShiftedSubject {
  AttentionSubject subject;
  std::vector<std::int64_t> shifts;
  bool operator==(const ShiftedSubject&) const = default;
  double cost() const { return 2 * subject.content.matrix_cost() * static_cast<double>(shifts.size() + 1); }
};
std::vector<ShiftEffect> measure_shift_effects(const ShiftedSubject& of, const Work& work);
std::size_t count_bytes(const ShiftEffect& effect);

/// The effect of a different token order on weights and outputs.
struct AttentionShuffle {
  std::shared_ptr<const RowMatrix<float>> before, after;  ///< see ShuffleEffect
  Eigen::VectorXd change;
  double relative = 0;
  std::size_t bytes() const { return bytes_in(before, after); }
};
struct ShuffledSubject {
  AttentionSubject subject;
  std::vector<Eigen::Index> order;
  bool operator==(const ShuffledSubject&) const = default;
};
AttentionShuffle measure_shuffle_effect(const ShuffledSubject& of, const Work& work);

/// Measured times on one core, each the fastest of at least `runs` runs.
struct MeasuredCost {
  std::vector<double> tokens, seconds;
  int runs = 0;
};
struct AttentionCost {
  MeasuredCost softmax, linear;  ///< linear is empty for encodings without linear attention
};
struct MeasuredSubject {
  AttentionSubject subject;  ///< its content is not used
  int longest = 4096;
  bool operator==(const MeasuredSubject&) const = default;
};
AttentionCost measure_cost(const MeasuredSubject& of, const Work& work);

/// Errors of random features relative to softmax attention, by their number M (random_feature_error): means over seeds,
/// for the original content and for q and k scaled down.
struct FeatureErrors {
  static constexpr double kScales[] = {1, 0.5, 0.25};  ///< factors on q and k
  static constexpr int kTokens = 64, kSeeds = 3;       ///< the content's first tokens; seeds 1 … kSeeds
  std::vector<double> features;
  std::vector<std::vector<double>> errors;  ///< by scale, then by number of features
  double size = 0;                          ///< mean of |q|²/√d and |k|²/√d over all tokens, unscaled
};
FeatureErrors feature_errors(const AttentionSubject& subject, const Work& work);
/// Scores of the content by distance, and the energy of q and k per frequency.
struct AttentionEnergy {
  std::shared_ptr<const Series> mean, above, below;           ///< mean score over Δ, ± one standard deviation
  std::shared_ptr<const Series> turning, bound, lower_bound;  ///< rope: mean of the rotated pairs, its bound, −bound
  PairEnergy pairs;
  std::size_t bytes() const { return bytes_in(mean, above, below, turning, bound, lower_bound); }
};
struct PairedSubject {
  AttentionSubject subject;
  Pairing pairing = Pairing::half_split;
  bool operator==(const PairedSubject&) const = default;
};
AttentionEnergy compute_subject_energy(const PairedSubject& of, const Work& work);

}  // namespace ropescope
