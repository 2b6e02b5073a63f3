// Causes among sizes of the image and scales of its axes, one block each.
#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

// --- Scale of an axis ----------------------------------------------------------------------------------------------

/// Appends "position-scale" with a factor for each axis: of all ids, of images alone, or from where each image begins;
/// and what other settings of the layout give (seconds of a video, a grid stretched to a number of positions).
void propose_axis_scales(const Situation& situation, std::vector<Proposal>& proposals);

/// Appends it with one factor for all axes, its only parameter, as tables or vectors show it.
void propose_factors(const Situation& situation, std::vector<Proposal>& proposals);

// --- Other sizes ---------------------------------------------------------------------------------------------------

/// Which rows of the reference the tensors hold: "all", "text", "image" or "reference"; empty where it is none of them.
std::string part_of_rows(const CheckModel& model, const TokenLayout& reference);

/// The layout of the reference with another request; none where it cannot be arranged: that explains nothing.
std::optional<TokenLayout> arranged(const Situation& situation, const LayoutRequest& request);

/// The model with the blocks of another request, rows of a part of them; none where the request cannot be arranged or
/// does not give as many rows as the tensors have.
std::optional<CheckModel> arranged_as(const Situation& situation, const LayoutRequest& request,
                                      const std::string& part);

/// Appends the cause "length" with the images, videos or references of other sizes that give as many rows as the
/// tensors have: those that give what was read, else the few most like the reference's. Nothing where the image of the
/// reference has as many rows and none gives what was read.
void propose_sizes(const Situation& situation, std::vector<Proposal>& proposals);

}  // namespace ropescope
