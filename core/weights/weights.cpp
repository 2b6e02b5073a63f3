// Norms, kernels and row orders. Read weights.h first.
//
// Contents: Weights; Norms; Kernels; Order of rows.

#include "core/weights/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decay/analysis.h"
#include "core/message.h"
#include "core/rotary/rotation.h"

namespace ropescope {

// --- Weights -------------------------------------------------------------------------------------------------------

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRowsRead = 16;

using RowsAtOnce = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Reads some rows. Throws InputError if a number is not finite.
void read_finite(const WeightRows& weight, std::int64_t first, RowsAtOnce& rows) {
  weight.read(first, rows.rows(), rows.data());
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (!rows.row(row).allFinite()) throw InputError(weight.name, "weights.not_finite", {{"row", first + row}});
  }
}

/// Calls take(head, channel, row) for every row of all heads, on several threads, each head on one.
template <class Take>
void for_each_row(const Projection& part, int channels, const Work& work, const Take& take) {
  const auto one_head = [&](std::int64_t head, std::int64_t) {
    RowsAtOnce rows;
    for (std::int64_t first = 0; first < channels && !work.stopped(); first += kRowsRead) {
      rows.resize(std::min<std::int64_t>(kRowsRead, channels - first), part.weight.columns);
      read_finite(part.weight, part.heads[static_cast<std::size_t>(head)] + first, rows);
      for (Eigen::Index row = 0; row < rows.rows(); ++row) take(head, first + row, rows.row(row));
    }
  };
  parallel_for_blocks(static_cast<std::int64_t>(part.heads.size()), 1, work, one_head);
}

/// Returns the numbers of a head in a vector over all heads.
Eigen::VectorXd vector_of_head(const Eigen::VectorXd& all, std::size_t head, int channels) {
  return all.segment(static_cast<Eigen::Index>(head) * channels, channels);
}

// --- Norms ---------------------------------------------------------------------------------------------------------

Eigen::MatrixXd norms_of(const Projection& part, int channels, const Work& work) {
  Eigen::MatrixXd norms(static_cast<Eigen::Index>(part.heads.size()), channels);
  for_each_row(part, channels, work, [&](std::int64_t head, std::int64_t channel, const auto& row) {
    const double gain = part.norm.size() > 0 ? std::abs(part.norm[head * channels + channel]) : 1;
    norms(head, channel) =
        gain * (part.input.size() > 0 ? row.cwiseProduct(part.input.transpose()).norm() : row.norm());
  });
  return norms;
}

Eigen::MatrixXd norms_by_pair(const Eigen::MatrixXd& rows, const WeightRope& rope) {
  const auto pairs = static_cast<int>(rope.frequencies.size());
  Eigen::MatrixXd norms(rows.rows(), pairs);
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [first, second] = pair_channels(rope.pairing, pair, pairs);
    norms.col(pair) = (rows.col(first).array().square() + rows.col(second).array().square()).sqrt();
  }
  return norms;
}

// --- Order of rows -------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 7> kRowOrderWords = {
    "same", "to-adjacent", "to-halves", "to-adjacent-twice", "to-halves-twice", "other", "different"};
constexpr RowOrder kNamedOrders[] = {RowOrder::same, RowOrder::to_adjacent, RowOrder::to_halves,
                                     RowOrder::to_adjacent_twice, RowOrder::to_halves_twice};

/// Squared relative differences: rows of four-bit formats differ by at most some 0.02, unrelated rows by 2.
constexpr double kSameRows = 0.25;
/// Relative difference of a head's biases or norm weights. Rounding to F16 or BF16 gives at most 0.008, to Q8_0 at most
/// √32/254 = 0.0223 (0.0143 was measured), a wrong order 0.04 and more, for norm weights that scatter by 3 % around 1,
/// 0.03. Q4_0 gives 0.03 to 0.2 and cannot be told from a wrong order. tests/audit/rounded_vectors.py measures them.
constexpr double kSameVectors = 0.0225;
/// Heads whose vectors are smaller than the largest one's by this factor are compared with this much of it.
constexpr double kSmallHead = 1e-3;
/// Columns that rows are first compared by.
constexpr std::int64_t kSketched = 64;

/// Returns the channel of the original that is at a place in the reordered head.
std::vector<int> reordered_channels(RowOrder order, int channels, int pairs) {
  std::vector<int> once(static_cast<std::size_t>(channels)), twice(once.size());
  for (int c = 0; c < channels; ++c) once[static_cast<std::size_t>(c)] = c;
  const bool adjacent = order == RowOrder::to_adjacent || order == RowOrder::to_adjacent_twice;
  for (int pair = 0; pair < pairs && order != RowOrder::same; ++pair) {
    const auto place = static_cast<std::size_t>(pair), count = static_cast<std::size_t>(pairs);
    if (adjacent) {
      once[2 * place] = pair;
      once[2 * place + 1] = pair + pairs;
    } else {
      once[place] = 2 * pair;
      once[place + count] = 2 * pair + 1;
    }
  }
  if (order != RowOrder::to_adjacent_twice && order != RowOrder::to_halves_twice) return once;
  for (std::size_t c = 0; c < once.size(); ++c) twice[c] = once[static_cast<std::size_t>(once[c])];
  return twice;
}

/// Reads some columns of all heads' rows [heads · channels × columns].
RowsAtOnce sketch_of(const Projection& part, int channels, const Work& work) {
  const std::int64_t count = std::min(kSketched, part.weight.columns);
  RowsAtOnce sketch(static_cast<Eigen::Index>(part.heads.size()) * channels, count);
  for_each_row(part, channels, work, [&](std::int64_t head, std::int64_t channel, const auto& row) {
    for (std::int64_t i = 0; i < count; ++i) {
      sketch(head * channels + channel, i) = row[i * part.weight.columns / count];
    }
  });
  return sketch;
}

/// Returns Σ(a − b)²/Σa² of two heads, with b's channels reordered.
double head_difference(const RowsAtOnce& a, std::size_t head_a, const RowsAtOnce& b, std::size_t head_b,
                       const std::vector<int>& order) {
  const auto channels = static_cast<Eigen::Index>(order.size());
  double difference = 0, size = 0;
  for (Eigen::Index c = 0; c < channels; ++c) {
    const auto row = a.row(static_cast<Eigen::Index>(head_a) * channels + c);
    const auto other = b.row(static_cast<Eigen::Index>(head_b) * channels + order[static_cast<std::size_t>(c)]);
    difference += (row - other).squaredNorm();
    size += row.squaredNorm();
  }
  return size > 0 ? difference / size : difference > 0 ? std::numeric_limits<double>::infinity() : 0;
}

/// Finds the head of b in the place of each head of a; the head in the same place if it fits. Empty if a head has none.
std::vector<int> match_heads(const RowsAtOnce& a, const RowsAtOnce& b, std::size_t heads,
                             const std::vector<int>& order) {
  std::vector<int> found;
  std::vector<bool> taken(heads, false);
  for (std::size_t head = 0; head < heads; ++head) {
    std::size_t best = head;
    double least = head_difference(a, head, b, head, order);
    for (std::size_t other = 0; other < heads && !(least < kSameRows); ++other) {
      const double difference = head_difference(a, head, b, other, order);
      if (difference < least && !taken[other]) best = other, least = difference;
    }
    if (!(least < kSameRows) || taken[best]) return {};
    taken[best] = true;
    found.push_back(static_cast<int>(best));
  }
  return found;
}

/// Compares biases or norm weights, in the order of the rows. `neutral` is the value of a file without them.
std::optional<double> compare_vectors(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double neutral,
                                      const std::vector<int>& order, const std::vector<int>& heads) {
  if (a.size() == 0 && b.size() == 0) return std::nullopt;
  const auto channels = static_cast<int>(order.size());
  const auto of_head = [&](const Eigen::VectorXd& all, std::size_t head) -> Eigen::VectorXd {
    if (all.size() == 0) return Eigen::VectorXd::Constant(channels, neutral);
    return vector_of_head(all, head, channels);
  };
  Eigen::VectorXd differences(std::ssize(heads)), sizes(std::ssize(heads));
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const Eigen::VectorXd one = of_head(a, head), other = of_head(b, static_cast<std::size_t>(heads[head]))(order);
    differences[static_cast<Eigen::Index>(head)] = (one - other).norm();
    sizes[static_cast<Eigen::Index>(head)] = std::max(one.norm(), other.norm());
  }
  if (differences.maxCoeff() == 0) return 0;
  return differences.cwiseQuotient(sizes.cwiseMax(kSmallHead * sizes.maxCoeff())).maxCoeff();
}

/// Returns whether most of some rows of a are somewhere in b.
bool has_rows_of(const RowsAtOnce& a, const RowsAtOnce& b) {
  constexpr Eigen::Index kSampled = 64;
  const Eigen::Index count = std::min(kSampled, a.rows());
  Eigen::Index found = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto row = a.row(i * a.rows() / count);
    const double nearest = (b.rowwise() - row).rowwise().squaredNorm().minCoeff();
    if (nearest < kSameRows * row.squaredNorm()) ++found;
  }
  return 2 * found > count;
}

/// Returns √(Σ(a − b)²/Σa²) over all columns.
double measure_difference(const Projection& a, const Projection& b, const std::vector<int>& order,
                          const std::vector<int>& heads, const Work& work) {
  const auto channels = static_cast<int>(order.size());
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(heads.size()), 2);
  for_each_row(a, channels, work, [&](std::int64_t head, std::int64_t channel, const auto& row) {
    RowsAtOnce other(1, b.weight.columns);
    const auto place = static_cast<std::size_t>(heads[static_cast<std::size_t>(head)]);
    read_finite(b.weight, b.heads[place] + order[static_cast<std::size_t>(channel)], other);
    sums(head, 0) += (row - other.row(0)).squaredNorm();
    sums(head, 1) += row.squaredNorm();
  });
  return std::sqrt(sums.col(0).sum() / sums.col(1).sum());
}

}  // namespace

std::size_t key_head(const LayerWeights& weights, std::size_t head) {
  return head * weights.key.heads.size() / weights.query.heads.size();
}

LayerNorms row_norms(const LayerWeights& weights, const Work& work) {
  LayerNorms norms{weights.layer, norms_of(weights.query, weights.channels, work),
                   norms_of(weights.key, weights.channels, work)};
  if (work.stopped()) return {weights.layer, {}, {}};
  return norms;
}

Eigen::MatrixXd pair_norms(const LayerNorms& norms, const WeightRope& rope) {
  Eigen::MatrixXd products = norms_by_pair(norms.query, rope);
  const Eigen::MatrixXd key = norms_by_pair(norms.key, rope);
  for (Eigen::Index head = 0; head < products.rows(); ++head) {
    products.row(head).array() *= key.row(head * key.rows() / products.rows()).array();
  }
  return products;
}

std::vector<HeadShares> head_shares(int layer, const Eigen::MatrixXd& pair_norms, const WeightRope& rope,
                                    double fast_wavelength) {
  std::vector<HeadShares> shares;
  for (Eigen::Index head = 0; head < pair_norms.rows(); ++head) {
    const double sum = rope.rotates ? pair_norms.row(head).sum() : 0;
    double fast = 0, slow = 0;
    for (Eigen::Index pair = 0; pair < pair_norms.cols(); ++pair) {
      const double length = wavelength(rope.frequencies[pair]);
      if (length < fast_wavelength) fast += pair_norms(head, pair);
      if (rope.trained_length && is_unfinished(rope.trained[pair], *rope.trained_length))
        slow += pair_norms(head, pair);
    }
    shares.push_back({layer, static_cast<int>(head), sum > 0 ? fast / sum : kUndefined,
                      sum > 0 && rope.trained_length ? slow / sum : kUndefined});
  }
  return shares;
}

std::size_t sort_positional_first(std::vector<HeadShares>& heads) {
  std::stable_sort(heads.begin(), heads.end(), [](const HeadShares& a, const HeadShares& b) {
    // Undefined shares are last.
    const auto rank = [](const HeadShares& head) { return std::isnan(head.fast) ? -1 : head.fast; };
    return rank(a) > rank(b);
  });
  const auto undefined = std::ranges::count_if(heads, [](const HeadShares& head) { return std::isnan(head.fast); });
  return heads.size() - static_cast<std::size_t>(undefined);
}

double quantile(std::vector<double> numbers, double share) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.empty()) return kUndefined;
  std::ranges::sort(numbers);
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (place - static_cast<double>(below)) * (numbers[above] - numbers[below]);
}

Eigen::MatrixXd share_spread(const Eigen::MatrixXd& pair_norms) {
  constexpr int kQuantiles = 5;
  const Eigen::VectorXd sums = pair_norms.rowwise().sum();
  Eigen::MatrixXd spread(kQuantiles, pair_norms.cols());
  for (Eigen::Index pair = 0; pair < pair_norms.cols(); ++pair) {
    std::vector<double> shares;
    for (Eigen::Index head = 0; head < sums.size(); ++head) {
      if (sums[head] > 0) shares.push_back(pair_norms(head, pair) / sums[head]);
    }
    for (int i = 0; i < kQuantiles; ++i) {
      spread(i, pair) = quantile(shares, static_cast<double>(i) / (kQuantiles - 1));
    }
  }
  return spread;
}

std::optional<WeightContent> weight_content(const LayerWeights& weights, const WeightRope& rope, std::size_t head) {
  const Projection &query = weights.query, &key = weights.key;
  const bool norms = query.norm.size() > 0 || key.norm.size() > 0;
  const Eigen::VectorXd &of_query = norms ? query.norm : query.bias, &of_key = norms ? key.norm : key.bias;
  if (!rope.rotates || of_query.size() == 0 || of_key.size() == 0) return std::nullopt;
  const Eigen::VectorXd q = vector_of_head(of_query, head, weights.channels);
  const Eigen::VectorXd k = vector_of_head(of_key, key_head(weights, head), weights.channels);
  const auto pairs = static_cast<int>(rope.frequencies.size());
  Eigen::VectorXcd phasors(pairs);
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [first, second] = pair_channels(rope.pairing, pair, pairs);
    phasors[pair] = norms ? std::complex(q[first] * k[first] + q[second] * k[second])
                          : std::complex(q[first], q[second]) * std::conj(std::complex(k[first], k[second]));
  }
  phasors *= rope.amplitude * rope.amplitude;
  const Eigen::Index fixed = weights.channels - 2 * pairs;
  WeightContent made{norms ? KernelOf::norms : KernelOf::biases,
                     {phasors.cwiseAbs(), phasors.array().arg()},
                     phasors.cwiseAbs().sum(),
                     q.tail(fixed).dot(k.tail(fixed))};
  return made.total > 0 && std::isfinite(made.total) ? std::optional(std::move(made)) : std::nullopt;
}

std::vector<std::optional<WeightContent>> weight_contents(const LayerWeights& weights, const WeightRope& rope) {
  std::vector<std::optional<WeightContent>> contents;
  for (std::size_t head = 0; head < weights.query.heads.size(); ++head) {
    contents.push_back(weight_content(weights, rope, head));
  }
  if (std::ranges::none_of(contents, [](const auto& content) { return content.has_value(); })) contents.clear();
  return contents;
}

std::vector<double> kernel_distances(double span) {
  constexpr double kPerDecade = 64;
  std::vector<double> distances = {0};
  const double step = std::pow(10.0, 1 / kPerDecade);
  for (double distance = 1; distance < span; distance = std::max(distance + 1, std::round(distance * step))) {
    distances.push_back(distance);
  }
  distances.push_back(std::floor(span));
  return distances;
}

WeightKernel weight_kernel(const WeightContent& content, const WeightRope& rope, std::span<const double> distances) {
  WeightKernel kernel;
  const double factor = bound_factor(content.content, rope.frequencies.size());
  for (const double distance : distances) {
    kernel.values.push_back(content.total * similarity(rope.frequencies, distance, content.content) + content.constant);
    const double abel = factor * abel_bound(rope.frequencies, distance);
    kernel.bounds.push_back(content.total * std::min(1.0, abel) + std::abs(content.constant));
  }
  return kernel;
}

std::string_view row_order_word(RowOrder order) {
  return kRowOrderWords[static_cast<std::size_t>(order)];
}

bool is_same_order(RowOrder a, RowOrder b, int channels, int pairs) {
  const auto is_named = [](RowOrder order) { return std::ranges::count(kNamedOrders, order) > 0; };
  if (!is_named(a) || !is_named(b)) return a == b;
  return reordered_channels(a, channels, pairs) == reordered_channels(b, channels, pairs);
}

bool RowComparison::bias_fits() const {
  return !(bias_difference > kSameVectors);
}

bool RowComparison::norm_fits() const {
  return !(norm_difference > kSameVectors);
}

bool RowComparison::heads_moved() const {
  return !std::ranges::is_sorted(heads);
}

RowComparison compare_rows(const Projection& a, const Projection& b, int channels, int pairs, const Work& work) {
  if (a.heads.size() != b.heads.size() || a.weight.columns != b.weight.columns) {
    throw InputError(a.weight.name, "weights.other_shape",
                     {{"heads", a.heads.size()},
                      {"columns", a.weight.columns},
                      {"other", b.weight.name},
                      {"other_heads", b.heads.size()},
                      {"other_columns", b.weight.columns}});
  }
  const RowsAtOnce of_a = sketch_of(a, channels, work), of_b = sketch_of(b, channels, work);
  RowComparison found;
  found.difference = kUndefined;
  if (work.stopped()) return found;
  // Channels 0 and 2·pairs − 1 never move: if they have most of the energy, several orders fit.
  double least = std::numeric_limits<double>::infinity();
  for (const RowOrder order : kNamedOrders) {
    const std::vector<int> channel = reordered_channels(order, channels, pairs);
    std::vector<int> heads = match_heads(of_a, of_b, a.heads.size(), channel);
    if (heads.empty()) continue;
    double difference = 0;
    for (std::size_t head = 0; head < heads.size(); ++head) {
      difference += head_difference(of_a, head, of_b, static_cast<std::size_t>(heads[head]), channel);
    }
    if (!(difference < least)) continue;
    least = difference;
    found.order = order;
    found.heads = std::move(heads);
  }
  if (found.heads.empty()) {
    found.order = has_rows_of(of_a, of_b) ? RowOrder::other : RowOrder::different;
    return found;
  }
  const std::vector<int> channel = reordered_channels(found.order, channels, pairs);
  found.difference = measure_difference(a, b, channel, found.heads, work);
  found.bias_difference = compare_vectors(a.bias, b.bias, 0, channel, found.heads);
  found.norm_difference = compare_vectors(a.norm, b.norm, 1, channel, found.heads);
  return found;
}

}  // namespace ropescope
