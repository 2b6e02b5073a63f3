#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "tests/rotate_token.h"
#include "tests/said.h"

namespace ropescope {

namespace {

TokenLayout arranged(const char* name, const LayoutRequest& request) {
  return arrange(find_layout(name), request);
}

LayoutRequest grid(int rows, int columns) {
  return {.image = ImageSize::tokens(rows, columns)};
}

/// t, row or column: the axis that turns each pair.
std::string owners(const TokenLayout& layout) {
  std::string text;
  for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
    for (Eigen::Index axis = 0; axis < layout.frequencies.rows(); ++axis) {
      if (layout.frequencies(axis, pair) != 0) text += "thw"[axis];
    }
  }
  return text;
}

std::string find_layout_error(const char* name, const LayoutRequest& request) {
  return refusal_of([&] { arranged(name, request); });
}

/// The notes in English.
std::vector<std::string> notes_of(const TokenLayout& layout) {
  std::vector<std::string> notes;
  for (const Message& note : layout.notes) notes.push_back(said(note));
  return notes;
}

}  // namespace

TEST(Layouts, MropeDealsOneLadderToItsAxes) {
  LayoutRequest request{.image = ImageSize::tokens(2, 2), .base = 10000, .sections = {4, 3, 3}};
  const TokenLayout contiguous = arranged("qwen2-vl", request), interleaved = arranged("qwen3-vl", request);
  EXPECT_EQ(owners(contiguous), "tttthhhwww");
  EXPECT_EQ(owners(interleaved), "thwthwthwt");
  for (int pair = 0; pair < 10; ++pair) {
    const double frequency = std::pow(10000.0, -pair / 10.0);
    EXPECT_NEAR(contiguous.frequencies.col(pair).sum(), frequency, 1e-15);
    EXPECT_NEAR(interleaved.frequencies.col(pair).sum(), frequency, 1e-15);
  }
  // Qwen3-VL as released: 24 + 20 + 20, the last four pairs are t's.
  const std::string released = owners(arranged("qwen3-vl", grid(2, 2)));
  EXPECT_EQ(released.substr(0, 6), "thwthw");
  EXPECT_EQ(released.substr(57), "thwtttt");
}

TEST(Layouts, MropeTextResumesAfterTheLargestId) {
  LayoutRequest request{.image = ImageSize::tokens(2, 5),
                        .text = 3,
                        .text_after = 2,
                        .references = {ImageSize::tokens(1, 1)},
                        .frames = 2};
  const TokenLayout layout = arranged("qwen2-vl", request);
  ASSERT_EQ(layout.row_count(), 3 + 20 + 1 + 2);
  EXPECT_THAT(ids_of(layout, 2), ElementsAre(2, 2, 2));
  EXPECT_THAT(ids_of(layout, 3), ElementsAre(3, 3, 3));
  EXPECT_THAT(ids_of(layout, 22), ElementsAre(4, 4, 7));
  EXPECT_THAT(ids_of(layout, 23), ElementsAre(8, 8, 8));
  EXPECT_THAT(ids_of(layout, 24), ElementsAre(9, 9, 9));
  EXPECT_THAT(ids_of(layout, 25), ElementsAre(10, 10, 10));
}

/// A frame of Qwen2.5-Omni's stands in the two seconds that it belongs to; of Qwen3-Omni's before the sound that is not
/// earlier.
TEST(Layouts, SoundStandsAmongFrames) {
  LayoutRequest request{.image = ImageSize::tokens(1, 2), .frames = 3};
  request.numbers["audio"] = 60;
  const auto parts = [&](const char* name) {
    std::vector<std::string> all;
    for (const TokenBlock& block : arranged(name, request).blocks) {
      all.push_back(block.part + " " + std::to_string(block.count()));
    }
    return all;
  };
  EXPECT_THAT(parts("qwen2.5-omni"), ElementsAre("image 4", "audio 50", "image 2", "audio 10"));
  request.frame_rate = 2;
  EXPECT_THAT(parts("qwen3-omni"), ElementsAre("image 2", "audio 13", "image 2", "audio 13", "image 2", "audio 34"));
  request.frame_rate = 0.5;
  EXPECT_THAT(find_layout_error("qwen2.5-omni", request), HasSubstr("frame rate"));
}

TEST(Layouts, Qwen3VlCountsTheTokensOfItsTimes) {
  LayoutRequest request{.image = ImageSize::tokens(1, 1), .frames = 2, .frame_rate = 0.2};
  const TokenLayout slow = arranged("qwen3-vl", request);
  // "<2.5 seconds>" and a start token, an end token, "<12.5 seconds>" and a start token, an end token.
  ASSERT_EQ(slow.blocks.size(), 5u);
  EXPECT_EQ(slow.blocks[0].columns, 7);
  EXPECT_EQ(slow.blocks[2].columns, 9);
  EXPECT_EQ(slow.blocks[4].columns, 1);
  request.numbers["text_between"] = 4;
  const TokenLayout given = arranged("qwen3-vl", request);
  EXPECT_EQ(given.blocks[0].columns, 3);
  EXPECT_EQ(given.blocks[2].columns, 4);
}

TEST(Layouts, PatchesOfATowerComeInBlocksAndWindows) {
  LayoutRequest request = grid(4, 6);
  request.numbers["window"] = 4;
  const TokenLayout layout = arranged("qwen-vision", request);
  EXPECT_THAT(ids_of(layout, 1), ElementsAre(0, 1));
  EXPECT_THAT(ids_of(layout, 2), ElementsAre(1, 0));
  EXPECT_THAT(ids_of(layout, 4), ElementsAre(0, 2));
  EXPECT_THAT(ids_of(layout, 8), ElementsAre(2, 0));
  EXPECT_THAT(ids_of(layout, 16), ElementsAre(0, 4));
  EXPECT_THAT(notes_of(layout), ElementsAre(Says("layouts.note.in_blocks")));
  EXPECT_THAT(notes_of(arranged("qwen-vision", grid(5, 6))),
              Contains(Says("layouts.note.whole_blocks", {{"merge", "2"}})));
  request.numbers["window"] = 5;
  EXPECT_THAT(find_layout_error("qwen-vision", request),
              Says("error.layouts.window", {{"window", "5"}, {"merge", "2"}}));
}

TEST(Layouts, Qwen25CountsTheSecondsOfAVideo) {
  LayoutRequest request{.image = ImageSize::tokens(2, 2),
                        .text = 3,
                        .text_after = 1,
                        .references = {ImageSize::tokens(2, 2)},
                        .frames = 3,
                        .tokens_per_second = 2};
  const auto times = [&] {
    const TokenLayout layout = arranged("qwen2-vl", request);
    return std::vector<double>{ids_of(layout, 3)[0], ids_of(layout, 7)[0], ids_of(layout, 11)[0]};
  };
  // At two frames a second a frame of tokens lasts one second.
  EXPECT_THAT(times(), ElementsAre(3, 5, 7));
  const TokenLayout layout = arranged("qwen2-vl", request);
  EXPECT_THAT(ids_of(layout, 14), ElementsAre(7, 4, 4));
  EXPECT_THAT(ids_of(layout, 15), ElementsAre(8, 8, 8));
  EXPECT_THAT(ids_of(layout, 19), ElementsAre(10, 10, 10));
  EXPECT_TRUE(layout.notes.empty());
  request.frame_rate = 1;
  EXPECT_THAT(times(), ElementsAre(3, 7, 11));
  request.frame_rate = 3;
  EXPECT_THAT(times(), ElementsAre(3, 4, 5));
  EXPECT_THAT(notes_of(arranged("qwen2-vl", request)), ElementsAre(Says("layouts.note.parts_of_seconds")));
  request.tokens_per_second.reset();
  EXPECT_THAT(times(), ElementsAre(3, 4, 5));
  EXPECT_THAT(notes_of(arranged("qwen2-vl", request)), ElementsAre(Says("layouts.note.frames_count")));
  request.tokens_per_second = 0;
  EXPECT_THAT(find_layout_error("qwen2-vl", request), HasSubstr(english_text()["layouts.value.tokens_per_second"]));
}

TEST(Layouts, RowsOfSharedPairsByHowTheyAreCompared) {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  const auto rows = [](const char* name, const LayoutRequest& request) {
    const SharedRows shared = shared_rows(LayoutTables(arranged(name, request)));
    return Pair(shared.multiplied, shared.one_by_one);
  };
  EXPECT_EQ(rows("flux.1", grid(9, 9)), Pair(0, 0));
  EXPECT_EQ(rows("vit-mixed", grid(9, 9)), Pair(81, 0));
  EXPECT_EQ(rows("vit-mixed", grid(2419, 4)), Pair(0, 4 * 2419)) << "too long for one table";
  LayoutRequest request{.image = ImageSize::tokens(9, 9), .mixed_frequencies = Eigen::MatrixXd::Ones(2, 32)};
  EXPECT_EQ(rows("vit-mixed", request), Pair(81, 0));
  request.mixed_frequencies(0, 3) = 0;
  EXPECT_EQ(rows("vit-mixed", request), Pair(0, 81)) << "a pair that one axis alone turns";
  const LayoutTables tables(arranged("vit-mixed", request));
  EXPECT_NEAR(similarity_from(tables, 40).total[17], similarity_between(tables.layout(), 40, 17).total, 1e-14);
}

TEST(Layouts, HeadsOfMixedStandSideBySide) {
  LayoutRequest request{.image = ImageSize::tokens(9, 9), .head = 1, .heads = 3, .seed = 5};
  const TokenLayout together = arranged("vit-mixed", request);
  ASSERT_EQ(together.pair_count(), 96);
  request.heads = 1;
  double sum = 0;
  for (int head = 0; head < 3; ++head) {
    request.head = 1 + head;
    const TokenLayout alone = arranged("vit-mixed", request);
    EXPECT_EQ(together.frequencies.middleCols(32 * head, 32), alone.frequencies);
    sum += similarity_between(alone, 40, 17).total;
  }
  EXPECT_NEAR(similarity_between(together, 40, 17).total, sum / 3, 1e-14);
  request.heads = 65;
  EXPECT_THAT(find_layout_error("vit-mixed", request), HasSubstr("65"));
  request.heads = 2;
  request.mixed_frequencies = Eigen::MatrixXd::Ones(2, 32);
  EXPECT_THAT(find_layout_error("vit-mixed", request), HasSubstr("2 heads"));
}

TEST(Layouts, ManyHeadsMakeADiscOfTheCross) {
  // How much the similarity varies on a circle of radius 5 around the anchor.
  const auto spread = [](int heads) {
    LayoutRequest request{.image = ImageSize::tokens(11, 11), .heads = heads};
    const TokenLayout layout = arranged("vit-mixed", request);
    const std::int64_t around[] = {5, 115, 55, 65, 13, 19, 101, 107, 2 * 11 + 1};
    double low = 1, high = -1;
    for (const std::int64_t token : around) {
      const double similarity = similarity_between(layout, 60, token).total;
      low = std::min(low, similarity);
      high = std::max(high, similarity);
    }
    return high - low;
  };
  EXPECT_LT(spread(32), spread(1) / 2);
}

TEST(Layouts, HeadsOfLtx2ShareOneLadder) {
  LayoutRequest request = grid(2, 3);
  double last = 0;
  for (request.head = 0; request.head < 32; ++request.head) {
    const TokenLayout layout = arranged("ltx-2", request);
    EXPECT_GT(layout.frequencies.maxCoeff(), last);
    last = layout.frequencies.maxCoeff();
  }
  EXPECT_NEAR(last, 10000 * std::numbers::pi / 2, 1e-9) << "the ladder holds both ends";
  request.head = 32;
  EXPECT_THAT(find_layout_error("ltx-2", request), AllOf(HasSubstr("the head is 32"), HasSubstr("31")));
  request.head = 0;
  request.head_dim = 4100;
  EXPECT_THAT(find_layout_error("ltx-2", request), HasSubstr("4100"));
}

TEST(Layouts, OmniGen2ShrinksLargeReferences) {
  LayoutRequest request = grid(2, 2);
  const auto shrunk = [&](int width, int height) {
    request.references = {ImageSize::pixels(width, height)};
    const TokenLayout layout = arranged("omnigen2", request);
    return std::pair(layout.blocks[0].rows, static_cast<int>(layout.blocks[0].columns));
  };
  EXPECT_EQ(shrunk(1024, 768), std::pair(48, 64));
  EXPECT_TRUE(arranged("omnigen2", request).notes.empty());
  EXPECT_EQ(shrunk(1920, 1080), std::pair(36, 64));
  EXPECT_THAT(notes_of(arranged("omnigen2", request)),
              ElementsAre(Says("layouts.note.resized_reference", {{"new_width", "1024"}, {"new_height", "576"}})));
  EXPECT_EQ(shrunk(500, 309), std::pair(19, 31)) << "cut off, not rounded";
  EXPECT_EQ(shrunk(4000, 20), std::pair(1, 64));
  request.references = {ImageSize::tokens(2, 2), ImageSize::pixels(0, 5)};
  EXPECT_THAT(find_layout_error("omnigen2", request),
              Says("error.layouts.reference_pixels", {{"number", "2"}, {"width", "0"}, {"height", "5"}}));
}

TEST(Layouts, Kandinsky5ChoosesItsScaleByTheSize) {
  const auto scale = [](int width, int height, int frames) {
    LayoutRequest request{.image = ImageSize::pixels(width, height), .frames = frames};
    return 1 / arranged("kandinsky-5", request).axes[1].id_scale;
  };
  EXPECT_DOUBLE_EQ(scale(768, 512, 31), 2);
  EXPECT_DOUBLE_EQ(scale(1280, 768, 31), 3.16);
  EXPECT_DOUBLE_EQ(scale(768, 464, 31), 3.16);
  EXPECT_DOUBLE_EQ(scale(1024, 1024, 1), 1);
}

TEST(Layouts, TokensThatAreNotCountedAreSaid) {
  for (const char* name : {"vit-axial", "vit-mixed", "dinov3"}) {
    EXPECT_THAT(notes_of(arranged(name, grid(2, 2))), Contains(Says("layouts.note.uncounted_tokens"))) << name;
  }
}

TEST(Layouts, Dinov3MeasuresTheMiddlesOfThePatches) {
  LayoutRequest request{.image = ImageSize::tokens(2, 4), .head_dim = 16};
  const TokenLayout layout = arranged("dinov3", request);
  EXPECT_THAT(ids_of(layout, 0), ElementsAre(-0.5, -0.75));
  EXPECT_THAT(ids_of(layout, 7), ElementsAre(0.5, 0.75));
  EXPECT_EQ(layout.pairing, Pairing::half_split);
  const Eigen::VectorXd angles = angles_of(layout, 7);
  ASSERT_EQ(angles.size(), 8);
  for (int j = 0; j < 4; ++j) {
    const double frequency = 2 * std::numbers::pi * std::pow(100.0, -j / 4.0);
    EXPECT_NEAR(angles[j], 0.5 * frequency, 1e-14);
    EXPECT_NEAR(angles[4 + j], 0.75 * frequency, 1e-14);
  }
}

TEST(Layouts, PixtralTakesTurnsOnOneLadder) {
  LayoutRequest request{.image = ImageSize::tokens(3, 4), .head_dim = 16};
  const TokenLayout layout = arranged("pixtral", request);
  const Eigen::VectorXd angles = angles_of(layout, 11);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(angles[i], 2 * std::pow(10000.0, -2 * (2 * i) / 16.0), 1e-14);
    EXPECT_NEAR(angles[4 + i], 3 * std::pow(10000.0, -2 * (2 * i + 1) / 16.0), 1e-14);
  }
}

TEST(Layouts, ErnieRotatesOtherChannelsThanItsTableIsFor) {
  LayoutRequest request{.image = ImageSize::tokens(2, 3), .text = 4};
  const TokenLayout layout = arranged("ernie-image", request);
  EXPECT_THAT(ids_of(layout, 5), ElementsAre(4, 1, 2));
  EXPECT_THAT(ids_of(layout, 9), ElementsAre(3, 0, 0));
  EXPECT_THAT(notes_of(layout), ElementsAre(Says("layout.ernie-image.quirk")));
  const Eigen::VectorXd angles = angles_of(layout, 5);
  const Eigen::Index n = layout.pair_count();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(2 * n, -1, 2);
  const Eigen::VectorXd rotated = rotate_token(layout, 5, x);
  // Channel 1 has the angle of pair 0 and the companion −x[1 + n]; channel n + 1 that of pair n/2 and x[1].
  EXPECT_NEAR(rotated[1], x[1] * std::cos(angles[0]) - x[1 + n] * std::sin(angles[0]), 1e-14);
  EXPECT_NEAR(rotated[n + 1], x[n + 1] * std::cos(angles[n / 2]) + x[1] * std::sin(angles[n / 2]), 1e-14);
}

TEST(Layouts, KontextTakesOneReferenceAndSnapsOnlyPixels) {
  LayoutRequest request{.image = ImageSize::tokens(2, 2), .references = {ImageSize::tokens(3, 5)}};
  const TokenLayout exact = arranged("flux.1-kontext", request);
  EXPECT_EQ(exact.row_count(), 4 + 15);
  EXPECT_TRUE(exact.notes.empty());
  request.references = {ImageSize::pixels(1024, 1024)};
  EXPECT_TRUE(arranged("flux.1-kontext", request).notes.empty()) << "a preferred size stays";
  request.references = {ImageSize::pixels(100, 700)};
  EXPECT_THAT(notes_of(arranged("flux.1-kontext", request)), ElementsAre(HasSubstr("672x1568")));
  request.references.push_back(ImageSize::pixels(1024, 1024));
  EXPECT_THAT(find_layout_error("flux.1-kontext", request), HasSubstr("at most one"));
}

TEST(Layouts, NumbersOutOfRangeAreNamed) {
  LayoutRequest request{.image = ImageSize::tokens(2, 2), .head_dim = 126};
  EXPECT_THAT(find_layout_error("vit-axial", request), HasSubstr("126"));
  request = {.image = ImageSize::tokens(2, 2), .axis_dims = {16, 56}};
  EXPECT_THAT(find_layout_error("flux.1", request), HasSubstr("2 axes"));
  request.axis_dims = {16, 55, 57};
  EXPECT_THAT(find_layout_error("flux.1", request), HasSubstr("55"));
  request = {.image = ImageSize::tokens(2, 2), .base = std::nan("")};
  EXPECT_THAT(find_layout_error("flux.1", request), HasSubstr("base"));
  request = {.image = ImageSize::tokens(8192, 8192), .frames = 65536};
  EXPECT_THAT(find_layout_error("wan", request), HasSubstr("tokens"));
  request = {.image = ImageSize::tokens(2, 2), .sections = {1, 2}};
  EXPECT_THAT(find_layout_error("qwen2-vl", request), HasSubstr("sections"));
  request = {.image = ImageSize::tokens(2, 2), .axes = {{"row", 16, {}}, {"row", 16, {}}}};
  EXPECT_THAT(find_layout_error("custom", request), HasSubstr("row"));
  request = {.image = ImageSize::pixels(8191, 16)};
  EXPECT_THAT(find_layout_error("pixtral", request), AllOf(HasSubstr("8176x16"), HasSubstr("8192x16")));
  request = {.image = ImageSize::tokens(2, 2), .head_dim = 4};
  EXPECT_THAT(find_layout_error("wan", request), AllOf(HasSubstr("4"), HasSubstr("from 6")));
  EXPECT_THROW(find_layout("flux"), InputError);
  EXPECT_THAT(find_layout_error("text", {}), Says("error.layouts.no_tokens"));
}

}  // namespace ropescope
