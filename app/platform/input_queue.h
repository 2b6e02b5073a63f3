#pragma once

#include <algorithm>
#include <deque>
#include <vector>

namespace ropescope {

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

}  // namespace ropescope
