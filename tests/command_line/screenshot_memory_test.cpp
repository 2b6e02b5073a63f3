// The memory of a screenshot. In a file of its own, because sanitizers take several times as much.
#ifdef __linux__

#include <sys/resource.h>

#include "app/commands/options.h"
#include "tests/command_line/program.h"

namespace ropescope {
namespace {

TEST(ScreenshotMemory, TakesNoMoreMemoryThanItSays) {
  const Workplace place;
  for (const double side : {2000, 6000}) {
    const std::string text = std::to_string(static_cast<int>(side));
    place.good({"screenshot", "--size", text + "x" + text, "-o", "f.png"});
    rusage used{};
    ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
    // In KiB, of the largest program so far.
    EXPECT_LT(1024.0 * static_cast<double>(used.ru_maxrss), 1.1 * (kBytesOfWindow + kBytesOfWindowPixel * side * side))
        << side;
  }
}

}  // namespace
}  // namespace ropescope

#endif
