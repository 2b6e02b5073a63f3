// The pickers of the view Sweep: which number, over which field, from where to where. control_panel.h draws them in
// place of the texts that they write. Read app/experiment/sweeps.h first.
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

/// A field that has a control, and a sweep of it: "rope.base=1000..100000".
struct Sweepable {
  std::string key, over;
  bool number = true;
};
/// Returns the fields that a sweep of the view's cards can use, the most common ones first.
std::vector<Sweepable> fields_to_sweep(const View& view, const Experiment& experiment);

/// Returns a number's sweep with another count of values: "rope.base=1e3..1e7:50:log" with 9, or "rope.base=100,1000"
/// as "rope.base=100..1000:9"; unchanged if there is no such sweep.
std::string set_point_count(const std::string& sweep, std::size_t count, const Experiment& experiment);

/// Returns whether pickers set the field: "sweep.readout", "sweep.over" and "sweep.second".
bool has_sweep_list(std::string_view key);
/// Returns the key of the control that has the focus for a field: the lists of a sweep are named after what is chosen
/// from them.
std::string control_of_field(std::string_view key);
/// Draws the pickers for the text of such a key; returns true if one
/// changed it. A list of numbers and a text that cannot be parsed keep their text control.
bool draw_sweep_lists(App& app, std::string_view key, Experiment& edited);

}  // namespace ropescope::ui
