// Playback of lessons in the window: steps, guesses, and writing of lectures. A step replaces the current experiment
// with its own; lesson_panel.cpp draws its words. Read app/lessons/lesson.h first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/figure/scene/scene.h"
#include "app/lessons/lesson.h"
#include "app/resources/files.h"

namespace ropescope::ui {

struct App;

/// The user's answer to a question, and its visible state before submission.
struct LessonAnswer {
  bool given = false;          ///< or skipped: nothing is covered any more
  bool skipped = false;        ///< uncovered without an answer
  std::size_t choice = 0;      ///< for `choice`
  double guess = 0;            ///< for `number`
  std::string typed;           ///< for `number`: the digits typed so far
  bool placed = false;         ///< for `number`: the slider was moved, or placed away from the answer
  std::vector<double> xs, ys;  ///< for `draw`: the guess, in data coordinates, x ascending
  bool drawing = false;        ///< the button is held
  double last = 0;             ///< x of the previous point
  double since = 0;            ///< seconds since the answer: the true curve is drawn progressively over a guess
  bool held_up = false;        ///< for `choice`: shown as a large letter in a colour, for a lecturer who counts
};

/// An entry in the list of lessons, or in the list of chapters.
struct LessonTitle {
  std::string id, title;
  double minutes = 0;
  struct Step {
    std::string name, title;
    std::string view;  ///< the view that it requires, or empty
  };
  std::vector<Step> steps;
  bool chapter = false;
  /// Returns "8  The shape of decay" for the lesson "08-shape"; for a chapter only the title.
  std::string numbered() const { return chapter ? title : numbered_title(id, title); }
};

/// A running sweep of the step.
struct RunningSweep {
  Variation sweep;
  double seconds = 1, at = 0;
};

/// How the words of a step are split in presentation mode: at most this many at a time, fewer if they would not fit.
inline constexpr std::size_t kMaxPresentationWords = 60;
struct PresentationCut {
  std::size_t words = kMaxPresentationWords;
  bool question_apart = false;  ///< the question comes after the last words
  bool bare = false;            ///< no controls next to the question, or next to the words of a step without one
  bool brief = false;           ///< after the answer: only the given and the right answer
  bool small_question = false;  ///< after the answer: the title and the question in small type
  bool small_answer = false;    ///< after the answer: its words, too
  bool no_choices = false;      ///< after the answer: without the choices
  bool operator==(const PresentationCut&) const = default;
};

/// The state of the current lesson.
struct LessonPlay {
  std::string source, language;  ///< id or path, and the language of its text
  Lesson lesson;
  std::string fault;     ///< the first error in the lesson or the step, for the lecturer; empty: none
  FileStamp stamp;       ///< stamp of its file, when it was read
  double looked_at = 0;  ///< time of the last check of the file
  std::size_t step = 0;
  bool staged = false;  ///< a step has set its state; a chapter may not have done so yet
  Experiment before;    ///< the experiment before that
  Experiment state;     ///< the experiment of the step
  Experiment from;      ///< start of the animation of numbers
  double gliding = 0;   ///< remaining seconds of that animation
  std::vector<RunningSweep> sweeps;
  Experiment put;  ///< the last one set by the player: any other is a user edit, which stops it
  LessonAnswer answer;
  bool passing = false;        ///< next was pressed before the answer: pressing again skips it
  bool leaving = false;        ///< next was pressed at the end: pressing again opens the next lesson
  bool from_end = false;       ///< entered at its last part
  int fresh_frames = 0;        ///< frames until what was just entered has its final place
  double held = 0;             ///< seconds for which the previous picture has been kept on screen
  bool show_question = false;  ///< scrolls the question into view
  ViewResult whole;            ///< the complete view, nothing covered
  std::size_t part = 0;        ///< of the step's words, in presentation mode
  PresentationCut cut;
  std::optional<std::size_t> measured;  ///< the part being measured: all are, before the step is shown
  bool room = false, with_reserve = false, black = false;
  bool code = false;                     ///< the link to the view is shown as a QR code for phones
  bool lecturer = false;                 ///< the lecturer's window is open
  std::optional<std::size_t> agenda;     ///< the selected step while the agenda is open
  double step_seconds = 0, seconds = 0;  ///< time on the step, and in total
  bool scroll_to_top = false;
  double scroll_by = 0;               ///< for a chapter, in heights of the panel
  bool at_top = true, at_end = true;  ///< the words are scrolled there
  bool turn_page = false;             ///< show the figure page that the step points to
  /// The step whose numbers are computed ahead and its experiment; whether they are in the store.
  std::optional<std::size_t> ahead;
  Experiment next;
  bool prepared = false;
};

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
/// Returns the time spent on the lesson: "3:12 of 7 min", or "3:12" if the lesson gives no minutes.
std::string time_spent(const App& app);
/// Moves through the open agenda; every key is its own.
bool handle_agenda_keys(App& app);
/// Draws the agenda over the window while it is open: the steps, the present one, and a jump to any of them.
void draw_agenda(App& app, const Rect& screen);
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

/// Handles the keys of presentation mode or of the panel; returns true if it used those of this frame.
bool handle_lesson_keys(App& app, bool panel_focused);
void toggle_presentation(App& app);
/// Scales the text of presentation mode with the window height: 24 px at 720 lines.
void fit_text_to_presentation(App& app, double height);
/// Draws the lecturer's window, in a separate ImGui context with the same fonts: notes, answer, next step, clock.
void draw_lecturer(App& app, double width, double height);
/// Returns whether a choice was answered that can be held up: there are letters for six choices.
bool can_hold_up(const LessonPlay& play);
/// Draws the letter and the colour of the chosen answer over the window while it is held up; a press ends that.
void draw_held_answer(App& app, const Rect& screen);
/// Returns the letter of a choice: "A" for the first.
std::string letter_of(std::size_t choice);
/// Draws only black, for speaking without a picture.
void draw_black(App& app, const Rect& screen);

// Parts of the frame.
/// Draws the lesson next to the figures, or the list of lessons.
void draw_lesson_panel(App& app, const Rect& rect, Experiment& edited);
/// Returns whether the panel replaces the list of views.
bool shows_lesson_panel(const App& app);
/// Draws the link to the view as a QR code into the corner of the figures.
void draw_lesson_code(App& app, const Rect& figures);
/// Highlights what the step points to.
void draw_lesson_light(App& app);
/// Returns the panels with the guess over the covered curve, and the true curve as far as it is drawn.
std::vector<Panel> add_guess_lines(std::vector<Panel> panels, const LessonPlay& play);
bool has_guess(const App& app);
/// Draws a guess while the left button is held over the figure, which is the item just submitted. Returns true if it
/// used the mouse.
bool react_to_guess(App& app, const Figure& figure, const FigureLayout& layout);

}  // namespace ropescope::ui
