// Two models side by side: dropped together, chosen in a dialog, and readable at any size.

#include "app/ui/finder.h"
#include "tests/gguf_files.h"
#include "tests/gui/large_window.h"
#include "tests/said.h"

namespace ropescope::ui {
namespace {

std::string config_of(double base, const std::string& scaling = "null") {
  return R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 8192,
    "rope_theta": )" +
         std::to_string(base) + R"(, "rope_scaling": )" + scaling + "}";
}

constexpr const char* kLlama3 = R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
  "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})";

struct CompareWindow : AppWindow {
  std::string a = (folder / "a.json").string(), b = (folder / "b.json").string();

  CompareWindow() {
    write(a, config_of(10'000));
    write(b, config_of(500'000));
  }
  static void write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  std::vector<std::string> table() const {
    std::vector<std::string> words;
    for (const Label& label : figure("differences").labels) words.push_back(label.text);
    return words;
  }
  void expect_both_shown() {
    settle(3);
    EXPECT_THAT(app->messages, IsEmpty());
    EXPECT_EQ(experiment().view, "decay");
    EXPECT_EQ(experiment().decay.show, DecayShow::differences);
    ASSERT_EQ(experiment().pins.size(), 1u);
    EXPECT_EQ(experiment().pins[0].rope.base, 10'000);
    EXPECT_EQ(experiment().rope.base, 500'000);
    std::vector<std::string> curves;
    for (const Line& line : figure("similarity").lines) curves.push_back(line.key);
    EXPECT_THAT(curves, testing::IsSupersetOf({"current", "pin1"}));
    const std::string& base = english_text()["compare.name.base"];
    EXPECT_THAT(table(), Contains(base));
    EXPECT_EQ(readout("decay.compare"), english_text().format("readout.compare_verdict.differs", {{"name", base}}));
  }
};

TEST(CompareWindow, TwoDroppedFilesAreCompared) {
  CompareWindow window;
  open_paths(*window.app, {window.a, window.b});
  window.expect_both_shown();
  EXPECT_THAT(window.table(), Contains(HasSubstr("10\u202f000 in A and 500\u202f000 in B")));
  EXPECT_EQ(window.readout("decay.compare_difference1"), window.readout("decay.compare_largest"));
  Experiment moved = window.experiment();
  moved.rope.base = 10'000;
  window.show(moved, 3);
  EXPECT_EQ(window.readout("decay.compare"), "Agrees") << "what is shown is compared, not what the file said";
}

TEST(CompareWindow, IsReachedByKeyMenuAndName) {
  for (const char* way : {"key", "menu", "finder"}) {
    CompareWindow window;
    open_path(*window.app, window.a);
    window.gui.frames();
    if (way == std::string("key")) window.gui.press(Key::o, true, true);
    if (way == std::string("menu")) {
      window.gui.play("right_click plot.similarity; click menu.compare");
    }
    if (way == std::string("finder")) {
      window.gui.play("press ctrl+k; type compare with another; press enter");
    }
    window.gui.frames();
    ASSERT_TRUE(window.gui.shows("dialog.file.b.json")) << way;
    window.gui.click("dialog.file.b.json");
    window.expect_both_shown();
  }
}

TEST(CompareWindow, AGgufWithoutItsExtensionIsSaid) {
  CompareWindow window;
  GgufWriter writer;
  add_model(writer, "llama", 8192, 4096, 32).real("llama.rope.freq_base", 500'000);
  const std::string gguf = (window.folder / "model.gguf").string();
  CompareWindow::write(gguf, writer.file());
  CompareWindow::write(window.b, config_of(500'000, kLlama3));
  open_paths(*window.app, {gguf, window.b});
  window.settle(3);
  EXPECT_THAT(window.app->messages, IsEmpty());
  EXPECT_THAT(window.table(), Contains("Extension"));
  EXPECT_THAT(window.table(), Contains(HasSubstr("permuted at conversion")));
}

TEST(CompareWindow, OtherFilesAreOpenedAsBefore) {
  CompareWindow window;
  CompareWindow::write(window.b, "{\"rope_theta\": ");
  open_paths(*window.app, {window.a, window.b});
  window.settle();
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, HasSubstr("b.json"));
  EXPECT_THAT(window.experiment().pins, IsEmpty()) << "the first one is open";
  EXPECT_EQ(window.experiment().rope.label, "a.json");
  open_paths(*window.app, {window.a});
  EXPECT_THAT(window.experiment().pins, IsEmpty());
}

TEST(CompareWindow, ThePresentRopeIsCopiedInOtherWords) {
  CompareWindow window;
  open_path(*window.app, window.b);
  window.gui.play("settle; right_click plot.similarity");
  ASSERT_TRUE(window.gui.shows("menu.copy_as.llama.cpp"));
  window.gui.click("menu.copy_as.llama.cpp");
  ASSERT_TRUE(window.app->requests.clipboard_text);
  EXPECT_THAT(*window.app->requests.clipboard_text, HasSubstr("--rope-freq-base 500000"));
}

TEST(CompareWindow, NothingPinnedSaysWhatToDo) {
  CompareWindow window;
  Experiment experiment;
  experiment.decay.show = DecayShow::differences;
  window.show(experiment, 2);
  EXPECT_THAT(window.figure("differences").empty_message, HasSubstr("Compare with"));
  EXPECT_TRUE(window.figure("differences").empty_is_hint);
}

TEST(CompareWindow, TheTableIsReadAtAnySizeInEveryLanguage) {
  for (const char* language : {"en", "ja", "ko"}) {
    for (const Room& room : {Room{1280, 720, 100}, Room{1280, 720, 200}, Room{1920, 1080, 150}}) {
      LargeWindow window(room, language);
      Faults faults(window.app->text);
      Experiment experiment = window.experiment();
      experiment.view = "decay";
      experiment.decay.show = DecayShow::differences;
      experiment.rope = {};
      experiment.pins = {{experiment.rope, 1}};
      experiment.rope.base = 1'000'000;
      experiment.rope.rotary_dim = 64;
      experiment.rope.scaling.method = "yarn";
      window.show(experiment, 3);
      for (std::size_t page = 0; page < window.app->plot.pages; ++page) {
        faults.read("differences");
        window.gui.play("press right_bracket; settle");
      }
      EXPECT_EQ(lines_of(faults.cut), "") << language << ", " << name_of(room);
      EXPECT_EQ(lines_of(faults.overlapping), "") << language << ", " << name_of(room);
    }
  }
}

}  // namespace
}  // namespace ropescope::ui
