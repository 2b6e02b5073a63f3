// A lesson that is played in the window: steps, guesses, what is written. A step puts its experiment in place of the
// shown one; lesson_panel.cpp draws its words. Read app/lessons/lesson.h before.
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

/// What somebody answered, and what there is to see meanwhile.
struct LessonAnswer {
  bool given = false;          ///< or skipped: nothing is covered any more
  bool skipped = false;        ///< it was uncovered without an answer
  std::size_t choice = 0;      ///< of `choice`
  double guess = 0;            ///< of `number`
  std::string typed;           ///< of `number`: its digits, as far as they were typed
  bool placed = false;         ///< of `number`: somebody moved the slider, or it was moved away from the answer
  std::vector<double> xs, ys;  ///< of `draw`: the guess, in data coordinates, x rising
  bool drawing = false;        ///< the button is held
  double last = 0;             ///< x of the point before
  double since = 0;            ///< seconds since it was given: the truth grows over a guess
};

/// A line of the list of lessons, or of the list of chapters.
struct LessonTitle {
  std::string id, title;
  double minutes = 0;
  struct Step {
    std::string name, title;
    std::string view;  ///< that it asks for, or none
  };
  std::vector<Step> steps;
  bool chapter = false;
  /// "8  The shape of decay" of the lesson "08-shape"; of a chapter the title alone.
  std::string numbered() const;
};

/// A sweep of the step on its way.
struct RunningSweep {
  Sweep sweep;
  double seconds = 1, at = 0;
};

/// How the words of a step are dealt to the room: at most so many at a time, fewer where they would not fit.
inline constexpr std::size_t kMostRoomWords = 60;
struct RoomCut {
  std::size_t words = kMostRoomWords;
  bool question_apart = false;  ///< the question follows the last words
  bool bare = false;            ///< controls stay away from the question
  bool brief = false;           ///< once answered: only what was chosen and what is right
  bool answer_alone = false;    ///< once answered: without the title and the question
  bool words_alone = false;     ///< once answered: nor the choices, so that there is room for the controls
  bool operator==(const RoomCut&) const = default;
};

/// A lesson that is played.
struct LessonPlay {
  std::string source, language;  ///< id or path, and the language it was read in
  Lesson lesson;
  FileStamp stamp;       ///< of its file, when it was read
  double looked_at = 0;  ///< time of the last look at it
  std::size_t step = 0;
  bool staged = false;  ///< a step has put its state; of a chapter perhaps none has yet
  Experiment before;    ///< what was shown before that
  Experiment state;     ///< as the step wants it
  Experiment from;      ///< where numbers glide from
  double gliding = 0;   ///< seconds left of it
  std::vector<RunningSweep> sweeps;
  Experiment put;  ///< what the player itself put last: anything else was somebody's hand, and it lets go
  LessonAnswer answer;
  bool passing = false;        ///< the way on was asked for before the question was answered: once more skips it
  bool show_question = false;  ///< then it is brought into sight
  ViewResult whole;            ///< what is shown, nothing covered
  std::size_t part = 0;        ///< of the step's words, in the room
  RoomCut cut;
  bool room = false, with_reserve = false, black = false;
  bool code = false;                     ///< the link of what is shown stands in the room as a code for telephones
  bool lecturer = false;                 ///< the lecturer's window is open
  double step_seconds = 0, seconds = 0;  ///< spent on the step, and in all
  bool scroll_to_top = false;
  double scroll_by = 0;               ///< of a chapter, in heights of the panel
  bool at_top = true, at_end = true;  ///< the words are scrolled there
  bool turn_page = false;             ///< the figures are to show the page that the step points to
};

/// Titles of all lessons, chapters and steps in the language of the window, read when they are first wanted in it.
void load_lesson_titles(App& app);
/// What a step does to what is shown: puts its state, or waits until it is asked to. A section of a chapter that sets
/// nothing never does.
enum class Staging { now, when_asked };
/// Shows a lesson or a chapter from its first step, from the named one, or where it was left. Errors are messages.
void open_lesson(App& app, const std::string& id_or_path, const std::string& step = {}, Staging staging = Staging::now);
/// Shows the section of the handbook that belongs to the present view, beside what is shown now.
void open_handbook(App& app);
/// Says for the next time how far the lesson came: one that was gone through to its end begins anew. Whoever ends the
/// program or opens another lesson says it first.
void leave_lesson(App& app);
/// Ends the lesson and goes back to what was shown before it.
void close_lesson(App& app);
/// Enters a step: its state glides in, its sweeps run.
void go_to_step(App& app, std::size_t step, Staging staging = Staging::now);
/// Whether the step that is shown has a state of its own.
bool has_state(const LessonPlay& play);
/// Goes on by steps, or back; in the room first through the parts of the words, and past reserve steps unless they are
/// asked for. An open question stays: asked once more, it is skipped, and what it covers is shown. After the last step
/// comes the next lesson of the list.
void next_step(App& app, int by);
/// The id of the lesson that follows in the list; nothing after the last one, and for a lecture of one's own.
std::string lesson_after(App& app);
/// From the first step, with the clock at zero.
void restart_lesson(App& app);
/// Shows again what the step wants, in place of what somebody made of it.
void restore_step(App& app);
/// Lets glides and sweeps go on, looks whether the file changed, and counts the time; called once a frame.
void play_lesson(App& app, double seconds);
/// Takes what the view shows, and covers what an open question must not show.
void cover_lesson(App& app);
/// The words of a step in the parts that the room gets one after the other; elsewhere they are one part.
std::vector<std::vector<LessonParagraph>> parts_of(const LessonStep& step, bool room, const RoomCut& cut = {});
/// The parts of the words of the step that is shown.
std::vector<std::vector<LessonParagraph>> parts_of(const LessonPlay& play);
/// Deals what did not fit anew, from where it began; false where it cannot be less at a time.
bool cut_finer(LessonPlay& play);

/// Gives an answer: which choice; or the number, what was drawn, or that a goal is reached.
void answer_choice(App& app, std::size_t choice);
void answer_question(App& app);
bool question_is_open(const App& app);
/// Where the slider of a number stands at first: in the middle, or a quarter away from it where the answer is nearer to
/// the middle than an eighth of the slider.
double first_guess(const LessonAsk& ask, std::optional<double> answer);
/// Mean distance of a drawn guess from the line, over the x of the guess.
double mean_distance(const LessonAnswer& answer, const Line& line);

/// Seconds in which the truth grows over a guess.
inline constexpr double kGuessGrows = 1.2;

/// Adds a step with the present state to the lecture that is open.
void add_step_to_lecture(App& app);

/// Handles the keys of the room or of the panel; true: those of this frame are the lesson's.
bool handle_lesson_keys(App& app, bool panel_focused);
void toggle_room(App& app);
/// Text in the room is as large as its window is high: 24 px at 720 lines.
void follow_room(App& app, double height);
/// The lecturer's own window, in an ImGui context of its own with the same fonts: notes, answer, next step, clock.
void draw_lecturer(App& app, double width, double height);
/// Draws nothing but black, for a word without a picture.
void draw_black(App& app, const Rect& screen);

// Parts of the frame.
/// The lesson beside the figures, or the list of lessons.
void draw_lesson_panel(App& app, const Rect& rect, Experiment& edited);
/// Whether the panel is shown in place of the list of views.
bool shows_lesson_panel(const App& app);
/// Draws the link of what is shown as a code into the corner of the figures.
void draw_lesson_code(App& app, const Rect& figures);
/// Draws what the step points to into the light.
void draw_lesson_light(App& app);
/// The panels with the guess over the covered curve, and the truth as far as it has grown.
std::vector<Panel> with_guess(std::vector<Panel> panels, const LessonPlay& play);
bool has_guess(const App& app);
/// Lets a guess be drawn while the left button is held over the figure, which is the item just submitted. True: the
/// mouse is its own.
bool react_to_guess(App& app, const Figure& figure, const FigureLayout& layout);

}  // namespace ropescope::ui
