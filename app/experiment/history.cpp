#include "app/experiment/history.h"

#include <utility>

namespace ropescope {

History::History(Experiment initial) {
  states_.push_back(std::move(initial));
}

void History::record(const Experiment& next, bool merge) {
  if (next == current()) {
    if (!merge) seal();
    return;
  }
  const bool replaces = merge && merging_;
  states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, states_.end());
  if (replaces) {
    states_[at_] = next;
    merging_ = true;
    // Dragged back to where it began: no step is left of it.
    if (at_ > 0 && states_[at_] == states_[at_ - 1]) {
      states_.pop_back();
      --at_;
      seal();
    }
    return;
  }
  states_.push_back(next);
  ++at_;
  if (states_.size() > kLimit) {
    states_.erase(states_.begin());
    --at_;
  }
  merging_ = merge;
}

void History::undo() {
  if (can_undo()) --at_;
  seal();
}

void History::redo() {
  if (can_redo()) ++at_;
  seal();
}

}  // namespace ropescope
