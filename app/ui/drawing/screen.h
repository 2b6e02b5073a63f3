// The screen painter: scenes (app/figure/scene/scene.h) drawn by Dear ImGui, text lines with formulas, and glyphs
// missing in the fonts. page_canvas.h of app/figure is the implementation
// for pages.
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
#include "app/ui/ui.h"

// --- Glyphs --------------------------------------------------------------------------------------------------------

struct ImFont;

namespace ropescope {

/// Characters to draw for which the atlas of this context has no glyphs. The code that builds the fonts checks the
/// context's ScreenWriting after each frame and rebuilds them with these characters.
struct MissingGlyphs {
  std::set<unsigned> characters;
};

/// Records which characters of a text the fonts lack; called for every text that is measured or typed.
void want_glyphs(const ImFont* font, std::string_view text);

/// Returns the characters as a text in UTF-8.
std::string utf8_of(const std::set<unsigned>& characters);

}  // namespace ropescope

namespace ropescope::ui {

// --- Lines ---------------------------------------------------------------------------------------------------------

/// Context for text on screen: formulas as pixels, and characters missing in the fonts. The owner of the interface sets
/// it in ImGui's context (ImGuiIO::UserData). Without one there are no formulas.
struct ScreenWriting {
  const Ui* ui = nullptr;
  MissingGlyphs wanted;

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
  std::map<Key, Kept> formulas;  ///< at most kMaxFormulasKept: the least recently used one is removed
  long uses = 0;
};
inline constexpr std::size_t kMaxFormulasKept = 512;

/// Returns the pixels of a formula whose em has this size in pixels; drawn once and cached.
FormulaPixels find_or_draw_pixels(ScreenWriting& writing, const Formula& formula, std::string_view sign, float em,
                                  const FormulaInk& ink);

/// A line of text: its width, and how far formulas extend above and below the font's own line.
struct TextExtent {
  float width = 0, over = 0, under = 0;
};
TextExtent line_extent(const ImFont* font, float size, std::string_view text);

/// The place of a line: `at` is the top left corner of the font's own line.
struct ScreenLine {
  const ImFont* font = nullptr;
  float size = 0;
  ImVec2 at;
  Colour colour;
};
void draw_screen_line(ImDrawList* list, const ScreenLine& line, std::string_view text);

/// Draws a laid-out scene into the current window's draw list (screen painter, app/ui/drawing/screen.cpp).
void draw_scene(ImDrawList* draw_list, const Ui& ui, const Scene& scene);
/// Returns text sizes as ImGui draws them with these fonts: for lay_out().
MeasureText screen_measure(const Ui& ui);

}  // namespace ropescope::ui

namespace ropescope {

// --- Fills ---------------------------------------------------------------------------------------------------------

/// Returns the colour in ImGui's form.
ImU32 colour32(Colour colour);

}  // namespace ropescope
