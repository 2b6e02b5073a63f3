#include "app/resources/result_cache.h"

#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {
namespace {

bool put(ResultCache& shelf, const std::string& name, const std::string& content, const std::stop_token& stop = {}) {
  const std::array<std::string_view, 2> pieces{std::string_view(content).substr(0, 1),
                                               std::string_view(content).substr(1)};
  return shelf.write(name, pieces, stop);
}

TEST(ResultCache, GivesBackWhatWasPutThere) {
  const TemporaryFolder folder;
  {
    ResultCache shelf(folder.path / "kept");
    EXPECT_EQ(shelf.read("race"), std::nullopt);
    EXPECT_TRUE(put(shelf, "race", "first"));
    EXPECT_TRUE(put(shelf, "race", "second"));
    EXPECT_EQ(shelf.read("race"), "second");
    EXPECT_EQ(shelf.read("other"), std::nullopt);
  }
  ResultCache later(folder.path / "kept");
  EXPECT_EQ(later.read("race"), "second");
}

TEST(ResultCache, AnotherWindowHasPlacesOfItsOwn) {
  const TemporaryFolder folder;
  auto first = std::make_unique<ResultCache>(folder.path);
  put(*first, "race", "mine");
  {
    ResultCache second(folder.path);
    EXPECT_EQ(second.read("race"), std::nullopt);
    put(second, "race", "yours");
    EXPECT_EQ(first->read("race"), "mine");
  }
  first.reset();
  ResultCache next(folder.path);
  EXPECT_EQ(next.read("race"), "mine");
}

TEST(ResultCache, AnInnerOnePushesNothingOut) {
  const TemporaryFolder folder;
  ResultCache shelf(folder.path, {2, 1000});
  put(shelf, "race", "kept");
  ResultCache& inner = shelf.inner("heads", {2, 1000});
  for (int i = 0; i < 5; ++i) put(inner, "heads-" + std::to_string(i), "many");
  EXPECT_EQ(&shelf.inner("heads", {}), &inner);
  put(shelf, "other", "kept too");
  EXPECT_EQ(shelf.read("race"), "kept");
  EXPECT_EQ(inner.read("heads-0"), std::nullopt) << "its own bound";
  EXPECT_EQ(inner.read("heads-4"), "many");
}

TEST(ResultCache, LookingMakesNothing) {
  const TemporaryFolder folder;
  ResultCache shelf(folder.path / "kept");
  EXPECT_EQ(shelf.read("race"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder.path / "kept"));
}

TEST(ResultCache, WhatWasNotReadIsNotReplaced) {
  const TemporaryFolder folder;
  { put(*std::make_unique<ResultCache>(folder.path), "race", "theirs"); }
  ResultCache shelf(folder.path);
  put(shelf, "race", "mine");
  EXPECT_EQ(shelf.read("race"), "mine");
  ResultCache next(folder.path);
  EXPECT_EQ(next.read("race"), "theirs");
}

TEST(ResultCache, StoppedWritingLeavesWhatWasThere) {
  const TemporaryFolder folder;
  ResultCache shelf(folder.path);
  put(shelf, "race", "before");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(put(shelf, "race", "after", stop.get_token()));
  EXPECT_EQ(shelf.read("race"), "before");
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path)) {
    files += entry.path().extension() != ".lock" ? 1 : 0;
  }
  EXPECT_EQ(files, 1u) << "no part is left behind";
}

TEST(ResultCache, MakesRoomForWhatIsNewButNotAtTheCostOfOthers) {
  const TemporaryFolder folder;
  ResultCache other(folder.path);
  put(other, "theirs", "0123456789");
  ResultCache shelf(folder.path, {3, 35});
  const auto age = [&](const std::string& name, int hours) {
    fs::last_write_time(shelf.place(name), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  put(shelf, "a", "0123456789"), age("a", 3);
  put(shelf, "b", "0123456789"), age("b", 2);
  put(shelf, "c", "0123456789");
  EXPECT_EQ(shelf.read("a"), std::nullopt) << "the oldest of its own";
  EXPECT_EQ(shelf.read("b"), "0123456789");
  EXPECT_EQ(shelf.read("c"), "0123456789");
  EXPECT_EQ(other.read("theirs"), "0123456789");
}

TEST(ResultCache, WhatIsDamagedIsKeptBeside) {
  const TemporaryFolder folder;
  ResultCache shelf(folder.path);
  put(shelf, "race", "broken");
  const fs::path aside = shelf.quarantine("race");
  EXPECT_EQ(aside.extension(), ".damaged");
  EXPECT_TRUE(fs::exists(aside));
  EXPECT_EQ(shelf.read("race"), std::nullopt);
}

TEST(ResultCache, NamesAreTheSameEverywhere) {
  EXPECT_EQ(text_digits(""), "cbf29ce484222325");
  EXPECT_EQ(text_digits("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace ropescope
