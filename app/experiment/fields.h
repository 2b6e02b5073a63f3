// Fields as data: a list of settings, each with its key, a pointer to its value, its range, unit and scale, its default
// and whether it currently has a control. Controls, JSON, --set, clamping and reset are loops over such a list.
// experiment.h is built on it.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/figure/figure.h"
#include "core/field.h"
#include "core/message.h"

namespace ropescope {

// --- Choices among words -------------------------------------------------------------------------------------------

/// The words of an enumeration used in a field, one per enumerator counted from 0: its stable names in files, on the
/// command line and in text keys. They are defined next to each enumeration: experiment.h.
template <class E>
inline constexpr std::nullptr_t kWordsOf = nullptr;
template <class E>
concept Worded = std::is_enum_v<E> && sizeof(E) == sizeof(int) && !std::is_null_pointer_v<decltype(kWordsOf<E>)>;

/// Returns the word of a value: "helix" for RotationShow::helix.
template <Worded E>
std::string word_of(E value) {
  return std::string(kWordsOf<E>[static_cast<std::size_t>(value)]);
}

/// A reference to a value of any such enumeration.
class WordedValue {
 public:
  template <Worded E>
  explicit WordedValue(E* value) : value_(value), words_(kWordsOf<E>) {}
  /// Returns the word; empty if the value is not an enumerator.
  std::string word() const;
  /// Precondition: `word` is one of the words.
  void set(std::string_view word) const;

 private:
  void* value_;
  std::span<const std::string_view> words_;
};

// --- Fields --------------------------------------------------------------------------------------------------------

/// Limits of texts in files, links and --set, in bytes. Names are drawn with their curves and measured letter by
/// letter: a link of 136 characters could unpack to a name that takes minutes.
inline constexpr std::size_t kMaxNameBytes = 1024, kMaxSentenceBytes = 8192, kMaxListBytes = std::size_t{1} << 17;
/// Limit for the numbers of a curve from a file, kMaxCurveRows of them as text.
inline constexpr std::size_t kMaxCurveBytes = std::size_t{1} << 20;
/// Maximum number of names in a list that accepts any name.
inline constexpr std::size_t kMaxNames = 256;

/// One entry of a list of fields. A field is declared once, in the declare_fields(FieldList&, …) of its struct;
/// widget, tooltip, clamping, reset, JSON, command-line option and tests use that declaration. Its label and help are
/// the texts "field.KEY.label" and "field.KEY.help" with the full key, "field.decay.span.label". NumberField's members
/// apply to numbers; other kinds use only the key, and toggles the default.
struct Field : NumberField {
  enum class Kind {
    group,   ///< starts a group of controls; its label is the text "group.KEY"
    note,    ///< a note on the controls before it
    action,  ///< a button, labelled like a field: it fills several fields at once, and is not saved
    number,
    choice,  ///< one of several words; options are stable names in files, labelled by "option.KEY.OPTION"
    toggle,
    text,
    range,  ///< a zoomed range of an axis, nullopt if the axis fits its data; never a widget
    names,  ///< a set of names, e.g. hidden lines. With options, a subset of them: each is a toggle button
            ///< labelled by "option.KEY.OPTION", and they are kept in the order of the options
  };
  using Names = std::vector<std::string>;
  /// A pointer to the value; for a note its text, for an action its function.
  using Value = std::variant<std::monostate, double*, std::string*, WordedValue, bool*, std::optional<Range>*, Names*,
                             Message, std::function<void()>>;
  Kind kind = Kind::group;
  Value value = {};
  bool control = true;            ///< currently shown in the controls (a field may be in the file without a widget)
  std::string initial_text = {};  ///< for a choice or a text
  Names options = {};             ///< for a choice or names
  std::string_view labels = {};   ///< "encoding" if several fields share the labels "option.encoding.OPTION"
  Names initial_names = {};
  std::string_view endings = {};          ///< ".npy .npz" if a text is the path of such a file, also chosen by a dialog
  std::size_t max_bytes = kMaxNameBytes;  ///< for a text, or for each of the names
  bool follows_length = false;            ///< a view's span, which becomes the length of an opened model
  bool nearest = false;  ///< shows the nearest available choice, and keeps the value until the control is used
  bool decides = false;  ///< the choices of later fields depend on its value
  /// Range of a number in options and keywords, if it is wider than the control's. Such numbers need not be on the
  /// control's steps, except that even numbers stay even.
  std::optional<Range> typed = {};
  /// The option of a choice that shows the content of a file, and the key of its path: no sweep or facet offers it
  /// before the file is given.
  struct OptionOfFile {
    std::string option = {};
    std::string_view path = {};
  };
  OptionOfFile of_file = {};

  /// Returns the value. Precondition: it has this type.
  template <class T>
  T& as() {
    return *std::get<T*>(value);
  }
  template <class T>
  const T& as() const {
    return *std::get<T*>(value);
  }
  /// Returns the value of a choice: a word of an enumeration, a word known only at run time, or a text.
  std::string word() const;
  /// Precondition: the choice accepts the word, if it is one of an enumeration.
  void set_word(const std::string& word);
  /// Returns whether it is saved in files: all but groups, notes and actions.
  bool has_value() const { return kind > Kind::action; }
};

/// A list of fields in the order of files, --help and controls.
using FieldList = std::vector<Field>;

/// Return fields that belong to no struct; values of choices and texts are passed to the widget.
Field choice_field(std::string_view key, std::vector<std::string> options, std::string initial);
Field text_field(std::string_view key, std::string initial);
Field toggle_field(std::string_view key, bool& value);

/// Parses the words of a switch in files and --set: "true", "on" or "1", and their opposites; nullopt for others.
std::optional<bool> parse_toggle(std::string_view text);

/// Returns the fields of a struct; they point into it. Every struct of fields has a function declare_fields(FieldList&,
/// Part&) next to it, which appends its fields and is found by argument-dependent lookup. All functions of this name
/// serve this one purpose.
template <class Part>
FieldList fields_of(Part& part) {
  FieldList list;
  list.reserve(64);  // enough for most structs
  declare_fields(list, part);
  return list;
}
/// Returns read-only fields of a constant struct.
template <class Part>
const FieldList fields_of(const Part& part) {
  return fields_of(const_cast<Part&>(part));
}
template <class Part>
void fields_of(const Part&& part) = delete;

/// Returns the first field with this key; null if there is none.
Field* find_field(FieldList& list, std::string_view key);
const Field* find_field(const FieldList& list, std::string_view key);
/// Returns the keys of all fields, in order.
std::vector<std::string> keys_of(const FieldList& list);
/// Returns the keys of the fields that currently have a control.
std::vector<std::string> keys_of_controls(const FieldList& list);

/// Returns the key whose texts ("field.KEY.label") describe a field: those of further user curves share the texts of
/// the first one, "own2.file" those of "own.file".
std::string words_key(std::string_view key);
/// Returns the text key of an option's label.
std::string label_key(const Field& field, const std::string& option);

/// Returns the number clamped to its range and rounded to its step. NaN becomes the default.
double clamp_to(const NumberField& field, double value);
/// Clamps the value of a field: a number to its range, a choice to its options, …
void clamp(Field& field);

/// Returns whether a number is finite and in range, and an integer or on a step if the field requires it.
bool accepts(const NumberField& field, double value);
/// Returns whether a choice's value is one of the options or the default.
bool accepts(const Field& field, const std::string& value);
/// Returns whether names are valid: without options any, otherwise each is an option and occurs once.
bool accepts(const Field& field, const std::vector<std::string>& value);
/// Returns the expected values for a message: "a number from 1.01 to 1e+12", "an even number from 2 to 8192", "linear,
/// log or symlog".
Message expectation(const NumberField& field);
Message expectation(const Field& field);
/// Returns the names that a field accepts, in the order of its options.
std::vector<std::string> clamp_to(const Field& field, const std::vector<std::string>& value);

/// Return the number or choice that the control shows: see Field::nearest.
double shown_number(const Field& field);
std::string shown_choice(const Field& field);
/// Returns a field's value in the form of --set: "true", "1:2", "fit", "current,pin1".
std::string text_of(const Field& field);

/// Convert a value to its slider position, 0 … 1, and a position to the value (clamped, stepped). Logarithmic fields
/// that start at 0 use log(1 + value), so 0 is the left end.
double slider_fraction(const NumberField& field, double value);
double slider_value(const NumberField& field, double fraction);

// --- Declared fields -----------------------------------------------------------------------------------------------

/// The values of declared fields by name, as stored in the experiment.
class DeclaredValues {
 public:
  /// Adds every declared field that has a control, with its default. The declarations must be constants because their
  /// names are kept.
  template <class Declared>
  explicit DeclaredValues(const std::vector<Declared>& fields) {
    for (const NumberField& field : fields) {
      if (field.has_control) values_.push_back({field.name, field.is_switch, field.initial, field.initial != 0});
    }
  }
  // Precondition of all: the name is declared with this type. Otherwise they throw std::logic_error.
  double& number(std::string_view name);
  bool& toggle(std::string_view name);
  /// Returns a value; a switch as 0 or 1.
  double operator[](std::string_view name) const;
  void set(std::string_view name, double value);
  bool operator==(const DeclaredValues&) const = default;

 private:
  struct Value {
    std::string_view name;
    bool is_switch = false;
    double number = 0;
    bool on = false;  ///< for a switch; controls drawn later point to it
    bool operator==(const Value&) const = default;
  };
  std::vector<Value> values_;
};

/// The zoomed ranges of a view's axes by the keys of their fields, "decay.distance_range". An axis without a range fits
/// its data.
class Zooms {
 public:
  /// Declares the axes of a view. Their keys must be constants because they are kept.
  Zooms(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) ranges_.push_back({key, {}});
  }
  /// Precondition: the key is declared. Otherwise throws std::logic_error.
  std::optional<Range>& operator[](std::string_view key);
  /// Returns the range of an axis; nullopt if it fits its data or the key is empty or not declared.
  std::optional<Range> find(std::string_view key) const;
  void reset() {
    for (auto& [key, range] : ranges_) range.reset();
  }
  bool operator==(const Zooms&) const = default;

 private:
  template <class>
  friend class Declare;
  std::vector<std::pair<std::string_view, std::optional<Range>>> ranges_;
};

/// Returns the field of a declaration: a number, or a toggle for a switch. `own`: the base that 0 stands for, if known.
Field field_of(const NumberField& declared, DeclaredValues& values, bool control, std::optional<double> own = {});

/// Returns the option of a declared field: "--beta-fast".
std::string option_name(const NumberField& field);

// --- Declarations --------------------------------------------------------------------------------------------------

/// Declares a number on a linear slider.
constexpr NumberField number_between(double lowest, double highest) {
  return {.minimum = lowest, .maximum = highest, .linear = true};
}
/// Declares an integer on a linear slider; step 2: an even one.
constexpr NumberField count_between(double lowest, double highest, double step = 0) {
  return {.minimum = lowest, .maximum = highest, .whole = true, .step = step, .linear = true};
}
/// Declares a number on a logarithmic slider.
constexpr NumberField logarithmic_between(double lowest, double highest, std::string_view unit = {}) {
  return {.minimum = lowest, .maximum = highest, .unit = unit};
}
/// Declares an integer on a logarithmic slider.
constexpr NumberField whole_between(double lowest, double highest, std::string_view unit = {}) {
  return {.minimum = lowest, .maximum = highest, .whole = true, .unit = unit};
}
/// The seed of a random generator.
inline constexpr NumberField kSeedRange = whole_between(0, 2'147'483'648);

/// Appends the fields of a struct to a list one after another. Their defaults are those of a default-constructed
/// struct. Set rare properties in the field that each function returns, before the next call.
template <class Part>
class Declare {
 public:
  Declare(FieldList& list, Part& part) : list_(list), part_(part) {}

  void group(std::string_view key) { add(key, Field::Kind::group, {}, true); }
  void note(const Message& note) { add({}, Field::Kind::note, note, !note.empty()); }
  /// The code that draws the button calls `act` when it is pressed.
  void action(std::string_view key, std::function<void()> act, bool control = true) {
    add(key, Field::Kind::action, std::move(act), control);
  }
  Field& number(std::string_view key, double Part::*member, const NumberField& range, bool control = true) {
    Field& field = add(key, Field::Kind::number, &(part_.*member), control);
    static_cast<NumberField&>(field) = range;
    field.key = key;
    field.name = key.substr(key.find('.') + 1);
    field.initial = initial().*member;
    return field;
  }
  /// Adds a choice among words known only at run time: entries of a registry, axes of a model.
  Field& choice(std::string_view key, std::string Part::*member, std::vector<std::string> options,
                bool control = true) {
    Field& field = text(key, member, control);
    field.kind = Field::Kind::choice;
    field.options = std::move(options);
    return field;
  }
  /// Adds a choice among all words of an enumeration.
  template <Worded E>
  Field& choice(std::string_view key, E Part::*member, bool control = true) {
    Field& field = add(key, Field::Kind::choice, WordedValue(&(part_.*member)), control);
    field.initial_text = word_of(initial().*member);
    field.options = {std::begin(kWordsOf<E>), std::end(kWordsOf<E>)};
    return field;
  }
  /// Adds a choice among some words of an enumeration.
  template <Worded E>
  Field& choice(std::string_view key, E Part::*member, std::initializer_list<E> options, bool control = true) {
    Field& field = choice(key, member, control);
    field.options.clear();
    for (const E option : options) field.options.push_back(word_of(option));
    return field;
  }
  Field& toggle(std::string_view key, bool Part::*member, bool control = true) {
    Field& field = add(key, Field::Kind::toggle, &(part_.*member), control);
    field.initial = initial().*member ? 1 : 0;
    return field;
  }
  Field& text(std::string_view key, std::string Part::*member, bool control = true, std::string_view endings = {}) {
    Field& field = add(key, Field::Kind::text, &(part_.*member), control);
    field.initial_text = initial().*member;
    field.endings = endings;
    if (!endings.empty()) field.max_bytes = kMaxSentenceBytes;
    return field;
  }
  /// Adds a text in a list of the struct, empty by default.
  void text(std::string_view key, std::string& value, bool control, std::string_view endings) {
    Field& field = add(key, Field::Kind::text, &value, control);
    field.endings = endings;
    field.max_bytes = kMaxSentenceBytes;
  }
  void zooms(Zooms Part::*member) {
    for (auto& [key, range] : (part_.*member).ranges_) add(key, Field::Kind::range, &range, false);
  }
  Field& names(std::string_view key, std::vector<std::string> Part::*member, std::vector<std::string> options,
               bool control = true) {
    Field& field = add(key, Field::Kind::names, &(part_.*member), control && !options.empty());
    field.initial_names = initial().*member;
    field.options = std::move(options);
    return field;
  }

  static const Part& initial() {
    static const Part made;
    return made;
  }

 private:
  Field& add(std::string_view key, Field::Kind kind, Field::Value value, bool control) {
    list_.push_back({{.key = key}, kind, std::move(value), control});
    return list_.back();
  }

  FieldList& list_;
  Part& part_;
};

// --- JSON ----------------------------------------------------------------------------------------------------------

/// Writes every field into an object by its key: "rope.base" becomes {"rope": {"base": …}}. Integers are written
/// without a decimal point.
void write_json(nlohmann::ordered_json& root, const FieldList& fields);

/// Fills fields from such an object. Missing keys keep their value. A wrong type, a number out of range and an unknown
/// option throw InputError "SOURCE: PREFIXrope.base is 0.5; expected a number from 1.01 to 1e+12"; so do a text
/// longer than its field allows, and too many names.
class JsonReader {
 public:
  /// Precondition: root is an object and outlives the reader.
  JsonReader(const nlohmann::json& root, std::string source, std::string prefix = {});
  void read(Field& field);
  /// Reads all fields of a struct in order.
  template <class Part>
  void read_all(Part& part) {
    FieldList fields = fields_of(part);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      read(fields[i]);
      if (fields[i].decides) fields = fields_of(part);
    }
  }

  /// Throws InputError for a key that was not read and is not one of `others`, with similar names.
  void refuse_unknown_keys(const std::set<std::string>& others) const;
  [[noreturn]] void refuse(std::string_view key, const nlohmann::json& found, const Message& expected) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;

 private:
  /// Returns the value of a key, or nullptr if it is missing, and marks the key as known.
  const nlohmann::json* find(std::string_view key);
  void read_choice(Field& field, const nlohmann::json& found) const;
  void read_names(Field& field, const nlohmann::json& found) const;
  void require_length(const Field& field, const std::string& text) const;

  const nlohmann::json& root_;
  std::string source_, prefix_;
  std::set<std::string> known_;
};

/// Sets a field from a --set value. Throws InputError that names `source` and the key.
void set_text(Field& field, const std::string& text, const std::string& source);
/// Sets a field from the text of an option or a keyword with this name, within Field::typed. A switch also accepts yes
/// and no. Throws InputError: "--dpi is "5"; expected a whole number from 36 to 1200".
void set_typed(Field& field, const std::string& name, const std::string& text);

}  // namespace ropescope
