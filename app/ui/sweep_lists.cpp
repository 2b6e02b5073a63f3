// The pickers of a sweep: readout, field, ends, number of values and scale, and the resulting sweep texts.

#include "app/ui/sweep_lists.h"

#include <algorithm>
#include <utility>

#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/ui/app.h"
#include "app/ui/controls.h"
#include "app/ui/widgets.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/sweep.h"
#include "app/views/view.h"

namespace ropescope::ui {

namespace {

/// Range factor to either side for a field on a logarithmic slider.
constexpr double kLogRangeFactor = 10;
constexpr std::size_t kSweepCounts[] = {3, 5, 9, 15, 25, 50, 100, 200, 500};
constexpr std::size_t kFewValues = 9;  ///< default for a second field: each value is a row of the map
constexpr const char* kNoField = ":none";
constexpr std::string_view kReadoutKey = "sweep.readout", kOverKey = "sweep.over", kSecondKey = "sweep.second";
/// The fields that are most often swept.
constexpr std::string_view kCommonest[] = {"rope.base", "rope.rotary_dim"};

/// Returns the variation of a sweep text, if it can be parsed.
std::optional<Variation> read_sweep(const std::string& sweep, const Experiment& experiment) {
  if (sweep.empty()) return std::nullopt;
  try {
    const View& view = view_of_readout(experiment.sweep.readout, experiment);
    const std::string_view looks_at = find_short_key_group(view, experiment);
    return parse_variation(sweep, experiment, {"", looks_at});
  } catch (const InputError&) {
    return std::nullopt;  // while it is typed
  }
}

/// Returns the readouts to choose from, in the order of the views: those of views that show a rope or a layout.
std::vector<ListItem> readouts_to_sweep(const Text& text) {
  constexpr std::string_view kLabel = ".label";
  std::vector<ListItem> items;
  for (const View* view : all_views()) {
    if (!view->length && !view->shows_layout) continue;
    const std::string id(view->id), begin = "readout." + id + ".";
    for (auto at = text.all().lower_bound(begin); at != text.all().end() && at->first.starts_with(begin); ++at) {
      const std::string name = at->first.substr(begin.size(), at->first.size() - begin.size() - kLabel.size());
      if (!at->first.ends_with(kLabel) || name.find('.') != std::string::npos) continue;
      items.push_back({id + "." + name, at->second, text["view." + id + ".name"]});
    }
  }
  return items;
}

bool draw_readout_list(App& app, Experiment& edited) {
  std::string& readout = edited.sweep.readout;
  const std::string chosen = list_control(app.ui, "sweep.readout", app.text["field.sweep.readout.label"],
                                          readouts_to_sweep(app.text), readout, label_of_readout(readout, app.text));
  if (chosen.empty() || chosen == readout) return false;
  readout = chosen;
  return true;
}

/// A swept number from one end to the other, as controls edit it.
struct SweptEnds {
  double from = 0, to = 0;
  bool logarithmic = false;
  bool operator==(const SweptEnds&) const = default;
};

/// Draws one end of a range: the swept field's own control under another label.
void draw_end(App& app, const Field& swept, std::string_view key, double& value) {
  NumberField end = swept;
  end.key = key;
  end.initial = value;
  double shown = value;
  if (number_control(app.ui, end, shown, false) != Edit::none) value = shown;
}

/// Draws the number of values, at most `most`; returns the chosen one, or 0.
std::size_t draw_count(App& app, const std::string& key, std::size_t count, std::size_t most) {
  std::vector<ListItem> counts;
  for (const std::size_t each : kSweepCounts) {
    if (each <= most) counts.push_back({std::to_string(each), readable_integer(static_cast<double>(each)), {}});
  }
  const std::string chosen = list_control(app.ui, key, app.text["shell.sweep.count"], counts, std::to_string(count),
                                          readable_integer(static_cast<double>(count)));
  return chosen.empty() ? 0 : std::stoul(chosen);
}

/// Draws the ends, count and scale of a range of numbers, and writes what changed into its text.
void draw_range(App& app, bool is_second, const Field& swept, const Variation& values, std::size_t most,
                std::string& sweep, const Experiment& experiment) {
  const SweptEnds before{values.values.front(), values.values.back(), values.logarithmic};
  SweptEnds ends = before;
  draw_end(app, swept, is_second ? "sweep.second_from" : "sweep.over_from", ends.from);
  draw_end(app, swept, is_second ? "sweep.second_to" : "sweep.over_to", ends.to);
  const std::size_t now = values.requested;
  const std::size_t count = draw_count(app, is_second ? "sweep.second_count" : "sweep.over_count", now, most);
  if (std::min(ends.from, ends.to) > 0) {
    const std::string linear = word_of(AxisScale::linear), logarithmic = word_of(AxisScale::log);
    Field scale = choice_field(is_second ? "sweep.second_scale" : "sweep.over_scale", {linear, logarithmic}, linear);
    scale.labels = "sweep.value_axis";
    std::string word = ends.logarithmic ? logarithmic : linear;
    choice_control(app.ui, scale, word);
    ends.logarithmic = word == logarithmic;
  }
  if (count > 0) {
    sweep = set_point_count(sweep, count, experiment);
  } else if (ends != before && ends.from != ends.to) {
    sweep = range_text(values.key, {ends.from, ends.to}, now, ends.logarithmic);
  }
}

/// Draws a button for each word of a choice; at least one stays on.
bool draw_words(App& app, const Field& swept, const Variation& values, std::string& sweep,
                const Experiment& experiment) {
  Field words = swept;
  words.kind = Field::Kind::names;
  const bool has_file = std::find(values.words.begin(), values.words.end(), swept.of_file.option) != values.words.end();
  if (!has_file) words.options = options_to_vary(swept, experiment);
  if (words.options.empty()) words.options = {"false", "true"};
  std::vector<std::string> chosen = values.words;
  if (names_control(app.ui, words, chosen) == Edit::none || chosen.empty()) return false;
  sweep = values.key + "=" + joined(clamp_to(words, chosen), ",");
  return true;
}

/// Draws the list of presets; a chosen one joins the models of a sweep or leaves them, but the last one stays.
void draw_models(App& app, std::string_view key, const Variation& values, std::string& sweep) {
  std::vector<ListItem> items;
  std::string shown;
  for (const Preset& preset : app.presets) {
    const bool on = std::find(values.words.begin(), values.words.end(), preset.id) != values.words.end();
    items.push_back({preset.id, preset.name, on ? "✓" : ""});
    if (on) shown += (shown.empty() ? "" : app.text["list.between"]) + preset.name;
  }
  const std::string chosen =
      list_control(app.ui, key, app.text["field." + std::string(key) + ".label"], items, {}, shown);
  if (chosen.empty()) return;
  std::vector<std::string> words = values.words;
  if (std::erase(words, chosen) == 0) words.push_back(chosen);
  if (!words.empty()) sweep = format_list(values.key, words);
}

}  // namespace

std::vector<Sweepable> fields_to_sweep(const View& view, const Experiment& experiment) {
  std::vector<Sweepable> fields;
  for (const Field& field : fields_of(view, experiment)) {
    const std::string key(field.key);
    if (!field.control || key.starts_with("sweep.")) continue;
    if (field.kind == Field::Kind::toggle) fields.push_back({key, key + "=false,true", false});
    if (const Field::Names options = options_to_vary(field, experiment);
        field.kind == Field::Kind::choice && options.size() > 1) {
      fields.push_back({key, key + "=" + joined(options, ","), false});
    }
    if (field.kind != Field::Kind::number) continue;
    double low = field.lowest, high = field.highest;
    if (const double value = shown_number(field); !field.linear && value > 0) {
      low = clamp_to(field, value / kLogRangeFactor);
      high = clamp_to(field, value * kLogRangeFactor);
    }
    if (low != high) fields.push_back({key, key + "=" + shortest_number(low) + ".." + shortest_number(high)});
  }
  std::stable_partition(fields.begin(), fields.end(), [](const Sweepable& field) {
    return std::find(std::begin(kCommonest), std::end(kCommonest), field.key) != std::end(kCommonest);
  });
  return fields;
}

std::string set_point_count(const std::string& sweep, std::size_t count, const Experiment& experiment) {
  const auto values = read_sweep(sweep, experiment);
  if (!values || values->kind != Variation::Kind::number || values->values.size() < 2) return sweep;
  Range ends{values->values.front(), values->values.back()};
  if (!values->is_range()) {
    const auto [low, high] = std::minmax_element(values->values.begin(), values->values.end());
    ends = {*low, *high};
  }
  return range_text(values->key, ends, count, values->logarithmic);
}

bool has_sweep_list(std::string_view key) {
  constexpr std::string_view kPicked[] = {kReadoutKey, kOverKey, kSecondKey};
  return std::find(std::begin(kPicked), std::end(kPicked), key) != std::end(kPicked);
}

std::string control_of_field(std::string_view key) {
  const bool is_list = key == kOverKey || key == kSecondKey;
  return std::string(key) + (is_list ? "_field" : "");
}

bool draw_sweep_lists(App& app, std::string_view key, Experiment& edited) {
  if (key == kReadoutKey) return draw_readout_list(app, edited);
  const bool is_second = key == kSecondKey;
  std::string& sweep = is_second ? edited.sweep.second : edited.sweep.over;
  const std::string before = sweep;
  const auto values = read_sweep(sweep, edited);
  const auto other = read_sweep(is_second ? edited.sweep.over : edited.sweep.second, edited);

  std::vector<ListItem> items;
  if (is_second) items.push_back({kNoField, app.text["shell.sweep.no_field"], {}});
  const View& view = view_of_readout(edited.sweep.readout, edited);
  std::vector<Sweepable> fields = fields_to_sweep(view, edited);
  fields.push_back(
      {std::string(kVariedModel), format_list(std::string(kVariedModel), {"llama-2-7b", "llama-3.1-8b"}), false});
  for (const Sweepable& field : fields) {
    if (other && other->key == field.key) continue;
    items.push_back({field.key, label_of_field(field.key, app.text), {}});
  }
  const std::string now = values ? values->key : sweep.empty() ? kNoField : std::string();
  const std::string chosen =
      list_control(app.ui, control_of_field(key), app.text["field." + std::string(key) + ".label"], items, now,
                   values ? label_of_field(values->key, app.text) : sweep);
  if (chosen == kNoField) sweep.clear();
  for (const Sweepable& field : fields) {
    if (chosen != field.key || chosen == now) continue;
    sweep = is_second && field.number ? set_point_count(field.over, kFewValues, edited) : field.over;
  }
  if (sweep != before || sweep.empty()) return sweep != before;

  FieldList declared = fields_of(view, edited);
  const Field* swept = values ? find_field(declared, values->key) : nullptr;
  if (swept && values->kind == Variation::Kind::choice) {
    draw_words(app, *swept, *values, sweep, edited);
  } else if (values && values->kind == Variation::Kind::model) {
    draw_models(app, is_second ? "sweep.second_values" : "sweep.over_values", *values, sweep);
  } else if (swept && values->is_range()) {
    const std::size_t most = kMaxPointsShown / std::max<std::size_t>(1, other ? other->values.size() : 1);
    draw_range(app, is_second, *swept, *values, most, sweep, edited);
  } else if (!values || values->kind != Variation::Kind::toggle) {
    // A list of numbers, or a text that is not valid: without its field, which is chosen above.
    Field text = text_field(is_second ? "sweep.second_values" : "sweep.over_values", {});
    text.max_bytes = kMaxSentenceBytes;
    const std::size_t begin = sweep.find('=') + 1;
    std::string shown = sweep.substr(begin);
    text_control(app.ui, text, shown);
    sweep = shown.find('=') == shown.npos ? sweep.substr(0, begin) + shown : shown;
  }
  return sweep != before;
}

}  // namespace ropescope::ui
