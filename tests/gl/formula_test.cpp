// A formula on screen is drawn at its exact pixel size in the place of its box, in the colours of the theme.

#include "tests/gl/offscreen_scene.h"

namespace ropescope {
namespace {

class FormulaOnScreen : public Offscreen {
 protected:
  FormulaOnScreen() {
    text = Text::load(fs::path(source_folder()) / "assets", "en", Text::FormulaForm::drawn);
    writing.ui = &ui;
    ImGui::GetIO().UserData = &writing;
  }
  ~FormulaOnScreen() override { ImGui::GetIO().UserData = nullptr; }

  TextItem item_of(const std::string& tex, bool vertical = false) const {
    return {{60, 50}, 0, 0, text.formulas()->with_signs(tex), {30, FontWeight::regular}, ui.palette.text, vertical};
  }
  /// Where pixels differ from the ground.
  Rect ink() const {
    Rect box{1e6, 1e6, 0, 0};
    double right = 0, bottom = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        if (at(x, y) == ui.palette.ground) continue;
        box.left = std::min<double>(box.left, x);
        box.top = std::min<double>(box.top, y);
        right = std::max<double>(right, x + 1);
        bottom = std::max<double>(bottom, y + 1);
      }
    }
    box.width = right - box.left;
    box.height = bottom - box.top;
    return box;
  }

  ui::ScreenWriting writing;
};

constexpr const char* kScore = R"($\langle R_{\m}\q, R_{\n}\k\rangle$)";

TEST_P(FormulaOnScreen, HasItsInkWhereItsBoxSays) {
  for (const bool vertical : {false, true}) {
    const TextItem item = item_of(kScore, vertical);
    show({{item}});
    const Rect box = box_of(item, screen_measure(ui)), inked = ink();
    EXPECT_GE(inked.left, box.left);
    EXPECT_GE(inked.top, box.top);
    EXPECT_LE(inked.right(), box.right());
    EXPECT_LE(inked.bottom(), box.bottom());
    EXPECT_GT(vertical ? inked.height : inked.width, 0.85 * (vertical ? box.height : box.width));
    EXPECT_GT(count(ui.palette.curves[0], box), 10) << "q and m";
    EXPECT_GT(count(ui.palette.curves[1], box), 10) << "k and n";
  }
}

TEST_P(FormulaOnScreen, HasThePixelsThatWereMadeForIt) {
  const TextItem item = item_of(R"($\cos m\theta$)");
  show({{item}});
  ASSERT_EQ(writing.formulas.size(), 1u);
  const FormulaPixels drawn = writing.formulas.begin()->second.drawn;
  const Rect box = box_of(item, screen_measure(ui));
  EXPECT_EQ(box.width, static_cast<double>(drawn.pixels->columns));
  const Rect inked = ink();
  // Whole pixels: what is opaque in one is opaque in the other, pixel by pixel.
  const auto opaque = [&](std::size_t x, std::size_t y) {
    return drawn.pixels->values[4 * (y * drawn.pixels->columns + x) + 3] == 255;
  };
  std::size_t first = drawn.pixels->rows;
  for (std::size_t y = drawn.pixels->rows; y-- > 0;) {
    for (std::size_t x = 0; x < drawn.pixels->columns; ++x) {
      if (drawn.pixels->values[4 * (y * drawn.pixels->columns + x) + 3] != 0) first = y;
    }
  }
  const double top = inked.top - static_cast<double>(first);
  int compared = 0;
  for (std::size_t y = 0; y < drawn.pixels->rows; ++y) {
    for (std::size_t x = 0; x < drawn.pixels->columns; ++x) {
      if (!opaque(x, y)) continue;
      ++compared;
      // Cairo's premultiplied colours come back a step darker here and there.
      const Colour found = at(60 + static_cast<double>(x), top + static_cast<double>(y)), wanted = ui.palette.text;
      EXPECT_NEAR(found.red, wanted.red, 1) << x << ", " << y;
      EXPECT_NEAR(found.green, wanted.green, 1) << x << ", " << y;
      EXPECT_NEAR(found.blue, wanted.blue, 1) << x << ", " << y;
    }
  }
  EXPECT_GT(compared, 50);
}

TEST_P(FormulaOnScreen, IsDrawnOnceAndOnlySoManyAreKept) {
  show({{item_of(kScore)}});
  EXPECT_EQ(writing.formulas.size(), 1u);
  show({{item_of(kScore)}});
  EXPECT_EQ(writing.formulas.size(), 1u);
  const Formula* formula = text.formulas()->find(R"(\theta)");
  ASSERT_NE(formula, nullptr);
  for (std::size_t i = 0; i < ui::kMaxFormulasKept + 20; ++i) {
    ui::find_or_draw_pixels(writing, *formula, "t", 8 + 0.01f * static_cast<float>(i),
                            formula_ink(ui.palette, ui.palette.text, false));
  }
  EXPECT_EQ(writing.formulas.size(), ui::kMaxFormulasKept);
}

TEST_P(FormulaOnScreen, WrapsAsOnePieceAsWideAsItIsDrawn) {
  const std::string words = text.formulas()->with_signs(R"(turned by $\cos m\theta$ and back)");
  const float whole = ui::text_width(ui.fonts.body, words);
  EXPECT_EQ(whole, ui::line_extent(ui.fonts.body, ui::font_size(ui.fonts.body), words).width);
  bool cut = false;
  for (float width = 90; width < whole + 4; width += 5) {
    std::string joined;
    for (const std::string& line : ui::wrapped_lines(ui.fonts.body, words, width, 9, cut)) {
      joined += (joined.empty() ? "" : " ") + line;
      EXPECT_LE(ui::text_width(ui.fonts.body, line), width + 2) << line;  // words beside a formula end at whole pixels
    }
    EXPECT_FALSE(cut);
    EXPECT_EQ(joined, words) << width;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, FormulaOnScreen, testing::Values(ThemeName::dark, ThemeName::light));

}  // namespace
}  // namespace ropescope
