// The layout of the reference arranged once more, for another image or another part of the rows: what several causes
// try. Read cause.h first.
#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// Which rows of the reference the tensors hold: "all", "text", "image" or "reference"; empty where it is none of them.
std::string part_of_rows(const CheckModel& model, const TokenLayout& reference);

/// The layout of the reference with another request; none where it cannot be arranged: that explains nothing.
std::optional<TokenLayout> arranged(const Situation& situation, const LayoutRequest& request);

/// The model with the blocks of another request, rows of a part of them; none where the request cannot be arranged or
/// does not give as many rows as the tensors have.
std::optional<CheckModel> arranged_as(const Situation& situation, const LayoutRequest& request,
                                      const std::string& part);

}  // namespace ropescope
