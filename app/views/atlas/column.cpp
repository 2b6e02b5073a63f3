#include <algorithm>
#include <cmath>
#include <utility>

#include "app/views/atlas/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// "dimension 4 (sin)": what the sinusoidal vectors hold there; "pair 4" where a column is a pair.
std::string column_name(const AtlasShown& shown, std::int64_t column) {
  std::string key = "view.atlas.column.pair";
  if (shown.channels()) key = shown.atlas.source.learned() ? "view.atlas.column.learned" : "view.atlas.column.cos";
  if (key == "view.atlas.column.cos" && column % 2 == 0) key = "view.atlas.column.sin";
  return shown.text.format(key, {{"column", counted(column)}});
}

}  // namespace

std::vector<std::int64_t> shown_columns(const AtlasKnobs& knobs, const Atlas& atlas) {
  std::vector<std::int64_t> columns;
  for (const std::int64_t column : whole_numbers_of(knobs.columns, kColumnNumbers)) {
    const bool known = std::find(columns.begin(), columns.end(), column) != columns.end();
    if (column < atlas.columns && !known) columns.push_back(column);
  }
  return columns;
}

Figure column_figure(const AtlasShown& shown, Store& store) {
  AtlasColumnsInput input;
  input.source = shown.atlas.source;
  input.positions = shown.atlas.positions;
  input.columns = shown_columns(shown.knobs, shown.atlas);
  const auto answer = store.get("atlas.columns", input);
  Figure figure;
  figure.stale = !answer.current;
  figure.name = "column";
  figure.x = named_axis("atlas", "position", shown.text);
  figure.x.names = shown.words;
  if (!shown.words.empty()) figure.x.label.clear();
  figure.x = cell_axis(figure.x, cell_range(shown.atlas.positions), shown.knobs.position_range);
  const Range range = values_range(shown);
  const double room = range.high - range.low;
  // The legend finds its place below.
  figure.y = value_axis(named_axis("atlas", "value", shown.text, AxisScale::linear, "column"),
                        {range.low - 0.35 * room, range.high + 0.06 * room}, shown.knobs.column_range);
  figure.y.label = shown.text["view.atlas.row_of_values"];
  figure.zero_line = true;
  figure.legend = true;
  for (std::size_t i = 0; answer.result && i < std::min(input.columns.size(), answer.result->columns.size()); ++i) {
    const std::int64_t column = input.columns[i];
    figure.lines.push_back({"column." + std::to_string(column),
                            column_name(shown, column),
                            {static_cast<int>(i), false},
                            answer.result->columns[i],
                            true});
  }
  if (input.columns.empty()) figure.empty_message = shown.text["view.atlas.no_column"];
  add_rule(figure, static_cast<double>(shown.rows.kept), {});
  return figure;
}

}  // namespace ropescope
