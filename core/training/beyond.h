// What trained models do beyond the length they were trained on: losses by position, what heads look at, long texts.
// Read trainer.h first.
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

// A trained model on sequences that are longer than those it was trained on, its weights as they are.

inline constexpr int kLargestBeyond = 8;

struct BeyondOptions {
  std::string method = "none";  ///< a context extension of beyond_methods(), with factor s
  int factor = kLargestBeyond;  ///< s, 1…8: sequences have s·L tokens, L the trained length
  int sequences = 0;            ///< how many are read; 0: RaceSetup::test_sequences
  int buckets = 64;             ///< at most so many over the whole length, the same number below each multiple of L
  bool operator==(const BeyondOptions&) const = default;
};

/// Mean loss over the positions from, from + 1, …, to − 1 of all sequences, in nats. Where no token there has an answer
/// (copy: the first ones; phrase: all but 16 of each sequence), tokens is 0 and loss NaN.
struct PositionBucket {
  std::int64_t from = 0, to = 0;
  std::int64_t tokens = 0;
  double loss = 0;
};
struct BeyondLosses {
  std::string method;
  Extension extension;                  ///< with all its numbers
  std::int64_t trained_length = 0;      ///< L
  std::int64_t length = 0;              ///< s·L
  std::vector<PositionBucket> buckets;  ///< they follow each other from 0 to the length; no bucket lies across L
  PositionBucket whole;                 ///< over all
  PositionBucket within, past;          ///< positions below L, and from L on (none of them where s = 1)
};

/// The context extensions that apply to a runner, "none" first: for rotations (rope, p-rope, xpos) those of the
/// registry that a factor alone fixes (linear, ntk-aware, dynamic, …), in its order; without longrope (its lists are
/// searched for each model) and ladders of another kind (proportional, pixel). Every other encoding, and a runner whose
/// fields have a ladder of their own: "none" alone.
std::vector<std::string_view> beyond_methods(const RunnerSpec& spec);

/// Their tables, s·L long. Throws the same, and "training.past_table" for a learned table past its rows (s > 1).
PositionTables beyond_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor);

/// Throws what beyond_tables would, without making long tables.
void check_beyond(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor);
/// Throws InputError "training.text_short" where the task's text has no test sequence of that length.
void require_text(const RaceSetup& setup, int length);

/// Bytes that beyond_losses takes beside the parameters: they grow with s·L, not with its square. Throws as
/// beyond_tables does.
std::int64_t beyond_bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, const BeyondOptions& options,
                                 int threads);

/// Loss by position. The sequences are those that draw_batch(task, Split::test, 0, 0, s·L) draws: the same for all
/// runners, methods and seeds; with s = 1 and all of them those that the race is tested on, so that `whole` is
/// Trainer::test's loss. `parameters`: Trainer::parameters(), or the first third of RunnerState::cells. One result for
/// any number of threads (0: all cores). Throws as beyond_tables does, and "training.text_short" where the test part of
/// a text holds no sequence of s·L. Where it was stopped the result has no buckets.
BeyondLosses beyond_losses(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                           const BeyondOptions& options, const Work& work = {});

// --- Heads ---------------------------------------------------------------------------------------------------------

// Inside a trained model: what its heads ask and offer on a sequence, as a dump of a model has it.

struct LookOptions {
  std::string method = "none";  ///< of beyond_methods()
  int factor = 1;               ///< s: the sequence has s·L tokens
  int sequence = 0;             ///< which of those that draw_batch(task, Split::test, 0, 0, s·L) draws, from 0 on
  bool operator==(const LookOptions&) const = default;
};

/// q, k and v of one layer, each [tokens × heads × channels], before any position encoding is applied to them, before φ
/// of linear attention and without the scores' scale: what an attention dump holds.
struct TrainedLayer {
  std::vector<float> q, k, v;
};
struct TrainedHeads {
  std::int64_t tokens = 0;
  int heads = 0, channels = 0;
  std::vector<std::int32_t> token_ids;  ///< [tokens]
  std::vector<double> losses;           ///< [tokens], nats; NaN where there is nothing to answer
  std::vector<TrainedLayer> layers;
  /// What makes of q and k the scores that the model had: the runner's encoding, or "none" where positions were added
  /// to the tokens (sinusoidal, learned), for then q and k have them in them.
  std::string encoding;
  std::vector<EncodingValues> settings;  ///< of that encoding, a set for each head, the same in all layers: dim, base,
                                         ///< pairing, ladder of the method, heads and head, KERPLE's trained r₁ and r₂
  bool causal = true, linear_attention = false, random_features = false;  ///< see ModelShape
  /// T5 alone, whose trained numbers no EncodingValues can hold (the registry has seeded ones): what is added to the
  /// scores, [heads × (2·tokens − 1)] by m − n + tokens − 1.
  std::vector<float> trained_biases;
};

/// Whether training changes how scores are made of q and k (T5's buckets, KERPLE's r₁ and r₂), so that who looks at
/// them with the encoding's own fields sees other scores than the model had.
bool trains_its_scores(std::string_view encoding);

/// One pass over one sequence. Throws as beyond_losses does; without layers where it was stopped. Precondition: 0 ≤
/// sequence < 1024.
TrainedHeads look_inside(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                         const LookOptions& options, const Work& work = {});
/// Bytes that it takes at most, with its result.
std::int64_t look_bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options, int threads);

}  // namespace ropescope
