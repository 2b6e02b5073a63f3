// The command `vectors`: the numbers that core computes, in three formats that agree, and errors that name file and
// layer.

#include "core/formats/dumps/dump.h"
#include "core/rotary/spec.h"
#include "tests/command_line/program.h"
#include "tests/layered_files.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class VectorsCommand : public testing::Test {
 protected:
  Workplace place;
  std::string base = safetensors_of(random_layers(3, 24, 4, 2, 16));

  VectorsCommand() {
    place.write("base.safetensors", base);
    place.write("child.safetensors", safetensors_of(random_layers(2, 20, 4, 2, 16, 50)));
  }

  AttentionDump layer(std::int64_t number) const {
    DumpReading reading;
    reading.layer = number;
    return parse_attention_dump(std::as_bytes(std::span(base)), nullptr, "base.safetensors", reading);
  }

  std::string table(const std::string& what, Words more = {}) const {
    more.insert(more.begin(), {"vectors", "base.safetensors", "--base", "500", "--what", what});
    return place.good(more);
  }
};

TEST_F(VectorsCommand, TellsWhatCoreComputes) {
  const auto pairs = parse_csv(table("pairs"));
  ASSERT_EQ(pairs.size(), 1u + 3 * 4 * 8);
  EXPECT_THAT(pairs[0], ElementsAre("layer", "head", "pair", "frequency", "query", "key", "product", "query_direction",
                                    "query_angle", "key_direction", "key_angle"));
  const LayerMeans means = layer_means(layer(2), 24, Pairing::half_split, 8);
  const auto& row = pairs[1 + (2 * 4 + 3) * 8 + 5];
  EXPECT_THAT(std::vector(row.begin(), row.begin() + 3), ElementsAre("2", "4", "5"));
  EXPECT_EQ(std::stod(row[3]), plain_frequencies(16, 500)[5]);
  EXPECT_EQ(std::stod(row[4]), means.queries[3].size[5]);
  EXPECT_EQ(std::stod(row[6]), means.product(3)[5]);
  EXPECT_EQ(std::stod(row[7]), std::abs(means.queries[3].direction()[5]));
  EXPECT_EQ(std::stod(row[10]), std::arg(means.keys[1].direction()[5]));

  const auto scores = parse_csv(table("scores", {"--layer", "1", "--head", "2", "--tokens", "10"}));
  ASSERT_EQ(scores.size(), 11u);
  const HeadTurns turns = head_turns(plain_frequencies(16, 500), 10, Pairing::half_split, 0.25);
  const HeadScores expected = layer_scores(layer(1), 1, 1, 10, turns).front();
  EXPECT_THAT(std::vector(scores[8].begin(), scores[8].begin() + 3), ElementsAre("1", "2", "7"));
  EXPECT_EQ(std::stod(scores[8][3]), expected.mean[7]);
  EXPECT_EQ(std::stod(scores[8][4]), expected.bound[7]);
  EXPECT_EQ(std::stod(scores[8][5]), expected.bias[7]);

  const auto heads = parse_csv(table("heads"));
  ASSERT_EQ(heads.size(), 1u + 3 * 4);
  EXPECT_EQ(std::stod(heads[12][5]), means.fixed_share(3));
}

TEST_F(VectorsCommand, EveryFormHoldsTheSameNumbers) {
  for (const std::string what : {"pairs", "scores", "heads"}) {
    const auto csv = parse_csv(table(what, {"--against", "child.safetensors"}));
    const json json = json::parse(table(what, {"--against", "child.safetensors", "--json"}));
    EXPECT_EQ(table(what, {"--against", "child.safetensors", "-o", "rows.npy"}), "");
    const std::string npy = place.read("rows.npy");
    const Tensor rows = parse_npy(std::as_bytes(std::span(npy)), "rows.npy");
    ASSERT_THAT(rows.shape, ElementsAre(std::ssize(csv) - 1, std::ssize(csv[0]))) << what;
    ASSERT_EQ(json.size(), csv.size() - 1);
    for (std::size_t row = 1; row < csv.size(); ++row) {
      for (std::size_t column = 0; column < csv[0].size(); ++column) {
        const double number = std::stod(csv[row][column]);
        EXPECT_EQ(rows.values[(row - 1) * csv[0].size() + column], number);
        EXPECT_EQ(json[row - 1][csv[0][column]].get<double>(), number);
      }
    }
  }
  EXPECT_THAT(parse_csv(table("heads", {"--against", "child.safetensors"}))[0].back(), "moved_share");
  EXPECT_THAT(parse_csv(table("heads", {"--against", "base.safetensors"}))[3].back(), "0");
}

TEST_F(VectorsCommand, SaysWhatOnlyOneOfTwoFilesHas) {
  const auto told = [this](const std::string& first, const std::string& second, Words more = {}) {
    more.insert(more.begin(), {"vectors", first, "--against", second, "--base", "500", "--what", "heads"});
    const Outcome outcome = place.run(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(parse_csv(outcome.output).size(), more.size() == 8 ? 9u : 5u) << "the rows of both layers that both have";
    return outcome.errors;
  };
  const std::string left_out =
      said(Message("notice.layers_omitted",
                   {{"count", 1}, {"layers", "2"}, {"file", "base.safetensors"}, {"other", "child.safetensors"}}));
  EXPECT_THAT(told("base.safetensors", "child.safetensors"), HasSubstr(left_out));
  EXPECT_THAT(told("child.safetensors", "base.safetensors"), HasSubstr(left_out));
  // Of one layer none is left out, but tokens are.
  for (const auto& [first, second] : {std::pair("base", "child"), std::pair("child", "base")}) {
    const std::string tokens =
        told(first + std::string(".safetensors"), second + std::string(".safetensors"), {"--layer", "1"});
    EXPECT_THAT(tokens,
                Says("notice.tokens_omitted",
                     {{"count", "20"}, {"all", "24"}, {"file", "base.safetensors"}, {"other", "child.safetensors"}}));
    EXPECT_THAT(tokens, Not(HasSubstr("layer")));
  }
  const Outcome asked = place.run({"vectors", "base.safetensors", "--against", "child.safetensors", "--base", "500",
                                   "--layer", "1", "--tokens", "20"});
  EXPECT_EQ(asked.errors, "") << "nothing is left out that was asked for";
  place.write("long.safetensors", safetensors_of(random_layers(9, 4, 4, 2, 16)));
  EXPECT_THAT(told("child.safetensors", "long.safetensors"),
              HasSubstr("layers 2, 3, 4, 5, … (7 in all) are only in long.safetensors"));
}

TEST_F(VectorsCommand, AnyNumberOfThreadsWritesTheSameBytes) {
  for (const std::string what : {"pairs", "scores", "heads"}) {
    const std::string one = table(what, {"--threads", "1"});
    EXPECT_EQ(table(what, {"--threads", "3"}), one);
  }
}

TEST_F(VectorsCommand, TheOtherMayHaveARopeOfItsOwn) {
  place.write("config.json", R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "head_dim": 16,
                                 "rope_theta": 9000.0, "max_position_embeddings": 4096})");
  const auto rows = parse_csv(table("pairs", {"--against", "child.safetensors", "--against-config", "config.json"}));
  EXPECT_EQ(rows[0][11], "against_frequency");
  EXPECT_EQ(std::stod(rows[3][3]), plain_frequencies(16, 500)[2]);
  EXPECT_EQ(std::stod(rows[3][11]), plain_frequencies(16, 9000)[2]);
}

TEST_F(VectorsCommand, NamesWhatIsWrong) {
  const auto bad = [&](const Words& more, const Words& culprits) { place.bad(Words{"vectors"} + more, culprits); };
  bad({"base.safetensors"}, {part_of("error.command.no_rope"), "--base"});
  bad({"missing.npz", "--base", "500"}, {"missing.npz"});
  bad({"base.safetensors", "--base", "500", "--layer", "7"}, {"--layer", "7"});
  bad({"base.safetensors", "--base", "500", "--head", "5"}, {"--head", "1 to 4"});
  bad({"base.safetensors", "--base", "500", "--what", "all"}, {"--what", "pairs, scores or heads"});
  bad({"base.safetensors", "--base", "500", "--dim", "32"}, {"base.safetensors", "head_dim is 16"});
  bad({"base.safetensors", "--base", "500", "--against-model", "llama-2-7b"}, {"--against"});
  std::vector<DumpArray> arrays = random_layers(2, 24, 4, 2, 16);
  arrays[3].values[9] = std::nan("");
  place.write("holed.safetensors", safetensors_of(arrays));
  bad({"holed.safetensors", "--base", "500", "-o", "rows.csv"}, {"k.1", "NaN"});
  arrays.pop_back();
  place.write("half.safetensors", safetensors_of(arrays));
  bad({"half.safetensors", "--base", "500"}, {"half.safetensors", "q.1", "k.1"});
  arrays = random_layers(2, 24, 4, 2, 16);
  arrays[2] = random_array("q.1", {24, 8, 16}, 3);
  place.write("other.safetensors", safetensors_of(arrays));
  bad({"other.safetensors", "--base", "500", "-o", "rows.npy"}, {"q.1", "[24, 8, 16]", "q.0"});
  place.write("wide.safetensors", safetensors_of(random_layers(2, 20, 4, 4, 16)));
  bad({"base.safetensors", "--base", "500", "--against", "wide.safetensors"}, {"wide.safetensors", "base.safetensors"});
}

}  // namespace
}  // namespace ropescope
