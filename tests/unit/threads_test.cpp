// Distribution of work: every piece once, results in order, failures distinguished, and neutral elements for threads
// without work.

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/parallel.h"
#include "tests/test.h"
#include "with_threads.h"

namespace ropescope {

namespace {

/// First rows of the pieces in the order in which they were joined, and the sum of their counts.
struct Joined {
  std::vector<std::int64_t> first;
  std::int64_t rows = 0;
};
Joined join_all(std::int64_t rows, int threads) {
  Joined joined;
  const auto work = [&](const RowPiece& piece) {
    return [&joined, piece] {
      joined.first.push_back(piece.first);
      joined.rows += piece.count;
    };
  };
  EXPECT_TRUE(parallel_for_rows(rows, with_threads(threads), [&] { return work; }));
  return joined;
}

RunResult seen(double largest, std::int64_t row) {
  RunResult run;
  run.largest = largest;
  run.excess = largest - 1;
  run.strict_excess = largest - 0.5;
  run.row = row;
  return run;
}

bool same(const RunResult& a, const RunResult& b) {
  return a.largest == b.largest && a.excess == b.excess && a.strict_excess == b.strict_excess && a.row == b.row &&
         a.finite == b.finite;
}

}  // namespace

TEST(Threads, RowsAreJoinedInTheirOrder) {
  for (const std::int64_t rows : {0, 1, 2, 2047, 2048, 2049, 70000}) {
    const Joined one = join_all(rows, 1);
    EXPECT_EQ(one.rows, rows);
    for (const int threads : {2, 3, 16}) {
      const Joined many = join_all(rows, threads);
      EXPECT_EQ(many.first, one.first) << rows << " rows, " << threads << " threads";
      EXPECT_EQ(many.rows, rows);
    }
  }
}

TEST(Threads, TheFirstPieceThatFailsIsNamed) {
  for (const int threads : {1, 2, 7}) {
    const auto work = [&](const RowPiece& piece) -> JoinPiece {
      if (piece.first >= 8192) throw std::runtime_error(std::to_string(piece.first));
      return [] {};
    };
    try {
      parallel_for_rows(100'000, with_threads(threads), [&] { return work; });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "8192") << threads;
    }
  }
}

TEST(Threads, AStoppedShareSaysSo) {
  std::stop_source source;
  CheckOptions options = with_threads(3);
  options.stop = source.get_token();
  const auto work = [&](const RowPiece&) -> JoinPiece {
    source.request_stop();
    return [] {};
  };
  EXPECT_FALSE(parallel_for_rows(100'000, options, [&] { return work; }));
}

TEST(Threads, AThreadThatGotNothingChangesNothing) {
  const RunResult none, some = seen(0, 16);
  RunResult left = none, right = some;
  left.join(some);
  right.join(none);
  EXPECT_TRUE(same(left, some)) << "what is right has difference 0 everywhere";
  EXPECT_TRUE(same(right, some));
  RunResult still_none = none;
  still_none.join(none);
  EXPECT_EQ(still_none.row, -1);
}

TEST(Threads, EqualDifferencesAreInTheFirstRow) {
  std::vector<RunResult> runs = {seen(0.25, 48), seen(0.25, 16), seen(0, 0), seen(0.125, 32), RunResult{}};
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    RunResult all;
    for (const std::size_t i : order) all.join(runs[i]);
    EXPECT_TRUE(same(all, seen(0.25, 16)));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Threads, WhatIsNoNumberIsNoRightNumber) {
  const std::vector<double> expected(20, 0.5), size(20, 1.0), errors(20, 1e-7);
  PlaneRule rule;
  rule.unit = find_storage_unit(ShortFormat::bfloat16);
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -HUGE_VAL}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::vector<double> stored = expected, other = expected;
      RunNumbers numbers{stored.data(), other.data(), size.data(), 1, 20, 1, errors.data()};
      EXPECT_TRUE(judge_run(numbers, rule).finite);
      stored[at] = odd;
      EXPECT_FALSE(judge_run(numbers, rule).finite) << at;
      stored = expected;
      other[at] = odd;
      EXPECT_FALSE(judge_run(numbers, rule).finite) << "expected, " << at;
    }
  }
}

TEST(Threads, AFailureInAnotherThreadReachesTheCaller) {
  for (const int threads : {1, 4}) {
    std::atomic<int> turn = 0;
    const auto fail_once = [&] {
      if (turn++ == 0) throw std::runtime_error("spoilt");
    };
    EXPECT_THROW(run_on_threads(threads, fail_once), std::runtime_error);
    EXPECT_EQ(turn, threads) << "the others are waited for";
  }
  for (const int threads : {1, 2, 5}) {
    try {
      parallel_for_blocks(1000, 10, {threads}, [](std::int64_t begin, std::int64_t) {
        if (begin >= 300) throw std::runtime_error(std::to_string(begin));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "300");
    }
  }
}

TEST(Threads, AllCoresAreAtLeastOne) {
  EXPECT_GE(worker_count(0), 1);
  EXPECT_EQ(worker_count(3), 3);
}

}  // namespace ropescope
