// Models that see images.

#include <numbers>

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

using nlohmann::json;

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kVit = 3e-7, kTorchtune = 7e-8, kLucidrains = 3e-5;

TEST(LayoutReference, RopeVitAxial) {
  for (const char* name : {"ropevit_axial_6x4", "ropevit_axial_14x14", "ropevit_axial_3x8"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request;
    request.image = ImageSize::tokens(config["end_y"].get<int>(), config["end_x"].get<int>());
    request.head_dim = config["dim"].get<int>();
    request.base = config["theta"].get<double>();
    const LayoutTables tables = tables_of("vit-axial", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kVit, by_token);
  }
}

TEST(LayoutReference, RopeVitMixed) {
  const json file = read_reference("layouts/ropevit_mixed_6x4.json");
  const json& config = file["header"]["config"];
  LayoutRequest request;
  request.image = ImageSize::tokens(config["end_y"].get<int>(), config["end_x"].get<int>());
  for (std::size_t head = 0; head < 2; ++head) {
    const Eigen::VectorXd x = vector_of(file["freqs"][0][head]), y = vector_of(file["freqs"][1][head]);
    request.mixed_frequencies.resize(2, x.size());
    request.mixed_frequencies << x.transpose(), y.transpose();
    const LayoutTables tables = tables_of("vit-mixed", request);
    for (const json& token : file["tokens"]) {
      EXPECT_EQ(ids_of(tables.layout(), by_token(token)), numbers_of(token["id"]));
      expect_table_row(tables, by_token(token), token["cos"][head], token["sin"][head], kVit);
    }
  }
}

TEST(LayoutReference, MixedFrequenciesStartAsReleased) {
  // Whatever its angle: both frequencies of a pair are magnitudes b^(−4i/d) along and across it.
  const json file = read_reference("layouts/ropevit_mixed_6x4.json");
  LayoutRequest request;
  request.image = ImageSize::tokens(4, 6);
  request.head_dim = 32;
  request.base = 10;
  const Eigen::MatrixXd ours = arrange(find_layout("vit-mixed"), request).frequencies;
  for (std::size_t head = 0; head < 2; ++head) {
    const Eigen::VectorXd x = vector_of(file["freqs"][0][head]), y = vector_of(file["freqs"][1][head]);
    ASSERT_EQ(ours.cols(), x.size());
    const Eigen::VectorXd squares = ours.colwise().squaredNorm().transpose();
    EXPECT_LT((squares - x.cwiseAbs2() - y.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-6);
    // The second half of the pairs is turned by 90 degrees against the first, in the same direction of rotation.
    const Eigen::Index half = x.size() / 2;
    EXPECT_LT((x.tail(half) + y.head(half)).cwiseAbs().maxCoeff(), 1e-6);
  }
  const Eigen::Index half = ours.cols() / 2;
  EXPECT_LT((ours.row(0).tail(half) + ours.row(1).head(half)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((ours.row(1).tail(half) - ours.row(0).head(half)).cwiseAbs().maxCoeff(), 1e-15);
  request.head = 1;
  EXPECT_NE(arrange(find_layout("vit-mixed"), request).frequencies, ours) << "each head has its own";
}

TEST(LayoutReference, TorchtuneVisionCountsFromOneAndKeepsItsClassTokenStill) {
  const json file = read_reference("layouts/torchtune_vision_4x4.json");
  const json& config = file["header"]["config"];
  LayoutRequest request;
  request.image = ImageSize::pixels(config["tile_size"].get<int>(), config["tile_size"].get<int>());
  request.patch = config["patch_size"].get<int>();
  request.head_dim = config["dim"].get<int>();
  request.base = config["base"].get<double>();
  const LayoutTables tables = tables_of("torchtune-vision", request);
  expect_counts(tables.layout(), file);
  expect_tokens(tables, file["tokens"], kTorchtune, by_token);
  EXPECT_EQ(tables.layout().blocks.back().part, "cls");
}

TEST(LayoutReference, LucidrainsAxial) {
  for (const char* name : {"lucidrains_lang_4x6", "lucidrains_pixel_4x6"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request;
    request.image = grid_in(config["grid"]);
    request.head_dim = 2 * config["dim_per_axis"].get<int>();
    if (config["freqs_for"] == "lang") {
      request.base = config["theta"].get<double>();
    } else {
      request.max_frequency = config["max_freq"].get<double>();
    }
    const LayoutTables tables = tables_of("lucidrains-axial", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kLucidrains, by_token);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token));
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::size_t index = token["index"][axis].get<std::size_t>();
        EXPECT_FLOAT_EQ(static_cast<float>(ids[axis]), file["axis_positions"][axis][index].get<float>());
      }
    }
  }
}

}  // namespace
/// max_freq of RotaryEmbedding in lucidrains/rotary-embedding-torch.
TEST(LayoutReference, LucidrainsPixelLadderEndsAtTheDefaultOfTheLibrary) {
  LayoutRequest request;
  request.image = ImageSize::tokens(4, 6);
  const LayoutTables tables = tables_of("lucidrains-axial", request);
  EXPECT_DOUBLE_EQ(tables.layout().frequencies.maxCoeff(), 10 / 2.0 * std::numbers::pi);
}

}  // namespace ropescope
