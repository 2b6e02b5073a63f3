// The cost of a training step other than time: memory that it allocates, and work that is started after a stop.

#include <mutex>

#include "core/encodings/encoding.h"
#include "core/message.h"
#include "core/training/parameters.h"
#include "core/training/race.h"
#include "tests/laws/allocations.h"

namespace ropescope {
namespace {

struct Batch {
  std::vector<std::int32_t> tokens, targets;
};
Batch draw(int sequences, const ModelShape& shape) {
  RandomStream random{5};
  Batch batch;
  for (int i = 0; i < sequences * shape.length; ++i) {
    batch.tokens.push_back(static_cast<std::int32_t>(random.below(shape.vocabulary)));
    batch.targets.push_back(static_cast<std::int32_t>(random.below(shape.vocabulary + 1)) - 1);
  }
  return batch;
}

Trainer<float> trainer_of(const char* encoding, const ModelShape& shape, int batch, int threads) {
  TrainingOptions options;
  options.batch = batch;
  return Trainer<float>(shape, position_tables(find_encoding(encoding), {}, shape, shape.length), options, 1, threads);
}

TEST(TrainingCost, NewIsCounted) {
  const std::int64_t before = allocations();
  std::vector<std::int64_t> some(100);
  EXPECT_EQ(allocations(), before + 1);
  EXPECT_EQ(some[99], 0);
}

/// Every encoding that can be trained, both kinds of attention, both directions, one thread and several; a test of more
/// sequences than a batch has, too.
TEST(TrainingCost, AStepAndATestAllocateNothing) {
  int tried = 0;
  for (const Encoding& encoding : all_encodings()) {
    for (const int way : {0, 1, 2, 3}) {
      const ModelShape shape{40, 2, 32, 2, 26, way % 2 == 0, way / 2 == 1};
      for (const int threads : {1, 3}) {
        try {
          Trainer<float> trainer = trainer_of(encoding.name.data(), shape, 9, threads);
          const Batch batch = draw(9, shape), more = draw(20, shape);
          const std::int64_t before = allocations();
          EXPECT_TRUE(trainer.step(batch.tokens, batch.targets).done);
          EXPECT_GT(trainer.test(more.tokens, more.targets), 0);
          EXPECT_TRUE(trainer.step(batch.tokens, batch.targets).done);
          EXPECT_EQ(allocations(), before) << encoding.name << way << ", threads " << threads;
          ++tried;
        } catch (const InputError&) {
        }
      }
    }
  }
  EXPECT_GE(tried, 40);
}

/// Units of a step: how many, and the largest.
struct Units {
  std::int64_t count = 0, largest = 0;
};
Units units_of(const ModelShape& shape, int batch, int threads) {
  Trainer<float> trainer = trainer_of("rope", shape, batch, threads);
  std::mutex mutex;
  Units units;
  trainer.watch([&](std::int64_t multiplications) {
    const std::lock_guard lock(mutex);
    ++units.count;
    units.largest = std::max(units.largest, multiplications);
  });
  const Batch drawn = draw(batch, shape);
  EXPECT_TRUE(trainer.step(drawn.tokens, drawn.targets).done);
  return units;
}

/// So many multiplications take few milliseconds on any processor.
constexpr std::int64_t kLargestUnit = 70'000'000;

TEST(TrainingCost, NoUnitOfWorkGrowsWithLayersOrBatchAndNoneIsLarge) {
  const Units one = units_of({64, 1, 32, 2, 300, true, false}, 8, 1);
  const Units layers = units_of({64, 2, 32, 2, 300, true, false}, 8, 1);
  const Units batch = units_of({64, 1, 32, 2, 300, true, false}, 24, 1);
  EXPECT_EQ(layers.largest, one.largest);
  EXPECT_EQ(batch.largest, one.largest);
  EXPECT_GT(layers.count, one.count * 3 / 2);
  EXPECT_GT(batch.count, one.count * 2);
  EXPECT_LE(units_of({256, 1, 256, 1, 320, true, false}, 1, 1).largest, kLargestUnit);
  EXPECT_LE(units_of({257, 1, 256, 4, 64, false, true}, 9, 2).largest, kLargestUnit);
}

TEST(TrainingCost, NorIsAUnitOfTheLongestSequenceAndTheWidestHead) {
  const ModelShape shape{256, 1, 256, 1, 4096, false, false};
  Trainer<float> trainer = trainer_of("none", shape, 1, 1);
  const Batch batch = draw(1, shape);
  std::stop_source stop;
  std::int64_t looks = 0, largest = 0;
  // Queries, keys and values of the sequence, and some rows that look around.
  trainer.watch([&](std::int64_t multiplications) {
    largest = std::max(largest, multiplications);
    if (++looks == 80) stop.request_stop();
  });
  EXPECT_FALSE(trainer.step(batch.tokens, batch.targets, stop.get_token()).done);
  EXPECT_EQ(looks, 80);
  EXPECT_GE(largest, 2 * 24 * 4096 * 256);
  EXPECT_LE(largest, kLargestUnit);
}

/// Steps until unit `at` is to begin, and is stopped there; how many units were asked for after it.
std::int64_t units_after_stop(Trainer<float>& trainer, const Batch& batch, std::int64_t at) {
  std::stop_source stop;
  std::atomic<std::int64_t> looks = 0, after = 0;
  trainer.watch([&](std::int64_t) {
    if (stop.stop_requested()) ++after;
    if (++looks == at) stop.request_stop();
  });
  EXPECT_FALSE(trainer.step(batch.tokens, batch.targets, stop.get_token()).done) << at;
  trainer.watch({});
  return after;
}

TEST(TrainingCost, AfterAStopAtAnyUnitNoOtherBegins) {
  for (const bool linear : {false, true}) {
    const ModelShape shape{64, 2, 32, 2, 40, true, linear};
    const std::int64_t all = units_of(shape, 4, 1).count;
    EXPECT_GT(all, 100);
    Trainer<float> trainer = trainer_of("rope", shape, 4, 1);
    const Batch batch = draw(4, shape);
    const std::vector<float> before = trainer.state();
    for (std::int64_t at = 1; at <= all; ++at)
      ASSERT_EQ(units_after_stop(trainer, batch, at), 0) << at << " of " << all;
    EXPECT_EQ(trainer.state(), before);
    EXPECT_TRUE(trainer.step(batch.tokens, batch.targets).done);
  }
}

TEST(TrainingCost, AfterAStopEveryOtherThreadAsksOnceAtMost) {
  const ModelShape shape{64, 2, 32, 2, 100, true, false};
  const std::int64_t all = units_of(shape, 16, 1).count;
  const Batch batch = draw(16, shape);
  for (const int threads : {2, 5}) {
    Trainer<float> trainer = trainer_of("rope", shape, 16, threads);
    const std::vector<float> before = trainer.state();
    for (const std::int64_t at : {std::int64_t{1}, all / 5, all / 2, all * 9 / 10}) {
      EXPECT_LE(units_after_stop(trainer, batch, at), threads - 1)
          << threads << " threads, stopped at unit " << at << " of " << all;
      EXPECT_EQ(trainer.state(), before);
    }
    EXPECT_TRUE(trainer.step(batch.tokens, batch.targets).done);
  }
}

TEST(TrainingCost, AStoppedTestSaysNoNumber) {
  const ModelShape shape{64, 2, 32, 2, 100, true, false};
  Trainer<float> trainer = trainer_of("rope", shape, 16, 1);
  const Batch batch = draw(30, shape);
  std::stop_source stop;
  std::int64_t looks = 0;
  trainer.watch([&](std::int64_t) {
    if (++looks == 20) stop.request_stop();
  });
  EXPECT_TRUE(std::isnan(trainer.test(batch.tokens, batch.targets, stop.get_token())));
  EXPECT_EQ(looks, 20);
}

}  // namespace
}  // namespace ropescope
