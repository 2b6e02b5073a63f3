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

/// Turns the text given for one field into the JSON that a file would hold there; what a text cannot be turned into
/// stays a JSON text, for the reader to refuse.
class TextReader : public Fields {
 public:
  TextReader(std::string_view key, const std::string& given) : key_(key), given_(given) {}
  json value;
  void number(const NumberField& field, double&) override {
    if (field.key != key_) return;
    const std::optional<double> parsed = parse_number(given_);
    value = parsed ? json(*parsed) : json(given_);
  }
  void choice(const ChoiceField& field, std::string&) override { take_text(field.key); }
  void toggle(const ToggleField& field, bool&) override {
    if (field.key != key_) return;
    value = given_;
    if (given_ == "true" || given_ == "on" || given_ == "1") value = true;
    if (given_ == "false" || given_ == "off" || given_ == "0") value = false;
  }
  void text(const TextField& field, std::string&) override { take_text(field.key); }
  void range(const RangeField& field, std::optional<Range>&) override {
    if (field.key != key_) return;
    value = given_;
    if (given_ == "fit") value = nullptr;
    const std::vector<std::string> ends = split(given_, ':');
    const std::optional<double> low = parse_number(ends.front()), high = parse_number(ends.back());
    if (ends.size() == 2 && low && high) value = {*low, *high};
  }
  void names(const NamesField& field, std::vector<std::string>&) override {
    if (field.key != key_) return;
    value = json::array();
    if (!given_.empty()) value = split(given_, ',');
  }

 private:
  void take_text(std::string_view key) {
    if (key == key_) value = given_;
  }
  std::string_view key_;
  const std::string& given_;
};

/// The full key that a --set argument means: itself, or the only one with that last part; where several have it, the
/// first of these groups that has it.
std::string full_key(const std::string& given, std::initializer_list<std::string_view> groups,
                     const std::vector<FieldInfo>& fields, const char* option) {
  std::vector<std::string> keys, matches;
  for (const FieldInfo& field : fields) {
    keys.push_back(field.key);
    if (field.key == given) return given;
    if (field.key.substr(field.key.find('.') + 1) == given) matches.push_back(field.key);
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
  return full_key(given, {experiment.view, looks_at, "rope"}, texts_of(experiment), option);
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
  TextReader converted(key, text);
  describe(converted, experiment);

  const std::size_t dot = key.find('.');
  json root = json::object();
  if (dot == std::string::npos) {
    root[key] = converted.value;
  } else {
    root[key.substr(0, dot)][key.substr(dot + 1)] = converted.value;
  }
  Experiment edited = experiment;
  JsonReader reader(root, option);
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
