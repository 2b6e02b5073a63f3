// Controls of fields (widgets.h): numbers, choices, lists, names, typing.
//
// Contents: Typing; Controls; Lists; Choices; Names; Numbers.

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

namespace {

constexpr double kShakeSeconds = 0.4, kRefusedSeconds = 1.2;

/// The value of a field while it is typed as text, in the given rectangle. Ends with Enter, Tab or a click elsewhere
/// (`committed`), or Escape.
struct Typing {
  bool active = false;     ///< still typing
  bool committed = false;  ///< `text` is the new value
  bool by_enter = false;
  std::string text;
};

void start_typing(Ui& ui, std::string_view key, const std::string& text, const char* keyboard = "") {
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

/// Returns the current shift in pixels of a rejected text; `refused` is set while it is marked.
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

/// Marks a typed text that was rejected: it shakes and has the warning colour for a moment.
void refuse_typing(Ui& ui, std::string_view key) {
  ui.state.refused_key = key;
  ui.state.refused_at = ImGui::GetTime();
}

// --- Controls ------------------------------------------------------------------------------------------------------

/// The area of a control from its label to its last row: the mouse is on the control anywhere in it.
Rect area_of(const Column& column, double height) {
  return {column.origin.x, column.origin.y, column.width, height};
}

bool is_pointed_at(const Rect& area) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return ImGui::IsWindowHovered() && area.contains({mouse.x, mouse.y});
}

/// Shows the field's help while the mouse rests on the control, outside its area. `on_part`: the mouse is on a part
/// that has its own tooltip.
void help_after_rest(Ui& ui, std::string_view key, const Rect& area, bool on_part, const std::string& help) {
  tooltip_after_rest(ui, key, is_pointed_at(area) && !on_part, help, area);
}

/// Draws the field's label on the left of its first row, shortened to `width`; a double click on it resets, a right
/// click opens its menu.
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

constexpr double kNameButtonHeight = 26, kNameButtonGap = 6, kNameButtonPadding = 9, kBelow = 12;

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

// --- Numbers -------------------------------------------------------------------------------------------------------

constexpr double kBetween = 10;  ///< between label and value

// Sizes at 100 %.
constexpr double kTrackCentre = 27, kTrack = 4, kHandle = 8, kField = 5, kPlainHeight = 36, kTickCentre = 42,
                 kLogHeight = 56, kPlay = 16, kPlayGap = 6;
constexpr double kArrowDecades = 0.02;  ///< one arrow key on a logarithmic slider: × 10^0.02
constexpr double kArrowShare = 0.01;    ///< and as a share of the range on a linear one without steps
constexpr int kDraggedDigits = 3;       ///< significant digits of a dragged logarithmic value

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
  // Division by a power of ten is exact, multiplication by 0.01 is not.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

/// Returns the value one arrow-key step away; it always differs within the range.
double step_value(const NumberField& field, double value, int direction, bool large) {
  const double times = large ? 10 : 1;
  if (!field.linear) {
    const double share = direction * kArrowDecades * times;
    double next = clamp_to(field, rounded(value * std::pow(10, share), kDraggedDigits + 1));
    const double least = field.step > 0 ? field.step : field.whole ? 1 : 0;
    if (next == value && least > 0) next = clamp_to(field, value + direction * least);
    return next;
  }
  double step = field.step > 0 ? field.step : kArrowShare * (field.highest - field.lowest);
  if (field.whole) step = std::max(1.0, std::round(step));
  return clamp_to(field, value + direction * step * times);
}

/// Parses "1e6", "10 000", "131072", with any space or underscore between digits and a true minus.
std::optional<double> parse_typed_number(const std::string& typed) {
  std::string plain;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string_view rest = std::string_view(typed).substr(i);
    if (rest.starts_with("\u2212")) {
      plain += '-';
      i += 2;
    } else if (rest.starts_with("\u202F") || rest.starts_with("\u2009")) {
      i += 2;
    } else if (rest.starts_with("\u00A0")) {
      i += 1;
    } else if (typed[i] != ' ' && typed[i] != '_') {
      plain += typed[i];
    }
  }
  return parse_number(plain);
}

struct Slider {
  Rect track;         ///< path of the handle's middle
  double centre = 0;  ///< y
  double position(double fraction) const { return track.left + fraction * track.width; }
  double fraction(double x) const { return (x - track.left) / std::max(1.0, track.width); }
};

void draw_slider(const Ui& ui, const NumberField& field, const Slider& slider, double value, const Press& press) {
  const double half = static_cast<double>(ui.px(kTrack)) / 2, over = static_cast<double>(ui.px(kHandle));
  const double at = slider.position(slider_fraction(field, value));
  const Rect rail{slider.track.left - over, slider.centre - half, slider.track.width + 2 * over, 2 * half};
  fill_rect(rail, mixed(ui.palette.raised, ui.palette.line, 0.35), half);
  fill_rect({rail.left, rail.top, at - rail.left, rail.height}, ui.palette.accent, half);
  const double initial = slider.position(slider_fraction(field, field.initial));
  if (std::abs(initial - at) > over) {
    const double notch = static_cast<double>(ui.px(5)), thin = static_cast<double>(ui.px(1));
    fill_rect({initial - thin, slider.centre - notch, 2 * thin, 2 * notch}, ui.palette.faint, thin);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 middle = point(at, slider.centre);
  const bool lively = press.hovered || press.held;
  list->AddCircleFilled(middle, ui.px(kHandle), colour32(ui.palette.panel), 32);
  list->AddCircle(middle, ui.px(kHandle), colour32(ui.palette.accent), 32, ui.px(lively ? 2 : 1.25));
  list->AddCircleFilled(middle, ui.px(press.held ? kField + 0.75 : kField), colour32(ui.palette.text), 32);
}

void draw_ticks(const Ui& ui, const NumberField& field, const Slider& slider, const Column& column) {
  struct Tick {
    double left, right;
    std::string label;
  };
  const int last = static_cast<int>(std::floor(std::log10(field.highest) + 1e-9));
  const int first = field.lowest > 0 ? static_cast<int>(std::ceil(std::log10(field.lowest) - 1e-9)) : 0;
  const double right = column.origin.x + column.width;
  for (int every = 1; every <= std::max(1, last - first); ++every) {
    std::vector<Tick> ticks;
    bool apart = true;
    for (int decade = first; decade <= last; decade += every) {
      const std::string label = decade == 0 ? "1" : decade == 1 ? "10" : power_of_ten(decade);
      const double width = static_cast<double>(text_width(ui.fonts.small, label));
      const double middle = slider.position(slider_fraction(field, std::pow(10, decade)));
      const double left = std::clamp(middle - width / 2, static_cast<double>(column.origin.x), right - width);
      if (!ticks.empty() && left < ticks.back().right + static_cast<double>(ui.px(16))) apart = false;
      ticks.push_back({left, left + width, label});
    }
    if (!apart) continue;
    const double centre = column.origin.y + static_cast<double>(ui.px(kTickCentre));
    for (const Tick& tick : ticks) draw_line({ui.fonts.small, quiet_text(ui.palette), tick.left, centre}, tick.label);
    return;
  }
}

Edit react_to_slider(Ui& ui, const NumberField& field, const Slider& slider, const Press& press, double& value) {
  WidgetState& state = ui.state;
  if (press.double_clicked) {
    state.dragged_key.clear();
    value = field.initial;
    return Edit::reset;
  }
  const double mouse = static_cast<double>(ImGui::GetIO().MousePos.x);
  if (ImGui::IsItemActivated() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const double off = slider.position(slider_fraction(field, value)) - mouse;
    // A grabbed handle keeps its offset to the mouse; a press on the bare track makes it jump.
    state.drag_offset = std::abs(off) <= static_cast<double>(ui.px(kHandle)) ? static_cast<float>(off) : 0;
    state.dragged_key = field.key;
  }
  if (state.dragged_key != field.key) return Edit::none;
  if (!press.held) {
    state.dragged_key.clear();
    return Edit::done;
  }
  const double fraction = slider.fraction(mouse + static_cast<double>(state.drag_offset));
  const bool still = ImGui::GetIO().MouseDelta.x == 0 && std::abs(slider_fraction(field, value) - fraction) < 0.005;
  if (still) return Edit::none;  // a mere click on the handle must not round a typed value
  const double next = dragged_value(field, std::clamp(fraction, 0.0, 1.0), ImGui::GetIO().KeyShift);
  if (next == value) return Edit::none;
  value = next;
  return Edit::changing;
}

Edit step_by_arrow_keys(Ui& ui, const NumberField& field, const Press& press, double& value) {
  if (!press.focused || is_typing(ui, field.key)) return Edit::none;
  const bool right = key_pressed(Key::right), left = key_pressed(Key::left);
  if (!right && !left) return Edit::none;
  keep_focus_here();
  const double next = step_value(field, value, right ? 1 : -1, ImGui::GetIO().KeyShift);
  if (next == value) return Edit::none;
  value = next;
  return Edit::done;
}

/// Draws the number right of the label: text until it is clicked, then an input field.
Edit value_cell(Ui& ui, const NumberField& field, const Rect& row, double& value) {
  const std::string key(field.key);
  // A phone's keyboard of digits has no minus, and no letters for 500k or 1e6.
  constexpr double kMaxByDigits = 10000;
  const char* const keyboard = field.lowest < 0 || field.highest >= kMaxByDigits ? "" : "decimal";
  if (is_typing(ui, key)) {
    const Typing typing = typing_field(ui, key, row);
    if (typing.active) return Edit::changing;
    if (!typing.committed) return Edit::none;
    const std::optional<double> number = parse_typed_number(typing.text);
    if (number) {
      const double next = clamp_to(field, *number);
      if (next == value) return Edit::none;
      value = next;
      return Edit::done;
    }
    refuse_typing(ui, key);
    if (typing.by_enter) start_typing(ui, key, typing.text, keyboard);
    return Edit::none;
  }
  const std::string shown = displayed_number(ui, field, value);
  const double width = std::min(row.width, static_cast<double>(text_width(ui.fonts.body, shown)));
  bool refused = false;
  const double shift = shake_of(ui, key, refused);
  const Rect cell{row.right() - width, row.top, width, row.height};
  const Press press = mouse_area(ui, key + ".value", grown(cell, static_cast<double>(ui.px(2))));
  if (press.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  const Colour colour = refused ? ui.palette.warning : press.hovered ? ui.palette.accent : ui.palette.text;
  draw_line_within({ui.fonts.body, colour, cell.left + shift, cell.top + cell.height / 2}, width, 1, shown);
  if (press.clicked) start_typing(ui, key, shortest_number(value), keyboard);
  return Edit::none;
}

/// Returns the width of the value in the label's row. If both do not fit, the label keeps its minimum.
double value_width(const Ui& ui, const NumberField& field, double value, double row) {
  if (is_typing(ui, field.key)) return std::min(std::max(0.5 * row, static_cast<double>(ui.px(110))), row);
  const double label = static_cast<double>(text_width(ui.fonts.body, label_of(ui, field.key)));
  const double most = std::max(row / 3, row - kSmallestShare * label - static_cast<double>(ui.px(kBetween)));
  return std::min(most, static_cast<double>(text_width(ui.fonts.body, displayed_number(ui, field, value))));
}

/// Draws ▷ or ⏸ in the middle of a square.
void draw_play_sign(const Ui& ui, const Rect& rect, Colour colour, bool playing) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double x = rect.left + rect.width / 2, y = rect.top + rect.height / 2;
  const auto px = [&ui](double measure) { return static_cast<double>(ui.px(measure)); };
  if (playing) {
    fill_rect({x - px(4), y - px(5), px(3), px(10)}, colour);
    fill_rect({x + px(1), y - px(5), px(3), px(10)}, colour);
    return;
  }
  list->AddTriangle(point(x - px(3.5), y - px(5)), point(x - px(3.5), y + px(5)), point(x + px(5), y), colour32(colour),
                    ui.px(1.4));
}

/// Handles the button that plays the field. By mouse; on the keyboard Shift+Enter on the field does the same. Returns
/// whether the mouse is on it.
bool react_to_play(Ui& ui, const std::string& key, const Rect& rect, const Press& slider) {
  const std::string play = key + ".play";
  FieldSweep& sweep = ui.sweep;
  const Press press = mouse_area(ui, play, rect);
  const bool requested_speed = press.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (requested_speed) sweep.speed_of = key;
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  const bool by_keys = slider.focused && focus_is_visible() && entered && ImGui::GetIO().KeyShift;
  if (press.clicked || by_keys) sweep.press(key);
  if (sweep.key == key) {
    sweep.focused = slider.focused && focus_is_visible();
    if (held_by_mouse(slider.id) || is_typing(ui, key)) sweep.end();
  }
  const bool mine = sweep.key == key;
  const Colour colour = mine || press.hovered ? ui.palette.accent : ui.palette.secondary;
  draw_play_sign(ui, rect, colour, sweep.plays(key));
  tooltip_after_rest(ui, play, press.hovered, (*ui.text)[mine && !sweep.held ? "shell.tip.hold" : "shell.tip.sweep"]);
  return press.hovered;
}

/// Returns whether Enter or Space on the focused slider starts typing, not playing or pausing.
bool starts_typing(const Ui& ui, const std::string& key, const Press& slider) {
  if (!slider.clicked || !slider.focused || ImGui::IsMouseReleased(ImGuiMouseButton_Left)) return false;
  return !ImGui::GetIO().KeyShift && !(ui.sweep.key == key && key_pressed(Key::space, false));
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

std::string displayed_number(const Ui& ui, const NumberField& field, double value) {
  if (value == 0 && !field.zero.empty()) {
    return ui.text->format(field.zero, {{"base", readable_number(field.zero_value)}});
  }
  const std::string number = field.whole ? readable_integer(value) : readable_number(value);
  return field.unit.empty() ? number : number + "\u00A0" + (*ui.text)[field.unit];
}

double dragged_value(const NumberField& field, double fraction, bool freely) {
  const double value = slider_value(field, fraction);
  if (fraction <= 0 || fraction >= 1 || field.linear || field.step > 0) return value;
  const bool round = field.round && !freely;
  // A base is never 1.
  return clamp_to(field, rounded(value, round && value >= 1.5 ? 1 : kDraggedDigits));
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
  column.leave(height + static_cast<double>(ui.px(kBelow)));
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
  column.leave(places.back().bottom() - column.origin.y + static_cast<double>(ui.px(kBelow)));
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
  column.leave(height + static_cast<double>(ui.px(kBelow)));
  return press.clicked;
}

// --- Numbers -------------------------------------------------------------------------------------------------------

Edit number_control(Ui& ui, const NumberField& field, double& value, bool animates) {
  const std::string key(field.key);
  const Column column = enter_column();
  const double height = static_cast<double>(ui.px(!field.linear ? kLogHeight : kPlainHeight));
  const double label_row = static_cast<double>(ui.px(kLabelRow)), over = static_cast<double>(ui.px(kHandle));
  const double taken = value_width(ui, field, value, column.width);
  const double for_label = std::max(0.0, column.width - taken - static_cast<double>(ui.px(kBetween)));
  const Press label = control_label(ui, key, label_of(ui, key), column, for_label);

  Edit edit = value_cell(ui, field, {column.origin.x + column.width - taken, column.origin.y, taken, label_row}, value);

  const double side = static_cast<double>(ui.px(kPlay));
  const double play = animates ? side + static_cast<double>(ui.px(kPlayGap)) : 0;
  Slider slider;
  slider.centre = std::floor(column.origin.y + static_cast<double>(ui.px(kTrackCentre)));
  slider.track = {column.origin.x + over, slider.centre, std::max(1.0, column.width - play - 2 * over), 0};
  const Press press = press_area(ui, key, {column.origin.x, slider.centre - over, column.width - play, 2 * over}, 8);
  if (is_typing(ui, key)) ui.state.edited_stop = press.id;
  const Edit dragged = react_to_slider(ui, field, slider, press, value);
  const Edit stepped = step_by_arrow_keys(ui, field, press, value);
  if (starts_typing(ui, key, press)) start_typing(ui, key, shortest_number(value));
  if (label.double_clicked) {
    value = field.initial;
    edit = Edit::reset;
  }
  if (dragged != Edit::none) edit = dragged;
  if (stepped != Edit::none) edit = stepped;

  Press lively = press;
  lively.hovered = press.hovered || label.hovered;
  draw_slider(ui, field, slider, value, lively);
  if (!field.linear) draw_ticks(ui, field, slider, column);
  const bool on_play =
      animates &&
      react_to_play(ui, key, {column.origin.x + column.width - side, slider.centre - side / 2, side, side}, press);
  if (ui.record) {
    const double at = slider.position(slider_fraction(field, value));
    ui.record->add(key + ".handle", {at - over, slider.centre - over, 2 * over, 2 * over});
  }
  const std::string help =
      field.round
          ? ui.text->format("list.sentences", {{"first", help_of(ui, key)}, {"second", (*ui.text)["shell.tip.round"]}})
          : help_of(ui, key);
  help_after_rest(ui, key, area_of(column, height), on_play, help);
  column.leave(height);
  return edit;
}

}  // namespace ropescope::ui
