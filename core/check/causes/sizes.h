// Rearrangement of the reference layout for another image size or another part of the rows, for several causes. Read
// cause.h first.
#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// Returns the part that the tensor rows are: "all", "text", "image" or "reference"; empty if none of these.
std::string part_of_rows(const CheckModel& model, const TokenLayout& reference);

/// Returns the first block of a part; null if there is none.
const TokenBlock* find_block_of_part(const TokenLayout& tokens, std::string_view part);

/// Returns the layout of the reference arranged with another request; nullopt if it cannot be arranged.
std::optional<TokenLayout> arranged(const Situation& situation, const LayoutRequest& request);

/// Returns the model with the blocks of another request, restricted to `part`; nullopt if the request cannot be
/// arranged or gives another number of rows than the tensors have.
std::optional<CheckModel> arrange_as_requested(const Situation& situation, const LayoutRequest& request,
                                               const std::string& part);

}  // namespace ropescope
