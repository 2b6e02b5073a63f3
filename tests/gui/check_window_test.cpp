// Check in use: files are dropped, the verdict is read, R switches sides, and a button applies a cause.

#include "tests/figures/check_tables.h"
#include "tests/gui/app_window.h"
#include "tests/unit/stored_files.h"

namespace ropescope::ui {
namespace {

struct CheckWindow : AppWindow {
  TemporaryFolder dumps;

  explicit CheckWindow(Store::Mode mode = Store::Mode::synchronous) : AppWindow(1600, 1000, mode) {
    Experiment experiment;
    experiment.view = "check";
    experiment.check.against = CheckAgainst::rope;
    experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
    show(experiment);
    gui.steps["settle"] = [this](const std::string&) { settle(); };
  }
  void settle() { AppWindow::settle(6); }
  void drop(const char* name) {
    open_path(*app, (dumps.path / name).string());
    settle();
  }
  void drop_wrong_base() {
    save_tables(dumps.path, rope_tables(20'000, 8, 256));
    drop("cos.npy");
    drop("sin.npy");
  }
  std::string map_key() const { return figure("map").maps.at(0).key; }
};

TEST(CheckWindow, WhoCannotDropMayOpen) {
  CheckWindow window;
  window.gui.click("shell.open_here");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::open);
  window.app->dialog = {};
  window.drop_wrong_base();
  EXPECT_FALSE(window.gui.shows("shell.open_here")) << "there is something to see";
}

TEST(CheckWindow, ExamplesAreCardsWithAPictureAboveThePlaceToDrop) {
  CheckWindow window;
  ASSERT_GE(window.app->examples.size(), 6u);
  const Rect button = window.gui.rect("shell.open_here");
  for (const ui::ListedExample& example : window.app->examples) {
    SCOPED_TRACE(example.name);
    ASSERT_TRUE(window.gui.shows("example." + example.name));
    EXPECT_LT(window.gui.rect("example." + example.name).bottom(), button.top);
    ASSERT_GT(example.picture.columns, 1u);
    ASSERT_EQ(example.picture.values.size(), example.picture.rows * example.picture.columns);
    const auto [least, most] = std::minmax_element(example.picture.values.begin(), example.picture.values.end());
    EXPECT_LT(*least, *most) << "numbers of the file";
  }
  window.gui.play("click example.llama-3.1-no-scaling; settle");
  EXPECT_EQ(window.readout("check.verdict"), disagrees("scaling-missing"));
  EXPECT_FALSE(window.gui.shows("example.flux"));
}

TEST(CheckWindow, DroppedTablesGetAVerdict) {
  CheckWindow window;
  EXPECT_THAT(window.figure("map").empty_message, Says("view.check.empty"));
  window.drop_wrong_base();
  EXPECT_TRUE(window.app->messages.empty());
  EXPECT_EQ(window.readout("check.verdict"), disagrees("base"));
  EXPECT_TRUE(window.gui.shows("plot.profile"));
  EXPECT_TRUE(window.gui.shows("card.check.cause.base"));
  save_npy(window.dumps.path / "mystery.npy", {4, 8}, std::vector<double>(32, 0.5));
  window.drop("mystery.npy");
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, Says("error.check.name_of_tensor"));
  EXPECT_EQ(window.readout("check.verdict"), disagrees("base")) << "what was there stays";
}

TEST(CheckWindow, TwoDumpsAreDroppedOneAfterTheOther) {
  CheckWindow window;
  window.gui.play("click check.against.dump; settle");
  EXPECT_THAT(window.figure("map").empty_message, Says("view.check.empty_dump"));
  EXPECT_TRUE(window.gui.shows("check.against_cos"));
  window.drop_wrong_base();
  EXPECT_THAT(window.figure("map").empty_message, Says("view.check.role.against_cos"));
  fs::create_directory(window.dumps.path / "right");
  save_tables(window.dumps.path / "right", rope_tables(10'000, 8, 256));
  window.drop("right/cos.npy");
  window.drop("right/sin.npy");
  EXPECT_EQ(window.readout("check.verdict"), disagrees("base"));
  send_key(Key::r, true);
  window.settle();
  EXPECT_EQ(window.map_key(), "mine");
  send_key(Key::r, false);
  window.settle();
  save_tables(window.dumps.path / "right", rope_tables(20'000, 8, 256));
  window.gui.play("wait 1; settle");
  EXPECT_EQ(window.readout("check.verdict"), "Agrees") << "the other dump is looked at again, too";
}

TEST(CheckWindow, HoldingRFlips) {
  CheckWindow window;
  window.drop_wrong_base();
  const Experiment before = window.experiment();
  EXPECT_EQ(window.map_key(), "difference");
  send_key(Key::r, true);
  window.settle();
  EXPECT_EQ(window.map_key(), "mine");
  send_modifiers(false, true, false);
  window.settle();
  EXPECT_EQ(window.map_key(), "reference");
  send_modifiers(false, false, false);
  send_key(Key::r, false);
  window.settle();
  EXPECT_EQ(window.map_key(), "difference");
  EXPECT_EQ(window.experiment(), before) << "to look is no edit";
  window.gui.play("click check.show.mine; settle");
  send_key(Key::r, true);
  window.settle();
  EXPECT_EQ(window.map_key(), "reference");
  send_key(Key::r, false);
  window.settle();
  EXPECT_EQ(window.map_key(), "mine");
}

TEST(CheckWindow, TheCardsButtonAppliesACause) {
  CheckWindow window;
  window.drop_wrong_base();
  window.gui.play("click card.check.cause.base.action; settle");
  EXPECT_EQ(window.experiment().check.applied, "base");
  const auto& ys = window.figure("profile").lines.back().series->ys;
  EXPECT_LE(*std::max_element(ys.begin(), ys.end()), 1);
  window.gui.play("press ctrl+z; settle");
  EXPECT_TRUE(window.experiment().check.applied.empty()) << "one step of undo";
}

TEST(CheckWindow, APressedCauseSaysWhatToWriteAndCopiesIt) {
  CheckWindow window;
  window.drop_wrong_base();
  window.gui.play("click card.check.cause.base; settle");
  const std::string copy = "copy.check.cause.base.write.";
  ASSERT_TRUE(window.gui.shows(copy + "config"));
  window.gui.click(copy + "config");
  ASSERT_TRUE(window.app->requests.clipboard_text);
  EXPECT_THAT(*window.app->requests.clipboard_text, HasSubstr("rope_theta"));
  window.app->requests.clipboard_text.reset();
  window.gui.wheel("card.whole", -30);
  window.settle();
  window.gui.click(copy + "numpy");
  ASSERT_TRUE(window.app->requests.clipboard_text);
  EXPECT_THAT(*window.app->requests.clipboard_text, StartsWith("import numpy"));
  EXPECT_EQ(window.readout("check.cause.base.write.numpy"), *window.app->requests.clipboard_text);
}

TEST(CheckWindow, TheButtonOfTheReportCopiesTheWholeReference) {
  CheckWindow window;
  window.drop_wrong_base();
  window.gui.click("copy.figure.report");
  ASSERT_TRUE(window.app->requests.clipboard_text);
  EXPECT_EQ(*window.app->requests.clipboard_text, window.figure("report").copies);
  EXPECT_THAT(*window.app->requests.clipboard_text, StartsWith("import numpy"));
  EXPECT_EQ(window.experiment().check.token, 0) << "the plot under the button was not clicked";
}

TEST(CheckWindow, ADumpThatSaysItselfWhatItHoldsIsCheckedAtOnce) {
  CheckWindow window;
  const MadeTables tables = rope_tables(500, 8, 64);
  json header;
  header["__metadata__"] = {{"ropescope.options", R"({"dim": 16, "base": 500})"}};
  const std::string cosines = raw(tables.cosine, Storage::float32), sines = raw(tables.sine, Storage::float32);
  const std::size_t half = cosines.size();
  header["cos"] = {{"dtype", "F32"}, {"shape", {64, 8}}, {"data_offsets", {0, half}}};
  header["sin"] = {{"dtype", "F32"}, {"shape", {64, 8}}, {"data_offsets", {half, 2 * half}}};
  std::ofstream(window.dumps.path / "out.safetensors", std::ios::binary)
      << safetensors_file(header.dump(), cosines + sines);
  Experiment elsewhere;
  elsewhere.view = "decay";
  window.show(elsewhere);
  window.drop("out.safetensors");
  EXPECT_TRUE(window.app->messages.empty());
  EXPECT_EQ(window.experiment().view, "check");
  EXPECT_EQ(window.experiment().rope.base, 500);
  EXPECT_EQ(window.readout("check.verdict"), "Agrees");
}

TEST(CheckWindow, AFileThatChangesOnDiskIsReadAgain) {
  CheckWindow window;
  window.drop_wrong_base();
  save_tables(window.dumps.path, rope_tables(10'000, 8, 255));
  window.gui.play("wait 1; settle");
  EXPECT_EQ(window.readout("check.verdict"), "Agrees");
}

TEST(CheckWindow, WhatTakesLongIsComputedBesideTheWindow) {
  CheckWindow window(Store::Mode::asynchronous);
  save_tables(window.dumps.path, rope_tables(20'000, 8, 4096));
  open_path(*window.app, (window.dumps.path / "cos.npy").string());
  open_path(*window.app, (window.dumps.path / "sin.npy").string());
  window.gui.frames(1);
  EXPECT_TRUE(window.app->result.stale);
  ASSERT_TRUE(window.app->result.progress);
  EXPECT_TRUE(window.gui.shows("shell.progress"));
  EXPECT_THAT(window.app->result.status, HasSubstr("%"));
  window.settle();
  EXPECT_FALSE(window.app->result.stale);
  EXPECT_EQ(window.readout("check.verdict"), disagrees("base"));
  EXPECT_FALSE(window.gui.shows("shell.progress"));
}

TEST(CheckWindow, AModelForTheRopeStaysInTheCheck) {
  CheckWindow window;
  open_preset(*window.app, "gemma-3-4b-it");
  window.settle();
  EXPECT_EQ(window.experiment().view, "check") << "the rope is what the files are compared with";
  EXPECT_EQ(window.experiment().rope.model, "gemma-3-4b-it");
  Experiment experiment = window.experiment();
  experiment.check.against = CheckAgainst::layout;
  window.app->history.record(experiment, false);
  open_preset(*window.app, "gemma-3-4b-it");
  EXPECT_EQ(window.experiment().view, "decay") << "nothing of a layout would show the model";
}

TEST(CheckWindow, TheWindowClosesWhileItComputes) {
  CheckWindow window(Store::Mode::asynchronous);
  save_tables(window.dumps.path, rope_tables(20'000, 8, 65'536));
  open_path(*window.app, (window.dumps.path / "cos.npy").string());
  open_path(*window.app, (window.dumps.path / "sin.npy").string());
  window.gui.frames(1);
  window.app.reset();
  window.gui.draw = {};
}

}  // namespace
}  // namespace ropescope::ui
