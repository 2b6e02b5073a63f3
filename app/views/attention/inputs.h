// What the store computes for the view Attention: dumps, weights, shifts, orders, costs, errors of random features, and
// energies, each a value with its result. Read app/store/store.h before; figures.h draws the results.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/attention/words.h"
#include "core/attention/attention.h"

namespace ropescope {

/// What a file holds, or what is wrong with it.
struct DumpFile {
  LoadedDump loaded;
  Words fault;
  std::size_t bytes() const {
    return loaded.dump.q.bytes.size() + loaded.dump.k.bytes.size() + loaded.dump.v.bytes.size();
  }
};
struct DumpInput {
  using Result = DumpFile;
  FileStamp file;
  std::int64_t layer = 0;  ///< of a file that holds several
  bool operator==(const DumpInput&) const = default;
  double cost() const;
  std::shared_ptr<const DumpFile> compute(int threads, const std::stop_token& stop) const;
};

/// Refuses a layer whose q and k are more than an interface can hold (1 GiB of float32), before it is unpacked.
DumpReading bounded_reading(const std::string& path, const std::stop_token& stop);

/// The vectors of one head.
struct AttentionContent {
  bool aligned = false;
  std::vector<std::string> words;  ///< each a token with word vectors for q, k and v; empty: other content
  int tokens = 256, dim = 128;
  std::uint64_t seed = 1;  ///< of what is made up: all of it, or the values that a file lacks
  FileStamp file;          ///< empty path: made-up content
  std::int64_t head = 1, layer = 0;
  std::shared_ptr<const DumpFile> dump;  ///< what `file` holds

  bool operator==(const AttentionContent& other) const;
  /// Makes the vectors, with values for outputs or without any.
  AttentionInput make(bool values) const;
};

/// One head at work.
struct AttentionSubject {
  std::string encoding;
  EncodingValues settings;  ///< good ones, see validate
  AttentionContent content;
  AttentionKind kind = AttentionKind::softmax;
  LinearKernel kernel = LinearKernel::elu_plus_one;
  int random_features = 0;  ///< of that kernel alone, see AttentionOptions
  bool turned_vectors = false;
  bool turned_denominator = false;
  bool causal = false;
  bool operator==(const AttentionSubject&) const = default;
  AttentionOptions options(int threads) const;
};

// The results below hold a sentence (`fault`) where the subject cannot be computed; nothing else of them counts then.

struct AttentionWeights {
  Words fault;
  WeightsPicture picture;
  std::shared_ptr<const Series> row_sums;          ///< over the query
  std::shared_ptr<const Series> mean_by_distance;  ///< mean weight over Δ = m − n
  double smallest = 0, largest = 0;
  double negative_share = 0;  ///< of the weights that are not left out
  double least_sum = 0, most_sum = 0;
  double least_denominator = 0;     ///< of linear attention
  Eigen::Index undefined_rows = 0;  ///< rows that see a position past a learned table
  double seconds = 0;
  std::size_t bytes() const;
};
struct WeightsInput {
  using Result = AttentionWeights;
  AttentionSubject subject;
  bool operator==(const WeightsInput&) const = default;
  double cost() const;
  std::shared_ptr<const AttentionWeights> compute(int threads, const std::stop_token& stop) const;
};

/// How much outputs change when all positions shift.
struct AttentionShifts {
  Words fault;
  std::vector<ShiftEffect> effects;
  std::size_t bytes() const;
};
struct ShiftInput {
  using Result = AttentionShifts;
  AttentionSubject subject;
  std::vector<std::int64_t> shifts;
  bool operator==(const ShiftInput&) const = default;
  double cost() const;
  std::shared_ptr<const AttentionShifts> compute(int threads, const std::stop_token& stop) const;
};

/// What another order of the tokens does to weights and outputs.
struct AttentionShuffle {
  Words fault;
  std::shared_ptr<const RowMatrix<float>> before, after;  ///< see ShuffleEffect
  Eigen::VectorXd change;
  double relative = 0;
  std::size_t bytes() const;
};
struct ShuffleInput {
  using Result = AttentionShuffle;
  AttentionSubject subject;
  std::vector<Eigen::Index> order;
  bool operator==(const ShuffleInput&) const = default;
  double cost() const;
  std::shared_ptr<const AttentionShuffle> compute(int threads, const std::stop_token& stop) const;
};

/// Measured times on one core: medians over `runs` runs each.
struct MeasuredCost {
  std::vector<double> tokens, seconds;
  int runs = 0;
};
struct AttentionCost {
  Words fault;
  MeasuredCost softmax, linear;  ///< linear is empty for encodings that linear attention cannot use
  std::size_t bytes() const { return (softmax.tokens.size() + linear.tokens.size()) * 2 * sizeof(double); }
};
struct CostInput {
  using Result = AttentionCost;
  std::string encoding;
  EncodingValues settings;
  LinearKernel kernel = LinearKernel::elu_plus_one;
  int random_features = 0;
  bool turned_vectors = false;
  bool causal = false;
  int longest = 4096;
  bool operator==(const CostInput&) const = default;
  double cost() const;
  std::shared_ptr<const AttentionCost> compute(int threads, const std::stop_token& stop) const;
};

/// How far random features are from softmax attention, by their number M (random_feature_error): the mean over seeds,
/// of the content as it is and of shorter q and k.
struct FeatureErrors {
  static constexpr double kScales[] = {1, 0.5, 0.25};  ///< of q and k
  static constexpr int kTokens = 64, kSeeds = 3;       ///< the content's first tokens; seeds 1 … kSeeds
  Words fault;
  std::vector<double> features;
  std::vector<std::vector<double>> errors;  ///< by scale
  double size = 0;                          ///< mean of |q|²/√d and |k|²/√d over all tokens, as they are
  std::size_t bytes() const { return features.size() * (1 + std::size(kScales)) * sizeof(double); }
};
struct FeatureErrorInput {
  using Result = FeatureErrors;
  AttentionSubject subject;
  bool operator==(const FeatureErrorInput&) const = default;
  double cost() const { return 2e9; }
  std::shared_ptr<const FeatureErrors> compute(int threads, const std::stop_token& stop) const;
};

/// Scores of the content by distance, and who uses which frequency.
struct AttentionEnergy {
  Words fault;
  std::shared_ptr<const Series> mean, above, below;           ///< mean score over Δ, plus and minus one deviation
  std::shared_ptr<const Series> turning, bound, lower_bound;  ///< rope: mean of the turning pairs, its bound, −bound
  PairEnergy pairs;
  std::size_t bytes() const;
};
struct EnergyInput {
  using Result = AttentionEnergy;
  AttentionSubject subject;
  Pairing pairing = Pairing::half_split;
  bool operator==(const EnergyInput&) const = default;
  double cost() const;
  std::shared_ptr<const AttentionEnergy> compute(int threads, const std::stop_token& stop) const;
};

}  // namespace ropescope
