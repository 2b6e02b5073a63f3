#include "tests/command_line/program.h"
#include "tests/gguf_files.h"

namespace ropescope {
namespace {

using GgufCommands = InWorkplace;

GgufWriter qwen2() {
  GgufWriter writer;
  add_model(writer, "qwen2", 32768, 3584, 28).real("qwen2.rope.freq_base", 1e6);
  return writer;
}

TEST_F(GgufCommands, ConfigSaysWhatWasReadAndFromWhichKey) {
  place.write("m.gguf", qwen2().file());
  const std::string text = place.good({"config", "m.gguf"});
  EXPECT_THAT(text, HasSubstr("model type      qwen2"));
  EXPECT_THAT(text, HasSubstr("base            1000000  (qwen2.rope.freq_base)"));
  const json found = json::parse(place.good({"config", "m.gguf", "--json"}));
  EXPECT_EQ(found["profiles"][0]["origin"]["trained_length"], "qwen2.context_length");
}

TEST_F(GgufCommands, AModelFileStandsWhereverAConfigDoes) {
  place.write("m.gguf", qwen2().file());
  const std::string frequencies = place.good({"frequencies", "--config", "m.gguf"});
  EXPECT_EQ(frequencies, place.good({"frequencies", "--dim", "128", "--base", "1000000"}));
  place.good({"render", "decay", "--config", "m.gguf", "-o", "decay.csv"});
}

TEST_F(GgufCommands, CheckFindsTheBaseOfAnotherModel) {
  place.write("m.gguf", qwen2().file());
  for (const auto& [base, code] : {std::pair("1000000", 0), std::pair("10000", 1)}) {
    const json table = json::parse(place.good({"frequencies", "--dim", "128", "--base", base, "--json"}));
    std::string rows;
    for (const json& frequency : table["frequencies"]) rows += frequency.dump() + "\n";
    place.write("f.csv", rows);
    EXPECT_EQ(place.run({"check", "--config", "m.gguf", "--frequencies", "f.csv"}).exit_code, code) << base;
  }
}

TEST_F(GgufCommands, ErrorsNameTheFile) {
  const std::string whole = qwen2().tensor("rope_freqs.weight", {1, 2}).file();
  place.write("cut.gguf", whole.substr(0, 90));
  place.bad({"config", "cut.gguf"}, {"cut.gguf"});
  place.write("part-00001-of-00002.gguf", qwen2().whole("split.no", 0).whole("split.count", 2).file());
  place.bad({"frequencies", "--config", "part-00001-of-00002.gguf"}, {"part 2 of 2", "part-00002-of-00002.gguf"});
  place.write("m.gguf", qwen2().file());
  place.bad({"layout", "flux.1", "--size", "64x64", "--config", "m.gguf"}, {"m.gguf", "no image layout"});
  place.bad({"check", "--config", "m.gguf", "--size", "64x64", "--cos", "a.npy", "--sin", "b.npy"}, {"m.gguf"});
}

}  // namespace
}  // namespace ropescope
