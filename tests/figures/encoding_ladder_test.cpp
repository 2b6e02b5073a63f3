#include "app/experiment/rope_spec.h"
#include "app/resources/models.h"
#include "core/attention/attention.h"
#include "tests/figures/view_parts.h"

namespace ropescope {

namespace {

constexpr double kAmplitude = 1.1386294361119891;  // 0.1 ln 4 + 1

/// Encodings under a rope whose context is extended, in the three views that score by them.
class EncodingLadderViews : public ViewTest {
 protected:
  void open(const std::string& model) {
    experiment.rope = to_rope_fields(load_preset(kAssets, model).profiles.front(), "");
  }
  void extend_by_yarn() {
    experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
    experiment.rope.scaling.method = "yarn";
    experiment.rope.scaling["factor"] = 4;
  }
  double score_at(const std::string& encoding, double distance) {
    const auto scores = line(figure(draw(), "scores"), encoding).series;
    return scores->ys[nearest_index(*scores, distance)];
  }
};

TEST_F(EncodingLadderViews, Llama31StandsBesideAlibiUnderItsOwnExtension) {
  open("llama-3.1-8b");
  experiment.view = "encodings";
  experiment.compare.encodings = {"rope", "alibi", "sinusoidal"};
  experiment.compare.span = 16384;
  const RopeReading rope = read_rope(experiment.rope);
  ASSERT_EQ(experiment.rope.scaling.method, "llama3");
  for (const double distance : {0.0, 1.0, 806.0, 16000.0}) {
    double kernel = 0, plain = 0;
    for (const double frequency : rope.ladder.frequencies) kernel += std::cos(distance * frequency) / 64;
    for (const double frequency : rope.plain) plain += std::cos(distance * frequency) / 64;
    EXPECT_NEAR(score_at("rope", distance), kernel, 1e-12) << distance;
    if (distance > 500) EXPECT_GT(std::abs(kernel - plain), 1e-3) << "the plain ladder gives another score";
  }
  const ViewResult result = draw();
  EXPECT_EQ(line(figure(result, "scores"), "rope").label, "RoPE, llama3 ×8");
  EXPECT_EQ(line(figure(result, "scores"), "alibi").label, "ALiBi");
  EXPECT_EQ(line(figure(result, "scores"), "sinusoidal").label, "Sinusoidal");
  EXPECT_EQ(readout(result, "encodings.ladder").text, "llama3 ×8");
  EXPECT_EQ(readout(result, "encodings.ladder").note, text["readout.encoding.ladder.angles"]);
  experiment.compare.show = CompareShow::matrix;
  EXPECT_NE(figure(draw(), "row").title.find("RoPE, llama3 ×8"), std::string::npos);
}

TEST_F(EncodingLadderViews, YarnsAmplitudeMultipliesScores) {
  extend_by_yarn();
  experiment.view = "encodings";
  experiment.compare.encodings = {"rope", "xpos", "p-rope", "alibi"};
  for (const char* encoding : {"rope", "xpos", "p-rope"}) {
    EXPECT_NEAR(score_at(encoding, 0), kAmplitude * kAmplitude, 1e-12) << encoding;
  }
  EXPECT_NEAR(score_at("alibi", 0), 1, 1e-12);
  EXPECT_EQ(value("encodings.ladder"), "yarn ×4");
  EXPECT_EQ(readout(draw(), "encodings.ladder").note,
            text.format("readout.encoding.ladder.amplitude", {{"amplitude", "1.139"}, {"square", "1.296"}}));
  EXPECT_EQ(figure(draw(), "scores").y.label, text["view.encodings.normalised_with_amplitude"]);
  // What does not turn has no such card, and without an extension nobody has.
  experiment.compare.encodings = {"alibi", "sinusoidal"};
  EXPECT_EQ(figure(draw(), "scores").y.label, text["view.encodings.normalised"]);
  const auto has_card = [&] {
    const ViewResult result = draw();
    return std::any_of(result.readouts.begin(), result.readouts.end(),
                       [](const Readout& one) { return one.name == "encodings.ladder"; });
  };
  EXPECT_FALSE(has_card());
  experiment.compare.encodings = {"rope"};
  EXPECT_TRUE(has_card());
  experiment.rope.scaling.method = "none";
  EXPECT_FALSE(has_card());
  EXPECT_EQ(line(figure(draw(), "scores"), "rope").label, "RoPE");
}

TEST_F(EncodingLadderViews, OnlyWhatTurnsIsLeftOutWhereTheExtensionCannotBe) {
  extend_by_yarn();
  experiment.rope.trained_length = 0;
  experiment.view = "encodings";
  experiment.compare.encodings = {"rope", "alibi"};
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "scores").lines.size(), 1u);
  EXPECT_EQ(value("encodings.fault"), "1");
}

TEST_F(EncodingLadderViews, AttentionsWeightsSeeTheAmplitude) {
  extend_by_yarn();
  experiment.view = "attention";
  experiment.attention.tokens = 40;
  experiment.attention.row = 25;
  experiment.attention.content = AttentionSource::random;
  const AttentionInput input = make_content(ContentKind::random, 40, 16, 16, 1);
  EncodingValues settings = collect_encoding_settings(experiment.rope, experiment.encoding, find_encoding("rope"));
  ASSERT_TRUE(settings.ladder);
  EXPECT_NEAR(settings.ladder->amplitude, kAmplitude, 1e-15);
  const auto exact = softmax_attention<double>(*make_model(find_encoding("rope"), settings), input).weights;
  settings.ladder->amplitude = 1;
  const auto without = softmax_attention<double>(*make_model(find_encoding("rope"), settings), input).weights;
  const auto shown = figure(draw(), "row").lines.at(0).series;
  for (Eigen::Index key = 0; key < 40; ++key) {
    EXPECT_NEAR(shown->ys[static_cast<std::size_t>(key)], exact(25, key), 1e-6) << key;
  }
  EXPECT_GT((exact - without).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NE(figure(draw(), "weights").title.find("RoPE, yarn ×4"), std::string::npos);
  EXPECT_EQ(value("attention.ladder"), "yarn ×4");
  experiment.attention.encoding = "alibi";
  EXPECT_EQ(figure(draw(), "weights").title.find("yarn"), std::string::npos);
}

TEST_F(EncodingLadderViews, EnergysPairsTurnByTheLadder) {
  extend_by_yarn();
  experiment.view = "attention";
  experiment.attention.show = AttentionShow::energy;
  experiment.attention.content = AttentionSource::random;  // equal energies are not drawn
  experiment.attention.tokens = 40;
  const Eigen::VectorXd ladder = read_rope(experiment.rope).ladder.frequencies;
  for (const char* encoding : {"rope", "alibi"}) {
    experiment.attention.encoding = encoding;
    const Figure energy = figure(draw(), "energy");
    ASSERT_FALSE(energy.clocks.empty());
    EXPECT_EQ(energy.clocks[0], std::vector<double>(ladder.begin(), ladder.end())) << encoding;
  }
}

TEST_F(EncodingLadderViews, TheAtlasHasTheTablesWithTheirAmplitude) {
  extend_by_yarn();
  experiment.view = "atlas";
  experiment.atlas.below = {"row", "variance"};
  const Eigen::VectorXd ladder = read_rope(experiment.rope).ladder.frequencies;
  for (const bool cosines : {true, false}) {
    experiment.atlas.values = cosines ? AtlasValues::rope_cos : AtlasValues::rope_sin;
    const ViewResult result = draw();
    const Map& map = figure(result, "atlas").maps.at(0);
    EXPECT_EQ(map.range.high, map.wave_size) << "colours are those of a wave of size 1";
    EXPECT_NEAR(map.wave_size, kAmplitude, 1e-15);
    for (int pair = 0; pair < 8; ++pair) {
      const double angle = 100 * ladder[pair];
      EXPECT_NEAR(map.exact(pair, 100), kAmplitude * (cosines ? std::cos(angle) : std::sin(angle)), 1e-12) << pair;
    }
    EXPECT_NE(figure(result, "atlas").title.find("yarn ×4, × 1.139"), std::string::npos);
  }
  experiment.atlas.values = AtlasValues::rope_angle;
  const ViewResult angles = draw();
  EXPECT_NEAR(figure(angles, "atlas").maps.at(0).exact(0, 1), 1, 1e-12);
  EXPECT_EQ(figure(angles, "atlas").title.find("1.139"), std::string::npos) << "angles have no amplitude";
  EXPECT_NE(figure(angles, "atlas").title.find("yarn ×4"), std::string::npos);
  // Vaswani's table is its own.
  experiment.atlas.values = AtlasValues::sinusoidal;
  const ViewResult table = draw();
  EXPECT_EQ(figure(table, "atlas").maps.at(0).wave_size, 1);
  EXPECT_EQ(figure(table, "atlas").title.find("yarn"), std::string::npos);
  EXPECT_NEAR(figure(table, "atlas").maps.at(0).exact(0, 1), std::sin(1.0), 1e-15);
}

TEST_F(EncodingLadderViews, AHeadCutsTheRopeOrLeavesChannelsStill) {
  extend_by_yarn();
  const Encoding& rope = find_encoding("rope");
  const EncodingValues wide = collect_encoding_settings(experiment.rope, experiment.encoding, rope, 20);
  EXPECT_EQ(wide.dim, 20);
  EXPECT_EQ(wide.rotary_dim, 16);
  ASSERT_TRUE(wide.ladder);
  EXPECT_EQ(wide.ladder->frequencies.size(), 8u);
  const EncodingValues narrow = collect_encoding_settings(experiment.rope, experiment.encoding, rope, 12);
  ASSERT_TRUE(narrow.ladder);
  EXPECT_EQ(narrow.ladder->frequencies.size(), 6u);
  experiment.rope.scaling.method = "none";
  EXPECT_EQ(collect_encoding_settings(experiment.rope, experiment.encoding, rope, 12).ladder, std::nullopt);
}

}  // namespace

}  // namespace ropescope
