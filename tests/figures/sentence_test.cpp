#include "app/views/shared/messages.h"

#include "tests/test.h"

namespace ropescope {
namespace {

TEST(Message, AreWhatWhiteSpaceParts) {
  EXPECT_TRUE(words_of("").empty());
  EXPECT_EQ(words_of("a  b\n c"), (std::vector<std::string>{"a", "b", "c"}));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "w ";
  EXPECT_EQ(words_of(many).size(), kMaxSentenceWords);
}

TEST(Message, HaveAVectorOfTheirOwn) {
  const Eigen::VectorXd cat = word_vector("cat", 2000, 1);
  EXPECT_EQ(cat, word_vector("Cat,", 2000, 1));
  EXPECT_LT(std::abs(cat.dot(word_vector("dog", 2000, 1))) / 2000, 0.1);
  EXPECT_LT(std::abs(cat.dot(word_vector("cat", 2000, 2))) / 2000, 0.1);
  EXPECT_NEAR(cat.squaredNorm() / 2000, 1, 0.1);
  EXPECT_EQ(word_vector("...", 2, 1).size(), 2);
}

}  // namespace
}  // namespace ropescope
