// Fields and counts of values to choose from, and what they make of the text of a sweep.

#include "app/ui/sweep_lists.h"

#include <algorithm>
#include <utility>

#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/ui/app.h"
#include "app/ui/controls.h"
#include "app/views/shared/cards.h"
#include "app/views/sweep.h"
#include "app/views/view.h"

namespace ropescope::ui {

namespace {

/// How far a field on a logarithmic slider goes to either side.
constexpr double kSweepListsFactor = 10;
constexpr std::size_t kSweepCounts[] = {5, 9, 15, 25, 50, 100, 200, 500};
constexpr std::size_t kFewValues = 9;  ///< of a second field, at first: each is a row of the map
constexpr const char* kNoField = ":none";

/// Fields of what is left of it, where it can be read.
std::optional<FieldValues> read_sweep(const std::string& sweep, const Experiment& experiment) {
  if (sweep.empty()) return std::nullopt;
  try {
    const View& view = view_of_readout(experiment.sweep.readout, experiment);
    const char* looks_at = view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
    return parse_field_values(sweep, experiment, looks_at, "");
  } catch (const InputError&) {
    return std::nullopt;  // while it is typed
  }
}

}  // namespace

std::vector<Sweepable> fields_to_sweep(const View& view, const Experiment& experiment) {
  std::vector<Sweepable> fields;
  for (const Field& field : fields_of(view, experiment)) {
    const std::string key(field.key);
    if (!field.control || key.starts_with("sweep.")) continue;
    if (field.kind == Field::Kind::toggle) fields.push_back({key, key + "=false,true", false});
    if (field.kind == Field::Kind::choice && field.options.size() > 1) {
      fields.push_back({key, key + "=" + joined(field.options, ","), false});
    }
    if (field.kind != Field::Kind::number) continue;
    double low = field.lowest, high = field.highest;
    if (const double value = shown_number(field); !field.linear && value > 0) {
      low = clamp_to(field, value / kSweepListsFactor);
      high = clamp_to(field, value * kSweepListsFactor);
    }
    if (low != high) fields.push_back({key, key + "=" + shortest_number(low) + ".." + shortest_number(high)});
  }
  std::stable_partition(fields.begin(), fields.end(), [](const Sweepable& field) {
    return field.key == "rope.base" || field.key == "rope.rotary_dim";
  });
  return fields;
}

std::string with_count(const std::string& sweep, std::size_t count, const Experiment& experiment) {
  const auto values = read_sweep(sweep, experiment);
  const auto cut = cut_sweep_text(sweep);
  if (!values || !cut || values->kind != FieldValues::Kind::number || values->values.size() < 2) return sweep;
  const auto [low, high] = std::minmax_element(values->values.begin(), values->values.end());
  const std::string first = cut->range ? cut->values[0] : shortest_number(*low);
  const std::string last = cut->range ? cut->values[1] : shortest_number(*high);
  return cut->key + "=" + first + ".." + last + ":" + std::to_string(count) +
         (cut->scale.empty() ? "" : ":" + cut->scale);
}

bool draw_sweep_lists(App& app, std::string_view key, Experiment& edited) {
  const bool is_second = key == "sweep.second";
  std::string& sweep = is_second ? edited.sweep.second : edited.sweep.over;
  const std::string before = sweep, list = std::string(key) + "_";
  const auto values = read_sweep(sweep, edited);
  const auto other = read_sweep(is_second ? edited.sweep.over : edited.sweep.second, edited);

  std::vector<ListItem> items;
  if (is_second) items.push_back({kNoField, app.text["shell.sweep.no_field"], {}});
  const std::vector<Sweepable> fields = fields_to_sweep(view_of_readout(edited.sweep.readout, edited), edited);
  for (const Sweepable& field : fields) {
    if (other && other->key == field.key) continue;
    items.push_back({field.key, app.text["field." + field.key + ".label"], {}});
  }
  const std::string now = values ? values->key : sweep.empty() ? kNoField : std::string();
  const std::string chosen =
      list_control(app.ui, list + "field", app.text["shell.sweep.field"], items, now, values ? values->key : sweep);
  if (chosen == kNoField) sweep.clear();
  for (const Sweepable& field : fields) {
    if (chosen != field.key || chosen == now) continue;
    sweep = is_second && field.number ? with_count(field.over, kFewValues, edited) : field.over;
  }

  if (sweep != before || !values || values->kind != FieldValues::Kind::number || values->values.size() < 2) {
    return sweep != before;
  }
  std::vector<ListItem> counts;
  const std::size_t most = kMostPointsShown / std::max<std::size_t>(1, other ? other->values.size() : 1);
  for (const std::size_t count : kSweepCounts) {
    if (count <= most) counts.push_back({std::to_string(count), readable_integer(static_cast<double>(count)), {}});
  }
  const std::size_t asked = std::max(values->asked, values->values.size());
  const std::string count = list_control(app.ui, list + "count", app.text["shell.sweep.count"], counts,
                                         std::to_string(asked), readable_integer(static_cast<double>(asked)));
  if (!count.empty()) sweep = with_count(sweep, std::stoul(count), edited);
  return sweep != before;
}

}  // namespace ropescope::ui
