// Beyond the trained resolution: the ladder of an axis extended by a method of core/scaling, its positions scaled and
// shifted as ComfyUI's rope options do, and what a picture larger than those of training asks of each axis. Read
// layout.h and core/scaling/scaling.h first; arrange() calls extend().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- What may be asked ---------------------------------------------------------------------------------------------

/// Fields of every layout whose tokens stand in a grid, beside its own settings.
std::span<const LayoutField> extension_fields();
/// Whether a layout looks at them: it has an image, and axes that run along it.
bool takes_extension(const Layout& layout);
/// Methods that can be asked of one axis by a factor alone (and DyPE's by its time).
bool extends_axes(const ScalingMethod& method);
/// Whether a field is looked at under a method: a factor under none is not, a diffusion time under DyPE's alone.
bool is_of_method(const LayoutField& field, std::string_view method);

// --- What it gives -------------------------------------------------------------------------------------------------

/// One axis of an arranged layout beyond its trained side. Sides are tokens.
struct AxisExtension {
  double trained = 0;  ///< 0: not known, or positions do not grow with the picture
  double side = 1;     ///< of the largest image or reference
  double factor = 1;   ///< by which its ladder is extended
};
/// One for each axis. Throws InputError where the method asked for needs a trained side and none is known.
std::vector<AxisExtension> axis_extensions(const Layout& layout, const LayoutRequest& request,
                                           const TokenLayout& arranged);

/// Extends the ladders of an arranged layout, then scales and shifts its positions. Of an axis with the factor 1, the
/// scale 1 and the shift 0 nothing changes. Throws InputError where an axis has no plain ladder to extend.
void extend(const Layout& layout, const LayoutRequest& request, TokenLayout& arranged);
/// What positions along an axis are moved by.
struct MovedAxis {
  double scale = 1, shift = 0;
  bool is_still() const { return scale == 1 && shift == 0; }
};
MovedAxis moved_axis(const LayoutRequest& request, std::string_view axis);
/// The id that stays where it is when the ids of a block are scaled: the first, or 0 where they lie on both sides of 0.
double still_id(const AxisIds& ids);
/// What is left of a request without scale and shift, and without an extension.
LayoutRequest without_positions(LayoutRequest request);
LayoutRequest without_extension(LayoutRequest request);

/// What extends one axis: its own ladder, or the one that several axes share; none where the axis has another ladder.
struct ExtendedAxis {
  RotarySpec spec;      ///< of the ladder, with the extension of the axis
  bool shared = false;  ///< one ladder dealt to all axes (M-RoPE)
};
std::optional<ExtendedAxis> extended_axis(const LayoutRequest& request, const TokenLayout& plain, std::size_t axis,
                                          const AxisExtension& by);

/// What a picture asks of an axis that training did not show.
struct AxisBeyond {
  AxisExtension extension;
  int pairs = 0;
  int unseen = 0;         ///< pairs without a whole turn in the trained side that turn farther now than they did there
  int waves = 0;          ///< pairs whose wave repeats inside the picture and did not inside the trained side
  double longest = 0;     ///< wavelength in tokens of the slowest pair that repeats inside the picture; 0: none does
  double neighbours = 1;  ///< similarity of two neighbours along the axis, of its own pairs
  double trained_neighbours = 1;  ///< the same in training
  double repeat = 0;              ///< tokens between which the similarity is largest again beyond the trained side
  double repeated = 0;            ///< and how large; 0 tokens: the picture is no larger
};
/// Of each axis whose tokens run along a side; `plain` is the same picture without extension.
std::vector<AxisBeyond> beyond_training(const TokenLayout& arranged, const TokenLayout& plain,
                                        const std::vector<AxisExtension>& extensions);

}  // namespace ropescope
