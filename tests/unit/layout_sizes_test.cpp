// Sizes as released pipelines adjust them; the numbers are those of diffusers' own functions at 58eb52c0.
#include "core/layouts/sizes.h"

#include "tests/said.h"

namespace ropescope {
namespace {

LayoutRequest sized_request(int width, int height, bool fit = true) {
  return {.image = ImageSize::pixels(width, height), .fit = fit};
}

/// Rows and columns of tokens of a part.
std::pair<int, std::int64_t> grid_of_part(const TokenLayout& arranged, const std::string& part) {
  for (const TokenBlock& block : arranged.blocks) {
    if (block.part == part) return {block.rows, block.columns};
  }
  return {0, 0};
}

std::string last_note(const TokenLayout& arranged) {
  return arranged.notes.empty() ? "" : said(arranged.notes.back());
}

using Grid = std::pair<int, std::int64_t>;

TEST(LayoutSizes, ImagesAreRoundedDownToWholeTokens) {
  const TokenLayout arranged = arrange(find_layout("flux.1"), sized_request(1000, 680));
  EXPECT_EQ(grid_of_part(arranged, "image"), Grid(42, 62));
  EXPECT_THAT(
      last_note(arranged),
      Says("layouts.note.fitted", {{"new_width", "992"}, {"new_height", "672"}, {"width", "1000"}, {"height", "680"}}));
  EXPECT_EQ(last_note(arrange(find_layout("flux.1"), sized_request(992, 672))), "") << "nothing was changed";
}

TEST(LayoutSizes, WithoutFitTheSentenceSaysWhatThePipelineMakesOfIt) {
  const auto refused = [](const char* name, int width, int height) {
    return refusal_of([&] { arrange(find_layout(name), sized_request(width, height, false)); });
  };
  EXPECT_THAT(refused("flux.1", 1000, 680),
              AllOf(Says("error.layouts.does_not_divide", {{"columns", "1000"}, {"rows", "680"}}),
                    HasSubstr("1008x688"), Says("layouts.pipeline_makes", {{"width", "992"}, {"height", "672"}})));
  EXPECT_THAT(refused("cogview4", 1000, 680), Says("layouts.pipeline_refuses", {{"width", "992"}, {"height", "672"}}));
  EXPECT_THAT(refused("dinov3", 1000, 680), AllOf(Says("error.layouts.does_not_divide"), EndsWith("1008x688")))
      << "no pipeline is known";
  EXPECT_THAT(refused("flux.1", 8, 680), AllOf(Says("error.layouts.does_not_divide"), EndsWith("16x688")))
      << "nothing is left of a side";
}

TEST(LayoutSizes, WhatThePipelineRefusesIsSaid) {
  EXPECT_THAT(last_note(arrange(find_layout("ltx-video"), sized_request(1000, 680))),
              Says("layouts.note.fitted_refused",
                   {{"new_width", "992"}, {"new_height", "672"}, {"rows", "21"}, {"columns", "31"}}));
  // Wan 2.2's 5B model has tokens of 32 pixels: multiples of 16 are taken and rounded down.
  LayoutRequest request = sized_request(1008, 688);
  request.patch = 32;
  EXPECT_THAT(last_note(arrange(find_layout("wan"), request)),
              Says("layouts.note.fitted", {{"new_width", "992"}, {"new_height", "672"}}));
  EXPECT_REFUSED(arrange(find_layout("dinov3"), sized_request(512, 512)),
                 Says("error.layouts.not_taken", {{"setting", english_text()["layouts.setting.fit"]}}));
}

TEST(LayoutSizes, KontextScalesEveryImageToAMegapixel) {
  const TokenLayout arranged = arrange(find_layout("flux.1-kontext"), sized_request(1024, 512));
  EXPECT_EQ(grid_of_part(arranged, "image"), Grid(45, 90));
  EXPECT_THAT(last_note(arranged),
              Says("layouts.note.fitted_area",
                   {{"new_width", "1440"}, {"new_height", "720"}, {"width", "1024"}, {"height", "512"}}));
}

TEST(LayoutSizes, ReferencesOfFlux2HaveAMegapixelAtMost) {
  LayoutRequest request = sized_request(1024, 1024, false);
  request.references = {ImageSize::pixels(2048, 1024), ImageSize::pixels(640, 480), ImageSize::pixels(500, 700),
                        ImageSize::tokens(100, 200)};
  const TokenLayout arranged = arrange(find_layout("flux.2"), request);
  EXPECT_EQ(grid_of_part(arranged, "reference1"), Grid(45, 90));
  EXPECT_EQ(grid_of_part(arranged, "reference2"), Grid(30, 40));
  EXPECT_EQ(grid_of_part(arranged, "reference3"), Grid(43, 31));
  EXPECT_EQ(grid_of_part(arranged, "reference4"), Grid(100, 200)) << "tokens are taken as they are";
  EXPECT_THAT(last_note(arranged),
              Says("layouts.note.shrunk_reference",
                   {{"width", "500"}, {"height", "700"}, {"new_width", "496"}, {"new_height", "688"}}));
}

TEST(LayoutSizes, ReferencesOfQwenImageEditHaveAMegapixel) {
  LayoutRequest request = sized_request(1024, 1024, false);
  request.references = {ImageSize::pixels(1000, 680), ImageSize::pixels(640, 480), ImageSize::pixels(1024, 1024)};
  const TokenLayout arranged = arrange(find_layout("qwen-image"), request);
  EXPECT_EQ(grid_of_part(arranged, "reference1"), Grid(832 / 16, 1248 / 16));
  EXPECT_EQ(grid_of_part(arranged, "reference2"), Grid(896 / 16, 1184 / 16));
  EXPECT_EQ(grid_of_part(arranged, "reference3"), Grid(64, 64));
  EXPECT_THAT(last_note(arranged),
              Says("layouts.note.megapixel_reference",
                   {{"width", "640"}, {"height", "480"}, {"new_width", "1184"}, {"new_height", "896"}}));
}

TEST(LayoutSizes, EveryRuleNamesItsFile) {
  for (const Layout& layout : all_layouts()) {
    const PipelineSizes& sizes = layout.sizes;
    EXPECT_GE(sizes.multiple, 1) << layout.name;
    const bool ruled = sizes.multiple > 1 || sizes.pixels > 0 || sizes.references != PipelineSizes::References{};
    if (ruled) EXPECT_THAT(std::string(sizes.source), StartsWith("pipelines/")) << layout.name;
    if (sizes.references != PipelineSizes::References{}) EXPECT_TRUE(takes(layout, "references")) << layout.name;
  }
}

}  // namespace
}  // namespace ropescope
