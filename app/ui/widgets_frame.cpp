#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kButtonHeight = 30, kButtonPadding = 14;
constexpr double kItemHeight = 36, kItemPadding = 12;
constexpr double kCloseSize = 24;

/// The left edge of a rounded rectangle in a colour of its own.
void draw_edge_bar(const Rect& rect, Colour colour, double radius, double width) {
  ImGui::PushClipRect(top_left(rect), point(rect.left + width, rect.bottom()), true);
  fill_rect(rect, colour, radius);
  ImGui::PopClipRect();
}

}  // namespace

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

bool fold_button(Ui& ui, std::string_view key, const std::string& sign, const std::string& tip) {
  const Rect rect =
      rect_at(ImGui::GetCursorScreenPos(), static_cast<double>(ui.px(20)), static_cast<double>(ui.px(24)));
  const Press press = press_area(ui, key, rect, 5);
  if (press.hovered) fill_rect(rect, ui.palette.raised, static_cast<double>(ui.px(5)));
  draw_line_within(
      {ui.fonts.body, press.hovered ? ui.palette.text : ui.palette.secondary, rect.left, rect.top + rect.height / 2},
      rect.width, 0.5, sign);
  tooltip_after_rest(ui, key, press.hovered, tip);
  return press.clicked;
}

bool list_item(Ui& ui, std::string_view key, const std::string& label, const std::string& shortcut, bool selected) {
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kItemHeight)), pad = static_cast<double>(ui.px(kItemPadding));
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
  // What is left of the bar unfolds it.
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
