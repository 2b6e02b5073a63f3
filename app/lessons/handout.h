// Lessons on paper: PDF, HTML and slides. Every step is drawn as in presentation mode. Read step_page.h first.
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
template <>
inline constexpr std::string_view kWordsOf<Paper>[] = {"a4", "letter"};
enum class HandoutKind { pdf, slides, html };
template <>
inline constexpr std::string_view kWordsOf<HandoutKind>[] = {"pdf", "slides", "html"};
/// Parses "a4" or "letter". Throws InputError for anything else.
Paper parse_paper(const std::string& name);

struct HandoutOptions {
  Paper paper = Paper::a4;
  bool answers = false;   ///< includes covered content: at the end, in HTML below each question, in slides after it
  bool notes = false;     ///< lecturer's notes below the words of each step
  bool commands = false;  ///< below each figure the command that draws it, and on paper the QR code of its link
  std::string link = std::string(kOwnAddress);  ///< prefix of the links to experiments (figure_file.h)
  std::function<void(double fraction)> progress = {};
  std::stop_token stop = {};                           ///< if a stop is requested, no bytes are returned
  std::function<void(const LessonError&)> fault = {};  ///< called for each error in a step, which is drawn nevertheless
  std::function<void(double share)> page =
      {};  ///< called for each page of steps of a PDF: the filled share of its height
};

/// Returns lessons for print as PDF bytes in the light theme: contents, every step with its words, its figure as the
/// question leaves it and space for an answer, page numbers, an outline. A step is on one page if it fits; figures grow
/// to fill the page. Figures link to their experiments; commands name files relative to the lesson. Equal input gives
/// equal bytes. Throws InputError for a lesson without a step.
std::string handout_pdf(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                        Store& store, const HandoutOptions& options);

/// Returns lessons as one self-contained HTML file: the content of the PDF, with SVG inside, no script; the sweep of a
/// step is a loop of a few frames.
std::string handout_html(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                         Store& store, const HandoutOptions& options);

/// Returns lessons as slides: a PDF of 16:9 pages, one or more per step (slides_of). `loop` is called with a step's
/// sweep as a GIF and the name of its lesson and step, "08-decay-sweep".
std::string handout_slides(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                           Store& store, const HandoutOptions& options,
                           const std::function<void(const std::string& name, const std::string& gif)>& loop);

}  // namespace ropescope
