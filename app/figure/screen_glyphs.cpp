#include "app/figure/screen_glyphs.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/figure/screen_line.h"

namespace ropescope {

void want_glyphs(const ImFont* font, std::string_view text) {
#if IMGUI_VERSION_NUM < 19200
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  auto* writing = static_cast<ui::ScreenWriting*>(ImGui::GetIO().UserData);
  if (!writing || std::all_of(text.begin(), text.end(), is_ascii)) return;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned character = 0;
    at += std::max(1, ImTextCharFromUtf8(&character, at, end));
    const bool shown = character >= 0x80 && character <= IM_UNICODE_CODEPOINT_MAX;
    if (shown && !const_cast<ImFont*>(font)->FindGlyphNoFallback(static_cast<ImWchar>(character)))
      writing->wanted.characters.insert(character);
  }
#else
  (void)font, (void)text;  // later versions load what they draw
#endif
}

std::string utf8_of(const std::set<unsigned>& characters) {
  std::string text;
  for (const unsigned character : characters) {
    char bytes[5] = {};
    text += ImTextCharToUtf8(bytes, character);
  }
  return text;
}

}  // namespace ropescope
