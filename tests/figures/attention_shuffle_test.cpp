#include "app/views/attention/words.h"
#include "tests/figures/attention_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class AttentionShuffled : public AttentionView {
 protected:
  AttentionShuffled() {
    fields.show = AttentionShow::shuffle;
    fields.content = AttentionSource::words;
    fields.encoding = "none";
    fields.sentence = "dog bites man";
    fields.order = "2,1,0";
  }

  double number(const std::string& name) {
    const ViewResult result = draw();
    return std::get<Quantity>(readout(result, name).value).number.value;
  }
  void drag(int token, double x, int tokens = 3) {
    react(FigureEvent::Kind::drag, "sentence", x, 0.7, token_handle(token, tokens));
  }
};

TEST_F(AttentionShuffled, SeesNoOrderWithoutAnEncoding) {
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "attention.shuffle_order").text, "man bites dog");
  EXPECT_EQ(readout(result, "attention.shuffle_moved").text, "2 of 3");
  EXPECT_EQ(readout(result, "attention.chosen").text, "None");
  EXPECT_LT(number("attention.shuffle_difference"), 1e-9);
  EXPECT_THAT(readout(result, "attention.shuffle_difference").note,
              AnyOf(Says("readout.attention.shuffle_difference.rounding"), HasSubstr("Nothing")));
  const Figure &before = figure(result, "before"), &after = figure(result, "after");
  EXPECT_THAT(before.x.names, ElementsAre("dog", "bites", "man"));
  EXPECT_THAT(after.y.names, ElementsAre("dog", "bites", "man"));
  EXPECT_EQ(before.maps.at(0).range, after.maps.at(0).range) << "one scale of colours";
  for (std::size_t cell = 0; cell < 9; ++cell) {
    EXPECT_NEAR(before.maps[0].cells->values[cell], after.maps[0].cells->values[cell], 1e-6);
  }
  for (const double change : line(figure(result, "tokens"), "change").series->ys) EXPECT_LT(change, 1e-13);
}

TEST_F(AttentionShuffled, SeesOrderWithAnEncodingOrAMask) {
  for (const char* name : {"rope", "sinusoidal", "t5", "shaw"}) {
    fields.encoding = name;
    EXPECT_GT(number("attention.shuffle_difference"), 1e-6) << name;
    EXPECT_THAT(readout(draw(), "attention.shuffle_difference").note,
                Says("readout.attention.shuffle_difference.seen"));
  }
  fields.encoding = "alibi";
  EXPECT_EQ(readout(draw(), "attention.chosen").text, "ALiBi") << "words of a lesson say what was chosen";
  EXPECT_LT(number("attention.shuffle_difference"), 1e-9) << "backwards keeps every |m − n|";
  fields.order = "1,0,2";
  EXPECT_GT(number("attention.shuffle_difference"), 1e-6);
  fields.encoding = "none";
  fields.causal = true;
  EXPECT_GT(number("attention.shuffle_difference"), 1e-6);
  fields.causal = false;
  fields.kind = AttentionKind::linear;
  EXPECT_LT(number("attention.shuffle_difference"), 1e-9);
}

TEST_F(AttentionShuffled, OneWordHasOneVectorWhereverItStands) {
  fields.show = AttentionShow::weights;
  fields.sentence = "the old cat slept while the dog watched";
  const ViewResult result = draw();
  const Map& map = figure(result, "weights").maps.at(0);
  ASSERT_EQ(map.cells->rows, 8u);
  for (std::size_t key = 0; key < 8; ++key) EXPECT_EQ(map.cells->values[key], map.cells->values[5 * 8 + key]);
  EXPECT_THAT(figure(result, "weights").y.names, Contains("watched"));
  fields.row = 200;
  EXPECT_EQ(figure(draw(), "weights").boxes.at(0).y.low, 6.5) << "the last word";
  react(FigureEvent::Kind::click, "weights", 2, 100);
  EXPECT_EQ(fields.row, 7);
}

TEST_F(AttentionShuffled, TakesTheOrderApartFromWhatIsNone) {
  const auto order = [&](const std::string& given) {
    fields.order = given;
    return shuffled_order(fields, 4);
  };
  EXPECT_THAT(order("3,1"), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(order("9,2,2,0"), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(order("3:0:-1"), ElementsAre(3, 2, 1, 0));
  fields.shuffle_seed = 7;
  EXPECT_EQ(order(""), draw_permutation(4, 7));
  fields.order = "1.5";
  EXPECT_REFUSED(kAttentionView.check(experiment), HasSubstr("attention.order"));
  EXPECT_THAT(message(draw()), HasSubstr("attention.order"));
}

TEST_F(AttentionShuffled, AWordIsDraggedToAnotherPlace) {
  fields.order = "0,1,2";
  const double far = 100;
  drag(0, far);
  EXPECT_EQ(fields.order, "1,2,0");
  drag(0, -far);
  EXPECT_EQ(fields.order, "0,1,2");
  const LineOfWords line = line_of_words({"dog", "bites", "man"});
  drag(2, line.middles[1]);
  EXPECT_EQ(fields.order, "0,2,1");
  const ViewResult result = draw();
  const Handle& handle = with_key(figure(result, "sentence").handles, token_handle(2, 3));
  drag(2, handle.x);
  EXPECT_EQ(fields.order, "0,2,1") << "it stays where it is";
  drag(7, far, 8);
  EXPECT_EQ(fields.order, "0,2,1") << "there are no eight words";
  react(FigureEvent::Kind::drag, "sentence", 0, 0, "token.x/3");
  react(FigureEvent::Kind::drag, "before", 0, 0, token_handle(1, 3));
  EXPECT_EQ(fields.order, "0,2,1");
}

TEST_F(AttentionShuffled, ShowsNumbersWhereThereAreNoWords) {
  fields.content = AttentionSource::random;
  fields.tokens = 300;
  fields.order = "";
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "before").maps.at(0).cells->rows, 256u) << "at most as many";
  EXPECT_TRUE(figure(result, "before").x.names.empty());
  EXPECT_LT(figure(result, "sentence").labels.size(), 50u);
  EXPECT_TRUE(figure(result, "sentence").handles.empty());
  EXPECT_THAT(readout(result, "attention.shuffle_order").text, HasSubstr("…"));
  fields.content = AttentionSource::words;
  fields.sentence = "alone";
  EXPECT_THAT(message(draw()), HasSubstr("two words"));
}

TEST_F(AttentionShuffled, TheTurnedDenominatorIsOfEitherSign) {
  fields.show = AttentionShow::weights;
  fields.content = AttentionSource::random;
  fields.kind = AttentionKind::linear;
  fields.encoding = "rope";
  EXPECT_GT(number("attention.denominator"), 0);
  fields.turn_denominator = true;
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "attention.sums").text, "1") << "rows sum to 1 again";
  AttentionOptions options;
  options.turned_denominator = true;
  const double least = linear_attention_denominators(*model("rope"), content(), options).minCoeff();
  EXPECT_NEAR(number("attention.denominator"), least, 1e-9 * std::abs(least));
  EXPECT_THAT(readout(result, "attention.denominator").note,
              Says(least <= 0 ? "readout.attention.denominator.not_positive" : "readout.attention.denominator.turned"));
  const Controls controls(fields_of(kAttentionView, experiment));
  EXPECT_TRUE(controls.keys.contains("attention.turn_denominator"));
  for (const std::string name : {"none", "sinusoidal"}) {
    fields.encoding = name;
    const Controls none(fields_of(kAttentionView, experiment));
    EXPECT_FALSE(none.keys.contains("attention.turn_denominator")) << "nothing turns there";
  }
}

}  // namespace
}  // namespace ropescope
