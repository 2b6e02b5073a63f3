// The lists of the view Sweep: the field that is swept and how many values it takes, beside the texts that say both.
// control_panel.h draws them under these texts. Read app/experiment/sweeps.h before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {
struct View;
}

namespace ropescope::ui {

struct App;

/// A field that has a control, and what a sweep of it takes: "rope.base=1000..100000".
struct Sweepable {
  std::string key, over;
  bool number = true;
};
/// The fields that a sweep of the view's cards can go over, those that most questions are about first.
std::vector<Sweepable> fields_to_sweep(const View& view, const Experiment& experiment);

/// A sweep of a number with another count of values: "rope.base=1e3..1e7:50:log" with 9, or "rope.base=100,1000" as
/// "rope.base=100..1000:9"; as it is where there is no such sweep.
std::string with_count(const std::string& sweep, std::size_t count, const Experiment& experiment);

/// Draws the lists that belong to the text of this key ("sweep.over" or "sweep.second"); true where one changed it.
bool draw_sweep_lists(App& app, std::string_view key, Experiment& edited);

}  // namespace ropescope::ui
