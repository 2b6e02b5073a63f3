// Readouts of the rotation view that lessons use in addition to its cards, and the separate base of the key.

#include "tests/figures/rotation_view_fixture.h"

namespace ropescope {
namespace {

class RotationReadouts : public RotationView {
 protected:
  double number(const std::string& name) { return std::get<Quantity>(readout(draw(), name).value).number.value; }
  std::vector<std::string> cards() {
    std::vector<std::string> names;
    for (const Readout& one : draw().readouts) {
      if (!one.aside) names.push_back(one.name.substr(std::string("rotation.").size()));
    }
    return names;
  }
};

TEST_F(RotationReadouts, CountTheTurnsOfThePairAndOfBothEnds) {
  fields.query_position = 10;
  EXPECT_NEAR(number("rotation.turns"), 10 * std::pow(10000, -1.0 / 8) / kTurn, 1e-12);
  EXPECT_EQ(value("rotation.turns_first"), "1.59");
  EXPECT_EQ(value("rotation.turns_last"), "0.000184");
  EXPECT_EQ(value("rotation.wavelength"), "19.87");
  fields.pair = 0;
  EXPECT_EQ(value("rotation.half_turn"), "3.142");
  EXPECT_EQ(value("rotation.wavelength"), "6.283");
}

TEST_F(RotationReadouts, SayWhatTheRotationMadeOfTheScore) {
  EXPECT_NEAR(number("rotation.before"), 0.6, 1e-15);
  EXPECT_EQ(number("rotation.gain"), number("rotation.rotated") - number("rotation.before"));
  EXPECT_NEAR(number("rotation.length_ratio"), 1, 1e-12);
  fields.key_position = fields.query_position;
  EXPECT_NEAR(number("rotation.gain"), 0, 1e-12) << "turned alike";
  experiment.rope.scaling.method = "yarn";
  experiment.rope.scaling["factor"] = 16;
  EXPECT_NEAR(number("rotation.length_ratio"), 0.1 * std::log(16) + 1, 1e-12);
  fields.qx = fields.qy = 0;
  EXPECT_EQ(value("rotation.length_ratio"), text["readout.undefined"]) << "no length, no ratio";
}

TEST_F(RotationReadouts, OfTheFormsCountProducts) {
  fields.show = RotationShow::forms;
  fields.form_dim = 8;
  EXPECT_EQ(value("rotation.products_matrix"), "64");
  EXPECT_EQ(value("rotation.products_elements"), "16");
  const RotationState state = rotation_state(experiment);
  const RotationForms forms = rotation_forms(state);
  EXPECT_EQ(number("rotation.before"), forms.x.squaredNorm());
}

TEST_F(RotationReadouts, OfThePairingsSayHowWrongCodesAre) {
  fields.show = RotationShow::pairing;
  EXPECT_NEAR(number("rotation.mixed_error"), std::abs(number("rotation.mixed") - number("rotation.rotated")), 1e-9);
  EXPECT_NEAR(number("rotation.other_error"), std::abs(number("rotation.other") - number("rotation.rotated")), 1e-9);
  EXPECT_GT(number("rotation.mixed_error"), 1e-6);
  EXPECT_NEAR(number("rotation.before"), 64 * 0.6, 1e-9) << "of all pairs";
}

TEST_F(RotationReadouts, AtMostFiveOfThemAreCards) {
  EXPECT_EQ(cards(), (std::vector<std::string>{"rotated", "relative", "difference", "norms", "all"}));
  fields.show = RotationShow::helix;
  EXPECT_EQ(cards(), (std::vector<std::string>{"rotated", "relative", "difference", "wavelength", "turns"}));
  for (const RotationShow show : {RotationShow::forms, RotationShow::pairing}) {
    fields.show = show;
    EXPECT_EQ(cards().size(), 5u) << word_of(show);
  }
}

TEST_F(RotationReadouts, TheKeysOwnBaseMakesTheScoreDependOnBothPositions) {
  EXPECT_NEAR(number("rotation.difference"), 0, 1e-12);
  fields.key_base = 1000;
  EXPECT_EQ(value("rotation.rotated"), "0.7560");
  EXPECT_EQ(value("rotation.relative"), "0.6575");
  EXPECT_NEAR(number("rotation.difference"), 0.0985, 5e-5);
  EXPECT_EQ(note("rotation.difference"), text["readout.rotation.difference.key_base"]);
  fields.locked = true;
  const double score = number("rotation.rotated"), all = number("rotation.all"), relative = number("rotation.relative");
  fields.query_position = 47;
  fields.key_position = 43;
  EXPECT_GT(std::abs(number("rotation.rotated") - score), 0.01);
  EXPECT_GT(std::abs(number("rotation.all") - all), 0.01);
  EXPECT_NEAR(number("rotation.relative"), relative, 1e-12);
}

TEST_F(RotationReadouts, TheKeysArrowTurnsByItsOwnBase) {
  fields.key_base = 1000;
  const Figure plane = figure("plane");
  const std::complex<double> key = std::complex<double>(0.6, 0.5) * std::polar(1.0, 3 * std::pow(1000, -1.0 / 8));
  EXPECT_NEAR(arrow(plane, "turned_k").x1, key.real(), 1e-12);
  EXPECT_NEAR(arrow(plane, "turned_k").y1, key.imag(), 1e-12);
  EXPECT_NEAR(swept(path(plane, "key_angle")), 3 * std::pow(1000, -1.0 / 8), 1e-9);
  EXPECT_NEAR(swept(path(plane, "query_angle")), 7 * std::pow(10000, -1.0 / 8), 1e-9);
}

TEST_F(RotationReadouts, TheKeysOwnBaseIsOfThePictureTurn) {
  fields.key_base = 1000;
  for (const RotationShow show : {RotationShow::helix, RotationShow::forms, RotationShow::pairing}) {
    fields.show = show;
    EXPECT_NEAR(number("rotation.difference"), 0, 1e-9) << word_of(show);
    const Controls fields(panel_fields(kRotationView, experiment));
    EXPECT_FALSE(fields.keys.contains("rotation.key_base")) << word_of(show);
  }
}

TEST_F(RotationReadouts, AKeyBaseBelowTheLeastSaysSo) {
  fields.key_base = 0.5;
  EXPECT_NE(draw().panels.at(0).figure.empty_message.find("rotation.key_base"), std::string::npos);
}

}  // namespace
}  // namespace ropescope
