#include "app/views/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/resources/models.h"
#include "app/views/compare_inputs.h"
#include "app/views/encodings.h"
#include "app/views/sentence.h"
#include "core/error.h"

namespace ropescope {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(ROPESCOPE_SOURCE_DIR) / "assets";

class CompareView : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  Experiment experiment;
  CompareKnobs& knobs = experiment.compare;

  void SetUp() override {
    experiment.view = "compare";
    experiment.rope.rotary_dim = 32;
    experiment.rope.head_dim = 32;
  }
  ViewResult draw() { return compare_figures(experiment, text, store); }
  const Figure& figure(const ViewResult& result, const std::string& name) {
    for (const Panel& panel : result.panels) {
      if (panel.figure.name == name) return panel.figure;
    }
    throw std::runtime_error("no figure " + name);
  }
  const Readout& readout(const ViewResult& result, const std::string& key) {
    for (const Readout& each : result.readouts) {
      if (each.key == key) return each;
    }
    throw std::runtime_error("no readout " + key);
  }
  const Line& line(const Figure& of, const std::string& key) {
    for (const Line& each : of.lines) {
      if (each.key == key) return each;
    }
    throw std::runtime_error("no line " + key);
  }
  std::shared_ptr<const EncodingModel> model(const std::string& name) {
    const Encoding& encoding = find_encoding(name);
    return make_model(encoding, encoding_settings_of(experiment, encoding));
  }
  QueryAndKey content() { return query_and_key({knobs.content == "random", 1}, 32); }
};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Encoding& encoding : all_encodings()) names.emplace_back(encoding.name);
  return names;
}

TEST_F(CompareView, EveryCurveIsTheScoreOfItsEncoding) {
  knobs.encodings = all_names();
  knobs.span = 40;
  knobs.key_position = 5;
  knobs.later_keys = true;
  for (const char* how : {"aligned", "random"}) {
    knobs.content = how;
    const auto [q, k] = content();
    for (const bool normalised : {false, true}) {
      knobs.normalised = normalised;
      const ViewResult result = draw();
      const Figure& scores = figure(result, "scores");
      ASSERT_EQ(scores.lines.size(), all_encodings().size());
      for (const Encoding& encoding : all_encodings()) {
        const auto of = model(std::string(encoding.name));
        const Series& series = *line(scores, std::string(encoding.name)).series;
        ASSERT_EQ(series.ys.size(), 81u);
        for (std::size_t i = 0; i < series.ys.size(); i += 3) {
          const auto distance = static_cast<std::int64_t>(series.x_at(i));
          const double unit = normalised ? q.norm() * k.norm() * of->scale() : 1;
          if (5 + distance < 0 && !encoding.past_trained_length) {
            EXPECT_TRUE(std::isnan(series.ys[i])) << encoding.name;
          } else {
            EXPECT_NEAR(series.ys[i], of->score(q, k, 5 + distance, 5) / unit, 1e-9) << encoding.name << distance;
          }
        }
      }
    }
  }
}

TEST_F(CompareView, NormalisedRopeIsTheSimilarityKernel) {
  knobs.encodings = {"none", "rope"};
  const ViewResult result = draw();
  const Series& rope = *line(figure(result, "scores"), "rope").series;
  const Series& none = *line(figure(result, "scores"), "none").series;
  EXPECT_NEAR(rope.ys[0], 1, 1e-14);
  EXPECT_NEAR(none.ys[700], 1, 1e-14);
  double kernel = 0;
  for (int pair = 0; pair < 16; ++pair) kernel += std::cos(37 * std::pow(10000.0, -pair / 16.0)) / 16;
  EXPECT_NEAR(rope.ys[37], kernel, 1e-13);
}

TEST_F(CompareView, LearnedTablesEndVisibly) {
  knobs.encodings = {"learned", "tupe", "rope"};
  knobs.span = 100;
  knobs.key_position = 10;
  experiment.encoding.table_length = 60;
  const ViewResult result = draw();
  const Figure& scores = figure(result, "scores");
  for (const char* name : {"learned", "tupe"}) {
    const Series& series = *line(scores, name).series;
    for (std::size_t distance = 0; distance <= 100; ++distance) {
      EXPECT_EQ(std::isnan(series.ys[distance]), distance >= 50) << name << " " << distance;
    }
  }
  EXPECT_FALSE(std::isnan(line(scores, "rope").series->ys[100]));
  ASSERT_EQ(scores.rules.size(), 1u) << "tables of the same length end once";
  EXPECT_EQ(scores.rules[0].at, 50);
  EXPECT_EQ(scores.rules[0].label, "table ends at 60");
  EXPECT_EQ(readout(result, "compare_defined").value, "1 of 3");
  knobs.key_position = 60;
  const ViewResult past = draw();
  EXPECT_TRUE(figure(past, "scores").rules.empty());
  EXPECT_NE(readout(past, "compare_defined").note.find("key at 60"), std::string::npos);
}

TEST_F(CompareView, SaysWhichAreRelativeAndLearned) {
  knobs.encodings = {"sinusoidal", "t5", "rope", "alibi"};
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "compare_relative").value, "3 of 4");
  EXPECT_NE(readout(result, "compare_relative").note.find("Sinusoidal"), std::string::npos);
  EXPECT_EQ(readout(result, "compare_learned").value, "32");
  EXPECT_NE(readout(result, "compare_learned").note.find("seeded"), std::string::npos);
  EXPECT_EQ(readout(result, "compare_defined").value, "4 of 4");
  EXPECT_EQ(readout(result, "compare_formula").value, "Sinusoidal") << "of the first curve";
  const Series& alibi = *line(figure(result, "scores"), "alibi").series;
  experiment.pointer = Pointer{"scores", 300, alibi.ys[300]};
  EXPECT_EQ(readout(draw(), "compare_formula").value, "ALiBi") << "of the curve under the mouse";
}

TEST_F(CompareView, AnEncodingKeepsItsLook) {
  std::set<int> slots;
  for (const Encoding& encoding : all_encodings()) {
    // Five colours with five dashes each; the next slot would look like the first.
    EXPECT_LT(encoding_slot(encoding.name), 25) << encoding.name;
    EXPECT_TRUE(slots.insert(encoding_slot(encoding.name)).second) << encoding.name;
  }
  std::set<int> colours;
  for (const std::string& name : CompareKnobs().encodings) {
    EXPECT_TRUE(colours.insert(encoding_slot(name) % 5).second) << name << " has a colour of its own at first";
  }
  knobs.encodings = {"rope"};
  const int alone = figure(draw(), "scores").lines.at(0).style.slot;
  knobs.encodings = all_names();
  EXPECT_EQ(line(figure(draw(), "scores"), "rope").style.slot, alone);
}

TEST_F(CompareView, NotesFitTheirCardsAndFormulasAreWholeInTooltips) {
  knobs.encodings = all_names();
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "compare_learned").note.find("Shaw"), std::string::npos) << "only the largest";
  EXPECT_NE(readout(result, "compare_learned").note.find("Most: TUPE"), std::string::npos);
  EXPECT_NE(readout(result, "compare_learned").tooltip.find("Shaw "), std::string::npos);
  for (const Encoding& encoding : all_encodings()) {
    knobs.encodings = {std::string(encoding.name)};
    const Readout formula = readout(draw(), "compare_formula");
    std::size_t letters = 0;
    for (const char c : formula.note) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    EXPECT_LE(letters, 52u) << formula.note;
    EXPECT_NE(formula.tooltip.find(encoding.formula), std::string::npos) << encoding.name;
    EXPECT_NE(formula.tooltip.find(encoding.scale_rule), std::string::npos) << encoding.name;
    const std::string scale(encoding.scale_rule.substr(0, encoding.scale_rule.find_first_of(",;")));
    const bool scale_first = scale == "none" || formula.note.rfind(scale, 0) == 0;
    EXPECT_TRUE(scale_first) << formula.note;
  }
}

TEST_F(CompareView, SeveralTermsLeaveRoomForTheNamesOfTheirCurves) {
  knobs.show = "matrix";
  for (const char* name : {"sinusoidal", "learned", "transformer-xl", "rope", "shaw"}) {
    knobs.encoding = name;
    const ViewResult result = draw();
    for (std::size_t i = 0; i < result.panels.size(); ++i) {
      const Panel& panel = result.panels[i];
      EXPECT_EQ(panel.figure.equal_axes, panel.figure.name != "row") << "cells are square";
      if (panel.figure.name != "row" || panel.figure.lines.size() < 4) continue;
      EXPECT_EQ(i, 1u) << "beside the total";
      EXPECT_GE(panel.width_share, 2);
    }
  }
}

TEST_F(CompareView, WhatCannotBeComputedIsLeftOutAndSaysWhy) {
  experiment.rope.rotary_dim = experiment.rope.head_dim = 4096;
  knobs.encodings = {"tupe", "alibi"};
  knobs.span = 16;
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "scores").lines.size(), 1u);
  EXPECT_NE(readout(result, "compare_fault").note.find("tupe: dim is 4096"), std::string::npos);
  knobs.encodings = {"tupe"};
  EXPECT_NE(draw().panels.at(0).figure.empty_message.find("tupe: dim is 4096"), std::string::npos);
  knobs.encodings.clear();
  EXPECT_FALSE(draw().panels.at(0).figure.empty_message.empty());
  knobs.show = "matrix";
  knobs.encoding = "tupe";
  EXPECT_NE(draw().panels.at(0).figure.empty_message.find("tupe: dim is 4096"), std::string::npos);
}

TEST_F(CompareView, MatricesAreTheScoresTermByTerm) {
  knobs.show = "matrix";
  knobs.size = 20;
  knobs.first_position = 7;
  for (const std::string& name : all_names()) {
    knobs.encoding = name;
    const auto of = model(name);
    const auto [q, k] = content();
    const ViewResult result = draw();
    const std::size_t terms = of->term_names().size();
    ASSERT_EQ(result.panels.size(), (terms > 1 ? 1 + terms : 1) + 1) << name;
    const Map& total = figure(result, "total").maps.at(0);
    EXPECT_TRUE(figure(result, "total").y.reversed);
    for (std::int64_t m = 7; m < 27; m += 3) {
      for (std::int64_t n = 7; n < 27; n += 4) {
        const auto exact = of->terms(q, k, m, n);
        double sum = 0;
        for (std::size_t term = 0; term < exact.size(); ++term) {
          sum += exact[term].value;
          if (terms < 2) continue;
          const Figure& part = figure(result, "term" + std::to_string(term + 1));
          EXPECT_EQ(part.title, exact[term].name);
          EXPECT_NEAR(part.maps.at(0).exact(static_cast<double>(n), static_cast<double>(m)), exact[term].value, 1e-9);
          EXPECT_EQ(part.maps.at(0).range, total.range) << "one scale of colours";
        }
        EXPECT_NEAR(total.exact(static_cast<double>(n), static_cast<double>(m)), sum, 1e-9) << name;
        const auto cell = static_cast<std::size_t>((m - 7) * 20 + (n - 7));
        EXPECT_NEAR(static_cast<double>(total.cells->values[cell]), sum, 1e-4) << name;
      }
    }
    EXPECT_TRUE(std::isnan(total.exact(27, 10)));
    EXPECT_TRUE(std::isnan(total.exact(10, 6)));
  }
}

TEST_F(CompareView, RelativeMatricesHaveDiagonalStripesAndAbsoluteOnesHaveNot) {
  knobs.show = "matrix";
  knobs.size = 24;
  for (const Encoding& encoding : all_encodings()) {
    knobs.encoding = encoding.name;
    const ViewResult result = draw();
    const MapCells& cells = *figure(result, "total").maps.at(0).cells;
    float change = 0;
    for (std::size_t row = 1; row < cells.rows; ++row) {
      for (std::size_t column = 1; column < cells.columns; ++column) {
        change = std::max(change, std::abs(cells.values[row * cells.columns + column] -
                                           cells.values[(row - 1) * cells.columns + column - 1]));
      }
    }
    const double along = std::stod(readout(result, "compare_diagonals").value);
    if (encoding.relative) {
      EXPECT_LT(change, 1e-5F) << encoding.name;
      EXPECT_EQ(along, 0) << encoding.name;
    } else {
      EXPECT_GT(change, 1e-3F) << encoding.name;
      EXPECT_GE(along, static_cast<double>(change) * 0.9) << encoding.name;
    }
  }
}

TEST_F(CompareView, TermsThatSeePositionAreCounted) {
  knobs.show = "matrix";
  knobs.encoding = "alibi";
  EXPECT_EQ(readout(draw(), "compare_terms").value, "1 of 2");
  EXPECT_EQ(readout(draw(), "compare_terms").note, "bias.");
  knobs.encoding = "none";
  EXPECT_EQ(readout(draw(), "compare_terms").value, "0 of 1");
}

TEST_F(CompareView, PastTheTableTheMatrixIsHatched) {
  knobs.show = "matrix";
  knobs.encoding = "learned";
  knobs.size = 16;
  experiment.encoding.table_length = 10;
  const ViewResult result = draw();
  const MapCells& cells = *figure(result, "total").maps.at(0).cells;
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 16; ++column) {
      EXPECT_EQ(std::isnan(cells.values[row * 16 + column]), row >= 10 || column >= 10);
    }
  }
  EXPECT_NE(readout(result, "compare_learned").note.find("10 rows"), std::string::npos);
  EXPECT_NE(readout(result, "compare_learned").note.find("random"), std::string::npos);
}

TEST_F(CompareView, ColoursCanBeFitted) {
  knobs.show = "matrix";
  knobs.encoding = "alibi";
  knobs.colours = "fitted";
  const ViewResult result = draw();
  const Map& bias = figure(result, "term2").maps.at(0);
  EXPECT_EQ(bias.colours, MapColours::magnitude);
  EXPECT_NEAR(bias.range.low, -0.5 * 63, 1e-12);
  EXPECT_EQ(bias.range.high, 0);
  const Map& constant = figure(result, "term1").maps.at(0);
  EXPECT_LT(constant.range.low, constant.range.high) << "one value alone makes a range, too";
}

TEST_F(CompareView, TheRowOfScoresFollowsTheMouseAndAClickKeepsIt) {
  knobs.show = "matrix";
  knobs.encoding = "rope";
  knobs.query = 3;
  const auto [q, k] = content();
  EXPECT_NEAR(figure(draw(), "row").lines.at(0).series->ys[9], model("rope")->score(q, k, 3, 9), 1e-12);
  experiment.pointer = Pointer{"total", 5, 11.3};
  EXPECT_NEAR(figure(draw(), "row").lines.at(0).series->ys[9], model("rope")->score(q, k, 11, 9), 1e-12);
  react_compare(experiment, {FigureEvent::Kind::click, "total", "", 5, 20.2});
  EXPECT_EQ(knobs.query, 20);
  react_compare(experiment, {FigureEvent::Kind::click, "total", "", 5, 900});
  EXPECT_EQ(knobs.query, 63);
  knobs.first_position = 1000;
  experiment.pointer.reset();
  EXPECT_NE(figure(draw(), "row").title.find("at 1\u202f000"), std::string::npos);
}

TEST_F(CompareView, APhraseKeepsItsScoresWhereTheEncodingIsRelative) {
  knobs.show = "phrase";
  for (const Encoding& encoding : all_encodings()) {
    knobs.encoding = encoding.name;
    const ViewResult result = draw();
    const Map& change = figure(result, "change").maps.at(0);
    double most = 0;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) most = std::max(most, std::abs(change.exact(column, row)));
    }
    if (encoding.relative) {
      EXPECT_LT(most, 1e-9) << encoding.name;
    } else {
      EXPECT_GT(most, 1e-3) << encoding.name;
    }
    EXPECT_EQ(change.range, figure(result, "before").maps.at(0).range) << "a change has the scores' own scale";
  }
}

TEST_F(CompareView, ThePhrasesScoresAreThoseOfItsWordsAtTheirPlaces) {
  knobs.show = "phrase";
  knobs.encoding = "sinusoidal";
  knobs.phrase_at = 1;
  knobs.phrase_words = 2;
  knobs.move = 4;
  const ViewResult result = draw();
  const auto of = model("sinusoidal");
  const Eigen::VectorXd old = word_vector("old", 32, 1), cat = word_vector("cat", 32, 1);
  EXPECT_EQ(figure(result, "before").x.names, (std::vector<std::string>{"old", "cat"}));
  EXPECT_NEAR(figure(result, "before").maps.at(0).exact(1, 0), of->score(old, cat, 1, 2), 1e-12);
  EXPECT_NEAR(figure(result, "after").maps.at(0).exact(1, 0), of->score(old, cat, 5, 6), 1e-12);
  EXPECT_NEAR(figure(result, "after").maps.at(0).exact(0, 1), of->score(cat, old, 6, 5), 1e-12);
}

/// What stands in a line of the sentence figure: the words at a height, from left to right.
std::vector<std::string> words_at(const Figure& sentence, double y) {
  std::vector<std::pair<double, std::string>> found;
  for (const Label& label : sentence.labels) {
    if (label.y == y) found.emplace_back(label.x, label.text);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (const auto& [x, word] : found) words.push_back(word);
  return words;
}

TEST_F(CompareView, ThePhraseMovesInsideTheSentence) {
  knobs.show = "phrase";
  knobs.sentence = "a b c d e";
  knobs.phrase_at = 0;
  knobs.phrase_words = 2;
  knobs.move = 2;
  const ViewResult moved = draw();
  const Figure& sentence = figure(moved, "sentence");
  EXPECT_EQ(words_at(sentence, 2.4), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(words_at(sentence, 0.9), (std::vector<std::string>{"c", "d", "a", "b", "e"}));
  EXPECT_EQ(words_at(sentence, 0.9 - 0.42), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  knobs.move = 3;
  EXPECT_EQ(words_at(figure(draw(), "sentence"), 0.9), (std::vector<std::string>{"c", "d", "e", "a", "b"}));
  knobs.move = 30;
  const ViewResult gap = draw();
  EXPECT_EQ(words_at(figure(gap, "sentence"), 0.9), (std::vector<std::string>{"c", "d", "e", "…", "a", "b"}));
  EXPECT_EQ(words_at(figure(gap, "sentence"), 0.9 - 0.42), (std::vector<std::string>{"0", "1", "2", "30", "31"}));
  knobs.move = 0;
  EXPECT_EQ(words_at(figure(draw(), "sentence"), 0.9), words_at(figure(draw(), "sentence"), 2.4));
  // A phrase that would reach past the sentence is cut; a click on a word begins it there.
  const Handle last = figure(draw(), "sentence").handles.at(4);
  react_compare(experiment, {FigureEvent::Kind::click, "sentence", last.key, last.x, last.y});
  EXPECT_EQ(knobs.phrase_at, 4) << "the position that stands under the word";
  EXPECT_EQ(figure(draw(), "before").x.names, std::vector<std::string>{"e"});
  knobs.sentence = " ";
  EXPECT_FALSE(draw().panels.at(0).figure.empty_message.empty());
}

TEST_F(CompareView, SaysWhichOfTheChosenKeepThePhrasesScores) {
  knobs.show = "phrase";
  knobs.encodings = {"sinusoidal", "learned", "t5", "rope"};
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "compare_kept").value, "2 of 4");
  EXPECT_NE(readout(result, "compare_kept").note.find("Sinusoidal"), std::string::npos);
  EXPECT_NE(readout(result, "compare_kept").note.find("Learned"), std::string::npos);
  knobs.encoding = "learned";
  knobs.move = 511;
  const ViewResult past = draw();
  EXPECT_NE(readout(past, "compare_change").note.find("512 rows"), std::string::npos);
  EXPECT_EQ(readout(past, "compare_change").value, "undefined");
}

TEST_F(CompareView, EveryPresetDrawsEveryPicture) {
  knobs.span = 32;
  knobs.size = 8;
  for (const Preset& preset : load_presets(kAssets)) {
    for (const Profile& profile : preset.profiles) {
      experiment.rope = knobs_of(profile, preset.name);
      for (const char* show : {"distance", "matrix", "phrase"}) {
        knobs.show = show;
        const ViewResult result = draw();
        for (const Panel& panel : result.panels) EXPECT_EQ(panel.figure.empty_message, "") << preset.id << show;
        for (const Readout& each : result.readouts) {
          EXPECT_EQ(each.note.find('{'), std::string::npos) << each.note;
          EXPECT_FALSE(each.tooltip.empty()) << each.key;
        }
      }
    }
  }
}

TEST_F(CompareView, ASecondCallComputesNothing) {
  for (const char* show : {"distance", "matrix", "phrase"}) {
    knobs.show = show;
    draw();
    const auto started = store.started();
    EXPECT_GT(started, 0);
    draw();
    // Knobs that no shown encoding looks at, and what is only drawn differently.
    experiment.encoding.kerple_r1 += 1;
    knobs.score_axis = knobs.score_axis == "linear" ? "symlog" : "linear";
    knobs.normalised = !knobs.normalised;
    knobs.query += 1;
    experiment.pointer = Pointer{"total", 3, 3};
    draw();
    EXPECT_EQ(store.started(), started) << show;
  }
}

TEST_F(CompareView, SurvivesSaveAndLoad) {
  knobs.show = "phrase";
  knobs.encodings = {"none", "p-rope"};
  knobs.encoding = "kerple";
  knobs.sentence = "Wörter, \"so\"";
  knobs.score_range = Range{-3, 4};
  experiment.encoding.kerple_r2 = 0.25;
  experiment.encoding.bidirectional = false;
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
}

TEST_F(CompareView, AnUnknownEncodingIsNamed) {
  std::string saved = experiment_to_json(experiment);
  const std::size_t at = saved.find("\"alibi\"");
  ASSERT_NE(at, std::string::npos);
  saved.replace(at, 7, "\"alibo\"");
  try {
    experiment_from_json(saved, "saved.json");
    FAIL() << "there is no such encoding";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"alibo\""), std::string::npos) << error.what();
  }
}

/// Collects the keys that have a control.
class Controls : public Fields {
 public:
  std::set<std::string, std::less<>> keys;
  void number(const NumberField& field, double&) override { add(field.key, field.control); }
  void choice(const ChoiceField& field, std::string&) override { add(field.key, field.control); }
  void toggle(const ToggleField& field, bool&) override { add(field.key, field.control); }
  void text(const TextField& field, std::string&) override { add(field.key, field.control); }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>&) override { add(field.key, field.control); }

 private:
  void add(std::string_view key, bool control) {
    if (!control) return;
    EXPECT_TRUE(keys.insert(std::string(key)).second) << "two controls of " << key;
  }
};

TEST_F(CompareView, OnlyKnobsOfTheShownEncodingsHaveControls) {
  knobs.encodings = {"alibi"};
  Controls alibi;
  describe_compare(alibi, experiment);
  EXPECT_TRUE(alibi.keys.contains("encoding.heads"));
  EXPECT_TRUE(alibi.keys.contains("rope.rotary_dim"));
  for (const char* key : {"rope.base", "rope.pairing", "rope.scaling", "encoding.kerple_r1", "encoding.seed",
                          "encoding.table_length", "compare.size", "compare.move"}) {
    EXPECT_FALSE(alibi.keys.contains(key)) << key;
  }
  knobs.encodings = {"rope", "learned", "t5"};
  Controls others;
  describe_compare(others, experiment);
  for (const char* key : {"rope.base", "rope.pairing", "encoding.table_length", "encoding.buckets", "encoding.seed",
                          "encoding.bidirectional", "encoding.seeded_projections"}) {
    EXPECT_TRUE(others.keys.contains(key)) << key;
  }
  EXPECT_FALSE(others.keys.contains("encoding.heads"));
  for (const char* show : {"distance", "matrix", "phrase"}) {
    knobs.show = show;
    Controls controls;
    describe_compare(controls, experiment);
    for (const std::string& key : controls.keys) {
      EXPECT_TRUE(text.has("field." + key + ".label")) << key;
      EXPECT_TRUE(text.has("field." + key + ".help")) << key;
    }
  }
}

/// The bounds and the value of one number among the controls.
class Bounds : public Fields {
 public:
  explicit Bounds(std::string_view key) : key_(key) {}
  double minimum = 0, maximum = 0, value = 0;
  std::string_view unit;
  void number(const NumberField& field, double& of) override {
    if (field.key != key_) return;
    minimum = field.minimum;
    maximum = field.maximum;
    unit = field.unit;
    value = of;
  }
  void choice(const ChoiceField&, std::string&) override {}
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}

 private:
  std::string_view key_;
};

TEST_F(CompareView, TheQuerysControlSaysWhatThePictureShows) {
  knobs.show = "matrix";
  knobs.first_position = 480;
  Bounds query("compare.query");
  describe_compare(query, experiment);
  EXPECT_EQ(query.minimum, 480);
  EXPECT_EQ(query.maximum, 543);
  EXPECT_EQ(query.value, 480);
  EXPECT_TRUE(query.unit.empty()) << "a place is no count";
  EXPECT_NE(figure(draw(), "row").title.find("at 480"), std::string::npos);
  EXPECT_EQ(knobs.query, 24) << "looking changes nothing";
}

TEST_F(CompareView, SettingsComeFromTheAxisThatIsLookedAt) {
  experiment.rope.axes = "t:16,row:56:2000";
  experiment.rope.axis = "row";
  experiment.rope.head_dim = 72;
  experiment.rope.pairing = "interleaved";
  experiment.encoding.heads = 4;
  experiment.encoding.head = 8;
  const EncodingSettings rope = encoding_settings_of(experiment, find_encoding("rope"));
  EXPECT_EQ(rope.dim, 56);
  EXPECT_EQ(rope.base, 2000);
  EXPECT_EQ(rope.pairing, Pairing::interleaved);
  EXPECT_EQ(rope.heads, EncodingSettings().heads) << "RoPE does not look at them";
  const EncodingSettings alibi = encoding_settings_of(experiment, find_encoding("alibi"));
  EXPECT_EQ(alibi.heads, 4);
  EXPECT_EQ(alibi.head, 4) << "there is no head 8 of 4";
  EXPECT_EQ(alibi.base, EncodingSettings().base);
}

}  // namespace
}  // namespace ropescope
