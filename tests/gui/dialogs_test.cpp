// The dialogs in use: typing replaces the text, folders keep the focus, a view lists the files that it accepts, and
// figures are saved in the chosen size and theme.

#include "app/figure/pages/page.h"
#include "app/ui/finder.h"
#include "app/views/shared/ropes.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

constexpr const char* kLongContextConfig = R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
  "max_position_embeddings": 32768, "rope_theta": 123456.0})";

void write_with_folders(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << content;
}
std::string read_binary_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Opens the save dialog, chooses a format, types a name (relative to the folder of the dialog) and confirms it.
void choose_format(AppWindow& window, const std::string& format) {
  window.gui.play("click dialog.format; frames");
  window.gui.click("dialog.format." + format);
  window.gui.frames();
}

void save_as(AppWindow& window, const std::string& format, const std::string& name) {
  window.gui.play("press ctrl+s; frames");
  // The name is selected at the start, and again after another format was chosen.
  if (window.app->dialog.format != format) choose_format(window, format);
  window.gui.type(name);
  window.gui.play("press enter; frames");
}

TEST(Dialogs, TypingReplacesThePathOfTheLastTime) {
  AppWindow window;
  for (const Key key : {Key::o, Key::s, Key::o}) {
    window.gui.press(key, true);
    window.gui.play("frames; type typed");
    EXPECT_EQ(window.app->dialog.path, "typed");
    window.gui.press(Key::escape);
    ASSERT_EQ(window.app->dialog.kind, DialogKind::none);
  }
}

TEST(Dialogs, AFolderChosenByEnterKeepsTheFocus) {
  AppWindow window;
  write_with_folders(window.folder / "inner" / "model.json", kLongContextConfig);
  window.gui.play("press ctrl+o; frames; type inner; press enter; frames");
  EXPECT_EQ(window.app->dialog.folder, window.folder / "inner");
  window.gui.type("model.json");
  EXPECT_EQ(window.app->dialog.path, "model.json") << "the field has the focus, its text selected";
  window.gui.play("press enter; frames");
  EXPECT_EQ(window.experiment().rope.base, 123456);
}

TEST(Dialogs, OpenListsWhatTheViewTakesOrAll) {
  AppWindow window;
  for (const char* name : {"a.json", "b.npy", "c.PNG", "d.txt"}) write_with_folders(window.folder / name, "x");
  const auto listed = [&window](const std::string& view) {
    Experiment experiment = window.experiment();
    experiment.view = view;
    window.show(experiment);
    window.gui.play("press ctrl+o; frames");
    std::string names;
    for (const FolderEntry& entry : window.app->dialog.entries) names += entry.is_folder ? "" : entry.name + " ";
    return names;
  };
  EXPECT_EQ(listed("decay"), "a.json b.npy c.PNG ") << "a config, an experiment, a figure that carries one, a curve";
  window.gui.press(Key::escape);
  EXPECT_EQ(listed("limits"), "a.json c.PNG ");
  window.gui.press(Key::escape);
  EXPECT_EQ(listed("check"), "a.json b.npy c.PNG ");
  window.gui.press(Key::escape);
  EXPECT_EQ(listed("layout"), "a.json c.PNG ");
  EXPECT_FALSE(window.gui.shows("dialog.file.d.txt"));
  window.gui.play("click dialog.files.all; frames");
  for (const char* name : {"a.json", "b.npy", "c.PNG", "d.txt"}) {
    EXPECT_TRUE(window.gui.shows(std::string("dialog.file.") + name)) << name;
  }
  window.gui.play("click dialog.files.fitting; frames");
  EXPECT_FALSE(window.gui.shows("dialog.file.d.txt"));
}

TEST(Dialogs, AFileOfAFieldIsChosenByItsButton) {
  AppWindow window;
  write_with_folders(window.folder / "dump.npz", "no zip");
  write_with_folders(window.folder / "model.json", kLongContextConfig);
  Experiment experiment = window.experiment();
  experiment.view = "attention";
  experiment.attention.content = AttentionSource::file;
  window.show(experiment);
  window.gui.play("click attention.file.choose; frames");
  ASSERT_EQ(window.app->dialog.kind, DialogKind::file);
  EXPECT_FALSE(window.gui.shows("dialog.file.model.json"));
  window.gui.play("click dialog.file.dump.npz; frames");
  EXPECT_EQ(window.experiment().attention.file, (window.folder / "dump.npz").string());
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment().attention.file, "") << "one step of undo";
}

TEST(Dialogs, EveryFieldOfAFileHasTheButton) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.view = "check";
  window.show(experiment);
  EXPECT_TRUE(window.gui.shows("check.cos.choose"));
  experiment.check.against = CheckAgainst::dump;
  window.show(experiment);
  EXPECT_TRUE(window.gui.shows("check.against_sin.choose"));
  EXPECT_FALSE(window.gui.shows("check.positions.choose"));
}

TEST(Dialogs, AnEmptyCheckOffersExamples) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.view = "check";
  window.show(experiment, 2);
  ASSERT_TRUE(window.gui.shows("example.flux"));
  window.gui.play("click example.flux-axes-swapped; settle 3");
  EXPECT_TRUE(window.app->messages.empty());
  EXPECT_EQ(window.experiment().check.against, CheckAgainst::layout);
  EXPECT_NE(window.readout("check.cause.axes-swapped"), "missing");
}

TEST(Dialogs, ALowEmptyCheckHasAButtonForItsExamples) {
  AppWindow window(1280, 480);
  Experiment experiment = window.experiment();
  experiment.view = "check";
  window.show(experiment, 2);
  ASSERT_FALSE(window.gui.shows("example.flux"));
  window.gui.play("click shell.examples; frames");
  ASSERT_TRUE(window.gui.shows("example.flux"));
  window.gui.play("click example.flux-axes-swapped; settle 3");
  EXPECT_NE(window.readout("check.cause.axes-swapped"), "missing");
}

TEST(Dialogs, FilesAreLightUnlessAskedOtherwise) {
  AppWindow window;
  ASSERT_EQ(window.app->settings.theme, "dark");
  EXPECT_EQ(page_style(window.app->settings).theme, ThemeName::light);
  window.app->settings.save.theme = PageTheme::window;
  EXPECT_EQ(page_style(window.app->settings).theme, ThemeName::dark);
  window.app->settings.theme = "light";
  EXPECT_EQ(page_style(window.app->settings).theme, ThemeName::light);
  window.app->settings.save.theme = PageTheme::dark;
  EXPECT_EQ(page_style(window.app->settings).theme, ThemeName::dark);
}

TEST(Dialogs, SaveAsksForSizeResolutionAndWords) {
  AppWindow window;
  window.gui.play("press ctrl+s; frames; click dialog.size; frames; click dialog.size.column; frames");
  EXPECT_EQ(window.app->settings.save.size, "85x60mm");
  EXPECT_FALSE(window.gui.shows("save.dpi")) << "an SVG has none";
  window.gui.play("click save.words.text; click dialog.path; type column.svg; press enter");
  const std::string svg = read_binary_text(window.folder / "column.svg");
  EXPECT_THAT(svg, HasSubstr("width=\"85mm\""));
  EXPECT_THAT(svg, HasSubstr("<text"));
  save_as(window, "png", "column.png");
  const std::string png = read_binary_text(window.folder / "column.png");
  ASSERT_GT(png.size(), 24u);
  const auto side = [&png](std::size_t at) {
    return 256 * static_cast<unsigned char>(png[at + 2]) + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_EQ(side(16), std::lround(85 / 25.4 * window.app->settings.save.dpi));
  window.gui.play("press ctrl+s; frames");
  choose_format(window, "png");
  EXPECT_TRUE(window.gui.shows("save.dpi"));
}

TEST(Dialogs, SettingsOfSavingAreKept) {
  {
    AppWindow window;
    window.app->settings.save = {
        .size = "85x60mm", .theme = PageTheme::dark, .text_size = 120, .words = PageWords::text, .dpi = 600};
    save_state(*window.app);
  }
  AppWindow again(1600, 1000, Store::Mode::synchronous, false);
  EXPECT_EQ(again.app->settings.save,
            (PageFields{
                .size = "85x60mm", .theme = PageTheme::dark, .text_size = 120, .words = PageWords::text, .dpi = 600}));
}

TEST(Dialogs, WhatSaysWhyItCannotBeShownIsNotSaved) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.view = "attention";
  experiment.attention.content = AttentionSource::file;
  window.show(experiment);
  save_as(window, "svg", "none.svg");
  EXPECT_FALSE(fs::exists(window.folder / "none.svg"));
  EXPECT_THAT(window.app->dialog.error, HasSubstr(".npz"));
}

TEST(CommandLineOfAView, HasTheSizeOfSavingAndNothingOfOtherViews) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.rope.base = 500000;
  experiment.decay.span = 300;
  experiment.attention.tokens = 64;
  experiment.layout.width = 512;
  experiment.pins.push_back({RopeFields(), 1, "mine"});
  experiment.notes = {{"decay", "similarity", "here", 10, 0.5, 40, 0.8}, {"limits", "curve", "there", 1, 1, 1, 1}};
  window.app->settings.save.size = "85x60mm";
  window.app->settings.save.text_size = 120;
  const std::string line = command_line_of(experiment, window.app->settings);
  for (const char* part : {"render decay", "rope.base=", "decay.span=300", "pins=", "mine", "here", "--size 85x60mm",
                           "--theme light", "--text-size 120", "-o decay.svg"}) {
    EXPECT_THAT(line, HasSubstr(part));
  }
  for (const char* part : {"attention", "layout", "there", "--outlines"}) EXPECT_THAT(line, Not(HasSubstr(part)));
}

}  // namespace
}  // namespace ropescope::ui
