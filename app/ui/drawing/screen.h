// The painter of the screen: a scene (app/figure/scene/scene.h) by Dear ImGui, its lines of text with formulas, and the
// glyphs that fonts lack. draw_scene() itself is declared in widgets.h. page_canvas.h of app/figure is its twin for
// pages.
#pragma once

#include <imgui.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "app/figure/scene/scene.h"
#include "app/figure/text_flow.h"

// --- Glyphs --------------------------------------------------------------------------------------------------------

struct ImFont;

namespace ropescope {

/// Characters that were to be drawn and that the atlas of this context has no glyphs for. Whoever builds the fonts
/// looks at those of the context's ScreenWriting after each frame and builds them again with what is wanted.
struct WantedGlyphs {
  std::set<unsigned> characters;
};

/// Notes which characters of a text the fonts lack; called for every text that is measured or typed.
void want_glyphs(const ImFont* font, std::string_view text);

/// The characters as a text in UTF-8.
std::string utf8_of(const std::set<unsigned>& characters);

}  // namespace ropescope

namespace ropescope::ui {

// --- Lines ---------------------------------------------------------------------------------------------------------

struct Ui;

/// What text on screen is written with. Whoever owns the interface hangs one of these into ImGui's context
/// (ImGuiIO::UserData): it keeps formulas as pixels, and what the fonts lack. Without one there are no formulas.
struct ScreenWriting {
  const Ui* ui = nullptr;
  WantedGlyphs wanted;

  struct Key {
    std::string sign;
    float em = 0;
    std::array<Colour, 3> colours;
    double growth = 0;
    bool operator<(const Key& other) const;
  };
  struct Kept {
    FormulaPixels drawn;
    long used = 0;
  };
  std::map<Key, Kept> formulas;  ///< at most kMostFormulasKept: the one that was not used for longest goes
  long uses = 0;
};
inline constexpr std::size_t kMostFormulasKept = 512;

/// The pixels of a formula at that size, its em in pixels; it is drawn once and kept.
FormulaPixels kept_pixels(ScreenWriting& writing, const Formula& formula, std::string_view sign, float em,
                          const FormulaInk& ink);

/// A line of text: its width, and how far a formula in it reaches over and under the font's own line.
struct TextExtent {
  float width = 0, over = 0, under = 0;
};
TextExtent line_extent(const ImFont* font, float size, std::string_view text);

/// Where a line is drawn: `at` is the top left corner of the font's own line.
struct ScreenLine {
  const ImFont* font = nullptr;
  float size = 0;
  ImVec2 at;
  Colour colour;
};
void draw_screen_line(ImDrawList* list, const ScreenLine& line, std::string_view text);

}  // namespace ropescope::ui

namespace ropescope {

// --- Fills ---------------------------------------------------------------------------------------------------------

/// The colour in the form that ImGui takes.
ImU32 colour32(Colour colour);

}  // namespace ropescope
