// The Check view: verdicts, maps and profiles of tables generated with and without a mistake.

#include "app/resources/models.h"
#include "core/check/phrases.h"
#include "tests/figures/check_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(CheckView, AnEmptyViewSaysWhatToDo) {
  const ViewResult result = draw();
  EXPECT_THAT(result.panels.front().figure.empty_message, Says("view.check.empty"));
  EXPECT_TRUE(result.readouts.empty());
  EXPECT_TRUE(result.fault.empty()) << "nothing is wrong";
  EXPECT_EQ(store.started(), 0);
}

TEST_F(CheckView, TrueTablesOfALayoutAgree) {
  give(tables_of(layout()));
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "check.verdict").text, "Agrees");
  EXPECT_FALSE(readout(result, "check.verdict").action);
  const Figure& map = figure(result, "map");
  EXPECT_EQ(map.maps.at(0).cells->columns, 27u);
  EXPECT_EQ(map.maps.at(0).cells->rows, 64u);
  for (const float margin : map.maps.at(0).cells->values) EXPECT_GE(margin, 0) << "beyond the tolerance";
  const Map& image = figure(result, "image").maps.at(0);
  EXPECT_EQ(image.cells->columns, 6u);
  EXPECT_EQ(image.cells->rows, 4u);
  EXPECT_TRUE(figure(result, "image").equal_axes);
  for (const double ratio : line(figure(result, "profile"), "difference").series->ys) EXPECT_LE(ratio, 1);
}

TEST_F(CheckView, TablesOfPosition0AreNoEvidence) {
  fields.against = CheckAgainst::rope;
  give(rope_tables(10'000, 8, 1));
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "check.verdict").text, "No evidence");
  EXPECT_THAT(readout(result, "check.verdict").note, StartsWith(text["readout.check_verdict.what_to_do"]));
  EXPECT_THAT(readout(result, "check.verdict").tooltip, HasSubstr("Evidence: 0 tokens, 0 pairs."));
}

TEST_F(CheckView, TheMapHoldsTheExactDifferences) {
  give_wrong_base(40);
  fields.measure = CheckMeasure::difference;
  const ViewResult result = draw();
  const MapCells& cells = *figure(result, "map").maps.at(0).cells;
  ASSERT_EQ(cells.columns, 40u);
  ASSERT_EQ(cells.rows, 8u);
  const MadeTables mine = rope_tables(20'000, 8, 40), expected = rope_tables(10'000, 8, 40);
  double largest = 0;
  for (std::size_t token = 0; token < 40; ++token) {
    for (std::size_t pair = 0; pair < 8; ++pair) {
      const std::size_t at = token * 8 + pair;
      const auto stored = [](double value) { return static_cast<double>(static_cast<float>(value)); };
      const double difference = std::max(std::abs(stored(mine.cosine[at]) - expected.cosine[at]),
                                         std::abs(stored(mine.sine[at]) - expected.sine[at]));
      largest = std::max(largest, difference);
      EXPECT_NEAR(static_cast<double>(cells.values[pair * 40 + token]), difference, 1e-7) << token << ", " << pair;
    }
  }
  EXPECT_NEAR(figure(result, "map").maps.at(0).range.high, largest, 1e-6);
  const auto& profile = line(figure(result, "profile"), "difference").series->ys;
  EXPECT_NEAR(*std::max_element(profile.begin(), profile.end()), largest, 1e-6);
  EXPECT_EQ(profile.at(0), 0) << "position 0 hides every base";
}

TEST_F(CheckView, ByToleranceTheMapIsTheMargin) {
  give_wrong_base(40);
  fields.measure = CheckMeasure::difference;
  const auto differences = figure(draw(), "map").maps.at(0).cells;
  fields.measure = CheckMeasure::tolerance;
  const ViewResult result = draw();
  const Map& map = figure(result, "map").maps.at(0);
  const auto at = [](std::size_t token, std::size_t pair) { return pair * 40 + token; };
  // Half a unit of float32 below 1 and 7e-7 of the angle.
  const double angle = 39 * std::pow(10'000.0, -3.0 / 8);
  const double tolerance = std::pow(2, -25) + 7e-7 * angle;
  const double margin = std::log10(tolerance / static_cast<double>(differences->values[at(39, 3)]));
  EXPECT_NEAR(static_cast<double>(map.cells->values[at(39, 3)]), margin, 0.05);
  EXPECT_LT(map.cells->values[at(39, 3)], -2);
  EXPECT_EQ(map.range.low, -map.range.high) << "0 is the tolerance itself";
  EXPECT_EQ(map.colours, MapColours::signed_value);
  EXPECT_EQ(map.cells->values[at(0, 3)], 1) << "no difference: as good as need be";
}

TEST_F(CheckView, AppliedToTheReferenceACauseExplainsTheDifference) {
  give_wrong_base();
  const ViewResult plain = draw();
  EXPECT_EQ(readout(plain, "check.verdict").text, disagrees("base"));
  const Readout& cause = readout(plain, "check.cause.base");
  EXPECT_THAT(cause.label, HasSubstr("Wrong base"));
  EXPECT_THAT(cause.text, HasSubstr("000"));
  ASSERT_TRUE(cause.action);
  EXPECT_FALSE(cause.action->on);
  const auto worst = [](const ViewResult& result, const char* name, const char* key) {
    const auto& ys = line(figure(result, name), key).series->ys;
    return *std::max_element(ys.begin(), ys.end());
  };
  EXPECT_GT(worst(plain, "profile", "difference"), 1000);

  kCheckView.act(experiment, cause.action->key);
  EXPECT_EQ(fields.applied, "base");
  const ViewResult applied = draw();
  for (const char* name : {"profile", "pairs"}) {
    EXPECT_LE(worst(applied, name, "difference"), 1) << "the residual is gone";
    EXPECT_GT(worst(applied, name, "before"), 1000) << "and what it was is still there to compare";
  }
  for (const float margin : figure(applied, "map").maps.at(0).cells->values) EXPECT_GE(margin, 0);
  EXPECT_THAT(figure(applied, "map").title, Says("view.check.applied", {{"cause", text["view.check.cause.base"]}}));
  EXPECT_EQ(readout(applied, "check.verdict").text, disagrees("base")) << "it is still another base";
  EXPECT_TRUE(readout(applied, "check.cause.base").action->on);

  kCheckView.act(experiment, cause.action->key);
  EXPECT_TRUE(fields.applied.empty()) << "the same button takes it back";
  EXPECT_GT(worst(draw(), "profile", "difference"), 1000);
}

TEST_F(CheckView, ACauseThatIsNotThereIsNotApplied) {
  give_wrong_base();
  const auto plain = figure(draw(), "map").maps.at(0).cells->values;
  fields.applied = "pairing";
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "map").maps.at(0).cells->values, plain);
  EXPECT_THAT(figure(result, "map").title, Not(HasSubstr("applied")));
}

TEST_F(CheckView, AnotherLanguageComputesNothing) {
  const auto texts = folder.path / "assets" / "text";
  fs::create_directories(texts);
  fs::copy(kAssets / "text" / "en.json", texts / "en.json");
  fs::create_directory_symlink(kAssets / "formulas", folder.path / "assets" / "formulas");
  std::ofstream(texts / "ja.json")
      << R"({"check": {"base": {"advice": "⟦{due}⟧"}, "note": {"single_columns": "⟦note⟧"}},
                                   "error": {"check": {"cos_or_sin_alone": "⟦alone⟧"}}})";
  const Text other = Text::load(folder.path / "assets", "ja");
  const auto notes = [&](const Text& language, const char* card) {
    return readout(kCheckView.figures(experiment, language, store), card).note;
  };
  give_wrong_base();
  const std::string english = notes(text, "check.cause.base");
  const auto computed = store.started();
  EXPECT_THAT(notes(other, "check.cause.base"), HasSubstr("⟦10\u202f000⟧"));
  EXPECT_THAT(notes(other, "check.verdict"), HasSubstr("⟦note⟧"));
  EXPECT_EQ(notes(text, "check.cause.base"), english);
  EXPECT_EQ(store.started(), computed);
  fields.files[CheckRole::sine].clear();
  EXPECT_THAT(draw().fault, Says("error.check.cos_or_sin_alone"));
  EXPECT_THAT(draw_view(kCheckView, experiment, other, store).fault, HasSubstr("cos.npy: ⟦alone⟧"));
  EXPECT_EQ(store.started(), computed + 1) << "the question without sin";
}

TEST_F(CheckView, FlippingShowsTheNumbersOfEitherSide) {
  give_wrong_base(40);
  const MadeTables mine = rope_tables(20'000, 8, 40), expected = rope_tables(10'000, 8, 40);
  const auto look = [&](bool shift) {
    Experiment flipped = experiment;
    kCheckView.flip(flipped, shift);
    return draw_view(kCheckView, flipped, text, store);
  };
  const ViewResult own = look(false), other = look(true);
  const Map &left = figure(own, "map").maps.at(0), &right = figure(other, "map").maps.at(0);
  EXPECT_EQ(left.key, "mine");
  EXPECT_EQ(right.key, "reference");
  for (const std::size_t token : {1u, 17u, 39u}) {
    for (std::size_t pair = 0; pair < 8; ++pair) {
      const std::size_t at = pair * 40 + token, from = token * 8 + pair;
      EXPECT_NEAR(static_cast<double>(left.cells->values[at]), mine.cosine[from], 1e-6);
      EXPECT_NEAR(static_cast<double>(right.cells->values[at]), expected.cosine[from], 1e-6);
    }
  }
  EXPECT_EQ(left.range, right.range) << "or the flip would show colours in place of numbers";
  EXPECT_EQ(fields.show, CheckShow::difference) << "to look is no edit";
  fields.show = CheckShow::mine;
  EXPECT_EQ(figure(look(false), "map").maps.at(0).key, "reference");
  fields.show = CheckShow::reference;
  EXPECT_EQ(figure(look(false), "map").maps.at(0).key, "mine");
}

TEST_F(CheckView, TheImageFlipsAPairOfItsPatches) {
  const TokenLayout model = layout();
  give(tables_of(model));
  fields.show = CheckShow::reference;
  fields.pair = 9;  // pair 8: the first one that rows turn
  const ViewResult result = draw();
  const MapCells& image = *figure(result, "image").maps.at(0).cells;
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 6; ++column) {
      EXPECT_NEAR(static_cast<double>(image.values[row * 6 + column]), std::cos(static_cast<double>(row)), 1e-6);
    }
  }
}

TEST_F(CheckView, AChangedFileIsReadAgain) {
  give_wrong_base();
  EXPECT_EQ(readout(draw(), "check.verdict").text, disagrees("base"));
  const std::vector<FileStamp> before = kCheckView.files(experiment);
  ASSERT_EQ(before.size(), 2u);
  give(rope_tables(10'000, 8, 500));
  EXPECT_NE(kCheckView.files(experiment), before);
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
}

TEST_F(CheckView, WhatIsWrongIsASentence) {
  fields.files[CheckRole::cosine] = (folder.path / "missing.npy").string();
  EXPECT_THAT(message(), AllOf(HasSubstr("missing.npy: "), Says("error.file.missing")));
  EXPECT_THAT(draw().fault, HasSubstr("missing.npy"));
  fields.files[CheckRole::cosine] = save_npy(folder.path / "cos.npy", {4, 8}, std::vector<double>(32, 1));
  EXPECT_THAT(message(), Says("error.check.cos_or_sin_alone"));
  fields.against = CheckAgainst::rope;
  fields.positions = "1,x";
  EXPECT_THAT(message(), HasSubstr("check.positions"));
}

TEST_F(CheckView, TheCardsSayHowFarPositionsReachAndWhatWasNoted) {
  CheckReport report;
  report.notes = {Message("check.note.square")};
  report.reach = {{"t", 0, 0, 0}, {"row", 0, 3, 0.25}};
  CheckedInput input;
  input.which = "cos";
  input.largest_difference = 3e-8;
  input.tolerance = 6e-8;
  input.row = 12;
  report.inputs = {input};
  ViewResult result;
  result.readouts = in_words(check_readouts(report, {}, "", text), text);
  EXPECT_EQ(readout(result, "check.reach").text, "t 0 · row 0 … 3");
  EXPECT_THAT(readout(result, "check.reach").tooltip, HasSubstr("0.25 rad"));
  EXPECT_EQ(readout(result, "check.verdict").note, text["check.note.square"]);
  EXPECT_THAT(readout(result, "check.largest").note, HasSubstr("token 12"));
  report.inputs[0].tolerance = 7e-46;  // of an id 0 in float32
  ViewResult exact;
  exact.readouts = in_words(check_readouts(report, {}, "", text), text);
  EXPECT_THAT(readout(exact, "check.largest").note,
              Says("readout.check_largest.note", {{"tolerance", text["view.check.no_tolerance"]}}));
  EXPECT_THAT(readout(exact, "check.largest").tooltip, HasSubstr(text["view.check.no_tolerance"]));
  report.inputs[0].tolerance = 6e-8;
  report.verdict = Verdict::disagrees;
  CheckCause cause;
  cause.name = "axes-swapped";
  cause.parameters = {{"kind", named_value("height-width")}};
  cause.also = {"order"};
  report.causes = {cause, cause};
  report.causes[1].name = "position-format";
  report.causes[1].parameters = {{"format", verbatim("bfloat16")}};
  result.readouts = in_words(check_readouts(report, {}, "", text), text);
  EXPECT_EQ(readout(result, "check.verdict").text, "Disagrees: 2 causes");
  EXPECT_EQ(readout(result, "check.cause.axes-swapped").text, "height-width");
  EXPECT_THAT(readout(result, "check.cause.axes-swapped").tooltip, HasSubstr("order"));
  EXPECT_EQ(readout(result, "check.cause.position-format").text, "bfloat16");
}

TEST_F(CheckView, AClickPicksATokenAndAPair) {
  give(tables_of(layout()));
  kCheckView.react(experiment, {FigureEvent::Kind::click, "map", "", 12.2, 30.8});
  EXPECT_EQ(fields.token, 13);
  EXPECT_EQ(fields.pair, 32);
  kCheckView.react(experiment, {FigureEvent::Kind::click, "image", "", 2, 1});
  EXPECT_EQ(fields.token, 3 + 6 + 2 + 1) << "after the text, a row further, counted from 1";
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "map").rules.at(0).at, 11);
  ASSERT_EQ(figure(result, "image").boxes.size(), 1u);
  EXPECT_EQ(figure(result, "image").boxes[0].x, (Range{1.5, 2.5}));
  kCheckView.react(experiment, {FigureEvent::Kind::click, "image", "", 50, 1});
  EXPECT_EQ(fields.token, 12) << "beside the image there is no patch";
}

TEST_F(CheckView, WithoutAnImageTheNumbersOfOneTokenStandBesideEachOther) {
  give_wrong_base(40);
  fields.token = 21;
  const ViewResult result = draw();
  const Figure& row = figure(result, "row");
  const MadeTables mine = rope_tables(20'000, 8, 40), expected = rope_tables(10'000, 8, 40);
  for (std::size_t pair = 0; pair < 8; ++pair) {
    EXPECT_NEAR(line(row, "mine").series->ys[pair], mine.cosine[20 * 8 + pair], 1e-6);
    EXPECT_NEAR(line(row, "reference").series->ys[pair], expected.cosine[20 * 8 + pair], 1e-6);
  }
  for (const Panel& panel : result.panels) EXPECT_NE(panel.figure.name, "image");
  // In a small panel a legend would cover them; the title says it.
  EXPECT_FALSE(row.legend);
  EXPECT_THAT(row.title, HasSubstr("reference dashed"));
  EXPECT_EQ(row.x.label, "pair i of token 20");
  EXPECT_NE(line(row, "reference").style.slot, 0) << "slot 0 alone is solid";
  EXPECT_EQ(line(row, "mine").style.slot, 0);
}

TEST_F(CheckView, AStripOfAnImageFillsItsPanel) {
  experiment.layout.rows = 300;
  experiment.layout.columns = 1;
  give(tables_of(layout()));
  EXPECT_FALSE(figure(draw(), "image").equal_axes) << "it would be a line";
  experiment.layout.rows = 8;
  give(tables_of(layout()));
  EXPECT_TRUE(figure(draw(), "image").equal_axes);
}

TEST_F(CheckView, TwoDumpsCompareWithoutAModel) {
  fields.against = CheckAgainst::dump;
  EXPECT_THAT(message(), Says("view.check.empty_dump"));
  give(rope_tables(20'000, 8, 40));
  const std::string tables = text["view.check.role.against_cos"] + ", " + text["view.check.role.against_sin"];
  EXPECT_THAT(message(), Says("view.check.missing", {{"tables", tables}}));
  EXPECT_TRUE(draw().fault.empty()) << "nothing is wrong yet";
  give_other(rope_tables(10'000, 8, 40));
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "check.verdict").text, disagrees("base"));
  EXPECT_EQ(kCheckView.files(experiment).size(), 4u);
  const MadeTables mine = rope_tables(20'000, 8, 40), expected = rope_tables(10'000, 8, 40);
  for (const CheckShow show : {CheckShow::mine, CheckShow::reference}) {
    fields.show = show;
    const auto cells = figure(draw(), "map").maps.at(0).cells;
    const MadeTables& side = fields.show == CheckShow::mine ? mine : expected;
    for (const std::size_t token : {1u, 39u}) {
      EXPECT_NEAR(static_cast<double>(cells->values[3 * 40 + token]), side.cosine[token * 8 + 3], 1e-6)
          << word_of(show);
    }
  }
  fields.show = CheckShow::difference;
  kCheckView.act(experiment, readout(result, "check.cause.base").action->key);
  for (const double ratio : line(figure(draw(), "profile"), "difference").series->ys) EXPECT_LE(ratio, 1);
  give(rope_tables(10'000, 8, 40));
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
}

TEST_F(CheckView, ADumpThatFollowsNoLadderIsComparedAsItIs) {
  MadeTables tables = rope_tables(10'000, 8, 40);
  std::reverse(tables.cosine.begin(), tables.cosine.end());
  std::reverse(tables.sine.begin(), tables.sine.end());
  give_other(tables);
  give(tables);
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  tables.cosine[5 * 8 + 2] += 0.25;
  give(tables);
  fields.measure = CheckMeasure::difference;
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "check.verdict").text, disagrees("unknown"));
  const auto cells = figure(result, "map").maps.at(0).cells;
  for (std::size_t at = 0; at < cells->values.size(); ++at) {
    EXPECT_NEAR(static_cast<double>(cells->values[at]), at == 2 * 40 + 5 ? 0.25 : 0, 1e-6) << at;
  }
}

TEST_F(CheckView, TwoDumpsOfferTheirFourBoxes) {
  fields.positions = "1,x";
  fields.files[CheckRole::ids] = (folder.path / "missing.npy").string();
  give(rope_tables(10'000, 8, 40));
  give_other(rope_tables(10'000, 8, 40));
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees") << "what is not offered does not count";
  const Controls controls(fields_of(kCheckView, experiment));
  for (const char* key : {"check.cos", "check.sin", "check.against_cos", "check.against_sin"}) {
    EXPECT_EQ(controls.keys.count(key), 1u) << key;
  }
  for (const char* key : {"check.ids", "check.offer", "check.pairing", "check.positions", "check.part", "rope.base"}) {
    EXPECT_EQ(controls.keys.count(key), 0u) << key;
  }
  EXPECT_EQ(kCheckView.subject(experiment, text), "Another dump");
  fields.against = CheckAgainst::layout;
  const Controls of_layout(fields_of(kCheckView, experiment));
  EXPECT_EQ(of_layout.keys.count("check.against_cos"), 0u);
}

TEST_F(CheckView, AWrongSignIsAFaultOfReleasedWeights) {
  MadeTables backwards = tables_of(layout());
  for (double& sine : backwards.sine) sine = -sine;
  give(backwards);
  EXPECT_EQ(readout(draw(), "check.verdict").text, disagrees("sign"));
  fields.allow_sign = true;
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  // A rope of own numbers is nobody's yet; one of a preset is.
  fields.allow_sign = false;
  fields.against = CheckAgainst::rope;
  backwards = rope_tables(10'000, 8, 64);
  for (double& sine : backwards.sine) sine = -sine;
  give(backwards);
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  experiment.rope.model = "llama-2-7b";
  EXPECT_EQ(readout(draw(), "check.verdict").text, disagrees("sign"));
}

/// Gemma 3's sliding layers turn by base 10 000 without its factor: tables of theirs are no fault of the model.
TEST_F(CheckView, AnotherProfileOfTheModelIsTried) {
  const Preset gemma = load_preset(kAssets, "gemma-3-4b-it");
  const auto choose = [&](std::size_t which) {
    experiment.rope = to_rope_fields(gemma.profiles.at(which), gemma.name);
    experiment.rope.model = gemma.id;
    experiment.rope.profile = gemma.profiles[which].name;
  };
  fields.against = CheckAgainst::rope;
  choose(0);
  give(rope_tables(10'000, 128, 40));
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  // The second one was chosen: tables of the first are those of another profile.
  choose(1);
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  MadeTables full = rope_tables(1'000'000, 128, 40);
  for (std::size_t i = 0; i < full.cosine.size(); ++i) {
    const auto token = static_cast<double>(i / 128), pair = static_cast<double>(i % 128);
    const double angle = token / 8 * std::pow(1'000'000, -pair / 128);
    full.cosine[i] = std::cos(angle), full.sine[i] = std::sin(angle);
  }
  give(full);
  const ViewResult other = draw();
  EXPECT_EQ(readout(other, "check.verdict").text, disagrees("profile"));
  EXPECT_FALSE(readout(other, "check.cause.profile").action.has_value()) << "there is nothing to apply";
}

TEST_F(CheckView, FrequenciesAloneAreLines) {
  fields.against = CheckAgainst::rope;
  std::vector<double> frequencies;
  for (int pair = 0; pair < 8; ++pair) frequencies.push_back(std::pow(20'000.0, -pair / 8.0));
  fields.files[CheckRole::frequencies] = save_npy(folder.path / "inv_freq.npy", {8}, frequencies);
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "check.verdict").text, disagrees("base"));
  const Figure& lines = figure(result, "frequencies");
  EXPECT_NEAR(line(lines, "mine").series->ys[5], frequencies[5], 1e-7);
  EXPECT_NEAR(line(lines, "reference").series->ys[5], std::pow(10'000.0, -5 / 8.0), 1e-12);
  kCheckView.act(experiment, readout(result, "check.cause.base").action->key);
  const ViewResult applied = draw();
  EXPECT_NEAR(line(figure(applied, "frequencies"), "reference").series->ys[5], frequencies[5], 1e-5);
  // Those that are missing have their place too.
  frequencies.resize(3);
  fields.files[CheckRole::frequencies] = save_npy(folder.path / "few.npy", {3}, frequencies);
  fields.applied.clear();
  const ViewResult few = draw();
  EXPECT_EQ(line(figure(few, "frequencies"), "reference").series->ys.size(), 8U);
  EXPECT_GE(figure(few, "frequencies").x.range.high, 7);
}

}  // namespace
}  // namespace ropescope
