#include "app/views/sweep.h"

#include "app/figure/figure.h"
#include "app/figure/scene/scene.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class SweepView : public TestOfView<kSweepView> {
 protected:
  SweepFields& fields = experiment.sweep;

  /// What the readout's own view says at a point.
  double number_at(const std::vector<std::string>& settings) {
    Experiment point = apply_settings_to(experiment, settings);
    const View& view = view_of_readout(fields.readout, point);
    point.view = view.id;
    const auto numbers = numbers_of(draw_view(view, point, text, store), fields.readout);
    return numbers && !numbers->empty() ? numbers->front().value : std::numeric_limits<double>::quiet_NaN();
  }
};

TEST_F(SweepView, OneFieldIsACurve) {
  fields.over = "rope.base=100..1e6:5:log";
  const Figure shown = figure(draw(), "sweep");
  EXPECT_EQ(shown.x.name, "rope.base");
  EXPECT_EQ(shown.x.scale, AxisScale::log);
  EXPECT_EQ(shown.y.name, "decay.first_negative");
  EXPECT_EQ(shown.y.label, "First negative (tokens)");
  ASSERT_THAT(shown.lines, SizeIs(1));
  EXPECT_THAT(shown.lines[0].series->xs, ElementsAre(100, 1000, 10000, 1e5, 1e6));
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string base = "rope.base=1e" + std::to_string(i + 2);
    const double number = number_at({base});
    EXPECT_EQ(std::isnan(number), i == 4) << base << ": the largest has no negative similarity so near";
    if (i < 4) EXPECT_EQ(shown.lines[0].series->ys[i], number) << base;
  }
  EXPECT_TRUE(std::isnan(shown.lines[0].series->ys[4]));
  EXPECT_EQ(value("sweep.defined"), "4 of 5");
  ASSERT_THAT(shown.spans, SizeIs(1)) << "where there is no number, the picture says so";
  EXPECT_EQ(shown.spans[0].low, 1e5);
  EXPECT_EQ(shown.spans[0].high, 1e6);
}

TEST_F(SweepView, TwoFieldsAreAMap) {
  fields.readout = "limits.largest_context";
  fields.over = "base=1000,100,10000";
  fields.second = "rope.rotary_dim=64,8,16,32,2,4";
  const Figure shown = figure(draw(), "sweep");
  EXPECT_THAT(shown.x.names, ElementsAre("100", readable_number(1000), readable_number(10000)));
  EXPECT_THAT(shown.y.names, ElementsAre("2", "4", "8", "16", "32", "64"));
  ASSERT_THAT(shown.maps, SizeIs(1));
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 6; ++row) {
      EXPECT_EQ(shown.maps[0].exact(column, row), number_at({"rope.base=1e" + std::to_string(column + 2),
                                                             "rope.rotary_dim=" + std::to_string(2 << row)}));
    }
  }
}

TEST_F(SweepView, FewNumbersOfASecondFieldAreLines) {
  fields.over = "rope.base=100..10000:3:log";
  fields.second = "rope.rotary_dim=128,64,256";
  const Figure shown = figure(draw(), "sweep");
  EXPECT_THAT(shown.maps, SizeIs(0));
  ASSERT_THAT(shown.lines, SizeIs(3));
  EXPECT_TRUE(shown.legend);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string dimension = std::to_string(64 << i);
    EXPECT_EQ(shown.lines[i].key, dimension);
    EXPECT_THAT(shown.lines[i].label, EndsWith("= " + dimension)) << "a number alone does not say of what";
    EXPECT_EQ(shown.lines[i].series->ys[1], number_at({"rope.base=1000", "rope.rotary_dim=" + dimension}));
  }
}

TEST_F(SweepView, AMapMayHaveColoursOverTheLogarithm) {
  fields.readout = "limits.largest_context";
  fields.over = "base=100,1000,10000";
  fields.second = "rope.rotary_dim=64,128,192,256,320,384";
  const Map plain = figure(draw(), "sweep").maps.at(0);
  fields.value_axis = AxisScale::log;
  const Figure shown = figure(draw(), "sweep");
  const Map& map = shown.maps.at(0);
  EXPECT_THAT(map.label, HasSubstr("log₁₀"));
  EXPECT_FLOAT_EQ(map.cells->values.at(2), static_cast<float>(std::log10(plain.exact(2, 0))));
  EXPECT_DOUBLE_EQ(map.range.high, std::log10(plain.range.high));
  EXPECT_EQ(map.words(2, 0).rows.at(0).second, readable_number(plain.exact(2, 0), 6, true));
  EXPECT_EQ(shown.tables.at(0).exact(2, 0), plain.exact(2, 0)) << "files hold the numbers";
  // Where one of them has no logarithm, that is said.
  fields.readout = "decay.lowest";
  const ViewResult negative = draw();
  EXPECT_THAT(figure(negative, "sweep").maps.at(0).label, Not(HasSubstr("log")));
  EXPECT_THAT(negative.status, HasSubstr("no logarithm"));
}

TEST_F(SweepView, ManyValuesAreCountedByRoundNumbers) {
  fields.readout = "frequencies.unseen";
  fields.over = "base=1e3..1e6:12:log";
  fields.second = "rope.rotary_dim=32..256:57";
  const ViewResult shown = draw();
  EXPECT_THAT(shown.status, Says("view.sweep.fewer", {{"values", "54"}, {"asked", "57"}}));
  const MeasureText measure = [](std::string_view words, const TextStyle& style) {
    return Vec2{0.6 * style.size * static_cast<double>(words.size()), 1.2 * style.size};
  };
  const FigureLayout laid_out =
      lay_out(figure(shown, "sweep"), {0, 0, 900, 600}, palette(ThemeName::light), {}, measure);
  std::vector<std::string> words;
  for (const SceneItem& item : laid_out.scene.items) {
    if (const auto* line = std::get_if<TextItem>(&item)) words.push_back(line->text);
  }
  for (const char* round : {"10\u202f000", "100\u202f000", "50", "100", "200"}) {
    EXPECT_THAT(words, Contains(round));
  }
  EXPECT_THAT(words, Each(Not(AnyOf("1\u202f374", "34", "118"))));
}

TEST_F(SweepView, WordsArePointsWithNames) {
  fields.readout = "decay.lowest";
  fields.over = "model=llama-3.1-8b,llama-2-7b";
  const Figure shown = figure(draw(), "sweep");
  EXPECT_THAT(shown.x.names, ElementsAre("Llama 3.1 8B", "Llama 2 7B"));
  EXPECT_THAT(shown.lines, SizeIs(0));
  ASSERT_THAT(shown.points, SizeIs(1));
  // The first has an extension, with which the window has no place for this card.
  const char* const presets[] = {"llama-3.1-8b", "llama-2-7b"};
  for (std::size_t i = 0; i < 2; ++i) {
    Experiment opened = experiment;
    opened.rope = load_preset_rope(presets[i]);
    follow_opening(opened);
    const auto numbers = numbers_of(draw_view(find_view("decay"), opened, text, store), "decay.lowest");
    EXPECT_LT(numbers->at(0).value, 1) << presets[i];
    EXPECT_EQ(shown.points[0].ys.at(i), numbers->at(0).value) << presets[i];
  }
}

TEST_F(SweepView, EachWordOfASecondFieldIsALine) {
  fields.readout = "frequencies.unseen";
  fields.over = "rope.factor=2,4,8";
  fields.second = "rope.scaling=ntk-aware,linear";
  const Figure shown = figure(draw(), "sweep");
  ASSERT_THAT(shown.lines, SizeIs(2));
  EXPECT_EQ(shown.lines[1].key, "linear");
  EXPECT_TRUE(shown.legend);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string factor = "rope.factor=" + std::to_string(2 << i);
    EXPECT_EQ(shown.lines[1].series->ys[i], number_at({"rope.scaling=linear", factor})) << factor;
  }
}

TEST_F(SweepView, ASwitchHasTheSameNamesAndKeysHoweverItIsWritten) {
  fields.readout = "decay.lowest";
  for (const char* values : {"true,false", "on,off", "1,0"}) {
    fields.over = std::string("decay.show_trained=") + values;
    fields.second.clear();
    EXPECT_THAT(figure(draw(), "sweep").x.names, ElementsAre(text["view.facets.on"], text["view.facets.off"]))
        << values;
    fields.second = std::exchange(fields.over, "rope.base=100,1000");
    const Figure shown = figure(draw(), "sweep");
    ASSERT_THAT(shown.lines, SizeIs(2));
    EXPECT_EQ(shown.lines[0].key, "true") << values;
  }
}

TEST_F(SweepView, SaysWhatToDoWhereNothingIsAsked) {
  fields.over.clear();
  const ViewResult shown = draw();
  EXPECT_EQ(shown.fault, "");
  EXPECT_THAT(figure(shown, "sweep").empty_message, Says("view.sweep.empty"));
}

TEST_F(SweepView, WhatIsNoNumberIsAGap) {
  fields.over = "rope.base=100,1e9";
  experiment.decay.span = 200;
  const Figure shown = figure(draw(), "sweep");
  EXPECT_FALSE(std::isnan(shown.lines[0].series->ys[0]));
  EXPECT_TRUE(std::isnan(shown.lines[0].series->ys[1]));
  EXPECT_EQ(value("sweep.defined"), "1 of 2");
  fields.readout = "decay.nothing";
  const Figure nothing = figure(draw(), "sweep");
  EXPECT_THAT(nothing.empty_message, Says("view.sweep.nothing", {{"name", "decay.nothing"}}));
  EXPECT_THAT(nothing.spans, SizeIs(0));
}

TEST_F(SweepView, OnlyWhatANumberDependsOnIsComputedAgain) {
  fields.over = "rope.base=100,1000";
  draw();
  const auto started = store.started();
  experiment.pins = {{experiment.rope, 1}};
  fields.value_axis = AxisScale::log;
  fields.zooms["sweep.value_range"] = Range{1, 5};
  draw();
  EXPECT_EQ(store.started(), started);
  experiment.rope.rotary_dim = 64;
  draw();
  EXPECT_GT(store.started(), started);
}

TEST_F(SweepView, WhatCannotBeSweptIsASentence) {
  const auto fault = [this](const std::string& readout, const std::string& over, const std::string& second) {
    fields.readout = readout;
    fields.over = over;
    fields.second = second;
    return draw().fault;
  };
  EXPECT_THAT(fault("sweep.largest", "base=1,2", ""), Says("error.sweep.own"));
  EXPECT_THAT(fault("decay.lowest", "base", ""), HasSubstr("KEY=FROM..TO"));
  EXPECT_THAT(fault("decay.lowest", "base=2,3", "rope.base=4,5"),
              Says("error.sweep.same_field", {{"key", "rope.base"}}));
  EXPECT_THAT(fault("decay.lowest", "base=2..3:200", "rope.rotary_dim=2..512:200"), HasSubstr("10000 points"));
  EXPECT_THAT(fault("decay.lowest", "rope.pairing=1..2", ""), Says("error.sweep.no_number", {{"key", "rope.pairing"}}));
  EXPECT_THAT(fault("decay.lowest", "rope.pairing=1,2", ""), HasSubstr("interleaved"));
  EXPECT_THAT(fault("decay.lowest", "model=llama-2-7", ""), HasSubstr("llama-2-7b"));
}

}  // namespace
}  // namespace ropescope
