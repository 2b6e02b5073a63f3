#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// The --set arguments, unquoted, that turn the defaults into what the shown view reads of this experiment: its knobs,
/// the curves beside its own, and its notes.
std::vector<std::string> arguments_of(const Experiment& experiment);

/// A word of a command line, in quotes where a shell would cut or change it.
std::string shell_quoted(const std::string& word);

}  // namespace ropescope
