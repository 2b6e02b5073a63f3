// A formula on a page is drawn as paths, in its place, in the colours of the theme; in tables it is plain text.

#include <zlib.h>

#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "app/figure/table.h"
#include "app/figure/text_flow.h"
#include "app/resources/text.h"
#include "tests/figures/decoded.h"
#include "tests/places.h"

namespace ropescope {
namespace {

std::shared_ptr<const Formulas> formulas() {
  return Formulas::load(fs::path(source_folder()) / "assets");
}

/// A view whose only figure has that title.
ViewResult titled(const std::string& tex) {
  ViewResult view;
  view.formulas = formulas();
  EXPECT_EQ(tex_of(tex).size(), 1u);
  Figure figure;
  figure.name = "f";
  figure.title = view.formulas->with_signs(tex);
  figure.x.range = figure.y.range = {0, 1};
  figure.labels.push_back({});
  figure.labels.back().x = figure.labels.back().y = 0.5;
  figure.labels.back().text = figure.title;
  view.panels.push_back({figure});
  return view;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(FormulaOnPage, IsPathsInAnSvg) {
  const ViewResult view = titled(R"(Angle $\cos(m\theta_i)$)");
  const std::string svg = paint_page(view, PageFormat::svg, {400, 300, false}, ThemeName::light);
  ViewResult without = view;
  without.panels[0].figure.title = "Angle ";
  without.panels[0].figure.labels.clear();
  const std::string plain = paint_page(without, PageFormat::svg, {400, 300, false}, ThemeName::light);
  EXPECT_GE(count_of(svg, "<path"), count_of(plain, "<path") + 2 * std::string("cos(mθi)").size() - 2);
  EXPECT_THAT(svg, Not(HasSubstr("theta")));
  EXPECT_THAT(svg, Not(HasSubstr("$")));
  EXPECT_THAT(svg, Not(HasSubstr("<image"))) << "as vectors";
  EXPECT_EQ(svg, paint_page(view, PageFormat::svg, {400, 300, false}, ThemeName::light));
}

/// Letters and what is said of them: "K(Δ)" as "/K/(Δ)", raised as "^(…)", lowered as "_(…)".
std::string spelled(std::string_view tex) {
  const auto letters = letters_of(tex);
  if (!letters) return "none";
  std::string text;
  for (const FormulaLetters& one : *letters) {
    std::string part = one.italic ? "/" + one.text + "/" : one.text;
    if (one.overlined) part = "~" + part;
    if (one.ink != FormulaLetters::Ink::text) part = (one.ink == FormulaLetters::Ink::query ? "q:" : "k:") + part;
    text += one.rise > 0 ? "^(" + part + ")" : one.rise < 0 ? "_(" + part + ")" : part;
  }
  return text;
}

TEST(FormulaOnPage, IsLettersInAnSvgOfText) {
  EXPECT_EQ(spelled("K(\\Delta)"), "/K/(Δ)");
  EXPECT_EQ(spelled("\\theta_i = b^{-2i/d}"), "/θ/_(/i/) = /b/^(−2)^(/i/)^(/)^(/d/)");
  EXPECT_EQ(spelled("\\cos m\\theta"), "cos /mθ/");
  EXPECT_EQ(spelled("R_{\\m}\\q"), "/R/_(q:/m/)q:/q/");
  EXPECT_EQ(spelled("\\class{term-a}{K}(\\class{key}{x})"), "/K/(k:/x/)");
  EXPECT_EQ(spelled("\\bar h"), "~/h/");
  EXPECT_EQ(spelled("1/\\sqrt d"), "1/√/d/");
  EXPECT_EQ(spelled("\\sqrt{m+n}"), "none") << "its line reaches over two letters";
  EXPECT_EQ(spelled("\\frac{1}{2}"), "none");
  EXPECT_EQ(spelled("e^{"), "none");

  const ViewResult view = titled(R"(Angle $\cos(m\theta_i)$)");
  const std::string svg = paint_page(view, PageFormat::svg, {400, 300, false}, {.outlines = false});
  EXPECT_THAT(svg, HasSubstr(">Angle </tspan><tspan>cos("));
  EXPECT_THAT(svg, HasSubstr("font-style=\"italic\">mθ</tspan>"));
  ViewResult without = view;
  without.panels[0].figure.title = "Angle ";
  without.panels[0].figure.labels.clear();
  const std::string plain = paint_page(without, PageFormat::svg, {400, 300, false}, {.outlines = false});
  EXPECT_EQ(count_of(svg, "<path"), count_of(plain, "<path")) << "nothing of it is drawn";
}

/// The streams of a PDF, inflated.
std::string streams_of(const std::string& pdf) {
  std::string all;
  for (std::size_t at = 0; (at = pdf.find("stream\n", at)) != std::string::npos;) {
    at += 7;
    if (pdf.compare(at - 10, 3, "end") == 0) continue;
    std::string inflated(1 << 20, '\0');
    uLongf size = inflated.size();
    const auto* from = reinterpret_cast<const Bytef*>(pdf.data() + at);
    // The rest of the file follows the stream's end, and is not read.
    if (uncompress(reinterpret_cast<Bytef*>(inflated.data()), &size, from, pdf.size() - at) == Z_OK) {
      all.append(inflated, 0, size);
    }
  }
  return all;
}

TEST(FormulaOnPage, CanBeFoundAndCopied) {
  const ViewResult view = titled(R"(Angle $\cos(m\theta_i)$)");
  ViewResult without = view;
  without.panels[0].figure.title = "Angle ";
  without.panels[0].figure.labels.clear();
  const PageSize size{400, 300, false};
  // The letter θ among the characters of the fonts, as in a PDF's map from letters to text.
  const auto says_theta = [&](const ViewResult& page) {
    const std::string text = streams_of(paint_page(page, PageFormat::pdf, size, ThemeName::light));
    EXPECT_THAT(text, HasSubstr("begincmap"));
    return text.find("<03b8>") != std::string::npos;
  };
  EXPECT_TRUE(says_theta(view));
  EXPECT_FALSE(says_theta(without));

  const ViewResult fraction =
      titled(R"($a_{m,n} = \frac{\exp(q_m^{\top} k_n / \sqrt{d})}{\sum_j \exp(q_m^{\top} k_j / \sqrt{d})},$)");
  const std::string plain = plain_text(fraction.formulas.get(), fraction.panels[0].figure.title);
  const std::string svg = paint_page(fraction, PageFormat::svg, size, {.outlines = false});
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0\""));
  EXPECT_THAT(svg, HasSubstr(">" + xml_escaped(plain) + "</text>"));
}

TEST(FormulaOnPage, LettersSayAllFormulasOfTheTextsButFractionsAndTheLike) {
  const auto set = formulas();
  std::vector<std::string> drawn;
  for (const Formula& formula : set->all()) {
    const std::string& tex = formula.tex;
    const bool built = tex.find("\\frac") != tex.npos || tex.find("\\begin") != tex.npos ||
                       tex.find("\\sqrt{") != tex.npos || tex.find("\\tilde") != tex.npos ||
                       tex.find("\\left") != tex.npos;
    if (!built && !letters_of(tex)) drawn.push_back(tex);
  }
  EXPECT_THAT(drawn, IsEmpty());
}

TEST(FormulaOnPage, IsPlainInTables) {
  const ViewResult view = titled(R"(Angle $\cos(m\theta_i)$)");
  EXPECT_THAT(table_json(view), HasSubstr(R"x("title": "Angle cos(mθᵢ)")x"));
  EXPECT_THAT(table_csv(view.panels[0].figure, view.formulas.get()), HasSubstr("Angle cos(mθᵢ)"));
}

/// Pixels of a page on which a text stands at (20, 30), that differ from the ground.
struct Inked {
  Vec2 size;
  Rect box{1e6, 1e6, -1e6, -1e6};
  int query = 0, key = 0, count = 0;
};
Inked draw_formula_page(const std::string& text, bool vertical) {
  const auto set = formulas();
  const Palette colours = palette(ThemeName::light);
  PageCanvas canvas(PageFormat::png, {400, 400, false}, {"en", "", set, colours});
  canvas.fill(colours.canvas);
  const TextStyle style{40, FontWeight::regular};
  const std::string signs = set->with_signs(text);
  Inked inked;
  inked.size = canvas.measure()(signs, style);
  canvas.draw({{TextItem{{20, 30}, 0, 0, signs, style, colours.text, vertical}}});
  const DecodedPicture picture = decoded(canvas.finish());
  double right = -1, bottom = -1;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const Colour pixel = picture.at(x, y);
      if (pixel == colours.canvas) continue;
      ++inked.count;
      inked.query += pixel == colours.curves[0];
      inked.key += pixel == colours.curves[1];
      inked.box.left = std::min<double>(inked.box.left, x);
      inked.box.top = std::min<double>(inked.box.top, y);
      right = std::max<double>(right, x + 1);
      bottom = std::max<double>(bottom, y + 1);
    }
  }
  inked.box.width = right - inked.box.left;
  inked.box.height = bottom - inked.box.top;
  return inked;
}

TEST(FormulaOnPage, FillsTheBoxThatIsMeasured) {
  for (const bool vertical : {false, true}) {
    const Inked inked = draw_formula_page(R"($\langle R_{\m}\q, R_{\n}\k\rangle$)", vertical);
    Vec2 size = inked.size;
    if (vertical) std::swap(size.x, size.y);
    EXPECT_GT(inked.count, 200);
    EXPECT_GE(inked.box.left, 20 - 1);
    EXPECT_GE(inked.box.top, 30 - 1);
    EXPECT_LE(inked.box.right(), 20 + size.x + 1);
    EXPECT_LE(inked.box.bottom(), 30 + size.y + 1);
    EXPECT_GT(vertical ? inked.box.height : inked.box.width, 0.85 * inked.size.x);
  }
}

TEST(FormulaOnPage, HasTheColoursOfQueryAndKey) {
  const Inked both = draw_formula_page(R"($\langle R_{\m}\q, R_{\n}\k\rangle$)", false);
  EXPECT_GT(both.query, 20);
  EXPECT_GT(both.key, 20);
  const Inked none = draw_formula_page(R"($\langle R_m x, R_n x\rangle$)", false);
  EXPECT_EQ(none.query, 0);
  EXPECT_EQ(none.key, 0);
}

TEST(FormulaOnPage, IsCutAndWrappedAsOnePiece) {
  const auto set = formulas();
  const std::string sign = set->with_signs(R"($\cos m\theta$)");
  ASSERT_EQ(sign.size(), kFormulaSignBytes);
  PageCanvas canvas(PageFormat::png, {64, 64, false}, {"en", "", set, palette(ThemeName::light)});
  const MeasureText measure = canvas.measure();
  const TextStyle style{13, FontWeight::regular};
  const std::string text = "turned by " + sign + " of it";
  for (double width = 1; width < measure(text, style).x + 5; width += 3) {
    std::string joined;
    for (const std::string& line : wrapped(text, style, width, measure)) joined += (joined.empty() ? "" : " ") + line;
    EXPECT_THAT(joined, HasSubstr(sign)) << width;
    const std::string cut = elided(text, style, width, measure);
    EXPECT_EQ(std::count(cut.begin(), cut.end(), '\xF3') == 1, cut.find(sign) != std::string::npos) << width;
    EXPECT_LE(measure(cut, style).x, width);
  }
}

}  // namespace
}  // namespace ropescope
