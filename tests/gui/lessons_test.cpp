// Lessons in the window: by keyboard alone, their questions, the lecturer's window, and the writing of a lecture.

#include "app/lessons/handout.h"
#include "app/lessons/lesson.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/state.h"
#include "app/views/shared/cards.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {
namespace {

struct LessonWindow : AppWindow {
  explicit LessonWindow(float width = 1280, float height = 720) : AppWindow(width, height) {}
  LessonPlay& play() { return *app->lesson; }
  const LessonStep& step() { return play().lesson.steps[play().step]; }
  void open(const std::string& lesson, const std::string& name = {}) {
    open_lesson(*app, lesson, name);
    finish_motion();
  }
  /// Until numbers have glided and sweeps have run, in frames of a tenth of a second.
  void finish_motion() {
    for (int i = 0; i < 400 && app->lesson && (play().gliding > 0 || !play().sweeps.empty()); ++i) gui.frames(1, 0.1);
    settle(2);
  }
  /// To the first step from here on that asks so.
  void go_to_question(LessonAsk::Kind kind) {
    while (!(step().ask && step().ask->kind == kind)) {
      ASSERT_LT(play().step + 1, play().lesson.steps.size()) << "no such question";
      go_to_step(*app, play().step + 1);
      finish_motion();
    }
  }
  void set(const std::string& assignment) {
    Experiment next = experiment();
    assign(next, assignment);
    show(next, 2);
  }
  /// All words of the last frame in one text.
  std::string words() {
    std::string all;
    for (const DrawnLine& line : DrawnText().lines()) all += line.text + "\n";
    return all;
  }
};

TEST(LessonsOnScreen, AWholeLessonByTheKeyboardAlone) {
  LessonWindow window;
  window.gui.play("click lessons; click lesson.04-turn");
  window.finish_motion();
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.experiment(), window.play().state);
  const Experiment before = window.play().before;
  window.gui.press(Key::f5);
  EXPECT_TRUE(window.play().room);
  EXPECT_EQ(window.app->requests.full_screen, true);
  std::vector<std::string> seen{window.step().name};
  int answered = 0;
  bool asked = false;
  for (int i = 0; i < 60; ++i) {
    const std::size_t at = window.play().step;
    window.gui.press(Key::page_down);
    window.finish_motion();
    EXPECT_EQ(window.experiment(), window.play().state) << window.step().name;
    if (question_is_open(*window.app) && window.gui.shows("lesson.choice.1")) {
      const auto right = right_choice(*window.step().ask, window.play().whole);
      ASSERT_TRUE(right);
      window.gui.press(static_cast<Key>(static_cast<int>(Key::digit_1) + static_cast<int>(*right)));
      EXPECT_TRUE(window.play().answer.given);
      EXPECT_EQ(window.play().answer.choice, *right);
      ++answered;
    }
    if (window.play().source != "04-turn") break;
    if (window.play().step != at) seen.push_back(window.step().name);
    if (std::exchange(asked, window.play().leaving)) ADD_FAILURE() << "asked twice";
    if (window.play().leaving) EXPECT_THAT(window.words(), Says("lesson.leaving"));
  }
  EXPECT_TRUE(asked) << "one press too many ends no lesson";
  EXPECT_EQ(window.play().source, "05-why") << "after the last step comes the next lesson";
  window.open("04-turn", seen.back());
  std::vector<std::string> core;
  for (const LessonStep& step : window.play().lesson.steps) {
    if (!step.reserve) core.push_back(step.name);
  }
  EXPECT_EQ(seen, core);
  EXPECT_EQ(answered, 2);
  window.gui.press(Key::page_up);
  window.finish_motion();
  EXPECT_NE(window.step().name, "say");
  window.gui.press(Key::b);
  EXPECT_TRUE(window.play().black);
  window.gui.press(Key::b);
  EXPECT_FALSE(window.play().black);
  window.gui.press(Key::escape);
  EXPECT_FALSE(window.play().room);
  window.gui.click("lesson.close");
  EXPECT_FALSE(window.app->lesson);
  EXPECT_EQ(window.experiment().rotation, before.rotation);
}

TEST(LessonsOnScreen, TheLaboratoryStaysOneAndTheStepComesBack) {
  LessonWindow window(1280, 900);  // without scrolling
  window.open("10-longer");
  const Experiment wanted = window.play().state;
  EXPECT_EQ(window.experiment(), wanted);
  EXPECT_FALSE(window.gui.shows("lesson.restore"));
  window.set("rope.base=777");
  ASSERT_TRUE(window.gui.shows("lesson.restore"));
  window.gui.click("lesson.restore");
  window.finish_motion();
  EXPECT_EQ(set_arguments(window.experiment()), set_arguments(wanted));
  EXPECT_EQ(window.experiment(), wanted);
}

TEST(LessonsOnScreen, NumbersGlideAndSweepsEndWhereTheStepWants) {
  LessonWindow window;
  open_lesson(*window.app, "04-turn", "half-turn");
  ASSERT_FALSE(window.play().sweeps.empty());
  window.gui.frames(2, 0.05);
  EXPECT_NE(window.experiment().rotation.query_position, window.play().state.rotation.query_position);
  window.finish_motion();
  EXPECT_EQ(window.experiment(), window.play().state);
  // A hand that moves something else stops it.
  restore_step(*window.app);
  window.gui.frames(2, 0.05);
  window.set("rotation.ky=0.25");
  EXPECT_TRUE(window.play().sweeps.empty());
  EXPECT_EQ(window.experiment().rotation.ky, 0.25);
}

TEST(LessonsOnScreen, TheWayOnBringsAnOpenQuestionIntoSight) {
  LessonWindow window(390, 844);
  window.open("08-decay", "hundred");
  ASSERT_TRUE(question_is_open(*window.app));
  const auto hidden = [&window] {
    return window.gui.rect("lesson.choice.1").bottom() > window.gui.rect("lesson.words").bottom();
  };
  ASSERT_TRUE(!window.gui.shows("lesson.choice.1") || hidden());
  window.gui.play("click lesson.next; frames");
  EXPECT_EQ(window.step().name, "hundred");
  ASSERT_TRUE(window.gui.shows("lesson.choice.1"));
  EXPECT_FALSE(hidden());
}

TEST(LessonsOnScreen, WhatWouldTellIsCoveredUntilTheAnswer) {
  LessonWindow window;
  window.open("04-turn", "score");
  ASSERT_TRUE(question_is_open(*window.app));
  EXPECT_EQ(window.readout("rotation.relative"), "missing");
  window.gui.press(Key::page_down);  // the panel has no focus: the key is not the lesson's
  EXPECT_EQ(window.step().name, "score");
  window.gui.play("click lesson.choice.1; settle");
  EXPECT_NE(window.readout("rotation.relative"), "missing");
}

TEST(LessonsOnScreen, AGuessIsDrawnAndTheTruthGrowsOverIt) {
  LessonWindow window;
  window.open("08-decay");
  while (!(window.step().ask && window.step().ask->kind == LessonAsk::Kind::draw)) {
    next_step(*window.app, 1);
    window.finish_motion();
  }
  EXPECT_FALSE(find_line(window.app->result, "similarity", "current"));
  const Rect plot = window.gui.rect("plot.similarity");
  window.gui.drag_from({plot.left + 40, plot.top + 40}, {plot.right() - 40, plot.bottom() - 60});
  const LessonAnswer& answer = window.play().answer;
  ASSERT_GT(answer.xs.size(), 3u);
  EXPECT_TRUE(std::is_sorted(answer.xs.begin(), answer.xs.end()));
  EXPECT_FALSE(window.figure("similarity").x.range == Range{}) << "drawing neither pans nor zooms";
  window.gui.click("lesson.answer");
  window.gui.frames(30, 0.1);
  window.settle();
  const Line* line = find_line(window.app->result, "similarity", "current");
  ASSERT_TRUE(line);
  EXPECT_GT(mean_distance(answer, *line), 0.01);
  EXPECT_THAT(window.words(), Says("lesson.mean_distance"));
  // Whoever draws the curve itself is at no distance.
  LessonAnswer exact;
  for (std::size_t i = 0; i < line->series->ys.size(); i += 7) {
    exact.xs.push_back(line->series->x_at(i));
    exact.ys.push_back(line->series->ys[i]);
  }
  EXPECT_LT(mean_distance(exact, *line), 0.1);
  LessonAnswer above = exact;
  for (double& y : above.ys) y += 1;
  EXPECT_NEAR(mean_distance(above, *line) - mean_distance(exact, *line), 1, 0.1);
}

TEST(LessonsOnScreen, AGoalIsReachedWithTheControls) {
  LessonWindow window;
  window.open("10-longer");
  window.go_to_question(LessonAsk::Kind::reach);
  EXPECT_FALSE(window.play().answer.given);
  window.set("rope.base=1e7");
  EXPECT_TRUE(window.play().answer.given);
  EXPECT_THAT(window.words(), HasSubstr("Reached"));
}

TEST(LessonsOnScreen, TheLecturersWindowSaysNotesAnswerAndNext) {
  LessonWindow window;
  window.open("04-turn", "half-turn");
  window.gui.play("press f5; settle; press n");
  EXPECT_TRUE(window.play().lecturer);
  window.gui.draw = [&window] { draw_lecturer(*window.app, window.gui.width, window.gui.height); };
  window.gui.frames();
  const std::string words = window.words();
  EXPECT_THAT(words, HasSubstr("Half a turn is minus one"));
  EXPECT_THAT(words, HasSubstr("Trap:"));
  EXPECT_THAT(words, HasSubstr("as long as before"));
  EXPECT_THAT(words, HasSubstr("3 / 8"));
}

/// Notes, answer and next step of every step are seen on a screen of 720 lines, and so is what is wrong with a lecture.
TEST(LessonsOnScreen, TheLecturersWindowShowsEverythingOnASmallScreen) {
  LessonWindow window(1000, 640);
  window.app->settings.motion = false;
  const auto read = [&window] {
    window.gui.frames(2);
    const auto app = window.gui.draw;
    window.gui.draw = [&window] { draw_lecturer(*window.app, window.gui.width, window.gui.height); };
    window.gui.frames(2);
    window.gui.draw = app;
    EXPECT_LE(window.gui.rect("lecturer.notes").bottom(), window.gui.height) << window.step().name;
    return window.words();
  };
  for (const char* lesson : {"01-order", "05-why", "08-decay", "11-pictures"}) {
    open_lesson(*window.app, lesson);
    for (std::size_t step = 0; step < window.play().lesson.steps.size(); ++step) {
      go_to_step(*window.app, step);
      read();
    }
  }
  const fs::path path = window.folder / "faulty.md";
  std::ofstream(path) << "# Faulty\n\n## One {one}\n\n```set\nview = decay\nrope.bas = 3\n```\n\nWords.\n";
  open_path(*window.app, path.string());
  EXPECT_THAT(read(), HasSubstr("faulty.md"));
}

TEST(LessonsOnScreen, ALectureIsReadAgainWhileItIsWritten) {
  LessonWindow window;
  const fs::path path = window.folder / "mine.md";
  const auto write = [&path](const std::string& words) {
    std::ofstream(path) << "# Mine\n\n## One {one}\n\n```set\nview = decay\nrope.base = 500\n```\n\n"
                        << words << "\n\n## Two {two}\n\n```set\nrope.base = 900\n```\n\nSecond.\n";
  };
  write("First.");
  open_path(*window.app, path.string());
  window.finish_motion();
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.experiment().rope.base, 500);
  next_step(*window.app, 1);
  window.finish_motion();
  EXPECT_EQ(window.experiment().rope.base, 900);
  write("First, with more words.");
  window.gui.wait(1);
  window.finish_motion();
  EXPECT_EQ(window.step().name, "two");
  EXPECT_EQ(text_of(window.play().lesson.steps[0].text.at(0)), "First, with more words.");
  window.set("decay.span=512");
  window.gui.play("press ctrl+shift+a; wait 1");
  window.finish_motion();
  ASSERT_EQ(window.play().lesson.steps.size(), 3u);
  EXPECT_EQ(window.step().name, "two");
  next_step(*window.app, 1);
  window.finish_motion();
  EXPECT_EQ(window.experiment().decay.span, 512);
  EXPECT_EQ(window.experiment().rope.base, 900);
}

TEST(LessonsOnScreen, AFaultyLectureIsShownAsFarAsItGoes) {
  LessonWindow window;
  const fs::path path = window.folder / "faulty.md";
  std::ofstream(path)
      << "# Faulty\n\n## One {one}\n\n```set\nview = decay\nrope.bas = 3\nrope.base = 77\n```\n\nWords.\n";
  open_path(*window.app, path.string());
  window.finish_motion();
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.experiment().rope.base, 77);
  ASSERT_FALSE(window.app->messages.empty());
  EXPECT_THAT(window.app->messages.back().text, Says("lesson.faults", {{"file", "faulty.md"}, {"line", "7"}}));
  open_path(*window.app, (window.folder / "nowhere.md").string());
  EXPECT_EQ(window.play().lesson.title, "Faulty");
}

TEST(LessonsOnScreen, WhereItWasLeftItGoesOn) {
  LessonWindow window;
  window.open("04-turn", "half-turn");
  close_lesson(*window.app);
  window.open("04-turn");
  EXPECT_EQ(window.step().name, "half-turn");
}

TEST(LessonsOnScreen, WhatWasGoneThroughToItsEndBeginsAnew) {
  LessonWindow window;
  window.open("04-turn");
  const std::string first = window.step().name;
  window.open("04-turn", window.play().lesson.steps.back().name);
  close_lesson(*window.app);
  window.open("04-turn");
  EXPECT_EQ(window.step().name, first);
  window.open("04-turn", window.play().lesson.steps.back().name);
  window.open("04-turn");
  EXPECT_EQ(window.step().name, first) << "chosen again from the list";
}

TEST(LessonsOnScreen, HomeBeginsAnew) {
  LessonWindow window;
  window.open("04-turn", "half-turn");
  window.gui.press(Key::f5);
  window.play().seconds = 100;
  window.gui.press(Key::home);
  window.finish_motion();
  EXPECT_EQ(window.play().step, 0u);
  EXPECT_LT(window.play().seconds, 10);
}

// A clicker has Page Down and Page Up and nothing else.
TEST(LessonsOnScreen, AQuestionIsSkippedByASecondPressWhichUncoversIt) {
  LessonWindow window;
  window.open("10-longer");
  window.gui.press(Key::f5);
  const auto on = [&] {
    window.gui.press(Key::page_down);
    window.finish_motion();
  };
  int skipped = 0, goals = 0;
  for (int i = 0; i < 120 && window.play().source == "10-longer"; ++i) {
    const std::size_t step = window.play().step;
    const bool last = window.play().part + 1 == parts_of(window.play()).size();
    const bool open = last && question_is_open(*window.app);
    const unsigned focused = focused_item();
    on();
    EXPECT_EQ(focused_item(), focused) << "the keys of a clicker move no focus";
    if (!open) continue;
    EXPECT_TRUE(window.play().passing);
    EXPECT_THAT(window.words(), Says("lesson.passing"));
    on();
    ASSERT_EQ(window.play().step, step);
    EXPECT_TRUE(window.play().answer.skipped && window.play().answer.given);
    const LessonAsk& ask = *window.step().ask;
    if (ask.kind == LessonAsk::Kind::reach) {
      EXPECT_TRUE(has_reached_goals(ask, window.app->result)) << "the lesson reaches its goal by itself";
      ++goals;
    } else {
      for (const std::string& name : covered(ask)) {
        const Readout *told = find_readout(window.play().whole, name), *shown = find_readout(window.app->result, name);
        if (told) EXPECT_TRUE(shown && shown->text == told->text) << name << " is covered";
      }
    }
    ++skipped;
  }
  EXPECT_EQ(window.play().source, "11-pictures");
  EXPECT_EQ(skipped, 2) << "the third question is in reserve";
  EXPECT_EQ(goals, 1);
}

/// The whole course from F5 on, by one key: each step of each lesson once, each question uncovered, no word said of
/// faults.
TEST(LessonsOnScreen, TwelveLessonsByPageDownAlone) {
  LessonWindow window;
  window.app->settings.motion = false;
  std::vector<std::string> due, given;
  std::size_t questions = 0, skipped = 0;
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    for (const LessonStep& step : load_lesson(find_places().assets, entry.id, "en").steps) {
      if (step.reserve) continue;
      due.push_back(entry.id + "/" + step.name);
      questions += step.ask ? 1 : 0;
    }
  }
  window.open("01-order");
  window.gui.press(Key::f5);
  const auto place = [&window] {
    const LessonPlay& play = window.play();
    return std::tuple(play.source + "/" + window.step().name, play.part, play.passing, play.answer.given, play.leaving);
  };
  for (int presses = 0; presses < 2000; ++presses) {
    const auto before = place();
    const std::string at = std::get<0>(before);
    if (given.empty() || given.back() != at) given.push_back(at);
    EXPECT_TRUE(window.app->messages.empty()) << at;
    window.gui.press(Key::page_down);
    window.finish_motion();
    if (!std::get<3>(before) && std::get<0>(place()) == at && window.play().answer.skipped) ++skipped;
    if (before == place()) break;
  }
  EXPECT_EQ(given, due);
  EXPECT_EQ(skipped, questions);
}

TEST(LessonsOnScreen, NumbersInWordsKeepUpWithTheirCardsInASweep) {
  LessonWindow window;
  open_lesson(*window.app, "07-score", "one-speed");
  ASSERT_FALSE(window.play().sweeps.empty() && window.play().gliding <= 0);
  std::set<std::string> numbers;
  for (int i = 0; i < 200 && (window.play().gliding > 0 || !window.play().sweeps.empty()); ++i) {
    window.gui.frames(1, 0.1);
    const Readout* card = find_readout(window.app->result, "rotation.difference");
    ASSERT_TRUE(card);
    numbers.insert(card->text);
    std::string words = window.words(), due = "differby" + card->text;
    for (std::string* text : {&words, &due}) std::erase_if(*text, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_THAT(words, HasSubstr(due)) << "frame " << i;
  }
  EXPECT_GT(numbers.size(), 20u);
}

TEST(LessonsOnScreen, DigitsAnswerANumber) {
  LessonWindow window;
  window.open("10-longer");
  window.go_to_question(LessonAsk::Kind::number);
  window.gui.press(Key::f5);
  while (window.play().part + 1 < parts_of(window.play()).size()) window.gui.press(Key::page_down);
  window.gui.play("press 4; press 7");
  EXPECT_EQ(window.play().answer.guess, 47);
  window.gui.press(Key::backspace);
  EXPECT_EQ(window.play().answer.guess, 4);
  window.gui.press(Key::digit_5);
  EXPECT_FALSE(window.play().answer.given);
  window.gui.press(Key::enter);
  EXPECT_TRUE(window.play().answer.given && !window.play().answer.skipped);
  EXPECT_EQ(window.play().answer.guess, 45);
}

TEST(LessonsOnScreen, EnterChoosesNothing) {
  LessonWindow window;
  window.open("04-turn");
  window.go_to_question(LessonAsk::Kind::choice);
  window.gui.play("press f5; settle 2");
  const std::size_t step = window.play().step;
  while (window.play().part + 1 < parts_of(window.play()).size()) window.gui.click("lesson.next");
  window.gui.click("lesson.next");  // has the focus now, and asks once more
  EXPECT_TRUE(window.play().passing);
  window.gui.play("press enter; settle 2");
  EXPECT_TRUE(question_is_open(*window.app));
  EXPECT_EQ(window.play().step, step);
}

TEST(LessonsOnScreen, TheTruthIsMarkedOnTheSlider) {
  LessonWindow window;
  window.open("10-longer");
  window.go_to_question(LessonAsk::Kind::number);
  const LessonAsk& ask = *window.step().ask;
  for (const bool skipped : {false, true}) {
    go_to_step(*window.app, window.play().step);
    window.gui.frames();
    EXPECT_FALSE(window.gui.shows("lesson.truth"));
    next_step(*window.app, 1);
    window.gui.frames();
    EXPECT_TRUE(window.play().passing);
    if (skipped) {
      next_step(*window.app, 1);
    } else {
      answer_question(*window.app);
    }
    window.settle();
    EXPECT_FALSE(window.play().passing) << "the hint goes with the answer";
    const double answer = number_of(window.play().whole, ask.answer).value();
    const Rect slider = window.gui.rect("lesson.slider");
    EXPECT_NEAR(window.gui.centre("lesson.truth").x,
                slider.left + slider.width * (answer - ask.low) / (ask.high - ask.low), 1);
    std::string words = window.words(), due = find_readout(window.play().whole, ask.answer)->text;
    for (std::string* text : {&words, &due}) std::erase_if(*text, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_THAT(words, HasSubstr(due));
  }
}

TEST(LessonsOnScreen, PageUpIsTheMirrorOfPageDown) {
  LessonWindow window;
  window.app->settings.motion = false;
  window.open("04-turn");
  window.gui.play("press f5; settle");
  const auto place = [&window] { return std::pair(window.step().name, window.play().part); };
  const auto press = [&window](Key key) {
    window.gui.press(key);
    window.settle();
  };
  for (int i = 0; i < 4 || window.step().name != "half-turn"; ++i) {
    ASSERT_LT(i, 20);
    const auto before = place();
    press(Key::page_down);
    const auto after = place();
    ASSERT_NE(after, before);
    press(Key::page_up);
    if (before.first != after.first) {
      EXPECT_EQ(window.step().name, before.first);
      EXPECT_EQ(window.play().part + 1, parts_of(window.play()).size()) << "the last part";
    }
    EXPECT_EQ(place(), before);
    press(Key::page_down);
    EXPECT_EQ(place(), after);
  }
}

TEST(LessonsOnScreen, TheAgendaShowsTheStepsAndJumps) {
  LessonWindow window;
  window.app->settings.motion = false;
  window.open("04-turn");
  window.gui.press(Key::a);
  EXPECT_FALSE(window.gui.shows("lesson.agenda")) << "of the presentation mode";
  window.gui.play("press f5; press a");
  ASSERT_TRUE(window.gui.shows("lesson.agenda"));
  for (const LessonStep& each : window.play().lesson.steps) {
    const Rect rect = window.gui.rect("agenda." + each.name);
    EXPECT_TRUE(rect.top >= 0 && rect.bottom() <= window.gui.height) << each.name;
  }
  window.gui.play("press page_down; press page_down");
  EXPECT_EQ(window.step().name, "columns") << "the keys select in it";
  window.gui.press(Key::enter);
  EXPECT_EQ(window.step().name, "half-turn");
  EXPECT_FALSE(window.gui.shows("lesson.agenda"));
  window.gui.play("press a; click agenda.helix");
  EXPECT_EQ(window.step().name, "helix");
  window.gui.play("press a; press escape");
  EXPECT_FALSE(window.gui.shows("lesson.agenda"));
  EXPECT_TRUE(window.play().room);
}

TEST(LessonsOnScreen, NoSliderStartsAtTheAnswer) {
  LessonAsk linear, logarithmic;
  linear.high = 64;
  logarithmic.low = 1, logarithmic.high = 10000, logarithmic.logarithmic = true;
  EXPECT_EQ(first_guess(linear, {}), 32);
  EXPECT_EQ(first_guess(linear, 18), 32);
  EXPECT_EQ(first_guess(linear, 30), 48);
  EXPECT_EQ(first_guess(linear, 32), 16);
  for (int high = 1; high <= 12; ++high) {
    LessonAsk narrow;
    narrow.high = high;
    for (int answer = 0; answer <= high; ++answer) EXPECT_NE(first_guess(narrow, answer), answer) << high;
  }
  EXPECT_NEAR(first_guess(logarithmic, 5000), 100, 1e-9);
  EXPECT_NEAR(first_guess(logarithmic, 90), 1000, 1e-9);
  LessonWindow window;
  window.open("12-measured");
  int asked = 0;
  for (std::size_t i = 0; i < window.play().lesson.steps.size(); ++i) {
    go_to_step(*window.app, i);
    window.finish_motion();
    if (!window.step().ask || window.step().ask->kind != LessonAsk::Kind::number) continue;
    const std::optional<double> answer = number_of(window.play().whole, window.step().ask->answer);
    ASSERT_TRUE(answer);
    EXPECT_NE(window.play().answer.guess, *answer) << window.step().name;
    ++asked;
  }
  EXPECT_GE(asked, 1);
}

TEST(LessonsOnScreen, GoOnAtTheirStepAfterAKill) {
  const TemporaryFolder folder;
  {
    LessonWindow window;
    window.app->places.state = folder.path;
    window.app->saving.allowed = true;
    window.open("04-turn", "half-turn");
    save_state(*window.app);
  }
  LessonWindow window;
  window.app->places.state = folder.path;
  window.app->saving.allowed = true;
  load_state(*window.app, true);
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.step().name, "half-turn");
  // Until the step has been shown for a while, the file says of no lesson: one that ends the program does so once.
  EXPECT_EQ(settings_from_json(read_file(folder.path / "settings.json"), "settings").lesson_open, "");
  save_state(*window.app);
  EXPECT_EQ(settings_from_json(read_file(folder.path / "settings.json"), "settings").lesson_open, "04-turn");
  close_lesson(*window.app);
  save_state(*window.app);
  EXPECT_EQ(settings_from_json(read_file(folder.path / "settings.json"), "settings").lesson_open, "");
}

TEST(LessonsOnScreen, ACodeHoldsWhatIsShown) {
  LessonWindow window;
  window.open("08-decay");
  window.gui.press(Key::f5);
  EXPECT_FALSE(window.gui.shows("lesson.code"));
  window.gui.play("press q; settle 1");
  ASSERT_TRUE(window.gui.shows("lesson.code"));
  window.gui.play("press q; settle 1");
  EXPECT_FALSE(window.gui.shows("lesson.code"));
}

TEST(LessonsOnScreen, ALessonIsFoundByItsNumber) {
  LessonWindow window;
  window.gui.play("press ctrl+k; type 8; press enter");
  window.finish_motion();
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.play().source, "08-decay");
  EXPECT_EQ(window.play().step, 0u);
}

TEST(LessonsOnScreen, AHandoutIsPrintedBesideTheWindow) {
  LessonWindow window;
  window.open("04-turn");
  window.gui.press(Key::p, true);
  ASSERT_EQ(window.app->dialog.kind, DialogKind::handout);
  EXPECT_EQ(window.app->dialog.lessons, "one");
  const fs::path file = window.app->dialog.path;
  EXPECT_EQ(file.filename(), "04-turn.pdf");
  window.gui.click("dialog.answers");
  const Experiment shown = window.experiment();
  window.gui.click("dialog.do_handout");
  ASSERT_NE(window.app->file_job, nullptr) << window.app->dialog.error;
  window.finish_file_job();
  EXPECT_TRUE(is_saved_as(file, "pdf")) << file;
  EXPECT_EQ(window.experiment(), shown);
  ASSERT_FALSE(window.app->messages.empty());
  EXPECT_THAT(window.app->messages.back().text, HasSubstr(file.string()));
  // The same as the command writes.
  HandoutOptions options;
  options.answers = true;
  Lesson lesson = load_lesson(window.app->places.assets, "04-turn", "en");
  set_formulas(lesson, *window.app->text.formulas(), true);
  Store store(Store::Mode::synchronous, 1);
  EXPECT_EQ(read_file(file), handout_pdf({lesson}, window.app->places.assets, window.app->text, store, options));
  window.gui.press(Key::p, true);
  EXPECT_EQ(fs::path(window.app->dialog.path).filename(), "04-turn-1.pdf") << "no file is replaced";
  window.gui.press(Key::escape);
}

TEST(LessonsOnScreen, AHandoutCanBeStopped) {
  LessonWindow window;
  window.gui.play("click lessons; click lessons.handout");
  ASSERT_EQ(window.app->dialog.kind, DialogKind::handout);
  const fs::path file = window.app->dialog.path;
  window.gui.click("dialog.do_handout");
  ASSERT_NE(window.app->file_job, nullptr) << window.app->dialog.error;
  window.gui.press(Key::escape);
  window.finish_file_job();
  EXPECT_FALSE(window.app->file_job);
  EXPECT_FALSE(fs::exists(file));
}

TEST(LessonsOnScreen, AStepLinksToTheChapterThatItMentions) {
  for (const auto& [lesson, step] : {std::pair("08-decay", "say"), std::pair("10-longer", "say")}) {
    LessonWindow window;
    window.open(lesson, step);
    EXPECT_FALSE(window.play().lesson.chapter);
    window.gui.play("click lesson.link.handbook/20-weights; settle 2");
    EXPECT_EQ(window.play().source, "handbook/20-weights") << lesson;
  }
}

TEST(LessonsOnScreen, AStepIsFoundByItsName) {
  LessonWindow window;
  window.gui.play("press ctrl+k; type half a turn; press enter");
  window.finish_motion();
  ASSERT_TRUE(window.app->lesson);
  EXPECT_EQ(window.play().source, "04-turn");
  EXPECT_EQ(window.step().name, "half-turn");
}

TEST(LessonPlay, CountsTheStepsThatAreShown) {
  LessonPlay play;
  play.lesson.steps.resize(4);
  play.lesson.steps[1].reserve = true;
  play.step = 2;
  EXPECT_EQ(step_place(play), "3 / 4");
  play.room = true;
  EXPECT_EQ(step_place(play), "2 / 3");
  play.with_reserve = true;
  EXPECT_EQ(step_place(play), "3 / 4");
  play.with_reserve = false;
  play.step = 1;
  EXPECT_EQ(step_place(play), "2 / 4") << "a reserve step chosen from the agenda";
}

TEST(LessonParts, HaveAtMostSixtyWordsInTheRoom) {
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    const Lesson lesson = load_lesson(find_places().assets, entry.id, "en");
    for (const LessonStep& step : lesson.steps) {
      std::string whole, together;
      for (const LessonParagraph& paragraph : step.text) whole += text_of(paragraph);
      for (const auto& part : parts_of(step, true)) {
        std::size_t words = 0;
        for (const LessonParagraph& paragraph : part) {
          if (paragraph.repeated) continue;
          const std::string text = text_of(paragraph);
          together += text;
          if (!paragraph.formula) words += static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
        }
        EXPECT_LE(words, kMaxPresentationWords + 8) << entry.id << " " << step.name;
      }
      EXPECT_EQ(together, whole) << "nothing is lost";
    }
  }
}

}  // namespace
}  // namespace ropescope::ui
