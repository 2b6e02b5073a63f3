#include <cmath>

#include "app/resources/dumps.h"
#include "app/views/attention/inputs.h"
#include "app/views/attention/layers.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Calls work(dump) with a layer of a file that stays the same meanwhile, and keeps what is wrong with it as
/// `result.fault`. False: stopped.
template <class Result, class Work>
bool with_layer(const LayerOfFile& of, const std::stop_token& stop, Result& result, const Work& work) {
  try {
    DumpReading reading = bounded_reading(of.file.path, stop);
    reading.layer = of.layer;
    reading.values = false;
    const LoadedDump loaded = load_attention_dump(of.file.path, reading);
    work(loaded.dump);
    loaded.file->check_unchanged();
  } catch (const InputError& error) {
    result.fault = error.words();
  }
  return !stop.stop_requested();
}

std::size_t bytes_of(const std::vector<PairMeans>& heads) {
  std::size_t bytes = 0;
  for (const PairMeans& head : heads) bytes += static_cast<std::size_t>(head.size.size()) * 3 * sizeof(double);
  return bytes;
}

}  // namespace

std::shared_ptr<const DumpShape> DumpShapeInput::compute(int, const std::stop_token& stop) const {
  auto result = std::make_shared<DumpShape>();
  try {
    const auto mapped = map_file(file.path);
    result->layers = dump_layers(mapped->bytes(), file.path);
    result->numbered = !result->layers.empty();
    DumpReading reading = bounded_reading(file.path, stop);
    reading.values = false;
    reading.shapes = true;
    const AttentionDump dump = parse_attention_dump(mapped->bytes(), mapped, file.path, reading);
    mapped->check_unchanged();
    result->tokens = dump.tokens;
    result->heads = dump.heads;
    result->key_heads = dump.key_heads;
    result->head_dim = dump.head_dim;
    if (!result->numbered) result->layers = {0};
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  if (stop.stop_requested()) return nullptr;
  return result;
}

std::size_t MeansOfLayer::bytes() const {
  return bytes_of(means.queries) + bytes_of(means.keys);
}

std::shared_ptr<const MeansOfLayer> MeansInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<MeansOfLayer>();
  const bool finished = with_layer(of, stop, *result, [&](const AttentionDump& dump) {
    result->means = layer_means(dump, of.tokens, pairing, pair_count, threads, stop);
  });
  return finished ? result : nullptr;
}

std::size_t ScoresOfLayer::bytes() const {
  std::size_t bytes = 0;
  for (const HeadScores& head : heads) bytes += static_cast<std::size_t>(head.mean.size()) * 3 * sizeof(double);
  return bytes;
}

double ScoresInput::cost() const {
  const auto tokens = static_cast<double>(of.tokens), pairs = static_cast<double>(frequencies.size());
  return 1e6 + static_cast<double>(count) * pairs * tokens * (60 + 6 * std::log2(tokens + 1));
}

std::shared_ptr<const ScoresOfLayer> ScoresInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<ScoresOfLayer>();
  const bool finished = with_layer(of, stop, *result, [&](const AttentionDump& dump) {
    const Eigen::Map<const Eigen::VectorXd> ladder(frequencies.data(), std::ssize(frequencies));
    const HeadTurns turns = head_turns(ladder, std::min(of.tokens, dump.tokens), pairing, factor);
    result->heads = layer_scores(dump, first, count, of.tokens, turns, threads, stop);
  });
  return finished ? result : nullptr;
}

}  // namespace ropescope
