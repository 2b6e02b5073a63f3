// The fields of the context extension and of encodings, and layouts by their fields. A part of experiment.h, which
// includes it; not to be included for itself.
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

/// Every list that a method declares, without numbers. The declarations are constants: their names stay.
std::map<std::string_view, std::string> empty_scaling_lists();

/// The context extension: a method of core/scaling and the parameters of all of them, under the names of Extension, so
/// that a change of method keeps what both have. Its keys stand beside those of the rope: "rope.scaling",
/// "rope.factor".
struct ScalingFields {
  std::string method = "none";
  double length = 0;  ///< l: current sequence length; 0: what is asked or shown, see give_length()
  /// "1,1.05,1.1": one number for each pair, under the lists' names in Extension; all are there.
  std::map<std::string_view, std::string> lists = empty_scaling_lists();
  DeclaredValues parameters{all_scaling_fields()};
  double& operator[](std::string_view parameter) { return parameters.number(parameter); }
  double operator[](std::string_view parameter) const { return parameters[parameter]; }
  bool operator==(const ScalingFields&) const = default;
};

/// The most factors of an extension: one for each pair of the widest head.
inline constexpr std::size_t kMostFactors = 4096;

/// Declares the group "extension": the controls that the chosen method uses.
void describe(FieldList& list, ScalingFields& fields);

/// The extension of the fields, with every parameter that the method has. Throws InputError where a list cannot be
/// read.
Extension extension_of(const ScalingFields& fields);
/// Fields that show an extension; what its method does not have keeps its initial value.
ScalingFields scaling_fields_of(const Extension& extension);

/// Whether the fields ask their layout for a field: it looks at it, and no other one takes its place.
bool asks_for(const LayoutFields& fields, const Layout& layout, std::string_view field);
/// Asks a question of a raster of patches: is patch 1 nearer to patch 64 or to patch 65 of 64 × 64?
void ask_raster_question(LayoutFields& fields);

}  // namespace ropescope
