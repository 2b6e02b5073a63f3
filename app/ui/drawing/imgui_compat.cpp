// Implementation of imgui_compat.h for each version of Dear ImGui, with access to its internals.

#include "app/ui/drawing/imgui_compat.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <new>
#include <utility>

#include "app/ui/drawing/screen.h"

namespace ropescope::ui {

namespace {

#if IMGUI_VERSION_NUM >= 18700
ImGuiKey imgui_key(Key key) {
  const int code = static_cast<int>(key);
  const auto offset = [code](ImGuiKey first, Key base) {
    return static_cast<ImGuiKey>(static_cast<int>(first) + code - static_cast<int>(base));
  };
  if (key >= Key::a && key <= Key::z) return offset(ImGuiKey_A, Key::a);
  if (key >= Key::digit_0 && key <= Key::digit_9) return offset(ImGuiKey_0, Key::digit_0);
  if (key >= Key::f1 && key <= Key::f12) return offset(ImGuiKey_F1, Key::f1);
  constexpr std::array<std::pair<Key, ImGuiKey>, 26> kOthers{{
      {Key::space, ImGuiKey_Space},
      {Key::comma, ImGuiKey_Comma},
      {Key::minus, ImGuiKey_Minus},
      {Key::period, ImGuiKey_Period},
      {Key::slash, ImGuiKey_Slash},
      {Key::equal, ImGuiKey_Equal},
      {Key::left_bracket, ImGuiKey_LeftBracket},
      {Key::right_bracket, ImGuiKey_RightBracket},
      {Key::escape, ImGuiKey_Escape},
      {Key::enter, ImGuiKey_Enter},
      {Key::tab, ImGuiKey_Tab},
      {Key::backspace, ImGuiKey_Backspace},
      {Key::insert, ImGuiKey_Insert},
      {Key::del, ImGuiKey_Delete},
      {Key::right, ImGuiKey_RightArrow},
      {Key::left, ImGuiKey_LeftArrow},
      {Key::down, ImGuiKey_DownArrow},
      {Key::up, ImGuiKey_UpArrow},
      {Key::page_up, ImGuiKey_PageUp},
      {Key::page_down, ImGuiKey_PageDown},
      {Key::home, ImGuiKey_Home},
      {Key::end, ImGuiKey_End},
      {Key::keypad_subtract, ImGuiKey_KeypadSubtract},
      {Key::keypad_add, ImGuiKey_KeypadAdd},
      {Key::keypad_enter, ImGuiKey_KeypadEnter},
      {Key::menu, ImGuiKey_Menu},
  }};
  for (const auto& [mine, theirs] : kOthers) {
    if (mine == key) return theirs;
  }
  return ImGuiKey_None;
}
#else
void map_native_keys(ImGuiIO& io) {
  constexpr std::array<std::pair<ImGuiKey, Key>, 22> kMap{{
      {ImGuiKey_Tab, Key::tab},
      {ImGuiKey_LeftArrow, Key::left},
      {ImGuiKey_RightArrow, Key::right},
      {ImGuiKey_UpArrow, Key::up},
      {ImGuiKey_DownArrow, Key::down},
      {ImGuiKey_PageUp, Key::page_up},
      {ImGuiKey_PageDown, Key::page_down},
      {ImGuiKey_Home, Key::home},
      {ImGuiKey_End, Key::end},
      {ImGuiKey_Insert, Key::insert},
      {ImGuiKey_Delete, Key::del},
      {ImGuiKey_Backspace, Key::backspace},
      {ImGuiKey_Space, Key::space},
      {ImGuiKey_Enter, Key::enter},
      {ImGuiKey_Escape, Key::escape},
      {ImGuiKey_KeyPadEnter, Key::keypad_enter},
      {ImGuiKey_A, Key::a},
      {ImGuiKey_C, Key::c},
      {ImGuiKey_V, Key::v},
      {ImGuiKey_X, Key::x},
      {ImGuiKey_Y, Key::y},
      {ImGuiKey_Z, Key::z},
  }};
  for (const auto& [theirs, mine] : kMap) io.KeyMap[theirs] = static_cast<int>(mine);
}
#endif

}  // namespace

void check_allocations() {
  const auto take = [](std::size_t bytes, void*) {
    void* memory = std::malloc(bytes);
    if (!memory && bytes > 0) throw std::bad_alloc();
    return memory;
  };
  ImGui::SetAllocatorFunctions(take, [](void* memory, void*) { std::free(memory); });
}

#if IMGUI_VERSION_NUM >= 18700
bool key_pressed(Key key, bool repeat) {
  return ImGui::IsKeyPressed(imgui_key(key), repeat);
}
bool key_down(Key key) {
  return ImGui::IsKeyDown(imgui_key(key));
}
bool any_key_down() {
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (ImGui::IsKeyDown(static_cast<ImGuiKey>(key))) return true;
  }
  return false;
}
void send_mouse_position(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
}
void send_mouse_button(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
}
void send_mouse_wheel(float notches) {
  ImGui::GetIO().AddMouseWheelEvent(0, notches);
}
void send_key(Key key, bool down) {
  ImGui::GetIO().AddKeyEvent(imgui_key(key), down);
}
void send_modifiers(bool control, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, control);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
}
#else
bool key_pressed(Key key, bool repeat) {
  return ImGui::IsKeyPressed(static_cast<int>(key), repeat);
}
bool key_down(Key key) {
  return ImGui::IsKeyDown(static_cast<int>(key));
}
bool any_key_down() {
  const auto& keys = ImGui::GetIO().KeysDown;
  return std::find(std::begin(keys), std::end(keys), true) != std::end(keys);
}
void send_mouse_position(float x, float y) {
  ImGui::GetIO().MousePos = {x, y};
}
void send_mouse_button(int button, bool down) {
  ImGui::GetIO().MouseDown[button] = down;
}
void send_mouse_wheel(float notches) {
  ImGui::GetIO().MouseWheel += notches;
}
void send_key(Key key, bool down) {
  ImGui::GetIO().KeysDown[static_cast<int>(key)] = down;
}
void send_modifiers(bool control, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = control;
  io.KeyShift = shift;
  io.KeyAlt = alt;
}
#endif

void send_text(const char* utf8) {
  ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

#if IMGUI_VERSION_NUM >= 19200
float font_size(const ImFont* font) {
  return font->LegacySize;
}
float font_ascent(const ImFont* font, float size) {
  return const_cast<ImFont*>(font)->GetFontBaked(size)->Ascent;
}
bool has_glyph(ImFont* font, unsigned character) {
  return font->IsGlyphInFont(static_cast<ImWchar>(character));
}
#else
float font_size(const ImFont* font) {
  return font->FontSize;
}
float font_ascent(const ImFont* font, float size) {
  return font->Ascent * size / font->FontSize;
}
bool has_glyph(ImFont* font, unsigned character) {
  return font->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
}
#endif

bool focus_is_visible() {
  return ImGui::GetIO().NavVisible;
}

void hide_focus() {
#if IMGUI_VERSION_NUM >= 19140
  ImGui::GetCurrentContext()->NavCursorVisible = false;
#else
  ImGui::GetCurrentContext()->NavDisableHighlight = true;
#endif
}

unsigned focused_item() {
  return ImGui::GetCurrentContext()->NavId;
}
unsigned focused_root_window() {
  const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  return window ? window->RootWindow->ID : 0;
}
unsigned current_root_window() {
  return ImGui::GetCurrentContext()->CurrentWindow->RootWindow->ID;
}
unsigned last_item() {
  return ImGui::GetCurrentContext()->LastItemData.ID;
}

void focus_last_item() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.ActiveId != g.LastItemData.ID) ImGui::ClearActiveID();
  ImGui::FocusWindow(g.CurrentWindow);
  ImGui::SetFocusID(g.LastItemData.ID, g.CurrentWindow);
#if IMGUI_VERSION_NUM >= 19140
  ImGui::SetNavCursorVisible(true);
  g.NavHighlightItemUnderNav = true;
#else
  g.NavDisableHighlight = false;
  g.NavDisableMouseHover = true;
#endif
  ImGui::ScrollToItem();
}

void focus_next_item() {
  ImGui::SetKeyboardFocusHere();
#if IMGUI_VERSION_NUM >= 19010 && IMGUI_VERSION_NUM < 19020
  // 1.90.1 skips items of a focus scope other than the last one's: a child window that was never focused would get
  // none. The request itself is rejected during a drag.
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavMoveSubmitted) g.NavFocusScopeId = g.CurrentFocusScopeId;
#endif
}

bool held_by_mouse(unsigned item) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return item != 0 && g.ActiveId == item && g.ActiveIdSource == ImGuiInputSource_Mouse;
}

void keep_focus_here() {
  ImGui::NavMoveRequestCancel();
  // If nothing has the focus, the key requested the first item of the window instead.
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavInitRequestFromMove) g.NavInitRequest = g.NavInitRequestFromMove = false;
}

void block_clicks() {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  context.NavActivateId = context.NavActivateDownId = context.NavActivatePressedId = 0;
}

bool invisible_button(const char* id, ImVec2 size) {
#if IMGUI_VERSION_NUM >= 19140
  return ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
#else
  return ImGui::InvisibleButton(id, size);
#endif
}

bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_AlwaysUseWindowPadding, flags);
#else
  return ImGui::BeginChild(id, size, false, ImGuiWindowFlags_AlwaysUseWindowPadding | flags);
#endif
}

bool input_text(const char* label, std::string& text, ImGuiInputTextFlags flags) {
  const auto grow = [](ImGuiInputTextCallbackData* data) {
    if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
      auto* string = static_cast<std::string*>(data->UserData);
      string->resize(static_cast<std::size_t>(data->BufTextLen));
      data->Buf = string->data();
    }
    return 0;
  };
  want_glyphs(ImGui::GetFont(), text);
  return ImGui::InputText(label, text.data(), text.capacity() + 1, flags | ImGuiInputTextFlags_CallbackResize, grow,
                          &text);
}

bool is_unsettled() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool dimmed = ImGui::GetTopMostPopupModal() != nullptr;
  if (dimmed ? g.DimBgRatio < 1 : g.DimBgRatio > 0) return true;
  return std::any_of(g.Windows.begin(), g.Windows.end(), [](const ImGuiWindow* window) {
    // Children are also hidden in this way while they are scrolled out of sight.
    const bool comes = (window->Flags & (ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Popup)) != 0;
    const bool measured = window->HiddenFramesCanSkipItems > 0 || window->HiddenFramesCannotSkipItems > 0;
    return window->Active && comes && measured;
  });
}

void begin_mouse_only() {
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
}
void end_mouse_only() {
  ImGui::PopItemFlag();
}

HeadlessImGui::HeadlessImGui(float width, float height) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.DisplaySize = {width, height};
  io.DeltaTime = 1.0f / 60;
#if IMGUI_VERSION_NUM < 18700
  map_native_keys(io);
#endif
}

HeadlessImGui::~HeadlessImGui() {
  ImGui::DestroyContext();
}

}  // namespace ropescope::ui
