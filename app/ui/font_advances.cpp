#include "app/ui/font_advances.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace ropescope::ui {

namespace {

constexpr double kNarrowSpace = 0.22;  ///< of the em
constexpr ImWchar kNarrow[] = {0x202F, 0x2009};

bool is_digit(unsigned character) {
  return character >= '0' && character <= '9';
}

/// The font's own advances.
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

  /// In units of the em.
  std::optional<double> of(unsigned character) const {
    const FT_UInt index = face_ ? FT_Get_Char_Index(face_, character) : 0;
    if (index == 0 || FT_Load_Glyph(face_, index, FT_LOAD_NO_SCALE) != 0) return std::nullopt;
    return static_cast<double>(face_->glyph->metrics.horiAdvance) / std::max<double>(1, face_->units_per_EM);
  }

  /// What to add before rounding down so that common words come out as wide as they should: with one half they could be
  /// several per cent off, as the same few letters are rounded the same way again and again.
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

/// What a font's advances come from, and how they are rounded at each size that was drawn.
struct Own {
  std::unique_ptr<Advances> advances;
  double em;  ///< of a line's height
  std::map<float, double> rounding;
};

/// ImGui's loader has no room for data of ours.
std::map<const ImFont*, Own>& known() {
  static std::map<const ImFont*, Own> fonts;
  return fonts;
}

std::optional<float> own_advance(const ImFontConfig* source, const ImFontBaked& baked, unsigned character) {
  const auto found = known().find(source->DstFont);
  if (found == known().end()) return std::nullopt;
  // The first two are its own file, for digits and for all else.
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

/// `only_advance`: null or none at all, by version; where it is given, no glyph is.
template <class... Only>
bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* data, ImWchar character,
                ImFontGlyph* glyph, Only... only_advance) {
  const std::optional<float> own = own_advance(source, *baked, character);
  const bool loaded =
      ImGuiFreeType::GetFontLoader()->FontBakedLoadGlyph(atlas, source, baked, data, character, glyph, only_advance...);
  if (!own) return loaded;
  if (glyph) {
    glyph->Codepoint = character;  // a narrow space that the file does not have
    glyph->AdvanceX = *own;
  }
  ((only_advance ? void(*only_advance = *own) : void()), ...);
  return true;
}

#endif

}  // namespace

#if IMGUI_VERSION_NUM >= 19200

void use_own_advances(ImFont* font, const std::string& file, double pixels_per_em) {
  known()[font] = {std::make_unique<Advances>(file), pixels_per_em / static_cast<double>(font->LegacySize), {}};
}

void forget_own_advances() {
  known().clear();
}

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

}  // namespace ropescope::ui
