#include <algorithm>
#include <cmath>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

namespace {

constexpr double kControlsNamesHeight = 26, kControlsNamesGap = 6, kControlsNamesPadding = 9, kBelow = 12;

/// Buttons from left to right, in as many rows as they need.
std::vector<Rect> places_of_controls_names(const Ui& ui, const std::vector<std::string>& labels, const Rect& room) {
  const double gap = ui.px(kControlsNamesGap), height = ui.px(kControlsNamesHeight);
  std::vector<Rect> places;
  double x = room.left, y = room.top;
  for (const std::string& label : labels) {
    const double wanted = static_cast<double>(text_width(ui.fonts.small, label) + 2 * ui.px(kControlsNamesPadding));
    const double width = std::min(std::ceil(wanted), room.width);
    if (x > room.left && x + width > room.right()) {
      x = room.left;
      y += height + gap;
    }
    places.push_back({x, y, width, height});
    x += width + gap;
  }
  return places;
}

void draw_button(const Ui& ui, const Rect& rect, const std::string& label, bool on, bool hovered) {
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(kControlsNamesPadding)) / 2;
  if (on) fill_rect(rect, mixed(ui.palette.panel, ui.palette.accent, 0.22), radius);
  outline_rect(ui, rect, on ? ui.palette.accent : ui.palette.line, radius);
  const Colour colour = on || hovered ? ui.palette.text : ui.palette.secondary;
  draw_line_within({ui.fonts.small, colour, rect.left + pad, rect.top + rect.height / 2}, rect.width - 2 * pad, 0.5,
                   label);
}

}  // namespace

Edit names_control(Ui& ui, const NamesField& field, std::vector<std::string>& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label_press = control_label(ui, key, label_of(ui, key), column, column.width);
  std::vector<std::string> labels;
  for (const std::string& option : field.options) {
    const std::string text = label_key(field, option);
    labels.push_back(ui.text->has(text) ? (*ui.text)[text] : option);
  }
  const double top = std::floor(column.origin.y + static_cast<double>(ui.px(kBoxTop)));
  const std::vector<Rect> places = places_of_controls_names(ui, labels, {column.origin.x, top, column.width, 0});
  Edit edit = Edit::none;
  bool hovered = label_press.hovered;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Press press = press_area(ui, key + "." + field.options[i], places[i]);
    hovered = hovered || press.hovered;
    if (press.clicked) {
      if (std::erase(value, field.options[i]) == 0) value.push_back(field.options[i]);
      value = clamp_to(field, value);
      edit = Edit::done;
    }
    const bool on = std::find(value.begin(), value.end(), field.options[i]) != value.end();
    draw_button(ui, places[i], labels[i], on, press.hovered);
  }
  if (label_press.double_clicked) {
    value = field.initial;
    edit = Edit::reset;
  }
  tooltip_after_rest(ui, key, hovered, help_of(ui, key));
  const double bottom = places.empty() ? top : places.back().bottom();
  column.leave(bottom - column.origin.y + static_cast<double>(ui.px(kBelow)));
  return edit;
}

// Several may be on: buttons of their own, as in a set of names, and not a row of segments of which one is chosen.
Edit toggles_control(Ui& ui, std::string_view label_key, const std::vector<ToggleItem>& items) {
  if (items.empty()) return Edit::none;
  const Column column = enter_column();
  const std::string label = ui.text->has(label_key) ? (*ui.text)[label_key] : std::string();
  const Press label_press = control_label(ui, label_key, label, column, column.width);
  std::vector<std::string> labels;
  for (const ToggleItem& item : items) labels.push_back(label_of(ui, item.field.key));
  const double top = std::floor(column.origin.y + static_cast<double>(ui.px(kBoxTop)));
  const std::vector<Rect> places = places_of_controls_names(ui, labels, {column.origin.x, top, column.width, 0});
  Edit edit = Edit::none;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ToggleItem& item = items[i];
    const Press press = press_area(ui, item.field.key, places[i]);
    if (press.clicked) {
      *item.value = !*item.value;
      edit = Edit::done;
    }
    draw_button(ui, places[i], labels[i], *item.value, press.hovered);
    tooltip_after_rest(ui, item.field.key, press.hovered, help_of(ui, item.field.key));
  }
  if (label_press.double_clicked) {
    for (const ToggleItem& item : items) *item.value = item.field.initial;
    edit = Edit::done;
  }
  column.leave(places.back().bottom() - column.origin.y + static_cast<double>(ui.px(kBelow)));
  return edit;
}

bool action_control(Ui& ui, const ActionField& field) {
  const std::string key(field.key);
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kBoxHeight)),
               pad = static_cast<double>(ui.px(kControlsNamesPadding)) / 2;
  const Press press = press_area(ui, key, {column.origin.x, column.origin.y, column.width, height});
  const double radius = static_cast<double>(ui.px(6));
  fill_rect(press.rect, press.hovered ? ui.palette.line : ui.palette.raised, radius);
  outline_rect(ui, press.rect, ui.palette.line, radius);
  draw_line_within({ui.fonts.small, ui.palette.text, press.rect.left + pad, press.rect.top + height / 2},
                   press.rect.width - 2 * pad, 0.5, label_of(ui, key));
  tooltip_after_rest(ui, key, press.hovered, help_of(ui, key));
  column.leave(height + static_cast<double>(ui.px(kBelow)));
  return press.clicked;
}

}  // namespace ropescope::ui
