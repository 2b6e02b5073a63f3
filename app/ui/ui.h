// The context of every widget: fonts, palette, the record of widget rectangles, which tests use to click, and the state
// that widgets keep between frames.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/resources/text.h"

struct ImFont;

namespace ropescope {
class Gpu;
}

namespace ropescope::ui {

/// The rectangle of each widget in this frame, by key: GUI tests click("decay.base"), and the figures' plots are in it
/// too.
struct WidgetRecord {
  std::vector<std::pair<std::string, Rect>> rects;
  void add(std::string key, const Rect& rect) { rects.emplace_back(std::move(key), rect); }
  /// Returns the last one, because a popup that is drawn later is on top; null if there is none.
  const Rect* find(std::string_view key) const {
    const auto has_key = [key](const auto& entry) { return entry.first == key; };
    const auto found = std::find_if(rects.rbegin(), rects.rend(), has_key);
    return found == rects.rend() ? nullptr : &found->second;
  }
  void clear() { rects.clear(); }
};

/// Fonts of the current text scale, all from one atlas (see font_files.h).
struct Fonts {
  ImFont* body = nullptr;      ///< 15 px regular, tabular digits, with CJK, Greek, mathematical signs
  ImFont* small = nullptr;     ///< 13 px
  ImFont* semibold = nullptr;  ///< 15 px
  ImFont* number = nullptr;    ///< 26 px semibold: readouts
  ImFont* label = nullptr;     ///< 12 px semibold: group labels
  ImFont* mono = nullptr;      ///< 13 px, equal letter widths: code

  /// Returns the em height of a font at 100 %, in pixels.
  double em_of(const ImFont* font) const;
};

/// The state of widgets between frames; one of each is enough because there is one mouse and one keyboard.
struct WidgetState {
  std::string edited_key, edited_text;  ///< the value being typed
  int edit_frames = 0;                  ///< frames since typing began
  bool edit_was_active = false;
  unsigned edited_stop = 0;     ///< Tab stop of that field, from which Tab continues
  std::string edited_keyboard;  ///< of a phone, for that field: "decimal", or empty for letters
  std::string refused_key;      ///< where the last typed text was rejected …
  double refused_at = -100;     ///< … and when: it shakes and is coloured for a moment
  std::string hovered_key;      ///< for tooltips that appear when the mouse rests
  double hovered_since = 0;
  std::string view;              ///< the view drawn in the last frame
  bool tooltips_hidden = false;  ///< until the mouse moves: the view under it has changed
  std::string dragged_key;       ///< slider under the mouse button; empty after a double click, which must not drag
  float drag_offset = 0;         ///< from the handle's middle to the mouse when the drag began
  struct TabStop {
    unsigned id = 0, window = 0;  ///< window: the root window of the item
  };
  std::vector<TabStop> stops, previous_stops;  ///< in the order of drawing, this frame and the last
  int stops_frame = -1;
  unsigned requested_focus = 0;
  std::string focus_key;               ///< key of a control that gets the focus as soon as it is drawn
  std::string whole_card;              ///< the card whose whole text is open
  std::string list_search;             ///< typed above the items of the open list
  std::string file_key, file_endings;  ///< a field to choose a file for, until the request is handled
  std::string menu_key;                ///< a field whose menu is open, or to be opened (menu_requested)
  bool menu_requested = false;
};

/// Seconds from one end of the slider to the other.
inline constexpr double kFastestSweep = 1, kSlowestSweep = 120;

/// The field that plays back and forth automatically; one at most. Widgets start and end it, play_sweep() moves it.
struct FieldSweep {
  std::string key;       ///< key of the number; empty: none
  bool held = false;     ///< paused
  bool started = false;  ///< in this frame: starts from the field's current value
  bool focused = false;  ///< the field has the focus, so Space plays instead of typing
  double phase = 0;      ///< share of one full cycle, 0 … 1
  double value = 0;      ///< last value set; a different one was set by something else
  std::string last;      ///< the last swept field, for "Save as GIF…"
  std::string speed_of;  ///< the field whose ▷ opened the speed menu in this frame

  bool plays(std::string_view of) const { return key == of && !held; }
  void end() { key.clear(); }
  /// Handles a press of ▷ or ⏸.
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

/// The context of every widget. scale: 1 at 100 % text on a 96-dpi screen; all sizes are multiplied by it.
struct Ui {
  const Text* text = nullptr;
  Palette palette;
  Fonts fonts;
  float scale = 1;
  double least_text = 11;  ///< em of the smallest text at 100 %: kLeastText, larger in presentation mode
  WidgetRecord* record = nullptr;
  WidgetState state = {};
  FieldSweep sweep = {};
  Gpu* gpu = nullptr;  ///< colours maps; without one they stay empty
  bool touch = false;  ///< the last input was touch: small buttons accept presses around them, and no keys are shown
  float px(double measure) const { return static_cast<float>(measure) * scale; }
};

}  // namespace ropescope::ui
