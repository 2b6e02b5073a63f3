#include "app/ui/controls.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

Press control_label(Ui& ui, std::string_view key, const std::string& label, const Column& column, double width) {
  const double height = static_cast<double>(ui.px(kLabelRow));
  const double shown = std::min(width, static_cast<double>(text_width(ui.fonts.body, label)));
  const Press press = mouse_area(ui, std::string(key) + ".label", rect_at(column.origin, std::max(1.0, shown), height));
  draw_line_within({ui.fonts.body, ui.palette.text, column.origin.x, column.origin.y + height / 2}, width, 0, label);
  if (press.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    ui.state.menu_key = key;
    ui.state.menu_asked = true;
  }
  return press;
}

std::string label_of(const Ui& ui, std::string_view key) {
  return (*ui.text)["field." + std::string(key) + ".label"];
}

std::string help_of(const Ui& ui, std::string_view key) {
  const std::string help = "field." + std::string(key) + ".help";
  return ui.text->has(help) ? (*ui.text)[help] : std::string();
}

namespace {

/// At the right of the box, which gives way to it.
void choose_button(Ui& ui, const TextField& field, Rect& box) {
  const std::string key = std::string(field.key) + ".choose";
  const double width = static_cast<double>(button_width(ui, "…"));
  box.width = std::max(1.0, box.width - width - static_cast<double>(ui.px(6)));
  ImGui::SetCursorScreenPos(
      point(box.right() + static_cast<double>(ui.px(6)), box.top + static_cast<double>(ui.px(1))));
  if (!button(ui, key, "…", true, (*ui.text)["shell.tip.choose"])) return;
  ui.state.file_key = field.key;
  ui.state.file_endings = field.endings;
}

}  // namespace

Edit text_control(Ui& ui, const TextField& field, std::string& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label = control_label(ui, key, label_of(ui, key), column, column.width);
  Rect box{column.origin.x, column.origin.y + static_cast<double>(ui.px(kBoxTop)), column.width,
           static_cast<double>(ui.px(kBoxHeight))};
  if (!field.endings.empty()) choose_button(ui, field, box);
  Edit edit = Edit::none;
  bool hovered = label.hovered;
  if (is_typing(ui, key)) {
    const Typing typing = typing_field(ui, key, box);
    tab_stop(ui);
    if (typing.active) edit = Edit::changing;
    if (typing.committed && typing.text != value) {
      value = typing.text;
      edit = Edit::done;
    }
  } else {
    const Press press = press_area(ui, key, box);
    hovered = hovered || press.hovered;
    if (press.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    fill_rect(box, ui.palette.dark ? ui.palette.ground : ui.palette.panel, static_cast<double>(ui.px(6)));
    outline_rect(ui, box, press.hovered ? ui.palette.faint : ui.palette.line, static_cast<double>(ui.px(6)));
    const double pad = static_cast<double>(ui.px(10));
    draw_line_within({ui.fonts.body, ui.palette.text, box.left + pad, box.top + box.height / 2}, box.width - 2 * pad, 0,
                     value);
    if (press.clicked) start_typing(ui, key, value);
  }
  if (label.double_clicked) {
    value = field.initial;
    edit = Edit::reset;
  }
  tooltip_after_rest(ui, key, hovered, help_of(ui, key));
  column.leave(static_cast<double>(ui.px(kBoxControl)));
  return edit;
}

bool text_input(Ui& ui, std::string_view key, std::string& text, bool take_focus) {
  ImGui::PushFont(ui.fonts.body);
  ImGui::SetNextItemWidth(-1);
  if (take_focus) focus_next_item();
  input_text(("##" + std::string(key)).c_str(), text, ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopFont();
  const bool active = ImGui::IsItemActive();
  const bool ended = ImGui::IsItemDeactivated();
  if (ui.record) ui.record->add(std::string(key), last_item_rect());
  tab_stop(ui);
  const bool enter = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  return enter && (active || ended);
}

void group_label(Ui& ui, const std::string& label) {
  const Column column = enter_column();
  std::string capitals = label;
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  const double spacing = static_cast<double>(ui.px(0.8));
  const double centre = column.origin.y + static_cast<double>(ui.px(11));
  LineOfText line{ui.fonts.label, quiet_text(ui.palette), column.origin.x, centre};
  const double end = column.origin.x + column.width;
  for (std::size_t at = 0; at < capitals.size();) {
    std::size_t next = at + 1;
    while (next < capitals.size() && (static_cast<unsigned char>(capitals[next]) & 0xC0) == 0x80) ++next;
    const std::string_view letter = std::string_view(capitals).substr(at, next - at);
    const double width = static_cast<double>(text_width(line.font, letter));
    if (line.left + width > end) break;
    draw_line(line, letter);
    line.left += width + spacing;
    at = next;
  }
  column.leave(static_cast<double>(ui.px(23)));
}

}  // namespace ropescope::ui
