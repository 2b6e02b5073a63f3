// Search for font files with fontconfig.

#include "app/ui/drawing/font_files.h"

#include <fontconfig/fontconfig.h>

#include <memory>
#include <string>
#include <utility>

namespace ropescope::ui {

namespace {

struct Deleter {
  void operator()(FcConfig* config) const { FcConfigDestroy(config); }
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Config = std::unique_ptr<FcConfig, Deleter>;
using Pattern = std::unique_ptr<FcPattern, Deleter>;

struct FontRequest {
  const char* family;
  int weight = FC_WEIGHT_REGULAR;
  const char* language = nullptr;
};

struct FontMatch {
  std::string file;
  int face = 0;
};

/// Finds the nearest scalable font: fontconfig substitutes any sans for a family that is not installed.
FontMatch find(FcConfig* config, const FontRequest& wanted) {
  const Pattern pattern(FcPatternCreate());
  const auto add = [&pattern](const char* object, const char* text) {
    FcPatternAddString(pattern.get(), object, reinterpret_cast<const FcChar8*>(text));
  };
  add(FC_FAMILY, wanted.family);
  add(FC_FAMILY, "sans-serif");
  if (wanted.language) add(FC_LANG, wanted.language);
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, wanted.weight);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(config, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultNoMatch;
  const Pattern match(FcFontMatch(config, pattern.get(), &result));
  FontMatch found;
  FcChar8* file = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &file) != FcResultMatch) return found;
  found.file = reinterpret_cast<const char*>(file);
  FcPatternGetInteger(match.get(), FC_INDEX, 0, &found.face);
  return found;
}

}  // namespace

FontFiles find_fonts() {
  FontFiles files;
  const Config config(FcInitLoadConfigAndFonts());
  if (!config) return files;
  files.regular = find(config.get(), {"Inter"}).file;
  files.semibold = find(config.get(), {"Inter", FC_WEIGHT_DEMIBOLD}).file;
  for (const auto& [name, language] : {std::pair("Noto Sans CJK JP", "ja"), std::pair("Noto Sans CJK KR", "ko")}) {
    const FontMatch found = find(config.get(), {name, FC_WEIGHT_REGULAR, language});
    files.others.push_back({name, found.file, found.face});
  }
  files.mono = find(config.get(), {"DejaVu Sans Mono"}).file;
  files.symbols = find(config.get(), {"DejaVu Sans"}).file;
  return files;
}

FontFiles::Family find_semibold(const std::string& family, const std::string& language) {
  const Config config(FcInitLoadConfigAndFonts());
  const FontMatch found =
      config ? find(config.get(), {family.c_str(), FC_WEIGHT_DEMIBOLD, language.c_str()}) : FontMatch();
  return {family, found.file, found.face};
}

}  // namespace ropescope::ui
