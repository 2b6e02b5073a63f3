// The differences between Dear ImGui 1.86 and later versions that the interface meets, and what of ImGui's insides it
// needs: keys, focus, items, and input as a test sends it. All of app/ui stands on it.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

namespace ropescope::ui {

// The differences between Dear ImGui 1.86 (native key codes, mouse fields, one atlas per size) and later ones, so that
// no other file has to know a version.

/// Has ImGui throw std::bad_alloc where memory is short, which it takes for granted otherwise. To be called before
/// there is a context.
void check_allocations();

/// Keys by their place on a US keyboard. The values are those of GLFW, which 1.86 hands through.
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

/// True in the frame in which the key went down, and again while it is held if `repeat`.
bool key_pressed(Key key, bool repeat = true);
bool key_down(Key key);
bool any_key_down();

/// Whether ImGui has not shown yet what was submitted: a tooltip, menu or dialog is measured for a frame before it is
/// seen, and the ground behind a dialog fades.
bool is_unsettled();

/// Nominal size of a font in pixels: the height of its line.
float font_size(const ImFont* font);
/// The distance from the top of a line of that height to its baseline.
float font_ascent(const ImFont* font, float size);
bool has_glyph(ImFont* font, unsigned character);

/// True while the ring around the focused item is to be seen: after keys, not after the mouse.
bool focus_is_visible();
/// Hides that ring until the next key that moves the focus.
void hide_focus();
/// Ids of the item with the keyboard focus, of the window at the root of the focused one, and of the one drawn into
/// now.
unsigned focused_item();
unsigned focused_root_window();
unsigned current_root_window();
/// Gives the keyboard focus to the item just submitted, with its ring, and scrolls to it.
void focus_last_item();
/// The next item gets the keyboard focus, a text field to type into it, a frame later.
void focus_next_item();
/// Whether the mouse holds an item; Enter and Space make an item active for a moment too, but do not count.
bool held_by_mouse(unsigned item);
/// Keeps ImGui from moving the focus; to be called where a focused item uses an arrow key or Tab itself.
void keep_focus_here();
/// Keeps Enter from pressing the focused item; to be called before it is drawn.
void press_nothing_here();
/// Keeps arrow keys from reaching the items that are submitted until end_mouse_only().
void begin_mouse_only();
void end_mouse_only();

/// A texture's name as ImGui wants it: void* before 1.91.4, an integer since.
inline ImTextureID texture_id(std::uintptr_t name) {
  return (ImTextureID)name;  // a cast in the old style reads as whichever of the two it is
}

/// ImGui::InvisibleButton that arrow keys reach.
bool invisible_button(const char* id, ImVec2 size);
/// ImGui::BeginChild without a frame, but with the padding that is pushed.
bool begin_padded_child(const char* id, ImVec2 size);
/// Id of the item just submitted.
unsigned last_item();
/// ImGui::InputText on a string that grows.
bool input_text(const char* label, std::string& text, ImGuiInputTextFlags flags = 0);

// Input as a platform would send it (tests, and windows whose coordinates are not pixels).
void send_mouse_position(float x, float y);
void send_mouse_button(int button, bool down);
void send_mouse_wheel(float notches);
/// Call send_modifiers too where control, shift or alt change.
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
