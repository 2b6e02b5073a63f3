// State of the lesson that is open: its step, the answer, the parts of its words, and the lists of titles.
// lesson_play.h changes it. Read app/lessons/lesson.h first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/lessons/lesson.h"
#include "app/resources/files.h"

namespace ropescope::ui {

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

}  // namespace ropescope::ui
