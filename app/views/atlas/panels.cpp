#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/views/atlas/shown.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Slots of lines: cos and values; sin.
constexpr int kCosine = 0, kSine = 1;

/// Marks the pairs that move less than a quarter turn.
void add_quarter(Figure& figure, const AtlasShown& shown) {
  for (const Range& stretch : shown.atlas.quarter) {
    Span span;
    span.low = stretch.low;
    span.high = stretch.high;
    span.role = Role::secondary;
    figure.spans.push_back(span);
  }
}

/// The values of a row: one line, or one each for sin (even channels) and cos (odd ones).
void add_row(Figure& figure, const AtlasShown& shown, std::int64_t position, const std::string& key,
             const std::string& name, bool faint) {
  const Eigen::VectorXd row = shown.atlas.row(position);
  const bool parted = !shown.atlas.source.learned() && shown.channels();
  const auto add = [&](Eigen::Index first, Eigen::Index step, const std::string& part, int slot) {
    std::vector<double> values;
    for (Eigen::Index column = first; column < row.size(); column += step) values.push_back(row[column]);
    const std::string label =
        part.empty() ? name : shown.text.format("view.atlas.of_row", {{"part", part}, {"row", name}});
    figure.lines.push_back({part.empty() ? key : key + "." + part,
                            label,
                            {slot, faint},
                            make_series(static_cast<double>(first), static_cast<double>(step), std::move(values)),
                            true});
  };
  if (!parted) {
    add(0, 1, {}, kCosine);
  } else {
    add(0, 2, "sin", kSine);
    add(1, 2, "cos", kCosine);
  }
}

}  // namespace

Figure row_figure(const AtlasShown& shown) {
  Figure figure;
  figure.name = "row";
  figure.x = column_axis(shown);
  const Range range = values_range(shown);
  const double room = range.high - range.low;
  // The legend finds its place below.
  figure.y = value_axis(named_axis("atlas", "value", shown.text), {range.low - 0.2 * room, range.high + 0.06 * room},
                        shown.knobs.value_range);
  figure.y.label = shown.text["view.atlas.row_of_values"];
  figure.zero_line = true;
  figure.legend = true;
  const bool both = shown.rows.pointed != shown.rows.kept;
  if (both) add_row(figure, shown, shown.rows.pointed, "pointed", shown.rows.pointed_name, false);
  add_row(figure, shown, shown.rows.kept, "kept", shown.rows.kept_name, both);
  return figure;
}

Figure turns_figure(const AtlasShown& shown) {
  Figure figure;
  figure.name = "turns";
  figure.x = column_axis(shown);
  figure.lines.push_back({"turns", shown.text["view.atlas.turns_line"], {kCosine, false}, shown.atlas.turns, false});
  figure.y = value_axis(named_axis("atlas", "turns", shown.text, AxisScale::log),
                        decades(widened({0.1, 10}, *shown.atlas.turns)), shown.knobs.turns_range);
  add_level(figure, 1, shown.text["view.limits.one_turn"]);
  add_level(figure, 0.25, shown.text["view.limits.quarter_turn"]);
  add_quarter(figure, shown);
  // The curve runs far below the upper end there.
  if (!figure.spans.empty()) {
    Label label;
    label.x = figure.x.range.high;
    label.y = figure.y.range.high;
    label.text = shown.text["view.atlas.quarter"];
    label.role = Role::secondary;
    label.anchor_x = 1.02;
    label.anchor_y = -0.15;
    figure.labels.push_back(label);
  }
  return figure;
}

Figure variance_figure(const AtlasShown& shown) {
  Figure figure;
  figure.name = "variance";
  figure.x = column_axis(shown);
  const auto add = [&](const std::string& key, const std::shared_ptr<const Series>& series, int slot) {
    if (!series) return;
    figure.lines.push_back({key, shown.text["view.atlas." + key], {slot, false}, series, true});
  };
  add("variance_sin", shown.atlas.variance_sin, kSine);
  add("variance_cos", shown.atlas.variance_cos, kCosine);
  add("variance", shown.atlas.variance, kCosine);
  figure.y = value_axis(named_axis("atlas", "variance", shown.text), {0, 1.06 * widened({0, 0.5}, figure.lines).high},
                        shown.knobs.variance_range);
  figure.legend = figure.lines.size() > 1;
  add_quarter(figure, shown);
  return figure;
}

}  // namespace ropescope
