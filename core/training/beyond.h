// Evaluation of trained models beyond their trained length: losses by position, attention of heads, long texts. Read
// race.h first.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "core/rotary/spec.h"
#include "core/training/race.h"

namespace ropescope {

// --- Beyond the trained length -------------------------------------------------------------------------------------

// These functions run a trained model, with unchanged weights, on sequences longer than those used in training.

inline constexpr int kLargestBeyond = 8;

struct BeyondOptions {
  std::string method{kNoMethod};  ///< a context extension of beyond_methods(), with factor s
  int factor = kLargestBeyond;    ///< s, 1…8: sequences have s·L tokens, L the trained length
  int sequences = 0;              ///< number of sequences read; 0: RaceSetup::test_sequences
  int buckets = 64;               ///< maximum number over the whole length, with equal numbers below each multiple of L
  bool operator==(const BeyondOptions&) const = default;
};

/// Mean loss over the positions from, from + 1, …, to − 1 of all sequences, in nats. If no token there has a target
/// (copy: the first ones; phrase: all but 16 of each sequence), tokens is 0 and loss NaN.
struct PositionBucket {
  std::int64_t from = 0, to = 0;
  std::int64_t tokens = 0;
  double loss = 0;
};
struct BeyondLosses {
  std::string method;
  Extension extension;                  ///< including all its parameters
  std::int64_t trained_length = 0;      ///< L
  std::int64_t length = 0;              ///< s·L
  std::vector<PositionBucket> buckets;  ///< contiguous from 0 to the length; no bucket crosses L
  PositionBucket whole;                 ///< over all
  PositionBucket within, past;          ///< positions below L, and from L on (none if s = 1)
};

/// Returns the context extensions that apply to a runner, "none" first. For rotations (rope, p-rope, xpos) these are
/// the registry's methods determined by a factor alone (linear, ntk-aware, dynamic, …), in its order. Excluded are
/// longrope (its lists are specific to a model) and other kinds of ladders (proportional, pixel). Only "none" for all
/// other encodings and for a runner with a custom ladder.
std::vector<std::string_view> beyond_methods(const RunnerSpec& spec);

/// Returns the tables at length s·L. Also throws "training.past_table" for learned tables past their rows (s > 1).
PositionTables beyond_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor);

/// Throws as beyond_tables() would, without computing long tables.
void check_beyond(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor);
/// Throws InputError "training.text_short" if the task's text has no test sequence of that length.
void require_text(const RaceSetup& setup, int length);

/// Returns the bytes that beyond_losses needs in addition to the parameters: linear in s·L. Throws as beyond_tables.
std::int64_t beyond_bytes_required(const RaceSetup& setup, const RunnerSpec& spec, const BeyondOptions& options,
                                   int threads);

/// Returns losses by position for the sequences of draw_batch(task, Split::test, 0, 0, s·L), equal for all runners,
/// methods and seeds. With s = 1 and all sequences they are the race's test, so `whole` equals Trainer::test's loss.
/// `parameters`: Trainer::parameters(), or the first third of RunnerState::cells. The result does not depend on the
/// number of threads (0: all cores). Throws as beyond_tables, and "training.text_short" if a text's test part is
/// shorter than s·L. Without buckets if cancelled.
BeyondLosses beyond_losses(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                           const BeyondOptions& options, const Work& work = {});

// --- Heads ---------------------------------------------------------------------------------------------------------

// Inside a trained model: q, k and v of its heads on a sequence, as in an attention dump.

struct LookOptions {
  std::string method{kNoMethod};  ///< of beyond_methods()
  int factor = 1;                 ///< s: the sequence has s·L tokens
  int sequence = 0;               ///< index among the sequences of draw_batch(task, Split::test, 0, 0, s·L)
  bool operator==(const LookOptions&) const = default;
};

/// q, k and v of one layer, each [tokens × heads × channels], before any position encoding, before φ of linear
/// attention and without the scores' scale, as in an attention dump.
struct TrainedLayer {
  std::vector<float> q, k, v;
};
struct TrainedHeads {
  std::int64_t tokens = 0;
  int heads = 0, channels = 0;
  std::vector<std::int32_t> token_ids;  ///< [tokens]
  std::vector<double> losses;           ///< [tokens], nats; NaN if the token has no target
  std::vector<TrainedLayer> layers;
  /// The encoding that computes the model's scores from q and k: the runner's, or "none" if positions were added to the
  /// tokens (sinusoidal, learned), because q and k then contain them.
  std::string encoding;
  std::vector<EncodingValues> settings;  ///< of that encoding, one per head, equal in all layers: dim, base,
                                         ///< pairing, ladder of the method, heads and head, KERPLE's trained r₁ and r₂
  bool causal = true, linear_attention = false, random_features = false;  ///< see ModelShape
  /// T5 only, because EncodingValues cannot represent its trained numbers (the registry's are seeded): the biases added
  /// to the scores, [heads × (2·tokens − 1)] by m − n + tokens − 1.
  std::vector<float> trained_biases;
};

/// Returns whether training changes how scores are computed from q and k (T5's buckets, KERPLE's r₁ and r₂). The
/// encoding's untrained fields then give different scores from the model's.
bool trains_its_scores(std::string_view encoding);

/// Runs one sequence through the model. Throws as beyond_losses; without layers if cancelled. Precondition: 0 ≤
/// sequence < 1024.
TrainedHeads look_inside(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                         const LookOptions& options, const Work& work = {});
/// Returns the maximum number of bytes that it needs, including its result.
std::int64_t look_bytes_required(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options,
                                 int threads);

}  // namespace ropescope
