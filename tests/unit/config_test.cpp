#include "core/formats/config.h"

#include <ostream>

#include "core/formats/config_layout.h"
#include "core/formats/models.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"
#include "tests/unit/format_files.h"

namespace ropescope {
namespace {

constexpr Pairing kHalf = Pairing::half_split;
constexpr Pairing kAdjacent = Pairing::interleaved;
constexpr double kNone = 0;

/// One language profile of one file, read from that file by hand.
struct TextCase {
  const char* file;
  const char* profile;
  int head_dim;
  int rotary_dim;
  double base;
  Pairing pairing;
  double trained_length;  ///< kNone: the file and its class say nothing
  const char* method;
};

void PrintTo(const TextCase& expected, std::ostream* out) {
  *out << expected.file << " [" << expected.profile << "]";
}

constexpr TextCase kTextCases[] = {
    {"chatglm3-6b-32k", "text", 128, 64, 500000, kAdjacent, 32768, "none"},
    {"command-r-08-2024", "text", 128, 128, 4000000, kAdjacent, 131072, "none"},
    {"deepseek-coder-6.7b-base", "text", 128, 128, 100000, kHalf, 16384, "linear"},
    {"deepseek-v2-lite", "text", 64, 64, 10000, kAdjacent, 4096, "yarn"},
    {"deepseek-v3", "text", 64, 64, 10000, kAdjacent, 4096, "yarn"},
    {"falcon-40b", "text", 64, 64, 10000, kHalf, 2048, "none"},
    {"gemma-2-2b", "text", 256, 256, 10000, kHalf, 8192, "none"},
    {"gemma-3-4b-it", "full attention", 256, 256, 1000000, kHalf, 32768, "linear"},
    {"gemma-3-4b-it", "sliding attention", 256, 256, 10000, kHalf, 32768, "none"},
    {"gemma-4-26b-a4b", "full attention", 512, 512, 1000000, kHalf, 262144, "proportional"},
    {"gemma-4-26b-a4b", "sliding attention", 256, 256, 10000, kHalf, 262144, "none"},
    {"glm-4-9b-chat", "text", 128, 64, 5000000, kAdjacent, 131072, "none"},
    {"gpt-j-6b", "text", 256, 64, 10000, kAdjacent, 2048, "none"},
    {"gpt-j-6b-original", "text", 256, 64, 10000, kAdjacent, 2048, "none"},
    {"gpt-oss-20b", "text", 64, 64, 150000, kHalf, 4096, "yarn"},
    {"internlm2_5-7b-chat", "text", 128, 128, 1000000, kHalf, 32768, "dynamic"},
    {"llama-2-7b", "text", 128, 128, 10000, kHalf, 4096, "none"},
    {"llama-3.1-8b", "text", 128, 128, 500000, kHalf, 8192, "llama3"},
    {"llama-3.2-1b-instruct", "text", 64, 64, 500000, kHalf, 8192, "llama3"},
    {"llama-4-scout-17b-16e", "text", 128, 128, 500000, kAdjacent, 8192, "llama3"},
    {"minicpm-v-4", "text", 128, 128, 10000, kHalf, 32786, "longrope"},
    {"mistral-7b-instruct-v0.3", "text", 128, 128, 1000000, kHalf, 32768, "none"},
    {"mixtral-8x7b", "text", 128, 128, 1000000, kHalf, 32768, "none"},
    {"modernbert-base", "full attention", 64, 64, 160000, kHalf, 8192, "none"},
    {"modernbert-base", "sliding attention", 64, 64, 10000, kHalf, 8192, "none"},
    {"olmo-3.1-32b-instruct", "full attention", 128, 128, 500000, kHalf, 8192, "yarn"},
    {"olmo-3.1-32b-instruct", "sliding attention", 128, 128, 500000, kHalf, 8192, "none"},
    {"phi-2", "text", 80, 32, 10000, kHalf, 2048, "none"},
    {"phi-3.5-mini-instruct", "text", 96, 96, 10000, kHalf, 4096, "longrope"},
    {"pixtral-12b", "text", 128, 128, 1e9, kHalf, 1024000, "none"},
    {"pixtral-12b-2409-params", "text", 128, 128, 1e9, kAdjacent, kNone, "none"},
    {"pythia-6.9b", "text", 128, 32, 10000, kHalf, 2048, "none"},
    {"qwen2-vl-7b-instruct", "text", 128, 128, 1000000, kHalf, 32768, "none"},
    {"qwen2.5-7b-instruct", "text", 128, 128, 1000000, kHalf, 32768, "none"},
    {"qwen2.5-7b-instruct-yarn", "text", 128, 128, 1000000, kHalf, 32768, "yarn"},
    {"qwen2.5-vl-7b-instruct", "text", 128, 128, 1000000, kHalf, 128000, "none"},
    {"qwen3-14b", "text", 128, 128, 1000000, kHalf, 40960, "none"},
    {"qwen3.5-27b", "text", 256, 64, 10000000, kHalf, 262144, "none"},
    {"roformer-chinese-base", "text", 64, 64, 10000, kAdjacent, 1536, "none"},
    {"roformer-chinese-char-base", "text", 64, 64, 10000, kAdjacent, 512, "none"},
    {"stablelm-3b-4e1t", "text", 80, 20, 10000, kHalf, 4096, "none"},
};

/// A profile with several axes.
struct AxesCase {
  const char* file;
  const char* profile;
  int head_dim;
  double base;
  Pairing pairing;
  std::vector<std::string> names;
  std::vector<int> dims;
};

void PrintTo(const AxesCase& expected, std::ostream* out) {
  *out << expected.file << " [" << expected.profile << "]";
}

const std::vector<std::string> kVideoAxes = {"t", "row", "column"};
const std::vector<std::string> kPatchAxes = {"row", "column"};

const AxesCase kAxesCases[] = {
    {"flux.1-dev", "image", 128, 10000, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"flux.1-dev-resaved", "image", 128, 10000, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"flux.1-kontext-dev", "image", 128, 10000, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"flux.2-dev", "image", 128, 2000, kAdjacent, {"t", "row", "column", "l"}, {32, 32, 32, 32}},
    {"qwen-image", "image", 128, 10000, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"lumina-image-2.0", "image", 96, 10000, kAdjacent, kVideoAxes, {32, 32, 32}},
    {"z-image", "image", 128, 256, kAdjacent, kVideoAxes, {32, 48, 48}},
    {"ernie-image", "image", 128, 256, kAdjacent, kVideoAxes, {32, 48, 48}},
    {"cogview4-6b", "image", 128, 10000, kHalf, kPatchAxes, {64, 64}},
    {"hunyuanvideo", "video", 128, 256, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"framepack-hunyuanvideo", "video", 128, 256, kAdjacent, kVideoAxes, {16, 56, 56}},
    {"wan2.1-t2v-14b-diffusers", "video", 128, 10000, kAdjacent, kVideoAxes, {44, 42, 42}},
    {"wan2.1-t2v-14b-native", "video", 128, 10000, kAdjacent, kVideoAxes, {44, 42, 42}},
    {"qwen2-vl-7b-instruct", "vision", 80, 10000, kHalf, kPatchAxes, {40, 40}},
    {"qwen2.5-vl-7b-instruct", "vision", 80, 10000, kHalf, kPatchAxes, {40, 40}},
    {"qwen3.5-27b", "vision", 72, 10000, kHalf, kPatchAxes, {36, 36}},
    {"llama-4-scout-17b-16e", "vision", 88, 10000, kAdjacent, {"x", "y"}, {44, 44}},
    {"pixtral-12b", "vision", 64, 10000, kHalf, kPatchAxes, {32, 32}},
    {"pixtral-12b-2409-params", "vision", 64, 10000, kAdjacent, kPatchAxes, {32, 32}},
};

constexpr const char* kUnsupported[] = {"cosmos-predict2-2b", "dinov3-vits16",          "eva02-clip-l-14-336",
                                        "ltx-2-19b",          "ltx-video-2b-diffusers", "ltx-video-2b-native"};

fs::path config_path(const std::string& name) {
  return shared_configs() / (name + ".json");
}

ModelConfig read_config(const std::string& name) {
  return parse_model_config(read_file(config_path(name)), name + ".json");
}

std::string test_name(const std::string& file, const std::string& profile) {
  std::string name;
  for (const char c : file + "_" + profile) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

#define SKIP_WITHOUT(name) \
  if (!fs::exists(config_path(name))) GTEST_SKIP() << config_path(name) << " is not here"

class TextConfigTest : public ::testing::TestWithParam<TextCase> {};

TEST_P(TextConfigTest, OpensToTheValuesOfTheFile) {
  const TextCase& expected = GetParam();
  SKIP_WITHOUT(expected.file);
  const ModelConfig config = read_config(expected.file);
  const Profile& profile = find_profile(config.profiles, expected.profile, expected.file);
  EXPECT_EQ(profile.name, expected.profile);
  EXPECT_EQ(profile.spec.head_dim, expected.head_dim);
  ASSERT_EQ(profile.spec.axes.size(), 1u);
  EXPECT_EQ(profile.spec.axes[0].name, "position");
  EXPECT_EQ(profile.spec.axes[0].rotary_dim, expected.rotary_dim);
  EXPECT_EQ(profile.spec.axes[0].base, expected.base);
  EXPECT_EQ(profile.spec.pairing, expected.pairing);
  EXPECT_EQ(profile.spec.trained_length.value_or(kNone), expected.trained_length);
  EXPECT_EQ(profile.spec.extension.method, expected.method);
  EXPECT_EQ(profile.spec.amplitude, 1);
  for (const char* value : {"head_dim", "rotary_dim", "base", "pairing", "extension"}) {
    EXPECT_FALSE(profile.origin.at(value).empty()) << value;
  }
  EXPECT_EQ(profile.origin.count("trained_length"), expected.trained_length == kNone ? 0u : 1u);
  EXPECT_NO_THROW(validate(profile.spec));
}

INSTANTIATE_TEST_SUITE_P(Shared, TextConfigTest, ::testing::ValuesIn(kTextCases),
                         [](const auto& entry) { return test_name(entry.param.file, entry.param.profile); });

class AxesConfigTest : public ::testing::TestWithParam<AxesCase> {};

TEST_P(AxesConfigTest, OpensToItsAxes) {
  const AxesCase& expected = GetParam();
  SKIP_WITHOUT(expected.file);
  const ModelConfig config = read_config(expected.file);
  const Profile& profile = config.profiles.back();  // vision stands last
  EXPECT_EQ(profile.name, expected.profile);
  EXPECT_EQ(profile.spec.head_dim, expected.head_dim);
  EXPECT_EQ(profile.spec.pairing, expected.pairing);
  EXPECT_FALSE(profile.spec.trained_length.has_value());
  ASSERT_EQ(profile.spec.axes.size(), expected.dims.size());
  for (std::size_t i = 0; i < expected.dims.size(); ++i) {
    EXPECT_EQ(profile.spec.axes[i].name, expected.names[i]);
    EXPECT_EQ(profile.spec.axes[i].rotary_dim, expected.dims[i]);
    EXPECT_EQ(profile.spec.axes[i].base, expected.base);
  }
  EXPECT_NO_THROW(validate(profile.spec));
}

INSTANTIATE_TEST_SUITE_P(Shared, AxesConfigTest, ::testing::ValuesIn(kAxesCases),
                         [](const auto& entry) { return test_name(entry.param.file, entry.param.profile); });

class UnsupportedConfigTest : public ::testing::TestWithParam<const char*> {};

TEST_P(UnsupportedConfigTest, IsRecognisedByName) {
  SKIP_WITHOUT(GetParam());
  EXPECT_REFUSED(read_config(GetParam()),
                 AllOf(HasSubstr(std::string(GetParam()) + ".json: "),
                       AnyOf(Says("error.config.unsupported"), Says("error.config.own_ladder"))));
}

INSTANTIATE_TEST_SUITE_P(Shared, UnsupportedConfigTest, ::testing::ValuesIn(kUnsupported),
                         [](const auto& entry) { return test_name(entry.param, ""); });

TEST(SharedConfigs, EveryFileStandsInATableOfThisTest) {
  if (!fs::exists(shared_configs())) GTEST_SKIP() << shared_configs() << " is not here";
  std::set<std::string> expected(std::begin(kUnsupported), std::end(kUnsupported));
  for (const TextCase& entry : kTextCases) expected.insert(entry.file);
  for (const AxesCase& entry : kAxesCases) expected.insert(entry.file);
  for (const auto& entry : fs::directory_iterator(shared_configs())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || name == "INDEX") continue;
    EXPECT_TRUE(expected.count(name)) << name;
  }
}

/// How many profiles each file has: none is invented, none forgotten.
TEST(SharedConfigs, HaveAsManyProfilesAsTheTablesSay) {
  std::map<std::string, std::size_t> expected;
  for (const TextCase& entry : kTextCases) ++expected[entry.file];
  for (const AxesCase& entry : kAxesCases) ++expected[entry.file];
  for (const auto& [file, count] : expected) {
    if (!fs::exists(config_path(file))) GTEST_SKIP() << file << " is not here";
    EXPECT_EQ(read_config(file).profiles.size(), count) << file;
  }
}

TEST(SharedConfigs, Gemma4GlobalLayersAreProportional) {
  SKIP_WITHOUT("gemma-4-26b-a4b");
  const ModelConfig config = read_config("gemma-4-26b-a4b");
  EXPECT_EQ(config.model_type, "gemma4");
  EXPECT_EQ(config.profiles[0].name, "full attention");
  EXPECT_EQ(config.profiles[0].spec.extension, (Extension{"proportional", {{"live_fraction", 0.25}}, {}}));
  EXPECT_EQ(config.profiles[1].spec.extension.method, "none");
  EXPECT_EQ(said(config.profiles[0].origin.at("base")), "text_config.rope_parameters.full_attention.rope_theta");
  EXPECT_EQ(said(config.profiles[0].origin.at("head_dim")), "text_config.global_head_dim");
  EXPECT_THAT(said(config.profiles[0].notes), Contains(HasSubstr("vision tower")));
}

TEST(SharedConfigs, KeepTheNumbersOfTheExtension) {
  SKIP_WITHOUT("deepseek-v3");
  using Numbers = std::map<std::string, double>;
  const auto numbers = [](const char* file) { return read_config(file).profiles[0].spec.extension.numbers; };
  EXPECT_EQ(numbers("deepseek-v3"),
            (Numbers{{"factor", 40}, {"beta_fast", 32}, {"beta_slow", 1}, {"mscale", 1}, {"mscale_all_dim", 1}}));
  EXPECT_EQ(numbers("gpt-oss-20b"), (Numbers{{"factor", 32}, {"beta_fast", 32}, {"beta_slow", 1}, {"truncate", 0}}));
  EXPECT_EQ(numbers("llama-3.1-8b"),
            (Numbers{{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}));
  EXPECT_EQ(numbers("internlm2_5-7b-chat"), (Numbers{{"factor", 2}}));
  EXPECT_EQ(numbers("qwen2.5-7b-instruct-yarn"), (Numbers{{"factor", 4}}));
  EXPECT_EQ(numbers("gemma-3-4b-it"), (Numbers{{"factor", 8}}));
  EXPECT_EQ(numbers("olmo-3.1-32b-instruct"),
            (Numbers{{"factor", 8}, {"beta_fast", 32}, {"beta_slow", 1}, {"attention_factor", 1.2079441541679836}}));
  EXPECT_EQ(numbers("qwen2-vl-7b-instruct"), Numbers{});
}

TEST(SharedConfigs, KeepTheListsOfLongRope) {
  SKIP_WITHOUT("phi-3.5-mini-instruct");
  const Profile phi = read_config("phi-3.5-mini-instruct").profiles[0];
  ASSERT_EQ(phi.spec.extension.lists.at("long_factors").size(), 48u);
  ASSERT_EQ(phi.spec.extension.lists.at("short_factors").size(), 48u);
  EXPECT_EQ(phi.spec.extension.lists.at("long_factors").back(), 64.83999633789062);
  EXPECT_EQ(phi.spec.extension.lists.at("short_factors").front(), 1.0);
  EXPECT_EQ(phi.spec.extension.numbers.at("factor"), 32);  // no factor in the file: 131072 / 4096
  EXPECT_EQ(said(phi.origin.at("trained_length")), "original_max_position_embeddings");
}

TEST(SharedConfigs, SayWhichLayersHaveNoRotaryEmbedding) {
  SKIP_WITHOUT("llama-4-scout-17b-16e");
  EXPECT_THAT(said(read_config("llama-4-scout-17b-16e").profiles[0].notes), Contains(HasSubstr("12 of 48")));
  EXPECT_THAT(said(read_config("qwen3.5-27b").profiles[0].notes), Contains(HasSubstr("48 of 64")));
}

TEST(SharedConfigs, PixtralDealsOneLadderToRowsAndColumns) {
  SKIP_WITHOUT("pixtral-12b");
  const RotarySpec spec = read_config("pixtral-12b").profiles.back().spec;
  // Entry 2j + 1 of the ladder over 64 channels, written as the column axis writes it.
  const RotaryAxis& column = spec.axes[1];
  for (int j = 0; j < 16; ++j) {
    const double expected = std::pow(10000.0, -2.0 * (2 * j + 1) / 64);
    EXPECT_NEAR(std::pow(column.base, -2.0 * j / column.rotary_dim) / column.factor / expected, 1, 1e-15) << j;
  }
}

std::string to_spelled_llama(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, )" + more + "}";
}

TEST(ConfigSpelling, DuplicateKeysAreNamedWhereverTheyStand) {
  const auto notes = [](const std::string& text) { return said(parse_model_config(text, "c").profiles[0].notes); };
  EXPECT_THAT(notes(to_spelled_llama(
                  R"("x": 1, "x": 1, "rope_scaling": {"type": "linear", "factor": 3, "factor": 2, "factor": 2},
      "deep": [[], {"a": {"b\n": 1, "b\n": 2}}])")),
              Contains(Says("config_note.doubled", {{"keys", "\"x\", \"rope_scaling.factor\", \"deep[1].a.b \""}})));
  EXPECT_THAT(notes(to_spelled_llama(R"("a": {"x": 1}, "b": {"x": 1})")), IsEmpty());
  std::string many;
  for (int i = 0; i < 45'000; ++i) {
    const std::string key = "\"k" + std::to_string(i) + "\": 0, ";
    many += key + key;
  }
  const auto said_of_many = notes(to_spelled_llama(many + R"("y": 1)"));
  ASSERT_EQ(said_of_many.size(), 1u);
  EXPECT_LT(said_of_many[0].size(), 250u);
  // An image model, and one that is a layout alone.
  EXPECT_THAT(notes(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 56], "x": 1, "x": 2})"),
              Contains(Says("config_note.doubled", {{"keys", "\"x\""}})));
  const std::string ltx = R"({"_class_name": "LTXVideoTransformer3DModel", "x": 1, "x": 2, "rope_spiral": 2})";
  EXPECT_THAT(said(parse_layout_config(ltx, "c").notes),
              ::testing::IsSupersetOf({Says("config_note.doubled", {{"keys", "\"x\""}}),
                                       Says("config_note.unread", {{"field", "\"rope_spiral\""}})}));
}

TEST(ConfigSpelling, UnreadFieldsGetABoundedNumberOfNotes) {
  std::string many;
  for (int i = 0; i < 40'000; ++i) many += "\"rope" + std::to_string(i) + "\": 0, ";
  const std::string text = to_spelled_llama(many + R"("rope_scaling": {)" + many + R"("type": "linear", "factor": 2})");
  const auto notes = said(parse_model_config(text, "config.json").profiles.at(0).notes);
  EXPECT_EQ(notes.size(), 26u);
  EXPECT_THAT(notes, Contains(said(Message("config_note.unread_more", {{"count", 39'988}}))));
  EXPECT_THAT(notes,
              Contains(said(Message("config_note.unknown_keys", {{"path", "rope_scaling"}, {"count", 39'988}}))));
}

TEST(ConfigSpelling, AnOddRotaryDimensionHasOnePairMore) {
  // int(128 * 0.4) = 51: transformers computes arange(0, 51, 2) / 51, 26 frequencies, and turns 52 channels.
  for (const char* extension : {"", R"(, "rope_scaling": {"type": "linear", "factor": 4})"}) {
    const std::string text = R"({"model_type": "phi3", "hidden_size": 4096, "num_attention_heads": 32,
        "rope_theta": 500000, "partial_rotary_factor": 0.4)" +
                             std::string(extension) + "}";
    const Profile profile = parse_model_config(text, "config.json").profiles.at(0);
    const double factor = *extension ? 4 : 1;
    const Eigen::VectorXd frequencies = scaled_ladder(profile.spec, 0).frequencies;
    ASSERT_EQ(frequencies.size(), 26);
    EXPECT_EQ(profile.spec.axes[0].rotary_dim, 52);
    for (int i = 0; i < 26; ++i) {
      EXPECT_NEAR(frequencies[i] * factor / std::pow(500000.0, -2.0 * i / 51), 1, 1e-13) << i;
    }
    EXPECT_EQ(said(profile.origin.at("base")), "(rope_theta)^(52/51)");
    EXPECT_THAT(said(profile.notes), Contains(Says("config_note.odd", {{"odd", "51"}, {"pairs", "26"}})));
  }
}

TEST(FindProfile, TakesNamesAsPeopleTypeThem) {
  std::vector<Profile> profiles(3);
  profiles[0].name = "full attention";
  profiles[1].name = "sliding attention";
  profiles[2].name = "vision";
  const auto find = [&](const std::string& name) { return find_profile(profiles, name, "config.json").name; };
  EXPECT_EQ(find(""), "full attention");
  EXPECT_EQ(find("sliding attention"), "sliding attention");
  EXPECT_EQ(find("sliding_attention"), "sliding attention");
  EXPECT_EQ(find("Sliding"), "sliding attention");
  EXPECT_EQ(find("global"), "full attention");
  EXPECT_EQ(find("local attention"), "sliding attention");
  EXPECT_REFUSED(
      find("audio"),
      Says("error.config.no_profile",
           {{"source", "config.json"}, {"name", "\"audio\""}, {"names", "\"full attention\", \"sliding attention\""}}));
}

/// An indexer is no counterpart of another model's attention.
TEST(ConfigProfiles, AnIndexerIsComparedWithAnIndexer) {
  const ModelSide with{parse_model_config(R"({"model_type": "deepseek_v32"})", "config.json").profiles, std::nullopt};
  const ModelSide without{
      parse_model_config(R"({"model_type": "deepseek_v3", "max_position_embeddings": 163840})", "config.json").profiles,
      std::nullopt};
  EXPECT_TRUE(compare_models(with, without).agrees);
  EXPECT_TRUE(compare_models(without, with).agrees);
  EXPECT_TRUE(compare_models(with, with).agrees);
}

/// The order of huggingface/transformers' Qwen2VisionTransformer.rot_pos_emb: reshape to blocks, permute, flatten.
TEST(ConfigProfiles, ATowerTakesItsPatchesBlockByBlock) {
  const std::string qwen = R"({"model_type": "qwen2_vl", "hidden_size": 64, "num_attention_heads": 1, "vision_config":
      {"embed_dim": 64, "num_heads": 2, "patch_size": 14, "spatial_merge_size": )";
  const Profile vision = parse_model_config(qwen + "2}}", "config.json").profiles.at(1);
  EXPECT_EQ(vision.merge, 2);
  EXPECT_EQ(vision.patch, 14);
  EXPECT_THAT(said(notes_limiting_verdict(vision)), Contains(Says("config_note.merged_patches", {{"merge", "2"}})));
  EXPECT_EQ(parse_model_config(qwen + "1}}", "config.json").profiles.at(1).merge, 1);
  LayoutRequest request;
  request.image = ImageSize::tokens(2, 4);
  for (const RotaryAxis& axis : vision.spec.axes) request.axes.push_back({axis.name, axis.rotary_dim, axis.base});
  request.numbers["merge"] = vision.merge;
  const TokenLayout tokens = arrange(find_layout("custom"), request);
  const double rows[] = {0, 0, 1, 1, 0, 0, 1, 1}, columns[] = {0, 1, 0, 1, 2, 3, 2, 3};
  ASSERT_EQ(tokens.row_count(), 8);
  for (int token = 0; token < 8; ++token) {
    EXPECT_THAT(ids_of(tokens, token), ElementsAre(rows[token], columns[token])) << token;
  }
  request.image = ImageSize::tokens(3, 4);
  EXPECT_REFUSED(arrange(find_layout("custom"), request),
                 Says("error.layouts.merged_grid", {{"rows", "3"}, {"columns", "4"}, {"merge", "2"}}));
}

}  // namespace
}  // namespace ropescope
