// User data on the command line: curves, ladders, and tables of ropes and cards.

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using OwnData = InWorkplace;

using Json = json;

TEST_F(OwnData, ACurveIsDrawnAndWritten) {
  place.write("ppl.csv", "context,perplexity\n1,40\n100,9\n4000,6.5\n");
  place.good({"render", "decay", "--own", "ppl.csv", "-o", "own.json"});
  const Json figure = Json::parse(place.read("own.json"))["figures"][0];
  EXPECT_EQ(figure["right"]["label"], "perplexity");
  EXPECT_EQ(figure["lines"].back()["y"], Json({40, 9, 6.5}));
  place.good({"render", "decay", "--own", "ppl.csv", "-o", "own.svg"});
  place.write("ppl.csv", "gone");
  place.good({"render", "own.svg", "-o", "again.json"});
  EXPECT_EQ(Json::parse(place.read("again.json"))["figures"][0], figure) << "the figure holds its numbers";
  place.write("ppl.csv", "100,9\n101.5,8\n");
  const auto rows = parse_csv(
      place.good({"decay", "--dim", "64", "--base", "10000", "--distances", "99,100,101.5", "--own", "ppl.csv"}));
  EXPECT_THAT(rows[0], ElementsAre("distance", "similarity", "abel_bound", "ppl"));
  EXPECT_EQ(rows[1][3] + "|" + rows[2][3] + "|" + rows[3][3], "|9|8");
  place.write("bad.csv", "1,2\n3,x\n");
  place.bad({"render", "decay", "--own", "bad.csv", "-o", "x.svg"}, {"bad.csv", "line 2, column 2", "\"x\""});
  place.bad({"decay", "--dim", "64", "--base", "10000", "--distances", "1", "--own", "none.csv"}, {"none.csv"});
}

TEST_F(OwnData, SeveralFilesAreSeveralColumns) {
  place.write("a.csv", "x,mean,std\n1,4,1\n2,5,1\n3,6,1\n");
  place.write("b.csv", "1,2,3\n5,6,7\n");
  const auto rows = parse_csv(place.good(
      {"decay", "--dim", "64", "--base", "10000", "--distances", "1,2", "--own", "a.csv", "--own", "b.csv"}));
  EXPECT_THAT(rows[0], ElementsAre("distance", "similarity", "abel_bound", "mean", "mean_low", "mean_high", "b"));
  EXPECT_EQ(rows[1][3] + "|" + rows[1][4] + "|" + rows[1][5] + "|" + rows[1][6], "4|3|5|5");
  place.good({"render", "decay", "--own", "a.csv", "--own", "b.csv", "-o", "both.json"});
  const Json lines = Json::parse(place.read("both.json"))["figures"][0]["lines"];
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[lines.size() - 2]["low"], Json({3, 4, 5}));
  EXPECT_EQ(lines.back()["key"], "own2");
}

TEST_F(OwnData, ColumnsHaveDifferentNames) {
  Words decay{"decay", "--dim", "64", "--base", "10000", "--distances", "1"};
  for (const std::string name : {"a.csv", "b.csv", "c.csv"}) {
    place.write(name,
                name == "c.csv" ? "x,similarity\n1,7\n" : "x,loss\n1," + std::to_string(name[0] - 'a' + 1) + "\n");
    decay.insert(decay.end(), {"--own", name});
  }
  Words as_json = decay;
  as_json.push_back("--json");
  const Json row = Json::parse(place.good(as_json))["rows"][0];
  EXPECT_EQ(row.size(), 6u);
  EXPECT_EQ(Json({row["loss"], row["loss_2"], row["similarity_2"]}), Json({1, 2, 7}));
  for (const char* name : {"d.csv", "e.csv", "f.csv", "g.csv"}) {
    place.write(name, "1,2\n");
    decay.insert(decay.end(), {"--own", name});
  }
  place.bad(decay, {"g.csv", "6"});
}

}  // namespace
}  // namespace ropescope
