// Lessons on paper: pages, PDF and HTML. Every step is drawn as the room sees it, by the same views and painters as
// elsewhere. Read lesson.h and app/figure/page.h before.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/page.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

// --- Pages ---------------------------------------------------------------------------------------------------------

/// Words of a paragraph as they are set: filled with what is shown, emphasis semibold, code and the rest alike, or code
/// in a colour of its own.
std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const ViewResult& shown, Colour colour,
                                  std::optional<Colour> code = std::nullopt);

/// What an open question must not show: its figures are left empty but for a word, its cards are gone, the curve that
/// is to be drawn is taken out of its figure.
void cover(ViewResult& shown, const LessonAsk& ask, const Text& text);

/// A step as the room sees it before the question is answered: its words beside the figure, as the bytes of a file.
std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme);

// --- Handouts ------------------------------------------------------------------------------------------------------

enum class Paper { a4, letter };
/// "a4" or "letter". Throws InputError.
Paper parse_paper(const std::string& name);

struct HandoutOptions {
  Paper paper = Paper::a4;
  bool answers = false;  ///< at the end
  std::function<void(double fraction)> progress = {};
  std::stop_token stop = {};                           ///< asked to stop, there are no bytes
  std::function<void(const LessonFault&)> fault = {};  ///< told what is wrong with a step; it is drawn all the same
};

/// Lessons to print, in the light theme: contents, every step with its words, its figure as the question leaves it and
/// room for an answer, page numbers, an outline; the line under a figure names the command that draws it, and its link
/// holds the whole of it, with files named as they stand beside the lesson. The bytes of a PDF, the same for the same
/// input. Throws InputError: a lesson without a step.
std::string handout_pdf(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                        Store& store, const HandoutOptions& options);

/// Lessons to read, as one self-contained HTML file: what a PDF of them holds, with SVG inside, no script; what a step
/// sweeps is a loop of a few frames.
std::string handout_html(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                         Store& store, const HandoutOptions& options);

/// What a handout is called: its lesson, or how many they are.
std::string handout_title(const std::vector<Lesson>& lessons, const Text& text);
/// A step of a handout: what it shows, whole and as an open question leaves it, and the command that draws it.
struct HandoutStep {
  Experiment experiment;
  ViewResult whole, covered;
  std::string command;
};
/// `state`: the one of this step.
HandoutStep handout_step(const Lesson& lesson, std::size_t step, const StepState& state, const Text& text, Store& store,
                         const HandoutOptions& options);
/// Throws InputError for a lesson that has no step: it is none.
void require_steps(const std::vector<Lesson>& lessons);
/// What the answers say: the right choice or the number, and why.
std::string answer_words(const LessonAsk& ask, const ViewResult& shown);

}  // namespace ropescope
