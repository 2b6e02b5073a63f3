// Preparing a figure for a paper in the window: name and stroke of the current curve, bases that snap to round numbers,
// lists of a sweep, and the choices of the Save dialog.

#include "app/figure/pages/page.h"
#include "app/ui/control_panel.h"
#include "app/ui/sweep_lists.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

double column_digits(double base) {
  return base / std::pow(10, std::floor(std::log10(base) + 1e-12));
}

TEST(ColumnWindow, BasesSnapToRoundNumbersWhileTheyAreDragged) {
  AppWindow window;
  for (const double by : {13.0, 22.0, -35.0, 41.0, 7.0, -60.0}) {
    window.gui.drag("rope.base", by);
    const double digits = column_digits(window.experiment().rope.base);
    EXPECT_NEAR(digits, std::round(digits), 1e-9) << window.experiment().rope.base;
  }
  // With Shift any number, and a typed one as it is.
  bool any = false;
  for (const double by : {13.0, 22.0, -35.0}) {
    send_modifiers(false, true, false);
    window.gui.drag("rope.base", by);
    const double digits = column_digits(window.experiment().rope.base);
    any = any || std::abs(digits - std::round(digits)) > 1e-6;
  }
  send_modifiers(false, false, false);
  EXPECT_TRUE(any);
  window.gui.play("click rope.base.value; type 12345.5; press enter");
  EXPECT_EQ(window.experiment().rope.base, 12345.5);
  window.gui.drag("decay.span", 31);
  const double span = column_digits(window.experiment().decay.span);
  EXPECT_GT(std::abs(span - std::round(span)), 1e-9) << "no base: " << window.experiment().decay.span;
}

TEST(ColumnWindow, TheCurrentCurveIsRenamedAndRecolouredInItsMenu) {
  AppWindow window;
  window.gui.play("right_click chip.current; frames; click chip.menu.rename; frames; type ours; press enter; frames");
  EXPECT_EQ(window.experiment().curves.name, "ours");
  EXPECT_EQ(window.figure("similarity").lines.front().label, "ours");
  window.gui.play("right_click chip.current; frames");
  EXPECT_FALSE(window.gui.shows("chip.menu.remove"));
  window.gui.play("click chip.menu.colour.3; press escape; frames");
  const Palette& colours = window.app->ui.palette;
  EXPECT_EQ(stroke_of(colours, window.figure("similarity").lines.front().style).colour, colours.curves[3]);
  EXPECT_THAT(command_line_of(window.experiment(), window.app->settings), HasSubstr("--set curves.name=ours"));
  // A pin takes the name with it: it is that of these values.
  window.gui.press(Key::p);
  EXPECT_EQ(window.experiment().pins.at(0).name, "ours");
  EXPECT_EQ(window.experiment().curves.name, "");
  EXPECT_NE(window.experiment().pins.at(0).slot, static_cast<int>(window.experiment().curves.slot));
}

TEST(ColumnWindow, ASweepIsBuiltFromPickers) {
  AppWindow window(1600, 2000);
  Experiment experiment = window.experiment();
  experiment.view = "sweep";
  experiment.sweep.over = "rope.base=1e3..1e7:50:log";
  window.show(experiment, 3);
  window.gui.play("click sweep.readout; frames; type never complete; frames; click sweep.readout.decay.unfinished");
  window.gui.play("settle 2");
  EXPECT_EQ(window.experiment().sweep.readout, "decay.unfinished");
  EXPECT_TRUE(window.app->result.fault.empty());
  window.gui.play("click sweep.over_scale.linear; settle 2");
  EXPECT_EQ(window.experiment().sweep.over, "rope.base=1000..1e+07:50:linear");
  window.gui.play("click sweep.over_from.value; type 2k; press enter; settle 2");
  EXPECT_EQ(window.experiment().sweep.over, "rope.base=2000..1e+07:50:linear");
  window.gui.play("click sweep.over_field; frames; click sweep.over_field.rope.rotary_dim; settle 2");
  EXPECT_THAT(window.experiment().sweep.over, HasSubstr("rope.rotary_dim="));

  // A list of numbers keeps its text, without the field, which is chosen above it.
  experiment.sweep.over = "rope.base=100,1000,20000";
  window.show(experiment, 3);
  EXPECT_FALSE(window.gui.shows("sweep.over_from"));
  window.gui.play("click sweep.over_values; type 500, 600; press enter; settle 2");
  EXPECT_EQ(window.experiment().sweep.over, "rope.base=500, 600");
  EXPECT_EQ(window.figure("sweep").lines.at(0).series->xs, (std::vector<double>{500, 600}));
}

TEST(ColumnWindow, FieldsAndCountsOfASweepAreChosenFromLists) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.view = "sweep";
  experiment.sweep.over = "rope.base=1e3..1e7:50:log";
  window.show(experiment, 3);
  window.gui.play("click sweep.over_count; frames; click sweep.over_count.9; settle 2");
  EXPECT_EQ(window.experiment().sweep.over, "rope.base=1000..1e+07:9:log");
  EXPECT_FALSE(window.gui.shows("sweep.second_count"));
  window.gui.play("click sweep.second_field; frames");
  EXPECT_FALSE(window.gui.shows("sweep.second_field.rope.base")) << "it is the first one";
  window.gui.play("click sweep.second_field.rope.rotary_dim; settle 2");
  EXPECT_THAT(window.experiment().sweep.second, HasSubstr("rope.rotary_dim="));
  EXPECT_THAT(window.experiment().sweep.second, HasSubstr(":9"));
  EXPECT_EQ(window.figure("sweep").maps.size(), 1u);
  ASSERT_TRUE(window.gui.shows("sweep.second_count"));
  window.gui.play("click sweep.second_field; frames; click sweep.second_field.:none; settle 2");
  EXPECT_EQ(window.experiment().sweep.second, "");
  EXPECT_EQ(set_point_count("rope.rotary_dim=32,64,128", 5, window.experiment()), "rope.rotary_dim=32..128:5:log");
  const std::string from_zero = set_point_count("rope.trained_length=0..4096", 5, window.experiment());
  EXPECT_EQ(from_zero, "rope.trained_length=0..4096:5") << "the logarithm of 0 is the slider's";
  EXPECT_EQ(parse_variation(from_zero, window.experiment(), {""}).values.size(), 5u);
  EXPECT_EQ(set_point_count("rope.scaling=none,yarn", 5, window.experiment()), "rope.scaling=none,yarn");
}

TEST(ColumnWindow, PlaceOfNamesFontAndFigureAreChosenWhereFiguresAreSaved) {
  PageFields saved;
  {
    AppWindow window;
    window.show_bound();
    window.gui.play("press ctrl+s; frames; click save.legend; frames; click save.legend.top-right; frames");
    window.gui.play("click save.font; frames; click save.font.serif; frames");
    EXPECT_EQ(window.app->settings.save.legend, LegendPlace::top_right);
    EXPECT_EQ(window.app->settings.save.font, "serif");
    window.gui.play("click dialog.figure; frames; click dialog.figure.bound; frames");
    EXPECT_EQ(window.app->dialog.figure, "bound");
    window.gui.press(Key::escape);
    const std::string line = command_line_of(window.experiment(), window.app->settings);
    EXPECT_THAT(line, HasSubstr("--legend top-right --font serif"));
    save_state(*window.app);
    saved = window.app->settings.save;
  }
  const AppWindow again(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_EQ(again.app->settings.save, saved);
}

}  // namespace
}  // namespace ropescope::ui
