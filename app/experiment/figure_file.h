// Files of figures and links that carry the experiment which they show, and experiments that are loaded from such files
// or from saved ones. core/formats/carried.h reads and writes what a file carries.
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

/// What links of the program itself begin with; others begin with an address of the web that ends with "#".
inline constexpr std::string_view kOwnAddress = "ropescope:";
/// The experiment as a link: the address, "1" for how the rest is written, and what --set would be given for each value
/// that is no default, "ropescope:1&view=decay&rope.base=100". What is no letter of ASCII, no digit and none of
/// -._~:,=/ is written as percent signs and hexadecimal digits. A link that would be long has "2&" and the same packed:
/// zlib's form (RFC 1950) in the letters of base64url (RFC 4648, section 5). Both are read by every later version. Like
/// figures, a link holds the names of files alone.
/// `arguments`: as set_arguments() gives them, of an experiment whose files have no folders (named_alone).
std::string link_of(const std::vector<std::string>& arguments, std::string_view address = kOwnAddress);
/// The experiment with the names of its files alone.
Experiment named_alone(Experiment experiment);
/// Whether a text begins as a link of the program, or as one of the web that holds an experiment behind its "#".
bool is_link(std::string_view text);

/// A link to a step of a lesson, which the page writes: "https://…/#lesson=08-decay/average", and if what the step
/// shows was changed the experiment after it, as other links have it: "lesson=08-decay/average&1&rope.base=100".
struct StepLink {
  std::string lesson, step;  ///< step: empty for the lesson alone
  std::string experiment;    ///< a link with kOwnAddress; empty if nothing was changed in the step
};
/// What comes after the address of such a link, before the name of the lesson.
inline constexpr std::string_view kLessonLink = "lesson=";
/// The step that a link names; nullopt for other links and texts, and for a lesson that is not among the assets by its
/// name: a link opens no file.
std::optional<StepLink> step_of_link(std::string_view text);
/// The local path of a URL "file:///…", and any other text as it is.
std::string path_of_url(const std::string& text);

/// The experiment of a saved experiment, of a figure's file (PNG, SVG or PDF) or of a link. Files that it names by
/// their names alone are looked for beside it. Throws InputError, also where a figure carries none.
Experiment load_experiment(const std::string& path);
/// The experiment that a figure's file or a link carries; none where it carries none, or is something else.
std::optional<Experiment> experiment_of_figure(const std::string& path);
/// Whether a file is a PNG, an SVG or a PDF, with an experiment or without, or a link.
bool is_figure_file(const std::string& path);

/// A field that holds a file.
struct FileField {
  std::string key, path;
  std::string_view endings;  ///< ".npy .npz"
};
/// The fields that hold a file's name alone, which is not there: who restored a figure is asked for it.
std::vector<FileField> wanted_files(const Experiment& experiment);

}  // namespace ropescope
