#include "core/formats/families/gguf_config.h"

#include "core/formats/families/gguf_architectures.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/gguf_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

ModelConfig read_gguf_config(const std::string& content) {
  const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
  return parse_gguf_config({&file, 1});
}
Profile parse_only_profile(const std::string& content) {
  const ModelConfig config = read_gguf_config(content);
  EXPECT_EQ(config.profiles.size(), 1u);
  return config.profiles.front();
}
std::string find_gguf_config_error(const std::string& content) {
  return refusal_of([&] { read_gguf_config(content); });
}

GgufWriter make_gguf_llama() {
  GgufWriter writer;
  add_model(writer, "llama", 131072, 4096, 32).whole("llama.rope.dimension_count", 128);
  writer.real("llama.rope.freq_base", 500000);
  return writer;
}

/// What a converter writes for llama3, in float32.
std::vector<double> compute_llama3_factors(double factor, double low, double high, double length) {
  RotarySpec spec;
  spec.axes.front().base = 500000;
  spec.trained_length = length;
  spec.extension = {"llama3", {{"factor", factor}, {"low_frequency_factor", low}, {"high_frequency_factor", high}}, {}};
  const Eigen::VectorXd plain = plain_frequencies(128, 500000), scaled = head_ladder(spec).frequencies;
  std::vector<double> factors;
  for (Eigen::Index i = 0; i < plain.size(); ++i) factors.push_back(static_cast<float>(plain[i] / scaled[i]));
  return factors;
}

TEST(GgufConfig, ALlamaMeansWhatItsOwnConfigMeans) {
  const std::string content =
      make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(8, 1, 4, 8192)).file();
  const Profile converted = parse_only_profile(content);
  const ModelConfig own = parse_model_config(
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
          "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
      "config.json");
  RotarySpec spec = converted.spec;
  EXPECT_EQ(spec.pairing, Pairing::interleaved);
  EXPECT_TRUE(converted.permuted);
  spec.pairing = Pairing::half_split;
  EXPECT_EQ(spec, own.profiles.front().spec);
  EXPECT_THAT(said(converted.notes), Contains(Says("gguf_note.permuted")));
  EXPECT_THAT(said(converted.notes), Contains(Says("gguf_note.llama3", {{"tensor", "rope_freqs.weight"}})));
  EXPECT_THAT(said(converted.notes), Contains(Says("config_note.lengths", {{"other", "llama.context_length"},
                                                                           {"length", "131072"},
                                                                           {"taken", "rope_freqs.weight"},
                                                                           {"trained", "8192"}})));
}

TEST(GgufConfig, FactorsOfOtherNumbersAreFound) {
  for (const auto& [factor, low, high, length] :
       {std::array{32.0, 1.0, 4.0, 8192.0}, std::array{16.0, 1.0, 2.0, 4096.0}, std::array{8.0, 1.0, 8.0, 65536.0}}) {
    const Profile profile = parse_only_profile(
        make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(factor, low, high, length)).file());
    EXPECT_EQ(profile.spec.extension.method, "llama3");
    EXPECT_EQ(profile.spec.extension.numbers.at("factor"), factor);
    EXPECT_EQ(profile.spec.extension.numbers.at("high_frequency_factor"), high);
    EXPECT_EQ(profile.spec.trained_length, length);
  }
  // Only length/low and length/high can be told: these are the same factors as those of 1, 4 and 8192.
  const Profile same =
      parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", compute_llama3_factors(8, 0.5, 2, 4096)).file());
  EXPECT_EQ(same.spec.trained_length, 8192);
}

TEST(GgufConfig, OtherFactorsStayAList) {
  std::vector<double> factors(64, 1.0);
  factors[10] = 3;
  const Profile profile = parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", factors).file());
  EXPECT_EQ(profile.spec.extension.method, "longrope");
  EXPECT_EQ(profile.spec.extension.lists.at("short_factors"), factors);
  EXPECT_EQ(profile.spec.extension.lists.at("long_factors"), factors);
  EXPECT_EQ(head_ladder(profile.spec).amplitude, 1);
  EXPECT_THAT(said(profile.notes), Contains(Says("gguf_note.factors")));
  factors[10] = 1;
  EXPECT_EQ(parse_only_profile(make_gguf_llama().tensor("rope_freqs.weight", factors).file()).spec.extension.method,
            "none");
}

TEST(GgufConfig, FactorsThatDoNotFit) {
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", {1, 2}).file()),
              Says("error.gguf.few_factors", {{"name", "rope_freqs.weight"}, {"count", "2"}, {"pairs", "64"}}));
  std::vector<double> factors(64, 1.0);
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors, 26).file()),
              Says("error.gguf.factor_type", {{"name", "rope_freqs.weight"}, {"type", "26"}}));
  factors[3] = 0;
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.factor", {{"found", "0"}, {"pair", "3"}}));
  factors[3] = NAN;
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.factor", {{"pair", "3"}}));
  factors[3] = 2;
  GgufWriter both = make_gguf_llama();
  both.text("llama.rope.scaling.type", "yarn").real("llama.rope.scaling.factor", 4);
  EXPECT_THAT(find_gguf_config_error(both.tensor("rope_freqs.weight", factors).file()),
              Says("error.gguf.yarn_and_factors"));
  EXPECT_THAT(find_gguf_config_error(make_gguf_llama().real("llama.rope.scaling.factor", INFINITY).file()),
              Says("expected.finite"));
}

TEST(GgufConfig, SplitFilesAreReadTogether) {
  const auto part = [](std::uint64_t number, std::uint64_t count, std::uint64_t tensors, GgufWriter writer) {
    return writer.whole("split.no", number, GgufType::uint16)
        .whole("split.count", count, GgufType::uint16)
        .whole("split.tensors.count", tensors, GgufType::int32)
        .file();
  };
  const std::string first = part(0, 2, 1, make_gguf_llama());
  const std::string second =
      part(1, 2, 1, GgufWriter().tensor("rope_freqs.weight", compute_llama3_factors(8, 1, 4, 8192)));
  const GgufFile a = read_gguf(bytes_of(first), "m-00001-of-00002.gguf");
  const GgufFile b = read_gguf(bytes_of(second), "m-00002-of-00002.gguf");
  EXPECT_THAT(gguf_parts(a, "x/m-00001-of-00002.gguf"),
              ElementsAre("x/m-00001-of-00002.gguf", "x/m-00002-of-00002.gguf"));
  EXPECT_THAT(gguf_parts(b, "m-00002-of-00002.gguf"), ElementsAre("m-00001-of-00002.gguf", "m-00002-of-00002.gguf"));
  EXPECT_REFUSED(gguf_parts(b, "m.gguf"),
                 Says("error.gguf.split_name", {{"number", "2"}, {"count", "2"}, {"ending", "-00002-of-00002.gguf"}}));
  const auto together = [](std::vector<GgufFile> parts) { return parse_gguf_config(parts); };
  EXPECT_EQ(together({a, b}).profiles.front().spec.extension.method, "llama3");
  EXPECT_REFUSED(together({a}), Says("error.gguf.parts_missing", {{"there", "1"}, {"count", "2"}}));
  EXPECT_REFUSED(together({b, a}),
                 Says("error.gguf.other_part", {{"number", "2"}, {"count", "2"}, {"expected", "1"}, {"of", "2"}}));
  const std::string claims = part(0, 2, 7, make_gguf_llama());
  EXPECT_REFUSED(together({read_gguf(bytes_of(claims), "m"), b}),
                 Says("error.gguf.split_tensors", {{"declared", "7"}, {"there", "1"}}));
  EXPECT_REFUSED(gguf_parts(read_gguf(bytes_of(part(5, 2, 1, make_gguf_llama())), "m"), "m"),
                 Says("error.gguf.split", {{"number", "6"}, {"count", "2"}}));
}

}  // namespace
}  // namespace ropescope
