#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include "tests/test.h"

/// The font atlas, before ImGui 1.92 and since: now every size of a font has glyphs of its own, loaded when they are
/// drawn.
namespace ropescope::ui {

/// Every glyph that is in the atlas now.
inline std::vector<ImFontGlyph> atlas_glyphs() {
  std::vector<ImFontGlyph> all;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
#if IMGUI_VERSION_NUM >= 19200
  auto& sizes = atlas.Builder->BakedPool;
  for (int i = 0; i < sizes.Size; ++i) {
    if (!sizes[i].WantDestroy) all.insert(all.end(), sizes[i].Glyphs.begin(), sizes[i].Glyphs.end());
  }
#else
  for (const ImFont* font : atlas.Fonts) all.insert(all.end(), font->Glyphs.begin(), font->Glyphs.end());
#endif
  return all;
}

/// A glyph with its font, and its height at the font's own size.
struct FontGlyph {
  ImFontGlyph glyph;
  ImFont* font = nullptr;
  double height = 0;
};
inline std::vector<FontGlyph> atlas_glyphs_of_fonts() {
  std::vector<FontGlyph> all;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const auto height_of = [](const ImFontGlyph& glyph) { return static_cast<double>(glyph.Y1 - glyph.Y0); };
#if IMGUI_VERSION_NUM >= 19200
  auto& sizes = atlas.Builder->BakedPool;
  for (int i = 0; i < sizes.Size; ++i) {
    if (sizes[i].WantDestroy) continue;
    const double share = static_cast<double>(sizes[i].OwnerFont->LegacySize / sizes[i].Size);
    for (const ImFontGlyph& glyph : sizes[i].Glyphs) {
      all.push_back({glyph, sizes[i].OwnerFont, share * height_of(glyph)});
    }
  }
#else
  for (ImFont* font : atlas.Fonts) {
    for (const ImFontGlyph& glyph : font->Glyphs) all.push_back({glyph, font, height_of(glyph)});
  }
#endif
  return all;
}

/// Ink of a glyph of a font at its own size, as the sum of its pixels of 0 to 255; 0 where it has none.
inline double ink_of(ImFont* font, unsigned character) {
  const auto codepoint = static_cast<ImWchar>(character);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
#if IMGUI_VERSION_NUM >= 19200
  const ImFontGlyph* glyph = font->GetFontBaked(font->LegacySize)->FindGlyphNoFallback(codepoint);
  const ImTextureData& texture = *atlas.TexData;
  const unsigned char* pixels = texture.Pixels;
  // In colours, alpha stands last.
  const int width = texture.Width, height = texture.Height, step = texture.BytesPerPixel;
#else
  const ImFontGlyph* glyph = font->FindGlyphNoFallback(codepoint);
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  const int step = 1;
  atlas.GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
  double ink = 0;
  for (int y = 0; glyph && y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) / width, v = (y + 0.5) / height;
      const bool inside = u > static_cast<double>(glyph->U0) && u < static_cast<double>(glyph->U1) &&
                          v > static_cast<double>(glyph->V0) && v < static_cast<double>(glyph->V1);
      if (inside) ink += pixels[(y * width + x) * step + step - 1];
    }
  }
  return ink;
}

}  // namespace ropescope::ui
