#include "core/formats/families/gguf_config.h"
#include "core/scaling/scaling.h"
#include "tests/gguf_files.h"
#include "tests/unit/format_files.h"
#include "tests/unit/reference_data.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

/// Factors stand in the file as float32, which the converter computed in some steps; ours are llama3's own.
constexpr double kFactors = 5e-6;
/// Else only numbers of the metadata are float32, and they were rounded for the reference too.
constexpr double kGgufTolerance = 1e-7;
/// What llama.cpp divides by 10³⁰ stands still.
constexpr double kStill = 1e-20;

/// One model of tests/reference/gguf as a file.
std::string file_of(const json& model, bool big_endian) {
  GgufWriter writer(big_endian);
  for (const auto& [key, value] : model["values"].items()) {
    const std::string type = value[0];
    if (type == "uint32") writer.whole(key, value[1].get<std::uint64_t>());
    if (type == "float32") writer.real(key, value[1].get<double>());
    if (type == "text") writer.text(key, value[1].get<std::string>());
    if (type == "int32s") writer.wholes(key, value[1].get<std::vector<std::int64_t>>());
  }
  for (const auto& [name, numbers] : model["tensors"].items()) {
    writer.tensor(name, numbers.get<std::vector<double>>());
  }
  return writer.file();
}

double largest_difference(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
  if (found.size() != expected.size()) return INFINITY;
  double largest = 0;
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    if (std::abs(found[i]) < kStill && std::abs(expected[i]) < kStill) continue;
    largest = std::max(largest, std::abs(found[i] - expected[i]) / std::abs(expected[i]));
  }
  return largest;
}

void compare(const Profile& found, const json& expected, double most) {
  EXPECT_EQ(found.name, expected["name"].get<std::string>());
  EXPECT_EQ(found.spec.pairing == Pairing::interleaved, expected["pairing"] == "interleaved");
  EXPECT_EQ(found.spec.head_dim, expected["head_dim"]);
  EXPECT_EQ(total_rotary_dim(found.spec), expected["rotary_dim"]);
  const double base = expected["base"];
  EXPECT_NEAR(found.spec.axes.front().base, base, 1e-7 * base);  // a float32 in the file
  // llama.cpp knows the context alone: of Gemma 3 it is a multiple of what was trained.
  const auto context = found.context_length ? found.context_length : found.spec.trained_length;
  EXPECT_EQ(context, expected["trained_length"].get<double>());
  const HeadLadder ladder = head_ladder(found.spec);
  EXPECT_LT(largest_difference(ladder.frequencies, vector_of(expected["frequencies"])), most);
  EXPECT_NEAR(ladder.amplitude, expected["amplitude"], 1e-7);
  if (expected.contains("says")) {
    EXPECT_THAT(said(found.notes), Contains(expected["says"].get<std::string>()));
  }
  if (!expected.contains("far_frequencies")) return;
  const HeadLadder far = head_ladder(found.spec, *found.spec.trained_length * 8);
  EXPECT_LT(largest_difference(far.frequencies, vector_of(expected["far_frequencies"])), most);
}

TEST(GgufReference, MeansWhatTheProgramComputes) {
  const json models = read_reference("gguf/models.json");
  ASSERT_GE(models["cases"].size(), 20u);
  for (const json& model : models["cases"]) {
    for (const bool big_endian : {false, true}) {
      SCOPED_TRACE(model["name"].get<std::string>() + (big_endian ? ", big-endian" : ""));
      const std::string content = file_of(model, big_endian);
      const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
      const ModelConfig config = parse_gguf_config({&file, 1});
      ASSERT_EQ(config.profiles.size(), model["profiles"].size());
      const double most = model["tensors"].contains("rope_freqs.weight") ? kFactors : kGgufTolerance;
      for (std::size_t i = 0; i < config.profiles.size(); ++i) compare(config.profiles[i], model["profiles"][i], most);
    }
  }
}

/// What a model converted from a published config means beside what the config means: the same frequencies, amplitude
/// and trained length; the same pairs, or neighbours for halves where the converter reorders q and k.
void compare_with_config(const Profile& found, const Profile& own, double most) {
  EXPECT_EQ(found.name, own.name);
  EXPECT_EQ(found.spec.head_dim, own.spec.head_dim);
  const Pairing pairing = found.permuted ? Pairing::half_split : found.spec.pairing;
  EXPECT_EQ(pairing, own.spec.pairing);
  EXPECT_EQ(found.spec.trained_length, own.spec.trained_length);
  EXPECT_EQ(found.spec.extension.method, own.spec.extension.method);
  const HeadLadder ladder = head_ladder(found.spec), expected = head_ladder(own.spec);
  EXPECT_LT(largest_difference(ladder.frequencies, expected.frequencies), most);
  EXPECT_NEAR(ladder.amplitude, expected.amplitude, 1e-7);
}

TEST(GgufReference, AgreesWithTheConfigThatItWasConvertedFrom) {
  if (!fs::exists(shared_configs())) GTEST_SKIP() << "the published configs are not beside the source";
  const json models = read_reference("gguf/models.json");
  int compared = 0;
  for (const json& model : models["cases"]) {
    if (model["config"].is_null()) continue;
    const std::string name = model["config"];
    SCOPED_TRACE(name);
    const ModelConfig own = parse_model_config(read_file(shared_configs() / (name + ".json")), name);
    const std::string content = file_of(model, false);
    const GgufFile file = read_gguf(bytes_of(content), "m.gguf");
    const ModelConfig found = parse_gguf_config({&file, 1});
    for (std::size_t i = 0; i < found.profiles.size(); ++i) {
      Profile expected = own.profiles.at(i);
      // gpt-oss asks for ends of YaRN's ramp that are not rounded, which moves pair 17 by three quarters; llama.cpp
      // rounds them always.
      const auto truncate = expected.spec.extension.numbers.find("truncate");
      if (truncate != expected.spec.extension.numbers.end()) truncate->second = 1;
      compare_with_config(found.profiles[i], expected, kGgufTolerance);
    }
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

}  // namespace
}  // namespace ropescope
