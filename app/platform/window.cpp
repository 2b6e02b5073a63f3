// The main window, the second window, and their input by GLFW and ImGui's backend.

#include "app/platform/window.h"

#define GLFW_INCLUDE_NONE

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <optional>
#include <utility>

#include "app/platform/context.h"
#include "app/platform/desktop.h"
#include "core/message.h"

namespace ropescope {

namespace {

constexpr int kMinimumWidth = 640, kMinimumHeight = 480;

Message last_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description ? verbatim(description) : Message("display.unknown_error");
}

// Assumptions of InputEvent, which does not include GLFW.
static_assert(GLFW_RELEASE == 0 && GLFW_KEY_LEFT_SHIFT == 340 && GLFW_KEY_RIGHT_SUPER == 347);

struct Extent {
  int width = 0, height = 0;
};

/// Returns the maximum size of a window on the primary monitor, without its frame.
Extent find_largest_window(GLFWwindow* window) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (!monitor) return {kMinimumWidth, kMinimumHeight};
  int x = 0, y = 0, left = 0, top = 0, right = 0, bottom = 0;
  Extent room;
  glfwGetMonitorWorkarea(monitor, &x, &y, &room.width, &room.height);
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  return {std::max(1, room.width - left - right), std::max(1, room.height - top - bottom)};
}

struct Point {
  int x = 0, y = 0;
};

/// Returns the monitor that contains this point, otherwise the primary one.
GLFWmonitor* monitor_under(Point place) {
  int count = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0;
    glfwGetMonitorPos(monitors[i], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    const bool inside = mode && place.x >= x && place.x < x + mode->width && place.y >= y && place.y < y + mode->height;
    if (inside) return monitors[i];
  }
  return glfwGetPrimaryMonitor();
}

/// A window's position and size.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
};

}  // namespace

struct Window::State {
  bool glfw = false, context = false, backend = false;
  GLFWwindow* window = nullptr;
  WindowPlace before_full_screen;
  InputQueue input;
  std::array<bool, GLFW_MOUSE_BUTTON_LAST + 1> button_down{};
  std::vector<std::string> dropped;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (backend) ImGui_ImplGlfw_Shutdown();
    if (context) ImGui::DestroyContext();
    if (window) glfwDestroyWindow(window);
    if (glfw) glfwTerminate();
  }

  void start_glfw() {
    glfw = ropescope::start_glfw();
    if (glfw) return;
    throw NoDisplay("display.none", {{"why", last_error()}});
  }

  void open_window(int width, int height, const std::string& title) {
    ask_for_core_context();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "ropescope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "ropescope");
#ifdef GLFW_WAYLAND_APP_ID
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "ropescope");  // the name of its desktop entry
#endif
    window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (!window) throw InputError("display.no_window", {{"why", last_error()}});
    fit_to_monitor(width, height);
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window, this);
    glfwSetDropCallback(window, [](GLFWwindow* target, int count, const char** paths) {
      auto* state = static_cast<State*>(glfwGetWindowUserPointer(target));
      for (int i = 0; i < count; ++i) state->dropped.emplace_back(paths[i]);
    });
  }

  /// Sizes are for 96 dpi; if window coordinates are pixels they are multiplied by the screen's scale.
  void fit_to_monitor(int width, int height) {
    const double scale = units_per_point();
    const Extent room = find_largest_window(window);
    const auto scaled = [scale](int measure) { return static_cast<int>(std::lround(measure * scale)); };
    glfwSetWindowSize(window, std::min(scaled(width), room.width), std::min(scaled(height), room.height));
    glfwSetWindowSizeLimits(window, std::min(scaled(kMinimumWidth), room.width),
                            std::min(scaled(kMinimumHeight), room.height), GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwShowWindow(window);
  }

  /// Returns the screen's scale: 1 at 96 dpi.
  float screen_scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window, &x, &y);
    return x > 0 ? x : 1;
  }

  /// Returns framebuffer pixels per window unit: 1 on X11 and Windows, the screen's scale on Wayland and macOS.
  float pixels_per_unit() const {
    int width = 0, height = 0, pixels_x = 0, pixels_y = 0;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &pixels_x, &pixels_y);
    return width > 0 && pixels_x > 0 ? static_cast<float>(pixels_x) / static_cast<float>(width) : 1;
  }

  static void queue(GLFWwindow* window, InputEvent event) {
    glfwGetCursorPos(window, &event.x, &event.y);
    static_cast<State*>(glfwGetWindowUserPointer(window))->input.push(event);
  }

  /// Passes this frame's input to the backend, and corrects what it queries from GLFW itself: the current buttons and
  /// mouse, not those at the event.
  void begin_backend_frame() {
    std::optional<InputEvent> pressed;
    for (const InputEvent& event : input.take_frame()) {
      if (event.is_key) {
        ImGui_ImplGlfw_KeyCallback(window, event.code, event.scan_code, event.action, event.modifiers);
        continue;
      }
      ImGui_ImplGlfw_MouseButtonCallback(window, event.code, event.action, event.modifiers);
      if (event.code >= 0 && event.code <= GLFW_MOUSE_BUTTON_LAST) {
        button_down[static_cast<std::size_t>(event.code)] = event.action == GLFW_PRESS;
      }
      pressed = event;
    }
    ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
    ImGuiIO& io = ImGui::GetIO();
    for (int button = 0; button < IM_ARRAYSIZE(io.MouseDown); ++button) {
      io.MouseDown[button] = button_down[static_cast<std::size_t>(button)];
    }
    if (pressed) io.MousePos = {static_cast<float>(pressed->x), static_cast<float>(pressed->y)};
#endif
  }

  double units_per_point() const {
    return static_cast<double>(screen_scale() / pixels_per_unit());
  }

  void start_imgui() {
    if (!ImGui::GetCurrentContext()) {
      ImGui::CreateContext();
      context = true;
    }
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    backend = ImGui_ImplGlfw_InitForOpenGL(window, true);
    if (!backend) throw InputError("display.no_input", {});
#if IMGUI_VERSION_NUM < 18700
    glfwSetKeyCallback(window, [](GLFWwindow* target, int key, int scan_code, int action, int modifiers) {
      queue(target, {true, key, scan_code, action, modifiers});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* target, int button, int action, int modifiers) {
      queue(target, {false, button, 0, action, modifiers});
    });
#else
    // The backend reports window coordinates; everything is drawn in pixels here.
    glfwSetCursorPosCallback(window, [](GLFWwindow* target, double x, double y) {
      const auto* state = static_cast<const State*>(glfwGetWindowUserPointer(target));
      const double pixels = static_cast<double>(state->pixels_per_unit());
      ImGui_ImplGlfw_CursorPosCallback(target, x * pixels, y * pixels);
    });
#endif
  }
};

Window::Window(int width, int height, const std::string& title) : state_(std::make_unique<State>()) {
  state_->start_glfw();
  state_->open_window(width, height, title);
  state_->start_imgui();
}

Window::~Window() = default;

bool Window::should_close() const {
  return glfwWindowShouldClose(state_->window) == GLFW_TRUE;
}

bool Window::wait_events(double seconds) {
  if (seconds <= 0 || !state_->input.empty()) {
    glfwPollEvents();
    return true;
  }
  if (!std::isfinite(seconds)) {
    glfwWaitEvents();
    return true;
  }
  const double start = glfwGetTime();
  glfwWaitEventsTimeout(seconds);
  return glfwGetTime() - start < seconds;
}

void Window::wake() {
  glfwPostEmptyEvent();
}

void Window::on_lost_display(std::function<void()> told) {
  ropescope::on_lost_display(std::move(told));
}

void Window::begin_frame() {
  state_->begin_backend_frame();
  // Pixels instead of window coordinates, so text is sharp if the two differ.
  ImGuiIO& io = ImGui::GetIO();
  int width = 0, height = 0;
  framebuffer_size(width, height);
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DisplayFramebufferScale = {1, 1};
#if IMGUI_VERSION_NUM < 18700
  if (io.MousePos.x > -FLT_MAX / 2) {
    const float pixels = state_->pixels_per_unit();
    io.MousePos = {io.MousePos.x * pixels, io.MousePos.y * pixels};
  }
#endif
}

void Window::framebuffer_size(int& width, int& height) const {
  glfwGetFramebufferSize(state_->window, &width, &height);
}

float Window::content_scale() const {
  return state_->screen_scale();
}

void Window::toggle_full_screen() {
  GLFWwindow* window = state_->window;
  WindowPlace& before = state_->before_full_screen;
  if (glfwGetWindowMonitor(window)) {
    glfwSetWindowMonitor(window, nullptr, before.x, before.y, before.width, before.height, GLFW_DONT_CARE);
    return;
  }
  glfwGetWindowPos(window, &before.x, &before.y);
  glfwGetWindowSize(window, &before.width, &before.height);
  GLFWmonitor* monitor = monitor_under({before.x + before.width / 2, before.y + before.height / 2});
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (mode) glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void Window::set_full_screen(bool on) {
  if (on != (glfwGetWindowMonitor(state_->window) != nullptr)) toggle_full_screen();
}

void Window::swap() {
  glfwSwapBuffers(state_->window);
}

void Window::set_clipboard(const std::string& text) {
  glfwSetClipboardString(state_->window, text.c_str());
}

std::vector<std::string> Window::take_dropped() {
  return std::exchange(state_->dropped, {});
}

struct SecondWindow::State {
  GLFWwindow *first = nullptr, *window = nullptr;
  std::vector<int> keys;
  ~State() {
    if (window) glfwDestroyWindow(window);
    if (first) glfwMakeContextCurrent(first);
  }
};

SecondWindow::SecondWindow(Window& first, int width, int height, const std::string& title)
    : state_(std::make_unique<State>()) {
  state_->first = first.state_->window;
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  state_->window = glfwCreateWindow(width, height, title.c_str(), nullptr, state_->first);
  if (!state_->window) throw InputError("display.no_window", {{"why", last_error()}});
  // The main window fills one screen; this window goes to another.
  int count = 0, x = 0, y = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  glfwGetWindowPos(state_->first, &x, &y);
  const GLFWmonitor* taken = monitor_under({x + 1, y + 1});
  constexpr int kFromEdge = 40, kTitleBar = 40;
  for (int i = 0; i < count; ++i) {
    if (count > 1 && monitors[i] == taken) continue;
    int wide = width, tall = height;
    glfwGetMonitorWorkarea(monitors[i], &x, &y, &wide, &tall);
    glfwSetWindowSize(state_->window, std::min(width, wide - kFromEdge),
                      std::min(height, tall - kFromEdge - kTitleBar));
    if (count > 1) glfwSetWindowPos(state_->window, x + kFromEdge, y + kFromEdge);
    break;
  }
  glfwSetWindowUserPointer(state_->window, state_.get());
  glfwSetKeyCallback(state_->window, [](GLFWwindow* target, int key, int, int action, int) {
    if (action == GLFW_PRESS) static_cast<State*>(glfwGetWindowUserPointer(target))->keys.push_back(key);
  });
  glfwShowWindow(state_->window);
  glfwMakeContextCurrent(state_->first);
}

SecondWindow::~SecondWindow() = default;

bool SecondWindow::should_close() const {
  return glfwWindowShouldClose(state_->window) == GLFW_TRUE;
}

void SecondWindow::size(int& width, int& height) const {
  glfwGetWindowSize(state_->window, &width, &height);
}

void SecondWindow::framebuffer_size(int& width, int& height) const {
  glfwGetFramebufferSize(state_->window, &width, &height);
}

void SecondWindow::begin_drawing() {
  glfwMakeContextCurrent(state_->window);
  glfwSwapInterval(0);
}

void SecondWindow::end_drawing() {
  glfwSwapBuffers(state_->window);
  glfwMakeContextCurrent(state_->first);
}

std::vector<int> SecondWindow::take_keys() {
  return std::exchange(state_->keys, {});
}

int SecondWindow::screens() {
  int count = 0;
  glfwGetMonitors(&count);
  return count;
}

}  // namespace ropescope
