#include <imgui.h>

#include <array>

#include "app/ui/imgui_compat.h"
#include "app/ui/pins.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr std::array kDashes = {Dash::solid, Dash::long_dash, Dash::dots, Dash::dash_dot, Dash::short_dash};
constexpr double kSwatchWidth = 34, kSwatchHeight = 24, kWidth = 210;

bool chip_menu_item(App& app, const char* key, bool enabled = true) {
  const std::string name = std::string("chip.menu.") + key;
  const Column column = enter_column();
  const Rect rect = rect_at(column.origin, column.width, static_cast<double>(app.ui.px(30)));
  const Press press = press_area(app.ui, name, rect, 5, enabled);
  if (press.hovered && enabled) fill_rect(rect, app.ui.palette.line, static_cast<double>(app.ui.px(5)));
  draw_line_within({app.ui.fonts.body, enabled ? app.ui.palette.text : app.ui.palette.faint,
                    rect.left + static_cast<double>(app.ui.px(8)), rect.top + rect.height / 2},
                   rect.width - static_cast<double>(app.ui.px(16)), 0, app.text[std::string("shell.chip_menu.") + key]);
  column.leave(rect.height);
  if (press.clicked) ImGui::CloseCurrentPopup();
  return press.clicked;
}

/// A row of strokes to choose from; which one was pressed.
std::optional<std::size_t> swatches(App& app, const std::string& key, const std::array<Stroke, 5>& strokes,
                                    std::size_t chosen) {
  Ui& ui = app.ui;
  group_label(ui, app.text["shell.chip_menu." + key]);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double width = static_cast<double>(ui.px(kSwatchWidth)), height = static_cast<double>(ui.px(kSwatchHeight));
  const double inset = static_cast<double>(ui.px(6));
  std::optional<std::size_t> pressed;
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    const Rect rect{static_cast<double>(origin.x) + static_cast<double>(i) * (width + inset),
                    static_cast<double>(origin.y), width, height};
    const Press press = press_area(ui, "chip.menu." + key + "." + std::to_string(i), rect, 5);
    if (press.hovered || i == chosen) fill_rect(rect, ui.palette.line, static_cast<double>(ui.px(5)));
    Scene scene;
    scene.items.emplace_back(
        PathItem{{{rect.left + inset, rect.top + height / 2}, {rect.right() - inset, rect.top + height / 2}},
                 strokes[i].colour,
                 static_cast<double>(ui.px(2.5)),
                 strokes[i].dash});
    draw_scene(ImGui::GetWindowDrawList(), ui, scene);
    if (press.clicked) pressed = i;
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(static_cast<double>(ui.px(kWidth)), height + inset));
  return pressed;
}

/// Colour and dash, each by itself; the menu stays open.
void draw_strokes(App& app, Pin& pin) {
  const Stroke now = stroke_of(app.ui.palette, {pin.slot, false});
  const auto colour = static_cast<std::size_t>(pin.slot) % 5;
  const auto dash = static_cast<std::size_t>(now.dash);
  std::array<Stroke, 5> colours{}, dashes{};
  for (std::size_t i = 0; i < 5; ++i) {
    colours[i] = {app.ui.palette.curves[i], Dash::solid};
    dashes[i] = {now.colour, kDashes[i]};
  }
  if (const auto chosen = swatches(app, "colour", colours, colour)) {
    pin.slot = slot_with(static_cast<int>(*chosen), now.dash);
  }
  if (const auto chosen = swatches(app, "dash", dashes, dash)) {
    pin.slot = slot_with(static_cast<int>(colour), kDashes[*chosen]);
  }
}

}  // namespace

void draw_chip_menu(App& app, Experiment& edited) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(6), app.ui.px(2)});
  ImGui::SetNextWindowSizeConstraints({app.ui.px(kWidth), 0}, {app.ui.px(kWidth + 16), 10000});
  if (ImGui::BeginPopup("chip.menu")) {
    const std::size_t pin = app.chip_menu;
    if (pin >= edited.pins.size()) {
      ImGui::CloseCurrentPopup();
    } else {
      if (chip_menu_item(app, "rename")) open_rename_dialog(app, pin, edited.pins[pin].name);
      if (chip_menu_item(app, "left", pin > 0)) move_pin(edited, pin, pin - 1);
      if (chip_menu_item(app, "right", pin + 1 < edited.pins.size())) move_pin(edited, pin, pin + 1);
      draw_strokes(app, edited.pins[pin]);
      if (chip_menu_item(app, "remove")) remove_pin(edited, pin);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace ropescope::ui
