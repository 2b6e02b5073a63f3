// The card at the crosshair, and values as text.

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/plot.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

/// Positions per second of the clocks: the fastest pair then completes a turn in about three seconds.
constexpr double kClockSpeed = 2;
constexpr double kSwatchLength = 22;  ///< length of a line's sample, enough for its dashes

struct HoverRow {
  Stroke stroke;
  std::string label, value;
  std::optional<double> frequency;  ///< frequency of its clock
  bool swatch = true;
};

std::vector<HoverRow> rows_at(const App& app, const Figure& figure, double at) {
  std::vector<HoverRow> rows;
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const Line& line = figure.lines[i];
    const Series& series = *line.series;
    if (series.ys.empty() || at < series.x_at(0) || at > series.x_at(series.ys.size() - 1)) continue;
    const std::size_t index = nearest_index(series, at);
    const double y = series.ys[index];
    HoverRow row{stroke_of(app.ui.palette, line.style),
                 line.label,
                 std::isnan(y)    ? (*app.ui.text)["readout.undefined"]
                 : figure.y.whole ? readable_integer(y)
                                  : readable_number(y, 6, true),
                 {}};
    if (i < figure.clocks.size() && index < figure.clocks[i].size()) {
      row.frequency = figure.clocks[i][index];
    }
    rows.push_back(row);
  }
  return rows;
}

std::string place_on(const FigureAxis& axis, double at) {
  const double nearest = std::round(at);
  if (nearest >= 0 && nearest < static_cast<double>(axis.names.size())) {
    return axis.names[static_cast<std::size_t>(nearest)];
  }
  return axis.whole ? readable_integer(nearest) : readable_number(at, 6);
}

/// Returns the head of the card, "distance 4 096" or "pair 12", by the name of the axis; for an axis without such a
/// text by its label.
std::string head_of(const FigureAxis& axis, const Text& text, double at) {
  const std::string value = place_on(axis, at);
  const std::string key = "shell.hover." + axis.name;
  return text.has(key) ? text.format(key, {{"value", value}}) : axis.label + ": " + value;
}

/// Returns the maps under the mouse with the exact value of each.
std::vector<HoverRow> map_rows_at(const App& app, const Figure& figure, double x, double y) {
  std::vector<HoverRow> rows;
  for (const Map& map : figure.maps) {
    const std::optional<double> value = value_at(map, x, y);
    if (!value) continue;
    const bool known = std::isfinite(*value);
    const std::string words = known ? readable_number(*value, 6, true) : (*app.ui.text)["shell.hover.nothing"];
    rows.push_back(
        {{known ? colour_of(map, *value, app.ui.palette) : app.ui.palette.line, Dash::solid}, map.label, words, {}});
  }
  return rows;
}

/// Adds the maps' text about the place under the mouse below their values, and the head of the card if a map has one.
void add_words(const Figure& figure, double x, double y, std::string& head, std::vector<HoverRow>& rows) {
  for (const Map& map : figure.maps) {
    if (!map.words || !value_at(map, x, y)) continue;
    const PlaceWords words = map.words(x, y);
    if (!words.head.empty()) head = words.head;
    for (const auto& [label, value] : words.rows) rows.push_back({{}, label, value, {}, false});
  }
}

/// Draws a circle with a hand at the current angle of the pair.
void draw_clock(const Ui& ui, ImDrawList* list, ImVec2 centre, float radius, const HoverRow& row) {
  const Colour c = row.stroke.colour;
  const double angle = *row.frequency * kClockSpeed * ImGui::GetTime();
  const ImVec2 tip{centre.x + radius * static_cast<float>(std::cos(angle)),
                   centre.y - radius * static_cast<float>(std::sin(angle))};
  list->AddCircle(centre, radius, IM_COL32(c.red, c.green, c.blue, 130), 32, ui.px(1.25));
  list->AddLine(centre, tip, IM_COL32(c.red, c.green, c.blue, 255), ui.px(2));
}

/// Returns how much of the curves a card at this place would cover, in samples.
int covered(const Figure& figure, const FigureLayout& layout, const Rect& card) {
  constexpr int kSamples = 16;
  int count = 0;
  for (const Line& line : figure.lines) {
    for (int i = 0; i < kSamples; ++i) {
      const double x = card.left + card.width * (i + 0.5) / kSamples;
      if (line.series->ys.empty()) continue;
      const double y = line.series->ys[nearest_index(*line.series, layout.x.to_value(x))];
      count += card.contains({x, layout.y_of(line).to_pixel(y)}) ? 1 : 0;
    }
  }
  return count;
}

Rect place_card(const Figure& figure, const FigureLayout& layout, double crosshair, Vec2 size, double gap) {
  const double mouse_y = ImGui::GetIO().MousePos.y;
  const Rect& plot = layout.plot;
  // A card wider than its plot extends beyond it, but stays in the window.
  const double farthest = std::max(0.0, static_cast<double>(ImGui::GetIO().DisplaySize.x) - size.x);
  const std::array<double, 2> lefts = {crosshair + gap, crosshair - gap - size.x};
  const std::array<double, 4> tops = {mouse_y - size.y - gap, mouse_y + gap, plot.top + gap,
                                      plot.bottom() - size.y - gap};
  Rect best{lefts[0], tops[0], size.x, size.y};
  int best_cost = -1;
  for (const double left : lefts) {
    for (const double top : tops) {
      const Rect card{std::min(std::clamp(left, plot.left, std::max(plot.left, plot.right() - size.x)), farthest),
                      std::clamp(top, plot.top, std::max(plot.top, plot.bottom() - size.y)), size.x, size.y};
      const bool over_crosshair = crosshair > card.left && crosshair < card.right();
      const int cost = covered(figure, layout, card) + (over_crosshair ? 100 : 0);
      if (best_cost < 0 || cost < best_cost) {
        best = card;
        best_cost = cost;
      }
    }
  }
  return best;
}

/// Widths of the columns of a card, in pixels.
struct HoverColumns {
  double pad, swatch, label;
};

/// Draws a row whose text begins at `y`: a clock or a piece of its line, the label, and the value on the right.
void draw_hover_row(const Ui& ui, ImDrawList* list, const HoverRow& row, const Rect& card, const HoverColumns& columns,
                    double y) {
  const MeasureText measure = screen_measure(ui);
  const TextStyle small{ui.px(13), FontWeight::regular};
  const double left = card.left + columns.pad;
  if (row.frequency) {
    draw_clock(ui, list, point(left + columns.swatch / 2, y + ui.px(8)), ui.px(11), row);
  } else if (row.swatch) {
    Scene sample;  // a piece of the line itself: dashes distinguish lines as colours do
    const double middle = y + static_cast<double>(ui.px(9));
    sample.items.push_back(PathItem{{{left, middle}, {left + columns.swatch, middle}},
                                    row.stroke.colour,
                                    static_cast<double>(ui.px(2)),
                                    row.stroke.dash});
    draw_scene(list, ui, sample);
  }
  const double label_left = left + columns.swatch + ui.px(8);
  // Smaller, rather than shortened in the middle.
  const double share = std::clamp(columns.label / std::max(1.0, measure(row.label, small).x), kSmallestShare, 1.0);
  const std::string label = shortened_middle(ui.fonts.small, row.label, columns.label / share + 0.5);
  const float small_size = font_size(ui.fonts.small);
  draw_screen_line(list,
                   {ui.fonts.small, small_size * static_cast<float>(share), point(label_left, y), ui.palette.secondary},
                   label);
  draw_screen_line(
      list,
      {ui.fonts.small, small_size, point(card.right() - columns.pad - measure(row.value, small).x, y), ui.palette.text},
      row.value);
}

}  // namespace

void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout) {
  if (!app.plot.crosshair || (figure.lines.empty() && figure.maps.empty())) return;
  const Ui& ui = app.ui;
  const double distance = picked_distance(figure, *app.plot.crosshair);
  std::vector<HoverRow> rows = rows_at(app, figure, distance);
  std::string head = head_of(figure.x, *ui.text, distance);
  if (!figure.maps.empty() && app.plot.pointer) {
    head += " · " + head_of(figure.y, *ui.text, app.plot.pointer->y);
    const std::vector<HoverRow> values = map_rows_at(app, figure, *app.plot.crosshair, app.plot.pointer->y);
    rows.insert(rows.begin(), values.begin(), values.end());
    add_words(figure, *app.plot.crosshair, app.plot.pointer->y, head, rows);
  }
  if (rows.empty()) return;
  const bool clocks =
      std::any_of(rows.begin(), rows.end(), [](const HoverRow& row) { return row.frequency.has_value(); });
  app.animated = app.animated || clocks;

  const MeasureText measure = screen_measure(ui);
  const TextStyle body{ui.px(15), FontWeight::regular}, small{ui.px(13), FontWeight::regular};
  const double pad = ui.px(12), line_height = ui.px(clocks ? 32 : 20), swatch = ui.px(clocks ? 24 : kSwatchLength);
  const double widest = std::max(ui.px(160), static_cast<float>(layout.plot.width * 0.4));
  double label_width = 0, value_width = 0;
  for (const HoverRow& row : rows) {
    label_width = std::max(label_width, measure(row.label, small).x);
    value_width = std::max(value_width, measure(row.value, small).x);
  }
  label_width = std::min(label_width, widest);
  const double inner = std::max(measure(head, body).x, swatch + ui.px(8) + label_width + ui.px(20) + value_width);
  const Vec2 size{inner + 2 * pad, pad * 1.6 + line_height * (static_cast<double>(rows.size()) + 1.15)};
  const Rect card = place_card(figure, layout, layout.x.to_pixel(distance), size, ui.px(14));

  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->AddRectFilled(point(card.left, card.top), point(card.right(), card.bottom()), colour32(ui.palette.raised),
                      ui.px(7));
  list->AddRect(point(card.left, card.top), point(card.right(), card.bottom()), colour32(ui.palette.line), ui.px(7));
  draw_screen_line(
      list, {ui.fonts.body, font_size(ui.fonts.body), point(card.left + pad, card.top + pad * 0.7), ui.palette.text},
      head);
  double y = card.top + pad * 0.8 + line_height * 1.15;
  for (const HoverRow& row : rows) {
    draw_hover_row(ui, list, row, card, {pad, swatch, label_width}, y);
    y += line_height;
  }
  app.record.add("hover", card);
}

std::optional<double> value_at(const Map& map, double x, double y) {
  if (!(x >= map.x.low && x <= map.x.high && y >= map.y.low && y <= map.y.high)) return std::nullopt;
  if (map.exact) return map.exact(x, y);
  const MapCells& cells = *map.cells;
  if (cells.values.empty()) return std::nullopt;
  const auto index = [](double at, const Range& range, std::size_t count) {
    const double cell = (at - range.low) / (range.high - range.low) * static_cast<double>(count);
    return std::min(static_cast<std::size_t>(std::max(cell, 0.0)), count - 1);
  };
  return static_cast<double>(
      cells.values[index(y, map.y, cells.rows) * cells.columns + index(x, map.x, cells.columns)]);
}

std::string values_text(const ViewResult& result, const Pointer& at) {
  std::string out = result.panels.empty() ? "" : result.panels.front().figure.x.name + "\t";
  out += shortest_number(at.x) + "\n";
  for (const Panel& panel : result.panels) {
    const Figure& figure = panel.figure;
    for (const Line& line : figure.lines) {
      if (line.series->ys.empty()) continue;
      const double y = line.series->ys[nearest_index(*line.series, at.x)];
      out += figure.y.name + "\t" + line.label + "\t" + shortest_number(y) + "\n";
    }
    if (figure.name != at.figure || figure.maps.empty()) continue;
    out += figure.y.name + "\t" + shortest_number(figure.y.whole ? std::round(at.y) : at.y) + "\n";
    for (const Map& map : figure.maps) {
      const std::optional<double> value = value_at(map, at.x, at.y);
      if (value) out += map.key + "\t" + map.label + "\t" + shortest_number(*value) + "\n";
    }
  }
  return plain_text(result.formulas.get(), out);
}

}  // namespace ropescope::ui
