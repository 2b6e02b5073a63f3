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

TEST_F(Animate, BadInput) {
  const auto bad = [this](const Words& options, const Words& culprits) {
    Words arguments = Words{"animate", "decay"} + options;
    if (std::find(options.begin(), options.end(), "-o") == options.end()) {
      arguments = arguments + Words{"-o", "a.gif"};
    }
    place.bad(arguments, culprits);
  };
  const auto bad_sweep = [&bad](const std::string& sweep, const Words& culprits) { bad({"--sweep", sweep}, culprits); };
  bad({}, {"--sweep", "rope.base=100..1e6:log"});
  bad_sweep("rope.bse=1..2", {"--sweep", "\"rope.bse\"", "rope.base"});
  bad_sweep("rope.pairing=1..2", {"--sweep", "rope.pairing" + part_of("error.sweep.no_number")});
  for (const char* sweep : {"rope.base", "rope.base=100", "rope.base=1,2", "rope.base=100..1e6:cubic",
                            "rope.base=100..1e6:2", "rope.base=100..1e6:200:log"}) {
    bad_sweep(sweep, {"--sweep", sweep, part_of("expected.range_of_key")});
  }
  bad_sweep("rope.base=0.5..1e6", {"rope.base is \"0.5\"", "1.01"});
  bad_sweep("rope.base=100..1e13", {"rope.base is \"1e13\"", "1e+12"});
  bad_sweep("rope.base=100..nan", {"rope.base is \"nan\""});
  bad_sweep("rope.base=100..lots", {"rope.base is \"lots\""});
  bad_sweep("rope.rotary_dim=2..7.5", {"rope.rotary_dim is \"7.5\"", "even number"});
  bad_sweep("rope.trained_length=0..4096:log", {"--sweep", part_of("error.sweep.log_of_zero"), ":linear"});
  bad_sweep("rope.base=100..100", {"--sweep", part_of("error.sweep.one_value")});
  bad({"--sweep", "base=1e2..1e3", "--sweep", "rope.base=1e3..1e4"}, {"--sweep", "twice", "rope.base"});
  const auto bad_option = [&bad](const std::string& option, const std::string& value, const Words& culprits) {
    bad({"--sweep", "base=100..1000", option, value}, culprits);
  };
  bad_option("--seconds", "0", {"--seconds is \"0\"", "0.1 to 600"});
  bad_option("--seconds", "nan", {"--seconds", "nan"});
  bad_option("--seconds", "600", {"15000 frames", "3000"});
  bad_option("--fps", "51", {"--fps is \"51\"", "1 to 50"});
  bad_option("--fps", "fast", {"--fps", "fast"});
  bad_option("--loop", "-1", {"--loop", "-1"});
  bad_option("--loop", "1.5", {"--loop", "1.5"});
  bad_option("--size", "170x110mm", {"--size", "pixels"});
  bad_option("--theme", "pink", {"pink"});
  bad_option("--threads", "0", {"--threads"});
  bad_option("--figure", "9", {"--figure", "similarity"});
  bad_option("-o", "a.webp", {"a.webp", ".gif"});
  bad_option("-o", "a.png", {"a.png", "frame-%04d.png"});
  bad_option("-o", "a%d-%d.svg", {"a%d-%d.svg", "one number"});
  bad_option("-o", "a%s.svg", {"a%s.svg"});
  bad_option("-o", "nowhere/a%d.svg", {"nowhere/a%d.svg"});
  bad_option("-o", "nowhere/a.gif", {"nowhere/a.gif"});
  bad({"--sweep", "base=100..1000", "--loop", "2", "-o", "a%d.png"}, {"--loop", ".gif"});
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
