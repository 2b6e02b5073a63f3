// What layouts share: axes, parts, rasters of tokens, text before and after. images.cpp, videos.cpp, multimodal.cpp and
// vision.cpp stand on it; read layout.h first.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

// --- Axes and parts ------------------------------------------------------------------------------------------------

// What several layouts share: fields, axes, blocks.

/// Throws InputError of this key, within the layout.
[[noreturn]] void reject(std::string_view layout, std::string_view key, std::initializer_list<Words::Named> values);
[[noreturn]] inline void reject(const Layout& layout, std::string_view key,
                                std::initializer_list<Words::Named> values) {
  reject(layout.name, key, values);
}

/// Rows and columns of tokens.
struct TokenGrid {
  int rows = 1, columns = 1;
};
/// The tokens of an image of that size; `what` names it in errors. Throws InputError where it does not divide, with the
/// nearest sizes that do.
TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const Words& what);
TokenGrid reference_grid(const Layout& layout, const LayoutRequest& request, std::size_t index);
TokenGrid image_grid(const Layout& layout, const LayoutRequest& request);

/// An empty arrangement with the layout's name, pairing and quirk.
TokenLayout begin_layout(const Layout& layout);
/// Head dimension of a layout that deals it to its axes, a multiple of `multiple`.
int head_dim_of(const Layout& layout, const LayoutRequest& request, int fallback, int multiple);
/// The axes of a layout with fixed ones, with what the request overrides; a head dimension must be their sum.
std::vector<LayoutAxis> listed_axes(const Layout& layout, const LayoutRequest& request);
/// Axes of equal width with the default names and the base of the request.
std::vector<LayoutAxis> equal_axes(const Layout& layout, const LayoutRequest& request, int dim_per_axis);
/// Takes the axes and gives each its own plain ladder, one block of pairs after the other.
void set_ladders(TokenLayout& arranged, std::vector<LayoutAxis> axes);
/// Deals the pairs of one ladder (radians per id; 0: still) to the axes by turns: pair i to axis (first + i) mod axes.
void deal_by_turns(TokenLayout& arranged, const Eigen::VectorXd& ladder, Eigen::Index first = 0);

AxisIds fixed_id(double id);
/// first, first + 1, …
AxisIds counted_ids(Along along, double first = 0);

/// Appends a block; its numbers in tables and sequence follow from the blocks before it.
void add_block(TokenLayout& arranged, std::string part, TokenGrid grid, int frames, std::vector<AxisIds> ids);
/// Appends a line of tokens with `count` > 0; nothing for 0.
void add_line(TokenLayout& arranged, std::string part, std::int64_t count, std::vector<AxisIds> ids);
/// Tokens that are in the sequence before everything else but are not rotated: they shift token numbers only.
void shift_tokens(TokenLayout& arranged, std::int64_t count);
/// "reference1", "reference2", …
std::string reference_name(std::size_t index);

/// Notes that unrotated tokens stand before the image but are not counted.
inline constexpr std::string_view kUncountedTokens = "layouts.note.uncounted_tokens";

// Fields that several layouts take.
namespace layout_settings {

inline constexpr LayoutField kImage{
    {.name = "image", .has_control = false}, &LayoutRequest::image, {}, kNotForCounterpart};
inline constexpr LayoutField kText{{.key = "layout.text",
                                    .maximum = 1 << 24,
                                    .initial = 512,
                                    .whole = true,
                                    .highest = 1 << 20,
                                    .unit = "unit.tokens"},
                                   &LayoutRequest::text};
inline constexpr LayoutField kTextAfter{{.key = "layout.text_after",
                                         .maximum = 1 << 24,
                                         .whole = true,
                                         .highest = 1 << 20,
                                         .unit = "unit.tokens",
                                         .order = 1},
                                        &LayoutRequest::text_after};
inline constexpr LayoutField kReferences{
    {.name = "references", .has_control = false}, &LayoutRequest::references, {}, kNotForCounterpart};
inline constexpr LayoutField kFrames{{.key = "layout.frames",
                                      .minimum = 1,
                                      .maximum = 65536,
                                      .initial = 1,
                                      .whole = true,
                                      .highest = 1024,
                                      .symbol = "F",
                                      .order = 2},
                                     &LayoutRequest::frames};
inline constexpr LayoutField kFrameRate{{.key = "layout.frame_rate",
                                         .exclusive = true,
                                         .highest = 240,
                                         .linear = true,
                                         .zero = "unit.own",
                                         .symbol = "R",
                                         .order = 3},
                                        &LayoutRequest::frame_rate};
/// A field that is asked for only while another one of the layout is not 0, and only while it is.
constexpr LayoutField only_with(LayoutField field, std::string_view other) {
  field.with = other;
  return field;
}
constexpr LayoutField not_with(LayoutField field, std::string_view other) {
  field.without = other;
  return field;
}
constexpr LayoutField with_traits(LayoutField field, unsigned traits) {
  field.traits |= traits;
  return field;
}
inline constexpr LayoutField kHeadDim{{.key = "layout.head_dim",
                                       .minimum = 1,
                                       .maximum = 65536,
                                       .whole = true,
                                       .lowest = 0,
                                       .unit = "unit.channels",
                                       .zero = "unit.own",
                                       .symbol = "D",
                                       .order = 6},
                                      &LayoutRequest::head_dim,
                                      {},
                                      kNotForCounterpart | kCheckedByLayout | kOfModel | kSharedOption};
/// The head dimension of a layout whose axes are fixed: their sum.
inline constexpr LayoutField kSumOfAxes = with_traits(kHeadDim, kNoControl);
inline constexpr LayoutField kAxisDims{
    {.name = "axis_dims", .has_control = false}, &LayoutRequest::axis_dims, {}, kNotForCounterpart};
inline constexpr LayoutField kBase{{.key = "layout.base",
                                    .minimum = 1,
                                    .exclusive = true,
                                    .lowest = 0,
                                    .highest = 1e12,
                                    .round = true,
                                    .zero = "unit.own",
                                    .symbol = "B",
                                    .order = 7},
                                   &LayoutRequest::base,
                                   {},
                                   kOfModel | kSharedOption};
inline constexpr LayoutField kPatch{{.key = "layout.patch",
                                     .minimum = 1,
                                     .maximum = 1024,
                                     .whole = true,
                                     .lowest = 0,
                                     .unit = "unit.pixels",
                                     .zero = "unit.own",
                                     .symbol = "P",
                                     .order = 5},
                                    &LayoutRequest::patch,
                                    {},
                                    kNotForCounterpart | kOfModel};
/// Of a layout whose heads have frequencies of their own.
inline constexpr LayoutField kHead{
    {.key = "layout.mixed_head", .name = "head", .maximum = 1023, .whole = true, .symbol = "H", .order = 9},
    &LayoutRequest::head,
    {},
    kSharedOption};
inline constexpr LayoutField kPairing{{.name = "pairing", .has_control = false}, &LayoutRequest::pairing};
inline constexpr LayoutField kSections{
    {.name = "sections", .has_control = false}, &LayoutRequest::sections, {}, kNotForCounterpart};

inline constexpr LayoutField kImageTextFields[] = {kImage, kText, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kReferenceFields[] = {kImage, kText, kReferences, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kVideoFields[] = {kImage, kText, kFrames, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kVisionFields[] = {kImage, kHeadDim, kBase, kPatch};

}  // namespace layout_settings

// --- Video ---------------------------------------------------------------------------------------------------------

/// A video of the request as (frame, row, column), each from 0.
inline void add_video(const Layout& layout, const LayoutRequest& request, TokenLayout& arranged) {
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, request.frames,
            {counted_ids(Along::frame), counted_ids(Along::row), counted_ids(Along::column)});
}

}  // namespace ropescope
