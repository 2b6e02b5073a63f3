// The handbook in the window: F1, its sections next to the figures, the finder, other languages.

#include "app/lessons/handbook.h"
#include "app/resources/files.h"
#include "app/ui/lesson/lesson_play.h"
#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"

namespace ropescope::ui {
namespace {

struct HandbookWindow : AppWindow {
  HandbookWindow() : AppWindow(1280, 720) { app->settings.motion = false; }
  LessonPlay& play() { return *app->lesson; }
  const LessonStep& section() { return play().lesson.steps[play().step]; }
  std::string words() {
    std::string all;
    for (const DrawnLine& line : DrawnText().lines()) all += line.text + "\n";
    return all;
  }
  void press(Key key) {
    gui.press(key);
    settle(2);
  }
  void find(const std::string& typed) {
    gui.play("press ctrl+k; frames");
    gui.type(typed);
    gui.press(Key::enter);
    settle(2);
  }
};

TEST(HandbookWindow, F1OpensTheSectionOfTheViewBesideWhatIsShown) {
  HandbookWindow window;
  for (const View* view : all_views()) {
    Experiment experiment = small_experiment();
    experiment.view = view->id;
    window.show(experiment, 2);
    const Experiment before = window.experiment();
    window.press(Key::f1);
    ASSERT_TRUE(window.app->lesson) << view->id;
    EXPECT_TRUE(window.play().lesson.chapter);
    EXPECT_EQ(window.play().state.view, view->id);
    EXPECT_EQ(window.experiment(), before) << view->id;
    window.gui.click("lesson.close");
    EXPECT_FALSE(window.app->lesson);
    EXPECT_EQ(window.experiment(), before) << view->id;
  }
}

TEST(HandbookWindow, WhatWasShownComesBack) {
  HandbookWindow window;
  Experiment experiment = window.experiment();
  experiment.rope.base = 777;
  window.show(experiment);
  window.press(Key::f1);
  EXPECT_EQ(window.section().name, "how-the-score-falls-the-view-decay");
  window.gui.play("click lesson.restore; settle 2");
  EXPECT_EQ(window.experiment().rope.base, 10000);
  window.gui.play("click lesson.next; settle 2");
  EXPECT_EQ(window.experiment().decay.show, DecayShow::phasors);
  EXPECT_EQ(window.experiment().rope.model, "") << "each section stands by itself";
  window.gui.play("click lesson.close; settle");
  EXPECT_EQ(window.experiment().rope.base, 777);
  EXPECT_EQ(window.experiment().decay.show, DecayShow::curves);
}

/// A chapter without pictures is read while somebody works.
TEST(HandbookWindow, ASectionWithoutAPictureLeavesWhatIsShown) {
  HandbookWindow window;
  open_lesson(*window.app, "handbook/12-command-line");
  window.settle();
  EXPECT_FALSE(window.gui.shows("lesson.restore"));
  Experiment experiment = window.experiment();
  experiment.rope.base = 777;
  window.show(experiment);
  window.gui.click("lesson.next");
  EXPECT_FALSE(window.gui.shows("lesson.restore"));
  window.gui.click("lesson.close");
  EXPECT_EQ(window.experiment().rope.base, 777);
}

TEST(HandbookWindow, IsReadByKeysToTheEndOfASection) {
  HandbookWindow window;
  window.press(Key::f1);
  const std::size_t first = window.play().step;
  EXPECT_FALSE(window.play().at_end);
  window.press(Key::page_down);
  EXPECT_EQ(window.play().step, first);
  EXPECT_FALSE(window.play().at_top);
  for (int i = 0; i < 20 && window.play().step == first; ++i) window.press(Key::page_down);
  EXPECT_EQ(window.play().step, first + 1);
  EXPECT_TRUE(window.play().at_top);
  window.press(Key::page_up);
  EXPECT_EQ(window.play().step, first);
}

TEST(HandbookWindow, ListsItsChaptersAndTheKeys) {
  HandbookWindow window;
  window.press(Key::f1);
  window.gui.click("lesson.list");
  EXPECT_THAT(window.words(), HasSubstr("What is a rotation, and how do I see it?"));
  window.gui.click("handbook.keys");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::keys);
  window.gui.play("click dialog.close; click lesson.handbook/02-rotation; settle 2");
  EXPECT_EQ(window.experiment().view, "rotation");
  EXPECT_EQ(window.play().source, "handbook/02-rotation");
  window.gui.play("click lesson.close; click lessons");
  EXPECT_TRUE(window.gui.shows("lesson.04-turn"));
}

TEST(HandbookWindow, LinksLeadToOtherChapters) {
  HandbookWindow window;
  open_lesson(*window.app, "handbook/01-decay", "what-the-answer-means");
  window.settle();
  for (int i = 0; i < 20 && !window.play().at_end; ++i) window.press(Key::page_down);
  window.gui.play("click lesson.link.handbook/08-extend; settle");
  EXPECT_EQ(window.play().source, "handbook/08-extend");
}

TEST(HandbookWindow, TheFinderOpensChaptersAndSections) {
  for (const auto& [language, chapter, section] :
       {std::tuple{"en", "is my port correct", "only the difference matters"},
        {"ja", "どのベースが必要か", "キーボード"},
        {"ko", "어떤 베이스가", "키보드"}}) {
    HandbookWindow window;
    window.app->settings.language = language;
    apply_language(*window.app);
    apply_settings(*window.app, 1);
    window.gui.upload_fonts();
    window.settle();
    window.find(chapter);
    ASSERT_TRUE(window.app->lesson) << language;
    EXPECT_TRUE(window.play().lesson.chapter);
    EXPECT_EQ(window.play().step, 0u) << language;
    EXPECT_EQ(window.play().lesson.language, language);
    window.find(section);
    EXPECT_GT(window.play().step, 0u) << language;
    if (has_state(window.play())) EXPECT_EQ(window.experiment(), window.play().state);
    EXPECT_EQ(has_state(window.play()), language == std::string("en"));
  }
}

TEST(HandbookWindow, SaysThatATranslationIsMissing) {
  HandbookWindow window;
  window.app->settings.language = "ja";
  apply_language(*window.app);
  apply_settings(*window.app, 1);
  window.gui.upload_fonts();
  open_lesson(*window.app, "handbook/14-trust");
  window.settle(2);
  EXPECT_THAT(window.words(), HasSubstr("まだ翻訳がない"));
  open_lesson(*window.app, "handbook/01-decay");
  window.settle(2);
  EXPECT_THAT(window.words(), Not(HasSubstr("まだ翻訳がない")));
}

}  // namespace
}  // namespace ropescope::ui
