// The control of a number: its slider, its value as typed, and its button to play. Declared in widgets.h.

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/ui/controls.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

constexpr double kBetween = 10;  ///< between label and value

// Sizes at 100 %.
constexpr double kTrackCentre = 27, kTrack = 4, kHandle = 8, kField = 5, kPlainHeight = 36, kTickCentre = 42,
                 kLogHeight = 56, kPlay = 16, kPlayGap = 6;
constexpr double kArrowDecades = 0.02;  ///< one arrow key on a logarithmic slider: × 10^0.02
constexpr double kArrowShare = 0.01;    ///< and as a share of the range on a linear one without steps
constexpr int kDraggedDigits = 3;       ///< significant digits of a dragged logarithmic value

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
  // Division by a power of ten is exact, multiplication by 0.01 is not.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

/// Returns the value one arrow-key step away; it always differs within the range.
double step_value(const NumberField& field, double value, int direction, bool large) {
  const double times = large ? 10 : 1;
  if (!field.linear) {
    const double share = direction * kArrowDecades * times;
    double next = clamp_to(field, rounded(value * std::pow(10, share), kDraggedDigits + 1));
    const double least = field.step > 0 ? field.step : field.whole ? 1 : 0;
    if (next == value && least > 0) next = clamp_to(field, value + direction * least);
    return next;
  }
  double step = field.step > 0 ? field.step : kArrowShare * (field.highest - field.lowest);
  if (field.whole) step = std::max(1.0, std::round(step));
  return clamp_to(field, value + direction * step * times);
}

/// Parses "1e6", "10 000", "131072", with any space or underscore between digits and a true minus.
std::optional<double> parse_typed_number(const std::string& typed) {
  std::string plain;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string_view rest = std::string_view(typed).substr(i);
    if (rest.starts_with("\u2212")) {
      plain += '-';
      i += 2;
    } else if (rest.starts_with("\u202F") || rest.starts_with("\u2009")) {
      i += 2;
    } else if (rest.starts_with("\u00A0")) {
      i += 1;
    } else if (typed[i] != ' ' && typed[i] != '_') {
      plain += typed[i];
    }
  }
  return parse_number(plain);
}

struct Slider {
  Rect track;         ///< path of the handle's middle
  double centre = 0;  ///< y
  double position(double fraction) const { return track.left + fraction * track.width; }
  double fraction(double x) const { return (x - track.left) / std::max(1.0, track.width); }
};

void draw_slider(const Ui& ui, const NumberField& field, const Slider& slider, double value, const Press& press) {
  const double half = static_cast<double>(ui.px(kTrack)) / 2, over = static_cast<double>(ui.px(kHandle));
  const double at = slider.position(slider_fraction(field, value));
  const Rect rail{slider.track.left - over, slider.centre - half, slider.track.width + 2 * over, 2 * half};
  fill_rect(rail, mixed(ui.palette.raised, ui.palette.line, 0.35), half);
  fill_rect({rail.left, rail.top, at - rail.left, rail.height}, ui.palette.accent, half);
  const double initial = slider.position(slider_fraction(field, field.initial));
  if (std::abs(initial - at) > over) {
    const double notch = static_cast<double>(ui.px(5)), thin = static_cast<double>(ui.px(1));
    fill_rect({initial - thin, slider.centre - notch, 2 * thin, 2 * notch}, ui.palette.faint, thin);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 middle = point(at, slider.centre);
  const bool lively = press.hovered || press.held;
  list->AddCircleFilled(middle, ui.px(kHandle), colour32(ui.palette.panel), 32);
  list->AddCircle(middle, ui.px(kHandle), colour32(ui.palette.accent), 32, ui.px(lively ? 2 : 1.25));
  list->AddCircleFilled(middle, ui.px(press.held ? kField + 0.75 : kField), colour32(ui.palette.text), 32);
}

void draw_ticks(const Ui& ui, const NumberField& field, const Slider& slider, const Column& column) {
  struct Tick {
    double left, right;
    std::string label;
  };
  const int last = static_cast<int>(std::floor(std::log10(field.highest) + 1e-9));
  const int first = field.lowest > 0 ? static_cast<int>(std::ceil(std::log10(field.lowest) - 1e-9)) : 0;
  const double right = column.origin.x + column.width;
  for (int every = 1; every <= std::max(1, last - first); ++every) {
    std::vector<Tick> ticks;
    bool apart = true;
    for (int decade = first; decade <= last; decade += every) {
      const std::string label = decade == 0 ? "1" : decade == 1 ? "10" : power_of_ten(decade);
      const double width = static_cast<double>(text_width(ui.fonts.small, label));
      const double middle = slider.position(slider_fraction(field, std::pow(10, decade)));
      const double left = std::clamp(middle - width / 2, static_cast<double>(column.origin.x), right - width);
      if (!ticks.empty() && left < ticks.back().right + static_cast<double>(ui.px(16))) apart = false;
      ticks.push_back({left, left + width, label});
    }
    if (!apart) continue;
    const double centre = column.origin.y + static_cast<double>(ui.px(kTickCentre));
    for (const Tick& tick : ticks) draw_line({ui.fonts.small, quiet_text(ui.palette), tick.left, centre}, tick.label);
    return;
  }
}

Edit react_to_slider(Ui& ui, const NumberField& field, const Slider& slider, const Press& press, double& value) {
  WidgetState& state = ui.state;
  if (press.double_clicked) {
    state.dragged_key.clear();
    value = field.initial;
    return Edit::reset;
  }
  const double mouse = static_cast<double>(ImGui::GetIO().MousePos.x);
  if (ImGui::IsItemActivated() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const double off = slider.position(slider_fraction(field, value)) - mouse;
    // A grabbed handle keeps its offset to the mouse; a press on the bare track makes it jump.
    state.drag_offset = std::abs(off) <= static_cast<double>(ui.px(kHandle)) ? static_cast<float>(off) : 0;
    state.dragged_key = field.key;
  }
  if (state.dragged_key != field.key) return Edit::none;
  if (!press.held) {
    state.dragged_key.clear();
    return Edit::done;
  }
  const double fraction = slider.fraction(mouse + static_cast<double>(state.drag_offset));
  const bool still = ImGui::GetIO().MouseDelta.x == 0 && std::abs(slider_fraction(field, value) - fraction) < 0.005;
  if (still) return Edit::none;  // a mere click on the handle must not round a typed value
  const double next = dragged_value(field, std::clamp(fraction, 0.0, 1.0), ImGui::GetIO().KeyShift);
  if (next == value) return Edit::none;
  value = next;
  return Edit::changing;
}

Edit step_by_arrow_keys(Ui& ui, const NumberField& field, const Press& press, double& value) {
  if (!press.focused || is_typing(ui, field.key)) return Edit::none;
  const bool right = key_pressed(Key::right), left = key_pressed(Key::left);
  if (!right && !left) return Edit::none;
  keep_focus_here();
  const double next = step_value(field, value, right ? 1 : -1, ImGui::GetIO().KeyShift);
  if (next == value) return Edit::none;
  value = next;
  return Edit::done;
}

/// Draws the number right of the label: text until it is clicked, then an input field.
Edit value_cell(Ui& ui, const NumberField& field, const Rect& row, double& value) {
  const std::string key(field.key);
  // A phone's keyboard of digits has no minus, and no letters for 500k or 1e6.
  constexpr double kMaxByDigits = 10000;
  const char* const keyboard = field.lowest < 0 || field.highest >= kMaxByDigits ? "" : "decimal";
  if (is_typing(ui, key)) {
    const Typing typing = typing_field(ui, key, row);
    if (typing.active) return Edit::changing;
    if (!typing.committed) return Edit::none;
    const std::optional<double> number = parse_typed_number(typing.text);
    if (number) {
      const double next = clamp_to(field, *number);
      if (next == value) return Edit::none;
      value = next;
      return Edit::done;
    }
    refuse_typing(ui, key);
    if (typing.by_enter) start_typing(ui, key, typing.text, keyboard);
    return Edit::none;
  }
  const std::string shown = displayed_number(ui, field, value);
  const double width = std::min(row.width, static_cast<double>(text_width(ui.fonts.body, shown)));
  bool refused = false;
  const double shift = shake_of(ui, key, refused);
  const Rect cell{row.right() - width, row.top, width, row.height};
  const Press press = mouse_area(ui, key + ".value", grown(cell, static_cast<double>(ui.px(2))));
  if (press.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  const Colour colour = refused ? ui.palette.warning : press.hovered ? ui.palette.accent : ui.palette.text;
  draw_line_within({ui.fonts.body, colour, cell.left + shift, cell.top + cell.height / 2}, width, 1, shown);
  if (press.clicked) start_typing(ui, key, shortest_number(value), keyboard);
  return Edit::none;
}

/// Returns the width of the value in the label's row. If both do not fit, the label keeps its minimum.
double value_width(const Ui& ui, const NumberField& field, double value, double row) {
  if (is_typing(ui, field.key)) return std::min(std::max(0.5 * row, static_cast<double>(ui.px(110))), row);
  const double label = static_cast<double>(text_width(ui.fonts.body, label_of(ui, field.key)));
  const double most = std::max(row / 3, row - kSmallestShare * label - static_cast<double>(ui.px(kBetween)));
  return std::min(most, static_cast<double>(text_width(ui.fonts.body, displayed_number(ui, field, value))));
}

/// Draws ▷ or ⏸ in the middle of a square.
void draw_play_sign(const Ui& ui, const Rect& rect, Colour colour, bool playing) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double x = rect.left + rect.width / 2, y = rect.top + rect.height / 2;
  const auto px = [&ui](double measure) { return static_cast<double>(ui.px(measure)); };
  if (playing) {
    fill_rect({x - px(4), y - px(5), px(3), px(10)}, colour);
    fill_rect({x + px(1), y - px(5), px(3), px(10)}, colour);
    return;
  }
  list->AddTriangle(point(x - px(3.5), y - px(5)), point(x - px(3.5), y + px(5)), point(x + px(5), y), colour32(colour),
                    ui.px(1.4));
}

/// Handles the button that plays the field. By mouse; on the keyboard Shift+Enter on the field does the same. Returns
/// whether the mouse is on it.
bool react_to_play(Ui& ui, const std::string& key, const Rect& rect, const Press& slider) {
  const std::string play = key + ".play";
  FieldSweep& sweep = ui.sweep;
  const Press press = mouse_area(ui, play, rect);
  const bool requested_speed = press.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (requested_speed) sweep.speed_of = key;
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  const bool by_keys = slider.focused && focus_is_visible() && entered && ImGui::GetIO().KeyShift;
  if (press.clicked || by_keys) sweep.press(key);
  if (sweep.key == key) {
    sweep.focused = slider.focused && focus_is_visible();
    if (held_by_mouse(slider.id) || is_typing(ui, key)) sweep.end();
  }
  const bool mine = sweep.key == key;
  const Colour colour = mine || press.hovered ? ui.palette.accent : ui.palette.secondary;
  draw_play_sign(ui, rect, colour, sweep.plays(key));
  tooltip_after_rest(ui, play, press.hovered, (*ui.text)[mine && !sweep.held ? "shell.tip.hold" : "shell.tip.sweep"]);
  return press.hovered;
}

/// Returns whether Enter or Space on the focused slider starts typing, not playing or pausing.
bool starts_typing(const Ui& ui, const std::string& key, const Press& slider) {
  if (!slider.clicked || !slider.focused || ImGui::IsMouseReleased(ImGuiMouseButton_Left)) return false;
  return !ImGui::GetIO().KeyShift && !(ui.sweep.key == key && key_pressed(Key::space, false));
}

}  // namespace

std::string displayed_number(const Ui& ui, const NumberField& field, double value) {
  if (value == 0 && !field.zero.empty()) {
    return ui.text->format(field.zero, {{"base", readable_number(field.zero_value)}});
  }
  const std::string number = field.whole ? readable_integer(value) : readable_number(value);
  return field.unit.empty() ? number : number + "\u00A0" + (*ui.text)[field.unit];
}

double dragged_value(const NumberField& field, double fraction, bool freely) {
  const double value = slider_value(field, fraction);
  if (fraction <= 0 || fraction >= 1 || field.linear || field.step > 0) return value;
  const bool round = field.round && !freely;
  // A base is never 1.
  return clamp_to(field, rounded(value, round && value >= 1.5 ? 1 : kDraggedDigits));
}

Edit number_control(Ui& ui, const NumberField& field, double& value, bool animates) {
  const std::string key(field.key);
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(!field.linear ? kLogHeight : kPlainHeight));
  const double label_row = static_cast<double>(ui.px(kLabelRow)), over = static_cast<double>(ui.px(kHandle));
  const double taken = value_width(ui, field, value, column.width);
  const double for_label = std::max(0.0, column.width - taken - static_cast<double>(ui.px(kBetween)));
  const Press label = control_label(ui, key, label_of(ui, key), column, for_label);

  Edit edit = value_cell(ui, field, {column.origin.x + column.width - taken, column.origin.y, taken, label_row}, value);

  const double side = static_cast<double>(ui.px(kPlay));
  const double play = animates ? side + static_cast<double>(ui.px(kPlayGap)) : 0;
  Slider slider;
  slider.centre = std::floor(column.origin.y + static_cast<double>(ui.px(kTrackCentre)));
  slider.track = {column.origin.x + over, slider.centre, std::max(1.0, column.width - play - 2 * over), 0};
  const Press press = press_area(ui, key, {column.origin.x, slider.centre - over, column.width - play, 2 * over}, 8);
  if (is_typing(ui, key)) ui.state.edited_stop = press.id;
  const Edit dragged = react_to_slider(ui, field, slider, press, value);
  const Edit stepped = step_by_arrow_keys(ui, field, press, value);
  if (starts_typing(ui, key, press)) start_typing(ui, key, shortest_number(value));
  if (label.double_clicked) {
    value = field.initial;
    edit = Edit::reset;
  }
  if (dragged != Edit::none) edit = dragged;
  if (stepped != Edit::none) edit = stepped;

  Press lively = press;
  lively.hovered = press.hovered || label.hovered;
  draw_slider(ui, field, slider, value, lively);
  if (!field.linear) draw_ticks(ui, field, slider, column);
  const bool on_play =
      animates &&
      react_to_play(ui, key, {column.origin.x + column.width - side, slider.centre - side / 2, side, side}, press);
  if (ui.record) {
    const double at = slider.position(slider_fraction(field, value));
    ui.record->add(key + ".handle", {at - over, slider.centre - over, 2 * over, 2 * over});
  }
  const std::string help =
      field.round
          ? ui.text->format("list.sentences", {{"first", help_of(ui, key)}, {"second", (*ui.text)["shell.tip.round"]}})
          : help_of(ui, key);
  help_after_rest(ui, key, area_of(column, height), on_play, help);
  column.leave(height);
  return edit;
}

}  // namespace ropescope::ui
