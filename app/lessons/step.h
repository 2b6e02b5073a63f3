#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweep.h"
#include "app/figure/figure.h"
#include "app/lessons/lesson.h"

namespace ropescope {

/// The laboratory as a step wants it: the defaults, then the settings of every step up to it, reserve or not. What
/// cannot be set is said and left as it was.
struct StepState {
  Experiment experiment;
  std::vector<LessonFault> faults;  ///< of the settings and sweeps of this step alone
};
StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets);
/// The states of all steps, one after another: every setting is made once, however many steps follow it.
class StepStates {
 public:
  /// Both must outlive it.
  StepStates(const Lesson& lesson, const std::filesystem::path& assets) : lesson_(lesson), assets_(assets) {}
  StepState next();

 private:
  const Lesson& lesson_;
  const std::filesystem::path& assets_;
  Experiment experiment_;
  std::size_t next_ = 0;
};

/// The experiment with the files that stand beside or below the lesson named from there, as the lesson itself does: for
/// what is handed on.
Experiment with_files_beside(const Lesson& lesson, Experiment experiment);
/// What is wrong with the files that a step names: missing, devices or pipes, a config that is none.
std::vector<LessonFault> file_faults_of(const Lesson& lesson, std::size_t step);

/// The knob that a sweep of a step moves; none where the experiment has no such number.
std::optional<Sweep> sweep_of(const LessonSweep& sweep, const Experiment& experiment);

/// The number of a readout of the shown view: of several its first. None where there is no such readout or it gives
/// none.
std::optional<double> number_of(const ViewResult& shown, std::string_view readout);

/// Words of a lesson with what is shown in place of each {name}; a readout that the view lacks is a dash.
std::string filled(std::string_view words, const ViewResult& shown);

/// Place of the choice whose condition holds now; none where no one's does, or several.
std::optional<std::size_t> right_choice(const LessonAsk& ask, const ViewResult& shown);
/// Whether every goal is reached.
bool reached(const LessonAsk& ask, const ViewResult& shown);
/// Names of the cards and figures that would tell the answer: those in `cover`, and the readouts of conditions.
std::vector<std::string> covered(const LessonAsk& ask);

/// Line of a figure of the view; null where there is none.
const Line* find_line(const ViewResult& shown, std::string_view figure, std::string_view key);

/// What the state of a step shows against what the step says of it: names that are not there, conditions of which not
/// just one holds.
std::vector<LessonFault> faults_of(const Lesson& lesson, std::size_t step, const StepState& state,
                                   const ViewResult& shown);

}  // namespace ropescope
