#include "app/store/store.h"

#include <new>
#include <stop_token>

#include "tests/said.h"

namespace ropescope {
namespace {

struct Nothing {};

/// A key whose function throws, or not.
struct Thrower {
  int kind = 0;  ///< 0: nothing, 1: no memory, 2: an error of the input
  std::atomic<int>* calls = nullptr;
  bool operator==(const Thrower&) const = default;
};
Nothing nothing_of(const Thrower& key, const Work&) {
  ++*key.calls;
  if (key.kind == 1) throw std::bad_alloc();
  if (key.kind == 2) throw InputError("a sentence about it");
  return {};
}

/// One pass that asks for `input`, and all that it started.
Store::Answer<Nothing> pass(Store& store, const Thrower& key, bool faults = false) {
  store.begin_pass();
  const auto answer = store.request<nothing_of>({"slot", 1e9, faults}, key);
  store.end_pass();
  store.wait();
  return answer;
}

TEST(SynchronousStore, AStopEndsWhoAsks) {
  std::atomic<int> calls = 0;
  std::stop_source stop;
  Store store(Store::Mode::synchronous, 1, stop.get_token());
  EXPECT_TRUE(store.request<nothing_of>({"slot", 1e9}, {0, &calls}).current);
  stop.request_stop();
  EXPECT_TRUE(store.request<nothing_of>({"slot", 1e9}, {0, &calls}).current) << "what it has it still gives";
  EXPECT_THROW(store.request<nothing_of>({"other", 1e9}, {3, &calls}), std::runtime_error);
  EXPECT_EQ(calls, 2);
}

TEST(AsynchronousStore, AnExceptionOfTheWorkerBecomesAMessage) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::asynchronous);
  pass(store, {1, &calls});
  pass(store, {1, &calls});
  EXPECT_THAT(said(store.failure()), Says("error.memory"));
  EXPECT_EQ(calls, 1) << "it is not tried again and again";
  pass(store, {2, &calls});
  EXPECT_EQ(said(store.failure()), "a sentence about it");
  pass(store, {0, &calls});
  EXPECT_TRUE(store.failure().empty());
  EXPECT_TRUE(pass(store, {0, &calls}).current) << "and the worker lives";
  pass(store, {1, &calls});
  EXPECT_EQ(calls, 4) << "asked for again after something else, it is tried again";
}

TEST(AsynchronousStore, AnErrorOfTheInputCanBeTheAnswer) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::asynchronous);
  EXPECT_TRUE(pass(store, {2, &calls}, true).nothing());
  const auto answer = pass(store, {2, &calls}, true);
  EXPECT_TRUE(answer.current);
  EXPECT_EQ(answer.result, nullptr);
  EXPECT_EQ(said(answer.fault), "a sentence about it");
  EXPECT_THROW(answer.present(), InputError);
  EXPECT_TRUE(store.failure().empty());
  EXPECT_EQ(calls, 1) << "it is remembered as any answer is";
  pass(store, {1, &calls}, true);
  EXPECT_FALSE(store.failure().empty()) << "nothing else is the answer's";
}

/// Tells how far it is, and goes on until it is stopped.
std::atomic<bool> half_way = false;
Nothing endless(const int&, const Work& work) {
  work.tell(0.5);
  half_way = true;
  while (!work.stopped()) std::this_thread::yield();
  throw InputError("what a stopped one throws is nobody's");
}

TEST(AsynchronousStore, SaysHowFarAnAnswerIsAndForgetsWhatWasStopped) {
  half_way = false;
  Store store(Store::Mode::asynchronous);
  const auto ask = [&store] { return store.request<endless>({"slot", 1e9, true}, 1); };
  store.begin_pass();
  EXPECT_EQ(ask().progress, 0);
  store.end_pass();
  while (!half_way) std::this_thread::yield();
  EXPECT_EQ(ask().progress, 0.5);
  store.begin_pass();
  store.end_pass();
  store.wait();
  EXPECT_TRUE(ask().nothing());
  EXPECT_TRUE(store.failure().empty());
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
  EXPECT_EQ(store.last<nothing_of>("slot"), nullptr);
  pass(store, {0, &calls});
  EXPECT_NE(store.last<nothing_of>("slot"), nullptr);
  EXPECT_EQ(store.last<nothing_of>("another"), nullptr);
  store.enter_scope("scope.");
  EXPECT_EQ(store.last<nothing_of>("slot"), nullptr) << "a scope has slots of its own";
  EXPECT_EQ(calls, 1);
}

TEST(SynchronousStore, LeavesTheExceptionToTheCaller) {
  std::atomic<int> calls = 0;
  Store store(Store::Mode::synchronous);
  EXPECT_THROW(pass(store, {2, &calls}), InputError);
}

}  // namespace
}  // namespace ropescope
