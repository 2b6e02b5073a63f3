// Animations of a view: their frames are what `render` draws for the same values.

#include "app/figure/pages/gif.h"
#include "tests/command_line/program.h"
#include "tests/decoded_gif.h"
#include "tests/figures/decoded.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Animate = InWorkplace;

// What 256 colours cost: no channel of any pixel by more than kLargestPaletteError, areas nothing, and on the whole
// what nobody sees.
void expect_gif_of_render(const Workplace& place, const std::string& view, const Words& options, const std::string& key,
                          const Words& values) {
  const std::string sweep = key + "=" + values.front() + ".." + values.back();
  place.good(Words{"animate", view, "--sweep", sweep, "--seconds", "0.3", "--fps", "10", "-o", "a.gif"} + options);
  const DecodedGif gif = decoded_gif(place.read("a.gif"));
  ASSERT_EQ(gif.frames.size(), values.size()) << view;
  for (std::size_t i = 0; i < values.size(); ++i) {
    place.good(Words{"render", view, "--set", key + "=" + values[i], "-o", "one.png"} + options);
    const DecodedPicture wanted = decoded(place.read("one.png"));
    EXPECT_EQ(gif.width, wanted.width);
    EXPECT_EQ(gif.height, wanted.height);
    const PictureDifference off = difference_of(gif.frames[i].pixels, wanted.pixels);
    EXPECT_LE(off.largest, kLargestPaletteError) << view << " " << i;
    EXPECT_LT(off.mean, 2) << view << " " << i;
    if (view == "decay") EXPECT_GT(off.same, 0.9) << i;
  }
}

TEST_F(Animate, AGifHoldsWhatRenderDraws) {
  expect_gif_of_render(place, "decay", {"--size", "640x420"}, "rope.base", {"100", "10000", "1000000"});
  expect_gif_of_render(place, "atlas", {"--size", "480x320", "--theme", "light"}, "atlas.positions",
                       {"64", "256", "1024"});
  expect_gif_of_render(place, "rotation", {"--size", "640x420"}, "rotation.query_position", {"3", "5", "7"});
}

TEST_F(Animate, LoopsAsOftenAsAsked) {
  const auto repeats = [this](const Words& loop) {
    place.good(Words{"animate", "frequencies", "--sweep", "base=100..1000", "--seconds", "0.2", "--fps", "10", "--size",
                     "120x80", "-o", "a.gif"} +
               loop);
    return decoded_gif(place.read("a.gif")).repeats;
  };
  EXPECT_EQ(repeats({}), 0);
  EXPECT_EQ(repeats({"--loop", "0"}), 0);
  EXPECT_EQ(repeats({"--loop", "1"}), -1);
  EXPECT_EQ(repeats({"--loop", "4"}), 3);
}

TEST_F(Animate, CtrlCLeavesNothing) {
  for (const std::string output : {"a.gif", "a%d.png"}) {
    const Outcome outcome = place.interrupted(
        {"animate", "decay", "--sweep", "base=100..1e6", "--seconds", "60", "--size", "1600x1000", "-o", output});
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.errors, "ropescope: " + said(Message("notice.cancelled.frames")) + "\n");
    EXPECT_TRUE(place.files().empty());
  }
}

}  // namespace
}  // namespace ropescope
