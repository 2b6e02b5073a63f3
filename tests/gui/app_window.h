#pragma once

#include "app/ui/app.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/ui/state.h"
#include "tests/gui/harness.h"
#include "tests/places.h"

namespace ropescope::ui {

/// The whole window without a window. State lives in a folder of its own that goes with it.
struct AppWindow {
  /// `assets`: others than those of the checkout.
  explicit AppWindow(double width = 1600, double height = 1000, Store::Mode mode = Store::Mode::synchronous,
                     bool fresh_state = true, const fs::path& assets = {})
      : gui(static_cast<float>(width), static_cast<float>(height)), folder(state_folder()) {
    if (fresh_state) fs::remove_all(folder);
    fs::create_directories(folder);
    Places places = find_places();
    places.state = folder / "state";
    if (!assets.empty()) places.assets = assets;
    app = std::make_unique<App>(places, mode);
    app->ui.gpu = gui.gpu();
    app->settings.folder = folder.string();
    load_state(*app);
    apply_settings(*app, 1);
    gui.upload_fonts();
    gui.record = &app->record;
    gui.draw = [this] { draw_app(*app, gui.width, gui.height); };
    gui.steps["settle"] = [this](const std::string& count) { settle(count.empty() ? 1 : std::stoi(count)); };
    gui.frames(4);
  }

  /// Of this test in this build: two builds may be tested at the same time.
  static fs::path state_folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return fs::path(ropescope::state_folder()) / (std::string(test->test_suite_name()) + test->name());
  }

  const Experiment& experiment() const { return app->history.current(); }
  /// One step of undo, and frames until it is on screen.
  void show(const Experiment& experiment, int steps = 1) {
    app->history.record(experiment, false);
    app->history.end_merge();
    settle(steps);
  }
  /// A new window leaves it out.
  void show_bound() {
    Experiment experiment = app->history.current();
    experiment.decay.show_bound = true;
    show(experiment);
  }
  /// Frames until a file that is written beside the window is there, or its writing has been stopped.
  void finish_file_job() {
    while (app->file_job) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gui.frames(1);
    }
  }
  /// Draws frames until all results are computed and three frames in a row are equal: a popup is measured in a frame
  /// that does not show it. Results of one step may be needed by the next; `steps` bounds the frames.
  void settle(int steps = 1) {
    std::size_t before = gui.drawn();
    int equal = 0;
    for (int i = 0; i < 3 * (steps + 1) && equal < 3; ++i) {
      gui.frames(1);
      app->store.wait();
      const std::size_t drawn = gui.drawn();
      equal = std::exchange(before, drawn) == drawn && !app->result.stale ? equal + 1 : 0;
    }
  }
  /// Nobody touches anything for so long: the frames are drawn that the window would wake for, and no others.
  void rest(double seconds) {
    constexpr double kFrame = 1.0 / 60;
    for (double left = seconds;;) {
      // A sleep is never shorter than asked for, and mostly a little longer.
      const double due = std::max(seconds_to_frame(*app) + 0.001, kFrame);
      if (due > left) return;
      gui.frames(1, due);
      left -= due;
    }
  }
  const Figure& figure(const std::string& name) const {
    for (const Panel& panel : app->result.panels) {
      if (panel.figure.name == name) return panel.figure;
    }
    throw std::runtime_error("no figure \"" + name + "\" is shown");
  }
  std::string readout(const std::string& name) const {
    for (const Readout& readout : app->result.readouts) {
      if (readout.name == name) return readout.text;
    }
    return "missing";
  }

  Harness gui;
  fs::path folder;
  std::unique_ptr<App> app;
};

}  // namespace ropescope::ui
