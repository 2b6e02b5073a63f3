// The window of the desktop by GLFW, and its input in order. app/commands/window.cpp runs it; only this room knows
// GLFW.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/words.h"

namespace ropescope {

// --- Input ---------------------------------------------------------------------------------------------------------

/// A key or a mouse button that went down or up, as GLFW tells it.
struct InputEvent {
  bool is_key = true;  ///< else a button
  int code = 0, scan_code = 0, action = 0, modifiers = 0;
  double x = 0, y = 0;  ///< of the mouse, in window coordinates
  bool same_switch(const InputEvent& other) const { return is_key == other.is_key && code == other.code; }
  bool is_press() const { return action != 0; }
  /// GLFW's keys from the left Shift to the right Super.
  bool is_modifier() const { return is_key && code >= 340 && code <= 347; }
  /// Whether a frame that sees this event may see the later one too: no second change of a switch, and no press whose
  /// modifiers are not those that it was made with.
  bool goes_with(const InputEvent& later) const {
    if (same_switch(later)) return false;
    return !is_press() || (later.is_press() && (is_modifier() || !later.is_modifier()));
  }
};

/// What is shorter than a frame is not lost: a frame gets the events in their order, up to the first that does not go
/// with one of this frame; the rest waits for the next one. (Dear ImGui does the same from 1.87 on.)
class InputQueue {
 public:
  void push(const InputEvent& event) { waiting_.push_back(event); }
  bool empty() const { return waiting_.empty(); }
  std::vector<InputEvent> take_frame() {
    std::vector<InputEvent> taken;
    while (!waiting_.empty()) {
      const InputEvent& next = waiting_.front();
      if (!std::all_of(taken.begin(), taken.end(), [&next](const InputEvent& e) { return e.goes_with(next); })) break;
      taken.push_back(next);
      waiting_.pop_front();
    }
    return taken;
  }

 private:
  std::deque<InputEvent> waiting_;
};

// --- Window --------------------------------------------------------------------------------------------------------

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
