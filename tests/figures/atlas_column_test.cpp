// The panel "column", and the cards on the selected row and on the first one.

#include "core/decay/kernel.h"
#include "tests/figures/atlas_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class AtlasColumnView : public AtlasView {
 protected:
  AtlasColumnView() { fields.below = {"column"}; }

  std::vector<std::string> keys() {
    const ViewResult result = draw();
    std::vector<std::string> keys;
    for (const Line& line : figure(result, "column").lines) keys.push_back(line.key);
    return keys;
  }
  std::optional<double> number(const std::string& name) {
    const ViewResult result = draw();
    const auto* quantity = std::get_if<Quantity>(&readout(result, name).value);
    return quantity ? std::optional(quantity->number.value) : std::nullopt;
  }
};

TEST_F(AtlasColumnView, AreTheChosenColumnsOfTheTable) {
  experiment.rope.rotary_dim = 16;
  fields.positions = 128;
  fields.columns = "4,5";
  const ViewResult result = draw();
  const Figure& shown = figure(result, "column");
  EXPECT_EQ(line(shown, "column.4").label, "dimension 4 (sin)");
  EXPECT_EQ(line(shown, "column.5").label, "dimension 5 (cos)");
  const double theta = std::pow(10000.0, -4.0 / 16);
  for (std::size_t m = 0; m < 128; ++m) {
    EXPECT_NEAR(line(shown, "column.4").series->ys[m], std::sin(static_cast<double>(m) * theta), 1e-12);
    EXPECT_NEAR(line(shown, "column.5").series->ys[m], std::cos(static_cast<double>(m) * theta), 1e-12);
  }
  EXPECT_EQ(shown.x.name, "position");
  EXPECT_LE(shown.y.range.low, -1);
  EXPECT_GE(shown.y.range.high, 1);
}

TEST_F(AtlasColumnView, LeaveOutWhatTheTableLacks) {
  experiment.rope.rotary_dim = 16;
  fields.columns = "0:3,15,16,400,3";
  EXPECT_THAT(keys(), ElementsAre("column.0", "column.1", "column.2", "column.3", "column.15"));
  fields.columns = "16";
  EXPECT_THAT(figure(draw(), "column").empty_message, HasSubstr("no such column"));
  fields.columns = "0:8";
  EXPECT_REFUSED(kAtlasView.check(experiment), HasSubstr("8"));
  fields.columns = "first";
  EXPECT_REFUSED(kAtlasView.check(experiment), HasSubstr("atlas.columns"));
  EXPECT_FALSE(draw().panels.at(0).figure.empty_message.empty());
  fields.columns = "1";
  for (const AtlasValues values :
       {AtlasValues::rope_cos, AtlasValues::rope_sin, AtlasValues::rope_angle, AtlasValues::learned}) {
    fields.values = values;
    const ViewResult result = draw();
    const Line& column = line(figure(result, "column"), "column.1");
    EXPECT_EQ(column.label, values == AtlasValues::learned ? "dimension 1" : "pair 1");
    const Map& map = figure(result, "atlas").maps.at(0);
    for (std::size_t m = 0; m < 20; ++m) EXPECT_EQ(column.series->ys[m], map.exact(1, static_cast<double>(m)));
  }
}

/// Lesson 2: "I love singing and dancing" with d = 4, by hand.
TEST_F(AtlasColumnView, TheKeptRowIsReadOut) {
  fields.rows = AtlasPositions::words;
  fields.sentence = "I love singing and dancing";
  fields.row = 2;
  experiment.rope.rotary_dim = 4;
  EXPECT_EQ(value("atlas.kept"), "singing (2)");
  EXPECT_EQ(value("atlas.row_values"), "0.909, −0.416, 0.020, 1.000");
  EXPECT_FALSE(readout(draw(), "atlas.row_values").aside);
  experiment.rope.rotary_dim = 16;
  EXPECT_THAT(value("atlas.row_values"), EndsWith(", …"));
  EXPECT_TRUE(readout(draw(), "atlas.row_values").aside) << "no card has room for eight numbers";
  fields.rows = AtlasPositions::numbers;
  fields.row = 10;
  EXPECT_EQ(value("atlas.kept"), "position 10");
  fields.values = AtlasValues::rope_cos;
  for (const Readout& one : draw().readouts) EXPECT_NE(one.name, "atlas.row_values");
}

TEST_F(AtlasColumnView, TheFirstRowDoesNotReturn) {
  experiment.rope.rotary_dim = 128;
  experiment.rope.base = 100;
  fields.positions = 1024;
  EXPECT_EQ(value("atlas.slowest"), "584.7");
  EXPECT_EQ(value("atlas.return"), "0.1281");
  EXPECT_THAT(readout(draw(), "atlas.return").note, HasSubstr("row 1\u202f007"));
  Eigen::VectorXd frequencies(64);
  for (Eigen::Index i = 0; i < 64; ++i) frequencies[i] = std::pow(100.0, -static_cast<double>(i) / 64);
  double most = -1;
  for (int distance = 585; distance < 1024; ++distance) most = std::max(most, similarity(frequencies, distance));
  EXPECT_NEAR(number("atlas.return").value(), most, 1e-9);
  fields.positions = 585;
  EXPECT_EQ(number("atlas.return"), std::nullopt) << "the last row shown is 584";
  EXPECT_TRUE(readout(draw(), "atlas.return").aside);
  fields.positions = 586;
  EXPECT_TRUE(number("atlas.return").has_value());
}

}  // namespace
}  // namespace ropescope
