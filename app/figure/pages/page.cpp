// Page layout of a view and the bytes of its file.
//
// Contents: Density; Words of SVG; Pages.

#include "app/figure/pages/page.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page_canvas.h"
#include "app/figure/scene/scene_axes.h"
#include "app/figure/scene/scene_labels.h"
#include "app/figure/scene/scene_parts.h"
#include "app/resources/formulas.h"
#include "core/formats/embedded_text.h"
#include "core/message.h"

namespace ropescope {

// --- Density -------------------------------------------------------------------------------------------------------

namespace {

constexpr double kMetresPerInch = 0.0254;

// --- Words of SVG --------------------------------------------------------------------------------------------------

/// Formats a coordinate with three decimals.
std::string coordinate(double value) {
  return shortest_number(std::round(value * 1000) / 1000);
}

/// Reads the TeX of the formulas used in texts; stops at the first element that letters cannot express.
class LetterReader {
 public:
  explicit LetterReader(std::string_view tex) : tex_(tex) {}

  std::optional<std::vector<FormulaLetters>> read() {
    read_list({}, false);
    if (failed_ || letters_.empty()) return std::nullopt;
    return std::move(letters_);
  }

 private:
  using Ink = FormulaLetters::Ink;
  struct Look {
    double rise = 0, size = 1;
    bool upright = false, overlined = false;
    Ink ink = Ink::text;
  };
  static Look script(Look look, double rise) {
    look.rise += rise * look.size;
    look.size *= 0.7;
    return look;
  }

  void put(std::string_view text, bool italic, const Look& look) {
    if (!letters_.empty()) {
      FormulaLetters& last = letters_.back();
      const bool alike = last.italic == italic && last.overlined == look.overlined && last.ink == look.ink;
      if (alike && last.rise == look.rise && last.size == look.size) {
        last.text += text;
        return;
      }
    }
    letters_.push_back({std::string(text), look.rise, look.size, italic, look.overlined, look.ink});
  }
  void put_operand(std::string_view text, bool italic, const Look& look) {
    put(text, italic && !look.upright, look);
    after_operand_ = true;
  }
  /// Adds an operator with spaces around it if between two operands; scripts have none.
  void put_operator(const std::string& sign, const Look& look) {
    put(after_operand_ && look.size == 1 ? " " + sign + " " : sign, false, look);
    after_operand_ = false;
  }
  /// Adds a function: "cos mθ", but "cos(mθ)".
  void put_function(std::string_view name, const Look& look) {
    put(name, false, look);
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    if (at_ < tex_.size() && std::string_view("(_^|}").find(tex_[at_]) == std::string_view::npos) put(" ", false, look);
    after_operand_ = false;
  }

  void read_list(const Look& look, bool in_braces) {
    while (!failed_ && at_ < tex_.size()) {
      if (in_braces && tex_[at_] == '}') {
        ++at_;
        return;
      }
      read_one(look);
    }
    failed_ = failed_ || in_braces;
  }
  void read_argument(const Look& look) {
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    if (at_ < tex_.size()) return read_one(look);
    failed_ = true;
  }
  void read_one(const Look& look) {
    const char c = tex_[at_++];
    const auto is_between = [c](char first, char last) { return c >= first && c <= last; };
    if (c == '\\') return read_command(look);
    if (c == '{') return read_list(look, true);
    if (c == '^') return read_argument(script(look, 0.38));
    if (c == '_') return read_argument(script(look, -0.2));
    if (c == '-' || c == '*') return put_operator(c == '-' ? "−" : "∗", look);
    if (c == '+' || c == '=' || c == '<' || c == '>') return put_operator(std::string(1, c), look);
    if (c == '\'') return put("′", false, look);
    if (c == '(' || c == '[') return put(std::string(1, c), false, look), void(after_operand_ = false);
    if (c == '|' || c == '/') return put(std::string(1, c), false, look);
    if (c == ',') return put(look.size == 1 ? ", " : ",", false, look), void(after_operand_ = false);
    if (is_between('a', 'z') || is_between('A', 'Z')) return put_operand(std::string(1, c), true, look);
    if (is_between('0', '9') || c == ')' || c == ']' || c == '.' || c == '!') {
      return put_operand(std::string(1, c), false, look);
    }
    failed_ = failed_ || c != ' ';
  }

  /// A command of TeX: what is drawn for it, or how its argument is read.
  struct Command {
    enum Kind { letter, upright, sign, function, plain, opening, query, key, words, overlined, root, term };
    std::string_view name, letters;
    Kind kind;
  };
  static constexpr Command kCommands[] = {
      {"alpha", "α", Command::letter},   {"gamma", "γ", Command::letter},   {"zeta", "ζ", Command::letter},
      {"theta", "θ", Command::letter},   {"lambda", "λ", Command::letter},  {"pi", "π", Command::letter},
      {"phi", "ϕ", Command::letter},     {"varphi", "φ", Command::letter},  {"Delta", "Δ", Command::upright},
      {"Theta", "Θ", Command::upright},  {"infty", "∞", Command::upright},  {"top", "⊤", Command::upright},
      {"rangle", "⟩", Command::upright}, {"rceil", "⌉", Command::upright},  {"ldots", "…", Command::upright},
      {"cdot", "·", Command::sign},      {"le", "≤", Command::sign},        {"ge", "≥", Command::sign},
      {"propto", "∝", Command::sign},    {"approx", "≈", Command::sign},    {"to", "→", Command::sign},
      {"mapsto", "↦", Command::sign},    {"otimes", "⊗", Command::sign},    {"bmod", "mod", Command::sign},
      {"sin", "sin", Command::function}, {"cos", "cos", Command::function}, {"ln", "ln", Command::function},
      {"log", "log", Command::function}, {"exp", "exp", Command::function}, {"max", "max", Command::function},
      {"min", "min", Command::function}, {"sum", "∑", Command::function},   {"|", "‖", Command::plain},
      {",", " ", Command::plain},        {";", " ", Command::plain},        {"langle", "⟨", Command::opening},
      {"lceil", "⌈", Command::opening},  {"q", "q", Command::query},        {"m", "m", Command::query},
      {"k", "k", Command::key},          {"n", "n", Command::key},          {"operatorname", "", Command::words},
      {"mathrm", "", Command::words},    {"bar", "", Command::overlined},   {"overline", "", Command::overlined},
      {"sqrt", "", Command::root},       {"class", "", Command::term}};

  void read_command(Look look) {
    std::size_t end = at_;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end]))) ++end;
    end = std::max(end, std::min(at_ + 1, tex_.size()));
    const std::string_view name = tex_.substr(at_, end - at_);
    at_ = end;
    const auto command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                      [name](const Command& one) { return one.name == name; });
    if (command == std::end(kCommands)) return void(failed_ = true);
    switch (command->kind) {
      case Command::letter:
        return put_operand(command->letters, true, look);
      case Command::upright:
        return put_operand(command->letters, false, look);
      case Command::sign:
        return put_operator(std::string(command->letters), look);
      case Command::function:
        return put_function(command->letters, look);
      case Command::plain:
        return put(command->letters, false, look);
      case Command::opening:
        put(command->letters, false, look);
        break;
      case Command::query:
      case Command::key:
        look.ink = command->kind == Command::query ? Ink::query : Ink::key;
        return put_operand(command->letters, true, look);
      case Command::words:
        look.upright = true;
        return read_argument(look);
      case Command::overlined:
        look.overlined = true;
        return read_argument(look);
      case Command::root:
        return read_root(look);
      case Command::term:
        return read_term(look);
    }
    after_operand_ = false;
  }
  /// Reads a term, whose name is not drawn.
  void read_term(Look look) {
    const std::size_t close = tex_.find('}', at_);
    if (at_ >= tex_.size() || tex_[at_] != '{' || close == std::string_view::npos) return void(failed_ = true);
    const std::string_view term = tex_.substr(at_ + 1, close - at_ - 1);
    for (const auto& [name, ink] : {std::pair{"query", Ink::query}, std::pair{"key", Ink::key}}) {
      if (term == name) look.ink = ink;
    }
    at_ = close + 1;
    read_argument(look);
  }
  /// Reads a root; a single letter needs no line over it.
  void read_root(const Look& look) {
    put("√", false, look);
    std::size_t before = 0, after = 0;
    for (const FormulaLetters& letters : letters_) before += letters.text.size();
    read_argument(look);
    for (const FormulaLetters& letters : letters_) after += letters.text.size();
    failed_ = failed_ || after > before + 2;
  }

  std::string_view tex_;
  std::size_t at_ = 0;
  std::vector<FormulaLetters> letters_;
  bool after_operand_ = false, failed_ = false;
};

std::string to_svg_paint(Colour colour) {
  std::string look = " fill=\"" + hex(colour) + "\"";
  if (colour.alpha < 255) look += " fill-opacity=\"" + coordinate(colour.alpha / 255.0) + "\"";
  return look;
}

/// Returns spans along a line: `shift` is the downward baseline offset so far, which an SVG keeps.
std::string spans_of(const std::vector<FormulaLetters>& formula, std::string place, double em, const FormulaInk& ink,
                     double& shift) {
  std::string spans;
  for (const FormulaLetters& letters : formula) {
    const double down = -letters.rise * em;
    spans += "<tspan" + std::exchange(place, {});
    if (std::abs(down - shift) > 1e-9) spans += " dy=\"" + coordinate(down - shift) + "\"";
    shift = down;
    if (letters.size != 1) spans += " font-size=\"" + coordinate(letters.size * em) + "\"";
    if (letters.italic) spans += " font-style=\"italic\"";
    if (letters.overlined) spans += " text-decoration=\"overline\"";
    if (letters.ink != FormulaLetters::Ink::text) {
      spans += to_svg_paint(letters.ink == FormulaLetters::Ink::query ? ink.query : ink.key);
    }
    spans += ">" + xml_escaped(letters.text) + "</tspan>";
  }
  return spans;
}

// --- Pages ---------------------------------------------------------------------------------------------------------

constexpr double kMaxPageLegendShare = 0.45;  ///< maximum share of the page's height
constexpr double kLegendGap = 0.6;            ///< ems below the legend
constexpr double kMillimetresPerInch = 25.4, kPointsPerInch = 72;
constexpr double kMinPoints = 6;        ///< minimum type size on a page in millimetres
constexpr double kMinPanel = 20;        ///< minimum side of a panel there, in millimetres
constexpr double kColumnLegend = 0.42;  ///< maximum share of the page's width, for names on the right
constexpr double kMaxPixels = 16384;    ///< per side

/// Returns the view without text for interactive use.
ViewResult remove_hints(ViewResult view) {
  for (Panel& panel : view.panels) {
    std::erase_if(panel.figure.labels, [](const Label& label) { return label.hint; });
    if (panel.figure.empty_is_hint) panel.figure.empty_message.clear();
  }
  return view;
}

/// Returns whether a page in millimetres consists of pixels.
bool has_dots(PageFormat format, const PageSize& size) {
  return format == PageFormat::png && size.millimetres;
}

PanelColumn column_of(const Rect& room, const FigureOptions& options) {
  return {room, std::round(0.8 * options.text_size), 0};
}

std::optional<Vec2> corner_of(LegendPlace place) {
  if (place == LegendPlace::top_left) return Vec2{0, 0};
  if (place == LegendPlace::top_right) return Vec2{1, 0};
  if (place == LegendPlace::bottom_left) return Vec2{0, 1};
  if (place == LegendPlace::bottom_right) return Vec2{1, 1};
  return std::nullopt;
}

/// Adds all names: in as many rows as needed, in smaller letters if they would take half the page or the space for
/// panel labels. Returns their height.
double add_names(Scene& scene, const std::vector<LegendEntry>& entries, const ViewResult& view, const PagePart& part,
                 const MeasureText& measure) {
  constexpr double kSmallest = 0.5, kEvery = 1e6;
  const Rect& room = part.room;
  const auto rows = [&](Scene& to, double share, double most) {
    FigureOptions options = part.options;
    options.text_size = std::max(share * options.text_size, options.least_text);
    return add_legend_rows(to, entries, {room.left, room.top, room.width, most}, part.palette, options, measure);
  };
  const auto room_with = [&](double plot_ems) {
    return room.height - kLegendGap * part.options.text_size -
           least_height_of(view.panels, column_of(room, part.options), part.options, measure, plot_ems);
  };
  const double line = measure("0", {part.options.text_size, FontWeight::regular}).y;
  const double most = std::max(1.3 * line, std::min(kMaxPageLegendShare * room.height, room_with(kLowPlot)));
  double share = 1;
  for (Scene tried; share > kSmallest && rows(tried, share, kEvery) > most;) share -= 0.1;
  return rows(scene, share, share > kSmallest ? most : std::max(most, room_with(kLowestPlot)));
}

/// Adds the names around the panels and subtracts their space from the room; returns those to place in a panel.
std::vector<LegendEntry> place_names(Scene& scene, const ViewResult& view, PagePart& part, const MeasureText& measure) {
  std::vector<LegendEntry> entries = legend_entries(view);
  const double gap = std::round(kLegendGap * part.options.text_size);
  Rect& room = part.room;
  if (entries.empty() || part.legend == LegendPlace::none) return {};
  // In one of several small multiples they would shrink only that plot.
  if (corner_of(part.legend) && !are_cells(view.panels)) return entries;
  if (part.legend == LegendPlace::right) {
    Rect column{room.left, room.top + gap, kColumnLegend * room.width, room.height};
    Scene measured;
    column.width = add_legend_column(measured, entries, column, part.palette, part.options, measure).x + 0.01;
    room.width -= column.width + 2 * gap;
    column.left = room.right() + 2 * gap;
    add_legend_column(scene, entries, column, part.palette, part.options, measure);
    return {};
  }
  PagePart below = part;
  if (part.legend == LegendPlace::below) {
    Scene measured;
    below.room.top = room.bottom() - add_names(measured, entries, view, part, measure);
  }
  const double height = add_names(scene, entries, view, below, measure);
  if (height <= 0) return {};
  if (part.legend != LegendPlace::below) room.top += height + gap;
  room.height -= height + gap;
  return {};
}

std::vector<Rect> add_panels(Scene& scene, const ViewResult& view, const PagePart& part,
                             const std::vector<LegendEntry>& inside, const MeasureText& measure) {
  PanelColumn column = column_of(part.room, part.options);
  column.least = part.least_panel;
  std::vector<PanelPlace> places = stack_panels(view.panels, column, part.options, measure);
  const auto first = std::find_if(view.panels.begin(), view.panels.end(),
                                  [](const Panel& panel) { return !panel.figure.lines.empty(); });
  if (first != view.panels.end() && !inside.empty()) {
    FigureOptions& options = places[static_cast<std::size_t>(first - view.panels.begin())].options;
    options.entries = inside;
    options.corner = *corner_of(part.legend);
  }
  std::vector<FigureLayout> layouts;
  const auto lay_out_panel = [&](std::size_t i) {
    return lay_out(view.panels[i].figure, places[i].rect, part.palette, places[i].options, measure);
  };
  for (std::size_t i = 0; i < places.size(); ++i) layouts.push_back(lay_out_panel(i));
  // A legend above a plot may have widened its left margin: the plots above and below it start there too, unless the
  // names in a corner would lose their place.
  for (std::size_t i = 0; i < places.size(); ++i) {
    const FigureOptions& options = places[i].options;
    if (view.panels[i].figure.bare || options.left_margin <= 0 || !options.entries.empty()) continue;
    double left = layouts[i].plot.left;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const bool same = places[k].rect.left == places[i].rect.left && places[k].rect.width == places[i].rect.width;
      if (same && !view.panels[k].figure.bare) left = std::max(left, layouts[k].plot.left);
    }
    if (left <= layouts[i].plot.left) continue;
    places[i].options.left_margin = left - places[i].rect.left;
    layouts[i] = lay_out_panel(i);
  }
  std::vector<Rect> rects;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Scene& laid_out = layouts[i].scene;
    scene.items.insert(scene.items.end(), laid_out.items.begin(), laid_out.items.end());
    if (!is_gap(view.panels[i].figure)) rects.push_back(places[i].rect);
  }
  return rects;
}

/// Lays out small multiples for the space available, other panels as they are.
void lay_out_cells(ViewResult& view, const PagePart& part) {
  if (!are_cells(view.panels)) return;
  const PanelColumn column = column_of(part.room, part.options);
  const CellRoom room{part.room.width, part.room.height, part.options.text_size, column.gap, column.padding};
  view.panels = panels_on(view.panels, page_of_cells(view.panels, room));
}

/// Consumes a positive decimal number at the start of a text; 0 if there is none.
double take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !(value > 0)) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Returns the sizes of text and lines on a page of this size.
FigureOptions page_options(const PageSize& size, PageFormat format, const PageStyle& style) {
  FigureOptions options;
  if (size.millimetres) {
    // Print is read from the same distance whatever its size, so text grows more slowly than the page.
    const double scale = std::clamp(std::sqrt(std::min(size.width / 170, size.height / 110)), 0.82, 4.0);
    const double unit = has_dots(format, size) ? style.dpi / kPointsPerInch : 1;
    options.text_size = 8.5 * scale * unit;
    options.line_width = 1.1 * scale * unit;
    options.column = has_dots(format, size) ? std::max(1.0, std::round(unit / 2)) : 0.5;
  } else {
    const double scale = std::clamp(std::min(size.width / 1200, size.height / 800), 0.85, 4.0);
    options.text_size = 13 * scale;
    options.line_width = 1.75 * scale;
    // A PNG is reduced to its own pixels; more of them in a scalable file bring no benefit.
    options.column = format == PageFormat::png ? std::max(1.0, std::round(scale / 2)) : 0.75 * scale;
  }
  options.text_size *= style.text_percent / 100;
  if (size.millimetres) {
    options.least_text = kMinPoints * (has_dots(format, size) ? style.dpi / kPointsPerInch : 1);
    options.text_size = std::max(options.text_size, options.least_text);
  }
  return options;
}

/// Returns whether any panel is narrower, and whether any is lower, than the minimum.
std::pair<bool, bool> are_short(const std::vector<Rect>& panels, double least) {
  const auto any = [&panels, least](double Rect::*side) {
    return std::any_of(panels.begin(), panels.end(), [&](const Rect& panel) { return panel.*side < least - 1e-6; });
  };
  return {any(&Rect::width), any(&Rect::height)};
}

/// Throws InputError with the minimum size at which the panels fit.
[[noreturn]] void refuse_panels(const ViewResult& view, PageSize size,
                                const std::function<std::pair<bool, bool>(const PageSize&)>& short_on) {
  constexpr double kStep = 5;  // millimetres
  for (int steps = 0; steps < 400; ++steps) {
    const auto [narrow, low] = short_on(size);
    if (!narrow && !low) break;
    if (narrow) size.width += kStep;
    if (low) size.height += kStep;
  }
  std::vector<std::string> names;
  for (const Panel& panel : view.panels) {
    const std::string name = figure_of_cell(panel.figure.name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  throw InputError("page.panels", {{"least", kMinPanel},
                                   {"size", shortest_number(size.width) + "x" + shortest_number(size.height) + "mm"},
                                   {"figures", joined(names)}});
}

}  // namespace

/// Adds the pixel density (chunk pHYs) to a PNG, so that programs place it with its size in millimetres.
std::string add_pixel_density(std::string png, double dpi) {
  if (png.size() < kAfterPngHeader) return png;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / kMetresPerInch));
  std::string data;
  append_png_number(data, per_metre);
  append_png_number(data, per_metre);
  data += '\1';  // unit: metre
  return png.insert(kAfterPngHeader, png_chunk("pHYs", data));
}

std::optional<std::vector<FormulaLetters>> letters_of(std::string_view tex) {
  return LetterReader(tex).read();
}

std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                     const std::vector<SvgRun>& runs, const FormulaInk& ink) {
  std::string place;
  const Vec2 line = item.vertical ? Vec2{} : Vec2{corner.x, corner.y + baseline};
  if (item.vertical) {
    place = "transform=\"translate(" + coordinate(corner.x + baseline) + " " + coordinate(corner.y) + ") rotate(-90)\"";
  } else {
    place = "x=\"" + coordinate(line.x) + "\" y=\"" + coordinate(line.y) + "\"";
  }
  const bool mono = item.style.weight == FontWeight::mono;
  std::string look = " font-family=\"" + (mono ? "DejaVu Sans Mono,monospace" : xml_escaped(fonts)) +
                     "\" font-size=\"" + coordinate(item.style.size) + "\"" + to_svg_paint(item.colour);
  if (item.style.weight == FontWeight::semibold) look += " font-weight=\"600\"";
  std::string words;
  double shift = 0;
  for (const SvgRun& each : runs) {
    const std::string at = each.x ? " x=\"" + coordinate(line.x + *each.x) + "\"" : "";
    if (each.run.formula) {
      words += spans_of(*letters_of(each.run.formula->tex), at, item.style.size, ink, shift);
    } else if (runs.size() == 1) {
      words += xml_escaped(each.run.words);
    } else {
      words += "<tspan" + at;
      if (shift != 0) words += " dy=\"" + coordinate(-shift) + "\"";
      words += ">" + xml_escaped(each.run.words) + "</tspan>";
      shift = 0;
    }
  }
  return "<text xml:space=\"preserve\" " + place + look + ">" + words + "</text>\n";
}

std::string hidden_svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                            const HiddenWords& words) {
  const Vec2 line = item.vertical ? Vec2{words.x, 0} : Vec2{corner.x + words.x, corner.y + baseline};
  std::string place = "x=\"" + coordinate(line.x) + "\" y=\"" + coordinate(line.y) + "\"";
  if (item.vertical) {
    place +=
        " transform=\"translate(" + coordinate(corner.x + baseline) + " " + coordinate(corner.y) + ") rotate(-90)\"";
  }
  return "<text " + place + " font-family=\"" + xml_escaped(fonts) + "\" font-size=\"" + coordinate(item.style.size) +
         "\" fill-opacity=\"0\" textLength=\"" + coordinate(words.width) + "\" lengthAdjust=\"spacingAndGlyphs\">" +
         xml_escaped(words.plain) + "</text>\n";
}

void add_svg_words(std::string& svg, const std::string& words, double scale) {
  const std::size_t end = svg.rfind("</svg>");
  if (end == std::string::npos) return;
  const std::string size = scale == 1 ? "" : " transform=\"scale(" + shortest_number(scale) + ")\"";
  svg.insert(end, "<g style=\"font-feature-settings:'tnum'\"" + size + ">\n" + words + "</g>\n");
}

std::vector<LegendEntry> legend_entries(const ViewResult& view) {
  using Sample = LegendEntry::Sample;
  std::vector<LegendEntry> entries;
  std::map<std::string, std::size_t> ropes;  // with their entries
  std::set<std::string> seen;
  for (const Panel& panel : view.panels) {
    for (const Line& line : panel.figure.lines) {
      if (!line.rope_name.empty()) {
        const std::string rope = line.key.substr(0, line.key.find('.'));
        const auto [at, first] = ropes.emplace(rope, entries.size());
        if (first) entries.push_back({line.rope_name, line.style});
        LineStyle& style = entries[at->second].style;
        if (line.key == rope || (style.faint && !line.style.faint)) style = line.style;
      } else if (line.in_legend && seen.insert(line.key).second) {
        entries.push_back(legend_entry_of(line));
      }
    }
    for (const Points& points : panel.figure.points) {
      if (!points.label.empty() && seen.insert(points.key).second) {
        entries.push_back({points.label, points.style, Sample::disc});
      }
    }
  }
  if (!ropes.empty() && !view.shared.empty()) entries.insert(entries.begin(), {view.shared, {}, Sample::none});
  return entries;
}

std::vector<Rect> add_view(Scene& scene, const ViewResult& shown, const PagePart& given, const MeasureText& measure) {
  const ThousandsMark mark(shown.thousands);
  ViewResult view = remove_hints(shown);
  PagePart part = given;
  lay_out_cells(view, part);
  const std::vector<LegendEntry> inside = place_names(scene, view, part, measure);
  if (view.panels.empty()) return {};
  part.options.names_lines = inside.empty() && part.legend != LegendPlace::none && !legend_entries(view).empty();
  return add_panels(scene, view, part, inside, measure);
}

PageSize parse_page_size(const std::string& text) {
  const auto fail = [&](const Message& expected) {
    throw InputError("page.size", {{"found", text}, {"expected", expected}});
  };
  const Message form("page.form");
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
    if (smaller < 10 || larger > 2000) fail(Message("page.millimetres"));
    return size;
  }
  if (size.width != std::floor(size.width) || size.height != std::floor(size.height)) fail(form);
  if (smaller < 64 || larger > kMaxPixels) fail(Message("page.pixels"));
  return size;
}

PageSize in_pixels(const PageSize& size, double dpi) {
  if (!size.millimetres) return size;
  const PageSize pixels{std::round(size.width / kMillimetresPerInch * dpi),
                        std::round(size.height / kMillimetresPerInch * dpi), false};
  if (std::max(pixels.width, pixels.height) <= kMaxPixels) return pixels;
  throw InputError("page.dots", {{"width", pixels.width}, {"height", pixels.height}, {"most", kMaxPixels}});
}

std::vector<Rect> add_page(Scene& scene, const ViewResult& view, const PageRequest& page, Vec2 whole,
                           const MeasureText& measure) {
  const FigureOptions options = page_options(page.size, page.format, page.style);
  const double margin = std::round(options.text_size);
  const Rect room{margin, margin, whole.x - 2 * margin, whole.y - 2 * margin};
  const double least = page.size.millimetres ? kMinPanel * whole.y / page.size.height : 0;
  return add_view(scene, view, {room, palette(page.style.theme), options, page.style.legend, least}, measure);
}

std::string paint_page(const ViewResult& shown, PageFormat format, const PageSize& size, const PageStyle& style) {
  const bool dots = has_dots(format, size);
  const Palette colours = palette(style.theme);
  PageCanvas canvas(format, dots ? in_pixels(size, style.dpi) : size,
                    {shown.language, shown.font, shown.formulas, colours, style.outlines, style.font});
  const MeasureText measure = canvas.measure();
  const Vec2 unit{canvas.width() / size.width, canvas.height() / size.height};
  const double least = size.millimetres ? kMinPanel * std::min(unit.x, unit.y) : 0;
  const auto shorts = [&](Scene& scene, const PageSize& page) {
    const Vec2 whole{page.width * unit.x, page.height * unit.y};
    return are_short(add_page(scene, shown, {format, page, style}, whole, measure), least);
  };
  Scene scene;
  if (shorts(scene, size) != std::pair(false, false)) {
    refuse_panels(shown, size, [&shorts](const PageSize& page) {
      Scene tried;
      return shorts(tried, page);
    });
  }
  canvas.fill(colours.canvas);
  canvas.draw(scene);
  if (!style.carries.empty()) canvas.set_keywords(pdf_keywords(style.carries));
  std::string file = dots ? add_pixel_density(canvas.finish(), style.dpi) : canvas.finish();
  if (style.carries.empty() || format == PageFormat::pdf) return file;
  return format == PageFormat::png ? png_with_text(std::move(file), style.carries)
                                   : svg_with_text(std::move(file), style.carries);
}

}  // namespace ropescope
