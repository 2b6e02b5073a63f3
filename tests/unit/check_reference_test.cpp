#include "check_dump.h"
#include "core/layouts/tables.h"
#include "reference_data.h"
#include "tests/angles_of.h"
#include "tests/store_values.h"

namespace ropescope {

namespace {

/// What each file was made with.
struct RealFile {
  const char* name;
  const char* layout;
};

constexpr RealFile kFiles[] = {{"flux1_4x6", "flux.1"},
                               {"flux1_104x58", "flux.1"},
                               {"flux1_kontext_16x9", "flux.1-kontext"},
                               {"flux2_4x6_2refs", "flux.2"},
                               {"qwen_5x7_odd", "qwen-image"},
                               {"qwen_edit_2images", "qwen-image"},
                               {"wan_3x4x6", "wan"},
                               {"wan_4x5x3_hd96", "wan"},
                               {"hunyuan_video_2x4x6", "hunyuan-video"},
                               {"hunyuan_video_33x34x60", "hunyuan-video"},
                               {"cogview4_4x6", "cogview4"},
                               {"cogview4_64x64", "cogview4"},
                               {"lumina2_4x6", "lumina-2"},
                               {"z_image_4x6", "z-image"},
                               {"ltx_2x4x6", "ltx-video"},
                               {"ltx_7x22x15", "ltx-video"},
                               {"ropevit_axial_14x14", "vit-axial"},
                               {"ropevit_axial_3x8", "vit-axial"},
                               {"torchtune_vision_4x4", "torchtune-vision"},
                               {"lucidrains_lang_4x6", "lucidrains-axial"},
                               {"lucidrains_pixel_4x6", "lucidrains-axial"}};

ImageSize tokens_of(const json& sizes, std::size_t first = 0) {
  return ImageSize::tokens(sizes[first].get<int>(), sizes[first + 1].get<int>());
}

LayoutRequest make_reference_request(const std::string& layout, const json& config) {
  LayoutRequest request;
  if (config.contains("grid_h")) {
    request.image = ImageSize::tokens(config["grid_h"].get<int>(), config["grid_w"].get<int>());
    request.text = config.value("txt_len", config.value("cap_len", 0));
  }
  if (config.contains("grid_fhw")) {
    request.frames = config["grid_fhw"][0].get<int>();
    request.image = tokens_of(config["grid_fhw"], 1);
  }
  if (config.contains("cond_grid_h")) {
    request.references = {ImageSize::tokens(config["cond_grid_h"].get<int>(), config["cond_grid_w"].get<int>())};
  }
  if (config.contains("reference_grids")) {
    for (const json& grid : config["reference_grids"]) request.references.push_back(tokens_of(grid));
  }
  if (layout == "qwen-image") {
    request.text = config["txt_len"].get<int>();
    request.image = tokens_of(config["img_shapes_fhw"][0], 1);
    for (std::size_t i = 1; i < config["img_shapes_fhw"].size(); ++i) {
      request.references.push_back(tokens_of(config["img_shapes_fhw"][i], 1));
    }
  } else if (layout == "wan") {
    request.head_dim = config["attention_head_dim"].get<int>();
  } else if (layout == "ltx-video") {
    request.head_dim = config["dim"].get<int>();
    request.frame_rate = 8 / config["rope_interpolation_scale"][0].get<double>();
  } else if (layout == "vit-axial") {
    request.image = ImageSize::tokens(config["end_y"].get<int>(), config["end_x"].get<int>());
    request.head_dim = config["dim"].get<int>();
    request.base = config["theta"].get<double>();
  } else if (layout == "torchtune-vision") {
    request.image = ImageSize::pixels(config["tile_size"].get<int>(), config["tile_size"].get<int>());
    request.patch = config["patch_size"].get<int>();
    request.head_dim = config["dim"].get<int>();
    request.base = config["base"].get<double>();
  } else if (layout == "lucidrains-axial") {
    request.image = tokens_of(config["grid"]);
    request.head_dim = 2 * config["dim_per_axis"].get<int>();
    if (config["freqs_for"] == "lang") {
      request.base = config["theta"].get<double>();
    } else {
      request.max_frequency = config["max_freq"].get<double>();
    }
  }
  return request;
}

/// Row of a token: some files count text and image each from 0.
std::int64_t row_of(const std::string& layout, const TokenLayout& tokens, const json& token) {
  const std::int64_t at = token["token"].get<std::int64_t>();
  const auto first_of = [&](const std::string& part) -> std::int64_t {
    for (const TokenBlock& block : tokens.blocks) {
      if (block.part == part) return block.first_row;
    }
    return 0;
  };
  if (layout == "qwen-image") return at + (token["segment"] == "txt" ? 0 : first_of("image"));
  if (layout == "z-image") return at + (token["segment"] == "txt" ? first_of("text") : 0);
  return at;
}

/// A number of a token of a file and where it belongs.
struct RealNumber {
  std::int64_t row = 0, pair = 0;
  double cosine = 0, sine = 0;
};
std::vector<RealNumber> collect_real_numbers(const CheckReference& reference, const json& file,
                                             const std::string& layout) {
  const json& tokens = file.contains("batch") ? file["batch"][0]["tokens"] : file["tokens"];
  EXPECT_FALSE(tokens.empty());
  std::vector<RealNumber> numbers;
  for (const json& token : tokens) {
    const std::int64_t row = row_of(layout, reference.tokens, token);
    for (std::size_t i = 0; i < token["cos"].size(); ++i) {
      const std::int64_t pair =
          file.contains("pairs") ? file["pairs"][i].get<std::int64_t>() : static_cast<std::int64_t>(i);
      numbers.push_back({row, pair, token["cos"][i].get<double>(), token["sin"][i].get<double>()});
    }
  }
  return numbers;
}

/// The layout with the frequencies that the program had: its rounding of one is the same in all rows, those too that
/// the file leaves out.
TokenLayout with_real_frequencies(TokenLayout tokens, const std::vector<RealNumber>& numbers) {
  Eigen::VectorXd deviation = Eigen::VectorXd::Zero(tokens.pair_count()), squares = deviation;
  for (const RealNumber& number : numbers) {
    const double angle = angles_of(tokens, number.row)[static_cast<Eigen::Index>(number.pair)];
    const double turned = number.sine * std::cos(angle) - number.cosine * std::sin(angle);
    deviation[number.pair] += angle * turned;
    squares[number.pair] += angle * angle;
  }
  for (Eigen::Index pair = 0; pair < tokens.pair_count(); ++pair) {
    const bool one_axis = (tokens.frequencies.col(pair).array() != 0).count() == 1;
    if (one_axis && squares[pair] > 0) tokens.frequencies.col(pair) *= 1 + deviation[pair] / squares[pair];
  }
  return tokens;
}

/// The tables of the reference with the rows that a program made put in.
CheckInputs with_real_rows(const CheckReference& reference, const json& file, const std::string& layout) {
  const std::int64_t rows = reference.tokens.row_count(), pairs = reference.tokens.pair_count();
  std::vector<double> cosine(static_cast<std::size_t>(rows * pairs)), sine(cosine.size());
  const std::vector<RealNumber> numbers = collect_real_numbers(reference, file, layout);
  const TokenLayout others = with_real_frequencies(reference.tokens, numbers);
  LayoutTables(others).table_rows<double>(0, rows, cosine.data(), sine.data());
  for (const RealNumber& number : numbers) {
    const auto at = static_cast<std::size_t>(number.row * pairs + number.pair);
    cosine[at] = number.cosine;
    sine[at] = number.sine;
  }
  CheckInputs inputs;
  inputs.cosine = store_values("cos", {rows, pairs}, cosine, Storage::float64);
  inputs.sine = store_values("sin", {rows, pairs}, sine, Storage::float64);
  return inputs;
}

}  // namespace

TEST(CheckReferenceFiles, TablesOfOtherProgramsAgree) {
  for (const RealFile& real : kFiles) {
    SCOPED_TRACE(real.name);
    const json file = read_reference(std::string("layouts/") + real.name + ".json");
    json config = file["header"]["config"];
    if (file.contains("batch")) config["cap_len"] = file["batch"][0]["cap_len"];
    const CheckReference reference =
        reference_from_layout(find_layout(real.layout), make_reference_request(real.layout, config));
    const CheckReport report = check(reference, with_real_rows(reference, file, real.layout));
    EXPECT_EQ(names_of(report), "agrees");
  }
}

TEST(CheckReferenceFiles, AnOddGridCentredByTheOtherRuleIsNamed) {
  const json file = read_reference("layouts/qwen_5x7_odd.json");
  const CheckReference reference =
      reference_from_layout(find_layout("qwen-image"), make_reference_request("qwen-image", file["header"]["config"]));
  Dump dump = true_dump(reference);
  ASSERT_EQ(dump.ids[3], file["img_ids"][0].get<std::vector<double>>());
  EXPECT_EQ(dump.ids[3], (std::vector<double>{0, -3, -4}));
  // ⌊h/2⌋ in place of ⌈h/2⌉.
  for (std::size_t row = 3; row < dump.rows(); ++row) dump.ids[row][1] += 1, dump.ids[row][2] += 1;
  CheckInputs ids;
  put_ids(ids, dump);
  for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), ids}) {
    const CheckReport report = check(reference, inputs);
    EXPECT_EQ(names_of(report), "centring");
    EXPECT_EQ(list_of(report, "offset"), (std::vector<double>{0, 1, 1}));
  }
}

}  // namespace ropescope
