// The pen, the record, cards, chips, and parts of the frame.
//
// Contents: Pen; Record; Cards; Chips; Frames.

#include "app/ui/widgets.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"

namespace ropescope::ui {

// --- Pen -----------------------------------------------------------------------------------------------------------

namespace {

constexpr double kPenWidth = 2;  ///< times a line's
constexpr double kLeast = 1.5;   ///< pixels between two points
constexpr double kPenSwatch = 26, kBarHeight = 30, kBarGap = 6;
constexpr double kRing = 24, kRingWidth = 3, kSpot = 120, kDark = 0.72;

void erase_ink(App& app, bool all) {
  const std::string& view = app.history.current().view;
  auto& strokes = app.pen.strokes;
  for (std::size_t i = strokes.size(); i-- > 0;) {
    if (strokes[i].view != view) continue;
    strokes.erase(strokes.begin() + static_cast<std::ptrdiff_t>(i));
    if (!all) return;
  }
}

void undo_ink(App& app) {
  erase_ink(app, false);
}

void clear_ink(App& app) {
  erase_ink(app, true);
}

}  // namespace

bool has_ink(const Pen& pen, const std::string& view) {
  return std::any_of(pen.strokes.begin(), pen.strokes.end(), [&](const InkStroke& s) { return s.view == view; });
}

std::vector<Panel> with_ink(std::vector<Panel> panels, const Pen& pen, const std::string& view) {
  for (const InkStroke& stroke : pen.strokes) {
    if (stroke.view != view) continue;
    for (Panel& panel : panels) {
      if (panel.figure.name == stroke.figure) panel.figure.paths.push_back(stroke.path);
    }
  }
  return panels;
}

void react_to_pen(App& app, const Figure& figure, const FigureLayout& layout, const std::string& view) {
  Pen& pen = app.pen;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const Vec2 mouse{at.x, at.y};
  if (!ImGui::GetIO().MouseDown[0]) pen.down = false;
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && layout.plot.contains(mouse)) {
    pen.down = true;
    Path path{"ink", {pen.colour, false}, Role::curve, {}, {}, kPenWidth};
    pen.strokes.push_back({view, figure.name, std::move(path)});
  }
  if (!pen.down || pen.strokes.empty() || pen.strokes.back().figure != figure.name) return;
  Path& path = pen.strokes.back().path;
  const Vec2 within{std::clamp(mouse.x, layout.plot.left, layout.plot.right()),
                    std::clamp(mouse.y, layout.plot.top, layout.plot.bottom())};
  if (!path.xs.empty() &&
      std::hypot(layout.x.to_pixel(path.xs.back()) - within.x, layout.y.to_pixel(path.ys.back()) - within.y) < kLeast) {
    return;
  }
  path.xs.push_back(layout.x.to_value(within.x));
  path.ys.push_back(layout.y.to_value(within.y));
}

double draw_pen_bar(App& app, const Rect& room) {
  Ui& ui = app.ui;
  const double gap = ui.px(kBarGap), height = ui.px(kBarHeight), swatch = ui.px(kPenSwatch);
  double x = room.left, y = room.top;
  const auto place = [&](double width) {
    if (x > room.left && x + width > room.right()) {
      x = room.left;
      y += height + gap;
    }
    const Rect rect{x, y, width, height};
    x += width + gap;
    return rect;
  };
  for (int colour = 0; colour < Pen::kColours; ++colour) {
    const std::string key = "pen.colour." + std::to_string(colour + 1);
    const Rect rect = place(swatch);
    const Press press = press_area(ui, key, rect);
    const ImVec2 middle = point(rect.left + swatch / 2, rect.top + height / 2);
    const bool chosen = app.pen.colour == colour;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddCircleFilled(middle, ui.px(chosen ? 10 : 7), colour32(stroke_of(ui.palette, {colour, false}).colour), 32);
    if (chosen) list->AddCircle(middle, ui.px(12), colour32(ui.palette.text), 32, ui.px(1.5));
    tooltip_after_rest(ui, key, press.hovered, app.text["shell.pen.colour"]);
    if (press.clicked) app.pen.colour = colour;
  }
  const auto pressed = [&](const char* key) {
    const std::string& label = app.text[std::string("shell.") + key];
    const Rect rect = place(static_cast<double>(button_width(ui, label)));
    ImGui::SetCursorScreenPos(top_left(rect));
    return button(ui, key, label);
  };
  if (pressed("pen.undo")) undo_ink(app);
  if (pressed("pen.clear")) clear_ink(app);
  if (pressed("pen.end")) app.pen.on = false;
  return y + height + gap - room.top;
}

bool handle_pen_keys(App& app) {
  if (!app.pen.on) return false;
  if (ImGui::GetIO().KeyCtrl) {
    if (!key_pressed(Key::z)) return false;
    undo_ink(app);
    return true;
  }
  if (key_pressed(Key::del, false)) clear_ink(app);
  for (int colour = 0; colour < Pen::kColours; ++colour) {
    if (!key_pressed(static_cast<Key>(static_cast<int>(Key::digit_0) + colour + 1), false)) continue;
    app.pen.colour = colour;
    return true;
  }
  return false;
}

void next_pointer_mark(App& app) {
  app.pointer_mark = app.pointer_mark == PointerMark::plain  ? PointerMark::ring
                     : app.pointer_mark == PointerMark::ring ? PointerMark::spotlight
                                                             : PointerMark::plain;
}

void draw_pointer_mark(App& app, const Rect& screen) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (app.pointer_mark == PointerMark::plain || !ImGui::IsMousePosValid()) return;
  if (!screen.contains({mouse.x, mouse.y})) return;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const Ui& ui = app.ui;
  const auto record = [&](const char* key, float radius) {
    app.record.add(key, {mouse.x - radius, mouse.y - radius, 2 * radius, 2 * radius});
  };
  if (app.pointer_mark == PointerMark::ring) {
    list->AddCircle(mouse, ui.px(kRing), colour32(ui.palette.accent), 64, ui.px(kRingWidth));
    record("pointer.ring", ui.px(kRing));
    return;
  }
  // One ring so thick that it covers the window but for the disc inside.
  const float radius = ui.px(kSpot), reach = static_cast<float>(std::hypot(screen.width, screen.height));
  list->AddCircle(mouse, radius + reach / 2, IM_COL32(0, 0, 0, static_cast<int>(255 * kDark)), 128, reach);
  record("pointer.spotlight", radius);
}

// --- Record --------------------------------------------------------------------------------------------------------

void WidgetRecord::add(std::string key, const Rect& rect) {
  rects.emplace_back(std::move(key), rect);
}

const Rect* WidgetRecord::find(std::string_view key) const {
  // The last one wins: a popup drawn later lies above.
  const auto found =
      std::find_if(rects.rbegin(), rects.rend(), [key](const auto& entry) { return entry.first == key; });
  return found == rects.rend() ? nullptr : &found->second;
}

void WidgetRecord::clear() {
  rects.clear();
}

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

// Measures at 100 %.
constexpr double kWidgetsCardPadding = 16, kLabelCentre = 21, kNumberCentre = 50, kNoteTop = 70, kNoteLine = 17,
                 kBottom = 9;
constexpr double kActionHeight = 28, kActionBottom = 12;
constexpr double kSmallestNumber = 15;  ///< a number is drawn smaller rather than cut off, down to this
constexpr std::size_t kMostLines = 3;

/// The number in its font, or as much smaller as its width asks for.
void draw_number_widgets_card(const Ui& ui, const Rect& room, const std::string& text) {
  ImFont* font = ui.fonts.number;
  const double full = static_cast<double>(font_size(font)), width = static_cast<double>(text_width(font, text));
  const double share = std::clamp(room.width / std::max(1.0, width), kSmallestNumber / ui.fonts.em_of(font), 1.0);
  const double size = full * share;
  const std::string shown = shortened(font, text, room.width / share);
  const double top = room.top + room.height / 2 - size / 2;
  draw_screen_line(ImGui::GetWindowDrawList(), {font, static_cast<float>(size), point(room.left, top), ui.palette.text},
                   shown);
}

/// Where a note may end early: after a sentence; the longest first, the whole note not among them.
std::vector<std::size_t> sentence_ends(const std::string& note) {
  std::vector<std::size_t> ends;
  for (const std::string_view stop : {". ", "。", "\n"}) {
    for (std::size_t at = note.find(stop); at != std::string::npos; at = note.find(stop, at + 1)) {
      const std::size_t end = stop == "\n" ? at : at + stop.size() - (stop.ends_with(' ') ? 1 : 0);
      if (end < note.size()) ends.push_back(end);
    }
  }
  std::sort(ends.rbegin(), ends.rend());
  return ends;
}

/// A note in lines of a size, and whether all of it found room.
struct SetNote {
  std::vector<std::string> lines;
  double share = 1;
  bool cut = true;
};
SetNote set_note(const Ui& ui, const Rect& room, const std::string& note, double share) {
  SetNote set{{}, share, true};
  const double line = share * static_cast<double>(ui.px(kNoteLine));
  const std::size_t count = std::min(kMostLines, static_cast<std::size_t>(room.height / line + 0.05));
  set.lines = wrapped_lines(ui.fonts.small, note, room.width / share, count, set.cut);
  return set;
}

/// Sentences in as many lines as there is room for, somewhat smaller where they do not take it; then as many of the
/// first ones as do, with a sign that there are more. True: not all is there.
bool draw_note(const Ui& ui, const Rect& room, const std::string& note) {
  SetNote set;
  for (const double share : {1.0, 0.9, 0.8}) {
    if (set.cut) set = set_note(ui, room, note, share);
  }
  bool more = false;
  const Rect narrower{room.left, room.top, room.width - static_cast<double>(ui.px(10)), room.height};
  for (const std::size_t end : sentence_ends(note)) {
    if (!set.cut) break;
    set = set_note(ui, narrower, note.substr(0, end), 0.9);
    more = !set.cut;
  }
  if (set.cut) set = set_note(ui, room, note, kSmallestShare);
  const double line = set.share * static_cast<double>(ui.px(kNoteLine));
  const Colour quiet = quiet_text(ui.palette);
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    draw_line({ui.fonts.small, quiet, room.left, room.top + line * (static_cast<double>(i) + 0.5), set.share},
              set.lines[i]);
  }
  if (more) {
    const double last = room.top + line * (static_cast<double>(set.lines.size()) - 0.5);
    draw_line({ui.fonts.small, ui.palette.accent, room.right() - static_cast<double>(text_width(ui.fonts.small, "+")),
               last, 1},
              "+");
  }
  return set.cut || more;
}

/// A button as wide as the card's words; where it is on, as if it were held.
bool draw_action(Ui& ui, const std::string& key, const CardAction& action, const Rect& rect) {
  const Press press = press_area(ui, key, rect, 6);
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(6));
  const Colour rest = action.on ? mixed(ui.palette.panel, ui.palette.accent, 0.22) : ui.palette.raised;
  fill_rect(rect, press.hovered ? mixed(rest, ui.palette.faint, 0.25) : rest, radius);
  outline_rect(ui, rect, action.on ? ui.palette.accent : ui.palette.line, radius);
  const bool cut = draw_line_within({ui.fonts.small, ui.palette.text, rect.left + pad, rect.top + rect.height / 2},
                                    rect.width - 2 * pad, 0.5, action.label);
  if (cut) tooltip_after_rest(ui, key, press.hovered, action.label);
  return press.clicked;
}

}  // namespace

CardPress card(Ui& ui, const Readout& readout, float width, float height, bool beside_actions) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Rect rect = rect_at(origin, static_cast<double>(width), static_cast<double>(height));
  const auto px = [&ui](double measure) { return static_cast<double>(ui.px(measure)); };
  const double pad = std::min(px(kWidgetsCardPadding), rect.width / 12 + px(2)), radius = px(7);
  // The button is no part of the card's own area: of two that lie above each other the lower one would take the mouse.
  const double strip = readout.action ? px(kActionHeight + kActionBottom) : 0;
  const Press press = press_area(ui, "card." + readout.name, {rect.left, rect.top, rect.width, rect.height - strip}, 7);
  fill_rect(rect, ui.palette.panel, radius);
  outline_rect(ui, rect, press.hovered ? mixed(ui.palette.line, ui.palette.faint, 0.4) : ui.palette.line, radius);
  const double left = rect.left + pad, room = std::max(1.0, rect.width - 2 * pad);
  // A low card moves its parts together.
  const double words_height = rect.height - (beside_actions ? px(kActionHeight + kActionBottom) : strip);
  const double tight = std::clamp((words_height - px(96)) / px(36), 0.0, 1.0);
  const auto at = [&](double measure, double moved) { return rect.top + px(measure - (1 - tight) * moved); };
  const bool label_cut =
      draw_line_within({ui.fonts.small, ui.palette.secondary, left, at(kLabelCentre, 4)}, room, 0, readout.label);
  draw_number_widgets_card(ui, {left, at(kNumberCentre, 9) - px(15), room, px(30)}, readout.text);
  const double note_top = at(kNoteTop, 13);
  const double lines_room = std::max(0.0, rect.bottom() - px(kBottom) - strip - note_top);
  const bool cut = draw_note(ui, {left, note_top, room, lines_room}, readout.note);
  std::string tip = label_cut ? readout.label : std::string();
  if (cut) tip += (tip.empty() ? "" : "\n") + readout.note;
  if (cut) tip += "\n" + (*ui.text)["shell.tip.card"];
  if (!readout.tooltip.empty()) tip += (tip.empty() ? "" : "\n\n") + readout.tooltip;
  tooltip_after_rest(ui, "card." + readout.name, press.hovered || (press.focused && focus_is_visible()), tip);
  bool pressed = false;
  if (readout.action) {
    pressed = draw_action(ui, "card." + readout.name + ".action", *readout.action,
                          {left, rect.bottom() - strip, room, px(kActionHeight)});
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(rect.width, rect.height));
  if (pressed) return CardPress::action;
  return press.clicked ? CardPress::body : CardPress::none;
}

// --- Chips ---------------------------------------------------------------------------------------------------------

namespace {

constexpr double kWidgetsChipHeight = 30, kWidgetsChipPadding = 13, kSample = 26, kWidgetsChipGap = 8, kCross = 16;

double px(const Ui& ui, double measure) {
  return static_cast<double>(ui.px(measure));
}

void draw_sample(const Ui& ui, const Stroke& stroke, double left, double centre, bool dimmed) {
  const Colour colour = dimmed ? with_alpha(stroke.colour, 0.35) : stroke.colour;
  Scene scene;
  scene.items.emplace_back(
      PathItem{{{left, centre}, {left + px(ui, kSample), centre}}, colour, px(ui, 2), stroke.dash});
  draw_scene(ImGui::GetWindowDrawList(), ui, scene);
}

}  // namespace

float chip_width(const Ui& ui, const Chip& chip) {
  const double extra = (chip.sample ? kSample + kWidgetsChipGap : 0) + (chip.closable ? kWidgetsChipGap + kCross : 0);
  return std::ceil(text_width(ui.fonts.small, chip.label) + ui.px(2 * kWidgetsChipPadding + extra));
}

ChipClick chip(Ui& ui, const Chip& chip, float widest) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double width = static_cast<double>(std::min(chip_width(ui, chip), std::max(1.0f, widest)));
  const Rect rect = rect_at(origin, width, px(ui, kWidgetsChipHeight));
  const double centre = rect.top + rect.height / 2, radius = rect.height / 2;
  const double for_cross = chip.closable ? px(ui, kCross + kWidgetsChipPadding - 2) : 0;
  Rect body = rect;
  body.width = std::max(1.0, body.width - for_cross);

  const Press press = press_area(ui, chip.key, body, kWidgetsChipHeight / 2);
  Press close;
  if (chip.closable) {
    close =
        press_area(ui, chip.key + ".close", {body.right(), rect.top, for_cross, rect.height}, kWidgetsChipHeight / 2);
  }
  const Colour inside = press.hovered || close.hovered ? ui.palette.raised : ui.palette.panel;
  fill_rect(rect, inside, radius);
  if (chip.dashed_outline) {
    dashed_rect(ui, rect, mixed(ui.palette.line, ui.palette.faint, 0.35), radius);
  } else {
    outline_rect(ui, rect, ui.palette.line, radius);
  }
  double left = rect.left + px(ui, kWidgetsChipPadding);
  if (chip.sample) {
    draw_sample(ui, *chip.sample, left, centre, chip.dimmed);
    left += px(ui, kSample + kWidgetsChipGap);
  }
  const double right =
      chip.closable ? body.right() - px(ui, kWidgetsChipGap - 2) : rect.right() - px(ui, kWidgetsChipPadding);
  const bool quiet = chip.dashed_outline && !press.hovered;
  const Colour colour = chip.dimmed ? ui.palette.faint : quiet ? ui.palette.secondary : ui.palette.text;
  // A label begins with the file's name and ends with what tells curves of one file apart.
  const std::string label = shortened_middle(ui.fonts.small, chip.label, std::max(0.0, right - left + 0.5));
  const bool cut = label != chip.label;
  draw_line({ui.fonts.small, colour, left, centre}, label);
  if (chip.closable) {
    draw_cross(ui, close.rect.left + px(ui, kCross / 2), centre,
               close.hovered ? ui.palette.text : ui.palette.secondary);
  }
  // Again above what was just drawn.
  const std::string tip = cut ? chip.label + (chip.tooltip.empty() ? "" : "\n" + chip.tooltip) : chip.tooltip;
  tooltip_after_rest(ui, chip.key, press.hovered, tip);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(rect.width, rect.height));
  if (close.clicked) return ChipClick::close;
  const bool by_keys =
      press.focused && (key_pressed(Key::menu, false) || (ImGui::GetIO().KeyShift && key_pressed(Key::f10, false)));
  const bool by_mouse = press.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
  if (by_keys || by_mouse) return ChipClick::menu;
  if (press.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, ui.px(4))) return ChipClick::held;
  return press.clicked ? ChipClick::body : ChipClick::none;
}

// --- Frames --------------------------------------------------------------------------------------------------------

namespace {

constexpr double kButtonHeight = 30, kButtonPadding = 14;
constexpr double kItemHeight = 36, kItemPadding = 12;
constexpr double kCloseSize = 24;

/// The left edge of a rounded rectangle in a colour of its own.
void draw_edge_bar(const Rect& rect, Colour colour, double radius, double width) {
  ImGui::PushClipRect(top_left(rect), point(rect.left + width, rect.bottom()), true);
  fill_rect(rect, colour, radius);
  ImGui::PopClipRect();
}

}  // namespace

float button_width(const Ui& ui, const std::string& label) {
  return std::max(ui.px(34), std::ceil(text_width(ui.fonts.small, label) + ui.px(2 * kButtonPadding)));
}

bool button(Ui& ui, std::string_view key, const std::string& label, bool enabled, const std::string& tip) {
  const Rect rect = rect_at(ImGui::GetCursorScreenPos(), static_cast<double>(button_width(ui, label)),
                            static_cast<double>(ui.px(kButtonHeight)));
  const Press press = press_area(ui, key, rect, 6, enabled);
  const double radius = static_cast<double>(ui.px(6));
  const Colour quiet = ui.palette.panel, lively = ui.palette.raised;
  fill_rect(rect, press.held ? ui.palette.line : press.hovered && enabled ? lively : quiet, radius);
  outline_rect(ui, rect, ui.palette.line, radius);
  draw_line_within(
      {ui.fonts.small, enabled ? ui.palette.text : ui.palette.faint, rect.left, rect.top + rect.height / 2}, rect.width,
      0.5, label);
  tooltip_after_rest(ui, key, press.hovered, tip);
  return press.clicked;
}

bool fold_button(Ui& ui, std::string_view key, const std::string& sign, const std::string& tip, Vec2 size) {
  const double line = static_cast<double>(ui.px(24));
  const Rect rect =
      rect_at(ImGui::GetCursorScreenPos(), std::max(static_cast<double>(ui.px(20)), size.x), std::max(line, size.y));
  const float beside = ui.touch ? ui.px(10) : 0;
  ImGui::GetStyle().TouchExtraPadding = {beside, beside};
  const Press press = press_area(ui, key, rect, 5);
  ImGui::GetStyle().TouchExtraPadding = {0, 0};
  if (press.hovered) fill_rect(rect, ui.palette.raised, static_cast<double>(ui.px(5)));
  draw_line_within(
      {ui.fonts.body, press.hovered ? ui.palette.text : ui.palette.secondary, rect.left, rect.top + line / 2},
      rect.width, 0.5, sign);
  tooltip_after_rest(ui, key, press.hovered, tip);
  return press.clicked;
}

bool list_item(Ui& ui, std::string_view key, const std::string& label, const std::string& of_keys, bool selected) {
  const std::string shortcut = ui.touch ? "" : of_keys;
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kItemHeight)), pad = static_cast<double>(ui.px(kItemPadding));
  const double radius = static_cast<double>(ui.px(6)), bar = static_cast<double>(ui.px(3));
  const Press press = press_area(ui, key, rect_at(column.origin, column.width, height));
  const double centre = press.rect.top + height / 2;
  if (selected) {
    fill_rect(press.rect, ui.palette.raised, radius);
    draw_edge_bar(press.rect, ui.palette.accent, radius, bar);
  } else if (press.hovered) {
    fill_rect(press.rect, mixed(ui.palette.panel, ui.palette.raised, 0.7), radius);
  }
  const double shortcut_width = shortcut.empty() ? 0 : static_cast<double>(text_width(ui.fonts.small, shortcut));
  const double room = column.width - 2 * pad - (shortcut.empty() ? 0 : shortcut_width + pad);
  const Colour colour = selected || press.hovered ? ui.palette.text : ui.palette.secondary;
  draw_line_within({ui.fonts.body, colour, press.rect.left + pad, centre}, std::max(0.0, room), 0, label);
  draw_line({ui.fonts.small, quiet_text(ui.palette), press.rect.right() - pad - shortcut_width, centre}, shortcut);
  column.leave(height);
  return press.clicked;
}

BarPress message_bar(Ui& ui, std::string_view key, const Bar& bar) {
  constexpr std::size_t kFewLines = 4, kAllLines = 60;
  const std::string& action = bar.action;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double width = std::max(1.0, static_cast<double>(ImGui::CalcItemWidth()));
  const double pad = static_cast<double>(ui.px(14)), close = static_cast<double>(ui.px(kCloseSize));
  const double line = static_cast<double>(ui.px(19));
  const double button_room = action.empty() ? 0 : static_cast<double>(button_width(ui, action)) + pad;
  bool cut = false;
  const std::vector<std::string> lines =
      wrapped_lines(ui.fonts.small, bar.text, std::max(1.0, width - 3 * pad - close - button_room),
                    bar.unfolded ? kAllLines : kFewLines, cut);
  const double height = std::max(line * static_cast<double>(std::max<std::size_t>(1, lines.size())),
                                 action.empty() ? 0.0 : static_cast<double>(ui.px(kButtonHeight - 6))) +
                        static_cast<double>(ui.px(18));
  const Rect rect = rect_at(origin, width, height);
  const double radius = static_cast<double>(ui.px(7));
  const Colour mark = bar.is_error ? ui.palette.warning : ui.palette.accent;
  fill_rect(rect, ui.palette.raised, radius);
  draw_edge_bar(rect, mark, radius, static_cast<double>(ui.px(3)));
  outline_rect(ui, rect, with_alpha(mark, 0.5), radius);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double middle = static_cast<double>(i) + 0.5 - 0.5 * static_cast<double>(lines.size());
    draw_line({ui.fonts.small, ui.palette.text, rect.left + pad, rect.top + rect.height / 2 + line * middle}, lines[i]);
  }
  const std::string close_key = std::string(key) + ".close";
  const double centre = rect.top + rect.height / 2;
  const Press press = press_area(ui, close_key, {rect.right() - pad / 2 - close, centre - close / 2, close, close}, 5);
  if (press.hovered) fill_rect(press.rect, ui.palette.line, static_cast<double>(ui.px(5)));
  draw_cross(ui, press.rect.left + close / 2, centre, press.hovered ? ui.palette.text : ui.palette.secondary);
  bool acted = false;
  if (!action.empty()) {
    ImGui::SetCursorScreenPos(
        {static_cast<float>(press.rect.left - button_room), static_cast<float>(centre) - ui.px(kButtonHeight) / 2});
    acted = button(ui, std::string(key) + ".action", action);
  }
  // What is left of the bar unfolds it.
  const bool folds = cut || bar.unfolded;
  const double body = std::max(1.0, press.rect.left - button_room - rect.left);
  const Press whole = press_area(ui, key, {rect.left, rect.top, body, rect.height}, 7, folds);
  if (cut) tooltip_after_rest(ui, key, whole.hovered, (*ui.text)["shell.tip.card"]);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(width, height));
  if (acted) return BarPress::action;
  if (press.clicked) return BarPress::close;
  return folds && whole.clicked ? BarPress::body : BarPress::none;
}

}  // namespace ropescope::ui
