#include "core/formats/config.h"

#include "core/formats/config_layout.h"
#include "core/formats/models.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"
#include "tests/unit/format_files.h"

namespace ropescope {
namespace {

fs::path config_path(const std::string& name) {
  return shared_configs() / (name + ".json");
}

ModelConfig read_config(const std::string& name) {
  return parse_model_config(read_file(config_path(name)), name + ".json");
}

#define SKIP_WITHOUT(name) \
  if (!fs::exists(config_path(name))) GTEST_SKIP() << config_path(name) << " is not here"

TEST(SharedConfigs, EveryFileStandsInTheTable) {
  if (!fs::exists(shared_configs())) GTEST_SKIP() << shared_configs() << " is not here";
  std::set<std::string> expected;
  for (const json& row : published_configs()) expected.insert(row["file"].get<std::string>());
  for (const auto& entry : fs::directory_iterator(shared_configs())) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".json" && name != "INDEX.json") EXPECT_TRUE(expected.contains(name)) << name;
  }
}

TEST(SharedConfigs, ProfilesAreValidAndTextsSayWhereTheirValuesStand) {
  if (!fs::exists(shared_configs())) GTEST_SKIP() << shared_configs() << " is not here";
  int profiles = 0;
  for (const json& row : published_configs()) {
    if (!row.contains("profiles")) continue;
    const std::string file = row["file"];
    const ModelConfig config = parse_model_config(read_file(shared_configs() / file), file);
    for (const Profile& profile : config.profiles) {
      SCOPED_TRACE(file + " " + profile.name);
      ++profiles;
      EXPECT_NO_THROW(validate(profile.spec));
      EXPECT_EQ(&find_profile(config.profiles, profile.name, file), &profile);
      if (profile.spec.axes.size() > 1) continue;
      for (const char* value : {"head_dim", "rotary_dim", "base", "pairing", "extension"}) {
        EXPECT_FALSE(profile.origin.at(value).empty()) << value;
      }
      EXPECT_EQ(profile.origin.count("trained_length"), profile.spec.trained_length ? 1u : 0u);
    }
  }
  EXPECT_EQ(profiles, 60);
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
  LayoutRequest request{.image = ImageSize::tokens(2, 4)};
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
