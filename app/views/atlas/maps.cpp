#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/atlas/shown.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

FigureAxis position_axis(const AtlasShown& shown) {
  FigureAxis axis = named_axis("atlas", "position", shown.text);
  if (!shown.words.empty()) axis.label.clear();
  axis.reversed = true;
  axis.names = shown.words;
  return cell_axis(axis, cell_range(shown.atlas.positions), shown.knobs.position_range);
}

/// `half`: which of the two maps that are drawn apart, "sine" or "cosine".
std::string title_of(const AtlasShown& shown, const std::string& half) {
  const EncodingSettings& table = shown.atlas.source.table;
  const std::string title = shown.text.format("view.atlas.title." + (shown.atlas.apart() ? half : shown.knobs.values),
                                              {{"rows", counted(table.trained_length)}});
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
Map map_of(const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  Map map;
  map.key = "values";
  map.label = shown.text["view.atlas.values." + shown.knobs.values];
  map.colours = atlas->source.part == SinusoidPart::angle ? MapColours::angle : MapColours::signed_value;
  map.wave = wave_of(atlas->source);
  const auto edge = [](std::size_t cells, std::int64_t per_cell) {
    return static_cast<double>(cells) * static_cast<double>(per_cell) - 0.5;
  };
  map.y = {-0.5, edge(atlas->cells->rows, atlas->cell_positions)};
  map.cells = atlas->cells;
  if (atlas->apart()) {
    auto all = std::make_shared<MapCells>(MapCells{static_cast<std::size_t>(atlas->columns), atlas->cells->rows, {}});
    all->reduction = atlas->cells->reduction;
    all->reduction.columns = all->columns;
    map.cells = all;
  }
  map.x = {-0.5, edge(map.cells->columns, atlas->cell_columns)};
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
  Map map = map_of(shown, atlas);
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

Figure figure_of(const AtlasShown& shown, const std::string& name, const std::string& half, Map map) {
  Figure figure;
  figure.name = name;
  figure.title = title_of(shown, half);
  figure.x = column_axis(shown);
  figure.y = position_axis(shown);
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
  if (!shown.atlas.source.learned()) return {-1, 1};
  double most = 0;
  for (const float value : shown.atlas.cells->values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  const double end = std::max(1.0, std::ceil(2 * most) / 2);
  return {-end, end};
}

FigureAxis column_axis(const AtlasShown& shown) {
  FigureAxis axis = named_axis("atlas", shown.channels() ? "dimension" : "pair", shown.text);
  axis.range_key = "atlas.dimension_range";
  return cell_axis(axis, cell_range(shown.atlas.columns), shown.knobs.dimension_range);
}

void add_maps(ViewResult& result, const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas) {
  // Each word is to have its line.
  const double share = shown.words.empty() ? 0.56 : 0.7;
  if (!atlas->apart()) {
    result.panels.push_back({figure_of(shown, "atlas", {}, map_of(shown, atlas)), share});
    return;
  }
  Figure sines = figure_of(shown, "atlas", "sine", half_map(shown, atlas, true));
  // A table has all dimensions in their order.
  sines.tables.push_back(map_of(shown, atlas));
  sines.maps.front().bar = false;
  Figure cosines = figure_of(shown, "atlas_cosine", "cosine", half_map(shown, atlas, false));
  cosines.y.label.clear();
  for (Rule& rule : cosines.rules) rule.label.clear();
  result.panels.push_back({std::move(sines), share});
  result.panels.push_back({std::move(cosines), share, true});
}

}  // namespace ropescope
