// State that the window keeps between sessions: when it is written, what stays unchanged, and the messages if it cannot
// be written.

#include "app/platform/window.h"
#include "app/resources/result_cache.h"
#include "app/resources/system.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {
namespace {

std::string read_state_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_state_text(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << content;
}
fs::path state_file(const char* name = "last-experiment.json") {
  return AppWindow::state_folder() / "state" / name;
}
AppWindow with_old_state() {
  return AppWindow(1600, 1000, Store::Mode::synchronous, false);
}
void change_base(App& app, double base) {
  Experiment next = app.history.current();
  next.rope.base = base;
  app.history.record(next, false);
}

TEST(Saving, IsDueTwoSecondsAfterTheLastEditAndTenAfterTheFirst) {
  Saving saving;
  EXPECT_EQ(find_save_time(saving), std::nullopt);
  saving.waiting = 100;
  saving.edited = 100;
  EXPECT_EQ(find_save_time(saving), 102);
  saving.edited = 109.5;
  EXPECT_EQ(find_save_time(saving), 110);
  saving.failed = 110;
  EXPECT_EQ(find_save_time(saving), 120) << "no try a frame on a full disc";
}

TEST(Saving, GoesOnWhileSomethingPlays) {
  AppWindow window;
  App& app = *window.app;
  keep_state(app, 0);
  double now = 0;
  for (int frame = 1; frame <= 9 * 60 && !fs::exists(state_file()); ++frame) {
    now = frame / 60.0;
    Experiment next = app.history.current();
    next.rotation.glide += 0.0001;  // every frame another experiment, as a player makes it
    app.history.amend(next);
    keep_state(app, now);
  }
  EXPECT_FALSE(fs::exists(state_file())) << "edits go on";
  for (; now <= 10.1; now += 1.0 / 60) {
    Experiment next = app.history.current();
    next.rotation.glide += 0.0001;
    app.history.amend(next);
    keep_state(app, now);
  }
  EXPECT_TRUE(fs::exists(state_file())) << "but no longer than ten seconds";
}

TEST(Saving, WritesWhileTheMouseRestsOnAPlot) {
  AppWindow window;
  window.gui.hover("plot.similarity");
  window.gui.drag("rope.base", 60);
  window.gui.hover("plot.similarity");
  window.gui.frames(3, 1.0);
  ASSERT_TRUE(fs::exists(state_file()));
  EXPECT_EQ(experiment_from_json(read_state_text(state_file()), "saved").rope.base, window.experiment().rope.base);
}

TEST(Saving, KeepsAnUnreadableOrNewerExperimentBeside) {
  { AppWindow window; }
  const std::string newer = R"({"ropescope": 999, "view": "decay"})";
  write_state_text(state_file(), newer);
  {
    AppWindow window = with_old_state();
    ASSERT_EQ(window.app->messages.size(), 1u);
    EXPECT_THAT(window.app->messages[0].text, HasSubstr(state_file().string() + ".1"));
    change_base(*window.app, 123);
    save_state(*window.app);
  }
  EXPECT_EQ(read_state_text(state_file().string() + ".1"), newer);
  write_state_text(state_file(), "broken");
  { AppWindow window = with_old_state(); }
  EXPECT_EQ(read_state_text(state_file().string() + ".1"), newer);
  EXPECT_EQ(read_state_text(state_file().string() + ".2"), "broken");
}

TEST(Saving, KeepsWhatIsOfAViewThatIsNotThereBeside) {
  { AppWindow window; }
  Experiment later;
  later.view = "later";
  const std::string kept = experiment_to_json(later);
  write_state_text(state_file(), kept);
  AppWindow window = with_old_state();
  EXPECT_EQ(window.experiment(), fresh_experiment(*window.app));
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, Says("error.view.unknown", {{"id", "later"}}));
  EXPECT_EQ(read_state_text(state_file().string() + ".1"), kept);
}

TEST(Saving, KeepsUnreadableSettingsBeside) {
  { AppWindow window; }
  write_state_text(state_file("settings.json"), "[]]");
  AppWindow window = with_old_state();
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_EQ(read_state_text(state_file("settings.json.1")), "[]]");
}

TEST(Saving, ReadsTheFigureSettingsOfEarlierVersions) {
  const Settings settings = settings_from_json(
      R"({"save": {"size": "85x60mm", "dpi": 600, "theme": "window", "text_percent": 120, "words": "text",
                   "legend": "top-left", "font": "serif"}})",
      "settings");
  EXPECT_EQ(settings.save, (PageFields{.size = "85x60mm",
                                       .theme = PageTheme::window,
                                       .text_size = 120,
                                       .words = PageWords::text,
                                       .legend = LegendPlace::top_left,
                                       .font = "serif",
                                       .dpi = 600}));
  EXPECT_EQ(settings_from_json(R"({"save": {"dpi": 1, "theme": "pink", "font": 7}})", "settings").save, PageFields());
  EXPECT_EQ(settings_from_json("{}", "settings").save, PageFields());
}

TEST(Saving, WritesTheExperimentWhereTheSettingsCannotBeAndTriesAgain) {
  AppWindow window;
  App& app = *window.app;
  fs::create_directories(state_file("settings.json"));  // a folder in its place
  app.settings.theme = "light";
  change_base(app, 777);
  save_state(app, 5);
  EXPECT_EQ(experiment_from_json(read_state_text(state_file()), "saved").rope.base, 777);
  ASSERT_EQ(app.messages.size(), 1u);
  EXPECT_THAT(app.messages[0].text, HasSubstr("settings.json"));
  EXPECT_EQ(find_save_time(app.saving), 15);
  keep_state(app, 15);
  EXPECT_EQ(app.messages.size(), 1u) << "said once";
  fs::remove(state_file("settings.json"));
  keep_state(app, 25);
  EXPECT_EQ(settings_from_json(read_state_text(state_file("settings.json")), "saved").theme, "light");
  EXPECT_EQ(find_save_time(app.saving), std::nullopt);
  ASSERT_EQ(app.messages.size(), 2u);
  EXPECT_FALSE(app.messages[1].is_error) << "it is said that all is well again";
}

TEST(Saving, ASecondWindowKeepsTheRecentFilesOfTheFirst) {
  const AppWindow window;
  App &first = *window.app, second(first.places, Store::Mode::synchronous);
  load_state(second);
  remember_file(first.settings, "/a.json");
  remember_file(first.settings, "/both.json");
  save_state(first);
  remember_file(second.settings, "/both.json");
  remember_file(second.settings, "/b.json");
  save_state(second);
  EXPECT_THAT(settings_from_json(read_state_text(state_file("settings.json")), "saved").recent,
              ElementsAre("/b.json", "/both.json", "/a.json"));
}

TEST(Crash, TheLastExperimentIsOfferedInsteadOfLoaded) {
  { AppWindow window; }
  Experiment last;
  last.rope.base = 4321;
  write_state_text(state_file(), experiment_to_json(last));
  AppWindow window = with_old_state();
  EXPECT_EQ(window.experiment().rope.base, 4321) << "after a good end it is loaded";

  window.app->history = History();
  load_state(*window.app, true);
  window.gui.frames();
  EXPECT_EQ(window.experiment(), fresh_experiment(*window.app));
  window.gui.wait(60);
  ASSERT_EQ(window.app->messages.size(), 1u) << "the offer stays";
  window.gui.click("message.0.action");
  EXPECT_EQ(window.experiment().rope.base, 4321);
  EXPECT_TRUE(window.app->messages.empty());
}

TEST(Crash, ASessionThatNobodyHoldsIsToldOnce) {
  const TemporaryFolder folder;
  {
    const Session first(folder.path);
    EXPECT_FALSE(first.earlier_crashed());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1);
  }
  EXPECT_TRUE(fs::is_empty(folder.path)) << "a good end leaves nothing";
  write_state_text(folder.path / "running-4194305", "");  // no process has this number
  {
    const Session after(folder.path);
    EXPECT_TRUE(after.earlier_crashed());
    // Another window beside is none that crashed: its lock is held.
    const fs::path own = fs::directory_iterator(folder.path)->path();
    fs::rename(own, folder.path / "running-1");
    const Session beside(folder.path);
    EXPECT_FALSE(beside.earlier_crashed());
    fs::remove(folder.path / "running-1");
  }
  const Session fresh(folder.path);
  EXPECT_FALSE(fresh.earlier_crashed());
}

TEST(Sleep, NothingIsDrawnWhereNothingHappens) {
  AppWindow window(1600, 1000, Store::Mode::asynchronous);
  App& app = *window.app;
  EXPECT_EQ(seconds_to_frame(app), std::numeric_limits<double>::infinity());
  app.messages.push_back({"a notice", false});
  window.gui.frames();
  EXPECT_NEAR(seconds_to_frame(app), 8, 0.1) << "a notice goes";
  window.gui.wait(9);
  change_base(app, 99);
  window.gui.frames();
  EXPECT_GT(seconds_to_frame(app), 1);
  EXPECT_LT(seconds_to_frame(app), 2) << "an edit is to be saved";
  app.store.wait();
  window.gui.wait(3);
  EXPECT_EQ(seconds_to_frame(app), std::numeric_limits<double>::infinity());
}

/// What is written on the screen, a space in the place of each gap.
std::string seen() {
  std::string all;
  for (const DrawnLine& line : DrawnText().lines()) all += line.text + "\n";
  return all;
}

TEST(Sleep, TheHelpComesToAMouseThatRests) {
  AppWindow window(1600, 1000);
  const std::string help = window.app->text["field.rope.base.help"].substr(0, 12);
  window.rest(5);  // until nothing else is waited for
  window.gui.play("hover rope.base.label; frames 2");
  window.rest(0.4);
  EXPECT_THAT(seen(), Not(HasSubstr(help)));
  window.rest(0.7);
  EXPECT_THAT(seen(), HasSubstr(help));
  EXPECT_GT(seconds_to_frame(*window.app), 1) << "and then nothing moves";
}

TEST(Sleep, WhatWasRefusedLosesItsColour) {
  AppWindow window(1600, 1000);
  const auto warned = [&window] {
    const Colour colour = window.app->ui.palette.warning;
    const ImU32 warning = IM_COL32(colour.red, colour.green, colour.blue, colour.alpha);
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i) {
      for (const ImDrawVert& vertex : data->CmdLists[i]->VtxBuffer) {
        if (vertex.col == warning) return true;
      }
    }
    return false;
  };
  EXPECT_FALSE(warned());
  window.gui.play("click rope.base.value; type no number; press enter");
  EXPECT_TRUE(warned());
  EXPECT_EQ(seconds_to_frame(*window.app), 0) << "it shakes";
  window.rest(1.5);
  EXPECT_FALSE(warned());
}

TEST(Sleep, TheGroundBehindADialogFadesToItsEnd) {
  const auto ground = [] {
    ImU32 darkest = 0;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i) {
      const ImDrawList& list = *data->CmdLists[i];
      for (const ImDrawVert& vertex : list.VtxBuffer) {
        // The one rectangle that covers the whole window without being opaque.
        const ImU32 alpha = vertex.col >> IM_COL32_A_SHIFT & 0xFF;
        if (alpha < 0xFF && vertex.pos.x <= 0 && vertex.pos.y <= 0) darkest = std::max(darkest, alpha);
      }
    }
    return darkest;
  };
  AppWindow window(1600, 1000);
  window.gui.press(Key::o, true);
  window.rest(5);
  const ImU32 after_rest = ground();
  EXPECT_GT(after_rest, 0u);
  window.gui.frames(60);
  EXPECT_EQ(after_rest, ground());
}

TEST(Sleep, WhatIsSaidAfterItsPlaceWasDrawnIsSeen) {
  AppWindow window(1600, 1000);
  window.rest(5);
  window.app->messages.push_back({"from outside"});
  EXPECT_EQ(seconds_to_frame(*window.app), 0);
  window.rest(1);
  EXPECT_THAT(seen(), HasSubstr("from outside"));
}

/// Opens the save dialog with another name typed into it.
void type_name(AppWindow& window, const fs::path& file) {
  if (window.app->dialog.kind != DialogKind::save) window.gui.press(Key::s, true);
  window.gui.play("frames; press ctrl+a");
  window.gui.type(file.string());
}

TEST(SaveDialog, AsksBeforeItReplaces) {
  AppWindow window;
  const fs::path file = window.folder / "mine.svg";
  write_state_text(file, "<?xml version=\"1.0\"?>\n<svg>old</svg>");
  type_name(window, file);
  window.gui.press(Key::enter);
  EXPECT_EQ(window.app->dialog.kind, DialogKind::save);
  EXPECT_THAT(window.app->dialog.error, HasSubstr("Replace it?"));
  EXPECT_THAT(read_state_text(file), HasSubstr("old"));
  window.gui.click("dialog.do_save");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::none);
  EXPECT_THAT(read_state_text(file), Not(HasSubstr("<svg>old")));
}

TEST(SaveDialog, AYesIsForOneNameOnly) {
  AppWindow window;
  const fs::path file = window.folder / "mine.svg", other = window.folder / "other.svg";
  write_state_text(file, "<svg>old</svg>");
  write_state_text(other, "<svg>old</svg>");
  type_name(window, file);
  window.gui.press(Key::enter);
  type_name(window, other);
  window.gui.press(Key::enter);
  EXPECT_EQ(window.app->dialog.kind, DialogKind::save) << "asked again";
  EXPECT_EQ(read_state_text(other), "<svg>old</svg>");
}

TEST(SaveDialog, NeverReplacesAFileOfAnotherKind) {
  for (const char* name : {"table.npy", "table.svg"}) {
    AppWindow window;
    const fs::path file = window.folder / name;
    write_state_text(file, "\x93NUMPY numbers");
    type_name(window, file);
    window.gui.play("press enter; press enter; click dialog.do_save");
    EXPECT_EQ(read_state_text(file), "\x93NUMPY numbers");
    EXPECT_THAT(window.app->dialog.error, HasSubstr("another name"));
  }
}

TEST(OpenDialog, OpensWithoutAHomeAndWithoutACurrentFolder) {
  AppWindow window;
  window.app->settings.folder.clear();
  const fs::path before = fs::current_path();
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  {
    const TemporaryFolder gone;
    fs::current_path(gone.path);
  }
  unsetenv("HOME");
  window.gui.play("press ctrl+o; frames");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::open);
  // What the system knows of the user without HOME, else the top.
  const fs::path known = os::home_folder();
  EXPECT_EQ(window.app->dialog.folder, fs::is_directory(known) ? known.string() : "/");
  fs::current_path(before);
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}

TEST(InputQueue, ATapShorterThanAFrameIsSeen) {
  InputQueue queue;
  const InputEvent down{true, 84, 28, 1, 0}, up{true, 84, 28, 0, 0}, button{false, 84, 0, 1, 0};
  for (const InputEvent& event : {down, up, button, down}) queue.push(event);
  EXPECT_EQ(queue.take_frame().size(), 1u) << "down";
  EXPECT_EQ(queue.take_frame().size(), 2u) << "up, and a button of the same number";
  EXPECT_EQ(queue.take_frame().size(), 1u) << "down again";
  EXPECT_TRUE(queue.empty());
}

// Where a program wakes at Ctrl, all the rest of Ctrl+S may wait for the next frame: S must not meet Ctrl's release
// there.
TEST(InputQueue, AChordKeepsItsModifier) {
  InputQueue queue;
  const InputEvent control{true, 341, 37, 1, 0}, control_up{true, 341, 37, 0, 0}, s{true, 83, 39, 1, 0},
      s_up{true, 83, 39, 0, 0};
  queue.push(control);
  EXPECT_EQ(queue.take_frame().size(), 1u);
  for (const InputEvent& event : {s, control_up, s_up, s, control}) queue.push(event);
  EXPECT_EQ(queue.take_frame().size(), 1u) << "S, with Ctrl down";
  EXPECT_EQ(queue.take_frame().size(), 2u) << "both up";
  EXPECT_EQ(queue.take_frame().size(), 1u) << "S, without the Ctrl that comes after it";
  for (const InputEvent& event : {control_up, control, s}) queue.push(event);
  EXPECT_EQ(queue.take_frame().size(), 1u) << "Ctrl down";
  EXPECT_EQ(queue.take_frame().size(), 1u) << "Ctrl up";
  EXPECT_EQ(queue.take_frame().size(), 2u) << "Ctrl and S";
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace ropescope::ui
