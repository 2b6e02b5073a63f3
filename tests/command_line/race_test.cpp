// `race`: its table, what it refuses, and that a race that was stopped goes on.
#include <gmock/gmock.h>

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

Arguments small_race(const Arguments& more) {
  Arguments all{"race", "--task",   "copy:4", "--layers", "1", "--width", "32", "--heads",
                "2",    "--length", "16",     "--batch",  "4", "--seeds", "1:2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The table without its seconds.
std::string without_seconds(const std::string& table) {
  std::string rest;
  int column = 0;
  for (const char c : table) {
    if (c == '\n') column = 0;
    if (c == ',') ++column;
    if (column != 3) rest += c;
  }
  return rest;
}

TEST(RaceThreads, WriteTheSameTableForAnyNumber) {
  const Workplace place;
  for (const std::string threads : {"1", "2", "5"}) {
    place.good(small_race({"--encodings", "rope,none", "--steps", "20", "--threads", threads, "-o", threads + ".csv"}));
  }
  const std::string table = place.read("1.csv");
  EXPECT_THAT(table, StartsWith("run,seed,step,seconds,loss,test_loss\nrope/softmax,1,10,"));
  EXPECT_THAT(table, HasSubstr("\nnone/softmax,2,20,"));
  EXPECT_EQ(without_seconds(place.read("2.csv")), without_seconds(table));
  EXPECT_EQ(without_seconds(place.read("5.csv")), without_seconds(table));
}

TEST(Race, GoesOnFromWhatWasSaved) {
  const Workplace place;
  place.good(small_race({"--steps", "60", "-o", "whole.csv"}));
  place.good(small_race({"--steps", "20", "-o", "part.csv"}));
  place.good(small_race({"--steps", "60", "-o", "part.csv", "--resume"}));
  EXPECT_EQ(without_seconds(place.read("part.csv")), without_seconds(place.read("whole.csv")));
  place.bad(small_race({"--steps", "60", "-o", "part.csv", "--resume", "--base", "500"}), {"part.csv.saved"});
}

TEST(Race, RefusesWhatCannotRunAndNamesIt) {
  const Workplace place;
  place.write("empty.txt", "");
  place.write("one.txt", "a");
  place.bad({"race", "--task", "empty.txt"}, {"empty.txt", "0 bytes"});
  place.bad({"race", "--task", "one.txt"}, {"one.txt"});
  place.bad({"race", "--task", "jump"}, {"jump"});
  place.bad(small_race({"--encodings", "rope,shaw"}), {"shaw"});
  place.bad(small_race({"--encodings", "alibi", "--attention", "linear"}), {"alibi"});
  place.bad(small_race({"--encodings", "rope,rope"}), {"--encodings"});
  place.bad(small_race({"--seeds", "3:1"}), {"--seeds"});
  place.bad(small_race({"--resume"}), {"--resume"});
  place.bad({"race", "--width", "50"}, {"50"});
  place.bad({"race", "--layers", "4", "--width", "256", "--length", "4096", "--batch", "1024", "--seeds", "1:100"},
            {"memory"});
}

}  // namespace
}  // namespace ropescope
