// Files of figures that carry the experiment which they show, and experiments that are loaded from such files or from
// saved ones. core/formats/carried.h reads and writes what a file carries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// What a figure's file carries (carried.h): the experiment as JSON on one line, in ASCII. It holds the names of files
/// alone: nobody learns from a figure in which folders they lie.
std::string figure_text(const Experiment& experiment);

/// The experiment of a saved experiment or of a figure's file: PNG, SVG or PDF. Files that it names by their names
/// alone are looked for beside it. Throws InputError, also where a figure carries none.
Experiment load_experiment(const std::string& path);
/// The experiment that a figure's file carries; none where it carries none, or is something else.
std::optional<Experiment> experiment_of_figure(const std::string& path);
/// Whether a file is a PNG, an SVG or a PDF, with an experiment or without.
bool is_figure_file(const std::string& path);

/// A field that holds a file.
struct FileField {
  std::string key, path;
  std::string_view endings;  ///< ".npy .npz"
};
/// The fields that hold a file's name alone, which is not there: who restored a figure is asked for it.
std::vector<FileField> wanted_files(const Experiment& experiment);

}  // namespace ropescope
