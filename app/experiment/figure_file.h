// Figure files and links that contain their experiment, and loading of experiments from them or from saved ones.
// core/formats/embedded_text.h reads and writes the embedded text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// Returns the text embedded in a figure's file (embedded_text.h): the experiment as JSON on one line, in ASCII. It
/// contains file names without folders, so a figure does not reveal where files are.
std::string figure_text(const Experiment& experiment);

/// The prefix of the program's links; others begin with a web address that ends with "#".
inline constexpr std::string_view kOwnAddress = "ropescope:";
/// Returns the experiment as a link: the address, "1" for the encoding version, and the --set argument of each value
/// that is not a default, "ropescope:1&view=decay&rope.base=100". Characters other than ASCII letters, digits and
/// -._~:,=/ are percent-encoded. A long link has "2&" and is packed: zlib (RFC 1950) in base64url (RFC 4648, section
/// 5). Every later version reads both. Links contain file names without folders, as figures do.
/// `arguments`: as from set_arguments(), for an experiment whose files have no folders (strip_folders).
std::string link_of(const std::vector<std::string>& arguments, std::string_view address = kOwnAddress);
/// Returns the experiment with file names without folders.
Experiment strip_folders(Experiment experiment);
/// Returns whether a text begins like the program's link, or like a web link with an experiment after its "#".
bool is_link(std::string_view text);

/// A link to a step of a lesson, as on the web page: "https://…/#lesson=08-decay/average". If the user changed the
/// step's experiment, it follows as in other links: "lesson=08-decay/average&1&rope.base=100".
struct StepLink {
  std::string lesson, step;  ///< step: empty for the lesson as a whole
  std::string experiment;    ///< a link with kOwnAddress; empty if nothing was changed in the step
};
/// The part of a link, after its address or at its end, for a student's phone: one figure, one control and the
/// question.
inline constexpr std::string_view kStudentLink = "student=1";
/// Returns whether a link has that part; nothing else that reads links sees it.
bool is_student_link(std::string_view text);
/// The part between the address and the lesson's name.
inline constexpr std::string_view kLessonLink = "lesson=";
/// Returns the step that a link names; nullopt for other links and texts, and if the assets have no lesson of that
/// name: a link opens no file.
std::optional<StepLink> parse_step_link(std::string_view text);
/// Returns the local path of a URL "file:///…", and any other text unchanged.
std::string to_path(const std::string& text);

/// Loads a saved experiment, the experiment of a figure's file (PNG, SVG or PDF) or a link. File names without folders
/// are looked up next to it. Throws InputError, also if a figure contains no experiment.
Experiment load_experiment(const std::string& path);
/// Returns the experiment in a figure's file or a link; nullopt if there is none, or for other files.
std::optional<Experiment> read_figure_experiment(const std::string& path);
/// Returns whether a path is a PNG, SVG or PDF file, with or without an experiment, or a link.
bool is_figure_file(const std::string& path);

/// A field that contains a file name.
struct FileField {
  std::string key, path;
  std::string_view endings;  ///< ".npy .npz"
};
/// Returns the fields with a bare file name that does not exist; the window asks the user for these files.
std::vector<FileField> required_input_files(const Experiment& experiment);

}  // namespace ropescope
