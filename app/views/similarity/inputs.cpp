#include "app/views/similarity/inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/store/store.h"
#include "app/views/shared/axes.h"

namespace ropescope {

namespace {

/// Rows up to which an anchor is followed without a worker: two images of 512 × 512 tokens and their text. Not counted
/// is what axes cost that share their pairs.
constexpr double kFollowed = 2 * 512 * 512 + 65'536;
/// Nanoseconds for a row and a pair of such axes (`follow_anchor` of the benchmarks).
constexpr double kMultiplied = 0.5, kOneByOne = 5;

/// The mean of a block of numbers; NaN passed over.
float mean_of(const SimilarityMap& map, const SeenBlock& seen, std::int64_t row, std::int64_t column, std::int64_t rows,
              std::int64_t columns) {
  double sum = 0;
  int count = 0;
  for (std::int64_t r = row; r < std::min(row + rows, seen.rows); ++r) {
    for (std::int64_t c = column; c < std::min(column + columns, seen.columns); ++c) {
      if (r * seen.columns + c >= seen.count) continue;
      sum += map.value(seen.block, seen.first() + r * seen.columns + c);
      ++count;
    }
  }
  return count > 0 ? static_cast<float>(sum / count) : std::numeric_limits<float>::quiet_NaN();
}

/// The values of a block; of more than MapCells::kMost cells a side means of several.
std::shared_ptr<const MapCells> cells_of_similarity(const SimilarityMap& map, const SeenBlock& seen) {
  const std::int64_t row_step = items_per_cell(seen.rows), column_step = items_per_cell(seen.columns);
  auto cells = std::make_shared<MapCells>(cells_over(seen.columns, seen.rows));
  cells->values.assign(cells->rows * cells->columns, std::numeric_limits<float>::quiet_NaN());
  if (row_step == 1 && column_step == 1) {
    const double* values = map.values.data() + map.layout().blocks[seen.block].first_row + seen.first();
    std::transform(values, values + seen.count, cells->values.begin(),
                   [](double value) { return static_cast<float>(value); });
    return cells;
  }
  float* out = cells->values.data();
  for (std::int64_t row = 0; row < seen.rows; row += row_step) {
    for (std::int64_t column = 0; column < seen.columns; column += column_step) {
      *out++ = mean_of(map, seen, row, column, row_step, column_step);
    }
  }
  return cells;
}

Range seen_range(const SimilarityMap& map) {
  Range range = kNoRange;
  std::vector<SeenBlock> all = map.blocks;
  all.insert(all.end(), map.tiles.frames.begin(), map.tiles.frames.end());
  for (const SeenBlock& seen : all) {
    const Eigen::Index first = map.layout().blocks[seen.block].first_row + seen.first();
    const auto values = map.values.segment(first, seen.count);
    include(range, values.minCoeff());
    include(range, values.maxCoeff());
  }
  return range;
}

/// The axis of that name; none where there is none, or where its part has no meaning.
std::optional<Eigen::Index> axis_named(const TokenLayout& layout, const std::string& name) {
  const auto found = std::find_if(layout.axes.begin(), layout.axes.end(),
                                  [&name](const LayoutAxis& axis) { return axis.name == name; });
  if (found == layout.axes.end() || layout.axes.size() < 2) return std::nullopt;
  return found - layout.axes.begin();
}

}  // namespace

std::size_t SimilarityMap::bytes() const {
  std::size_t cell_count = 0;
  for (const auto* of : {&cells, &frames}) {
    for (const auto& each : *of) cell_count += each ? each->values.size() : 0;
  }
  return static_cast<std::size_t>(values.size()) * sizeof(double) + cell_count * sizeof(float);
}

double SimilarityInput::cost() const {
  const TokenLayout& layout = arranged->tables->layout();
  const auto rows = static_cast<double>(layout.row_count());
  const auto pairs = static_cast<double>(layout.pair_count());
  const double work = 20 * rows + 100 * pairs;
  const SharedRows shared = shared_rows(*arranged->tables);
  const double products = pairs * (kMultiplied * static_cast<double>(shared.multiplied) +
                                   kOneByOne * static_cast<double>(shared.one_by_one));
  return (rows <= kFollowed ? std::min(work, kOnTheSpot) : work) + products;
}

std::shared_ptr<const SimilarityMap> SimilarityInput::compute(int, const std::stop_token& stop) const {
  const auto start = std::chrono::steady_clock::now();
  const LayoutTables& tables = *arranged->tables;
  const TokenLayout& layout = tables.layout();
  auto map = std::make_shared<SimilarityMap>();
  map->arranged = arranged;
  map->anchor = anchor;
  if (seed) map->content = random_content(static_cast<int>(layout.pair_count()), *seed);
  LayoutSimilarity similarity = similarity_from(tables, table_row(layout, anchor), map->content);
  if (stop.stop_requested()) return nullptr;
  if (const auto index = axis_named(layout, axis)) map->values = contribution_of(layout, similarity, *index);
  if (map->values.size() == 0) {
    map->values = std::move(similarity.total);
  } else {
    map->axis = axis;
  }
  const TokenBlock& image = layout.blocks[map->main()];
  const int frame = static_cast<int>(anchor / (std::int64_t{image.rows} * image.columns));
  map->tiles = frame_tiles(layout, map->main(), frames.empty() ? std::vector{frame} : frames);
  for (std::size_t block = 0; block < layout.blocks.size(); ++block) {
    const bool main = block == map->main();
    map->blocks.push_back(seen_block(layout, block, frame));
    map->cells.push_back(main ? nullptr : cells_of_similarity(*map, map->blocks.back()));
    if (stop.stop_requested()) return nullptr;
  }
  for (const SeenBlock& tile : map->tiles.frames) {
    map->frames.push_back(cells_of_similarity(*map, tile));
    if (stop.stop_requested()) return nullptr;
  }
  map->range = seen_range(*map);
  map->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return map;
}

}  // namespace ropescope
