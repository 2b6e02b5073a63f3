// Values that move back and forth automatically, and what lecturers draw over a figure.

#include "app/resources/files.h"
#include "app/resources/models.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

TEST(FieldSweep, RunsFromWhereTheFieldStandsToTheEndsAndBack) {
  AppWindow window;
  window.app->settings.sweep_seconds = 2;
  const double before = window.experiment().rope.base;
  window.gui.click("rope.base.play");
  EXPECT_TRUE(window.app->animated);
  EXPECT_NE(window.experiment().rope.base, before);
  double last = window.experiment().rope.base, highest = 0, lowest = 1e300;
  bool jumped = false;
  for (int frame = 0; frame < 80; ++frame) {
    window.gui.frames(1, 0.05);
    const double base = window.experiment().rope.base;
    // A frame is a fortieth of the slider of twelve decades.
    jumped |= std::abs(std::log10(base / last)) > 13.0 / 40;
    last = base;
    highest = std::max(highest, base);
    lowest = std::min(lowest, base);
  }
  EXPECT_FALSE(jumped);
  EXPECT_GT(highest, 5e11);
  EXPECT_LT(lowest, 3);
}

TEST(FieldSweep, WholeNumbersStayOnTheirSteps) {
  AppWindow window;
  window.gui.click("rope.rotary_dim.play");
  std::set<double> seen;
  for (int frame = 0; frame < 30; ++frame) {
    window.gui.frames(1, 0.05);
    const double dim = window.experiment().rope.rotary_dim;
    EXPECT_EQ(std::fmod(dim, 2), 0);
    seen.insert(dim);
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(FieldSweep, SpaceHoldsItAndEscapeEndsIt) {
  AppWindow window;
  window.gui.play("click rope.base.play; press space");
  const double held = window.experiment().rope.base;
  window.gui.frames(5, 0.05);
  EXPECT_EQ(window.experiment().rope.base, held);
  EXPECT_FALSE(window.app->animated) << "the window sleeps";
  window.gui.press(Key::space);
  window.gui.frames(5, 0.05);
  EXPECT_NE(window.experiment().rope.base, held);
  window.gui.press(Key::escape);
  const double ended = window.experiment().rope.base;
  window.gui.press(Key::space);
  window.gui.frames(5, 0.05);
  EXPECT_EQ(window.experiment().rope.base, ended) << "there is nothing to go on with";
  EXPECT_FALSE(window.app->animated);
}

TEST(FieldSweep, SpaceIsForTheViewsPlayerWhereNothingIsSwept) {
  AppWindow window;
  window.gui.play("click view.rotation; press space");
  EXPECT_TRUE(window.experiment().rotation.playing);
  window.gui.play("click rope.base.play; press space");
  EXPECT_TRUE(window.experiment().rotation.playing) << "the sweep first";
  window.gui.play("press escape; press space");
  EXPECT_FALSE(window.experiment().rotation.playing);
}

TEST(FieldSweep, IsNoStepOfUndo) {
  AppWindow window;
  const double before = window.experiment().rope.trained_length;
  window.gui.play("click rope.trained_length.value; type 777; press enter; click rope.base.play");
  window.gui.frames(20, 0.05);
  window.gui.play("press escape; press ctrl+z");
  EXPECT_EQ(window.experiment().rope.trained_length, before) << "one step back is the typed value";
  EXPECT_FALSE(window.app->history.can_undo());
}

TEST(FieldSweep, AnEditByHandEndsIt) {
  AppWindow window;
  window.gui.click("rope.base.play");
  window.gui.frames(5, 0.05);
  window.gui.play("click rope.base.value; type 500; press enter");
  window.gui.frames(5, 0.05);
  EXPECT_EQ(window.experiment().rope.base, 500);
  window.gui.click("rope.base.play");
  window.gui.frames(5, 0.05);
  window.gui.drag("rope.base", -40);
  const double dragged = window.experiment().rope.base;
  window.gui.frames(5, 0.05);
  EXPECT_EQ(window.experiment().rope.base, dragged);
  // Another field by hand does not.
  window.gui.click("rope.base.play");
  window.gui.drag("rope.trained_length", 30);
  const double on_the_way = window.experiment().rope.base;
  window.gui.frames(5, 0.05);
  EXPECT_NE(window.experiment().rope.base, on_the_way);
}

TEST(FieldSweep, OneAtATimeAndOnlyWhereTheViewHasTheField) {
  AppWindow window;
  window.gui.play("click decay.span.play; click rope.base.play");
  const double span = window.experiment().decay.span;
  window.gui.frames(5, 0.05);
  EXPECT_EQ(window.experiment().decay.span, span);
  window.gui.play("click decay.span.play; click view.frequencies");
  window.gui.frames(5, 0.05);
  EXPECT_TRUE(window.app->ui.sweep.key.empty());
}

TEST(FieldSweep, FromTheKeyboard) {
  AppWindow window;
  window.gui.play("click rope.base; press tab; press shift+tab; press shift+enter");
  EXPECT_EQ(window.app->ui.sweep.key, "rope.base");
  window.gui.press(Key::space);
  EXPECT_TRUE(window.app->ui.sweep.held) << "Space is not for typing meanwhile";
}

TEST(FieldSweep, ItsSpeedIsKept) {
  {
    AppWindow window;
    window.gui.click("rope.base.play", 1);
    EXPECT_TRUE(window.app->ui.sweep.key.empty()) << "the right button starts nothing";
    window.gui.click("sweep.seconds.20");
    EXPECT_EQ(window.app->settings.sweep_seconds, 20);
    save_state(*window.app);
  }
  AppWindow again(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_EQ(again.app->settings.sweep_seconds, 20);
}

// Values keep their room, whatever the size of the text.
TEST(FieldSweep, FitsBesideTheSliderAtAnySize) {
  for (const double scale : {100.0, 250.0}) {
    AppWindow window(640, 480);
    window.app->settings.text_scale = scale;
    apply_settings(*window.app, 1);
    window.gui.upload_fonts();
    window.gui.play("frames 4; press b; frames 4");
    for (const std::string key : {"rope.base", "rope.rotary_dim"}) {
      const Rect slider = window.gui.rect(key), play = window.gui.rect(key + ".play"),
                 value = window.gui.rect(key + ".value");
      EXPECT_GE(play.left, slider.right()) << scale;
      EXPECT_LE(value.bottom(), play.top + 4 * scale / 100) << scale;
      EXPECT_GT(slider.width, 3 * play.width) << scale;
    }
  }
}

TEST(FieldSweep, IsSavedAsAGif) {
  AppWindow window(1280, 800);
  window.app->settings.sweep_seconds = 1;
  window.gui.click("plot.similarity", 1);
  EXPECT_FALSE(window.gui.shows("menu.save_gif")) << "nothing was swept";
  window.gui.play("press escape; click rope.base.play; press escape");
  const Experiment shown = window.experiment();
  window.gui.play("right_click plot.similarity; click menu.save_gif");
  EXPECT_EQ(window.app->dialog.format, "gif");
  const fs::path file = window.app->dialog.path;
  window.gui.click("dialog.do_save");
  ASSERT_NE(window.app->file_job, nullptr);
  window.finish_file_job();
  EXPECT_TRUE(is_saved_as(file, "gif")) << file;
  EXPECT_EQ(window.experiment(), shown);
  ASSERT_FALSE(window.app->messages.empty());
  EXPECT_NE(window.app->messages.back().text.find(file.string()), std::string::npos);
}

TEST(FieldSweep, AGifCanBeStopped) {
  AppWindow window(1280, 800);
  window.gui.play("click rope.base.play; press escape; right_click plot.similarity; click menu.save_gif");
  const fs::path file = window.app->dialog.path;
  window.gui.click("dialog.do_save");
  ASSERT_NE(window.app->file_job, nullptr);
  window.gui.press(Key::escape);
  window.finish_file_job();
  EXPECT_FALSE(fs::exists(file));
}

TEST(PointerMark, RingSpotlightAndNone) {
  AppWindow window;
  window.gui.hover("plot.similarity");
  EXPECT_FALSE(window.gui.shows("pointer.ring"));
  window.gui.press(Key::l);
  EXPECT_TRUE(window.gui.shows("pointer.ring"));
  window.gui.press(Key::f);
  EXPECT_TRUE(window.gui.shows("pointer.ring")) << "in the figure alone as well";
  window.gui.press(Key::l);
  EXPECT_FALSE(window.gui.shows("pointer.ring"));
  ASSERT_TRUE(window.gui.shows("pointer.spotlight"));
  const Vec2 before = window.gui.centre("pointer.spotlight");
  window.gui.move({before.x + 50, before.y});
  EXPECT_EQ(window.gui.centre("pointer.spotlight").x, before.x + 50);
  window.gui.press(Key::l);
  EXPECT_FALSE(window.gui.shows("pointer.spotlight"));
}

/// Draws a line over the plot, at shares of its width and height.
void draw(AppWindow& window, Vec2 from, Vec2 to) {
  const Rect plot = window.gui.rect("plot.similarity");
  const auto at = [&plot](Vec2 share) {
    return Vec2{plot.left + share.x * plot.width, plot.top + share.y * plot.height};
  };
  window.gui.drag_from(at(from), at(to));
}

TEST(Pen, DrawsInDataCoordinatesAndMovesNothing) {
  AppWindow window;
  const Experiment before = window.experiment();
  window.gui.play("press f; press d");
  ASSERT_TRUE(window.gui.shows("pen.undo"));
  draw(window, {0.25, 0.25}, {0.75, 0.5});
  ASSERT_EQ(window.app->pen.strokes.size(), 1u);
  const Path& path = window.app->pen.strokes[0].path;
  ASSERT_GT(path.xs.size(), 3u);
  const Figure& figure = window.figure("similarity");
  const Range x = figure.x.range, y = figure.y.range;
  ASSERT_EQ(figure.x.scale, AxisScale::log);
  EXPECT_NEAR(std::log(path.xs.front() / x.low), 0.25 * std::log(x.high / x.low), 0.01 * std::log(x.high / x.low));
  EXPECT_NEAR(path.ys.back(), y.low + 0.5 * (y.high - y.low), 0.01 * (y.high - y.low));
  EXPECT_EQ(window.experiment(), before) << "nothing was panned";
  EXPECT_FALSE(window.app->history.can_undo());
  window.gui.press(Key::escape);
  EXPECT_FALSE(window.app->pen.on);
  EXPECT_EQ(window.app->pen.strokes.size(), 1u) << "what was drawn stays";
  EXPECT_TRUE(window.app->figure_alone) << "one Escape ends one thing";
}

TEST(Pen, UndoClearAndColours) {
  AppWindow window;
  window.gui.press(Key::d);
  draw(window, {0.2, 0.2}, {0.4, 0.4});
  window.gui.press(static_cast<Key>(static_cast<int>(Key::digit_0) + 4));
  draw(window, {0.4, 0.2}, {0.6, 0.4});
  window.gui.click("pen.colour.1");
  draw(window, {0.6, 0.2}, {0.8, 0.4});
  ASSERT_EQ(window.app->pen.strokes.size(), 3u);
  EXPECT_EQ(window.experiment().view, Experiment().view) << "4 is a colour, not a view";
  EXPECT_EQ(window.app->pen.strokes[1].path.style.slot, 3);
  EXPECT_EQ(window.app->pen.strokes[2].path.style.slot, 0);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.app->pen.strokes.size(), 2u);
  window.gui.click("pen.undo");
  EXPECT_EQ(window.app->pen.strokes.size(), 1u);
  draw(window, {0.2, 0.5}, {0.4, 0.6});
  window.gui.press(Key::del);
  EXPECT_TRUE(window.app->pen.strokes.empty());
  window.gui.click("pen.end");
  EXPECT_FALSE(window.app->pen.on);
}

TEST(Pen, IsPartOfASavedFigureIfWanted) {
  const auto saved = [](bool ink) {
    AppWindow window;
    window.gui.press(Key::d);
    draw(window, {0.2, 0.2}, {0.8, 0.7});
    window.gui.play("press escape; press ctrl+s");
    if (!ink) window.gui.click("dialog.ink");
    const std::string path = window.app->dialog.path;
    window.gui.click("dialog.do_save");
    return read_file(path).size();
  };
  const std::size_t with = saved(true), without = saved(false);
  EXPECT_GT(with, without + 30);
}

}  // namespace
}  // namespace ropescope::ui
