#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

void set_colour(ImGuiCol slot, Colour colour) {
  ImGui::GetStyle().Colors[slot] = ImGui::ColorConvertU32ToFloat4(colour32(colour));
}

void set_colours(const Palette& palette) {
  const Colour none{0, 0, 0, 0};
  for (int slot = 0; slot < ImGuiCol_COUNT; ++slot) set_colour(slot, palette.raised);
  set_colour(ImGuiCol_Text, palette.text);
  set_colour(ImGuiCol_TextDisabled, quiet_text(palette));
  set_colour(ImGuiCol_WindowBg, palette.ground);
  set_colour(ImGuiCol_ChildBg, none);
  set_colour(ImGuiCol_PopupBg, palette.panel);
  set_colour(ImGuiCol_Border, palette.line);
  set_colour(ImGuiCol_BorderShadow, none);
  set_colour(ImGuiCol_FrameBg, palette.dark ? palette.ground : palette.panel);
  set_colour(ImGuiCol_FrameBgHovered, palette.dark ? palette.ground : palette.panel);
  set_colour(ImGuiCol_FrameBgActive, palette.dark ? palette.ground : palette.panel);
  set_colour(ImGuiCol_ScrollbarBg, none);
  set_colour(ImGuiCol_ScrollbarGrab, palette.line);
  set_colour(ImGuiCol_ScrollbarGrabHovered, palette.faint);
  set_colour(ImGuiCol_ScrollbarGrabActive, palette.secondary);
  set_colour(ImGuiCol_CheckMark, palette.accent);
  set_colour(ImGuiCol_SliderGrab, palette.accent);
  set_colour(ImGuiCol_SliderGrabActive, palette.accent);
  set_colour(ImGuiCol_ButtonHovered, mixed(palette.raised, palette.text, 0.06));
  set_colour(ImGuiCol_ButtonActive, palette.line);
  set_colour(ImGuiCol_HeaderHovered, palette.raised);
  set_colour(ImGuiCol_HeaderActive, palette.line);
  set_colour(ImGuiCol_Separator, palette.line);
  set_colour(ImGuiCol_TextSelectedBg, with_alpha(palette.accent, 0.35));
  set_colour(ImGuiCol_NavHighlight, palette.accent);
  set_colour(ImGuiCol_ModalWindowDimBg, with_alpha(palette.ground, 0.6));
}

}  // namespace

void apply_style(const Palette& palette, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
#if IMGUI_VERSION_NUM >= 19200
  const float font_base = style.FontSizeBase;
  style = ImGuiStyle();
  style.FontSizeBase = font_base;
#else
  style = ImGuiStyle();
#endif
  style.WindowPadding = {14 * scale, 12 * scale};
  style.WindowBorderSize = style.PopupBorderSize = style.FrameBorderSize = 1;
  style.ChildBorderSize = 1;
  style.WindowRounding = style.PopupRounding = 8 * scale;
  style.ChildRounding = style.FrameRounding = 6 * scale;
  style.FramePadding = {10 * scale, 6 * scale};
  style.ItemSpacing = {8 * scale, 8 * scale};
  style.ItemInnerSpacing = {6 * scale, 4 * scale};
  style.ScrollbarSize = 9 * scale;
  style.ScrollbarRounding = style.GrabRounding = 5 * scale;
  style.WindowMinSize = {1, 1};
  style.MouseCursorScale = scale;
  set_colours(palette);
}

}  // namespace ropescope::ui
