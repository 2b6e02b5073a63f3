#pragma once

#include <vector>

#include "app/experiment/figure_file.h"

namespace ropescope {

/// The files that the shown view reads, that are known by their names alone and are not there: a figure that was
/// restored says no more of them.
std::vector<FileKnob> missing_files(const Experiment& experiment);

}  // namespace ropescope
