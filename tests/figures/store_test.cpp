#include "app/store/store.h"

#include <gmock/gmock.h>

#include <atomic>
#include <new>
#include <stdexcept>

#include "core/words.h"
#include "tests/said.h"

namespace ropescope {
namespace {

struct Nothing {
  std::size_t bytes() const { return 0; }
};

/// An input that throws, or not.
struct Thrower {
  using Result = Nothing;
  int kind = 0;  ///< 0: nothing, 1: no memory, 2: an error of the input
  std::atomic<int>* calls = nullptr;
  bool operator==(const Thrower&) const = default;
  double cost() const { return 1e9; }
  std::shared_ptr<const Nothing> compute(int, const std::stop_token&) const {
    ++*calls;
    if (kind == 1) throw std::bad_alloc();
    if (kind == 2) throw InputError("a sentence about it");
    return std::make_shared<const Nothing>();
  }
};

/// One pass that asks for `input`, and all that it started.
Store::Answer<Nothing> pass(Store& store, const Thrower& input) {
  store.begin_pass();
  const auto answer = store.get("slot", input);
  store.end_pass();
  store.wait();
  return answer;
}

TEST(AsynchronousStore, AnExceptionOfTheWorkerBecomesAMessage) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::asynchronous);
  pass(store, {1, &calls});
  pass(store, {1, &calls});
  EXPECT_THAT(said(store.failure()), testing::HasSubstr("not enough memory"));
  EXPECT_EQ(calls, 1) << "it is not tried again and again";
  pass(store, {2, &calls});
  EXPECT_EQ(said(store.failure()), "a sentence about it");
  pass(store, {0, &calls});
  EXPECT_TRUE(store.failure().empty());
  EXPECT_TRUE(pass(store, {0, &calls}).current) << "and the worker lives";
  pass(store, {1, &calls});
  EXPECT_EQ(calls, 4) << "asked for again after something else, it is tried again";
}

TEST(AsynchronousStore, TellsOfEveryEnd) {
  std::atomic<int> calls = 0, told = 0;
  {
    Store store(Store::Mode::asynchronous);
    store.on_finished([&told] { ++told; });
    pass(store, {0, &calls});
    pass(store, {1, &calls});
  }
  EXPECT_EQ(told, 2);
}

TEST(AsynchronousStore, SaysWhatASlotHoldsWithoutAskingForMore) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::asynchronous);
  EXPECT_EQ(store.last<compute_input<Thrower>>("slot"), nullptr);
  pass(store, {0, &calls});
  EXPECT_NE(store.last<compute_input<Thrower>>("slot"), nullptr);
  EXPECT_EQ(store.last<compute_input<Thrower>>("another"), nullptr);
  store.enter_scope("scope.");
  EXPECT_EQ(store.last<compute_input<Thrower>>("slot"), nullptr) << "a scope has slots of its own";
  EXPECT_EQ(calls, 1);
}

TEST(SynchronousStore, LeavesTheExceptionToTheCaller) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::synchronous);
  EXPECT_THROW(pass(store, {2, &calls}), InputError);
}

}  // namespace
}  // namespace ropescope
