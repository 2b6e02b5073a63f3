// The theme of ImGui, painting of widgets, pressable areas with the Tab order, and tooltips.
//
// Contents: Style; Painting; Pressing; Text.

#include "app/ui/drawing/style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/text_flow.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "core/utf8.h"

namespace ropescope::ui {

// --- Style ---------------------------------------------------------------------------------------------------------

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

// --- Painting ------------------------------------------------------------------------------------------------------

double snapped(double value) {
  return std::floor(value + 0.5);
}

// --- Pressing ------------------------------------------------------------------------------------------------------

constexpr double kTooltipDelay = 0.5;  ///< seconds that the mouse must rest
constexpr double kTooltipWidth = 360, kTooltipPadX = 12, kTooltipPadY = 9;

/// Returns the stops of the last frame in the focused window or popup.
std::vector<WidgetState::TabStop> stops_in_focus(std::vector<WidgetState::TabStop> stops) {
  const unsigned root = focused_root_window();
  if (root != 0) std::erase_if(stops, [root](const auto& stop) { return stop.window != root; });
  return stops;
}

/// Returns the stop with the focus, or whose value is edited.
unsigned focused_stop(const WidgetState& state) {
  return state.edited_key.empty() || state.edited_stop == 0 ? focused_item() : state.edited_stop;
}

/// Moves the focus by Tab, once per frame: Tab selects the next of the stops drawn in the last frame in the focused
/// window or popup. ImGui 1.86 supports Tab between text fields only.
void begin_tab_order(WidgetState& state) {
  if (state.stops_frame == ImGui::GetFrameCount()) return;
  state.stops_frame = ImGui::GetFrameCount();
  state.previous_stops = std::exchange(state.stops, {});
  const ImGuiIO& io = ImGui::GetIO();
  if (!key_pressed(Key::tab) || io.KeyCtrl || io.KeyAlt) return;
  keep_focus_here();
  const std::vector<WidgetState::TabStop> stops = stops_in_focus(state.previous_stops);
  if (stops.empty()) return;
  const auto here = std::find_if(stops.begin(), stops.end(),
                                 [focused = focused_stop(state)](const auto& stop) { return stop.id == focused; });
  const bool known = here != stops.end();
  if (io.KeyShift) {
    state.requested_focus = known && here != stops.begin() ? std::prev(here)->id : stops.back().id;
  } else {
    state.requested_focus = known && std::next(here) != stops.end() ? std::next(here)->id : stops.front().id;
  }
}

/// Places the next tooltip under a rectangle, above it if it does not fit there, else right or left of it: it never
/// covers its subject.
void place_beside(const Ui& ui, const Rect& rect, const std::string& text) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const double wide = std::min<double>(ui.px(kTooltipWidth), 0.9 * static_cast<double>(screen.x)), gap = ui.px(6);
  bool cut = false;
  const auto lines = wrapped_lines(ui.fonts.small, text, wide, text.size(), cut);
  double width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, static_cast<double>(text_width(ui.fonts.small, line)));
  }
  width += static_cast<double>(ui.px(2 * kTooltipPadX));
  const double height = static_cast<double>(lines.size()) * static_cast<double>(font_size(ui.fonts.small)) +
                        static_cast<double>(ui.px(2 * kTooltipPadY));
  const double left = std::clamp(rect.left, 0.0, std::max(0.0, static_cast<double>(screen.x) - width));
  if (rect.bottom() + gap + height <= static_cast<double>(screen.y)) {
    ImGui::SetNextWindowPos(point(left, rect.bottom() + gap));
  } else if (rect.top - gap - height >= 0) {
    ImGui::SetNextWindowPos(point(left, rect.top - gap - height));
  } else if (rect.right() + gap + width <= static_cast<double>(screen.x)) {
    const double top = std::max(0.0, static_cast<double>(screen.y) - height);
    ImGui::SetNextWindowPos(point(rect.right() + gap, std::min(rect.top, top)));
  } else {
    const double top = std::max(0.0, static_cast<double>(screen.y) - height);
    ImGui::SetNextWindowPos(point(std::max(0.0, rect.left - gap - width), std::min(rect.top, top)));
  }
}

// --- Text ----------------------------------------------------------------------------------------------------------

constexpr const char* kEllipsis = "…";

/// Returns the bytes of the longest start that is at most `width` wide.
std::size_t fitting_bytes(ImFont* font, std::string_view text, double width) {
  double taken = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t next = next_character(text, at);
    taken += static_cast<double>(text_width(font, text.substr(at, next - at)));
    if (taken > width) break;
    at = next;
  }
  return at;
}

/// Draws a line as an item of the window, as high as its formulas require.
void line_item(const std::string& line) {
  ImFont* font = ImGui::GetFont();
  const float size = font_size(font);
  const TextExtent extent = line_extent(font, size, line);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec4 colour = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  const auto part = [](float value) { return static_cast<std::uint8_t>(std::lround(255 * value)); };
  draw_screen_line(
      ImGui::GetWindowDrawList(),
      {font, size, {at.x, at.y + extent.over}, {part(colour.x), part(colour.y), part(colour.z), part(colour.w)}}, line);
  ImGui::Dummy({extent.width, size + extent.over + extent.under});
}

}  // namespace

bool is_last_stop(const WidgetState& state, bool back) {
  const std::vector<WidgetState::TabStop> stops = stops_in_focus(state.stops);
  return stops.empty() || (back ? stops.front() : stops.back()).id == focused_stop(state);
}

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

// --- Painting ------------------------------------------------------------------------------------------------------

Colour mixed(Colour from, Colour to, double share) {
  const auto part = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
  };
  return {part(from.red, to.red), part(from.green, to.green), part(from.blue, to.blue), part(from.alpha, to.alpha)};
}

Colour quiet_text(const Palette& palette) {
  return mixed(palette.faint, palette.secondary, 0.75);
}

ImVec2 point(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}
ImVec2 top_left(const Rect& rect) {
  return point(rect.left, rect.top);
}
ImVec2 bottom_right(const Rect& rect) {
  return point(rect.right(), rect.bottom());
}
Rect rect_at(ImVec2 at, double width, double height) {
  return {at.x, at.y, width, height};
}
Rect grown(const Rect& rect, double by) {
  return {rect.left - by, rect.top - by, rect.width + 2 * by, rect.height + 2 * by};
}
Rect last_item_rect() {
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  return {a.x, a.y, b.x - a.x, b.y - a.y};
}

double share_of_em(const Ui& ui, const ImFont* font, double em) {
  return std::min(1.0, em / ui.fonts.em_of(font));
}

void draw_line(const LineOfText& line, std::string_view text) {
  const float size = font_size(line.font) * static_cast<float>(line.share);
  // Whole pixels: glyphs between pixels would be blurred.
  const ImVec2 at = point(snapped(line.left), std::floor(line.centre_y - static_cast<double>(size) / 2));
  draw_screen_line(ImGui::GetWindowDrawList(), {line.font, size, at, line.colour}, text);
}

bool draw_line_within(LineOfText line, double width, double align, const std::string& text) {
  const double natural = static_cast<double>(text_width(line.font, text));
  line.share = natural > width ? std::clamp(width / natural, line.least_share, 1.0) : 1;
  const std::string shown = shortened(line.font, text, width / line.share + 0.5);
  line.left += align * (width - line.share * static_cast<double>(text_width(line.font, shown)));
  draw_line(line, shown);
  return shown != text;
}

void fill_rect(const Rect& rect, Colour colour, double radius) {
  const ImVec2 a = point(snapped(rect.left), snapped(rect.top)),
               b = point(snapped(rect.right()), snapped(rect.bottom()));
  ImGui::GetWindowDrawList()->AddRectFilled(a, b, colour32(colour), static_cast<float>(radius));
}

void outline_rect(const Ui& ui, const Rect& rect, Colour colour, double radius) {
  const float width = std::max(1.0f, std::floor(ui.scale));
  const double half = static_cast<double>(width) / 2 - 0.5;  // AddRect adds the half pixel itself
  const ImVec2 a = point(snapped(rect.left) + half, snapped(rect.top) + half);
  const ImVec2 b = point(snapped(rect.right()) - half, snapped(rect.bottom()) - half);
  ImGui::GetWindowDrawList()->AddRect(a, b, colour32(colour), static_cast<float>(radius), 0, width);
}

void draw_arrow(const Ui& ui, double centre_x, double centre_y, Colour colour) {
  const double half = static_cast<double>(ui.px(3.5)), height = static_cast<double>(ui.px(6));
  ImGui::GetWindowDrawList()->AddTriangleFilled(point(centre_x - half, centre_y - height / 2),
                                                point(centre_x + half, centre_y - height / 2),
                                                point(centre_x, centre_y + height / 2), colour32(colour));
}

void draw_cross(const Ui& ui, double centre_x, double centre_y, Colour colour) {
  const double arm = static_cast<double>(ui.px(3.75));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = ui.px(1.2);
  list->AddLine(point(centre_x - arm, centre_y - arm), point(centre_x + arm, centre_y + arm), colour32(colour), width);
  list->AddLine(point(centre_x - arm, centre_y + arm), point(centre_x + arm, centre_y - arm), colour32(colour), width);
}

void dashed_rect(const Ui& ui, const Rect& rect, Colour colour, double radius) {
  const Rect r{std::floor(rect.left) + 0.5, std::floor(rect.top) + 0.5, std::floor(rect.width) - 1,
               std::floor(rect.height) - 1};
  radius = std::min({radius, r.width / 2, r.height / 2});
  Scene scene;
  PathItem path;
  path.colour = colour;
  path.width = std::max(1.0, std::floor(static_cast<double>(ui.scale)));
  path.dash = Dash::short_dash;
  constexpr int kSteps = 12;
  constexpr double kQuarter = std::numbers::pi / 2;
  const std::array<Vec2, 4> centres{{{r.right() - radius, r.top + radius},
                                     {r.right() - radius, r.bottom() - radius},
                                     {r.left + radius, r.bottom() - radius},
                                     {r.left + radius, r.top + radius}}};
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for (int step = 0; step <= kSteps; ++step) {
      const double angle = (static_cast<double>(corner) - 1 + static_cast<double>(step) / kSteps) * kQuarter;
      path.points.push_back(
          {centres[corner].x + radius * std::cos(angle), centres[corner].y + radius * std::sin(angle)});
    }
  }
  path.points.push_back(path.points.front());
  scene.items.emplace_back(std::move(path));
  draw_scene(ImGui::GetWindowDrawList(), ui, scene);
}

// --- Pressing ------------------------------------------------------------------------------------------------------

bool tab_stop(Ui& ui, double radius) {
  WidgetState& state = ui.state;
  begin_tab_order(state);
  const unsigned id = last_item();
  state.stops.push_back({id, current_root_window()});
  if (state.requested_focus == id && id != 0) {
    focus_last_item();
    state.requested_focus = 0;
  }
  const bool focused = ImGui::IsItemFocused();
  if (focused && focus_is_visible()) {
    const double gap = static_cast<double>(ui.px(2));
    const Rect ring = grown(last_item_rect(), gap);
    ImGui::GetWindowDrawList()->AddRect(top_left(ring), bottom_right(ring), colour32(ui.palette.accent),
                                        ui.px(radius) + ui.px(2), 0, ui.px(1.5));
  }
  return focused;
}

Press press_area(Ui& ui, std::string_view key, const Rect& rect, double radius, bool enabled) {
  Press press;
  press.rect = rect;
  const ImVec2 size = point(std::max(1.0, rect.width), std::max(1.0, rect.height));
  ImGui::SetCursorScreenPos(top_left(rect));
  if (ui.record) ui.record->add(std::string(key), rect);
  if (!enabled) {
    ImGui::Dummy(size);
    press.hovered = ImGui::IsItemHovered();
    return press;
  }
  press.clicked = invisible_button(std::string(key).c_str(), size);
  press.hovered = ImGui::IsItemHovered();
  press.held = ImGui::IsItemActive();
  press.double_clicked = press.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  press.id = last_item();
  std::string& wanted = ui.state.focus_key;
  if (!wanted.empty() && (key == wanted || key.starts_with(wanted + "."))) {
    wanted.clear();
    focus_last_item();
  }
  press.focused = tab_stop(ui, radius);
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  if (press.focused && focus_is_visible() && entered && !ImGui::IsAnyItemActive()) press.clicked = true;
  return press;
}

Press mouse_area(Ui& ui, std::string_view key, const Rect& rect) {
  Press press;
  press.rect = rect;
  ImGui::SetCursorScreenPos(top_left(rect));
  if (ui.record) ui.record->add(std::string(key), rect);
  begin_mouse_only();
  press.clicked =
      ImGui::InvisibleButton(std::string(key).c_str(), point(std::max(1.0, rect.width), std::max(1.0, rect.height)));
  end_mouse_only();
  press.hovered = ImGui::IsItemHovered();
  press.held = ImGui::IsItemActive();
  press.double_clicked = press.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  return press;
}

std::optional<double> find_tooltip_time(const WidgetState& state, double now) {
  // Slightly later: the due time may not have passed yet by the frame's clock.
  const double due = state.hovered_since + kTooltipDelay + 0.01;
  if (state.hovered_key.empty() || now >= due) return std::nullopt;
  return due;
}

void tooltip_after_rest(Ui& ui, std::string_view key, bool hovered, const std::string& text,
                        const std::optional<Rect>& about) {
  WidgetState& state = ui.state;
  if (!hovered || text.empty()) {
    if (state.hovered_key == key) state.hovered_key.clear();
    return;
  }
  const double now = ImGui::GetTime();
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const bool shown = state.hovered_key == key && now - state.hovered_since > kTooltipDelay;
  if (state.hovered_key != key || (moved && !shown) || ImGui::IsAnyMouseDown()) {
    state.hovered_key = key;
    state.hovered_since = now;
  }
  if (now - state.hovered_since <= kTooltipDelay || ImGui::IsAnyItemActive()) return;
  const Rect* recorded = ui.record ? ui.record->find(key) : nullptr;
  const ImVec2 mouse = io.MousePos;
  tooltip(ui, text, about ? *about : recorded ? *recorded : rect_at(mouse, 1, 1));
}

void hide_tooltips_of_other_view(Ui& ui, std::string_view view) {
  WidgetState& state = ui.state;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0 || key_pressed(Key::tab)) state.tooltips_hidden = false;
  if (state.view == view) return;
  state.tooltips_hidden = !state.view.empty();
  state.view = view;
  state.hovered_key.clear();
}

void tooltip(Ui& ui, const std::string& text, const Rect& about) {
  if (ui.state.tooltips_hidden) return;
  place_beside(ui, about, text);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kTooltipPadX), ui.px(kTooltipPadY)});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, colour32(ui.palette.raised));
  ImGui::BeginTooltip();
  ImGui::PushFont(ui.fonts.small);
  wrapped_text(text, std::min<double>(ui.px(kTooltipWidth), 0.9 * static_cast<double>(ImGui::GetIO().DisplaySize.x)));
  ImGui::PopFont();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  if (ui.record) ui.record->add("tooltip", rect_at(at, static_cast<double>(size.x), static_cast<double>(size.y)));
  ImGui::EndTooltip();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

Column enter_column() {
  return {ImGui::GetCursorScreenPos(), std::max(1.0, static_cast<double>(ImGui::GetContentRegionAvail().x))};
}

void Column::leave(double height) const {
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(width, height));
}

// --- Text ----------------------------------------------------------------------------------------------------------

float text_width(ImFont* font, std::string_view text) {
  return line_extent(font, font_size(font), text).width;
}

std::string shortened(ImFont* font, const std::string& text, double width) {
  if (static_cast<double>(text_width(font, text)) <= width) return text;
  const double room = width - static_cast<double>(text_width(font, kEllipsis));
  if (room < 0) return {};
  std::size_t end = fitting_bytes(font, text, room);
  while (end > 0 && text[end - 1] == ' ') --end;
  return text.substr(0, end) + kEllipsis;
}

std::string shortened_middle(ImFont* font, const std::string& text, double width) {
  if (static_cast<double>(text_width(font, text)) <= width) return text;
  const double room = width - static_cast<double>(text_width(font, kEllipsis));
  if (room < 0) return {};
  const std::string head = text.substr(0, fitting_bytes(font, text, room / 3));
  const double for_tail = room - static_cast<double>(text_width(font, head));
  std::size_t tail = head.size();
  while (tail < text.size() && static_cast<double>(text_width(font, text.substr(tail))) > for_tail) {
    tail = next_character(text, tail);
  }
  return head + kEllipsis + text.substr(tail);
}

std::vector<std::string> wrapped_lines(ImFont* font, const std::string& text, double width, std::size_t count,
                                       bool& cut) {
  const auto fitting = [&](std::string_view part) { return fitting_bytes(font, part, width); };
  const std::vector<std::string_view> all = text_lines(text, fitting, count + 1);
  std::vector<std::string> lines(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
  cut = all.size() > count;
  if (cut && count > 0) {
    const double room = width - static_cast<double>(text_width(font, kEllipsis));
    lines.back() = lines.back().substr(0, fitting_bytes(font, lines.back(), room)) + kEllipsis;
  }
  return lines;
}

void wrapped_text(const std::string& text, double width) {
  bool cut = false;
  const std::vector<std::string> lines = wrapped_lines(ImGui::GetFont(), text, width, text.size(), cut);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  for (const std::string& line : lines) line_item(line);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

}  // namespace ropescope::ui
