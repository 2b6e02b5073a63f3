// Models beside each other: the reference of a check made of a model's profiles, and two models compared, of whichever
// format each came. Read config.h and core/check/check.h first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/check/specs/compare_specs.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"

namespace ropescope {

// --- Models to check -----------------------------------------------------------------------------------------------

/// Adds to a reference made of one of a model's profiles what the model says besides: which channels of a head turn,
/// whether its output is turned back, and its other profiles, which check() tries before it fits anything. Those that
/// need an image to be arranged are left out. `own`: the profile that the reference was made of.
void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference);

// --- Two models ----------------------------------------------------------------------------------------------------

/// What a file, preset or experiment says of a model, of whichever format it came.
struct ModelSide {
  std::vector<Profile> profiles;
  std::optional<LayoutConfig> layout;  ///< of a model of images or video
};

/// A difference and the profiles that it is of: the layers of that name, "layout" for where tokens stand.
struct ModelDifference : SpecDifference {
  std::string profile;
};

struct ModelComparison {
  bool agrees = true;                        ///< the same with A and B exchanged
  std::vector<ModelDifference> differences;  ///< those that change scores
  std::vector<ModelDifference> notes;        ///< those that change none
  Words::List remarks;                       ///< what else a reader must know
};

/// Compares profiles of the same name, a "text" with every kind of layers of the other side; layers that only one side
/// has with the other's first ones. A vision tower that only one side describes is a remark, and so is a pairing that
/// went with reordered weights (Profile::permuted) and a layout of images that only one side tells. Layouts are
/// compared where both sides have one. Throws InputError: as compare_specs and compare_layouts, and where the sides
/// have nothing in common to compare (one has profiles only, the other a layout only).
ModelComparison compare_models(const ModelSide& a, const ModelSide& b, const Work& work = {});

}  // namespace ropescope
