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
};

/// What is shorter than a frame is not lost: a frame gets the events in their order, up to the first whose key or
/// button has changed in this frame already; the rest waits for the next one. (Dear ImGui does the same from 1.87 on.)
class InputQueue {
 public:
  void push(const InputEvent& event) { waiting_.push_back(event); }
  bool empty() const { return waiting_.empty(); }
  std::vector<InputEvent> take_frame() {
    std::vector<InputEvent> taken;
    while (!waiting_.empty()) {
      const InputEvent& next = waiting_.front();
      if (std::any_of(taken.begin(), taken.end(), [&next](const InputEvent& e) { return e.same_switch(next); })) break;
      taken.push_back(next);
      waiting_.pop_front();
    }
    return taken;
  }

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace ropescope
