#include "app/ui/fonts.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace ropescope::ui {

namespace {

// Sizes of the em in pixels at 100 % (shared look).
constexpr double kBody = 15, kSmall = 13, kNumber = 26, kLabel = 12;

/// What words are made of besides the texts themselves: names of files and models, numbers, the other languages' names.
constexpr const char* kAlwaysNeeded =
    "−×÷±≤≥≠≈∞Σ∑√∏∂∆∫·…–—‘’“”•‹›«»←↑→↓↔⇒⇔∈∝°′″θλΔπμσφψω⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙₘ⟨⟩⌈⌉⌊⌋"
    "▾▸✕✓\u2009\u202F\u00A0日本語한국어";

/// A face's measures in units of its em.
struct FaceMeasures {
  double line = 1.2;   ///< ascender to descender: what ImGui calls the size of a font
  double digit = 0.6;  ///< advance of the widest digit
  double narrow_space = 0.2;
};

std::optional<FaceMeasures> measures_of(const std::string& file, int face_index) {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  if (FT_Init_FreeType(&library) != 0) return std::nullopt;
  std::optional<FaceMeasures> measures;
  if (FT_New_Face(library, file.c_str(), face_index, &face) == 0) {
    const auto em = [face](FT_Long units) {
      return static_cast<double>(units) / std::max<double>(1, face->units_per_EM);
    };
    const auto advance = [face, &em](FT_ULong character, double otherwise) {
      const FT_UInt glyph = FT_Get_Char_Index(face, character);
      const bool loaded = glyph != 0 && FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) == 0;
      return loaded ? em(face->glyph->metrics.horiAdvance) : otherwise;
    };
    measures.emplace();
    measures->line = em(face->ascender - face->descender);
    measures->digit = 0;
    for (FT_ULong digit = '0'; digit <= '9'; ++digit) measures->digit = std::max(measures->digit, advance(digit, 0.6));
    measures->narrow_space = advance(0x202F, 0.2);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return measures;
}

bool readable(const std::string& file) {
  std::error_code error;
  return !file.empty() && std::filesystem::is_regular_file(file, error);
}

/// Characters of the atlas as ImGui's list of ranges; digits are a list of their own (see add_font).
struct Characters {
  ImVector<ImWchar> all, digits, without_digits;

  explicit Characters(const Text& text) {
    ImFontGlyphRangesBuilder builder;
    constexpr ImWchar kRanges[] = {0x20, 0x7E, 0xA0, 0xFF, 0x0391, 0x03C9, 0};
    builder.AddRanges(kRanges);
    builder.AddText(kAlwaysNeeded);
    for (const auto& [key, words] : text.all()) builder.AddText(words.c_str(), words.c_str() + words.size());
    builder.BuildRanges(&all);
    for (ImWchar digit = '0'; digit <= '9'; ++digit) {
      const std::size_t word = static_cast<std::size_t>(digit) >> 5;
      builder.UsedChars[static_cast<int>(word)] &= ~(1u << (digit & 31));
    }
    builder.BuildRanges(&without_digits);
    for (const ImWchar edge : {ImWchar{'0'}, ImWchar{'9'}, ImWchar{0}}) digits.push_back(edge);
  }
};

/// One size and weight, from several files: the first one that has a character gives it.
class FontMaker {
 public:
  FontMaker(const FontFiles& files, const Characters& characters, float scale)
      : files_(files), characters_(characters), scale_(scale) {}

  /// Null where the file cannot be read.
  ImFont* make(const std::string& file, double em) {
    const std::optional<FaceMeasures> measures = readable(file) ? measures_of(file, 0) : std::nullopt;
    if (!measures) return nullptr;
    // Digits first, each as wide as the widest: ImGui cannot ask for a font's own tabular figures.
    ImFontConfig digits;
    const double width = em * static_cast<double>(scale_) * measures->digit;
    digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX = static_cast<float>(std::round(width));
    ImFont* font = add(file, {0, em, measures->line}, digits, characters_.digits);
    if (!font) return nullptr;
    merge(file, 0, em, characters_.without_digits);
    merge(files_.symbols, 0, em, characters_.all);
    merge(files_.japanese, files_.japanese_face, em, characters_.all);
    merge(files_.korean, files_.korean_face, em, characters_.all);
    return font;
  }

 private:
  struct Size {
    int face;
    double em, line;
  };
  ImFont* add(const std::string& file, const Size& size, ImFontConfig config, const ImVector<ImWchar>& characters) {
    config.FontNo = static_cast<decltype(config.FontNo)>(size.face);
    config.PixelSnapH = true;
    const float pixels = static_cast<float>(size.em * size.line) * scale_;
    return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), pixels, &config, characters.Data);
  }
  void merge(const std::string& file, int face, double em, const ImVector<ImWchar>& characters) {
    const std::optional<FaceMeasures> measures = readable(file) ? measures_of(file, face) : std::nullopt;
    if (!measures) return;
    ImFontConfig config;
    config.MergeMode = true;
    add(file, {face, em, measures->line}, config, characters);
  }

  const FontFiles& files_;
  const Characters& characters_;
  float scale_;
};

ImFont* make_fallback(double em, float scale) {
  ImFontConfig config;
  config.SizePixels = std::round(static_cast<float>(em) * scale);
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

#if IMGUI_VERSION_NUM < 19200
/// ImGui rounds every advance up, which sets text too loose, and a font may lack a narrow space: puts the font's own
/// advances in, in whole pixels, as glyphs between pixels would be blurred.
void refine_advances(ImFont* font, const std::string& file, double pixels) {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  if (FT_Init_FreeType(&library) != 0) return;
  if (FT_New_Face(library, file.c_str(), 0, &face) == 0) {
    for (ImFontGlyph& glyph : font->Glyphs) {
      const bool digit = glyph.Codepoint >= '0' && glyph.Codepoint <= '9';
      const FT_UInt index = FT_Get_Char_Index(face, glyph.Codepoint);
      if (digit || index == 0 || FT_Load_Glyph(face, index, FT_LOAD_NO_SCALE) != 0) continue;
      const double units = static_cast<double>(face->glyph->metrics.horiAdvance);
      glyph.AdvanceX = static_cast<float>(std::round(units / std::max<double>(1, face->units_per_EM) * pixels));
    }
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  constexpr ImWchar kNarrow[] = {0x202F, 0x2009};
  for (const ImWchar space : kNarrow) {
    if (!font->FindGlyphNoFallback(space)) {
      font->AddGlyph(nullptr, space, 0, 0, 0, 0, 0, 0, 0, 0, static_cast<float>(std::round(0.2 * pixels)));
    }
  }
  font->BuildLookupTable();
}
#endif

}  // namespace

Fonts build_fonts(const FontFiles& files, const Text& text, float scale, std::string& warning) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  atlas->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
#if IMGUI_VERSION_NUM < 19200
  atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#else
  atlas->SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas->FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
#endif
  const Characters characters(text);
  FontMaker maker(files, characters, scale);
  const std::string& semibold = readable(files.semibold) ? files.semibold : files.regular;
  struct Slot {
    ImFont* Fonts::*font;
    const std::string* file;
    double em;
  };
  const Slot slots[] = {{&Fonts::body, &files.regular, kBody},
                        {&Fonts::small, &files.regular, kSmall},
                        {&Fonts::semibold, &semibold, kBody},
                        {&Fonts::number, &semibold, kNumber},
                        {&Fonts::label, &semibold, kLabel}};
  Fonts fonts;
  bool missing = false;
  for (const Slot& slot : slots) {
    fonts.*slot.font = maker.make(*slot.file, slot.em);
    if (fonts.*slot.font) continue;
    fonts.*slot.font = make_fallback(slot.em, scale);
    missing = true;
  }
  if (missing)
    warning =
        "No font was found through fontconfig: text is drawn in a built-in font without Greek letters. Install the "
        "font Inter.";
  ImGui::GetIO().FontDefault = fonts.body;
#if IMGUI_VERSION_NUM < 19200
  atlas->Build();
  for (const Slot& slot : slots) {
    if (readable(*slot.file)) refine_advances(fonts.*slot.font, *slot.file, slot.em * static_cast<double>(scale));
  }
#endif
  return fonts;
}

}  // namespace ropescope::ui
