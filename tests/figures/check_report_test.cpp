// The report of the view Check: the verdict and the remedy in large letters, the lines that fix the cause, and the
// names of axes and parts on maps and curves.

#include "app/figure/scene/scene.h"
#include "app/figure/table.h"
#include "tests/figures/check_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Look = Paragraph::Look;

/// The words of a look, one paragraph after the other.
std::string read(const Figure& figure, Look look) {
  std::string words;
  for (const Paragraph& paragraph : figure.paragraphs) {
    if (paragraph.look == look) words += paragraph.text + "\n";
  }
  return words;
}

TEST_F(CheckView, TheReportSaysTheVerdictAndWhatToDo) {
  give_wrong_base();
  const Figure report = figure(draw(), "report");
  ASSERT_FALSE(report.paragraphs.empty());
  EXPECT_EQ(read(report, Look::title), disagrees("base") + "\n");
  EXPECT_THAT(read(report, Look::strong), HasSubstr("→ "));
  EXPECT_THAT(read(report, Look::code), HasSubstr("frequency = ladder(16, 10000)"));
  EXPECT_THAT(read(report, Look::code), Not(HasSubstr("import numpy"))) << "the lines that mend it alone";
  EXPECT_THAT(report.copies, StartsWith("import numpy"));
  EXPECT_TRUE(readout(draw(), "check.verdict").aside) << "it would be said twice";
  EXPECT_THAT(table_csv(report), HasSubstr("paragraph\n" + disagrees("base") + "\n"));
}

TEST_F(CheckView, TheReportOfWhatAgreesHasNothingToCopy) {
  give(tables_of(layout()));
  const Figure report = figure(draw(), "report");
  EXPECT_EQ(read(report, Look::title), "Agrees\n");
  EXPECT_THAT(read(report, Look::body), HasSubstr("Evidence: "));
  EXPECT_EQ(report.copies, "");
  EXPECT_EQ(read(report, Look::code), "");
}

TEST_F(CheckView, AxesAndPartsAreMarkedOnMapsAndCurves) {
  give(tables_of(layout()));
  const ViewResult result = draw();
  const auto names = [](const Figure& figure) {
    std::string all;
    for (const Label& label : figure.labels) all += label.text + " ";
    for (const Span& span : figure.spans) all += span.label + " ";
    return all;
  };
  EXPECT_EQ(names(figure(result, "map")), "text image t row column ");
  EXPECT_EQ(names(figure(result, "pairs")), "t row column ");
  EXPECT_EQ(names(figure(result, "profile")), "text image ");
  const auto& rules = figure(result, "map").rules;
  ASSERT_EQ(rules.size(), 4u);
  EXPECT_EQ(rules[1].at, 2.5) << "three text tokens";
  EXPECT_EQ(rules[2].at, 7.5) << "eight pairs of t";
  EXPECT_EQ(rules[3].at, 35.5);
}

/// Every line that mends stands in the report, whatever the room, down to a size that can still be read.
TEST_F(CheckView, TheReportFitsItsRoom) {
  give_wrong_base();
  const Figure report = figure(draw(), "report");
  const MeasureText measure = [](std::string_view text, const TextStyle& style) {
    return Vec2{0.55 * style.size * static_cast<double>(text.size()), 1.2 * style.size};
  };
  const Palette colours = palette(ThemeName::dark);
  for (const Rect& room : {Rect{10, 20, 400, 320}, Rect{10, 20, 900, 300}}) {
    const Scene scene = lay_out(report, room, colours, {}, measure).scene;
    std::string drawn;
    for (const SceneItem& item : scene.items) {
      const auto* text = std::get_if<TextItem>(&item);
      if (text == nullptr) continue;
      const Rect box = box_of(*text, measure);
      EXPECT_GE(box.left, room.left - 1) << text->text;
      EXPECT_LE(box.right(), room.right() + 1) << text->text;
      EXPECT_LE(box.bottom(), room.bottom() + 1) << text->text;
      if (text->style.weight == FontWeight::mono) drawn += text->text + "\n";
    }
    EXPECT_THAT(drawn, HasSubstr("frequency = ladder(16, 10000)"));
    EXPECT_THAT(drawn, HasSubstr("def ladder(d, base):"));
  }
}

}  // namespace
}  // namespace ropescope
