// What values a field accepts, the values of fields that core declares, and fields as JSON.
//
// Contents: Fields; Declared fields; JSON.

#include "app/experiment/fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

/// Where logarithmic sliders run: log(value), or log(1 + value) for a field that starts at 0.
double to_log(const NumberField& field, double value) {
  return field.minimum > 0 ? std::log(value) : std::log1p(value);
}

double from_log(const NumberField& field, double logarithm) {
  return field.minimum > 0 ? std::exp(logarithm) : std::expm1(logarithm);
}

}  // namespace

double clamp_to(const NumberField& field, double value) {
  if (std::isnan(value)) return field.initial;
  value = std::clamp(value, field.minimum, field.maximum);
  if (field.step > 0) {
    value = field.minimum + field.step * std::round((value - field.minimum) / field.step);
    if (value > field.maximum) value -= field.step;
  }
  return field.whole ? std::round(value) : value;
}

bool accepts(const NumberField& field, double value) {
  return std::isfinite(value) && value >= field.minimum && value <= field.maximum && clamp_to(field, value) == value;
}

bool accepts(const ChoiceField& field, const std::string& value) {
  return value == field.initial || std::find(field.options.begin(), field.options.end(), value) != field.options.end();
}

Words expectation(const NumberField& field) {
  const std::string least = shortest_number(field.minimum), most = shortest_number(field.maximum);
  if (field.step == 2 && std::fmod(field.minimum, 2) == 0) {
    return Words("expected.even_number", {{"least", least}, {"most", most}});
  }
  if (field.step > 0 && field.step != 1) {
    return Words(field.whole ? "expected.whole_in_steps" : "expected.number_in_steps",
                 {{"step", shortest_number(field.step)}, {"least", least}, {"most", most}});
  }
  return Words(field.whole ? "expected.whole" : "expected.number", {{"least", least}, {"most", most}});
}

Words expectation(const ChoiceField& field) {
  return field.options.empty() ? Words("expected.no_choice") : one_of(field.options);
}

Words expectation(const NamesField& field) {
  if (field.options.empty()) return Words("expected.names_with_commas");
  Words::List options;
  for (const std::string& option : field.options) options.push_back(as_it_is(option));
  return Words("expected.some_of", {{"names", std::move(options)}});
}

std::vector<std::string> clamp_to(const NamesField& field, const std::vector<std::string>& value) {
  if (field.options.empty()) return value;
  std::vector<std::string> kept;
  for (const std::string& option : field.options) {
    if (std::find(value.begin(), value.end(), option) != value.end()) kept.push_back(option);
  }
  return kept;
}

bool accepts(const NamesField& field, const std::vector<std::string>& value) {
  return clamp_to(field, value).size() == value.size();
}

double slider_fraction(const NumberField& field, double value) {
  value = clamp_to(field, value);
  if (!field.logarithmic) return (value - field.minimum) / (field.maximum - field.minimum);
  const double low = to_log(field, field.minimum), high = to_log(field, field.maximum);
  return (to_log(field, value) - low) / (high - low);
}

double slider_value(const NumberField& field, double fraction) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  // The ends exactly: exp(log(x)) may miss x by a rounding.
  if (fraction == 0) return field.minimum;
  if (fraction == 1) return clamp_to(field, field.maximum);
  if (!field.logarithmic) return clamp_to(field, field.minimum + fraction * (field.maximum - field.minimum));
  const double low = to_log(field, field.minimum), high = to_log(field, field.maximum);
  return clamp_to(field, from_log(field, low + fraction * (high - low)));
}

// --- Declared fields -----------------------------------------------------------------------------------------------

namespace {

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

}  // namespace

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

std::string option_name(const Field& field) {
  std::string name = "--" + std::string(field.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void describe(FieldVisitor& visit, const Field& field, DeclaredValues& values, bool control,
              std::optional<double> own) {
  if (field.is_switch) {
    visit.toggle({.key = field.key, .initial = field.initial != 0, .control = control}, values.toggle(field.name));
    return;
  }
  visit.number({.key = field.key,
                .minimum = field.lowest,
                .maximum = field.highest,
                .initial = field.initial,
                .logarithmic = !field.linear,
                .whole = field.whole,
                .step = field.step,
                .unit = field.unit,
                .zero = own ? "unit.own_base" : field.zero,
                .zero_value = own.value_or(0),
                .control = control},
               values.number(field.name));
}

// --- JSON ----------------------------------------------------------------------------------------------------------

namespace {

using nlohmann::json;

/// "rope.base" → {"rope", "base"}; "view" → {"", "view"}.
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

bool json_fields_is_range(const json& value) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number()) return false;
  const double low = value[0].get<double>(), high = value[1].get<double>();
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

}  // namespace

nlohmann::ordered_json& JsonWriter::at(std::string_view key) {
  const auto [group, name] = group_and_name(key);
  return group.empty() ? root_[name] : root_[group][name];
}

void JsonWriter::number(const NumberField& field, double& value) {
  at(field.key) = number_json(value);
}
void JsonWriter::choice(const ChoiceField& field, std::string& value) {
  at(field.key) = value;
}
void JsonWriter::toggle(const ToggleField& field, bool& value) {
  at(field.key) = value;
}
void JsonWriter::text(const TextField& field, std::string& value) {
  at(field.key) = value;
}
void JsonWriter::names(const NamesField& field, std::vector<std::string>& value) {
  at(field.key) = value;
}

void JsonWriter::range(const RangeField& field, std::optional<Range>& value) {
  if (value) {
    at(field.key) = {number_json(value->low), number_json(value->high)};
  } else {
    at(field.key) = nullptr;
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
    if (!found->is_object()) refuse(group, *found, Words("expected.object"));
    object = &*found;
  }
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

void JsonReader::refuse(std::string_view key, const json& found, const Words& expected) const {
  throw InputError(source_, "field",
                   {{"field", prefix_ + std::string(key)}, {"found", describe(found)}, {"expected", expected}});
}

void JsonReader::refuse_unknown(const std::string& key) const {
  const std::vector<std::string> near = nearest_words(key, {known_.begin(), known_.end()});
  const Words expected = near.empty() ? Words("experiment.example_key") : one_of(near);
  throw InputError(source_, "experiment.unknown_key", {{"key", in_quotes(prefix_ + key)}, {"expected", expected}});
}

void JsonReader::number(const NumberField& field, double& value) {
  const json* found = find(field.key);
  if (!found) return;
  if (!found->is_number() || !accepts(field, found->get<double>())) refuse(field.key, *found, expectation(field));
  value = found->get<double>();
}

void JsonReader::choice(const ChoiceField& field, std::string& value) {
  const json* found = find(field.key);
  if (!found) {
    // What other fields of the file leave without this option: the first of several axes.
    if (!accepts(field, value)) value = field.initial;
    return;
  }
  // An empty text stands for the initial option, too.
  const bool usable = found->is_string() && (found->get_ref<const std::string&>().empty() ||
                                             accepts(field, found->get_ref<const std::string&>()));
  if (!usable) refuse(field.key, *found, expectation(field));
  value = found->get<std::string>();
  if (value.empty()) value = field.initial;
}

void JsonReader::toggle(const ToggleField& field, bool& value) {
  const json* found = find(field.key);
  if (!found) return;
  if (!found->is_boolean()) refuse(field.key, *found, Words("expected.flag"));
  value = found->get<bool>();
}

void JsonReader::text(const TextField& field, std::string& value) {
  const json* found = find(field.key);
  if (!found) return;
  if (!found->is_string()) refuse(field.key, *found, Words("expected.text"));
  value = found->get<std::string>();
}

void JsonReader::range(const RangeField& field, std::optional<Range>& value) {
  const json* found = find(field.key);
  if (!found) return;
  if (found->is_null()) {
    value.reset();
    return;
  }
  if (!json_fields_is_range(*found)) refuse(field.key, *found, Words("expected.range"));
  value = Range{(*found)[0].get<double>(), (*found)[1].get<double>()};
}

void JsonReader::names(const NamesField& field, std::vector<std::string>& value) {
  const json* found = find(field.key);
  if (!found) return;
  bool usable = found->is_array();
  for (std::size_t i = 0; usable && i < found->size(); ++i) usable = (*found)[i].is_string();
  if (usable && !field.options.empty()) {
    for (const std::string& name : found->get<std::vector<std::string>>()) {
      if (std::find(field.options.begin(), field.options.end(), name) != field.options.end()) continue;
      throw InputError(source_, "experiment.name",
                       {{"field", prefix_ + std::string(field.key)},
                        {"name", without_middle(one_line(name))},
                        {"expected", expectation(field)}});
    }
  }
  if (!usable || !accepts(field, found->get<std::vector<std::string>>())) {
    refuse(field.key, *found, field.options.empty() ? Words("expected.names") : expectation(field));
  }
  value = clamp_to(field, found->get<std::vector<std::string>>());
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
      if (!known_.count(name + "." + inner)) refuse_unknown(name + "." + inner);
    }
  }
}

}  // namespace ropescope
