#include "app/ui/plot_events.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/notes.h"

namespace ropescope::ui {

namespace {

constexpr double kFingertip = 12;

Vec2 pixel_of(const FigureLayout& layout, const Handle& handle) {
  return {layout.x.to_pixel(handle.x), layout.y.to_pixel(handle.y)};
}

double radius_of(const App& app, const FigureLayout& layout, const Handle& handle) {
  if (handle.radius <= 0) return static_cast<double>(app.ui.px(kFingertip));
  return std::abs(layout.x.to_pixel(handle.x + handle.radius) - layout.x.to_pixel(handle.x));
}

const Handle* handle_named(const Figure& figure, const std::string& key) {
  const auto found = std::find_if(figure.handles.begin(), figure.handles.end(),
                                  [&key](const Handle& handle) { return handle.key == key; });
  return found == figure.handles.end() ? nullptr : &*found;
}

void tell(Experiment& edited, FigureEvent event) {
  event.figure = figure_of_cell(event.figure);
  if (note_of(event.handle)) return move_note(edited, event);
  const View& view = find_view(edited.view);
  if (view.react) view.react(edited, event);
}

}  // namespace

const Handle* handle_at(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse) {
  const Handle* best = nullptr;
  double nearest = 0;
  if (!layout.plot.contains(mouse)) return nullptr;
  for (const Handle& handle : figure.handles) {
    const Vec2 at = pixel_of(layout, handle);
    const double distance = std::hypot(mouse.x - at.x, mouse.y - at.y);
    if (!(distance <= radius_of(app, layout, handle)) || (best && distance >= nearest)) continue;
    best = &handle;
    nearest = distance;
  }
  return best;
}

void record_handles(App& app, const Figure& figure, const FigureLayout& layout) {
  for (const Handle& handle : figure.handles) {
    const Vec2 at = pixel_of(layout, handle);
    const double radius = radius_of(app, layout, handle);
    app.record.add("handle." + figure.name + "." + handle.key, {at.x - radius, at.y - radius, 2 * radius, 2 * radius});
  }
}

void drag_handle(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  const PlotDrag& drag = app.plot.drag;
  // The handle stays where it was taken: it does not jump to the mouse.
  const double x = layout.x.to_value(mouse.x + drag.grip.x), y = layout.y.to_value(mouse.y + drag.grip.y);
  tell(edited, {FigureEvent::Kind::drag, figure.name, drag.handle, x, y});
}

void click_figure(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  if (!layout.plot.contains(mouse)) return;
  if (const auto note = note_of(app.plot.drag.handle); note && *note < edited.notes.size()) {
    return open_note_dialog(app, note, edited.notes[*note]);
  }
  tell(edited, {FigureEvent::Kind::click, figure.name, app.plot.drag.handle, layout.x.to_value(mouse.x),
                layout.y.to_value(mouse.y)});
}

void draw_handle(App& app, const Figure& figure, const FigureLayout& layout) {
  const Handle* handle = handle_named(figure, app.plot.handle);
  if (!handle) return;
  const Ui& ui = app.ui;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const Vec2 at = pixel_of(layout, *handle);
  const double radius = handle->radius > 0 ? radius_of(app, layout, *handle) : static_cast<double>(ui.px(9));
  ImGui::GetWindowDrawList()->AddCircle(point(at.x, at.y), static_cast<float>(radius),
                                        colour32(with_alpha(ui.palette.accent, 0.9)), 0, ui.px(1.5));
  if (!handle->tip.empty() && app.plot.drag.kind == PlotDrag::Kind::none) tooltip(app.ui, handle->tip);
}

}  // namespace ropescope::ui
