#include <algorithm>
#include <map>

#include "app/experiment/experiment.h"
#include "app/experiment/json_fields.h"
#include "app/experiment/notes_json.h"
#include "app/experiment/pins_json.h"
#include "app/experiment/split.h"
#include "app/experiment/sweep.h"
#include "app/figure/number_text.h"
#include "app/resources/nearest.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_text.h"

namespace ropescope {

namespace {

using nlohmann::json;

/// Every field as the text that --set takes for it, in the order of declaration, and what it expects.
class TextWriter : public Fields {
 public:
  std::vector<FieldInfo> fields;
  void number(const NumberField& field, double& value) override {
    add(field.key, expectation(field), shortest_number(value));
  }
  void choice(const ChoiceField& field, std::string& value) override { add(field.key, expectation(field), value); }
  void toggle(const ToggleField& field, bool& value) override {
    add(field.key, Words("expected.flag"), value ? "true" : "false");
  }
  void text(const TextField& field, std::string& value) override { add(field.key, Words("expected.text"), value); }
  void range(const RangeField& field, std::optional<Range>& value) override {
    add(field.key, Words("expected.range_or_fit"),
        value ? shortest_number(value->low) + ":" + shortest_number(value->high) : "fit");
  }
  void names(const NamesField& field, std::vector<std::string>& value) override {
    std::string list;
    for (const std::string& name : value) list += (list.empty() ? "" : ",") + name;
    add(field.key, expectation(field), list);
  }

 private:
  void add(std::string_view key, Words expected, std::string value) {
    fields.push_back({std::string(key), std::move(expected), std::move(value)});
  }
};

/// Fills one field from the text given for it, as from a file that holds what the text means; what it cannot mean is a
/// JSON text there, for the reader to refuse. Looks at no other field: every edit comes through here.
class TextReader : public Fields {
 public:
  /// Precondition: what is given outlives the reader.
  TextReader(std::string_view key, const std::string& given, std::string source)
      : key_(key), given_(given), source_(std::move(source)) {}
  void number(const NumberField& field, double& value) override {
    if (field.key != key_) return;
    const std::optional<double> parsed = parse_number(given_);
    reader(parsed ? json(*parsed) : json(given_)).number(field, value);
  }
  void choice(const ChoiceField& field, std::string& value) override {
    if (field.key == key_) reader(given_).choice(field, value);
  }
  void toggle(const ToggleField& field, bool& value) override {
    if (field.key != key_) return;
    json read = given_;
    if (given_ == "true" || given_ == "on" || given_ == "1") read = true;
    if (given_ == "false" || given_ == "off" || given_ == "0") read = false;
    reader(std::move(read)).toggle(field, value);
  }
  void text(const TextField& field, std::string& value) override {
    if (field.key == key_) reader(given_).text(field, value);
  }
  void range(const RangeField& field, std::optional<Range>& value) override {
    if (field.key != key_) return;
    json read = given_;
    if (given_ == "fit") read = nullptr;
    const std::vector<std::string> ends = split(given_, ':');
    const std::optional<double> low = parse_number(ends.front()), high = parse_number(ends.back());
    if (ends.size() == 2 && low && high) read = {*low, *high};
    reader(std::move(read)).range(field, value);
  }
  void names(const NamesField& field, std::vector<std::string>& value) override {
    if (field.key != key_) return;
    json read = json::array();
    if (!given_.empty()) read = split(given_, ',');
    reader(std::move(read)).names(field, value);
  }

 private:
  /// Of a file with this value for the field alone.
  JsonReader reader(json value) {
    root_ = json::object();
    const std::size_t dot = key_.find('.');
    if (dot == std::string_view::npos) {
      root_[std::string(key_)] = std::move(value);
    } else {
      root_[std::string(key_.substr(0, dot))][std::string(key_.substr(dot + 1))] = std::move(value);
    }
    return JsonReader(root_, source_);
  }
  std::string_view key_;
  const std::string& given_;
  std::string source_;
  json root_;
};

/// The keys alone of every field, in the order of declaration.
class KeyList : public Fields {
 public:
  std::vector<std::string> keys;
  void number(const NumberField& field, double&) override { keys.emplace_back(field.key); }
  void choice(const ChoiceField& field, std::string&) override { keys.emplace_back(field.key); }
  void toggle(const ToggleField& field, bool&) override { keys.emplace_back(field.key); }
  void text(const TextField& field, std::string&) override { keys.emplace_back(field.key); }
  void range(const RangeField& field, std::optional<Range>&) override { keys.emplace_back(field.key); }
  void names(const NamesField& field, std::vector<std::string>&) override { keys.emplace_back(field.key); }
};

/// The full key that a --set argument means: itself, or the only one with that last part; where several have it, the
/// first of these groups that has it.
std::string full_key(const std::string& given, std::initializer_list<std::string_view> groups,
                     const std::vector<std::string>& keys, const char* option) {
  std::vector<std::string> matches;
  for (const std::string& key : keys) {
    if (key == given) return given;
    if (std::string_view(key).substr(key.find('.') + 1) == given) matches.push_back(key);
  }
  if (matches.size() == 1) return matches.front();
  for (const std::string_view group : groups) {
    const std::string of_group = std::string(group) + "." + given;
    if (std::find(matches.begin(), matches.end(), of_group) != matches.end()) return of_group;
  }
  if (matches.size() > 1) {
    throw InputError(option, "experiment.ambiguous_key", {{"given", given}, {"keys", one_of(matches)}});
  }
  const std::vector<std::string> near = nearest_words(given, keys);
  const Words expected = near.empty() ? Words("experiment.example_key") : one_of(near);
  throw InputError(option, "experiment.unknown_key", {{"key", in_quotes(given)}, {"expected", expected}});
}

std::vector<FieldInfo> texts_of(Experiment experiment) {
  TextWriter writer;
  describe(writer, experiment);
  return writer.fields;
}

}  // namespace

std::string full_field_key(const std::string& given, const Experiment& experiment, std::string_view looks_at,
                           const char* option) {
  KeyList fields;
  Experiment looked_at = experiment;
  describe(fields, looked_at);
  return full_key(given, {experiment.view, looks_at, "rope"}, fields.keys, option);
}

std::string set_field(Experiment& experiment, const std::string& assignment, std::string_view looks_at,
                      const char* option) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(option, "experiment.no_assignment", {{"given", in_quotes(assignment)}});
  }
  const std::string given = assignment.substr(0, equals);
  const std::string text = assignment.substr(equals + 1);
  require_utf8(text, as_it_is(std::string(option) + " " + given));
  if (given == "pins") {
    experiment.pins = pins_from_json(parse_json_object("{\"pins\":" + text + "}", "--set pins").at("pins"), "--set");
    return given;
  }
  if (given == "notes") {
    const json list = parse_json_object("{\"notes\":" + text + "}", "--set notes").at("notes");
    experiment.notes = notes_from_json(list, "--set");
    return given;
  }
  const std::string key = full_field_key(given, experiment, looks_at, option);
  Experiment edited = experiment;
  TextReader reader(key, text, option);
  describe(reader, edited);
  // Other axes: a name of the old ones means nothing any more.
  if (key == "rope.axes") {
    const std::vector<std::string> names = axis_names(edited.rope);
    if (std::find(names.begin(), names.end(), edited.rope.axis) == names.end()) edited.rope.axis.clear();
  }
  experiment = std::move(edited);
  return key;
}

std::vector<std::string> set_arguments(const Experiment& experiment) {
  const std::vector<FieldInfo> initial = texts_of({});
  const std::vector<FieldInfo> current = texts_of(experiment);
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < current.size(); ++i) {
    if (current[i].value != initial[i].value) arguments.push_back(current[i].key + "=" + current[i].value);
  }
  if (!experiment.pins.empty()) {
    using nlohmann::ordered_json;
    arguments.push_back(
        "pins=" + pins_to_json(experiment.pins, true).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  if (!experiment.notes.empty()) {
    using nlohmann::ordered_json;
    arguments.push_back("notes=" +
                        notes_to_json(experiment.notes).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  return arguments;
}

std::vector<FieldInfo> list_fields() {
  return texts_of({});
}

}  // namespace ropescope
