// The command line of a view contains everything that the view reads, and nothing else.

#include "app/views/shared/ropes.h"

#include "app/figure/table.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

/// Numbers a step away from their defaults, switches the other way round: what is overlooked is seen.
void disturb(Experiment& experiment) {
  for (Field& field : fields_of(experiment)) {
    if (field.kind != Field::Kind::number || !field.control || field.key == "rope.head_dim") continue;
    field.as<double>() = clamp_to(field, 0.75 * field.as<double>() + field.step);
  }
}

class ViewArguments : public testing::TestWithParam<const View*> {};

TEST_P(ViewArguments, GiveTheSameFigures) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::synchronous);
  Experiment experiment = small_experiment();
  experiment.view = GetParam()->id;
  disturb(experiment);
  experiment.pins.push_back({RopeFields(), 4, "mine"});
  experiment.notes.push_back({std::string(GetParam()->id), "similarity", "here", 3, 0.5, 6, 0.8});
  clamp(experiment);
  Experiment again;
  again.view = experiment.view;
  for (const std::string& assignment : arguments_of(experiment)) {
    EXPECT_EQ(assignment.find("opened_length"), std::string::npos);
    assign(again, assignment);
  }
  clamp(again);
  const View& view = *GetParam();
  EXPECT_EQ(table_json(draw_view(view, again, text, store)), table_json(draw_view(view, experiment, text, store)));
}

INSTANTIATE_TEST_SUITE_P(Views, ViewArguments, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

TEST(Hints, AreInNoTableOfAFigure) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::synchronous);
  Experiment experiment = small_experiment();
  experiment.view = "encodings";
  experiment.compare.show = CompareShow::phrase;
  const ViewResult phrase = draw_view(find_view("encodings"), experiment, text, store);
  const std::string hint = text["view.encodings.click_word"];
  bool on_screen = false;
  for (const Panel& panel : phrase.panels) {
    for (const Label& label : panel.figure.labels) on_screen = on_screen || label.text == hint;
  }
  EXPECT_TRUE(on_screen);
  EXPECT_THAT(table_json(phrase), Not(HasSubstr(hint)));
  experiment.view = "layout";
  experiment.layout.targets.clear();
  const ViewResult layout = draw_view(find_view("layout"), experiment, text, store);
  EXPECT_THAT(table_json(layout), Not(HasSubstr("Click")));
}

TEST(CurvesInATable, SayWhatTheyComeFrom) {
  const Text text = Text::load(kAssets, "ja");
  Store store(Store::Mode::synchronous);
  Experiment experiment;
  experiment.decay.span = 32;
  const auto header = [&] {
    const std::string csv = table_csv(draw_view(find_view("decay"), experiment, text, store).panels.front().figure);
    return csv.substr(0, csv.find('\n'));
  };
  EXPECT_EQ(header(), "distance,similarity") << "one curve: as ever";
  Pin pin;
  pin.rope.base = 500000;
  pin.rope.label = "Llama 3.1 8B";
  pin.rope.scaling.method = "linear";
  pin.rope.scaling["factor"] = 4;
  experiment.pins = {pin, pin};
  experiment.pins[1].name = "a \"quoted\", name";
  EXPECT_EQ(header(),
            "distance,current (base 10000; d 128),pin1 (Llama 3.1 8B; base 500000; linear (factor 4); d 128),"
            "\"pin2 (a \"\"quoted\"\", name; base 500000; linear (factor 4); d 128)\"");
}

}  // namespace
}  // namespace ropescope
