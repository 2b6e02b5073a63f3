// A number or switch of which somebody chooses the value, declared once: what is valid, where it starts, how it is
// chosen. encodings/encoding.h, scaling/scaling.h and layouts/layout.h build their own fields on it, and so does
// app/experiment/fields.h; it includes nothing of ours but the words of an error.
#pragma once

#include <string_view>

#include "core/words.h"

namespace ropescope {

/// A number or switch that an entry of a registry (position encoding, scaling method, layout) can be given, declared
/// where the entry is and nowhere else, or a number of a view: checks, controls, files, --set and options look at this
/// declaration. What people read about it are the texts "field.KEY.label", "field.KEY.help" and "field.KEY.option".
struct NumberField {
  std::string_view key = {};                              ///< stable, in files and for --set: "rope.factor"
  std::string_view name = key.substr(key.find('.') + 1);  ///< stable, in core and, with - for _, as an option
  double minimum = 0, maximum = 0;                        ///< what is valid
  /// Stands in where the field is not given. Outside the range: whoever looks at it then finds a value itself.
  double initial = 0;
  bool required = false;             ///< nothing stands in: it must be given
  bool says_how_far = false;         ///< how far a method extends: labels say it, and only people can choose it
  bool is_switch = false;            ///< 0 or 1
  bool exclusive = false;            ///< valid is any finite number above the minimum instead
  bool whole = false, even = false;  ///< numbers without a fraction; without a remainder by 2
  double lowest = minimum, highest = maximum;  ///< of its control and in files; below the minimum: "not given"
  bool has_control = true;                     ///< has a control and is in files
  double step = 0;                             ///< of its control: value − lowest is a multiple of it; 0: none
  bool linear = false;                         ///< how its slider runs, else logarithmic
  bool round = false;                          ///< dragged, it takes numbers of one digit and zeros: a base
  std::string_view unit = {}, zero = {};       ///< text keys of the unit, and of the word in place of 0
  double zero_value = 0;                       ///< {base} in that word
  std::string_view symbol = "N";               ///< stands for its value in --help
  int order = 0;  ///< its place among the fields of its registry in controls, files and --help, the least first
};

/// Whether the declaration allows a value; NaN never.
bool is_valid(const NumberField& field, double value);
/// Whether a control or a file that holds this value gives the field: 0 stands for "not given" where it is not valid.
bool is_given(const NumberField& field, double value);
/// What a field allows, in words: "a number from 1 to 10000".
Words expected_of(const NumberField& field);

}  // namespace ropescope
