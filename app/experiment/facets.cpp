#include "app/experiment/facets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/experiment/split.h"
#include "app/experiment/sweep.h"
#include "app/experiment/sweep_text.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

std::string facets_trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string joined_values(const std::vector<std::string>& values) {
  const bool commas =
      std::any_of(values.begin(), values.end(), [](const std::string& value) { return value.find(',') != value.npos; });
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : commas ? ";" : ",") + value;
  return text + (commas && values.size() == 1 ? ";" : "");
}

std::vector<std::string> values_of(const std::string& text) {
  const bool commas = text.find(';') != text.npos;
  std::vector<std::string> values;
  for (const std::string& part : split(text, commas ? ';' : ',')) values.push_back(facets_trimmed(part));
  if (commas && values.back().empty()) values.pop_back();
  return values;
}

/// Values that stand for the whole range of a field: what a facet begins with.
class FirstValues : public PartialFields {
 public:
  explicit FirstValues(std::string_view key) : key_(key) {}
  std::vector<std::string> values;

  void number(const NumberField& field, double& value) override {
    if (field.key != key_) return;
    // One slider's fifth to either side; at an end of it both to the same one.
    const double at = slider_fraction(field, value), middle = std::clamp(at, kApart, 1 - kApart);
    std::set<double> numbers{value};
    for (const double fraction : {middle - kApart, middle, middle + kApart}) {
      if (std::abs(fraction - at) > kApart / 2) numbers.insert(rounded(field, slider_value(field, fraction)));
    }
    for (const double number : numbers) values.push_back(shortest_number(number));
  }
  void choice(const ChoiceField& field, std::string&) override {
    if (field.key != key_) return;
    const std::size_t count = std::min(field.options.size(), kMostChoices);
    values.assign(field.options.begin(), field.options.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void toggle(const ToggleField& field, bool&) override {
    if (field.key == key_) values = {"false", "true"};
  }

 private:
  static constexpr double kApart = 0.2;
  static constexpr std::size_t kMostChoices = 4;
  /// Two digits are enough for a number that nobody chose.
  static double rounded(const NumberField& field, double value) {
    const std::optional<double> two = parse_number(plain_digits(value));
    return clamp_to(field, two.value_or(value));
  }
  static std::string plain_digits(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.2g", value);
    return text;
  }

  std::string_view key_;
};

/// Whether the text gives a number's range: a name of a file may hold two dots too.
bool facets_is_range(const std::string& key, const std::string& text, const Experiment& experiment) {
  Experiment read = experiment;
  return text.find("..") != std::string::npos && visit_number(read, key, [](const NumberField&, double&) {});
}

std::vector<std::string> facets_values_of_range(const std::string& text, const Experiment& experiment,
                                                const char* option, std::string_view looks_at) {
  std::string written;
  std::copy_if(text.begin(), text.end(), std::back_inserter(written), [](char c) { return c != ' '; });
  std::vector<std::string> values;
  for (const double value : parse_knob_values(written, experiment, looks_at, option, kPointsOfFacet).values) {
    values.push_back(shortest_number(value));
  }
  if (values.size() <= kMostFacetCells) return values;
  throw InputError(option, "facets.too_many", {{"count", values.size()}, {"most", kMostFacetCells}});
}

}  // namespace

Facet read_facet(const std::string& text, const Experiment& experiment, const char* option, std::string_view looks_at) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || facets_trimmed(text.substr(equals + 1)).empty()) {
    throw InputError(option, "facets.no_values", {{"given", in_quotes(text)}});
  }
  const std::string given = facets_trimmed(text.substr(0, equals));
  Facet facet{given, values_of(text.substr(equals + 1))};
  const std::string model(kFacetModel);
  if (given != model) facet.key = full_field_key(given, experiment, looks_at, option);
  if (facet.key == "rope." + model) facet.key = model;
  if (facet.key == "view" || facet.key.starts_with("facet.")) {
    throw InputError(option, "facets.key", {{"key", facet.key}});
  }
  if (facet.key == model) return facet;
  if (facets_is_range(facet.key, text, experiment))
    facet.values = facets_values_of_range(text, experiment, option, looks_at);
  for (const std::string& value : facet.values) {
    Experiment tried = experiment;
    set_field(tried, facet.key + "=" + value, {}, option);
  }
  return facet;
}

std::string facet_text(const Facet& facet) {
  return facet.values.empty() ? std::string() : facet.key + "=" + joined_values(facet.values);
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
  if (pair.columns() * pair.rows() > kMostFacetCells) {
    throw InputError("facets.too_many", {{"count", pair.columns() * pair.rows()}, {"most", kMostFacetCells}});
  }
  return pair;
}

bool change_rope(const FacetPair& pair) {
  const auto is_of_rope = [](const Facet& facet) { return facet.key == kFacetModel || facet.key.starts_with("rope."); };
  return is_of_rope(pair.across) || is_of_rope(pair.down);
}

bool facets_change_rope(const Experiment& experiment) {
  const auto is_of_rope = [&experiment](const std::string& text) {
    const std::string key = facets_trimmed(text.substr(0, text.find('=')));
    if (key == kFacetModel || key.starts_with("rope.")) return true;
    try {
      return !key.empty() && full_field_key(key, experiment, {}, "").starts_with("rope.");
    } catch (const InputError&) {
      return false;  // said where it is drawn
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
  FirstValues first(key);
  Experiment read = experiment;
  describe(first, read);
  free = facet_text({std::string(key), first.values});
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
