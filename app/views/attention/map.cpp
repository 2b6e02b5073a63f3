#include "app/views/attention/map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ropescope {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

bool left_out(bool causal, Eigen::Index query, Eigen::Index key) {
  return causal && key > query;
}

/// Mean of the weights in each block of `step` × `step`; those that are left out are passed over.
MapCells reduced(const RowMatrix<float>& weights, bool causal, Eigen::Index step) {
  const Eigen::Index rows = (weights.rows() + step - 1) / step, columns = (weights.cols() + step - 1) / step;
  const auto size = [](Eigen::Index count) { return static_cast<std::size_t>(count); };
  MapCells cells{size(columns), size(rows), {}, {size(step), size(step), size(weights.cols()), size(weights.rows())}};
  std::vector<double> sums(static_cast<std::size_t>(columns)), counts(sums.size());
  for (Eigen::Index row = 0; row < rows; ++row) {
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
      cells.values.push_back(counts[c] > 0 ? static_cast<float>(sums[c] / counts[c]) : kNothing);
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

FigureAxis token_axis(const char* name, const std::string& label, Eigen::Index count) {
  FigureAxis axis;
  axis.name = name;
  axis.label = label;
  axis.whole = true;
  axis.fit = axis.range = {-0.5, static_cast<double>(count) - 0.5};
  return axis;
}

}  // namespace

WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal) {
  WeightsPicture picture;
  const Eigen::Index side = std::max(weights->rows(), weights->cols());
  const auto most = static_cast<Eigen::Index>(MapCells::kMost);
  picture.cells = std::make_shared<const MapCells>(reduced(*weights, causal, (side + most - 1) / most));
  picture.shown = shown_size(*picture.cells);
  picture.is_signed = weights->size() > 0 && weights->minCoeff() < 0;
  picture.causal = causal;
  picture.weights = std::move(weights);
  return picture;
}

Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text) {
  const auto weights = picture.weights;
  Figure figure;
  figure.name = name;
  figure.x = token_axis("key", text["view.attention.key"], weights->cols());
  figure.y = token_axis("query", text["view.attention.query"], weights->rows());
  figure.y.reversed = true;
  Map map;
  map.key = "weights";
  map.label = text["view.attention.weight"];
  map.colours = picture.is_signed ? MapColours::signed_value : MapColours::magnitude;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  // The last cell of a reduced map reaches past the last token.
  if (picture.cells->columns > 0) {
    const auto step = static_cast<double>((weights->cols() + static_cast<Eigen::Index>(picture.cells->columns) - 1) /
                                          static_cast<Eigen::Index>(picture.cells->columns));
    map.x.high = map.x.low + step * static_cast<double>(picture.cells->columns);
    map.y.high = map.y.low + step * static_cast<double>(picture.cells->rows);
  }
  map.cells = picture.cells;
  map.range = {picture.is_signed ? -picture.shown : 0, picture.shown};
  map.exact = [weights, causal = picture.causal](double x, double y) {
    const double key = std::round(x), query = std::round(y);
    if (!(key >= 0 && query >= 0 && key < static_cast<double>(weights->cols()) &&
          query < static_cast<double>(weights->rows()))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const auto i = static_cast<Eigen::Index>(query), j = static_cast<Eigen::Index>(key);
    return left_out(causal, i, j) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>((*weights)(i, j));
  };
  figure.maps.push_back(std::move(map));
  return figure;
}

}  // namespace ropescope
