// What the store computes for the view Attention: dumps, weights, shifts, orders, costs, errors of random features, and
// energies, each a function of a value. Read app/store/store.h before; figures.h draws the results.
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
#include "app/views/view.h"
#include "core/attention/attention.h"

namespace ropescope {

struct LayerOfDump {
  FileStamp file;
  std::int64_t layer = 0;  ///< of a file that holds several
  bool operator==(const LayerOfDump&) const = default;
  double cost() const { return 1e6 + 4 * static_cast<double>(file.size); }
};
/// What a file holds. Throws InputError where it cannot be used.
LoadedDump loaded_dump(const LayerOfDump& of, const Work& work);
std::size_t bytes_of(const LoadedDump& loaded);

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
  std::shared_ptr<const LoadedDump> dump;  ///< what `file` holds

  bool operator==(const AttentionContent& other) const;
  /// Steps of all scores of a head.
  double matrix_cost() const;
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

// The functions below throw InputError where the subject cannot be computed.

struct AttentionWeights {
  WeightsPicture picture;
  std::shared_ptr<const Series> row_sums;          ///< over the query
  std::shared_ptr<const Series> mean_by_distance;  ///< mean weight over Δ = m − n
  double smallest = 0, largest = 0;
  double negative_share = 0;  ///< of the weights that are not left out
  double least_sum = 0, most_sum = 0;
  double least_denominator = 0;     ///< of linear attention
  Eigen::Index undefined_rows = 0;  ///< rows that see a position past a learned table
  double seconds = 0;
  std::size_t bytes() const { return bytes_in(picture.cells, picture.weights, row_sums, mean_by_distance); }
};
AttentionWeights weights_of_subject(const AttentionSubject& subject, const Work& work);

/// How much outputs change when all positions shift.
struct ShiftedSubject {
  AttentionSubject subject;
  std::vector<std::int64_t> shifts;
  bool operator==(const ShiftedSubject&) const = default;
  double cost() const { return 2 * subject.content.matrix_cost() * static_cast<double>(shifts.size() + 1); }
};
std::vector<ShiftEffect> effects_of_shifts(const ShiftedSubject& of, const Work& work);
std::size_t bytes_of(const ShiftEffect& effect);

/// What another order of the tokens does to weights and outputs.
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
AttentionShuffle effect_of_shuffle(const ShuffledSubject& of, const Work& work);

/// Measured times on one core: medians over `runs` runs each.
struct MeasuredCost {
  std::vector<double> tokens, seconds;
  int runs = 0;
};
struct AttentionCost {
  MeasuredCost softmax, linear;  ///< linear is empty for encodings that linear attention cannot use
};
struct MeasuredSubject {
  AttentionSubject subject;  ///< without content of its own
  int longest = 4096;
  bool operator==(const MeasuredSubject&) const = default;
};
AttentionCost measured_cost(const MeasuredSubject& of, const Work& work);

/// How far random features are from softmax attention, by their number M (random_feature_error): the mean over seeds,
/// of the content as it is and of shorter q and k.
struct FeatureErrors {
  static constexpr double kScales[] = {1, 0.5, 0.25};  ///< of q and k
  static constexpr int kTokens = 64, kSeeds = 3;       ///< the content's first tokens; seeds 1 … kSeeds
  std::vector<double> features;
  std::vector<std::vector<double>> errors;  ///< by scale
  double size = 0;                          ///< mean of |q|²/√d and |k|²/√d over all tokens, as they are
};
FeatureErrors feature_errors(const AttentionSubject& subject, const Work& work);
/// Scores of the content by distance, and who uses which frequency.
struct AttentionEnergy {
  std::shared_ptr<const Series> mean, above, below;           ///< mean score over Δ, plus and minus one deviation
  std::shared_ptr<const Series> turning, bound, lower_bound;  ///< rope: mean of the turning pairs, its bound, −bound
  PairEnergy pairs;
  std::size_t bytes() const { return bytes_in(mean, above, below, turning, bound, lower_bound); }
};
struct PairedSubject {
  AttentionSubject subject;
  Pairing pairing = Pairing::half_split;
  bool operator==(const PairedSubject&) const = default;
};
AttentionEnergy energy_of_subject(const PairedSubject& of, const Work& work);

}  // namespace ropescope
