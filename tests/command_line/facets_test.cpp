// Small multiples and related curves on the command line.

#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using FacetOption = InWorkplace;

json render_facets(const Workplace& place, const Words& options) {
  place.good(Words{"render", "decay", "-o", "f.json"} + options);
  return json::parse(place.read("f.json"));
}

TEST_F(FacetOption, MakesAGrid) {
  const json grid = render_facets(place, {"--facet", "rope.base=1e4,5e5", "--facet", "content=aligned,random"});
  ASSERT_EQ(grid.at("figures").size(), 8u);
  EXPECT_EQ(grid["figures"][0]["name"], "similarity@1");
  EXPECT_EQ(grid["figures"][0]["cell"], "rope.base=1e4; decay.content=aligned");
  const json one = render_facets(place, {"--set", "rope.base=5e5"});
  EXPECT_EQ(grid["figures"][1]["lines"][0]["y"], one["figures"][0]["lines"][0]["y"]);
  EXPECT_FALSE(one["figures"][0].contains("cell"));
}

TEST_F(FacetOption, TakesModelsAndOneFigure) {
  const json models = render_facets(place, {"--facet", "model=llama-2-7b,llama-3.1-8b", "--figure", "similarity"});
  EXPECT_EQ(models.at("figures").size(), 2u);
  place.good({"render", "frequencies", "--facet", "model=llama-2-7b,llama-3.1-8b", "-o", "f.svg"});
  EXPECT_THAT(place.read("f.svg"), HasSubstr("<svg"));
}

TEST_F(FacetOption, TakesARangeAndKeepsItAsGiven) {
  const json cells = render_facets(place, {"--facet", "base=1e3..1e6:4:log", "--figure", "similarity"});
  ASSERT_EQ(cells.at("figures").size(), 4u);
  EXPECT_EQ(cells["figures"][1]["cell"], "rope.base=10000");
  place.good({"render", "decay", "--facet", "base=1e3..1e6:4:log", "-o", "f.svg"});
  EXPECT_THAT(place.read("f.svg"), HasSubstr("rope.base=1e3..1e6:4:log"));
}

TEST_F(FacetOption, SaysWhichFiguresACellLeavesOut) {
  const Outcome printed = place.run({"render", "attention", "--facet", "encoding=rope,alibi", "-o", "f.svg"});
  EXPECT_THAT(printed.errors, AllOf(HasSubstr("--figure"), HasSubstr("row, distance")));
  EXPECT_EQ(printed.exit_code, 0);
  const Outcome all = place.run({"render", "decay", "--facet", "base=1e3,1e4", "-o", "f.svg"});
  EXPECT_EQ(all.errors, "");
}

TEST_F(FacetOption, TablesHaveAColumnForTheField) {
  place.good({"render", "frequencies", "--facet", "rope.base=100,1e4", "-o", "f.csv"});
  const auto rows = parse_csv(place.read("f.csv"));
  ASSERT_EQ(rows.size(), 129u);
  EXPECT_EQ(rows[0][0], "rope.base");
  EXPECT_EQ(rows[0][1], "pair");
  EXPECT_EQ(rows[1][0], "100");
  EXPECT_EQ(rows[128][0], "1e4");
}

TEST_F(FacetOption, SaysWhatIsWrong) {
  const auto refused = [this](const Words& options, const Words& culprits) {
    place.bad(Words{"render", "decay", "-o", "f.svg"} + options, culprits);
  };
  refused({"--facet", "rope.bsae=1,2"}, {"--facet", "rope.bsae", "rope.base"});
  refused({"--facet", "rope.base=0.5"}, {"--facet", "rope.base", "0.5", "1.01"});
  refused({"--facet", "decay.order=up"}, {"--facet", "decay.order", "fast-first"});
  refused({"--facet", "model=lama-2-7b"}, {"lama-2-7b", "llama-2-7b"});
  refused({"--facet", "rope.base"}, {"--facet", "KEY=A,B,C"});
  refused({"--facet", "rope.base=2,3", "--facet", "base=4"}, {"rope.base", "both"});
  refused({"--facet", "decay.seed=1:25"}, {"decay.seed", "1:25"});
  refused({"--facet", "decay.seed=1", "--facet", "rope.base=2", "--facet", "decay.span=16"}, {"3 times"});
  refused({"--set", "curves.shown_as=ratio"}, {"curves.shown_as", "ratio", part_of("error.curves.no_pins")});
  refused({"--facet", "rope.base=1e3..1e7:40:log"}, {"--facet", "40", "24"});
  refused({"--facet", "rope.base=1e3..x"}, {"--facet", "rope.base", "x"});
  place.bad({"render", "similarity", "--facet", "rope.base=500,1e4", "-o", "f.svg"}, {"rope.base", "layout.base"});
  place.bad({"render", "rotation", "--facet", "rotation.pair=1,2", "-o", "f.svg"}, {"no curves or maps"});
}

TEST(CurvesField, RelatesOnACommandLine) {
  const Workplace place;
  const json ratio =
      render_facets(place, {"--set", "pins=[{\"rope\": {\"base\": 500000}}]", "--set", "shown_as=ratio"});
  EXPECT_EQ(ratio["figures"][0]["y"]["name"], "similarity_ratio");
}

}  // namespace
}  // namespace ropescope
