// Similarity by axis contributions, or by matrix products if axes share pairs. Read similarity.h first.

#include "core/layouts/similarity.h"

#include <cmath>

#include "core/layouts/layout.h"
#include "core/layouts/parts.h"

namespace ropescope {

namespace {

/// Weights a_p·e^{iφ_p} of all pairs, and Σ a_p.
struct PairWeights {
  Eigen::VectorXd cosine, sine;
  double sum = 1;
};

PairWeights weights_of(const TokenLayout& layout, const Content& content) {
  const Eigen::Index pairs = layout.pair_count();
  if (content.amplitudes.size() == 0 && content.phases_radians.size() == 0) {
    return {Eigen::VectorXd::Ones(pairs), Eigen::VectorXd::Zero(pairs), static_cast<double>(pairs)};
  }
  if (content.amplitudes.size() != pairs || content.phases_radians.size() != pairs) {
    reject(layout.name, "layouts.content_size",
           {{"amplitudes", content.amplitudes.size()}, {"phases", content.phases_radians.size()}, {"pairs", pairs}});
  }
  const double sum = content.amplitudes.sum();
  if (!(sum > 0) || !content.phases_radians.allFinite()) {
    reject(layout.name, "layouts.empty_content", {});
  }
  const auto amplitudes = content.amplitudes.array();
  return {amplitudes * content.phases_radians.array().cos(), amplitudes * content.phases_radians.array().sin(), sum};
}

/// Returns w_p·e^{−i·anchor angle}/Σa, so that Re(fixed · e^{i·angle}) is the contribution of pair p.
PairWeights fixed_by_anchor(const LayoutTables& tables, std::int64_t anchor, const PairWeights& weights) {
  const Eigen::Index pairs = tables.layout().pair_count();
  Eigen::ArrayXd cosine(pairs), sine(pairs);
  tables.table_rows<double>(anchor, 1, cosine.data(), sine.data());
  return {(weights.cosine.array() * cosine + weights.sine.array() * sine) / weights.sum,
          (weights.sine.array() * cosine - weights.cosine.array() * sine) / weights.sum};
}

/// Returns the weights of the pairs of one axis.
PairWeights gather(const PairWeights& all, const std::vector<Eigen::Index>& pairs) {
  PairWeights some{Eigen::VectorXd(static_cast<Eigen::Index>(pairs.size())),
                   Eigen::VectorXd(static_cast<Eigen::Index>(pairs.size()))};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    some.cosine[static_cast<Eigen::Index>(i)] = all.cosine[pairs[i]];
    some.sine[static_cast<Eigen::Index>(i)] = all.sine[pairs[i]];
  }
  return some;
}

using SimilarityRows = AxisPhasors::Rows;

/// Returns Re Σ_p w_p·a_p·b_p for every row of a (as rows) and of b (as columns).
SimilarityRows product(const PairWeights& weights, const SimilarityRows& a_cosine, const SimilarityRows& a_sine,
                       const SimilarityRows& b_cosine, const SimilarityRows& b_sine) {
  const SimilarityRows real =
      a_cosine * weights.cosine.asDiagonal() - SimilarityRows(a_sine * weights.sine.asDiagonal());
  const SimilarityRows imaginary =
      a_cosine * weights.sine.asDiagonal() + SimilarityRows(a_sine * weights.cosine.asDiagonal());
  SimilarityRows result = real * b_cosine.transpose();
  result.noalias() -= imaginary * b_sine.transpose();
  return result;
}

Eigen::VectorXd axis_values(const AxisPhasors& axis, const PairWeights& all) {
  const PairWeights weights = gather(all, axis.pairs);
  if (axis.fine_count == 0) return axis.cosine * weights.cosine - axis.sine * weights.sine;
  const SimilarityRows values = product(weights, axis.coarse_cosine, axis.coarse_sine, axis.cosine, axis.sine);
  if (!axis.parts.empty()) {
    Eigen::VectorXd listed(axis.value_count);
    for (std::int64_t v = 0; v < axis.value_count; ++v) {
      const auto& [coarse, fine] = axis.parts[static_cast<std::size_t>(v)];
      listed[v] = values(coarse, fine);
    }
    return listed;
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), axis.value_count);
}

/// Adds the contribution of one axis to every token of the block, in the order of the tokens.
void spread(const TokenBlock& block, Along along, const Eigen::VectorXd& values, Eigen::Ref<Eigen::VectorXd> total) {
  const Eigen::Index columns = block.columns;
  const std::int64_t lines = static_cast<std::int64_t>(block.frames) * block.rows;
  switch (along) {
    case Along::none:
      total.array() += values[0];
      return;
    case Along::token:
      total += values;
      return;
    case Along::column:
      for (std::int64_t line = 0; line < lines; ++line) total.segment(line * columns, columns) += values;
      return;
    case Along::row:
      for (std::int64_t line = 0; line < lines; ++line) {
        total.segment(line * columns, columns).array() += values[line % block.rows];
      }
      return;
    case Along::frame:
      for (std::int64_t line = 0; line < lines; ++line) {
        total.segment(line * columns, columns).array() += values[line / block.rows];
      }
      return;
  }
}

/// Computes two axes that share all pairs, one along columns and one along rows: Re(Y Xᵀ).
void add_shared(const TokenBlock& block, const std::vector<AxisPhasors>& axes, const PairWeights& all,
                Eigen::Ref<Eigen::VectorXd> total) {
  const AxisPhasors& x = axes[0].along == Along::column ? axes[0] : axes[1];
  const AxisPhasors& y = axes[0].along == Along::column ? axes[1] : axes[0];
  const SimilarityRows map = product(all, y.cosine, y.sine, x.cosine, x.sine);
  total += Eigen::Map<const Eigen::VectorXd>(map.data(), block.count());
}

bool is_grid_of_two(const TokenLayout& layout, const TokenBlock& block, const std::vector<AxisPhasors>& axes) {
  if (axes.size() != 2 || block.frames != 1 || axes[0].fine_count != 0 || axes[1].fine_count != 0) return false;
  const auto all_pairs = static_cast<std::size_t>(layout.pair_count());
  if (axes[0].pairs.size() != all_pairs || axes[1].pairs.size() != all_pairs) return false;
  return (axes[0].along == Along::column && axes[1].along == Along::row) ||
         (axes[0].along == Along::row && axes[1].along == Along::column);
}

/// Computes any other sharing of pairs, row by row.
void add_directly(const LayoutTables& tables, const TokenBlock& block, const PairWeights& all,
                  Eigen::Ref<Eigen::VectorXd> total) {
  const Eigen::Index pairs = tables.layout().pair_count();
  Eigen::VectorXd cosine(pairs), sine(pairs);
  for (std::int64_t i = 0; i < block.count(); ++i) {
    tables.table_rows<double>(block.first_row + i, 1, cosine.data(), sine.data());
    total[i] += all.cosine.dot(cosine) - all.sine.dot(sine);
  }
}

bool shares_pairs(const TokenLayout& layout) {
  for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
    if ((layout.frequencies.col(pair).array() != 0).count() > 1) return true;
  }
  return false;
}

double still_part(const TokenLayout& layout, const PairWeights& weights) {
  double sum = 0;
  for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
    if (layout.frequencies.col(pair).isZero(0)) sum += weights.cosine[pair];
  }
  return sum / weights.sum;
}

}  // namespace

SharedRows shared_rows(const LayoutTables& tables) {
  SharedRows rows;
  const TokenLayout& layout = tables.layout();
  if (!shares_pairs(layout)) return rows;
  for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
    const TokenBlock& block = layout.blocks[b];
    (is_grid_of_two(layout, block, tables.phasors()[b]) ? rows.multiplied : rows.one_by_one) += block.count();
  }
  return rows;
}

LayoutSimilarity similarity_from(const LayoutTables& tables, std::int64_t anchor, const Content& content) {
  const TokenLayout& layout = tables.layout();
  require_rows(layout, anchor, 1);
  const PairWeights weights = weights_of(layout, content);
  const PairWeights fixed = fixed_by_anchor(tables, anchor, weights);
  const bool shared = shares_pairs(layout);
  LayoutSimilarity similarity;
  similarity.still = still_part(layout, weights);
  similarity.total = Eigen::VectorXd::Constant(layout.row_count(), shared ? 0 : similarity.still);
  similarity.contributions.resize(layout.blocks.size());
  for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
    const TokenBlock& block = layout.blocks[b];
    const std::vector<AxisPhasors>& axes = tables.phasors()[b];
    auto total = similarity.total.segment(block.first_row, block.count());
    if (shared && is_grid_of_two(layout, block, axes)) {
      add_shared(block, axes, fixed, total);
    } else if (shared) {
      add_directly(tables, block, fixed, total);
    } else {
      for (const AxisPhasors& axis : axes) {
        similarity.contributions[b].push_back({axis.axis, axis_values(axis, fixed)});
        spread(block, axis.along, similarity.contributions[b].back().values, total);
      }
    }
  }
  return similarity;
}

Eigen::VectorXd contribution_of(const TokenLayout& layout, const LayoutSimilarity& similarity, Eigen::Index axis) {
  if (shares_pairs(layout)) return {};
  Eigen::VectorXd part = Eigen::VectorXd::Zero(layout.row_count());
  for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
    const TokenBlock& block = layout.blocks[b];
    for (const AxisContribution& each : similarity.contributions[b]) {
      if (each.axis != axis) continue;
      const Along along = block.ids[static_cast<std::size_t>(axis)].along;
      spread(block, along, each.values, part.segment(block.first_row, block.count()));
    }
  }
  return part;
}

TokenSimilarity similarity_between(const TokenLayout& layout, std::int64_t from, std::int64_t to,
                                   const Content& content) {
  const PairWeights weights = weights_of(layout, content);
  const std::vector<double> here = ids_of(layout, from), there = ids_of(layout, to);
  const std::size_t axes = layout.axes.size();
  const bool shared = shares_pairs(layout);
  TokenSimilarity similarity;
  for (std::size_t axis = 0; axis < axes; ++axis) similarity.difference.push_back(there[axis] - here[axis]);
  if (!shared) similarity.per_axis.assign(axes, 0);
  for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
    double angle = 0, size = 1;
    std::size_t owner = axes;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double frequency = layout.frequencies(static_cast<Eigen::Index>(axis), pair);
      if (frequency == 0) continue;
      angle += frequency * layout.axes[axis].id_scale * similarity.difference[axis];
      size *= layout.axes[axis].amplitude * layout.axes[axis].amplitude;
      owner = axis;
    }
    const double value = size * (weights.cosine[pair] * std::cos(angle) - weights.sine[pair] * std::sin(angle));
    similarity.total += value;
    if (!shared && owner < axes) similarity.per_axis[owner] += value;
  }
  similarity.total /= weights.sum;
  for (double& of_axis : similarity.per_axis) of_axis /= weights.sum;
  return similarity;
}

}  // namespace ropescope
