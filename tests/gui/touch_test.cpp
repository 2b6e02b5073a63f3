// The window on phones and tablets: what a finger reaches, and what is seen together.

#include "app/experiment/figure_file.h"
#include "app/resources/models.h"
#include "app/ui/drawing/style.h"
#include "app/ui/finder.h"
#include "app/ui/lesson/lesson_play.h"
#include "tests/gui/large_window.h"

namespace ropescope::ui {
namespace {

bool overlaps(const Rect& a, const Rect& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

/// A window as of a phone: by touch, with the experiment of a new one.
struct Phone : LargeWindow {
  explicit Phone(const Room& room = {390, 844, 100}, const std::string& language = "en") : LargeWindow(room, language) {
    app->ui.touch = true;
    settle();
  }
  void open(const std::string& lesson, const std::string& step = {}) {
    open_lesson(*app, lesson, step);
    finish_motion();
  }
  void finish_motion() {
    const LessonPlay& play = *app->lesson;
    for (int i = 0; i < 400 && (play.gliding > 0 || !play.sweeps.empty()); ++i) gui.frames(1, 0.1);
    settle();
  }
  void tap(const std::string& key) {
    gui.click(key);
    settle();
  }
};

/// The controls and the figure are seen together, or they take turns; never is one on the other.
TEST(Touch, OpenControlsCoverNoFigure) {
  for (const Room& room : {Room{390, 844, 100}, Room{360, 640, 100}, Room{844, 390, 100}, Room{820, 1180, 100},
                           Room{1280, 720, 100}, Room{390, 844, 200}, Room{820, 1180, 200}, Room{844, 390, 200}}) {
    SCOPED_TRACE(name_of(room));
    Phone phone(room);
    ASSERT_TRUE(phone.gui.shows("frame.similarity"));
    if (!phone.gui.shows("rope.base")) phone.tap("shell.fold");
    ASSERT_TRUE(phone.gui.shows("rope.base"));
    const Rect base = phone.gui.rect("rope.base");
    EXPECT_TRUE(phone.is_inside(phone.gui.rect("shell.fold")));
    EXPECT_GT(base.width, 0.45 * std::min<double>(room.width, phone.app->ui.px(320)));
    if (const Rect* figure = phone.app->record.find("frame.similarity")) {
      EXPECT_FALSE(overlaps(base, *figure));
      EXPECT_GT(figure->width, phone.app->ui.px(190));
      EXPECT_GT(figure->height, phone.app->ui.px(80));
      EXPECT_TRUE(room.scale == 100 || room.width > 800) << "there is no room for both";
    } else {
      EXPECT_EQ(room.scale, 200) << "there is room for both";
      phone.tap("shell.fold");
      EXPECT_TRUE(phone.gui.shows("frame.similarity"));
    }
  }
}

TEST(Touch, TheCrossOfTheDrawerIsOnNoControl) {
  Phone phone;
  phone.tap("shell.fold");
  const Rect cross = phone.gui.rect("shell.fold");
  int controls = 0;
  for (int notch = 0; notch < 30; ++notch) {
    for (const auto& [key, rect] : phone.app->record.rects) {
      if (!key.ends_with(".play") && !key.starts_with("rope.")) continue;
      ++controls;
      EXPECT_FALSE(overlaps(rect, cross)) << key << " at notch " << notch;
    }
    send_mouse_wheel(-1);
    phone.gui.move({cross.left - 60, cross.bottom() + 40});
  }
  EXPECT_GT(controls, 30);
}

TEST(Touch, LessonAndFigureTakeTurnsAtLargeText) {
  Phone phone({390, 844, 200});
  phone.open("08-decay", "hundred");
  ASSERT_TRUE(phone.gui.shows("lesson.words"));
  EXPECT_FALSE(phone.gui.shows("frame.similarity"));
  EXPECT_GT(phone.gui.rect("lesson.words").height, phone.app->ui.px(200));
  phone.tap("shell.turn");
  EXPECT_TRUE(phone.gui.shows("frame.similarity"));
  EXPECT_FALSE(phone.gui.shows("lesson.words"));
  phone.tap("shell.turn");
  EXPECT_TRUE(phone.gui.shows("lesson.words"));
  // A new step begins with its words.
  phone.tap("shell.turn");
  next_step(*phone.app, -1);
  phone.finish_motion();
  EXPECT_TRUE(phone.gui.shows("lesson.words"));
}

/// A message is visible although the figures are not; their area is empty, so no picture of them is cut.
TEST(Touch, MessagesAreShownWhileFiguresTakeTurns) {
  Phone phone({390, 844, 200});
  const auto expect_message = [&](const char* below) {
    phone.app->messages.clear();
    phone.app->messages.push_back({"something is wrong"});
    phone.settle();
    ASSERT_FALSE(phone.gui.shows("frame.similarity"));
    EXPECT_EQ(phone.app->figures.width, 0);
    ASSERT_TRUE(phone.gui.shows("message.0.close"));
    EXPECT_LE(phone.gui.rect("message.0.close").bottom(), phone.gui.rect(below).top);
    phone.tap("message.0.close");
    EXPECT_TRUE(phone.app->messages.empty());
  };
  if (!phone.gui.shows("rope.base")) phone.tap("shell.fold");
  expect_message("shell.fold");
  phone.tap("shell.fold");
  EXPECT_GT(phone.app->figures.width, 0);
  phone.open("08-decay", "hundred");
  expect_message("lesson.words");
}

/// On its side a phone has half the height: the bar makes space, and the button is in the foot.
TEST(Touch, ALowWindowLeavesSpaceForTheWords) {
  Phone phone({844, 390, 200});
  phone.open("08-decay", "hundred");
  EXPECT_GT(phone.gui.rect("lesson.words").height, phone.app->ui.px(100));
  EXPECT_TRUE(phone.is_inside(phone.gui.rect("lesson.next")));
  const Rect turn = phone.gui.rect("shell.turn");
  for (const char* key : {"lesson.previous", "lesson.next"}) EXPECT_FALSE(overlaps(turn, phone.gui.rect(key))) << key;
  phone.tap("shell.turn");
  EXPECT_GT(phone.gui.rect("frame.similarity").height, phone.app->ui.px(80));
}

TEST(Touch, AGuessBeginsBesideTheCornerOfThePlot) {
  Phone phone;
  phone.open("08-decay");
  const auto& steps = phone.app->lesson->lesson.steps;
  const auto draws = std::find_if(steps.begin(), steps.end(), [](const LessonStep& step) {
    return step.ask && step.ask->kind == LessonAsk::Kind::draw;
  });
  ASSERT_NE(draws, steps.end());
  go_to_step(*phone.app, static_cast<std::size_t>(draws - steps.begin()));
  phone.finish_motion();
  const Rect plot = phone.gui.rect("plot." + draws->ask->figure);
  const auto drawn = [&](double off) {
    phone.app->lesson->answer = {};
    phone.gui.drag_from({plot.left - off, plot.top - off / 2}, {plot.right() - 20, plot.bottom() - 30});
    return phone.app->lesson->answer.xs;
  };
  for (const double off : {6.0, 20.0}) {
    const std::vector<double> xs = drawn(off);
    ASSERT_GT(xs.size(), 3u) << off;
    EXPECT_DOUBLE_EQ(xs.front(), phone.figure(draws->ask->figure).x.range.low);
  }
  EXPECT_TRUE(drawn(30).empty());
}

/// After a paragraph that fills the panel too.
TEST(Touch, TheWayOnShowsTheQuestion) {
  Phone phone;
  phone.open("08-decay", "draw");
  const auto hidden = [&] {
    return phone.gui.rect("lesson.answer").bottom() > phone.gui.rect("lesson.words").bottom();
  };
  ASSERT_TRUE(hidden());
  phone.tap("lesson.next");
  EXPECT_FALSE(hidden());
}

TEST(Touch, ButtonsOfALessonAreAsLargeAsAFingertip) {
  Phone phone;
  phone.open("08-decay");
  for (const char* key : {"lesson.list", "lesson.close"}) {
    const Rect rect = phone.gui.rect(key);
    EXPECT_GE(std::min(rect.width, rect.height), 40) << key;
    EXPECT_TRUE(phone.is_inside(rect)) << key;
  }
}

TEST(Touch, UndoAndRedoAreInTheMenus) {
  Phone phone;
  Experiment next = phone.experiment();
  next.rope.base = 777;
  phone.show(next);
  phone.tap("shell.menu");
  phone.tap("key.undo");
  EXPECT_NE(phone.experiment().rope.base, 777);
  phone.tap("key.redo");
  EXPECT_EQ(phone.experiment().rope.base, 777);
  phone.gui.press(Key::escape);
  // Where the bar has its buttons and no menu, that of a figure has them.
  phone.gui.play("right_click plot.similarity; settle");
  phone.tap("menu.undo");
  EXPECT_NE(phone.experiment().rope.base, 777);
}

TEST(Touch, TwoFingersPanAndZoomAtOnce) {
  Phone phone;
  Experiment next = phone.experiment();
  next.decay.distance_axis = AxisScale::linear;
  next.decay.zooms["decay.distance_range"] = Range{1000, 2000};
  phone.show(next);
  phone.gui.hover("plot.similarity");
  const auto move = [&](Vec2 pan, float wheel) {
    const Range before = phone.figure("similarity").x.range;
    phone.app->plot.pan = pan;
    if (wheel != 0) send_mouse_wheel(wheel);
    phone.gui.play("frames 1; settle");
    const Range after = phone.figure("similarity").x.range;
    return std::pair(before, after);
  };
  const auto [before, after] = move({50, 0}, 0);
  EXPECT_LT(after.low, before.low - 100);
  EXPECT_NEAR(after.high - after.low, before.high - before.low, 1);
  const auto [wide, near] = move({50, 0}, 2);
  EXPECT_LT(near.high - near.low, 0.8 * (wide.high - wide.low));
  EXPECT_LT(near.low + near.high, wide.low + wide.high - 100);
  // All that the fingers do before they are lifted is one step of undo.
  const Experiment start = phone.experiment();
  phone.app->plot.gesture = true;
  for (int i = 0; i < 3; ++i) move({20, 0}, 0);
  phone.app->plot.gesture = false;
  phone.gui.frames(2);
  EXPECT_NE(phone.experiment(), start);
  phone.app->history.undo();
  EXPECT_EQ(phone.experiment(), start);
  phone.settle();
  // It was of that frame.
  phone.gui.frames(3);
  EXPECT_EQ(phone.figure("similarity").x.range, near);
}

TEST(Touch, AListKeepsItsKeyboardAway) {
  Phone phone;
  phone.tap("shell.fold");
  phone.tap("model");
  ASSERT_TRUE(phone.gui.shows("model.search"));
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST(Touch, TheListOfLessonsShowsLessons) {
  Phone phone({360, 640, 100});
  phone.app->lessons_listed = true;
  phone.settle();
  int shown = 0;
  for (const LessonTitle& title : phone.app->lesson_titles) {
    const Rect* rect = title.chapter ? nullptr : phone.app->record.find("lesson." + title.id);
    shown += rect && phone.is_inside(*rect) ? 1 : 0;
  }
  EXPECT_GE(shown, 5);
  EXPECT_FALSE(phone.gui.shows("frame.similarity"));
}

/// Figures that a step frames are compared: they are on one page of a phone.
TEST(Touch, FramedFiguresAreOnOnePage) {
  int compared = 0;
  std::vector<std::string> apart;
  Phone phone;
  phone.app->settings.motion = false;
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    const Lesson lesson = load_lesson(find_places().assets, entry.id, "en");
    for (const LessonStep& step : lesson.steps) {
      // Controls and cards have a dot in their names.
      const auto is_figure = [](const std::string& name) { return name.find('.') == std::string::npos; };
      if (std::count_if(step.points.begin(), step.points.end(), is_figure) < 2) continue;
      phone.open(entry.id, step.name);
      std::vector<std::string> framed;
      for (const Panel& panel : phone.app->result.panels) {
        const std::string& name = panel.figure.name;
        if (std::find(step.points.begin(), step.points.end(), name) != step.points.end()) framed.push_back(name);
      }
      if (framed.size() < 2) continue;
      ++compared;
      for (const std::string& name : framed) {
        if (!phone.gui.shows("frame." + name)) apart.push_back(entry.id + "/" + step.name + ": " + name);
      }
    }
  }
  EXPECT_GT(compared, 0);
  EXPECT_THAT(apart, IsEmpty());
}

/// A map beside its key would leave the lower half of an upright tablet empty.
TEST(Touch, LayoutFillsAnUprightTablet) {
  Phone phone({820, 1180, 100});
  Experiment experiment = phone.experiment();
  experiment.view = "layout";
  phone.show(experiment);
  ASSERT_EQ(phone.app->plot.pages, 1u);
  double height = 0, bottom = 0;
  for (const Panel& panel : phone.app->result.panels) {
    const Rect frame = phone.gui.rect("frame." + panel.figure.name);
    EXPECT_GE(frame.top, bottom) << panel.figure.name;
    EXPECT_GT(frame.width, 0.95 * phone.app->figures.width) << panel.figure.name;
    bottom = frame.bottom();
    height = std::max(height, phone.gui.rect("plot." + panel.figure.name).height);
  }
  EXPECT_GT(height, 400);
}

TEST(Touch, StepsOfThePlayerFitNarrowRows) {
  Phone phone({390, 844, 200});
  phone.go_to(find_view("rotation"));
  for (const char* key : {"player.back", "player.play", "player.step"}) {
    EXPECT_TRUE(phone.is_inside(phone.gui.rect(key))) << key;
  }
}

// --- The student's view --------------------------------------------------------------------------------------------

TEST(Student, ALinkShowsOneFigureOneControlAndTheQuestion) {
  for (const Room& room : {Room{390, 844, 100}, Room{844, 390, 100}}) {
    SCOPED_TRACE(name_of(room));
    Phone phone(room);
    open_path(*phone.app, "https://example.org/rope/#lesson=08-decay/hundred&student=1");
    phone.finish_motion();
    ASSERT_TRUE(phone.app->student);
    const auto count = [&](const std::string& start) {
      int found = 0;
      for (const auto& [key, rect] : phone.app->record.rects) found += key.starts_with(start) ? 1 : 0;
      return found;
    };
    EXPECT_EQ(count("frame."), 1);
    EXPECT_LE(count("rope.") + count("decay."), 5) << "more than one control and its parts";
    EXPECT_GE(count("lesson.choice."), 2);
    for (const char* key : {"shell.menu", "shell.view", "shell.fold", "lessons", "chip.pin", "lesson.close"}) {
      EXPECT_FALSE(phone.gui.shows(key)) << key;
    }
    // The answer can be held up; a press ends that.
    EXPECT_FALSE(phone.gui.shows("lesson.hold_up"));
    phone.tap("lesson.choice.2");
    EXPECT_TRUE(phone.app->lesson->answer.given);
    phone.tap("lesson.hold_up");
    const Rect held = phone.gui.rect("lesson.held_up");
    EXPECT_EQ(held.width, room.width);
    EXPECT_EQ(held.height, room.height);
    EXPECT_EQ(letter_of(phone.app->lesson->answer.choice), "B");
    phone.tap("lesson.held_up");
    EXPECT_FALSE(phone.gui.shows("lesson.held_up"));
    // The way to the whole laboratory.
    phone.tap("shell.whole");
    EXPECT_FALSE(phone.app->student);
    EXPECT_TRUE(phone.gui.shows("lesson.close"));
  }
}

/// A step may ask for a choice instead of a number, and no question blocks the way.
TEST(Student, PointedChoicesAreShownAndQuestionsAreSkipped) {
  Experiment shown;
  shown.view = "decay";
  EXPECT_EQ(find_first_control(shown, {"decay.distance_axis", "rope.base"}), "rope.base");
  EXPECT_EQ(find_first_control(shown, {"decay.distance_axis"}), "decay.distance_axis");
  Phone phone;
  open_path(*phone.app, "ropescope:lesson=08-decay/hundred&student=1");
  phone.finish_motion();
  const std::size_t step = phone.app->lesson->step;
  phone.tap("lesson.next");
  EXPECT_FALSE(phone.app->lesson->answer.given);
  phone.tap("lesson.next");
  EXPECT_TRUE(phone.app->lesson->answer.skipped);
  EXPECT_FALSE(phone.gui.shows("lesson.hold_up"));
  phone.tap("lesson.next");
  EXPECT_EQ(phone.app->lesson->step, step + 1);
}

TEST(Student, AnExperimentHasAFigureAndAControlToo) {
  Phone phone;
  open_path(*phone.app, "ropescope:1&view=limits&rope.base=54321&student=1");
  phone.settle();
  EXPECT_EQ(phone.experiment().rope.base, 54321);
  EXPECT_TRUE(phone.gui.shows("rope.base"));
  int frames = 0;
  for (const auto& [key, rect] : phone.app->record.rects) frames += key.starts_with("frame.") ? 1 : 0;
  EXPECT_EQ(frames, 1);
  // Another link without it shows everything.
  open_path(*phone.app, "ropescope:1&view=decay");
  phone.settle();
  EXPECT_FALSE(phone.app->student);
  EXPECT_TRUE(phone.gui.shows("chip.pin"));
}

TEST(Student, TheCodeOfAStepOpensThatStep) {
  Phone phone({1280, 720, 100});
  phone.open("08-decay", "hundred");
  const std::string link = link_here(*phone.app, "https://example.org/#", true);
  EXPECT_EQ(link, "https://example.org/#lesson=08-decay/hundred&student=1");
  phone.app->settings.lesson_places["08-decay"] = "average";
  close_lesson(*phone.app);
  open_path(*phone.app, link);
  EXPECT_EQ(phone.app->lesson->lesson.steps[phone.app->lesson->step].name, "hundred");
  // What was changed in it is in the link.
  phone.finish_motion();
  Experiment changed = phone.experiment();
  changed.rope.base = 4321;
  phone.show(changed);
  EXPECT_THAT(link_here(*phone.app, "", false),
              AllOf(StartsWith("lesson=08-decay/hundred&1&"), HasSubstr("rope.base=4321")));
}

TEST(Student, ALinkToALessonBeginsAtItsFirstStep) {
  Phone phone;
  phone.app->settings.lesson_places["08-decay"] = "average";
  open_path(*phone.app, "ropescope:lesson=08-decay");
  EXPECT_EQ(phone.app->lesson->step, 0u);
  // The list goes on where it was left.
  open_lesson(*phone.app, "08-decay", "average");
  close_lesson(*phone.app);
  open_lesson(*phone.app, "08-decay");
  EXPECT_EQ(phone.app->lesson->lesson.steps[phone.app->lesson->step].name, "average");
}

// --- Keys and names ------------------------------------------------------------------------------------------------

TEST(PageManners, KeysWithoutAnActionAreTheBrowsers) {
  const auto uses = [](Key key, bool control, bool shift = false) {
    return has_binding(static_cast<int>(key), control, shift);
  };
  for (const Key key : {Key::f, Key::d, Key::h, Key::j, Key::u}) EXPECT_FALSE(uses(key, true));
  for (const Key key : {Key::f3, Key::f6, Key::f7, Key::f12}) EXPECT_FALSE(uses(key, false));
  for (const Key key : {Key::k, Key::s, Key::z, Key::o, Key::equal}) EXPECT_TRUE(uses(key, true));
  EXPECT_TRUE(uses(Key::z, true, true));
  EXPECT_FALSE(uses(Key::k, true, true));
}

TEST(PageManners, TabLeavesAfterTheLastControl) {
  AppWindow window;
  const auto last = [&](bool back) { return is_last_stop(window.app->ui.state, back); };
  window.gui.press(Key::tab);
  EXPECT_FALSE(last(false));
  int stops = 1;
  for (; !last(false) && stops < 300; ++stops) window.gui.press(Key::tab);
  EXPECT_GT(stops, 20);
  EXPECT_LT(stops, 300);
  EXPECT_FALSE(last(true));
  // In a window of its own the first follows.
  window.gui.press(Key::tab);
  EXPECT_TRUE(last(true));
}

TEST(PageManners, DroppedFilesHaveTheirOwnNames) {
  EXPECT_EQ(short_name("/files/config.json"), "config.json");
  EXPECT_EQ(short_name("/models/llama/config.json"), "llama/config.json");
  EXPECT_EQ(shown_path("/files/decay.png"), "decay.png");
  EXPECT_EQ(shown_path("/home/files/decay.png"), "/home/files/decay.png");
}

TEST(PageManners, MoreContrastMakesQuietTextClear) {
  AppWindow window;
  const Palette before = window.app->ui.palette;
  EXPECT_NE(before.faint, before.text);
  window.app->settings.contrast = true;
  apply_theme(*window.app);
  EXPECT_EQ(window.app->ui.palette.faint, before.text);
  EXPECT_EQ(window.app->ui.palette.secondary, before.text);
  // Both themes keep their curves.
  EXPECT_EQ(window.app->ui.palette.curves, before.curves);
}

}  // namespace
}  // namespace ropescope::ui
