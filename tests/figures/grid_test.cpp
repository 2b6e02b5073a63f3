// Tables as figures: the view that creates one, all of its formats, and the picture.
#include "app/figure/grid.h"

#include "app/figure/table.h"
#include "app/views/decay/view.h"
#include "app/views/sweep.h"
#include "tests/figures/scene_checks.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

Figure small_table() {
  Figure figure;
  figure.bare = true;
  figure.grid_names = {"rope", "decay.first_negative", "kind"};
  figure.grid = {{{"Rope"}, {"First & last"}, {"Kind"}},
                 {{"a_b 50 %"}, {"\u22121\u202f707", {as_whole(-1707)}}, {"x|y"}},
                 {{"c"}, {"1.5 × 10⁻⁵", {with_digits(1.5e-5, 2)}}, {"θ ≤ 1"}},
                 {{"d, \"e\""}, {"none"}, {"\\"}}};
  return figure;
}

TEST(Grid, TextStandsInColumns) {
  EXPECT_EQ(grid_text(small_table(), GridFormat::text),
            "Rope      First & last  Kind\n"
            "a_b 50 %        \u22121\u202f707  x|y\n"
            "c           1.5 × 10⁻⁵  θ ≤ 1\n"
            "d, \"e\"            none  \\\n");
}

TEST(Grid, MachinesHaveAllDigitsAndNothingForAWord) {
  EXPECT_EQ(grid_text(small_table(), GridFormat::csv),
            "rope,decay.first_negative,kind\na_b 50 %,-1707,x|y\nc,1.5e-05,θ ≤ 1\n\"d, \"\"e\"\"\",,\\\n");
  EXPECT_EQ(table_csv(small_table()), grid_text(small_table(), GridFormat::csv));
  const json rows = json::parse(grid_text(small_table(), GridFormat::json));
  EXPECT_EQ(rows[0]["decay.first_negative"], -1707);
  EXPECT_EQ(rows[1]["rope"], "c");
  EXPECT_TRUE(rows[2]["decay.first_negative"].is_null());
}

TEST(Grid, ManuscriptsAreEscaped) {
  EXPECT_EQ(grid_text(small_table(), GridFormat::markdown),
            "| Rope      | First & last | Kind  |\n"
            "| --- | ---: | --- |\n"
            "| a\\_b 50 % |       \u22121\u202f707 | x\\|y  |\n"
            "| c         |   1.5 × 10⁻⁵ | θ ≤ 1 |\n"
            "| d, \"e\"    |         none | \\\\    |\n");
  const std::string latex = grid_text(small_table(), GridFormat::latex);
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrl}\n\\toprule\n"));
  EXPECT_THAT(latex, HasSubstr("First \\& last"));
  EXPECT_THAT(latex, HasSubstr("a\\_b 50 \\%"));
  EXPECT_THAT(latex, HasSubstr("$-$1\\,707 &"));
  EXPECT_THAT(latex, HasSubstr("1.5 $\\times$ 10$^{-5}$ &"));
  EXPECT_THAT(latex, HasSubstr("$\\theta$ $\\le$ 1"));
  EXPECT_THAT(latex, HasSubstr("\\textbackslash{}"));
  EXPECT_THAT(latex, HasSubstr("\\midrule\n"));
}

TEST(Grid, IsDrawnWithoutOverlapAtAnySize) {
  Figure figure = small_table();
  for (int i = 0; i < 12; ++i) figure.grid.push_back(figure.grid[1 + i % 3]);
  figure.title = "Ropes";
  for (const double width : {60.0, 150.0, 400.0, 1200.0}) {
    for (const double height : {20.0, 90.0, 300.0, 900.0}) {
      const Rect rect{10, 10, width, height};
      const Scene scene = lay_out(figure, rect, palette(ThemeName::dark), {}, even_measure).scene;
      expect_tidy(scene, rect, even_measure);
      if (width < 1000 || height < 900) continue;
      EXPECT_GE(items_of<TextItem>(scene).size(), 3u * 16 + 1);
    }
  }
}

using TableView = TestOfView<kSweepView>;

TEST_F(TableView, CellsAreWhatTheCardsSay) {
  experiment.sweep.show = SweepShow::table;
  experiment.sweep.ropes = "llama-2-7b, current,pin1";
  experiment.sweep.cards = "decay.first_negative,decay.unfinished,decay.unfinished.other";
  experiment.rope.base = 1000;
  experiment.pins = {{experiment.rope, 1, "mine"}};
  experiment.pins[0].rope.base = 1e9;
  const ViewResult result = draw();
  ASSERT_EQ(result.fault, "");
  const Figure shown = figure(result, "table");
  ASSERT_THAT(shown.grid, SizeIs(4));
  EXPECT_EQ(shown.grid[0][1].text, "First negative");
  EXPECT_EQ(shown.grid[1][0].text, "Llama 2 7B");
  EXPECT_EQ(shown.grid[3][0].text, "mine");
  EXPECT_EQ(shown.grid[3][1].text, "none") << "not so near";
  EXPECT_THAT(shown.grid[3][1].numbers, SizeIs(0));
  Experiment alone = experiment;
  alone.view = "decay";
  alone.pins.clear();
  const ViewResult decay = draw_view(kDecayView, alone, text, store);
  EXPECT_EQ(shown.grid[2][1].text, readout(decay, "decay.first_negative").text);
  EXPECT_EQ(shown.grid[2][2].text, readout(decay, "decay.unfinished").text);
  EXPECT_EQ(shown.grid[2][3].numbers.front().value, 64);
}

TEST_F(TableView, WhatIsNoRopeOrCardIsSaid) {
  experiment.sweep.show = SweepShow::table;
  experiment.sweep.cards = "decay.nothing";
  EXPECT_THAT(draw().fault, Says("error.sweep.no_card", {{"name", "decay.nothing"}}));
  experiment.sweep.cards = "decay.trend";
  experiment.sweep.ropes = "llama-9";
  EXPECT_THAT(draw().fault, HasSubstr("llama-9"));
  experiment.sweep.ropes = std::string(200, ',');
  EXPECT_EQ(draw().fault, "") << "the present one";
}

}  // namespace
}  // namespace ropescope
