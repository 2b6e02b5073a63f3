#include "core/message.h"

#include "tests/test.h"

namespace ropescope {
namespace {

TEST(ScreenWidth, CountsLettersNotBytes) {
  EXPECT_EQ(screen_width(""), 0u);
  EXPECT_EQ(screen_width("abc"), 3u);
  EXPECT_EQ(screen_width("θ = 1\u202f024"), 9u) << "Greek, and a narrow space";
  EXPECT_EQ(screen_width("位置"), 4u) << "Han is as wide as two letters";
  EXPECT_EQ(screen_width("かな カナ"), 9u);
  EXPECT_EQ(screen_width("회전"), 4u);
  EXPECT_EQ(screen_width("✅ 😀 ⭐"), 8u) << "pictures as wide as Han";
  EXPECT_EQ(screen_width("e\u0301"), 1u) << "an accent stands over its letter";
  EXPECT_EQ(screen_width("\U00020000"), 2u);
  EXPECT_EQ(screen_width("\xff\xfe"), 2u) << "what is no UTF-8 is counted, too";
}

}  // namespace
}  // namespace ropescope
