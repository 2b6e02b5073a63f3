#include "app/experiment/sweep_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/experiment/split.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

bool is_count(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What stands after the ends of a range; false: something else does, or one of them twice.
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
  if (count < 2 || count > static_cast<double>(kMostPointsOfSweep)) {
    throw InputError(option, "sweep.points", {{"found", cut.points}, {"most", kMostPointsOfSweep}});
  }
  return static_cast<std::size_t>(count);
}

/// The values of a range.
std::vector<double> values_between(const NumberField& field, const Sweep& sweep, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = swept_value(field, sweep, fraction_of_frame(i, count, false));
    if (values.empty() || value != values.back()) values.push_back(value);
  }
  return values;
}

KnobValues sweep_text_values_of_range(const NumberField& field, const SweepText& cut, const char* option,
                                      std::size_t points) {
  const double from = read_swept_value(field, cut.values.front(), option),
               to = read_swept_value(field, cut.values.back(), option);
  const std::string ends = cut.values.front() + ".." + cut.values.back();
  if (from == to) throw InputError(option, "sweep.one_value", {{"found", in_quotes(ends)}});
  const bool logarithmic = cut.scale.empty() ? field.logarithmic : cut.scale == "log";
  if (cut.scale == "log" && std::min(from, to) <= 0) {
    throw InputError(option, "sweep.log_of_zero", {{"found", in_quotes(ends)}});
  }
  const Sweep sweep{std::string(field.key), from, to, logarithmic};
  const std::size_t count = count_of_points(cut, option, points);
  KnobValues knob{sweep.key, values_between(field, sweep, count), logarithmic};
  knob.asked = count;
  return knob;
}

KnobValues values_of_list(const NumberField& field, const SweepText& cut, const char* option) {
  KnobValues knob{std::string(field.key), {}, field.logarithmic};
  for (const std::string& given : cut.values) {
    const double value = read_swept_value(field, given, option);
    if (std::find(knob.values.begin(), knob.values.end(), value) != knob.values.end()) {
      throw InputError(option, "sweep.twice", {{"key", knob.key}, {"value", given}});
    }
    knob.values.push_back(value);
  }
  return knob;
}

/// Whether a field holds one of several words, and of which kind it is.
class KindOf : public PartialFields {
 public:
  explicit KindOf(std::string_view key) : key_(key) {}
  std::optional<KnobValues::Kind> kind;
  void number(const NumberField& field, double&) override { take(field.key, KnobValues::Kind::number); }
  void choice(const ChoiceField& field, std::string&) override { take(field.key, KnobValues::Kind::choice); }
  void toggle(const ToggleField& field, bool&) override { take(field.key, KnobValues::Kind::toggle); }

 private:
  void take(std::string_view key, KnobValues::Kind found) {
    if (key == key_) kind = found;
  }
  std::string_view key_;
};

/// A switch may be given in several ways: it is "true" or "false" here.
std::string said_once(KnobValues::Kind kind, const std::string& word) {
  if (kind != KnobValues::Kind::toggle) return word;
  return word == "true" || word == "on" || word == "1" ? "true" : "false";
}

KnobValues words_of_list(KnobValues::Kind kind, const std::string& key, const SweepText& cut,
                         const Experiment& experiment, const char* option) {
  KnobValues knob{key, {}, false, kind, {}};
  for (const std::string& given : cut.values) {
    if (kind != KnobValues::Kind::model) {
      Experiment tried = experiment;
      set_field(tried, key + "=" + given, {}, option);
    }
    const std::string word = said_once(kind, given);
    if (std::find(knob.words.begin(), knob.words.end(), word) != knob.words.end()) {
      throw InputError(option, "sweep.twice", {{"key", key}, {"value", given}});
    }
    knob.values.push_back(static_cast<double>(knob.words.size()));
    knob.words.push_back(word);
  }
  return knob;
}

}  // namespace

std::string KnobValues::text(double value) const {
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

KnobValues parse_knob_values(const std::string& text, const Experiment& experiment, std::string_view looks_at,
                             const char* option, std::size_t points) {
  const std::optional<SweepText> cut = cut_sweep_text(text);
  if (!cut) throw InputError(option, "sweep.form", {{"found", in_quotes(text)}});
  const std::string model(kSweptModel);
  if (!cut->range && (cut->key == model || cut->key == "rope." + model)) {
    return words_of_list(KnobValues::Kind::model, model, *cut, experiment, option);
  }
  const std::string key = full_field_key(cut->key, experiment, looks_at, option);
  Experiment read = experiment;
  KindOf of(key);
  describe(of, read);
  const bool is_number = of.kind == KnobValues::Kind::number;
  if (cut->range && !is_number) throw InputError(option, "sweep.no_number", {{"key", key}});
  if (!of.kind) throw InputError(option, "sweep.no_values", {{"key", key}});
  if (!is_number) return words_of_list(*of.kind, key, *cut, experiment, option);
  KnobValues knob;
  visit_number(read, key, [&](const NumberField& field, double&) {
    knob = cut->range ? sweep_text_values_of_range(field, *cut, option, points) : values_of_list(field, *cut, option);
  });
  return knob;
}

}  // namespace ropescope
