#include "core/formats/dump_means.h"

#include <algorithm>
#include <cmath>

#include "core/encodings/share_blocks.h"
#include "core/error.h"

namespace ropescope {

Eigen::VectorXd LayerMeans::product(std::size_t head) const {
  return queries[head].size.cwiseProduct(keys_of(head).size);
}

Eigen::VectorXd LayerMeans::product() const {
  Eigen::VectorXd sum = product(0);
  for (std::size_t head = 1; head < queries.size(); ++head) sum += product(head);
  return sum / static_cast<double>(queries.size());
}

Eigen::VectorXcd LayerMeans::fixed(std::size_t head) const {
  return queries[head].mean.cwiseProduct(keys_of(head).mean.conjugate());
}

double LayerMeans::fixed_share(std::size_t head) const {
  const double all = product(head).sum();
  return all > 0 ? std::min(1.0, fixed(head).cwiseAbs().sum() / all) : 0;
}

Eigen::VectorXd shares(const Eigen::VectorXd& product) {
  const double sum = product.sum();
  if (!(sum > 0)) return Eigen::VectorXd::Zero(product.size());
  return product / sum;
}

double moved_share(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().sum() / 2;
}

LayerMeans layer_means(const AttentionDump& dump, std::int64_t tokens, Pairing pairing, int pair_count, int threads,
                       const std::stop_token& stop) {
  if (2 * pair_count > dump.head_dim) {
    throw InputError("dump.too_narrow", {{"channels", 2 * pair_count}, {"head_dim", dump.head_dim}});
  }
  LayerMeans means;
  means.queries.resize(static_cast<std::size_t>(dump.heads));
  means.keys.resize(static_cast<std::size_t>(dump.key_heads));
  share_blocks(dump.heads + dump.key_heads, 1, threads, stop, [&](std::int64_t index, std::int64_t) {
    const bool query = index < dump.heads;
    const std::int64_t head = query ? index : index - dump.heads;
    const TokenMatrix rows = query ? query_rows(dump, head, tokens) : key_rows(dump, head, tokens);
    (query ? means.queries : means.keys)[static_cast<std::size_t>(head)] = pair_means(rows, pairing, pair_count);
  });
  if (stop.stop_requested()) return {};
  return means;
}

std::vector<HeadScores> layer_scores(const AttentionDump& dump, std::int64_t first, std::int64_t count,
                                     std::int64_t tokens, const HeadTurns& turns, int threads,
                                     const std::stop_token& stop) {
  if (2 * turns.turns.cols() > dump.head_dim) {
    throw InputError("dump.too_narrow", {{"channels", 2 * turns.turns.cols()}, {"head_dim", dump.head_dim}});
  }
  std::vector<HeadScores> scores(static_cast<std::size_t>(count));
  const std::int64_t shared = dump.heads / dump.key_heads;
  share_blocks(count, 1, threads, stop, [&](std::int64_t index, std::int64_t) {
    const std::int64_t head = first + index;
    scores[static_cast<std::size_t>(index)] =
        head_scores(query_rows(dump, head, tokens), key_rows(dump, head / shared, tokens), turns);
  });
  if (stop.stop_requested()) return {};
  return scores;
}

}  // namespace ropescope
