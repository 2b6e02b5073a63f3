#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"

namespace ropescope {

/// What `render` and `screenshot` share: which experiment to show.
struct ExperimentOptions {
  std::optional<std::string> view;  ///< what is shown, if that is said: a short key of --set then means its field
  std::optional<std::string> experiment;
  RopeOptions rope;
  std::vector<std::string> sets, facets;
};
/// Adds --experiment, ROPE, --axis, --set and --facet, and the list of all fields under --help.
void add_experiment_options(Arguments& arguments, ExperimentOptions& options);

/// The saved experiment or the defaults, then the rotary embedding that the options name, then every --set in its
/// order and every --facet. Throws InputError.
Experiment resolve_experiment(const ExperimentOptions& options);

}  // namespace ropescope
