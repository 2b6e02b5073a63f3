#include "app/commands/vector_tables.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "app/commands/arguments.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// What a layer says of one side; scores only where they are asked for.
struct LayerNumbers {
  LayerMeans means;
  std::vector<HeadScores> scores;
};

/// A file's layer, for as long as its numbers are needed.
LoadedDump load_layer(const VectorSide& side, std::int64_t layer, const std::stop_token& stop) {
  DumpReading reading;
  reading.values = false;
  reading.stop = stop;
  if (side.numbered) reading.layer = layer;
  return load_attention_dump(side.path, reading);
}

LayerNumbers numbers_of(const VectorRequest& request, const VectorSide& side, const HeadTurns* turns,
                        std::int64_t layer, const std::stop_token& stop) {
  const LoadedDump loaded = load_layer(side, layer, stop);
  LayerNumbers numbers;
  numbers.means = layer_means(loaded.dump, request.tokens, side.pairing, static_cast<int>(side.frequencies.size()),
                              request.threads, stop);
  if (turns && !stop.stop_requested()) {
    numbers.scores =
        layer_scores(loaded.dump, request.first_head, request.heads, request.tokens, *turns, request.threads, stop);
  }
  loaded.file->check_unchanged();
  return numbers;
}

/// Columns of one head of one side: one row for each of what it is told of.
RowMatrixXd pair_values(const VectorSide& side, const LayerMeans& means, std::size_t head) {
  const PairMeans &query = means.queries[head], &key = means.keys_of(head);
  const Eigen::VectorXcd of_query = query.direction(), of_key = key.direction();
  RowMatrixXd values(side.frequencies.size(), 8);
  values.col(0) = side.frequencies;
  values.col(1) = query.size;
  values.col(2) = key.size;
  values.col(3) = means.product(head);
  values.col(4) = of_query.cwiseAbs();
  values.col(5) = of_query.array().arg();
  values.col(6) = of_key.cwiseAbs();
  values.col(7) = of_key.array().arg();
  return values;
}

RowMatrixXd score_values(const HeadScores& scores) {
  RowMatrixXd values(scores.mean.size(), 3);
  values.col(0) = scores.mean;
  values.col(1) = scores.bound;
  values.col(2) = scores.bias;
  return values;
}

RowMatrixXd head_values(const LayerMeans& means, const HeadScores& scores, std::size_t head) {
  const Eigen::VectorXd product = means.product(head);
  Eigen::Index strongest = 0, nearest = 0, steepest = 0;
  shares(product).maxCoeff(&strongest);
  const Eigen::VectorXd ratio =
      (scores.bound.array() > 0).select(scores.mean.cwiseAbs().cwiseQuotient(scores.bound), 0);
  ratio.maxCoeff(&nearest);
  scores.bias.cwiseAbs().maxCoeff(&steepest);
  RowMatrixXd values(1, 8);
  values << product.sum(), static_cast<double>(strongest), shares(product)[strongest], means.fixed_share(head),
      ratio[nearest], static_cast<double>(nearest), scores.bias[steepest], static_cast<double>(steepest);
  return values;
}

}  // namespace

VectorSide open_side(const std::string& path) {
  const auto file = map_file(path);
  VectorSide side;
  side.path = path;
  side.layers = dump_layers(file->bytes(), path);
  side.numbered = !side.layers.empty();
  if (!side.numbered) side.layers = {0};
  DumpReading reading;
  reading.values = false;
  reading.shapes = true;
  const AttentionDump dump = parse_attention_dump(file->bytes(), file, path, reading);
  file->check_unchanged();
  side.tokens = dump.tokens;
  side.heads = dump.heads;
  side.key_heads = dump.key_heads;
  side.head_dim = dump.head_dim;
  return side;
}

VectorTable vector_table(const std::string& what) {
  if (what == "pairs") {
    return {{"layer", "head", "pair"},
            {"frequency", "query", "key", "product", "query_direction", "query_angle", "key_direction", "key_angle"},
            {}};
  }
  if (what == "scores") return {{"layer", "head", "distance"}, {"mean", "bound", "bias"}, {}};
  if (what == "heads") {
    return {{"layer", "head"},
            {"product", "strongest_pair", "strongest_share", "fixed_share", "nearest_bound", "nearest_distance", "bias",
             "bias_distance"},
            {"moved_share"}};
  }
  reject("--what", what, "pairs, scores or heads");
}

std::int64_t rows_of_layer(const VectorRequest& request) {
  if (request.what == "heads") return request.heads;
  return request.heads * (request.what == "scores" ? request.tokens : request.sides.front().frequencies.size());
}

RowMatrixXd vector_rows(const VectorRequest& request, std::int64_t layer, const std::stop_token& stop) {
  const VectorTable table = vector_table(request.what);
  const bool compared = request.sides.size() > 1;
  const std::size_t places = table.places.size(), values = table.values.size();
  std::vector<LayerNumbers> sides;
  for (const VectorSide& side : request.sides) {
    HeadTurns turns;
    const bool scored = request.what != "pairs";
    const double factor = side.amplitude * side.amplitude / std::sqrt(static_cast<double>(side.head_dim));
    if (scored) turns = head_turns(side.frequencies, request.tokens, side.pairing, factor);
    sides.push_back(numbers_of(request, side, scored ? &turns : nullptr, layer, stop));
    if (stop.stop_requested()) return {};
  }
  const std::size_t columns = places + values * sides.size() + (compared ? table.compared.size() : 0);
  RowMatrixXd rows(rows_of_layer(request), static_cast<Eigen::Index>(columns));
  const Eigen::Index of_head = rows.rows() / request.heads;
  for (std::int64_t index = 0; index < request.heads; ++index) {
    const auto head = static_cast<std::size_t>(request.first_head + index);
    auto block = rows.middleRows(index * of_head, of_head);
    block.col(0).setConstant(static_cast<double>(layer));
    block.col(1).setConstant(static_cast<double>(head + 1));
    if (places > 2) block.col(2) = Eigen::VectorXd::LinSpaced(of_head, 0, static_cast<double>(of_head - 1));
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const LayerMeans& means = sides[side].means;
      const auto of = static_cast<std::size_t>(index);
      block.middleCols(static_cast<Eigen::Index>(places + side * values), static_cast<Eigen::Index>(values)) =
          request.what == "pairs"    ? pair_values(request.sides[side], means, head)
          : request.what == "scores" ? score_values(sides[side].scores[of])
                                     : head_values(means, sides[side].scores[of], head);
    }
    if (compared && !table.compared.empty()) {
      block.rightCols(1).setConstant(
          moved_share(shares(sides[0].means.product(head)), shares(sides[1].means.product(head))));
    }
  }
  return rows;
}

}  // namespace ropescope
