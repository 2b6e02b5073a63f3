#include "app/ui/fonts.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/resources/formulas.h"
#include "app/resources/mapped_file.h"
#include "app/ui/font_advances.h"
#include "app/ui/fonts_find.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

namespace {

// Sizes of the em in pixels at 100 %.
constexpr double kFontsBody = 15, kFontsSmall = 13, kNumber = 26, kLabel = 12;

/// What words are made of besides the texts themselves: names of files and models, numbers, the other languages' names.
constexpr const char* kAlwaysNeeded =
    "−×÷±≤≥≠≈∞Σ∑√∏∂∆∫·…–—‘’“”•‹›«»←↑→↓↔⇒⇔∈∝°′″θλΔπμσφψω⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙₘ⟨⟩⌈⌉⌊⌋"
    "▾▴▸≡✕✓\u2009\u202F\u00A0日本語한국어";

#if IMGUI_VERSION_NUM >= 19200
constexpr ImWchar kNoDigits[] = {0x01, '0' - 1, '9' + 1, 0xFFFF, 0};
#endif

/// A face's measures in units of its em.
struct FaceMeasures {
  double line = 1.2;   ///< ascender to descender: what ImGui calls the size of a font
  double digit = 0.6;  ///< advance of a digit on average
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
    // The widest would set numbers too loose, and 1 is narrower than all others.
    double sum = 0;
    for (FT_ULong digit = '2'; digit <= '9'; ++digit) sum += advance(digit, 0.6);
    measures->digit = sum / 8;
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
  std::ptrdiff_t wide = 0;  ///< kana, Hangul and the like in the texts

  Characters(const Text& text, const std::string& also) {
    ImFontGlyphRangesBuilder builder;
    constexpr ImWchar kRanges[] = {0x20, 0x7E, 0xA0, 0xFF, 0x0391, 0x03C9, 0};
    builder.AddRanges(kRanges);
    builder.AddText(kAlwaysNeeded);
    builder.AddText(also.c_str(), also.c_str() + also.size());
    for (const auto& [key, words] : text.all()) {
      builder.AddText(words.c_str(), words.c_str() + words.size());
      // UTF-8 of U+3000 to U+DFFF begins so.
      wide += std::count_if(words.begin(), words.end(), [](char c) { return c >= '\xe3' && c <= '\xed'; });
    }
    if (text.formulas()) {
      // Drawn in plain characters where there is no card to draw them.
      for (const Formula& each : text.formulas()->all()) builder.AddText(each.plain.c_str());
    }
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
  /// `semibold`: of the language; its family gives the characters that several have.
  FontMaker(const FontFiles& files, const Characters& characters, FontFiles::Family semibold, float scale)
      : files_(files), characters_(characters), others_(files.others), semibold_(std::move(semibold)), scale_(scale) {
    std::stable_partition(others_.begin(), others_.end(),
                          [this](const FontFiles::Family& family) { return family.name == semibold_.name; });
  }

  /// Null where the file cannot be read.
  ImFont* make(const std::string& file, double em) {
    const std::optional<FaceMeasures> measures = readable(file) ? measures_of(file, 0) : std::nullopt;
    if (!measures) return nullptr;
    // Digits first, all equally wide: ImGui cannot ask for a font's own tabular figures.
    ImFontConfig digits;
    const double width = em * static_cast<double>(scale_) * measures->digit;
    digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX = static_cast<float>(std::round(width));
#if IMGUI_VERSION_NUM >= 19200
    digits.GlyphExcludeRanges = kNoDigits;  // ranges to include are not looked at any more
#endif
    ImFont* font = add(file, {0, em, measures->line}, digits, characters_.digits);
    if (!font) return nullptr;
    merge(file, 0, em, characters_.without_digits);
    merge(files_.symbols, 0, em, characters_.all);
    if (file == files_.semibold) merge(semibold_.file, semibold_.face, em, characters_.all);
    for (const FontFiles::Family& family : others_) merge(family.file, family.face, em, characters_.all);
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
    float pixels = static_cast<float>(size.em * size.line) * scale_;
#if IMGUI_VERSION_NUM >= 19100
    // In whole pixels, rounded down, as versions before 1.92 load them: letters of another size would be stretched.
    pixels = std::floor(pixels);
#endif
#if IMGUI_VERSION_NUM < 19200
    // Once a file, however many sizes and faces come from it, and only as far as they are looked at: those of Chinese
    // characters have 20 MB.
    std::shared_ptr<const MappedFile>& mapped = files_in_memory_[file];
    if (!mapped) mapped = map_file(file);
    config.FontDataOwnedByAtlas = false;
    // ImGui asks for bytes that may be changed, and changes none.
    void* content = const_cast<std::byte*>(mapped->bytes().data());
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(content, static_cast<int>(mapped->bytes().size()), pixels,
                                                      &config, characters.Data);
#else
    return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), pixels, &config, characters.Data);
#endif
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
  std::vector<FontFiles::Family> others_;
  FontFiles::Family semibold_;  ///< no file: none is needed
  float scale_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_in_memory_;  ///< until the atlas is built
};

ImFont* make_fallback(double em, float scale) {
  ImFontConfig config;
  config.SizePixels = std::round(static_cast<float>(em) * scale);
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

}  // namespace

double Fonts::em_of(const ImFont* font) const {
  if (font == number) return kNumber;
  if (font == label) return kLabel;
  return font == small ? kFontsSmall : kFontsBody;
}

Fonts build_fonts(const FontFiles& files, const Text& text, const std::string& also, float scale,
                  std::string& warning) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  forget_own_advances();
  atlas->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
#if IMGUI_VERSION_NUM < 19200
  atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#else
  use_own_font_loader(*atlas);
  atlas->FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
#endif
  const Characters characters(text, also);
  const std::string first = text.has("language.font") ? text["language.font"] : std::string();
  // More than the names of other languages.
  FontMaker maker(files, characters,
                  characters.wide > 1000 ? find_semibold(first, text.language()) : FontFiles::Family{first, {}}, scale);
  const std::string& semibold = readable(files.semibold) ? files.semibold : files.regular;
  struct Slot {
    ImFont* Fonts::*font;
    const std::string* file;
    double em;
  };
  const Slot slots[] = {{&Fonts::body, &files.regular, kFontsBody},
                        {&Fonts::small, &files.regular, kFontsSmall},
                        {&Fonts::semibold, &semibold, kFontsBody},
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
  if (missing) warning = text["shell.message.no_font"];
  ImGui::GetIO().FontDefault = fonts.body;
#if IMGUI_VERSION_NUM < 19200
  atlas->Build();
#else
  ImGui::GetStyle().FontSizeBase = font_size(fonts.body);
#endif
  for (const Slot& slot : slots) {
    if (readable(*slot.file)) use_own_advances(fonts.*slot.font, *slot.file, slot.em * static_cast<double>(scale));
  }
#if IMGUI_VERSION_NUM < 19200
  atlas->ClearInputData();  // the files go with the maker; 1.91.9 looks at it once more for the advances
#endif
  return fonts;
}

}  // namespace ropescope::ui
