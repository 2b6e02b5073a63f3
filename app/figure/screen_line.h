#pragma once

#include <imgui.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "app/figure/formula_ink.h"
#include "app/figure/scene.h"
#include "app/figure/screen_glyphs.h"

namespace ropescope::ui {

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

/// The formula at that size, its em in pixels; drawn once.
FormulaPixels kept_pixels(ScreenWriting& writing, const Formula& formula, std::string_view sign, float em,
                          const FormulaInk& ink);

/// A line of text: its width, and how far a formula in it reaches over and under the font's own line.
struct LineExtent {
  float width = 0, over = 0, under = 0;
};
LineExtent line_extent(const ImFont* font, float size, std::string_view text);

/// Where a line is drawn: `at` is the top left corner of the font's own line.
struct ScreenLine {
  const ImFont* font = nullptr;
  float size = 0;
  ImVec2 at;
  Colour colour;
};
void draw_screen_line(ImDrawList* list, const ScreenLine& line, std::string_view text);
/// The same, turned by 90° counter-clockwise: `at` is the bottom left corner of the font's own line.
void draw_upright_line(ImDrawList* list, const ScreenLine& line, std::string_view text);

}  // namespace ropescope::ui
