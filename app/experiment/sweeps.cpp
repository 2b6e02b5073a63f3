// Parsing of variations, movement between two values, and toggling of facets. Read sweeps.h first.
//
// Contents: Variation; Movement; Facets.

#include "app/experiment/sweeps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Variation -----------------------------------------------------------------------------------------------------

namespace {

std::string copy_trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Splits values at semicolons if there are any, otherwise at commas.
std::vector<std::string> values_of(const std::string& text) {
  const bool semicolons = text.find(';') != text.npos;
  std::vector<std::string> values;
  for (const std::string& part : split(text, semicolons ? ';' : ',')) values.push_back(copy_trimmed(part));
  if (semicolons && values.back().empty()) values.pop_back();
  return values;
}

[[noreturn]] void refuse_form(const std::string& text, const VariationUse& use) {
  throw InputError(use.option, "sweep.form", {{"found", in_quotes(text)}});
}

/// A range as written, "1e3..1e7:50:log", split into its parts.
struct RangeText {
  std::string from, to, points, scale;
  bool is_logarithmic() const { return scale == word_of(AxisScale::log); }
};
bool is_count(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}
/// Returns nullopt for an unknown or repeated option after the range.
std::optional<RangeText> cut_range(const std::string& values) {
  std::vector<std::string> parts = split(values, ':');
  const std::size_t dots = parts.front().find("..");
  RangeText cut{copy_trimmed(parts.front().substr(0, dots)), copy_trimmed(parts.front().substr(dots + 2)), {}, {}};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string option = copy_trimmed(parts[i]);
    const bool is_scale = option == word_of(AxisScale::log) || option == word_of(AxisScale::linear);
    std::string& taken = is_scale ? cut.scale : cut.points;
    if (!taken.empty() || (&taken == &cut.points && !is_count(option))) return std::nullopt;
    taken = option;
  }
  return cut;
}

double read_varied_number(const NumberField& field, const std::string& given, const VariationUse& use) {
  const std::optional<double> value = parse_number(given);
  if (value && accepts(field, *value)) return *value;
  throw InputError(use.option, "field",
                   {{"field", field.key}, {"found", in_quotes(given)}, {"expected", expectation(field)}});
}

std::size_t count_of_points(const RangeText& cut, const VariationUse& use) {
  if (cut.points.empty()) return use.points;
  const double count = parse_number(cut.points).value_or(0);
  if (count < 2 || count > static_cast<double>(kMaxSweepPoints)) {
    throw InputError(use.option, "sweep.points", {{"found", cut.points}, {"most", kMaxSweepPoints}});
  }
  return static_cast<std::size_t>(count);
}

Variation read_range(const NumberField& field, const RangeText& cut, const VariationUse& use) {
  Variation varied{std::string(field.key),
                   {read_varied_number(field, cut.from, use), read_varied_number(field, cut.to, use)},
                   cut.scale.empty() ? !field.linear : cut.is_logarithmic()};
  const std::string ends = cut.from + ".." + cut.to;
  if (varied.values[0] == varied.values[1]) {
    throw InputError(use.option, "sweep.one_value", {{"found", in_quotes(ends)}});
  }
  if (cut.is_logarithmic() && std::min(varied.values[0], varied.values[1]) <= 0) {
    throw InputError(use.option, "sweep.log_of_zero", {{"found", in_quotes(ends)}});
  }
  varied.requested = count_of_points(cut, use);
  std::vector<double> values;
  for (std::size_t i = 0; i < varied.requested; ++i) {
    const double value = value_at(field, varied, fraction_of_frame(i, varied.requested, false));
    if (values.empty() || value != values.back()) values.push_back(value);
  }
  varied.values = std::move(values);
  return varied;
}

Variation::Kind kind_of(const Field& field) {
  using Kind = Variation::Kind;
  return field.kind == Field::Kind::number   ? Kind::number
         : field.kind == Field::Kind::choice ? Kind::choice
         : field.kind == Field::Kind::toggle ? Kind::toggle
                                             : Kind::other;
}

/// Reads the values of a list. `field`: null for models.
void read_list(Variation& varied, const Field* field, const Experiment& experiment, const VariationUse& use) {
  std::set<std::string> known;
  Experiment tried = experiment;
  for (const std::string& given : varied.words) {
    varied.values.push_back(static_cast<double>(varied.values.size()));
    if (varied.kind == Variation::Kind::number) {
      varied.values.back() = read_varied_number(*field, given, use);
    } else if (field) {
      set_field(tried, varied.key + "=" + given, {}, use.option);
    }
    if (!use.repeats && !known.insert(varied.text(varied.values.back())).second) {
      throw InputError(use.option, "sweep.twice", {{"key", varied.key}, {"value", given}});
    }
  }
}

// --- Movement ------------------------------------------------------------------------------------------------------

/// Rounds to twelve digits, so an intermediate power is displayed, typed and saved identically.
double twelve_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return parse_number(text.data()).value_or(value);
}

// --- Facets --------------------------------------------------------------------------------------------------------

/// Rounds a computed value to two digits.
double round_to_two_digits(const NumberField& field, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return clamp_to(field, parse_number(text.data()).value_or(value));
}

/// Returns the initial values of a facet, which represent the whole range of its field.
std::vector<std::string> first_values(const Field& field, const Experiment& experiment) {
  constexpr double kApart = 0.2;
  constexpr std::size_t kMaxChoices = 4;
  if (field.kind == Field::Kind::toggle) return {"false", "true"};
  if (field.kind == Field::Kind::choice) {
    std::vector<std::string> options = options_to_vary(field, experiment);
    options.resize(std::min(options.size(), kMaxChoices));
    return options;
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

}  // namespace

std::optional<Field> find_number(Experiment& experiment, std::string_view key) {
  std::optional<Field> field = find_field(experiment, key);
  return field && field->kind == Field::Kind::number ? field : std::nullopt;
}

const std::optional<Field> find_number(const Experiment& experiment, std::string_view key) {
  return find_number(const_cast<Experiment&>(experiment), key);
}

double value_at(const NumberField& field, const Variation& varied, double fraction) {
  const double from = varied.values.front(), to = varied.values.back();
  if (fraction <= 0) return clamp_to(field, from);
  if (fraction >= 1) return clamp_to(field, to);
  if (!varied.logarithmic) return clamp_to(field, from + fraction * (to - from));
  const bool from_zero = std::min(from, to) <= 0;
  const auto to_log = [from_zero](double value) { return from_zero ? std::log1p(value) : std::log(value); };
  const double logarithm = to_log(from) + fraction * (to_log(to) - to_log(from));
  return clamp_to(field, twelve_digits(from_zero ? std::expm1(logarithm) : std::exp(logarithm)));
}

Variation find_slider_range(const Experiment& experiment, std::string_view key) {
  const auto field = find_number(experiment, key);
  if (!field) return {};
  return {std::string(key), {slider_value(*field, 0), slider_value(*field, 1)}, !field->linear};
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

void apply_variation(Experiment& experiment, const Variation& varied, double fraction) {
  if (auto field = find_number(experiment, varied.key)) field->as<double>() = value_at(*field, varied, fraction);
}

std::string assignment_at(const Experiment& experiment, const Variation& varied, double fraction) {
  const auto field = find_number(experiment, varied.key);
  return field ? varied.key + "=" + shortest_number(value_at(*field, varied, fraction)) : std::string();
}

std::string Variation::text(double value) const {
  if (kind == Kind::number) return shortest_number(value);
  const std::string& word = words.at(static_cast<std::size_t>(value));
  if (kind != Kind::toggle) return word;
  return parse_toggle(word).value_or(false) ? "true" : "false";
}

Variation parse_variation(const std::string& text, const Experiment& experiment, const VariationUse& use) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string given = copy_trimmed(text.substr(0, equals));
  const std::string values = equals < text.size() ? copy_trimmed(text.substr(equals + 1)) : std::string();
  if (given.empty() || values.empty()) refuse_form(text, use);
  Variation varied;
  const std::string model(kVariedModel);
  if (given == model || given == "rope." + model) {
    varied.key = model;
    varied.kind = Variation::Kind::model;
  } else {
    varied.key = full_field_key(given, experiment, use.group, use.option);
  }
  const auto field = varied.key == model ? std::nullopt : find_field(experiment, varied.key);
  if (field) varied.kind = kind_of(*field);
  const bool is_number = varied.kind == Variation::Kind::number;
  if (varied.key == kViewKey || varied.key.starts_with("facet.")) {
    throw InputError(use.option, "facets.key", {{"key", varied.key}});
  }
  if (varied.kind == Variation::Kind::other && !use.any_field) {
    throw InputError(use.option, "sweep.no_values", {{"key", varied.key}});
  }
  const bool dots = values.find("..") != values.npos;
  // A name of a file may contain two dots, a text and a zoomed range a colon.
  if (dots && (varied.kind == Variation::Kind::choice || varied.kind == Variation::Kind::toggle)) {
    throw InputError(use.option, "sweep.no_number", {{"key", varied.key}});
  }
  if (is_number && dots) {
    const std::optional<RangeText> cut = cut_range(values);
    if (!cut) refuse_form(text, use);
    varied = read_range(*field, *cut, use);
  } else {
    if (is_number && values.find(':') != values.npos) refuse_form(text, use);
    varied.words = values_of(values);
    if (is_number) varied.logarithmic = !field->linear;
    // Counted before any of them is parsed: a short link can contain a hundred thousand.
    if (varied.words.size() <= use.max_values) read_list(varied, field ? &*field : nullptr, experiment, use);
  }
  if (const std::size_t count = std::max(varied.values.size(), varied.words.size()); count > use.max_values) {
    throw InputError(use.option, "facets.too_many", {{"count", count}, {"most", use.max_values}});
  }
  return varied;
}

std::string format_list(const std::string& key, const std::vector<std::string>& values) {
  if (values.empty()) return {};
  const bool commas =
      std::any_of(values.begin(), values.end(), [](const std::string& value) { return value.find(',') != value.npos; });
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : commas ? ";" : ",") + value;
  return key + "=" + text + (commas && values.size() == 1 ? ";" : "");
}

std::string range_text(const std::string& key, const Range& ends, std::size_t count, bool logarithmic) {
  const std::string text =
      key + "=" + shortest_number(ends.low) + ".." + shortest_number(ends.high) + ":" + std::to_string(count);
  if (logarithmic && std::min(ends.low, ends.high) <= 0) return text;
  return text + (logarithmic ? ":log" : ":linear");
}

VariationUse facet_limits(const char* option, std::string_view group) {
  return {option, group, kPointsOfFacet, kMaxFacetCells, true, true};
}

bool has_facets(const Experiment& experiment) {
  return !experiment.facet.across.empty() || !experiment.facet.down.empty();
}

FacetPair facets_of(const Experiment& experiment, std::string_view looks_at) {
  FacetPair pair;
  if (const std::string& text = experiment.facet.across; !text.empty()) {
    pair.across = parse_variation(text, experiment, facet_limits("facet.across", looks_at));
  }
  if (const std::string& text = experiment.facet.down; !text.empty()) {
    pair.down = parse_variation(text, experiment, facet_limits("facet.down", looks_at));
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
  const auto is_of_rope = [](const Variation& facet) {
    return facet.key == kVariedModel || facet.key.starts_with("rope.");
  };
  return is_of_rope(pair.across) || is_of_rope(pair.down);
}

bool facets_change_rope(const Experiment& experiment) {
  const auto is_of_rope = [&experiment](const std::string& text) {
    const std::string key = copy_trimmed(text.substr(0, text.find('=')));
    if (key == kVariedModel || key.starts_with("rope.")) return true;
    try {
      return !key.empty() && full_field_key(key, experiment, {}, "").starts_with("rope.");
    } catch (const InputError&) {
      return false;  // reported where it is drawn
    }
  };
  return is_of_rope(experiment.facet.across) || is_of_rope(experiment.facet.down);
}

Field::Names options_to_vary(const Field& field, const Experiment& experiment) {
  Field::Names options = field.options;
  if (field.of_file.option.empty()) return options;
  const std::optional<Field> path = find_field(experiment, field.of_file.path);
  if (path && path->as<std::string>().empty()) std::erase(options, field.of_file.option);
  return options;
}

void toggle_facet(Experiment& experiment, std::string_view key) {
  const std::string begin = std::string(key) + "=";
  for (std::string* text : {&experiment.facet.across, &experiment.facet.down}) {
    if (text->starts_with(begin)) return text->clear();
  }
  std::string& free = experiment.facet.across.empty() ? experiment.facet.across : experiment.facet.down;
  if (!free.empty()) return;
  const auto field = find_field(std::as_const(experiment), key);
  free = format_list(std::string(key), field ? first_values(*field, experiment) : std::vector<std::string>());
}

void facet_models(Experiment& experiment) {
  std::vector<std::string> models;
  const auto add = [&models](const std::string& model) {
    const bool known = std::find(models.begin(), models.end(), model) != models.end();
    if (!model.empty() && !known) models.push_back(model);
  };
  add(experiment.rope.model);
  for (const Pin& pin : experiment.pins) add(pin.rope.model);
  for (const char* model : {"llama-2-7b", "llama-3.1-8b"}) {
    if (models.size() < 2) add(model);
  }
  experiment.facet = {format_list(std::string(kVariedModel), models), {}};
}

}  // namespace ropescope
