// Properties of every registered view, in each of its pictures, for every profile of every preset.

#include <semaphore>

#include "app/experiment/rope_spec.h"
#include "app/figure/pages/page_canvas.h"
#include "app/resources/models.h"
#include "core/message.h"
#include "tests/figures/opened_files.h"
#include "tests/figures/view_parts.h"
#include "tests/sampled.h"

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
    for (const Line& line : panel.figure.lines) {
      const bool infinite = std::ranges::any_of(line.series->ys, [](double y) { return std::isinf(y); });
      EXPECT_FALSE(infinite) << panel.figure.name << ": " << line.key << "; what has no place on an axis is NaN";
    }
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

std::vector<std::string> collect_shown_words(const ViewResult& result) {
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
    EXPECT_EQ(collect_shown_words(draw_view(view, read, text, store)), collect_shown_words(first));
    EXPECT_EQ(store.started(), started) << "the same experiment was computed again";
  }
};

TEST_P(ViewLaws, HoldForEveryPresetInEveryPicture) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  struct Named {
    const Preset* preset;
    const Profile* profile;
  };
  const std::vector<Preset> presets = load_presets(kAssets);
  std::vector<Named> profiles;
  for (const Preset& preset : presets) {
    for (const Profile& profile : preset.profiles) profiles.push_back({&preset, &profile});
  }
  const std::vector<std::string> pictures = pictures_of(view, experiment);
  Sample sample("pictures of views × profiles of presets", 16);
  // Views with one picture each take different profiles.
  const auto first =
      5 * static_cast<std::size_t>(std::find(all_views().begin(), all_views().end(), &view) - all_views().begin());
  for (std::size_t row = 0; row < pictures.size(); ++row) {
    for (const auto& [preset, profile] : sample.of(first + row, profiles)) {
      SCOPED_TRACE(preset->id + " " + profile->name + " " + pictures[row]);
      experiment.rope = to_rope_fields(*profile, preset->name);
      choose_picture(view, experiment, pictures[row]);
      hold_for(experiment);
      if (HasFailure()) return;
    }
  }
}

TEST_P(ViewLaws, EachAxisIsZoomedByItsField) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  for (const std::string& picture : pictures_of(view, experiment)) {
    SCOPED_TRACE(picture);
    choose_picture(view, experiment, picture);
    Experiment zoomed = experiment;
    std::map<std::string, Range> ranges;
    for (const Panel& panel : draw_view(view, experiment, text, store).panels) {
      for (const FigureAxis* axis : {&panel.figure.x, &panel.figure.y}) {
        if (axis->range_key.empty() || !panel.figure.empty_message.empty()) continue;
        auto field = find_field(zoomed, axis->range_key);
        ASSERT_TRUE(field && field->kind == Field::Kind::range) << axis->range_key << " is not declared";
        const double low = axis->fit.low, length = axis->fit.high - low;
        const auto [at, added] = ranges.try_emplace(axis->range_key, Range{low + 0.3 * length, low + 0.6 * length});
        field->as<std::optional<Range>>() = at->second;
      }
    }
    std::set<std::string> keys, zooms;
    for (const auto& [key, range] : ranges) keys.insert(key);
    for (const Panel& panel : draw_view(view, zoomed, text, store).panels) {
      for (const FigureAxis* axis : {&panel.figure.x, &panel.figure.y}) {
        const auto range = ranges.find(axis->range_key);
        if (range != ranges.end() && axis->range == range->second) zooms.insert(axis->range_key);
      }
    }
    EXPECT_EQ(zooms, keys);
  }
}

/// Where every text, line and rectangle stands.
std::vector<double> places_of(const Scene& scene) {
  std::vector<double> places;
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) places.insert(places.end(), {text->at.x, text->at.y});
    if (const auto* rect = std::get_if<RectItem>(&item)) places.insert(places.end(), {rect->rect.left, rect->rect.top});
    if (const auto* path = std::get_if<PathItem>(&item)) {
      for (const Vec2& point : path->points) places.insert(places.end(), {point.x, point.y});
    }
  }
  return places;
}

TEST_P(ViewLaws, AreLaidOutAlikeInEveryFileOfOneSize) {
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  const Text drawn = Text::load(kAssets, "en", Text::FormulaForm::drawn);
  const ViewResult result = draw_view(view, experiment, drawn, store);
  for (const bool millimetres : {true, false}) {
    const PageSize size = millimetres ? PageSize{85, 60, true} : PageSize{800, 600, false};
    const auto laid_out = [&](PageFormat format) {
      const PageCanvas canvas(format, size, {"en", result.font, result.formulas, palette(ThemeName::light)});
      FigureOptions options;
      options.text_size = canvas.width() / 32;
      Scene scene;
      add_view(scene, result, {{0, 0, canvas.width(), canvas.height()}, palette(ThemeName::light), options},
               canvas.measure());
      return places_of(scene);
    };
    EXPECT_EQ(laid_out(PageFormat::svg), laid_out(PageFormat::pdf)) << size.width;
  }
}

TEST(ChangedPresets, SayThatTheyAre) {
  const Text text = Text::load(kAssets);
  for (const Preset& preset : load_presets(kAssets)) {
    for (const Profile& profile : preset.profiles) {
      Experiment experiment;
      experiment.rope = to_rope_fields(profile, preset.name);
      experiment.rope.model = preset.id;
      clamp(experiment);
      const RopeFields as_given = experiment_from_json(experiment_to_json(experiment), "saved").rope;
      EXPECT_FALSE(is_changed(as_given)) << preset.id << " " << profile.name;
      EXPECT_EQ(rope_name(as_given, text), preset.name);
      RopeFields other = as_given;
      other.trained_length = 1234;
      EXPECT_TRUE(is_changed(other)) << preset.id << " " << profile.name;
    }
  }
  Experiment experiment;
  experiment.rope = load_preset_rope("llama-3.1-8b");
  experiment.rope.base = 20000;
  EXPECT_EQ(rope_label(experiment.rope, text, false), "Llama 3.1 8B, changed: base 20\u202f000");
  experiment.view = "decay";
  Store store(Store::Mode::synchronous);
  const ViewResult shown = draw_view(find_view("decay"), experiment, text, store);
  EXPECT_THAT(shown.panels.at(0).figure.lines.at(0).origin, StartsWith("Llama 3.1 8B, changed; base 20000"));
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

/// A first job for the worker.
int first_job(const int& key, const Work&) {
  return key;
}

/// Lets a store's worker finish one computation at a time: it is held after each until it is let on, or until this
/// ends.
class StepwiseWorker {
 public:
  explicit StepwiseWorker(Store& store) {
    store.on_finished([state = state_] {
      state->finished.release();
      if (!state->over) state->go.acquire();
    });
  }
  ~StepwiseWorker() {
    state_->over = true;
    state_->go.release();
  }
  StepwiseWorker(const StepwiseWorker&) = delete;
  StepwiseWorker& operator=(const StepwiseWorker&) = delete;
  void await() { state_->finished.acquire(); }
  void let_on() { state_->go.release(); }

 private:
  struct State {
    std::counting_semaphore<> finished{0}, go{0};
    std::atomic<bool> over = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST_P(ViewLaws, WhatIsStillComputedIsSaidToBeStale) {
  // The worker is held while the view is drawn: each pass sees the same, whatever the scheduler does.
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  Store slow{Store::Mode::asynchronous, 1};
  StepwiseWorker worker(slow);
  slow.begin_pass();
  slow.request<first_job>({.slot = "first", .cost = 2 * kOnTheSpot}, 0);
  slow.end_pass();
  bool more = true;
  for (int pass = 0; more && pass < 1000; ++pass) {
    worker.await();
    slow.begin_pass();
    const ViewResult result = draw_view(view, experiment, text, slow);
    slow.end_pass();
    more = slow.busy();
    EXPECT_TRUE(result.stale || !more) << "pass " << pass << " leaves something out and does not say so";
    worker.let_on();
  }
  EXPECT_FALSE(more);
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
  const std::set<std::string_view> others = {"layout", "similarity", "check", "weights", "reported", "race"};
  EXPECT_EQ(result.fault.empty(), others.contains(view.id)) << "of what is wrong no file may be made";
  if (!result.fault.empty()) EXPECT_EQ(result.panels.front().figure.empty_message, result.fault);
}

INSTANTIATE_TEST_SUITE_P(Views, ViewLaws, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

}  // namespace
}  // namespace ropescope
