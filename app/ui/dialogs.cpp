#include <imgui.h>

#include <algorithm>

#include "app/ui/imgui_compat.h"
#include "app/ui/keys.h"
#include "app/ui/modal.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

void close_modal(App& app) {
  app.dialog.kind = DialogKind::none;
  ImGui::CloseCurrentPopup();
}

bool begin_modal(App& app, const char* id, const std::string& title, const Rect& screen, Vec2 wanted) {
  const Ui& ui = app.ui;
  if (app.dialog.just_opened) ImGui::OpenPopup(id);
  const float width = std::min(ui.px(wanted.x), static_cast<float>(screen.width) - ui.px(32));
  const float height = std::min(ui.px(wanted.y), static_cast<float>(screen.height) - ui.px(32));
  ImGui::SetNextWindowSize({width, height});
  ImGui::SetNextWindowPos({static_cast<float>(screen.width) / 2, static_cast<float>(screen.height) / 2},
                          ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(20), ui.px(18)});
  const bool open = ImGui::BeginPopupModal(id, nullptr,
                                           ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) {
    if (!app.dialog.just_opened) app.dialog.kind = DialogKind::none;
    return false;
  }
  // ImGui closes popups with Escape, but not modal ones.
  const bool focused =
      ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows | ImGuiFocusedFlags_NoPopupHierarchy);
  if (focused && key_pressed(Key::escape, false)) close_modal(app);
  ImGui::PushFont(ui.fonts.semibold);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, ui.px(6)});
  return true;
}

void place_at_bottom_right(const Ui& ui, float width) {
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - ui.px(20) - width, ImGui::GetWindowHeight() - ui.px(18) - ui.px(30)});
}

bool end_buttons(App& app, const char* key, const std::string& label) {
  Ui& ui = app.ui;
  const std::string& cancel = app.text["shell.dialog.cancel"];
  place_at_bottom_right(ui, button_width(ui, cancel) + button_width(ui, label) + ui.px(10));
  if (button(ui, "dialog.cancel", cancel)) close_modal(app);
  ImGui::SameLine(0, ui.px(10));
  return button(ui, key, label);
}

float height_above_buttons(const Ui& ui) {
  return ui.px(46);
}

double room_for_text() {
  return static_cast<double>(ImGui::GetContentRegionAvail().x);
}

bool path_field(App& app) {
  const bool focus = app.dialog.just_opened || app.dialog.focus == Dialog::Focus::text;
  if (focus) app.dialog.focus = Dialog::Focus::none;
  return text_input(app.ui, "dialog.path", app.dialog.path, focus);
}

void error_line(const App& app) {
  if (app.dialog.error.empty()) return;
  const Colour c = app.ui.palette.warning;
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.red, c.green, c.blue, 255));
  wrapped_text(app.dialog.error, room_for_text());
  ImGui::PopStyleColor();
}

namespace {

/// The list has nothing to focus, so that the keys move it wherever the focus is.
void scroll_by_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing(), page = 0.8f * ImGui::GetWindowHeight();
  const auto pressed = [](Key key) { return key_pressed(key) ? 1.0f : 0.0f; };
  const float by =
      line * (pressed(Key::down) - pressed(Key::up)) + page * (pressed(Key::page_down) - pressed(Key::page_up));
  if (by != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0f, ImGui::GetScrollMaxY()));
}

void draw_keys(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  if (!begin_modal(app, "dialog.keys", text["shell.dialog.keys"], screen, {720, 620})) return;
  ImGui::BeginChild("keys", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  scroll_by_keys();
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, ui.px(290));
    for (const KeyLine& line : key_lines(text)) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      wrapped_text(line.keys, room_for_text());
      ImGui::TableNextColumn();
      wrapped_text(line.meaning, room_for_text());
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
  place_at_bottom_right(ui, button_width(ui, text["shell.dialog.close"]));
  if (button(ui, "dialog.close", text["shell.dialog.close"])) close_modal(app);
  ImGui::EndPopup();
}

}  // namespace

void draw_dialogs(App& app, const Rect& screen, Experiment& edited) {
  if (app.dialog.kind == DialogKind::none) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(10), app.ui.px(8)});
  const DialogKind kind = app.dialog.kind;
  if (kind == DialogKind::open || kind == DialogKind::file) draw_open(app, screen);
  if (kind == DialogKind::save) draw_save(app, screen, edited);
  if (kind == DialogKind::keys) draw_keys(app, screen);
  if (kind == DialogKind::find) draw_finder(app, screen, edited);
  if (kind == DialogKind::handout) draw_handout(app, screen);
  if (kind == DialogKind::rename) draw_rename(app, screen, edited);
  if (kind == DialogKind::note) draw_note(app, screen, edited);
  ImGui::PopStyleVar();
  // A dialog opened from inside this frame starts with the next one.
  if (app.dialog.kind == kind) app.dialog.just_opened = false;
}

}  // namespace ropescope::ui
