#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"

namespace ropescope {

/// There is no display to open a window on.
struct NoDisplay : InputError {
  using InputError::InputError;
};

/// The GLFW window with ImGui's GLFW backend. Throws NoDisplay, and InputError: no GL 3.3.
class Window {
 public:
  Window(int width, int height, const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  /// Processes events; waits up to `seconds` for one (0: returns at once, infinity: for as long as it takes). True: one
  /// came, or there are some that wait for the next frame.
  bool wait_events(double seconds);
  /// Ends a wait, from any thread.
  static void wake();
  /// Called where the display goes away (X server gone, connection cut), before the program ends; nothing may be drawn.
  void on_lost_display(std::function<void()> told);
  void begin_frame();
  void framebuffer_size(int& width, int& height) const;
  float content_scale() const;  ///< 1 on a 96-dpi screen, 2 on HiDPI
  /// Fills the monitor that holds most of the window, or gives it back its place.
  void toggle_full_screen();
  void set_full_screen(bool on);
  void swap();
  void set_clipboard(const std::string& text);
  /// Paths of files dropped since the last call.
  std::vector<std::string> take_dropped();

 private:
  friend class SecondWindow;
  struct State;
  std::unique_ptr<State> state_;
};

/// A second window beside the first one, on another screen where there is one: its GL context shares textures and
/// buffers with that of the first, whose backend draws into it. It has no keys of its own but those it tells.
class SecondWindow {
 public:
  SecondWindow(Window& first, int width, int height, const std::string& title);
  ~SecondWindow();
  SecondWindow(const SecondWindow&) = delete;
  SecondWindow& operator=(const SecondWindow&) = delete;

  bool should_close() const;
  void size(int& width, int& height) const;
  void framebuffer_size(int& width, int& height) const;
  /// What is drawn between goes into this window.
  void begin_drawing();
  void end_drawing();
  /// GLFW's codes of the keys that were pressed in it since the last call.
  std::vector<int> take_keys();
  /// How many screens there are.
  static int screens();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
