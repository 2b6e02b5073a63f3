// A lesson, or a chapter of the handbook: its steps, questions and answers, conditions, what is covered, what is
// faulty, and how far one is. A step is an experiment with words; app/ui/lesson/lesson_play.h plays it, handout.h
// prints it. read_lesson.cpp reads the Markdown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "core/words.h"

namespace ropescope {

// --- Lesson --------------------------------------------------------------------------------------------------------

class Formulas;

/// What is wrong with a lesson: its file, the line (counted from 1) and why. The rest of the lesson is read all the
/// same.
struct LessonFault {
  std::string file;
  int line = 0;
  Words reason;
  bool operator==(const LessonFault&) const = default;
};

/// Words as they were written: formulas are TeX between dollars, {name} stands for a readout of the shown view.
struct LessonWords {
  std::string text;
  bool strong = false, code = false;
  std::string link = {};  ///< what the words point to
  int column = 0;         ///< of a table
  bool operator==(const LessonWords&) const = default;
};

/// A paragraph, or an item of a list; in a chapter also a block of code, or a row of a table.
struct LessonParagraph {
  std::vector<LessonWords> words;
  bool item = false;
  int line = 0;
  enum class Kind { words, code, head, row };  ///< head: the first row, which names the columns
  Kind kind = Kind::words;
  int number = 0;        ///< of an item of a numbered list
  bool literal = false;  ///< of a chapter: {name} stands for nothing
};
/// The cells of a row, each as a paragraph.
std::vector<LessonParagraph> cells_of(const LessonParagraph& row);
/// Its words in one text, without what makes some stand out.
std::string text_of(const LessonParagraph& paragraph);
/// These words alone.
LessonParagraph paragraph_of(const std::string& words);

/// One line `key = value` of a `set` block: what `--set` takes. The key may also be "model": a preset.
struct LessonSetting {
  std::string key, value;
  int line = 0;
};

/// `sweep = KEY FROM -> TO in SECONDS s`: the field runs from one value to the other when the step begins.
struct LessonSweep {
  std::string key;
  double from = 0, to = 0, seconds = 0;
  bool logarithmic = false;
  int line = 0;
};

/// `readout < value`, `readout > value` (exact), `readout = value` (within 1e-9 relative) or `readout = value ±
/// within`.
struct Condition {
  enum class Relation { less, greater, equal };
  std::string readout;
  Relation relation = Relation::equal;
  double value = 0;
  std::optional<double> within;  ///< of `=`: absolute; none: 1e-9 of the value
  int line = 0;
};
/// Throws InputError that says what was expected.
Condition parse_condition(std::string_view text);
/// Whether a number meets it.
bool holds(const Condition& condition, double number);

/// What the audience is asked.
struct LessonAsk {
  enum class Kind { choice, number, draw, reach };  ///< reach: `do`, a goal for the controls
  struct Choice {
    std::string text;
    std::optional<Condition> when;  ///< none: never right
  };
  /// As they are written, in the order of Kind.
  static constexpr std::string_view kKinds[] = {"choice", "number", "draw", "do"};
  Kind kind = Kind::choice;
  std::string question;
  std::vector<Choice> choices;        ///< of `choice`
  std::string answer;                 ///< of `number`: the readout
  double low = 0, high = 1;           ///< of `number`: the slider
  bool logarithmic = false;           ///< and how it runs
  std::string figure, curve;          ///< of `draw`: which line of which figure
  std::vector<Condition> goals;       ///< of `reach`: all of them
  std::vector<LessonSetting> solved;  ///< of `reach`: settings with which the goals are reached, for who does not
  std::vector<std::string> cover;     ///< figures and cards that would tell
  std::vector<std::string> show;      ///< figures and cards that a room shows after the answer; of the kind of which it
                                      ///< names none those that were covered
  std::string after;                  ///< words for after the answer
  int line = 0;
};

struct LessonStep {
  std::string name;
  bool reserve = false;  ///< the room skips it unless asked
  std::string title;
  std::vector<LessonParagraph> text;
  std::vector<LessonSetting> set;
  std::vector<LessonSweep> sweeps;
  std::vector<std::string> points;  ///< controls, cards, figures that are lit
  std::optional<LessonAsk> ask;
  std::vector<LessonParagraph> notes;  ///< for the lecturer
  std::vector<std::string> remarks;    ///< comments: "misconception 4", "eq 12, 13"
  int line = 0;
};

/// A lesson, somebody's lecture or a chapter: one Markdown file, and its words in the chosen language.
struct Lesson {
  std::string id;        ///< "04-turn", "handbook/06-check"; of a file anywhere its name
  std::string file;      ///< the one with the settings
  std::string language;  ///< of its words
  std::string title;
  double minutes = 0;                 ///< 0: not said
  std::vector<LessonParagraph> lead;  ///< what one can do afterwards
  std::vector<LessonStep> steps;
  std::vector<LessonFault> faults;
  bool chapter = false;  ///< its steps are sections: one without settings leaves what is shown as it is
};
/// Place of the step of that name.
std::optional<std::size_t> find_step(const Lesson& lesson, std::string_view name);

/// {decay.trend} in a text; braces within a formula are TeX's.
struct Placeholder {
  std::string name;
  std::size_t begin = 0, end = 0;  ///< bytes of it, braces included
};
std::vector<Placeholder> placeholders_of(std::string_view text);

/// Turns the formulas of all words into what painters draw them for (`signs`), or into plain Unicode. One without a
/// picture stays as it is written, and is a fault.
void set_formulas(Lesson& lesson, const Formulas& formulas, bool signs);

/// The content of a file of words. Throws InputError: too large, or not UTF-8.
std::string read_words(const std::filesystem::path& path);
/// Reads Markdown as far as it goes: what is wrong is among the faults. `translation`: a file of words, which has no
/// settings and no conditions. A byte order mark is passed over.
Lesson read_lesson(std::string_view markdown, const std::string& file, bool translation = false);
/// The same for a chapter of the handbook, whose title and each `##` begin a step; steps are named by their titles.
/// Tables and code are paragraphs of their own, pictures are left out: what they show is there.
Lesson read_chapter(std::string_view markdown, const std::string& file, bool translation = false);
/// Puts the words of a translation in place of the lesson's own, step by step; says in its faults what that lacks.
void translate(Lesson& lesson, const Lesson& words);

/// A lesson among the assets.
struct LessonEntry {
  std::string id;
  std::filesystem::path folder;
  std::vector<std::string> languages;  ///< of its files, English first
};
/// "04-turn" is called "turn" as well.
bool is_called(const std::string& id, const std::string& given);
/// The folders of assets/lessons that hold an en.md, by name.
std::vector<LessonEntry> list_lessons(const std::filesystem::path& assets);
/// A lesson by its id ("04-turn", or "turn" alone), a chapter ("handbook/06-check"), else by the path of a file. Throws
/// InputError: none of these, or a file that cannot be read or is not UTF-8. The words are English where there are none
/// in the language (Lesson::language).
Lesson load_lesson(const std::filesystem::path& assets, const std::string& id_or_path, const std::string& language);

// --- Steps ---------------------------------------------------------------------------------------------------------

/// The laboratory as a step wants it: the defaults, then the settings of every step up to it, reserve or not (of a
/// chapter its own alone). What cannot be set is said and left as it was.
struct StepState {
  Experiment experiment;
  Experiment solved;                ///< with the settings that reach the goals of its question; else the same
  std::vector<LessonFault> faults;  ///< of the settings and sweeps of this step alone
};
StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets);
/// The states of all steps, one after another: every setting is made once, however many steps follow it.
class StepStates {
 public:
  /// Both must outlive it.
  StepStates(const Lesson& lesson, const std::filesystem::path& assets) : lesson_(lesson), assets_(assets) {}
  StepState next();

 private:
  const Lesson& lesson_;
  const std::filesystem::path& assets_;
  /// Sets them one after the other; what cannot be set is a fault.
  void set(Experiment& experiment, const std::vector<LessonSetting>& settings, StepState& state) const;

  Experiment experiment_;
  std::size_t next_ = 0;
};

/// The experiment with the files that stand beside or below the lesson named from there, as the lesson itself does: for
/// what is handed on.
Experiment with_files_beside(const Lesson& lesson, Experiment experiment);
/// What is wrong with the files that a step names: missing, devices or pipes, a config that is none.
std::vector<LessonFault> file_faults_of(const Lesson& lesson, std::size_t step);

/// The field that a sweep of a step moves; none where the experiment has no such number.
std::optional<Sweep> sweep_of(const LessonSweep& sweep, const Experiment& experiment);

/// The number of a readout of the shown view: of several its first. None where there is no such readout or it gives
/// none.
std::optional<double> number_of(const ViewResult& shown, std::string_view readout);

/// What a room sees of a view: the figures that the step points to, or that its question draws in, and no others; of a
/// step that names none, the first two. After the answer those that the question says (`show`), or up to two that it
/// covered. Of the cards, those that the step points to and those that tell the answer (of `show`, where it names any),
/// where there are such.
void keep_pointed(ViewResult& shown, const LessonStep& step, bool answered);

/// Words of a lesson with what is shown in place of each {name}; a readout that the view lacks is a dash.
std::string filled(std::string_view words, const ViewResult& shown);
/// The same of a paragraph: of all but its code, and of none of a chapter.
LessonParagraph filled(LessonParagraph paragraph, const ViewResult& shown);

/// Place of the choice whose condition holds now; none where no one's does, or several.
std::optional<std::size_t> right_choice(const LessonAsk& ask, const ViewResult& shown);
/// Whether every goal is reached.
bool reached(const LessonAsk& ask, const ViewResult& shown);
/// Names of the cards and figures that would tell the answer: those in `cover`, and the readouts of conditions.
std::vector<std::string> covered(const LessonAsk& ask);

/// Line of a figure of the view; null where there is none.
const Line* find_line(const ViewResult& shown, std::string_view figure, std::string_view key);

/// What the state of a step shows against what the step says of it: names that are not there, conditions of which not
/// just one holds.
std::vector<LessonFault> faults_of(const Lesson& lesson, std::size_t step, const StepState& state,
                                   const ViewResult& shown);

}  // namespace ropescope
