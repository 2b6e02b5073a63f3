// Division of the window into areas, and the parts drawn by no other file.
//
// Contents: Areas; Bar; Messages; Shell.

#include "app/ui/shell.h"

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/ui/app.h"
#include "app/ui/controls.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/opening.h"
#include "app/ui/pen.h"
#include "app/ui/plot.h"
#include "app/ui/start.h"
#include "app/ui/state.h"
#include "app/ui/widgets.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Areas ---------------------------------------------------------------------------------------------------------

namespace {

/// The areas of the frame, measured at 100 % text: larger text is a smaller window. If space is short, in this order:
/// the controls become a drawer, the list of views a menu in the top bar, the cards one row of numbers, the panels
/// pages, and the status line moves into the sheet of cards. An open drawer is below the figures of an upright window
/// and beside them otherwise; what does not fit together takes turns: the figures with the drawer, or with the lesson.
struct Areas {
  Rect top, list, controls, figures, status;
  Rect turn;  ///< the button that shows the figures instead of the lesson, or the reverse; empty: both are shown
  bool show_top = true, show_list = true, show_status = true, show_figures = true;
  bool show_controls = true;  ///< else only the strip that expands them, if they are not a drawer
  bool drawer = false;        ///< the controls take space from the figures only while they are open
};

// Sizes of the frame at 100 %: top bar, view list, controls, status line, the button between figures and lesson.
constexpr double kTopBar = 48, kViewList = 168, kControls = 320, kStatus = 28, kFoldedControls = 28, kTurnStrip = 44;
/// Below these widths the controls and the list, and below this height the status line, make space for the figures.
constexpr double kWidthForControls = 1000, kWidthForList = 700, kHeightForStatus = 400;
/// The width of the lesson instead of the list of views, its maximum share of the window, its share in presentation
/// mode, and the share of the height of an upright window that it or the controls take.
constexpr double kLesson = 380, kLessonShare = 0.42, kPresentationLessonShare = 0.38, kBelow = 0.45;
/// Next to an open drawer the figures have this width, or the list of views makes space for them; below the minimum
/// width they take turns with it. A lesson needs the minimum width beside the figures and the minimum height below
/// them.
constexpr double kFiguresBesideDrawer = 340, kMinFigures = 240, kMinLesson = 215, kMinBelow = 200;

/// Returns whether the controls are open: a drawer closes when the window becomes wide enough for them.
bool& controls_open(App& app, const Areas& areas) {
  return areas.drawer ? app.drawer_open : app.settings.controls_open;
}

/// Gives the whole middle of the window to the drawer, the list of lessons, or in turns to the lesson and the figures.
/// In a low window as of a phone on its side the top bar makes space too, and the button is in the foot of the lesson.
void take_turns(const App& app, Rect middle, bool drawer, Areas& a) {
  constexpr double kLow = 240, kButtonInFoot = 130;
  const bool low = middle.height < app.ui.px(kLow);
  if (low) {
    middle = {0, a.top.top, middle.width, middle.height + a.top.height};
    a.show_top = false;
  }
  a.show_figures = false;
  if (drawer) {
    a.show_list = a.show_list && !shows_lesson_panel(app);
    a.list.width = a.show_list ? a.list.width : 0;
    a.controls = {a.list.width, middle.top, middle.width - a.list.width, middle.height};
    return;
  }
  a.controls = {};
  const double turn = app.lessons_listed ? 0.0 : static_cast<double>(app.ui.px(kTurnStrip));
  a.show_figures = turn > 0 && app.turned_to_figures;
  Rect rest = middle;
  if (low && turn > 0 && !a.show_figures) {
    const double wide = app.ui.px(kButtonInFoot);
    a.turn = {(middle.width - wide) / 2, middle.bottom() - turn, wide, turn};
  } else if (turn > 0) {
    rest.height = std::max(1.0, rest.height - turn);
    a.turn = {middle.left, rest.bottom(), middle.width, turn};
  }
  a.show_list = !a.show_figures;
  (a.show_figures ? a.figures : a.list) = rest;
}

/// Returns the areas of the student's view: a figure, and its question with a control beside or below it.
Areas student_areas(const App& app, double width, double height) {
  constexpr double kMinBeside = 640;
  Areas a;
  a.show_top = a.show_status = a.show_controls = false;
  const bool upright = height > width || width < app.ui.px(kMinBeside);
  const double upper = upright ? (1 - kBelow) * height : height, left = upright ? width : (1 - kLessonShare) * width;
  a.figures = {0, 0, left, upper};
  a.list = upright ? Rect{0, upper, width, height - upper} : Rect{left, 0, width - left, height};
  return a;
}

Areas areas_of(const App& app, double width, double height) {
  const Ui& ui = app.ui;
  const bool alone = app.figure_alone;
  Areas a;
  const bool room = app.lesson && app.lesson->room, panel = shows_lesson_panel(app);
  if (app.student && !alone && !room) return student_areas(app, width, height);
  a.drawer = width < ui.px(kWidthForControls + (panel ? kLesson : 0));
  a.show_top = !alone && !room;
  a.show_list = !alone && (panel || width >= ui.px(kWidthForList));
  a.show_status = !alone && !room && height >= ui.px(kHeightForStatus);
  a.show_controls = !alone && !room && (a.drawer ? app.drawer_open : app.settings.controls_open || app.controls_shown);
  const double top = a.show_top ? ui.px(kTopBar) : 0, status = a.show_status ? ui.px(kStatus) : 0;
  const Rect middle{0, top, width, std::max(1.0, height - top - status)};
  const bool drawer = a.drawer && a.show_controls, upright = !alone && !room && a.drawer && height > width,
             below = upright && (panel || drawer);
  const double upper = below ? (1 - kBelow) * middle.height : middle.height;
  const Rect lower{0, top + upper, width, middle.height - upper};
  const double words = room ? kPresentationLessonShare * width : std::min<double>(ui.px(kLesson), kLessonShare * width);
  double list = !a.show_list || (below && panel) ? 0 : panel ? words : static_cast<double>(ui.px(kViewList));
  if (drawer && !upright && width - list < ui.px(kControls + kFiguresBesideDrawer)) {
    a.show_list = false;
    list = 0;
  }
  const double strip = alone || room ? 0 : ui.px(kFoldedControls);
  const double beside = drawer && upright ? 0 : a.show_controls ? ui.px(kControls) : strip;
  a.top = {0, 0, width, top};
  a.list = {0, top, list, upper};
  a.controls = {list, top, beside, upper};
  a.figures = {list + beside, top, std::max(1.0, width - list - beside), upper};
  a.status = {0, height - status, width, status};
  if (below && panel) a.list = lower;
  if (below && drawer) a.controls = lower;
  const bool small = below    ? lower.height < ui.px(kMinBelow)
                     : drawer ? a.figures.width < ui.px(kMinFigures)
                              : panel && !alone && !room && words < ui.px(kMinLesson);
  if (small || (below && !drawer && app.lessons_listed)) take_turns(app, middle, drawer, a);
  return a;
}

// --- Bar -----------------------------------------------------------------------------------------------------------

constexpr double kBarEdgePadding = 16, kBarItemGap = 10, kButton = 30, kAfterTitle = 18;
/// The width for the view's name and the subject below which the buttons become one menu.
constexpr double kMinTitleWidth = 240;
constexpr double kMenuWidth = 240, kMenuShare = 0.85;

std::string subject_of(const Experiment& experiment, const Text& text) {
  const View& view = find_view(experiment.view);
  std::string subject = view.subject ? view.subject(experiment, text) : std::string();
  if (!subject.empty()) return subject;
  const RopeFields& rope = experiment.rope;
  if (rope.label.empty()) return text["shell.own_values"];
  const std::string name = rope_name(rope, text);
  return rope.profile.empty() ? name : name + " · " + profile_label(text, rope.profile);
}

struct BarButton {
  const char* key;
  std::string label, tip;
  void (*act)(App&);
  std::string menu = {};  ///< the label in the menu, if it is another
};

std::vector<BarButton> bar_buttons(const App& app) {
  const Text& text = app.text;
  const bool dark = parse_theme(app.settings.theme) == ThemeName::dark;
  return {
      {"shell.open", text["shell.open"], text["shell.tip.open"], [](App& a) { open_dialog(a, DialogKind::open); }},
      {"shell.save", text["shell.save"], text["shell.tip.save"], [](App& a) { open_dialog(a, DialogKind::save); }},
      {"shell.theme", text[dark ? "shell.light" : "shell.dark"], text["shell.tip.theme"],
       [](App& a) { toggle_theme(a); }},
      {"shell.text_size", readable_integer(app.settings.text_scale) + " %", text["shell.tip.text_size"],
       [](App& a) { a.popup = "text_size"; }},
      {"shell.language", text["language." + text.language()], text["shell.tip.language"],
       [](App& a) { a.popup = "language"; }},
      {"shell.handbook", "?", text["shell.tip.handbook"], open_handbook, text["handbook.list"]},
  };
}

double width_of(const Ui& ui, const std::vector<BarButton>& buttons) {
  double width = -static_cast<double>(ui.px(kBarItemGap));
  for (const BarButton& each : buttons) width += button_width(ui, each.label) + ui.px(kBarItemGap);
  return width;
}

/// Draws the buttons of the bar in Tab order.
void draw_bar_buttons(App& app, const std::vector<BarButton>& buttons, double left, double middle) {
  Ui& ui = app.ui;
  for (const BarButton& each : buttons) {
    ImGui::SetCursorScreenPos(point(left, middle - static_cast<double>(ui.px(kButton / 2))));
    if (button(ui, each.key, each.label, true, each.tip)) each.act(app);
    left += button_width(ui, each.label) + ui.px(kBarItemGap);
  }
}

/// Starts a popup of the bar under the button that opened it, inside the window; its content is `width` wide and
/// scrolls.
bool begin_bar_popup(App& app, const char* id, const char* owner_key, double width, double inside = 4) {
  const Ui& ui = app.ui;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const double pad = ui.px(8), room = static_cast<double>(window.x) - 2 * pad;
  const Rect* owner = app.record.find(owner_key);
  const Rect below = owner ? *owner : Rect{room, 0, 0, static_cast<double>(ui.px(40))};
  const double wide = std::min(width, room), top = below.bottom() + static_cast<double>(ui.px(6));
  const double most = std::min(static_cast<double>(window.y) * kMenuShare, static_cast<double>(window.y) - top - pad);
  ImGui::SetNextWindowPos(point(std::clamp(below.left, pad, std::max(pad, room + pad - wide)), top));
  ImGui::SetNextWindowSizeConstraints(point(wide, 0), point(wide, std::max<double>(ui.px(60), most)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(inside), ui.px(inside)});
  const bool open = ImGui::BeginPopup(id);
  ImGui::PopStyleVar();
  if (open) ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  return open;
}

void end_bar_popup() {
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

void draw_text_size_popup(App& app) {
  if (!begin_bar_popup(app, "text_size", "shell.text_size", app.ui.px(300), 12)) {
    app.text_scale_edit.reset();
    return;
  }
  const NumberField field{.key = "settings.text_scale",
                          .minimum = kSmallestText,
                          .maximum = kLargestText,
                          .initial = 100,
                          .whole = true,
                          .step = 5,
                          .linear = true,
                          .unit = "unit.percent"};
  // The fonts are rebuilt when the drag ends: otherwise the slider would move away from the mouse.
  if (!app.text_scale_edit) app.text_scale_edit = app.settings.text_scale;
  const Edit edit = number_control(app.ui, field, *app.text_scale_edit, false);
  if (edit == Edit::done || edit == Edit::reset) {
    app.settings.text_scale = edit == Edit::reset ? field.initial : *app.text_scale_edit;
    app.text_scale_edit.reset();
    app.requests.rebuild_fonts = true;
  }
  end_bar_popup();
}

/// Draws the languages by their own names; texts and fonts change after the frame.
void draw_language_popup(App& app) {
  Ui& ui = app.ui;
  if (!begin_bar_popup(app, "language", "shell.language", ui.px(170))) return;
  for (const std::string& code : languages(app.places.assets)) {
    const std::string key = "language." + code;
    const std::string& name = ui.text->has(key) ? (*ui.text)[key] : code;
    if (list_item(ui, "shell.language." + code, name, "", code == ui.text->language())) {
      app.settings.language = code;
      ImGui::CloseCurrentPopup();
    }
  }
  end_bar_popup();
}

/// Draws the actions of the buttons as a menu if they do not fit.
void draw_menu_popup(App& app, const std::vector<BarButton>& buttons, Experiment& edited) {
  if (!begin_bar_popup(app, "menu", "shell.menu", app.ui.px(kMenuWidth))) return;
  for (const BarButton& each : buttons) {
    if (!list_item(app.ui, each.key, each.menu.empty() ? each.label : each.menu, "", false)) continue;
    ImGui::CloseCurrentPopup();
    each.act(app);
  }
  if (list_item(app.ui, "shell.copy_link", app.text["shell.menu.copy_link"], "", false)) {
    ImGui::CloseCurrentPopup();
    app.requests.clipboard_text = view_link(app.history.current(), link_address(app.settings));
  }
  for (const auto& [key, step] : {std::pair("key.undo", &History::undo), std::pair("key.redo", &History::redo)}) {
    // The menu stays open: one step is seldom enough.
    if (list_item(app.ui, key, app.text[key], "", false)) step_history(app, edited, step);
  }
  end_bar_popup();
}

/// Measures of the list of views at 100 %.
struct ListSpacing {
  double item = kListItemHeight, gap = 8, edge = 14;
};
constexpr ListSpacing kRoomyList{}, kTightList{29, 1, 6}, kMenuSpacing{kListItemHeight, 0, 0};
constexpr double kGroupLabel = 23;

double height_of(const ListSpacing& spacing) {
  std::string_view group;
  double items = 1, groups = 0;  // the first item leads to the lessons
  for (const View* view : all_views()) {
    ++items;
    groups += std::exchange(group, view->group) != view->group ? 1 : 0;
  }
  return items * spacing.item + groups * kGroupLabel + (items + groups - 1) * spacing.gap + 2 * spacing.edge;
}

/// Returns the largest spacing with which the list needs no scroll bar in this height at 100 %; the usual one if it
/// needs one in any case, or for fingers.
ListSpacing fit_list(const Ui& ui, double height) {
  const double roomy = height_of(kRoomyList), tight = height_of(kTightList);
  if (height >= roomy || height < tight || ui.touch) return kRoomyList;
  const double share = (height - tight) / (roomy - tight);
  const auto between = [share](double low, double high) { return low + share * (high - low); };
  return {between(kTightList.item, kRoomyList.item), between(kTightList.gap, kRoomyList.gap),
          between(kTightList.edge, kRoomyList.edge)};
}

/// Draws every view as an item of the current window.
void draw_view_items(App& app, const ListSpacing& spacing, Experiment& edited) {
  Ui& ui = app.ui;
  std::string_view group;
  int number = 0;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, std::floor(ui.px(spacing.gap))});
  if (list_item(ui, "lessons", (*ui.text)["lesson.list"], {}, false, spacing.item)) {
    app.lessons_listed = true;
    app.chapters_listed = false;
  }
  for (const View* view : all_views()) {
    if (view->group != group) {
      group = view->group;
      ImGui::Indent(ui.px(9));
      group_label(ui, (*ui.text)["view_group." + std::string(group)]);
      ImGui::Unindent(ui.px(9));
    }
    const std::string id(view->id);
    const std::string shortcut = ++number <= 10 ? std::to_string(number % 10) : std::string();
    const std::string& name = (*ui.text)["view." + id + ".name"];
    if (list_item(ui, "view." + id, name, shortcut, edited.view == id, spacing.item)) edited.view = id;
    // A list longer than its area shows its scroll position.
    const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
    const bool hidden = ImGui::GetItemRectMin().y < top || ImGui::GetItemRectMax().y > bottom;
    const std::string shown = id + " " + std::to_string(app.settings.text_scale);
    if (edited.view == id && std::exchange(app.listed_view, shown) != shown && hidden) ImGui::SetScrollHereY(0.5f);
  }
  ImGui::PopStyleVar();
}

void draw_view_popup(App& app, Experiment& edited) {
  if (!begin_bar_popup(app, "views", "shell.view", app.ui.px(kMenuWidth))) return;
  const std::string before = edited.view;
  if (list_item(app.ui, "shell.start", app.text["shell.start.name"], {}, false)) {
    ImGui::CloseCurrentPopup();
    open_dialog(app, DialogKind::start);
  }
  draw_view_items(app, kMenuSpacing, edited);
  if (edited.view != before) ImGui::CloseCurrentPopup();
  end_bar_popup();
}

/// Draws a button with the name of the view; returns its right end.
double draw_view_button(App& app, const Rect& rect, double left, double most, const Experiment& edited) {
  Ui& ui = app.ui;
  const std::string& name = app.text["view." + edited.view + ".name"];
  const double pad = ui.px(12), arrow = ui.px(18), height = ui.px(kButton);
  const double wanted = static_cast<double>(text_width(ui.fonts.semibold, name)) + 2 * pad + arrow;
  const Rect box{left, rect.top + rect.height / 2 - height / 2, std::min(wanted, most), height};
  const Press press = press_area(ui, "shell.view", box);
  fill_rect(box, press.hovered ? ui.palette.line : ui.palette.raised, ui.px(6));
  outline_rect(ui, box, ui.palette.line, ui.px(6));
  draw_line_within({ui.fonts.semibold, ui.palette.text, box.left + pad, box.top + height / 2},
                   std::max(0.0, box.width - 2 * pad - arrow), 0, name);
  draw_arrow(ui, box.right() - pad, box.top + height / 2, ui.palette.secondary);
  tooltip_after_rest(ui, "shell.view", press.hovered, app.text["shell.tip.view"]);
  if (press.clicked) app.popup = "views";
  return box.right();
}

/// Draws the top bar. `view_menu`: with the list of views as a menu, if it does not fit next to the figures.
void draw_top_bar(App& app, const Rect& rect, bool view_menu, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  ImGui::GetWindowDrawList()->AddLine(point(rect.left + 0.5, rect.bottom() - 0.5),
                                      point(rect.right() + 0.5, rect.bottom() - 0.5), colour32(ui.palette.line), 1);
  const double middle = rect.top + rect.height / 2, pad = ui.px(kBarEdgePadding), gap = ui.px(kBarItemGap);
  const std::vector<BarButton> buttons = bar_buttons(app);
  const std::vector<BarButton> menu = {
      {"shell.menu", "≡", app.text["shell.tip.menu"], [](App& a) { a.popup = "menu"; }}};
  const bool folded = rect.width - width_of(ui, buttons) - 2 * pad < static_cast<double>(ui.px(kMinTitleWidth));
  const std::vector<BarButton>& shown = folded ? menu : buttons;
  const double right = rect.right() - pad - width_of(ui, shown);
  draw_bar_buttons(app, shown, right, middle);

  double left = rect.left + pad;
  const double words_end = right - gap - static_cast<double>(ui.px(2));
  if (view_menu) {
    left = draw_view_button(app, rect, left, std::max(1.0, words_end - left), edited) + gap;
  } else {
    const std::string title = "ropescope";
    const double wide = static_cast<double>(text_width(ui.fonts.semibold, title)),
                 room = std::max(0.0, words_end - left);
    const double height = ui.px(kButton), over = ui.px(4);
    const Press press =
        press_area(ui, "shell.start", {left - over, middle - height / 2, std::min(wide, room) + 2 * over, height});
    draw_line_within({ui.fonts.semibold, press.hovered ? ui.palette.accent : ui.palette.text, left, middle}, room, 0,
                     title);
    tooltip_after_rest(ui, "shell.start", press.hovered, app.text["shell.start.tip"]);
    if (press.clicked) open_dialog(app, DialogKind::start);
    left += wide + static_cast<double>(ui.px(kAfterTitle));
  }
  draw_line_within({ui.fonts.body, ui.palette.secondary, left, middle}, std::max(0.0, words_end - left), 0,
                   subject_of(edited, app.text));

  if (!app.popup.empty()) ImGui::OpenPopup(std::exchange(app.popup, {}).c_str());
  if (folded) draw_menu_popup(app, buttons, edited);
  if (view_menu) draw_view_popup(app, edited);
  draw_text_size_popup(app);
  draw_language_popup(app);
}

// --- Messages ------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxMessages = 4;  ///< more would displace the figures: the oldest are removed

void tidy(std::vector<WindowMessage>& messages) {
  const double now = ImGui::GetTime();
  for (WindowMessage& message : messages) {
    if (message.since < 0) message.since = now;
  }
  std::erase_if(messages, [now](const WindowMessage& m) { return now > m.end().value_or(now); });
  // A repeated message appears once, as the newest.
  for (std::size_t i = messages.size(); i-- > 0;) {
    const auto is_same = [&](const WindowMessage& m) { return m.text == messages[i].text; };
    if (std::any_of(messages.begin() + static_cast<std::ptrdiff_t>(i) + 1, messages.end(), is_same)) {
      messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (messages.size() > kMaxMessages) {
    messages.erase(messages.begin(), messages.end() - static_cast<std::ptrdiff_t>(kMaxMessages));
  }
}

/// Draws messages across the top of the figures; returns their height.
double draw_messages(App& app, const Rect& rect) {
  tidy(app.messages);
  double y = rect.top;
  std::optional<std::size_t> dismissed;
  for (std::size_t i = 0; i < app.messages.size(); ++i) {
    ImGui::SetCursorScreenPos({static_cast<float>(rect.left), static_cast<float>(y)});
    ImGui::PushItemWidth(static_cast<float>(rect.width));
    WindowMessage& message = app.messages[i];
    const BarPress press = message_bar(app.ui, "message." + std::to_string(i),
                                       {message.text, message.is_error, message.action, message.unfolded});
    if (press == BarPress::action) app.pending = message.opens;
    if (press == BarPress::body) message.unfolded = !message.unfolded;
    if (press == BarPress::action || press == BarPress::close) dismissed = i;
    ImGui::PopItemWidth();
    y = ImGui::GetItemRectMax().y + app.ui.px(8);
  }
  if (dismissed) app.messages.erase(app.messages.begin() + static_cast<std::ptrdiff_t>(*dismissed));
  return y - rect.top;
}

// --- Shell ---------------------------------------------------------------------------------------------------------

// Sizes at 100 %.
constexpr double kFramePadding = 16, kTightPadding = 8, kFrameGap = 12, kChips = 30;
constexpr double kProgress = 2, kLargeFold = 34;
constexpr double kHeightForPadding = 420;  ///< below it the figures have smaller margins
constexpr double kHeightForChips = 180;    ///< and below it those of a lesson have no chips

void hairline(double x0, double y0, double x1, double y1, Colour colour) {
  ImGui::GetWindowDrawList()->AddLine(point(x0 + 0.5, y0 + 0.5), point(x1 + 0.5, y1 + 0.5), colour32(colour), 1);
}

void place(double x, double y) {
  ImGui::SetCursorScreenPos(point(x, y));
}

/// Draws the list of views at the left edge.
void draw_view_list(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.right() - 1, rect.top, rect.right() - 1, rect.bottom(), ui.palette.line);
  place(rect.left, rect.top);
  constexpr double kRounded = 4;  // of items on whole pixels
  const ListSpacing spacing = fit_list(ui, rect.height / static_cast<double>(ui.scale) - kRounded);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(10), std::floor(ui.px(spacing.edge))});
  begin_padded_child("views", point(rect.width, rect.height));
  draw_view_items(app, spacing, edited);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

/// Draws the line at the bottom of the window: the content of the view, and its computation time.
void draw_status(App& app, const Rect& rect) {
  const Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.left, rect.top, rect.right(), rect.top, ui.palette.line);
  if (app.result.stale && !app.stopped && app.result.progress) {
    const Rect bar{rect.left, rect.top, rect.width * *app.result.progress, static_cast<double>(ui.px(kProgress))};
    fill_rect(bar, ui.palette.accent);
    app.record.add("shell.progress", bar);
  }
  std::string status = app.result.status;
  if (app.file_job) {
    const std::string percent = std::to_string(static_cast<int>(100 * app.file_job->progress()));
    status = app.text.format("shell.saving", {{"path", app.file_job->path()}, {"percent", percent}});
  }
  const bool copied = app.copied >= 0 && ImGui::GetTime() < app.copied + kCopiedSeconds;
  if (copied) {
    status = app.text["shell.copied"];
    app.record.add("shell.copied", rect);
  }
  const std::string& hint = (*ui.text)["shell.hint"];
  const double width = text_width(ui.fonts.small, hint);
  const bool hints = width <= rect.width / 2 && !ui.touch;
  const double centre = rect.top + rect.height / 2, left = rect.left + ui.px(kFramePadding);
  const double room = rect.width - ui.px(2 * kFramePadding) - (hints ? rect.width / 2 : 0);
  draw_line_within({ui.fonts.small, copied ? ui.palette.accent : ui.palette.secondary, left, centre},
                   std::max(0.0, room), 0, status);
  if (!hints) return;
  draw_line({ui.fonts.small, ui.palette.secondary, rect.right() - ui.px(kFramePadding) - width, centre}, hint);
}

void draw_figures(App& app, const Rect& area, Experiment& edited) {
  const Ui& ui = app.ui;
  const double pad = ui.px(area.height < ui.px(kHeightForPadding) ? kTightPadding : kFramePadding),
               gap = ui.px(kFrameGap);
  Rect rest{area.left + pad, area.top + pad, area.width - 2 * pad, area.height - 2 * pad};
  const auto take_top = [&rest](double height) {
    rest.top += height;
    rest.height -= height;
  };
  take_top(draw_messages(app, rest));
  app.figures = rest;
  if (app.pen.on) take_top(draw_pen_bar(app, rest));
  const View& view = find_view(edited.view);
  Rect row{rest.left, rest.top, rest.width, ui.px(kChips)};
  const bool plays = find_player(edited) && !app.student;
  if (plays) row.width = draw_player(app, row, edited) - gap - row.left;
  const bool room = app.lesson && app.lesson->room;
  const bool chips = view.compares_ropes && !(view.hides_pins && view.hides_pins(edited));
  // In a lesson a low window is all for its figure.
  const bool cramped = app.lesson && area.height < ui.px(kHeightForChips);
  if (chips && !app.figure_alone && !room && !app.student && !cramped) {
    take_top(draw_chips(app, {row.left, row.top, row.width, rest.height}, edited) + gap);
  } else if (plays) {
    take_top(row.height + gap);
  }
  const CardsPlace cards = app.student ? CardsPlace() : cards_place(app, rest);
  const double plots = std::max(1.0, rest.height - (cards.height > 0 ? cards.height + gap : 0));
  draw_plots(app, {rest.left, rest.top, rest.width, plots}, edited);
  if (cards.height > 0) draw_cards(app, {rest.left, rest.top + plots + gap, rest.width, cards.height}, cards, edited);
  draw_card_sheet(app, area, edited);
  draw_whole_card(app, area, edited);
}

/// Draws messages above the controls or the lesson that take the turn of the figures.
void draw_messages_above(App& app, Areas& areas) {
  Rect& rest = areas.controls.width > 0 ? areas.controls : areas.list;
  const double pad = app.ui.px(kTightPadding);
  const double height = draw_messages(app, {rest.left + pad, rest.top + pad, rest.width - 2 * pad, rest.height});
  if (height <= 0) return;
  const double taken = std::min(height + pad, rest.height - 1);
  rest.top += taken;
  rest.height -= taken;
}

/// Draws the controls in a separate window, so that a drawer lies over the figures.
void draw_controls(App& app, const Areas& areas, Experiment& edited) {
  if (app.figure_alone || areas.controls.width <= 0) return;
  Ui& ui = app.ui;
  place(areas.controls.left, areas.controls.top);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("controls", point(areas.controls.width, areas.controls.height));
  ImGui::PopStyleVar();
  fill_rect(areas.controls, ui.palette.panel);
  hairline(areas.controls.right() - 1, areas.controls.top, areas.controls.right() - 1, areas.controls.bottom(),
           ui.palette.line);
  // Over the panel's upper right corner; when collapsed, only this button remains, as high as the strip. Below the
  // figures of an upright window, or in place of them, it has the size of a fingertip, and no control is under it.
  const bool closes = areas.show_controls && (!areas.show_figures || areas.controls.top > areas.figures.top);
  const bool large = closes || (ui.touch && areas.show_controls);
  Rect fields = areas.controls;
  if (large) fields.width = std::max(1.0, fields.width - static_cast<double>(ui.px(kLargeFold)));
  if (areas.show_controls) draw_fields(app, fields, edited);
  const std::string label = closes ? "×" : areas.show_controls ? "‹" : "›";
  const double pad = ui.px(8), width = ui.px(large ? kLargeFold : 20), strip = areas.controls.height - 2 * pad,
               height = areas.show_controls ? static_cast<double>(ui.px(large ? kLargeFold : 24)) : strip;
  place(areas.controls.right() - width - ui.px(6), areas.controls.top + pad);
  // A separate window: the one of the fields lies over this one, and would take the press.
  ImGui::BeginChild("fold", point(width, height));
  if (fold_button(ui, "shell.fold", label, (*ui.text)["shell.tip.fold"], {width, height})) app.fold_requested = true;
  ImGui::EndChild();
  ImGui::EndChild();
}

/// Draws the button between figures and lesson, where only one of them fits.
void draw_turn(App& app, const Rect& rect) {
  if (rect.height <= 0) return;
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  const Press press = press_area(ui, "shell.turn", grown(rect, -static_cast<double>(ui.px(4))));
  fill_rect(press.rect, press.hovered ? ui.palette.line : ui.palette.raised, ui.px(6));
  draw_line_within({ui.fonts.semibold, ui.palette.text, press.rect.left, press.rect.top + press.rect.height / 2},
                   press.rect.width, 0.5, app.text[app.turned_to_figures ? "shell.to_lesson" : "shell.to_figure"]);
  if (press.clicked) app.turned_to_figures = !app.turned_to_figures;
}

/// Clears zoomed ranges of the y axes if curves change their quantity: a range of values has no meaning for differences
/// or ratios, nor the reverse.
void forget_values(const App& app, Experiment& edited) {
  if (edited.curves.shown_as == app.history.current().curves.shown_as) return;
  for (const Panel& panel : app.result.panels) clear_axis_range(edited, panel.figure.y);
}

/// Returns whether R is held, and not typed into a text.
bool flips(const App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  return key_down(Key::r) && !io.KeyCtrl && !io.KeyAlt && !io.WantTextInput && app.dialog.kind == DialogKind::none;
}

/// Returns whether the input files changed; checks the disk at most twice per second, and returns false in between.
bool files_changed_lately(App& app) {
  const double now = ImGui::GetTime();
  if (now - app.looked_at < kFileCheckInterval) return false;
  app.looked_at = now;
  return files_changed(app);
}

/// Shows why figures could not be computed, in place of them.
void show_failure(ViewResult& result, const std::string& why) {
  for (Panel& panel : result.panels) {
    if (!panel.figure.stale) continue;
    panel.figure.stale = false;
    panel.figure.empty_message = why;
  }
  result.stale = false;
  result.status = why;
}

/// Requests fonts with the characters drawn for the first time (typed, or in a file name).
void load_glyphs(App& app) {
  const std::size_t before = app.requested_glyphs.size();
  app.requested_glyphs.merge(app.writing.wanted.characters);
  app.writing.wanted.characters.clear();
  if (app.requested_glyphs.size() != before) app.requests.rebuild_fonts = true;
}

/// Requests the figures of the view if the experiment changed or a computation was running.
void refresh_figures(App& app, const Experiment& edited) {
  Experiment experiment = edited;
  const View& view = find_view(experiment.view);
  if (view.follows_pointer) experiment.pointer = app.plot.pointer;
  if (view.flip && flips(app)) view.flip(experiment, ImGui::GetIO().KeyShift);
  const bool same = app.result_of && *app.result_of == experiment && !files_changed_lately(app);
  if (same && !app.result.stale) return prepare_next_step(app);
  app.stopped = app.stopped && same;
  app.store.begin_pass();
  if (app.stopped) {  // a pass without requests stops the worker; the last finished figures stay
    app.store.end_pass();
    app.result.status = app.text["shell.stopped"];
    return;
  }
  // Checked beforehand: a change meanwhile is detected at the next check.
  app.result_files = view.files ? view.files(experiment) : std::vector<FileStamp>();
  try {
    app.result = draw_view(view, experiment, app.text, app.store);
    if (const Message why = app.store.failure(); !why.empty()) show_failure(app.result, app.text.render(why));
  } catch (const std::exception& error) {
    // The figures stay; a retry would fail again, so this happens once per experiment.
    app.messages.push_back({app.text.render(words_of(error))});
    app.result.stale = false;
  }
  app.store.end_pass();
  app.result_of = experiment;
  cover_lesson(app);
}

/// Advances the current view's player if it is playing; not an undo step.
void play(App& app, double seconds) {
  constexpr double kLongest = 0.1;  // after a pause of the whole program it continues where it was
  Experiment next = app.history.current();
  const Player* player = find_player(next);
  if (!player || !player->advance || !player->playing(next)) return;
  player->advance(next, std::min(seconds, kLongest));
  clamp(next);
  app.history.amend(next);
  app.animated = true;
}

/// Clamps and records the edited experiment (a drag is one undo step) and opens what was selected in lists.
void finish_frame(App& app, Experiment& edited) {
  // Edits by controls were clamped before the figures were drawn; these come from handles and menus of the figures.
  if (!app.result_of || edited != *app.result_of) clamp(edited);
  const bool held = ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive() || app.plot.gesture;
  if (edited != app.history.current()) app.history.record(edited, held);
  if (!held) app.history.end_merge();
  open_selected(app);
  load_glyphs(app);
  if (!app.settings.language.empty() && app.settings.language != app.text.language()) apply_language(app);
  keep_state(app, ImGui::GetTime());
}

/// Draws the dialog that is open, if one is.
void draw_dialogs(App& app, const Rect& screen, Experiment& edited) {
  if (app.dialog.kind == DialogKind::none) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(10), app.ui.px(8)});
  const DialogKind kind = app.dialog.kind;
  if (kind == DialogKind::start) {
    draw_start(app, screen, edited);
  } else if (kind == DialogKind::keys) {
    draw_key_list(app, screen, key_lines(app.text));
  } else if (kind == DialogKind::find) {
    draw_finder(app, screen, edited);
  } else {
    draw_dialog_of_file(app, screen, edited);
  }
  ImGui::PopStyleVar();
  // A dialog opened within this frame starts in the next one.
  if (app.dialog.kind == kind) app.dialog.just_opened = false;
}

/// Moves everything that plays by the time since the last frame.
void play_all(App& app) {
  const auto seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  app.animated = false;
  watch_file_job(app);
  play(app, seconds);
  play_sweep(app, seconds);
  play_lesson(app, seconds);
}

/// Begins the window that covers the screen; ImGui::End() ends it.
void begin_screen(const App& app, double width, double height) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(point(width, height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("ropescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  fill_rect({0, 0, width, height}, app.ui.palette.ground);
}

/// Draws the areas beside each other, with what they change in the experiment.
void draw_areas(App& app, Areas& areas, Experiment& edited) {
  if (areas.show_top) draw_top_bar(app, areas.top, !areas.show_list, edited);
  if (!areas.show_figures) draw_messages_above(app, areas);
  if (areas.show_list && shows_lesson_panel(app)) {
    // Its words contain numbers of a sweep in this frame.
    refresh_figures(app, edited);
    draw_lesson_panel(app, areas.list, edited);
  } else if (areas.show_list) {
    draw_view_list(app, areas.list, edited);
  }
  draw_controls(app, areas, edited);
  // Controls first: their effect is visible in the same frame.
  if (app.clamped != edited) {
    clamp(edited);
    app.clamped = edited;
  }
  forget_values(app, edited);
  refresh_figures(app, edited);
  if (areas.show_figures) {
    draw_figures(app, areas.figures, edited);
  } else {
    app.figures = {};
    app.plot.hovered.clear();
    app.plot.pointer.reset();
  }
  draw_turn(app, areas.turn);
}

}  // namespace

void draw_app(App& app, double width, double height) {
  const ThousandsMark mark(app.text["language.thousands"]);
  const Rect screen{0, 0, width, height};
  app.record.clear();
  Areas areas = areas_of(app, width, height);
  play_all(app);
  fit_text_to_presentation(app, height);
  app.ui.least_text = app.lesson && app.lesson->room ? kMinPresentationText : kLeastText;
  Experiment edited = app.history.current();
  begin_screen(app, width, height);
  handle_keys(app, edited);
  hide_tooltips_of_other_view(app.ui, edited.view);
  draw_areas(app, areas, edited);
  if (std::exchange(app.fold_requested, false)) {
    bool& open = controls_open(app, areas);
    const bool shown = std::exchange(app.controls_shown, false) && !areas.drawer;
    open = !(open || shown);
  }
  if (areas.show_status) draw_status(app, areas.status);
  draw_lesson_light(app);
  draw_lesson_code(app, areas.figures);
  draw_agenda(app, screen);
  draw_dialogs(app, screen, edited);
  draw_held_answer(app, screen);
  draw_black(app, screen);
  draw_pointer_mark(app, screen);
  ImGui::End();
  open_requested_dialog(app, edited);
  finish_frame(app, edited);
  app.holds_picture = holds_lesson_picture(app, static_cast<double>(ImGui::GetIO().DeltaTime));
  app.animated = app.animated || app.holds_picture;
}

double seconds_to_frame(const App& app) {
  constexpr double kCaretBlink = 0.4, kProgress = 0.1;
  if (app.animated || is_unsettled()) return 0;
  const double now = ImGui::GetTime();
  double due = std::numeric_limits<double>::infinity();
  const auto at = [&due](double time) { due = std::min(due, time); };
  if (const auto save = find_save_time(app.saving); save && app.saving.allowed) at(*save);
  for (const WindowMessage& message : app.messages) {
    if (const auto end = message.end()) at(*end);
    if (message.since < 0) at(now);  // added after the messages were drawn
  }
  if (app.copied >= 0 && now < app.copied + kCopiedSeconds) at(app.copied + kCopiedSeconds);
  if (app.file_job) at(now + kProgress);
  if (app.lesson) at(now + kFileCheckInterval);  // its file may change, and presentation mode has a clock
  if (ImGui::GetIO().WantTextInput) at(now + kCaretBlink);
  if (const auto change = next_change(app.ui.state, now)) at(*change);
  if (app.result.stale && !app.stopped && !app.store.busy()) at(now);
  return std::max(0.0, due - now);
}

}  // namespace ropescope::ui
