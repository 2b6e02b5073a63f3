// Cards, chips, and parts of the frame.
//
// Contents: Cards; Chips; Frames.

#include "app/ui/widgets.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"

namespace ropescope::ui {

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

// Sizes at 100 %.
constexpr double kCardEdgePadding = 16, kCardTop = 10, kCardLine = 17, kNumberHeight = 35, kCardBottom = 12;
constexpr double kActionHeight = 28, kActionBottom = 12;
constexpr double kLargeNumber = 17;     ///< a number is drawn smaller rather than wrapped, down to this em height …
constexpr double kSmallestNumber = 15;  ///< … and rather than cut off, down to this one
/// Em heights of labels and notes, from the preferred one; none is below the smallest of the window.
constexpr std::array kCardSizes = {13.0, 12.0, kLeastText};
/// Heights of notes: two lines; three of 12 px; four of 11 px.
constexpr std::array kNoteHeights = {2 * kCardLine, 48.0, 58.0};

/// A text in lines of one size, and whether it is incomplete.
struct SetText {
  std::vector<std::string> lines;
  double share = 1;
  bool cut = true;
};

/// Breaks a text into as many lines as fit, in the largest size at which all of it fits, else in the smallest.
SetText set_text(const Ui& ui, const Rect& room, const std::string& text) {
  SetText set;
  for (const double em : kCardSizes) {
    if (!set.cut) break;
    set.share = share_of_em(ui, ui.fonts.small, std::max(em, ui.least_text));
    const double line = set.share * static_cast<double>(ui.px(kCardLine));
    const auto count = static_cast<std::size_t>(room.height / line + 0.05);
    set.lines = wrapped_lines(ui.fonts.small, text, room.width / set.share, count, set.cut);
  }
  return set;
}

/// Draws the value: a number in its font, smaller if its width requires it; words in two lines of a smaller font.
/// Returns true if it is incomplete.
bool draw_card_number(const Ui& ui, const Rect& room, const std::string& text) {
  ImFont* font = ui.fonts.number;
  const double width = static_cast<double>(text_width(font, text)), em = ui.fonts.em_of(font);
  const double share = room.width / std::max(1.0, width), middle = room.top + room.height / 2;
  if (share < kLargeNumber / em) {
    bool cut = false;
    ImFont* small = ui.fonts.semibold;
    const std::vector<std::string> lines = wrapped_lines(small, text, room.width, 2, cut);
    const double line = static_cast<double>(ui.px(kCardLine));
    for (std::size_t i = 0; !cut && i < lines.size(); ++i) {
      const double at = static_cast<double>(i) + 0.5 - 0.5 * static_cast<double>(lines.size());
      draw_line({small, ui.palette.text, room.left, middle + line * at}, lines[i]);
    }
    if (!cut) return false;
  }
  LineOfText line{font, ui.palette.text, room.left, middle};
  line.least_share = kSmallestNumber / em;
  return draw_line_within(line, room.width, 0, text);
}

/// Returns where a note may end early: after a sentence; the longest first, excluding the whole note.
std::vector<std::size_t> sentence_ends(const std::string& note) {
  std::vector<std::size_t> ends;
  // A stop, and how many of its bytes belong to the sentence.
  constexpr std::pair<std::string_view, std::size_t> kStops[] = {{". ", 1}, {"。", 3}, {"\n", 0}};
  for (const auto& [stop, kept] : kStops) {
    for (std::size_t at = note.find(stop); at != std::string::npos; at = note.find(stop, at + 1)) {
      if (at + kept < note.size()) ends.push_back(at + kept);
    }
  }
  std::sort(ends.rbegin(), ends.rend());
  return ends;
}

/// A note as shown, and whether there is more of it.
struct SetNote : SetText {
  bool more = false;
};

/// Sets all of a note if it fits; else as many of its first sentences as fit; else its first lines.
SetNote set_note(const Ui& ui, const Rect& room, const std::string& note) {
  SetNote set{set_text(ui, room, note)};
  if (!set.cut) return set;
  set.more = true;
  const Rect narrower{room.left, room.top, room.width - static_cast<double>(ui.px(10)), room.height};
  for (const std::size_t end : sentence_ends(note)) {
    SetText part = set_text(ui, narrower, note.substr(0, end));
    if (part.cut) continue;
    static_cast<SetText&>(set) = std::move(part);
    return set;
  }
  static_cast<SetText&>(set) = set_text(ui, narrower, note);
  return set;
}

/// Draws a note, with a sign at its end if there is more. Returns true if the note is incomplete.
bool draw_note(const Ui& ui, const Rect& room, const std::string& note) {
  const SetNote set = set_note(ui, room, note);
  const double line = set.share * static_cast<double>(ui.px(kCardLine));
  const Colour quiet = quiet_text(ui.palette);
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    draw_line({ui.fonts.small, quiet, room.left, room.top + line * (static_cast<double>(i) + 0.5), set.share},
              set.lines[i]);
  }
  if (set.more) {
    const double last = room.top + line * (std::max(1.0, static_cast<double>(set.lines.size())) - 0.5);
    draw_line({ui.fonts.small, ui.palette.accent, room.right() - static_cast<double>(text_width(ui.fonts.small, "+")),
               last, 1},
              "+");
  }
  return set.more;
}

/// Draws a label in its lines. Returns true if it is incomplete.
bool draw_card_label(const Ui& ui, const Rect& room, const std::string& label) {
  const SetText set = set_text(ui, room, label);
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    const double centre = room.top + static_cast<double>(ui.px(kCardLine)) * (static_cast<double>(i) + 0.5);
    draw_line({ui.fonts.small, ui.palette.secondary, room.left, centre, set.share}, set.lines[i]);
  }
  return set.cut;
}

/// Returns whether cards have only labels and numbers, as in presentation mode; a wide one has its note beside them.
bool has_large_text(const Ui& ui) {
  return ui.least_text > kLeastText;
}

double card_padding(const Ui& ui, double width) {
  return std::min(static_cast<double>(ui.px(kCardEdgePadding)), width / 12 + static_cast<double>(ui.px(2)));
}

/// Draws a button as wide as the card's words; shown as held while it is on.
bool draw_action(Ui& ui, const std::string& key, const CardAction& action, const Rect& rect) {
  const Press press = press_area(ui, key, rect, 6);
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(6));
  const Colour rest = action.on ? mixed(ui.palette.panel, ui.palette.accent, 0.22) : ui.palette.raised;
  fill_rect(rect, press.hovered ? mixed(rest, ui.palette.faint, 0.25) : rest, radius);
  outline_rect(ui, rect, action.on ? ui.palette.accent : ui.palette.line, radius);
  LineOfText line{ui.fonts.small, ui.palette.text, rect.left + pad, rect.top + rect.height / 2};
  line.least_share = share_of_em(ui, line.font, ui.least_text);
  const bool cut = draw_line_within(line, rect.width - 2 * pad, 0.5, action.label);
  if (cut) tooltip_after_rest(ui, key, press.hovered, action.label);
  return press.clicked;
}

// --- Chips ---------------------------------------------------------------------------------------------------------

constexpr double kChipHeight = 30, kChipPadding = 13, kSample = 26, kChipInnerGap = 8, kCross = 16;

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

// --- Frames --------------------------------------------------------------------------------------------------------

constexpr double kButtonHeight = 30, kButtonPadding = 14;
constexpr double kItemPadding = 12;
constexpr double kCloseSize = 24;

/// Draws the left edge of a rounded rectangle in another colour.
void draw_edge_bar(const Rect& rect, Colour colour, double radius, double width) {
  ImGui::PushClipRect(top_left(rect), point(rect.left + width, rect.bottom()), true);
  fill_rect(rect, colour, radius);
  ImGui::PopClipRect();
}

}  // namespace

double CardText::height() const {
  return kCardTop + static_cast<double>(label_lines) * kCardLine + kNumberHeight + note_height + kCardBottom;
}

CardText measure_card(const Ui& ui, const Readout& readout, double width) {
  const double room = std::max(1.0, width - 2 * card_padding(ui, width));
  const auto fits = [&](double height) {
    return !set_text(ui, {0, 0, room, static_cast<double>(ui.px(height))}, readout.label).cut;
  };
  CardText text;
  text.label_lines = fits(kCardLine) ? 1 : 2;
  if (has_large_text(ui)) return text;  // the figures need the height
  for (const double height : kNoteHeights) {
    text.note_height = height;
    if (!set_note(ui, {0, 0, room, static_cast<double>(ui.px(height))}, readout.note).more) return text;
  }
  // Too long for any card: its first sentences in as few lines as possible.
  for (const double height : kNoteHeights) {
    text.note_height = height;
    if (!set_note(ui, {0, 0, room, static_cast<double>(ui.px(height))}, readout.note).cut) return text;
  }
  return text;
}

CardPress card(Ui& ui, const Readout& readout, float width, float height, const CardText& text) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Rect rect = rect_at(origin, static_cast<double>(width), static_cast<double>(height));
  const auto px = [&ui](double measure) { return static_cast<double>(ui.px(measure)); };
  const double pad = card_padding(ui, rect.width), radius = px(7);
  // The button is not part of the card's area: of two overlapping items the lower one would take the mouse.
  const double strip = readout.action ? px(kActionHeight + kActionBottom) : 0;
  const Press press = press_area(ui, "card." + readout.name, {rect.left, rect.top, rect.width, rect.height - strip}, 7);
  fill_rect(rect, ui.palette.panel, radius);
  outline_rect(ui, rect, press.hovered ? mixed(ui.palette.line, ui.palette.faint, 0.4) : ui.palette.line, radius);
  const double left = rect.left + pad, whole = std::max(1.0, rect.width - 2 * pad);
  constexpr double kWideCard = 380, kNoteShare = 0.56;
  const bool large = has_large_text(ui), beside = large && rect.width >= px(kWideCard) && !readout.note.empty();
  const double room = beside ? (1 - kNoteShare) * whole - pad : whole;
  const double label_height = px(static_cast<double>(text.label_lines) * kCardLine);
  const double number_top = rect.top + px(kCardTop) + label_height, note_top = number_top + px(kNumberHeight);
  const bool label_cut = draw_card_label(ui, {left, rect.top + px(kCardTop), room, label_height}, readout.label);
  const bool number_cut = draw_card_number(ui, {left, number_top, room, px(kNumberHeight)}, readout.text);
  Rect note{left, note_top, whole, std::max(0.0, rect.bottom() - px(kCardBottom) - strip - note_top)};
  if (beside) {
    const double top = rect.top + px(kCardTop);
    note = {left + (1 - kNoteShare) * whole, top, kNoteShare * whole, rect.bottom() - px(kCardBottom) - strip - top};
  }
  const bool noted = beside || !large;
  const bool cut = (noted ? draw_note(ui, note, readout.note) : !readout.note.empty()) || number_cut;
  std::string tip = label_cut ? readout.label : std::string();
  if (number_cut) tip += (tip.empty() ? "" : "\n") + readout.text;
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

float chip_width(const Ui& ui, const Chip& chip) {
  const double extra = (chip.sample ? kSample + kChipInnerGap : 0) + (chip.closable ? kChipInnerGap + kCross : 0);
  return std::ceil(text_width(ui.fonts.small, chip.label) + ui.px(2 * kChipPadding + extra));
}

ChipClick chip(Ui& ui, const Chip& chip, float widest) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double width = static_cast<double>(std::min(chip_width(ui, chip), std::max(1.0f, widest)));
  const Rect rect = rect_at(origin, width, px(ui, kChipHeight));
  const double centre = rect.top + rect.height / 2, radius = rect.height / 2;
  const double for_cross = chip.closable ? px(ui, kCross + kChipPadding - 2) : 0;
  Rect body = rect;
  body.width = std::max(1.0, body.width - for_cross);

  const Press press = press_area(ui, chip.key, body, kChipHeight / 2);
  Press close;
  if (chip.closable) {
    close = press_area(ui, chip.key + ".close", {body.right(), rect.top, for_cross, rect.height}, kChipHeight / 2);
  }
  const Colour inside = press.hovered || close.hovered ? ui.palette.raised : ui.palette.panel;
  fill_rect(rect, inside, radius);
  if (chip.dashed_outline) {
    dashed_rect(ui, rect, mixed(ui.palette.line, ui.palette.faint, 0.35), radius);
  } else {
    outline_rect(ui, rect, ui.palette.line, radius);
  }
  double left = rect.left + px(ui, kChipPadding);
  if (chip.sample) {
    draw_sample(ui, *chip.sample, left, centre, chip.dimmed);
    left += px(ui, kSample + kChipInnerGap);
  }
  const double right = chip.closable ? body.right() - px(ui, kChipInnerGap - 2) : rect.right() - px(ui, kChipPadding);
  const bool quiet = chip.dashed_outline && !press.hovered;
  const Colour colour = chip.dimmed ? ui.palette.faint : quiet ? ui.palette.secondary : ui.palette.text;
  // A label begins with the file's name and ends with the part that distinguishes curves of one file.
  const std::string label = shortened_middle(ui.fonts.small, chip.label, std::max(0.0, right - left + 0.5));
  const bool cut = label != chip.label;
  draw_line({ui.fonts.small, colour, left, centre}, label);
  if (chip.closable) {
    draw_cross(ui, close.rect.left + px(ui, kCross / 2), centre,
               close.hovered ? ui.palette.text : ui.palette.secondary);
  }
  // Again, on top of the items just drawn.
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

std::vector<Rect> places_in_rows(const Rect& room, const std::vector<double>& widths, double height, double gap) {
  std::vector<Rect> places;
  double x = room.left, y = room.top;
  for (const double width : widths) {
    if (x > room.left && x + width > room.right()) {
      x = room.left;
      y += height + gap;
    }
    places.push_back({x, y, width, height});
    x += width + gap;
  }
  return places;
}

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
  // On a strip the sign is at the top, on a large button in the middle.
  const double centre = rect.top + (rect.height < 2 * line ? rect.height : line) / 2;
  draw_line_within({ui.fonts.body, press.hovered ? ui.palette.text : ui.palette.secondary, rect.left, centre},
                   rect.width, 0.5, sign);
  tooltip_after_rest(ui, key, press.hovered, tip);
  return press.clicked;
}

bool list_item(Ui& ui, std::string_view key, const std::string& label, const std::string& of_keys, bool selected,
               double height_at_100) {
  const std::string shortcut = ui.touch ? "" : of_keys;
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(height_at_100)), pad = static_cast<double>(ui.px(kItemPadding));
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
  // The rest of the bar expands it.
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
