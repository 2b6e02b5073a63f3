#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using SimilarityCommand = InWorkplace;

std::string to_integer_list(const json& numbers) {
  std::string list;
  for (const json& number : numbers) list += (list.empty() ? "" : ",") + std::to_string(number.get<int>());
  return list;
}

/// Every case of a reference file, as --from and --to of a 64×64 grid: the exact values to 1e-12, which is far below
/// what tells a wrong frequency from a right one.
void expect_reference(const Workplace& place, const std::string& file, std::size_t index, const Words& layout,
                      const std::string& column) {
  const json entry = read_reference("similarity/" + file + ".json")["cases"][index];
  const auto rows =
      parse_csv(place.good(layout + Words({"--grid", "64x64", "--from", std::to_string(entry["anchor"].get<int>()),
                                           "--to", to_integer_list(entry["tokens"])})));
  ASSERT_EQ(rows.size(), entry["tokens"].size() + 1);
  const auto at = std::find(rows[0].begin(), rows[0].end(), column) - rows[0].begin();
  ASSERT_LT(static_cast<std::size_t>(at), rows[0].size());
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(rows[i + 1][0], std::to_string(entry["tokens"][i].get<int>()));
    EXPECT_NEAR(std::stod(rows[i + 1][static_cast<std::size_t>(at)]), entry["exact_normalised"][i].get<double>(),
                1e-12);
  }
}

TEST_F(SimilarityCommand, MeetsTheReference) {
  expect_reference(place, "flux1_64x64", 0, {"similarity", "flux.1"}, "similarity");
  expect_reference(place, "flux1_64x64", 1, {"similarity", "flux.1", "--against", "raster", "--text", "512"},
                   "against");
  expect_reference(place, "flux1_64x64_center", 0, {"similarity", "flux.1", "--text", "512"}, "similarity");
  expect_reference(place, "flux2_64x64", 0, {"similarity", "flux.2"}, "similarity");
  expect_reference(place, "flux2_64x64", 1, {"similarity", "raster", "--head-dim", "64"}, "similarity");
}

TEST_F(SimilarityCommand, WritesTheSameNumbersAsNpy) {
  const Words words = {"similarity", "wan", "--grid", "2x3",     "--frames",  "2",
                       "--from",     "7",   "--to",   "11,0,11", "--against", "hunyuan-video"};
  const auto rows = parse_csv(place.good(words));
  place.good(words + Words{"-o", place.path("s.npy")});
  const std::string content = place.read("s.npy");
  const Tensor tensor = parse_npy(std::as_bytes(std::span(content)), "s.npy");
  EXPECT_EQ(tensor.format, NumberFormat::float64);
  ASSERT_THAT(tensor.shape, ElementsAre(3, 5));
  EXPECT_EQ(rows[2][0], "0");
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(tensor.values[i], std::stod(rows[1 + i / 5][1 + i % 5])) << i;
  place.good(words + Words{"-o", place.path("s.csv")});
  EXPECT_EQ(place.read("s.csv"), place.good(words));
}

TEST_F(SimilarityCommand, TheOtherLayoutTakesTheSameOptions) {
  // What --against gives is what the other layout gives itself.
  const Words rest = {"--grid", "3x5", "--base", "700", "--from", "2"};
  const auto both = parse_csv(place.good(Words{"similarity", "flux.2", "--against", "cogview4"} + rest));
  const auto alone = parse_csv(place.good(Words{"similarity", "cogview4"} + rest));
  ASSERT_EQ(both.size(), alone.size());
  for (std::size_t i = 1; i < both.size(); ++i) EXPECT_EQ(both[i].back(), alone[i].back()) << i;
  // Axes of one's own are for the layout that takes them.
  const Words custom = {"similarity", "flux.1", "--grid", "3x5", "--from", "2"};
  const auto own = parse_csv(place.good(custom + Words{"--against", "custom", "--axes", "t:16,row:56,column:56"}));
  for (std::size_t i = 1; i < own.size(); ++i) EXPECT_EQ(own[i][4], own[i][5]) << i;
}

TEST_F(SimilarityCommand, TheOtherLayoutKeepsItsHeadWhereTheOneAskedForDoesNotFit) {
  const auto last = [&](const Words& words) {
    Words cells;
    for (const auto& row : parse_csv(place.good(words))) cells.push_back(row.back());
    cells.front().clear();
    return cells;
  };
  const Words rest = {"--grid", "3x5", "--from", "2"};
  EXPECT_EQ(last(Words{"similarity", "vit-axial", "--head-dim", "64", "--against", "flux.1"} + rest),
            last(Words{"similarity", "flux.1"} + rest));
  EXPECT_EQ(last(Words{"similarity", "wan", "--head-dim", "96", "--against", "raster"} + rest),
            last(Words{"similarity", "raster", "--head-dim", "96"} + rest));
  EXPECT_EQ(last(Words{"similarity", "flux.1", "--heads", "5", "--seed", "3", "--against", "vit-mixed"} + rest),
            last(Words{"similarity", "vit-mixed", "--heads", "5", "--seed", "3"} + rest));
}

TEST_F(SimilarityCommand, FewTokensOfALargeImageAreTheSameAsTheWholeMap) {
  for (const std::string name : {"qwen-image", "vit-mixed"}) {
    const Words words = {"similarity", name, "--grid", "40x50", "--from", "77", "--against", "raster"};
    const auto all = parse_csv(place.good(words));
    const auto few = parse_csv(place.good(words + Words{"--to", "1999,3,77"}));
    ASSERT_EQ(few.size(), 4u);
    for (std::size_t i = 1; i < few.size(); ++i) {
      const auto& whole = all[1 + std::stoul(few[i][0])];
      ASSERT_EQ(few[i].size(), whole.size());
      for (std::size_t cell = 0; cell < whole.size(); ++cell) {
        EXPECT_NEAR(std::stod(few[i][cell]), std::stod(whole[cell]), 1e-11) << name;
      }
    }
  }
  // A map of this many tokens would take a gigabyte for vit-mixed, and most of a minute.
  EXPECT_EQ(
      parse_csv(place.good({"similarity", "vit-mixed", "--grid", "8192x8192", "--from", "5", "--to", "63"})).size(),
      2u);
}

TEST_F(SimilarityCommand, DrawsThePictureOfTheView) {
  const Words words = {"similarity", "flux.2", "--grid", "8x12", "--text", "5", "--from", "20", "--against", "raster"};
  place.good(words + Words{"-o", place.path("s.png"), "--picture-size", "500x300", "--theme", "light"});
  EXPECT_EQ(place.read("s.png").substr(1, 3), "PNG");
  place.good(words + Words{"-o", place.path("s.svg"), "--to", "21,22", "--colours", "fitted"});
  EXPECT_THAT(place.read("s.svg"), HasSubstr("<svg"));
  place.good(words + Words{"-o", place.path("s.pdf"), "--picture-size", "120x80mm"});
  EXPECT_EQ(place.read("s.pdf").substr(0, 4), "%PDF");
}

}  // namespace
}  // namespace ropescope
