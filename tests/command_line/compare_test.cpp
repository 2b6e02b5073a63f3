// ropescope compare, folders in place of a config, and --as.

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using Compare = InWorkplace;
using As = InWorkplace;

constexpr const char* kPlain = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 8192})";
constexpr const char* kExtended = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8,
    "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})";

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

}  // namespace
}  // namespace ropescope
