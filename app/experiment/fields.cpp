// Valid values of fields, fields declared by core, and fields as JSON. Read fields.h first.
//
// Contents: Choices among words; Fields; Declared fields; JSON.

#include "app/experiment/fields.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Choices among words -------------------------------------------------------------------------------------------

std::string WordedValue::word() const {
  int at = 0;
  std::memcpy(&at, value_, sizeof at);
  const bool known = at >= 0 && static_cast<std::size_t>(at) < words_.size();
  return known ? std::string(words_[static_cast<std::size_t>(at)]) : std::string();
}

void WordedValue::set(std::string_view word) const {
  const int at = static_cast<int>(std::find(words_.begin(), words_.end(), word) - words_.begin());
  if (static_cast<std::size_t>(at) == words_.size()) throw std::logic_error("no choice is " + std::string(word));
  std::memcpy(value_, &at, sizeof at);
}

std::string Field::word() const {
  const WordedValue* worded = std::get_if<WordedValue>(&value);
  return worded ? worded->word() : as<std::string>();
}

void Field::set_word(const std::string& word) {
  if (const WordedValue* worded = std::get_if<WordedValue>(&value)) return worded->set(word);
  as<std::string>() = word;
}

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Converts to the scale of logarithmic sliders: log(value), or log(1 + value) for a field that starts at 0.
double to_log(const NumberField& field, double value) {
  return field.lowest > 0 ? std::log(value) : std::log1p(value);
}

double from_log(const NumberField& field, double logarithm) {
  return field.lowest > 0 ? std::exp(logarithm) : std::expm1(logarithm);
}

/// Truncates a text to a maximum number of bytes, between two characters.
void cut_to(std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
}

// --- Declared fields -----------------------------------------------------------------------------------------------

template <class Values>
auto& named(Values& values, std::string_view name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [name](const auto& value) { return value.name == name; });
  if (found == values.end()) throw std::logic_error("no field is declared by the name " + std::string(name));
  return *found;
}

template <class Values>
auto& named(Values& values, std::string_view name, bool is_switch) {
  auto& value = named(values, name);
  if (value.is_switch != is_switch) throw std::logic_error("the setting " + std::string(name) + " is of another kind");
  return value;
}

// --- JSON ----------------------------------------------------------------------------------------------------------

using nlohmann::json;

/// Splits a key: "rope.base" → {"rope", "base"}; "view" → {"", "view"}.
std::pair<std::string, std::string> group_and_name(std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return {"", std::string(key)};
  return {std::string(key.substr(0, dot)), std::string(key.substr(dot + 1))};
}

nlohmann::ordered_json number_json(double value) {
  constexpr double kLargestWhole = 9007199254740992;
  if (std::floor(value) == value && std::abs(value) <= kLargestWhole) return static_cast<std::int64_t>(value);
  return value;
}

bool is_range_json(const json& value) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number()) return false;
  const double low = value[0].get<double>(), high = value[1].get<double>();
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

}  // namespace

double clamp_to(const NumberField& field, double value) {
  if (std::isnan(value)) return field.initial;
  value = std::clamp(value, field.lowest, field.highest);
  if (field.step > 0) {
    value = field.lowest + field.step * std::round((value - field.lowest) / field.step);
    if (value > field.highest) value -= field.step;
  }
  return field.whole ? std::round(value) : value;
}

bool accepts(const NumberField& field, double value) {
  return std::isfinite(value) && value >= field.lowest && value <= field.highest && clamp_to(field, value) == value;
}

bool accepts(const Field& field, const std::string& value) {
  return value == field.initial_text || is_among(field.options, value);
}

bool accepts(const Field& field, const std::vector<std::string>& value) {
  return clamp_to(field, value).size() == value.size();
}

Message expectation(const NumberField& field) {
  constexpr double kExactWhole = 0x1p53;
  const auto text = [&field](double end) {
    return field.whole && std::abs(end) < kExactWhole ? std::to_string(static_cast<std::int64_t>(end))
                                                      : shortest_number(end);
  };
  const std::string least = text(field.lowest), most = text(field.highest);
  if (field.step == 2 && std::fmod(field.lowest, 2) == 0) {
    return Message("expected.even_number", {{"least", least}, {"most", most}});
  }
  if (field.step > 0 && field.step != 1) {
    return Message(field.whole ? "expected.whole_in_steps" : "expected.number_in_steps",
                   {{"step", shortest_number(field.step)}, {"least", least}, {"most", most}});
  }
  return Message(field.whole ? "expected.whole" : "expected.number", {{"least", least}, {"most", most}});
}

Message expectation(const Field& field) {
  switch (field.kind) {
    case Field::Kind::choice:
      return field.options.empty() ? Message("expected.no_choice") : one_of(field.options);
    case Field::Kind::toggle:
      return Message("expected.flag");
    case Field::Kind::range:
      return Message("expected.range_or_fit");
    case Field::Kind::names: {
      if (field.options.empty()) return Message("expected.names_with_commas");
      Message::List options;
      for (const std::string& option : field.options) options.push_back(verbatim(option));
      return Message("expected.some_of", {{"names", std::move(options)}});
    }
    case Field::Kind::text:
      return Message("expected.text");
    default:
      return expectation(static_cast<const NumberField&>(field));
  }
}

std::vector<std::string> clamp_to(const Field& field, const std::vector<std::string>& value) {
  if (field.options.empty()) return value;
  std::vector<std::string> kept;
  for (const std::string& option : field.options) {
    if (is_among(value, option)) kept.push_back(option);
  }
  return kept;
}

void clamp(Field& field) {
  if (field.kind == Field::Kind::text) cut_to(field.as<std::string>(), field.max_bytes);
  if (field.kind == Field::Kind::number) field.as<double>() = clamp_to(field, field.as<double>());
  if (field.kind == Field::Kind::names) field.as<Field::Names>() = clamp_to(field, field.as<Field::Names>());
  if (field.kind == Field::Kind::choice && !accepts(field, field.word())) field.set_word(field.initial_text);
  if (field.kind == Field::Kind::range) {
    std::optional<Range>& value = field.as<std::optional<Range>>();
    const bool usable = value && std::isfinite(value->low) && std::isfinite(value->high) && value->low < value->high;
    if (!usable) value.reset();
  }
}

double shown_number(const Field& field) {
  const double value = field.as<double>();
  return field.nearest ? std::clamp(value, field.lowest, field.highest) : value;
}

std::string shown_choice(const Field& field) {
  const std::string value = field.word();
  return field.nearest && !is_among(field.options, value) ? field.options.front() : value;
}

std::string text_of(const Field& field) {
  switch (field.kind) {
    case Field::Kind::number:
      return shortest_number(field.as<double>());
    case Field::Kind::toggle:
      return field.as<bool>() ? "true" : "false";
    case Field::Kind::range: {
      const std::optional<Range>& value = field.as<std::optional<Range>>();
      return value ? shortest_number(value->low) + ":" + shortest_number(value->high) : "fit";
    }
    case Field::Kind::names:
      return joined(field.as<Field::Names>(), ",");
    default:
      return field.word();
  }
}

Field choice_field(std::string_view key, std::vector<std::string> options, std::string initial) {
  Field field{{.key = key}, Field::Kind::choice};
  field.options = std::move(options);
  field.initial_text = std::move(initial);
  return field;
}

Field text_field(std::string_view key, std::string initial) {
  Field field{{.key = key}, Field::Kind::text};
  field.initial_text = std::move(initial);
  return field;
}

Field toggle_field(std::string_view key, bool& value) {
  return {{.key = key}, Field::Kind::toggle, &value};
}

const Field* find_field(const FieldList& list, std::string_view key) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [key](const Field& field) { return field.has_value() && field.key == key; });
  return found == list.end() ? nullptr : &*found;
}

Field* find_field(FieldList& list, std::string_view key) {
  return const_cast<Field*>(find_field(std::as_const(list), key));
}

std::vector<std::string> keys_of(const FieldList& list) {
  std::vector<std::string> keys;
  for (const Field& field : list) {
    if (field.has_value()) keys.emplace_back(field.key);
  }
  return keys;
}

std::vector<std::string> keys_of_controls(const FieldList& list) {
  std::vector<std::string> keys;
  for (const Field& field : list) {
    if (field.has_value() && field.control) keys.emplace_back(field.key);
  }
  return keys;
}

std::string words_key(std::string_view key) {
  // "own2", "own2.file": the number is left out.
  constexpr std::string_view kOwn = "own";
  if (!key.starts_with(kOwn)) return std::string(key);
  std::size_t end = kOwn.size();
  while (end < key.size() && key[end] >= '0' && key[end] <= '9') ++end;
  if (end < key.size() && key[end] != '.') return std::string(key);
  return std::string(kOwn) + std::string(key.substr(end));
}

std::string label_key(const Field& field, const std::string& option) {
  return "option." + std::string(field.labels.empty() ? field.key : field.labels) + "." + option;
}

double slider_fraction(const NumberField& field, double value) {
  value = clamp_to(field, value);
  if (field.linear) return (value - field.lowest) / (field.highest - field.lowest);
  const double low = to_log(field, field.lowest), high = to_log(field, field.highest);
  return (to_log(field, value) - low) / (high - low);
}

double slider_value(const NumberField& field, double fraction) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  // Returns the ends exactly: exp(log(x)) may differ from x by rounding.
  if (fraction == 0) return field.lowest;
  if (fraction == 1) return clamp_to(field, field.highest);
  if (field.linear) return clamp_to(field, field.lowest + fraction * (field.highest - field.lowest));
  const double low = to_log(field, field.lowest), high = to_log(field, field.highest);
  return clamp_to(field, from_log(field, low + fraction * (high - low)));
}

double& DeclaredValues::number(std::string_view name) {
  return named(values_, name, false).number;
}

bool& DeclaredValues::toggle(std::string_view name) {
  return named(values_, name, true).on;
}

double DeclaredValues::operator[](std::string_view name) const {
  const Value& value = named(values_, name);
  return value.is_switch ? static_cast<double>(value.on) : value.number;
}

void DeclaredValues::set(std::string_view name, double number) {
  Value& value = named(values_, name);
  if (value.is_switch) {
    value.on = number != 0;
  } else {
    value.number = number;
  }
}

std::string option_name(const NumberField& field) {
  std::string name = "--" + std::string(field.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::optional<Range>& Zooms::operator[](std::string_view key) {
  for (auto& [known, range] : ranges_) {
    if (known == key) return range;
  }
  throw std::logic_error("no axis is declared by the key " + std::string(key));
}

std::optional<Range> Zooms::find(std::string_view key) const {
  for (const auto& [known, range] : ranges_) {
    if (known == key) return range;
  }
  return std::nullopt;
}

Field field_of(const NumberField& declared, DeclaredValues& values, bool control, std::optional<double> own) {
  Field field{declared};
  field.kind = declared.is_switch ? Field::Kind::toggle : Field::Kind::number;
  field.control = control;
  if (declared.is_switch) {
    field.value = &values.toggle(declared.name);
    return field;
  }
  field.value = &values.number(declared.name);
  if (own) {
    field.zero = "unit.own_base";
    field.zero_value = *own;
  }
  return field;
}

void write_json(nlohmann::ordered_json& root, const FieldList& fields) {
  for (const Field& field : fields) {
    if (!field.has_value()) continue;
    const auto [group, name] = group_and_name(field.key);
    nlohmann::ordered_json& written = group.empty() ? root[name] : root[group][name];
    if (field.kind == Field::Kind::number) {
      written = number_json(field.as<double>());
    } else if (field.kind == Field::Kind::toggle) {
      written = field.as<bool>();
    } else if (field.kind == Field::Kind::names) {
      written = field.as<Field::Names>();
    } else if (field.kind == Field::Kind::range) {
      const std::optional<Range>& value = field.as<std::optional<Range>>();
      written = nullptr;
      if (value) written = {number_json(value->low), number_json(value->high)};
    } else {
      written = field.word();
    }
  }
}

JsonReader::JsonReader(const json& root, std::string source, std::string prefix)
    : root_(root), source_(std::move(source)), prefix_(std::move(prefix)) {}

const json* JsonReader::find(std::string_view key) {
  known_.emplace(key);
  const auto [group, name] = group_and_name(key);
  const json* object = &root_;
  if (!group.empty()) {
    const auto found = root_.find(group);
    if (found == root_.end()) return nullptr;
    if (!found->is_object()) refuse(group, *found, Message("expected.object"));
    object = &*found;
  }
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

void JsonReader::refuse(std::string_view key, const json& found, const Message& expected) const {
  throw InputError(source_, "field",
                   {{"field", prefix_ + std::string(key)}, {"found", describe_value(found)}, {"expected", expected}});
}

void JsonReader::refuse_unknown(const std::string& key) const {
  const std::vector<std::string> near = nearest_words(key, {known_.begin(), known_.end()});
  const Message expected = near.empty() ? Message("experiment.example_key") : one_of(near);
  throw InputError(source_, "experiment.unknown_key", {{"key", in_quotes(prefix_ + key)}, {"expected", expected}});
}

void JsonReader::read(Field& field) {
  if (!field.has_value()) return;
  const json* found = find(field.key);
  if (!found) {
    // If other fields of the file rule out this option, uses the first of several axes.
    if (field.kind == Field::Kind::choice) clamp(field);
    return;
  }
  switch (field.kind) {
    case Field::Kind::number:
      if (!found->is_number() || !accepts(field, found->get<double>())) refuse(field.key, *found, expectation(field));
      field.as<double>() = found->get<double>();
      break;
    case Field::Kind::choice:
      read_choice(field, *found);
      break;
    case Field::Kind::toggle:
      if (!found->is_boolean()) refuse(field.key, *found, expectation(field));
      field.as<bool>() = found->get<bool>();
      break;
    case Field::Kind::range:
      if (!found->is_null() && !is_range_json(*found)) refuse(field.key, *found, Message("expected.range"));
      field.as<std::optional<Range>>().reset();
      if (found->is_array())
        field.as<std::optional<Range>>() = Range{(*found)[0].get<double>(), (*found)[1].get<double>()};
      break;
    case Field::Kind::names:
      read_names(field, *found);
      break;
    default:
      if (!found->is_string()) refuse(field.key, *found, expectation(field));
      require_length(field, found->get_ref<const std::string&>());
      field.as<std::string>() = found->get<std::string>();
  }
}

void JsonReader::require_length(const Field& field, const std::string& text) const {
  if (text.size() <= field.max_bytes) return;
  throw InputError(source_, "experiment.long_text",
                   {{"field", prefix_ + std::string(field.key)}, {"bytes", text.size()}, {"most", field.max_bytes}});
}

void JsonReader::read_choice(Field& field, const json& found) const {
  // An empty text also means the default option.
  const bool usable = found.is_string() && (found.get_ref<const std::string&>().empty() ||
                                            accepts(field, found.get_ref<const std::string&>()));
  if (!usable) refuse(field.key, found, expectation(field));
  field.set_word(found.get<std::string>().empty() ? field.initial_text : found.get<std::string>());
}

void JsonReader::read_names(Field& field, const json& found) const {
  bool usable = found.is_array();
  const std::size_t most = field.options.empty() ? kMaxNames : field.options.size();
  if (usable && found.size() > most) {
    throw InputError(source_, "experiment.many_names",
                     {{"field", prefix_ + std::string(field.key)}, {"count", found.size()}, {"most", most}});
  }
  for (std::size_t i = 0; usable && i < found.size(); ++i) {
    usable = found[i].is_string();
    if (usable) require_length(field, found[i].get_ref<const std::string&>());
  }
  if (usable && !field.options.empty()) {
    for (const std::string& name : found.get<std::vector<std::string>>()) {
      if (is_among(field.options, name)) continue;
      throw InputError(source_, "experiment.name",
                       {{"field", prefix_ + std::string(field.key)},
                        {"name", elide_middle(one_line(name))},
                        {"expected", expectation(field)}});
    }
  }
  if (!usable || !accepts(field, found.get<std::vector<std::string>>())) {
    refuse(field.key, found, field.options.empty() ? Message("expected.names") : expectation(field));
  }
  field.as<Field::Names>() = clamp_to(field, found.get<std::vector<std::string>>());
}

void JsonReader::refuse_unknown_keys(const std::set<std::string>& others) const {
  std::set<std::string> groups;
  for (const std::string& key : known_) {
    const std::string group = group_and_name(key).first;
    if (!group.empty()) groups.insert(group);
  }
  for (const auto& [name, value] : root_.items()) {
    if (known_.count(name) || others.count(name)) continue;
    if (!groups.count(name)) refuse_unknown(name);
    for (const auto& [inner, ignored] : value.items()) {
      std::string key = name;
      key.append(".").append(inner);
      if (!known_.count(key)) refuse_unknown(key);
    }
  }
}

std::optional<bool> parse_toggle(std::string_view text) {
  constexpr std::pair<std::string_view, bool> kWords[] = {{"true", true},   {"on", true},   {"1", true},
                                                          {"false", false}, {"off", false}, {"0", false}};
  const auto found =
      std::find_if(std::begin(kWords), std::end(kWords), [text](const auto& word) { return word.first == text; });
  return found != std::end(kWords) ? std::optional(found->second) : std::nullopt;
}

void set_text(Field& field, const std::string& text, const std::string& source) {
  // Converts the text to JSON as in a file; an invalid text stays a JSON string, which the reader rejects.
  json value = text;
  if (field.kind == Field::Kind::number) {
    if (const std::optional<double> number = parse_number(text)) value = *number;
  } else if (field.kind == Field::Kind::toggle) {
    if (const std::optional<bool> on = parse_toggle(text)) value = *on;
  } else if (field.kind == Field::Kind::range) {
    constexpr std::string_view kFits[] = {"fit", "null"};
    if (std::find(std::begin(kFits), std::end(kFits), text) != std::end(kFits)) value = nullptr;
    // The form in files, and in the error message.
    if (text.starts_with('[')) {
      try {
        value = parse_own_json(text);
      } catch (const json::parse_error&) {
        value = text;
      }
    }
    const std::vector<std::string> ends = split(text, ':');
    const std::optional<double> low = parse_number(ends.front()), high = parse_number(ends.back());
    if (ends.size() == 2 && low && high) value = {*low, *high};
  } else if (field.kind == Field::Kind::names) {
    value = json::array();
    if (!text.empty()) value = split(text, ',');
  }
  const auto [group, name] = group_and_name(field.key);
  json root = json::object();
  (group.empty() ? root[name] : root[group][name]) = std::move(value);
  JsonReader(root, source).read(field);
}

void set_typed(Field& field, const std::string& name, const std::string& text) {
  if (field.typed) {
    field.minimum = field.lowest = field.typed->low;
    field.maximum = field.highest = field.typed->high;
    if (field.step != 2) field.step = 0;
  }
  const auto refuse = [&] {
    constexpr std::size_t kMaxListed = 8;
    const bool many = field.kind == Field::Kind::choice && field.options.size() > kMaxListed;
    const std::vector<std::string> near = many ? nearest_words(text, field.options) : std::vector<std::string>();
    throw InputError(
        "field",
        {{"field", name}, {"found", in_quotes(text)}, {"expected", near.empty() ? expectation(field) : one_of(near)}});
  };
  switch (field.kind) {
    case Field::Kind::number: {
      const std::optional<double> value = parse_number(text);
      if (!value || !accepts(field, *value)) refuse();
      field.as<double>() = *value;
      return;
    }
    case Field::Kind::toggle: {
      constexpr std::pair<std::string_view, bool> kAnswers[] = {{"yes", true}, {"no", false}};
      const auto answer = std::find_if(std::begin(kAnswers), std::end(kAnswers),
                                       [&text](const auto& each) { return each.first == text; });
      const std::optional<bool> on = answer != std::end(kAnswers) ? std::optional(answer->second) : parse_toggle(text);
      if (!on) refuse();
      field.as<bool>() = *on;
      return;
    }
    case Field::Kind::choice:
      if (!accepts(field, text)) refuse();
      field.set_word(text);
      return;
    case Field::Kind::names: {
      const std::vector<std::string> names = split(text, ',');
      if (!accepts(field, names)) refuse();
      field.as<Field::Names>() = clamp_to(field, names);
      return;
    }
    default:
      field.as<std::string>() = text;
  }
}

}  // namespace ropescope
