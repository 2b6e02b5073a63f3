// Fields as data: a list of what can be set, each with its key, a pointer to its value, its range, unit and scale, its
// default and whether it has a control now. Controls, JSON, --set, clamping and reset are loops over such a list.
// experiment.h is built of this.
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
#include "core/words.h"

namespace ropescope {

// --- Choices among words -------------------------------------------------------------------------------------------

/// The words of an enumeration that a field may hold, one for each enumerator, which count from 0: its stable names in
/// files, on the command line and in the keys of texts. Each enumeration has its own beside it: experiment.h.
template <class E>
inline constexpr std::nullptr_t kWordsOf = nullptr;
template <class E>
concept Worded = std::is_enum_v<E> && sizeof(E) == sizeof(int) && !std::is_null_pointer_v<decltype(kWordsOf<E>)>;

/// The word of a value: "helix" of RotationShow::helix.
template <Worded E>
std::string word_of(E value) {
  return std::string(kWordsOf<E>[static_cast<std::size_t>(value)]);
}

/// Where a value of any such enumeration stands.
class WordedValue {
 public:
  template <Worded E>
  explicit WordedValue(E* value) : value_(value), words_(kWordsOf<E>) {}
  /// Empty where the value is none of the enumerators.
  std::string word() const;
  /// Precondition: it is one of the words.
  void set(std::string_view word) const;

 private:
  void* value_;
  std::span<const std::string_view> words_;
};

// --- Fields --------------------------------------------------------------------------------------------------------

/// Limits of texts in files, links and --set, in bytes. A name is drawn wherever its curve is, and what is drawn is
/// measured letter by letter: a link of 136 characters can unpack to a name that takes minutes.
inline constexpr std::size_t kMaxNameBytes = 1024, kMaxSentenceBytes = 8192, kMaxListBytes = std::size_t{1} << 17;
/// Of the numbers of a curve from a file, kMostCurveRows of them as text.
inline constexpr std::size_t kMaxCurveBytes = std::size_t{1} << 20;
/// Maximum number of names in a list that any name may be in.
inline constexpr std::size_t kMaxNames = 256;

/// One entry of a list of fields. A field is declared once, in the describe(FieldList&, …) of its struct; widget,
/// tooltip, clamping, reset, JSON, command-line option and tests look at that declaration. Its label and help are the
/// texts "field.KEY.label" and "field.KEY.help" under the whole key, "field.decay.span.label". What NumberField says is
/// of a number; of the others only the key, and of a toggle the initial value.
struct Field : NumberField {
  enum class Kind {
    group,   ///< starts a group of controls; its label is the text "group.KEY"
    note,    ///< a sentence that a reader of the controls must know, under those before it
    action,  ///< a button, labelled like a field: it fills several fields at once, and is in no file
    number,
    choice,  ///< one of several words; options are stable names in files, their labels are "option.KEY.OPTION"
    toggle,
    text,
    range,  ///< a zoomed range of an axis, none where the axis fits its data; never a widget
    names,  ///< a set of names, e.g. hidden lines. With options, a set of some of them: each is a button that is on or
            ///< off, labelled by "option.KEY.OPTION", and they are kept in the order of the options
  };
  using Names = std::vector<std::string>;
  /// Where the value stands; of a note what it says, of an action what it does.
  using Value = std::variant<std::monostate, double*, std::string*, WordedValue, bool*, std::optional<Range>*, Names*,
                             Words, std::function<void()>>;
  Kind kind = Kind::group;
  Value value = {};
  bool control = true;            ///< shown in the controls now (a field may be in the file without a widget)
  std::string initial_text = {};  ///< of a choice or a text
  Names options = {};             ///< of a choice or names
  std::string_view labels = {};   ///< "encoding" where several fields share the labels "option.encoding.OPTION"
  Names initial_names = {};
  std::string_view endings = {};  ///< ".npy .npz" where a text holds a file that ends so, chosen by a dialog too
  std::size_t max_bytes = kMaxNameBytes;  ///< of a text, or of each of the names
  bool follows_length = false;            ///< how far a view looks: becomes the length that an opened model takes
  bool nearest = false;  ///< shows the nearest of what there is to choose from and keeps the value until it is used
  bool decides = false;  ///< what can be chosen in fields after it depends on its value

  /// The value. Precondition: it is of this type.
  template <class T>
  T& as() {
    return *std::get<T*>(value);
  }
  template <class T>
  const T& as() const {
    return *std::get<T*>(value);
  }
  /// The value of a choice, which is one of the words of an enumeration or of those known only now, or of a text.
  std::string word() const;
  /// Precondition: a choice among the words of an enumeration accepts it.
  void set_word(const std::string& word);
  /// Whether it is in files: all but groups, notes and actions.
  bool has_value() const { return kind > Kind::action; }
};

/// In the order of files, --help and controls.
using FieldList = std::vector<Field>;

/// Fields that stand by themselves: values of choices and texts are given to the widget.
Field choice_field(std::string_view key, std::vector<std::string> options, std::string initial);
Field text_field(std::string_view key, std::string initial);
Field toggle_field(std::string_view key, bool& value);

/// The fields of a struct, as its describe() declares them. They point into it.
template <class Part>
FieldList fields_of(Part& part) {
  FieldList list;
  list.reserve(64);  // as many as most structs have
  describe(list, part);
  return list;
}
/// Of what is only looked at: a field that is constant lets nobody change its value.
template <class Part>
const FieldList fields_of(const Part& part) {
  return fields_of(const_cast<Part&>(part));
}
template <class Part>
void fields_of(const Part&& part) = delete;

/// The field of a key; none where there is no such field. Of those that stand twice the first.
Field* find_field(FieldList& list, std::string_view key);
const Field* find_field(const FieldList& list, std::string_view key);
/// The keys of all fields, in their order.
std::vector<std::string> keys_of(const FieldList& list);
/// Of those that have a control now.
std::vector<std::string> keys_of_controls(const FieldList& list);

/// The text key of an option's label.
std::string label_key(const Field& field, const std::string& option);

/// Brings a number into its range and onto its step. NaN becomes the initial value.
double clamp_to(const NumberField& field, double value);
/// Brings the value of a field into order: a number into its range, a choice to one of its options, …
void clamp(Field& field);

/// True for a finite number inside the range, whole and on a step where the field asks for it.
bool accepts(const NumberField& field, double value);
/// Of a choice: true for one of the options, or the initial value.
bool accepts(const Field& field, const std::string& value);
/// Of names: true where there are no options, or every name is one of them and stands once.
bool accepts(const Field& field, const std::vector<std::string>& value);
/// What a message says was expected: "a number from 1.01 to 1e+12", "an even number from 2 to 8192", "linear, log or
/// symlog".
Words expectation(const NumberField& field);
Words expectation(const Field& field);
/// Those of the names that a field accepts, in the order of its options.
std::vector<std::string> clamp_to(const Field& field, const std::vector<std::string>& value);

/// A number, a choice as its control shows it: see Field::nearest.
double shown_number(const Field& field);
std::string shown_choice(const Field& field);
/// A field's value as --set takes it: "true", "1:2", "fit", "current,pin1".
std::string text_of(const Field& field);

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
    for (const NumberField& field : fields) {
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

/// The field of a declaration: a number, or a toggle for a switch. `own`: the base that 0 stands for, where it is
/// known.
Field field_of(const NumberField& declared, DeclaredValues& values, bool control, std::optional<double> own = {});

/// The option of a declared field: "--beta-fast".
std::string option_name(const NumberField& field);

// --- Declarations --------------------------------------------------------------------------------------------------

/// A number on an even slider.
constexpr NumberField number_between(double lowest, double highest) {
  return {.minimum = lowest, .maximum = highest, .linear = true};
}
/// A whole number on an even slider; step 2: an even one.
constexpr NumberField count_between(double lowest, double highest, double step = 0) {
  return {.minimum = lowest, .maximum = highest, .whole = true, .step = step, .linear = true};
}
/// A number on a logarithmic slider.
constexpr NumberField logarithmic_between(double lowest, double highest, std::string_view unit = {}) {
  return {.minimum = lowest, .maximum = highest, .unit = unit};
}
/// A whole number on a logarithmic slider.
constexpr NumberField whole_between(double lowest, double highest, std::string_view unit = {}) {
  return {.minimum = lowest, .maximum = highest, .whole = true, .unit = unit};
}
/// The seed of a random generator.
inline constexpr NumberField kSeedRange = whole_between(0, 2'147'483'648);

/// Declares the fields of a struct one after another at the end of a list. Their initial values are those of a
/// default-made struct. What few fields have is set in the field that each function returns, before the next one.
template <class Part>
class Declare {
 public:
  Declare(FieldList& list, Part& part) : list_(list), part_(part) {}

  void group(std::string_view key) { add(key, Field::Kind::group, {}, true); }
  void note(const Words& note) { add({}, Field::Kind::note, note, !note.empty()); }
  /// Whoever draws the button calls `act` where it was pressed.
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
  /// A choice among words that are known only now: entries of a registry, axes of a model.
  Field& choice(std::string_view key, std::string Part::*member, std::vector<std::string> options,
                bool control = true) {
    Field& field = text(key, member, control);
    field.kind = Field::Kind::choice;
    field.options = std::move(options);
    return field;
  }
  /// A choice among all words of an enumeration.
  template <Worded E>
  Field& choice(std::string_view key, E Part::*member, bool control = true) {
    Field& field = add(key, Field::Kind::choice, WordedValue(&(part_.*member)), control);
    field.initial_text = word_of(initial().*member);
    field.options = {std::begin(kWordsOf<E>), std::end(kWordsOf<E>)};
    return field;
  }
  /// Among some of them.
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
  /// A text in a list of the struct, empty at first.
  void text(std::string_view key, std::string& value, bool control, std::string_view endings) {
    Field& field = add(key, Field::Kind::text, &value, control);
    field.endings = endings;
    field.max_bytes = kMaxSentenceBytes;
  }
  void range(std::string_view key, std::optional<Range> Part::*member) {
    add(key, Field::Kind::range, &(part_.*member), false);
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

/// Writes every field under its key into an object: "rope.base" becomes {"rope": {"base": …}}. Whole numbers are
/// written without a point.
void write_json(nlohmann::ordered_json& root, const FieldList& fields);

/// Fills fields from an object of that form. Missing keys leave their value; a wrong type, a number out of range and an
/// unknown option throw InputError "SOURCE: PREFIXrope.base is 0.5; a number from 1.01 to 1e+12 was expected"; so do a
/// text that is longer than its field allows, and too many names.
class JsonReader {
 public:
  /// Precondition: root is an object and outlives the reader.
  JsonReader(const nlohmann::json& root, std::string source, std::string prefix = {});
  void read(Field& field);
  /// Reads all fields of a struct in their order.
  template <class Part>
  void read_all(Part& part) {
    FieldList fields = fields_of(part);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      read(fields[i]);
      if (fields[i].decides) fields = fields_of(part);
    }
  }

  /// Throws InputError for a key that no field asked for and that is not one of `others`, naming near ones.
  void refuse_unknown_keys(const std::set<std::string>& others) const;
  [[noreturn]] void refuse(std::string_view key, const nlohmann::json& found, const Words& expected) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;

 private:
  /// The value of a key; nullptr where it is missing. Remembers that the key is known.
  const nlohmann::json* find(std::string_view key);
  void read_choice(Field& field, const nlohmann::json& found) const;
  void read_names(Field& field, const nlohmann::json& found) const;
  void require_length(const Field& field, const std::string& text) const;

  const nlohmann::json& root_;
  std::string source_, prefix_;
  std::set<std::string> known_;
};

/// Fills a field from the text that --set is given for it. Throws InputError that names `source` and the key.
void set_text(Field& field, const std::string& text, const std::string& source);

}  // namespace ropescope
