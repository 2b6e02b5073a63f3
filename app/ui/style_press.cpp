#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kTooltipDelay = 0.5;  ///< seconds that the mouse has to rest
constexpr double kTooltipWidth = 360, kTooltipPadX = 12, kTooltipPadY = 9;

/// Once a frame: Tab takes the next of the stops that the last frame drew in the focused window or popup. ImGui 1.86
/// knows Tab between text fields only.
void begin_tab_order(WidgetState& state) {
  if (state.stops_frame == ImGui::GetFrameCount()) return;
  state.stops_frame = ImGui::GetFrameCount();
  state.previous_stops = std::exchange(state.stops, {});
  const ImGuiIO& io = ImGui::GetIO();
  if (!key_pressed(Key::tab) || io.KeyCtrl || io.KeyAlt) return;
  keep_focus_here();
  std::vector<WidgetState::TabStop>& stops = state.previous_stops;
  const unsigned root = focused_root_window();
  if (root != 0) std::erase_if(stops, [root](const auto& stop) { return stop.window != root; });
  if (stops.empty()) return;
  const unsigned focused = state.edited_key.empty() || state.edited_stop == 0 ? focused_item() : state.edited_stop;
  const auto here =
      std::find_if(stops.begin(), stops.end(), [focused](const auto& stop) { return stop.id == focused; });
  const bool known = here != stops.end();
  if (io.KeyShift) {
    state.focus_wanted = known && here != stops.begin() ? std::prev(here)->id : stops.back().id;
  } else {
    state.focus_wanted = known && std::next(here) != stops.end() ? std::next(here)->id : stops.front().id;
  }
}

/// The next tooltip under a rectangle, above it where there is no room, else at its right: it never covers what it
/// explains.
void place_beside(const Ui& ui, const Rect& rect, const std::string& text) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const double wide = std::min<double>(ui.px(kTooltipWidth), 0.9 * static_cast<double>(screen.x)), gap = ui.px(6);
  bool cut = false;
  const auto lines = wrapped_lines(ui.fonts.small, text, wide, text.size(), cut);
  double width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, static_cast<double>(text_width(ui.fonts.small, line)));
  }
  width += static_cast<double>(ui.px(2 * kTooltipPadX));
  const double height = static_cast<double>(lines.size()) * static_cast<double>(font_size(ui.fonts.small)) +
                        static_cast<double>(ui.px(2 * kTooltipPadY));
  const double left = std::clamp(rect.left, 0.0, std::max(0.0, static_cast<double>(screen.x) - width));
  if (rect.bottom() + gap + height <= static_cast<double>(screen.y)) {
    ImGui::SetNextWindowPos(point(left, rect.bottom() + gap));
  } else if (rect.top - gap - height >= 0) {
    ImGui::SetNextWindowPos(point(left, rect.top - gap - height));
  } else if (rect.right() + gap + width <= static_cast<double>(screen.x)) {
    const double top = std::max(0.0, static_cast<double>(screen.y) - height);
    ImGui::SetNextWindowPos(point(rect.right() + gap, std::min(rect.top, top)));
  }
}

}  // namespace

bool tab_stop(Ui& ui, double radius) {
  WidgetState& state = ui.state;
  begin_tab_order(state);
  const unsigned id = last_item();
  state.stops.push_back({id, current_root_window()});
  if (state.focus_wanted == id && id != 0) {
    focus_last_item();
    state.focus_wanted = 0;
  }
  const bool focused = ImGui::IsItemFocused();
  if (focused && focus_is_visible()) {
    const double gap = static_cast<double>(ui.px(2));
    const Rect ring = grown(last_item_rect(), gap);
    ImGui::GetWindowDrawList()->AddRect(top_left(ring), bottom_right(ring), colour32(ui.palette.accent),
                                        ui.px(radius) + ui.px(2), 0, ui.px(1.5));
  }
  return focused;
}

Press press_area(Ui& ui, std::string_view key, const Rect& rect, double radius, bool enabled) {
  Press press;
  press.rect = rect;
  const ImVec2 size = point(std::max(1.0, rect.width), std::max(1.0, rect.height));
  ImGui::SetCursorScreenPos(top_left(rect));
  if (ui.record) ui.record->add(std::string(key), rect);
  if (!enabled) {
    ImGui::Dummy(size);
    press.hovered = ImGui::IsItemHovered();
    return press;
  }
  press.clicked = invisible_button(std::string(key).c_str(), size);
  press.hovered = ImGui::IsItemHovered();
  press.held = ImGui::IsItemActive();
  press.double_clicked = press.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  press.id = last_item();
  std::string& wanted = ui.state.focus_key;
  if (!wanted.empty() && (key == wanted || key.starts_with(wanted + "."))) {
    wanted.clear();
    focus_last_item();
  }
  press.focused = tab_stop(ui, radius);
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  if (press.focused && focus_is_visible() && entered && !ImGui::IsAnyItemActive()) press.clicked = true;
  return press;
}

Press mouse_area(Ui& ui, std::string_view key, const Rect& rect) {
  Press press;
  press.rect = rect;
  ImGui::SetCursorScreenPos(top_left(rect));
  if (ui.record) ui.record->add(std::string(key), rect);
  begin_mouse_only();
  press.clicked =
      ImGui::InvisibleButton(std::string(key).c_str(), point(std::max(1.0, rect.width), std::max(1.0, rect.height)));
  end_mouse_only();
  press.hovered = ImGui::IsItemHovered();
  press.held = ImGui::IsItemActive();
  press.double_clicked = press.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  return press;
}

std::optional<double> tooltip_due(const WidgetState& state, double now) {
  // A little later: what is due at a time is not always over at that time as it is counted.
  const double due = state.hovered_since + kTooltipDelay + 0.01;
  if (state.hovered_key.empty() || now >= due) return std::nullopt;
  return due;
}

void tooltip_after_rest(Ui& ui, std::string_view key, bool hovered, const std::string& text) {
  WidgetState& state = ui.state;
  if (!hovered || text.empty()) {
    if (state.hovered_key == key) state.hovered_key.clear();
    return;
  }
  const double now = ImGui::GetTime();
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const bool shown = state.hovered_key == key && now - state.hovered_since > kTooltipDelay;
  if (state.hovered_key != key || (moved && !shown) || ImGui::IsAnyMouseDown()) {
    state.hovered_key = key;
    state.hovered_since = now;
  }
  if (now - state.hovered_since <= kTooltipDelay || ImGui::IsAnyItemActive()) return;
  if (const Rect* explained = ui.record ? ui.record->find(key) : nullptr) place_beside(ui, *explained, text);
  tooltip(ui, text);
}

void tooltip(Ui& ui, const std::string& text) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kTooltipPadX), ui.px(kTooltipPadY)});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, colour32(ui.palette.raised));
  ImGui::BeginTooltip();
  ImGui::PushFont(ui.fonts.small);
  wrapped_text(text, std::min<double>(ui.px(kTooltipWidth), 0.9 * static_cast<double>(ImGui::GetIO().DisplaySize.x)));
  ImGui::PopFont();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  if (ui.record) ui.record->add("tooltip", rect_at(at, static_cast<double>(size.x), static_cast<double>(size.y)));
  ImGui::EndTooltip();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

Column enter_column() {
  return {ImGui::GetCursorScreenPos(), std::max(1.0, static_cast<double>(ImGui::GetContentRegionAvail().x))};
}

void Column::leave(double height) const {
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(width, height));
}

}  // namespace ropescope::ui
