#include "app/views/attention/map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/views/shared/axes.h"
#include "app/views/shared/maps.h"

namespace ropescope {

namespace {

constexpr float kAttentionMapNothing = std::numeric_limits<float>::quiet_NaN();

/// Mean of the weights in each cell; those that are left out are passed over. As many queries as keys.
MapCells reduced(const RowMatrix<float>& weights, bool causal) {
  MapCells cells = cells_over(weights.cols(), weights.rows());
  const auto step = static_cast<Eigen::Index>(cells.reduction.rows_per_cell);
  std::vector<double> sums(cells.columns), counts(sums.size());
  for (Eigen::Index row = 0; row < static_cast<Eigen::Index>(cells.rows); ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(counts.begin(), counts.end(), 0.0);
    for (Eigen::Index i = row * step; i < std::min((row + 1) * step, weights.rows()); ++i) {
      const Eigen::Index keys = causal ? std::min(i + 1, weights.cols()) : weights.cols();
      for (Eigen::Index j = 0; j < keys; ++j) {
        sums[static_cast<std::size_t>(j / step)] += weights(i, j);
        counts[static_cast<std::size_t>(j / step)] += 1;
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      cells.values.push_back(counts[c] > 0 ? static_cast<float>(sums[c] / counts[c]) : kAttentionMapNothing);
    }
  }
  return cells;
}

/// The size that kShownShare of the cells stay below; the largest one where a matrix has few large ones to lose.
double shown_size(const MapCells& cells) {
  std::vector<float> sizes;
  sizes.reserve(cells.values.size());
  for (const float value : cells.values) {
    if (!std::isnan(value)) sizes.push_back(std::abs(value));
  }
  if (sizes.empty()) return 1;
  const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(kShownShare * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), place, sizes.end());
  const double size = *place > 0 ? *place : *std::max_element(sizes.begin(), sizes.end());
  return size > 0 ? size : 1;
}

}  // namespace

WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal) {
  WeightsPicture picture;
  picture.cells = std::make_shared<const MapCells>(reduced(*weights, causal));
  picture.shown = shown_size(*picture.cells);
  // Eigen's minimum may lose a NaN on its way.
  picture.is_signed = std::any_of(weights->data(), weights->data() + weights->size(), [](float w) { return w < 0; });
  picture.causal = causal;
  picture.weights = std::move(weights);
  return picture;
}

Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text) {
  const auto weights = picture.weights;
  Figure figure;
  figure.name = name;
  figure.x = cell_axis(named_axis("attention", "key", text), cell_range(weights->cols()), {});
  figure.y = cell_axis(named_axis("attention", "query", text), cell_range(weights->rows()), {});
  figure.y.reversed = true;
  Map map;
  map.key = "weights";
  map.label = text["view.attention.weight"];
  map.colours = picture.is_signed ? MapColours::signed_value : MapColours::magnitude;
  map.cells = picture.cells;
  reach_cells(map);
  map.range = {picture.is_signed ? -picture.shown : 0, picture.shown};
  map.exact = [weights, causal = picture.causal](double x, double y) {
    // Of a causal matrix the keys after the query are no weights.
    return causal && std::round(x) > std::round(y) ? std::nan("") : entry_at(*weights, x, y);
  };
  figure.maps.push_back(std::move(map));
  return figure;
}

}  // namespace ropescope
