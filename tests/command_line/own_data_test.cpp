// User data on the command line: curves, ladders, and tables of ropes and cards.

#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using OwnData = InWorkplace;

using Json = json;

TEST_F(OwnData, ALadderIsTakenWhereverARopeIs) {
  const Words own{"--dim", "8", "--ladder", "1,0.5,0.25,0.125"};
  const auto with = [&own](const Words& arguments) { return arguments + own; };
  const auto rows = parse_csv(place.good(with({"frequencies"})));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[3][2], "0.25");
  const auto decay = parse_csv(place.good(with({"decay", "--distances", "3"})));
  const double due = (std::cos(3) + std::cos(1.5) + std::cos(0.75) + std::cos(0.375)) / 4;
  EXPECT_NEAR(std::stod(decay[1][1]), due, 1e-15);
  const Json limits = Json::parse(place.good(with({"limits", "--json", "--context", "100"})));
  EXPECT_TRUE(limits["smallest_base"].is_null()) << "of no base";
  EXPECT_TRUE(limits["largest_context"].is_number());
  EXPECT_THAT(place.good({"encoding", "rope", "--dim", "8", "--positions", "1", "--ladder", "1/(i+1)"}),
              Not(IsEmpty()));
  place.write("l.csv", "1\n0.5\n0.25\n0.125\n");
  EXPECT_EQ(place.good({"frequencies", "--dim", "8", "--ladder", "l.csv"}), place.good(with({"frequencies"})));
  EXPECT_EQ(place.good({"frequencies", "--dim", "8", "--base", "10000", "--ladder", "2^-i"}),
            place.good(with({"frequencies"})));
  place.good(with({"render", "decay", "-o", "own.json"}));
  EXPECT_THAT(place.read("own.json"), Says("view.decay.own_ladder"));
  const auto halved = parse_csv(place.good(with({"frequencies", "--scaling", "linear", "--factor", "2"})));
  EXPECT_EQ(halved[3][2], "0.125");
  place.bad(with({"frequencies", "--scaling", "ntk-aware", "--factor", "2"}), {"ntk-aware", "linear"});
  place.bad({"frequencies", "--dim", "8", "--ladder", "1,2"}, {"--ladder", "2 numbers", "4"});
  place.bad({"frequencies", "--dim", "8", "--ladder", "b^(-2*k/d)"}, {"--ladder", "character 7", "\"k"});
  place.bad({"frequencies", "--dim", "8", "--ladder", "none.csv"}, {"none.csv"});
}

TEST_F(OwnData, AFormulaFollowsWhatIsSetLater) {
  place.good({"render", "decay", "--dim", "64", "--base", "100", "--ladder", "b^(-2*i/d)/2", "--set", "base=400", "-o",
              "a.json"});
  place.good({"render", "decay", "--dim", "64", "--base", "400", "--ladder", "b^(-2*i/d)/2", "-o", "b.json"});
  EXPECT_EQ(Json::parse(place.read("a.json"))["figures"][0]["lines"],
            Json::parse(place.read("b.json"))["figures"][0]["lines"]);
}

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

TEST_F(OwnData, ATableOfRopesAndCards) {
  place.write("config.json", R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
                                 "max_position_embeddings": 1024, "rope_theta": 500})");
  place.good({"render", "decay", "--dim", "64", "--base", "77", "-o", "mine.svg"});
  const Words table{"table", "--ropes", "llama-2-7b,config.json,mine.svg,current", "--cards",
                    "decay.first_negative,decay.unfinished.other"};
  const auto rows = parse_csv(place.good([&] { return table + Words{"--format", "csv"}; }()));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[0], ElementsAre("rope", "decay.first_negative", "decay.unfinished.other"));
  EXPECT_THAT(rows[1], ElementsAre("Llama 2 7B", "1707", "64"));
  EXPECT_EQ(rows[2][2], "64");
  EXPECT_THAT(rows[3], ElementsAre("base 77", Not(""), "")) << "which has no trained length";
  const auto swept = parse_csv(place.good(
      {"sweep", "decay.first_negative", "--over", "model=llama-2-7b,llama-3.1-8b", "--set", "decay.span=4096"}));
  const auto same = parse_csv(place.good({"table", "--ropes", "llama-2-7b,llama-3.1-8b", "--cards",
                                          "decay.first_negative", "--format", "csv", "--set", "decay.span=4096"}));
  EXPECT_EQ(same[1][1], swept[1][1]);
  for (const auto& [ending, part] : {std::pair("tex", "\\toprule"), std::pair("md", "| ---: |"),
                                     std::pair("json", "\"rope\": \"Llama 2 7B\""), std::pair("txt", "Llama 2 7B")}) {
    place.good(table + Words{"-o", std::string("t.") + ending});
    EXPECT_THAT(place.read(std::string("t.") + ending), HasSubstr(part));
  }
  place.good({"render", "sweep", "--set", "sweep.show=table", "--set", "sweep.ropes=llama-2-7b", "-o", "t.svg"});
  for (const char* list : {"", ",,,", "llama-2-7b,", "llama-2-7b, ,current"}) {
    place.bad({"table", "--ropes", list}, {"--ropes", part_of("expected.commas")});
    place.bad({"table", "--cards", list}, {"--cards", part_of("expected.commas")});
  }
  place.bad({"table", "--ropes", "llama-9"}, {"sweep.ropes", "llama-9"});
  place.bad({"table", "--cards", "decay.nothing"}, {"decay.nothing"});
  place.bad({"table", "--format", "word"}, {"--format", "latex"});
}

}  // namespace
}  // namespace ropescope
