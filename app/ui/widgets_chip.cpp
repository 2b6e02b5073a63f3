#include <algorithm>
#include <cmath>

#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

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
  if (chip.closable && (by_keys || by_mouse)) return ChipClick::menu;
  if (press.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, ui.px(4))) return ChipClick::held;
  return press.clicked ? ChipClick::body : ChipClick::none;
}

}  // namespace ropescope::ui
