// The finder (Ctrl+K) by keys: what is found by which words, and what Enter does with it.

#include "app/ui/finder.h"

#include "app/ui/lesson/lesson_play.h"
#include "app/ui/start.h"
#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

struct FinderWindow : AppWindow {
  FinderWindow() : AppWindow(1280, 720) { app->settings.motion = false; }
  void type(const std::string& typed) {
    gui.play("press ctrl+k; frames");
    gui.type(typed);
    gui.frames(2);
  }
  void find(const std::string& typed) {
    type(typed);
    gui.play("press enter; frames 4");
  }
};

std::optional<int> rank_of(const char* typed, const char* label, const char* words, Spelling spelling) {
  return find_rank(typed, {label, words}, spelling);
}

TEST(Search, RanksWordsThenStartsThenPartsThenErrors) {
  const auto rank = [](const char* typed, Spelling spelling = Spelling::exact) {
    return rank_of(typed, "Trained length L", "context max_position_embeddings", spelling);
  };
  const char* const order[] = {"trained", "length", "train", "cont", "rained", "ontext"};
  for (std::size_t i = 0; i + 1 < std::size(order); ++i) {
    ASSERT_TRUE(rank(order[i])) << order[i];
    EXPECT_LT(rank(order[i]), rank(order[i + 1])) << order[i];
  }
  EXPECT_EQ(rank("context"), rank("length")) << "a synonym is as good as a name";
  EXPECT_TRUE(rank("trainedlength"));
  EXPECT_TRUE(rank("LENGTH trained"));
  EXPECT_FALSE(rank("length base")) << "every word is required";
  // One letter wrong, missing, added, or two swapped; letters missing.
  for (const char* typed : {"trayned", "traned", "traiined", "trianed", "lenght", "trnd"}) {
    EXPECT_FALSE(rank(typed)) << typed;
    EXPECT_GE(rank(typed, Spelling::fuzzy).value_or(0), 10) << typed;
  }
  EXPECT_FALSE(rank("rotary", Spelling::fuzzy));
  EXPECT_FALSE(rank("xqz", Spelling::fuzzy));
  EXPECT_TRUE(rank_of("長さ", "学習時の長さ L", "", Spelling::exact));
}

TEST(Finder, FindsTheWordsThatPeopleUse) {
  struct Case {
    const char* typed;
    std::function<bool(const App&)> done;
  };
  const auto saves = [](const char* format) {
    return [format](const App& app) { return app.dialog.kind == DialogKind::save && app.dialog.format == format; };
  };
  const auto shows = [](const char* view) {
    return [view](const App& app) { return app.history.current().view == view; };
  };
  const Case cases[] = {
      {"dark", [](const App& app) { return app.settings.theme == "light"; }},
      {"pin", [](const App& app) { return app.history.current().pins.size() == 1; }},
      {"export", saves("svg")},
      {"save", saves("svg")},
      {"svg", saves("svg")},
      {"csv", saves("csv")},
      {"nope", shows("encodings")},
      {"port", shows("check")},
      {"limts", shows("limits")},
      {"frequncies", shows("frequencies")},
      {"gemma3", [](const App& app) { return app.history.current().rope.model == "gemma-3-4b-it"; }},
      {"qwn", [](const App& app) { return app.history.current().rope.model.starts_with("qwen"); }},
      {"日本語", [](const App& app) { return app.settings.language == "ja"; }},
      {"start", [](const App& app) { return app.dialog.kind == DialogKind::start; }},
      {"context", shows("limits")},
      {"rope_theta", [](const App& app) { return app.settings.controls_open; }},
  };
  for (const Case& each : cases) {
    FinderWindow window;
    window.app->settings.controls_open = false;
    window.find(each.typed);
    EXPECT_TRUE(each.done(*window.app)) << each.typed;
  }
}

TEST(Finder, AFieldIsFocusedInItsView) {
  FinderWindow window;
  window.app->settings.controls_open = false;
  window.find("theta");
  EXPECT_TRUE(window.app->settings.controls_open);
  window.gui.press(Key::right);
  EXPECT_GT(window.experiment().rope.base, 10'000);
  window.find("yarn");
  EXPECT_TRUE(focus_is_visible());
  window.gui.press(Key::enter);
  EXPECT_TRUE(window.gui.shows("rope.scaling.yarn")) << "the list of methods opens";
}

/// Every third control of every view: scrolled to and with the focus.
TEST(Finder, EveryControlCanGetTheFocus) {
  FinderWindow window;
  std::size_t count = 0;
  for (const View* view : all_views()) {
    Experiment experiment = small_experiment();
    experiment.view = view->id;
    window.show(experiment, 2);
    for (const std::string& key : keys_of_controls(fields_of(*view, std::as_const(experiment)))) {
      if (++count % 3 != 0 || key == "sweep.over" || key == "sweep.second") continue;
      window.app->ui.state.focus_key = key;
      window.gui.frames(3);
      EXPECT_EQ(window.app->ui.state.focus_key, "") << view->id << " " << key;
      EXPECT_NE(focused_item(), 0u) << key;
      const Rect* rect = window.app->record.find(key);
      if (!rect) continue;  // a set of buttons: the first has it
      EXPECT_GE(rect->top, 0) << key;
      EXPECT_LE(rect->top, window.gui.height) << view->id << " " << key;
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(Finder, OneArrowAndEnterOpensTheSecondResult) {
  FinderWindow window;
  window.type("llama");
  window.gui.play("press down; press enter; frames 4");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::none);
  EXPECT_EQ(window.experiment().rope.model, "llama-3.1-8b");
  // The arrow left the focus in the text: typing goes on.
  window.type("lla");
  window.gui.play("press down; type ma 2; press enter; frames 4");
  EXPECT_EQ(window.experiment().rope.model, "llama-2-7b");
}

TEST(Finder, LessonsAreFoundByNumberFirst) {
  for (const auto& [typed, lesson] : {std::pair("10", "10-longer"), std::pair("1", "01-order")}) {
    FinderWindow window;
    window.find(typed);
    ASSERT_TRUE(window.app->lesson) << typed;
    EXPECT_EQ(window.app->lesson->source, lesson);
    EXPECT_EQ(window.app->lesson->step, 0u);
  }
}

TEST(Finder, StepsAreLast) {
  FinderWindow window;
  window.find("turn");
  EXPECT_FALSE(window.app->lesson);
  window.type("turn");
  for (int i = 0; i < 10; ++i) window.gui.press(Key::page_down);
  window.gui.play("press enter; frames 4");
  ASSERT_TRUE(window.app->lesson);
  EXPECT_FALSE(window.app->lesson->lesson.chapter);
}

TEST(Finder, AStepKeepsTheWorkAndOffersItOnScreen) {
  FinderWindow window;
  Experiment experiment = window.experiment();
  experiment.rope.base = 777;
  window.show(experiment);
  window.find("half a turn");
  ASSERT_TRUE(window.app->lesson);
  window.find("8");  // a second lesson keeps the same work
  EXPECT_NE(window.experiment().rope.base, 777);
  ASSERT_TRUE(window.gui.shows("message.0.action"));
  EXPECT_FALSE(window.gui.shows("message.1.action"));
  window.gui.play("click message.0.action; settle");
  EXPECT_FALSE(window.app->lesson);
  EXPECT_EQ(window.experiment(), experiment);
  EXPECT_FALSE(window.gui.shows("message.0"));
  // The lesson's own way back withdraws the offer.
  window.find("half a turn");
  window.gui.play("click lesson.close; frames 2");
  EXPECT_TRUE(window.app->messages.empty());
}

/// Page keys lead through a lesson wherever it was opened from: they never select a button, which Enter would press.
TEST(PageKeys, NeverMoveTheFocus) {
  struct Way {
    const char* name;
    std::function<void(FinderWindow&)> open;
  };
  const auto list = [](FinderWindow& window) { window.gui.play("click lessons; frames"); };
  const auto open_it = [](FinderWindow& window) { open_lesson(*window.app, "04-turn"); };
  const Way ways[] = {
      {"mouse",
       [&](FinderWindow& window) {
         list(window);
         window.gui.click("lesson.04-turn");
       }},
      {"keyboard",
       [&](FinderWindow& window) {
         list(window);
         window.app->ui.state.focus_key = "lesson.04-turn";
         window.gui.play("frames; press enter");
       }},
      {"finder", [](FinderWindow& window) { window.find("4"); }},
      {"start screen", [](FinderWindow& window) { window.gui.play("click shell.start; frames 8; press enter"); }},
      {"link", [](FinderWindow& window) { open_path(*window.app, "ropescope:lesson=04-turn"); }},
      {"dialog",
       [&](FinderWindow& window) {
         open_it(window);
         window.gui.play("frames; press ctrl+o; press escape");
       }},
      {"next button",
       [&](FinderWindow& window) {
         open_it(window);
         window.gui.play("frames; click lesson.next");
       }},
      {"kill",
       [](FinderWindow& window) {
         window.app->settings.lesson_open = "04-turn";
         save_state(*window.app);
         window.app->settings.lesson_open.clear();
         load_state(*window.app, true);
       }},
  };
  for (const Way& way : ways) {
    FinderWindow window;
    way.open(window);
    window.gui.frames(4);
    ASSERT_TRUE(window.app->lesson) << way.name;
    window.gui.play("press f5; settle");
    ASSERT_TRUE(window.app->lesson->room) << way.name;
    for (int press = 0; press < 2; ++press) {
      const unsigned focused = focused_item();
      const auto place = [&window] { return std::pair(window.app->lesson->step, window.app->lesson->part); };
      const auto before = place();
      window.gui.play("press page_down; frames 2");
      const auto after = place();
      EXPECT_NE(after, before) << way.name;
      EXPECT_FALSE(focus_is_visible()) << way.name << ", press " << press;
      EXPECT_EQ(focused_item(), focused) << way.name << ", press " << press;
      window.gui.play("press enter; frames 2");
      EXPECT_EQ(place(), after) << way.name << ": Enter pressed a button";
    }
  }
}

}  // namespace
}  // namespace ropescope::ui
