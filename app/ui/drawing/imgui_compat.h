// Compatibility between Dear ImGui 1.86 and later versions, and access to ImGui's internals: keys, focus, items, and
// input from tests. All of app/ui is built on it.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

namespace ropescope::ui {

// The differences between Dear ImGui 1.86 (native key codes, mouse fields, one atlas per size) and later versions, so
// that no other file depends on the version.

/// Makes ImGui throw std::bad_alloc if memory runs out, which ImGui does not check. Call it before a context exists.
void check_allocations();

/// Keys by their place on a US keyboard. The values are those of GLFW, which 1.86 passes through.
enum class Key {
  space = 32,
  comma = 44,
  minus = 45,
  period = 46,
  slash = 47,
  digit_0 = 48,
  digit_1,
  digit_2,
  digit_3,
  digit_4,
  digit_5,
  digit_6,
  digit_7,
  digit_8,
  digit_9,
  equal = 61,
  left_bracket = 91,
  right_bracket = 93,
  a = 65,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  escape = 256,
  enter = 257,
  tab = 258,
  backspace = 259,
  insert = 260,
  del = 261,
  right = 262,
  left = 263,
  down = 264,
  up = 265,
  page_up = 266,
  page_down = 267,
  home = 268,
  end = 269,
  f1 = 290,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  keypad_subtract = 333,
  keypad_add = 334,
  keypad_enter = 335,
  menu = 348,
};

/// Returns true in the frame in which the key was pressed, and again while it is held if `repeat`.
bool key_pressed(Key key, bool repeat = true);
bool key_down(Key key);
bool any_key_down();

/// Returns whether ImGui has not yet shown everything submitted: a tooltip, menu or dialog is measured for a frame
/// before it appears, and the background of a dialog fades.
bool is_unsettled();

/// Returns the nominal size of a font in pixels: its line height.
float font_size(const ImFont* font);
/// Returns the distance from the top of a line of that height to its baseline.
float font_ascent(const ImFont* font, float size);
bool has_glyph(ImFont* font, unsigned character);

/// Returns true while the ring around the focused item is visible: after keys, not after the mouse.
bool focus_is_visible();
/// Hides that ring until the next key that moves the focus.
void hide_focus();
/// Return the ids of the item with the keyboard focus, of the root window of the focused one, and of the current
/// window.
unsigned focused_item();
unsigned focused_root_window();
unsigned current_root_window();
/// Gives the keyboard focus to the item just submitted, with its ring, and scrolls to it.
void focus_last_item();
/// Gives the next item the keyboard focus, a text field for typing, one frame later.
void focus_next_item();
/// Returns whether the mouse holds an item; items activated by Enter or Space do not count.
bool held_by_mouse(unsigned item);
/// Keeps ImGui from moving the focus; call it if a focused item uses an arrow key or Tab itself.
void keep_focus_here();
/// Keeps Enter from pressing the focused item; call it before that item is drawn.
void block_clicks();
/// Keeps arrow keys from reaching items submitted before end_mouse_only().
void begin_mouse_only();
void end_mouse_only();

/// Converts a texture's name to ImGui's type: void* before 1.91.4, an integer since.
inline ImTextureID texture_id(std::uintptr_t name) {
  return (ImTextureID)name;  // an old-style cast is valid for either type
}

/// ImGui::InvisibleButton that can be reached with arrow keys.
bool invisible_button(const char* id, ImVec2 size);
/// ImGui::BeginChild without a frame, but with the pushed padding.
bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0);
/// Returns the id of the item just submitted.
unsigned last_item();
/// ImGui::InputText on a growing string.
bool input_text(const char* label, std::string& text, ImGuiInputTextFlags flags = 0);

// Input sent in place of a platform backend (tests, and windows whose coordinates are not pixels).
void send_mouse_position(float x, float y);
void send_mouse_button(int button, bool down);
void send_mouse_wheel(float notches);
/// Sends a key; call send_modifiers too if control, shift or alt change.
void send_key(Key key, bool down);
void send_modifiers(bool control, bool shift, bool alt);
void send_text(const char* utf8);

/// An ImGui context without a window: no files, keyboard navigation on, keys as in `Key`. One at a time.
class HeadlessImGui {
 public:
  HeadlessImGui(float width, float height);
  ~HeadlessImGui();
  HeadlessImGui(const HeadlessImGui&) = delete;
  HeadlessImGui& operator=(const HeadlessImGui&) = delete;
};

}  // namespace ropescope::ui
