#include "app/experiment/fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/number_text.h"

namespace ropescope {

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

}  // namespace ropescope
