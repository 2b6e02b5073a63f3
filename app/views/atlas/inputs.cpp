#include "app/views/atlas/inputs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "app/views/shared/maps.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/decay/share_work.h"

namespace ropescope {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuarterTurn = std::numbers::pi / 2;
/// Rows that are held in full before they fall into cells.
constexpr std::int64_t kBlock = 256;

/// Means of what falls into each cell of a block of rows.
RowMatrix<float> means(const RowMatrix<float>& block, std::int64_t rows, std::int64_t columns) {
  RowMatrix<float> cells((block.rows() + rows - 1) / rows, (block.cols() + columns - 1) / columns);
  for (Eigen::Index row = 0; row < cells.rows(); ++row) {
    const std::int64_t top = row * rows, height = std::min(rows, block.rows() - top);
    Eigen::RowVectorXf sum = block.row(top);
    for (std::int64_t i = 1; i < height; ++i) sum += block.row(top + i);
    sum /= static_cast<float>(height);
    if (columns == 1) {
      cells.row(row) = sum;
      continue;
    }
    for (Eigen::Index column = 0; column < cells.cols(); ++column) {
      const std::int64_t left = column * columns, width = std::min(columns, block.cols() - left);
      cells(row, column) = sum.segment(left, width).mean();
    }
  }
  return cells;
}

/// Angles at the middle of what falls into each cell, not wrapped, row by row: a painter makes cosines and sines of
/// them and sees by the neighbours how fast they turn. Of sine_cosine two columns a pair, the cosine as sin(mθ + π/2).
/// Only positions share cells: a ladder has no more pairs than a map has columns. False where stopped.
bool add_angles_atlas(MapCells& cells, const Atlas& atlas, int threads, const std::stop_token& stop) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  const std::int64_t rows = static_cast<std::int64_t>(cells.rows), pairs = frequencies.size();
  const std::size_t kinds = cells.kinds;
  cells.values.resize(cells.columns * cells.rows);
  std::atomic<std::int64_t> next = 0;
  share_work(threads, [&] {
    for (std::int64_t row = next++; row < rows && !stop.stop_requested(); row = next++) {
      const std::int64_t first = row * atlas.cell_positions;
      const std::int64_t last = std::min(first + atlas.cell_positions, atlas.positions) - 1;
      const double middle = static_cast<double>(first + last) / 2;
      float* out = cells.values.data() + static_cast<std::size_t>(row) * cells.columns;
      for (Eigen::Index pair = 0; pair < pairs; ++pair) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
          *out++ = static_cast<float>(middle * frequencies[pair] + static_cast<double>(kind) * kQuarterTurn);
        }
      }
    }
  });
  return !stop.stop_requested();
}

/// All cells, of a learned table block by block; null where stopped.
std::shared_ptr<const MapCells> reduced_cells(const Atlas& atlas, int threads, const std::stop_token& stop) {
  const bool learned = atlas.source.learned();
  const std::int64_t columns = learned || !atlas.apart() ? atlas.columns : atlas.source.frequencies.size();
  auto cells = std::make_shared<MapCells>(cells_over(columns, atlas.positions));
  if (!learned) {
    cells->kinds = columns > atlas.source.frequencies.size() ? 2 : 1;
    return add_angles_atlas(*cells, atlas, threads, stop) ? cells : nullptr;
  }
  const bool whole = atlas.cell_positions == 1 && atlas.cell_columns == 1;
  cells->values.reserve(cells->columns * cells->rows);
  const std::int64_t block = kBlock * atlas.cell_positions;
  for (std::int64_t first = 0; first < atlas.positions; first += block) {
    const std::int64_t count = std::min(block, atlas.positions - first);
    const RowMatrix<float> values = atlas.table->value_map("p", first, count, threads, stop);
    if (stop.stop_requested()) return nullptr;
    if (whole) {
      cells->values.insert(cells->values.end(), values.data(), values.data() + values.size());
      continue;
    }
    const RowMatrix<float> reduced = means(values, atlas.cell_positions, atlas.cell_columns);
    cells->values.insert(cells->values.end(), reduced.data(), reduced.data() + reduced.size());
  }
  return cells;
}

/// Turns, variances and still stretches of the pairs of a ladder.
void add_pairs(Atlas& atlas) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  const auto context = static_cast<double>(atlas.positions);
  const bool channels = atlas.source.part == SinusoidPart::sine_cosine;
  const double squared = atlas.source.amplitude * atlas.source.amplitude;
  std::vector<double> turns, cosine, sine;
  for (const PairInformation& pair : pair_information(frequencies, context)) {
    for (int channel = 0; channel < (channels ? 2 : 1); ++channel) turns.push_back(pair.turns > 0 ? pair.turns : kNaN);
    cosine.push_back(squared * pair.variance_cos);
    sine.push_back(squared * pair.variance_sin);
    atlas.moving += pair.moving;
  }
  const double width = channels ? 2 : 1;
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const double angle = std::abs(frequencies[pair]) * context;
    if (!(angle > 0 && angle < kQuarterTurn)) continue;
    const double low = width * static_cast<double>(pair) - 0.5;
    if (atlas.quarter.empty() || atlas.quarter.back().high < low) atlas.quarter.push_back({low, low});
    atlas.quarter.back().high = low + width;
  }
  atlas.pairs = static_cast<int>(frequencies.size());
  atlas.below_turn = pairs_below_angle(frequencies, context, 2 * std::numbers::pi);
  atlas.below_quarter = pairs_below_angle(frequencies, context, kQuarterTurn);
  atlas.turns = make_series(0, 1, std::move(turns));
  if (atlas.source.part != SinusoidPart::sine) atlas.variance_cos = make_series(channels ? 1 : 0, width, cosine);
  if (atlas.source.part != SinusoidPart::cosine) atlas.variance_sin = make_series(0, width, sine);
}

/// Where every column has come round at least once: the row that is most like the first one. Of sinusoids the likeness
/// of two rows is the similarity kernel of their distance.
void add_return(Atlas& atlas, int threads, const std::stop_token& stop) {
  const Eigen::VectorXd& frequencies = atlas.source.frequencies;
  atlas.slowest = 2 * std::numbers::pi / frequencies.cwiseAbs().minCoeff();
  if (atlas.source.part != SinusoidPart::sine_cosine) return;
  if (!(atlas.slowest <= static_cast<double>(atlas.positions - 1))) return;
  KernelRequest request;
  request.frequencies = frequencies;
  request.first = static_cast<std::int64_t>(std::ceil(atlas.slowest));
  request.count = atlas.positions - request.first;
  request.want_bound = false;
  request.threads = threads;
  const std::vector<double> likeness = kernel_curves(request, stop).similarity;
  const auto most = std::max_element(likeness.begin(), likeness.end());
  if (most == likeness.end()) return;
  atlas.most_alike = *most;
  atlas.most_alike_at = request.first + (most - likeness.begin());
}

/// Variance of every column of the learned table over the shown rows that it has; false where stopped.
bool add_table_variance(Atlas& atlas, int threads, const std::stop_token& stop) {
  const std::int64_t count = std::min<std::int64_t>(atlas.positions, atlas.source.table.trained_length);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(atlas.columns), squares = sum;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const TokenMatrix block =
        atlas.table->value_map("p", first, std::min(kBlock, count - first), threads, stop).cast<double>();
    if (stop.stop_requested()) return false;
    sum += block.colwise().sum().transpose();
    squares += block.colwise().squaredNorm().transpose();
  }
  const Eigen::VectorXd mean = sum / static_cast<double>(count);
  const Eigen::VectorXd variance = (squares / static_cast<double>(count) - mean.cwiseAbs2()).cwiseMax(0.0);
  atlas.variance = make_series(0, 1, {variance.data(), variance.data() + variance.size()});
  return true;
}

}  // namespace

bool AtlasSource::operator==(const AtlasSource& other) const {
  return part == other.part && amplitude == other.amplitude && table == other.table &&
         frequencies.size() == other.frequencies.size() && (frequencies.array() == other.frequencies.array()).all();
}

std::int64_t AtlasSource::columns() const {
  return learned() ? table.dim : column_count(sinusoids());
}

Eigen::VectorXd Atlas::row(std::int64_t position) const {
  if (table) return table->values("p", {&position, 1}).row(0).transpose();
  Eigen::VectorXd values(columns);
  sinusoid_row(source.sinusoids(), position, {values.data(), static_cast<std::size_t>(columns)});
  return values;
}

double Atlas::value(std::int64_t position, std::int64_t column) const {
  if (position < 0 || position >= positions || column < 0 || column >= columns) return kNaN;
  if (table) return row(position)[column];
  const bool channels = source.part == SinusoidPart::sine_cosine;
  const Sinusoids one{source.frequencies.segment(channels ? column / 2 : column, 1), source.part, source.amplitude};
  double values[2] = {0, 0};
  sinusoid_row(one, position, {values, channels ? 2u : 1u});
  return values[channels ? column % 2 : 0];
}

std::size_t Atlas::bytes() const {
  return cells->values.size() * sizeof(float) + static_cast<std::size_t>(columns) * 3 * sizeof(double);
}

double AtlasInput::cost() const {
  return 4 * static_cast<double>(positions) * static_cast<double>(source.columns());
}

std::shared_ptr<const Atlas> AtlasInput::compute(int threads, const std::stop_token& stop) const {
  const auto begin = std::chrono::steady_clock::now();
  auto atlas = std::make_shared<Atlas>();
  atlas->source = source;
  if (source.learned()) atlas->table = make_model(find_encoding("learned"), source.table);
  atlas->positions = positions;
  atlas->columns = source.columns();
  atlas->cell_positions = items_per_cell(atlas->positions);
  atlas->cell_columns = items_per_cell(atlas->columns);
  atlas->cells = reduced_cells(*atlas, threads, stop);
  if (!atlas->cells) return nullptr;
  if (!source.learned()) add_pairs(*atlas);
  if (!source.learned()) add_return(*atlas, threads, stop);
  if (stop.stop_requested()) return nullptr;
  if (source.learned() && !add_table_variance(*atlas, threads, stop)) return nullptr;
  atlas->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return atlas;
}

std::size_t AtlasColumns::bytes() const {
  std::size_t bytes = 0;
  for (const auto& column : columns) bytes += column->ys.size() * sizeof(double);
  return bytes;
}

double AtlasColumnsInput::cost() const {
  // A learned table makes whole rows.
  const auto each = static_cast<double>(source.learned() ? source.columns() : 20 * std::ssize(columns));
  return 4 * static_cast<double>(positions) * each;
}

std::shared_ptr<const AtlasColumns> AtlasColumnsInput::compute(int, const std::stop_token& stop) const {
  Atlas atlas;
  atlas.source = source;
  atlas.positions = positions;
  atlas.columns = source.columns();
  if (source.learned()) atlas.table = make_model(find_encoding("learned"), source.table);
  std::vector<std::vector<double>> values(columns.size());
  for (std::int64_t position = 0; position < positions; ++position) {
    if (stop.stop_requested()) return nullptr;
    const Eigen::VectorXd row = source.learned() && !columns.empty() ? atlas.row(position) : Eigen::VectorXd();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      values[i].push_back(row.size() > 0 ? row[columns[i]] : atlas.value(position, columns[i]));
    }
  }
  auto result = std::make_shared<AtlasColumns>();
  for (std::vector<double>& column : values) result->columns.push_back(make_series(0, 1, std::move(column)));
  return result;
}

}  // namespace ropescope
