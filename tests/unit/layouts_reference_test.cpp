#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/layouts/layout.h"
#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "reference_data.h"

namespace ropescope {

namespace {

using nlohmann::json;

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kFlux1 = 4e-6, kFlux2AndWan = 3e-8, kLumina = 1e-14, kQwen = 5e-6, kHunyuan = 5e-6, kZImage = 3e-6;
constexpr double kCogView = 8e-6, kVit = 3e-7, kTorchtune = 7e-8, kLucidrains = 3e-5, kLtxSingle = 9e-3, kLtx = 2e-11;

ImageSize grid_in(const json& sizes) {
  return ImageSize::tokens(sizes[0].get<int>(), sizes[1].get<int>());
}

/// The size of a file whose config names it grid_h and grid_w.
LayoutRequest grid_request(const json& file) {
  const json& config = file["header"]["config"];
  LayoutRequest request;
  request.image = ImageSize::tokens(config["grid_h"].get<int>(), config["grid_w"].get<int>());
  request.text = config.value("txt_len", config.value("cap_len", 0));
  return request;
}

/// The size of a file whose config names it grid_fhw.
LayoutRequest video_request(const json& file) {
  const json& grid = file["header"]["config"]["grid_fhw"];
  LayoutRequest request;
  request.frames = grid[0].get<int>();
  request.image = ImageSize::tokens(grid[1].get<int>(), grid[2].get<int>());
  return request;
}

std::vector<double> numbers_of(const json& list) {
  return list.get<std::vector<double>>();
}

std::int64_t first_row_of(const TokenLayout& layout, const std::string& part) {
  for (const TokenBlock& block : layout.blocks) {
    if (block.part == part) return block.first_row;
  }
  ADD_FAILURE() << "no part " << part;
  return 0;
}

/// cos and sin of one row against lists of the file, both as formula and as streamed.
void expect_table_row(const LayoutTables& tables, std::int64_t row, const json& cosines, const json& sines,
                      double tolerance) {
  const Eigen::VectorXd angles = angles_of(tables.layout(), row);
  ASSERT_EQ(static_cast<std::size_t>(angles.size()), cosines.size());
  Eigen::VectorXd cosine(angles.size()), sine(angles.size());
  tables.table_rows<double>(row, 1, cosine.data(), sine.data());
  const Eigen::VectorXd expected_cosine = vector_of(cosines), expected_sine = vector_of(sines);
  EXPECT_LE((cosine - expected_cosine).cwiseAbs().maxCoeff(), tolerance) << "row " << row;
  EXPECT_LE((sine - expected_sine).cwiseAbs().maxCoeff(), tolerance) << "row " << row;
  EXPECT_LE((angles.array().cos() - expected_cosine.array()).abs().maxCoeff(), tolerance) << "row " << row;
}

/// Every sampled token of a file: its id exactly, its table row within the tolerance. row_of finds the row of one.
template <class RowOf>
void expect_tokens(const LayoutTables& tables, const json& tokens, double tolerance, const RowOf& row_of) {
  ASSERT_FALSE(tokens.empty());
  for (const json& token : tokens) {
    const std::int64_t row = row_of(token);
    SCOPED_TRACE("token " + token["token"].dump() + " row " + std::to_string(row));
    ASSERT_LT(row, tables.layout().row_count());
    if (token.contains("id") && token["id"].is_array()) {
      EXPECT_EQ(ids_of(tables.layout(), row), numbers_of(token["id"]));
    }
    expect_table_row(tables, row, token["cos"], token["sin"], tolerance);
  }
}

std::int64_t by_token(const json& token) {
  return token["token"].get<std::int64_t>();
}

/// All ids of a part that a small file carries in full.
void expect_ids(const TokenLayout& layout, const std::string& part, const json& ids) {
  const std::int64_t first = first_row_of(layout, part);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids_of(layout, first + static_cast<std::int64_t>(i)), numbers_of(ids[i])) << part << " " << i;
  }
}

void expect_counts(const TokenLayout& layout, const json& file) {
  EXPECT_EQ(layout.row_count(), file["n_tokens"].get<std::int64_t>());
}

LayoutTables tables_of(const char* name, const LayoutRequest& request) {
  return LayoutTables(arrange(find_layout(name), request));
}

}  // namespace

TEST(LayoutReference, Flux1) {
  for (const char* name : {"flux1_4x6", "flux1_64x64", "flux1_104x58"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("flux.1", grid_request(file));
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kFlux1, by_token);
    if (file.contains("txt_ids")) expect_ids(tables.layout(), "text", file["txt_ids"]);
    if (file.contains("img_ids")) expect_ids(tables.layout(), "image", file["img_ids"]);
  }
}

TEST(LayoutReference, Flux1KontextSnapsItsReference) {
  const json file = read_reference("layouts/flux1_kontext_16x9.json");
  LayoutRequest request = grid_request(file);
  const json& pixels = file["header"]["config"]["cond_image_px"];
  request.references = {ImageSize::pixels(pixels[1].get<int>(), pixels[0].get<int>())};
  const LayoutTables tables = tables_of("flux.1-kontext", request);
  expect_counts(tables.layout(), file);
  expect_tokens(tables, file["tokens"], kFlux1, by_token);
  EXPECT_THAT(tables.layout().notes, testing::ElementsAre(testing::HasSubstr("1392x752")));
  const TokenBlock& reference = tables.layout().blocks.back();
  EXPECT_EQ(reference.part, "reference1");
  EXPECT_EQ(reference.rows, file["header"]["config"]["cond_grid_h"].get<int>());
  EXPECT_EQ(reference.columns, file["header"]["config"]["cond_grid_w"].get<int>());
}

TEST(LayoutReference, Flux2WithReferences) {
  for (const char* name : {"flux2_4x6_2refs", "flux2_64x64"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = grid_request(file);
    for (const json& grid : file["header"]["config"]["reference_grids"]) request.references.push_back(grid_in(grid));
    const LayoutTables tables = tables_of("flux.2", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kFlux2AndWan, by_token);
    if (!file.contains("ids")) continue;
    const std::map<std::string, std::string> parts = {
        {"txt", "text"}, {"img", "image"}, {"ref0", "reference1"}, {"ref1", "reference2"}};
    ASSERT_EQ(file["ids"].size(), parts.size());
    for (const auto& [segment, ids] : file["ids"].items()) expect_ids(tables.layout(), parts.at(segment), ids);
  }
}

TEST(LayoutReference, QwenImageIsCentredAndItsTextComesAfter) {
  for (const char* name : {"qwen_4x6", "qwen_5x7_odd", "qwen_64x64", "qwen_edit_2images"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request;
    request.text = config["txt_len"].get<int>();
    for (const json& shape : config["img_shapes_fhw"]) {
      const ImageSize size = ImageSize::tokens(shape[1].get<int>(), shape[2].get<int>());
      if (request.image) {
        request.references.push_back(size);
      } else {
        request.image = size;
      }
    }
    const LayoutTables tables = tables_of("qwen-image", request);
    // Text tokens come first; the file counts text and images each from 0.
    const std::int64_t images = first_row_of(tables.layout(), "image");
    EXPECT_EQ(images, request.text);
    expect_tokens(tables, file["tokens"], kQwen,
                  [&](const json& token) { return by_token(token) + (token["segment"] == "txt" ? 0 : images); });
    if (file.contains("img_ids")) {
      for (std::size_t i = 0; i < file["img_ids"].size(); ++i) {
        EXPECT_EQ(ids_of(tables.layout(), images + static_cast<std::int64_t>(i)), numbers_of(file["img_ids"][i]));
      }
    }
    if (file.contains("txt_ids")) expect_ids(tables.layout(), "text", file["txt_ids"]);
  }
}

TEST(LayoutReference, Wan) {
  for (const char* name : {"wan_3x4x6", "wan_21x45x80", "wan_4x5x3_hd96"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = video_request(file);
    request.head_dim = file["header"]["config"]["attention_head_dim"].get<int>();
    request.text = 7;  // not in the sequence
    const LayoutTables tables = tables_of("wan", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kFlux2AndWan, by_token);
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

TEST(LayoutReference, CogView4) {
  for (const char* name : {"cogview4_4x6", "cogview4_64x64"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("cogview4", grid_request(file));
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kCogView, by_token);
  }
}

TEST(LayoutReference, Lumina2AndItsBatch) {
  for (const char* name : {"lumina2_4x6", "lumina2_64x40_batch2"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    ASSERT_EQ(file["batch"].size(), file["header"]["config"]["cap_lens"].size());
    for (const json& item : file["batch"]) {
      LayoutRequest request = grid_request(file);
      request.text = item["cap_len"].get<int>();
      const LayoutTables tables = tables_of("lumina-2", request);
      EXPECT_EQ(tables.layout().row_count(), item["seq_len"].get<std::int64_t>());
      expect_tokens(tables, item["tokens"], kLumina, by_token);
    }
  }
}

TEST(LayoutReference, ZImagePadsBothParts) {
  for (const char* name : {"z_image_4x6", "z_image_64x40"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const LayoutTables tables = tables_of("z-image", grid_request(file));
    const std::int64_t text = first_row_of(tables.layout(), "text");
    EXPECT_EQ(text, file["padded_img_len"].get<std::int64_t>());
    EXPECT_EQ(tables.layout().row_count() - text, file["padded_cap_len"].get<std::int64_t>());
    expect_tokens(tables, file["tokens"], kZImage,
                  [&](const json& token) { return by_token(token) + (token["segment"] == "txt" ? text : 0); });
    if (file.contains("cap_ids")) expect_ids(tables.layout(), "text", file["cap_ids"]);
    if (file.contains("img_ids")) expect_ids(tables.layout(), "image", file["img_ids"]);
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

TEST(SimilarityReference, AllCases) {
  const std::map<std::string, std::string> layouts = {{"flux1", "flux.1"}, {"flux2", "flux.2"}, {"raster1d", "raster"}};
  for (const char* name : {"flux1_64x64", "flux1_64x64_center", "flux2_64x64"}) {
    const json file = read_reference(std::string("similarity/") + name + ".json");
    for (const json& tested : file["cases"]) {
      const std::string id = tested["id"].get<std::string>();
      SCOPED_TRACE(id);
      const std::string layout = layouts.at(id.substr(0, id.find('_')));
      LayoutRequest request;
      request.image = ImageSize::tokens(64, 64);
      request.base = tested["config"]["theta"].get<double>();
      if (layout == "raster") request.head_dim = tested["config"]["axes_dim"][0].get<int>();
      const LayoutTables tables = tables_of(layout.c_str(), request);
      ASSERT_EQ(tables.layout().pair_count(), tested["n_pairs"].get<int>());
      const std::int64_t anchor = tested["anchor"].get<std::int64_t>();
      EXPECT_EQ(ids_of(tables.layout(), anchor), numbers_of(tested["anchor_id"]));
      const LayoutSimilarity map = similarity_from(tables, anchor);
      ASSERT_FALSE(tested["tokens"].empty());
      for (std::size_t i = 0; i < tested["tokens"].size(); ++i) {
        const std::int64_t token = tested["tokens"][i].get<std::int64_t>();
        const TokenSimilarity picked = similarity_between(tables.layout(), anchor, token);
        const double exact = tested["exact_normalised"][i].get<double>();
        EXPECT_NEAR(picked.total, exact, 4e-15) << token;
        EXPECT_NEAR(map.total[token], exact, 4e-15) << token;
        EXPECT_NEAR(picked.total, tested["normalised"][i].get<double>(), 5e-6) << token;
        EXPECT_EQ(ids_of(tables.layout(), token), numbers_of(tested["token_ids"][i]));
        ASSERT_EQ(picked.per_axis.size(), tested["per_axis_sum"].size());
        for (std::size_t axis = 0; axis < picked.per_axis.size(); ++axis) {
          const double pairs = static_cast<double>(tables.layout().pair_count());
          EXPECT_NEAR(picked.per_axis[axis] * pairs, tested["per_axis_sum"][axis][i].get<double>(), 5e-6 * pairs);
        }
      }
    }
  }
}

}  // namespace ropescope
