#include "tests/figures/rotation_view_fixture.h"
#include "tests/figures/scene_checks.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(RotationView, TheHelixPassesThroughItsPositions) {
  fields.show = RotationShow::helix;
  fields.span = 64;
  fields.query_position = 70;
  const Figure helix = figure("helix");
  // The page from 64 to 128.
  EXPECT_LT(helix.x.range.low, 64);
  EXPECT_GT(helix.x.range.high, 128);
  ASSERT_EQ(helix.points.size(), 1u);
  EXPECT_EQ(helix.points[0].xs.size(), 65u);
  const double angle = 70 * plain_frequencies(128, 10000)[8];
  // The hand points to the helix where the query stands, and the shear is the same for both.
  const Arrow& hand = arrow(helix, "query");
  EXPECT_NEAR(hand.x1, helix.points[0].xs[6], 1e-12);
  EXPECT_NEAR(hand.y1, helix.points[0].ys[6], 1e-12);
  EXPECT_NEAR(hand.x0, 70, 1e-12);
  const double depth = (hand.x1 - hand.x0) / std::cos(angle);
  EXPECT_NEAR(depth, 0.07 * 64, 1e-9);
  EXPECT_NEAR(hand.y1 - 0.28 * std::cos(angle), std::sin(angle), 1e-9);
  EXPECT_EQ(helix.arrows.size(), 1u);  // the key is on another page
  fields.key_position = 100;
  EXPECT_EQ(figure("helix").arrows.size(), 2u);
}

TEST_F(RotationView, AlongItsAxisTheHelixIsTheUnitCircleAndFromTheSideAWave) {
  fields.show = RotationShow::helix;
  fields.span = 64;
  const double frequency = plain_frequencies(128, 10000)[8];
  const auto look = [&](const char* button) {
    for (Field& field : fields_of(kRotationView, experiment)) {
      if (field.key == button) std::get<std::function<void()>>(field.value)();
    }
    return figure("helix");
  };
  const Figure along = look("rotation.along_axis"), side = look("rotation.from_side"),
               above = look("rotation.from_above");
  EXPECT_TRUE(along.equal_axes) << "circles are round";
  for (std::size_t m = 0; m <= 64; ++m) {
    const double cosine = std::cos(static_cast<double>(m) * frequency),
                 sine = std::sin(static_cast<double>(m) * frequency);
    EXPECT_NEAR(along.points[0].xs[m], cosine, 1e-6);
    EXPECT_NEAR(along.points[0].ys[m], sine, 1e-6);
    EXPECT_NEAR(side.points[0].ys[m], sine, 1e-6);
    EXPECT_NEAR(above.points[0].ys[m], cosine, 1e-6);
    // Evenly along the positions.
    EXPECT_NEAR(side.points[0].xs[m], side.points[0].xs[0] + static_cast<double>(m) * 8 / 64, 1e-6);
    EXPECT_NEAR(above.points[0].xs[m], side.points[0].xs[m], 1e-6);
  }
  look("rotation.oblique");
  EXPECT_EQ(fields, [&] {
    RotationFields same = RotationFields();
    same.show = RotationShow::helix;
    same.span = 64;
    return same;
  }());
}

TEST_F(RotationView, TheHelixTurnsWithoutAJumpAndStaysInItsFigure) {
  fields.show = RotationShow::helix;
  fields.span = 64;
  const auto share = [](const Range& range, double value) { return (value - range.low) / (range.high - range.low); };
  Figure before = figure("helix");
  for (int degrees = 1; degrees <= 150; ++degrees) {
    fields.yaw = kHelixYaw - degrees;
    fields.pitch = kHelixPitch - degrees / 2.0;
    const Figure helix = figure("helix");
    for (std::size_t m = 0; m < helix.points[0].xs.size(); ++m) {
      EXPECT_NEAR(share(helix.x.range, helix.points[0].xs[m]), share(before.x.range, before.points[0].xs[m]), 0.04);
      EXPECT_NEAR(share(helix.y.range, helix.points[0].ys[m]), share(before.y.range, before.points[0].ys[m]), 0.08);
    }
    for (const Path& path : helix.paths) {
      for (std::size_t i = 0; i < path.xs.size(); ++i) {
        if (std::isnan(path.xs[i])) continue;
        EXPECT_GT(path.xs[i], helix.x.range.low) << path.key;
        EXPECT_LT(path.xs[i], helix.x.range.high) << path.key;
        EXPECT_GT(path.ys[i], helix.y.range.low) << path.key;
        EXPECT_LT(path.ys[i], helix.y.range.high) << path.key;
      }
    }
    before = helix;
  }
}

/// The disc and the words in the corners of a window are drawn as they always were.
TEST_F(RotationView, OnlyWordsThatAreReadFromADistanceMakeADrawingSmaller) {
  const Figure plane = figure("plane");
  const auto length = [&](double least, bool clear) {
    FigureOptions options;
    options.text_size = 20;
    options.least_text = least;
    options.clear_words = clear;
    const FigureLayout layout = lay_out(plane, {0, 0, 300, 300}, palette(ThemeName::dark), options, even_measure);
    return layout.x.range.high - layout.x.range.low;
  };
  EXPECT_EQ(length(20, false), length(0, false));
  EXPECT_GT(length(20, true), length(20, false));
}

/// The default fills its plot, a rotated helix has equal axes: what is seen passes from one to the other.
TEST_F(RotationView, TheHelixDoesNotJumpOnTheScreenWhenItIsCaught) {
  fields.show = RotationShow::helix;
  fields.span = 64;
  for (const auto& [width, height] : {std::pair(600.0, 500.0), std::pair(1000.0, 400.0)}) {
    const auto pixels = [&, width = width, height = height](double degrees) {
      fields.yaw = kHelixYaw + degrees;
      const Figure helix = figure("helix");
      const FigureLayout layout = lay_out(helix, {0, 0, width, height}, palette(ThemeName::dark), {}, even_measure);
      std::vector<Vec2> places;
      for (std::size_t m = 0; m < helix.points[0].xs.size(); ++m) {
        places.push_back({layout.x.to_pixel(helix.points[0].xs[m]), layout.y.to_pixel(helix.points[0].ys[m])});
      }
      return places;
    };
    std::vector<Vec2> before = pixels(0);
    for (const double degrees : {0.1, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}) {
      const std::vector<Vec2> now = pixels(degrees);
      const double most = degrees < 1 ? 4 : 0.06 * width;
      for (std::size_t m = 0; m < now.size(); ++m) {
        EXPECT_NEAR(now[m].x, before[m].x, most) << degrees << " in " << width;
        EXPECT_NEAR(now[m].y, before[m].y, most) << degrees << " in " << width;
      }
      before = now;
    }
  }
}

TEST_F(RotationView, ADragTurnsTheHelixFromWhereItIs) {
  fields.show = RotationShow::helix;
  for (const auto& [yaw, pitch] : {std::pair(kHelixYaw, kHelixPitch), std::pair(90.0, 0.0), std::pair(-120.0, -40.0)}) {
    fields.yaw = yaw, fields.pitch = pitch;
    const Handle camera = figure("helix").handles.back();
    FigureEvent drag{FigureEvent::Kind::drag, "helix", camera.key, 0, 0, -0.25, -0.25};
    kRotationView.react(experiment, drag);
    EXPECT_EQ(std::pair(fields.yaw, fields.pitch), std::pair(yaw + 45, pitch + 22.5)) << "down is seen from higher up";
    drag.across = drag.up = 40;
    kRotationView.react(experiment, drag);
    EXPECT_EQ(std::pair(fields.yaw, fields.pitch), std::pair(-kMaxHelixYaw, -kMaxHelixPitch));
  }
  // 200 events of a pixel each in a plot 2 500 px wide.
  fields.yaw = 0;
  for (int i = 0; i < 200; ++i)
    kRotationView.react(experiment, {FigureEvent::Kind::drag, "helix", "camera", 0, 0, 1 / 2500.0, 0});
  EXPECT_NEAR(fields.yaw, -180 * 200 / 2500.0, 0.1) << "a slow hand comes as far";
}

TEST_F(RotationView, TheHelixShowsFiveTurnsOrSaysThatThereAreTooMany) {
  fields.show = RotationShow::helix;
  for (const double pair : {0.0, 8.0, 30.0}) {
    fields.pair = pair;
    const double length = std::ceil(5 * wavelength(plain_frequencies(128, 10000)[static_cast<Eigen::Index>(pair)]));
    const Figure helix = figure("helix");
    EXPECT_NEAR(helix.x.range.high - helix.x.range.low, 1.22 * length, 0.01 * length) << pair;
  }
  fields.pair = 0;
  fields.span = 4096;
  EXPECT_TRUE(says(figure("helix"), text.format("view.rotation.too_dense", {{"turns", "652"}})));
  EXPECT_LT(path(figure("helix"), "helix").xs.size(), 10u);
}

TEST_F(RotationView, TheHelixSaysWhatItLeavesOut) {
  fields.show = RotationShow::helix;
  for (const Label& label : figure("helix").labels) {
    for (const char* key : {"view.rotation.key_after", "view.rotation.key_before", "view.rotation.cut"}) {
      EXPECT_THAT(label.text, Not(Says(key)));
    }
  }
  fields.key_position = 5000;
  EXPECT_TRUE(says(figure("helix"), text.format("view.rotation.key_after", {{"position", "5\u202f000"}})));
  fields.query_position = 9000;
  EXPECT_TRUE(says(figure("helix"), text.format("view.rotation.key_before", {{"position", "5\u202f000"}})));
  fields.pair = 63;  // a turn is 54 410 positions
  const double turns = 131072 / wavelength(plain_frequencies(128, 10000)[63]);
  ASSERT_NEAR(turns, 2.41, 0.005);
  EXPECT_TRUE(
      says(figure("helix"), text.format("view.rotation.cut", {{"turns", "2.41"}, {"positions", "131\u202f072"}})));
  fields.span = 131072;  // asked for
  for (const Label& label : figure("helix").labels) EXPECT_THAT(label.text, Not(Says("view.rotation.cut")));
}

TEST_F(RotationView, AStillPairHasAHelixToo) {
  experiment.rope.scaling.method = "proportional";
  experiment.rope.scaling["live_fraction"] = 0.25;
  fields.pair = 60;
  for (const RotationShow show :
       {RotationShow::turn, RotationShow::helix, RotationShow::forms, RotationShow::pairing}) {
    fields.show = show;
    EXPECT_FALSE(draw().readouts.empty()) << word_of(show);
  }
}

TEST_F(RotationView, WComesBeforeTheRotation) {
  fields.show = RotationShow::weights;
  fields.pair = 3;
  fields.x1 = 0.5, fields.x2 = -2, fields.w11 = 1, fields.w12 = 0.25, fields.w21 = -1, fields.w22 = 0.75;
  const RotationState state = rotation_state(experiment);
  const RotationWeights weights = rotation_weights(state);
  EXPECT_EQ(weights.projected, Eigen::Vector2d(0, -2));
  const double angle = fields.query_position * state.frequency;
  EXPECT_NEAR(weights.turned.x(), 2 * std::sin(angle), 1e-15);
  EXPECT_NEAR(weights.turned.y(), -2 * std::cos(angle), 1e-15);
  const ViewResult result = draw();
  const Figure sheet = figure("weights");
  EXPECT_TRUE(says(sheet, "1.00 · 0.50 + 0.25 · (−2.00)")) << "each product is written out";
  EXPECT_TRUE(says(sheet, "(−1.00) · 0.50 + 0.75 · (−2.00)"));
  EXPECT_EQ(std::get<Quantity>(readout(result, "rotation.projected").value).number.value, 2);
  // W here is no turn, so that the order matters; where it is one, it does not.
  EXPECT_GT(std::get<Quantity>(readout(result, "rotation.weights_order").value).number.value, 0.1);
  fields.w11 = fields.w22 = 0.6, fields.w12 = -0.8, fields.w21 = 0.8;
  EXPECT_LT(std::get<Quantity>(readout(draw(), "rotation.weights_order").value).number.value, 1e-14);
  drag("x", 0.25, -1);
  EXPECT_EQ(fields.x1, 0.25);
  EXPECT_EQ(fields.x2, -1);
}

TEST_F(RotationView, OnlyNeighboursAreAsFluxHasThem) {
  fields.show = RotationShow::forms;
  experiment.rope.pairing = Pairing::interleaved;
  EXPECT_EQ(figure("columns").title, text["view.rotation.forms.columns"]);
  experiment.rope.pairing = Pairing::half_split;
  EXPECT_EQ(figure("columns").title, text["view.rotation.forms.columns_half"]);
}

TEST_F(RotationView, TheFormsAgreeInBothPairings) {
  fields.show = RotationShow::forms;
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half_split}) {
    for (const double dim : {2.0, 4.0, 6.0, 8.0}) {
      for (const double position : {0.0, 7.0, 131072.0}) {
        experiment.rope.pairing = pairing;
        fields.form_dim = dim;
        fields.query_position = position;
        const RotationForms forms = rotation_forms(rotation_state(experiment));
        EXPECT_LT(forms.largest_difference, 1e-15) << word_of(pairing) << dim;
        // Pair by pair, written out once more.
        for (int pair = 0; pair < forms.pairs; ++pair) {
          const auto [a, b] = pair_channels(forms.pairing, pair, forms.pairs);
          const double angle = position * std::pow(10000, -2.0 * pair / dim);
          EXPECT_NEAR(forms.by_columns[a], forms.x[a] * std::cos(angle) - forms.x[b] * std::sin(angle), 1e-9);
          EXPECT_NEAR(forms.by_columns[b], forms.x[b] * std::cos(angle) + forms.x[a] * std::sin(angle), 1e-9);
          EXPECT_EQ(forms.companion[a], -forms.x[b]);
          EXPECT_EQ(forms.companion[b], forms.x[a]);
        }
        EXPECT_EQ(draw().panels.size(), 6u);
        // Even and odd channels apart, as the code has them.
        for (int pair = 0; pair < forms.pairs; ++pair) {
          const auto [a, b] = pair_channels(forms.pairing, pair, forms.pairs);
          EXPECT_EQ(forms.even[pair], forms.x[a]);
          EXPECT_EQ(forms.odd[pair], forms.x[b]);
          EXPECT_EQ(forms.by_stack[a], forms.turned_even[pair]);
          EXPECT_EQ(forms.by_stack[b], forms.turned_odd[pair]);
        }
      }
    }
  }
}

TEST_F(RotationView, AFormInTheWrongPairingWouldShow) {
  fields.show = RotationShow::forms;
  RotationForms forms = rotation_forms(rotation_state(experiment));
  const Eigen::VectorXd wrong = rotate_blocks(forms.x, forms.blocks, Pairing::interleaved);  // the rope is half split
  EXPECT_GT((wrong - forms.by_matrix).cwiseAbs().maxCoeff(), 0.01);
}

/// The width of "−0.52" in ems of its own size, with a little air.
constexpr double kNumberEms = 3.1;

TEST_F(RotationView, NumbersStandInsideTheirBrackets) {
  fields.show = RotationShow::forms;
  // Widths of the panels in a window of 1280 × 720, and the size of its tick labels, in pixels.
  constexpr double kEm = 13;
  const struct {
    const char* name;
    double width;
  } sheets[] = {{"matrix", 316}, {"elements", 214}, {"columns", 214}, {"stack", 260}};
  for (const double dim : {2.0, 4.0, 6.0, 8.0}) {
    fields.form_dim = dim;
    for (const auto& [name, width] : sheets) {
      const Figure sheet = figure(name);
      const double per_unit = width / (sheet.x.range.high - sheet.x.range.low);
      for (const Path& brackets : sheet.paths) {
        if (brackets.key != "brackets") continue;
        const double left = brackets.xs[1], right = brackets.xs[6];
        EXPECT_GE(left, 0) << name;
        EXPECT_LE(right, sheet.x.range.high) << name;
        for (const Label& label : sheet.labels) {
          if (label.x < left || label.x > right || label.y < 0) continue;
          EXPECT_LT(label.size * kEm * kNumberEms, (right - left) * per_unit) << name << dim << label.text;
        }
      }
    }
  }
}

TEST_F(RotationView, AComplexProductHasTwoLinesForItsTwoChannels) {
  fields.show = RotationShow::forms;
  for (const double dim : {2.0, 8.0}) {
    fields.form_dim = dim;
    const Figure complex = figure("complex");
    EXPECT_TRUE(says(complex, "7.00"));
    EXPECT_TRUE(says(complex, "(0.75 + 0.66i)"));
    for (const Label& label : complex.labels) {
      EXPECT_GE(label.size, 0.85) << label.text;
      EXPECT_EQ(label.y, std::round(label.y)) << "a row of its own";
    }
  }
}

TEST_F(RotationView, FormsSpeakOfTheirOwnLadder) {
  fields.show = RotationShow::forms;
  EXPECT_EQ(draw().status, text.format("view.rotation.status_forms", {{"channels", "4"}, {"base", "10\u202f000"}}));
  experiment.rope.base = 500000;
  fields.form_dim = 8;
  EXPECT_EQ(draw().status, text.format("view.rotation.status_forms", {{"channels", "8"}, {"base", "500\u202f000"}}));
  fields.show = RotationShow::pairing;
  EXPECT_EQ(draw().status, "64 pairs · distances 0 to 256");
}

TEST_F(RotationView, TheMatrixIsAMapOfItsCells) {
  fields.show = RotationShow::forms;
  experiment.rope.pairing = Pairing::interleaved;
  const Figure matrix = figure("matrix");
  ASSERT_EQ(matrix.maps.size(), 1u);
  const MapCells& cells = *matrix.maps[0].cells;
  ASSERT_EQ(cells.values.size(), 16u);
  EXPECT_EQ(matrix.maps[0].colours, MapColours::signed_value);
  EXPECT_FLOAT_EQ(cells.values[0], static_cast<float>(std::cos(7.0)));
  EXPECT_FLOAT_EQ(cells.values[1], static_cast<float>(-std::sin(7.0)));
  EXPECT_FLOAT_EQ(cells.values[4], static_cast<float>(std::sin(7.0)));
  EXPECT_EQ(cells.values[2], 0);
  EXPECT_TRUE(says(matrix, "−0.66"));
  EXPECT_TRUE(matrix.y.reversed);
}

TEST_F(RotationView, EveryFormWritesTheSameResult) {
  fields.show = RotationShow::forms;
  const RotationForms forms = rotation_forms(rotation_state(experiment));
  for (const char* name : {"matrix", "elements", "columns", "stack", "blocks"}) {
    const Figure sheet = figure(name);
    for (const double number : forms.by_matrix) {
      char words[16];
      std::snprintf(words, sizeof words, "%.2f", std::abs(number));
      EXPECT_TRUE(says(sheet, words)) << name << " " << words;
    }
  }
}

TEST_F(RotationView, ChannelsGlideToTheirPlaces) {
  fields.show = RotationShow::pairing;
  const std::vector<int> from = half_split_from_interleaved(4);
  for (const double progress : {0.0, 0.5, 1.0}) {
    fields.permute = progress;
    const Figure permutation = figure("permutation");
    for (int target = 0; target < 8; ++target) {
      const int source = from[static_cast<std::size_t>(target)];
      const std::string name = std::string("x\xE2\x82") + static_cast<char>(0x80 + source);
      const auto label = std::find_if(permutation.labels.begin(), permutation.labels.end(),
                                      [&](const Label& one) { return one.text == name; });
      ASSERT_NE(label, permutation.labels.end()) << name;
      EXPECT_NEAR(label->x, source + progress * (target - source), 1e-12) << name;
      // On the way they make room for each other; at the ends they stand in their rows.
      EXPECT_NEAR(label->y, 3.4 * progress, progress == 0.5 && source != target ? 0.6 : 1e-12);
      EXPECT_EQ(label->style.slot, source / 2);  // one colour is one pair
    }
  }
}

TEST_F(RotationView, MixedPairingsAreWrongUnlessNothingTurns) {
  fields.show = RotationShow::pairing;
  fields.content = OtherPairs::random;
  fields.query_position = 900;
  fields.key_position = 500;
  const RotationState state = rotation_state(experiment);
  const RotationContent content = rotation_content(state);
  MixedInput input;
  input.frequencies = state.ladder.frequencies;
  input.pairing = Pairing::half_split;
  input.q = in_layout(content.q, input.pairing);
  input.k = in_layout(content.k, input.pairing);
  input.key_position = 500;
  input.reach = 10;
  const MixedScores scores = input.scores(900);
  EXPECT_NEAR(scores.right, all_scores(state, content).rotated, 1e-10);
  EXPECT_GT(std::abs(scores.other - scores.right), 1);
  EXPECT_GT(std::abs(scores.mixed - scores.right), 1);
  // The weights of one with the code of the other: still relative.
  input.key_position = 600;
  EXPECT_NEAR(input.scores(1000).other, scores.other, 1e-10);
  EXPECT_NEAR(input.scores(1000).right, scores.right, 1e-10);
  EXPECT_GT(std::abs(input.scores(1000).mixed - scores.mixed), 0.1);
  // Position 0 is the identity in every convention.
  input.key_position = 0;
  EXPECT_NEAR(input.scores(0).other, input.scores(0).right, 1e-12);
  EXPECT_NEAR(input.scores(400).mixed, input.scores(400).right, 1e-12);
  // The curve holds the same numbers.
  const Figure mixed = figure("mixed");
  ASSERT_EQ(mixed.lines.size(), 3u);
  input.key_position = 500;
  EXPECT_NEAR(mixed.lines[0].series->ys[100], input.scores(600).right, 1e-12);
  EXPECT_NEAR(mixed.lines[1].series->ys[100], input.scores(600).other, 1e-12);
  EXPECT_NEAR(mixed.lines[2].series->ys[100], input.scores(600).mixed, 1e-12);
}

TEST_F(RotationView, InLayoutMovesChannelsAsThePermutationSays) {
  const Eigen::VectorXd pair_order = Eigen::VectorXd::LinSpaced(8, 0, 7);
  EXPECT_EQ(in_layout(pair_order, Pairing::interleaved), pair_order);
  const Eigen::VectorXd half = in_layout(pair_order, Pairing::half_split);
  const std::vector<int> from = half_split_from_interleaved(4);
  for (int c = 0; c < 8; ++c) EXPECT_EQ(half[c], from[static_cast<std::size_t>(c)]);
}

}  // namespace
}  // namespace ropescope
