#include <algorithm>
#include <cmath>

#include "core/layouts/parts.h"
#include "core/layouts/places.h"
#include "core/rotary/rotation.h"

namespace ropescope {

std::int64_t TokenLayout::row_count() const {
  return blocks.empty() ? 0 : blocks.back().first_row + blocks.back().count();
}

std::int64_t TokenBlock::count(Along along) const {
  switch (along) {
    case Along::none:
      return 1;
    case Along::token:
      return count();
    case Along::frame:
      return frames;
    case Along::row:
      return rows;
    case Along::column:
      return columns;
  }
  return 1;
}

void require_rows(const TokenLayout& layout, std::int64_t first, std::int64_t count) {
  if (first >= 0 && count >= 0 && first <= layout.row_count() && count <= layout.row_count() - first) return;
  reject(layout.name, "layouts.rows", {{"first", first}, {"count", count}, {"last", layout.row_count() - 1}});
}

std::int64_t value_index(const TokenBlock& block, Along along, const TokenPlace& place) {
  switch (along) {
    case Along::none:
      return 0;
    case Along::token:
      return (static_cast<std::int64_t>(place.frame) * block.rows + place.row) * block.columns + place.column;
    case Along::frame:
      return place.frame;
    case Along::row:
      return place.row;
    case Along::column:
      return place.column;
  }
  return 0;
}

TokenPlace place_of(const TokenLayout& layout, std::int64_t row) {
  const auto after =
      std::upper_bound(layout.blocks.begin(), layout.blocks.end(), row,
                       [](std::int64_t value, const TokenBlock& block) { return value < block.first_row; });
  const TokenBlock& block = *std::prev(after);
  const std::int64_t offset = row - block.first_row;
  TokenPlace place;
  place.block = static_cast<std::size_t>(std::prev(after) - layout.blocks.begin());
  place.column = offset % block.columns;
  place.row = static_cast<int>(offset / block.columns % block.rows);
  place.frame = static_cast<int>(offset / block.columns / block.rows);
  place.token = block.first_token + offset;
  return place;
}

std::vector<double> ids_of(const TokenLayout& layout, std::int64_t row) {
  require_rows(layout, row, 1);
  const TokenPlace place = place_of(layout, row);
  const TokenBlock& block = layout.blocks[place.block];
  std::vector<double> ids;
  for (const AxisIds& axis : block.ids) {
    ids.push_back(axis.at(value_index(block, axis.along, place)));
  }
  return ids;
}

Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> id_rows(const TokenLayout& layout,
                                                                               std::int64_t first, std::int64_t count) {
  require_rows(layout, first, count);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> ids(
      count, static_cast<Eigen::Index>(layout.axes.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const TokenPlace place = place_of(layout, first + i);
    const TokenBlock& block = layout.blocks[place.block];
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      ids(i, static_cast<Eigen::Index>(axis)) = block.ids[axis].at(value_index(block, block.ids[axis].along, place));
    }
  }
  return ids;
}

}  // namespace ropescope
