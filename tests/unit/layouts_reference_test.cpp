// Layouts of models that generate images, compared with tests/reference/layouts.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// Tolerances of cos and sin that an independent recomputation in float64 met (README of the reference data).
constexpr double kFlux1 = 4e-6, kFlux2 = 3e-8, kLumina = 1e-14, kReferenceQwen = 5e-6, kZImage = 3e-6, kCogView = 8e-6,
                 kHunyuanImage = 3e-6, kHunyuanImageLarge = 2.3e-4, kOmniGen = 1e-14, kHiDream = 3e-8,
                 kLongCatImage = 3e-8;

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
  ASSERT_EQ(tables.layout().notes.size(), 1u);
  EXPECT_THAT(debug_text(tables.layout().notes.front()), HasSubstr("new_width=1392 new_height=752"));
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
    expect_tokens(tables, file["tokens"], kFlux2, by_token);
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
    expect_tokens(tables, file["tokens"], kReferenceQwen,
                  [&](const json& token) { return by_token(token) + (token["segment"] == "txt" ? 0 : images); });
    if (file.contains("img_ids")) {
      for (std::size_t i = 0; i < file["img_ids"].size(); ++i) {
        EXPECT_EQ(ids_of(tables.layout(), images + static_cast<std::int64_t>(i)), numbers_of(file["img_ids"][i]));
      }
    }
    if (file.contains("txt_ids")) expect_ids(tables.layout(), "text", file["txt_ids"]);
  }
}

TEST(LayoutReference, QwenImageLayeredNumbersItsLayers) {
  for (const char* name : {"qwen_layered_5x7_2layers", "qwen_layered_2x4_4layers_fewrows"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    LayoutRequest request;
    request.text = config["txt_len"].get<int>();
    request.frames = config["layers"].get<int>() + 1;
    const json& shape = config["img_shapes_fhw"][0];
    request.image = ImageSize::tokens(shape[1].get<int>(), shape[2].get<int>());
    const LayoutTables tables = tables_of("qwen-image-layered", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kReferenceQwen, by_token);
    expect_ids(tables.layout(), "text", file["ids"]["txt"]);
    expect_ids(tables.layout(), "image", file["ids"]["image0"]);
    expect_ids(tables.layout(), "reference1", file["ids"]["cond"]);
  }
}

TEST(LayoutReference, HunyuanImage3StandsOnTheDiagonal) {
  const auto check = [](const char* name, double tolerance) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& config = file["header"]["config"];
    const json& image = config["image_slices"][0];
    LayoutRequest request;
    request.image = ImageSize::tokens(image["h"].get<int>(), image["w"].get<int>());
    request.text = image["start"].get<int>();
    request.text_after = config["seq_len"].get<int>() - image["stop"].get<int>();
    const LayoutTables tables = tables_of("hunyuan-image-3", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], tolerance, by_token);
    if (file.contains("ids")) expect_ids(tables.layout(), "text", file["ids"]);
  };
  check("hunyuan_image3_3x4", kHunyuanImage);
  check("hunyuan_image3_5x7_odd", kHunyuanImage);
  check("hunyuan_image3_80x48", kHunyuanImageLarge);
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

TEST(LayoutReference, OmniGen2StartsWhereReferencesEnd) {
  for (const char* name : {"omnigen2_4x6", "omnigen2_3x5_2refs"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = grid_request(file);
    for (const json& grid : file["header"]["config"]["reference_grids"]) request.references.push_back(grid_in(grid));
    const LayoutTables tables = tables_of("omnigen2", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kOmniGen, by_token);
    expect_ids(tables.layout(), "image", file["ids"]["img"]);
    if (!request.references.empty()) expect_ids(tables.layout(), "reference2", file["ids"]["ref1"]);
  }
}

TEST(LayoutReference, HiDreamI1PadsAnImageOfDifferentSides) {
  for (const char* name : {"hidream_i1_3x5", "hidream_i1_4x4_square", "hidream_i1_48x85"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    const json& most = file["header"]["config"]["max_resolution"];
    LayoutRequest request = grid_request(file);
    if (most[0] != 128) request.numbers["padded_to"] = most[0].get<double>() * most[1].get<double>() / 4;
    const LayoutTables tables = tables_of("hidream-i1", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kHiDream, by_token);
    if (file.contains("ids")) expect_ids(tables.layout(), "image", file["ids"]);
  }
}

TEST(LayoutReference, LongCatImageFollowsItsText) {
  for (const char* name : {"longcat_image_3x5", "longcat_image_edit_3x5"}) {
    SCOPED_TRACE(name);
    const json file = read_reference(std::string("layouts/") + name + ".json");
    LayoutRequest request = grid_request(file);
    for (const json& grid : file["header"]["config"]["reference_grids"]) request.references.push_back(grid_in(grid));
    const LayoutTables tables = tables_of("longcat-image", request);
    expect_counts(tables.layout(), file);
    expect_tokens(tables, file["tokens"], kLongCatImage, by_token);
    expect_ids(tables.layout(), "text", file["ids"]["txt"]);
    expect_ids(tables.layout(), "image", file["ids"]["img"]);
    if (!request.references.empty()) expect_ids(tables.layout(), "reference1", file["ids"]["ref"]);
  }
}

}  // namespace
}  // namespace ropescope
