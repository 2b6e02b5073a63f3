#include "app/views/decay/view.h"

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/figure/table.h"
#include "app/resources/models.h"
#include "app/resources/weights.h"
#include "app/views/shared/messages.h"
#include "core/attention/attention.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/rotary/spec.h"
#include "core/weights/weights.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using DecayView = TestOfView<kDecayView>;

TEST_F(DecayView, SaysThePapersNumbersForTheDefaults) {
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "decay.first_negative").text, "1\u202f707");
  EXPECT_EQ(readout(result, "decay.unfinished").text, "18 of 64 pairs");
  ASSERT_EQ(result.panels.size(), 2u);
  EXPECT_FALSE(result.stale);
}

TEST_F(DecayView, EveryPlottedValueIsTheDirectlyComputedOne) {
  experiment.rope.base = 512;
  experiment.rope.rotary_dim = 64;
  const ViewResult result = draw();
  const Eigen::VectorXd frequencies = plain_frequencies(64, 512);
  const Line& similarity_line = figure(result, "similarity").lines.at(0);
  const Line& bound_line = figure(result, "bound").lines.at(0);
  ASSERT_EQ(similarity_line.series->ys.size(), 8193u);
  for (const std::size_t distance : {0u, 1u, 63u, 64u, 1000u, 8192u}) {
    const double d = static_cast<double>(distance);
    EXPECT_NEAR(similarity_line.series->ys[distance], similarity(frequencies, d), 1e-12);
    EXPECT_NEAR(bound_line.series->ys[distance], abel_bound(frequencies, d), 1e-10);
  }
}

// K(1000) of Phi-3.5's two lists and of dynamic NTK (b = 10 000·13^(128/126)), summed in Python from its config.json.
TEST_F(DecayView, ALadderThatLooksAtTheLengthIsThatOfTheSpan) {
  const auto at_1000 = [this] { return figure(draw(), "similarity").lines.at(0).series->ys.at(1000); };
  const auto named = [this](const std::string& part) {
    const ViewResult result = draw();
    const Line& line = figure(result, "similarity").lines.at(0);
    return line.label.find(part) != std::string::npos &&
           readout(result, "decay.ladder").note.find(part) != std::string::npos;
  };
  experiment.decay.show_bound = experiment.decay.show_trend = false;
  experiment.rope.scaling.method = "dynamic";
  experiment.decay.span = 16384;
  EXPECT_NEAR(at_1000(), 0.4031574188061149, 1e-12);
  EXPECT_TRUE(named("dynamic ×4 at 16\u202f384"));
  EXPECT_EQ(figure(draw(), "similarity").lines.at(0).origin, "base 10000; dynamic (factor 4) at 16384; d 128");
  experiment.decay.span = 4096;
  EXPECT_NEAR(at_1000(), 0.15902700206578974, 1e-12);
  experiment.rope = to_rope_fields(load_preset(kAssets, "phi-3.5-mini-instruct").profiles.front(), "Phi");
  EXPECT_NEAR(at_1000(), 0.2190351372616378, 1e-12);
  EXPECT_TRUE(named("longrope ×32, short list (4\u202f096)"));
  experiment.decay.span = 131072;
  EXPECT_NEAR(at_1000(), 0.5970190443566402, 1e-12);
  EXPECT_TRUE(named("longrope ×32, long list (131\u202f072)"));
  experiment.rope.scaling.length = 4096;  // as somebody sets it
  EXPECT_NEAR(at_1000(), 0.2190351372616378, 1e-12);
  EXPECT_TRUE(named("short list (4\u202f096)"));
}

TEST_F(DecayView, LongRopeTakesItsListsFromFields) {
  const auto offered = [this](const char* key) {
    const FieldList list = fields_of(kDecayView, experiment);
    const Field* field = find_field(list, key);
    return field && field->kind == Field::Kind::text && field->control;
  };
  experiment.rope.rotary_dim = 8;
  EXPECT_FALSE(offered("rope.short_factors"));
  experiment.rope.scaling.method = "longrope";
  EXPECT_TRUE(offered("rope.short_factors") && offered("rope.long_factors"));
  EXPECT_THAT(draw().fault, Says("error.scaling.list_missing", {{"name", "short_factors"}, {"pairs", "4"}}));
  experiment.rope.scaling.lists.at("short_factors") = "1,1,1,1";
  experiment.rope.scaling.lists.at("long_factors") = "1,2,4,8";
  const ViewResult result = draw();
  EXPECT_TRUE(result.fault.empty()) << result.fault;
  const double plain[] = {1, 0.1, 0.01, 0.001};  // 10000^(−2i/8)
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += std::cos(300 * plain[i] / (1 << i));
  EXPECT_NEAR(figure(result, "similarity").lines.at(0).series->ys.at(300), sum / 4, 1e-12);
}

TEST_F(DecayView, TheAmplitudeIsInTheCurveWhereTheAxisSaysSo) {
  experiment.rope.scaling.method = "yarn";
  experiment.decay.show_envelope = true;
  const double squared = std::pow(0.1 * std::log(4) + 1, 2);
  const ViewResult without = draw();
  EXPECT_EQ(figure(without, "similarity").y.label, text["view.decay.similarity"]);
  experiment.decay.with_amplitude = true;
  const ViewResult with = draw();
  EXPECT_EQ(figure(with, "similarity").y.label, text["view.decay.similarity_with_amplitude"]);
  const auto &k = figure(without, "similarity").lines, &scores = figure(with, "similarity").lines;
  ASSERT_EQ(k.size(), scores.size());
  for (std::size_t line = 0; line < k.size(); ++line) {
    // The plain ladder has none.
    const double by = k[line].key == "current.plain" ? 1 : squared;
    EXPECT_NEAR(scores[line].series->ys[77], by * k[line].series->ys[77], 1e-12) << k[line].key;
  }
  EXPECT_EQ(readout(without, "decay.first_negative").text, readout(with, "decay.first_negative").text);
  // What is compared are scores, and so is what is drawn above the table.
  experiment.decay.with_amplitude = false;
  experiment.decay.show = DecayShow::differences;
  experiment.pins.push_back({RopeFields(), 1});
  const ViewResult differences = draw();
  EXPECT_EQ(figure(differences, "similarity").y.label, text["view.decay.similarity_with_amplitude"]);
  EXPECT_NEAR(figure(differences, "similarity").lines.at(0).series->ys[0], squared, 1e-12);
}

TEST_F(DecayView, TheOrderOfThePairsChangesTheBoundOnly) {
  const double before = figure(draw(), "bound").lines.at(0).series->ys[50];
  experiment.decay.order = PairOrder::slow_first;
  const ViewResult result = draw();
  EXPECT_NEAR(before, 12.63, 0.005);
  EXPECT_NEAR(figure(result, "bound").lines.at(0).series->ys[50], 25.59, 0.005);
}

TEST_F(DecayView, ASecondCallComputesNothing) {
  experiment.pins.push_back({experiment.rope, 1});
  experiment.pins[0].rope.base = 100;
  draw();
  const auto started = store.started();
  EXPECT_EQ(started, 2);
  draw();
  experiment.decay.zooms["decay.distance_range"] = Range{10, 100};  // zooming draws the same values
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST_F(DecayView, PinsAreOverlaidWithTheirOwnSlotAndCompared) {
  experiment.pins.push_back({experiment.rope, 3});
  experiment.pins[0].rope.base = 100;
  const ViewResult result = draw();
  const Figure& similarity_figure = figure(result, "similarity");
  ASSERT_EQ(similarity_figure.lines.size(), 4u) << "each with its trend";
  EXPECT_EQ(line(similarity_figure, "pin1").style.slot, 3);
  EXPECT_EQ(line(similarity_figure, "pin1.trend").style.slot, -4) << "in the colour of text, dashed as the pin";
  EXPECT_THAT(result.readouts[0].note, Says("readout.pinned", {{"value", "59"}}));
}

TEST_F(DecayView, HiddenCurvesLeaveBothPanels) {
  experiment.hidden = {"current"};
  const ViewResult result = draw();
  EXPECT_TRUE(figure(result, "similarity").lines.empty());
  EXPECT_TRUE(figure(result, "bound").lines.empty());
  EXPECT_FALSE(figure(result, "similarity").empty_message.empty());
}

TEST_F(DecayView, NothingChosenToShowSaysWhatToDo) {
  experiment.decay.show_similarity = experiment.decay.show_bound = experiment.decay.show_trend = false;
  experiment.decay.show_envelope = false;
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_EQ(result.panels[0].figure.empty_message, text["view.decay.all_hidden"]);
}

TEST_F(DecayView, TheEnvelopeIsTheLargestMagnitudeFromThereOn) {
  experiment.decay.show_envelope = true;
  experiment.decay.show_trend = false;
  const Figure shown = figure(draw(), "similarity");
  ASSERT_EQ(shown.lines.size(), 2u);
  const auto& curve = shown.lines[0].series->ys;
  const auto& envelope = shown.lines[1].series->ys;
  double largest = 0;
  for (std::size_t i = curve.size(); i-- > 0;) {
    largest = std::max(largest, std::abs(curve[i]));
    ASSERT_EQ(envelope[i], largest) << "distance " << i;
  }
  experiment.decay.envelope = DecayEnvelope::window;
  experiment.decay.envelope_window = 1;
  const Figure windowed = figure(draw(), "similarity");
  EXPECT_EQ(windowed.lines[1].series->ys[700], std::abs(curve[700]));
}

TEST_F(DecayView, TheTrendIsDrawnWithTheDistanceAtWhichItReachesZero) {
  const ViewResult result = draw();
  const Series& trend = *line(figure(result, "similarity"), "current.trend").series;
  const auto course = trend_of(plain_frequencies(128, 10000));
  ASSERT_GT(trend.ys.size(), 200u);
  EXPECT_EQ(trend.x_at(0), 0);
  EXPECT_EQ(trend.x_at(trend.ys.size() - 1), 8192);
  for (std::size_t i = 0; i < trend.ys.size(); ++i) {
    ASSERT_EQ(trend.ys[i], trend_at(*course, trend.x_at(i)));
    ASSERT_TRUE(i == 0 || trend.x_at(i) <= std::max(trend.x_at(i - 1) + 1, 1.021 * trend.x_at(i - 1)));
  }
  EXPECT_EQ(readout(result, "decay.trend").text, "≈ 5\u202f730");
  const std::string csv = table_csv(figure(result, "similarity"));
  EXPECT_EQ(csv.substr(0, 22), "distance,similarity\n1,") << "the trend is no column: it is sampled";
  experiment.decay.show_trend = false;
  const ViewResult without = draw();
  EXPECT_EQ(figure(without, "similarity").lines.size(), 1u);
  EXPECT_EQ(readout(without, "decay.trend").text, "≈ 5\u202f730") << "the card stays";
  // Beyond the span, too.
  experiment.rope.base = 1e6;
  const double far = *trend_zero(*trend_of(plain_frequencies(128, 1e6)));
  EXPECT_GT(far, 5e5);
  EXPECT_EQ(value("decay.trend"), "≈ " + readable_integer(1000 * std::round(far / 1000)));
  experiment.rope.rotary_dim = 2;
  EXPECT_EQ(readout(draw(), "decay.trend").note, text["readout.decay.trend.single"]);
}

TEST_F(DecayView, TheBoundSaysWhereItSaysNothing) {
  const auto rule = [&] {
    const ViewResult result = draw();
    for (const Rule& one : figure(result, "bound").rules) {
      if (!one.vertical) return one;
    }
    throw std::runtime_error("no level");
  };
  EXPECT_EQ(rule().at, 1);
  EXPECT_EQ(rule().label, text["view.decay.bound_says_nothing"]) << "it stays above 1.15";
  // Few slow pairs: the bound comes below 1.
  experiment.rope.base = 2;
  experiment.rope.rotary_dim = 8;
  const auto ys = line(figure(draw(), "bound"), "current").series->ys;
  const auto below = std::find_if(ys.begin(), ys.end(), [](double y) { return y < 1; });
  ASSERT_NE(below, ys.end());
  EXPECT_NE(rule().label.find("before " + std::to_string(below - ys.begin())), std::string::npos) << rule().label;
}

TEST_F(DecayView, PairsThatStandStillNeverFinishATurn) {
  experiment.rope.rotary_dim = 512;
  experiment.rope.head_dim = 512;
  experiment.rope.base = 1e6;
  experiment.rope.trained_length = 262144;
  experiment.rope.scaling.method = "proportional";
  experiment.rope.scaling["live_fraction"] = 0.25;
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "decay.unfinished").text, "0 of 256 pairs") << "they turn nowhere; 58 on a plain ladder";
  EXPECT_EQ(readout(result, "decay.trend").text, "none");
  EXPECT_EQ(readout(result, "decay.trend").note, text["readout.decay.trend.never"]);
}

TEST_F(DecayView, PairsThatHoldStillByDesignAreNotLost) {
  experiment.rope.scaling.method = "proportional";
  experiment.rope.scaling["live_fraction"] = 0.02;  // 1 of 64 pairs turns, by 1 radian a position
  experiment.rope.scaling["factor"] = 1;
  const ViewResult designed = draw();
  for (const Readout& each : designed.readouts) EXPECT_NE(each.name, "decay.resolution");
  experiment.rope.scaling["factor"] = 2;  // and here by half a radian
  const std::string note = readout(draw(), "decay.resolution").note;
  const double lost = 1 - (1 - std::cos(0.5)) / (1 - std::cos(1));
  EXPECT_THAT(note, Says("readout.decay.resolution.note", {{"change", readable_number(100 * lost, 3)}}));
}

TEST_F(DecayView, TheResolutionCountsTheAmplitude) {
  experiment.rope.scaling.method = "yarn";
  experiment.rope.scaling["factor"] = 16;
  const ScaledLadder ladder = read_rope(experiment.rope).ladder;
  ASSERT_GT(ladder.amplitude, 1.2);
  const double extended = ladder.amplitude * ladder.amplitude * (1 - similarity(ladder.frequencies, 1));
  const double plain = 1 - similarity(plain_frequencies(128, 10000), 1);
  EXPECT_EQ(value("decay.resolution"), readable_number(extended, 4));
  EXPECT_GT(extended, plain);
  const std::string note = readout(draw(), "decay.resolution").note;
  const std::string gained = readable_number(100 * (extended / plain - 1), 3);
  EXPECT_THAT(note, Says("readout.decay.resolution.more", {{"change", gained}}));
  EXPECT_THAT(note, Says("readout.decay.resolution.amplitude", {{"amplitude", "1.277"}}));
  experiment.rope.scaling["attention_factor"] = 1;
  const std::string without = readout(draw(), "decay.resolution").note;
  EXPECT_THAT(without, Says("readout.decay.resolution.note"));
  EXPECT_THAT(without, Not(Says("readout.decay.resolution.amplitude")));
}

TEST_F(DecayView, OfRandomContentCardsAndBoundAreOfWhatIsPlotted) {
  experiment.decay.content = DecayContent::random;
  experiment.rope.scaling.method = "linear";
  experiment.rope.scaling["factor"] = 4;
  for (const double seed : {1.0, 2.0, 3.0, 4.0}) {
    experiment.decay.seed = seed;
    for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
      experiment.decay.order = order;
      const ViewResult result = draw();
      const auto& score = line(figure(result, "similarity"), "current").series->ys;
      const auto& bound = line(figure(result, "bound"), "current").series->ys;
      for (std::size_t i = 0; i < score.size(); ++i) ASSERT_LE(std::abs(score[i]), bound[i] + 1e-12) << i;
      EXPECT_LT(bound[8192], 64 * abel_bound(read_rope(experiment.rope).ladder.frequencies, 8192))
          << "not beyond all measure";
      const auto negative = std::find_if(score.begin(), score.end(), [](double y) { return y < 0; });
      EXPECT_EQ(readout(result, "decay.first_negative").text,
                readable_integer(static_cast<double>(negative - score.begin())));
      EXPECT_EQ(readout(result, "decay.resolution").text, readable_number(std::abs(score[0] - score[1]), 4));
      EXPECT_EQ(readout(result, "decay.first_negative").tooltip, text["readout.decay.first_negative.random.tooltip"]);
      EXPECT_EQ(readout(result, "decay.trend").text, "none");
    }
  }
  const ViewResult result = draw();
  for (const Line& each : figure(result, "similarity").lines) EXPECT_EQ(each.key.find("trend"), std::string::npos);
  // Only the card of unfinished turns asks nothing of the content.
  for (const Readout& each : result.readouts) {
    EXPECT_EQ(each.tooltip.find("K(Δ) = (1/n)"), std::string::npos) << each.name << ": " << each.tooltip;
  }
  experiment.rope.scaling.method = "none";
  const auto& score = line(figure(draw(), "similarity"), "current").series->ys;
  EXPECT_EQ(value("decay.lowest"), readable_fixed(*std::min_element(score.begin(), score.end()), 4));
}

TEST_F(DecayView, RulesStandAtTheTrainedLengthAndAtMarkedWavelengths) {
  experiment.decay.marked_pairs = "0,16";
  const Figure shown = figure(draw(), "similarity");
  ASSERT_EQ(shown.rules.size(), 3u);
  EXPECT_EQ(shown.rules[0].at, 4096);
  EXPECT_NEAR(shown.rules[1].at, 2 * M_PI, 1e-12);
  EXPECT_NEAR(shown.rules[2].at, 2 * M_PI * std::pow(10000, 0.25), 1e-9);
  experiment.rope.trained_length = 0;
  experiment.decay.marked_pairs = "";
  EXPECT_TRUE(figure(draw(), "similarity").rules.empty());
}

TEST_F(DecayView, AZoomedRangeNeverLeavesTheData) {
  experiment.decay.zooms["decay.distance_range"] = Range{100, 1e9};
  EXPECT_EQ(figure(draw(), "similarity").x.range, (Range{100, 8192}));
  experiment.decay.zooms["decay.distance_range"] = Range{20000, 30000};  // the span shrank behind it
  EXPECT_EQ(figure(draw(), "similarity").x.range, (Range{1, 8192}));
}

TEST_F(DecayView, FieldsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_NE(result.panels[0].figure.empty_message.find("rope.axes"), std::string::npos);
}

TEST_F(DecayView, RandomContentHasItsSeed) {
  experiment.decay.content = DecayContent::random;
  const auto first = figure(draw(), "similarity").lines.at(0).series->ys;
  experiment.decay.seed = 2;
  const auto second = figure(draw(), "similarity").lines.at(0).series->ys;
  EXPECT_NE(first, second);
  experiment.decay.seed = 1;
  EXPECT_EQ(first, figure(draw(), "similarity").lines.at(0).series->ys);
}

/// The experiment of a checkpoint made by NumPy, with the rope of its config.
Experiment with_weights(const std::string& name) {
  Experiment experiment;
  experiment.view = "decay";
  experiment.decay.content = DecayContent::weights;
  experiment.decay.span = 512;
  experiment.weights.path = source_folder() + "/tests/reference/weights/" + name;
  experiment.rope = to_rope_fields(load_weights({experiment.weights.path, ""}).model.profiles.front(), name);
  return experiment;
}

TEST_F(DecayView, ContentFromWeightsGivesTheirOwnKernel) {
  for (const std::string name : {"qwen2", "qwen3"}) {
    experiment = with_weights(name);
    const LoadedWeights weights = load_weights({experiment.weights.path, ""});
    for (const int layer : {0, 1}) {
      for (const std::size_t head : {0u, 3u}) {
        experiment.weights.layer = layer;
        experiment.weights.head = static_cast<double>(head + 1);
        const ViewResult result = draw();
        const LoadedLayer loaded = weights.open(layer);
        const auto content = weight_content(loaded.weights, loaded.rope, head);
        ASSERT_TRUE(content);
        const auto& curve = line(figure(result, "similarity"), "current").series->ys;
        const auto& ideal = line(figure(result, "similarity"), "current.aligned").series->ys;
        const auto& bound = line(figure(result, "bound"), "current").series->ys;
        ASSERT_EQ(curve.size(), 513u);
        std::vector<double> distances(curve.size());
        std::iota(distances.begin(), distances.end(), 0);
        const WeightKernel kernel = weight_kernel(*content, loaded.rope, distances);
        for (std::size_t i = 0; i < curve.size(); ++i) {
          ASSERT_NEAR(content->total * curve[i] + content->constant, kernel.values[i], 1e-12 * content->total) << i;
          ASSERT_NEAR(ideal[i], similarity(loaded.rope.frequencies, distances[i]), 1e-12) << i;
          ASSERT_LE(std::abs(curve[i]), bound[i] + 1e-12) << i;
        }
        const Readout card = readout(result, "decay.weights");
        EXPECT_EQ(card.text, readable_number(content->total, 4));
        EXPECT_THAT(card.note, Says(name == "qwen2" ? "readout.decay.weights.biases" : "readout.decay.weights.norms"));
        EXPECT_THAT(card.note, Not(Says("readout.decay.weights.other_rope")));
      }
    }
    experiment.decay.show = DecayShow::phasors;
    experiment.decay.distance = 7;
    const double score = figure(draw(), "chain").points.front().xs.front();
    experiment.decay.show = DecayShow::curves;
    EXPECT_NEAR(score, line(figure(draw(), "similarity"), "current").series->ys[7], 1e-12);
  }
  experiment.weights.layer = 40;
  experiment.weights.head = 99;
  EXPECT_THAT(readout(draw(), "decay.weights").note,
              Says("readout.decay.weights.norms", {{"layer", "1"}, {"head", "4"}}))
      << "the nearest layer, the last head";
  EXPECT_EQ(
      figure(draw(), "similarity").title,
      text["view.weights.norms"] + " · " + text.format("view.weights.this_head", {{"layer", "1"}, {"head", "4"}}));
  experiment.rope.base = 500;
  EXPECT_THAT(readout(draw(), "decay.weights").note, Says("readout.decay.weights.other_rope"));
  experiment.decay.show = DecayShow::differences;
  EXPECT_EQ(draw().fault, "") << "their similarity is that of aligned content";
}

TEST_F(DecayView, ContentFromWeightsSaysWhatIsMissing) {
  experiment = with_weights("qwen2");
  const std::string path = experiment.weights.path;
  experiment.weights.path.clear();
  EXPECT_EQ(draw().panels.at(0).figure.empty_message, text["view.weights.no_file"]);
  experiment.weights.path = "nothing.safetensors";
  EXPECT_THAT(draw().fault, Says("error.file.missing"));
  experiment.weights.path = path;
  experiment.rope.rotary_dim = 6;
  EXPECT_THAT(draw().fault, Says("error.weights.other_pairs", {{"pairs", "4"}, {"found", "3"}}));
  // A link contains the file's name alone, whatever was typed into it, and opens no file.
  experiment.rope.rotary_dim = 8;
  const Experiment linked = load_experiment("ropescope:1&view=decay&decay.content=weights&weights.path=" + path);
  EXPECT_EQ(linked.weights.path, "qwen2");
  experiment.weights = linked.weights;
  EXPECT_THAT(draw().fault, Says("error.file.missing"));
  const std::vector<FileField> missing = missing_files(experiment);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].key, "weights.path");
}

TEST_F(DecayView, ADroppedCheckpointIsTheContent) {
  EXPECT_FALSE(kDecayView.open(experiment, "model.safetensors"));
  experiment.decay.content = DecayContent::weights;
  EXPECT_TRUE(kDecayView.open(experiment, "model.safetensors"));
  EXPECT_EQ(experiment.weights.path, "model.safetensors");
}

TEST(AsynchronousStore, ShowsTheLastResultWhileTheNextIsComputed) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::asynchronous);
  Experiment experiment;
  EXPECT_FALSE(draw_view(kDecayView, experiment, text, store).stale) << "a small span is computed on the spot";
  experiment.decay.span = 1048576;
  store.begin_pass();
  const ViewResult meanwhile = draw_view(kDecayView, experiment, text, store);
  store.end_pass();
  EXPECT_TRUE(meanwhile.stale);
  ASSERT_EQ(meanwhile.panels[0].figure.lines.size(), 2u) << "with its trend";
  EXPECT_NE(meanwhile.readouts[1].note.find("span 8\u202f192"), std::string::npos)
      << "the words are those of the curve that is shown: " << meanwhile.readouts[1].note;
  EXPECT_EQ(meanwhile.panels[0].figure.lines[0].series->ys.size(), 8193u) << "the last finished curve stays";
  store.wait();
  const ViewResult finished = draw_view(kDecayView, experiment, text, store);
  EXPECT_FALSE(finished.stale);
  EXPECT_EQ(finished.panels[0].figure.lines[0].series->ys.size(), 1048577u);
}

TEST(AsynchronousStore, StopsWorkThatNobodyWantsAnyMore) {
  Store store(Store::Mode::asynchronous);
  DecayInput slow;
  slow.kernel.frequencies = plain_frequencies(8192, 10000);
  slow.kernel.count = 16'777'217;  // a minute of work
  store.begin_pass();
  store.request<decay_curves>({"current", slow.cost()}, slow);
  store.end_pass();
  DecayInput quick = slow;
  quick.kernel.frequencies = plain_frequencies(64, 10000);
  quick.kernel.count = 100'001;
  const auto begin = std::chrono::steady_clock::now();
  store.begin_pass();
  store.request<decay_curves>({"current", quick.cost()}, quick);
  store.end_pass();
  store.wait();
  EXPECT_TRUE(store.request<decay_curves>({"current", quick.cost()}, quick).current);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << "the slow one was not stopped";
}

TEST(AsynchronousStore, ClosesInMidComputation) {
  Store store(Store::Mode::asynchronous);
  DecayInput slow;
  slow.kernel.frequencies = plain_frequencies(8192, 10000);
  slow.kernel.count = 16'777'217;
  store.begin_pass();
  store.request<decay_curves>({"current", slow.cost()}, slow);
  store.end_pass();
  while (!store.busy()) std::this_thread::yield();
}  // the destructor must stop it: the test's own time limit would tell

}  // namespace
}  // namespace ropescope
