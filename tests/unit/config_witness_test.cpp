// A file's model_type, its architectures and its fields all indicate its class. Missing fields, and fields that are not
// understood, determine nothing.

#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/programs/equivalents.h"
#include "tests/json.h"
#include "tests/said.h"

namespace ropescope {
namespace {

Profile first_witness(const std::string& text) {
  return parse_model_config(text, "config.json").profiles.at(0);
}

bool notes(const Profile& profile, const std::string& key) {
  return std::ranges::any_of(profile.notes, [&](const Message& note) { return note.key == "config_note." + key; });
}

TEST(ConfigWitness, FieldsThatLookRotary) {
  for (const char* name :
       {"rope_theta", "mrope_section", "layer3d_rope", "rope-magic", "rotary_base", "rotary_scaling",
        "seq_len_interpolation_factor", "theta", "yarn_factor", "inv_freq_base", "use_dynamic_ntk"}) {
    EXPECT_TRUE(field_looks_rotary(name)) << name;
  }
  for (const char* name : {"property", "activation_fn", "attention_bias", "moe_layer_freq", "scaling", "european"})
    EXPECT_FALSE(field_looks_rotary(name)) << name;
}

TEST(ConfigWitness, AnUnknownMemberTakesTheHabitsOfItsFamily) {
  const auto rotated = [](const std::string& type) {
    return first_witness(R"({"model_type": ")" + type +
                         R"(", "hidden_size": 7168, "num_attention_heads": 64, "qk_rope_head_dim": 64,
          "rope_scaling": {"type": "yarn", "factor": 16, "original_max_position_embeddings": 65536}})");
  };
  const Profile known = rotated("deepseek_v4"), unknown = rotated("deepseek_v41");
  EXPECT_EQ(unknown.spec, known.spec);
  EXPECT_TRUE(notes(unknown, "relative"));
  EXPECT_FALSE(notes(known, "relative"));
}

TEST(ConfigWitness, AWrappersSectionTakesTheClassOfTheWrapper) {
  const auto wrapped = [](const std::string& type) {
    return first_witness(R"({"model_type": "qwen2_vl", "text_config": {)" + type +
                         R"("hidden_size": 3584, "num_attention_heads": 28}})");
  };
  EXPECT_EQ(wrapped("").spec, wrapped(R"("model_type": "qwen2_vl_text", )").spec);
  EXPECT_FALSE(notes(wrapped(""), "unknown_type"));
}

TEST(ConfigWitness, AMethodOfAnUnknownClassIsNotUnderstood) {
  // Alibaba-NLP/new-impl, modeling.py: "ntk" is a base of its own with a factor over all.
  const Message::List gte = first_witness(R"({"model_type": "new", "hidden_size": 768, "num_attention_heads": 12,
      "rope_theta": 20000, "rope_scaling": {"type": "ntk", "factor": 2.0}})")
                                .not_understood;
  ASSERT_EQ(gte.size(), 1U);
  EXPECT_EQ(gte[0].key, "config_note.method_of_unknown_class");
  EXPECT_EQ(gte[0].values.at(1), Message::Named("method", "ntk")) << "the file's word";
}

TEST(ConfigWitness, SectionsComeOutAgain) {
  const std::vector<Profile> profiles = {first_witness(R"({"model_type": "qwen2_vl", "hidden_size": 3584,
      "num_attention_heads": 28, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})")};
  const Equivalent out = find_other_words("transformers").of({profiles, {}});
  EXPECT_THAT(out.text, HasSubstr("mrope_section"));
  const auto written = [](const std::string& text) {
    const std::vector<Profile> one = {first_witness(text)};
    return json::parse(find_other_words("transformers").of({one, {}}).text).at("rope_parameters");
  };
  const json three = written(R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text",
      "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "rope_theta": 5000000,
      "rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": true}}})");
  EXPECT_EQ(three.at("mrope_section"), json::parse("[24, 20, 20]"));
  EXPECT_EQ(three.at("mrope_interleaved"), true);
  // ERNIE's sections alternate: neither of the two keys says so.
  const std::vector<Profile> ernie = {first_witness(R"({"model_type": "ernie4_5_moe_vl", "hidden_size": 2560,
      "num_attention_heads": 20, "head_dim": 128, "rope_theta": 500000, "rope_scaling": {"mrope_section": [22, 22, 20]}})")};
  const Equivalent llama = find_other_words("llama.cpp").of({ernie, {}});
  EXPECT_TRUE(std::any_of(llama.unsaid.begin(), llama.unsaid.end(),
                          [](const Message& words) { return words.key == "equivalent.alternating_sections"; }));
  const json ministral = written(R"({"model_type": "ministral3", "hidden_size": 4096,
      "num_attention_heads": 32, "head_dim": 128, "rope_parameters": {"rope_type": "yarn", "rope_theta": 1000000.0,
      "factor": 16.0, "original_max_position_embeddings": 16384, "mscale": 1.0, "mscale_all_dim": 1.0,
      "llama_4_scaling_beta": 0.1}})");
  EXPECT_EQ(ministral.at("llama_4_scaling_beta"), 0.1);
}

}  // namespace
}  // namespace ropescope
