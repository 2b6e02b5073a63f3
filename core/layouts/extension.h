// Extension beyond the trained resolution: an axis's ladder extended by a method of core/scaling, positions scaled and
// shifted as by ComfyUI's rope options, and the effects of larger pictures on each axis. Read layout.h and
// core/scaling/scaling.h first; arrange() calls extend().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

/// Returns the fields of every layout whose tokens form a grid, in addition to its own settings.
std::span<const LayoutField> extension_fields();
/// Returns whether a layout uses them: it has an image, and axes that run along it.
bool takes_extension(const Layout& layout);
/// Returns whether a method can extend one axis with a factor only (and DyPE's time).
bool extends_axes(const ScalingMethod& method);
/// Returns whether a method was written for images alone (DyPE, ladders of single image models), so that it is not
/// offered for text.
bool is_of_images(const ScalingMethod& method);
/// Returns whether a method uses a field: "none" uses no factor, and only DyPE's methods use a diffusion time.
bool is_of_method(const LayoutField& field, std::string_view method);

// --- Extensions ----------------------------------------------------------------------------------------------------

/// The extension of an arranged layout's axis beyond its trained side. Sides are in tokens.
struct AxisExtension {
  double trained = 0;  ///< 0: unknown, or positions do not grow with the picture
  double side = 1;     ///< of the largest image or reference
  double factor = 1;   ///< factor by which its ladder is extended
};
/// Returns the extension of each axis. Throws InputError if the method needs a trained side and none is known.
std::vector<AxisExtension> axis_extensions(const Layout& layout, const LayoutRequest& request,
                                           const TokenLayout& arranged);

/// Extends the ladders of an arranged layout, then scales and shifts its positions. An axis with factor 1, scale 1 and
/// shift 0 is unchanged. Throws InputError if an axis has no plain ladder to extend.
void extend(const Layout& layout, const LayoutRequest& request, TokenLayout& arranged);
/// The scale and shift of positions along an axis.
struct AxisChange {
  double scale = 1, shift = 0;
  bool is_still() const { return scale == 1 && shift == 0; }
};
AxisChange find_axis_change(const LayoutRequest& request, std::string_view axis);
/// Returns the fixed point when the ids of a block are scaled: the first, or 0 if the ids lie on both sides of 0.
double still_id(const AxisIds& ids);
/// Returns a request without scale and shift, or without an extension.
LayoutRequest remove_position_fields(LayoutRequest request);
LayoutRequest remove_extension(LayoutRequest request);

/// The ladder that extends one axis: its own, or one that several axes share. nullopt if the axis has another ladder.
struct ExtendedAxis {
  RotarySpec spec;      ///< of the ladder, with the extension of the axis
  bool shared = false;  ///< all axes share one ladder (M-RoPE)
};
std::optional<ExtendedAxis> extended_axis(const LayoutRequest& request, const TokenLayout& plain, std::size_t axis,
                                          const AxisExtension& by);

/// The effects of a picture on an axis, compared with training.
struct AxisBeyond {
  AxisExtension extension;
  int pairs = 0;
  int unseen = 0;         ///< pairs that complete no turn in the trained side and are rotated farther now than there
  int waves = 0;          ///< pairs whose wave repeats inside the picture but not inside the trained side
  double longest = 0;     ///< longest wavelength in tokens that repeats inside the picture; 0: none
  double neighbours = 1;  ///< similarity of adjacent tokens along the axis, for its pairs only
  double trained_neighbours = 1;  ///< adjacent tokens in training
  double repeat = 0;              ///< distance in tokens of the largest similarity beyond the trained side
  double repeated = 0;            ///< similarity at that distance; if the distance is 0, the picture is not larger
};
/// Returns the effects on each axis whose tokens run along a side; `plain` is the picture without extension.
std::vector<AxisBeyond> beyond_training(const TokenLayout& arranged, const TokenLayout& plain,
                                        const std::vector<AxisExtension>& extensions);

}  // namespace ropescope
