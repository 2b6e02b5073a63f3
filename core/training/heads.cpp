#include "core/training/heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/decay/share_work.h"
#include "core/training/long_reading.h"

namespace ropescope {

namespace {

TrainedLayer split_layer(std::span<const float> qkv, std::int64_t tokens, std::int64_t width) {
  TrainedLayer layer;
  for (std::vector<float>* part : {&layer.q, &layer.k, &layer.v}) {
    part->resize(static_cast<std::size_t>(tokens * width));
  }
  for (std::int64_t row = 0; row < tokens; ++row) {
    const float* const from = qkv.data() + row * 3 * width;
    std::copy_n(from, width, layer.q.data() + row * width);
    std::copy_n(from + width, width, layer.k.data() + row * width);
    std::copy_n(from + 2 * width, width, layer.v.data() + row * width);
  }
  return layer;
}

/// The settings with which the registry's encoding gives each head's scores.
std::vector<EncodingSettings> head_settings(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options,
                                            const ParameterLayout& layout, const float* parameters) {
  EncodingSettings settings = beyond_settings(setup, spec, options.method, options.factor);
  settings.heads = setup.heads;
  settings.bidirectional = !setup.task.causal();
  std::vector<EncodingSettings> all;
  for (int head = 0; head < setup.heads; ++head) {
    settings.head = head + 1;
    if (spec.encoding == "kerple") {
      const float* const trained = parameters + layout.positions + 2 * head;
      settings.kerple_r1 = std::exp(static_cast<double>(trained[0]));
      settings.kerple_r2 = std::exp(static_cast<double>(trained[1]));
    }
    all.push_back(settings);
  }
  return all;
}

}  // namespace

bool trains_its_scores(std::string_view encoding) {
  return encoding == "t5" || encoding == "kerple";
}

TrainedHeads look_inside(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                         const LookOptions& options, int threads, const std::stop_token& stop) {
  const ModelShape shape = shape_of(setup, spec);
  const PositionTables tables = beyond_tables(setup, spec, options.method, options.factor);
  require_text(setup, tables.length);
  const auto length = static_cast<std::size_t>(tables.length);
  std::vector<std::int32_t> tokens(length * static_cast<std::size_t>(options.sequence + 1)), targets(tokens.size());
  draw_batch(setup.task, Split::test, 0, 0, tables.length, tokens, targets);
  const auto begin = tokens.end() - static_cast<std::ptrdiff_t>(length);
  const std::span<const std::int32_t> answers = std::span<const std::int32_t>(targets).last(length);
  TrainedHeads result;
  result.tokens = tables.length, result.heads = shape.heads, result.channels = shape.head_width();
  result.token_ids.assign(begin, tokens.end());
  result.causal = shape.causal, result.linear_attention = shape.linear_attention;
  result.random_features = shape.random_features;
  result.encoding = tables.vectors.empty() && tables.trained != TrainedPositions::vectors ? spec.encoding : "none";
  result.settings = head_settings(setup, spec, options, parameter_layout(shape, tables), parameters.data());
  result.losses.resize(length);
  LongReading reading(shape, tables, worker_count(threads));
  const auto keep = [&](int, std::span<const float> qkv) {
    result.layers.push_back(split_layer(qkv, tables.length, shape.width));
  };
  if (!reading.read(parameters, result.token_ids, answers, result.losses, stop, keep)) {
    result.layers.clear();
    return result;
  }
  for (std::size_t i = 0; i < length; ++i) {
    if (answers[i] < 0) result.losses[i] = std::numeric_limits<double>::quiet_NaN();
  }
  if (spec.encoding == "t5") result.trained_biases.assign(reading.biases().begin(), reading.biases().end());
  return result;
}

std::int64_t look_bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options,
                               int threads) {
  BeyondOptions reading;
  reading.method = options.method, reading.factor = options.factor, reading.sequences = options.sequence + 1;
  const std::int64_t tokens = std::int64_t{options.factor} * setup.length;
  return beyond_bytes_wanted(setup, spec, reading, threads) + 16 * tokens + 12 * tokens * setup.layers * setup.width;
}

}  // namespace ropescope
