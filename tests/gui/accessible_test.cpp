// Controls for screen readers: everything that the panel draws is among them, and setting one sets the experiment.

#include "app/ui/accessible.h"

#include "app/experiment/fields.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/views/view.h"
#include "tests/gui/app_window.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {
namespace {

using Kind = AccessibleControl::Kind;

const AccessibleControl* find_control(const std::vector<AccessibleControl>& list, const std::string& key) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.key == key; });
  return found == list.end() ? nullptr : &*found;
}

TEST(Accessible, EveryDrawnControlOfEveryViewIsListed) {
  AppWindow window;
  for (const View* view : all_views()) {
    Experiment experiment = window.experiment();
    experiment.view = view->id;
    window.app->history.record(experiment, false);
    const std::vector<AccessibleControl> list = list_accessible(*window.app);
    std::set<std::string> keys;
    for (const AccessibleControl& control : list) {
      if (control.kind == Kind::heading) continue;
      EXPECT_TRUE(keys.insert(control.key).second) << control.key << " twice";
      EXPECT_FALSE(control.label.empty()) << control.key;
      EXPECT_TRUE(control.set) << control.key;
      if (control.kind == Kind::range) {
        EXPECT_GE(control.steps, 1) << control.key;
        EXPECT_GE(control.position, 0) << control.key;
        EXPECT_LE(control.position, control.steps) << control.key;
      }
    }
    Experiment shown = window.experiment();
    for (const Field& field : panel_fields(*view, shown)) {
      if (!field.control || !field.has_value() || field.kind == Field::Kind::range) continue;
      const std::string key(field.key);
      const auto has = [&](const std::string& wanted) { return keys.contains(wanted); };
      if (field.kind == Field::Kind::names) {
        for (const std::string& option : field.options) EXPECT_TRUE(has(key + "." + option)) << key << option;
      } else {
        EXPECT_TRUE(has(key)) << view->id << ": " << key;
      }
    }
  }
}

TEST(Accessible, SettingAControlSetsTheExperiment) {
  AppWindow window;
  App& app = *window.app;
  const auto value = [&](const std::string& key) {
    const std::vector<AccessibleControl> list = list_accessible(app);
    const AccessibleControl* control = find_control(list, key);
    return control ? control->value : "missing";
  };
  const double before = window.experiment().rope.base;
  ASSERT_TRUE(set_accessible(app, "rope.base", "100"));
  EXPECT_GT(window.experiment().rope.base, before);
  app.history.undo();
  EXPECT_EQ(window.experiment().rope.base, before) << "one step of undo";
  // Any number can be set exactly, also as "500k".
  ASSERT_TRUE(set_accessible(app, "rope.base.value", "500k"));
  EXPECT_EQ(window.experiment().rope.base, 500000);
  EXPECT_EQ(value("rope.base.value"), "500000");
  set_accessible(app, "rope.base.value", "nonsense");
  EXPECT_EQ(window.experiment().rope.base, 500000);
  ASSERT_TRUE(set_accessible(app, "decay.distance_axis", "linear"));
  EXPECT_EQ(window.experiment().decay.distance_axis, AxisScale::linear);
  EXPECT_EQ(value("decay.distance_axis"), "linear");
  set_accessible(app, "decay.distance_axis", "nonsense");
  EXPECT_EQ(window.experiment().decay.distance_axis, AxisScale::linear);
  ASSERT_TRUE(set_accessible(app, "view", "limits"));
  EXPECT_EQ(window.experiment().view, "limits");
  ASSERT_TRUE(set_accessible(app, "model", "gemma-3-4b-it"));
  window.settle();
  EXPECT_EQ(window.experiment().rope.model, "gemma-3-4b-it");
  EXPECT_FALSE(set_accessible(app, "no.such", "1"));
}

/// A position that is read is the position that is written, at every slider of every view.
TEST(Accessible, AReadPositionIsAWrittenOne) {
  AppWindow window;
  int read = 0, same = 0;
  for (const View* view : all_views()) {
    Experiment experiment = window.experiment();
    experiment.view = view->id;
    window.app->history.record(experiment, false);
    for (const AccessibleControl& control : list_accessible(*window.app)) {
      if (control.kind != Kind::range) continue;
      for (const double share : {0.0, 0.3, 1.0}) {
        const double to = std::round(share * control.steps);
        window.app->history.record(experiment, false);
        ASSERT_TRUE(set_accessible(*window.app, control.key, std::to_string(to)));
        const std::vector<AccessibleControl> now = list_accessible(*window.app);
        const AccessibleControl* again = find_control(now, control.key);
        // Some values are settled to what others allow, and small integers have few positions on a logarithmic slider.
        if (again && again->steps == control.steps) {
          EXPECT_NEAR(again->position, to, 0.03 * control.steps + 1) << view->id << ": " << control.key;
          ++read;
          same += again->position == to ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(same, 0.9 * read) << same << " of " << read;
}

TEST(Accessible, AFileIsNamedAndSavingNeedsNoDialog) {
  const TemporaryFolder folder;
  AppWindow window;
  App& app = *window.app;
  Experiment experiment = window.experiment();
  experiment.rope.model.clear();
  experiment.rope.label = "mine.json";
  app.history.record(experiment, false);
  const std::vector<AccessibleControl> list = list_accessible(app);
  const AccessibleControl* const model = find_control(list, "model");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->options.front().label, "mine.json");
  app.settings.folder = folder.path.string();
  ASSERT_TRUE(set_accessible(app, "shell.save.csv.similarity", ""));
  EXPECT_TRUE(fs::exists(folder.path / "similarity.csv"));
  EXPECT_EQ(app.dialog.kind, DialogKind::none);
  EXPECT_THAT(announcement(app), HasSubstr("similarity.csv"));
  ASSERT_TRUE(set_accessible(app, "shell.save.csv.similarity", ""));
  EXPECT_TRUE(fs::exists(folder.path / "similarity-1.csv"));
  ASSERT_TRUE(set_accessible(app, "chip.pin", ""));
  EXPECT_EQ(window.experiment().pins.size(), experiment.pins.size() + 1);
  ASSERT_TRUE(set_accessible(app, "shell.text_size", "10"));
  EXPECT_EQ(app.settings.text_scale, 150);
}

/// Only what a student sees, and the letter of the answer is announced.
TEST(Accessible, AStudentHasAQuestionAndOneControl) {
  AppWindow window;
  App& app = *window.app;
  open_lesson(app, "08-decay", "hundred");
  app.student = true;
  window.settle(2);
  const std::vector<AccessibleControl> list = list_accessible(app);
  for (const char* key : {"view", "model", "lessons", "lesson.close"}) EXPECT_FALSE(find_control(list, key)) << key;
  ASSERT_TRUE(find_control(list, "lesson.choice.2"));
  EXPECT_THAT(find_control(list, "lesson.choice.2")->label, StartsWith("B: "));
  EXPECT_FALSE(find_control(list, "lesson.hold_up"));
  ASSERT_TRUE(set_accessible(app, "lesson.choice.2", ""));
  EXPECT_THAT(announcement(app), StartsWith("B. "));
  ASSERT_TRUE(set_accessible(app, "lesson.hold_up", ""));
  EXPECT_TRUE(app.lesson->answer.held_up);
  ASSERT_TRUE(set_accessible(app, "lesson.held_up", ""));
  EXPECT_FALSE(app.lesson->answer.held_up);
  ASSERT_TRUE(set_accessible(app, "shell.whole", ""));
  EXPECT_FALSE(app.student);
}

TEST(Accessible, AQuestionIsAnsweredAndAnnounced) {
  AppWindow window;
  App& app = *window.app;
  open_lesson(app, "08-decay", "hundred");
  window.settle(2);
  EXPECT_EQ(announcement(app), "");
  ASSERT_TRUE(find_control(list_accessible(app), "lesson.choice.1"));
  ASSERT_TRUE(set_accessible(app, "lesson.choice.1", "1"));
  EXPECT_TRUE(app.lesson->answer.given);
  EXPECT_THAT(announcement(app), HasSubstr(app.text["lesson.answer"]));
  EXPECT_FALSE(set_accessible(app, "lesson.choice.2", "1")) << "a second answer";
  const std::size_t step = app.lesson->step;
  ASSERT_TRUE(set_accessible(app, "lesson.next", ""));
  EXPECT_EQ(app.lesson->step, step + 1);
  app.messages.push_back({"something is wrong"});
  EXPECT_THAT(announcement(app), HasSubstr("something is wrong"));
}

/// Folded controls are shown for the focus, and folded again by the button; the setting stays.
TEST(Accessible, TheFocusShowsFoldedControls) {
  AppWindow window;
  window.app->settings.controls_open = false;
  window.settle();
  ASSERT_FALSE(window.gui.shows("rope.base"));
  focus_accessible(*window.app, "rope.base");
  window.settle();
  EXPECT_TRUE(window.gui.shows("rope.base"));
  EXPECT_FALSE(window.app->settings.controls_open);
  window.gui.click("shell.fold");
  EXPECT_FALSE(window.gui.shows("rope.base"));
  EXPECT_FALSE(window.app->settings.controls_open);
}

TEST(Accessible, TheFocusIsOnTheDrawnControlToo) {
  AppWindow window(390, 844);
  ASSERT_FALSE(window.gui.shows("rope.base"));
  const bool open = window.app->settings.controls_open;
  focus_accessible(*window.app, "nothing.like.this");
  EXPECT_TRUE(window.app->ui.state.focus_key.empty());
  focus_accessible(*window.app, "rope.base.value");
  window.settle();
  EXPECT_EQ(window.app->settings.controls_open, open) << "focus alone changes no setting";
  ASSERT_TRUE(window.gui.shows("rope.base"));
  const double before = window.experiment().rope.base;
  window.gui.press(Key::right);
  EXPECT_GT(window.experiment().rope.base, before) << "an arrow key moves the focused control";
}

}  // namespace
}  // namespace ropescope::ui
