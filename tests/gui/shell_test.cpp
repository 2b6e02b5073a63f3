// The window in use: click, drag, type, undo, drop, save. The experiment and the figures are verified.

#include <imgui.h>

#include "app/figure/figure.h"
#include "app/ui/finder.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/plot.h"
#include "tests/gui/app_window.h"
#include "tests/said.h"

namespace ropescope::ui {
namespace {

/// Curves of the similarity; each brings its trend along.
std::size_t curves_shown(const AppWindow& window) {
  std::size_t curves = 0, trends = 0;
  for (const Line& line : window.figure("similarity").lines) ++(line.key.ends_with(".trend") ? trends : curves);
  EXPECT_EQ(curves, trends);
  return curves;
}

TEST(Window, DraggingTheBaseChangesTheFigureAtOnce) {
  AppWindow window;
  const double before = window.figure("similarity").lines.at(0).series->ys[1000];
  window.gui.drag("rope.base", 60);
  EXPECT_GT(window.experiment().rope.base, 1e5);
  window.gui.frames();
  EXPECT_NE(window.figure("similarity").lines.at(0).series->ys[1000], before);
}

TEST(Window, ADragIsSeenInTheFrameItHappensIn) {
  AppWindow window;
  const Vec2 from = window.gui.centre("rope.base.handle");
  window.gui.move(from);
  window.gui.button(0, true);
  for (const double dx : {20.0, 40.0, 60.0}) {
    const double before = window.experiment().rope.base;
    window.gui.move({from.x + dx, from.y});  // one frame
    EXPECT_GT(window.experiment().rope.base, before);
    ASSERT_TRUE(window.app->result_of);
    EXPECT_EQ(window.app->result_of->rope.base, window.experiment().rope.base);
  }
  window.gui.button(0, false);
}

TEST(Window, ADragIsOneStepOfUndo) {
  AppWindow window;
  const Experiment initial = window.experiment();
  window.gui.drag("rope.base", 60);
  const Experiment dragged = window.experiment();
  ASSERT_NE(initial, dragged);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), initial);
  window.gui.press(Key::y, true);
  EXPECT_EQ(window.experiment(), dragged);
  window.gui.play("press ctrl+z; press ctrl+shift+z");
  EXPECT_EQ(window.experiment(), dragged);
}

TEST(Window, AValueIsTyped) {
  AppWindow window;
  window.gui.play("click rope.base.value; press ctrl+a; type 5e5; press enter");
  EXPECT_EQ(window.experiment().rope.base, 500000);
}

TEST(Window, ADoubleClickResetsOneControl) {
  AppWindow window;
  window.gui.drag("rope.base", 60);
  window.gui.drag("decay.span", 40);
  window.gui.double_click("rope.base");
  EXPECT_EQ(window.experiment().rope.base, 10000);
  EXPECT_NE(window.experiment().decay.span, 8192);
}

TEST(Window, TheDimensionMayGrowPastTheHead) {
  AppWindow window;
  window.gui.play("click rope.rotary_dim.value; press ctrl+a; type 256; press enter; frames");
  EXPECT_EQ(window.experiment().rope.head_dim, 256);
  EXPECT_EQ(curves_shown(window), 1u);
}

TEST(Window, TheWheelZoomsBothAxesOrTheOneUnderTheMouse) {
  AppWindow window;
  window.show_bound();
  window.gui.wheel("axis.x.similarity", 2);
  EXPECT_TRUE(window.experiment().decay.zooms.find("decay.distance_range").has_value());
  EXPECT_FALSE(window.experiment().decay.zooms.find("decay.similarity_range").has_value());
  window.gui.wheel("axis.y.bound", 2);
  EXPECT_TRUE(window.experiment().decay.zooms.find("decay.bound_range").has_value());
  window.gui.wheel("plot.similarity", 2);
  EXPECT_TRUE(window.experiment().decay.zooms.find("decay.similarity_range").has_value());
  EXPECT_EQ(window.figure("similarity").x.range, window.figure("bound").x.range) << "the distance axes are linked";
  window.gui.double_click("plot.similarity");
  EXPECT_FALSE(window.experiment().decay.zooms.find("decay.distance_range").has_value());
  EXPECT_FALSE(window.experiment().decay.zooms.find("decay.similarity_range").has_value());
}

TEST(Window, TheValueUnderTheMouseStaysWhileZooming) {
  AppWindow window;
  const Rect plot = window.gui.rect("plot.similarity");
  const Vec2 at{plot.left + 0.7 * plot.width, plot.top + 0.4 * plot.height};
  window.gui.move(at);
  const double before = *window.app->plot.crosshair;
  send_mouse_wheel(3);
  window.gui.frames(3);
  // Longer labels beside the zoomed axis may push the plot aside: by as much the value may move, by no more.
  const Rect after = window.gui.rect("plot.similarity");
  const double pushed = std::abs(after.left - plot.left) + std::abs(after.width - plot.width);
  EXPECT_LT(pushed, 12);
  const Range range = window.figure("similarity").x.range;
  EXPECT_NEAR(*window.app->plot.crosshair, before, 1e-6 * before + pushed * (range.high - range.low) / after.width);
}

TEST(Window, DraggingPansAndStopsAtTheData) {
  AppWindow window;
  window.gui.wheel("axis.x.similarity", 4);
  const Range zoomed = *window.experiment().decay.zooms.find("decay.distance_range");
  const Vec2 middle = window.gui.centre("plot.similarity");
  window.gui.drag_from(middle, {middle.x - 100, middle.y});
  const Range panned = *window.experiment().decay.zooms.find("decay.distance_range");
  EXPECT_GT(panned.low, zoomed.low);
  EXPECT_NEAR(panned.high / panned.low, zoomed.high / zoomed.low, 1e-6) << "a log axis pans by factors";
  window.gui.drag_from(middle, {middle.x - 500, middle.y});
  window.gui.drag_from(middle, {middle.x - 500, middle.y});
  EXPECT_NEAR(window.experiment().decay.zooms.find("decay.distance_range")->high, 8192, 1e-6);
}

TEST(Window, ARightDragZoomsToABox) {
  AppWindow window;
  const Rect plot = window.gui.rect("plot.similarity");
  window.gui.drag_from({plot.left + 0.25 * plot.width, plot.top + 0.25 * plot.height},
                       {plot.left + 0.75 * plot.width, plot.top + 0.75 * plot.height}, 1);
  const auto range = window.experiment().decay.zooms.find("decay.distance_range");
  ASSERT_TRUE(range.has_value());
  EXPECT_NEAR(range->low, std::pow(8192, 0.25), 0.2);
  EXPECT_NEAR(range->high, std::pow(8192, 0.75), 10);
  EXPECT_TRUE(window.experiment().decay.zooms.find("decay.similarity_range").has_value());
}

TEST(Window, HoveringReadsExactValues) {
  AppWindow window;
  window.gui.hover("plot.similarity");
  ASSERT_TRUE(window.app->plot.crosshair.has_value());
  EXPECT_TRUE(window.gui.shows("hover"));
  const double distance = std::round(*window.app->plot.crosshair);
  const auto& series = *window.figure("similarity").lines.at(0).series;
  EXPECT_THAT(values_text(window.app->result, {"similarity", distance, 0}),
              HasSubstr(shortest_number(series.ys[static_cast<std::size_t>(distance)])));
}

TEST(Window, TheMenuCopiesValuesPictureAndCommandLine) {
  AppWindow window;
  window.show_bound();
  window.gui.play("right_click plot.similarity; click menu.copy_values");
  ASSERT_TRUE(window.app->requests.clipboard_text.has_value());
  EXPECT_THAT(*window.app->requests.clipboard_text, HasSubstr("abel_bound\t"));
  window.gui.play("right_click plot.similarity; click menu.copy_picture");
  ASSERT_TRUE(window.app->requests.clipboard_png.has_value());
  EXPECT_EQ(window.app->requests.clipboard_png->substr(1, 3), "PNG");
  window.gui.play("right_click plot.similarity; click menu.copy_command");
  EXPECT_THAT(*window.app->requests.clipboard_text, HasSubstr("ropescope render decay"));
}

TEST(Window, TheMenuCopiesALinkThatOpens) {
  AppWindow window;
  window.gui.drag("rope.base", 60);
  const double base = window.experiment().rope.base;
  window.gui.play("right_click plot.similarity; click menu.copy_link");
  const std::string link = *window.app->requests.clipboard_text;
  EXPECT_THAT(link, StartsWith("ropescope:1&view=decay&"));
  EXPECT_THAT(link, HasSubstr("&rope.base="));
  window.app->history.record({}, false);
  open_path(*window.app, link);
  EXPECT_EQ(window.experiment().rope.base, base);
  EXPECT_TRUE(window.app->messages.empty());
  EXPECT_TRUE(window.app->settings.recent.empty());
}

TEST(Window, WhatIsOfAViewThatIsNotThereIsRefused) {
  AppWindow window;
  const Experiment before = window.experiment();
  open_path(*window.app, "ropescope:1&view=nonsense");
  window.gui.frames();
  EXPECT_EQ(window.experiment(), before);
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, Says("error.view.unknown", {{"id", "nonsense"}}));
}

TEST(Window, TheCommandLineReproducesTheExperiment) {
  AppWindow window;
  window.gui.drag("rope.base", 60);
  window.gui.click("chip.pin");
  window.gui.wheel("plot.similarity", 2);
  window.gui.click("chip.current");
  Experiment again;
  for (const std::string& assignment : set_arguments(window.experiment())) set_field(again, assignment);
  EXPECT_EQ(again, window.experiment());
}

TEST(Window, PinningKeepsTheCurveAndClickingItsNameHidesIt) {
  AppWindow window;
  window.gui.press(Key::p);
  window.gui.drag("rope.base", 60);
  window.gui.frames();
  ASSERT_EQ(window.experiment().pins.size(), 1u);
  EXPECT_EQ(window.experiment().pins[0].rope.base, 10000);
  EXPECT_EQ(curves_shown(window), 2u);
  window.gui.play("click chip.pin1; frames");
  EXPECT_EQ(curves_shown(window), 1u);
  window.gui.play("click chip.pin1; click chip.pin1.close; frames");
  EXPECT_TRUE(window.experiment().pins.empty());
  EXPECT_EQ(curves_shown(window), 1u);
}

TEST(Window, AHiddenPinStaysHiddenWhenAnEarlierOneGoes) {
  AppWindow window;
  window.gui.click("chip.pin");
  window.gui.drag("rope.base", 40);
  window.gui.click("chip.pin");
  const double second = window.experiment().pins.at(1).rope.base;
  window.gui.play("click chip.pin2; click chip.pin1.close");
  ASSERT_EQ(window.experiment().pins.size(), 1u);
  EXPECT_EQ(window.experiment().pins[0].rope.base, second);
  EXPECT_EQ(window.experiment().hidden, std::vector<std::string>{"pin1"});
}

TEST(Window, AMillionDistancesDoNotHoldTheFrame) {
  AppWindow window(1600, 1000, Store::Mode::asynchronous);
  window.gui.frames();
  Experiment large = window.experiment();
  large.decay.span = 1048576;
  large.rope.rotary_dim = 1024;
  large.rope.head_dim = 1024;
  window.app->history.record(large, false);
  window.gui.frames(1);
  EXPECT_TRUE(window.app->result.stale);
  EXPECT_EQ(window.figure("similarity").lines.at(0).series->ys.size(), 8193u) << "the last curve stays meanwhile";
  window.gui.press(Key::escape);
  EXPECT_TRUE(window.app->stopped);
  window.app->store.wait();
  window.gui.frames(2);
  EXPECT_TRUE(window.app->result.stale) << "what was stopped does not start again by itself";
  large.decay.span = 100;
  window.app->history.record(large, false);
  window.gui.frames(2);
  EXPECT_FALSE(window.app->result.stale);
  EXPECT_EQ(window.figure("similarity").lines.at(0).series->ys.size(), 101u);
}

TEST(Window, EveryControlIsReachedByTabAndMovedByAnArrow) {
  std::vector<std::string> missed = {"rope.base",     "rope.rotary_dim",     "rope.trained_length",
                                     "decay.span",    "decay.distance_axis", "decay.similarity_axis",
                                     "decay.content", "decay.order"};
  AppWindow window(1600, 1000);
  for (int stops = 1; stops <= 48 && !missed.empty(); ++stops) {
    // An arrow moves the focus away from what is no control: each stop is reached from the start.
    window.app->history = History();
    window.app->ui.state = {};
    ImGui::SetWindowFocus(nullptr);
    window.gui.frames();
    for (int i = 0; i < stops; ++i) window.gui.press(Key::tab);
    window.gui.press(Key::right);
    for (const std::string& assignment : set_arguments(window.experiment())) {
      std::erase(missed, assignment.substr(0, assignment.find('=')));
    }
  }
  EXPECT_THAT(missed, IsEmpty());
}

TEST(Window, ShiftF1ListsEveryKey) {
  AppWindow window;
  window.gui.play("press shift+f1; frames");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::keys);
  EXPECT_TRUE(window.gui.shows("dialog.close"));
  EXPECT_GE(key_lines(window.app->text).size(), 20u);
}

TEST(Window, NothingLeavesTheWindowAtAnySize) {
  for (const Vec2 size : {Vec2{1280, 720}, Vec2{960, 600}, Vec2{3840, 2160}, Vec2{700, 480}}) {
    AppWindow window(size.x, size.y);
    open_preset(*window.app, "gemma-3-4b-it");
    window.gui.play("click chip.pin; frames");
    // Where there is no room for the buttons a menu holds them.
    const bool folded = !window.app->record.find("shell.open");
    for (const char* key : {"plot.similarity", folded ? "shell.menu" : "shell.open", "chip.current"}) {
      const Rect rect = window.gui.rect(key);
      EXPECT_GE(rect.left, 0) << key;
      EXPECT_LE(rect.right(), size.x) << key << " at " << size.x;
      EXPECT_LE(rect.bottom(), size.y) << key << " at " << size.y;
    }
    EXPECT_GT(window.gui.rect("plot.similarity").width, 0.25 * size.x) << size.x;
  }
}

TEST(Window, AClickFoldsAndUnfoldsTheControls) {
  for (const Vec2 size : {Vec2{1280, 720}, Vec2{900, 700}, Vec2{390, 844}}) {
    SCOPED_TRACE(size.x);
    AppWindow window(size.x, size.y);
    const auto open = [&] { return window.app->record.find("rope.base") != nullptr; };
    const bool at_first = open();
    for (int click = 1; click <= 3; ++click) {
      window.gui.play("click shell.fold; frames");
      EXPECT_EQ(open(), at_first == (click % 2 == 0)) << click;
    }
  }
}

TEST(Window, AnUprightOneHasEverythingInOneColumn) {
  AppWindow window(390, 844);
  window.gui.play("click shell.fold; frames");
  const Rect* base = window.app->record.find("rope.base");
  ASSERT_TRUE(base);
  EXPECT_LE(window.app->figures.bottom(), base->top);
  EXPECT_GT(window.app->figures.width, 320);
  EXPECT_LE(window.app->record.find("frame.similarity")->bottom(), base->top);
  // What is dragged is seen: the figure shows another curve in the same window.
  const double before = window.figure("similarity").lines.at(0).series->ys[1000];
  window.gui.drag("rope.base", 40);
  window.gui.frames();
  EXPECT_NE(window.figure("similarity").lines.at(0).series->ys[1000], before);
  window.gui.click("shell.fold");

  open_lesson(*window.app, "08-decay");
  window.settle();
  const Rect* words = window.app->record.find("lesson.words");
  ASSERT_TRUE(words);
  EXPECT_LE(window.app->figures.bottom(), words->top);
  EXPECT_GT(window.app->figures.width, 320);
}

TEST(Window, PanelsThatAreTooNarrowStandOneBelowTheOther) {
  AppWindow window(390, 844);
  Experiment experiment = window.experiment();
  experiment.view = "layout";
  window.show(experiment);
  double bottom = 0;
  for (const Panel& panel : window.app->result.panels) {
    const Rect* frame = window.app->record.find("frame." + panel.figure.name);
    ASSERT_TRUE(frame) << panel.figure.name;
    EXPECT_GE(frame->top, bottom) << panel.figure.name;
    EXPECT_GT(frame->width, 300) << panel.figure.name;
    bottom = frame->bottom();
  }
}

TEST(Window, ThemeAndTextSizeFollowTheirKeys) {
  AppWindow window;
  window.gui.press(Key::t);
  EXPECT_EQ(window.app->settings.theme, "light");
  window.gui.press(Key::equal, true, true);
  EXPECT_EQ(window.app->settings.text_scale, 110);
  EXPECT_TRUE(window.app->requests.rebuild_fonts);
  window.gui.press(Key::digit_0, true);
  EXPECT_EQ(window.app->settings.text_scale, 100);
}

}  // namespace
}  // namespace ropescope::ui
