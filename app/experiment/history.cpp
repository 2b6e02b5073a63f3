#include "app/experiment/history.h"

#include <utility>

namespace ropescope {

namespace {

bool differ_in_view_alone(const Experiment& before, const Experiment& next) {
  if (before.view == next.view) return false;
  Experiment same = next;
  same.view = before.view;
  return same == before;
}

}  // namespace

History::History(Experiment initial) {
  const std::string view = initial.view;
  states_.push_back({std::move(initial), view});
}

void History::record(const Experiment& next, bool merge) {
  if (next == current()) {
    if (!merge) seal();
    return;
  }
  if (differ_in_view_alone(current(), next)) {
    amend(next);
    seal();
    return;
  }
  const bool replaces = merge && merging_;
  states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, states_.end());
  if (replaces) {
    states_[at_] = {next, next.view};
    merging_ = true;
    // Dragged back to where it began: no step is left of it.
    if (at_ > 0 && current() == states_[at_ - 1].experiment) {
      states_.pop_back();
      --at_;
      seal();
    }
    return;
  }
  states_.push_back({next, next.view});
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
  seal();
  if (!can_redo()) return;
  ++at_;
  // Looked at since in another view: what is done again is seen where it was done.
  states_[at_].experiment.view = states_[at_].view;
}

}  // namespace ropescope
