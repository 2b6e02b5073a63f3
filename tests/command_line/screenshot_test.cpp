#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Screenshot = InWorkplace;

TEST_F(Screenshot, CtrlCEndsALargeOne) {
  const Outcome outcome = place.interrupted({"screenshot", "--size", "8192x8192", "-o", "f.png"});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.errors,
              Says("error.command.picture_takes", {{"width", "8192"}, {"height", "8192"}, {"needed", "744"}}));
  EXPECT_THAT(outcome.errors, EndsWith("ropescope: " + said(Message("notice.cancelled.window")) + "\n"));
  EXPECT_TRUE(place.files().empty());
}

TEST_F(Screenshot, APictureOfTheAskedSize) {
  const Outcome outcome = place.run({"screenshot", "--size", "1280x720", "--theme", "light", "--text-scale", "125%",
                                     "--set", "span=1000", "-o", "f.png"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const std::string png = place.read("f.png");
  ASSERT_GT(png.size(), 10'000u);
  // Width and height stand big-endian at byte 16 of a PNG.
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x05\0\0\0\x02\xd0", 8));
}

}  // namespace
}  // namespace ropescope
