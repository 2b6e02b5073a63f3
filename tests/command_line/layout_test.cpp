#include "core/layouts/layout.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using LayoutCommand = InWorkplace;

Tensor read_tensor(const Workplace& place, const std::string& name) {
  const std::string content = place.read(name);
  return parse_npy(std::as_bytes(std::span(content)), name);
}

TEST_F(LayoutCommand, PrintsEveryTokenInTheOrderOfTheModel) {
  const auto rows = parse_csv(place.good(
      {"layout", "flux.2", "--size", "48x32", "--text", "2", "--reference", "16x16", "--reference", "32x16"}));
  ASSERT_EQ(rows.size(), 1u + 2 + 6 + 1 + 2);
  EXPECT_THAT(rows[0], ElementsAre("token", "part", "t", "row", "column", "l"));
  EXPECT_THAT(rows[2], ElementsAre("1", "text", "0", "0", "0", "1"));
  EXPECT_THAT(rows[8], ElementsAre("7", "image", "0", "1", "2", "0"));
  EXPECT_THAT(rows[9], ElementsAre("8", "reference1", "10", "0", "0", "0"));
  EXPECT_THAT(rows[11], ElementsAre("10", "reference2", "20", "0", "1", "0"));
}

TEST_F(LayoutCommand, ReferencesKeepTheirOrder) {
  const auto rows = parse_csv(place.good({"layout", "flux.2", "--grid", "1x1", "--reference-grid", "1x3", "--reference",
                                          "32x16", "--reference-grid=1x1", "--part", "reference"}));
  ASSERT_EQ(rows.size(), 1u + 3 + 2 + 1);
  EXPECT_EQ(rows[3][1], "reference1");
  EXPECT_EQ(rows[4][1], "reference2");
  EXPECT_EQ(rows[5][1], "reference2");
  EXPECT_EQ(rows[6][1], "reference3");
  place.bad({"layout", "flux.2", "--grid", "1x1", "--reference", "32x16", "--reference-grid", "3"},
            {"--reference-grid", "\"3\""});
}

TEST_F(LayoutCommand, Qwen25CountsSeconds) {
  place.write("vl.json", R"({"model_type": "qwen2_5_vl", "vision_config": {"tokens_per_second": 2}})");
  const auto times = [&](const Words& more) {
    Words words = Words{"layout", "qwen2-vl", "--grid", "1x1", "--frames", "3", "--text-after", "1"} + more;
    std::string list;
    for (const auto& row : parse_csv(place.good(words))) list += row[2] + " ";
    return list;
  };
  EXPECT_EQ(times({}), "t 0 1 2 3 ");
  EXPECT_EQ(times({"--config", "vl.json"}), "t 0 2 4 5 ");
  EXPECT_EQ(times({"--tokens-per-second", "4", "--frame-rate", "1"}), "t 0 8 16 17 ");
  place.bad({"layout", "wan", "--grid", "1x1", "--tokens-per-second", "4"}, {"wan", "tokens per second"});
}

TEST_F(LayoutCommand, HeadsOfMixed) {
  const Words words = {"layout", "vit-mixed", "--grid", "2x2",   "--head",
                       "3",      "--seed",    "7",      "--cos", place.path("one.npy")};
  place.good(words);
  place.good({"layout", "vit-mixed", "--grid", "2x2", "--head", "2", "--heads", "2", "--seed", "7", "--cos",
              place.path("two.npy")});
  const Tensor one = read_tensor(place, "one.npy"), two = read_tensor(place, "two.npy");
  ASSERT_THAT(one.shape, ElementsAre(4, 32));
  ASSERT_THAT(two.shape, ElementsAre(4, 64));
  for (std::size_t pair = 0; pair < 32; ++pair) EXPECT_EQ(two.values[3 * 64 + 32 + pair], one.values[3 * 32 + pair]);
  place.bad({"layout", "vit-mixed", "--grid", "2x2", "--heads", "0"}, {"heads", "0"});
  place.bad({"layout", "vit-axial", "--grid", "2x2", "--heads", "2"}, {"vit-axial"});
}

TEST_F(LayoutCommand, TextThatChangesNothingIsSaid) {
  const auto said = [&](const char* name, const char* count) {
    return place.run({"layout", name, "--grid", "2x2", "--text", count}).errors;
  };
  EXPECT_THAT(said("wan", "77"), HasSubstr(part_of("notice.no_text")));
  EXPECT_THAT(said("hunyuan-video", "77"), HasSubstr(part_of("notice.no_text")));
  for (const char* name : {"flux.1", "cogview4", "qwen-image"}) EXPECT_EQ(said(name, "77"), "") << name;
  EXPECT_EQ(said("wan", "0"), "");
}

TEST_F(LayoutCommand, FramesAreOfTokensOrOfTheVideo) {
  place.write(
      "wan.json",
      R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 128, "in_channels": 48, "patch_size": [1, 2, 2]})");
  const auto rows = [&](const Words& more) {
    return parse_csv(place.good(Words{"layout", "wan", "--size", "64x32", "--config", "wan.json"} + more)).size() - 1;
  };
  EXPECT_EQ(rows({}), 2u);  // tokens of 32 x 32 pixels
  EXPECT_EQ(rows({"--frames", "21"}), 42u);
  EXPECT_EQ(rows({"--video-frames", "81"}), 42u);
  const auto said = [&](const char* option, const char* count) {
    return place.run({"layout", "wan", "--grid", "1x1", option, count}).errors;
  };
  EXPECT_THAT(said("--frames", "21"), Says("notice.frames", {{"tokens", "21"}, {"video", "81"}}));
  EXPECT_THAT(said("--video-frames", "81"), Says("notice.video_frames", {{"tokens", "21"}, {"video", "81"}}));
  EXPECT_EQ(said("--frames", "1"), "");
  place.bad({"layout", "wan", "--grid", "1x1", "--video-frames", "80"}, {"80 frames", "77 or 81"});
  place.bad({"layout", "wan", "--grid", "1x1", "--video-frames", "81", "--frames", "21"},
            {"--frames", "--video-frames"});
  place.bad({"layout", "flux.1", "--grid", "1x1", "--video-frames", "81"}, {"flux.1", "video"});
}

TEST_F(LayoutCommand, PartsAreChosen) {
  const Words words = {"layout", "z-image", "--grid", "4x6", "--text", "20", "--part"};
  const auto part = [&](const std::string& name) {
    Words all = words;
    all.push_back(name);
    return parse_csv(place.good(all));
  };
  EXPECT_EQ(part("all").size(), 1u + 64);
  EXPECT_EQ(part("image").size(), 1u + 24);
  const auto text = part("text");
  ASSERT_EQ(text.size(), 1u + 32);
  EXPECT_THAT(text[1], ElementsAre("32", "text", "1", "0", "0"));
  place.bad({"layout", "z-image", "--grid", "4x6", "--part", "reference"}, {"--part", "reference"});
  place.bad({"layout", "z-image", "--grid", "4x6", "--part", "cls"}, {"--part", "cls"});
}

TEST_F(LayoutCommand, TextThatIsNotRotatedAddsNoRowsButCounts) {
  const auto rows = parse_csv(place.good({"layout", "cogview4", "--grid", "4x6", "--text", "5"}));
  ASSERT_EQ(rows.size(), 25u);
  EXPECT_THAT(rows[1], ElementsAre("5", "image", "0", "0"));
  EXPECT_THAT(rows[2], ElementsAre("6", "image", "0", "42"));
}

TEST_F(LayoutCommand, WritesIdsAndTables) {
  for (const std::string dtype : {"float32", "float64"}) {
    EXPECT_EQ(place.good({"layout", "flux.1", "--grid", "70x64", "--text", "3", "-o", place.path("ids.npy"), "--cos",
                          place.path("cos.npy"), "--sin", place.path("sin.npy"), "--dtype", dtype}),
              "");
    const Tensor ids = read_tensor(place, "ids.npy"), cosine = read_tensor(place, "cos.npy");
    const Tensor sine = read_tensor(place, "sin.npy");
    EXPECT_THAT(ids.shape, ElementsAre(4483, 3));
    EXPECT_THAT(cosine.shape, ElementsAre(4483, 64));
    EXPECT_THAT(sine.shape, ElementsAre(4483, 64));
    EXPECT_EQ(cosine.format, dtype == "float32" ? NumberFormat::float32 : NumberFormat::float64);
    // The last token: row 69, column 63; pair 8 is the first of rows, pair 36 of columns.
    EXPECT_EQ(ids.values[3 * 4482 + 1], 69);
    EXPECT_EQ(ids.values[3 * 4482 + 2], 63);
    EXPECT_NEAR(cosine.values[64 * 4482 + 8], std::cos(69.0), 1e-7);
    EXPECT_NEAR(sine.values[64 * 4482 + 36], std::sin(63.0), 1e-7);
  }
}

TEST_F(LayoutCommand, TablesAloneLeaveStandardOutputEmpty) {
  EXPECT_EQ(place.good({"layout", "vit-axial", "--size", "32x16", "--cos", place.path("c.npy")}), "");
  EXPECT_THAT(read_tensor(place, "c.npy").shape, ElementsAre(2, 32));
}

TEST_F(LayoutCommand, KontextSaysThatItsReferenceSnaps) {
  const Outcome outcome =
      place.run({"layout", "flux.1-kontext", "--grid", "2x2", "--reference", "1920x1080", "--part", "reference"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("1392x752"));
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1 + 47 * 87);
}

TEST_F(LayoutCommand, CustomAxes) {
  const auto rows = parse_csv(place.good(
      {"layout", "custom", "--axes", "t:16,row:56,column:56", "--base", "500", "--grid", "2x3", "--frames", "2"}));
  ASSERT_EQ(rows.size(), 13u);
  EXPECT_THAT(rows[0], ElementsAre("token", "part", "t", "row", "column"));
  EXPECT_THAT(rows[12], ElementsAre("11", "image", "1", "1", "2"));
  place.bad({"layout", "custom", "--axes", "row:55", "--grid", "2x3"}, {"row", "55"});
  place.bad({"layout", "custom", "--axes", "row", "--grid", "2x3"}, {"--axes", "row"});
  place.bad({"layout", "custom", "--axes", "row:16,row:16", "--grid", "2x3"}, {"--axes", "row", "twice"});
  place.bad({"layout", "custom", "--axes", "row:16:100:2", "--grid", "2x3"}, {"--axes", "row", "factor"});
  place.bad({"layout", "custom", "--grid", "2x3"}, {"axes"});
}

TEST_F(LayoutCommand, BadInputIsNamed) {
  place.bad({"layout", "flux.9", "--grid", "2x3"}, {"flux.9", "flux.1", "flux.2"});
  place.bad({"layout", "flux.1", "--size", "1000x1024"}, {"1000x1024", "992x1024", "1008x1024"});
  place.bad({"layout", "flux.1", "--size", "1024"}, {"--size", "1024"});
  place.bad({"layout", "flux.1", "--size", "1024x1024x3"}, {"--size"});
  place.bad({"layout", "flux.1", "--size", "9000x16"}, {"9000x16", "8192"});
  place.bad({"layout", "flux.1", "--size", "16x16", "--grid", "2x2"}, {"--size", "--grid"});
  place.bad({"layout", "flux.1"}, {"size", "--size", "--grid"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--frames", "3"}, {"flux.1", "frames"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--head-dim", "64"}, {"64", "128"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--base", "1"}, {"base"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--text", "-1"}, {"--text"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "-o", place.path("a.txt")}, {"-o", "a.txt"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--cos", place.path("a.csv")}, {"--cos", ".npy"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--cos", place.path("a.npy"), "--sin", place.path("./a.npy")},
            {"--cos", "--sin", "a.npy"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "-o", place.path("a.npy"), "--cos", place.path("a.npy")},
            {"-o", "--cos", "a.npy"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--dtype", "float16"}, {"--dtype", "float16"});
  place.bad({"layout", "flux.1", "--grid", "2x2", "--config", place.path("none.json")}, {"none.json"});
}

TEST_F(LayoutCommand, TakesWhatTheConfigSays) {
  place.write("config.json", R"({"_class_name": "Flux2Transformer2DModel", "axes_dims_rope": [16, 24, 24, 8]})");
  place.good(
      {"layout", "flux.2", "--grid", "2x2", "--config", place.path("config.json"), "--cos", place.path("c.npy")});
  EXPECT_THAT(read_tensor(place, "c.npy").shape, ElementsAre(4, 36));
  place.bad({"layout", "wan", "--grid", "2x2", "--config", place.path("config.json")},
            {"config.json", "flux.2", "wan"});
}

TEST(LayoutsCommand, ListsAll) {
  const Workplace place;
  const std::string table = place.good({"layouts"});
  const json list = json::parse(place.good({"layouts", "--json"}))["layouts"];
  ASSERT_EQ(list.size(), all_layouts().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["name"].get<std::string>(), all_layouts()[i].name);
    EXPECT_THAT(table, HasSubstr("\n" + list[i]["name"].get<std::string>() + " "));
  }
  EXPECT_THAT(table, HasSubstr("t 16, row 56, column 56"));
}

}  // namespace
}  // namespace ropescope
