// Building blocks of layouts: axes, parts, token grids, text before and after. Used by images.cpp, videos.cpp,
// multimodal.cpp and vision.cpp. Read layout.h first.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

// --- Axes and parts ------------------------------------------------------------------------------------------------

// Helpers shared by several layouts: fields, axes, blocks.

/// Throws InputError with this text key, within the layout.
[[noreturn]] void reject(std::string_view layout, std::string_view key, std::initializer_list<Message::Named> values);
[[noreturn]] inline void reject(const Layout& layout, std::string_view key,
                                std::initializer_list<Message::Named> values) {
  reject(layout.name, key, values);
}

/// Rows and columns of tokens.
struct TokenGrid {
  int rows = 1, columns = 1;
};
/// Returns the token grid of an image of that size; `what` names it in errors. Throws InputError with the nearest valid
/// sizes if it does not divide into tokens.
TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const Message& what);
TokenGrid reference_grid(const Layout& layout, const LayoutRequest& request, std::size_t index);
TokenGrid image_grid(const Layout& layout, const LayoutRequest& request);

/// Returns an empty arrangement with the layout's name and quirk, and the pairing of the request, else the layout's.
TokenLayout begin_layout(const Layout& layout, const LayoutRequest& request);
/// Returns one that also has these axes, each with its own plain ladder, with the blocks of pairs concatenated.
TokenLayout begin_layout(const Layout& layout, const LayoutRequest& request, std::vector<LayoutAxis> axes);
/// Returns the head dimension of a layout that distributes it over its axes, a multiple of `multiple`.
int read_head_dim(const Layout& layout, const LayoutRequest& request, int fallback, int multiple);
/// Returns the fixed axes of a layout with the changes of the request, whose head dimension must be their sum.
std::vector<LayoutAxis> listed_axes(const Layout& layout, const LayoutRequest& request);
/// Returns axes with equal shares of the head, whose default is the sum of the layout's axes.
std::vector<LayoutAxis> shared_axes(const Layout& layout, const LayoutRequest& request);
/// Returns axes of equal width with the default names and the base of the request.
std::vector<LayoutAxis> equal_axes(const Layout& layout, const LayoutRequest& request, int dim_per_axis);
/// Assigns the pairs of one ladder (radians per id; 0: static) to alternating axes: pair i to (first + i) mod axes.
void deal_by_turns(TokenLayout& arranged, const Eigen::VectorXd& ladder, Eigen::Index first = 0);

AxisIds fixed_id(double id);
/// Returns the ids first, first + 1, …
AxisIds counted_ids(Along along, double first = 0);

/// Appends a block; its offsets in tables and sequence follow from the blocks before it.
void add_block(TokenLayout& arranged, std::string part, TokenGrid grid, int frames, std::vector<AxisIds> ids);
/// Appends a line of tokens with `count` > 0; nothing for 0.
void add_line(TokenLayout& arranged, std::string part, std::int64_t count, std::vector<AxisIds> ids);
/// Adds `count` tokens at the start of the sequence that are not rotated: they only shift token indices.
void shift_tokens(TokenLayout& arranged, std::int64_t count);
/// Returns the part name "reference1", "reference2", …
std::string reference_name(std::size_t index);

/// Text key of the note that unrotated tokens before the image are not counted.
inline constexpr std::string_view kUncountedTokens = "layouts.note.uncounted_tokens";

// Fields used by several layouts.
namespace layout_settings {

/// Returns a field that applies only while another field of the layout is not 0 (not_with: is 0).
constexpr LayoutField only_with(LayoutField field, std::string_view other) {
  field.with = other;
  return field;
}
constexpr LayoutField not_with(LayoutField field, std::string_view other) {
  field.without = other;
  return field;
}
constexpr LayoutField add_traits(LayoutField field, unsigned traits) {
  field.traits |= traits;
  return field;
}

// clang-format off
inline constexpr LayoutField kImage{{.name = "image", .has_control = false}, &LayoutRequest::image, {},
    kNotForCounterpart};
inline constexpr LayoutField kText{{.key = "layout.text", .maximum = 1 << 24, .initial = 512, .whole = true,
     .highest = 1 << 20, .unit = "unit.tokens"}, &LayoutRequest::text};
inline constexpr LayoutField kTextAfter{{.key = "layout.text_after", .maximum = 1 << 24, .whole = true,
     .highest = 1 << 20, .unit = "unit.tokens", .order = 1}, &LayoutRequest::text_after};
inline constexpr LayoutField kReferences{{.name = "references", .has_control = false}, &LayoutRequest::references, {},
    kNotForCounterpart};
inline constexpr LayoutField kFrames{{.key = "layout.frames", .minimum = 1, .maximum = 65536, .initial = 1,
     .whole = true, .highest = 1024, .symbol = "F", .order = 2}, &LayoutRequest::frames};
inline constexpr LayoutField kFrameRate{{.key = "layout.frame_rate", .exclusive = true, .highest = 240, .linear = true,
     .zero = "unit.own", .symbol = "R", .order = 3}, &LayoutRequest::frame_rate};
inline constexpr LayoutField kHeadDim{{.key = "layout.head_dim", .minimum = 1, .maximum = 65536, .whole = true,
     .lowest = 0, .unit = "unit.channels", .zero = "unit.own", .symbol = "D", .order = 6}, &LayoutRequest::head_dim, {},
    kNotForCounterpart | kCheckedByLayout | kOfModel | kSharedOption};
inline constexpr LayoutField kAxisDims{{.name = "axis_dims", .has_control = false}, &LayoutRequest::axis_dims, {},
    kNotForCounterpart};
inline constexpr LayoutField kBase{{.key = "layout.base", .minimum = 1, .exclusive = true, .lowest = 0, .highest = 1e12,
     .round = true, .zero = "unit.own", .symbol = "B", .order = 7}, &LayoutRequest::base, {}, kOfModel | kSharedOption};
inline constexpr LayoutField kPatch{{.key = "layout.patch", .minimum = 1, .maximum = 1024, .whole = true, .lowest = 0,
     .unit = "unit.pixels", .zero = "unit.own", .symbol = "P", .order = 5}, &LayoutRequest::patch, {},
    kNotForCounterpart | kOfModel};
/// The head index, for a layout whose heads have their own frequencies.
inline constexpr LayoutField kHead{
    {.key = "layout.mixed_head", .name = "head", .maximum = 1023, .whole = true, .symbol = "H", .order = 9},
    &LayoutRequest::head, {}, kSharedOption};
inline constexpr LayoutField kPairing{{.name = "pairing", .has_control = false}, &LayoutRequest::pairing};
inline constexpr LayoutField kSections{{.name = "sections", .has_control = false}, &LayoutRequest::sections, {},
    kNotForCounterpart};
// clang-format on
/// The head dimension of a layout whose axes are fixed: their sum.
inline constexpr LayoutField kSumOfAxes = add_traits(kHeadDim, kNoControl);

inline constexpr LayoutField kImageTextFields[] = {kImage, kText, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kReferenceFields[] = {kImage, kText, kReferences, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kVideoFields[] = {kImage, kText, kFrames, kSumOfAxes, kAxisDims, kBase};
inline constexpr LayoutField kVisionFields[] = {kImage, kHeadDim, kBase, kPatch};

}  // namespace layout_settings

// --- Plain layouts -------------------------------------------------------------------------------------------------

// A layout is plain if its axes have plain ladders and its ids are counts: then it is the list of its parts.

/// The ids of a part on one axis: they count along `along` from `first` on, after the text if `after_text`.
struct PlainId {
  Along along = Along::none;
  double first = 0;
  bool after_text = false;
  double step = 0;  ///< for references: added for each one before it
};
/// A part of a plain layout.
struct PlainPart {
  enum Kind { text, image, references } kind;  ///< image: all frames of it
  PlainId ids[4] = {};                         ///< one per axis
  bool at_most_one = false;                    ///< more than one reference is an error
};
/// Arranges these parts in their order.
TokenLayout arrange_parts(const Layout& layout, const LayoutRequest& request, std::vector<LayoutAxis> axes,
                          std::span<const PlainPart> parts);
/// Layout::arrange of a plain layout. kAxes: a function that returns its axes.
template <const auto& kParts, auto kAxes = listed_axes>
TokenLayout arrange_plain(const Layout& layout, const LayoutRequest& request) {
  return arrange_parts(layout, request, kAxes(layout, request), kParts);
}

inline constexpr PlainId kAtZero{}, kAtToken{Along::token}, kAtFrame{Along::frame}, kAtRow{Along::row},
    kAtColumn{Along::column}, kAfterText{Along::none, 0, true};
/// A video with ids (frame, row, column), each from 0.
inline constexpr PlainPart kVideoParts[] = {{PlainPart::image, {kAtFrame, kAtRow, kAtColumn}}};

}  // namespace ropescope
