#include "core/check/model/token_order.h"

#include <array>

namespace ropescope {

namespace {

constexpr int kSide = 2;  ///< of a window

constexpr NamedOrder kOrders[] = {
    {TokenOrder::column_major, "column-major", true},
    {TokenOrder::serpentine, "serpentine", true},
    {TokenOrder::row_column_frame, "frames-fastest", true},
    {TokenOrder::column_row_frame, "column-row-frame", false},
    {TokenOrder::row_frame_column, "row-frame-column", false},
    {TokenOrder::column_frame_row, "column-frame-row", false},
    {TokenOrder::bottom_up, "bottom-up", false},
    {TokenOrder::right_to_left, "right-to-left", false},
    {TokenOrder::backwards, "backwards", false},
    {TokenOrder::frames_backwards, "frames-backwards", false},
    {TokenOrder::windows, "windows-2x2", false},
};

/// The place with number `index` where the counters nest as given, slowest first: 0 frame, 1 row, 2 column.
TokenPlace nested(const TokenBlock& block, const std::array<int, 3>& nesting, std::int64_t index, TokenPlace place) {
  const std::array<std::int64_t, 3> counts = {block.frames, block.rows, block.columns};
  std::array<std::int64_t, 3> at{};
  for (std::size_t i = nesting.size(); i-- > 0;) {
    const auto counter = static_cast<std::size_t>(nesting[i]);
    at[counter] = index % counts[counter];
    index /= counts[counter];
  }
  place.frame = static_cast<int>(at[0]);
  place.row = static_cast<int>(at[1]);
  place.column = at[2];
  return place;
}

TokenPlace in_windows(const TokenBlock& block, TokenPlace place) {
  const std::int64_t index = place.row * block.columns + place.column, window = index / (kSide * kSide);
  const std::int64_t across = block.columns / kSide, inside = index % (kSide * kSide);
  place.row = static_cast<int>(window / across * kSide + inside / kSide);
  place.column = window % across * kSide + inside % kSide;
  return place;
}

}  // namespace

std::span<const NamedOrder> other_orders() {
  return kOrders;
}

bool is_grid(const TokenBlock& block) {
  return block.part == "image" || block.part.rfind("reference", 0) == 0;
}

bool can_stand_in(TokenOrder order, const TokenBlock& block) {
  if (!is_grid(block)) return false;
  const bool rows = block.rows > 1, columns = block.columns > 1, frames = block.frames > 1;
  switch (order) {
    case TokenOrder::row_major:
      return false;
    case TokenOrder::column_major:
    case TokenOrder::serpentine:
      return rows && columns;
    case TokenOrder::row_column_frame:
    case TokenOrder::column_row_frame:
      return frames && (rows || columns);
    case TokenOrder::row_frame_column:
      return frames && rows;
    case TokenOrder::column_frame_row:
      return frames && columns && rows;
    case TokenOrder::bottom_up:
      return rows;
    case TokenOrder::right_to_left:
      return columns;
    case TokenOrder::backwards:
      return rows && columns;
    case TokenOrder::frames_backwards:
      return frames;
    case TokenOrder::windows:
      return block.rows % kSide == 0 && block.columns % kSide == 0 && block.columns > kSide;
  }
  return false;
}

TokenPlace walked(TokenOrder order, const TokenBlock& block, TokenPlace place) {
  if (!can_stand_in(order, block)) return place;
  const std::int64_t index =
      (static_cast<std::int64_t>(place.frame) * block.rows + place.row) * block.columns + place.column;
  switch (order) {
    case TokenOrder::row_major:
      break;
    case TokenOrder::column_major:
      return nested(block, {0, 2, 1}, index, place);
    case TokenOrder::row_column_frame:
      return nested(block, {1, 2, 0}, index, place);
    case TokenOrder::column_row_frame:
      return nested(block, {2, 1, 0}, index, place);
    case TokenOrder::row_frame_column:
      return nested(block, {1, 0, 2}, index, place);
    case TokenOrder::column_frame_row:
      return nested(block, {2, 0, 1}, index, place);
    case TokenOrder::serpentine:
      if (place.row % 2 == 1) place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::bottom_up:
      place.row = block.rows - 1 - place.row;
      break;
    case TokenOrder::right_to_left:
      place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::backwards:
      place.row = block.rows - 1 - place.row;
      place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::frames_backwards:
      place.frame = block.frames - 1 - place.frame;
      break;
    case TokenOrder::windows:
      return in_windows(block, place);
  }
  return place;
}

}  // namespace ropescope
