// Declaration of a user-settable number or switch: valid range, default, and control. Used by the fields of
// encodings/encoding.h, scaling/scaling.h, layouts/layout.h and app/experiment/fields.h. Depends only on
// words.h.
#pragma once

#include <string_view>

#include "core/message.h"

namespace ropescope {

/// A number or switch, declared once, with its registry entry (position encoding, scaling method, layout) or its view.
/// Checks, controls, files, --set and command-line options are derived from the declaration. Its UI texts have the keys
/// "field.KEY.label", "field.KEY.help" and "field.KEY.option".
struct NumberField {
  std::string_view key = {};                              ///< stable key in files and for --set: "rope.factor"
  std::string_view name = key.substr(key.find('.') + 1);  ///< stable name in core and, with - for _, as an option
  double minimum = 0, maximum = 0;                        ///< valid range
  /// Used if the field is not set. If it is outside the valid range, the user of the field determines a value.
  double initial = 0;
  bool required = false;                       ///< has no default: it must be set
  bool is_extension_factor = false;            ///< how far a method extends: shown in labels, and set only by the user
  bool is_switch = false;                      ///< 0 or 1
  bool exclusive = false;                      ///< every finite number above the minimum is valid, without a maximum
  bool whole = false, even = false;            ///< integers, even integers
  double lowest = minimum, highest = maximum;  ///< range of its control and in files; below the minimum: "not set"
  bool has_control = true;                     ///< has a control and is stored in files
  double step = 0;                             ///< of its control: value − lowest is a multiple of it; 0: no steps
  bool linear = false;                         ///< its slider is linear, otherwise logarithmic
  bool round = false;                          ///< dragging it gives numbers of one digit and zeros, for bases
  std::string_view unit = {}, zero = {};       ///< text keys of the unit, and of the word shown instead of 0
  double zero_value = 0;                       ///< value of {base} in that word
  std::string_view symbol = "N";               ///< placeholder for its value in --help
  int order = 0;  ///< position among the fields of its registry in controls, files and --help, ascending
};

/// Returns whether a value is within the declared range; always false for NaN.
bool is_valid(const NumberField& field, double value);
/// Returns whether a value of a control or file sets the field: 0 means "not set" if it is not a valid value.
bool is_given(const NumberField& field, double value);
/// Describes the valid values of a field: "a number from 1 to 10000".
Message describe_valid_values(const NumberField& field);

}  // namespace ropescope
