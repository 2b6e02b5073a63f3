// ropescope compare, folders in place of a config, and --as.

#include "tests/command_line/program.h"
#include "tests/places.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Compare = InWorkplace;
using As = InWorkplace;

constexpr const char* kPlain = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 8192})";
constexpr const char* kExtended = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8,
    "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})";

void write_in(const Workplace& place, const std::string& folder, const std::string& name, const std::string& content) {
  fs::create_directories(place.path(folder + "/" + name).parent_path());
  place.write(folder + "/" + name, content);
}

TEST_F(Compare, AFileAgreesWithItself) {
  place.write("a.json", kExtended);
  EXPECT_THAT(place.good({"compare", "a.json", "a.json"}), StartsWith("agrees\n"));
  const json found = json::parse(place.good({"compare", "a.json", "a.json", "--json"}));
  EXPECT_EQ(found["verdict"], "agrees");
  EXPECT_TRUE(found["differences"].empty());
}

// What a preset of an image model says of its tokens is compared as well: FLUX.1's grid begins at 0, Qwen-Image's is
// centred and its text comes after it.
TEST_F(Compare, PresetsOfImageModelsBringTheirLayouts) {
  const Outcome outcome = place.run({"compare", "qwen-image", "flux.1-dev", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  Words causes;
  const json found = json::parse(outcome.output);
  for (const json& each : found["differences"]) causes.push_back(each["cause"]);
  EXPECT_THAT(causes, testing::IsSupersetOf({"centring", "text-start"}));
  EXPECT_THAT(place.good({"compare", "qwen-image", "qwen-image"}), StartsWith("agrees\n"));
}

TEST_F(Compare, AnExtensionThatIsMissing) {
  place.write("a.json", kExtended);
  place.write("b.json", kPlain);
  const Outcome text = place.run({"compare", "a.json", "b.json"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_EQ(text.errors, "");
  EXPECT_THAT(text.output, AllOf(StartsWith("differs: extension llama3 (factor 8"), HasSubstr("A  a.json\n"),
                                 Says("compare.scaling_only_a"), HasSubstr("largest change of A²K ")));
  EXPECT_THAT(text.output, Not(HasSubstr("missing"))) << "without a baseline neither side is wrong";
  const Outcome outcome = place.run({"compare", "a.json", "b.json", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const json found = json::parse(outcome.output);
  EXPECT_EQ(found["verdict"], "differs");
  EXPECT_TRUE(found["baseline"].is_null());
  ASSERT_EQ(found["differences"].size(), 1u);
  const json& difference = found["differences"][0];
  EXPECT_EQ(difference["cause"], "scaling-missing");
  EXPECT_EQ(difference["profile"], "text");
  EXPECT_EQ(difference["b"], "none");
  EXPECT_GT(difference["largest_change"].get<double>(), 0.05);
  EXPECT_TRUE(difference["first_distance"].is_number());
  EXPECT_EQ(place.run({"compare", "b.json", "a.json"}).exit_code, 1);
}

// The numbers are NumPy's: max |K_b − K_a| over distances 0 … 262 144 (8 192 positions × the larger factor 32), both
// ladders of 64 channels, and the first distance above 0.05.
TEST_F(Compare, TheLargestChangeIsThatOfTheExtendedContext) {
  const auto with_factor = [](const std::string& factor) {
    return R"({"model_type": "llama", "head_dim": 64, "hidden_size": 2048, "num_attention_heads": 32,
        "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": )" +
           factor + R"(, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})";
  };
  place.write("a.json", with_factor("8"));
  place.write("b.json", with_factor("32"));
  const json found = json::parse(place.run({"compare", "a.json", "b.json", "--json"}).output);
  ASSERT_EQ(found["differences"].size(), 1u);
  const json& difference = found["differences"][0];
  EXPECT_EQ(difference["distances"], 262144);
  EXPECT_NEAR(difference["largest_change"].get<double>(), 0.262204056562, 1e-9);
  EXPECT_EQ(difference["at"], 53278);
  EXPECT_EQ(difference["first_distance"], 13705);
  EXPECT_THAT(place.run({"compare", "a.json", "b.json"}).output, HasSubstr("262144"));
}

TEST_F(Compare, OnlyABaselineNamesBugs) {
  const Words both = {"compare", "llama-2-7b", "llama-3.1-8b"};
  const auto with = [&](const Words& more) { return place.run(both + more); };
  EXPECT_THAT(with({}).output, StartsWith("differs: base 10000, 500000; extension none, llama3 (factor 8"));
  for (const std::string baseline : {"B", "llama-3.1-8b"}) {
    const Outcome judged = with({"--baseline", baseline});
    EXPECT_EQ(judged.exit_code, 1);
    EXPECT_THAT(judged.output,
                AllOf(StartsWith("disagrees: base and scaling-missing\n"), HasSubstr("B  llama-3.1-8b  (")));
  }
  const json found = json::parse(with({"--baseline", "A", "--json"}).output);
  EXPECT_EQ(found["verdict"], "disagrees");
  EXPECT_EQ(found["baseline"], "A");
  place.bad({"compare", "llama-2-7b", "llama-3.1-8b", "--baseline", "C"}, {"--baseline", "A or B"});
}

TEST_F(Compare, LayersWithoutRotationAreNamed) {
  std::string some = kPlain;
  some.insert(1, R"("no_rope_layer_interval": 4, )");
  some.replace(some.find("llama"), 5, "smollm3");
  std::string none = some;
  none.replace(none.find("interval\": 4"), 12, "interval\": 5");
  place.write("a.json", some);
  place.write("b.json", none);
  for (const Words& more : {Words{}, {"--baseline", "A"}}) {
    const Outcome outcome = place.run(Words{"compare", "a.json", "b.json"} + more);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.output, AllOf(HasSubstr(": layers without rotation\n"), Not(HasSubstr("dimension"))));
  }
}

TEST_F(Compare, ATrainedLengthAloneIsANote) {
  place.write("a.json", kPlain);
  std::string longer = kPlain;
  longer.replace(longer.find("8192"), 4, "4096");
  place.write("b.json", longer);
  const json found = json::parse(place.good({"compare", "a.json", "b.json", "--json"}));
  ASSERT_EQ(found["notes"].size(), 1u);
  EXPECT_TRUE(found["notes"][0]["cause"].is_null());
  EXPECT_EQ(found["notes"][0]["a"], 8192);
  EXPECT_TRUE(found["notes"][0]["first_distance"].is_null());
  EXPECT_THAT(place.good({"compare", "a.json", "b.json"}), HasSubstr("changes no score"));
}

TEST_F(Compare, PresetsExperimentsAndFolders) {
  write_in(place, "snapshot", "config.json", kExtended);
  place.write("config.json", kExtended);
  EXPECT_THAT(place.good({"compare", "snapshot", "config.json"}), StartsWith("agrees"));
  EXPECT_THAT(place.good({"compare", "llama-3.1-8b", "snapshot"}), StartsWith("agrees"));
  place.write("experiment.json", R"({"ropescope": 1, "rope": {"base": 500000, "rotary_dim": 128, "head_dim": 128,
      "trained_length": 8192, "pairing": "half"}})");
  const Outcome outcome = place.run({"compare", "experiment.json", "snapshot/", "--baseline", "B"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, StartsWith("disagrees: scaling-missing\n"));
}

// What "config" says of a file and a verdict needs to know is said with the verdict; what nobody understands is not
// judged.
TEST_F(Compare, RepeatsWhatAVerdictNeedsToKnow) {
  place.write("known.json", kPlain);
  place.write("guessed.json", R"({"model_type": "brand_new", "head_dim": 128, "rope_theta": 500000,
      "max_position_embeddings": 8192})");
  EXPECT_THAT(place.good({"compare", "known.json", "guessed.json"}), Says("config_note.unknown_type"));
  const json found = json::parse(place.good({"compare", "guessed.json", "guessed.json", "--json"}));
  ASSERT_EQ(found["remarks"].size(), 1u);
  EXPECT_THAT(found["remarks"][0].get<std::string>(), Says("config_note.unknown_type"));
  place.write("asks.json", R"({"model_type": "llama", "head_dim": 128, "rope_scaling_factor": 8.0})");
  place.bad({"compare", "known.json", "asks.json"},
            {"asks.json", "rope_scaling_factor", part_of("error.config.not_understood")});
  place.bad({"limits", "--config", "asks.json"}, {"rope_scaling_factor"});
  place.bad({"config", "asks.json", "--as", "llama.cpp"}, {"rope_scaling_factor"});
  EXPECT_THAT(place.good({"config", "asks.json"}), HasSubstr("rope_scaling_factor"));
}

TEST_F(Compare, BadInputIsNamed) {
  place.write("a.json", kPlain);
  place.write("broken.json", "{");
  fs::create_directories(place.path("empty"));
  place.bad({"compare", "a.json", "broken.json"}, {"broken.json", "line 1"});
  place.bad({"compare", "a.json", "llama-3.1-8c"},
            {"llama-3.1-8c", part_of("error.command.no_preset"), "llama-3.1-8b"});
  place.bad({"compare", "a.json", "empty"}, {"empty", "config.json"});
  place.bad({"compare", "a.json", ""}, {"empty"});
  place.bad({"compare", "a.json"}, {"B"});
  place.bad({"compare", "a.json", "a.json", "--as", "mlx"}, {"--as", "mlx", "numpy"});
  place.write("ltx.json", R"({"_class_name": "LTXVideoTransformer3DModel"})");
  place.bad({"compare", "a.json", "ltx.json"}, {"a.json", "ltx.json", "layout"});
}

TEST_F(Compare, SaysBothSidesInOtherWords) {
  place.write("a.json", kExtended);
  place.write("b.json", kPlain);
  const Outcome text = place.run({"compare", "a.json", "b.json", "--as", "llama.cpp"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output, AllOf(HasSubstr("\na.json in the words of llama.cpp\n  --rope-scaling none"),
                                 HasSubstr("rope_freqs.weight"), HasSubstr("\nb.json in the words of llama.cpp\n")));
  const json found = json::parse(place.run({"compare", "a.json", "b.json", "--as", "transformers", "--json"}).output);
  EXPECT_EQ(json::parse(found["as"]["a"]["text"].get<std::string>())["rope_parameters"]["rope_type"], "llama3");
  EXPECT_EQ(found["as"]["words"], "transformers");
  EXPECT_TRUE(found["as"]["b"]["unsaid"].is_array());
}

TEST_F(As, ConfigAndFrequenciesSayWhatTheyRead) {
  place.write("a.json", kExtended);
  const json written = json::parse(place.good({"config", "a.json", "--as", "transformers"}));
  EXPECT_EQ(written["rope_parameters"]["original_max_position_embeddings"], 8192);
  EXPECT_EQ(written["max_position_embeddings"], 131072) << "what the extension is for";
  place.write("back.json", written.dump());
  EXPECT_THAT(place.good({"compare", "a.json", "back.json"}), StartsWith("agrees"));
  const Outcome options = place.run({"frequencies", "--model", "llama-2-7b", "--as", "llama.cpp"});
  EXPECT_EQ(options.exit_code, 0);
  EXPECT_EQ(options.output, "--rope-scaling none --rope-freq-base 10000\n");
  EXPECT_THAT(options.errors, HasSubstr("no option changes them"));
  EXPECT_THAT(place.good({"frequencies", "--dim", "8", "--base", "100", "--as", "numpy"}),
              AllOf(StartsWith("import numpy\n"), HasSubstr("ladder(8, 100)")));
  place.bad({"config", "a.json", "--as", "numpy", "--json"}, {"--as", "--json"});
  place.bad({"frequencies", "--dim", "8", "--base", "100", "--as", "numpy", "--json"}, {"--as", "--json"});
  place.bad({"config", "a.json", "--as", "vllm"}, {"--as", "vllm", "transformers"});
  place.write("flux.json", R"({"_class_name": "FluxTransformer2DModel"})");
  place.bad({"config", "flux.json", "--as", "llama.cpp"}, {"--as llama.cpp", "axes"});
}

TEST_F(As, ALayoutIsSaidInNumPyAlone) {
  const Words layout = {"layout", "flux.1", "--size", "1664x928", "--text", "512", "--as"};
  const auto with = [&](std::initializer_list<std::string> more) { return layout + Words{more}; };
  EXPECT_THAT(
      place.good(with({"numpy"})),
      AllOf(StartsWith("import numpy\n"), HasSubstr("part(1, 58, 104, lambda i, t, row, column: (0, row, column))")));
  place.good(with({"numpy", "-o", "flux.py"}));
  EXPECT_THAT(place.read("flux.py"), HasSubstr("cos, sin = "));
  place.bad(with({"transformers"}), {"--as transformers", "layout", "numpy"});
  place.bad(with({"mlx"}), {"--as", "mlx", "numpy"});
  place.bad(with({"numpy", "--cos", "cos.npy"}), {"--as", "--cos"});
}

TEST(Folders, OpenWhereverAConfigDoes) {
  const Workplace place;
  write_in(place, "llama", "config.json", kExtended);
  place.write("config.json", kExtended);
  EXPECT_EQ(place.good({"frequencies", "--config", "llama"}), place.good({"frequencies", "--config", "config.json"}));
  EXPECT_EQ(place.good({"config", "llama/"}), place.good({"config", "config.json"}));
  write_in(place, "wan", "model_index.json", R"({"transformer": ["diffusers", "WanTransformer3DModel"]})");
  write_in(place, "wan", "transformer/config.json", R"({"_class_name": "WanTransformer3DModel"})");
  write_in(place, "wan", "vae/config.json", R"({"scale_factor_spatial": 16})");
  const Words size = {"layout", "wan", "--size", "64x32", "--config", "wan"};
  EXPECT_EQ(parse_csv(place.good(size)).size(), 1u + 2);
  EXPECT_THAT(place.good({"config", "wan"}), HasSubstr("wan ("));
  place.good({"layout", "wan", "--size", "64x32", "--config", "wan", "-o", "ids.npy"});
  EXPECT_THAT(place.good({"check", "--config", "wan", "--size", "64x32", "--ids", "ids.npy"}), StartsWith("agrees"));
  fs::create_directories(place.path("none"));
  place.bad({"frequencies", "--config", "none"}, {"none", "config.json"});
  place.bad({"layout", "wan", "--grid", "2x2", "--config", "none"}, {"none", "model_index.json"});
  place.bad({"check", "--config", "none", "--ids", "ids.npy", "--size", "64x32"}, {"none", "config.json"});
  place.bad({"render", "decay", "--config", "none", "-o", "a.svg"}, {"none", "config.json"});
}

TEST_F(Compare, RefusesOneFileForTwoResults) {
  place.bad({"compare", "llama-2-7b", "llama-2-7b", "--junit", "x", "-o", "./x"}, {"-o", "--junit", "\"x\""});
}

}  // namespace
}  // namespace ropescope
