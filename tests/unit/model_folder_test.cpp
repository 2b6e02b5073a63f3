// Folders in place of a config.json: Hugging Face snapshots and diffusers pipelines.
#include "app/resources/models.h"

#include "app/resources/files.h"
#include "core/formats/tensor_file.h"
#include "core/rotary/spec.h"
#include "says.h"
#include "stored_files.h"
#include "tests/gguf_files.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

constexpr const char* kTinyLlama = R"({"model_type": "llama", "head_dim": 8, "rope_theta": 10000})";
constexpr const char* kFlux = R"({"_class_name": "FluxTransformer2DModel"})";
constexpr const char* kTensor = "model.layers.0.self_attn.rotary_emb.inv_freq";

class ModelFolder : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_.path / name).parent_path());
    write_file(folder_.path / name, content);
  }
  std::string path(const std::string& name = "") const { return (folder_.path / name).string(); }
  /// A .safetensors with four stored frequencies of this base.
  void write_frequencies(const std::string& name, double base) const {
    const Eigen::VectorXd frequencies = plain_frequencies(8, base);
    const std::string header = "{\"" + std::string(kTensor) + R"(":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
    write(name, safetensors_file(header, raw({frequencies.begin(), frequencies.end()}, Storage::float32)));
  }
  std::vector<std::string> notes() const { return said(load_model_config(path()).profiles.front().notes); }

  TemporaryFolder folder_;
};

TEST_F(ModelFolder, AFileStandsForItself) {
  write("config.json", kTinyLlama);
  EXPECT_EQ(find_model_files(path("config.json")).config, path("config.json"));
  EXPECT_EQ(find_model_files("no such file").config, "no such file");
  EXPECT_FALSE(is_model_folder(path("config.json")));
  EXPECT_TRUE(is_model_folder(path()));
}

TEST_F(ModelFolder, ASnapshotIsItsConfig) {
  write("config.json", kTinyLlama);
  EXPECT_EQ(load_model_config(path()).profiles.front().spec.head_dim, 8);
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_FALSE(load_layout_config(path()).has_value());
}

TEST_F(ModelFolder, ARepositoryOfOneGgufIsThatModel) {
  GgufWriter writer;
  add_model(writer, "llama", 4096, 64, 8).real("llama.rope.freq_base", 70'000);
  EXPECT_FALSE(is_model_folder(path()));
  write("README.md", "quantised");
  write("mmproj-model-f16.gguf", "projects images");
  write("model-Q4_K_M.gguf", writer.file());
  EXPECT_TRUE(is_model_folder(path()));
  EXPECT_EQ(find_model_files(path()).config, path("model-Q4_K_M.gguf"));
  EXPECT_EQ(load_model_config(path()).profiles.front().spec.axes.front().base, 70'000);
  EXPECT_FALSE(load_layout_config(path()).has_value());
  write("model-Q8_0.gguf", writer.file());
  EXPECT_FALSE(is_model_folder(path()));
  EXPECT_REFUSED(find_model_files(path()),
                 Says("error.folder.several_ggufs",
                      {{"count", "2"},
                       {"files", said(one_of(std::vector<std::string>{"model-Q4_K_M.gguf", "model-Q8_0.gguf"}))}}));
  write("config.json", kTinyLlama);
  EXPECT_EQ(find_model_files(path()).config, path("config.json")) << "a config is the model's own word";
}

TEST_F(ModelFolder, PartsOfOneGgufAreOneModel) {
  write("big-00002-of-00003.gguf", "");
  write("big-00001-of-00003.gguf", "");
  write("big-00003-of-00003.gguf", "");
  EXPECT_EQ(find_model_files(path()).config, path("big-00001-of-00003.gguf"));
  write("other-00001-of-00003.gguf", "");
  EXPECT_FALSE(is_model_folder(path()));
}

TEST_F(ModelFolder, StoredFrequenciesAreComparedWithTheConfig) {
  write("config.json", kTinyLlama);
  write_frequencies("model.safetensors", 10000);
  EXPECT_THAT(notes(), ElementsAre(AllOf(HasSubstr(kTensor), Says("config_note.stored_frequencies"))));
  write_frequencies("model.safetensors", 500000);
  EXPECT_THAT(notes(), ElementsAre(AllOf(Says("config_note.other_frequencies"), HasSubstr("base"))));
}

TEST_F(ModelFolder, AnIndexSaysWhichShardHoldsThem) {
  write("config.json", kTinyLlama);
  write("model.safetensors.index.json",
        R"({"metadata": {}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors", ")" +
            std::string(kTensor) + R"(": "model-00001-of-00002.safetensors"}})");
  EXPECT_REFUSED(
      load_model_config(path()),
      AllOf(HasSubstr(path()), Says("error.folder.part_missing", {{"file", "model-00001-of-00002.safetensors"}})));
  write_frequencies("model-00001-of-00002.safetensors", 10000);
  EXPECT_THAT(notes(), ElementsAre(Says("config_note.stored_frequencies")));  // the other shard does not matter
  write("model.safetensors.index.json", R"({"weight_map": {")" + std::string(kTensor) + R"(": "not-there", ")" +
                                            std::string(kTensor) + R"(": "model-00001-of-00002.safetensors"}})");
  EXPECT_THAT(notes(), ElementsAre(Says("config_note.stored_frequencies")))
      << "of a name that comes twice, the last counts";
}

TEST_F(ModelFolder, BrokenIndexesAreNamed) {
  write("config.json", kTinyLlama);
  expect_refusals("safetensors_index", 9, [&](const std::string& index) {
    write("model.safetensors.index.json", index);
    return refusal_of([&] { load_model_config(path()); });
  });
  write("model.safetensors", "short");
  fs::remove(path("model.safetensors.index.json"));
  EXPECT_REFUSED(load_model_config(path()), Says("error.safetensors.not_safetensors"));
}

TEST_F(ModelFolder, AFolderWithoutAModelSaysWhatItLacks) {
  EXPECT_REFUSED(load_model_config(path()), AllOf(HasSubstr(path()), Says("error.folder.no_config")));
}

TEST_F(ModelFolder, APipelineIsItsTransformer) {
  write("model_index.json", R"({"_class_name": "FluxPipeline", "scheduler": ["diffusers", "X"],
      "transformer": ["diffusers", "FluxTransformer2DModel"], "vae": ["diffusers", "AutoencoderKL"]})");
  EXPECT_REFUSED(load_model_config(path()), Says("error.folder.part_missing", {{"file", "transformer/config.json"}}));
  write("transformer/config.json", kFlux);
  EXPECT_EQ(load_model_config(path()).profiles.front().name, "image");
  EXPECT_EQ(require_layout_config(path()).layout, "flux.1");
  write("vae/config.json", R"({"_class_name": "AutoencoderKL", "block_out_channels": [128, 256, 512, 512]})");
  const std::size_t notes = require_layout_config(path()).notes.size();
  write("vae/config.json", R"({"_class_name": "AutoencoderKL", "block_out_channels": [1, 2, 3, 4, 5]})");
  const LayoutConfig other = require_layout_config(path());
  ASSERT_EQ(other.notes.size(), notes + 1);
  EXPECT_THAT(said(other.notes.back()), AllOf(Says("config_note.other_vae", {{"stride", "16"}}), HasSubstr("--grid")));
}

TEST_F(ModelFolder, TheVaeSaysHowLargeATokenIs) {
  write("model_index.json", R"({"transformer": ["diffusers", "WanTransformer3DModel"]})");
  write("transformer/config.json", R"({"_class_name": "WanTransformer3DModel"})");
  write("vae/config.json", R"({"_class_name": "AutoencoderKLWan", "scale_factor_spatial": 16})");
  const LayoutConfig config = require_layout_config(path());
  EXPECT_EQ(pixels_per_token(find_layout(config.layout), config.request), 32);
  write("vae/config.json", "{}");
  EXPECT_FALSE(require_layout_config(path()).request.patch);
  write("vae/config.json", R"({"scale_factor_spatial": "16"})");
  EXPECT_REFUSED(load_layout_config(path()), HasSubstr("scale_factor_spatial"));
}

TEST_F(ModelFolder, APipelineWithoutATransformerIsRefused) {
  write("model_index.json", R"({"unet": ["diffusers", "UNet2DConditionModel"]})");
  EXPECT_REFUSED(load_model_config(path()), Says("error.config.no_transformer"));
  write("model_index.json", R"({"transformer": [null, null]})");
  EXPECT_REFUSED(load_model_config(path()), Says("error.config.no_transformer"));
  write("model_index.json", R"({"transformer": 3})");
  EXPECT_REFUSED(load_model_config(path()), HasSubstr("transformer is 3"));
}

TEST(VaeStride, IsThatOfThePipelines) {
  const auto stride = [](const char* text) { return vae_stride(text, "vae/config.json"); };
  EXPECT_EQ(stride(R"({"block_out_channels": [128, 256, 512, 512]})"), 8);
  EXPECT_EQ(stride(R"({"temperal_downsample": [false, true, true], "block_out_channels": [1, 2]})"), 8);
  EXPECT_EQ(stride(R"({"patch_size": 4, "spatio_temporal_scaling": [true, true, true, false],
      "block_out_channels": [128, 256, 512, 512]})"),
            32);
  EXPECT_EQ(stride(R"({"spatial_compression_ratio": 8})"), 8);
  EXPECT_EQ(stride(R"({"encoder_block_out_channels": [1, 2, 3, 4, 5, 6]})"), 32);
  EXPECT_EQ(stride(R"({"_class_name": "AutoencoderKLLTXVideo", "block_out_channels": [1, 2]})"), std::nullopt);
  EXPECT_EQ(stride("{}"), std::nullopt);
}

TEST(InverseFrequencies, AreThoseOfTheLanguageModel) {
  EXPECT_TRUE(is_inverse_frequencies("model.rotary_emb.inv_freq"));
  EXPECT_TRUE(is_inverse_frequencies(kTensor));
  EXPECT_FALSE(is_inverse_frequencies("visual.rotary_pos_emb.inv_freq"));
  EXPECT_FALSE(is_inverse_frequencies("vision_tower.rotary_emb.inv_freq"));
  EXPECT_FALSE(is_inverse_frequencies("lm_head.weight"));
}

TEST_F(ModelFolder, AnExperimentIsToldFromAConfig) {
  write("a.json", R"({"ropescope": 1})");
  write("b.json", kTinyLlama);
  EXPECT_TRUE(is_experiment(path("a.json")));
  EXPECT_FALSE(is_experiment(path("b.json")));
  EXPECT_FALSE(is_experiment(path()));
  EXPECT_FALSE(is_experiment(path("none.json")));
}

}  // namespace
}  // namespace ropescope
