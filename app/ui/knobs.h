// The panel of controls, its menus and sweeps.
#pragma once

#include <string>
#include <string_view>

namespace ropescope::ui {

/// The knob that goes to and fro by itself; one at most. Widgets start and end it, play_sweep() moves it.
struct KnobSweep {
  std::string key;       ///< of the number; empty: none
  bool held = false;     ///< paused
  bool started = false;  ///< in this frame: it begins where the knob stands
  bool focused = false;  ///< the knob has the focus, so that Space is not for typing
  double phase = 0;      ///< share of the way there and back, 0 … 1
  double value = 0;      ///< as it was put last; another one was put by somebody else
  std::string last;      ///< the knob that was swept last, for "Save as GIF…"
  std::string speed_of;  ///< the knob whose ▷ was asked for the speed in this frame

  bool plays(std::string_view of) const { return key == of && !held; }
  void end() { key.clear(); }
  /// What a press of ▷ or ⏸ does.
  void press(std::string_view of) {
    if (key == of) {
      held = !held;
      return;
    }
    key = last = of;
    held = false;
    started = true;
  }
};

/// Seconds from one end of the slider to the other.
inline constexpr double kFastestSweep = 1, kSlowestSweep = 120;

}  // namespace ropescope::ui
