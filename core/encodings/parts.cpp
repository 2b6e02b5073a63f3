// Seeded tables, parts of plans and validation of fields. Read parts.h first.
//
// Contents: Fields and parts; Seeded numbers.

#include "core/encodings/parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Fields and parts ----------------------------------------------------------------------------------------------

namespace {

/// Streams of seeded numbers used by several encodings; streams of a single encoding start at 0.
constexpr std::uint64_t kQueryStream = 100, kKeyStream = 101;

TokenVector sum_vector(int dim, const TokenVector& position) {
  // The weights apply to the position vector alone, so the sum is computed after them.
  return {"sum",
          dim,
          [position](std::span<const double> content, const Place& place, std::span<double> out) {
            form_vector(position, content, place, out);
            for (std::size_t channel = 0; channel < out.size(); ++channel) out[channel] += content[channel];
          },
          {}};
}

/// Returns the two channels of a pair rotated by A·e^{imθ}.
std::pair<double, double> rotate_pair_by(const TurningHead& head, int pair, const Phasor& turn,
                                         std::span<const double> content) {
  const auto [first, second] = pair_channels(head.pairing, pair, head.pair_count());
  const double a = content[static_cast<std::size_t>(first)], b = content[static_cast<std::size_t>(second)];
  return {head.amplitude * (a * turn.cosine - b * turn.sine), head.amplitude * (b * turn.cosine + a * turn.sine)};
}

/// Phasors of all pairs at one position.
struct TurnsAt {
  Eigen::VectorXd frequencies;
  std::int64_t position = 0;
  std::vector<Phasor> turns;
};

/// Returns e^{imθ} for all pairs. The latest result is cached because a token's query and key are rotated equally.
const std::vector<Phasor>& turns_at(const TurningHead& head, std::int64_t position) {
  thread_local TurnsAt last;
  const auto same = [&] {
    return last.position == position && last.frequencies.size() == head.frequencies.size() &&
           std::equal(last.frequencies.begin(), last.frequencies.end(), head.frequencies.begin());
  };
  if (same()) return last.turns;
  last.turns.clear();
  for (const double frequency : head.frequencies) {
    last.turns.push_back(phasor(frequency, static_cast<double>(position)));
  }
  last.frequencies = head.frequencies;
  last.position = position;
  return last.turns;
}

// --- Seeded numbers ------------------------------------------------------------------------------------------------

constexpr int kWaves = 9;
constexpr std::int64_t kMaxEntries = std::int64_t{1} << 26;

SplitMix generator_of(std::uint64_t seed, std::uint64_t stream) {
  // Each stream starts from a mixed state, so the streams of one seed are unrelated.
  SplitMix mixer{seed};
  for (std::uint64_t i = 0; i < stream; ++i) mixer.next();
  return SplitMix{mixer.next()};
}

void fill_normal_seeded(double* begin, std::int64_t count, double level, std::uint64_t seed, std::uint64_t stream) {
  SplitMix generator = generator_of(seed, stream);
  fill_normal(begin, count, level, generator);
}

}  // namespace

double scale_of(const EncodingValues& settings, int parts) {
  return 1 / std::sqrt(static_cast<double>(parts) * settings.dim);
}

TokenVector content_vector(int dim) {
  return {"content",
          dim,
          [](std::span<const double> content, const Place&, std::span<double> out) {
            std::copy(content.begin(), content.end(), out.begin());
          },
          {}};
}

TokenVector place_vector(std::string id, int width, std::function<void(const Place&, std::span<double>)> form,
                         Weights weights) {
  return {std::move(id), width,
          [form = std::move(form)](std::span<const double>, const Place& place, std::span<double> out) {
            form(place, out);
          },
          std::move(weights)};
}

PlanTerm content_content(int dim) {
  return {std::string(kContentContent), Product{content_vector(dim), content_vector(dim)}, true};
}

PlanTerm product_term(std::string_view name, TokenVector query, TokenVector key) {
  return {std::string(name), Product{std::move(query), std::move(key)}, true};
}

PlanTerm bias_term(std::function<double(std::int64_t)> value) {
  return {"bias", Bias{std::move(value)}, false};
}

ScorePlan bias_plan(int dim, const std::function<double(std::int64_t)>& bias) {
  ScorePlan plan;
  plan.terms.push_back(content_content(dim));
  plan.terms.push_back(bias_term(bias));
  plan.values.push_back(
      {"bias", {"bias"}, [bias](std::int64_t distance, std::span<double> out) { out[0] = bias(distance); }, {}});
  return plan;
}

void add_absolute_terms(ScorePlan& plan, const EncodingValues& settings,
                        const std::function<void(const Place&, std::span<double>)>& position_vector) {
  const int dim = settings.dim;
  Weights query_weights, key_weights;
  if (settings.seeded_projections) {
    query_weights = seeded_weights(dim, dim, settings.seed, kQueryStream);
    key_weights = seeded_weights(dim, dim, settings.seed, kKeyStream);
  }
  const TokenVector content = content_vector(dim);
  const TokenVector query = place_vector("position", dim, position_vector, query_weights);
  const TokenVector key = place_vector("position", dim, position_vector, key_weights);
  plan.terms.push_back(content_content(dim));
  plan.terms.push_back(product_term("content-position", content, key));
  plan.terms.push_back(product_term("position-content", query, content));
  plan.terms.push_back(product_term("position-position", query, key));
  plan.encode = Product{sum_vector(dim, query), sum_vector(dim, key)};
}

std::function<void(std::int64_t)> table_check(std::string_view encoding, std::int64_t rows) {
  return [name = std::string(encoding), rows](std::int64_t position) {
    if (position >= 0 && position < rows) return;
    throw InputError(name, position < 0 ? "encodings.before_table" : "encodings.past_table",
                     {{"position", position}, {"rows", rows}});
  };
}

TurningHead turning_head(const EncodingValues& settings, int rotary_dim) {
  if (!settings.ladder) return {{plain_frequencies(rotary_dim, settings.base)}, settings.dim, settings.pairing};
  const auto& [frequencies, amplitude] = *settings.ladder;
  return {
      {Eigen::VectorXd::Map(frequencies.data(), std::ssize(frequencies)), amplitude}, settings.dim, settings.pairing};
}

std::pair<double, double> rotate_vector_pair(const TurningHead& head, int pair, std::span<const double> content,
                                             std::int64_t position) {
  return rotate_pair_by(head, pair, phasor(head.frequencies[pair], static_cast<double>(position)), content);
}

void turn_head(const TurningHead& head, std::span<const double> content, std::int64_t position, std::span<double> out) {
  std::copy(content.begin(), content.end(), out.begin());
  const std::vector<Phasor>& turns = turns_at(head, position);
  for (int pair = 0; pair < head.pair_count(); ++pair) {
    const auto [first, second] = pair_channels(head.pairing, pair, head.pair_count());
    std::tie(out[static_cast<std::size_t>(first)], out[static_cast<std::size_t>(second)]) =
        rotate_pair_by(head, pair, turns[static_cast<std::size_t>(pair)], content);
  }
}

TokenVector make_rotated_vector(const TurningHead& head) {
  return {"turned",
          head.dim,
          [head](std::span<const double> content, const Place& place, std::span<double> out) {
            turn_head(head, content, place.position, out);
          },
          {}};
}

void add_rotation(ScorePlan& plan, const TurningHead& head) {
  const TokenVector turned = make_rotated_vector(head);
  plan.encode = Product{turned, turned};
  plan.rotates_features = true;
  add_rotation_values(plan, head);
}

void add_rotation_values(ScorePlan& plan, const TurningHead& head) {
  const std::pair<const char*, SinusoidPart> parts[] = {
      {"cos", SinusoidPart::cosine}, {"sin", SinusoidPart::sine}, {"angle", SinusoidPart::angle}};
  for (const auto& [name, part] : parts) {
    const Sinusoids sinusoids{head.frequencies, part, head.amplitude};
    plan.values.push_back(
        {name, column_names(sinusoids),
         [sinusoids](std::int64_t position, std::span<double> out) { sinusoid_row(sinusoids, position, out); },
         sinusoids});
  }
}

SmoothTable::SmoothTable(std::int64_t count, int width, double level, std::uint64_t seed, std::uint64_t stream)
    : count_(count), coefficients_(kWaves, width) {
  fill_normal_seeded(coefficients_.data(), coefficients_.size(), 1, seed, stream);
  // The mean of cos² over the rows is 1/2, but 1 for j = 0.
  double mean_square = 0;
  for (int wave = 0; wave < kWaves; ++wave) mean_square += (wave == 0 ? 1.0 : 0.5) / ((1 + wave) * (1 + wave));
  for (int wave = 0; wave < kWaves; ++wave) coefficients_.row(wave) *= level / ((1 + wave) * std::sqrt(mean_square));
}

void SmoothTable::row(std::int64_t r, std::span<double> out) const {
  Eigen::Map<Eigen::RowVectorXd> target(out.data(), static_cast<Eigen::Index>(out.size()));
  if (r < 0 || r >= count_) {
    target.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Eigen::Matrix<double, 1, kWaves> waves;
  const double angle_radians = std::numbers::pi * (static_cast<double>(r) + 0.5) / static_cast<double>(count_);
  for (int wave = 0; wave < kWaves; ++wave) waves[wave] = std::cos(wave * angle_radians);
  target.noalias() = waves * coefficients_;
}

TokenMatrix SmoothTable::all() const {
  if (count_ > kMaxEntries / width()) {
    throw InputError("encodings.table_size", {{"rows", count_}, {"columns", width()}, {"most", kMaxEntries}});
  }
  TokenMatrix table(count_, width());
  for (std::int64_t r = 0; r < count_; ++r) {
    row(r, {table.data() + r * width(), static_cast<std::size_t>(width())});
  }
  return table;
}

Weights seeded_weights(int rows, int columns, std::uint64_t seed, std::uint64_t stream) {
  auto weights = std::make_shared<TokenMatrix>(rows, columns);
  fill_normal_seeded(weights->data(), weights->size(), 1 / std::sqrt(static_cast<double>(columns)), seed, stream);
  return weights;
}

Eigen::VectorXd seeded_vector(int size, double level, std::uint64_t seed, std::uint64_t stream) {
  Eigen::VectorXd vector(size);
  fill_normal_seeded(vector.data(), size, level, seed, stream);
  return vector;
}

Message describe_matrix_dim_error(const Encoding& encoding, const EncodingValues& settings) {
  constexpr int kLargest = 2048;
  if (!is_valid(encoding_settings::kDim, settings.dim)) return describe_valid_values(encoding_settings::kDim);
  const bool has_matrices = settings.seeded_projections || !takes(encoding, encoding_settings::kSeededProjections.name);
  return has_matrices && settings.dim > kLargest ? Message("encodings.matrix_dim", {{"most", kLargest}}) : Message();
}

Message describe_head_error(const Encoding&, const EncodingValues& settings) {
  NumberField one_of_them = encoding_settings::kHead;
  one_of_them.maximum = settings.heads;
  return is_valid(one_of_them, settings.head) ? Message() : describe_valid_values(one_of_them);
}

}  // namespace ropescope
