// Lessons on paper: PDF, HTML and slides. Every step is drawn as the room sees it. Read step_page.h before.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/lessons/lesson.h"
#include "app/lessons/step_page.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

// --- Handouts ------------------------------------------------------------------------------------------------------

enum class Paper { a4, letter };
/// "a4" or "letter". Throws InputError.
Paper parse_paper(const std::string& name);

struct HandoutOptions {
  Paper paper = Paper::a4;
  bool answers = false;  ///< with what the questions cover: at the end, in HTML below each question, of slides after it
  bool notes = false;    ///< the lecturer's, below the words of each step
  std::string link = std::string(kOwnAddress);  ///< what links to the experiments begin with (figure_file.h)
  std::function<void(double fraction)> progress = {};
  std::stop_token stop = {};                           ///< asked to stop, there are no bytes
  std::function<void(const LessonFault&)> fault = {};  ///< told what is wrong with a step; it is drawn all the same
};

/// Lessons to print, in the light theme: contents, every step with its words, its figure as the question leaves it and
/// room for an answer, page numbers, an outline; the line under a figure names the command that draws it, with files
/// named as they stand beside the lesson, and leads, like the code beside it, to the experiment. The bytes of a PDF,
/// the same for the same input. Throws InputError: a lesson without a step.
std::string handout_pdf(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                        Store& store, const HandoutOptions& options);

/// Lessons to read, as one self-contained HTML file: what a PDF of them holds, with SVG inside, no script; what a step
/// sweeps is a loop of a few frames.
std::string handout_html(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                         Store& store, const HandoutOptions& options);

/// Lessons to show, as a PDF of pages of 16:9, one for each step or more (slides_of). `loop` is given what a step
/// sweeps, as a GIF, with the name of its lesson and step, "08-decay-sweep".
std::string handout_slides(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                           Store& store, const HandoutOptions& options,
                           const std::function<void(const std::string& name, const std::string& gif)>& loop);

}  // namespace ropescope
