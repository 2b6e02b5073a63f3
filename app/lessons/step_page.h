// A step as every painter has it: what it says, as blocks, and its page of 16:9, by the same views and painters as
// elsewhere. handout.h prints whole lessons of them. Read lesson.h and app/figure/pages/page.h before.
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

/// A part of what a step says. Panel, room, page, PDF and HTML paint the same list, each in its own measures.
struct LessonBlock {
  enum class Kind { title, words, figure, question, choice, answer };  ///< figure: where it stands between the words
  Kind kind = Kind::words;
  LessonParagraph said = {};  ///< readouts filled in; of an answer the right choice or the number, and why
  std::size_t number = 0;     ///< of a choice, from 1
};
/// A step with these of its words, or with its notes in their place: title, words, figure; question, choices, answer.
std::vector<LessonBlock> blocks_of(const LessonStep& step, const std::vector<LessonParagraph>& words,
                                   const ViewResult& shown);

/// How a painter sets a paragraph, in its own unit: the size of the em, the room above it and at its left.
struct BlockLook {
  double size = 0, gap = 0, indent = 0;
  Colour colour = {};
  FontWeight weight = FontWeight::regular;
};
/// Words of a paragraph as they are set: emphasis semibold, code and the rest alike, or code in a colour of its own.
std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const BlockLook& look,
                                  std::optional<Colour> code = std::nullopt);

/// Sets paragraphs one under the other from the top of a room, in lines `spacing` times as high as their text.
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

inline constexpr double kPaperSpacing = 1.32;  ///< of lines on paper

/// Whether a page leaves its question open: a goal is printed as it is reached.
bool leaves_open(const LessonStep& step);

/// What a block says on a page: of a choice after a sign and its number.
LessonParagraph numbered(const LessonBlock& block, const std::string& sign = {});

/// What an open question must not show: its figures are left empty but for a word, its cards are gone, the curve that
/// is to be drawn is taken out of its figure.
void cover(ViewResult& shown, const LessonAsk& ask, const Text& text);

/// What a page of 16:9 says of a step: its words with the numbers of `whole`, the figures and cards as they are
/// `shown`; with the answer the question and what answers it.
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
  bool dots = false;    ///< the page has pixels
  double unit() const;  ///< a line of 720
};
/// The step as a page, its words beside the figures and the cards that it points to; as several where its words would
/// be smaller than 20 lines of 720 (`in_one`: they are).
std::vector<Scene> slides_of(const LessonSlide& page, const SlideLook& look, bool in_one = false);

/// A step as the room sees it before the question is answered, a goal as it is reached: its words beside the figure, as
/// the bytes of a file.
std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme);

}  // namespace ropescope
