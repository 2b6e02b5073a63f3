// Trained models beyond their length and their heads: reading of long sequences compared with the training's own
// forward pass, the extensions of the registry, and heads compared with the encodings of the registry.

#include "core/attention/attention.h"
#include "core/encodings/encoding.h"
#include "core/message.h"
#include "core/scaling/scaling.h"
#include "core/training/beyond.h"
#include "core/training/parameters.h"
#include "tests/test.h"

namespace ropescope {
namespace {

using testing::IsSupersetOf;

RaceSetup setup_of(const std::string& task, int length = 24) {
  RaceSetup setup;
  setup.length = length, setup.width = 32, setup.heads = 2, setup.layers = 2, setup.every = 5, setup.test_every = 10;
  setup.training.batch = 4, setup.test_sequences = 3;
  if (task.starts_with("text")) {
    std::string text;
    RandomStream random{5};
    for (int i = 0; i < 4000; ++i) text += static_cast<char>('a' + random.below(20));
    setup.task = text_task("t", text, length, task == "text masked");
  } else {
    setup.task = make_task(task, length);
  }
  return setup;
}
RunnerSpec make_beyond_spec(const std::string& encoding, bool linear = false) {
  RunnerSpec spec;
  spec.encoding = encoding, spec.linear_attention = linear;
  return spec;
}
/// Weights away from where all begins, so that every gain, shift, bias and trained position matters.
std::vector<float> shaken(const Runner& runner) {
  RandomStream random{11};
  const auto own = runner.trainer().parameters();
  std::vector<float> parameters(own.begin(), own.end());
  for (float& number : parameters) number += 0.2f * static_cast<float>(random.normal());
  return parameters;
}
double tested(const RaceSetup& setup, Trainer<float>& trainer) {
  const std::size_t count = static_cast<std::size_t>(setup.test_sequences) * static_cast<std::size_t>(setup.length);
  std::vector<std::int32_t> tokens(count), targets(count);
  draw_batch(setup.task, Split::test, 0, 0, setup.length, tokens, targets);
  return trainer.test(tokens, targets);
}
std::string key_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return debug_text(error.words());
  }
  return "none";
}

struct BeyondCase {
  std::string encoding;
  bool linear, masked;
};
std::vector<BeyondCase> beyond_cases() {
  std::vector<BeyondCase> cases;
  for (const Encoding& encoding : all_encodings()) {
    for (const bool linear : {false, true}) {
      for (const bool masked : {false, true}) {
        ModelShape shape;
        shape.causal = !masked, shape.linear_attention = linear;
        try {
          position_tables(encoding, {}, shape, shape.length);
          cases.push_back({std::string(encoding.name), linear, masked});
        } catch (const InputError&) {
        }
      }
    }
  }
  return cases;
}

class TrainedBeyond : public testing::TestWithParam<BeyondCase> {
 protected:
  RaceSetup setup_ = setup_of(GetParam().masked ? "text masked" : "text");
  RunnerSpec spec_ = make_beyond_spec(GetParam().encoding, GetParam().linear);
};

class TrainedBeyondCausal : public TrainedBeyond {};

TEST_P(TrainedBeyond, IsTheLossOfTheTestAtTheTrainedLength) {
  for (const int length : {24, 150}) {  // less than one block of rows, and more than two
    const RaceSetup setup = setup_of(GetParam().masked ? "text masked" : "text", length);
    Trainer<float> trainer(shape_of(setup, spec_), beyond_tables(setup, spec_, "none", 1), setup.training, 1, 1);
    const std::vector<float> parameters = shaken(Runner(setup, spec_, 1));
    std::copy(parameters.begin(), parameters.end(), trainer.parameters().begin());
    BeyondOptions options{.factor = 1};
    const BeyondLosses losses = beyond_losses(setup, spec_, parameters, options, {1});
    EXPECT_NEAR(losses.whole.loss, tested(setup, trainer), 1e-5 * losses.whole.loss) << length;
    EXPECT_EQ(losses.length, length);
    EXPECT_EQ(losses.past.tokens, 0);
  }
}

TEST_P(TrainedBeyond, GivesTheSameBitsForAnyNumberOfThreads) {
  const std::vector<float> parameters = shaken(Runner(setup_, spec_, 1));
  std::vector<std::vector<double>> all;
  for (const int threads : {1, 2, 5}) {
    BeyondOptions options{.factor = spec_.encoding == "learned" ? 1 : 5, .buckets = 20};
    std::vector<double> losses;
    for (const PositionBucket& bucket : beyond_losses(setup_, spec_, parameters, options, {threads}).buckets) {
      losses.push_back(std::isnan(bucket.loss) ? -1 : bucket.loss);
    }
    EXPECT_EQ(losses.size(), 20u);
    all.push_back(losses);
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

/// What a model loses at a position depends on no later token where it is causal: the beginning of a long sequence is
/// read as if there were nothing behind it.
TEST_P(TrainedBeyondCausal, ReadTheBeginningAsIfItWereAll) {
  const std::vector<float> parameters = shaken(Runner(setup_, spec_, 1));
  LookOptions longer{.factor = 4};
  const TrainedHeads whole = look_inside(setup_, spec_, parameters, longer, {2});
  const ModelShape shape = shape_of(setup_, spec_);
  const PositionTables tables = beyond_tables(setup_, spec_, "none", 1);
  const ParameterLayout layout = parameter_layout(shape, tables);
  CellTables<float> cells(tables, shape);
  cells.take(layout, parameters.data());
  Piece<float> piece(shape, layout, 1, setup_.length);
  const auto begin = std::span<const std::int32_t>(whole.token_ids).first(static_cast<std::size_t>(setup_.length));
  const std::vector<std::int32_t> next(whole.token_ids.begin() + 1, whole.token_ids.begin() + setup_.length + 1);
  piece.forward(parameters.data(), cells, begin, next, 1);
  for (std::size_t i = 0; i < begin.size(); ++i) EXPECT_NEAR(whole.losses[i], piece.losses()[i], 2e-4) << i;
}

/// Scores of the registry's encoding from q and k as they are handed over, against those that training meets.
TEST_P(TrainedBeyond, HandsOverQAndKThatGiveTheScoresOfTraining) {
  const std::vector<float> parameters = shaken(Runner(setup_, spec_, 1));
  const TrainedHeads inside = look_inside(setup_, spec_, parameters, {"none", 1, 1}, {1});
  ASSERT_EQ(inside.layers.size(), 2u);
  ASSERT_EQ(inside.settings.size(), 2u);
  const ModelShape shape = shape_of(setup_, spec_);
  const PositionTables tables = beyond_tables(setup_, spec_, "none", 1);
  const ParameterLayout layout = parameter_layout(shape, tables);
  CellTables<float> cells(tables, shape);
  cells.take(layout, parameters.data());
  Piece<float> piece(shape, layout, 1, setup_.length);
  piece.forward(parameters.data(), cells, inside.token_ids, std::vector<std::int32_t>(inside.token_ids.size(), 0), 1);
  const int n = setup_.length, width = shape.width, channels = shape.head_width();
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (int head = 0; head < shape.heads; ++head) {
      AttentionInput input{TokenMatrix(n, channels), TokenMatrix(n, channels), TokenMatrix(0, 0)};
      RowMatrixXd expected(n, n);
      const auto met = piece.queries_keys_values(layer);
      for (int m = 0; m < n; ++m) {
        for (int c = 0; c < channels; ++c) {
          const auto at = static_cast<std::size_t>((m * shape.heads + head) * channels + c);
          input.queries(m, c) = inside.layers[static_cast<std::size_t>(layer)].q[at];
          input.keys(m, c) = inside.layers[static_cast<std::size_t>(layer)].k[at];
        }
        for (int k = 0; k < n; ++k) {
          double sum =
              cells.biases.empty() ? 0 : cells.biases[static_cast<std::size_t>((head * (2 * n - 1)) + m - k + n - 1)];
          for (int c = 0; c < channels; ++c) {
            sum += double(met[static_cast<std::size_t>(m * 3 * width + head * channels + c)]) *
                   double(met[static_cast<std::size_t>(k * 3 * width + width + head * channels + c)]);
          }
          expected(m, k) = sum;
        }
      }
      const auto model = make_model(find_encoding(inside.encoding), inside.settings[static_cast<std::size_t>(head)]);
      RowMatrixXd scores;
      if (spec_.linear_attention) {
        scores = linear_attention<double>(*model, input).weights;
        scores.array().colwise() *= linear_attention_denominators(*model, input).array();
      } else if (spec_.encoding == "t5") {
        ASSERT_EQ(inside.trained_biases.size(), cells.biases.size());
        scores = input.queries * input.keys.transpose();
        for (int m = 0; m < n; ++m) {
          for (int k = 0; k < n; ++k) {
            scores(m, k) += inside.trained_biases[static_cast<std::size_t>(head * (2 * n - 1) + m - k + n - 1)];
          }
        }
      } else {
        scores = model->score_matrix<double>(input.queries, input.keys);
      }
      const double size = 1 + expected.cwiseAbs().maxCoeff();
      EXPECT_LT((scores - expected).cwiseAbs().maxCoeff(), 1e-5 * size) << layer << " " << head;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<BeyondCase>& each) {
  std::string name = each.param.encoding;
  std::erase(name, '-');
  return name + (each.param.linear ? "Linear" : "Softmax") + (each.param.masked ? "Both" : "Causal");
}
std::vector<BeyondCase> causal_cases() {
  std::vector<BeyondCase> cases = beyond_cases();
  std::erase_if(cases, [](const BeyondCase& each) { return each.masked || each.encoding == "learned"; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, TrainedBeyond, testing::ValuesIn(beyond_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(All, TrainedBeyondCausal, testing::ValuesIn(causal_cases()), name_of_case);

TEST(TrainedBeyondMethods, AreThoseThatAFactorFixes) {
  for (const char* encoding : {"rope", "p-rope", "xpos"}) {
    EXPECT_EQ(beyond_methods(make_beyond_spec(encoding)).front(), "none");
    EXPECT_THAT(beyond_methods(make_beyond_spec(encoding)),
                IsSupersetOf({"linear", "ntk-aware", "dynamic", "ntk-by-parts", "yarn", "dynamic-yarn", "llama3"}));
    for (const char* other : {"longrope", "proportional", "pixel", "ntk-alpha"}) {
      EXPECT_THAT(beyond_methods(make_beyond_spec(encoding)), Not(Contains(other)));
    }
  }
  for (const char* encoding : {"none", "sinusoidal", "learned", "alibi", "t5", "kerple", "sandwich"}) {
    EXPECT_THAT(beyond_methods(make_beyond_spec(encoding)), ElementsAre("none"));
  }
}

TEST(TrainedBeyondMethods, AtFactorOneNoneChangesAnything) {
  const RaceSetup setup = setup_of("nearest");
  const PositionTables own = beyond_tables(setup, make_beyond_spec("rope"), "none", 1);
  for (const std::string_view method : beyond_methods(make_beyond_spec("rope"))) {
    const PositionTables tables = beyond_tables(setup, make_beyond_spec("rope"), method, 1);
    EXPECT_EQ(tables.query_cosine, own.query_cosine) << method;
    EXPECT_EQ(tables.key_sine, own.key_sine) << method;
  }
}

/// Row m of the tables is m turned by the registry's ladder of the method, times its amplitude.
TEST(TrainedBeyondMethods, TurnByTheLadderOfTheRegistry) {
  const RaceSetup setup = setup_of("nearest");
  for (const std::string_view method : beyond_methods(make_beyond_spec("rope"))) {
    RotarySpec rope;
    rope.head_dim = rope.axes[0].rotary_dim = 16;
    rope.trained_length = 24;
    BeyondOptions options{.method = std::string(method), .factor = 6, .sequences = 1};
    rope.extension =
        beyond_losses(setup, make_beyond_spec("rope"), shaken(Runner(setup, make_beyond_spec("rope"), 1)), options, {1})
            .extension;
    EXPECT_EQ(rope.extension.method, method);
    const ScaledLadder ladder = scaled_ladder(rope, 0, 6 * 24.0);
    const PositionTables tables = beyond_tables(setup, make_beyond_spec("rope"), method, 6);
    ASSERT_EQ(tables.pairs, 8);
    for (int pair = 0; pair < 8; ++pair) {
      const double angle = 143 * ladder.frequencies[pair];
      EXPECT_NEAR(tables.query_cosine[143 * 8 + static_cast<std::size_t>(pair)], ladder.amplitude * std::cos(angle),
                  1e-12);
    }
    if (method != "none")
      EXPECT_NE(tables.key_cosine, beyond_tables(setup, make_beyond_spec("rope"), "none", 6).key_cosine);
  }
}

TEST(TrainedBeyondLosses, AreMeansOfTheirTokensAndAddUp) {
  for (const std::string task : {"copy:10", "phrase", "sorted", "count:3", "text", "text masked"}) {
    const RaceSetup setup = setup_of(task, 40);
    BeyondOptions options{.factor = 3, .sequences = 5, .buckets = 64};
    const BeyondLosses losses = beyond_losses(setup, make_beyond_spec("rope"),
                                              shaken(Runner(setup, make_beyond_spec("rope"), 1)), options, {1});
    ASSERT_EQ(losses.buckets.size(), 63u);  // 21 below each multiple of 40
    double sum = 0, within = 0;
    std::int64_t tokens = 0, end = 0;
    for (const PositionBucket& bucket : losses.buckets) {
      EXPECT_EQ(bucket.from, end);
      EXPECT_LT(bucket.from, bucket.to);
      EXPECT_TRUE(bucket.to <= 40 || bucket.from >= 40);
      end = bucket.to;
      EXPECT_EQ(bucket.tokens == 0, std::isnan(bucket.loss));
      if (bucket.tokens == 0) continue;
      tokens += bucket.tokens;
      sum += static_cast<double>(bucket.tokens) * bucket.loss;
      if (bucket.to <= 40) within += static_cast<double>(bucket.tokens) * bucket.loss;
    }
    EXPECT_EQ(end, 120);
    EXPECT_EQ(tokens, losses.whole.tokens);
    EXPECT_NEAR(sum, static_cast<double>(tokens) * losses.whole.loss, 1e-9 * sum);
    if (losses.within.tokens > 0) {
      EXPECT_NEAR(within, static_cast<double>(losses.within.tokens) * losses.within.loss, 1e-9 * sum) << task;
    }
    EXPECT_EQ(losses.within.tokens + losses.past.tokens, tokens);
    if (task == "copy:10") EXPECT_EQ(losses.buckets[0].tokens + losses.buckets[4].tokens, 0);
    if (task == "copy:10") EXPECT_EQ(tokens, 5 * 110);
    if (task == "phrase") EXPECT_EQ(tokens, 5 * 16);
    if (task == "phrase") EXPECT_EQ(losses.within.tokens, 0);  // of the test it stands in the second half
  }
}

TEST(TrainedBeyondLosses, SayWhatCannotBe) {
  const RaceSetup setup = setup_of("text");
  const auto key = [&](const char* encoding, const char* method, int factor) {
    return key_of([&] {
      BeyondOptions options{.method = method, .factor = factor};
      beyond_losses(setup, make_beyond_spec(encoding),
                    Runner(setup, make_beyond_spec(encoding), 1).trainer().parameters(), options, {1});
    });
  };
  EXPECT_THAT(key("learned", "none", 2), HasSubstr("training.past_table"));
  EXPECT_EQ(key("learned", "none", 1), "none");
  EXPECT_THAT(key("rope", "none", 0), HasSubstr("training.beyond_factor"));
  EXPECT_THAT(key("rope", "none", 9), HasSubstr("training.beyond_factor"));
  EXPECT_THAT(key("rope", "longrope", 2), HasSubstr("training.beyond_method"));
  EXPECT_THAT(key("alibi", "yarn", 2), HasSubstr("training.beyond_method"));
  RaceSetup brief = setup;
  brief.task = text_task("t", std::string(10 * 25, 'a'), 24, false);
  EXPECT_THAT(key_of([&] {
                beyond_losses(brief, make_beyond_spec("rope"),
                              Runner(brief, make_beyond_spec("rope"), 1).trainer().parameters(), {}, {1});
              }),
              HasSubstr("training.text_short"));
}

TEST(TrainedBeyondLosses, HearAStop) {
  const RaceSetup setup = setup_of("nearest");
  std::stop_source stop;
  stop.request_stop();
  const std::vector<float> parameters = shaken(Runner(setup, make_beyond_spec("rope"), 1));
  EXPECT_TRUE(beyond_losses(setup, make_beyond_spec("rope"), parameters, {}, {2, stop.get_token()}).buckets.empty());
  EXPECT_TRUE(look_inside(setup, make_beyond_spec("rope"), parameters, {}, {2, stop.get_token()}).layers.empty());
}

TEST(TrainedBeyondLosses, TakeRoomByTheLengthAndNotByItsSquare) {
  RaceSetup setup = setup_of("nearest", 4096);
  setup.width = 256, setup.heads = 1, setup.layers = 4;
  const auto bytes = [&](int factor) {
    BeyondOptions options{.factor = factor, .sequences = 1};
    return static_cast<double>(beyond_bytes_required(setup, make_beyond_spec("rope"), options, 1));
  };
  EXPECT_LT(bytes(8), 8.5 * bytes(1));
  EXPECT_LT(bytes(8), 600e6);  // the weights of one head alone would take 4.3 GB
}

}  // namespace
}  // namespace ropescope
