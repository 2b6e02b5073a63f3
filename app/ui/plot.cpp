// Drawing of the current view's figures, and mouse actions as edits of the experiment.
//
// Contents: Range; Events; Pages; Menu; Plot.

#include "app/ui/plot.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/figure/scene/scene.h"
#include "app/resources/models.h"
#include "app/ui/app.h"
#include "app/ui/check_start.h"
#include "app/ui/control_panel.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/pages.h"
#include "app/ui/pen.h"
#include "app/ui/state.h"
#include "app/ui/widgets.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/formats/programs/equivalents.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Range ---------------------------------------------------------------------------------------------------------

namespace {

void store_range(Experiment& experiment, const FigureAxis& axis, std::optional<Range> range) {
  std::optional<Field> field = find_field(experiment, axis.range_key);
  if (field && field->kind == Field::Kind::range) field->as<std::optional<Range>>() = range;
}

constexpr double kNarrowestDistances = 4;  ///< minimum width of a range of integers
constexpr double kLargestValue = 1e12, kNarrowestValues = 1e-9;
constexpr double kMaxEmptyShare = 0.8;  ///< of a plot that is panned along its values

/// Stores a zoomed range in the experiment field that the axis names. The range is first clamped: distances stay within
/// the data; values stay finite. A range equal to the fitted one is stored as "fit".
void set_axis_range(Experiment& experiment, const FigureAxis& axis, Range range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) return;
  if (axis.whole) {
    range = {std::max(range.low, axis.fit.low), std::min(range.high, axis.fit.high)};
    if (range.high - range.low < kNarrowestDistances) return;
  } else {
    if (std::max(std::abs(range.low), std::abs(range.high)) > kLargestValue) return;
    if (range.high - range.low < kNarrowestValues) return;
    if (axis.scale == AxisScale::log && range.low <= 0) return;
  }
  if (range == axis.fit) {
    store_range(experiment, axis, std::nullopt);
  } else {
    store_range(experiment, axis, range);
  }
}

/// Pans within the data: at an edge the range stops and keeps its width. On an axis that is not of integers, part of
/// the fitted range stays visible: `beyond` is the share of the plot that may be empty.
Range pan_within(const AxisMap& map, double pixels, const FigureAxis& axis, double beyond = 0) {
  const double direction = map.high > map.low ? 1 : -1;
  // In pixels of this map: how far the visible range may move before an end of the data enters the plot.
  const double room_low = (map.to_pixel(axis.fit.low) - map.low) * direction;
  const double room_high = (map.to_pixel(axis.fit.high) - map.high) * direction;
  const double wanted = pixels * direction;
  const double more = axis.whole ? 0 : beyond * std::abs(map.high - map.low);
  const double allowed = std::clamp(wanted, std::min(0.0, -room_high - more), std::max(0.0, -room_low + more));
  return pan(map, allowed * direction);
}

// Mouse actions on a figure whose view reacts: handles are caught and dragged, places are clicked.

// --- Events --------------------------------------------------------------------------------------------------------

constexpr double kFingertip = 12;

Vec2 pixel_of(const FigureLayout& layout, const Handle& handle) {
  return {layout.x.to_pixel(handle.x), layout.y.to_pixel(handle.y)};
}

double radius_of(const App& app, const FigureLayout& layout, const Handle& handle) {
  if (handle.radius <= 0) return static_cast<double>(app.ui.px(kFingertip));
  return std::abs(layout.x.to_pixel(handle.x + handle.radius) - layout.x.to_pixel(handle.x));
}

const Handle* find_handle(const Figure& figure, const std::string& key) {
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

/// Finds the handle under the mouse, the nearest of several; null if there is none.
const Handle* handle_at(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse) {
  const Handle* best = nullptr;
  double nearest = 0;
  if (!layout.plot.contains(mouse)) return nullptr;
  for (const Handle& handle : figure.handles) {
    const Vec2 at = pixel_of(layout, handle);
    const bool everywhere = std::isinf(handle.radius);
    const double distance =
        everywhere ? layout.plot.width + layout.plot.height : std::hypot(mouse.x - at.x, mouse.y - at.y);
    if (!(everywhere || distance <= radius_of(app, layout, handle)) || (best && distance >= nearest)) continue;
    best = &handle;
    nearest = distance;
  }
  return best;
}

/// Records the places of handles as "handle.FIGURE.KEY".
void record_handles(App& app, const Figure& figure, const FigureLayout& layout) {
  for (const Handle& handle : figure.handles) {
    const Vec2 at = pixel_of(layout, handle);
    const double radius = radius_of(app, layout, handle);
    const Rect catches{at.x - radius, at.y - radius, 2 * radius, 2 * radius};
    app.record.add("handle." + figure.name + "." + handle.key, std::isinf(radius) ? layout.plot : catches);
  }
}

/// Moves the dragged handle of app.plot.drag.
void drag_handle(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  PlotDrag& drag = app.plot.drag;
  // The handle keeps its offset to the mouse, so it does not jump.
  const double x = layout.x.to_value(mouse.x + drag.grip.x), y = layout.y.to_value(mouse.y + drag.grip.y);
  const Vec2 before = std::exchange(drag.last, mouse);
  if (before == mouse) return;
  tell(edited, {FigureEvent::Kind::drag, figure.name, drag.handle, x, y, (mouse.x - before.x) / layout.plot.width,
                (before.y - mouse.y) / layout.plot.height});
}

/// Handles a press that ended where it began.
void click_figure(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  if (!layout.plot.contains(mouse)) return;
  if (const auto note = note_of(app.plot.drag.handle); note && *note < edited.notes.size()) {
    return open_note_dialog(app, note, edited.notes[*note]);
  }
  tell(edited, {FigureEvent::Kind::click, figure.name, app.plot.drag.handle, layout.x.to_value(mouse.x),
                layout.y.to_value(mouse.y)});
}

/// Draws a ring around the handle under the mouse with its tip, and a hand cursor.
void draw_handle(App& app, const Figure& figure, const FigureLayout& layout) {
  const Handle* handle = find_handle(figure, app.plot.handle);
  if (!handle) return;
  const Ui& ui = app.ui;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (std::isinf(handle->radius)) return;
  const Vec2 at = pixel_of(layout, *handle);
  const double radius = handle->radius > 0 ? radius_of(app, layout, *handle) : static_cast<double>(ui.px(9));
  ImGui::GetWindowDrawList()->AddCircle(point(at.x, at.y), static_cast<float>(radius),
                                        colour32(with_alpha(ui.palette.accent, 0.9)), 0, ui.px(1.5));
  if (!handle->tip.empty() && app.plot.drag.kind == PlotDrag::Kind::none) {
    tooltip(app.ui, handle->tip, {at.x - radius, at.y - radius, 2 * radius, 2 * radius});
  }
}

// --- Pages ---------------------------------------------------------------------------------------------------------

/// The minimum panel size in presentation mode, relative to the usual one: text is large there, but panels that belong
/// together stay on one page.
constexpr double kPresentationPanelShare = 0.78;
double panel_share(const App& app) {
  return app.lesson && app.lesson->room ? kPresentationPanelShare : 1;
}

/// Returns the page with the first figure that the lesson's step points to.
std::size_t find_pointed_page(const App& app, const std::vector<Page>& pages) {
  const LessonPlay& play = *app.lesson;
  for (const std::string& name : play.lesson.steps[play.step].points) {
    for (std::size_t page = 0; page < pages.size(); ++page) {
      for (const PagePanel& each : pages[page]) {
        if (each.index == kGap) continue;
        if (figure_of_cell(app.result.panels[each.index].figure.name) == name) return page;
      }
    }
  }
  return 0;
}

/// Returns the panels that the lesson's step points to; for a student the one of the question, or the first.
std::vector<std::size_t> find_framed_panels(const App& app) {
  std::vector<std::string> names;
  if (app.lesson) {
    const LessonStep& step = app.lesson->lesson.steps[app.lesson->step];
    names = step.points;
    if (app.student && step.ask && !step.ask->figure.empty()) names.insert(names.begin(), step.ask->figure);
  }
  std::vector<std::size_t> framed;
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < app.result.panels.size(); ++i) {
      if (app.result.panels[i].figure.name == name) framed.push_back(i);
    }
  }
  if (!app.student) {
    std::sort(framed.begin(), framed.end());
    return framed;
  }
  return {framed.empty() ? 0 : framed.front()};
}

/// Puts the panels of a step on one page, a little smaller if needed, and the others on the pages after it. Leaves the
/// pages as they are if they are on one already, or would be too small.
void put_on_one_page(const App& app, const std::vector<std::size_t>& framed, const Rect& room,
                     std::vector<Page>& pages) {
  constexpr double kSmallest = 0.55, kSmaller = 0.9;
  const auto has_all = [&](const Page& page) {
    return std::all_of(framed.begin(), framed.end(), [&](std::size_t index) {
      return std::any_of(page.begin(), page.end(), [index](const PagePanel& each) { return each.index == index; });
    });
  };
  if (framed.size() < 2 || std::any_of(pages.begin(), pages.end(), has_all)) return;
  const auto pages_with = [&](const Ui& measures, bool framed_ones) {
    std::vector<Panel> panels;
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < app.result.panels.size(); ++i) {
      if ((std::find(framed.begin(), framed.end(), i) != framed.end()) != framed_ones) continue;
      panels.push_back(app.result.panels[i]);
      indexes.push_back(i);
    }
    std::vector<Page> found = panels.empty() ? std::vector<Page>() : pages_of(measures, panels, room);
    for (Page& page : found) {
      for (PagePanel& each : page) each.index = indexes[each.index];
    }
    return found;
  };
  for (double share = 1; share >= kSmallest; share *= kSmaller) {
    Ui measures = app.ui;
    measures.scale *= static_cast<float>(share);
    const std::vector<Page> together = pages_with(measures, true);
    if (together.size() != 1) continue;
    pages = together;
    const std::vector<Page> rest = pages_with(app.ui, false);
    pages.insert(pages.end(), rest.begin(), rest.end());
    return;
  }
}

/// Draws the names of curves without a chip above small multiples; returns the height of these rows.
double legend_above(const App& app, const std::vector<Panel>& panels, const Rect& room, const FigureOptions& options,
                    Scene& scene) {
  constexpr double kMax = 0.3;  // share of the height
  const double height = add_cell_legend(scene, panels, {room.left, room.top, room.width, kMax * room.height},
                                        app.ui.palette, options, screen_measure(app.ui));
  return height > 0 ? height + static_cast<double>(app.ui.px(kPanelPadding)) : 0;
}

/// Returns the panels to draw. If they do not fit together: those of the current page, with dots below that select
/// another one; small multiples by available space. Empty if all are shown unchanged. Everything around them is drawn
/// and its space subtracted.
std::vector<Panel> page_of(App& app, Rect& room, const std::string& view, const FigureOptions& options) {
  PlotState& plot = app.plot;
  const std::vector<Panel>& panels = app.result.panels;
  const bool cells = are_cells(panels);
  Scene unseen;
  const double legend = cells ? legend_above(app, panels, room, options, unseen) : 0;
  const Rect below{room.left, room.top + legend, room.width, room.height - legend};
  // Figures to be compared in presentation mode are on one page.
  constexpr std::size_t kMaxCompared = 3;
  constexpr double kMinShare = 0.4;
  const bool compared = app.lesson && app.lesson->room && panels.size() <= kMaxCompared;
  std::vector<Page> pages;
  for (double share = panel_share(app); pages.empty() || (compared && pages.size() > 1 && share > kMinShare);
       share *= 0.9) {
    Ui measures = app.ui;
    measures.scale *= static_cast<float>(share);
    pages = pages_of(measures, panels, below);
  }
  if (app.student && !cells) {
    pages = {{{find_framed_panels(app).front(), false, 1, 0}}};
  } else if (app.lesson && !app.lesson->room && !cells && pages.size() > 1) {
    put_on_one_page(app, find_framed_panels(app), below, pages);
  }
  if (plot.pages_of != view) plot.page = 0;
  if (app.lesson && std::exchange(app.lesson->turn_page, false)) plot.page = find_pointed_page(app, pages);
  plot.pages_of = view;
  plot.pages = pages.size();
  plot.page = std::min(plot.page, pages.size() - 1);
  if (pages.size() > 1) {
    const double dots = app.ui.px(kDots);
    room.height -= dots;
    plot.page = draw_dots(app.ui, {room.left, room.bottom(), room.width, dots}, pages.size(), plot.page);
  } else if (!cells && !app.student && std::all_of(pages[0].begin(), pages[0].end(), [&](const PagePanel& each) {
               return each.beside == panels[each.index].beside;
             })) {
    return {};
  }
  std::vector<Panel> shown = panels_of(panels, pages[plot.page]);
  if (!cells) return shown;
  Scene names;
  const double height = legend_above(app, shown, room, options, names);
  draw_scene(ImGui::GetWindowDrawList(), app.ui, names);
  room.top += height;
  room.height -= height;
  for (Panel& panel : shown) panel.figure.legend = false;
  return shown;
}

// --- Menu ----------------------------------------------------------------------------------------------------------

bool labelled_item(App& app, const std::string& key, const std::string& label, const std::string& shortcut) {
  const bool chosen = ImGui::MenuItem(label.c_str(), shortcut.empty() || app.ui.touch ? nullptr : shortcut.c_str());
  app.record.add("menu." + key, last_item_rect());
  // In ImGui only Space presses a focused item.
  const bool entered =
      ImGui::IsItemFocused() && (key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false));
  if (entered && !chosen) ImGui::CloseCurrentPopup();
  return chosen || entered;
}

bool plot_menu_item(App& app, const char* key, const std::string& shortcut = {}) {
  return labelled_item(app, key, app.text[std::string("shell.menu.") + key], shortcut);
}

Vec2 size_of_plots(const App& app) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  return {std::max(400.0, screen.x / static_cast<double>(app.ui.scale)),
          std::max(300.0, screen.y / static_cast<double>(app.ui.scale))};
}

void copy_picture(App& app) {
  try {
    app.requests.clipboard_png = screen_picture(app, size_of_plots(app));
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

void add_note_here(App& app, const Experiment& edited) {
  if (edited.notes.size() >= kMaximumNotes) {
    app.messages.push_back({app.text.format("shell.message.notes", {{"count", counted(kMaximumNotes)}}), false});
    return;
  }
  const PlotState& plot = app.plot;
  open_note_dialog(app, std::nullopt,
                   {edited.view,
                    figure_of_cell(plot.menu_figure),
                    {},
                    plot.menu_x,
                    plot.menu_y,
                    plot.menu_words.x,
                    plot.menu_words.y});
}

/// Adds menu items for the figure's notes, which are accessible without a mouse.
void note_items(App& app, const Experiment& edited) {
  for (std::size_t i = 0; i < edited.notes.size(); ++i) {
    const Note& note = edited.notes[i];
    if (note.view != edited.view || note.figure != figure_of_cell(app.plot.menu_figure)) continue;
    const std::string words = shortened(app.ui.fonts.body, note.text, static_cast<double>(app.ui.px(160)));
    const std::string label = app.text.format("shell.menu.edit_note", {{"note", words}});
    ImGui::PushID(static_cast<int>(i));
    if (labelled_item(app, "edit_note." + std::to_string(i), label, {})) open_note_dialog(app, i, note);
    ImGui::PopID();
  }
}

/// Adds menu items that copy the current rope in other programs' formats; settings they do not support are reported.
void copy_as_items(App& app, const Experiment& edited) {
  for (const OtherWords& words : all_other_words()) {
    const std::string name(words.name);
    if (!labelled_item(app, "copy_as." + name, app.text.format("shell.menu.copy_as", {{"program", name}}), {}))
      continue;
    try {
      const ModelSide side = rope_side(edited.rope);
      const double length = at_shown_length(find_view(edited.view), edited).rope.scaling.length;
      const Equivalent equivalent = words.of({side.profiles, length > 0 ? std::optional(length) : std::nullopt});
      if (!equivalent.text.empty()) app.requests.clipboard_text = equivalent.text + "\n";
      for (const Message& unsaid : equivalent.unsaid) app.messages.push_back({app.text.render(unsaid), false});
    } catch (const InputError& error) {
      app.messages.push_back({app.text.render(error.words())});
    }
  }
}

/// Returns whether a view shows the current rope, with others or alone.
bool shows_rope(const View& view) {
  return view.length != nullptr;
}

/// Adds a menu item that shows the available models as small multiples, or that ends all small multiples.
void facet_item(App& app, Experiment& edited) {
  if (has_facets(edited)) {
    if (plot_menu_item(app, "no_facets")) edited.facet = {};
  } else if (shows_rope(find_view(edited.view)) && plot_menu_item(app, "facet_models")) {
    facet_models(edited);
  }
}

/// Draws the context menu of a plot: copy values, picture or command line; save; fit.
void draw_plot_menu(App& app, Experiment& edited) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(8), app.ui.px(app.ui.touch ? 18 : 6)});
  if (ImGui::BeginPopup("plot.menu")) {
    if (plot_menu_item(app, "copy_values")) {
      const Pointer at{app.plot.menu_figure, app.plot.menu_at, app.plot.menu_y};
      app.requests.clipboard_text = without_separators(values_text(app.result, at));
    }
    if (plot_menu_item(app, "copy_picture")) copy_picture(app);
    if (plot_menu_item(app, "copy_command")) app.requests.clipboard_text = command_line_of(edited, app.settings);
    if (plot_menu_item(app, "copy_link")) app.requests.clipboard_text = view_link(edited, link_address(app.settings));
    const bool of_ropes = shows_rope(find_view(edited.view));
    if (of_ropes) copy_as_items(app, edited);
    if (of_ropes && plot_menu_item(app, "compare", "Ctrl+Shift+O")) open_compare_dialog(app);
    ImGui::Separator();
    for (const std::string& format : page_formats()) {
      const std::string shortcut = format == page_formats().front() ? "Ctrl+S" : "";
      if (plot_menu_item(app, ("save_" + format).c_str(), shortcut))
        open_save_dialog(app, format, app.plot.menu_figure);
    }
    if (plot_menu_item(app, "save_csv")) open_save_dialog(app, "csv", app.plot.menu_figure);
    if (can_save_gif(app) && plot_menu_item(app, "save_gif")) open_save_dialog(app, "gif", app.plot.menu_figure);
    ImGui::Separator();
    if (plot_menu_item(app, "pen", "D")) app.pen.on = !app.pen.on;
    if (plot_menu_item(app, "pointer", "L")) cycle_pointer_style(app);
    ImGui::Separator();
    if (plot_menu_item(app, "note")) add_note_here(app, edited);
    note_items(app, edited);
    facet_item(app, edited);
    if (plot_menu_item(app, "fit")) {
      for (const Panel& panel : app.result.panels) fit_axes(edited, panel.figure);
    }
    // Without keys, and where the bar has no menu.
    if (app.ui.touch && labelled_item(app, "undo", app.text["key.undo"], {})) {
      step_history(app, edited, &History::undo);
    }
    if (app.ui.touch && labelled_item(app, "redo", app.text["key.redo"], {})) {
      step_history(app, edited, &History::redo);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

// --- Plot ----------------------------------------------------------------------------------------------------------

constexpr double kWheelStep = 0.85;   ///< one notch of the wheel shows 85 % of the range
constexpr double kTremble = 2;        ///< pixels the mouse may move during a click
constexpr double kDragThreshold = 4;  ///< pixels the right button must move to draw a box instead of clicking

void draw_frame_of(const App& app, const Rect& rect) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float radius = app.ui.px(7);
  list->AddRectFilled(top_left(rect), bottom_right(rect), colour32(app.ui.palette.canvas), radius);
  list->AddRect(top_left(rect), bottom_right(rect), colour32(app.ui.palette.line), radius);
}

bool in_presentation(const App& app) {
  return app.lesson && app.lesson->room;
}

FigureOptions layout_options(const App& app) {
  FigureOptions options;
  options.text_size = app.ui.px(13);
  options.least_text = app.ui.px(app.ui.least_text);
  options.clear_words = in_presentation(app);
  options.line_width = app.ui.px(1.75);
  options.column = 1;
  options.legend = true;
  // Space for "−0.25": zooming then does not shift the plot under the mouse.
  options.left_margin = app.ui.px(64);
  return options;
}

/// The axes of a mouse position: inside the plot both, below it x alone, left of it y alone.
struct Target {
  bool x = false, y = false;
};
Target target_at(const FigureLayout& layout, Vec2 mouse) {
  if (layout.plot.contains(mouse)) return {true, true};
  if (mouse.y > layout.plot.bottom() && mouse.x >= layout.plot.left) return {true, false};
  if (mouse.x < layout.plot.left && mouse.y <= layout.plot.bottom()) return {false, true};
  return {};
}

/// A turn of the wheel in notches, and the pixels by which two fingers moved; both at once in a pinch.
struct WheelAndPan {
  float notches = 0;
  Vec2 pan;
};

/// Zooms around the mouse, then pans, along the axes under the mouse.
void zoom_and_pan(const Figure& figure, const FigureLayout& layout, Vec2 mouse, const WheelAndPan& by,
                  Experiment& edited) {
  const Target target = target_at(layout, mouse);
  const auto move = [&](AxisMap map, const FigureAxis& axis, double at, double pixels, double beyond) {
    if (by.notches != 0) map.range = zoom(map, at, std::pow(kWheelStep, static_cast<double>(by.notches)));
    if (pixels != 0) map.range = pan_within(map, pixels, axis, beyond);
    if (by.notches != 0 || pixels != 0) set_axis_range(edited, axis, map.range);
  };
  if (target.x) move(layout.x, figure.x, mouse.x, by.pan.x, 0);
  if (target.y) move(layout.y, figure.y, mouse.y, by.pan.y, kMaxEmptyShare);
}

void begin_drag(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, PlotDrag::Kind kind) {
  const Target target = target_at(layout, mouse);
  if (!target.x && !target.y) return;
  app.plot.drag = {kind, figure.name, target.x, target.y, mouse, layout.x.range, layout.y.range, {}, false, {}, mouse};
  const Handle* handle = kind == PlotDrag::Kind::pan ? handle_at(app, figure, layout, mouse) : nullptr;
  if (!handle) return;
  app.plot.drag.handle = handle->key;
  if (handle->draggable) app.plot.drag.kind = PlotDrag::Kind::handle;
  app.plot.drag.grip = {layout.x.to_pixel(handle->x) - mouse.x, layout.y.to_pixel(handle->y) - mouse.y};
}

void continue_pan(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  const PlotDrag& drag = app.plot.drag;
  // From the ranges at the start: clamping at an edge then loses nothing when the mouse comes back.
  AxisMap x = layout.x, y = layout.y;
  x.range = drag.x;
  y.range = drag.y;
  if (drag.on_x) set_axis_range(edited, figure.x, pan_within(x, mouse.x - drag.from.x, figure.x));
  if (drag.on_y) set_axis_range(edited, figure.y, pan_within(y, mouse.y - drag.from.y, figure.y, kMaxEmptyShare));
}

Rect box_of(const PlotDrag& drag, const Rect& plot, Vec2 mouse) {
  const auto clamp_x = [&plot](double x) { return std::clamp(x, plot.left, plot.right()); };
  const auto clamp_y = [&plot](double y) { return std::clamp(y, plot.top, plot.bottom()); };
  const double x0 = drag.on_x ? clamp_x(std::min(drag.from.x, mouse.x)) : plot.left;
  const double x1 = drag.on_x ? clamp_x(std::max(drag.from.x, mouse.x)) : plot.right();
  const double y0 = drag.on_y ? clamp_y(std::min(drag.from.y, mouse.y)) : plot.top;
  const double y1 = drag.on_y ? clamp_y(std::max(drag.from.y, mouse.y)) : plot.bottom();
  return {x0, y0, x1 - x0, y1 - y0};
}

bool is_far(Vec2 a, Vec2 b, double distance) {
  return std::hypot(a.x - b.x, a.y - b.y) > distance;
}

void end_box(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  const Rect box = box_of(app.plot.drag, layout.plot, mouse);
  if (app.plot.drag.on_x && box.width > kDragThreshold) {
    set_axis_range(edited, figure.x, {layout.x.to_value(box.left), layout.x.to_value(box.right())});
  }
  if (app.plot.drag.on_y && box.height > kDragThreshold) {
    set_axis_range(edited, figure.y, {layout.y.to_value(box.bottom()), layout.y.to_value(box.top)});
  }
}

/// Returns where the text of a note at a place begins: up and towards the middle, in data coordinates.
Vec2 words_beside(const App& app, const FigureLayout& layout, Vec2 place) {
  constexpr double kAcross = 90, kUp = 46;
  const Rect& plot = layout.plot;
  const double side = place.x < plot.left + plot.width / 2 ? 1 : -1;
  const double way = place.y > plot.top + plot.height / 4 ? -1 : 1;
  return {layout.x.to_value(std::clamp(place.x + side * app.ui.px(kAcross), plot.left, plot.right())),
          layout.y.to_value(std::clamp(place.y + way * app.ui.px(kUp), plot.top, plot.bottom()))};
}

void open_menu(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse) {
  app.plot.menu_figure = figure.name;
  app.plot.menu_y = layout.y.to_value(std::clamp(mouse.y, layout.plot.top, layout.plot.bottom()));
  const Vec2 at{std::clamp(mouse.x, layout.plot.left, layout.plot.right()),
                std::clamp(mouse.y, layout.plot.top, layout.plot.bottom())};
  app.plot.menu_x = layout.x.to_value(at.x);
  app.plot.menu_words = words_beside(app, layout, at);
  app.plot.menu_at =
      picked_distance(figure, layout.x.to_value(std::clamp(mouse.x, layout.plot.left, layout.plot.right())));
  ImGui::OpenPopup("plot.menu");
}

/// Pans, zooms, fits and opens the menu by keys while the plot has the focus. Shift with Page Up and Page Down zooms
/// the other axis.
void pan_and_zoom_by_keys(App& app, const Figure& figure, const FigureLayout& layout, Experiment& edited) {
  const Rect& plot = layout.plot;
  const bool shift = ImGui::GetIO().KeyShift;
  const int across = (key_pressed(Key::left) ? 1 : 0) - (key_pressed(Key::right) ? 1 : 0);
  const int along = (key_pressed(Key::up) ? 1 : 0) - (key_pressed(Key::down) ? 1 : 0);
  if (shift && (across != 0 || along != 0)) keep_focus_here();
  if (shift && across != 0) {
    set_axis_range(edited, figure.x, pan_within(layout.x, across * plot.width / 10, figure.x));
  }
  if (shift && along != 0) {
    set_axis_range(edited, figure.y, pan_within(layout.y, along * plot.height / 10, figure.y, kMaxEmptyShare));
  }
  const Vec2 middle{plot.left + plot.width / 2, plot.top + plot.height / 2};
  const int steps = (key_pressed(Key::page_up) ? 1 : 0) - (key_pressed(Key::page_down) ? 1 : 0);
  if (steps != 0) keep_focus_here();
  const double factor = std::pow(kWheelStep, steps);
  if (steps != 0 && !shift) set_axis_range(edited, figure.x, zoom(layout.x, middle.x, factor));
  if (steps != 0 && shift) set_axis_range(edited, figure.y, zoom(layout.y, middle.y, factor));
  if (key_pressed(Key::home)) fit_axes(edited, figure);
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  const bool asked = key_pressed(Key::menu, false) || (shift && key_pressed(Key::f10, false));
  if ((entered && focus_is_visible()) || asked) open_menu(app, figure, layout, middle);
}

/// Continues a drag of the left button: a handle moves at once, the figure after half a pixel; a press that ends where
/// it began is a click.
void continue_drag(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited) {
  PlotDrag& drag = app.plot.drag;
  const double tremble = static_cast<double>(app.ui.px(kTremble));
  drag.moved = drag.moved || is_far(mouse, drag.from, drag.handle.empty() ? 0.5 : tremble);
  if (!ImGui::GetIO().MouseDown[0]) {
    if (!is_far(mouse, drag.from, tremble)) click_figure(app, figure, layout, mouse, edited);
    drag.kind = PlotDrag::Kind::none;
  } else if (drag.moved && drag.kind == PlotDrag::Kind::handle) {
    drag_handle(app, figure, layout, mouse, edited);
  } else if (drag.moved) {
    continue_pan(app, figure, layout, mouse, edited);
  }
}

void react_to_mouse(App& app, const Figure& figure, const FigureLayout& layout, Experiment& edited) {
  const ImGuiIO& io = ImGui::GetIO();
  const Vec2 mouse{io.MousePos.x, io.MousePos.y};
  const bool hovered = ImGui::IsItemHovered();
  PlotDrag& drag = app.plot.drag;
  const bool mine = drag.kind != PlotDrag::Kind::none && drag.figure == figure.name;

  if (hovered) zoom_and_pan(figure, layout, mouse, {io.MouseWheel, app.plot.pan}, edited);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    const Target target = target_at(layout, mouse);
    if (target.x) clear_axis_range(edited, figure.x);
    if (target.y) clear_axis_range(edited, figure.y);
    drag.kind = PlotDrag::Kind::none;
    return;
  }
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    begin_drag(app, figure, layout, mouse, PlotDrag::Kind::pan);
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    begin_drag(app, figure, layout, mouse, PlotDrag::Kind::box);
  if (!mine) return;
  if (drag.kind == PlotDrag::Kind::pan || drag.kind == PlotDrag::Kind::handle) {
    continue_drag(app, figure, layout, mouse, edited);
  } else if (!io.MouseDown[1]) {
    if (is_far(mouse, drag.from, app.ui.px(kDragThreshold))) {
      end_box(app, figure, layout, mouse, edited);
    } else {
      open_menu(app, figure, layout, mouse);
    }
    drag.kind = PlotDrag::Kind::none;
  }
}

void draw_drag_box(const App& app, const Figure& figure, const FigureLayout& layout) {
  const PlotDrag& drag = app.plot.drag;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const Vec2 mouse{at.x, at.y};
  if (drag.kind != PlotDrag::Kind::box || drag.figure != figure.name) return;
  if (!is_far(mouse, drag.from, app.ui.px(kDragThreshold))) return;
  const Rect box = box_of(drag, layout.plot, mouse);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 a = top_left(box), b = bottom_right(box);
  list->AddRectFilled(a, b, colour32(with_alpha(app.ui.palette.accent, 0.12)));
  list->AddRect(a, b, colour32(app.ui.palette.accent), 0, 0, app.ui.px(1));
}

/// Returns whether a value can be read under the mouse, of a curve or of a map. A drawing has none, except for maps
/// with text about their places.
bool has_readings(const Figure& figure) {
  const auto speaks = [](const Map& map) { return static_cast<bool>(map.words); };
  if (figure.bare) return std::any_of(figure.maps.begin(), figure.maps.end(), speaks);
  return !figure.lines.empty() || !figure.maps.empty();
}

/// Draws lines through the mouse, in the map under it and along the axis that another one shares with it.
void draw_map_crosshair(const App& app, const Figure& figure, const FigureLayout& layout) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 colour = colour32(with_alpha(app.ui.palette.text, 0.45));
  const double x = std::floor(layout.x.to_pixel(*app.plot.crosshair)) + 0.5;
  if (x >= layout.plot.left && x <= layout.plot.right()) {
    list->AddLine(point(x, layout.plot.top), point(x, layout.plot.bottom()), colour, app.ui.px(1));
  }
  if (!app.plot.pointer || app.plot.pointer->figure != figure.name) return;
  const double y = std::floor(layout.y.to_pixel(app.plot.pointer->y)) + 0.5;
  list->AddLine(point(layout.plot.left, y), point(layout.plot.right(), y), colour, app.ui.px(1));
}

/// Draws the copy button in the corner of a figure.
void draw_copy_button(App& app, const Figure& figure, const Rect& outer) {
  if (figure.copies.empty()) return;
  const std::string label = app.text["shell.copy"];
  const double pad = app.ui.px(10), width = button_width(app.ui, label);
  ImGui::SetCursorScreenPos(point(outer.right() - width - pad, outer.top + pad));
  if (button(app.ui, "copy.figure." + figure.name, label)) app.requests.clipboard_text = figure.copies;
}

void draw_examples_popup(App& app) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  const bool is_open = ImGui::BeginPopup("check.examples");
  ImGui::PopStyleVar();
  if (!is_open) return;
  for (const ListedExample& example : app.examples) {
    if (ImGui::MenuItem(example.title.c_str())) app.pending = {PendingOpen::Kind::path, example.path, {}};
    app.record.add("example." + example.name, last_item_rect());
  }
  ImGui::EndPopup();
}

/// Draws an open button where a view of files is still empty, as an alternative to drag and drop; in Check also a
/// button for examples.
void draw_open_button(App& app, const Figure& figure, const FigureLayout& layout, const View& view) {
  if (!figure.bare || !figure.empty_is_hint || view.opens.empty() || app.lesson) return;
  const bool has_examples = view.id == kCheckView.id;
  const double gap = static_cast<double>(app.ui.px(10)), open = button_width(app.ui, app.text["shell.open"]);
  const double width = open + (has_examples ? gap + button_width(app.ui, app.text["shell.examples"]) : 0);
  const Rect& plot = layout.plot;
  // Its message is in the middle.
  const ImVec2 words =
      ImGui::CalcTextSize(figure.empty_message.c_str(), nullptr, false, static_cast<float>(0.9 * plot.width));
  const double below = (plot.height + 1.3 * static_cast<double>(words.y)) / 2 + static_cast<double>(app.ui.px(12));
  const double top = plot.top + std::max(0.75 * plot.height, below);
  if (top + static_cast<double>(app.ui.px(30)) > plot.bottom()) return;
  ImGui::SetCursorScreenPos(point(plot.left + (plot.width - width) / 2, top));
  if (button(app.ui, "shell.open_here", app.text["shell.open"])) {
    open_dialog(app, DialogKind::open);
  }
  if (!has_examples) return;
  ImGui::SetCursorScreenPos(point(plot.left + (plot.width - width) / 2 + open + gap, top));
  if (button(app.ui, "shell.examples", app.text["shell.examples"], true, app.text["shell.tip.examples"])) {
    load_check_examples(app);
    ImGui::OpenPopup("check.examples");
  }
  draw_examples_popup(app);
}

void draw_stale_mark(const App& app, const Rect& plot) {
  const std::string& words = (*app.ui.text)[app.stopped ? "shell.stopped" : "shell.computing"];
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  const float pad = app.ui.px(6);
  const ImVec2 a = point(plot.right() - size.x - 3 * pad, plot.bottom() - size.y - 3 * pad);
  const ImVec2 b{a.x + size.x + 2 * pad, a.y + size.y + 1.2f * pad};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(a, b, colour32(app.ui.palette.raised), app.ui.px(5));
  list->AddText({a.x + pad, a.y + 0.6f * pad}, colour32(app.ui.palette.secondary), words.c_str());
}

void draw_crosshair(const App& app, const Figure& figure, const FigureLayout& layout) {
  if (!app.plot.crosshair || figure.bare || !has_readings(figure)) return;
  if (!figure.maps.empty()) {
    draw_map_crosshair(app, figure, layout);
    return;
  }
  const double x = layout.x.to_pixel(picked_distance(figure, *app.plot.crosshair));
  if (x < layout.plot.left || x > layout.plot.right()) return;
  ImGui::GetWindowDrawList()->AddLine(point(std::floor(x) + 0.5, layout.plot.top),
                                      point(std::floor(x) + 0.5, layout.plot.bottom()),
                                      colour32(with_alpha(app.ui.palette.accent, 0.8)), app.ui.px(1));
}

/// Adds what the user and the lesson draw over the panels: pen strokes, the guess, highlighted marks. Returns no panel
/// if there is nothing to add.
std::vector<Panel> drawn_over(const App& app, const std::vector<Panel>& bare, const std::string& view) {
  std::vector<Panel> drawn = has_ink(app.pen, view) ? add_pen_strokes(bare, app.pen, view) : std::vector<Panel>();
  if (has_guess(app)) drawn = add_guess_lines(drawn.empty() ? bare : drawn, *app.lesson);
  if (const auto marks = app.lesson ? find_lit_marks(*app.lesson) : std::vector<std::string>(); !marks.empty()) {
    if (drawn.empty()) drawn = bare;
    light_marks(drawn, marks);
  }
  return drawn;
}

/// Adds the area of a figure that takes the mouse; the next calls refer to it.
void add_plot_area(App& app, const Figure& figure, const FigureLayout& layout, const Rect& outer) {
  const std::string key = "plot." + figure.name;
  ImGui::SetCursorScreenPos(point(outer.left, outer.top));
  ImGui::InvisibleButton(key.c_str(), point(std::max(1.0, outer.width), std::max(1.0, outer.height)),
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const Rect& plot = layout.plot;
  app.record.add(key, plot);
  app.record.add("frame." + figure.name, outer);
  app.record.add("axis.x." + figure.name, {plot.left, plot.bottom(), plot.width, outer.bottom() - plot.bottom()});
  app.record.add("axis.y." + figure.name, {outer.left, plot.top, plot.left - outer.left, plot.height});
  record_handles(app, figure, layout);
}

void react_to_input(App& app, const Figure& figure, const FigureLayout& layout, Experiment& edited) {
  const bool focused = tab_stop(app.ui, 7);
  if (app.pen.on) {
    react_to_pen(app, figure, layout, edited.view);
  } else if (!react_to_guess(app, figure, layout)) {
    react_to_mouse(app, figure, layout, edited);
  }
  if (focused) pan_and_zoom_by_keys(app, figure, layout, edited);
}

/// Notes that the mouse is over the figure, its place there and the handle under it.
void follow_mouse(App& app, const Figure& figure, const FigureLayout& layout) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (app.pen.on || !ImGui::IsItemHovered() || !layout.plot.contains({mouse.x, mouse.y})) return;
  app.plot.hovered = figure.name;
  app.plot.pointer = {figure.name, layout.x.to_value(mouse.x), layout.y.to_value(mouse.y)};
  if (app.plot.drag.kind != PlotDrag::Kind::none) return;
  if (const Handle* handle = handle_at(app, figure, layout, {mouse.x, mouse.y})) app.plot.handle = handle->key;
}

/// Draws a figure with its buttons and reacts to the user; returns its places.
FigureLayout draw_panel(App& app, const Figure& figure, const PanelPlace& place, Experiment& edited) {
  const Rect &outer = place.rect, inner = grown(outer, -static_cast<double>(app.ui.px(kPanelPadding)));
  draw_frame_of(app, outer);
  FigureLayout layout = lay_out(figure, inner, app.ui.palette, place.options, screen_measure(app.ui));
  const bool is_start = kCheckView.is_shown(edited) && figure.bare && figure.empty_is_hint && !app.lesson &&
                        draw_check_start(app, figure, inner);
  if (!is_start) draw_scene(ImGui::GetWindowDrawList(), app.ui, layout.scene);
  if (in_presentation(app)) app.plot.scenes[figure.name] = layout.scene;

  // Before the area around it: of two overlapping items the first is pressed.
  draw_copy_button(app, figure, outer);
  if (!is_start) draw_open_button(app, figure, layout, find_view(edited.view));
  add_plot_area(app, figure, layout, outer);
  react_to_input(app, figure, layout, edited);
  follow_mouse(app, figure, layout);
  if (app.plot.hovered == figure.name || app.plot.drag.figure == figure.name) draw_handle(app, figure, layout);
  draw_drag_box(app, figure, layout);
  if (figure.stale) draw_stale_mark(app, layout.plot);
  return layout;
}

}  // namespace

void clear_axis_range(Experiment& experiment, const FigureAxis& axis) {
  store_range(experiment, axis, std::nullopt);
}

void fit_axes(Experiment& experiment, const Figure& figure) {
  clear_axis_range(experiment, figure.x);
  clear_axis_range(experiment, figure.y);
}

double picked_distance(const Figure& figure, double x) {
  if (!figure.lines.empty() && !figure.lines.front().series->ys.empty()) {
    const Series& series = *figure.lines.front().series;
    return series.x_at(nearest_index(series, x));
  }
  return figure.x.whole ? std::clamp(std::round(x), figure.x.fit.low, figure.x.fit.high) : x;
}

void draw_plots(App& app, const Rect& rect, Experiment& edited) {
  if (app.result.panels.empty()) return;
  Rect room = rect;
  const FigureOptions options = layout_options(app);
  const std::vector<Panel> page = page_of(app, room, edited.view, options);
  const std::vector<Panel>& bare = page.empty() ? app.result.panels : page;
  const std::vector<Panel> drawn_on = drawn_over(app, bare, edited.view);
  const std::vector<Panel>& panels = drawn_on.empty() ? bare : drawn_on;
  const PanelColumn column{room, app.ui.px(kPanelGap), app.ui.px(kPanelPadding)};
  const std::vector<PanelPlace> places = stack_panels(panels, column, options, screen_measure(app.ui));

  std::optional<double> crosshair;
  std::string crosshair_axis;
  std::vector<FigureLayout> layouts(panels.size());
  app.plot.hovered.clear();
  app.plot.scenes.clear();
  app.plot.pointer.reset();
  if (app.plot.drag.kind == PlotDrag::Kind::none) app.plot.handle.clear();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Figure& figure = panels[i].figure;
    if (is_gap(figure)) continue;
    layouts[i] = draw_panel(app, figure, places[i], edited);
    if (app.plot.hovered != figure.name || !has_readings(figure)) continue;
    crosshair = app.plot.pointer->x;
    crosshair_axis = figure.x.name;
  }
  app.plot.pan = {};
  app.plot.crosshair = crosshair;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (is_gap(panels[i].figure)) continue;
    if (panels[i].figure.x.name == crosshair_axis) draw_crosshair(app, panels[i].figure, layouts[i]);
    if (app.plot.hovered == panels[i].figure.name) draw_hover_card(app, panels[i].figure, layouts[i]);
  }
  draw_plot_menu(app, edited);
}

}  // namespace ropescope::ui
