#include "core/training/beyond.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/decay/share_work.h"
#include "core/encodings/ladder.h"
#include "core/error.h"
#include "core/scaling/scaling.h"
#include "core/training/long_reading.h"

namespace ropescope {

namespace {

/// The extension that a factor alone fixes; nothing where a method is not of that kind.
std::optional<Extension> extension_of(const ScalingMethod& method, double factor) {
  Extension extension{std::string(method.name), {}, {}};
  if (method.name == "none") return extension;
  const ScalingParameter* const own = find_parameter(method, "factor");
  // Where the factor may be left out, what the method does is said by something else.
  if (!method.lists.empty() || (own ? !own->required : !method.depends_on_length)) return std::nullopt;
  for (const ScalingParameter& parameter : method.parameters) {
    if (parameter.required) extension.numbers.emplace(parameter.name, parameter.initial);
  }
  if (own) extension.numbers["factor"] = factor;
  return with_defaults(std::move(extension));
}

/// One that ends with the trained length has nothing to say past it.
void check_length_beyond(const RaceSetup& setup, const RunnerSpec& spec, int factor) {
  if (factor == 1 || !find_encoding(spec.encoding).positions) return;
  throw InputError("training.past_table", {{"encoding", spec.encoding}, {"length", setup.length}});
}

void check_factor(int factor) {
  if (factor >= 1 && factor <= kLargestBeyond) return;
  throw InputError("training.beyond_factor", {{"found", factor}, {"most", kLargestBeyond}});
}

Extension checked_extension(const RunnerSpec& spec, std::string_view method, int factor) {
  check_factor(factor);
  const std::vector<std::string_view> methods = beyond_methods(spec);
  if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
    Words::List known;
    for (const std::string_view one : methods) known.push_back(as_it_is(one));
    throw InputError("training.beyond_method", {{"method", method}, {"encoding", spec.encoding}, {"known", known}});
  }
  return *extension_of(find_scaling_method(method), factor);
}

/// Buckets of equal size below each multiple of the trained length, the last one of each perhaps shorter.
std::vector<PositionBucket> cut_buckets(std::int64_t trained, int factor, int most) {
  const std::int64_t each = std::clamp<std::int64_t>(most / factor, 1, trained);
  std::vector<PositionBucket> buckets;
  for (std::int64_t i = 0; i < each * factor; ++i) {
    const std::int64_t begin = i / each * trained, within = i % each;
    buckets.push_back({begin + within * trained / each, begin + (within + 1) * trained / each, 0, 0});
  }
  return buckets;
}

/// Adds what a sequence lost at its positions.
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

/// Tables of the trained length with the ladder of the greater one. Throws what the long ones would throw.
PositionTables brief_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const EncodingSettings settings = beyond_settings(setup, spec, method, factor);
  check_length_beyond(setup, spec, factor);
  return position_tables(find_encoding(spec.encoding), settings, shape_of(setup, spec), setup.length);
}

}  // namespace

std::vector<std::string_view> beyond_methods(const RunnerSpec& spec) {
  std::vector<std::string_view> methods;
  const bool turns = find_encoding(spec.encoding).takes_ladder && !spec.settings.ladder;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (method.name == "none" || (turns && extension_of(method, 1))) methods.push_back(method.name);
  }
  return methods;
}

EncodingSettings beyond_settings(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const Extension extension = checked_extension(spec, method, factor);
  EncodingSettings settings = spec.settings;
  settings.trained_length = setup.length;
  settings.dim = shape_of(setup, spec).head_width();
  if (method == "none") return settings;
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

PositionTables beyond_tables(const RaceSetup& setup, const RunnerSpec& spec, std::string_view method, int factor) {
  const EncodingSettings settings = beyond_settings(setup, spec, method, factor);
  check_length_beyond(setup, spec, factor);
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

std::int64_t beyond_bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, const BeyondOptions& options,
                                 int threads) {
  const PositionTables tables = brief_tables(setup, spec, options.method, options.factor);
  const std::int64_t length = std::int64_t{options.factor} * setup.length;
  const int sequences = options.sequences > 0 ? options.sequences : setup.test_sequences;
  return LongReading::bytes_wanted(shape_of(setup, spec), tables, length, threads) + 8 * length * (sequences + 1);
}

BeyondLosses beyond_losses(const RaceSetup& setup, const RunnerSpec& spec, std::span<const float> parameters,
                           const BeyondOptions& options, int threads, const std::stop_token& stop) {
  BeyondLosses result;
  result.method = options.method;
  result.extension = checked_extension(spec, options.method, options.factor);
  result.trained_length = setup.length, result.length = std::int64_t{options.factor} * setup.length;
  const PositionTables tables = beyond_tables(setup, spec, options.method, options.factor);
  require_text(setup, tables.length);
  const auto length = static_cast<std::size_t>(tables.length);
  const int sequences = options.sequences > 0 ? options.sequences : setup.test_sequences;
  std::vector<std::int32_t> tokens(length * static_cast<std::size_t>(sequences)), targets(tokens.size());
  draw_batch(setup.task, Split::test, 0, 0, tables.length, tokens, targets);
  LongReading reading(shape_of(setup, spec), tables, worker_count(threads));
  std::vector<PositionBucket> buckets = cut_buckets(setup.length, options.factor, options.buckets);
  std::vector<double> losses(length);
  for (std::size_t begin = 0; begin < tokens.size(); begin += length) {
    const auto answers = std::span<const std::int32_t>(targets).subspan(begin, length);
    if (!reading.read(parameters, std::span(tokens).subspan(begin, length), answers, losses, stop)) return result;
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

}  // namespace ropescope
