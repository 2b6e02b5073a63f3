#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/atlas/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/maps.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Slots of lines: cos and values; sin.
constexpr int kAtlasCosine = 0, kSine = 1;

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
void add_row_atlas(Figure& figure, const AtlasShown& shown, std::int64_t position, const std::string& key,
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
    add(0, 1, {}, kAtlasCosine);
  } else {
    add(0, 2, "sin", kSine);
    add(1, 2, "cos", kAtlasCosine);
  }
}

FigureAxis atlas_position_axis(const AtlasShown& shown) {
  FigureAxis axis = named_axis("atlas", "position", shown.text);
  if (!shown.words.empty()) axis.label.clear();
  axis.reversed = true;
  axis.names = shown.words;
  return cell_axis(axis, cell_range(shown.atlas.positions), shown.knobs.position_range);
}

/// `half`: which of the two maps that are drawn apart, "sine" or "cosine".
std::string plain_title(const AtlasShown& shown, const std::string& half) {
  const AtlasSource& source = shown.atlas.source;
  const std::string title = shown.text.format("view.atlas.title." + (shown.atlas.apart() ? half : shown.knobs.values),
                                              {{"rows", counted(source.table.trained_length)}});
  if (shown.extension.empty()) return title;
  const bool multiplied = source.amplitude != 1 && source.part != SinusoidPart::angle;
  return shown.text.format(
      multiplied ? "view.atlas.title.multiplied" : "view.atlas.title.extended",
      {{"title", title}, {"extension", shown.extension}, {"amplitude", readable_number(source.amplitude, 4)}});
}

std::string title_of_atlas(const AtlasShown& shown, const std::string& half) {
  const std::string title = plain_title(shown, half);
  // Then a pixel, or a cell, sees more of the turn than a direction can say.
  constexpr double kManyTurns = 50;
  const bool fast =
      shown.atlas.turns && summarise(*shown.atlas.turns, 0, shown.atlas.turns->ys.size()).maximum > kManyTurns;
  if (!fast) return title;
  if (shown.atlas.apart()) {
    // Said once, where there is more room.
    return half == "sine" ? title : shown.text.format("view.atlas.title.faded_half", {{"title", title}});
  }
  const bool angles = shown.atlas.source.part == SinusoidPart::angle;
  return shown.text.format(angles ? "view.atlas.title.hatched" : "view.atlas.title.faded", {{"title", title}});
}

/// What cells that hold angles are drawn as.
MapWave wave_of(const AtlasSource& source) {
  if (source.learned() || source.part == SinusoidPart::angle) return MapWave::none;
  return source.part == SinusoidPart::cosine ? MapWave::cosine : MapWave::sine;
}

/// All of the values; of two maps that are drawn apart what a table holds instead.
Map map_of_atlas(const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  Map map;
  map.key = "values";
  map.label = shown.text["view.atlas.values." + shown.knobs.values];
  map.colours = atlas->source.part == SinusoidPart::angle ? MapColours::angle : MapColours::signed_value;
  map.wave = wave_of(atlas->source);
  map.wave_size = atlas->source.amplitude;
  map.cells = atlas->cells;
  if (atlas->apart()) {
    auto all = std::make_shared<MapCells>(MapCells{static_cast<std::size_t>(atlas->columns), atlas->cells->rows, {}});
    all->reduction = atlas->cells->reduction;
    all->reduction.columns = all->columns;
    map.cells = all;
  }
  reach_cells(map);
  map.range = values_range(shown);
  map.exact = [atlas](double x, double y) { return atlas->value(std::llround(y), std::llround(x)); };
  map.exact_row = [atlas](double y) {
    const Eigen::VectorXd row = atlas->row(std::llround(y));
    return std::vector<double>(row.begin(), row.end());
  };
  return map;
}

/// The sines (dimensions 0, 2, …) or the cosines (1, 3, …) alone; the middle of a column is its dimension.
Map half_map(const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas, bool sines) {
  Map map = map_of_atlas(shown, atlas);
  map.cells = atlas->cells;
  map.wave = sines ? MapWave::sine : MapWave::cosine;
  const auto end = static_cast<double>(atlas->columns);
  map.x = sines ? Range{-1, end - 1} : Range{0, end};
  const auto dimension = [sines](double x) {
    return sines ? 2 * std::llround(x / 2) : 2 * std::llround((x - 1) / 2) + 1;
  };
  map.exact = [atlas, dimension](double x, double y) { return atlas->value(std::llround(y), dimension(x)); };
  map.exact_row = [atlas, sines](double y) {
    const Eigen::VectorXd row = atlas->row(std::llround(y));
    std::vector<double> half;
    for (Eigen::Index column = sines ? 0 : 1; column < row.size(); column += 2) half.push_back(row[column]);
    return half;
  };
  map.words = [dimension, words = shown.words, text = &shown.text](double x, double y) {
    const auto row = static_cast<std::size_t>(std::max(0.0, std::round(y)));
    const std::string position = row < words.size() ? words[row] : readable_integer(static_cast<double>(row));
    const std::string number = readable_integer(static_cast<double>(dimension(x)));
    return PlaceWords{text->format("view.atlas.place", {{"dimension", number}, {"position", position}}), {}};
  };
  return map;
}

Figure figure_of_atlas(const AtlasShown& shown, const std::string& name, const std::string& half, Map map) {
  Figure figure;
  figure.name = name;
  figure.title = title_of_atlas(shown, half);
  figure.x = column_axis(shown);
  figure.y = atlas_position_axis(shown);
  figure.maps.push_back(std::move(map));
  for (const Range& stretch : shown.atlas.quarter) {
    add_rule(figure, stretch.low, shown.text["view.atlas.quarter"], Role::text);
  }
  mark_row(figure, static_cast<double>(shown.rows.kept));
  return figure;
}

}  // namespace

Range values_range(const AtlasShown& shown) {
  if (shown.atlas.source.part == SinusoidPart::angle) return {0, 2 * std::numbers::pi};
  const double amplitude = shown.atlas.source.amplitude;
  if (!shown.atlas.source.learned()) return {-amplitude, amplitude};
  const double most = largest_size(shown.atlas.cells->values);
  const double end = std::max(1.0, std::ceil(2 * most) / 2);
  return {-end, end};
}

FigureAxis column_axis(const AtlasShown& shown) {
  return cell_axis(
      named_axis("atlas", shown.channels() ? "dimension" : "pair", shown.text, AxisScale::linear, "dimension"),
      cell_range(shown.atlas.columns), shown.knobs.dimension_range);
}

void add_maps(ViewResult& result, const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  // Each word is to have its line.
  const double share = shown.words.empty() ? 0.56 : 0.7;
  if (!atlas->apart()) {
    result.panels.push_back({figure_of_atlas(shown, "atlas", {}, map_of_atlas(shown, atlas)), share});
    return;
  }
  Figure sines = figure_of_atlas(shown, "atlas", "sine", half_map(shown, atlas, true));
  // A table has all dimensions in their order.
  sines.tables.push_back(map_of_atlas(shown, atlas));
  sines.maps.front().bar = false;
  Figure cosines = figure_of_atlas(shown, "atlas_cosine", "cosine", half_map(shown, atlas, false));
  cosines.y.label.clear();
  for (Rule& rule : cosines.rules) rule.label.clear();
  result.panels.push_back({std::move(sines), share});
  result.panels.push_back({std::move(cosines), share, true});
}

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
  if (both) add_row_atlas(figure, shown, shown.rows.pointed, "pointed", shown.rows.pointed_name, false);
  add_row_atlas(figure, shown, shown.rows.kept, "kept", shown.rows.kept_name, both);
  return figure;
}

Figure turns_figure(const AtlasShown& shown) {
  Figure figure;
  figure.name = "turns";
  figure.x = column_axis(shown);
  figure.lines.push_back(
      {"turns", shown.text["view.atlas.turns_line"], {kAtlasCosine, false}, shown.atlas.turns, false});
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
  add("variance_cos", shown.atlas.variance_cos, kAtlasCosine);
  add("variance", shown.atlas.variance, kAtlasCosine);
  figure.y = value_axis(named_axis("atlas", "variance", shown.text), {0, 1.06 * widened({0, 0.5}, figure.lines).high},
                        shown.knobs.variance_range);
  figure.legend = figure.lines.size() > 1;
  add_quarter(figure, shown);
  return figure;
}

}  // namespace ropescope
