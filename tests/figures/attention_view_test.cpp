#include "tests/figures/attention_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(AttentionView, TheMapHoldsTheWeights) {
  for (const AttentionKind kind : {AttentionKind::softmax, AttentionKind::linear}) {
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(word_of(kind) + (causal ? " causal" : ""));
      fields.kind = kind;
      fields.causal = causal;
      AttentionOptions options;
      options.causal = causal;
      const Attention<double> exact = kind == AttentionKind::linear
                                          ? linear_attention<double>(*model("rope"), content(), options)
                                          : softmax_attention<double>(*model("rope"), content(), options);
      const ViewResult result = draw();
      const Figure& shown = figure(result, "weights");
      ASSERT_EQ(shown.maps.size(), 1u);
      const Map& map = shown.maps[0];
      ASSERT_EQ(map.cells->rows, 40u);
      ASSERT_EQ(map.cells->columns, 40u);
      EXPECT_TRUE(shown.y.reversed) << "queries count downwards";
      for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t j = 0; j < 40; ++j) {
          const float cell = map.cells->values[i * 40 + j];
          const double at = map.exact(static_cast<double>(j), static_cast<double>(i));
          if (causal && j > i) {
            EXPECT_TRUE(std::isnan(cell) && std::isnan(at)) << "keys after the query are left empty";
          } else {
            EXPECT_NEAR(cell, exact.weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), 1e-5);
            EXPECT_EQ(cell, at);
          }
        }
      }
      EXPECT_TRUE(std::isnan(map.exact(40, 0)));
      EXPECT_TRUE(std::isnan(map.exact(0, -1)));
      if (kind == AttentionKind::softmax) continue;  // all sums are 1: see below
      const Series& sums = *figure(result, "sums").lines.at(0).series;
      for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(sums.ys[i], exact.row_sums[static_cast<Eigen::Index>(i)], 1e-5);
    }
  }
}

TEST_F(AttentionView, SoftmaxRowsSumToOne) {
  for (const Encoding& encoding : all_encodings()) {
    SCOPED_TRACE(encoding.name);
    fields.encoding = encoding.name;
    fields.causal = encoding.causal_only;
    const ViewResult result = draw();
    EXPECT_EQ(readout(result, "attention.sums").text, "1");
    EXPECT_EQ(result.panels.size(), 3u) << "a level line at 1 has no panel";
    EXPECT_EQ(figure(result, "weights").maps[0].colours, MapColours::magnitude);
    EXPECT_GE(figure(result, "weights").maps[0].range.low, 0);
  }
}

TEST_F(AttentionView, LinearRopeHasNegativeWeightsOverPositiveDenominators) {
  fields.kind = AttentionKind::linear;
  for (const LinearKernel kernel :
       {LinearKernel::elu_plus_one, LinearKernel::exponential, LinearKernel::softmax_of_q}) {
    SCOPED_TRACE(word_of(kernel));
    fields.kernel = kernel;
    const ViewResult result = draw();
    const Map& map = figure(result, "weights").maps[0];
    EXPECT_EQ(map.colours, MapColours::signed_value);
    EXPECT_EQ(map.range.low, -map.range.high);
    EXPECT_LT(*std::min_element(map.cells->values.begin(), map.cells->values.end()), 0);
    EXPECT_EQ(readout(result, "attention.smallest").text.find("\u2212"), 0u);
    EXPECT_THAT(readout(result, "attention.smallest").note, HasSubstr("are negative"));
    EXPECT_GT(std::stod(readout(result, "attention.denominator").text), 0);
    EXPECT_NE(readout(result, "attention.sums").text, "1");
  }
  fields.encoding = "none";
  const ViewResult plain = draw();
  EXPECT_EQ(figure(plain, "weights").maps[0].colours, MapColours::magnitude);
  EXPECT_EQ(readout(plain, "attention.sums").text, "1");
}

TEST_F(AttentionView, TheRowIsARowOfTheMap) {
  for (const bool causal : {false, true}) {
    fields.causal = causal;
    const ViewResult result = draw();
    const Map& map = figure(result, "weights").maps[0];
    const Series& row = *figure(result, "row").lines.at(0).series;
    ASSERT_EQ(row.ys.size(), causal ? 26u : 40u);
    for (std::size_t key = 0; key < row.ys.size(); ++key) EXPECT_EQ(row.ys[key], map.cells->values[25 * 40 + key]);
    ASSERT_EQ(figure(result, "weights").boxes.size(), 1u) << "the row is marked";
    EXPECT_EQ(figure(result, "weights").boxes[0].y.low, 24.5);
    const auto best = std::max_element(row.ys.begin(), row.ys.end()) - row.ys.begin();
    EXPECT_THAT(readout(result, "attention.row").note, HasSubstr("key " + std::to_string(best) + ","));
  }
  fields.row = 4000;
  EXPECT_THAT(figure(draw(), "row").title, HasSubstr("39")) << "the last row stands for those past it";
}

TEST_F(AttentionView, MeansByDistanceAreThoseOfTheDiagonals) {
  const ViewResult result = draw();
  const Map& map = figure(result, "weights").maps[0];
  const Series& means = *figure(result, "distance").lines.at(0).series;
  ASSERT_EQ(means.ys.size(), 79u);
  for (const int distance : {-39, -3, 0, 17, 39}) {
    double sum = 0;
    int count = 0;
    for (int i = std::max(0, distance); i < std::min(40, 40 + distance); ++i, ++count) {
      sum += map.cells->values[static_cast<std::size_t>(i * 40 + i - distance)];
    }
    EXPECT_NEAR(means.ys[static_cast<std::size_t>(distance + 39)], sum / count, 1e-7) << distance;
    EXPECT_EQ(means.x_at(static_cast<std::size_t>(distance + 39)), distance);
  }
}

TEST_F(AttentionView, AClickChoosesTheRow) {
  kAttentionView.react(experiment, {FigureEvent::Kind::click, "weights", {}, 3, 11.4});
  EXPECT_EQ(fields.row, 11);
  kAttentionView.react(experiment, {FigureEvent::Kind::click, "sums", {}, 7.6, 1});
  EXPECT_EQ(fields.row, 8);
  kAttentionView.react(experiment, {FigureEvent::Kind::click, "weights", {}, 3, 1e9});
  EXPECT_EQ(fields.row, 39);
  kAttentionView.react(experiment, {FigureEvent::Kind::click, "row", {}, 2, 0});
  EXPECT_EQ(fields.row, 39);
}

TEST_F(AttentionView, ShiftsChangeOutputsOfAbsoluteEncodingsAlone) {
  fields.show = AttentionShow::shift;
  fields.shift = 300;
  for (const AttentionKind kind : {AttentionKind::softmax, AttentionKind::linear}) {
    fields.kind = kind;
    for (const std::string name : {"rope", "xpos", "none", "sinusoidal", "learned"}) {
      SCOPED_TRACE(word_of(kind) + " " + name);
      fields.encoding = name;
      fields.causal = name == "xpos";
      const ViewResult result = draw();
      const Series& curve = *line(figure(result, "shift"), name).series;
      ASSERT_EQ(curve.ys.size(), 17u);
      EXPECT_EQ(curve.x_at(0), 1);
      const bool relative = find_encoding(name).relative;
      // The table of 512 rows ends within a shift of 512.
      for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_TRUE(relative ? curve.ys[i] < 1e-9 : curve.ys[i] > 1e-5) << curve.x_at(i) << ": " << curve.ys[i];
      }
      if (name == "learned") {
        EXPECT_TRUE(std::isnan(curve.ys[12]));
      }
      const Series& tokens = *line(figure(result, "tokens"), name).series;
      ASSERT_EQ(tokens.ys.size(), 40u);
      EXPECT_TRUE(relative ? tokens.ys[20] < 1e-8 : tokens.ys[20] > 1e-5);
      EXPECT_EQ(readout(result, "attention.relative").text, relative ? "yes" : "no");
    }
  }
}

TEST_F(AttentionView, AShiftPastTheTableSaysSo) {
  fields.show = AttentionShow::shift;
  fields.encoding = "learned";
  fields.shift = 600;
  EXPECT_THAT(readout(draw(), "attention.shift").note, HasSubstr("512 rows"));
}

TEST_F(AttentionView, CostsAreMeasuredForBothKinds) {
  fields.show = AttentionShow::cost;
  const ViewResult result = draw();
  const Figure& cost = figure(result, "cost");
  EXPECT_EQ(cost.x.scale, AxisScale::log);
  EXPECT_EQ(cost.y.scale, AxisScale::log);
  for (const std::string key : {"softmax", "linear"}) {
    const Series& times = *line(cost, key).series;
    ASSERT_EQ(times.ys.size(), 2u);
    EXPECT_EQ(times.x_at(0), 128);
    EXPECT_EQ(times.x_at(1), 256);
    for (const double time : times.ys) EXPECT_GT(time, 0);
  }
  // The guides pass through the last measured point.
  const Series &measured = *line(cost, "softmax").series, &guide = *line(cost, "square").series;
  EXPECT_DOUBLE_EQ(guide.ys[1], measured.ys[1]);
  EXPECT_NEAR(guide.ys[0], guide.ys[1] / 4, 1e-12);
  EXPECT_NEAR(line(cost, "proportional").series->ys[0], line(cost, "proportional").series->ys[1] / 2, 1e-12);
  EXPECT_EQ(readout(result, "attention.softmax_cost").text.find("n^"), std::string::npos);
  // The same request is not measured again.
  const auto started = store.started();
  EXPECT_EQ(line(figure(draw(), "cost"), "softmax").series->ys, measured.ys);
  fields.content = AttentionSource::aligned;
  fields.tokens = 100;
  draw();
  EXPECT_EQ(store.started(), started);
  fields.encoding = "alibi";
  const ViewResult bias = draw();
  EXPECT_EQ(figure(bias, "cost").lines.size(), 2u) << "no linear attention";
  EXPECT_THAT(readout(bias, "attention.linear_cost").note,
              Says("readout.attention.slope.none", {{"encoding", "ALiBi"}}));
}

TEST(AttentionSlope, IsThatOfPowers) {
  MeasuredCost cost;
  for (double tokens = 128; tokens <= 4096; tokens *= 2) {
    cost.tokens.push_back(tokens);
    cost.seconds.push_back(1e-9 * std::pow(tokens, 1.7));
  }
  EXPECT_NEAR(*cost_slope(cost), 1.7, 1e-9);
  // What the short half costs besides does not count.
  cost.seconds[0] = 1;
  EXPECT_NEAR(*cost_slope(cost), 1.7, 1e-9);
  cost.tokens.resize(1);
  cost.seconds.resize(1);
  EXPECT_FALSE(cost_slope(cost));
}

TEST_F(AttentionView, BothOrdersOfTheProductsAreCounted) {
  fields.show = AttentionShow::products;
  fields.tokens = 64;
  ViewResult result = draw();
  // (QKᵀ)V forms n·n numbers of d products each, and n·d of n; the other order d·d of n, and n·d of d.
  EXPECT_EQ(std::get<Quantity>(readout(result, "attention.scores_first").value).number.value, 2 * 64 * 64 * 16);
  EXPECT_EQ(std::get<Quantity>(readout(result, "attention.memory_first").value).number.value, 2 * 64 * 16 * 16);
  EXPECT_EQ(std::get<Quantity>(readout(result, "attention.product_ratio").value).number.value, 4);
  const Figure& growth = figure(result, "multiplications");
  for (std::size_t i = 0; i < growth.lines[0].series->ys.size(); ++i) {
    const double n = 16 * std::pow(2, static_cast<double>(i));
    EXPECT_EQ(line(growth, "scores_first").series->ys[i], 32 * n * n);
    EXPECT_EQ(line(growth, "memory_first").series->ys[i], 512 * n);
  }
  EXPECT_EQ(figure(result, "scores_first").boxes.size(), 8u) << "the two that are n × n twice: filled, and outlined";
  EXPECT_EQ(figure(result, "memory_first").boxes.size(), 8u);
  fields.kernel = LinearKernel::random_features;
  fields.features = 3;
  result = draw();
  EXPECT_EQ(std::get<Quantity>(readout(result, "attention.memory_first").value).number.value, 2 * 64 * 48 * 16);
}

TEST_F(AttentionView, KernelsAreTheirFormulasAndErrorsThoseOfCore) {
  fields.show = AttentionShow::kernel;
  fields.encoding = "rope";
  const ViewResult result = draw();
  const Figure& kernels = figure(result, "kernel");
  const auto value = [&](const char* name, std::size_t i) { return line(kernels, name).series->ys[i]; };
  for (std::size_t i = 0; i < 257; i += 16) {
    const double x = -4 + static_cast<double>(i) / 32;
    EXPECT_NEAR(value("elu", i), x > 0 ? x + 1 : std::exp(x), 1e-15);
    EXPECT_NEAR(value("exp", i), std::exp(x), 1e-13);
    EXPECT_NEAR(value("performer", i), std::exp(x - x * x / 2), 1e-15);
  }
  const Figure& errors = figure(result, "feature_error");
  ASSERT_EQ(errors.lines.size(), 4u) << "three sizes of q and k, and 1/√M";
  AttentionInput few = content();
  few.values.resize(0, 0);
  few.queries *= 0.25, few.keys *= 0.25;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sum += random_feature_error(*model("rope"), few, {.random_features = 8, .feature_seed = seed});
  }
  EXPECT_NEAR(line(errors, "scale2").series->ys[0], sum / 3, 1e-12);
  const double slope = std::get<Quantity>(readout(result, "attention.feature_slope").value).number.value;
  EXPECT_NEAR(slope, -0.5, 0.3);
  fields.encoding = "alibi";
  EXPECT_NE(figure(draw(), "feature_error").empty_message, "");
  EXPECT_EQ(figure(draw(), "kernel").empty_message, "");
}

TEST_F(AttentionView, EnergyAndScoresAreThoseOfCore) {
  fields.show = AttentionShow::energy;
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    experiment.rope.pairing = pairing;
    const ViewResult result = draw();
    const PairEnergy expected = pair_energy(content(), pairing);
    const Figure& energy = figure(result, "energy");
    ASSERT_EQ(energy.clocks.size(), energy.lines.size());
    EXPECT_EQ(energy.clocks[0].size(), 8);
    for (std::size_t i = 0; i < 8; ++i) {
      const auto pair = static_cast<Eigen::Index>(i);
      EXPECT_EQ(line(energy, "product").series->ys[i], expected.product[pair]);
      EXPECT_EQ(line(energy, "query").series->ys[i], expected.query[pair]);
      EXPECT_EQ(line(energy, "key").series->ys[i], expected.key[pair]);
    }
    const MeasuredScores scores = measured_scores(*model("rope"), content());
    const MeanScoreBound bound = mean_score_bound(*model("rope"), content());
    const Figure& score = figure(result, "score");
    const Series& mean = *line(score, "mean").series;
    ASSERT_EQ(mean.ys.size(), scores.distances.size());
    for (std::size_t i = 0; i < mean.ys.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      EXPECT_NEAR(mean.ys[i], scores.mean[at], 1e-12);
      EXPECT_NEAR(line(score, "above").series->ys[i], scores.mean[at] + scores.deviation[at], 1e-12);
      const double x = mean.x_at(i);
      EXPECT_EQ(x, static_cast<double>(scores.distances[i]));
      if (x >= 0) {
        const double limit = line(score, "bound").series->ys[static_cast<std::size_t>(x)];
        EXPECT_NEAR(limit, bound.bound[static_cast<Eigen::Index>(x)], 1e-12);
        EXPECT_LE(std::abs(mean.ys[i]), limit * (1 + 1e-9));
      }
    }
  }
  fields.encoding = "alibi";
  EXPECT_THROW(line(figure(draw(), "score"), "bound"), std::runtime_error) << "the bound is that of rotations";
}

TEST_F(AttentionView, LearnedTablesEndVisibly) {
  fields.encoding = "learned";
  experiment.encoding["trained_length"] = 30;
  EXPECT_THAT(message(draw()), AllOf(Says("view.attention.all_past_table"), HasSubstr("30 rows")));
  fields.causal = true;
  const ViewResult result = draw();
  const Map& map = figure(result, "weights").maps[0];
  EXPECT_FALSE(std::isnan(map.cells->values[29 * 40]));
  EXPECT_TRUE(std::isnan(map.cells->values[30 * 40]));
  EXPECT_THAT(result.status, HasSubstr("10 rows"));
  fields.row = 35;
  EXPECT_THAT(readout(draw(), "attention.row").note, Says("readout.attention.row.past"));
}

TEST_F(AttentionView, WhatCannotBeLinearSaysWhy) {
  fields.kind = AttentionKind::linear;
  for (const Encoding& encoding : all_encodings()) {
    fields.encoding = encoding.name;
    const std::string shown = message(draw());
    EXPECT_EQ(shown.empty(), encoding.linear_attention) << encoding.name;
    if (!encoding.linear_attention) EXPECT_THAT(shown, Says("view.attention.not_linear")) << encoding.name;
  }
}

TEST_F(AttentionView, FieldsThatDoNotFitSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  EXPECT_THAT(message(draw()), HasSubstr("rope.axes"));
}

TEST_F(AttentionView, EveryPictureOfEveryEncodingDrawsAndIsNotComputedTwice) {
  for (const Encoding& encoding : all_encodings()) {
    for (const AttentionShow show : {AttentionShow::weights, AttentionShow::shift, AttentionShow::energy}) {
      SCOPED_TRACE(std::string(encoding.name) + " " + word_of(show));
      fields.encoding = encoding.name;
      fields.show = show;
      fields.causal = encoding.causal_only;
      fields.tokens = 12;
      const ViewResult result = draw();
      EXPECT_TRUE(message(result).empty()) << message(result);
      for (const Panel& panel : result.panels) {
        EXPECT_LT(panel.figure.x.range.low, panel.figure.x.range.high) << panel.figure.name;
        EXPECT_LT(panel.figure.y.range.low, panel.figure.y.range.high) << panel.figure.name;
        EXPECT_FALSE(panel.figure.stale);
      }
      for (const Readout& one : result.readouts) {
        EXPECT_EQ(one.note.find('{'), std::string::npos) << one.note;
        EXPECT_FALSE(one.text.empty());
        EXPECT_FALSE(one.tooltip.empty());
      }
      EXPECT_EQ(result.status.find('{'), std::string::npos) << result.status;
      const auto started = store.started();
      fields.zooms["attention.key_range"] = Range{2, 5};
      draw();
      EXPECT_EQ(store.started(), started);
      fields.zooms["attention.key_range"].reset();
    }
  }
}

TEST_F(AttentionView, TwoTokensAreEnough) {
  fields.tokens = 2;
  for (const AttentionShow show : {AttentionShow::weights, AttentionShow::shift, AttentionShow::energy}) {
    for (const AttentionSource from : {AttentionSource::aligned, AttentionSource::random}) {
      fields.show = show;
      fields.content = from;
      const ViewResult result = draw();
      EXPECT_TRUE(message(result).empty());
      for (const Panel& panel : result.panels) EXPECT_LT(panel.figure.y.range.low, panel.figure.y.range.high);
    }
  }
}

TEST_F(AttentionView, SurvivesBeingSaved) {
  experiment.view = "attention";
  fields.kind = AttentionKind::linear;
  fields.kernel = LinearKernel::exponential;
  fields.causal = true;
  fields.file = "a b/qk.npz";
  fields.zooms["attention.key_range"] = Range{3, 9};
  const Experiment read = experiment_from_json(experiment_to_json(experiment), "test");
  EXPECT_EQ(read, experiment);
  Store other(Store::Mode::synchronous);
  const ViewResult before = draw(), after = draw_view(kAttentionView, read, text, other);
  EXPECT_EQ(figure(before, "weights").maps[0].cells->values.size(),
            figure(after, "weights").maps[0].cells->values.size());
  EXPECT_EQ(readout(before, "attention.smallest").text, readout(after, "attention.smallest").text);
}

TEST(AsynchronousAttention, NothingIsComputedOnTheInterface) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::asynchronous);
  Experiment experiment;
  experiment.attention.tokens = 600;
  for (const AttentionShow show :
       {AttentionShow::weights, AttentionShow::shift, AttentionShow::cost, AttentionShow::energy}) {
    experiment.attention.show = show;
    store.begin_pass();
    const ViewResult result = draw_view(kAttentionView, experiment, text, store);
    store.end_pass();
    EXPECT_TRUE(result.stale) << word_of(show);
    EXPECT_TRUE(result.panels.at(0).figure.stale) << word_of(show);
    EXPECT_FALSE(result.status.empty()) << word_of(show);
  }
  // What is no longer looked at is stopped: the measuring of minutes does not hold the window up.
  store.begin_pass();
  store.end_pass();
  store.wait();
  EXPECT_FALSE(store.busy());
}

}  // namespace
}  // namespace ropescope
