// The desktop window by GLFW, and its input in order. app/commands/window.cpp runs it; only this module uses GLFW.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/message.h"

namespace ropescope {

// --- Input ---------------------------------------------------------------------------------------------------------

/// A key or a mouse button that was pressed or released, as reported by GLFW.
struct InputEvent {
  bool is_key = true;  ///< otherwise a button
  int code = 0, scan_code = 0, action = 0, modifiers = 0;
  double x = 0, y = 0;  ///< mouse position in window coordinates
  bool same_switch(const InputEvent& other) const { return is_key == other.is_key && code == other.code; }
  bool is_press() const { return action != 0; }
  /// Returns whether it is one of GLFW's keys from the left Shift to the right Super.
  bool is_modifier() const { return is_key && code >= 340 && code <= 347; }
  /// Returns whether a frame with this event may also contain the later one: no second change of a key or button, and
  /// no press whose modifiers differ from those of this event.
  bool goes_with(const InputEvent& later) const {
    if (same_switch(later)) return false;
    return !is_press() || (later.is_press() && (is_modifier() || !later.is_modifier()));
  }
};

/// A queue that preserves events shorter than a frame. A frame gets the events in order, up to the first that conflicts
/// with an earlier one; the rest waits for the next frame. (Dear ImGui does this from 1.87 on.)
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

/// The error if there is no display for a window.
struct NoDisplay : InputError {
  using InputError::InputError;
};

/// The GLFW window with ImGui's GLFW backend. Throws NoDisplay, and InputError if there is no GL 3.3.
class Window {
 public:
  Window(int width, int height, const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  /// Processes events; waits up to `seconds` for one (0: returns at once, infinity: no limit). Returns whether there
  /// was one, or one is queued for the next frame.
  bool wait_events(double seconds);
  /// Ends a wait, from any thread.
  static void wake();
  /// Sets the function to call if the display is lost (X server gone), before the program ends. It must not draw.
  void on_lost_display(std::function<void()> told);
  void begin_frame();
  void framebuffer_size(int& width, int& height) const;
  float content_scale() const;  ///< 1 on a 96-dpi screen, 2 on HiDPI
  /// Fills the monitor that contains most of the window, or restores the window's position.
  void toggle_full_screen();
  void set_full_screen(bool on);
  void swap();
  void set_clipboard(const std::string& text);
  /// Returns the paths of files dropped since the last call.
  std::vector<std::string> take_dropped();

 private:
  friend class SecondWindow;
  struct State;
  std::unique_ptr<State> state_;
};

/// A second window, on another screen if there is one. Its GL context shares textures and buffers with the main
/// window's, whose backend draws into it. It handles no keys itself but reports them.
class SecondWindow {
 public:
  SecondWindow(Window& first, int width, int height, const std::string& title);
  ~SecondWindow();
  SecondWindow(const SecondWindow&) = delete;
  SecondWindow& operator=(const SecondWindow&) = delete;

  bool should_close() const;
  void size(int& width, int& height) const;
  void framebuffer_size(int& width, int& height) const;
  /// Directs the following drawing into this window.
  void begin_drawing();
  void end_drawing();
  /// Returns GLFW's codes of the keys pressed in it since the last call.
  std::vector<int> take_keys();
  /// Returns the number of screens.
  static int screens();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
