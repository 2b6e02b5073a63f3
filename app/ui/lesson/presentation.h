// Presentation mode of lessons: the words of a step in parts that fit, its keys, its agenda, and the lecturer's window.
// Read lesson_state.h first.
#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/lessons/lesson.h"
#include "app/ui/lesson/lesson_state.h"

namespace ropescope::ui {

struct App;

/// Returns the words of a step in the successive parts of presentation mode; without it they are one part.
std::vector<std::vector<LessonParagraph>> parts_of(const LessonStep& step, bool room, const PresentationCut& cut = {});
/// Returns the parts of the words of the current step.
std::vector<std::vector<LessonParagraph>> parts_of(const LessonPlay& play);
/// Sets the terms that the paragraphs of a part highlight in the colour of their marks in the figure, and omits those
/// that later paragraphs build.
void light_terms(std::vector<LessonParagraph>& part, const LessonPlay& play, const Formulas& formulas);
/// Returns the marks that the current part of presentation mode highlights.
std::vector<std::string> find_lit_marks(const LessonPlay& play);
/// Cuts the words again, part by part in frames that are not shown: all fit before the first one is seen.
void measure_parts(LessonPlay& play);
/// Splits the current part, which did not fit, more finely; returns false if it cannot be smaller.
bool cut_finer(LessonPlay& play);

void toggle_presentation(App& app);
/// Scales the text of presentation mode with the window height: 24 px at 720 lines.
void fit_text_to_presentation(App& app, double height);
/// Draws only black, for speaking without a picture.
void draw_black(App& app, const Rect& screen);
/// Draws the link to the view as a QR code into the corner of the figures.
void draw_lesson_code(App& app, const Rect& figures);
/// Highlights what the step points to.
void draw_lesson_light(App& app);
/// Draws the agenda over the window while it is open: the steps, the present one, and a jump to any of them.
void draw_agenda(App& app, const Rect& screen);
/// Handles the keys of presentation mode or of the panel; returns true if it used those of this frame.
bool handle_lesson_keys(App& app, bool panel_focused);
/// Draws the lecturer's window, in a separate ImGui context with the same fonts: notes, answer, next step, clock.
void draw_lecturer(App& app, double width, double height);

}  // namespace ropescope::ui
