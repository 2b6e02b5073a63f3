// Files that the window opens and saves: configs, presets, figures, and its last state.

#include "app/ui/finder.h"
#include "tests/gguf_files.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

void write_whole_text(const fs::path& path, const std::string& content) {
  std::ofstream(path) << content;
}
std::string read_whole_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* kShortContextConfig = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
  "max_position_embeddings": 2048, "rope_theta": 123456.0})";

TEST(Window, ADroppedConfigIsShown) {
  AppWindow window;
  const auto path = window.folder / "config.json";
  write_whole_text(path, kShortContextConfig);
  open_path(*window.app, path.string());  // what the window does with a dropped path
  window.gui.frames();
  EXPECT_EQ(window.experiment().rope.base, 123456);
  EXPECT_EQ(window.experiment().rope.trained_length, 2048);
  EXPECT_EQ(window.figure("similarity").rules.at(0).at, 2048);
  EXPECT_TRUE(window.app->messages.empty());
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment().rope.base, 10000) << "opening is undone like everything else";
}

TEST(Window, ADroppedGgufIsShown) {
  AppWindow window;
  GgufWriter writer;
  add_model(writer, "gemma3", 32768, 2560, 8).whole("gemma3.attention.key_length", 256);
  writer.whole("gemma3.attention.sliding_window", 1024).real("gemma3.rope.freq_base", 1e6);
  const auto path = window.folder / "model.gguf";
  write_whole_text(path, writer.file());
  open_path(*window.app, path.string());
  window.gui.frames();
  EXPECT_TRUE(window.app->messages.empty());
  EXPECT_EQ(window.experiment().rope.base, 1e6);
  EXPECT_EQ(window.experiment().rope.trained_length, 32768);
  open_profile(*window.app, "sliding attention");
  window.gui.frames();
  EXPECT_EQ(window.experiment().rope.base, 10000);
  write_whole_text(path, writer.file().substr(0, 100));
  open_path(*window.app, path.string());
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, HasSubstr("model.gguf"));
}

TEST(Window, ABrokenFileLeavesTheExperimentAndSaysWhy) {
  AppWindow window;
  const Experiment before = window.experiment();
  const auto path = window.folder / "broken.json";
  for (const char* content :
       {"", "{\"rope_theta\": ", "[1, 2]", "{\"model_type\": \"nothing known\"}", "\xff\xfe\x00"}) {
    write_whole_text(path, content);
    open_path(*window.app, path.string());
    window.gui.frames();
    EXPECT_EQ(window.experiment(), before) << content;
    ASSERT_EQ(window.app->messages.size(), 1u) << content;
    EXPECT_THAT(window.app->messages[0].text, HasSubstr("broken.json"));
    window.gui.click("message.0.close");
    EXPECT_TRUE(window.app->messages.empty());
  }
  open_path(*window.app, window.folder.string());
  open_path(*window.app, (window.folder / "nowhere.json").string());
  window.gui.frames();
  EXPECT_EQ(window.app->messages.size(), 2u);
  EXPECT_EQ(window.experiment(), before);
}

TEST(Window, AFileIsChosenInTheOpenDialog) {
  AppWindow window;
  write_whole_text(window.folder / "model.json", kShortContextConfig);
  window.gui.play("press ctrl+o; frames");
  ASSERT_TRUE(window.gui.shows("dialog.file.model.json"));
  window.gui.play("click dialog.file.model.json; frames");
  EXPECT_EQ(window.experiment().rope.base, 123456);
  ASSERT_EQ(window.app->settings.recent.size(), 1u);
  window.gui.play("click shell.open; frames");
  EXPECT_TRUE(window.gui.shows("dialog.recent.0"));
}

TEST(Window, APresetAndItsProfilesAreChosenFromLists) {
  AppWindow window;
  open_preset(*window.app, "gemma-3-4b-it");
  window.gui.frames();
  EXPECT_EQ(window.experiment().rope.base, 1e6);
  ASSERT_TRUE(window.gui.shows("profile"));
  open_profile(*window.app, "sliding attention");
  window.gui.frames();
  EXPECT_EQ(window.experiment().rope.base, 10000);
  EXPECT_EQ(window.experiment().rope.model, "gemma-3-4b-it");
}

TEST(Window, SavingWritesTheFigureAndNeverReplacesAFileUnasked) {
  AppWindow window;
  window.gui.play("press ctrl+s; frames; press enter");
  const auto path = window.folder / "decay.svg";
  ASSERT_TRUE(fs::exists(path));
  EXPECT_THAT(read_whole_text(path), HasSubstr("<svg"));
  window.gui.play("press ctrl+s; frames");
  EXPECT_THAT(window.app->dialog.path, HasSubstr("decay-1.svg"));
  window.gui.press(Key::escape);
}

TEST(Window, AnUnwritableTargetIsSaidInTheDialog) {
  AppWindow window;
  window.gui.play("press ctrl+s; frames; press ctrl+a");
  window.gui.type((window.folder / "no-such-folder" / "x.svg").string());
  window.gui.press(Key::enter);
  EXPECT_EQ(window.app->dialog.kind, DialogKind::save);
  EXPECT_THAT(window.app->dialog.error, HasSubstr("no-such-folder"));
}

TEST(Window, TheLastExperimentComesBack) {
  double base = 0;
  {
    AppWindow window;
    window.gui.drag("rope.base", 60);
    window.app->settings.theme = "light";
    base = window.experiment().rope.base;
    save_state(*window.app);
  }
  AppWindow again(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_EQ(again.experiment().rope.base, base);
  EXPECT_EQ(again.app->settings.theme, "light");
  EXPECT_TRUE(again.app->messages.empty());
}

TEST(Window, TheBoundIsAddedByItsChipAndRemembered) {
  {
    AppWindow window;
    EXPECT_FALSE(window.gui.shows("plot.bound")) << "a beginner sees one plot";
    window.gui.play("click chip.toggle; settle");
    EXPECT_TRUE(window.gui.shows("plot.bound"));
    save_state(*window.app);
  }
  AppWindow again(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_TRUE(again.gui.shows("plot.bound"));
  again.gui.play("click chip.toggle.close; settle");
  EXPECT_FALSE(again.gui.shows("plot.bound"));
  EXPECT_TRUE(Experiment().decay.show_bound) << "what files and links that do not set it mean";
  Experiment phasors = again.experiment();
  phasors.decay.show = DecayShow::phasors;
  again.show(phasors);
  EXPECT_FALSE(again.gui.shows("chip.toggle")) << "it would change nothing there";
}

TEST(Window, AnUnreadableLastExperimentStartsTheDefaultsWithAMessage) {
  { AppWindow window; }
  fs::create_directories(AppWindow::state_folder() / "state");
  write_whole_text(AppWindow::state_folder() / "state" / "last-experiment.json", "{\"ropescope\": 1, \"nonsense\": 3}");
  AppWindow window(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_EQ(window.experiment(), fresh_experiment(*window.app));
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, HasSubstr("nonsense"));
}

}  // namespace
}  // namespace ropescope::ui
