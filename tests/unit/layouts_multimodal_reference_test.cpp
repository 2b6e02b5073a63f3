// Multimodal language models, compared with huggingface/transformers 5.17 (tests/reference/layouts).

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// Tables are computed in float32: half a unit of the largest angle, which the largest position gives.
double tolerance_of_float32(const json& file) {
  double largest = 1;
  for (const json& token : file["tokens"]) {
    for (const json& id : token["id"]) largest = std::max(largest, id.get<double>());
  }
  return 1.5e-7 * largest + 2e-7;
}

/// All ids, in the order in which the model has its tokens, and the tables of some.
void expect_file(const LayoutTables& tables, const json& file) {
  expect_counts(tables.layout(), file);
  std::int64_t row = 0;
  for (const json& ids : ids_in(file)) {
    EXPECT_EQ(ids_of(tables.layout(), row), numbers_of(ids)) << row;
    ++row;
  }
  expect_tokens(tables, file["tokens"], tolerance_of_float32(file), by_token);
}

LayoutRequest multimodal_request(const json& config) {
  LayoutRequest request;
  request.image = ImageSize::tokens(config["grid_h"].get<int>(), config["grid_w"].get<int>());
  request.text = config["text"].get<int>();
  request.text_after = config["text_after"].get<int>();
  request.frames = config.value("frames", 1);
  request.base = config["rope_theta"].get<double>();
  return request;
}

struct MultimodalCase {
  const char* file;
  const char* layout;
};

TEST(LayoutReference, ImagesOfLanguageModels) {
  for (const MultimodalCase& one : {MultimodalCase{"qwen3_vl_image_3x5", "qwen3-vl"},
                                    {"qwen3_vl_image_34x60", "qwen3-vl"},
                                    {"qwen2_5_vl_image_3x5", "qwen2-vl"},
                                    {"qwen2_5_vl_image_34x60", "qwen2-vl"},
                                    {"paddleocr_vl_image_3x5", "qwen2-vl"},
                                    {"glm4v_image_3x5", "glm-4v"},
                                    {"glm4v_image_24x43", "glm-4v"},
                                    {"glm4v_moe_image_3x5", "glm-4v"},
                                    {"ernie45_vl_image_3x5", "ernie-4.5-vl"},
                                    {"ernie45_vl_image_34x60", "ernie-4.5-vl"},
                                    {"ernie45_vl_video_2x3x4", "ernie-4.5-vl"}}) {
    SCOPED_TRACE(one.file);
    const json file = read_reference(std::string("layouts/") + one.file + ".json");
    expect_file(tables_of(one.layout, multimodal_request(file["header"]["config"])), file);
  }
}

TEST(LayoutReference, Qwen25VlCountsSeconds) {
  const json file = read_reference("layouts/qwen2_5_vl_video_3x2x4.json");
  const json& config = file["header"]["config"];
  LayoutRequest request = multimodal_request(config);
  request.frame_rate = config["frame_rate"].get<double>();
  request.tokens_per_second = config["tokens_per_second"].get<double>();
  expect_file(tables_of("qwen2-vl", request), file);
}

/// The tokens of a time are counted by the layout; the file was made with them.
TEST(LayoutReference, Qwen3VlWritesTimesBetweenFrames) {
  for (const char* name : {"qwen3_vl_video_3x2x4", "qwen3_vl_video_3x2x3_slow"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = multimodal_request(file["header"]["config"]);
    request.frame_rate = file["header"]["config"]["frame_rate"].get<double>();
    expect_file(tables_of("qwen3-vl", request), file);
  }
}

TEST(LayoutReference, GlmFramesAreImages) {
  const json file = read_reference("layouts/glm4v_video_3x2x3.json");
  LayoutRequest request = multimodal_request(file["header"]["config"]);
  // An end token, a second of two tokens, a start token. Of these three after a frame the file ends in one.
  request.numbers["text_between"] = 4;
  request.text_after -= 2;
  expect_file(tables_of("glm-4v", request), file);
}

TEST(LayoutReference, OmniCountsTimeWithAndWithoutSound) {
  for (const MultimodalCase& of : {MultimodalCase{"qwen25_omni_", "qwen2.5-omni"}, {"qwen3_omni_", "qwen3-omni"}}) {
    for (const char* name :
         {"image_3x5", "video_3x2x3", "video_4x2x3_15", "audio_3x2x3", "audio_5x2x3_short", "audio_2x3x4_long"}) {
      SCOPED_TRACE(std::string(of.layout) + " " + name);
      const json file = read_reference(std::string("layouts/") + of.file + name + ".json");
      const json& config = file["header"]["config"];
      LayoutRequest request;
      request.image = ImageSize::tokens(config["rows"].get<int>(), config["columns"].get<int>());
      request.frames = config.value("frames", 1);
      if (config.contains("seconds")) request.frame_rate = 2 / config["seconds"].get<double>();
      // The file counts the tokens that begin and end a video or its sound apart.
      const int marks = config.contains("audio") ? 2 : 1;
      request.text = config["text"].get<int>() + marks;
      request.text_after = config["after"].get<int>() + marks;
      request.numbers["audio"] = config.value("audio", 0);
      request.base = config["rope_theta"].get<double>();
      expect_file(tables_of(of.layout, request), file);
    }
  }
}

/// transformers cuts the doubled table: the angle of channel c is that of pair c mod 64 on the axis whose doubled
/// section holds c. Its ids are the layout's, and so are angles of the axes.
TEST(LayoutReference, HunYuanVlHasFourAxes) {
  const json file = read_reference("layouts/hunyuan_vl_two_images.json");
  const json& config = file["header"]["config"];
  LayoutRequest request;
  request.image = ImageSize::tokens(3, 5);
  request.text = config["text"].get<int>();
  const TokenLayout one = arrange(find_layout("hunyuan-vl"), request);
  ASSERT_EQ(one.row_count(), 4 + 1 + 18 + 1);
  for (std::int64_t row = 0; row < one.row_count(); ++row) {
    EXPECT_EQ(ids_of(one, row), numbers_of(file["ids"][static_cast<std::size_t>(row)])) << row;
  }
  const Eigen::VectorXd ladder = vector_of(file["inv_freq"]);
  EXPECT_LT((one.frequencies.colwise().sum().transpose() - ladder).cwiseAbs().maxCoeff(), 1e-7);
  const Eigen::VectorXd ours = one.frequencies.colwise().sum().transpose();
  for (const json& token : file["tokens"]) {
    const std::vector<double> ids = numbers_of(token["id"]);
    for (int channel = 0; channel < 128; ++channel) {
      const double angle = ids[static_cast<std::size_t>(channel / 32)] * ours[channel % 64];
      EXPECT_NEAR(std::cos(angle), token["cos"][static_cast<std::size_t>(channel)].get<double>(), 5e-6);
    }
  }
}

}  // namespace
}  // namespace ropescope
