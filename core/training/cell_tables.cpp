#include <algorithm>
#include <cmath>

#include "core/attention/attention.h"
#include "core/training/piece.h"

namespace ropescope {

template <class Cell>
CellTables<Cell>::CellTables(const PositionTables& tables, const ModelShape& shape)
    : from(tables), heads(shape.heads), width(shape.width) {
  const auto cast = [](const std::vector<double>& numbers) {
    std::vector<Cell> cells(numbers.size());
    std::transform(numbers.begin(), numbers.end(), cells.begin(), [](double x) { return static_cast<Cell>(x); });
    return cells;
  };
  vectors = cast(tables.vectors), biases = cast(tables.biases);
  query_cosine = cast(tables.query_cosine), query_sine = cast(tables.query_sine);
  key_cosine = cast(tables.key_cosine), key_sine = cast(tables.key_sine);
  if (shape.random_features) {
    const int channels = shape.head_width();
    const TokenMatrix rows =
        random_directions(channels, channels, 1).transpose() / std::pow(static_cast<double>(channels), 0.25);
    directions = cast({rows.data(), rows.data() + rows.size()});
  }
  if (tables.trained == TrainedPositions::vectors) {
    vectors.resize(static_cast<std::size_t>(tables.length) * static_cast<std::size_t>(width));
  } else if (tables.trained != TrainedPositions::none) {
    biases.resize(static_cast<std::size_t>(heads) * static_cast<std::size_t>(2 * tables.length - 1));
  }
}

template <class Cell>
void CellTables<Cell>::take(const ParameterLayout& layout, const Cell* parameters) {
  const Cell* const trained = parameters + layout.positions;
  if (from.trained == TrainedPositions::vectors) {
    const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = trained[i] * factor;
  }
  if (from.trained != TrainedPositions::buckets && from.trained != TrainedPositions::kerple) return;
  const std::int64_t distances = 2 * from.length - 1;
  for (std::int64_t head = 0; head < heads; ++head) {
    const Cell* const numbers = trained + head * from.trained_columns;
    Cell* const to = biases.data() + head * distances;
    for (std::int64_t i = 0; i < distances; ++i) {
      if (from.trained == TrainedPositions::buckets) {
        to[i] = numbers[from.bucket[static_cast<std::size_t>(i)]];
      } else {
        const double distance = std::abs(static_cast<double>(i - from.length + 1));
        const double r1 = std::exp(static_cast<double>(numbers[0])), r2 = std::exp(static_cast<double>(numbers[1]));
        to[i] = static_cast<Cell>(-r1 * std::log1p(r2 * distance));
      }
    }
  }
}

template <class Cell>
void CellTables<Cell>::add_bias_gradient(const ParameterLayout& layout, const Cell* parameters, const Cell* d_biases,
                                         Cell* gradient) const {
  const std::int64_t distances = 2 * from.length - 1;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t at = layout.positions + head * from.trained_columns;
    const Cell* const d = d_biases + head * distances;
    if (from.trained == TrainedPositions::buckets) {
      for (std::int64_t i = 0; i < distances; ++i) gradient[at + from.bucket[static_cast<std::size_t>(i)]] += d[i];
    } else if (from.trained == TrainedPositions::kerple) {
      const double r1 = std::exp(static_cast<double>(parameters[at]));
      const double r2 = std::exp(static_cast<double>(parameters[at + 1]));
      double by_r1 = 0, by_r2 = 0;
      for (std::int64_t i = 0; i < distances; ++i) {
        const double reach = r2 * std::abs(static_cast<double>(i - from.length + 1));
        by_r1 -= static_cast<double>(d[i]) * r1 * std::log1p(reach);
        by_r2 -= static_cast<double>(d[i]) * r1 * reach / (1 + reach);
      }
      gradient[at] += static_cast<Cell>(by_r1);
      gradient[at + 1] += static_cast<Cell>(by_r2);
    }
  }
}

template <class Cell>
void take_features(const CellTables<Cell>& tables, const ModelShape& shape, Cell* query) {
  if (!shape.random_features) {
    elu_plus_one(query, 2 * shape.width);
    return;
  }
  take_random_features<Cell>({tables.directions.data(), shape.head_width(), true}, query, shape.heads);
  take_random_features<Cell>({tables.directions.data(), shape.head_width(), false}, query + shape.width, shape.heads);
}

template struct CellTables<float>;
template struct CellTables<double>;
template void take_features(const CellTables<float>&, const ModelShape&, float*);
template void take_features(const CellTables<double>&, const ModelShape&, double*);

}  // namespace ropescope
