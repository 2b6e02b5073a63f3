// The start screen: when it comes, its choices by keys and mouse, its pictures, and what a new window starts with.

#include "app/ui/start.h"

#include "app/lessons/lesson.h"
#include "app/resources/files.h"
#include "app/ui/dialogs.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/state.h"
#include "tests/gui/large_window.h"

namespace ropescope::ui {
namespace {

struct StartWindow : AppWindow {
  explicit StartWindow(double width = 1280, double height = 720) : AppWindow(width, height) {
    app->settings.motion = false;
    start_fresh(*app);
  }
  bool is_open() const { return app->dialog.kind == DialogKind::start; }
  void open() {
    open_dialog(*app, DialogKind::start);
    gui.frames(8);
  }
};

TEST(Start, ANewWindowShowsANamedModelWithTheInitialValues) {
  const StartWindow window;
  RopeFields rope = window.experiment().rope;
  EXPECT_EQ(rope.model, "llama-2-7b");
  EXPECT_NE(rope.label, "");
  rope.label = rope.model = rope.profile = {};
  EXPECT_EQ(rope, RopeFields());
  EXPECT_EQ(Experiment().rope.model, "") << "the meaning of a file without these keys";
}

TEST(Start, ComesWhereThereIsNothingToRestoreOrReport) {
  const auto is_greeted = [](const std::function<void(App&)>& prepare) {
    StartWindow window;
    EXPECT_FALSE(window.is_open()) << "only greet() opens it";
    prepare(*window.app);
    greet(*window.app);
    return window.is_open();
  };
  EXPECT_TRUE(is_greeted([](App&) {}));
  EXPECT_FALSE(is_greeted([](App& app) { app.settings.start_screen = false; }));
  EXPECT_FALSE(is_greeted([](App& app) { app.messages.push_back({"a report"}); }));
  EXPECT_FALSE(is_greeted([](App& app) { open_preset(app, "phi-2"); }));
  EXPECT_FALSE(is_greeted([](App& app) { open_lesson(app, "04-turn"); }));
}

TEST(Start, IsNotShownAgainAfterItsBoxWasTicked) {
  StartWindow window;
  window.open();
  window.gui.click("start.again");
  EXPECT_FALSE(window.app->settings.start_screen);
  window.gui.press(Key::escape);
  EXPECT_FALSE(window.is_open());
  save_state(*window.app);
  const auto file = window.app->places.state / "settings.json";
  EXPECT_FALSE(settings_from_json(read_file(file), "settings").start_screen);
  EXPECT_TRUE(settings_from_json("{}", "settings").start_screen);
}

TEST(Start, OpensFromTheProgramsNameAndFromTheMenuOfViews) {
  for (const double width : {1280.0, 390.0}) {
    StartWindow window(width, 844);
    if (width < 700) window.gui.click("shell.view");
    window.gui.play("frames; click shell.start; frames 8");
    EXPECT_TRUE(window.is_open()) << width;
    for (const char* choice : {"start.turn", "start.base", "start.model", "start.check"}) {
      EXPECT_TRUE(window.gui.shows(choice)) << width;
    }
    window.gui.click("start.close");
    EXPECT_EQ(window.app->dialog.kind, DialogKind::none) << width;
  }
}

TEST(Start, TheArrowKeysAndEnterChoose) {
  StartWindow window;
  const auto choose = [&](const std::vector<Key>& arrows) {
    window.open();
    for (const Key key : arrows) window.gui.press(key);
    window.gui.play("press enter; frames 4");
  };
  choose({});
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.app->lesson->source, "04-turn");
  EXPECT_FALSE(window.app->work) << "a new window has nothing to go back to";
  choose({Key::down});
  EXPECT_EQ(window.app->dialog.scope, Dialog::Scope::models);
  window.gui.play("press escape; frames 8");
  EXPECT_TRUE(window.is_open()) << "back where it came from";
  window.gui.press(Key::escape);
  choose({Key::right, Key::down});
  EXPECT_EQ(window.app->dialog.scope, Dialog::Scope::examples);
  window.gui.play("click dialog.back; frames 8");
  EXPECT_TRUE(window.is_open());
  window.gui.press(Key::escape);
  choose({Key::right});
  EXPECT_FALSE(window.app->lesson);
  EXPECT_EQ(window.experiment().view, "decay");
  EXPECT_EQ(window.experiment().decay.distance_axis, AxisScale::linear);
  window.settle();
  EXPECT_EQ(window.app->result.panels.size(), 1u);
  EXPECT_EQ(window.figure("similarity").lines.size(), 1u);
  // The base has the focus.
  window.gui.press(Key::right);
  EXPECT_GT(window.experiment().rope.base, 10'000);
}

TEST(Start, ModelsAreSearchedAndRecentFilesListed) {
  StartWindow window;
  remember_file(window.app->settings, "/models/mine.json");
  window.open();
  window.gui.play("click start.model; frames; type mine; frames");
  EXPECT_TRUE(window.gui.shows("find.0"));
  EXPECT_FALSE(window.gui.shows("find.1"));
  window.gui.play("press ctrl+a; type qwen3 14b; press enter; frames");
  EXPECT_EQ(window.experiment().rope.model, "qwen3-14b");
}

TEST(Start, AnExampleOfAPortOpensInCheck) {
  StartWindow window;
  window.open();
  window.gui.play("click start.check; frames; type swapped; press enter; settle 4");
  EXPECT_EQ(window.experiment().view, "check");
  EXPECT_THAT(set_arguments(window.experiment()), Contains(HasSubstr("flux-axes-swapped")));
}

TEST(Start, WorkThatIsReplacedIsOfferedOnScreen) {
  for (const char* choice : {"start.base", "start.turn"}) {
    StartWindow window;
    Experiment experiment = window.experiment();
    experiment.rope.base = 777;
    window.show(experiment);
    window.open();
    window.gui.click(choice);
    window.settle();
    EXPECT_NE(window.experiment().rope.base, 777) << choice;
    window.gui.play("click message.0.action; settle");
    EXPECT_EQ(window.experiment(), experiment) << choice;
    EXPECT_FALSE(window.app->lesson) << choice;
    EXPECT_TRUE(window.app->messages.empty()) << choice;
  }
}

TEST(Start, PicturesMoveInsideTheirPlaces) {
  const StartWindow window;
  const Rect place{100, 50, 300, 120};
  for (const StartChoice choice : {StartChoice::turn, StartChoice::base, StartChoice::model, StartChoice::check}) {
    const auto points = [&](double phase) {
      std::vector<Vec2> all;
      for (const SceneItem& item : draw_start_picture({choice, place, phase, 1}, *window.app).items) {
        if (const auto* path = std::get_if<PathItem>(&item)) {
          all.insert(all.end(), path->points.begin(), path->points.end());
        } else if (const auto* polygon = std::get_if<PolygonItem>(&item)) {
          all.insert(all.end(), polygon->points.begin(), polygon->points.end());
        } else if (const auto* rect = std::get_if<RectItem>(&item)) {
          all.push_back({rect->rect.left, rect->rect.top});
          all.push_back({rect->rect.right(), rect->rect.bottom()});
        }
      }
      return all;
    };
    const auto number = static_cast<int>(choice);
    EXPECT_NE(points(0), points(0.4)) << number;
    for (const double phase : {0.0, 0.2, 0.5, 0.8}) {
      for (const Vec2 point : points(phase)) {
        const Rect room{place.left - 8, place.top - 8, place.width + 16, place.height + 16};
        ASSERT_TRUE(room.contains(point)) << number << " at " << phase << ": " << point.x << ", " << point.y;
      }
    }
  }
}

TEST(Start, OnlyTheChosenPictureMovesAndForAWhile) {
  StartWindow window;
  window.app->settings.motion = true;
  window.open();
  EXPECT_EQ(seconds_to_frame(*window.app), 0);
  window.gui.frames(3, 10);
  EXPECT_GT(seconds_to_frame(*window.app), 0);
  window.gui.press(Key::right);
  EXPECT_EQ(seconds_to_frame(*window.app), 0);
}

/// In each language once as small as the window becomes: 1280 × 720 at 250 % is as 512 × 288.
TEST(Start, IsWholeInEveryLanguageAndSize) {
  const std::pair<const char*, Room> cells[] = {{"en", {1280, 720, 250}}, {"ja", {1280, 720, 200}},
                                                {"ko", {390, 844, 100}},  {"ja", {1280, 720, 100}},
                                                {"ko", {1440, 900, 150}}, {"en", {390, 844, 100}}};
  for (const auto& [language, room] : cells) {
    LargeWindow window(room, language);
    Faults behind(window.app->text), faults(window.app->text);
    behind.read("start");
    open_dialog(*window.app, DialogKind::start);
    window.gui.play("settle; frames 4");
    faults.read("start");
    for (const std::string& fault : behind.cut) faults.cut.erase(fault);
    for (const std::string& fault : behind.overlapping) faults.overlapping.erase(fault);
    EXPECT_EQ(lines_of(faults.cut), "") << language << ", " << name_of(room);
    EXPECT_EQ(lines_of(faults.overlapping), "") << language << ", " << name_of(room);
    // What does not fit is scrolled to by the arrow keys.
    for (int i = 0; i < 3; ++i) window.gui.press(Key::down);
    const bool one_column = window.gui.rect("start.base").left == window.gui.rect("start.turn").left;
    const Rect last = window.gui.rect(one_column ? "start.check" : "start.model");
    EXPECT_TRUE(window.is_inside(last)) << language << ", " << name_of(room);
    EXPECT_LE(last.bottom(), window.gui.rect("start.close").top) << language << ", " << name_of(room);
  }
}

}  // namespace
}  // namespace ropescope::ui
