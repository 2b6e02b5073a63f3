#include "tests/figures/rotation_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(RotationView, ASecondCallComputesNothing) {
  fields.show = RotationShow::pairing;
  draw();
  const auto started = store.started();
  EXPECT_GT(started, 0);
  fields.permute = 0.3;
  fields.query_position = 12;
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST_F(RotationView, OnePairIsEnough) {
  experiment.rope.rotary_dim = 2;
  experiment.rope.trained_length = 0;
  for (const RotationShow show :
       {RotationShow::turn, RotationShow::helix, RotationShow::forms, RotationShow::pairing}) {
    fields.show = show;
    const ViewResult result = draw();
    EXPECT_FALSE(result.panels.empty());
    for (const Panel& panel : result.panels) {
      for (const std::string& words : {panel.figure.title, panel.figure.y.label}) {
        EXPECT_EQ(words.find("1 pairs"), std::string::npos) << words;
      }
    }
    for (const Readout& one : result.readouts) EXPECT_EQ(one.label.find("1 pairs"), std::string::npos) << one.label;
  }
}

TEST_F(RotationView, OnePairHasNoOtherOrderAndSaysSo) {
  fields.show = RotationShow::pairing;
  const std::string of_one = text.format("view.rotation.mixed.title", {{"pairs", counted(1)}});
  EXPECT_NE(figure("mixed").title, of_one);
  EXPECT_THAT(note("rotation.other"), Says("readout.rotation.other.note"));
  EXPECT_THAT(note("rotation.mixed"), Says("readout.rotation.mixed.note"));
  experiment.rope.rotary_dim = 2;
  EXPECT_EQ(figure("mixed").title, of_one);
  EXPECT_THAT(note("rotation.other"), Says("readout.rotation.other.same"));
  EXPECT_THAT(note("rotation.mixed"), Says("readout.rotation.mixed.same"));
}

TEST_F(RotationView, FieldsThatContradictEachOtherSayWhy) {
  experiment.rope.axes = "t:16,row:57";
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_NE(result.panels[0].figure.empty_message.find("rope.axes"), std::string::npos);
}

TEST_F(RotationView, PlayingMovesBothOnlyWhereTheyAreLocked) {
  kRotationView.player->play(experiment, true);
  EXPECT_TRUE(kRotationView.player->playing(experiment));
  fields.speed = 4;
  kRotationView.player->advance(experiment, 0.6);
  EXPECT_EQ(fields.query_position, 9);
  EXPECT_NEAR(fields.glide, 0.4, 1e-12);
  EXPECT_EQ(fields.key_position, 3);
  const RotationState between = rotation_state(experiment);
  EXPECT_NEAR(between.query_position, 9.4, 1e-12);
  EXPECT_EQ(between.key_position, 3);
  // Saved while it plays, it comes back as it was.
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
  kRotationView.player->play(experiment, false);
  EXPECT_FALSE(kRotationView.player->playing(experiment));
  EXPECT_EQ(fields.glide, 0);
  EXPECT_EQ(fields.query_position, 9);
  kRotationView.player->advance(experiment, 1);
  EXPECT_EQ(fields.query_position, 9);

  fields.locked = true;
  const double score = pair_scores(rotation_state(experiment)).rotated;
  kRotationView.player->play(experiment, true);
  for (int frame = 0; frame < 100; ++frame) {
    kRotationView.player->advance(experiment, 0.016);
    EXPECT_NEAR(pair_scores(rotation_state(experiment)).rotated, score, 1e-12);
  }
  EXPECT_EQ(fields.query_position - fields.key_position, 6);
  EXPECT_EQ(fields.query_position, 15);
}

TEST_F(RotationView, StepsGoToWholePositionsAndStopAtTheEnds) {
  kRotationView.player->step(experiment, 1);
  EXPECT_EQ(fields.query_position, 8);
  EXPECT_EQ(fields.key_position, 3);
  fields.glide = 0.5;
  kRotationView.player->step(experiment, -1);
  EXPECT_EQ(fields.query_position, 8);
  EXPECT_EQ(fields.glide, 0);
  fields.glide = 0.5;
  kRotationView.player->step(experiment, 1);
  EXPECT_EQ(fields.query_position, 9);
  fields.locked = true;
  kRotationView.player->step(experiment, -5);  // the key reaches 0
  EXPECT_EQ(fields.query_position, 6);
  EXPECT_EQ(fields.key_position, 0);
}

TEST_F(RotationView, PlayingStopsAtTheLastPositionAndBeginsAgain) {
  fields.locked = true;
  fields.query_position = 131000;
  fields.key_position = 131070;
  kRotationView.player->play(experiment, true);
  kRotationView.player->advance(experiment, 1e6);
  EXPECT_FALSE(fields.playing);
  EXPECT_EQ(fields.key_position, 131072);
  EXPECT_EQ(fields.query_position, 131002);
  EXPECT_EQ(fields.glide, 0);
  kRotationView.player->play(experiment, true);
  EXPECT_EQ(fields.query_position, 0);
  EXPECT_EQ(fields.key_position, 70);
  kRotationView.player->advance(experiment, -1);
  kRotationView.player->advance(experiment, std::nan(""));
  EXPECT_EQ(fields.query_position, 0);
}

TEST_F(RotationView, InThePictureOfThePairingsThePlayerMovesChannels) {
  fields.show = RotationShow::pairing;
  kRotationView.player->play(experiment, true);
  kRotationView.player->advance(experiment, kPermuteSeconds / 2);
  EXPECT_NEAR(fields.permute, 0.5, 1e-12);
  EXPECT_EQ(fields.query_position, 7);
  kRotationView.player->advance(experiment, 100);
  EXPECT_EQ(fields.permute, 1);
  EXPECT_FALSE(fields.playing);
  kRotationView.player->step(experiment, -1);
  EXPECT_EQ(fields.permute, 0.75);
  fields.permute = 1;
  kRotationView.player->play(experiment, true);
  EXPECT_EQ(fields.permute, 0);
}

TEST_F(RotationView, EitherSliderTakesTheOtherAlongWhileLocked) {
  const auto slide = [&](const char* key, double to) { NumberControl slider(kRotationView, experiment, key, to); };
  slide("rotation.key_position", 5);
  EXPECT_EQ(fields.query_position, 7);
  fields.locked = true;
  slide("rotation.query_position", 100);
  EXPECT_EQ(fields.query_position, 100);
  EXPECT_EQ(fields.key_position, 98);
  slide("rotation.key_position", 131072);  // the query stands two further on
  EXPECT_EQ(fields.query_position, 131072);
  EXPECT_EQ(fields.key_position, 131070);
  slide("rotation.query_position", 0);
  EXPECT_EQ(fields.query_position, 2);
  EXPECT_EQ(fields.key_position, 0);
}

TEST_F(RotationView, FormsHaveNoControlThatDoesNothingThere) {
  const auto shown = [&](RotationShow show) {
    fields.show = show;
    const Controls fields(panel_fields(kRotationView, experiment));
    return fields;
  };
  for (const char* key : {"rope.rotary_dim", "rope.trained_length", "rope.scaling"}) {
    EXPECT_FALSE(shown(RotationShow::forms).keys.contains(key)) << key;
    for (const RotationShow other : {RotationShow::turn, RotationShow::helix, RotationShow::pairing}) {
      EXPECT_TRUE(shown(other).keys.contains(key)) << key << word_of(other);
    }
  }
  for (const char* key : {"rope.base", "rope.pairing", "rotation.form_dim"})
    EXPECT_TRUE(shown(RotationShow::forms).keys.contains(key)) << key;
  EXPECT_TRUE(shown(RotationShow::forms).twice.empty());
}

TEST_F(RotationView, APlaceIsNotACount) {
  for (const char* key : {"rotation.query_position", "rotation.key_position"}) {
    NumberControl slider(kRotationView, experiment, key, 7);
    EXPECT_EQ(slider.unit, "") << key;
  }
}

TEST_F(RotationView, ThePairSliderEndsAtTheLastPairAndKeepsAChoiceBeyond) {
  fields.pair = 50;
  experiment.rope.rotary_dim = 16;
  NumberControl still(kRotationView, experiment, "rotation.pair", 7);  // where the slider stands already
  EXPECT_EQ(still.maximum, 7);
  EXPECT_EQ(fields.pair, 50);
  EXPECT_EQ(figure("plane").title.find("Pair 7 "), 0u);
  NumberControl moved(kRotationView, experiment, "rotation.pair", 3);
  EXPECT_EQ(fields.pair, 3);
  experiment.rope.rotary_dim = 2;
  NumberControl one(kRotationView, experiment, "rotation.pair", 0);
  EXPECT_FALSE(one.control);
}

}  // namespace
}  // namespace ropescope
