#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/figure/page.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// Words of a paragraph as they are set: filled with what is shown, emphasis semibold, code and the rest alike.
std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const ViewResult& shown, Colour colour);

/// What an open question must not show: its figures are left empty but for a word, its cards are gone, the curve that
/// is to be drawn is taken out of its figure.
void cover(ViewResult& shown, const LessonAsk& ask, const Text& text);

/// A step as the room sees it before the question is answered: its words beside the figure, as the bytes of a file.
std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme);

}  // namespace ropescope
