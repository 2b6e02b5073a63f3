#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/training/beyond.h"

namespace ropescope {

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
  std::vector<EncodingSettings>
      settings;  ///< of that encoding, a set for each head, the same in all layers: dim, base,
                 ///< pairing, ladder of the method, heads and head, KERPLE's trained r₁ and r₂
  bool causal = true, linear_attention = false, random_features = false;  ///< see ModelShape
  /// T5 alone, whose trained numbers no EncodingSettings can hold (the registry has seeded ones): what is added to the
  /// scores, [heads × (2·tokens − 1)] by m − n + tokens − 1.
  std::vector<float> trained_biases;
};

/// Whether training changes how scores are made of q and k (T5's buckets, KERPLE's r₁ and r₂), so that who looks at
/// them with the encoding's own settings sees other scores than the model had.
bool trains_its_scores(std::string_view encoding);

/// One pass over one sequence. Throws as beyond_losses does; without layers where it was stopped. Precondition: 0 ≤
/// sequence < 1024.
TrainedHeads look_inside(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                         const LookOptions& options, int threads = 0, const std::stop_token& stop = {});
/// Bytes that it takes at most, with its result.
std::int64_t look_bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options, int threads);

}  // namespace ropescope
