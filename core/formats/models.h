// Model comparison: a check reference from a model's profiles, and the differences of two models of any format. Read
// config.h and core/check/check.h first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/check/compare_specs/compare_specs.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"

namespace ropescope {

// --- Models to check -----------------------------------------------------------------------------------------------

/// Adds a model's further data to a reference that was created from its profile `own`: which channels of a head are
/// rotated, whether its output is rotated back, and its other profiles, which check() tries before it fits anything.
/// Profiles that require an image to be arranged are omitted.
void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference);

// --- Two models ----------------------------------------------------------------------------------------------------

/// The data on a model in a file, preset or experiment of any format.
struct ModelSide {
  std::vector<Profile> profiles;
  std::optional<LayoutConfig> layout;  ///< for an image or video model
};

/// A difference with its profile: the name of the layers, or "layout" for token positions.
struct ModelDifference : SpecDifference {
  std::string profile;
};

struct ModelComparison {
  bool agrees = true;                        ///< unchanged if A and B are swapped
  std::vector<ModelDifference> differences;  ///< differences that change scores
  std::vector<ModelDifference> notes;        ///< differences that do not
  Message::List remarks;                     ///< further remarks
};

/// Compares profiles with the same name; "text" is compared with every kind of layers of the other side, and layers
/// that only one side has with the other's first ones. Remarks report a vision tower or an image layout that only one
/// side describes, and a pairing that differs because of reordered weights (Profile::permuted). Layouts are compared if
/// both sides have one. Throws InputError as compare_specs() and compare_layouts(), and if the sides have nothing in
/// common to compare (one has only profiles, the other only a layout).
ModelComparison compare_models(const ModelSide& a, const ModelSide& b, const Work& work = {});

}  // namespace ropescope
