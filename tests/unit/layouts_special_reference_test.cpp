// Layouts whose files need more than the table of layouts_reference_test.cpp.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kLumina = 1e-14, kLtxSingle = 9e-3, kLtx = 2e-11, kLtx2 = 8e-12, kLtx2Single = 1.3e-3, kVit = 3e-7,
                 kLucidrains = 3e-5;
/// Tables of transformers 5.17 are computed in float32.
constexpr double kTower = 5e-6;

TEST(LayoutReference, Lumina2AndItsBatch) {
  for (const char* name : {"lumina2_4x6", "lumina2_64x40_batch2"}) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    ASSERT_EQ(file["batch"].size(), config_of(file)["cap_lens"].size());
    for (const json& item : file["batch"]) {
      LayoutRequest request = request_of("lumina-2", config_of(file));
      request.text = item["cap_len"].get<int>();
      const LayoutTables tables = tables_of("lumina-2", request);
      EXPECT_EQ(tables.layout().row_count(), item["seq_len"].get<std::int64_t>());
      expect_tokens(tables, item["tokens"], kLumina, by_token);
    }
  }
}

TEST(LayoutReference, LtxVideoWithAndWithoutScale) {
  for (const char* name : {"ltx_2x4x6", "ltx_7x22x15", "ltx_2x4x6_noscale_d128"}) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const json& config = config_of(file);
    const LayoutTables tables = tables_of("ltx-video", request_of("ltx-video", config));
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
    const json file = read_layout_file(name);
    const json& config = config_of(file);
    LayoutRequest request = request_of("ltx-2", config);
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

TEST(LayoutReference, FramesOfTokens) {
  EXPECT_EQ(count_token_frames(find_layout("cogvideox-1.5"), 81), 11);
  // Allegro as released: even numbers of frames have no frame of tokens for the first alone.
  for (const auto& [frames, tokens] : {std::pair(88, 22), std::pair(89, 23), std::pair(86, 22), std::pair(1, 1)})
    EXPECT_EQ(count_token_frames(find_layout("allegro"), frames), tokens) << frames;
}

TEST(LayoutReference, RopeVitMixed) {
  const json file = read_layout_file("ropevit_mixed_6x4");
  const json& config = config_of(file);
  LayoutRequest request{.image = ImageSize::tokens(config["end_y"].get<int>(), config["end_x"].get<int>())};
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
  const json file = read_layout_file("ropevit_mixed_6x4");
  LayoutRequest request{.image = ImageSize::tokens(4, 6), .head_dim = 32, .base = 10};
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

TEST(LayoutReference, LucidrainsAxial) {
  for (const char* name : {"lucidrains_lang_4x6", "lucidrains_pixel_4x6"}) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const LayoutTables tables = tables_of("lucidrains-axial", request_of("lucidrains-axial", config_of(file)));
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

/// max_freq of RotaryEmbedding in lucidrains/rotary-embedding-torch.
TEST(LayoutReference, LucidrainsPixelLadderEndsAtTheDefaultOfTheLibrary) {
  LayoutRequest request{.image = ImageSize::tokens(4, 6)};
  const LayoutTables tables = tables_of("lucidrains-axial", request);
  EXPECT_DOUBLE_EQ(tables.layout().frequencies.maxCoeff(), 10 / 2.0 * std::numbers::pi);
}

TEST(LayoutReference, TowerOfKimi) {
  for (const char* name : {"kimi_k25_tower_1x4x6", "kimi_k25_tower_2x3x5", "kimi_k25_tower_1x36x64"}) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const LayoutTables tables = tables_of("moonvit", request_of("moonvit", config_of(file)));
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
  const json file = read_layout_file("minimax_m3_tower_2x4x6");
  const LayoutTables tables = tables_of("minimax-m3-vision", request_of("minimax-m3-vision", config_of(file)));
  expect_counts(tables.layout(), file);
  expect_all_ids(tables.layout(), file);
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
    const json file = read_layout_file(name);
    const LayoutTables tables = tables_of("dinov3", request_of("dinov3", config_of(file)));
    expect_counts(tables.layout(), file);
    for (const json& token : file["tokens"]) {
      const std::vector<double> ids = ids_of(tables.layout(), by_token(token)), theirs = numbers_of(token["id"]);
      EXPECT_NEAR(ids[0], theirs[0], 2e-7);
      EXPECT_NEAR(ids[1], theirs[1], 2e-7);
      expect_table_row(tables, by_token(token), token["cos"], token["sin"], kTower);
    }
  }
}

/// The file's ids are scaled already.
TEST(LayoutReference, Sam3InWindowsAndWhole) {
  for (const char* name : {"sam3_windows", "sam3_whole", "sam3_whole_504"}) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const int side = config_of(file)["side"].get<int>();
    LayoutRequest request{.image = ImageSize::tokens(side, side)};
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
  const json file = read_layout_file("vjepa2_3x5x5");
  const LayoutTables tables = tables_of("v-jepa-2", request_of("v-jepa-2", config_of(file)));
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

/// transformers cuts the doubled table: the angle of channel c is that of pair c mod 64 on the axis whose doubled
/// section holds c. Its ids are the layout's, and so are angles of the axes.
TEST(LayoutReference, HunYuanVlHasFourAxes) {
  const json file = read_layout_file("hunyuan_vl_two_images");
  const json& config = config_of(file);
  LayoutRequest request{.image = ImageSize::tokens(3, 5), .text = config["text"].get<int>()};
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
