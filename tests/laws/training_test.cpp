// Training of small models: gradients compared with differences, threads, continuation after a pause, and the cost of a
// step.

#include "core/encodings/encoding.h"
#include "core/message.h"
#include "core/training/parameters.h"
#include "core/training/race.h"
#include "tests/test.h"

namespace ropescope {
namespace {

struct TrainedCase {
  const char* encoding;
  bool linear, performer, causal;
};

std::vector<TrainedCase> trained_cases() {
  std::vector<TrainedCase> cases;
  for (const Encoding& encoding : all_encodings()) {
    for (const auto& [linear, performer] : {std::pair(false, false), {true, false}, {true, true}}) {
      for (const bool causal : {false, true}) {
        ModelShape shape{11, 2, 32, 2, 6, causal, linear, performer};
        try {
          position_tables(encoding, {}, shape, shape.length);
          cases.push_back({encoding.name.data(), linear, performer, causal});
        } catch (const InputError&) {
        }
      }
    }
  }
  return cases;
}

class TrainedEncodings : public testing::TestWithParam<TrainedCase> {};

struct Sample {
  std::vector<std::int32_t> tokens, targets;
};
Sample draw_sample(int count, int vocabulary) {
  RandomStream random{7};
  Sample sample;
  for (int i = 0; i < count; ++i) {
    sample.tokens.push_back(static_cast<std::int32_t>(random.below(vocabulary)));
    sample.targets.push_back(i % 4 == 3 ? -1 : static_cast<std::int32_t>(random.below(vocabulary)));
  }
  return sample;
}

TEST_P(TrainedEncodings, HaveTheGradientOfTheirLoss) {
  const auto& [name, linear, performer, causal] = GetParam();
  const ModelShape shape{11, 2, 32, 2, 6, causal, linear, performer};
  const PositionTables tables = position_tables(find_encoding(name), {}, shape, shape.length);
  TrainingOptions options;
  options.batch = 3;
  Trainer<double> trainer(shape, tables, options, 1, 1);
  // Away from where all begins, so that gains, shifts and biases matter.
  RandomStream random{3};
  for (double& number : trainer.parameters()) number += 0.2 * random.normal();
  const Sample sample = draw_sample(3 * shape.length, shape.vocabulary);
  std::vector<double> gradient(trainer.parameters().size()), unused(gradient.size());
  trainer.gradient(sample.tokens, sample.targets, gradient);
  for (const ParameterBlock& block : trainer.layout().blocks) {
    const std::int64_t stride = std::max<std::int64_t>(1, block.count() / 6);
    for (std::int64_t i = 0; i < block.count(); i += stride) {
      double& number = trainer.parameters()[static_cast<std::size_t>(block.offset + i)];
      const double kept = number, h = 1e-5;
      number = kept + h;
      const double above = trainer.gradient(sample.tokens, sample.targets, unused);
      number = kept - h;
      const double below = trainer.gradient(sample.tokens, sample.targets, unused);
      number = kept;
      const double difference = (above - below) / (2 * h);
      EXPECT_NEAR(gradient[static_cast<std::size_t>(block.offset + i)], difference, 2e-8 + 1e-6 * std::abs(difference))
          << block.name << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TrainedEncodings, testing::ValuesIn(trained_cases()), [](const auto& each) {
  std::string name = each.param.encoding;
  std::erase(name, '-');
  return name +
         (each.param.performer ? "Performer"
          : each.param.linear  ? "Linear"
                               : "Softmax") +
         (each.param.causal ? "Causal" : "Both");
});

TEST(Training, RefusesWhatItHasNoGradientForAndSaysWhy) {
  const ModelShape shape;
  const auto reason = [&](const char* encoding, ModelShape of) {
    try {
      position_tables(find_encoding(encoding), {}, of, of.length);
    } catch (const InputError& error) {
      return debug_text(error.words());
    }
    return std::string("none");
  };
  for (const char* encoding : {"shaw", "transformer-xl", "deberta", "tupe"}) {
    EXPECT_THAT(reason(encoding, shape), HasSubstr("training.refused.inside")) << encoding;
  }
  ModelShape linear = shape, both = shape;
  linear.linear_attention = true, both.causal = false;
  EXPECT_THAT(reason("hierarchical", shape), HasSubstr("training.refused.hierarchical"));
  EXPECT_THAT(reason("alibi", linear), HasSubstr("training.refused.linear"));
  EXPECT_THAT(reason("xpos", both), HasSubstr("training.refused.causal"));
}

RaceSetup small_setup(const char* task) {
  RaceSetup setup;
  setup.length = 24, setup.width = 32, setup.heads = 2, setup.layers = 1, setup.every = 5, setup.test_every = 10;
  setup.training.batch = 10, setup.test_sequences = 4;
  setup.task = make_task(task, setup.length);
  return setup;
}
RunnerSpec make_training_spec(const char* encoding, bool linear = false) {
  RunnerSpec spec;
  spec.encoding = encoding, spec.linear_attention = linear;
  return spec;
}

TEST(TrainingThreads, GiveTheSameNumbersToTheBit) {
  const RaceSetup setup = small_setup("count:4");
  std::vector<std::vector<float>> ends;
  for (const int threads : {1, 2, 5}) {
    Runner runner(setup, make_training_spec("t5"), threads);
    for (int i = 0; i < 12; ++i) ASSERT_TRUE(runner.advance());
    ends.push_back(runner.state().cells);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(Training, GoesOnToTheBitWhereItWasSaved) {
  const RaceSetup setup = small_setup("nearest");
  Runner whole(setup, make_training_spec("rope"), 1), first(setup, make_training_spec("rope"), 1),
      second(setup, make_training_spec("rope"), 1);
  for (int i = 0; i < 23; ++i) whole.advance();
  for (int i = 0; i < 13; ++i) first.advance();
  const std::vector<RunnerState> saved{first.state()};
  const std::string bytes = write_states("this race", saved);
  // The least byte first on every machine: a race that is begun on one goes on on another.
  const std::string begin = "ropescope-race-1\n" + std::string("\x09\0\0\0\0\0\0\0", 8) + "this race";
  EXPECT_EQ(bytes.substr(0, begin.size()), begin);
  second.restore(read_states("this race", bytes, "x").front());
  for (int i = 0; i < 10; ++i) second.advance();
  EXPECT_EQ(second.state().cells, whole.state().cells);
  ASSERT_EQ(second.curve().size(), whole.curve().size());
  for (std::size_t i = 0; i < whole.curve().size(); ++i) {
    EXPECT_EQ(second.curve()[i].loss, whole.curve()[i].loss);
    EXPECT_EQ(second.curve()[i].test_loss, whole.curve()[i].test_loss);
  }
  EXPECT_THROW(read_states("another", bytes, "x"), InputError);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{9}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THROW(read_states("this race", bytes.substr(0, cut), "x"), InputError) << cut;
  }
}

TEST(Training, AStoppedStepChangesNothing) {
  const RaceSetup setup = small_setup("sorted");
  Runner runner(setup, make_training_spec("none"), 1);
  runner.advance();
  const std::vector<float> before = runner.state().cells;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(runner.advance(stop.get_token()));
  EXPECT_EQ(runner.state().cells, before);
  EXPECT_FALSE(runner.fault());
}

TEST(Training, StopsWhereTheLossIsNoFiniteNumberAndSaysTheStep) {
  RaceSetup setup = small_setup("count:2");
  Runner runner(setup, make_training_spec("learned"), 1);
  runner.advance();
  RunnerState state = runner.state();
  state.cells[5] = std::numeric_limits<float>::infinity();
  runner.restore(state);
  EXPECT_FALSE(runner.advance());
  ASSERT_TRUE(runner.fault());
  EXPECT_EQ(runner.fault()->step, 2);
}

TEST(Training, ABaseMayChangeInMidRace) {
  const RaceSetup setup = small_setup("copy:6");
  Runner kept(setup, make_training_spec("rope"), 1), changed(setup, make_training_spec("rope"), 1);
  kept.advance(), changed.advance();
  EncodingValues settings{.base = 100};
  changed.change_settings(settings);
  EXPECT_EQ(kept.state().cells, changed.state().cells);
  kept.advance(), changed.advance();
  EXPECT_NE(kept.state().cells, changed.state().cells);
}

TEST(Training, LearnsToCopyWithPositionsAndNotWithout) {
  RaceSetup setup = small_setup("copy:6");
  setup.training.rate = 3e-3, setup.training.warm_up = 20;
  const auto last = [&](const char* encoding) {
    Runner runner(setup, make_training_spec(encoding), 1);
    for (int i = 0; i < 400; ++i) runner.advance();
    return runner.curve().back().loss;
  };
  EXPECT_LT(last("rope"), 0.3);
  EXPECT_GT(last("none"), 1.0);
}

TEST(Training, TellsRunnersApartOnlyWhereSeedsAgree) {
  const auto compare = [](std::vector<double> a, std::vector<double> b) {
    return compare_finals({{"a", std::move(a)}, {"b", std::move(b)}}).front();
  };
  const RunnerComparison clear = compare({1, 1.1, 1.2}, {2, 2.11, 2.19});
  EXPECT_TRUE(clear.told_apart);
  EXPECT_EQ(clear.ahead, "a");
  EXPECT_NEAR(clear.difference, 1, 1e-12);
  EXPECT_FALSE(compare({1, 1.5, 1.2}, {1.3, 1.2, 1.3}).told_apart);
  EXPECT_FALSE(compare({1}, {2}).told_apart);
  EXPECT_EQ(compare({1, NAN}, {2, 2}).seeds, 1);
}

TEST(TrainingTasks, AnswerWhatTheyAskFor) {
  std::vector<std::int32_t> tokens(96), targets(96);
  const Task copy = make_task("copy:5", 96);
  draw_batch(copy, Split::train, 1, 1, 96, tokens, targets);
  for (std::size_t m = 0; m < 96; ++m) EXPECT_EQ(targets[m], m < 5 ? -1 : tokens[m - 5]);
  const Task count = make_task("count:3", 96);
  draw_batch(count, Split::train, 1, 1, 96, tokens, targets);
  int ones = 0;
  for (std::size_t m = 0; m < 96; ++m) EXPECT_EQ(targets[m], (ones += tokens[m]) % 3);
  EXPECT_NEAR(count.unigram, std::log(3), 0.01);
  // What is known is how often each byte came in training, each possible one counted once more.
  const Task split = text_task("t", std::string(1800, 'a') + std::string(100, 'a') + std::string(100, 'b'), 9, false);
  EXPECT_NEAR(split.unigram, -(0.5 * std::log(1801 / 2056.0) + 0.5 * std::log(1 / 2056.0)), 1e-12);
  for (const char* wrong : {"copy", "copy:0", "copy:200", "nearest:3", "count:1", "run"}) {
    EXPECT_THROW(make_task(wrong, 96), InputError) << wrong;
  }
  for (const std::size_t size : {0u, 1u, 969u})
    EXPECT_THROW(text_task("t", std::string(size, 'a'), 96, false), InputError);
  const Task masked = text_task("t", std::string(2000, 'a'), 96, true);
  std::int64_t hidden = 0, asked = 0;
  for (std::uint64_t step = 0; step < 200; ++step) {
    draw_batch(masked, Split::train, 1, step, 96, tokens, targets);
    for (std::size_t m = 0; m < 96; ++m) hidden += tokens[m] == 256, asked += targets[m] >= 0;
  }
  EXPECT_NEAR(static_cast<double>(asked) / (96 * 200), 0.15, 0.01);
  EXPECT_NEAR(static_cast<double>(hidden) / static_cast<double>(asked), 0.8, 0.02);
}

}  // namespace
}  // namespace ropescope
