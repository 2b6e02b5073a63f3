#include <algorithm>
#include <cmath>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

namespace {

constexpr std::size_t kMostSegments = 4;
constexpr double kSegmentPadding = 8;

/// Lefts of the segments and the right end: equal where every label fits, else as wide as the labels ask for. Empty
/// where they do not fit side by side.
std::vector<double> segment_edges(const Ui& ui, const Rect& box, const std::vector<std::string>& labels) {
  std::vector<double> widths;
  double sum = 0, widest = 0;
  for (const std::string& label : labels) {
    widths.push_back(static_cast<double>(text_width(ui.fonts.small, label) + 2 * ui.px(kSegmentPadding)));
    sum += widths.back();
    widest = std::max(widest, widths.back());
  }
  if (labels.empty() || sum > box.width) return {};
  const double count = static_cast<double>(labels.size());
  const double equal = box.width / count, spare = (box.width - sum) / count;
  std::vector<double> edges{box.left};
  for (const double width : widths) edges.push_back(edges.back() + (widest <= equal ? equal : width + spare));
  edges.back() = box.right();
  return edges;
}

struct Segment {
  Rect rect;
  std::string label;
  bool on = false, hovered = false, first = false, last = false;
};

void draw_segment(const Ui& ui, const Segment& segment) {
  const float radius = ui.px(6);
  const ImDrawFlags corners =
      (segment.first ? ImDrawFlags_RoundCornersLeft : 0) | (segment.last ? ImDrawFlags_RoundCornersRight : 0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a = point(std::floor(segment.rect.left), std::floor(segment.rect.top));
  const ImVec2 b = point(std::floor(segment.rect.right()), std::floor(segment.rect.bottom()));
  if (segment.on) {
    list->AddRectFilled(a, b, colour32(mixed(ui.palette.raised, ui.palette.line, 0.35)), radius,
                        corners == 0 ? ImDrawFlags_RoundCornersNone : corners);
  }
  if (!segment.first) {
    fill_rect({segment.rect.left, segment.rect.top, std::max(1.0, static_cast<double>(std::floor(ui.scale))),
               segment.rect.height},
              ui.palette.line);
  }
  const Colour colour = segment.on || segment.hovered ? ui.palette.text : ui.palette.secondary;
  const double pad = static_cast<double>(ui.px(kSegmentPadding)) / 2;
  draw_line_within({ui.fonts.small, colour, segment.rect.left + pad, segment.rect.top + segment.rect.height / 2},
                   std::max(0.0, segment.rect.width - 2 * pad), 0.5, segment.label);
}

std::vector<std::string> option_labels(const Ui& ui, const ChoiceField& field) {
  std::vector<std::string> labels;
  for (const std::string& option : field.options) {
    const std::string key = label_key(field, option);
    labels.push_back(ui.text->has(key) ? (*ui.text)[key] : option);
  }
  return labels;
}

/// One Tab stop; left and right choose, a click chooses what is under the mouse.
std::string segmented_switch(Ui& ui, const ChoiceField& field, const Rect& box, const std::vector<double>& edges,
                             const std::string& current, bool& hovered) {
  const std::string key(field.key);
  const std::vector<std::string> labels = option_labels(ui, field);
  const Press press = press_area(ui, key, box);
  hovered = press.hovered;
  const std::size_t count = labels.size();
  std::size_t index =
      static_cast<std::size_t>(std::find(field.options.begin(), field.options.end(), current) - field.options.begin());
  std::size_t under_mouse = count;
  const double mouse = static_cast<double>(ImGui::GetIO().MousePos.x);
  for (std::size_t i = 0; i < count; ++i) {
    if (press.hovered && mouse >= edges[i] && mouse < edges[i + 1]) under_mouse = i;
  }
  std::size_t chosen = index;
  if (press.clicked) {
    const bool by_mouse = ImGui::IsMouseReleased(ImGuiMouseButton_Left);
    chosen = by_mouse ? (under_mouse < count ? under_mouse : index) : (index + 1) % count;
  }
  if (press.focused && (key_pressed(Key::right) || key_pressed(Key::left))) {
    keep_focus_here();
    if (key_pressed(Key::right)) chosen = index < count ? std::min(index + 1, count - 1) : 0;
    if (key_pressed(Key::left)) chosen = index < count ? (index == 0 ? 0 : index - 1) : 0;
  }
  index = chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const Rect rect{edges[i], box.top, edges[i + 1] - edges[i], box.height};
    draw_segment(ui, {rect, labels[i], i == index, i == under_mouse, i == 0, i + 1 == count});
    if (ui.record) ui.record->add(key + "." + field.options[i], rect);
  }
  outline_rect(ui, box, ui.palette.line, static_cast<double>(ui.px(6)));
  return index < count && field.options[index] != current ? field.options[index] : std::string();
}

Rect box_of_control(const Ui& ui, const Column& column) {
  return {column.origin.x, std::floor(column.origin.y + static_cast<double>(ui.px(kBoxTop))), column.width,
          static_cast<double>(ui.px(kBoxHeight))};
}

}  // namespace

Edit choice_control(Ui& ui, const ChoiceField& field, std::string& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label = control_label(ui, key, label_of(ui, key), column, column.width);
  const Rect box = box_of_control(ui, column);
  const std::vector<std::string> labels = option_labels(ui, field);
  const std::vector<double> edges =
      labels.size() <= kMostSegments ? segment_edges(ui, box, labels) : std::vector<double>();
  std::string chosen;
  bool hovered = false;
  if (!edges.empty()) {
    chosen = segmented_switch(ui, field, box, edges, value, hovered);
  } else {
    std::vector<ListItem> items;
    for (std::size_t i = 0; i < labels.size(); ++i) items.push_back({field.options[i], labels[i], {}});
    chosen = drop_down(ui, key, box, items, value, value);
  }
  Edit edit = Edit::none;
  if (!chosen.empty() && chosen != value) {
    value = chosen;
    edit = Edit::done;
  }
  if (label.double_clicked) {
    value = field.initial;
    edit = Edit::reset;
  }
  tooltip_after_rest(ui, key, label.hovered || hovered, help_of(ui, key));
  column.leave(static_cast<double>(ui.px(kBoxControl)));
  return edit;
}

}  // namespace ropescope::ui
