#include <algorithm>
#include <cmath>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

namespace {

constexpr double kShakeSeconds = 0.4, kRefusedSeconds = 1.2;

}  // namespace

void start_typing(Ui& ui, std::string_view key, const std::string& text) {
  ui.state.edited_key = key;
  ui.state.edited_text = text;
  ui.state.edit_frames = 0;
  ui.state.edit_was_active = false;
  ui.state.edited_stop = 0;
}

bool is_typing(const Ui& ui, std::string_view key) {
  return ui.state.edited_key == key;
}

Typing typing_field(Ui& ui, std::string_view key, const Rect& rect) {
  WidgetState& state = ui.state;
  bool refused = false;
  const double shift = shake_of(ui, key, refused);
  ImGui::SetCursorScreenPos(point(rect.left + shift, rect.top));
  ImGui::PushID(std::string(key).c_str());
  ImGui::PushFont(ui.fonts.body);
  const float padding = (static_cast<float>(rect.height) - font_size(ui.fonts.body)) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(7), std::max(0.0f, std::floor(padding))});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui.px(5));
  ImGui::PushStyleColor(ImGuiCol_Border, colour32(refused ? ui.palette.warning : ui.palette.accent));
  if (refused) ImGui::PushStyleColor(ImGuiCol_Text, colour32(ui.palette.warning));
  ImGui::SetNextItemWidth(static_cast<float>(rect.width));
  if (state.edit_frames == 0) focus_next_item();
  input_text("##typed", state.edited_text, ImGuiInputTextFlags_AutoSelectAll);
  const bool active = ImGui::IsItemActive();
  if (refused) ImGui::PopStyleColor();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  ImGui::PopID();
  if (ui.record) ui.record->add(std::string(key) + ".input", rect);

  Typing typing;
  // Focus comes one frame after it was asked for; if it never comes, typing is over.
  typing.active = active || (!state.edit_was_active && state.edit_frames < 4);
  ++state.edit_frames;
  if (active) state.edit_was_active = true;
  if (typing.active) return typing;
  typing.by_enter = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  typing.committed = state.edit_was_active && !key_pressed(Key::escape, false);
  typing.text = state.edited_text;
  state.edited_key.clear();
  return typing;
}

void refuse_typing(Ui& ui, std::string_view key) {
  ui.state.refused_key = key;
  ui.state.refused_at = ImGui::GetTime();
}

std::optional<double> next_change(const WidgetState& state, double now) {
  std::optional<double> next = tooltip_due(state, now);
  const double refused = now - state.refused_at;
  if (refused < kShakeSeconds) return now;
  if (refused < kRefusedSeconds)
    next = std::min(next.value_or(now + kRefusedSeconds), state.refused_at + kRefusedSeconds);
  return next;
}

double shake_of(const Ui& ui, std::string_view key, bool& refused) {
  const double since = ImGui::GetTime() - ui.state.refused_at;
  refused = ui.state.refused_key == key && since < kRefusedSeconds;
  if (!refused || since > kShakeSeconds) return 0;
  const double fading = 1 - since / kShakeSeconds;
  return static_cast<double>(ui.px(4)) * fading * std::sin(since * 45);
}

}  // namespace ropescope::ui
