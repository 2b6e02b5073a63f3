// Controls of fields (widgets.h): choices, lists, names, texts; number_control.cpp has that of a number.
//
// Contents: Typing; Controls; Lists; Choices; Names.

#include "app/ui/controls.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/widgets.h"
#include "core/utf8.h"

namespace ropescope::ui {

// --- Typing --------------------------------------------------------------------------------------------------------

constexpr double kShakeSeconds = 0.4, kRefusedSeconds = 1.2;

void start_typing(Ui& ui, std::string_view key, const std::string& text, const char* keyboard) {
  ui.state.edited_key = key;
  ui.state.edited_keyboard = keyboard;
  ui.state.edited_text = text;
  ui.state.edit_frames = 0;
  ui.state.edit_was_active = false;
  ui.state.edited_stop = 0;
}

bool is_typing(const Ui& ui, std::string_view key) {
  return ui.state.edited_key == key;
}

double shake_of(const Ui& ui, std::string_view key, bool& refused) {
  const double since = ImGui::GetTime() - ui.state.refused_at;
  refused = ui.state.refused_key == key && since < kRefusedSeconds;
  if (!refused || since > kShakeSeconds) return 0;
  const double fading = 1 - since / kShakeSeconds;
  return static_cast<double>(ui.px(4)) * fading * std::sin(since * 45);
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
  // Focus comes one frame after its request; if it never comes, typing ends.
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

// --- Controls ------------------------------------------------------------------------------------------------------

Rect area_of(const Column& column, double height) {
  return {column.origin.x, column.origin.y, column.width, height};
}

bool is_pointed_at(const Rect& area) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return ImGui::IsWindowHovered() && area.contains({mouse.x, mouse.y});
}

void help_after_rest(Ui& ui, std::string_view key, const Rect& area, bool on_part, const std::string& help) {
  tooltip_after_rest(ui, key, is_pointed_at(area) && !on_part, help, area);
}

Press control_label(Ui& ui, std::string_view key, const std::string& label, const Column& column, double width) {
  const double height = static_cast<double>(ui.px(kLabelRow));
  const double shown = std::min(width, static_cast<double>(text_width(ui.fonts.body, label)));
  const Press press = mouse_area(ui, std::string(key) + ".label", rect_at(column.origin, std::max(1.0, shown), height));
  draw_line_within({ui.fonts.body, ui.palette.text, column.origin.x, column.origin.y + height / 2}, width, 0, label);
  if (press.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    ui.state.menu_key = key;
    ui.state.menu_requested = true;
  }
  return press;
}

namespace {

/// Draws the button that chooses a file, right of the box, which is made narrower. Returns whether the mouse is on it.
bool choose_button(Ui& ui, const Field& field, Rect& box) {
  const std::string key = std::string(field.key) + ".choose";
  const double width = static_cast<double>(button_width(ui, "…"));
  box.width = std::max(1.0, box.width - width - static_cast<double>(ui.px(6)));
  const Rect place{box.right() + static_cast<double>(ui.px(6)), box.top + static_cast<double>(ui.px(1)), width,
                   static_cast<double>(ui.px(kBoxHeight))};
  ImGui::SetCursorScreenPos(top_left(place));
  if (button(ui, key, "…", true, (*ui.text)["shell.tip.choose"])) {
    ui.state.file_key = field.key;
    ui.state.file_endings = field.endings;
  }
  return is_pointed_at(place);
}

// --- Lists ---------------------------------------------------------------------------------------------------------

constexpr double kListRowHeight = 30, kListRowPadding = 10, kListPadding = 5;
constexpr double kMaxListRows = 12;
constexpr std::size_t kMaxItemsWithoutSearch = 16;

void draw_list_box(const Ui& ui, const Press& press, const std::string& shown, bool open) {
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(kListRowPadding));
  const Rect& box = press.rect;
  const Colour inside = ui.palette.dark ? ui.palette.ground : ui.palette.raised;
  fill_rect(box, inside, radius);
  outline_rect(ui, box, press.hovered || open ? ui.palette.faint : ui.palette.line, radius);
  const double room = box.width - 2 * pad - static_cast<double>(ui.px(18));
  const double centre = box.top + box.height / 2;
  draw_line_within({ui.fonts.body, ui.palette.text, box.left + pad, centre}, std::max(0.0, room), 0, shown);
  draw_arrow(ui, box.right() - pad - static_cast<double>(ui.px(4)), centre, ui.palette.secondary);
}

/// Draws a row with the label on the left and the detail on the right in the secondary colour.
bool list_row(Ui& ui, const std::string& key, const ListItem& item, bool current) {
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kListRowHeight)), pad = static_cast<double>(ui.px(kListRowPadding));
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

/// Returns whether every typed word is in the item's name or detail.
bool is_found(const ListItem& item, const std::string& typed) {
  const std::string words = lower_ascii(item.label + " " + item.detail + " " + item.id), wanted = lower_ascii(typed);
  for (std::size_t at = 0; at < wanted.size();) {
    const std::size_t end = std::min(wanted.find(' ', at), wanted.size());
    if (words.find(wanted.substr(at, end - at)) == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

/// Draws the search field above a long list, focused from the start; returns true if Enter was pressed in it.
bool search_field(Ui& ui, const std::string& id) {
  const bool opens = ImGui::IsWindowAppearing();
  if (opens) ui.state.list_search.clear();
  // By touch the focus would bring up a keyboard over the list.
  const bool entered = text_input(ui, id + ".search", ui.state.list_search, opens && !ui.touch);
  ImGui::Dummy({0, ui.px(kListPadding)});
  return entered && !opens;
}

/// Places the list under the box if it fits, else above it; its height is that of its rows, at most
/// kMaxListRows.
void place_popup(const Ui& ui, const Rect& box, std::size_t count) {
  const double rows = std::min(static_cast<double>(count), kMaxListRows);
  const double padding = static_cast<double>(ui.px(kListPadding)), gap = static_cast<double>(ui.px(4));
  double height = rows * static_cast<double>(ui.px(kListRowHeight)) + 2 * padding;
  const double screen = static_cast<double>(ImGui::GetIO().DisplaySize.y);
  const double below = screen - box.bottom() - 2 * gap, above = box.top - 2 * gap;
  const bool up = below < height && above > below;
  height = std::min(height, std::max(static_cast<double>(ui.px(kListRowHeight)), up ? above : below));
  ImGui::SetNextWindowPos(point(box.left, up ? box.top - gap - height : box.bottom() + gap));
  ImGui::SetNextWindowSize(point(box.width, height));
}

/// Draws a box that shows `shown` with an arrow, and the list that opens below it. Returns the id chosen in this frame,
/// or "".
std::string drop_down(Ui& ui, std::string_view key, const Rect& rect, const std::vector<ListItem>& items,
                      const std::string& current, const std::string& shown) {
  const std::string id(key);
  const std::string popup = id + ".list";
  const Press press = press_area(ui, id, rect);
  if (press.clicked) ImGui::OpenPopup(popup.c_str());
  const auto chosen =
      std::find_if(items.begin(), items.end(), [&current](const ListItem& item) { return item.id == current; });
  draw_list_box(ui, press, chosen == items.end() ? shown : chosen->label, ImGui::IsPopupOpen(popup.c_str()));

  std::string result;
  place_popup(ui, rect, items.size());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kListPadding), ui.px(kListPadding)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (ImGui::BeginPopup(popup.c_str(), ImGuiWindowFlags_NoMove)) {
    const bool searched = items.size() > kMaxItemsWithoutSearch;
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

// --- Choices -------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxSegments = 4;
constexpr double kSegmentPadding = 8;

/// Returns the left edges of the segments and the right end: equal widths if every label fits, else as wide as the
/// labels need. Empty if they do not fit in a row.
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

/// Draws a switch with one Tab stop; left and right select, a click selects the segment under the mouse.
std::string segmented_switch(Ui& ui, const Field& field, const Rect& box, const std::vector<double>& edges,
                             const std::string& current) {
  const std::string key(field.key);
  const std::vector<std::string> labels = option_labels(ui, field);
  const Press press = press_area(ui, key, box);
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

// --- Names ---------------------------------------------------------------------------------------------------------

constexpr double kNameButtonHeight = 26, kNameButtonGap = 6, kNameButtonPadding = 9, kBelowButtons = 12;

/// Returns the places of buttons from left to right, in as many rows as needed.
std::vector<Rect> place_name_buttons(const Ui& ui, const std::vector<std::string>& labels, const Rect& room) {
  std::vector<double> widths;
  for (const std::string& label : labels) {
    const double wanted = static_cast<double>(text_width(ui.fonts.small, label) + 2 * ui.px(kNameButtonPadding));
    widths.push_back(std::min(std::ceil(wanted), room.width));
  }
  return places_in_rows(room, widths, ui.px(kNameButtonHeight), ui.px(kNameButtonGap));
}

void draw_button(const Ui& ui, const Rect& rect, const std::string& label, bool on, bool hovered) {
  const double radius = static_cast<double>(ui.px(6)), pad = static_cast<double>(ui.px(kNameButtonPadding)) / 2;
  if (on) fill_rect(rect, mixed(ui.palette.panel, ui.palette.accent, 0.22), radius);
  outline_rect(ui, rect, on ? ui.palette.accent : ui.palette.line, radius);
  const Colour colour = on || hovered ? ui.palette.text : ui.palette.secondary;
  draw_line_within({ui.fonts.small, colour, rect.left + pad, rect.top + rect.height / 2}, rect.width - 2 * pad, 0.5,
                   label);
}

}  // namespace

std::string help_of(const Ui& ui, std::string_view key) {
  const std::string help = "field." + words_key(key) + ".help";
  return ui.text->has(help) ? (*ui.text)[help] : std::string();
}

std::string label_of(const Ui& ui, std::string_view key) {
  return (*ui.text)["field." + words_key(key) + ".label"];
}

std::vector<std::string> option_labels(const Ui& ui, const Field& field) {
  std::vector<std::string> labels;
  for (const std::string& option : field.options) {
    const std::string key = label_key(field, option);
    labels.push_back(ui.text->has(key) ? (*ui.text)[key] : option);
  }
  return labels;
}

std::optional<double> next_change(const WidgetState& state, double now) {
  std::optional<double> next = find_tooltip_time(state, now);
  const double refused = now - state.refused_at;
  if (refused < kShakeSeconds) return now;
  if (refused < kRefusedSeconds)
    next = std::min(next.value_or(now + kRefusedSeconds), state.refused_at + kRefusedSeconds);
  return next;
}

// --- Controls ------------------------------------------------------------------------------------------------------

Edit text_control(Ui& ui, const Field& field, std::string& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label = control_label(ui, key, label_of(ui, key), column, column.width);
  Rect box{column.origin.x, column.origin.y + static_cast<double>(ui.px(kBoxTop)), column.width,
           static_cast<double>(ui.px(kBoxHeight))};
  const Rect area = area_of(column, box.bottom() - static_cast<double>(column.origin.y));
  const bool on_button = !field.endings.empty() && choose_button(ui, field, box);
  Edit edit = Edit::none;
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
    if (press.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    const bool lively = press.hovered || label.hovered;
    fill_rect(box, ui.palette.dark ? ui.palette.ground : ui.palette.panel, static_cast<double>(ui.px(6)));
    outline_rect(ui, box, lively ? ui.palette.faint : ui.palette.line, static_cast<double>(ui.px(6)));
    const double pad = static_cast<double>(ui.px(10));
    // Typed text keeps its size; the end of a long one appears in the input field.
    draw_line({ui.fonts.body, ui.palette.text, box.left + pad, box.top + box.height / 2},
              shortened(ui.fonts.body, value, box.width - 2 * pad + 0.5));
    if (press.clicked) start_typing(ui, key, value);
  }
  if (label.double_clicked) {
    value = field.initial_text;
    edit = Edit::reset;
  }
  help_after_rest(ui, key, area, on_button, help_of(ui, key));
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
    const std::size_t next = next_character(capitals, at);
    const std::string_view letter = std::string_view(capitals).substr(at, next - at);
    const double width = static_cast<double>(text_width(line.font, letter));
    if (line.left + width > end) break;
    draw_line(line, letter);
    line.left += width + spacing;
    at = next;
  }
  column.leave(static_cast<double>(ui.px(23)));
}

// --- Lists ---------------------------------------------------------------------------------------------------------

std::string lower_ascii(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
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

// --- Choices -------------------------------------------------------------------------------------------------------

Edit choice_control(Ui& ui, const Field& field, std::string& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label = control_label(ui, key, label_of(ui, key), column, column.width);
  const Rect box = box_of_control(ui, column);
  const std::vector<std::string> labels = option_labels(ui, field);
  const std::vector<double> edges =
      labels.size() <= kMaxSegments ? segment_edges(ui, box, labels) : std::vector<double>();
  std::string chosen;
  if (!edges.empty()) {
    chosen = segmented_switch(ui, field, box, edges, value);
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
    value = field.initial_text;
    edit = Edit::reset;
  }
  help_after_rest(ui, key, area_of(column, box.bottom() - static_cast<double>(column.origin.y)), false,
                  help_of(ui, key));
  column.leave(static_cast<double>(ui.px(kBoxControl)));
  return edit;
}

// --- Names ---------------------------------------------------------------------------------------------------------

Edit names_control(Ui& ui, const Field& field, std::vector<std::string>& value) {
  const std::string key(field.key);
  const Column column = enter_column();
  const Press label_press = control_label(ui, key, label_of(ui, key), column, column.width);
  const std::vector<std::string> labels = option_labels(ui, field);
  const double top = std::floor(column.origin.y + static_cast<double>(ui.px(kBoxTop)));
  const std::vector<Rect> places = place_name_buttons(ui, labels, {column.origin.x, top, column.width, 0});
  Edit edit = Edit::none;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Press press = press_area(ui, key + "." + field.options[i], places[i]);
    if (press.clicked) {
      if (std::erase(value, field.options[i]) == 0) value.push_back(field.options[i]);
      value = clamp_to(field, value);
      edit = Edit::done;
    }
    const bool on = std::find(value.begin(), value.end(), field.options[i]) != value.end();
    draw_button(ui, places[i], labels[i], on, press.hovered);
  }
  if (label_press.double_clicked) {
    value = field.initial_names;
    edit = Edit::reset;
  }
  const double height = (places.empty() ? top : places.back().bottom()) - static_cast<double>(column.origin.y);
  help_after_rest(ui, key, area_of(column, height), false, help_of(ui, key));
  column.leave(height + static_cast<double>(ui.px(kBelowButtons)));
  return edit;
}

// Several may be on, so they are separate buttons as in a set of names, not segments of which one is selected.
Edit toggles_control(Ui& ui, std::string_view label_key, FieldList toggles) {
  if (toggles.empty()) return Edit::none;
  const Column column = enter_column();
  const bool labelled = ui.text->has(label_key);
  const Press label_press =
      labelled ? control_label(ui, label_key, (*ui.text)[label_key], column, column.width) : Press();
  std::vector<std::string> labels;
  for (const Field& field : toggles) labels.push_back(label_of(ui, field.key));
  const double top = std::floor(column.origin.y + static_cast<double>(ui.px(labelled ? kBoxTop : 0)));
  const std::vector<Rect> places = place_name_buttons(ui, labels, {column.origin.x, top, column.width, 0});
  Edit edit = Edit::none;
  for (std::size_t i = 0; i < toggles.size(); ++i) {
    Field& field = toggles[i];
    const Press press = press_area(ui, field.key, places[i]);
    if (press.clicked) {
      field.as<bool>() = !field.as<bool>();
      edit = Edit::done;
    }
    draw_button(ui, places[i], labels[i], field.as<bool>(), press.hovered);
    tooltip_after_rest(ui, field.key, press.hovered, help_of(ui, field.key));
  }
  if (label_press.double_clicked) {
    for (Field& field : toggles) field.as<bool>() = field.initial != 0;
    edit = Edit::done;
  }
  column.leave(places.back().bottom() - column.origin.y + static_cast<double>(ui.px(kBelowButtons)));
  return edit;
}

bool action_control(Ui& ui, const Field& field) {
  const std::string key(field.key);
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(kBoxHeight)),
               pad = static_cast<double>(ui.px(kNameButtonPadding)) / 2;
  const Press press = press_area(ui, key, {column.origin.x, column.origin.y, column.width, height});
  const double radius = static_cast<double>(ui.px(6));
  fill_rect(press.rect, press.hovered ? ui.palette.line : ui.palette.raised, radius);
  outline_rect(ui, press.rect, ui.palette.line, radius);
  draw_line_within({ui.fonts.small, ui.palette.text, press.rect.left + pad, press.rect.top + height / 2},
                   press.rect.width - 2 * pad, 0.5, label_of(ui, key));
  tooltip_after_rest(ui, key, press.hovered, help_of(ui, key));
  column.leave(height + static_cast<double>(ui.px(kBelowButtons)));
  return press.clicked;
}

}  // namespace ropescope::ui
