// Every view, dialog and message in an invented language (tests/made_up_language.h). Text on screen outside its
// brackets is missing from assets/text, and text that does not fit in it would not fit in other languages.

#include "app/ui/lesson/lesson_play.h"
#include "tests/figures/opened_files.h"
#include "tests/gui/made_up_window.h"

namespace ropescope::ui {
namespace {

/// The reader finds what it is there for.
TEST(MadeUpReader, FindsWhatIsForgottenCutOrCovered) {
  const auto line = [](const char* text, double left, double top) {
    return DrawnLine{text, {left, top, 60, 12}, {0, 0, 1600, 1000}, nullptr, false};
  };
  Reader good({"RoPE"});
  good.read({line("⟦Base xo⟧", 0, 0), line("10 000 · RoPE", 100, 0), line("⟦in two", 0, 20), line("lines x⟧", 0, 40)});
  EXPECT_EQ(good.outside() + good.cut() + good.overlapping(), "");
  Reader programs({"RoPE"});
  programs.knows_code("  d = numpy.arange(64)\nreturn frequency");
  programs.read({line("d = nu mpy . arange(64)", 0, 0), line("retu rn f…", 0, 20)});
  EXPECT_EQ(programs.outside(), "");
  programs.read({line("return", 0, 0)});
  EXPECT_NE(programs.outside().find("return"), std::string::npos) << "a word of a program is not a line of it";
  Reader bad({});
  bad.read({line("⟦Base xo⟧", 0, 0), line("Forgotten", 100, 0), line("⟦Trained len…", 0, 20), line("4 096", 100, 20),
            line("⟦a⟧", 200, 0), line("⟦b⟧", 230, 6), line("⟦c⟧", 1560, 50)});
  EXPECT_NE(bad.outside().find("Forgotten"), std::string::npos);
  EXPECT_NE(bad.cut().find("Trained"), std::string::npos);
  EXPECT_NE(bad.cut().find("⟦c⟧"), std::string::npos) << "reaches out of the window";
  EXPECT_NE(bad.overlapping().find("⟦a⟧ under ⟦b⟧"), std::string::npos);
}

class MadeUpViews : public MadeUpLanguage, public testing::WithParamInterface<const View*> {};

TEST_P(MadeUpViews, AreWhollyTranslated) {
  const View& view = *GetParam();
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  const std::vector<std::string> pictures = pictures_of(view, experiment);
  for (const char* preset : {"llama-3.1-8b", "qwen2-vl-7b-instruct", "flux.1-dev"}) {
    const Preset loaded = load_preset(kAssets, preset);
    experiment.rope = to_rope_fields(loaded.profiles.front(), loaded.name);
    experiment.rope.model = preset;  // its other profiles are offered, its notes are said
    for (const std::string& picture : pictures) {
      // The cells of a table are said by a worker, from the texts that are installed.
      if (view.id == std::string_view("sweep") && picture == "table") continue;
      choose_picture(view, experiment, picture);
      window.show(experiment, 3);
      read();
    }
  }
}

TEST_P(MadeUpViews, AreWhollyTranslatedWithFiles) {
  const std::string view(GetParam()->id);
  for (const Experiment& experiment : experiments_with_files(view, window.folder)) {
    window.show(experiment, 6);
    EXPECT_FALSE(window.app->result.readouts.empty());
    read();
  }
  for (const Experiment& experiment : experiments_with_faults(view, window.folder)) {
    window.show(experiment, 3);
    EXPECT_NE(window.app->result.panels.at(0).figure.empty_message, "");
    read();
  }
  // Advice and evidence have any length: a card that cuts them unfolds at a click.
  reader.forgive_cuts();
}

INSTANTIATE_TEST_SUITE_P(Views, MadeUpViews, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

/// Every widget of the window is pointed at until its help comes.
TEST_F(MadeUpLanguage, HelpOfEveryWidget) {
  std::set<std::string> seen;
  for (const View* view : all_views()) {
    Experiment experiment = small_experiment();
    experiment.view = view->id;
    window.show(experiment, 3);
    const auto rects = window.app->record.rects;
    for (const auto& [key, rect] : rects) {
      if (!seen.insert(key).second || rect.right() > 1600 || rect.bottom() > 1000) continue;
      window.gui.move({rect.left + rect.width / 2, rect.top + rect.height / 2});
      window.gui.frames(1, 1);  // the help has waited; a frame measures it, and the next shows it
      window.gui.frames(2);
      read();
    }
  }
}

TEST_F(MadeUpLanguage, DialogsAndMenus) {
  window.gui.press(Key::f1, false, true);
  read();
  window.gui.press(Key::escape);
  for (const bool compares : {false, true}) {
    window.gui.press(Key::o, true, compares);
    read();
    window.gui.press(Key::escape);
  }
  window.gui.press(Key::s, true);
  for (const char* format : {"svg", "csv", "json"}) {
    window.app->dialog.format = format;
    window.gui.frames();
    read();
  }
  window.gui.play("press escape; right_click plot.similarity");
  read();
  window.gui.play("press escape; click shell.text_size");
  read();
  window.gui.play("press escape; click model");
  read();
}

/// All kinds, opened as the window opens them.
TEST_F(MadeUpLanguage, EveryDialog) {
  window.gui.press(Key::p);  // a pin to rename
  window.settle();
  const auto last = static_cast<int>(DialogKind::handout);
  for (int number = static_cast<int>(DialogKind::none) + 1; number <= last; ++number) {
    const auto kind = static_cast<DialogKind>(number);
    SCOPED_TRACE(number);
    if (kind == DialogKind::file) {
      open_file_dialog(*window.app, "layout.picture", ".png .jpg .jpeg", "");
    } else if (kind == DialogKind::rename) {
      open_rename_dialog(*window.app, 0, "");
    } else if (kind == DialogKind::note) {
      open_note_dialog(*window.app, std::nullopt, {});
    } else {
      open_dialog(*window.app, kind);
    }
    window.gui.frames();
    EXPECT_EQ(window.app->dialog.kind, kind);
    read();
    window.gui.press(Key::escape);
    if (window.app->dialog.kind != DialogKind::none) window.gui.press(Key::escape);
    EXPECT_EQ(window.app->dialog.kind, DialogKind::none);
  }
}

TEST_F(MadeUpLanguage, ChipMenuAndPen) {
  window.gui.play("press p; settle; right_click chip.pin1; frames");
  ASSERT_TRUE(window.gui.shows("chip.menu.rename"));
  read();
  window.gui.press(Key::escape);
  window.app->pen.on = true;
  window.gui.frames();
  ASSERT_TRUE(window.gui.shows("pen.end"));
  read();
}

TEST_F(MadeUpLanguage, Lessons) {
  window.gui.click("lessons");
  read();
  open_lesson(*window.app, MadeUpAssets::kLesson);
  window.settle(2);
  ASSERT_TRUE(window.app->lesson);
  const LessonPlay& play = *window.app->lesson;
  EXPECT_EQ(play.lesson.faults.size(), 0u);
  for (const bool room : {false, true}) {
    if (room) window.gui.press(Key::f5);
    EXPECT_EQ(play.room, room);
    go_to_step(*window.app, 0);
    std::set<LessonAsk::Kind> kinds;
    for (std::size_t step = play.lesson.steps.size(), part = 0; step != play.step || part != play.part;) {
      step = play.step;
      part = play.part;
      SCOPED_TRACE(play.lesson.steps[step].name);
      window.gui.frames(30, 0.1);  // numbers have glided
      window.settle(2);
      read();
      if (const auto& ask = play.lesson.steps[step].ask) kinds.insert(ask->kind);
      for (const char* answer : {"lesson.choice.1", "lesson.answer"}) {
        if (question_is_open(*window.app) && window.gui.shows(answer)) window.gui.click(answer);
      }
      window.settle(2);
      read();
      next_step(*window.app, 1);
      for (int i = 0; i < 2 && (play.passing || play.answer.skipped); ++i) {
        window.settle(2);
        read();  // asked once more, then uncovered
        next_step(*window.app, 1);
      }
    }
    EXPECT_EQ(kinds.size(), 4u) << "a step of each kind";
  }
}

TEST_F(MadeUpLanguage, TheLecturersWindow) {
  open_lesson(*window.app, MadeUpAssets::kLesson, "choice");
  window.gui.play("press f5; settle 2; press n");
  ASSERT_TRUE(window.app->lesson && window.app->lesson->lecturer);
  window.gui.draw = [this] { draw_lecturer(*window.app, window.gui.width, window.gui.height); };
  window.gui.frames();
  reader.read(DrawnText().lines());
  EXPECT_FALSE(DrawnText().lines().empty());
}

TEST_F(MadeUpLanguage, Messages) {
  for (std::size_t i = 0; i <= kMaximumPins; ++i) window.gui.press(Key::p);
  read();
  // Saved once, then once more over it, and where a file of another kind is.
  const auto save = [this](const std::string& name) {
    window.gui.play("press ctrl+s; press ctrl+a");
    window.gui.type((window.folder / name).string());
    window.gui.play("press enter; frames");
    read();
    window.gui.press(Key::escape);
  };
  save("figure.svg");
  save("figure.svg");
  std::ofstream(window.folder / "text.svg") << "no picture";
  save("text.svg");
  save("");  // the folder itself
  window.gui.play("press ctrl+s; press ctrl+a; press del; press enter");
  read();
}

/// What the window says where the state of the last one cannot be read.
TEST_F(MadeUpLanguage, MessagesOfTheNextStart) {
  const auto state = AppWindow::state_folder() / "state";
  fs::create_directories(state);
  std::ofstream(state / "last-experiment.json") << "{";
  std::ofstream(state / "settings.json") << "{";
  owned.reset();
  owned = std::make_unique<AppWindow>(1600, 1000, Store::Mode::synchronous, false, assets.folder.path);
  EXPECT_FALSE(owned->app->messages.empty());
  read();
}

}  // namespace
}  // namespace ropescope::ui
