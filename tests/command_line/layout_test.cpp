#include "core/layouts/layout.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"

namespace ropescope {
namespace {

using LayoutCommand = InWorkplace;

Tensor read_tensor(const Workplace& place, const std::string& name) {
  const std::string content = place.read(name);
  return parse_npy(std::as_bytes(std::span(content)), name);
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
