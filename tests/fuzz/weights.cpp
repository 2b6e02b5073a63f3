#include "core/formats/weights.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/message.h"
#include "core/weights/weights.h"

/// Any bytes as a checkpoint of a small model: layers whose norms and kernels can be computed, or an InputError of one
/// line; nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ropescope::WeightBytes file{std::as_bytes(std::span(data, size)), nullptr, "fuzzed.safetensors"};
  try {
    ropescope::WeightModel model = ropescope::parse_weight_model(
        R"({"model_type": "qwen3", "head_dim": 4, "hidden_size": 8, "num_attention_heads": 2,
            "num_key_value_heads": 1, "max_position_embeddings": 64})",
        "config.json");
    if (const auto own = ropescope::find_weight_model(file)) model = *own;
    const ropescope::WeightDirectory directory =
        ropescope::make_directory(ropescope::list_weights(file, 0), "fuzzed.safetensors");
    for (const int layer : directory.layers) {
      const auto weights = ropescope::open_layer(directory, layer, model, [&](std::size_t) { return file; });
      const ropescope::WeightRope rope = ropescope::rope_of(model, layer);
      const auto norms = ropescope::pair_norms(ropescope::row_norms(weights, {1}), rope);
      ropescope::weight_contents(weights, rope);
      ropescope::share_spread(norms);
      const int pairs = static_cast<int>(rope.frequencies.size());
      ropescope::compare_rows(weights.query, weights.query, weights.channels, pairs, {1});
    }
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
