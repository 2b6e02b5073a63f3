#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/lessons/step.h"
#include "app/resources/files.h"
#include "app/resources/model_folder.h"
#include "app/resources/models.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// More of them say nothing new.
constexpr std::size_t kMostFaultsOfStep = 100;

/// Calls `found` for the knobs that hold the path of a file.
class VisitFiles : public PartialFields {
 public:
  using Found = std::function<void(const TextField&, std::string&)>;
  explicit VisitFiles(Found found) : found_(std::move(found)) {}
  void text(const TextField& field, std::string& value) override {
    if (!field.endings.empty()) found_(field, value);
  }

 private:
  Found found_;
};

/// Whole keys of these knobs.
const std::set<std::string, std::less<>>& path_keys() {
  static const auto keys = [] {
    std::set<std::string, std::less<>> found;
    Experiment experiment;
    VisitFiles fields([&found](const TextField& field, std::string&) { found.emplace(field.key); });
    describe(fields, experiment);
    return found;
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

StepState StepStates::next() {
  const std::size_t step = next_++;
  StepState state;
  for (std::size_t i = 0; step < lesson_.steps.size() && i < lesson_.steps[step].set.size(); ++i) {
    const LessonSetting& setting = lesson_.steps[step].set[i];
    try {
      if (state.faults.size() == kMostFaultsOfStep) throw InputError(Words("lesson.fault.many_faults"));
      if (setting.key == "model") {
        show_preset(experiment_, setting.value, assets_);
      } else {
        assign(experiment_, setting.key + "=" + value_of(setting, path_keys(), lesson_.file));
      }
    } catch (const InputError& error) {
      state.faults.push_back({lesson_.file, setting.line, error.words()});
      if (state.faults.size() > kMostFaultsOfStep) break;
    }
  }
  state.experiment = experiment_;
  clamp(state.experiment);
  const auto views = all_views();
  const bool known =
      std::any_of(views.begin(), views.end(), [&](const View* view) { return view->id == state.experiment.view; });
  if (!known) {
    state.faults.push_back({lesson_.file, step < lesson_.steps.size() ? lesson_.steps[step].line : 1,
                            Words("lesson.fault.view", {{"view", state.experiment.view}})});
    state.experiment.view = Experiment().view;
  }
  if (step < lesson_.steps.size()) {
    for (const LessonSweep& sweep : lesson_.steps[step].sweeps) {
      check_sweep(sweep, state.experiment, lesson_.file, state.faults);
    }
  }
  return state;
}

StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets) {
  StepStates states(lesson, assets);
  for (std::size_t i = 0; i < step && i < lesson.steps.size(); ++i) states.next();
  return states.next();
}

Experiment with_files_beside(const Lesson& lesson, Experiment experiment) {
  const std::string folder = (std::filesystem::path(lesson.file).parent_path() / "").string();
  VisitFiles fields([&folder](const TextField&, std::string& path) {
    if (!folder.empty() && path.starts_with(folder)) path.erase(0, folder.size());
  });
  describe(fields, experiment);
  return experiment;
}

std::vector<LessonFault> file_faults_of(const Lesson& lesson, std::size_t step) {
  std::vector<LessonFault> faults;
  for (const LessonSetting& setting : lesson.steps[step].set) {
    if (setting.value.empty() || !path_keys().contains(setting.key)) continue;
    std::string path = value_of(setting, path_keys(), lesson.file);
    try {
      if (setting.key == "rope.config") {
        load_model_config(path);
      } else if (setting.key == "layout.config") {
        load_layout_config(path);
      } else if (!is_folder(path)) {
        // "table.npz:cos" is an array of a file.
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) path = path.substr(0, path.rfind(':'));
        os::Status status;
        open_regular(path, status);
      }
    } catch (const InputError& error) {
      faults.push_back({lesson.file, setting.line, error.words()});
    }
  }
  return faults;
}

}  // namespace ropescope
