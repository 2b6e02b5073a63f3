#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TokenLayout arranged(const char* name, const LayoutRequest& request) {
  return arrange(find_layout(name), request);
}

LayoutRequest grid(int rows, int columns) {
  LayoutRequest request;
  request.image = ImageSize::tokens(rows, columns);
  return request;
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

std::string error_of(const char* name, const LayoutRequest& request) {
  try {
    arranged(name, request);
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

}  // namespace

TEST(Layouts, MropeDealsOneLadderToItsAxes) {
  LayoutRequest request = grid(2, 2);
  request.sections = {4, 3, 3};
  request.base = 10000;
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
  LayoutRequest request = grid(2, 5);
  request.text = 3;
  request.text_after = 2;
  request.frames = 2;
  request.references = {ImageSize::tokens(1, 1)};
  const TokenLayout layout = arranged("qwen2-vl", request);
  ASSERT_EQ(layout.row_count(), 3 + 20 + 1 + 2);
  EXPECT_THAT(ids_of(layout, 2), ElementsAre(2, 2, 2));
  EXPECT_THAT(ids_of(layout, 3), ElementsAre(3, 3, 3));
  EXPECT_THAT(ids_of(layout, 22), ElementsAre(4, 4, 7));
  EXPECT_THAT(ids_of(layout, 23), ElementsAre(8, 8, 8));
  EXPECT_THAT(ids_of(layout, 24), ElementsAre(9, 9, 9));
  EXPECT_THAT(ids_of(layout, 25), ElementsAre(10, 10, 10));
}

TEST(Layouts, Dinov3MeasuresTheMiddlesOfThePatches) {
  LayoutRequest request = grid(2, 4);
  request.head_dim = 16;
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
  LayoutRequest request = grid(3, 4);
  request.head_dim = 16;
  const TokenLayout layout = arranged("pixtral", request);
  const Eigen::VectorXd angles = angles_of(layout, 11);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(angles[i], 2 * std::pow(10000.0, -2 * (2 * i) / 16.0), 1e-14);
    EXPECT_NEAR(angles[4 + i], 3 * std::pow(10000.0, -2 * (2 * i + 1) / 16.0), 1e-14);
  }
}

TEST(Layouts, ErnieRotatesOtherChannelsThanItsTableIsFor) {
  LayoutRequest request = grid(2, 3);
  request.text = 4;
  const TokenLayout layout = arranged("ernie-image", request);
  EXPECT_THAT(ids_of(layout, 5), ElementsAre(4, 1, 2));
  EXPECT_THAT(ids_of(layout, 9), ElementsAre(3, 0, 0));
  EXPECT_THAT(layout.notes, ElementsAre(HasSubstr("not kept")));
  const Eigen::VectorXd angles = angles_of(layout, 5);
  const Eigen::Index n = layout.pair_count();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(2 * n, -1, 2);
  const Eigen::VectorXd rotated = rotate_token(layout, 5, x);
  // Channel 1 has the angle of pair 0 and the companion −x[1 + n]; channel n + 1 that of pair n/2 and x[1].
  EXPECT_NEAR(rotated[1], x[1] * std::cos(angles[0]) - x[1 + n] * std::sin(angles[0]), 1e-14);
  EXPECT_NEAR(rotated[n + 1], x[n + 1] * std::cos(angles[n / 2]) + x[1] * std::sin(angles[n / 2]), 1e-14);
}

TEST(Layouts, KontextTakesOneReferenceAndSnapsOnlyPixels) {
  LayoutRequest request = grid(2, 2);
  request.references = {ImageSize::tokens(3, 5)};
  const TokenLayout exact = arranged("flux.1-kontext", request);
  EXPECT_EQ(exact.row_count(), 4 + 15);
  EXPECT_TRUE(exact.notes.empty());
  request.references = {ImageSize::pixels(1024, 1024)};
  EXPECT_TRUE(arranged("flux.1-kontext", request).notes.empty()) << "a preferred size stays";
  request.references = {ImageSize::pixels(100, 700)};
  EXPECT_THAT(arranged("flux.1-kontext", request).notes, ElementsAre(HasSubstr("672x1568")));
  request.references.push_back(ImageSize::pixels(1024, 1024));
  EXPECT_THAT(error_of("flux.1-kontext", request), HasSubstr("at most one"));
}

TEST(Layouts, NumbersOutOfRangeAreNamed) {
  LayoutRequest request = grid(2, 2);
  request.head_dim = 126;
  EXPECT_THAT(error_of("vit-axial", request), HasSubstr("126"));
  request = grid(2, 2);
  request.axis_dims = {16, 56};
  EXPECT_THAT(error_of("flux.1", request), HasSubstr("2 axes"));
  request.axis_dims = {16, 55, 57};
  EXPECT_THAT(error_of("flux.1", request), HasSubstr("55"));
  request = grid(2, 2);
  request.base = std::nan("");
  EXPECT_THAT(error_of("flux.1", request), HasSubstr("base"));
  request = grid(8192, 8192);
  request.frames = 65536;
  EXPECT_THAT(error_of("wan", request), HasSubstr("tokens"));
  request = grid(2, 2);
  request.sections = {1, 2};
  EXPECT_THAT(error_of("qwen2-vl", request), HasSubstr("sections"));
  request = grid(2, 2);
  request.axes = {{"row", 16, {}}, {"row", 16, {}}};
  EXPECT_THAT(error_of("custom", request), HasSubstr("row"));
  request = grid(2, 2);
  request.image = ImageSize::pixels(8191, 16);
  EXPECT_THAT(error_of("pixtral", request), testing::AllOf(HasSubstr("8176x16"), HasSubstr("8192x16")));
  EXPECT_THROW(find_layout("flux"), InputError);
  EXPECT_THAT(error_of("text", {}), HasSubstr("no token"));
}

}  // namespace ropescope
