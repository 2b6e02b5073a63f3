#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/figure/map_window.h"
#include "app/resources/models.h"
#include "core/decay/limits.h"
#include "core/rotary/spec.h"
#include "tests/figures/atlas_view_fixture.h"

namespace ropescope {
namespace {

TEST_F(AtlasView, SaysTheNumbersOfTheTheory) {
  experiment.rope.rotary_dim = 3072;
  fields.positions = 8192;
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "atlas.quarter").text, "108 of 1\u202f536 pairs");
  EXPECT_EQ(readout(result, "atlas.quarter").note.rfind("7 %", 0), 0u);
  EXPECT_EQ(readout(result, "atlas.turn").text, "339 of 1\u202f536 pairs");
  EXPECT_EQ(readout(result, "atlas.turn").note.rfind("22 %", 0), 0u);
  double moving = 0;
  for (const PairInformation& pair : pair_information(plain_frequencies(3072, 10000), 8192)) moving += pair.moving;
  EXPECT_NEAR(moving, 1344.7, 0.1);
  EXPECT_EQ(readout(result, "atlas.moving").text, "1\u202f344.7 of 1\u202f536");
  for (const Readout& each : result.readouts) EXPECT_FALSE(each.tooltip.empty()) << each.name;
}

TEST_F(AtlasView, SinusoidalValuesAreThoseOfTheFormula) {
  fields.positions = 300;
  experiment.rope.rotary_dim = 64;
  experiment.rope.base = 500;
  const ViewResult result = draw();
  const Map& map = figure(result, "atlas").maps.at(0);
  ASSERT_EQ(map.cells->columns, 64u);
  ASSERT_EQ(map.cells->rows, 300u);
  EXPECT_EQ(map.colours, MapColours::signed_value);
  EXPECT_EQ(map.range, (Range{-1, 1}));
  for (std::size_t m = 0; m < 300; m += 13) {
    for (std::size_t t = 0; t < 32; ++t) {
      const double angle = static_cast<double>(m) * std::pow(500.0, -static_cast<double>(t) / 32);
      EXPECT_NEAR(shown_of(map, m, 2 * t), std::sin(angle), 2e-5);
      EXPECT_NEAR(shown_of(map, m, 2 * t + 1), std::cos(angle), 2e-5);
      EXPECT_NEAR(map.exact(static_cast<double>(2 * t), static_cast<double>(m)), std::sin(angle), 1e-13);
      EXPECT_NEAR(map.exact(static_cast<double>(2 * t + 1), static_cast<double>(m)), std::cos(angle), 1e-13);
    }
  }
  EXPECT_TRUE(std::isnan(map.exact(64, 0)));
  EXPECT_TRUE(std::isnan(map.exact(0, 300)));
  EXPECT_TRUE(std::isnan(map.exact(0, -1)));
}

TEST_F(AtlasView, RopeValuesFollowTheLadderWithItsExtensionAndAxis) {
  experiment.rope.axes = "t:16,row:56";
  experiment.rope.axis = "row";
  experiment.rope.head_dim = 72;
  experiment.rope.scaling.method = "linear";
  experiment.rope.scaling["factor"] = 8;
  const Eigen::VectorXd frequencies = read_rope(experiment.rope).ladder.frequencies;
  ASSERT_EQ(frequencies.size(), 28);
  EXPECT_DOUBLE_EQ(frequencies[0], 1.0 / 8);
  for (const AtlasValues values : {AtlasValues::rope_cos, AtlasValues::rope_sin, AtlasValues::rope_angle}) {
    fields.values = values;
    const ViewResult result = draw();
    const Map& map = figure(result, "atlas").maps.at(0);
    ASSERT_EQ(map.cells->columns, 28u);
    for (std::size_t m = 0; m < map.cells->rows; m += 7) {
      for (std::size_t pair = 0; pair < 28; ++pair) {
        const std::complex<double> turned =
            std::polar(1.0, static_cast<double>(m) * frequencies[static_cast<Eigen::Index>(pair)]);
        const double exact = map.exact(static_cast<double>(pair), static_cast<double>(m));
        const double in_cell = shown_of(map, m, pair);
        if (values == AtlasValues::rope_angle) {
          EXPECT_NEAR(std::abs(std::polar(1.0, exact) - turned), 0, 1e-12);
          EXPECT_GE(exact, 0);
          EXPECT_LT(exact, 2 * std::numbers::pi);
          // Not wrapped: a painter is to see how fast it turns.
          EXPECT_NEAR(in_cell, static_cast<double>(m) * frequencies[static_cast<Eigen::Index>(pair)], 2e-6);
        } else {
          const double expected = values == AtlasValues::rope_cos ? turned.real() : turned.imag();
          EXPECT_NEAR(exact, expected, 1e-12);
          EXPECT_NEAR(in_cell, expected, 1e-5);
        }
      }
    }
    EXPECT_EQ(map.colours, values == AtlasValues::rope_angle ? MapColours::angle : MapColours::signed_value);
  }
  // The extension is RoPE's; sinusoidal vectors keep the plain ladder.
  fields.values = AtlasValues::sinusoidal;
  EXPECT_NEAR(figure(draw(), "atlas").maps.at(0).exact(0, 1), std::sin(1.0), 1e-15);
}

TEST_F(AtlasView, PairsThatMoveLessThanAQuarterTurnAreMarked) {
  fields.positions = 256;
  fields.below = {"row", "turns", "variance"};
  const int count = pairs_below_angle(plain_frequencies(128, 10000), 256, std::numbers::pi / 2);
  ASSERT_EQ(count, 28);
  for (const bool channels : {true, false}) {
    fields.values = channels ? AtlasValues::sinusoidal : AtlasValues::rope_cos;
    const ViewResult result = draw();
    const double low = (channels ? 2 : 1) * (64 - count) - 0.5, high = (channels ? 128 : 64) - 0.5;
    const Figure& map = figure(result, "atlas");
    ASSERT_EQ(map.rules.size(), 2u) << "the mark, and the kept row";
    EXPECT_TRUE(map.rules[0].vertical);
    EXPECT_EQ(map.rules[0].at, low);
    EXPECT_FALSE(map.rules[0].label.empty());
    for (const char* name : {"turns", "variance"}) {
      const Figure& below = figure(result, name);
      ASSERT_EQ(below.spans.size(), 1u) << name;
      EXPECT_EQ(below.spans[0].low, low);
      EXPECT_EQ(below.spans[0].high, high);
    }
    const Series& turns = *figure(result, "turns").lines.at(0).series;
    for (std::size_t column = 0; column < turns.ys.size(); ++column) {
      EXPECT_EQ(turns.ys[column]<0.25, static_cast<double>(column)> low) << column;
    }
  }
}

TEST_F(AtlasView, TurnsAndVariancesAreThoseOfThePairs) {
  fields.below = {"turns", "variance"};
  const ViewResult result = draw();
  const auto pairs = pair_information(plain_frequencies(128, 10000), 256);
  const Series& turns = *figure(result, "turns").lines.at(0).series;
  const Figure& variance = figure(result, "variance");
  ASSERT_EQ(turns.ys.size(), 128u);
  ASSERT_EQ(variance.lines.size(), 2u);
  const Series& sine = *variance.lines[0].series;
  const Series& cosine = *variance.lines[1].series;
  for (std::size_t pair = 0; pair < 64; ++pair) {
    EXPECT_EQ(turns.ys[2 * pair], pairs[pair].turns);
    EXPECT_EQ(turns.ys[2 * pair + 1], pairs[pair].turns);
    EXPECT_EQ(sine.x_at(pair), static_cast<double>(2 * pair));
    EXPECT_EQ(sine.ys[pair], pairs[pair].variance_sin);
    EXPECT_EQ(cosine.x_at(pair), static_cast<double>(2 * pair + 1));
    EXPECT_EQ(cosine.ys[pair], pairs[pair].variance_cos);
  }
}

TEST_F(AtlasView, WordsStandOnThePositionAxis) {
  fields.rows = AtlasPositions::words;
  fields.sentence = "  to be or\tnot to be ";
  const ViewResult result = draw();
  const Figure& map = figure(result, "atlas");
  EXPECT_EQ(map.y.names, (std::vector<std::string>{"to", "be", "or", "not", "to", "be"}));
  EXPECT_EQ(map.maps.at(0).cells->rows, 6u);
  EXPECT_TRUE(map.y.reversed);
  EXPECT_NE(figure(result, "row").lines.at(0).label.find("be (5)"), std::string::npos) << "the last row there is";
  fields.sentence = " ";
  const ViewResult empty = draw();
  ASSERT_EQ(empty.panels.size(), 1u);
  EXPECT_TRUE(empty.panels[0].figure.maps.empty());
  EXPECT_NE(empty.panels[0].figure.empty_message.find("Type one"), std::string::npos);
}

TEST_F(AtlasView, AWordIsComparedWithItselfElsewhere) {
  fields.rows = AtlasPositions::words;
  fields.sentence = "Once, a word is once a word";
  fields.row = 1;
  EXPECT_NE(readout(draw(), "atlas.likeness").note.find("a (1) and a (5)"), std::string::npos);
  fields.row = 4;
  EXPECT_NE(readout(draw(), "atlas.likeness").note.find("once (4) and Once, (0)"), std::string::npos);
  fields.row = 3;
  EXPECT_NE(readout(draw(), "atlas.likeness").note.find("is (3) and once (4)"), std::string::npos) << "alone: the next";
  point_at(3, 6);
  EXPECT_NE(readout(draw(), "atlas.likeness").note.find("word (6)"), std::string::npos);
}

TEST_F(AtlasView, AllWordsOfTheFirstSentenceShow) {
  fields.rows = AtlasPositions::words;
  const ViewResult result = draw();
  EXPECT_LE(result.panels.size(), 2u);
  EXPECT_LE(figure(result, "atlas").y.names.size(), 13u);
  EXPECT_GT(result.panels[0].height_share, 2.5 * result.panels[1].height_share);
  EXPECT_NE(readout(result, "atlas.likeness").note.find("word (10) and word (1)"), std::string::npos);
}

TEST_F(AtlasView, TheRowFollowsTheMouseAndAClickKeepsIt) {
  fields.row = 3;
  const auto row_of = [](const Figure& shown, std::size_t line) { return shown.lines.at(line).series->ys; };
  const ViewResult plain = draw();
  const Figure& kept = figure(plain, "row");
  ASSERT_EQ(kept.lines.size(), 2u);
  EXPECT_NEAR(row_of(kept, 0)[1], std::sin(3 * std::pow(10000.0, -1.0 / 64)), 1e-14);
  EXPECT_NEAR(row_of(kept, 1)[1], std::cos(3 * std::pow(10000.0, -1.0 / 64)), 1e-14);
  EXPECT_EQ(kept.lines[1].series->x_at(1), 3);

  point_at(20, 100.4);
  const ViewResult pointed = draw();
  const Figure& both = figure(pointed, "row");
  ASSERT_EQ(both.lines.size(), 4u);
  EXPECT_NEAR(row_of(both, 0)[1], std::sin(100 * std::pow(10000.0, -1.0 / 64)), 1e-14);
  EXPECT_EQ(row_of(both, 2), row_of(kept, 0));
  EXPECT_FALSE(both.lines[0].style.faint);
  EXPECT_TRUE(both.lines[2].style.faint);
  // The likeness of two sinusoidal rows is the similarity kernel of their distance.
  double kernel = 0;
  for (const double frequency : plain_frequencies(128, 10000)) kernel += std::cos(97 * frequency) / 64;
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.4f", kernel);
  EXPECT_EQ(readout(pointed, "atlas.likeness").text, shown);

  experiment.pointer.reset();
  kAtlasView.react(experiment, {FigureEvent::Kind::click, "atlas", "", 20, 100.4});
  EXPECT_EQ(fields.row, 100);
  EXPECT_EQ(row_of(figure(draw(), "row"), 0), row_of(both, 0));
  kAtlasView.react(experiment, {FigureEvent::Kind::click, "row", "", 20, 5});
  EXPECT_EQ(fields.row, 100) << "only the map has rows";
  kAtlasView.react(experiment, {FigureEvent::Kind::click, "atlas", "", 20, 1e9});
  EXPECT_EQ(fields.row, 255);
}

TEST_F(AtlasView, ALearnedTableEndsVisibly) {
  fields.values = AtlasValues::learned;
  fields.positions = 100;
  fields.row = 59;
  fields.below = {"row", "turns", "variance"};
  experiment.encoding["trained_length"] = 60;
  experiment.rope.rotary_dim = 16;
  const ViewResult result = draw();
  const Map& map = figure(result, "atlas").maps.at(0);
  EncodingValues settings;
  settings.dim = 16;
  settings.trained_length = 60;
  const TokenMatrix table = make_model(find_encoding("learned"), settings)->tables().at(0).values;
  double mean = 0, square = 0;
  for (std::size_t row = 0; row < 100; ++row) {
    for (std::size_t column = 0; column < 16; ++column) {
      const float shown = cell_of(map, row, column);
      if (row >= 60) {
        EXPECT_TRUE(std::isnan(shown));
        continue;
      }
      const double expected = table(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
      EXPECT_NEAR(static_cast<double>(shown), expected, 1e-6);
      if (column == 5) mean += expected / 60, square += expected * expected / 60;
    }
  }
  EXPECT_TRUE(std::isnan(map.exact(0, 60)));
  EXPECT_EQ(map.exact(3, 59), table(59, 3));
  EXPECT_NEAR(figure(result, "variance").lines.at(0).series->ys[5], square - mean * mean, 1e-6);
  EXPECT_NE(figure(result, "atlas").title.find("60 rows"), std::string::npos);
  EXPECT_NE(figure(result, "atlas").title.find("seeded"), std::string::npos) << "says that nothing was trained";
  EXPECT_EQ(readout(result, "atlas.learned").text, "960");
  for (const Panel& panel : result.panels) EXPECT_NE(panel.figure.name, "turns") << "it has no pairs";
}

TEST_F(AtlasView, ALearnedTableIsMadeWithoutTheProjections) {
  fields.values = AtlasValues::learned;
  experiment.encoding.settings.set("seeded_projections", 0);
  draw();
  const auto started = store.started();
  // They are nothing that this view shows, and 2 d² numbers to seed: over 100 ms of a frame where d is 2048.
  experiment.encoding.settings.set("seeded_projections", 1);
  draw();
  EXPECT_EQ(store.started(), started);
}

TEST_F(AtlasView, ASecondCallComputesNothing) {
  draw();
  const auto started = store.started();
  EXPECT_GT(started, 0);
  draw();
  point_at(4, 50);
  fields.row = 7;
  fields.zooms["atlas.position_range"] = Range{10, 20};
  experiment.encoding["trained_length"] = 99;
  draw();
  EXPECT_EQ(store.started(), started) << "rows, ranges and other values' fields need no new map";
}

TEST_F(AtlasView, SurvivesSaveAndLoad) {
  fields.values = AtlasValues::rope_angle;
  fields.rows = AtlasPositions::words;
  fields.sentence = "ein \"Satz\"";
  fields.row = 1;
  fields.below = {"variance"};
  fields.zooms["atlas.value_range"] = Range{-2, 2};
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
}

TEST_F(AtlasView, AZoomStaysWithinTheMap) {
  fields.zooms["atlas.position_range"] = Range{-50, 40};
  fields.zooms["atlas.dimension_range"] = Range{500, 600};
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "atlas").y.range, (Range{-0.5, 40}));
  EXPECT_EQ(figure(result, "atlas").x.range, (Range{-0.5, 127.5}));
}

}  // namespace
}  // namespace ropescope
