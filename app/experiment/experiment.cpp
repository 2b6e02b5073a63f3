// Experiments as JSON and as --set arguments, adjustments after edits, and the undo history. Read experiment.h first.
//
// Contents: Lists of axes; JSON; Notes; Assignments; Lists; Edits; Opening; History.

#include "app/experiment/experiment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/experiment/fields.h"
#include "app/experiment/rope_spec.h"
#include "app/experiment/sweeps.h"
#include "app/experiment/user_data.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Lists of axes -------------------------------------------------------------------------------------------------

namespace {

/// A factor after a number: 500k, 1M; and 128Ki for a context of 131072. The longer ones first.
struct NumberSuffix {
  std::string_view text;
  double factor = 1;
  int exponent = 0;  ///< of ten, if it is decimal
};
constexpr NumberSuffix kNumberSuffixes[] = {{"Ki", 1024}, {"Mi", 1024.0 * 1024}, {"Gi", 1024.0 * 1024 * 1024},
                                            {"k", 1, 3},  {"K", 1, 3},           {"M", 1, 6},
                                            {"G", 1, 9}};

/// Returns the text of a number times a power of ten, so that 1.001k is 1001; empty if its exponent is malformed.
std::string times_power_of_ten(const std::string& text, int exponent) {
  const std::size_t mark = text.find_first_of("eE");
  if (mark == std::string::npos) return text + "e" + std::to_string(exponent);
  std::string_view written = std::string_view(text).substr(mark + 1);
  if (written.size() > 1 && written[0] == '+' && written[1] != '-') written.remove_prefix(1);
  int given = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), given);
  constexpr int kMaxExponent = 9999;
  if (error != std::errc() || end != written.data() + written.size() || std::abs(given) > kMaxExponent) return {};
  return text.substr(0, mark) + "e" + std::to_string(given + exponent);
}

constexpr std::size_t kMaxAxes = 8;

/// Reads one entry. Returns what is wrong with it; empty if it is valid.
Message read_entry(const std::string& text, AxisEntry& axis) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 4 || parts[0].empty()) {
    return {"axes.no_entry", {{"text", text}}};
  }
  axis.name = parts[0];
  const std::optional<double> dimension = parse_number(parts[1]);
  if (!dimension || *dimension < 2 || *dimension > kLargestDimension || std::fmod(*dimension, 2) != 0) {
    return {"axes.dimension", {{"axis", axis.name}}};
  }
  axis.rotary_dim = static_cast<int>(*dimension);
  if (parts.size() >= 3) {
    axis.base = parse_number(parts[2]);
    if (!axis.base || *axis.base <= 1) return {"axes.base", {{"axis", axis.name}}};
  }
  if (parts.size() == 4) {
    const std::optional<double> factor = parse_number(parts[3]);
    if (!factor || !(*factor > 0)) return {"axes.factor", {{"axis", axis.name}}};
    axis.factor = *factor;
  }
  return {};
}

// --- JSON ----------------------------------------------------------------------------------------------------------

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kVersion = 1;

/// Throws InputError if axes and axis are inconsistent; the single fields have already been checked.
void check_rope(const RopeFields& rope, const std::string& source, const std::string& pin = {}) {
  try {
    spec_of(rope);
  } catch (const InputError& error) {
    if (pin.empty()) throw InputError::within(source, error);
    throw InputError(source, "experiment.pin", {{"pin", pin}, {"what", error.words()}});
  }
}

void check_version(const json& root, const JsonReader& reader) {
  const auto version = root.find("ropescope");
  if (version != root.end() && *version != kVersion) {
    reader.refuse("ropescope", *version, {"experiment.version", {{"version", kVersion}}});
  }
}

/// Returns [{"slot": 1, "name": …, "rope": {…}}, …] (with a name if there is one). With `current`, without the fields
/// that equal both the default and the current rope, so every reader completes them alike; of a preset, all of them.
ordered_json pins_to_json(const std::vector<Pin>& pins, const RopeFields* current = nullptr) {
  const RopeFields initial;
  ordered_json defaults = ordered_json::object(), shared = ordered_json::object();
  write_json(defaults, fields_of(initial));
  if (current) write_json(shared, fields_of(*current));
  ordered_json list = ordered_json::array();
  for (const Pin& pin : pins) {
    ordered_json written = ordered_json::object();
    write_json(written, fields_of(pin.rope));
    ordered_json fields = ordered_json::object();
    for (const auto& [key, value] : written["rope"].items()) {
      const bool follows = current && pin.rope.model.empty() && value == defaults["rope"][key];
      if (!follows || value != shared["rope"][key]) fields[key] = value;
    }
    ordered_json entry = {{"slot", pin.slot}};
    if (!pin.name.empty()) entry["name"] = pin.name;
    entry["rope"] = fields;
    list.push_back(entry);
  }
  return list;
}

/// Reads this list; `start` completes each pin. Throws InputError that names `source` and the index in the list.
std::vector<Pin> pins_from_json(const json& list, const std::string& source, const PinStart& start = {}) {
  const json empty = json::object();
  if (!list.is_array() || list.size() > kMaximumPins) {
    JsonReader(empty, source).refuse("pins", list, {"experiment.pins", {{"most", kMaximumPins}}});
  }
  std::vector<Pin> pins;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "pins[" + std::to_string(i) + "]";
    if (!list[i].is_object()) JsonReader(empty, source).refuse(place, list[i], Message("expected.object"));
    JsonReader reader(list[i], source, place + ".");
    Pin pin{.rope = start.rope};
    const auto rope = list[i].find("rope");
    if (start.preset && rope != list[i].end() && rope->is_object()) {
      const json named = rope->value("model", json());
      try {
        if (named.is_string() && !named.get<std::string>().empty()) pin.rope = start.preset(named.get<std::string>());
      } catch (const InputError& error) {
        throw InputError::within(std::string(source).append(": ").append(place).append(".rope.model"), error);
      }
    }
    double slot = static_cast<double>(i + 1);
    Field number{{.key = "slot", .minimum = 1, .maximum = kMaximumSlot, .whole = true}, Field::Kind::number, &slot};
    reader.read(number);
    pin.slot = static_cast<int>(slot);
    Field name{{.key = "name"}, Field::Kind::text, &pin.name};
    reader.read(name);
    reader.read_all(pin.rope);
    reader.refuse_unknown_keys({});
    check_rope(pin.rope, source, place);
    grow_head(pin.rope);
    pins.push_back(pin);
  }
  return pins;
}

/// Returns [{"view": "decay", "figure": "similarity", "text": …, "x", "y", "text_x", "text_y"}, …].
nlohmann::ordered_json notes_to_json(const std::vector<Note>& notes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Note& note : notes) {
    nlohmann::ordered_json written = nlohmann::ordered_json::object();
    write_json(written, fields_of(note));
    list.push_back(std::move(written));
  }
  return list;
}

ordered_json json_of(const Experiment& experiment) {
  ordered_json root = ordered_json::object();
  root["ropescope"] = kVersion;
  write_json(root, fields_of(experiment));
  // Places for further user curves that are not used.
  for (std::size_t i = 1; i < experiment.own.size(); ++i) {
    if (experiment.own[i] == UserCurveFields()) root.erase(own_key(i));
  }
  root["pins"] = pins_to_json(experiment.pins);
  root["notes"] = notes_to_json(experiment.notes);
  root["opened_length"] = experiment.opened_length;
  return root;
}

/// Reads this list. Throws InputError that names `source` and the index in the list.
std::vector<Note> notes_from_json(const nlohmann::json& list, const std::string& source) {
  const nlohmann::json empty = nlohmann::json::object();
  if (!list.is_array() || list.size() > kMaximumNotes) {
    JsonReader(empty, source).refuse("notes", list, {"experiment.notes", {{"most", kMaximumNotes}}});
  }
  std::vector<Note> notes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "notes[" + std::to_string(i) + "]";
    if (!list[i].is_object()) JsonReader(empty, source).refuse(place, list[i], Message("expected.object"));
    JsonReader reader(list[i], source, place + ".");
    Note note;
    reader.read_all(note);
    reader.refuse_unknown_keys({});
    notes.push_back(note);
  }
  return notes;
}

// --- Notes ---------------------------------------------------------------------------------------------------------

constexpr double kFarthest = 1e15;

// --- Assignments ---------------------------------------------------------------------------------------------------

/// Returns the keys nearest to an unknown one; without a group, it is compared with the last parts in these groups
/// first.
std::vector<std::string> nearest_keys(const std::string& given, std::initializer_list<std::string_view> groups,
                                      const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const std::string_view group : groups) {
    for (const std::string& key : keys) {
      const std::size_t dot = key.find('.');
      if (dot == std::string::npos || key.substr(0, dot) != group) continue;
      std::string name = key.substr(dot + 1);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  const bool has_group = given.find('.') != std::string::npos;
  const std::vector<std::string> near = has_group ? std::vector<std::string>() : nearest_words(given, names);
  return near.empty() ? nearest_words(given, keys) : near;
}

/// Returns the full key of a --set argument: the argument itself, or the only key with that last part. If several keys
/// have it, the one in the first of these groups.
std::string full_key(const std::string& given, std::initializer_list<std::string_view> groups,
                     const std::vector<std::string>& keys, const char* option) {
  std::vector<std::string> matches;
  for (const std::string& key : keys) {
    if (key == given) return given;
    if (std::string_view(key).substr(key.find('.') + 1) == given) matches.push_back(key);
  }
  if (matches.size() == 1) return matches.front();
  for (const std::string_view group : groups) {
    std::string of_group = std::string(group) + "." + given;
    if (std::find(matches.begin(), matches.end(), of_group) != matches.end()) return of_group;
  }
  if (matches.size() > 1) {
    throw InputError(option, "experiment.ambiguous_key", {{"given", given}, {"keys", one_of(matches)}});
  }
  throw UnknownField(given, nearest_keys(given, groups, keys), option);
}

std::vector<std::string> texts_of(const FieldList& fields) {
  std::vector<std::string> texts;
  for (const Field& field : fields) {
    if (field.has_value()) texts.push_back(text_of(field));
  }
  return texts;
}

// --- Lists ---------------------------------------------------------------------------------------------------------

/// `problem`: the key of a text.
[[noreturn]] void reject(const std::string& option, const std::string& part, std::string_view problem) {
  throw InputError(option, "number_list.part", {{"part", elide_middle(part)}, {"problem", Message(problem)}});
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Appends the numbers of "a", "a:b" or "a:b:step".
void append(const std::string& part, const std::string& option, std::size_t limit, std::vector<double>& numbers) {
  double ends[3] = {0, 0, 1};
  int count = 0;
  std::size_t begin = 0;
  for (bool more = true; more; ++count) {
    if (count == 3) reject(option, part, "number_list.too_many_colons");
    const std::size_t end = part.find(':', begin);
    more = end != std::string::npos;
    const std::optional<double> number =
        parse_number(trim_spaces(std::string_view(part).substr(begin, more ? end - begin : part.size())));
    if (!number) reject(option, part, "number_list.no_number");
    ends[count] = *number;
    begin = end + 1;
  }
  const auto check_room = [&](double wanted) {
    if (wanted + static_cast<double>(numbers.size()) > static_cast<double>(limit)) {
      throw InputError(option, "number_list.too_many", {{"part", elide_middle(part)}, {"most", limit}});
    }
  };
  if (count == 1) {
    check_room(1);
    numbers.push_back(ends[0]);
    return;
  }
  const auto [first, last, step] = ends;
  if (step == 0) reject(option, part, "number_list.no_step");
  // Includes the last number even if rounding puts first + n·step just beyond it.
  const double steps = std::floor((last - first) / step * (1 + 1e-12) + 1e-12);
  if (!(steps >= 0)) reject(option, part, "number_list.empty");
  check_room(steps + 1);
  // Reserves the exact size if this range dominates: a vector that grows uses up to three times the memory.
  const std::size_t wanted = numbers.size() + static_cast<std::size_t>(steps) + 1;
  if (wanted > numbers.capacity()) numbers.reserve(std::max(wanted, numbers.capacity() + numbers.capacity() / 2));
  for (double i = 0; i <= steps; ++i) numbers.push_back(first + i * step);
}

// --- Edits ---------------------------------------------------------------------------------------------------------

/// Declares the fields of the struct with this name ("rope"), or of all; "view" and "hidden" belong to none.
void declare_fields(FieldList& list, Experiment& experiment, std::string_view only) {
  Declare declare(list, experiment);
  declare.text("view", &Experiment::view, false);
  declare.names("hidden", &Experiment::hidden, {});
  const auto part = [&list, only](std::string_view name, auto& fields) {
    if (only.empty() || words_key(only) == name) ropescope::declare_fields(list, fields);
  };
  visit_parts(experiment, part);
}

// --- History -------------------------------------------------------------------------------------------------------

bool differ_in_view_alone(const Experiment& before, const Experiment& next) {
  if (before.view == next.view) return false;
  Experiment same = next;
  same.view = before.view;
  return same == before;
}

/// Gives views, cards and fields that were renamed their current names.
void take_current_names(Experiment& experiment) {
  experiment.view = current_key(experiment.view);
  for (Note& note : experiment.notes) note.view = current_key(note.view);
  SweepFields& sweep = experiment.sweep;
  for (std::string* name :
       {&sweep.readout, &sweep.over, &sweep.second, &experiment.facet.across, &experiment.facet.down}) {
    *name = current_key(*name);
  }
  sweep.cards = current_keys(sweep.cards);
}

}  // namespace

Message read_axis_list(const std::string& text, std::vector<AxisEntry>& axes) {
  axes.clear();
  if (text.empty()) return {};
  std::vector<AxisEntry> found;
  for (const std::string& part : split(text, ',')) {
    AxisEntry axis;
    if (Message problem = read_entry(part, axis); !problem.empty()) return problem;
    const bool twice =
        std::any_of(found.begin(), found.end(), [&](const AxisEntry& other) { return other.name == axis.name; });
    if (twice) return {"axes.twice", {{"axis", axis.name}}};
    found.push_back(axis);
    if (found.size() > kMaxAxes) return {"axes.too_many", {{"most", kMaxAxes}}};
  }
  axes = std::move(found);
  return {};
}

std::string write_axis_list(const std::vector<AxisEntry>& axes) {
  std::string text;
  for (const AxisEntry& axis : axes) {
    if (!text.empty()) text += ",";
    text += axis.name + ":" + std::to_string(axis.rotary_dim);
    if (axis.base) text += ":" + shortest_number(*axis.base);
    if (axis.base && axis.factor != 1) text += ":" + shortest_number(axis.factor);
  }
  return text;
}

std::vector<CustomAxis> read_custom_axes(const std::string& text, const std::string& source) {
  std::vector<AxisEntry> entries;
  Message problem = read_axis_list(text, entries);
  std::vector<CustomAxis> axes;
  for (const AxisEntry& entry : entries) {
    if (entry.factor != 1) problem = {"axes.no_factor", {{"axis", entry.name}}};
    axes.push_back(entry);
  }
  if (!problem.empty()) {
    throw InputError("axes.list", {{"field", source}, {"text", in_quotes(text)}, {"problem", problem}});
  }
  return axes;
}

// Replaces bytes of a path that are not UTF-8, because JSON cannot represent them.
std::string experiment_to_json(const Experiment& experiment) {
  return json_of(experiment).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string experiment_to_line(const Experiment& experiment) {
  return json_of(experiment).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

Experiment experiment_from_json(const std::string& text, const std::string& source) {
  json root = parse_json_object(text, source);
  const json given = root;
  for (const auto& [key, value] : given.items()) {
    const std::string current = current_key(key);
    if (current == key || root.contains(current)) continue;
    root[current] = value;
    root.erase(key);
  }
  Experiment experiment;
  JsonReader reader(root, source);
  check_version(root, reader);
  reader.read_all(experiment);
  Field opened{{.key = "opened_length", .maximum = 1e9}, Field::Kind::number, &experiment.opened_length};
  reader.read(opened);
  reader.refuse_unknown_keys({"ropescope", "pins", "notes"});
  if (const auto pins = root.find("pins"); pins != root.end()) experiment.pins = pins_from_json(*pins, source);
  if (const auto notes = root.find("notes"); notes != root.end()) experiment.notes = notes_from_json(*notes, source);
  take_current_names(experiment);
  check_rope(experiment.rope, source);
  grow_head(experiment.rope);
  try {
    check_curves(experiment);
  } catch (const InputError& error) {
    throw InputError::within(source, error);
  }
  settle_curves(experiment);
  return experiment;
}

UnknownField::UnknownField(std::string given_key, std::vector<std::string> nearest, const char* option)
    : InputError(option, "experiment.unknown_key",
                 {{"key", in_quotes(given_key)},
                  {"expected", nearest.empty() ? Message("experiment.example_key") : one_of(nearest)}}),
      given(std::move(given_key)),
      near(std::move(nearest)) {}

void declare_fields(FieldList& list, Note& note) {
  Declare declare(list, note);
  declare.text("view", &Note::view);
  declare.text("figure", &Note::figure);
  declare.text("text", &Note::text).max_bytes = kMaxSentenceBytes;
  constexpr NumberField kPlace = number_between(-kFarthest, kFarthest);
  declare.number("x", &Note::x, kPlace);
  declare.number("y", &Note::y, kPlace);
  declare.number("text_x", &Note::text_x, kPlace);
  declare.number("text_y", &Note::text_y, kPlace);
}

std::string full_field_key(const std::string& given, const Experiment& experiment, std::string_view looks_at,
                           const char* option) {
  // A full key requires no search through all keys, and a link has many.
  if (given.find('.') != std::string::npos && find_field(experiment, given)) return current_key(given);
  std::vector<std::string> keys = keys_of(fields_of(experiment));
  std::erase_if(keys, [](const std::string& key) { return words_key(key) != key; });
  return full_key(given, {experiment.view, looks_at, "rope"}, keys, option);
}

std::string set_field(Experiment& experiment, const std::string& assignment, std::string_view looks_at,
                      const char* option, const PinStart& start) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(option, "experiment.no_assignment", {{"given", in_quotes(assignment)}});
  }
  std::string given = assignment.substr(0, equals);
  const std::string text = assignment.substr(equals + 1);
  require_utf8(text, verbatim(std::string(option) + " " + given));
  constexpr std::string_view kPins = "pins", kNotes = "notes";
  if (given == kPins || given == kNotes) {
    const std::string place = std::string(option) + " " + given;
    const json list = parse_json_object("{\"" + given + "\":" + text + "}", place).at(given);
    if (given == kPins) {
      experiment.pins = pins_from_json(list, option, start);
    } else {
      experiment.notes = notes_from_json(list, option);
      take_current_names(experiment);
    }
    return given;
  }
  std::string key = full_field_key(given, experiment, looks_at, option);
  std::optional<Field> field = find_field(experiment, key);
  set_text(*field, text, option);
  if (key == kViewKey || key.starts_with("sweep.") || key.starts_with("facet.")) take_current_names(experiment);
  // With other axes, the name of an old axis is invalid.
  if (key == "rope.axes") {
    const std::vector<std::string> names = axis_names(experiment.rope);
    if (std::find(names.begin(), names.end(), experiment.rope.axis) == names.end()) experiment.rope.axis.clear();
  }
  return key;
}

std::vector<std::string> set_arguments(const Experiment& experiment) {
  static const Experiment made;
  const FieldList fields = fields_of(experiment);
  const std::vector<std::string> keys = keys_of(fields), initial = texts_of(fields_of(made)), texts = texts_of(fields);
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (texts[i] != initial[i]) arguments.push_back(keys[i] + "=" + texts[i]);
  }
  if (!experiment.pins.empty()) {
    using nlohmann::ordered_json;
    arguments.push_back(
        "pins=" +
        pins_to_json(experiment.pins, &experiment.rope).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  if (!experiment.notes.empty()) {
    using nlohmann::ordered_json;
    arguments.push_back("notes=" +
                        notes_to_json(experiment.notes).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  return arguments;
}

std::vector<FieldInfo> list_fields() {
  const Experiment made;
  std::vector<FieldInfo> infos;
  for (const Field& field : fields_of(made)) {
    if (field.has_value() && words_key(field.key) == field.key)
      infos.push_back({std::string(field.key), expectation(field), text_of(field)});
  }
  return infos;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  NumberSuffix suffix;
  for (const NumberSuffix& each : kNumberSuffixes) {
    if (!text.ends_with(each.text)) continue;
    text.remove_suffix(each.text.size());
    suffix = each;
    break;
  }
  const auto is_digit = [&text](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // As in Python, an underscore is between two digits.
    if (text[i] == '_' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) continue;
    plain += text[i];
  }
  if (suffix.exponent > 0) plain = times_power_of_ten(plain, suffix.exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
  value *= suffix.factor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_list(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  return text.find_first_of(kDigits) != std::string_view::npos &&
         text.find_first_not_of("0123456789+-.eE:, _kKMGi") == std::string_view::npos;
}

std::vector<double> parse_list(const std::string& text, const std::string& option, std::size_t limit) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  for (bool more = true; more;) {
    const std::size_t end = text.find(',', begin);
    more = end != std::string::npos;
    append(text.substr(begin, more ? end - begin : std::string::npos), option, limit, numbers);
    begin = end + 1;
  }
  return numbers;
}

void declare_fields(FieldList& list, Experiment& experiment) {
  constexpr std::size_t kAboutAll = 320;
  list.reserve(list.size() + kAboutAll);
  declare_fields(list, experiment, {});
}

std::string current_key(std::string_view key) {
  constexpr std::string_view kOld = "compare", kNew = "encodings";
  if (!key.starts_with(kOld) || (key.size() > kOld.size() && key[kOld.size()] != '.')) return std::string(key);
  return std::string(kNew) + std::string(key.substr(kOld.size()));
}

std::string current_keys(std::string_view names) {
  std::string current;
  for (bool more = true; more;) {
    const std::size_t comma = names.find(',');
    const std::size_t begin = std::min(names.find_first_not_of(' '), names.size());
    more = comma != std::string_view::npos;
    current += std::string(names.substr(0, begin)) + current_key(names.substr(begin, more ? comma - begin : comma));
    if (more) current += ',', names.remove_prefix(comma + 1);
  }
  return current;
}

std::optional<Field> find_field(Experiment& experiment, std::string_view given) {
  if (given.empty()) return std::nullopt;
  const std::string key = current_key(given);
  FieldList list;
  declare_fields(list, experiment, std::string_view(key).substr(0, key.find('.')));
  Field* found = find_field(list, key);
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

const std::optional<Field> find_field(const Experiment& experiment, std::string_view key) {
  return find_field(const_cast<Experiment&>(experiment), key);
}

void grow_head(RopeFields& rope) {
  if (rope.axes.empty()) rope.head_dim = std::max(rope.head_dim, rope.rotary_dim);
}

void clamp(Experiment& experiment) {
  take_current_names(experiment);
  for (Field& field : fields_of(experiment)) clamp(field);
  take_ladder_file(experiment.rope.ladder);
  grow_head(experiment.rope);
  for (Pin& pin : experiment.pins) {
    for (Field& field : fields_of(pin.rope)) clamp(field);
    grow_head(pin.rope);
  }
  if (experiment.pins.size() > kMaximumPins) experiment.pins.resize(kMaximumPins);
  settle_curves(experiment);
  if (experiment.notes.size() > kMaximumNotes) experiment.notes.resize(kMaximumNotes);
}

void reset_ranges(Experiment& experiment) {
  for (Field& field : fields_of(experiment)) {
    if (field.kind == Field::Kind::range) field.as<std::optional<Range>>().reset();
  }
}

// --- Opening -------------------------------------------------------------------------------------------------------

void follow_opening(Experiment& experiment) {
  const double length = std::max(experiment.rope.trained_length, experiment.rope.context_length);
  const double before = experiment.opened_length;
  experiment.curves.name.clear();
  if (!(length > 0)) return;
  for (Field& field : fields_of(experiment)) {
    if (!field.follows_length) continue;
    double& value = field.as<double>();
    const bool opened = before > 0 && value == clamp_to(field, before);
    if (opened || value == field.initial) value = clamp_to(field, length);
  }
  experiment.opened_length = length;
}

History::History(Experiment initial) {
  const std::string view = initial.view;
  states_.push_back({std::move(initial), view});
}

void History::record(const Experiment& next, bool merge) {
  if (next == current()) {
    if (!merge) end_merge();
    return;
  }
  if (differ_in_view_alone(current(), next)) {
    amend(next);
    end_merge();
    return;
  }
  const bool replaces = merge && merging_;
  states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, states_.end());
  if (replaces) {
    states_[at_] = {next, next.view};
    merging_ = true;
    // Dragged back to its start: no step remains.
    if (at_ > 0 && current() == states_[at_ - 1].experiment) {
      states_.pop_back();
      --at_;
      end_merge();
    }
    return;
  }
  states_.push_back({next, next.view});
  ++at_;
  if (states_.size() > kLimit) {
    states_.erase(states_.begin());
    --at_;
  }
  merging_ = merge;
}

void History::undo() {
  if (can_undo()) --at_;
  end_merge();
}

void History::redo() {
  end_merge();
  if (!can_redo()) return;
  ++at_;
  // The user may have switched views since; redo shows the view in which the step was made.
  states_[at_].experiment.view = states_[at_].view;
}

}  // namespace ropescope
