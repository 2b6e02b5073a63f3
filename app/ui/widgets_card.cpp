#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/figure/screen_line.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

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

}  // namespace ropescope::ui
