// Steps for every painter: their content as blocks, and their 16:9 page, by the views and painters used for figures.
// handout.h prints whole lessons of them. Read lesson.h and app/figure/pages/page.h first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

// --- Blocks --------------------------------------------------------------------------------------------------------

/// A part of a step's content. Panel, presentation mode, page, PDF and HTML paint the same list in their own sizes.
struct LessonBlock {
  enum class Kind { title, words, figure, question, choice, answer };  ///< figure: its place between the words
  Kind kind = Kind::words;
  LessonParagraph said = {};  ///< readouts filled in; for an answer the right choice or the number, and the reason
  std::size_t number = 0;     ///< number of a choice, from 1
};
/// Returns a step's blocks with these words or notes: title, words, figure; question, choices, answer. The words after
/// a goal have the numbers of its solution, if given.
std::vector<LessonBlock> blocks_of(const LessonStep& step, const std::vector<LessonParagraph>& words,
                                   const ViewResult& shown, const ViewResult* solved = nullptr);

/// The style of a paragraph in the painter's unit: size of the em, space above and on the left.
struct BlockLook {
  double size = 0, gap = 0, indent = 0;
  Colour colour = {};
  FontWeight weight = FontWeight::regular;
};
/// Returns the words of a paragraph with their style: emphasis semibold, code like the rest or in its own colour.
std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const BlockLook& look,
                                  std::optional<Colour> code = std::nullopt);

/// Sets paragraphs one below the other from the top of an area, with line height `spacing` times that of their text.
struct LessonColumn {
  Rect room;
  double spacing = 1;
  const Formulas* formulas = nullptr;
  const MeasureText& measure;
  Scene scene = {};
  double bottom = room.top;
  void add(const LessonParagraph& said, const BlockLook& look);
};

// --- Pages ---------------------------------------------------------------------------------------------------------

inline constexpr double kPaperSpacing = 1.32;  ///< line spacing on paper

/// Returns the paragraph of a block on a page: a choice is preceded by a sign and its number.
LessonParagraph numbered(const LessonBlock& block, const std::string& sign = {});

/// Hides what an open question must not show: its figures are empty except for a word, its cards are removed, and of
/// the figure to draw in only the axes and the pinned curves are left.
void cover(ViewResult& shown, const LessonAsk& ask, const Text& text);

/// Content of a 16:9 page for a step: its words with the numbers of `whole`, the figures and cards as in `shown`; with
/// the answer also the question and its answer.
struct LessonSlide {
  const Lesson& lesson;
  const LessonStep& step;
  const ViewResult &whole, &shown;
  bool answered = false;
};
struct SlideLook {
  Vec2 size;
  const Palette& colours;
  MeasureText measure;
  bool dots = false;    ///< the page consists of pixels
  double unit() const;  ///< height of one of the 720 lines of a page
};
/// Returns a step as a page, its words next to the figures and cards that it points to; as several pages if its words
/// would be smaller than 20 lines of 720 (unless `in_one`).
std::vector<Scene> slides_of(const LessonSlide& page, const SlideLook& look, bool in_one = false);

/// Draws a step as in presentation mode before the answer, its words next to the figure; returns the file as bytes.
std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme);

}  // namespace ropescope
