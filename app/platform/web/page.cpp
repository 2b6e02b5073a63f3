// The web page: the window's loop, called by page.js for every frame and event. It replaces app/commands/window.cpp and
// app/platform/window.cpp; page.js carries out requests to the browser.
//
// Contents: Requests to the browser; The page; Entry points.

#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/gpu/gl.h"
#include "app/gpu/gpu.h"
#include "app/platform/window.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/ui/accessible.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/finder.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/ui/start.h"
#include "app/ui/state.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"

namespace ropescope {

// --- Requests to the browser ---------------------------------------------------------------------------------------

// Each is a function of page.js.
EM_JS(void, ask_copy, (const char* text), { ropescope.copy(UTF8ToString(text)); });
EM_JS(void, ask_cursor, (int cursor), { ropescope.cursor(cursor); });
EM_JS(void, ask_typing, (const char* keyboard), { ropescope.typing(UTF8ToString(keyboard)); });
EM_JS(void, ask_full_screen, (int wanted), { ropescope.full_screen(wanted); });
EM_JS(void, ask_address, (const char* link, int entry), { ropescope.address(UTF8ToString(link), !!entry); });
EM_JS(void, ask_words, (const char* language, const char* title, const char* words),
      { ropescope.words(UTF8ToString(language), UTF8ToString(title), JSON.parse(UTF8ToString(words))); });
EM_JS(void, ask_controls, (const char* controls), { ropescope.controls(JSON.parse(UTF8ToString(controls))); });
EM_JS(void, ask_announcement, (const char* said), { ropescope.announce(UTF8ToString(said)); });
EM_JS(void, ask_download, (const char* path, double x, double y, double width, double height),
      { ropescope.download(UTF8ToString(path), x, y, width, height); });
EM_JS(void, ask_picture_copy, (double x, double y, double width, double height),
      { ropescope.copy_picture(x, y, width, height); });
EM_JS(void, ask_file, (const char* endings), { ropescope.choose(UTF8ToString(endings)); });
EM_JS(void, ask_keep, (), { ropescope.keep(); });
// Suspends the program until frames and events are processed, if the browser supports that (page.js replaces this
// function); otherwise returns at once. Returns the elapsed milliseconds.
EM_JS(double, ask_rest, (), { return 0; });
EM_JS(void, say_failed, (const char* why), { ropescope.failed(UTF8ToString(why)); });

// --- The page ------------------------------------------------------------------------------------------------------

namespace {

/// After an event ImGui needs a few frames to settle.
constexpr int kFramesAfterEvent = 3;
/// The folder of dropped or chosen files; other files written there are downloads.
constexpr const char* kFiles = kDroppedFiles;
static_assert(sizeof(ImDrawIdx) == 4, "a large screen has more than 65 536 vertices (packages.cmake)");

/// Milliseconds of computation before the browser can draw and process events, or the duration of that if longer, so
/// half of the time is available. The first slice is long: results for a dragged slider are needed only until the next
/// frame, and would otherwise never be completed.
constexpr double kFirstSlice = 80, kSlice = 12, kLongestSlice = 100;
/// End of the current slice; 0: no computation between frames.
double slice_ends = 0;

/// Called frequently by long computations.
void rest_in_time() {
  if (slice_ends == 0 || emscripten_get_now() < slice_ends) return;
  slice_ends = 0;
  const double away = ask_rest();
  slice_ends = emscripten_get_now() + std::clamp(away, kSlice, kLongestSlice);
}

/// Throws InputError if the browser has no WebGL 2.
void open_context() {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE made = emscripten_webgl_create_context("#canvas", &wanted);
  if (made <= 0) throw InputError("web.no_webgl", {});
  emscripten_webgl_make_context_current(made);
}

/// Returns whether a menu or a dialog covers the figures.
bool is_covered() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

class Page {
 public:
  /// `wishes`: of the system for a first visit, words such as "light still contrast".
  Page(const std::string& wishes, int width, int height, float scale);

  /// Draws a frame; returns the seconds until the next one is needed without any event: 0 for immediately.
  double draw(double now);
  /// Computes one pending task; returns whether there is another.
  bool work();
  void resize(int width, int height, float scale);
  void event() { frames_ = kFramesAfterEvent; }
  void queue(const InputEvent& event) {
    if (event.is_press()) covered_ = is_covered();
    input_.push(event);
    frames_ = kFramesAfterEvent;
  }
  void open_link(const std::string& link);
  /// Sets the address of links.
  void address(const std::string& address) { app_->settings.link = address; }
  /// Processes files that the browser has put into kFiles. `chosen`: in the browser's dialog, as requested.
  void take_files(const std::vector<std::string>& paths, bool chosen);
  /// Handles a lifted finger: the mouse stays there. A control's tooltip disappears; a figure's readout stays, unless
  /// the tap was on something that covered the figure.
  void lifted() {
    if (app_->plot.hovered.empty() || covered_) ui::send_mouse_position(-1e6f, -1e6f);
    event();
  }
  /// Returns the scrollable window under the mouse, or one that contains it; null if there is none.
  static ImGuiWindow* scrolled();
  ui::App& app() { return *app_; }
  bool busy() const { return app_->store.busy(); }
  void pasted(std::string text) { clipboard_ = std::move(text); }

 private:
  void take_input();
  void carry_out();
  void tell_browser();
  void ask_for_file();
  void offer_downloads();
  bool show_figures();

  std::optional<ui::HeadlessImGui> imgui_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<ui::App> app_;
  InputQueue input_;
  int width_, height_, frames_ = kFramesAfterEvent, cursor_ = 0;
  float scale_;
  double before_ = 0;
  bool copies_ = false;
  bool covered_ = false;  ///< something covered the figures at the last press
  std::string theme_, link_, words_, controls_, announced_, clipboard_;
  std::string keyboard_;              ///< of a phone, while something is typed: an HTML inputmode; empty: none
  std::string entry_;                 ///< view or step of the address: a new one adds an entry to the browser's history
  std::optional<std::string> field_;  ///< field that the chosen file is for; empty: open the file
  /// Known files, and when they were written: new ones are downloads.
  std::map<std::string, std::filesystem::file_time_type> files_;
};

Page::Page(const std::string& wishes, int width, int height, float scale)
    : width_(width), height_(height), scale_(scale) {
  ui::check_allocations();
  open_context();
  imgui_.emplace(static_cast<float>(width), static_cast<float>(height));
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ClipboardUserData = this;
  io.SetClipboardTextFn = [](void*, const char* text) { ask_copy(text); };
  io.GetClipboardTextFn = [](void* page) { return static_cast<const Page*>(page)->clipboard_.c_str(); };
  const Places places = find_places();
  // Removes incomplete files of a closed page: no other page writes here.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(places.state, ignored)) {
    if (entry.path().extension() == ".part") std::filesystem::remove(entry.path(), ignored);
  }
  gpu_ = make_gl_gpu(places.shaders);
  app_ = std::make_unique<ui::App>(places, Store::Mode::asynchronous, 1);
  app_->ui.gpu = gpu_.get();
  const auto wishes_for = [&wishes](const char* word) { return wishes.find(word) != std::string::npos; };
  app_->settings.theme = wishes_for("light") ? "light" : "dark";
  app_->settings.motion = !wishes_for("still");
  app_->settings.contrast = wishes_for("contrast");
  ui::load_state(*app_);
  ui::start_fresh(*app_);
  app_->settings.folder = kFiles;
  // Files dropped earlier that the browser kept.
  for (const auto& entry : std::filesystem::directory_iterator(kFiles, ignored)) {
    files_[entry.path().string()] = entry.last_write_time(ignored);
  }
  std::filesystem::current_path(kFiles);  // file names are shown without this internal folder
  ui::apply_settings(*app_, scale_);
  gpu_->reload_fonts();
  theme_ = app_->settings.theme;
}

std::string entry_here(const ui::App& app);

void Page::open_link(const std::string& link) {
  if (link == link_) return;
  link_ = link;
  event();
  if (!link.starts_with(kLessonLink)) ui::close_lesson(*app_);
  ui::open_path(*app_, std::string(kOwnAddress) + link);
  entry_ = entry_here(*app_);
}

void Page::take_files(const std::vector<std::string>& paths, bool chosen) {
  std::error_code ignored;
  for (const std::string& path : paths) {
    files_[kFiles + ('/' + path)] = std::filesystem::last_write_time(path, ignored);
  }
  const std::string field = chosen ? field_.value_or("") : "";
  field_.reset();
  if (!field.empty() && !paths.empty()) {
    app_->pending = {ui::PendingOpen::Kind::field, paths.front(), field};
  } else {
    ui::open_paths(*app_, paths);
  }
  event();
}

void Page::resize(int width, int height, float scale) {
  width_ = width, height_ = height;
  if (scale != scale_) {
    scale_ = scale;
    ui::apply_settings(*app_, scale_);
    gpu_->reload_fonts();
  }
  event();
}

ImGuiWindow* Page::scrolled() {
  ImGuiWindow* window = ImGui::GetCurrentContext()->HoveredWindow;
  // What is behind a list stays where it is.
  while (window && window->ScrollMax.y <= 0) {
    window = window->Flags & ImGuiWindowFlags_Popup ? nullptr : window->ParentWindow;
  }
  return window;
}

void Page::take_input() {
  for (const InputEvent& event : input_.take_frame()) {
    ui::send_mouse_position(static_cast<float>(event.x), static_cast<float>(event.y));
    if (event.is_key) {
      ui::send_key(static_cast<ui::Key>(event.code), event.is_press());
    } else {
      ui::send_mouse_button(event.code, event.is_press());
    }
    ui::send_modifiers((event.modifiers & 2) != 0, (event.modifiers & 1) != 0, (event.modifiers & 4) != 0);
  }
}

void Page::carry_out() {
  ui::Requests requests = std::exchange(app_->requests, {});
  if (requests.clipboard_text) ask_copy(requests.clipboard_text->c_str());
  if (requests.clipboard_png) copies_ = true;
  if (requests.toggle_full_screen) ask_full_screen(2);
  if (requests.full_screen) ask_full_screen(*requests.full_screen ? 1 : 0);
  if (requests.rebuild_fonts) {
    ui::apply_settings(*app_, scale_);
    gpu_->reload_fonts();
  }
}

/// Returns the view as text: its name, descriptions of its figures, and its cards. Pairs of an element's name and text,
/// ["h1", "Decay"]; for a table ["table", [["cell", …], …]]. The page creates elements from them, without parsing HTML.
std::string view_words(const ui::App& app, const std::string& name) {
  const Formulas* formulas = app.text.formulas().get();
  const auto plain = [&](const std::string& text) { return plain_text(formulas, text); };
  nlohmann::json words = nlohmann::json::array();
  const auto add = [&words](const char* element, nlohmann::json text) { words.push_back({element, std::move(text)}); };
  add("h1", plain(name));
  if (app.lesson) {
    const LessonStep& step = app.lesson->lesson.steps[app.lesson->step];
    add("h2", plain(step.title));
    for (const LessonParagraph& paragraph : step.text) {
      std::string text;
      for (const LessonWords& part : paragraph.words) text += plain(part.text);
      add("p", text);
    }
  }
  for (const Panel& panel : app.result.panels) {
    const Figure& figure = panel.figure;
    if (!figure.title.empty()) add("h2", plain(figure.title));
    if (!figure.empty_message.empty()) add("p", plain(figure.empty_message));
    for (const Paragraph& paragraph : figure.paragraphs) add("p", plain(paragraph.text));
    if (!figure.grid.empty()) {
      nlohmann::json rows = nlohmann::json::array();
      for (const auto& row : figure.grid) {
        nlohmann::json cells = nlohmann::json::array();
        for (const GridCell& cell : row) cells.push_back(plain(cell.text));
        rows.push_back(std::move(cells));
      }
      add("table", std::move(rows));
    }
    if (!figure.bare) {
      std::string axes;
      for (const FigureAxis* axis : {&figure.x, &figure.y}) {
        axes += plain(axis->label) + ": " + readable_number(axis->range.low, 4) + " … " +
                readable_number(axis->range.high, 4) + ". ";
      }
      add("p", axes);
    }
    for (const Line& line : figure.lines) {
      if (!line.in_legend || line.label.empty() || !line.series || line.series->ys.empty()) continue;
      add("li", plain(line.label) + ": " + readable_number(line.series->ys.front(), 4) + " … " +
                    readable_number(line.series->ys.back(), 4));
    }
  }
  for (const Readout& card : app.result.readouts) {
    add("dt", plain(card.label));
    add("dd", plain(card.text) + " " + plain(card.note));
  }
  return words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the controls as the page makes them.
std::string controls_json(const ui::App& app) {
  constexpr const char* kKinds[] = {"heading", "range", "choice", "toggle", "text", "button"};
  const Formulas* formulas = app.text.formulas().get();
  nlohmann::json list = nlohmann::json::array();
  for (const ui::AccessibleControl& control : ui::list_accessible(app)) {
    nlohmann::json options = nlohmann::json::array();
    for (const ui::ListItem& option : control.options)
      options.push_back({option.id, plain_text(formulas, option.label)});
    list.push_back({{"kind", kKinds[static_cast<int>(control.kind)]},
                    {"key", control.key},
                    {"label", plain_text(formulas, control.label)},
                    {"help", plain_text(formulas, control.help)},
                    {"value", plain_text(formulas, control.value)},
                    {"position", control.position},
                    {"steps", control.steps},
                    {"options", std::move(options)},
                    {"enabled", control.enabled}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the key of an entry in the browser's history: each view, and each step of a lesson.
std::string entry_here(const ui::App& app) {
  const ui::LessonPlay* lesson = ui::find_linked_lesson(app);
  return lesson ? lesson->source + '/' + lesson->lesson.steps[lesson->step].name : app.history.current().view;
}

void Page::tell_browser() {
  const int cursor = ImGui::GetMouseCursor();
  if (cursor != cursor_) ask_cursor(cursor_ = cursor);
  // ImGui's public flag is from the previous frame.
  const ui::WidgetState& state = app_->ui.state;
  const bool typing = ImGui::GetCurrentContext()->WantTextInputNextFrame > 0;
  const std::string keyboard = !typing                                                     ? ""
                               : state.edited_key.empty() || state.edited_keyboard.empty() ? "text"
                                                                                           : state.edited_keyboard;
  if (keyboard != keyboard_) ask_typing((keyboard_ = keyboard).c_str());
  if (ImGui::IsAnyMouseDown()) return;
  const std::string link = ui::link_here(*app_, "", app_->student);
  if (link != link_) {
    const std::string entry = entry_here(*app_);
    ask_address((link_ = link).c_str(), entry != std::exchange(entry_, entry) ? 1 : 0);
  }
  // The text description is updated only when nothing changes.
  if (app_->result.stale || frames_ > 1 || app_->animated) return;
  const std::string name = app_->text["view." + app_->history.current().view + ".name"];
  const auto changed = [](std::string& known, std::string now) {
    return std::exchange(known, std::move(now)) != known;
  };
  if (changed(words_, view_words(*app_, name))) {
    ask_words(app_->text.language().c_str(), (name + " – ropescope").c_str(), words_.c_str());
  }
  ui::load_lesson_titles(*app_);
  if (changed(controls_, controls_json(*app_))) ask_controls(controls_.c_str());
  if (changed(announced_, ui::announcement(*app_))) ask_announcement(announced_.c_str());
}

/// Replaces the program's dialog by the browser's: the user chooses files of the machine, not of the page.
void Page::ask_for_file() {
  ui::Dialog& dialog = app_->dialog;
  if (dialog.kind != ui::DialogKind::open && dialog.kind != ui::DialogKind::file) return;
  field_ = dialog.kind == ui::DialogKind::file ? dialog.field : "";
  const std::string endings = dialog.endings;
  dialog = {};
  if (is_covered()) ImGui::ClosePopupToLevel(0, true);
  ask_file(endings.c_str());
}

/// Shows the figures if a drawer or a lesson takes their place; returns whether they were drawn in this frame.
bool Page::show_figures() {
  if (app_->figures.width >= 1 && app_->figures.height >= 1) return true;
  app_->turned_to_figures = true;
  app_->drawer_open = app_->lessons_listed = false;
  event();
  return false;
}

void Page::offer_downloads() {
  // The picture shows the canvas, so it waits until the dialog or menu has disappeared.
  if (app_->dialog.kind != ui::DialogKind::none || is_covered() || frames_ > 1) return;
  if (copies_ && !show_figures()) return;
  if (std::exchange(copies_, false)) {
    const Rect& shown = app_->figures;
    ask_picture_copy(shown.left, shown.top, shown.width, shown.height);
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(kFiles, ignored)) {
    const std::string path = entry.path().string();
    const auto written = entry.last_write_time(ignored);
    const auto known = files_.find(path);
    if (entry.path().filename().string().starts_with('.') || (known != files_.end() && known->second == written))
      continue;
    if (path.ends_with(".png") && !show_figures()) return;
    files_[path] = written;
    const Rect& shown = app_->figures;
    ask_download(path.c_str(), shown.left, shown.top, shown.width, shown.height);
  }
}

double Page::draw(double now) {
  const bool after_event = frames_ > 0;
  take_input();
  if (theme_ != app_->settings.theme) {
    theme_ = app_->settings.theme;
    ui::apply_theme(*app_);
    frames_ = kFramesAfterEvent;
  }
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  io.DeltaTime = static_cast<float>(std::max(1e-3, now - before_));
  before_ = now;
  gpu_->begin_frame();
  ImGui::NewFrame();
  try {
    ui::draw_app(*app_, io.DisplaySize.x, io.DisplaySize.y);
  } catch (...) {
    ImGui::ErrorCheckEndFrameRecover(nullptr, nullptr);
    ImGui::EndFrame();
    throw;
  }
  frames_ = ImGui::IsAnyMouseDown() || ui::any_key_down() ? kFramesAfterEvent : frames_ - 1;
  ImGui::Render();
  if (app_->holds_picture) {
    frames_ = kFramesAfterEvent;
  } else {
    gpu_->draw(ImGui::GetDrawData(), app_->ui.palette.ground, width_, height_);
  }
  io.MouseWheel = io.MouseWheelH = 0;
  carry_out();
  tell_browser();
  ask_for_file();
  if (after_event) offer_downloads();
  const std::optional<double> due = find_save_time(app_->saving);
  if (!due) ask_keep();
  if (frames_ > 0 || !input_.empty()) return 0;
  return ui::seconds_to_frame(*app_);
}

bool Page::work() {
  std::stop_source one;
  const auto over = [this](const std::stop_source*) {
    slice_ends = 0;
    app_->store.on_finished({});
  };
  const std::unique_ptr<std::stop_source, decltype(over)> guard(&one, over);
  app_->store.on_finished([&one] { one.request_stop(); });
  std::__asks_to_stop = rest_in_time;
  slice_ends = emscripten_get_now() + kFirstSlice;
  app_->store.work_here(one.get_token());
  event();
  return app_->store.busy();
}

std::unique_ptr<Page> page;

/// Reports errors in the page and continues.
template <class Call>
auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const InputError& error) {
    say_failed(to_english(error.words()).c_str());
  } catch (const std::exception& error) {
    say_failed(error.what());
  }
  return decltype(call())();
}

}  // namespace

}  // namespace ropescope

// --- Entry points --------------------------------------------------------------------------------------------------

extern "C" {

using ropescope::guarded;
using ropescope::page;

/// Returns GL state that is constant outside ImGui's drawing. A real query makes the browser wait until all previous
/// drawing is complete: nine tenths of a frame.
void page_get_integer(GLenum name, GLint* values) {
  switch (name) {
    case GL_SCISSOR_BOX:
      values[0] = values[1] = values[2] = values[3] = 0;  // the test is off
      break;
    case GL_BLEND_SRC_RGB:
    case GL_BLEND_SRC_ALPHA:
      *values = GL_ONE;
      break;
    case GL_BLEND_DST_RGB:
    case GL_BLEND_DST_ALPHA:
      *values = GL_ZERO;
      break;
    case GL_BLEND_EQUATION_RGB:
    case GL_BLEND_EQUATION_ALPHA:
      *values = GL_FUNC_ADD;
      break;
    default:
      glGetIntegerv(name, values);
  }
}

EMSCRIPTEN_KEEPALIVE int page_open(const char* address, const char* wishes, int width, int height, float scale) {
  return guarded([&] {
    page = std::make_unique<ropescope::Page>(wishes, width, height, scale);
    page->address(address);
    return 1;
  });
}

EMSCRIPTEN_KEEPALIVE double page_frame(double now) {
  // After an error the next attempt waits a second, because it would fail again immediately.
  double due = 1;
  guarded([&] { due = page->draw(now); });
  return due;
}

EMSCRIPTEN_KEEPALIVE int page_busy() {
  return page->busy() ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE int page_work() {
  return guarded([] { return page->work() ? 1 : 0; });
}

EMSCRIPTEN_KEEPALIVE void page_resize(int width, int height, float scale) {
  guarded([&] { page->resize(width, height, scale); });
}

EMSCRIPTEN_KEEPALIVE void page_touch(int touch) {
  page->app().ui.touch = touch != 0;
}

EMSCRIPTEN_KEEPALIVE void page_mouse(double x, double y) {
  ropescope::ui::send_mouse_position(static_cast<float>(x), static_cast<float>(y));
  page->event();
}

EMSCRIPTEN_KEEPALIVE void page_button(int button, int down, int modifiers, double x, double y) {
  page->queue({false, button, 0, down, modifiers, x, y});
}

/// Moves the figure under the mouse by pixels.
EMSCRIPTEN_KEEPALIVE void page_pan(double x, double y) {
  ropescope::Vec2& pan = page->app().plot.pan;
  pan.x += x;
  pan.y += y;
  page->event();
}

EMSCRIPTEN_KEEPALIVE void page_gesture(int on) {
  page->app().plot.gesture = on != 0;
  page->event();
}

EMSCRIPTEN_KEEPALIVE void page_wheel(double notches) {
  ropescope::ui::send_mouse_wheel(static_cast<float>(notches));
  page->event();
}

EMSCRIPTEN_KEEPALIVE void page_key(int key, int down, int modifiers) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  page->queue({true, key, 0, down, modifiers, static_cast<double>(mouse.x), static_cast<double>(mouse.y)});
}

EMSCRIPTEN_KEEPALIVE void page_text(const char* text) {
  ropescope::ui::send_text(text);
  page->event();
}

/// Returns whether a key does something in the program: others are the browser's.
EMSCRIPTEN_KEEPALIVE int page_uses_key(int key, int modifiers) {
  return ropescope::ui::has_binding(key, (modifiers & 2) != 0, (modifiers & 1) != 0) ? 1 : 0;
}

/// Returns whether Tab, with Shift if `back`, leads out of the program: its focus is on the last control, or the first.
EMSCRIPTEN_KEEPALIVE int page_tab_leaves(int back) {
  return ropescope::ui::is_last_stop(page->app().ui.state, back != 0) ? 1 : 0;
}

/// Returns the bottom of the text that is edited in canvas pixels, which an on-screen keyboard must not cover.
EMSCRIPTEN_KEEPALIVE double page_edited_bottom() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  constexpr double kLines = 2.2;  // the line above it is where the text begins
  return static_cast<double>(context.PlatformImePos.y) + kLines * static_cast<double>(context.FontBaseSize);
}

/// Sets a control of list_accessible(), or gives the drawn one the focus.
EMSCRIPTEN_KEEPALIVE void page_set(const char* key, const char* to) {
  guarded([&] { ropescope::ui::set_accessible(page->app(), key, to); });
  page->event();
}
EMSCRIPTEN_KEEPALIVE void page_focus(const char* key) {
  guarded([&] { ropescope::ui::focus_accessible(page->app(), key); });
  page->event();
}

/// Reports whether the browser copied to the clipboard.
EMSCRIPTEN_KEEPALIVE void page_copied(int done) {
  ropescope::ui::App& app = page->app();
  if (done) {
    ropescope::ui::say_copied(app);
  } else {
    app.messages.push_back({app.text["error.web.no_copy"]});
  }
  page->event();
}

EMSCRIPTEN_KEEPALIVE void page_pasted(const char* text) {
  page->pasted(text);
}

EMSCRIPTEN_KEEPALIVE void page_link(const char* link) {
  guarded([&] { page->open_link(link); });
}

/// Opens the start screen at the first visit; called if the address contains nothing.
EMSCRIPTEN_KEEPALIVE void page_greet() {
  guarded([] {
    ropescope::ui::greet(page->app());
    page->event();
  });
}

EMSCRIPTEN_KEEPALIVE void page_lifted() {
  page->lifted();
}

/// Returns whether the content under the mouse is scrollable.
EMSCRIPTEN_KEEPALIVE int page_scrolls() {
  return ropescope::Page::scrolled() ? 1 : 0;
}

/// Scrolls the content under the mouse down by a number of pixels.
EMSCRIPTEN_KEEPALIVE void page_scroll(double by) {
  if (ImGuiWindow* window = ropescope::Page::scrolled()) {
    ImGui::SetScrollY(window, window->Scroll.y - static_cast<float>(by));
  }
  page->event();
}

/// Reports that a file was too large to read.
EMSCRIPTEN_KEEPALIVE void page_too_large(const char* name, double most) {
  guarded([&] {
    ropescope::ui::App& app = page->app();
    app.messages.push_back(
        {app.text.format("error.web.too_large", {{"name", name}, {"most", ropescope::readable_number(most)}})});
    page->event();
  });
}

/// Receives the names of dropped or chosen files, one per line.
EMSCRIPTEN_KEEPALIVE void page_files(const char* paths, int chosen) {
  guarded([&] {
    std::vector<std::string> list;
    const std::string all = paths;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      list.push_back(all.substr(at, end - at));
      at = end + 1;
    }
    page->take_files(list, chosen != 0);
  });
}

EMSCRIPTEN_KEEPALIVE void page_save() {
  guarded([] { ropescope::ui::save_state(page->app()); });
}

/// Returns whether everything on screen is up to date, for tests.
EMSCRIPTEN_KEEPALIVE int page_rests() {
  return !page->app().result.stale && !page->busy() ? 1 : 0;
}

/// Returns the cards of the current view, for tests: a line "name<tab>text" each.
EMSCRIPTEN_KEEPALIVE const char* page_cards() {
  static std::string lines;
  lines.clear();
  const ropescope::ui::App& app = page->app();
  for (const ropescope::Readout& card : app.result.readouts) {
    lines += card.name + '\t' + ropescope::plain_text(app.text.formulas().get(), card.text) + '\n';
  }
  return lines.c_str();
}

/// Returns the last position of a control, for tests: "left top width height" in canvas pixels; empty: not drawn.
EMSCRIPTEN_KEEPALIVE const char* page_place(const char* key) {
  static std::string place;
  const ropescope::Rect* found = page->app().record.find(key);
  place = found ? std::to_string(found->left) + ' ' + std::to_string(found->top) + ' ' + std::to_string(found->width) +
                      ' ' + std::to_string(found->height)
                : "";
  return place.c_str();
}

/// Returns the current lesson step and the page's messages, for tests: one per line.
EMSCRIPTEN_KEEPALIVE const char* page_told() {
  static std::string lines;
  const ropescope::ui::App& app = page->app();
  lines = app.lesson ? app.lesson->source + '/' + app.lesson->lesson.steps[app.lesson->step].name
                     : std::string("no lesson");
  for (const ropescope::ui::WindowMessage& message : app.messages) lines += '\n' + message.text;
  return lines.c_str();
}
}

int main() {
  return 0;
}
