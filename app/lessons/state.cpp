#include <algorithm>
#include <set>

#include "app/experiment/partial_fields.h"
#include "app/lessons/step.h"
#include "app/resources/models.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Whole keys of the knobs that hold the path of a file.
class PathKeys : public PartialFields {
 public:
  std::set<std::string, std::less<>> keys;
  void text(const TextField& field, std::string&) override {
    if (!field.endings.empty()) keys.emplace(field.key);
  }
};

const std::set<std::string, std::less<>>& path_keys() {
  static const auto keys = [] {
    Experiment experiment;
    PathKeys fields;
    describe(fields, experiment);
    return fields.keys;
  }();
  return keys;
}

void show_preset(Experiment& experiment, const std::string& id, const std::filesystem::path& assets) {
  const Preset preset = load_preset(assets, id);
  RopeKnobs rope = knobs_of(preset.profiles.front(), preset.name);
  rope.model = id;
  experiment.rope = rope;
  follow_opening(experiment);
}

/// A file beside the lesson is named as it stands there.
std::string value_of(const LessonSetting& setting, const std::set<std::string, std::less<>>& paths,
                     const std::string& lesson_file) {
  if (setting.value.empty() || !paths.contains(setting.key)) return setting.value;
  const std::filesystem::path path = setting.value;
  return path.is_absolute() ? setting.value : (std::filesystem::path(lesson_file).parent_path() / path).string();
}

/// The declaration of a number by its whole key.
class FindNumber : public PartialFields {
 public:
  explicit FindNumber(std::string_view key) : key_(key) {}
  std::optional<NumberField> found;
  void number(const NumberField& field, double&) override {
    if (field.key == key_) found = field;
  }

 private:
  std::string_view key_;
};

void check_sweep(const LessonSweep& written, const Experiment& experiment, const std::string& file,
                 std::vector<LessonFault>& faults) {
  const std::optional<Sweep> sweep = sweep_of(written, experiment);
  Words reason("lesson.fault.sweep_key", {{"key", written.key}});
  if (sweep) {
    FindNumber fields(sweep->key);
    Experiment looked_at = experiment;
    describe(fields, looked_at);
    if (fields.found && accepts(*fields.found, written.from) && accepts(*fields.found, written.to)) return;
    if (fields.found) {
      reason = Words("lesson.fault.sweep_range", {{"key", written.key}, {"expected", expectation(*fields.found)}});
    }
  }
  faults.push_back({file, written.line, reason});
}

}  // namespace

std::optional<Sweep> sweep_of(const LessonSweep& written, const Experiment& experiment) {
  Sweep sweep = slider_sweep(experiment, written.key);
  if (sweep.key.empty()) return std::nullopt;
  sweep.from = written.from;
  sweep.to = written.to;
  sweep.logarithmic = written.logarithmic && std::min(written.from, written.to) > 0;
  return sweep;
}

StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets) {
  StepState state;
  const auto& paths = path_keys();
  for (std::size_t i = 0; i <= step && i < lesson.steps.size(); ++i) {
    state.faults.clear();
    for (const LessonSetting& setting : lesson.steps[i].set) {
      try {
        if (setting.key == "model") {
          show_preset(state.experiment, setting.value, assets);
        } else {
          assign(state.experiment, setting.key + "=" + value_of(setting, paths, lesson.file));
        }
      } catch (const InputError& error) {
        state.faults.push_back({lesson.file, setting.line, error.words()});
      }
    }
  }
  clamp(state.experiment);
  const auto views = all_views();
  const bool known =
      std::any_of(views.begin(), views.end(), [&](const View* view) { return view->id == state.experiment.view; });
  if (!known) {
    state.faults.push_back({lesson.file, step < lesson.steps.size() ? lesson.steps[step].line : 1,
                            Words("lesson.fault.view", {{"view", state.experiment.view}})});
    state.experiment.view = Experiment().view;
  }
  if (step < lesson.steps.size()) {
    for (const LessonSweep& sweep : lesson.steps[step].sweeps) {
      check_sweep(sweep, state.experiment, lesson.file, state.faults);
    }
  }
  return state;
}

}  // namespace ropescope
