#include "app/figure/page.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "app/figure/page_canvas.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kLegendShare = 0.35;  ///< of the page's height at most

/// One entry of the legend: a sample of the stroke, or of the disc, and what it is.
struct LegendEntry {
  std::string label;
  LineStyle style;
  bool points = false;
};

std::vector<LegendEntry> legend_entries(const ViewResult& view) {
  std::vector<LegendEntry> entries;
  std::set<std::string> seen;
  for (const Panel& panel : view.panels) {
    for (const Line& line : panel.figure.lines) {
      if (line.in_legend && seen.insert(line.key).second) entries.push_back({line.label, line.style, false});
    }
    for (const Points& points : panel.figure.points) {
      if (!points.label.empty() && seen.insert(points.key).second)
        entries.push_back({points.label, points.style, true});
    }
  }
  return entries;
}

/// How large things are on a page.
FigureOptions page_options(const PageSize& size, const PageFormat format) {
  FigureOptions options;
  if (size.millimetres) {
    // Print: read from the same distance whatever its size, so that text grows slower than the page.
    const double scale = std::clamp(std::sqrt(std::min(size.width / 170, size.height / 110)), 0.82, 4.0);
    options.text_size = 8.5 * scale;
    options.line_width = 1.1 * scale;
    options.column = 0.5;
  } else {
    const double scale = std::clamp(std::min(size.width / 1200, size.height / 800), 0.85, 4.0);
    options.text_size = 13 * scale;
    options.line_width = 1.75 * scale;
    // A PNG is reduced to its own pixels; nothing is gained by more of them in a file that may be scaled.
    options.column = format == PageFormat::png ? std::max(1.0, std::round(scale / 2)) : 0.75 * scale;
  }
  return options;
}

/// Rows of entries from the left, wrapped at the width; the height that they fill.
double add_legend(Scene& scene, const std::vector<LegendEntry>& entries, const Rect& room, const Palette& colours,
                  const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const double em = options.text_size, line = measure("0", style).y, row_height = 1.3 * line;
  const double sample = 2.2 * em, sample_gap = 0.6 * em, entry_gap = 1.8 * em;
  const int rows = static_cast<int>(room.height / row_height);
  if (entries.empty() || rows == 0 || room.width < sample + sample_gap + 3 * em) return 0;
  double x = room.left, y = room.top + 0.15 * line;
  int row = 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const std::string text = elided(entry.label, style, room.width - sample - sample_gap, measure);
    const double width = sample + sample_gap + measure(text, style).x;
    const bool last_row = row == rows, last = i + 1 == entries.size();
    const std::string rest = "+" + std::to_string(entries.size() - i);
    const double rest_room = last_row && !last ? measure(rest, style).x + entry_gap : 0;
    if (x > room.left && x + width + rest_room > room.right()) {
      if (last_row) {
        scene.items.push_back(TextItem{{x, y}, 0, 0, rest, style, colours.secondary, false});
        break;
      }
      x = room.left;
      y += row_height;
      ++row;
    }
    const Stroke stroke = stroke_of(colours, entry.style);
    const double middle = y + line / 2;
    if (entry.points) {
      scene.items.push_back(DiscItem{{x + sample / 2, middle}, 2 * options.line_width, stroke.colour});
    } else {
      const double stroke_width = options.line_width * (entry.style.faint ? 0.6 : 1);
      scene.items.push_back(PathItem{{{x, middle}, {x + sample, middle}}, stroke.colour, stroke_width, stroke.dash});
    }
    scene.items.push_back(TextItem{{x + sample + sample_gap, y}, 0, 0, text, style, colours.text, false});
    x += width + entry_gap;
  }
  return std::ceil(row * row_height);
}

void add_panels(Scene& scene, const ViewResult& view, const Rect& room, const Palette& colours,
                const FigureOptions& options, const MeasureText& measure) {
  const PanelColumn column{room, std::round(0.8 * options.text_size), 0};
  const std::vector<PanelPlace> places = stack_panels(view.panels, column, options, measure);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const FigureLayout laid_out = lay_out(view.panels[i].figure, places[i].rect, colours, places[i].options, measure);
    scene.items.insert(scene.items.end(), laid_out.scene.items.begin(), laid_out.scene.items.end());
  }
}

/// A positive decimal number at the beginning of a text; 0 where there is none.
double take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !(value > 0)) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

PageSize parse_page_size(const std::string& text) {
  const auto fail = [&](const Words& expected) {
    throw InputError("page.size", {{"found", text}, {"expected", expected}});
  };
  const Words form("page.form");
  std::string_view rest = text;
  PageSize size;
  size.width = take_number(rest);
  if (size.width == 0 || rest.empty() || rest.front() != 'x') fail(form);
  rest.remove_prefix(1);
  size.height = take_number(rest);
  size.millimetres = rest == "mm";
  if (size.height == 0 || !(rest.empty() || size.millimetres)) fail(form);
  const double smaller = std::min(size.width, size.height), larger = std::max(size.width, size.height);
  if (size.millimetres) {
    if (smaller < 10 || larger > 2000) fail(Words("page.millimetres"));
    return size;
  }
  if (size.width != std::floor(size.width) || size.height != std::floor(size.height)) fail(form);
  if (smaller < 64 || larger > 16384) fail(Words("page.pixels"));
  return size;
}

std::string paint_page(const ViewResult& view, PageFormat format, const PageSize& size, ThemeName theme) {
  PageCanvas canvas(format, size);
  const Palette colours = palette(theme);
  const FigureOptions options = page_options(size, format);
  const MeasureText measure = canvas.measure();
  Scene scene;
  const double margin = std::round(options.text_size);
  Rect room{margin, margin, canvas.width() - 2 * margin, canvas.height() - 2 * margin};
  const double legend =
      add_legend(scene, legend_entries(view), {room.left, room.top, room.width, kLegendShare * room.height}, colours,
                 options, measure);
  if (legend > 0) {
    const double used = legend + std::round(0.6 * options.text_size);
    room.top += used;
    room.height -= used;
  }
  if (!view.panels.empty()) add_panels(scene, view, room, colours, options, measure);
  canvas.fill(colours.canvas);
  canvas.draw(scene);
  return canvas.finish();
}

}  // namespace ropescope
