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

/// An option beside a config means what it says, also where another part of the model has this value.
TEST(CommandCheck, OptionsBesideAConfigCount) {
  Workplace place;
  place.write("config.json", R"({"model_type": "qwen2_vl", "hidden_size": 1024, "num_attention_heads": 32,
      "rope_theta": 1000000.0, "vision_config": {"model_type": "qwen2_vl", "embed_dim": 1280, "num_heads": 16}})");
  PlainTable table;
  table.base = 1e6;
  write_tables(place, table);
  const auto code = [&](Words more) {
    return place.run(Words{"check", "--config", "config.json", "--cos", "cos.npy", "--sin", "sin.npy"} + more)
        .exit_code;
  };
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--base", "10000"}), 1);
  EXPECT_EQ(code({"--base", "1000000"}), 0);
}

TEST_F(CheckCommand, TablesOfALayoutAgree) {
  const Words layout = {"flux.1", "--grid", "5x7", "--text", "3"};
  Words write = Words{"layout"} + layout;
  write.insert(write.end(),
               {"-o", place.path("ids.npy"), "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  place.good(write);
  Words check = Words{"check", "--layout"} + layout;
  check.insert(check.end(),
               {"--cos", place.path("cos.npy"), "--sin", place.path("sin.npy"), "--ids", place.path("ids.npy")});
  const std::string text = place.good(check);
  EXPECT_THAT(text, StartsWith("agrees"));
  EXPECT_THAT(text, HasSubstr("cos.npy: float32"));
  EXPECT_THAT(text, HasSubstr("how far positions reach"));

  // The image alone: its rows without those of the text.
  write[5] = "0";
  place.good(write);
  check.insert(check.end(), {"--part", "image"});
  EXPECT_THAT(place.good(check), StartsWith("agrees"));
}

TEST_F(CheckCommand, AWrongBaseIsNamedAndFitted) {
  PlainTable table;
  table.base = 500000;
  write_tables(place, table);
  const std::string text = disagreeing(place, plain_check(tables_of(place)));
  EXPECT_THAT(text, StartsWith("disagrees: base\n"));
  EXPECT_THAT(text, HasSubstr("https://github.com/"));
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  EXPECT_EQ(report["verdict"], "disagrees");
  ASSERT_EQ(report["causes"].size(), 1u);
  const json& cause = report["causes"][0];
  EXPECT_EQ(cause["name"], "base");
  EXPECT_NEAR(cause["parameters"]["base"].get<double>(), 500000, 500);
  EXPECT_GT(cause["residual_before"].get<double>(), 0.1);
  EXPECT_LT(cause["residual_after"].get<double>(), 1e-5);
}

TEST_F(CheckCommand, AnOffsetIsNamed) {
  PlainTable table;
  table.offset = 1;
  write_tables(place, table);
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  EXPECT_EQ(report["causes"][0]["name"], "position-offset");
  EXPECT_THAT(report["causes"][0]["parameters"]["offset"], ElementsAre(1));
  // Told that the positions begin at 1, the same tables agree.
  Words told = plain_check(tables_of(place)) + Words{"--positions", "1:40"};
  EXPECT_THAT(place.good(told), StartsWith("agrees"));
  place.write("positions.csv", [] {
    std::string lines = "position\n";
    for (int position = 1; position <= 40; ++position) lines += std::to_string(position) + "\n";
    return lines;
  }());
  told.back() = place.path("positions.csv");
  EXPECT_THAT(place.good(told), StartsWith("agrees"));
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

TEST_F(CheckCommand, IdsThatMustBeEqualAreSaidToBe) {
  place.good({"layout", "flux.1", "--grid", "2x3", "--text", "1", "-o", place.path("ids.npy")});
  const std::string text =
      place.good({"check", "--layout", "flux.1", "--grid", "2x3", "--text", "1", "--ids", place.path("ids.npy")});
  EXPECT_THAT(text, HasSubstr("; ids must be equal there"));
  EXPECT_THAT(text, Not(HasSubstr("is tolerated there")));
  write_tables(place, PlainTable());
  EXPECT_THAT(place.good(plain_check(tables_of(place))), HasSubstr("is tolerated there"));
}

TEST_F(CheckCommand, OptionsThatDoNotFitTogether) {
  write_tables(place, PlainTable());
  const Words tables = tables_of(place);
  const auto bad = [&](const Words& words, const Words& culprits) { place.bad(Words{"check"} + words, culprits); };
  const auto with = [](const Words& words, const Words& more) { return words + more; };
  const Words rope = {"--dim", "32", "--base", "10000"};
  bad(tables, {"--config", "--model", "--dim"});
  bad(rope, {"nothing to check", "--ids", "--cos"});
  bad(with(rope, {"--cos", place.path("cos.npy")}), {"--cos", "--sin"});
  bad(with(rope, {"--after", place.path("cos.npy")}), {"--after", "--before"});
  bad(with(with(rope, tables), {"--size", "64x64"}), {"--size", "--layout"});
  bad(with(with(rope, tables), {"--q-layout", "dht"}), {"--q-layout", "dht", "thd"});
  bad(with(with(rope, tables), {"--allow", "base"}), {"--allow", "base", "sign"});
  bad(with(with(rope, tables), {"--allow", ""}), {"--allow", "sign"});
  bad(with(with(rope, tables), {"--positions", "1,two"}), {"--positions", "two"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--model", "llama-3.1-8b"}, tables), {"--model", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--positions", "1,2"}, tables), {"--positions", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--factor", "2"}, tables), {"context extension", "flux.1"});
  bad(with({"--layout", "flux.9", "--grid", "4x4"}, tables), {"flux.9", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--part", "middle"}, tables), {"middle", "image"});
  bad(with({"--against-cos", place.path("cos.npy")}, tables), {"--against-cos", "--against-sin"});
}

TEST_F(CheckCommand, AConfigNamesItsLayoutWhereASizeIsGiven) {
  place.write("config.json", R"({"_class_name": "FluxTransformer2DModel", "num_attention_heads": 24,
    "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]})");
  place.good({"layout", "flux.1", "--grid", "3x5", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  Words words = {"check", "--config", place.path("config.json"), "--grid", "3x5"};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(place.good(words), StartsWith("agrees"));
}

TEST_F(CheckCommand, TheVerdictSaysWhichSizeFits) {
  place.good({"layout", "flux.1", "--size", "256x256", "--text", "7", "--cos", place.path("cos.npy"), "--sin",
              place.path("sin.npy")});
  Words words = {"check", "--layout", "flux.1", "--size", "448x256", "--text", "7"};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(disagreeing(place, words), StartsWith("disagrees: length (size 256x256)\n"));
}

TEST_F(CheckCommand, AnImageModelWithoutASizeIsNotTakenForText) {
  place.write("flux.json", R"({"_class_name": "FluxTransformer2DModel", "num_attention_heads": 24,
    "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]})");
  place.write("dino.json", R"({"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6,
    "rope_theta": 100, "patch_size": 16})");
  place.good({"layout", "flux.1", "--grid", "3x5", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  const Words tables = tables_of(place);
  const auto with = [](const Words& words, const Words& more) { return words + more; };
  for (const char* config : {"flux.json", "dino.json"}) {
    place.bad(with({"check", "--config", place.path(config)}, tables),
              {config, part_of("error.command.image_size"), "--size"});
  }
  place.bad(with({"check", "--model", "flux.1-dev"}, tables), {"flux.1-dev", "--layout", "--size"});
  // A model of text that sees images too has texts without any.
  place.write("vl.json", R"({"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})");
  place.good({"layout", "text", "--text", "7", "--head-dim", "128", "--base", "1000000", "--cos", place.path("c.npy"),
              "--sin", place.path("s.npy")});
  EXPECT_THAT(place.good({"check", "--config", place.path("vl.json"), "--cos", place.path("c.npy"), "--sin",
                          place.path("s.npy")}),
              StartsWith("agrees"));
}

TEST_F(CheckCommand, ALayoutTakesNoLadderOfItsOwn) {
  place.good({"layout", "flux.1", "--grid", "4x6", "-o", "ids.npy"});
  place.good({"check", "--layout", "flux.1", "--grid", "4x6", "--ids", "ids.npy"});
  place.bad({"check", "--layout", "flux.1", "--grid", "4x6", "--ids", "ids.npy", "--ladder", "1,0.5"},
            {"--ladder", "flux.1"});
}

}  // namespace
}  // namespace ropescope
