// Frames of a video side by side: in Similarity and in Check.

#include "app/views/shared/patches.h"

#include "app/views/similarity.h"
#include "core/layouts/similarity.h"
#include "tests/figures/check_view_fixture.h"
#include "tests/figures/layout_parts.h"

namespace ropescope {
namespace {

TEST(Frames, AllOrSomeWithTheWantedOnes) {
  EXPECT_THAT(shown_frames(1, {5}), ElementsAre(0));
  EXPECT_THAT(shown_frames(4, {}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(shown_frames(21, {}), ElementsAre(0, 3, 5, 8, 10, 13, 15, 18, 20));
  EXPECT_THAT(shown_frames(21, {7, 6}), ElementsAre(0, 3, 6, 7, 10, 13, 15, 18, 20));
  EXPECT_THAT(shown_frames(1000, {999, -3, 5000}).size(), 9);
}

class VideoSimilarity : public TestOfView<kSimilarityView> {
 protected:
  VideoSimilarity() { make(4); }
  void make(int frames) {
    LayoutFields& layout = experiment.layout;
    layout.name = "wan";
    layout.size_by = SizeBy::tokens;
    layout.rows = 5;
    layout.columns = 8;
    layout["frames"] = frames;
    layout.anchor = 2 * 40 + 11;  // third frame, row 1, column 3
    experiment.similarity.anchor_mode = AnchorMode::fixed;
  }
  TokenLayout tokens() const { return arrange(find_layout("wan"), request_of(experiment.layout)); }
};

TEST_F(VideoSimilarity, DrawsEveryFrameInOneColourScale) {
  const ViewResult result = draw();
  const TokenLayout layout = tokens();
  const FrameTiles tiles = main_tiles(experiment.layout, layout);
  ASSERT_EQ(tiles.frames.size(), 4u);
  for (const char* name : {"similarity", "similarity_against"}) {
    const Figure& drawn = figure(result, name);
    std::set<std::string> keys;
    int bars = 0;
    for (const Map& map : drawn.maps) {
      keys.insert(map.key);
      bars += map.bar ? 1 : 0;
      EXPECT_EQ(map.range, drawn.maps.front().range);
    }
    EXPECT_EQ(keys.size(), drawn.maps.size());
    EXPECT_EQ(bars, 1);
    EXPECT_EQ(with_key(drawn.maps, "image_frame3").cells->columns, 8u);
    EXPECT_EQ(drawn.labels.at(2).text, "frame 3");
    EXPECT_TRUE(drawn.labels.at(2).semibold) << "the anchor's";
  }
  // The exact value at every cell, where it is drawn.
  const Figure& drawn = figure(result, "similarity");
  for (std::int64_t token = 0; token < 160; ++token) {
    const std::size_t tile = *tiles.tile_of(token);
    const CellPlace at = tiles.place(tile);
    const double x = at.x + static_cast<double>(token % 8), y = at.y + static_cast<double>(token / 8 % 5);
    EXPECT_EQ(tiles.token_at(x, y), token);
    const double expected = similarity_between(layout, table_row(layout, 91), table_row(layout, token), {}).total;
    EXPECT_NEAR(drawn.maps.at(tile).exact(x, y), expected, 1e-10) << token;
  }
}

TEST_F(VideoSimilarity, TheProfileOverTimeMarksTheAnchorsFrame) {
  const ViewResult result = draw();
  const Figure& over = figure(result, "over_frames");
  ASSERT_EQ(over.lines.size(), 2u) << "of the layout and of the raster";
  const auto& ys = over.lines.at(0).series->ys;
  ASSERT_EQ(ys.size(), 4u);
  EXPECT_NEAR(ys[2], 1, 1e-12);
  const TokenLayout layout = tokens();
  EXPECT_NEAR(ys[0], similarity_between(layout, table_row(layout, 91), table_row(layout, 11), {}).total, 1e-10);
  ASSERT_EQ(over.rules.size(), 1u);
  EXPECT_EQ(over.rules[0].at, 3);
  EXPECT_EQ(over.rules[0].label, "frame 3");
}

TEST_F(VideoSimilarity, APointedPatchOfAnyFrameIsTheAnchor) {
  experiment.similarity.anchor_mode = AnchorMode::follow;
  const FrameTiles tiles = main_tiles(experiment.layout, tokens());
  const CellPlace at = tiles.place(3);
  experiment.pointer = Pointer{"similarity", at.x + 6, at.y + 4};
  EXPECT_EQ(figure(draw(), "over_frames").rules.at(0).at, 4);
  react(FigureEvent::Kind::click, "similarity", at.x + 6, at.y + 4);
  EXPECT_EQ(experiment.layout.anchor, 3 * 40 + 4 * 8 + 6);
}

TEST_F(VideoSimilarity, OfManyFramesSomeAreDrawnAndItIsSaid) {
  make(21);
  experiment.layout.anchor = 6 * 40;
  experiment.layout.frame = 8;
  const ViewResult result = draw();
  const Figure& drawn = figure(result, "similarity");
  EXPECT_THAT(drawn.title, HasSubstr("9 of 21 frames"));
  EXPECT_NO_THROW(with_key(drawn.maps, "image_frame7")) << "the anchor's";
  EXPECT_NO_THROW(with_key(drawn.maps, "image_frame8")) << "the chosen one";
  EXPECT_EQ(figure(result, "over_frames").lines.at(0).series->ys.size(), 21u);
}

TEST_F(VideoSimilarity, AnImageIsDrawnAsBefore) {
  make(1);
  experiment.layout.anchor = 0;
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "similarity").maps.at(0).key, "image");
  EXPECT_THROW(figure(result, "over_frames"), std::runtime_error);
}

class VideoCheck : public CheckView {
 protected:
  VideoCheck() {
    LayoutFields& layout = experiment.layout;
    layout.name = "wan";
    layout.rows = 3;
    layout.columns = 4;
    layout["frames"] = 4;
    layout["text"] = 0;
  }
};

TEST_F(VideoCheck, TheWorstOfEveryFrame) {
  MadeTables tables = tables_of(layout());
  // One number of the third frame, row 1, column 2.
  const std::int64_t token = 2 * 12 + 6;
  tables.cosine[static_cast<std::size_t>(token * tables.pairs)] += 0.25;
  give(tables);
  fields.measure = CheckMeasure::difference;
  const ViewResult result = draw();
  const Figure& image = figure(result, "image");
  ASSERT_EQ(image.maps.size(), 4u);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    const auto& values = image.maps[frame].cells->values;
    EXPECT_NEAR(values[6], frame == 2 ? 0.25 : 0, 1e-6) << frame;
  }
  const Figure& over = figure(result, "over_frames");
  EXPECT_NEAR(line(over, "difference").series->ys.at(2), 0.25, 1e-6);
  EXPECT_EQ(over.rules.at(0).at, 3) << "the worst token is picked";
  const FrameTiles tiles = frame_tiles(layout(), 0, {0, 1, 2, 3});
  const CellPlace at = tiles.place(1);
  react(FigureEvent::Kind::click, "image", at.x + 1, at.y + 2);
  EXPECT_EQ(fields.token, 12 + 2 * 4 + 1 + 1);
}

}  // namespace
}  // namespace ropescope
