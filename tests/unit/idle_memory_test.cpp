#include "app/resources/system.h"

#include "tests/test.h"

namespace ropescope {
namespace {

TEST(IdleMemory, IsGivenBackOnceAfterEveryWork) {
  IdleMemory memory;
  EXPECT_FALSE(memory.holds(0)) << "nothing was computed";
  EXPECT_FALSE(memory.rest(60, false, 0, false));
  EXPECT_TRUE(memory.holds(2));
  EXPECT_TRUE(memory.rest(0.5, false, 2, false)) << "a minute had passed already";
  EXPECT_FALSE(memory.holds(2));
  EXPECT_FALSE(memory.rest(60, false, 2, false)) << "once";
  EXPECT_TRUE(memory.holds(3));
}

TEST(IdleMemory, ManyShortWaitsAreOneLongOne) {
  IdleMemory memory;
  for (int wait = 0; wait < 7; ++wait) EXPECT_FALSE(memory.rest(0.4, false, 1, false)) << wait;
  EXPECT_TRUE(memory.rest(0.4, false, 1, false));
}

TEST(IdleMemory, WaitsForEventsAndWorkersToEnd) {
  IdleMemory memory;
  EXPECT_FALSE(memory.rest(2.5, false, 1, false));
  EXPECT_FALSE(memory.rest(1, true, 1, false)) << "the mouse moved";
  EXPECT_FALSE(memory.rest(2.5, false, 1, false));
  EXPECT_FALSE(memory.rest(2.5, false, 2, true)) << "a worker is busy";
  EXPECT_TRUE(memory.rest(0.1, false, 2, false));
}

}  // namespace
}  // namespace ropescope
