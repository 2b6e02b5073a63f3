// The pen over figures and the mark around the mouse.

#include "app/ui/pen.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

constexpr double kPenWidth = 2;  ///< relative to a line's
constexpr double kMin = 1.5;     ///< minimum distance in pixels of two points
constexpr double kPenSwatch = 26, kBarHeight = 30, kBarGap = 6;
constexpr double kRing = 24, kRingWidth = 3, kSpot = 120, kDark = 0.72;

void erase_ink(App& app, bool all) {
  const std::string& view = app.history.current().view;
  auto& strokes = app.pen.strokes;
  for (std::size_t i = strokes.size(); i-- > 0;) {
    if (strokes[i].view != view) continue;
    strokes.erase(strokes.begin() + static_cast<std::ptrdiff_t>(i));
    if (!all) return;
  }
}

void undo_ink(App& app) {
  erase_ink(app, false);
}

void clear_ink(App& app) {
  erase_ink(app, true);
}

}  // namespace

bool has_ink(const Pen& pen, const std::string& view) {
  return std::any_of(pen.strokes.begin(), pen.strokes.end(), [&](const InkStroke& s) { return s.view == view; });
}

std::vector<Panel> add_pen_strokes(std::vector<Panel> panels, const Pen& pen, const std::string& view) {
  for (const InkStroke& stroke : pen.strokes) {
    if (stroke.view != view) continue;
    for (Panel& panel : panels) {
      if (panel.figure.name == stroke.figure) panel.figure.paths.push_back(stroke.path);
    }
  }
  return panels;
}

void react_to_pen(App& app, const Figure& figure, const FigureLayout& layout, const std::string& view) {
  Pen& pen = app.pen;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const Vec2 mouse{at.x, at.y};
  if (!ImGui::GetIO().MouseDown[0]) pen.down = false;
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && layout.plot.contains(mouse)) {
    pen.down = true;
    Path path{"ink", {pen.colour, false}, Role::curve, {}, {}, kPenWidth};
    pen.strokes.push_back({view, figure.name, std::move(path)});
  }
  if (!pen.down || pen.strokes.empty() || pen.strokes.back().figure != figure.name) return;
  Path& path = pen.strokes.back().path;
  const Vec2 within{std::clamp(mouse.x, layout.plot.left, layout.plot.right()),
                    std::clamp(mouse.y, layout.plot.top, layout.plot.bottom())};
  if (!path.xs.empty() &&
      std::hypot(layout.x.to_pixel(path.xs.back()) - within.x, layout.y.to_pixel(path.ys.back()) - within.y) < kMin) {
    return;
  }
  path.xs.push_back(layout.x.to_value(within.x));
  path.ys.push_back(layout.y.to_value(within.y));
}

double draw_pen_bar(App& app, const Rect& room) {
  Ui& ui = app.ui;
  const double gap = ui.px(kBarGap), height = ui.px(kBarHeight), swatch = ui.px(kPenSwatch);
  double x = room.left, y = room.top;
  const auto place = [&](double width) {
    if (x > room.left && x + width > room.right()) {
      x = room.left;
      y += height + gap;
    }
    const Rect rect{x, y, width, height};
    x += width + gap;
    return rect;
  };
  for (int colour = 0; colour < Pen::kColours; ++colour) {
    const std::string key = "pen.colour." + std::to_string(colour + 1);
    const Rect rect = place(swatch);
    const Press press = press_area(ui, key, rect);
    const ImVec2 middle = point(rect.left + swatch / 2, rect.top + height / 2);
    const bool chosen = app.pen.colour == colour;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddCircleFilled(middle, ui.px(chosen ? 10 : 7), colour32(stroke_of(ui.palette, {colour, false}).colour), 32);
    if (chosen) list->AddCircle(middle, ui.px(12), colour32(ui.palette.text), 32, ui.px(1.5));
    tooltip_after_rest(ui, key, press.hovered, app.text["shell.pen.colour"]);
    if (press.clicked) app.pen.colour = colour;
  }
  const auto pressed = [&](const char* key) {
    const std::string& label = app.text[std::string("shell.") + key];
    const Rect rect = place(static_cast<double>(button_width(ui, label)));
    ImGui::SetCursorScreenPos(top_left(rect));
    return button(ui, key, label);
  };
  if (pressed("pen.undo")) undo_ink(app);
  if (pressed("pen.clear")) clear_ink(app);
  if (pressed("pen.end")) app.pen.on = false;
  return y + height + gap - room.top;
}

bool handle_pen_keys(App& app) {
  if (!app.pen.on) return false;
  if (ImGui::GetIO().KeyCtrl) {
    if (!key_pressed(Key::z)) return false;
    undo_ink(app);
    return true;
  }
  if (key_pressed(Key::del, false)) clear_ink(app);
  for (int colour = 0; colour < Pen::kColours; ++colour) {
    if (!key_pressed(static_cast<Key>(static_cast<int>(Key::digit_0) + colour + 1), false)) continue;
    app.pen.colour = colour;
    return true;
  }
  return false;
}

void cycle_pointer_style(App& app) {
  app.pointer_mark = app.pointer_mark == PointerMark::plain  ? PointerMark::ring
                     : app.pointer_mark == PointerMark::ring ? PointerMark::spotlight
                                                             : PointerMark::plain;
}

void draw_pointer_mark(App& app, const Rect& screen) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (app.pointer_mark == PointerMark::plain || !ImGui::IsMousePosValid()) return;
  if (!screen.contains({mouse.x, mouse.y})) return;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const Ui& ui = app.ui;
  const auto record = [&](const char* key, float radius) {
    app.record.add(key, {mouse.x - radius, mouse.y - radius, 2 * radius, 2 * radius});
  };
  if (app.pointer_mark == PointerMark::ring) {
    list->AddCircle(mouse, ui.px(kRing), colour32(ui.palette.accent), 64, ui.px(kRingWidth));
    record("pointer.ring", ui.px(kRing));
    return;
  }
  // One ring thick enough to cover the window except for the disc inside.
  const float radius = ui.px(kSpot), reach = static_cast<float>(std::hypot(screen.width, screen.height));
  list->AddCircle(mouse, radius + reach / 2, IM_COL32(0, 0, 0, static_cast<int>(255 * kDark)), 128, reach);
  record("pointer.spotlight", radius);
}

}  // namespace ropescope::ui
