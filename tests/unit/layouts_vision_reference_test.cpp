// Layouts of vision towers, compared with tests/reference/layouts.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

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

/// Tables of transformers 5.17 are computed in float32.
constexpr double kTower = 5e-6;

TEST(LayoutReference, QwenTowersBlockByBlockAndWindowByWindow) {
  for (const char* name : {"qwen3_vl_tower_1x6x10", "qwen3_vl_tower_2x4x6", "qwen3_vl_tower_1x34x60",
                           "glm4v_tower_1x6x10", "ernie45_vl_tower_1x6x10", "paddleocr_vl_tower_1x6x10",
                           "qwen25_vl_tower_1x12x20", "qwen25_vl_tower_2x6x10", "qwen25_vl_tower_1x16x8"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request = video_request(file);
    request.head_dim = config["head_dim"].get<int>();
    request.numbers["merge_size"] = config["merge"].get<int>();
    request.numbers["window"] = config.value("window", 0) / 14.0;
    const LayoutTables tables = tables_of("qwen-vision", request);
    expect_counts(tables.layout(), file);
    expect_ids(tables.layout(), "image", ids_in(file));
    expect_tokens(tables, file["tokens"], kTower, by_token);
  }
}

TEST(LayoutReference, TowerOfKimi) {
  for (const char* name : {"kimi_k25_tower_1x4x6", "kimi_k25_tower_2x3x5", "kimi_k25_tower_1x36x64"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = video_request(file);
    request.head_dim = file["header"]["config"]["head_dim"].get<int>();
    const LayoutTables tables = tables_of("moonvit", request);
    expect_counts(tables.layout(), file);
    // The file has (row, column), the layout x first.
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token)), theirs = numbers_of(token["id"]);
      EXPECT_EQ(ids, (std::vector<double>{theirs[1], theirs[0]}));
      expect_table_row(tables, by_token(token), token["cos"], token["sin"], kTower);
    }
  }
}

/// Its ids are the layout's; its tables know t and row only, on half of the head each, as the layout's quirk says.
TEST(LayoutReference, MiniMaxM3OfTransformersLeavesColumnsOut) {
  const json file = read_reference("layouts/minimax_m3_tower_2x4x6.json");
  const LayoutTables tables = tables_of("minimax-m3-vision", video_request(file));
  expect_counts(tables.layout(), file);
  expect_ids(tables.layout(), "image", ids_in(file));
  EXPECT_EQ(tables.layout().pair_count(), 39);
  for (const json& token : file["tokens"]) {
    const std::vector<double> ids = numbers_of(token["id"]);
    ASSERT_EQ(token["cos"].size(), 40u);
    for (std::size_t pair = 0; pair < 40; ++pair) {
      const double angle = ids[pair / 20] * std::pow(10000, -static_cast<double>(pair % 20) / 20);
      EXPECT_NEAR(token["cos"][pair].get<double>(), std::cos(angle), kTower);
    }
  }
}

TEST(LayoutReference, DinoV3) {
  for (const char* name : {"dinov3_4x6", "dinov3_5x3", "dinov3_14x14"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = grid_request(file);
    request.head_dim = file["header"]["config"]["head_dim"].get<int>();
    const LayoutTables tables = tables_of("dinov3", request);
    expect_counts(tables.layout(), file);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token)), theirs = numbers_of(token["id"]);
      EXPECT_NEAR(ids[0], theirs[0], 2e-7);
      EXPECT_NEAR(ids[1], theirs[1], 2e-7);
      expect_table_row(tables, by_token(token), token["cos"], token["sin"], kTower);
    }
  }
}

TEST(LayoutReference, PixtralTower) {
  for (const char* name : {"pixtral_4x6", "pixtral_44x64"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = grid_request(file);
    request.head_dim = file["header"]["config"]["head_dim"].get<int>();
    const LayoutTables tables = tables_of("pixtral", request);
    expect_counts(tables.layout(), file);
    expect_ids(tables.layout(), "image", ids_in(file));
    expect_tokens(tables, file["tokens"], kTower, by_token);
  }
}

/// The file's ids are scaled already.
TEST(LayoutReference, Sam3InWindowsAndWhole) {
  for (const char* name : {"sam3_windows", "sam3_whole", "sam3_whole_504"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const int side = file["header"]["config"]["side"].get<int>();
    LayoutRequest request;
    request.image = ImageSize::tokens(side, side);
    const LayoutTables tables = tables_of("sam-3", request);
    expect_counts(tables.layout(), file);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token)), theirs = numbers_of(token["id"]);
      EXPECT_NEAR(ids[0] * tables.layout().axes[0].id_scale, theirs[0], 2e-6);
      EXPECT_NEAR(ids[1] * tables.layout().axes[1].id_scale, theirs[1], 2e-6);
      expect_table_row(tables, by_token(token), token["cos"], token["sin"], kTower);
    }
  }
}

/// What the released code makes of a vector by the layout's tables: channel c of an axis takes the angle of pair
/// c mod 10 and is turned with its neighbour.
TEST(LayoutReference, Vjepa2RepeatsHalvesAndTurnsNeighbours) {
  const json file = read_reference("layouts/vjepa2_3x5x5.json");
  const json& config = file["header"]["config"];
  LayoutRequest request = grid_request(file);
  request.frames = config["frames"].get<int>();
  const LayoutTables tables = tables_of("v-jepa-2", request);
  expect_counts(tables.layout(), file);
  expect_ids(tables.layout(), "image", ids_in(file));
  expect_tokens(tables, file["tokens"], kTower, by_token);
  const std::vector<double> q = numbers_of(file["vector"]);
  for (const auto& [token, turned] : file["turned"].items()) {
    const Eigen::VectorXd angles = angles_of(tables.layout(), std::stoll(token));
    for (std::size_t channel = 0; channel < q.size(); ++channel) {
      double expected = q[channel];
      if (channel < 60) {
        const double angle = angles[static_cast<Eigen::Index>(channel / 20 * 10 + channel % 20 % 10)];
        const double beside = channel % 2 == 0 ? -q[channel + 1] : q[channel - 1];
        expected = q[channel] * std::cos(angle) + beside * std::sin(angle);
      }
      EXPECT_NEAR(turned[channel].get<double>(), expected, kTower) << token << " " << channel;
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
