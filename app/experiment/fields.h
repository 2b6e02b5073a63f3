// What a field of the experiment is, and what a visitor of all fields meets: numbers, choices, switches, texts, ranges
// and sets of names with their key, range, unit and scale. Controls, JSON, --set, clamping and reset are such visitors.
// experiment.h is built of this.
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "core/field.h"
#include "core/words.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

/// Declarations of fields. A field is declared once, in the describe(FieldVisitor&, …) of its struct; widget, tooltip,
/// clamping, reset, JSON, command-line option and tests are visitors of that declaration. Its label and help are the
/// texts "field.KEY.label" and "field.KEY.help" under the whole key, "field.decay.span.label".
struct NumberField {
  std::string_view key = {};
  double minimum = 0, maximum = 1, initial = 0;
  bool logarithmic = false;
  bool whole = false;
  double step = 0;             ///< smallest change (2 for even numbers: value − minimum is a multiple of it); 0: none
  std::string_view unit = {};  ///< text key of the unit, or empty
  std::string_view zero = {};  ///< text key of the word shown in place of 0, or empty
  double zero_value = 0;       ///< {base} in that word
  bool control = true;         ///< shown in the controls now (a field may be in the file without a widget)
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

/// A button among the controls, labelled like a field: it fills several fields at once. In no file.
struct ActionField {
  std::string_view key = {};
  bool control = true;
};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
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
template <class Kind>
std::string label_key(const Kind& field, const std::string& option) {
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
/// Those of the names that a field accepts, in the order of its options.
std::vector<std::string> clamp_to(const NamesField& field, const std::vector<std::string>& value);

/// Where a value stands on its slider, 0 … 1, and the value (clamped, stepped) at a place of it. Logarithmic fields
/// that start at 0 run over log(1 + value), so that 0 is the left end.
double slider_fraction(const NumberField& field, double value);
double slider_value(const NumberField& field, double fraction);

// --- Declared fields -----------------------------------------------------------------------------------------------

/// The values of declared fields under their names: what the experiment holds.
class DeclaredValues {
 public:
  /// Takes every declared field that has a control, with its initial value. The declarations are constants: their names
  /// stay.
  template <class Declared>
  explicit DeclaredValues(const std::vector<Declared>& fields) {
    for (const Field& field : fields) {
      if (field.has_control) values_.push_back({field.name, field.is_switch, field.initial, field.initial != 0});
    }
  }
  // Precondition of all: the name is declared, and as what it is taken for. They throw std::logic_error.
  double& number(std::string_view name);
  bool& toggle(std::string_view name);
  /// A switch is 0 or 1.
  double operator[](std::string_view name) const;
  void set(std::string_view name, double value);
  bool operator==(const DeclaredValues&) const = default;

 private:
  struct Value {
    std::string_view name;
    bool is_switch = false;
    double number = 0;
    bool on = false;  ///< of a switch: a control that is drawn later points at it
    bool operator==(const Value&) const = default;
  };
  std::vector<Value> values_;
};

/// Shows a declared field to a visitor: a number, or a toggle for a switch. `own`: the base that 0 stands for, where it
/// is known.
void describe(FieldVisitor& visit, const Field& field, DeclaredValues& values, bool control,
              std::optional<double> own = {});

/// The option of a declared field: "--beta-fast".
std::string option_name(const Field& field);

// --- Some fields ---------------------------------------------------------------------------------------------------

/// The base of visitors that look at some kinds of fields alone: the others pass by.
class PartialVisitor : public FieldVisitor {
 public:
  void number(const NumberField&, double&) override {}
  void choice(const ChoiceField&, std::string&) override {}
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}
};

// --- All fields ----------------------------------------------------------------------------------------------------

/// A whole number on a logarithmic slider.
constexpr NumberField whole_field(std::string_view key, double minimum, double maximum, double initial,
                                  bool control = true) {
  return {.key = key,
          .minimum = minimum,
          .maximum = maximum,
          .initial = initial,
          .logarithmic = true,
          .whole = true,
          .control = control};
}

/// The seed of a random generator, shown where something is drawn from it.
constexpr NumberField seed_field(std::string_view key, double initial, bool control = true) {
  return whole_field(key, 0, 2'147'483'648, initial, control);
}

// --- JSON ----------------------------------------------------------------------------------------------------------

/// Writes every field under its key into an object: "rope.base" becomes {"rope": {"base": …}}. Whole numbers are
/// written without a point.
class JsonWriter : public FieldVisitor {
 public:
  /// Precondition: the object outlives the writer.
  explicit JsonWriter(nlohmann::ordered_json& root) : root_(root) {}
  void number(const NumberField& field, double& value) override;
  void choice(const ChoiceField& field, std::string& value) override;
  void toggle(const ToggleField& field, bool& value) override;
  void text(const TextField& field, std::string& value) override;
  void range(const RangeField& field, std::optional<Range>& value) override;
  void names(const NamesField& field, std::vector<std::string>& value) override;

 private:
  nlohmann::ordered_json& at(std::string_view key);

  nlohmann::ordered_json& root_;
};

/// Fills fields from an object of that form. Missing keys leave their value; a wrong type, a number out of range and an
/// unknown option throw InputError "SOURCE: PREFIXrope.base is 0.5; a number from 1.01 to 1e+12 was expected".
class JsonReader : public FieldVisitor {
 public:
  /// Precondition: root is an object and outlives the reader.
  JsonReader(const nlohmann::json& root, std::string source, std::string prefix = {});
  void number(const NumberField& field, double& value) override;
  void choice(const ChoiceField& field, std::string& value) override;
  void toggle(const ToggleField& field, bool& value) override;
  void text(const TextField& field, std::string& value) override;
  void range(const RangeField& field, std::optional<Range>& value) override;
  void names(const NamesField& field, std::vector<std::string>& value) override;

  /// Throws InputError for a key that no field asked for and that is not one of `others`, naming near ones.
  void refuse_unknown_keys(const std::set<std::string>& others) const;
  [[noreturn]] void refuse(std::string_view key, const nlohmann::json& found, const Words& expected) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;

 private:
  /// The value of a key; nullptr where it is missing. Remembers that the key is known.
  const nlohmann::json* find(std::string_view key);

  const nlohmann::json& root_;
  std::string source_, prefix_;
  std::set<std::string> known_;
};

}  // namespace ropescope
