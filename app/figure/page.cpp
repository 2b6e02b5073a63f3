#include "app/figure/page.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "app/figure/cells.h"
#include "app/figure/page_canvas.h"
#include "app/figure/png_density.h"
#include "app/figure/scene_parts.h"
#include "core/error.h"
#include "core/formats/carried_text.h"

namespace ropescope {

namespace {

constexpr double kPageLegendShare = 0.45;  ///< of the page's height at most
constexpr double kLegendGap = 0.6;         ///< ems below it
constexpr double kMillimetresPerInch = 25.4, kPointsPerInch = 72;
constexpr double kMostPixels = 16384;  ///< a side

/// Without what is said to a hand at the screen.
ViewResult without_hints(ViewResult view) {
  for (Panel& panel : view.panels) {
    std::erase_if(panel.figure.labels, [](const Label& label) { return label.hint; });
    if (panel.figure.empty_is_hint) panel.figure.empty_message.clear();
  }
  return view;
}

/// Whether a page in millimetres is made of pixels.
bool has_dots(PageFormat format, const PageSize& size) {
  return format == PageFormat::png && size.millimetres;
}

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

PanelColumn column_of(const Rect& room, const FigureOptions& options) {
  return {room, std::round(0.8 * options.text_size), 0};
}

/// Every name has a place: rows as many as needed, in smaller letters where they would take half of the page or what
/// panels need for their labels. Returns their height.
double add_names(Scene& scene, const ViewResult& view, const PagePart& part, const MeasureText& measure) {
  constexpr double kSmallest = 0.5, kEvery = 1e6;
  const std::vector<LegendEntry> entries = legend_entries(view);
  const Rect& room = part.room;
  const auto rows = [&](Scene& to, double share, double most) {
    FigureOptions options = part.options;
    options.text_size *= share;
    return add_legend_rows(to, entries, {room.left, room.top, room.width, most}, part.palette, options, measure);
  };
  const auto room_with = [&](double plot_ems) {
    return room.height - kLegendGap * part.options.text_size -
           least_height_of(view.panels, column_of(room, part.options), part.options, measure, plot_ems);
  };
  const double line = measure("0", {part.options.text_size, FontWeight::regular}).y;
  const double most = std::max(1.3 * line, std::min(kPageLegendShare * room.height, room_with(kLowPlot)));
  double share = 1;
  for (Scene tried; share > kSmallest && rows(tried, share, kEvery) > most;) share -= 0.1;
  return rows(scene, share, share > kSmallest ? most : std::max(most, room_with(kLowestPlot)));
}

void add_panels(Scene& scene, const ViewResult& view, const Rect& room, const Palette& colours,
                const FigureOptions& options, const MeasureText& measure) {
  const PanelColumn column = column_of(room, options);
  const std::vector<PanelPlace> places = stack_panels(view.panels, column, options, measure);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const FigureLayout laid_out = lay_out(view.panels[i].figure, places[i].rect, colours, places[i].options, measure);
    scene.items.insert(scene.items.end(), laid_out.scene.items.begin(), laid_out.scene.items.end());
  }
}

/// Small multiples as they have room, other panels as they are.
void lay_out_cells(ViewResult& view, const PagePart& part) {
  if (!are_cells(view.panels)) return;
  const PanelColumn column = column_of(part.room, part.options);
  const CellRoom room{part.room.width, part.room.height, part.options.text_size, column.gap, column.padding};
  view.panels = panels_on(view.panels, page_of_cells(view.panels, room));
}

/// A positive decimal number at the beginning of a text; 0 where there is none.
double take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !(value > 0)) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// What text and lines measure on a page of this size.
FigureOptions page_options(const PageSize& size, PageFormat format, const PageStyle& style) {
  FigureOptions options;
  if (size.millimetres) {
    // Print: read from the same distance whatever its size, so that text grows slower than the page.
    const double scale = std::clamp(std::sqrt(std::min(size.width / 170, size.height / 110)), 0.82, 4.0);
    const double unit = has_dots(format, size) ? style.dpi / kPointsPerInch : 1;
    options.text_size = 8.5 * scale * unit;
    options.line_width = 1.1 * scale * unit;
    options.column = has_dots(format, size) ? std::max(1.0, std::round(unit / 2)) : 0.5;
  } else {
    const double scale = std::clamp(std::min(size.width / 1200, size.height / 800), 0.85, 4.0);
    options.text_size = 13 * scale;
    options.line_width = 1.75 * scale;
    // A PNG is reduced to its own pixels; nothing is gained by more of them in a file that may be scaled.
    options.column = format == PageFormat::png ? std::max(1.0, std::round(scale / 2)) : 0.75 * scale;
  }
  options.text_size *= style.text_percent / 100;
  return options;
}

}  // namespace

void add_view(Scene& scene, const ViewResult& shown, const PagePart& part, const MeasureText& measure) {
  ViewResult view = without_hints(shown);
  lay_out_cells(view, part);
  Rect room = part.room;
  const double legend = add_names(scene, view, part, measure);
  if (legend > 0) {
    const double used = legend + std::round(kLegendGap * part.options.text_size);
    room.top += used;
    room.height -= used;
  }
  if (!view.panels.empty()) add_panels(scene, view, room, part.palette, part.options, measure);
}

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
  if (smaller < 64 || larger > kMostPixels) fail(Words("page.pixels"));
  return size;
}

PageSize in_pixels(const PageSize& size, double dpi) {
  if (!size.millimetres) return size;
  const PageSize pixels{std::round(size.width / kMillimetresPerInch * dpi),
                        std::round(size.height / kMillimetresPerInch * dpi), false};
  if (std::max(pixels.width, pixels.height) <= kMostPixels) return pixels;
  throw InputError("page.dots", {{"width", pixels.width}, {"height", pixels.height}, {"most", kMostPixels}});
}

std::string paint_page(const ViewResult& shown, PageFormat format, const PageSize& size, const PageStyle& style) {
  const bool dots = has_dots(format, size);
  const Palette colours = palette(style.theme);
  PageCanvas canvas(format, dots ? in_pixels(size, style.dpi) : size,
                    {shown.language, shown.font, shown.formulas, colours, style.outlines});
  const FigureOptions options = page_options(size, format, style);
  const MeasureText measure = canvas.measure();
  Scene scene;
  const double margin = std::round(options.text_size);
  const Rect room{margin, margin, canvas.width() - 2 * margin, canvas.height() - 2 * margin};
  add_view(scene, shown, {room, colours, options}, measure);
  canvas.fill(colours.canvas);
  canvas.draw(scene);
  if (!style.carries.empty()) canvas.set_keywords(pdf_keywords(style.carries));
  std::string file = dots ? with_dpi(canvas.finish(), style.dpi) : canvas.finish();
  if (style.carries.empty() || format == PageFormat::pdf) return file;
  return format == PageFormat::png ? png_with_text(std::move(file), style.carries)
                                   : svg_with_text(std::move(file), style.carries);
}

}  // namespace ropescope
