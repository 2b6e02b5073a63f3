#pragma once

#include <span>
#include <string_view>

#include "core/layouts/layout.h"

namespace ropescope {

/// The order in which a program walked through the grid of an image or a video. Three words name the counters from the
/// slowest to the fastest.
enum class TokenOrder {
  row_major,  ///< frame, row, column: as every model here
  column_major,
  serpentine,
  row_column_frame,
  column_row_frame,
  row_frame_column,
  column_frame_row,
  bottom_up,
  right_to_left,
  backwards,
  frames_backwards,
  windows,
};

struct NamedOrder {
  TokenOrder order;
  std::string_view name;  ///< in JSON; after "check.order." the key of what shows it
  bool usual;             ///< seen often: looked at first
};
/// All but row_major, likely ones first.
std::span<const NamedOrder> other_orders();
/// Whether a block is an image or a reference, whose tokens stand in rows and columns.
bool is_grid(const TokenBlock& block);
/// Whether a block can stand in an order so that it differs from row_major.
bool can_stand_in(TokenOrder order, const TokenBlock& block);

/// The place whose ids a program that walks in `order` gives to the token that the model has at `place`.
TokenPlace walked(TokenOrder order, const TokenBlock& block, TokenPlace place);

}  // namespace ropescope
