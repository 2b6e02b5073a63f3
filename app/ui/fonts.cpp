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
#include <string_view>
#include <utility>

#include "app/resources/formulas.h"
#include "app/resources/mapped_file.h"
#include "app/ui/fonts_find.h"
#include "app/ui/imgui_compat.h"

namespace ropescope::ui {

namespace {

// Sizes of the em in pixels at 100 %.
constexpr double kBody = 15, kSmall = 13, kNumber = 26, kLabel = 12;
constexpr double kNarrowSpace = 0.22;  ///< of the em

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
    const float pixels = static_cast<float>(size.em * size.line) * scale_;
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

#if IMGUI_VERSION_NUM < 19200
/// The font's own advances in pixels at a size.
class Advances {
 public:
  Advances(const std::string& file, double pixels_per_em) : scale_(pixels_per_em) {
    if (FT_Init_FreeType(&library_) == 0 && FT_New_Face(library_, file.c_str(), 0, &face_) != 0) face_ = nullptr;
  }
  ~Advances() {
    if (face_) FT_Done_Face(face_);
    if (library_) FT_Done_FreeType(library_);
  }
  Advances(const Advances&) = delete;
  Advances& operator=(const Advances&) = delete;

  std::optional<double> of(unsigned character) const {
    const FT_UInt index = face_ ? FT_Get_Char_Index(face_, character) : 0;
    if (index == 0 || FT_Load_Glyph(face_, index, FT_LOAD_NO_SCALE) != 0) return std::nullopt;
    return static_cast<double>(face_->glyph->metrics.horiAdvance) / std::max<double>(1, face_->units_per_EM) * scale_;
  }

  /// What to add before rounding down so that common words come out as wide as they should: with one half they could be
  /// several per cent off, as the same few letters are rounded the same way again and again.
  double rounding() const {
    constexpr std::string_view kCommon =
        " eeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhrrrrrddddlllcccuumm";
    double best = 0.5, least = 1e9;
    for (double trial = 0.25; trial < 0.76; trial += 0.05) {
      double error = 0;
      for (const char letter : kCommon) {
        const double exact = of(static_cast<unsigned char>(letter)).value_or(0);
        error += std::floor(exact + trial) - exact;
      }
      if (std::abs(error) >= least) continue;
      least = std::abs(error);
      best = trial;
    }
    return best;
  }

 private:
  double scale_;
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

/// ImGui rounds every advance up, which sets text too loose: puts the font's own ones in, rounded evenly (glyphs
/// between pixels would be blurred). The narrow spaces between thousands get a width at which groups are told apart at
/// a glance.
void refine_advances(ImFont* font, const std::string& file, double pixels_per_em) {
  const Advances advances(file, pixels_per_em);
  const double rounding = advances.rounding();
  for (ImFontGlyph& glyph : font->Glyphs) {
    const bool digit = glyph.Codepoint >= '0' && glyph.Codepoint <= '9';
    const std::optional<double> exact = digit ? std::nullopt : advances.of(glyph.Codepoint);
    if (exact) glyph.AdvanceX = static_cast<float>(std::floor(*exact + rounding));
  }
  constexpr ImWchar kNarrow[] = {0x202F, 0x2009};
  const float narrow = static_cast<float>(std::round(kNarrowSpace * pixels_per_em));
  for (const ImWchar space : kNarrow) {
    if (ImFontGlyph* glyph = const_cast<ImFontGlyph*>(font->FindGlyphNoFallback(space))) {
      glyph->AdvanceX = narrow;
    } else {
      font->AddGlyph(nullptr, space, 0, 0, 0, 0, 0, 0, 0, 0, narrow);
    }
  }
  font->BuildLookupTable();
}
#endif

}  // namespace

Fonts build_fonts(const FontFiles& files, const Text& text, const std::string& also, float scale,
                  std::string& warning) {
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
  if (missing) warning = text["shell.message.no_font"];
  ImGui::GetIO().FontDefault = fonts.body;
#if IMGUI_VERSION_NUM < 19200
  atlas->Build();
  atlas->ClearInputData();  // the files go with the maker
  for (const Slot& slot : slots) {
    if (readable(*slot.file)) refine_advances(fonts.*slot.font, *slot.file, slot.em * static_cast<double>(scale));
  }
#else
  ImGui::GetStyle().FontSizeBase = font_size(fonts.body);
#endif
  return fonts;
}

}  // namespace ropescope::ui
