#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// Undo is keeping the previous value. A drag is one step: values recorded while `merging` replace each other. To
/// switch views is none; undo and redo go to the view in which the step was made.
class History {
 public:
  explicit History(Experiment initial = {});
  const Experiment& current() const { return states_[at_].experiment; }
  /// Makes `next` the current value (no step if equal); redo steps beyond are dropped. With merge, and if the newest
  /// step was made with merge too, it replaces that step.
  void record(const Experiment& next, bool merge);
  /// The current value becomes `next` without a step: what plays by itself is nothing to undo.
  void amend(const Experiment& next) { states_[at_].experiment = next; }
  /// Ends a merge: the next record starts a new step.
  void seal() { merging_ = false; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  void undo();
  void redo();

 private:
  static constexpr std::size_t kLimit = 1000;
  struct State {
    Experiment experiment;
    std::string view;  ///< which one the step that led here showed
  };
  std::vector<State> states_;
  std::size_t at_ = 0;
  bool merging_ = false;
};

}  // namespace ropescope
