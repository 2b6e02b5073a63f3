#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

std::string lower_ascii(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
}

namespace {

constexpr double kControlsListRow = 30, kControlsListRowPadding = 10, kListPadding = 5;
constexpr double kControlsListMostRows = 12;
constexpr std::size_t kMostWithoutSearch = 16;

void draw_box_controls_list(const Ui& ui, const Press& press, const std::string& shown, bool open) {
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(kControlsListRowPadding));
  const Rect& box = press.rect;
  const Colour inside = ui.palette.dark ? ui.palette.ground : ui.palette.raised;
  fill_rect(box, inside, radius);
  outline_rect(ui, box, press.hovered || open ? ui.palette.faint : ui.palette.line, radius);
  const double room = box.width - 2 * pad - static_cast<double>(ui.px(18));
  const double centre = box.top + box.height / 2;
  draw_line_within({ui.fonts.body, ui.palette.text, box.left + pad, centre}, std::max(0.0, room), 0, shown);
  draw_arrow(ui, box.right() - pad - static_cast<double>(ui.px(4)), centre, ui.palette.secondary);
}

/// Label at the left, detail at the right in the secondary colour.
bool list_row(Ui& ui, const std::string& key, const ListItem& item, bool current) {
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kControlsListRow)),
               pad = static_cast<double>(ui.px(kControlsListRowPadding));
  const Press press = press_area(ui, key, rect_at(column.origin, column.width, height), 5);
  if (current && ImGui::IsWindowAppearing()) {
    ImGui::SetItemDefaultFocus();
    ImGui::SetScrollHereY(0.5f);
  }
  const double radius = static_cast<double>(ui.px(5)), centre = column.origin.y + height / 2;
  if (press.hovered || press.held) fill_rect(press.rect, ui.palette.raised, radius);
  double right = press.rect.right() - pad;
  if (!item.detail.empty()) {
    const double most = 0.5 * column.width;
    const std::string detail = shortened(ui.fonts.small, item.detail, most);
    right -= static_cast<double>(text_width(ui.fonts.small, detail));
    draw_line({ui.fonts.small, ui.palette.secondary, right, centre}, detail);
    right -= pad;
  }
  const double left = press.rect.left + pad;
  const bool cut = draw_line_within({ui.fonts.body, current ? ui.palette.accent : ui.palette.text, left, centre},
                                    std::max(0.0, right - left), 0, item.label);
  if (cut) tooltip_after_rest(ui, key, press.hovered, item.label);
  column.leave(height);
  return press.clicked;
}

/// Whether every word that was typed is in the item's name or detail.
bool is_found(const ListItem& item, const std::string& typed) {
  const std::string words = lower_ascii(item.label + " " + item.detail + " " + item.id), wanted = lower_ascii(typed);
  for (std::size_t at = 0; at < wanted.size();) {
    const std::size_t end = std::min(wanted.find(' ', at), wanted.size());
    if (words.find(wanted.substr(at, end - at)) == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

/// Above the items of a long list, with the focus from the beginning; true where Enter was pressed in it.
bool search_field(Ui& ui, const std::string& id) {
  const bool opens = ImGui::IsWindowAppearing();
  if (opens) ui.state.list_search.clear();
  const bool entered = text_input(ui, id + ".search", ui.state.list_search, opens);
  ImGui::Dummy({0, ui.px(kListPadding)});
  return entered && !opens;
}

/// Under the box where there is room, else above it; as high as its rows, at most kMostRows.
void place_popup(const Ui& ui, const Rect& box, std::size_t count) {
  const double rows = std::min(static_cast<double>(count), kControlsListMostRows);
  const double padding = static_cast<double>(ui.px(kListPadding)), gap = static_cast<double>(ui.px(4));
  double height = rows * static_cast<double>(ui.px(kControlsListRow)) + 2 * padding;
  const double screen = static_cast<double>(ImGui::GetIO().DisplaySize.y);
  const double below = screen - box.bottom() - 2 * gap, above = box.top - 2 * gap;
  const bool up = below < height && above > below;
  height = std::min(height, std::max(static_cast<double>(ui.px(kControlsListRow)), up ? above : below));
  ImGui::SetNextWindowPos(point(box.left, up ? box.top - gap - height : box.bottom() + gap));
  ImGui::SetNextWindowSize(point(box.width, height));
}

}  // namespace

std::string drop_down(Ui& ui, std::string_view key, const Rect& rect, const std::vector<ListItem>& items,
                      const std::string& current, const std::string& shown) {
  const std::string id(key);
  const std::string popup = id + ".list";
  const Press press = press_area(ui, id, rect);
  if (press.clicked) ImGui::OpenPopup(popup.c_str());
  const auto chosen =
      std::find_if(items.begin(), items.end(), [&current](const ListItem& item) { return item.id == current; });
  draw_box_controls_list(ui, press, chosen == items.end() ? shown : chosen->label, ImGui::IsPopupOpen(popup.c_str()));

  std::string result;
  place_popup(ui, rect, items.size());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kListPadding), ui.px(kListPadding)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (ImGui::BeginPopup(popup.c_str(), ImGuiWindowFlags_NoMove)) {
    const bool searched = items.size() > kMostWithoutSearch;
    const bool entered = searched && search_field(ui, id);
    bool any = false;
    for (const ListItem& item : items) {
      if (searched && !is_found(item, ui.state.list_search)) continue;
      const bool first = !std::exchange(any, true);
      if (!list_row(ui, id + "." + item.id, item, item.id == current) && !(entered && first)) continue;
      result = item.id;
      ImGui::CloseCurrentPopup();
    }
    if (!any) wrapped_text((*ui.text)["shell.find.nothing"], static_cast<double>(ImGui::GetContentRegionAvail().x));
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  return result;
}

std::string list_control(Ui& ui, std::string_view key, const std::string& label, const std::vector<ListItem>& items,
                         const std::string& current, const std::string& shown) {
  const Column column = enter_column();
  control_label(ui, key, label, column, column.width);
  const Rect box{column.origin.x, std::floor(column.origin.y + static_cast<double>(ui.px(kBoxTop))), column.width,
                 static_cast<double>(ui.px(kBoxHeight))};
  std::string chosen = drop_down(ui, key, box, items, current, shown);
  column.leave(static_cast<double>(ui.px(kBoxControl)));
  return chosen;
}

}  // namespace ropescope::ui
