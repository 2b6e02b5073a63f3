// Losses by position, attention heads and long sequences of trained models. Read beyond.h first.
//
// Contents: Beyond the trained length; Heads; Reading long texts.

#include "core/training/beyond.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/scaling/scaling.h"
#include "core/training/piece.h"

namespace ropescope {

/// Forward pass of a trained model on one sequence of any length. The arithmetic is that of Piece::forward, but memory
/// grows linearly with the length. The tables may be longer than the model's trained length. Not thread-safe.
class LongReading {
 public:
  /// Threads ≥ 1. The results do not depend on their number.
  LongReading(const ModelShape& shape, const PositionTables& tables, int threads);
  /// Returns the bytes that one object and its tables need at that length, as far as they grow with model and length.
  /// `tables`: of the same encoding at any length, because computing long tables is slow.
  static std::int64_t bytes_required(const ModelShape& shape, const PositionTables& tables, std::int64_t length,
                                     int threads);

  /// Receives, layer by layer, q, k and v of all tokens before any position encoding (and before φ): [length ×
  /// 3·width].
  using Seen = std::function<void(int layer, std::span<const float> qkv)>;
  /// Writes the loss of every token with a target ≥ 0 to `losses` [length], in nats, and 0 for the others. Returns
  /// false if cancelled; `losses` is then invalid. `parameters`: in the parameter_layout of the shape.
  bool read(std::span<const float> parameters, std::span<const std::int32_t> tokens,
            std::span<const std::int32_t> targets, std::span<double> losses, const std::stop_token& stop = {},
            const Seen& seen = {});

  /// Returns the biases added to the scores before softmax in the last read(), [heads × (2·length − 1)] by m − n +
  /// length − 1, including trained numbers; empty: none.
  std::span<const float> biases() const { return tables_.biases; }

 private:
  struct Bench {  // working memory of one thread, for some rows at a time
    std::vector<float> normed, hat, inverse, context, weights, raised, bent, logits, room;
  };
  struct Rows {
    std::int64_t begin, count;
  };
  /// Calls work(rows, bench) for all rows; returns false if cancelled.
  template <class Work>
  bool for_rows(const std::stop_token& stop, const Work& work);
  void prepare(Rows rows, const LayerOffsets& at, Bench& bench);
  void sum_features();
  void turn(Rows rows);
  void attend(Rows rows, int head, Bench& bench);
  void bend(Rows rows, const LayerOffsets& at, Bench& bench);
  void compare(Rows rows, std::span<const std::int32_t> targets, std::span<double> losses, Bench& bench);

  ModelShape shape_;
  CellTables<float> tables_;
  ParameterLayout layout_;
  Multiplier<float> multiply_;
  std::int64_t length_, rows_at_once_;
  const float* parameters_ = nullptr;
  std::vector<float> x_, qkv_, sums_;
  std::vector<Bench> benches_;
  std::unique_ptr<ThreadPool> pool_;
};

// --- Beyond the trained length -------------------------------------------------------------------------------------

namespace {

/// Returns the extension that is determined by a factor alone; nullopt if the method needs more.
std::optional<Extension> extension_of(const ScalingMethod& method, double factor) {
  Extension extension{std::string(method.name), {}, {}};
  if (!extends(method.name)) return extension;
  const ScalingField* const own = find_parameter(method, "factor");
  // If the factor is optional, other parameters determine the method's effect.
  if (!method.lists.empty() || (own ? !own->required : !method.depends_on_length)) return std::nullopt;
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.required) extension.numbers.emplace(parameter.name, parameter.initial);
  }
  if (own) extension.numbers["factor"] = factor;
  return fill_defaults(std::move(extension));
}

/// Throws InputError if an encoding limited to the trained length is evaluated beyond it.
void check_beyond_length(const RaceSetup& setup, const RunnerSpec& spec, int factor) {
  if (factor == 1 || !find_encoding(spec.encoding).positions) return;
  throw InputError("training.past_table", {{"encoding", spec.encoding}, {"length", setup.length}});
}

void check_factor(int factor) {
  if (factor >= 1 && factor <= kLargestBeyond) return;
  throw InputError("training.beyond_factor", {{"found", factor}, {"most", kLargestBeyond}});
}

Extension make_extension(const RunnerSpec& spec, std::string_view method, int factor) {
  check_factor(factor);
  const std::vector<std::string_view> methods = beyond_methods(spec);
  if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
    Message::List known;
    for (const std::string_view one : methods) known.push_back(verbatim(one));
    throw InputError("training.beyond_method", {{"method", method}, {"encoding", spec.encoding}, {"known", known}});
  }
  return *extension_of(find_scaling_method(method), factor);
}

/// Cuts buckets of equal size below each multiple of the trained length; the last one of each may be shorter.
std::vector<PositionBucket> cut_buckets(std::int64_t trained, int factor, int most) {
  const std::int64_t each = std::clamp<std::int64_t>(most / factor, 1, trained);
  std::vector<PositionBucket> buckets;
  for (std::int64_t i = 0; i < each * factor; ++i) {
    const std::int64_t begin = i / each * trained, within = i % each;
    buckets.push_back({begin + within * trained / each, begin + (within + 1) * trained / each, 0, 0});
  }
  return buckets;
}

/// Adds the losses of a sequence at the bucket's positions.
void add_losses(std::span<const double> losses, std::span<const std::int32_t> targets, PositionBucket& bucket) {
  for (auto i = static_cast<std::size_t>(bucket.from); i < static_cast<std::size_t>(bucket.to); ++i) {
    if (targets[i] < 0) continue;
    ++bucket.tokens;
    bucket.loss += losses[i];
  }
}

PositionBucket sum_of(std::span<const PositionBucket> sums, std::int64_t from, std::int64_t to) {
  PositionBucket all{from, to, 0, 0};
  for (const PositionBucket& sum : sums) {
    if (sum.from < from || sum.to > to) continue;
    all.tokens += sum.tokens;
    all.loss += sum.loss;
  }
  return all;
}

void divide(PositionBucket& bucket) {
  bucket.loss =
      bucket.tokens > 0 ? bucket.loss / static_cast<double>(bucket.tokens) : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the fields of a runner at s·L. The method scales the base's ladder with factor s, the trained length L and
/// the current length s·L; other fields are unchanged. Dynamic methods use one ladder for the whole sequence, that of
/// its full length, as transformers does in one pass. With s = 1 all methods give bit-identical tables to the runner's
/// own. Throws InputError if s is outside 1…8, if the method is not in beyond_methods(), and as scaled_ladder does (NTK
/// methods for heads of two channels).
EncodingValues beyond_settings(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const Extension extension = make_extension(spec, method, factor);
  EncodingValues settings = spec.settings;
  settings.trained_length = setup.length;
  settings.dim = shape_of(setup, spec).head_width();
  if (!extends(method)) return settings;
  RotarySpec rope;
  rope.head_dim = settings.dim;
  rope.axes[0].rotary_dim = settings.rotary_dim > 0 ? settings.rotary_dim : settings.dim;
  rope.axes[0].base = settings.base;
  rope.trained_length = setup.length;
  rope.extension = extension;
  const double length = static_cast<double>(factor) * setup.length;
  put_ladder(settings, find_encoding(spec.encoding), rope.axes[0], scaled_ladder(rope, 0, length));
  return settings;
}

/// Returns tables of the trained length with the ladder of the longer one. Throws as the long tables would.
PositionTables brief_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const EncodingValues settings = beyond_settings(setup, spec, method, factor);
  check_beyond_length(setup, spec, factor);
  return position_tables(find_encoding(spec.encoding), settings, shape_of(setup, spec), setup.length);
}

// --- Heads ---------------------------------------------------------------------------------------------------------

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

/// Returns the fields with which the registry's encoding computes each head's scores.
std::vector<EncodingValues> head_settings(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options,
                                          const ParameterLayout& layout, const float* parameters) {
  EncodingValues settings = beyond_settings(setup, spec, options.method, options.factor);
  settings.heads = setup.heads;
  settings.bidirectional = !setup.task.causal();
  const bool kernel = find_encoding(spec.encoding).training == Training::trained_kernel;
  std::vector<EncodingValues> all;
  for (int head = 0; head < setup.heads; ++head) {
    settings.head = head + 1;
    if (kernel) {
      const float* const trained = parameters + layout.positions + 2 * head;
      settings.kerple_r1 = std::exp(static_cast<double>(trained[0]));
      settings.kerple_r2 = std::exp(static_cast<double>(trained[1]));
    }
    all.push_back(settings);
  }
  return all;
}

// --- Reading long texts --------------------------------------------------------------------------------------------

/// Returns the number of rows per step, fewer for long rows, to limit memory and the delay of a cancellation.
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
          std::max({multiply.room(width, 4 * width), multiply.room(4 * width, width),
                    multiply.room(width, shape.vocabulary), multiply.room(channels, length),
                    multiply.room(length, channels)})};
}

/// Rotates the pairs of one head's vector by their angles: c₀ = x₀ cos − x₁ sin.
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

std::vector<std::string_view> beyond_methods(const RunnerSpec& spec) {
  std::vector<std::string_view> methods;
  const bool turns = find_encoding(spec.encoding).takes_ladder && !spec.settings.ladder;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (!extends(method.name) || (turns && extension_of(method, 1))) methods.push_back(method.name);
  }
  return methods;
}

PositionTables beyond_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const EncodingValues settings = beyond_settings(setup, spec, method, factor);
  check_beyond_length(setup, spec, factor);
  return position_tables(find_encoding(spec.encoding), settings, shape_of(setup, spec), factor * setup.length);
}

void check_beyond(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  brief_tables(setup, spec, method, factor);
}

void require_text(const RaceSetup& setup, int length) {
  const Task& task = setup.task;
  if (task.kind != TaskKind::text || task.test.size() > static_cast<std::size_t>(length)) return;
  throw InputError("training.text_short", {{"name", task.name},
                                           {"found", task.train.size() + task.test.size()},
                                           {"expected", 10 * (static_cast<std::int64_t>(length) + 1)},
                                           {"length", length}});
}

std::int64_t beyond_bytes_required(const RaceSetup& setup, const RunnerSpec& spec, const BeyondOptions& options,
                                   int threads) {
  const PositionTables tables = brief_tables(setup, spec, options.method, options.factor);
  const std::int64_t length = std::int64_t{options.factor} * setup.length;
  const int sequences = options.sequences > 0 ? options.sequences : setup.test_sequences;
  return LongReading::bytes_required(shape_of(setup, spec), tables, length, threads) + 8 * length * (sequences + 1);
}

BeyondLosses beyond_losses(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                           const BeyondOptions& options, const Work& work) {
  BeyondLosses result;
  result.method = options.method;
  result.extension = make_extension(spec, options.method, options.factor);
  result.trained_length = setup.length, result.length = std::int64_t{options.factor} * setup.length;
  const PositionTables tables = beyond_tables(setup, spec, options.method, options.factor);
  require_text(setup, tables.length);
  const auto length = static_cast<std::size_t>(tables.length);
  const int sequences = options.sequences > 0 ? options.sequences : setup.test_sequences;
  std::vector<std::int32_t> tokens(length * static_cast<std::size_t>(sequences)), targets(tokens.size());
  draw_batch(setup.task, Split::test, 0, 0, tables.length, tokens, targets);
  LongReading reading(shape_of(setup, spec), tables, worker_count(work.threads));
  std::vector<PositionBucket> buckets = cut_buckets(setup.length, options.factor, options.buckets);
  std::vector<double> losses(length);
  for (std::size_t begin = 0; begin < tokens.size(); begin += length) {
    const auto answers = std::span<const std::int32_t>(targets).subspan(begin, length);
    if (!reading.read(parameters, std::span(tokens).subspan(begin, length), answers, losses, work.stop)) return result;
    for (PositionBucket& bucket : buckets) add_losses(losses, answers, bucket);
  }
  result.whole = sum_of(buckets, 0, result.length);
  result.within = sum_of(buckets, 0, result.trained_length);
  result.past = sum_of(buckets, result.trained_length, result.length);
  for (PositionBucket* bucket : {&result.whole, &result.within, &result.past}) divide(*bucket);
  for (PositionBucket& bucket : buckets) divide(bucket);
  result.buckets = std::move(buckets);
  return result;
}

bool trains_its_scores(std::string_view encoding) {
  return trains_scores(find_encoding(encoding).training);
}

TrainedHeads look_inside(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                         const LookOptions& options, const Work& work) {
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
  result.encoding = adds_vectors(tables.training) ? "none" : spec.encoding;
  result.settings = head_settings(setup, spec, options, parameter_layout(shape, tables), parameters.data());
  result.losses.resize(length);
  LongReading reading(shape, tables, worker_count(work.threads));
  const auto keep = [&](int, std::span<const float> qkv) {
    result.layers.push_back(split_layer(qkv, tables.length, shape.width));
  };
  if (!reading.read(parameters, result.token_ids, answers, result.losses, work.stop, keep)) {
    result.layers.clear();
    return result;
  }
  for (std::size_t i = 0; i < length; ++i) {
    if (answers[i] < 0) result.losses[i] = std::numeric_limits<double>::quiet_NaN();
  }
  if (tables.training == Training::trained_buckets)
    result.trained_biases.assign(reading.biases().begin(), reading.biases().end());
  return result;
}

std::int64_t look_bytes_required(const RaceSetup& setup, const RunnerSpec& spec, const LookOptions& options,
                                 int threads) {
  BeyondOptions reading;
  reading.method = options.method, reading.factor = options.factor, reading.sequences = options.sequence + 1;
  const std::int64_t tokens = std::int64_t{options.factor} * setup.length;
  return beyond_bytes_required(setup, spec, reading, threads) + 16 * tokens + 12 * tokens * setup.layers * setup.width;
}

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
  pool_ = std::make_unique<ThreadPool>(static_cast<int>(benches_.size()));
}

std::int64_t LongReading::bytes_required(const ModelShape& shape, const PositionTables& tables, std::int64_t length,
                                         int threads) {
  const std::int64_t width = shape.width;
  const BenchSizes sizes = bench_sizes(shape, length);
  const std::int64_t bench = 3 * sizes.width + 2 * sizes.raised + sizes.weights + sizes.logits + sizes.room + 64;
  const auto doubles = static_cast<std::int64_t>(tables.vectors.size() + tables.biases.size() +
                                                 4 * tables.query_cosine.size() + tables.bucket.size());
  const std::int64_t of_token = (doubles + tables.length - 1) / tables.length;
  const std::int64_t trained = tables.trained_rows == 0 ? 0 : (2 * length + width) * shape.heads;
  // Twice as double, once as float.
  return 4 * (length * (4 * width + shape.heads) + std::max(threads, 1) * bench + trained) + 20 * length * of_token;
}

template <class Work>
bool LongReading::for_rows(const std::stop_token& stop, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  pool_->share(static_cast<std::int64_t>(benches_.size()), [&](std::int64_t worker) {
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

/// Replaces q and k by φ and keeps eq. 19's denominators, from unrotated features.
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

/// Computes the attention outputs of these rows.
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

/// Computes the rest of the layer, from the attention context to the next layer.
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
