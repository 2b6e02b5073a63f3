// What holds for every view that is registered, on every profile of every preset, in each of its pictures.

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <string_view>

#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/resources/models.h"
#include "core/error.h"
#include "tests/figures/opened_files.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

void expect_filled(const std::string& words, const std::string& where) {
  EXPECT_EQ(words.find('{'), std::string::npos) << where << ": " << words;
}

void expect_axis(const FigureAxis& axis, const std::string& figure) {
  EXPECT_TRUE(std::isfinite(axis.range.low) && std::isfinite(axis.range.high)) << figure << " " << axis.name;
  EXPECT_LT(axis.range.low, axis.range.high) << figure << " " << axis.name;
  expect_filled(axis.label, figure);
}

void expect_sound(const ViewResult& result) {
  EXPECT_FALSE(result.panels.empty());
  EXPECT_FALSE(result.stale);
  expect_filled(result.status, "status");
  for (const Panel& panel : result.panels) {
    expect_axis(panel.figure.x, panel.figure.name);
    expect_axis(panel.figure.y, panel.figure.name);
    expect_filled(panel.figure.title, panel.figure.name);
    EXPECT_FALSE(panel.figure.stale);
  }
  for (const Readout& one : result.readouts) {
    // What is to be written into a config or a program: no words for people.
    if (one.name.find(".write.") != std::string::npos) {
      EXPECT_TRUE(one.aside && !one.text.empty()) << one.name;
      continue;
    }
    for (const std::string& words : {one.label, one.text, one.note, one.tooltip}) expect_filled(words, one.name);
    EXPECT_FALSE(one.label.empty() || one.text.empty() || one.tooltip.empty()) << one.name;
  }
}

std::vector<std::string> words_of(const ViewResult& result) {
  std::vector<std::string> words;
  for (const Readout& one : result.readouts) words.insert(words.end(), {one.name, one.text, one.note});
  for (const Panel& panel : result.panels) words.insert(words.end(), {panel.figure.name, panel.figure.title});
  return words;
}

class ViewLaws : public testing::TestWithParam<const View*> {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  const View& view = *GetParam();

  void hold_for(const Experiment& experiment) {
    const ViewResult first = draw_view(view, experiment, text, store);
    expect_sound(first);
    const auto started = store.started();
    const Experiment read = experiment_from_json(experiment_to_json(experiment), "saved");
    EXPECT_EQ(read, experiment);
    EXPECT_EQ(words_of(draw_view(view, read, text, store)), words_of(first));
    EXPECT_EQ(store.started(), started) << "the same experiment was computed again";
  }
};

TEST_P(ViewLaws, HoldForEveryPresetInEveryPicture) {
  Pictures pictures(view.id);
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  view.describe(pictures, experiment);
  if (pictures.names.empty()) pictures.names.emplace_back();
  // Where the largest bases end is a search of a second each: one profile in four stands for its kin there.
  const std::size_t step = view.id == "limits" ? 4 : 1;
  std::size_t number = 0;
  for (const Preset& preset : load_presets(kAssets)) {
    for (const Profile& profile : preset.profiles) {
      if (number++ % step != 0) continue;
      experiment.rope = knobs_of(profile, preset.name);
      for (const std::string& picture : pictures.names) {
        SCOPED_TRACE(preset.id + " " + profile.name + " " + picture);
        pictures.chosen = picture;
        view.describe(pictures, experiment);
        hold_for(experiment);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(ViewLaws, HoldForFiles) {
  const TemporaryFolder folder;
  for (const Experiment& experiment : experiments_with_files(std::string(view.id), folder.path)) {
    hold_for(experiment);
    const ViewResult result = draw_view(view, experiment, text, store);
    EXPECT_EQ(result.fault, "");
    EXPECT_FALSE(result.readouts.empty());
  }
}

TEST_P(ViewLaws, SayWhatIsWrongWithFiles) {
  const TemporaryFolder folder;
  for (const Experiment& experiment : experiments_with_faults(std::string(view.id), folder.path)) {
    const ViewResult result = draw_view(view, experiment, text, store);
    EXPECT_NE(result.panels.at(0).figure.empty_message, "");
    EXPECT_NE(result.fault, "");
    expect_filled(result.panels.at(0).figure.empty_message, "message");
  }
}

TEST_P(ViewLaws, SayWhatToDoWhereNothingIsShown) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  experiment.hidden = {"current"};
  const ViewResult result = draw_view(view, experiment, text, store);
  for (const Panel& panel : result.panels) {
    const Figure& figure = panel.figure;
    const bool has_marks = !figure.lines.empty() || !figure.maps.empty() || !figure.paths.empty() ||
                           !figure.boxes.empty() || !figure.labels.empty() || !figure.points.empty();
    EXPECT_TRUE(has_marks || !figure.empty_message.empty()) << figure.name;
  }
}

TEST_P(ViewLaws, AnErrorOfTheRopeIsAFault) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  experiment.rope.axes = "no axes";
  ASSERT_THROW(read_axes(experiment.rope), InputError);
  const ViewResult result = draw_view(view, experiment, text, store);
  ASSERT_FALSE(result.panels.empty());
  EXPECT_NE(result.panels.front().figure.name, "");
  // These are drawn without a rope, whatever it is.
  const std::set<std::string_view> others = {"layout", "similarity", "check", "reported", "race"};
  EXPECT_EQ(result.fault.empty(), others.contains(view.id)) << "of what is wrong no file may be made";
  if (!result.fault.empty()) EXPECT_EQ(result.panels.front().figure.empty_message, result.fault);
}

INSTANTIATE_TEST_SUITE_P(Views, ViewLaws, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

}  // namespace
}  // namespace ropescope
