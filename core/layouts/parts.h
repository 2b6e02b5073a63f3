#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

/// What several layouts share. Every layout is declared here, one line each.
extern const Layout kTextLayout;
extern const Layout kRasterLayout;
extern const Layout kFlux1Layout;
extern const Layout kFlux1KontextLayout;
extern const Layout kFlux2Layout;
extern const Layout kQwenImageLayout;
extern const Layout kWanLayout;
extern const Layout kHunyuanVideoLayout;
extern const Layout kCogView4Layout;
extern const Layout kLumina2Layout;
extern const Layout kZImageLayout;
extern const Layout kLtxVideoLayout;
extern const Layout kVitAxialLayout;
extern const Layout kVitMixedLayout;
extern const Layout kDinov3Layout;
extern const Layout kQwen2VlLayout;
extern const Layout kQwen3VlLayout;
extern const Layout kTorchtuneVisionLayout;
extern const Layout kLucidrainsAxialLayout;
extern const Layout kPixtralLayout;
extern const Layout kErnieImageLayout;
extern const Layout kCustomLayout;

/// Throws InputError "<layout>: <found>; <expected> was expected".
[[noreturn]] void reject(const Layout& layout, const std::string& found, const std::string& expected);

/// Rows and columns of tokens.
struct TokenGrid {
  int rows = 1, columns = 1;
};
/// The tokens of an image of that size; `what` names it in errors ("the image", "reference 1"). Throws InputError where
/// it does not divide, with the nearest sizes that do.
TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const std::string& what);
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

/// What to say where unrotated tokens stand before the image but are not counted.
inline constexpr const char* kUncountedTokens =
    "Token numbers begin at the first patch: the unrotated tokens before it are not counted.";

// Settings that several layouts take.
inline constexpr std::string_view kImageTextSettings[] = {"image", "text", "head_dim", "axis_dims", "base"};
inline constexpr std::string_view kReferenceSettings[] = {"image",    "text",      "references",
                                                          "head_dim", "axis_dims", "base"};
inline constexpr std::string_view kVideoSettings[] = {"image", "text", "frames", "head_dim", "axis_dims", "base"};
inline constexpr std::string_view kVisionSettings[] = {"image", "head_dim", "base", "patch"};

}  // namespace ropescope
