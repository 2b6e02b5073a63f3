// Digits of equal width, and building of the atlas.
//
// Contents: Advances; Fonts.

#include "app/ui/drawing/font_files.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/ui/drawing/imgui_compat.h"

struct ImFont;
struct ImFontAtlas;

namespace ropescope::ui {

// --- Advances ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kNarrowSpace = 0.22;  ///< share of the em
constexpr ImWchar kNarrow[] = {0x202F, 0x2009};

bool is_digit(unsigned character) {
  return character >= '0' && character <= '9';
}

/// Reads the advances in a font file.
class Advances {
 public:
  explicit Advances(const std::string& file) {
    if (FT_Init_FreeType(&library_) == 0 && FT_New_Face(library_, file.c_str(), 0, &face_) != 0) face_ = nullptr;
  }
  ~Advances() {
    if (face_) FT_Done_Face(face_);
    if (library_) FT_Done_FreeType(library_);
  }
  Advances(const Advances&) = delete;
  Advances& operator=(const Advances&) = delete;

  /// Returns an advance in units of the em.
  std::optional<double> of(unsigned character) const {
    const FT_UInt index = face_ ? FT_Get_Char_Index(face_, character) : 0;
    if (index == 0 || FT_Load_Glyph(face_, index, FT_LOAD_NO_SCALE) != 0) return std::nullopt;
    return static_cast<double>(face_->glyph->metrics.horiAdvance) / std::max<double>(1, face_->units_per_EM);
  }

  /// Returns what to add before rounding down so that common words get their correct width: with one half they could be
  /// several per cent off because the same few letters are rounded in the same direction each time.
  double rounding(double pixels_per_em) const {
    constexpr std::string_view kCommon =
        " eeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhrrrrrddddlllcccuumm";
    double best = 0.5, least = 1e9;
    for (double trial = 0.25; trial < 0.76; trial += 0.05) {
      double error = 0;
      for (const char letter : kCommon) {
        const double exact = of(static_cast<unsigned char>(letter)).value_or(0) * pixels_per_em;
        error += std::floor(exact + trial) - exact;
      }
      if (std::abs(error) >= least) continue;
      least = std::abs(error);
      best = trial;
    }
    return best;
  }

 private:
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

#if IMGUI_VERSION_NUM >= 19200

/// The source of a font's advances, and their rounding at each size drawn.
struct Own {
  std::unique_ptr<Advances> advances;
  double em;  ///< em of a line's height
  std::map<float, double> rounding;
};

/// Returns the advances of each font of the atlas; stored here because ImGui's loader has no user data.
std::map<const ImFont*, Own>& known() {
  static std::map<const ImFont*, Own> fonts;
  return fonts;
}

std::optional<float> own_advance(const ImFontConfig* source, const ImFontBaked& baked, unsigned character) {
  const auto found = known().find(source->DstFont);
  if (found == known().end()) return std::nullopt;
  // The first two are its own file, for digits and for all other characters.
  const auto& sources = source->DstFont->Sources;
  const auto first = sources.begin(), last = first + std::min(2, sources.Size);
  if (std::find(first, last, source) == last) return std::nullopt;
  Own& own = found->second;
  const double pixels_per_em = static_cast<double>(baked.Size) * own.em;
  if (std::find(std::begin(kNarrow), std::end(kNarrow), character) != std::end(kNarrow)) {
    return static_cast<float>(std::round(kNarrowSpace * pixels_per_em));
  }
  const std::optional<double> exact = is_digit(character) ? std::nullopt : own.advances->of(character);
  if (!exact) return std::nullopt;
  const auto [rounding, is_new] = own.rounding.try_emplace(baked.Size, 0);
  if (is_new) rounding->second = own.advances->rounding(pixels_per_em);
  return static_cast<float>(std::floor(*exact * pixels_per_em + rounding->second));
}

/// `only_advance`: null or absent, depending on the version; if it is set, no glyph is loaded.
template <class... Only>
bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* data, ImWchar character,
                ImFontGlyph* glyph, Only... only_advance) {
  const std::optional<float> own = own_advance(source, *baked, character);
  const bool loaded =
      ImGuiFreeType::GetFontLoader()->FontBakedLoadGlyph(atlas, source, baked, data, character, glyph, only_advance...);
  if (!own) return loaded;
  if (glyph) {
    glyph->Codepoint = character;  // a narrow space missing in the file
    glyph->AdvanceX = *own;
  }
  ((only_advance ? void(*only_advance = *own) : void()), ...);
  return true;
}

#endif

// --- Fonts ---------------------------------------------------------------------------------------------------------

// Sizes of the em in pixels at 100 %.
constexpr double kBodyFontSize = 15, kSmallFontSize = 13, kNumber = 26, kLabel = 12, kMono = 13;

/// Characters needed in addition to the texts: names of files and models, numbers, the other languages' names.
constexpr const char* kAlwaysNeeded =
    "−×÷±≤≥≠≈∞Σ∑√∏∂∆∫·…–—‘’“”•‹›«»←↑→↓↔⇒⇔∈∝°′″θλΔπμσφψω⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙₘ⟨⟩⌈⌉⌊⌋"
    "▾▴▸≡✕✓\u2009\u202F\u00A0日本語한국어";

#if IMGUI_VERSION_NUM >= 19200
constexpr ImWchar kNoDigits[] = {0x01, '0' - 1, '9' + 1, 0xFFFF, 0};
#endif

/// A face's measures in units of its em.
struct FaceMeasures {
  double line = 1.2;   ///< ascender to descender: ImGui's font size
  double digit = 0.6;  ///< average advance of a digit
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
    // The widest digit would set numbers too loose, and 1 is narrower than all others.
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

/// Characters of the atlas as ImGui's list of ranges; digits are a separate list (see add_font).
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
      // The UTF-8 form of U+3000 to U+DFFF begins like this.
      wide += std::count_if(words.begin(), words.end(), [](char c) { return c >= '\xe3' && c <= '\xed'; });
    }
    if (text.formulas()) {
      // Drawn in plain characters without a graphics card.
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

/// Combines several files into a font of one size and weight: the first file with a character supplies it.
class FontMaker {
 public:
  /// `semibold`: for the language; its family supplies characters found in several.
  FontMaker(const FontFiles& files, const Characters& characters, FontFiles::Family semibold, float scale)
      : files_(files), characters_(characters), others_(files.others), semibold_(std::move(semibold)), scale_(scale) {
    std::stable_partition(others_.begin(), others_.end(),
                          [this](const FontFiles::Family& family) { return family.name == semibold_.name; });
  }

  /// Returns null if the file cannot be read.
  ImFont* make(const std::string& file, double em) {
    const std::optional<FaceMeasures> measures = readable(file) ? measures_of(file, 0) : std::nullopt;
    if (!measures) return nullptr;
    // Digits first, all equally wide: ImGui cannot use a font's own tabular figures.
    ImFontConfig digits;
    const double width = em * static_cast<double>(scale_) * measures->digit;
    digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX = static_cast<float>(std::round(width));
#if IMGUI_VERSION_NUM >= 19200
    digits.GlyphExcludeRanges = kNoDigits;  // ranges to include are no longer used
#endif
    ImFont* font = add(file, {0, em, measures->line}, digits, characters_.digits);
    if (!font) return nullptr;
    merge(file, 0, em, characters_.without_digits);
    merge(files_.symbols, 0, em, characters_.all);
    if (file == files_.mono) return font;  // code has Latin letters only
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
    // Mapped once per file, whatever the number of sizes and faces, and read only where needed: those for Chinese
    // characters have 20 MB.
    std::shared_ptr<const MappedFile>& mapped = files_in_memory_[file];
    if (!mapped) mapped = map_file(file);
    // ImGui requires mutable bytes but does not change them. It copies data that the atlas does not own, so the atlas
    // owns them until they have been added.
    void* content = const_cast<std::byte*>(mapped->bytes().data());
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    config.FontDataOwnedByAtlas = true;
    ImFont* font =
        atlas.AddFontFromMemoryTTF(content, static_cast<int>(mapped->bytes().size()), pixels, &config, characters.Data);
#if IMGUI_VERSION_NUM >= 19190
    atlas.Sources.back().FontDataOwnedByAtlas = false;
#else
    atlas.ConfigData.back().FontDataOwnedByAtlas = false;
#endif
    return font;
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
  FontFiles::Family semibold_;  ///< no file: not needed
  float scale_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_in_memory_;  ///< until the atlas is built
};

ImFont* make_fallback(double em, float scale) {
  ImFontConfig config;
  config.SizePixels = std::round(static_cast<float>(em) * scale);
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

}  // namespace

#if IMGUI_VERSION_NUM >= 19200

/// Sets the advances of `font` to those of `file`, rounded evenly (glyphs between pixels would be blurred): ImGui
/// rounds each advance separately, which sets text too loose or too tight. The narrow spaces between thousands get a
/// width at which groups are clearly visible. Call it after the atlas was built; from ImGui 1.92 on, which loads glyphs
/// when they are drawn, before that.
void use_own_advances(ImFont* font, const std::string& file, double pixels_per_em) {
  known()[font] = {std::make_unique<Advances>(file), pixels_per_em / static_cast<double>(font->LegacySize), {}};
}

/// Clears the data for fonts of an atlas that is to be cleared.
void forget_own_advances() {
  known().clear();
}

/// For ImGui 1.92 and later: makes the atlas load glyphs by FreeType, with these advances.
void use_own_font_loader(ImFontAtlas& atlas) {
  static const ImFontLoader loader = [] {
    ImFontLoader own = *ImGuiFreeType::GetFontLoader();
    own.FontBakedLoadGlyph = load_glyph;
    return own;
  }();
  ImFontAtlasBuildSetupFontLoader(&atlas, &loader);  // 1.92.0 has no SetFontLoader
}

#else

void use_own_advances(ImFont* font, const std::string& file, double pixels_per_em) {
  const Advances advances(file);
  const double rounding = advances.rounding(pixels_per_em);
  for (ImFontGlyph& glyph : font->Glyphs) {
    const std::optional<double> exact = is_digit(glyph.Codepoint) ? std::nullopt : advances.of(glyph.Codepoint);
    if (exact) glyph.AdvanceX = static_cast<float>(std::floor(*exact * pixels_per_em + rounding));
  }
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

void forget_own_advances() {}

void use_own_font_loader(ImFontAtlas&) {}

#endif

// --- Fonts ---------------------------------------------------------------------------------------------------------

double Fonts::em_of(const ImFont* font) const {
  if (font == number) return kNumber;
  if (font == label) return kLabel;
  if (font == mono) return kMono;
  return font == small ? kSmallFontSize : kBodyFontSize;
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
  // Not only the names of other languages.
  FontMaker maker(files, characters,
                  characters.wide > 1000 ? find_semibold(first, text.language()) : FontFiles::Family{first, {}}, scale);
  const std::string& semibold = readable(files.semibold) ? files.semibold : files.regular;
  struct Slot {
    ImFont* Fonts::*font;
    const std::string* file;
    double em;
  };
  const Slot slots[] = {{&Fonts::body, &files.regular, kBodyFontSize},
                        {&Fonts::small, &files.regular, kSmallFontSize},
                        {&Fonts::semibold, &semibold, kBodyFontSize},
                        {&Fonts::number, &semibold, kNumber},
                        {&Fonts::label, &semibold, kLabel},
                        {&Fonts::mono, &files.mono, kMono}};
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
    // Hinted letters of equal width are at whole pixels already.
    if (readable(*slot.file) && slot.font != &Fonts::mono)
      use_own_advances(fonts.*slot.font, *slot.file, slot.em * static_cast<double>(scale));
  }
#if IMGUI_VERSION_NUM < 19200
  atlas->ClearInputData();  // the files are released with the maker; 1.91.9 uses the data once more for the advances
#endif
  return fonts;
}

}  // namespace ropescope::ui
