// The fields of the context extension and of encodings, and layouts from their fields. A part of experiment.h; include
// that instead.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

struct LayoutFields;

/// Returns every list declared by a method, empty. The declarations must be constants because their names are kept.
std::map<std::string_view, std::string> empty_scaling_lists();

/// The context extension: a method of core/scaling and the parameters of all methods by their names in Extension, so
/// shared values survive a change of method. Its keys are among those of the rope: "rope.scaling", "rope.factor".
struct ScalingFields {
  std::string method = "none";
  double length = 0;  ///< l: current sequence length; 0: the requested or displayed length, see give_length()
  /// "1,1.05,1.1": one number per pair, by the lists' names in Extension; every list has an entry.
  std::map<std::string_view, std::string> lists = empty_scaling_lists();
  DeclaredValues parameters{all_scaling_fields()};
  double& operator[](std::string_view parameter) { return parameters.number(parameter); }
  double operator[](std::string_view parameter) const { return parameters[parameter]; }
  bool operator==(const ScalingFields&) const = default;
};

/// The maximum number of factors of an extension: one per pair of the widest head.
inline constexpr std::size_t kMaxFactors = 4096;

/// Declares the group "extension": the controls that the chosen method uses.
void declare_fields(FieldList& list, ScalingFields& fields);

/// Returns the extension of the fields, with every parameter of its method. Throws InputError if a list is invalid.
Extension extension_of(const ScalingFields& fields);
/// Returns the fields of an extension; fields that its method does not use keep their defaults.
ScalingFields to_scaling_fields(const Extension& extension);

/// Returns whether the fields' layout uses a field and no other field replaces it.
bool uses_field(const LayoutFields& fields, const Layout& layout, std::string_view field);
/// Sets up a question on a raster of patches: is patch 1 nearer to patch 64 or to patch 65 of 64 × 64?
void ask_raster_question(LayoutFields& fields);

}  // namespace ropescope
