// The picture "law": the score under laws of angle and length other than the rotation's.

#include "tests/figures/rotation_view_fixture.h"
#include "tests/figures/scene_checks.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class RotationLaw : public RotationView {
 protected:
  RotationLaw() { fields.show = RotationShow::law; }

  double number(const std::string& name) {
    const ViewResult result = draw();
    return std::get<Quantity>(readout(result, name).value).number.value;
  }
};

TEST_F(RotationLaw, CardsSayWhatTheDerivationRulesOut) {
  EXPECT_EQ(value("rotation.flat_angles_0"), "5 of 6");
  EXPECT_EQ(value("rotation.flat_angles_1"), "3 of 6");
  EXPECT_EQ(value("rotation.flat_angles_3"), "3 of 6");
  EXPECT_EQ(value("rotation.flat_lengths_0"), "3 of 4");
  EXPECT_EQ(value("rotation.flat_lengths_1"), "2 of 4");
  EXPECT_EQ(value("rotation.flat_lengths_3"), "2 of 4");
  EXPECT_EQ(value("rotation.law_ruled_out"), "nothing");
  const std::pair<AngleLaw, const char*> angles[] = {{AngleLaw::quadratic, "29–30"},
                                                     {AngleLaw::root, "29–30"},
                                                     {AngleLaw::offset, "nothing"},
                                                     {AngleLaw::offsets, "nothing"},
                                                     {AngleLaw::other_key, "26b"}};
  for (const auto& [law, line] : angles) {
    fields.angle_law = law;
    EXPECT_EQ(value("rotation.law_ruled_out"), line) << word_of(law);
  }
  fields.angle_law = AngleLaw::linear;
  const std::pair<LengthLaw, const char*> lengths[] = {
      {LengthLaw::growing, "26a"}, {LengthLaw::reciprocal, "24"}, {LengthLaw::exponential, "nothing"}};
  for (const auto& [law, line] : lengths) {
    fields.length_law = law;
    EXPECT_EQ(value("rotation.law_ruled_out"), line) << word_of(law);
  }
  EXPECT_THAT(note("rotation.law_ruled_out"), HasSubstr("xPos"));
  fields.length_law = LengthLaw::growing;
  fields.angle_law = AngleLaw::root;
  EXPECT_EQ(value("rotation.law_ruled_out"), "26a, 29–30");
  EXPECT_EQ(value("rotation.flat_angles_0"), "5 of 6") << "each law by itself, whatever is chosen";
}

TEST_F(RotationLaw, ChangesAreThoseOfTheScores) {
  EXPECT_LT(number("rotation.law_change_1"), kFlatnessTolerance);
  fields.angle_law = AngleLaw::root;
  EXPECT_EQ(value("rotation.law_change_1"), "0.141");
  EXPECT_EQ(value("rotation.law_change_3"), "0.164");
  const ViewResult result = draw();
  const Points& places = with_key(ropescope::figure(result, "shift").points, "distance_3.places");
  ASSERT_EQ(places.ys.size(), 25u);
  const auto [low, high] = std::minmax_element(places.ys.begin(), places.ys.end());
  EXPECT_NEAR((*high - *low) / std::hypot(0.6, 0.5), number("rotation.law_change_3"), 1e-12);
  const Line& line = ropescope::line(ropescope::figure(result, "shift"), "distance_3");
  EXPECT_NEAR(line.series->ys[8 * 5], places.ys[5], 1e-12) << "the dots lie on the curve";
}

TEST_F(RotationLaw, IsFlatAndBlindWhereNothingTurns) {
  for (const char* theta : {"0", "6.283185307179586"}) {
    set(std::string("rotation.law_theta=") + theta);
    EXPECT_EQ(value("rotation.law_ruled_out"), "nothing");
    EXPECT_LT(number("rotation.law_apart"), kFlatnessTolerance);
    EXPECT_THAT(note("rotation.law_apart"), Says("readout.rotation.law_apart.blind"));
  }
}

TEST_F(RotationLaw, TheTableMarksWhatIsChosenAndWhatIsFlat) {
  fields.angle_law = AngleLaw::other_key;
  const Figure table = figure("table");
  const auto flat = std::count_if(table.boxes.begin(), table.boxes.end(), [](const Box& box) { return box.filled; });
  EXPECT_EQ(flat, 5 + 3 + 3 + 3 + 2 + 2);
  EXPECT_EQ(static_cast<std::size_t>(flat) + 2, table.boxes.size()) << "two rows are framed";
  EXPECT_TRUE(says(table, "29–30"));
  EXPECT_TRUE(says(table, "26a"));
  EXPECT_TRUE(says(table, "1.75"));
  fields.law_table = false;
  for (const Panel& panel : draw().panels) EXPECT_NE(panel.figure.name, "table");
}

/// As large as a room at 1280×720 sets them.
FigureLayout in_the_room(const Figure& figure, double width, double height) {
  FigureOptions options;
  options.text_size = 20.8;
  options.least_text = 20;
  options.clear_words = true;
  options.legend = true;
  return lay_out(figure, {0, 0, width, height}, palette(ThemeName::dark), options, even_measure);
}

TEST_F(RotationLaw, TheLinesAreToldApart) {
  for (const char* theta : {"0.3162", "0.6"}) {
    for (const LengthLaw law : {LengthLaw::constant, LengthLaw::exponential}) {
      set(std::string("rotation.law_theta=") + theta);
      fields.length_law = law;
      const Figure shift = figure("shift");
      const FigureLayout layout = in_the_room(shift, 700, 380);
      std::vector<double> heights;
      for (const Line& line : shift.lines) heights.push_back(layout.y.to_pixel(line.series->ys.front()));
      std::sort(heights.begin(), heights.end());
      for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 18) << theta;
      EXPECT_GE(heights.back() - heights.front(), 120) << theta;
      // Rounding alone is a flat line all the same.
      const Series& series = *shift.lines.front().series;
      const Summary all = summarise(series, 0, series.ys.size());
      EXPECT_LT(std::abs(layout.y.to_pixel(all.maximum) - layout.y.to_pixel(all.minimum)), 1e-6);
    }
  }
}

TEST_F(RotationLaw, AngleAndLengthHaveTheirOwnPictures) {
  fields.length_law = LengthLaw::growing;
  const Figure angles = figure("laws"), lengths = figure("lengths");
  EXPECT_LT(angles.y.range.high, 2) << "turns";
  EXPECT_GT(lengths.y.range.high, 25) << "times";
  for (const Figure& one : {angles, lengths}) {
    ASSERT_EQ(one.lines.size(), 2u);
    EXPECT_NE(one.lines[0].style.slot, one.lines[1].style.slot);
  }
}

/// About as wide as the letters of Inter are.
Vec2 narrow_measure(std::string_view text, const TextStyle& style) {
  return {0.8 * even_measure(text, style).x, even_measure(text, style).y};
}

TEST_F(RotationLaw, EveryRowOfTheTableStands) {
  const Figure table = figure("table");
  // The room, the window at 1280×720 beside its plots, and a printed page.
  for (const auto& [width, height, size, least] :
       {std::array{716.0, 380.0, 20.8, 20.0}, {395.0, 202.0, 13.0, 0.0}, {250.0, 120.0, 8.0, 0.0}}) {
    FigureOptions options;
    options.text_size = size;
    options.least_text = least;
    options.clear_words = least > 0;
    const FigureLayout layout =
        lay_out(table, {0, 0, width, height}, palette(ThemeName::light), options, narrow_measure);
    std::multiset<std::string> drawn;
    for (const TextItem& item : items_of<TextItem>(layout.scene)) {
      drawn.insert(item.text);
      EXPECT_GE(item.style.size, least);
    }
    for (const Label& label : table.labels) {
      const auto found = drawn.find(label.text);
      EXPECT_NE(found, drawn.end()) << label.text << " at " << width;
      if (found != drawn.end()) drawn.erase(found);
    }
  }
}

TEST_F(RotationLaw, ThePlaneHoldsTheMovedVectors) {
  fields.length_law = LengthLaw::growing;
  fields.query_position = 4;
  fields.key_position = 3;
  const Figure plane = figure("plane");
  const Arrow& query = arrow(plane, "turned_q");
  EXPECT_NEAR(query.x1, 5 * std::cos(4 * fields.law_theta), 1e-12);
  EXPECT_NEAR(query.y1, 5 * std::sin(4 * fields.law_theta), 1e-12);
  EXPECT_GE(plane.x.range.high, 5);
  drag("k", 0.25, -0.75);
  EXPECT_EQ(fields.kx, 0.25);
  EXPECT_EQ(fields.ky, -0.75);
  // Far out lengths are beyond every number: the picture says so by leaving them out.
  fields.length_law = LengthLaw::exponential;
  fields.law_rate = 0.2;
  fields.query_position = kMaxRotationPosition;
  EXPECT_TRUE(std::isfinite(figure("plane").x.range.high));
}

TEST_F(RotationLaw, LooksAtNoRope) {
  const std::string before = value("rotation.law_change_1");
  experiment.rope.base = 77;
  experiment.rope.axes = "no axes";
  EXPECT_EQ(value("rotation.law_change_1"), before);
  const Controls controls(fields_of(kRotationView, experiment));
  EXPECT_FALSE(controls.keys.contains("rope.base"));
  EXPECT_FALSE(controls.keys.contains("rotation.pair"));
  EXPECT_TRUE(controls.keys.contains("rotation.angle_law"));
}

TEST_F(RotationLaw, NumbersForLessonsHaveNoCard) {
  std::size_t cards = 0;
  for (const Readout& one : draw().readouts) cards += one.aside ? 0 : 1;
  EXPECT_EQ(cards, 5u);
}

}  // namespace
}  // namespace ropescope
