// Paragraphs of lessons and chapters as HTML, for handouts (handout.h) and the site (site.cpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"

namespace ropescope {

/// Returns escaped text with its formulas as small inline SVG pictures on its baseline.
std::string html_of(std::string_view text, const Formulas* formulas);
/// Returns the words of a paragraph with their emphasis and code, without an element around them. `target` returns the
/// address for the link of some words; without it, or if it returns an empty one, the words are not a link.
std::string html_of(const LessonParagraph& paragraph, const Formulas* formulas,
                    const std::function<std::string(const std::string& link)>& target = {});

}  // namespace ropescope
