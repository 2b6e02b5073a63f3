// Models that draw videos.

#include <cmath>

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

using nlohmann::json;

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kWan = 3e-8, kHunyuan = 5e-6, kLtxSingle = 9e-3, kLtx = 2e-11;

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

}  // namespace
}  // namespace ropescope
