#include "tests/figures/compare_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(CompareView, MatricesAreTheScoresTermByTerm) {
  fields.show = CompareShow::matrix;
  fields.size = 20;
  fields.first_position = 7;
  for (const std::string& name : all_names()) {
    fields.encoding = name;
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
          EXPECT_EQ(part.title, said(term_words(exact[term].name)));
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
  fields.show = CompareShow::matrix;
  fields.size = 24;
  for (const Encoding& encoding : all_encodings()) {
    fields.encoding = encoding.name;
    const ViewResult result = draw();
    const MapCells& cells = *figure(result, "total").maps.at(0).cells;
    float change = 0;
    for (std::size_t row = 1; row < cells.rows; ++row) {
      for (std::size_t column = 1; column < cells.columns; ++column) {
        change = std::max(change, std::abs(cells.values[row * cells.columns + column] -
                                           cells.values[(row - 1) * cells.columns + column - 1]));
      }
    }
    const double along = std::stod(readout(result, "encodings.diagonals").text);
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
  fields.show = CompareShow::matrix;
  fields.encoding = "alibi";
  EXPECT_EQ(readout(draw(), "encodings.terms").text, "1 of 2");
  EXPECT_EQ(readout(draw(), "encodings.terms").note, "bias.");
  fields.encoding = "none";
  EXPECT_EQ(readout(draw(), "encodings.terms").text, "0 of 1");
}

/// RoFormer's equation 6 multiplied out: which of the four terms change where both tokens move together.
TEST_F(CompareView, TermsThatSeeMoreThanTheDistanceAreCounted) {
  fields.show = CompareShow::matrix;
  fields.content = ContentKind::random;
  experiment.rope.rotary_dim = experiment.rope.head_dim = 64;
  const auto moved = [&](const std::string& name) {
    fields.encoding = name;
    return value("encodings.terms_moved");
  };
  experiment.encoding.settings.toggle("seeded_projections") = true;
  EXPECT_EQ(moved("sinusoidal"), "3 of 4");
  experiment.encoding.settings.toggle("seeded_projections") = false;
  EXPECT_EQ(moved("sinusoidal"), "2 of 4") << "position–position is a sum of cosines of the distance then";
  EXPECT_EQ(moved("tupe"), "1 of 3");
  EXPECT_EQ(moved("transformer-xl"), "0 of 4");
  EXPECT_EQ(moved("rope"), "0 of 1");
  EXPECT_EQ(moved("t5"), "0 of 2");
  for (const Encoding& encoding : all_encodings()) {
    if (encoding.relative) EXPECT_EQ(moved(std::string(encoding.name)).substr(0, 2), "0 ") << encoding.name;
  }
}

TEST_F(CompareView, PastTheTableTheMatrixIsHatched) {
  fields.show = CompareShow::matrix;
  fields.encoding = "learned";
  fields.size = 16;
  experiment.encoding["trained_length"] = 10;
  const ViewResult result = draw();
  const MapCells& cells = *figure(result, "total").maps.at(0).cells;
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 16; ++column) {
      EXPECT_EQ(std::isnan(cells.values[row * 16 + column]), row >= 10 || column >= 10);
    }
  }
  EXPECT_NE(readout(result, "encodings.learned").note.find("10 rows"), std::string::npos);
  EXPECT_NE(readout(result, "encodings.learned").note.find("random"), std::string::npos);
}

TEST_F(CompareView, ColoursCanBeFitted) {
  fields.show = CompareShow::matrix;
  fields.encoding = "alibi";
  fields.colours = CompareColours::fitted;
  const ViewResult result = draw();
  const Map& bias = figure(result, "term2").maps.at(0);
  EXPECT_EQ(bias.colours, MapColours::magnitude);
  EXPECT_NEAR(bias.range.low, -0.5 * 63, 1e-12);
  EXPECT_EQ(bias.range.high, 0);
  const Map& constant = figure(result, "term1").maps.at(0);
  EXPECT_LT(constant.range.low, constant.range.high) << "one value alone makes a range, too";
}

TEST_F(CompareView, TheRowOfScoresFollowsTheMouseAndAClickKeepsIt) {
  fields.show = CompareShow::matrix;
  fields.encoding = "rope";
  fields.query = 3;
  const auto [q, k] = content();
  EXPECT_NEAR(figure(draw(), "row").lines.at(0).series->ys[9], model("rope")->score(q, k, 3, 9), 1e-12);
  experiment.pointer = Pointer{"total", 5, 11.3};
  EXPECT_NEAR(figure(draw(), "row").lines.at(0).series->ys[9], model("rope")->score(q, k, 11, 9), 1e-12);
  kCompareView.react(experiment, {FigureEvent::Kind::click, "total", "", 5, 20.2});
  EXPECT_EQ(fields.query, 20);
  kCompareView.react(experiment, {FigureEvent::Kind::click, "total", "", 5, 900});
  EXPECT_EQ(fields.query, 63);
  fields.first_position = 1000;
  experiment.pointer.reset();
  EXPECT_NE(figure(draw(), "row").title.find("at 1\u202f000"), std::string::npos);
}

TEST_F(CompareView, APhraseKeepsItsScoresWhereTheEncodingIsRelative) {
  fields.show = CompareShow::phrase;
  for (const Encoding& encoding : all_encodings()) {
    fields.encoding = encoding.name;
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
  fields.show = CompareShow::phrase;
  fields.encoding = "sinusoidal";
  fields.phrase_at = 1;
  fields.phrase_words = 2;
  fields.move = 4;
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
  fields.show = CompareShow::phrase;
  fields.sentence = "a b c d e";
  fields.phrase_at = 0;
  fields.phrase_words = 2;
  fields.move = 2;
  const ViewResult moved = draw();
  const Figure& sentence = figure(moved, "sentence");
  EXPECT_EQ(words_at(sentence, 2.4), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(words_at(sentence, 0.9), (std::vector<std::string>{"c", "d", "a", "b", "e"}));
  EXPECT_EQ(words_at(sentence, 0.9 - 0.42), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  fields.move = 3;
  EXPECT_EQ(words_at(figure(draw(), "sentence"), 0.9), (std::vector<std::string>{"c", "d", "e", "a", "b"}));
  fields.move = 30;
  const ViewResult gap = draw();
  EXPECT_EQ(words_at(figure(gap, "sentence"), 0.9), (std::vector<std::string>{"c", "d", "e", "…", "a", "b"}));
  EXPECT_EQ(words_at(figure(gap, "sentence"), 0.9 - 0.42), (std::vector<std::string>{"0", "1", "2", "30", "31"}));
  fields.move = 0;
  EXPECT_EQ(words_at(figure(draw(), "sentence"), 0.9), words_at(figure(draw(), "sentence"), 2.4));
  // A phrase that would reach past the sentence is cut; a click on a word begins it there.
  const Handle last = figure(draw(), "sentence").handles.at(4);
  kCompareView.react(experiment, {FigureEvent::Kind::click, "sentence", last.key, last.x, last.y});
  EXPECT_EQ(fields.phrase_at, 4) << "the position that stands under the word";
  EXPECT_EQ(figure(draw(), "before").x.names, std::vector<std::string>{"e"});
  fields.sentence = " ";
  EXPECT_FALSE(draw().panels.at(0).figure.empty_message.empty());
}

TEST_F(CompareView, SaysWhichOfTheChosenKeepThePhrasesScores) {
  fields.show = CompareShow::phrase;
  fields.encodings = {"sinusoidal", "learned", "t5", "rope"};
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "encodings.kept").text, "2 of 4");
  fields.encoding = "learned";
  fields.move = 511;
  const ViewResult past = draw();
  EXPECT_NE(readout(past, "encodings.change").note.find("512 rows"), std::string::npos);
  EXPECT_EQ(readout(past, "encodings.change").text, "undefined");
}

}  // namespace
}  // namespace ropescope
