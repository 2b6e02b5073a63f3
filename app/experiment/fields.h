#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "core/words.h"

namespace ropescope {

/// Declarations of knobs. A knob is declared once, in a describe(Fields&, Knobs&); widget, tooltip, clamping, reset,
/// JSON, command-line option and tests are visitors of that declaration. Its label and help are the texts
/// "field.KEY.label" and "field.KEY.help" under the whole key, "field.decay.span.label".
struct NumberField {
  std::string_view key = {};
  double minimum = 0, maximum = 1, initial = 0;
  bool logarithmic = false;
  bool whole = false;
  double step = 0;             ///< smallest change (2 for even numbers: value − minimum is a multiple of it); 0: none
  std::string_view unit = {};  ///< text key of the unit, or empty
  std::string_view zero = {};  ///< text key of the word shown in place of 0, or empty
  double zero_value = 0;       ///< {base} in that word
  bool control = true;         ///< shown in the controls now (a knob may be in the file without a widget)
  bool follows_length = false;  ///< how far a view looks: becomes the length that an opened model takes
};
/// One of several words; options are stable names in files, their labels are "option.KEY.OPTION".
struct ChoiceField {
  std::string_view key = {};
  std::vector<std::string> options = {};
  std::string initial = {};
  bool control = true;
  std::string_view labels = {};  ///< "encoding" where several fields share the labels "option.encoding.OPTION"
};
struct ToggleField {
  std::string_view key = {};
  bool initial = false;
  bool control = true;
};
struct TextField {
  std::string_view key = {};
  std::string initial = {};
  bool control = true;
  std::string_view endings = {};  ///< ".npy .npz" where it holds a file that ends so, chosen by a dialog too
};
/// A zoomed range of an axis, none where the axis fits its data. Never a widget.
struct RangeField {
  std::string_view key = {};
};
/// A set of names, e.g. hidden lines. With options, a set of some of them: each is a button that is on or off, labelled
/// by "option.KEY.OPTION", and they are kept in the order of the options.
struct NamesField {
  std::string_view key = {};
  std::vector<std::string> options = {};
  std::vector<std::string> initial = {};
  bool control = true;
  std::string_view labels = {};
};

/// A button among the controls, labelled like a field: it fills several knobs at once. In no file.
struct ActionField {
  std::string_view key = {};
  bool control = true;
};

class Fields {
 public:
  virtual ~Fields() = default;
  /// Starts a group of controls; its label is the text "group.KEY".
  virtual void group(std::string_view /*key*/) {}
  /// A sentence that a reader of the controls must know, under those declared before it.
  virtual void note(const Words& /*note*/) {}
  /// Declares a button; whoever draws it calls `act` where it was pressed.
  virtual void action(const ActionField& /*field*/, const std::function<void()>& /*act*/) {}
  virtual void number(const NumberField& field, double& value) = 0;
  virtual void choice(const ChoiceField& field, std::string& value) = 0;
  virtual void toggle(const ToggleField& field, bool& value) = 0;
  virtual void text(const TextField& field, std::string& value) = 0;
  virtual void range(const RangeField& field, std::optional<Range>& value) = 0;
  virtual void names(const NamesField& field, std::vector<std::string>& value) = 0;
};

/// The text key of an option's label.
template <class Field>
std::string label_key(const Field& field, const std::string& option) {
  return "option." + std::string(field.labels.empty() ? field.key : field.labels) + "." + option;
}

/// Brings a number into its range and onto its step. NaN becomes the initial value.
double clamp_to(const NumberField& field, double value);

/// True for a finite number inside the range, whole and on a step where the field asks for it.
bool accepts(const NumberField& field, double value);
/// True for one of the options, or the initial value.
bool accepts(const ChoiceField& field, const std::string& value);
/// What a message says was expected: "a number from 1.01 to 1e+12", "an even number from 2 to 8192", "linear, log or
/// symlog".
Words expectation(const NumberField& field);
Words expectation(const ChoiceField& field);
Words expectation(const NamesField& field);
/// True where there are no options, or every name is one of them and stands once.
bool accepts(const NamesField& field, const std::vector<std::string>& value);
/// What of it a field accepts, in the order of its options.
std::vector<std::string> clamp_to(const NamesField& field, const std::vector<std::string>& value);

/// Where a value stands on its slider, 0 … 1, and the value (clamped, stepped) at a place of it. Logarithmic fields
/// that start at 0 run over log(1 + value), so that 0 is the left end.
double slider_fraction(const NumberField& field, double value);
double slider_value(const NumberField& field, double fraction);

}  // namespace ropescope
