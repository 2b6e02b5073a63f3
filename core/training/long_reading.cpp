#include "core/training/long_reading.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace ropescope {

namespace {

/// Rows that are taken at a time: few where they are long, so that weights take little room and a stop is heard soon.
std::int64_t rows_at_once(std::int64_t length) {
  return std::clamp<std::int64_t>((std::int64_t{1} << 20) / length, 16, 64);
}

struct BenchSizes {
  std::int64_t width, raised, weights, logits, room;
};
BenchSizes bench_sizes(const ModelShape& shape, std::int64_t length) {
  const Multiplier<float> multiply;
  const std::int64_t width = shape.width, rows = rows_at_once(length), channels = shape.head_width();
  return {rows * width, rows * 4 * width, rows * length, rows * shape.vocabulary,
          std::max({multiply.room(rows, width, 4 * width), multiply.room(rows, 4 * width, width),
                    multiply.room(rows, width, shape.vocabulary), multiply.room(rows, channels, length),
                    multiply.room(rows, length, channels)})};
}

/// The pairs of one head's vector, turned by their angles: c₀ = x₀ cos − x₁ sin.
void turn_vector(const float* cosine, const float* sine, const PositionTables& tables, float* x) {
  const int apart = tables.half_split ? tables.pairs : 1, step = tables.half_split ? 1 : 2;
  for (int pair = 0; pair < tables.pairs; ++pair) {
    float& first = x[pair * step];
    float& second = x[pair * step + apart];
    const float turned = cosine[pair] * first - sine[pair] * second;
    second = sine[pair] * first + cosine[pair] * second;
    first = turned;
  }
}

std::size_t at_row(std::int64_t row, std::int64_t width) {
  return static_cast<std::size_t>(row * width);
}

}  // namespace

LongReading::LongReading(const ModelShape& shape, const PositionTables& tables, int threads)
    : shape_(shape),
      tables_(tables, shape),
      layout_(parameter_layout(shape, tables)),
      length_(tables.length),
      rows_at_once_(rows_at_once(tables.length)) {
  x_.resize(at_row(length_, shape.width));
  qkv_.resize(at_row(length_, 3 * shape.width));
  if (shape.linear_attention) sums_.resize(at_row(length_, shape.heads));
  const std::int64_t blocks = (length_ + rows_at_once_ - 1) / rows_at_once_;
  benches_.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(threads, 1, blocks)));
  const BenchSizes sizes = bench_sizes(shape, length_);
  for (Bench& bench : benches_) {
    for (std::vector<float>* cells : {&bench.normed, &bench.hat, &bench.context}) {
      cells->resize(static_cast<std::size_t>(sizes.width));
    }
    bench.inverse.resize(static_cast<std::size_t>(rows_at_once_));
    bench.weights.resize(static_cast<std::size_t>(sizes.weights));
    bench.raised.resize(static_cast<std::size_t>(sizes.raised)), bench.bent.resize(bench.raised.size());
    bench.logits.resize(static_cast<std::size_t>(sizes.logits));
    bench.room.resize(static_cast<std::size_t>(sizes.room));
  }
  crew_ = std::make_unique<Crew>(static_cast<int>(benches_.size()));
}

std::int64_t LongReading::bytes_wanted(const ModelShape& shape, const PositionTables& tables, std::int64_t length,
                                       int threads) {
  const std::int64_t width = shape.width;
  const BenchSizes sizes = bench_sizes(shape, length);
  const std::int64_t bench = 3 * sizes.width + 2 * sizes.raised + sizes.weights + sizes.logits + sizes.room + 64;
  const auto doubles = static_cast<std::int64_t>(tables.vectors.size() + tables.biases.size() +
                                                 4 * tables.query_cosine.size() + tables.bucket.size());
  const std::int64_t of_token = (doubles + tables.length - 1) / tables.length;
  const std::int64_t trained = tables.trained == TrainedPositions::none ? 0 : (2 * length + width) * shape.heads;
  // Twice as double, once as float.
  return 4 * (length * (4 * width + shape.heads) + std::max(threads, 1) * bench + trained) + 20 * length * of_token;
}

template <class Work>
bool LongReading::for_rows(const std::stop_token& stop, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  crew_->share(static_cast<std::int64_t>(benches_.size()), [&](std::int64_t worker) {
    Bench& bench = benches_[static_cast<std::size_t>(worker)];
    for (std::int64_t begin = next.fetch_add(rows_at_once_); begin < length_; begin = next.fetch_add(rows_at_once_)) {
      if (stop.stop_requested()) return;
      work(Rows{begin, std::min(rows_at_once_, length_ - begin)}, bench);
    }
  });
  return !stop.stop_requested();
}

bool LongReading::read(std::span<const float> parameters, std::span<const std::int32_t> tokens,
                       std::span<const std::int32_t> targets, std::span<double> losses, const std::stop_token& stop,
                       const Seen& seen) {
  parameters_ = parameters.data();
  tables_.take(layout_, parameters_);
  const std::int64_t width = shape_.width;
  const auto factor = static_cast<float>(std::sqrt(static_cast<double>(width)));
  for (std::int64_t row = 0; row < length_; ++row) {
    const float* const token = parameters_ + layout_.tokens + tokens[static_cast<std::size_t>(row)] * width;
    float* const x = &x_[at_row(row, width)];
    for (std::int64_t i = 0; i < width; ++i) x[i] = token[i] * factor;
    if (!tables_.vectors.empty()) add_cells(&tables_.vectors[at_row(row, width)], x, width);
  }
  for (int layer = 0; layer < shape_.layers; ++layer) {
    const LayerOffsets& at = layout_.layers[static_cast<std::size_t>(layer)];
    if (!for_rows(stop, [&](Rows rows, Bench& bench) { prepare(rows, at, bench); })) return false;
    if (seen) seen(layer, qkv_);
    if (shape_.linear_attention) sum_features();
    if (!for_rows(stop, [&](Rows rows, Bench&) { turn(rows); })) return false;
    const bool went = for_rows(stop, [&](Rows rows, Bench& bench) {
      for (int head = 0; head < shape_.heads && !stop.stop_requested(); ++head) attend(rows, head, bench);
      bend(rows, at, bench);
    });
    if (!went) return false;
  }
  std::fill(losses.begin(), losses.end(), 0.0);
  return for_rows(stop, [&](Rows rows, Bench& bench) { compare(rows, targets, losses, bench); });
}

void LongReading::prepare(Rows rows, const LayerOffsets& at, Bench& bench) {
  const std::int64_t width = shape_.width;
  float* const qkv = &qkv_[at_row(rows.begin, 3 * width)];
  normalize_rows<float>({rows.count, width, parameters_ + at.norm_gain, parameters_ + at.norm_shift, bench.hat.data(),
                         bench.inverse.data()},
                        &x_[at_row(rows.begin, width)], bench.normed.data());
  multiply_.plain(cells<const float>(bench.normed.data(), rows.count, width),
                  cells(parameters_ + at.qkv, width, 3 * width), cells(qkv, rows.count, 3 * width), false,
                  bench.room.data());
  add_to_rows(parameters_ + at.qkv_bias, qkv, rows.count, 3 * width);
}

/// φ takes the place of q and k, and eq. 19's denominators, of features that nothing has turned, are kept.
void LongReading::sum_features() {
  const std::int64_t width = shape_.width, channels = shape_.head_width();
  std::vector<float> keys(static_cast<std::size_t>(width));
  for (std::int64_t row = 0; row < length_; ++row) {
    float* const q = &qkv_[at_row(row, 3 * width)];
    take_features(tables_, shape_, q);
    if (!shape_.causal) add_cells<float>(q + width, keys.data(), width);
  }
  for (std::int64_t row = 0; row < length_; ++row) {
    const float* const q = &qkv_[at_row(row, 3 * width)];
    if (shape_.causal) add_cells(q + width, keys.data(), width);
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      float sum = 0;
      for (std::int64_t i = head * channels; i < (head + 1) * channels; ++i) {
        sum += q[i] * keys[static_cast<std::size_t>(i)];
      }
      sums_[at_row(row, shape_.heads) + static_cast<std::size_t>(head)] = sum;
    }
  }
}

void LongReading::turn(Rows rows) {
  const std::int64_t width = shape_.width;
  const PositionTables& tables = tables_.from;
  const float scale = shape_.linear_attention ? 1.0f : static_cast<float>(tables.scale);
  for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
    float* const query = &qkv_[at_row(row, 3 * width)];
    const std::size_t at = at_row(row, tables.pairs);
    for (int head = 0; head < shape_.heads && tables.pairs > 0; ++head) {
      float* const q = query + head * shape_.head_width();
      turn_vector(&tables_.query_cosine[at], &tables_.query_sine[at], tables, q);
      turn_vector(&tables_.key_cosine[at], &tables_.key_sine[at], tables, q + width);
    }
    for (std::int64_t i = 0; i < width; ++i) query[i] *= scale;
  }
}

/// What these rows take from all that they see.
void LongReading::attend(Rows rows, int head, Bench& bench) {
  const std::int64_t width = shape_.width, channels = shape_.head_width();
  const std::int64_t seen = shape_.causal ? rows.begin + rows.count : length_;
  const float* const keys = qkv_.data() + width + head * channels;
  float* const weights = bench.weights.data();
  multiply_.by_transposed({&qkv_[at_row(rows.begin, 3 * width)] + head * channels, rows.count, channels, 3 * width},
                          {keys, seen, channels, 3 * width}, cells(weights, rows.count, seen), false,
                          bench.room.data());
  for (std::int64_t i = 0; i < rows.count; ++i) {
    float* const row = weights + i * seen;
    const std::int64_t m = rows.begin + i;
    if (shape_.linear_attention) {
      if (shape_.causal) std::fill(row + m + 1, row + seen, 0.0f);
    } else if (!tables_.biases.empty()) {
      const float* const biases = tables_.biases.data() + head * (2 * length_ - 1) + m + length_ - 1;
      for (std::int64_t n = 0; n < seen; ++n) row[n] += *(biases - n);
    }
  }
  if (!shape_.linear_attention) {
    softmax_rows(weights, rows.count, seen, shape_.causal ? rows.begin + 1 : seen, std::int64_t{shape_.causal});
  }
  float* const context = bench.context.data() + head * channels;
  multiply_.plain(cells<const float>(weights, rows.count, seen), {keys + width, seen, channels, 3 * width},
                  {context, rows.count, channels, width}, false, bench.room.data());
  for (std::int64_t i = 0; i < rows.count && shape_.linear_attention; ++i) {
    const float sum = sums_[at_row(rows.begin + i, shape_.heads) + static_cast<std::size_t>(head)];
    for (std::int64_t c = 0; c < channels; ++c) context[i * width + c] /= sum;
  }
}

/// From the context to the next layer.
void LongReading::bend(Rows rows, const LayerOffsets& at, Bench& bench) {
  const std::int64_t width = shape_.width, wide = 4 * width;
  const auto x = cells(&x_[at_row(rows.begin, width)], rows.count, width);
  float* const room = bench.room.data();
  multiply_.plain(cells<const float>(bench.context.data(), rows.count, width),
                  cells(parameters_ + at.out, width, width), x, true, room);
  add_to_rows(parameters_ + at.out_bias, x.data, rows.count, width);
  normalize_rows<float>({rows.count, width, parameters_ + at.mlp_gain, parameters_ + at.mlp_shift, bench.hat.data(),
                         bench.inverse.data()},
                        x.data, bench.normed.data());
  multiply_.plain(cells<const float>(bench.normed.data(), rows.count, width), cells(parameters_ + at.up, width, wide),
                  cells(bench.raised.data(), rows.count, wide), false, room);
  add_to_rows(parameters_ + at.up_bias, bench.raised.data(), rows.count, wide);
  gelu<float>(bench.raised.data(), bench.bent.data(), rows.count * wide);
  multiply_.plain(cells<const float>(bench.bent.data(), rows.count, wide), cells(parameters_ + at.down, wide, width), x,
                  true, room);
  add_to_rows(parameters_ + at.down_bias, x.data, rows.count, width);
}

void LongReading::compare(Rows rows, std::span<const std::int32_t> targets, std::span<double> losses, Bench& bench) {
  const std::int64_t width = shape_.width;
  normalize_rows<float>({rows.count, width, parameters_ + layout_.gain, parameters_ + layout_.shift, bench.hat.data(),
                         bench.inverse.data()},
                        &x_[at_row(rows.begin, width)], bench.normed.data());
  std::int64_t wanted = 0;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    if (targets[static_cast<std::size_t>(rows.begin + i)] < 0) continue;
    std::copy_n(bench.normed.data() + i * width, width, bench.context.data() + wanted++ * width);
  }
  if (wanted == 0) return;
  multiply_.by_transposed(cells<const float>(bench.context.data(), wanted, width),
                          cells(parameters_ + layout_.tokens, shape_.vocabulary, width),
                          cells(bench.logits.data(), wanted, shape_.vocabulary), false, bench.room.data());
  float* logits = bench.logits.data();
  for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
    const std::int32_t target = targets[static_cast<std::size_t>(row)];
    if (target < 0) continue;
    losses[static_cast<std::size_t>(row)] = cross_entropy(logits, shape_.vocabulary, target, 0.0f);
    logits += shape_.vocabulary;
  }
}

}  // namespace ropescope
