#include "app/experiment/json_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/resources/nearest.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/short_text.h"

namespace ropescope {

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
  return group.empty() ? root[name] : root[group][name];
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
