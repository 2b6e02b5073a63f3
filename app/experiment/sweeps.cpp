// Values of sweeps, sweeps and facets as text, and toggling of facets. Read sweeps.h first.
//
// Contents: Sweeps; Sweeps in text; Facets.

#include "app/experiment/sweeps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Sweeps --------------------------------------------------------------------------------------------------------

namespace {

/// Rounds to twelve digits, so an intermediate power is displayed, typed and saved identically.
double twelve_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return parse_number(text.data()).value_or(value);
}

// --- Sweeps in text ------------------------------------------------------------------------------------------------

bool is_count(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Reads the options after a range; returns false for an unknown or repeated option.
bool take_options(SweepText& cut, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    std::string& taken = option == "log" || option == "linear" ? cut.scale : cut.points;
    if (!taken.empty() || (&taken == &cut.points && !is_count(option))) return false;
    taken = option;
  }
  return true;
}

std::size_t count_of_points(const SweepText& cut, const char* option, std::size_t otherwise) {
  if (cut.points.empty()) return otherwise;
  const double count = parse_number(cut.points).value_or(0);
  if (count < 2 || count > static_cast<double>(kMaxSweepPoints)) {
    throw InputError(option, "sweep.points", {{"found", cut.points}, {"most", kMaxSweepPoints}});
  }
  return static_cast<std::size_t>(count);
}

/// Returns the values of a range.
std::vector<double> values_between(const NumberField& field, const Sweep& sweep, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = swept_value(field, sweep, fraction_of_frame(i, count, false));
    if (values.empty() || value != values.back()) values.push_back(value);
  }
  return values;
}

FieldValues read_range_values(const NumberField& field, const SweepText& cut, const char* option, std::size_t points) {
  const double from = read_swept_value(field, cut.values.front(), option),
               to = read_swept_value(field, cut.values.back(), option);
  const std::string ends = cut.values.front() + ".." + cut.values.back();
  if (from == to) throw InputError(option, "sweep.one_value", {{"found", in_quotes(ends)}});
  const bool logarithmic = cut.scale.empty() ? !field.linear : cut.scale == "log";
  if (cut.scale == "log" && std::min(from, to) <= 0) {
    throw InputError(option, "sweep.log_of_zero", {{"found", in_quotes(ends)}});
  }
  const Sweep sweep{std::string(field.key), from, to, logarithmic};
  const std::size_t count = count_of_points(cut, option, points);
  FieldValues swept{sweep.key, values_between(field, sweep, count), logarithmic};
  swept.asked = count;
  return swept;
}

FieldValues parse_values(const NumberField& field, const SweepText& cut, const char* option) {
  FieldValues swept{std::string(field.key), {}, !field.linear};
  std::set<double> known;
  for (const std::string& given : cut.values) {
    const double value = read_swept_value(field, given, option);
    if (!known.insert(value).second) {
      throw InputError(option, "sweep.twice", {{"key", swept.key}, {"value", given}});
    }
    swept.values.push_back(value);
  }
  return swept;
}

/// Returns the kind of a field's values; nullopt if it cannot be swept.
std::optional<FieldValues::Kind> kind_of_values(const Field& field) {
  if (field.kind == Field::Kind::number) return FieldValues::Kind::number;
  if (field.kind == Field::Kind::choice) return FieldValues::Kind::choice;
  return field.kind == Field::Kind::toggle ? std::optional(FieldValues::Kind::toggle) : std::nullopt;
}

/// Returns the canonical form of a word: a switch has several, and is "true" or "false" here.
std::string to_canonical_word(FieldValues::Kind kind, const std::string& word) {
  if (kind != FieldValues::Kind::toggle) return word;
  return word == "true" || word == "on" || word == "1" ? "true" : "false";
}

FieldValues words_of_list(FieldValues::Kind kind, const std::string& key, const SweepText& cut,
                          const Experiment& experiment, const char* option) {
  FieldValues swept{key, {}, false, kind, {}};
  std::set<std::string> known;
  for (const std::string& given : cut.values) {
    if (kind != FieldValues::Kind::model) {
      Experiment tried = experiment;
      set_field(tried, key + "=" + given, {}, option);
    }
    const std::string word = to_canonical_word(kind, given);
    if (!known.insert(word).second) {
      throw InputError(option, "sweep.twice", {{"key", key}, {"value", given}});
    }
    swept.values.push_back(static_cast<double>(swept.words.size()));
    swept.words.push_back(word);
  }
  return swept;
}

// --- Facets --------------------------------------------------------------------------------------------------------

std::string copy_trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string join_values(const std::vector<std::string>& values) {
  const bool commas =
      std::any_of(values.begin(), values.end(), [](const std::string& value) { return value.find(',') != value.npos; });
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : commas ? ";" : ",") + value;
  return text + (commas && values.size() == 1 ? ";" : "");
}

std::vector<std::string> values_of(const std::string& text) {
  const bool commas = text.find(';') != text.npos;
  std::vector<std::string> values;
  for (const std::string& part : split(text, commas ? ';' : ',')) values.push_back(copy_trimmed(part));
  if (commas && values.back().empty()) values.pop_back();
  return values;
}

/// Rounds a computed value to two digits.
double round_to_two_digits(const NumberField& field, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return clamp_to(field, parse_number(text.data()).value_or(value));
}

/// Returns the initial values of a facet, which represent the whole range of its field.
std::vector<std::string> first_values(const Field& field) {
  constexpr double kApart = 0.2;
  constexpr std::size_t kMaxChoices = 4;
  if (field.kind == Field::Kind::toggle) return {"false", "true"};
  if (field.kind == Field::Kind::choice) {
    const std::size_t count = std::min(field.options.size(), kMaxChoices);
    return {field.options.begin(), field.options.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  std::vector<std::string> values;
  if (field.kind != Field::Kind::number) return values;
  // A fifth of the slider to either side; at an end of it, both to one side.
  const double at = slider_fraction(field, field.as<double>()), middle = std::clamp(at, kApart, 1 - kApart);
  std::set<double> numbers{field.as<double>()};
  for (const double fraction : {middle - kApart, middle, middle + kApart}) {
    if (std::abs(fraction - at) > kApart / 2) numbers.insert(round_to_two_digits(field, slider_value(field, fraction)));
  }
  for (const double number : numbers) values.push_back(shortest_number(number));
  return values;
}

/// Returns whether the text is a number's range; a file name may contain two dots, too.
bool is_number_range(const std::string& key, const std::string& text, const Experiment& experiment) {
  return text.find("..") != std::string::npos && find_number(experiment, key);
}

std::vector<std::string> list_range_values(const std::string& text, const Experiment& experiment, const char* option,
                                           std::string_view looks_at) {
  std::string written;
  std::copy_if(text.begin(), text.end(), std::back_inserter(written), [](char c) { return c != ' '; });
  std::vector<std::string> values;
  for (const double value : parse_field_values(written, experiment, looks_at, option, kPointsOfFacet).values) {
    values.push_back(shortest_number(value));
  }
  if (values.size() <= kMaxFacetCells) return values;
  throw InputError(option, "facets.too_many", {{"count", values.size()}, {"most", kMaxFacetCells}});
}

}  // namespace

std::optional<Field> find_number(Experiment& experiment, std::string_view key) {
  std::optional<Field> field = find_field(experiment, key);
  return field && field->kind == Field::Kind::number ? field : std::nullopt;
}

const std::optional<Field> find_number(const Experiment& experiment, std::string_view key) {
  return find_number(const_cast<Experiment&>(experiment), key);
}

double swept_value(const NumberField& field, const Sweep& sweep, double fraction) {
  if (fraction <= 0) return clamp_to(field, sweep.from);
  if (fraction >= 1) return clamp_to(field, sweep.to);
  if (!sweep.logarithmic) return clamp_to(field, sweep.from + fraction * (sweep.to - sweep.from));
  const bool from_zero = std::min(sweep.from, sweep.to) <= 0;
  const auto to_log = [from_zero](double value) { return from_zero ? std::log1p(value) : std::log(value); };
  const double logarithm = to_log(sweep.from) + fraction * (to_log(sweep.to) - to_log(sweep.from));
  return clamp_to(field, twelve_digits(from_zero ? std::expm1(logarithm) : std::exp(logarithm)));
}

Sweep slider_sweep(const Experiment& experiment, std::string_view key) {
  const auto field = find_number(experiment, key);
  if (!field) return {};
  return {std::string(key), slider_value(*field, 0), slider_value(*field, 1), !field->linear};
}

double there_and_back(double share) {
  share -= std::floor(share);
  return share <= 0.5 ? 2 * share : 2 - 2 * share;
}

double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro) {
  const auto at = static_cast<double>(index), frames = static_cast<double>(count);
  if (count < 2) return 0;
  return to_and_fro ? there_and_back(at / frames) : at / (frames - 1);
}

void apply_sweep(Experiment& experiment, const Sweep& sweep, double fraction) {
  if (auto field = find_number(experiment, sweep.key)) field->as<double>() = swept_value(*field, sweep, fraction);
}

std::string sweep_assignment(const Experiment& experiment, const Sweep& sweep, double fraction) {
  const auto field = find_number(experiment, sweep.key);
  return field ? sweep.key + "=" + shortest_number(swept_value(*field, sweep, fraction)) : std::string();
}

std::string FieldValues::text(double value) const {
  return kind == Kind::number ? shortest_number(value) : words.at(static_cast<std::size_t>(value));
}

std::optional<SweepText> cut_sweep_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  SweepText cut;
  cut.key = text.substr(0, equals);
  std::vector<std::string> parts = split(text.substr(equals + 1), ':');
  const std::string values = std::exchange(parts.front(), {});
  parts.erase(parts.begin());
  const std::size_t dots = values.find("..");
  cut.range = dots != std::string::npos;
  if (!cut.range) {
    cut.values = split(values, ',');
    return parts.empty() && !values.empty() ? std::optional(cut) : std::nullopt;
  }
  cut.values = {values.substr(0, dots), values.substr(dots + 2)};
  return take_options(cut, parts) ? std::optional(cut) : std::nullopt;
}

double read_swept_value(const NumberField& field, const std::string& given, const char* option) {
  const std::optional<double> value = parse_number(given);
  if (value && accepts(field, *value)) return *value;
  throw InputError(option, "field",
                   {{"field", field.key}, {"found", in_quotes(given)}, {"expected", expectation(field)}});
}

FieldValues parse_field_values(const std::string& text, const Experiment& experiment, std::string_view looks_at,
                               const char* option, std::size_t points) {
  const std::optional<SweepText> cut = cut_sweep_text(text);
  if (!cut) throw InputError(option, "sweep.form", {{"found", in_quotes(text)}});
  const std::string model(kSweptModel);
  if (!cut->range && (cut->key == model || cut->key == "rope." + model)) {
    return words_of_list(FieldValues::Kind::model, model, *cut, experiment, option);
  }
  const std::string key = full_field_key(cut->key, experiment, looks_at, option);
  const auto field = find_field(experiment, key);
  const std::optional<FieldValues::Kind> kind = kind_of_values(*field);
  const bool is_number = kind == FieldValues::Kind::number;
  if (cut->range && !is_number) throw InputError(option, "sweep.no_number", {{"key", key}});
  if (!kind) throw InputError(option, "sweep.no_values", {{"key", key}});
  if (!is_number) return words_of_list(*kind, key, *cut, experiment, option);
  return cut->range ? read_range_values(*field, *cut, option, points) : parse_values(*field, *cut, option);
}

Facet read_facet(const std::string& text, const Experiment& experiment, const char* option, std::string_view looks_at) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || copy_trimmed(text.substr(equals + 1)).empty()) {
    throw InputError(option, "facets.no_values", {{"given", in_quotes(text)}});
  }
  const std::string given = copy_trimmed(text.substr(0, equals));
  Facet facet{given, values_of(text.substr(equals + 1))};
  const std::string model(kFacetModel);
  if (given != model) facet.key = full_field_key(given, experiment, looks_at, option);
  if (facet.key == "rope." + model) facet.key = model;
  if (facet.key == "view" || facet.key.starts_with("facet.")) {
    throw InputError(option, "facets.key", {{"key", facet.key}});
  }
  // Counted before any of them is parsed: a short link can contain a hundred thousand.
  if (facet.values.size() > kMaxFacetCells) {
    throw InputError(option, "facets.too_many", {{"count", facet.values.size()}, {"most", kMaxFacetCells}});
  }
  if (facet.key == model) return facet;
  if (is_number_range(facet.key, text, experiment))
    facet.values = list_range_values(text, experiment, option, looks_at);
  for (const std::string& value : facet.values) {
    Experiment tried = experiment;
    set_field(tried, facet.key + "=" + value, {}, option);
  }
  return facet;
}

std::string facet_text(const Facet& facet) {
  return facet.values.empty() ? std::string() : facet.key + "=" + join_values(facet.values);
}

bool has_facets(const Experiment& experiment) {
  return !experiment.facet.across.empty() || !experiment.facet.down.empty();
}

FacetPair facets_of(const Experiment& experiment, std::string_view looks_at) {
  FacetPair pair;
  if (const std::string& text = experiment.facet.across; !text.empty()) {
    pair.across = read_facet(text, experiment, "facet.across", looks_at);
  }
  if (const std::string& text = experiment.facet.down; !text.empty()) {
    pair.down = read_facet(text, experiment, "facet.down", looks_at);
  }
  if (!pair.down.values.empty() && pair.across.key == pair.down.key) {
    throw InputError("facets.twice", {{"key", pair.down.key}});
  }
  if (pair.columns() * pair.rows() > kMaxFacetCells) {
    throw InputError("facets.too_many", {{"count", pair.columns() * pair.rows()}, {"most", kMaxFacetCells}});
  }
  return pair;
}

bool change_rope(const FacetPair& pair) {
  const auto is_of_rope = [](const Facet& facet) { return facet.key == kFacetModel || facet.key.starts_with("rope."); };
  return is_of_rope(pair.across) || is_of_rope(pair.down);
}

bool facets_change_rope(const Experiment& experiment) {
  const auto is_of_rope = [&experiment](const std::string& text) {
    const std::string key = copy_trimmed(text.substr(0, text.find('=')));
    if (key == kFacetModel || key.starts_with("rope.")) return true;
    try {
      return !key.empty() && full_field_key(key, experiment, {}, "").starts_with("rope.");
    } catch (const InputError&) {
      return false;  // reported where it is drawn
    }
  };
  return is_of_rope(experiment.facet.across) || is_of_rope(experiment.facet.down);
}

void toggle_facet(Experiment& experiment, std::string_view key) {
  const std::string begin = std::string(key) + "=";
  for (std::string* text : {&experiment.facet.across, &experiment.facet.down}) {
    if (text->starts_with(begin)) return text->clear();
  }
  std::string& free = experiment.facet.across.empty() ? experiment.facet.across : experiment.facet.down;
  if (!free.empty()) return;
  const auto field = find_field(std::as_const(experiment), key);
  free = facet_text({std::string(key), field ? first_values(*field) : std::vector<std::string>()});
}

void facet_models(Experiment& experiment) {
  Facet facet{std::string(kFacetModel), {}};
  const auto add = [&facet](const std::string& model) {
    const bool known = std::find(facet.values.begin(), facet.values.end(), model) != facet.values.end();
    if (!model.empty() && !known) facet.values.push_back(model);
  };
  add(experiment.rope.model);
  for (const Pin& pin : experiment.pins) add(pin.rope.model);
  for (const char* model : {"llama-2-7b", "llama-3.1-8b"}) {
    if (facet.values.size() < 2) add(model);
  }
  experiment.facet = {facet_text(facet), {}};
}

}  // namespace ropescope
