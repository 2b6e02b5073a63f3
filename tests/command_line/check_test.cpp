#include "tests/command_line/check_tables.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using CheckCommand = InWorkplace;

/// Runs a check that must disagree; standard output.
std::string disagreeing(const Workplace& place, const Words& words) {
  const Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors << outcome.output;
  EXPECT_EQ(outcome.errors, "");
  return outcome.output;
}
json disagreeing_json(const Workplace& place, Words words) {
  words.push_back("--json");
  return json::parse(disagreeing(place, words));
}

TEST_F(CheckCommand, HowATableRepeatsIsANote) {
  const PlainTable table;
  const auto repeated = [&](const std::vector<double>& values, bool by_halves) {
    std::vector<double> wide;
    const auto pairs = static_cast<std::size_t>(table.dim) / 2;
    for (std::size_t row = 0; row < values.size(); row += pairs) {
      for (std::size_t c = 0; c < 2 * pairs; ++c) wide.push_back(values[row + (by_halves ? c % pairs : c / 2)]);
    }
    return wide;
  };
  for (const bool by_halves : {true, false}) {
    const std::vector<std::int64_t> shape = {table.tokens, table.dim};
    place.write("cos.npy", npy(shape, repeated(table.cosines(), by_halves)));
    place.write("sin.npy", npy(shape, repeated(table.sines(), by_halves)));
    const Words check = plain_check(tables_of(place));
    // How a table repeats does not say how q is turned.
    const std::string said = place.good(check);
    EXPECT_THAT(said, StartsWith("agrees"));
    EXPECT_EQ(said.find(part_of("check.note.stored_adjacent")) != std::string::npos, !by_halves);
  }
}

TEST_F(CheckCommand, TwoDumpsWithoutAModel) {
  const PlainTable table;
  write_tables(place, table);
  place.write("right_cos.npy", npy(table.shape(), table.cosines()));
  place.write("right_sin.npy", npy(table.shape(), table.sines()));
  Words words = {"check", "--against-cos", place.path("right_cos.npy"), "--against-sin", place.path("right_sin.npy")};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(place.good(words), StartsWith("agrees"));
  PlainTable other;
  other.base = 20000;
  write_tables(place, other);
  EXPECT_THAT(disagreeing(place, words), StartsWith("disagrees"));
  words.insert(words.end(), {"--dim", "32", "--base", "10000"});
  place.bad(words, {"--against-cos", "rotary embedding"});
}

/// Weights that were trained with the model's sign are given other scores by the other one: continuous integration that
/// looks at the exit code must see it.
TEST_F(CheckCommand, AWrongSignFailsUnlessItIsAllowed) {
  PlainTable table;
  table.dim = 128;
  std::vector<double> backwards = table.sines();
  for (double& sine : backwards) sine = -sine;
  place.write("cos.npy", npy(table.shape(), table.cosines()));
  place.write("sin.npy", npy(table.shape(), backwards));
  place.write("right.npy", npy(table.shape(), table.sines()));
  place.write("config.json", R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
                                 "rope_theta": 10000.0, "max_position_embeddings": 4096})");
  const auto told = [&](Words words) {
    words.insert(words.begin(), "check");
    for (const std::string& word : tables_of(place)) words.push_back(word);
    words.insert(words.end(), {"--junit", "report.xml"});
    return words;
  };
  const std::string cosines = place.path("cos.npy"), right = place.path("right.npy");
  for (const Words& released :
       {Words{"--model", "llama-2-7b"}, Words{"--model", "llama-2-7b", "--base", "10000"},
        Words{"--config", place.path("config.json")}, Words{"--layout", "text", "--text", "40", "--head-dim", "128"},
        Words{"--against-cos", cosines, "--against-sin", right}}) {
    SCOPED_TRACE(released[1]);
    Words words = told(released);
    EXPECT_THAT(disagreeing(place, words), StartsWith("disagrees: sign\n"));
    EXPECT_THAT(place.read("report.xml"), HasSubstr("<failure message=\"disagrees: sign"));
    const json cause = disagreeing_json(place, words)["causes"].at(0);
    EXPECT_EQ(cause["harmless"], false);
    EXPECT_THAT(cause["advice"].get<std::string>(), HasSubstr("--allow sign"));
    words.insert(words.end(), {"--allow", "sign"});
    EXPECT_THAT(place.good(words), StartsWith("agrees (sign: harmless)\n"));
    EXPECT_THAT(place.read("report.xml"), Not(HasSubstr("<failure")));
    words.push_back("--json");
    EXPECT_EQ(json::parse(place.good(words))["causes"].at(0)["harmless"], true);
  }
  // Nobody's weights yet: whoever chose the numbers chooses the sign.
  EXPECT_THAT(place.good(told({"--dim", "128", "--base", "10000"})), StartsWith("agrees (sign: harmless)\n"));
  // Another fault beside it is none the less one.
  EXPECT_THAT(disagreeing(place, told({"--model", "llama-2-7b", "--base", "20000", "--allow", "sign"})),
              StartsWith("disagrees: base (sign: harmless)\n"));
}

TEST_F(CheckCommand, FrequenciesAreCounted) {
  std::vector<double> frequencies;
  for (int i = 0; i < 96; ++i) frequencies.push_back(std::pow(20000.0, -i / 64.0));
  const Words words = {"check", "--dim", "128", "--base", "20000", "--frequencies", place.path("f.npy")};
  for (const std::int64_t count : {1, 32, 63, 65, 96}) {
    const auto end = frequencies.begin() + count;
    place.write("f.npy", npy({count}, {frequencies.begin(), end}));
    const std::string text = disagreeing(place, words);
    EXPECT_THAT(text, StartsWith("disagrees: length\n"));
    EXPECT_THAT(text, Says("check.note.frequencies", {{"due", "64"}}));
    EXPECT_EQ(disagreeing_json(place, words)["causes"].at(0)["parameters"]["pairs"], count);
  }
  place.write("f.npy", npy({64}, {frequencies.begin(), frequencies.begin() + 64}));
  EXPECT_THAT(place.good(words), StartsWith("agrees\n"));
}

TEST_F(CheckCommand, JsonSaysEverything) {
  PlainTable table;
  table.base = 20000;
  write_tables(place, table);
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  for (const char* key : {"verdict", "causes", "notes", "inputs", "reach"}) EXPECT_TRUE(report.contains(key)) << key;
  const json& cause = report["causes"][0];
  for (const char* key :
       {"name", "also", "confidence", "parameters", "residual_before", "residual_after", "evidence", "harmless"}) {
    EXPECT_TRUE(cause.contains(key)) << key;
  }
  EXPECT_EQ(cause["harmless"], false);
  EXPECT_TRUE(cause["parameters"].is_object());
  const double confidence = cause["confidence"];
  EXPECT_TRUE(confidence > 0 && confidence <= 1);
  ASSERT_EQ(report["inputs"].size(), 2u);
  const json& input = report["inputs"][0];
  EXPECT_EQ(input["input"], "cos");
  EXPECT_EQ(input["storage"], "float32");
  EXPECT_EQ(input["agrees"], false);
  EXPECT_GT(input["largest_difference"].get<double>(), input["tolerance"].get<double>());
  EXPECT_GE(input["token"].get<int>(), 1);
  EXPECT_GE(input["pair"].get<int>(), 1);
}

}  // namespace
}  // namespace ropescope
