// Layouts of models that generate videos, compared with tests/reference/layouts.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kWan = 3e-8, kHunyuan = 5e-6, kLtxSingle = 9e-3, kLtx = 2e-11, kLtx2 = 8e-12, kLtx2Single = 1.3e-3,
                 kCogVideoX = 2.4e-6, kKandinsky = 2.1e-6, kCosmos = 4.6e-6, kLongCat = 1.6e-6, kAllegro = 6e-7,
                 kAllegroDouble = 1e-14;

TEST(LayoutReference, Wan) {
  for (const char* name : {"wan_3x4x6", "wan_21x45x80", "wan_4x5x3_hd96"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = video_request(file);
    request.head_dim = file["header"]["config"]["attention_head_dim"].get<int>();
    request.text = 7;  // not in the sequence
    const LayoutTables tables = tables_of("wan", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kWan, by_token);
    const json& dims = file["header"]["config"]["axes_dim"];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(tables.layout().axes[i].rotary_dim, dims[i].get<int>());
  }
}

TEST(LayoutReference, HunyuanVideo) {
  for (const char* name : {"hunyuan_video_2x4x6", "hunyuan_video_33x34x60"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("hunyuan-video", video_request(file));
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kHunyuan, by_token);
  }
}

TEST(LayoutReference, LtxVideoWithAndWithoutScale) {
  for (const char* name : {"ltx_2x4x6", "ltx_7x22x15", "ltx_2x4x6_noscale_d128"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request = video_request(file);
    request.head_dim = config["dim"].get<int>();
    const json& scale = config["rope_interpolation_scale"];
    request.unscaled = scale.is_null();
    if (!request.unscaled) request.frame_rate = 8 / scale[0].get<double>();
    const LayoutTables tables = tables_of("ltx-video", request);
    expect_counts(tables.layout(), file);
    const std::vector<Eigen::Index> pairs = file["pairs"].get<std::vector<Eigen::Index>>();
    const Eigen::Index all = tables.layout().pair_count();
    EXPECT_EQ(2 * all, config["dim"].get<int>());
    Eigen::VectorXd cosine(all), sine(all);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // The file's ids were rounded at every step in float32; they agree to one unit in the last place.
        const auto expected = static_cast<float>(token["id"][axis].get<double>());
        const float one_up = std::nextafter(expected, INFINITY), one_down = std::nextafter(expected, -INFINITY);
        EXPECT_LE(static_cast<float>(ids[axis]), one_up);
        EXPECT_GE(static_cast<float>(ids[axis]), one_down);
      }
      tables.table_rows<double>(by_token(token), 1, cosine.data(), sine.data());
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        EXPECT_NEAR(cosine[pairs[i]], token["cos_f64"][i].get<double>(), kLtx) << pairs[i];
        EXPECT_NEAR(sine[pairs[i]], token["sin_f64"][i].get<double>(), kLtx) << pairs[i];
        EXPECT_NEAR(cosine[pairs[i]], token["cos"][i].get<double>(), kLtxSingle) << pairs[i];
        EXPECT_NEAR(sine[pairs[i]], token["sin"][i].get<double>(), kLtxSingle) << pairs[i];
      }
    }
    EXPECT_EQ((tables.layout().frequencies.array() == 0).colwise().all().count(), file["n_pad_pairs"].get<int>());
  }
}

TEST(LayoutReference, Ltx2HeadByHead) {
  for (const char* name : {"ltx2_video_2x4x6_25fps", "ltx2_video_16x16x24"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request = video_request(file);
    request.head_dim = config["dim"].get<int>();
    request.frame_rate = config["fps"].get<double>();
    const Eigen::Index of_head = config["attention_head_dim"].get<Eigen::Index>() / 2;
    Eigen::Index still = 0;
    std::vector<LayoutTables> heads;
    for (request.head = 0; request.head < config["num_attention_heads"].get<int>(); ++request.head) {
      heads.push_back(tables_of("ltx-2", request));
      ASSERT_EQ(heads.back().layout().pair_count(), of_head);
      still += (heads.back().layout().frequencies.array() == 0).colwise().all().count();
    }
    EXPECT_EQ(still, file["n_pad_pairs"].get<int>());
    expect_counts(heads[0].layout(), file);
    const std::vector<Eigen::Index> pairs = file["pairs"].get<std::vector<Eigen::Index>>();
    Eigen::VectorXd cosine(of_head), sine(of_head);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(heads[0].layout(), by_token(token));
      for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(ids[axis], token["id"][axis].get<double>(), 1e-15);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        heads[static_cast<std::size_t>(pairs[i] / of_head)].table_rows<double>(by_token(token), 1, cosine.data(),
                                                                               sine.data());
        EXPECT_NEAR(cosine[pairs[i] % of_head], token["cos_f64"][i].get<double>(), kLtx2) << pairs[i];
        EXPECT_NEAR(sine[pairs[i] % of_head], token["sin_f64"][i].get<double>(), kLtx2) << pairs[i];
        EXPECT_NEAR(cosine[pairs[i] % of_head], token["cos"][i].get<double>(), kLtx2Single) << pairs[i];
      }
    }
  }
}

TEST(LayoutReference, CogVideoX15CountsPlainly) {
  for (const char* name : {"cogvideox15_3x5x7", "cogvideox15_11x48x85"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = video_request(file);
    request.text = 226;
    const LayoutTables tables = tables_of("cogvideox-1.5", request);
    expect_counts(tables.layout(), file);
    EXPECT_EQ(tables.layout().blocks[0].first_token, 226);
    expect_tokens(tables, file["tokens"], kCogVideoX, by_token);
  }
  EXPECT_EQ(count_token_frames(find_layout("cogvideox-1.5"), 81), 11);
}

TEST(LayoutReference, Kandinsky5DividesRowsAndColumns) {
  for (const char* name : {"kandinsky5_lite_3x5x7", "kandinsky5_pro_2x5x7_hd", "kandinsky5_t2i_1x64x64"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request = video_request(file);
    request.axis_dims = config["axes_dims"].get<std::vector<int>>();
    // Pipelines choose it by the size, which is too small here.
    if (request.frames == 3) request.numbers["grid_scale"] = config["scale_factor"][1].get<double>();
    const LayoutTables tables = tables_of("kandinsky-5", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kKandinsky, by_token);
    EXPECT_DOUBLE_EQ(1 / tables.layout().axes[2].id_scale, config["scale_factor"][2].get<double>());
  }
}

TEST(LayoutReference, CosmosPredict25StretchesTwoBases) {
  for (const char* name : {"cosmos_predict25_3x5x7", "cosmos_predict25_24x44x80"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("cosmos-predict2.5", video_request(file));
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kCosmos, by_token);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_DOUBLE_EQ(tables.layout().axes[axis].base,
                       file["header"]["config"]["effective_theta"][axis].get<double>());
    }
  }
}

TEST(LayoutReference, AllegroDividesAllAxes) {
  for (const char* name : {"allegro_3x5x7", "allegro_22x45x80"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("allegro", video_request(file));
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kAllegro, by_token);
    for (const json& token : file["tokens"])
      expect_table_row(tables, by_token(token), token["cos_f64"], token["sin_f64"], kAllegroDouble);
    EXPECT_TRUE(tables.layout().halves_by_axis);
  }
  // As released: even numbers of frames have no frame of tokens for the first alone.
  for (const auto& [frames, tokens] : {std::pair(88, 22), std::pair(89, 23), std::pair(86, 22), std::pair(1, 1)})
    EXPECT_EQ(count_token_frames(find_layout("allegro"), frames), tokens) << frames;
}

TEST(LayoutReference, LongCatVideoWithAReference) {
  for (const char* name : {"longcat_video_3x5x7", "longcat_video_avatar_4x3x5_ref"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = video_request(file);
    if (file["header"]["config"].contains("num_ref_latents")) {
      request.references = {*request.image};
      --request.frames;
    }
    const LayoutTables tables = tables_of("longcat-video", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kLongCat, by_token);
  }
}

}  // namespace
}  // namespace ropescope
