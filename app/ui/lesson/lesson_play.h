// Playback of lessons in the window: steps, guesses, and writing of lectures. A step replaces the current experiment
// with its own; lesson_panel.cpp draws its words. Read lesson_state.h first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/lessons/lesson.h"
#include "app/ui/lesson/lesson_state.h"

namespace ropescope::ui {

struct App;

/// Loads the titles of all lessons, chapters and steps in the language of the window when first needed in it.
void load_lesson_titles(App& app);
/// When a step replaces the current experiment: at once, or when requested. A section of a chapter without settings
/// never does.
enum class Staging { now, on_request };
/// Opens a lesson or a chapter at its first step, at the named one, or where it was left. Errors are messages.
void open_lesson(App& app, const std::string& id_or_path, const std::string& step = {}, Staging staging = Staging::now);
/// Opens the handbook section of the current view next to the current figures.
void open_handbook(App& app);
/// Saves the progress of the lesson for the next session: a completed one restarts. Call it before the program ends or
/// another lesson opens.
void leave_lesson(App& app);
/// Closes the lesson and restores the experiment before it.
void close_lesson(App& app);
/// Enters a step: its numbers animate to their values, its sweeps run.
void go_to_step(App& app, std::size_t step, Staging staging = Staging::now);
/// Returns whether the current step has its own state.
bool has_state(const LessonPlay& play);
/// Moves forward or back by steps; in presentation mode first through the parts of the words, and past reserve steps
/// unless requested: back to the last part of the previous step. An open question stays: the second attempt skips it
/// and shows what it covers. At the last step, the second attempt opens the next lesson of the list.
void next_step(App& app, int by);
/// Returns the place of the current step among those that are shown: "3 / 6". Presentation mode omits the reserve steps
/// that it skips.
std::string step_place(const LessonPlay& play);
/// Returns whether a step is shown: presentation mode skips reserve steps unless they are requested.
bool is_shown(const LessonPlay& play, const LessonStep& step);
/// Returns the time spent on the lesson: "3:12 of 7 min", or "3:12" if the lesson gives no minutes.
std::string time_spent(const App& app);
/// Returns whether the frame just drawn differs from the one that a new step, part or answer settles to: glyphs,
/// results or a finer cut of its words are missing. The previous picture then stays on screen, for a limited time.
bool holds_lesson_picture(App& app, double seconds);
/// Returns the lesson whose step a link can name; null if there is none, or for a user's own lecture.
const LessonPlay* find_linked_lesson(const App& app);
/// Returns the link to what is shown: the step of a lesson, with the experiment if the user changed it, or only the
/// experiment; with kStudentLink for the student's view.
std::string link_here(const App& app, std::string_view address, bool student);
/// Returns the id of the next lesson in the list; empty after the last one, and for a user's own lecture.
std::string lesson_after(App& app);
/// Restarts from the first step, with the clock at zero.
void restart_lesson(App& app);
/// Restores the step's experiment after user edits.
void restore_step(App& app);
/// Advances animations and sweeps, checks the file for changes, and counts the time; called once per frame.
void play_lesson(App& app, double seconds);
/// Has the numbers of the next step computed while this one is on screen. Call it when this one needs nothing.
void prepare_next_step(App& app);
/// Stores the view's result, and covers what an open question must not show.
void cover_lesson(App& app);

/// Submit an answer: a choice; or the number, the drawing, or that a goal is reached.
void answer_choice(App& app, std::size_t choice);
void answer_question(App& app);
bool question_is_open(const App& app);
/// Returns the initial position of a number's slider: the middle, or a quarter away from it if the answer is within an
/// eighth of the slider from the middle.
double first_guess(const LessonAsk& ask, std::optional<double> answer);
/// Returns the mean distance of a drawn guess from the line, over the x of the guess.
double mean_distance(const LessonAnswer& answer, const Line& line);

/// Seconds in which the true curve is drawn over a guess.
inline constexpr double kGuessGrows = 1.2;

/// Adds a step with the current state to the open lecture.
void add_step_to_lecture(App& app);

/// Returns whether a choice was answered that can be held up: there are letters for six choices.
bool can_hold_up(const LessonPlay& play);
/// Draws the letter and the colour of the chosen answer over the window while it is held up; a press ends that.
void draw_held_answer(App& app, const Rect& screen);
/// Returns the letter of a choice: "A" for the first.
std::string letter_of(std::size_t choice);

// Parts of the frame.
/// Draws the lesson next to the figures, or the list of lessons.
void draw_lesson_panel(App& app, const Rect& rect, Experiment& edited);
/// Returns whether the panel replaces the list of views.
bool shows_lesson_panel(const App& app);
/// Returns the panels with the guess over the covered curve, and the true curve as far as it is drawn.
std::vector<Panel> add_guess_lines(std::vector<Panel> panels, const LessonPlay& play);
bool has_guess(const App& app);
/// Draws a guess while the left button is held over the figure, which is the item just submitted. Returns true if it
/// used the mouse.
bool react_to_guess(App& app, const Figure& figure, const FigureLayout& layout);

}  // namespace ropescope::ui
