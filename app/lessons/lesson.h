// Lessons and handbook chapters: steps, questions and answers, conditions, covered items, errors, and progress. A step
// is an experiment with text; app/ui/lesson/lesson_play.h presents it, handout.h prints it, read_lesson.cpp parses the
// Markdown.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "core/message.h"

namespace ropescope {

// --- Lesson --------------------------------------------------------------------------------------------------------

class Formulas;
class Store;
class Text;

/// An error in a lesson: its file, the line (counted from 1) and the reason. The rest of the lesson is still read.
struct LessonError {
  std::string file;
  int line = 0;
  Message reason;
  bool operator==(const LessonError&) const = default;
};

/// Words as written: formulas are TeX between dollars; {name} is the placeholder of a readout of the current view.
struct LessonWords {
  std::string text;
  bool strong = false, code = false;
  std::string link = {};  ///< target of the link
  int column = 0;         ///< in a table
  bool operator==(const LessonWords&) const = default;
};

/// A term that a paragraph highlights: `<!-- light TERM = MARK -->`. "\class{term-TERM}{…}" in the formula of its page
/// and the mark of the figure have one colour; a card, control or figure has the accent colour.
struct LessonTerm {
  std::string name, mark;
  bool operator==(const LessonTerm&) const = default;
};

/// A paragraph, or an item of a list; in a chapter also a block of code, or a row of a table.
struct LessonParagraph {
  std::vector<LessonWords> words;
  bool item = false;
  int line = 0;
  enum class Kind { words, code, head, row };  ///< head: the first row, with the column names
  Kind kind = Kind::words;
  int number = 0;             ///< number of an item in a numbered list
  bool literal = false;       ///< in a chapter: {name} is not a placeholder
  bool formula = false;       ///< consists of formulas, without words
  bool with_formula = false;  ///< marked: needs the formulas right before it on its page
  bool repeated = false;      ///< a copy of an earlier formula, for a paragraph that needs it
  std::vector<LessonTerm> lit = {};
  bool builds = false;  ///< `<!-- build … -->`: its terms are not drawn on earlier pages
};
/// Returns the indices [first, last) of the formulas before a paragraph that it needs on its page: those right before
/// it, or before the paragraphs before it that need them as well. Empty if there are none.
std::pair<std::size_t, std::size_t> find_formulas_before(const std::vector<LessonParagraph>& text, std::size_t at);
/// Returns the cells of a row, each as a paragraph.
std::vector<LessonParagraph> cells_of(const LessonParagraph& row);
/// Returns its words as one text without emphasis.
std::string text_of(const LessonParagraph& paragraph);
/// Counts the words of a text, separated by spaces; three Japanese or Chinese characters, or Korean syllables, count as
/// at least one.
std::size_t count_words(const std::string& text);
/// Returns a paragraph of just these words.
LessonParagraph paragraph_of(const std::string& words);

/// One line `key = value` of a `set` block, as `--set` takes it. The key may also be "model": a preset.
struct LessonSetting {
  std::string key, value;
  int line = 0;
};

/// `sweep = KEY FROM -> TO in SECONDS s`: the field moves from one value to the other when the step starts.
struct LessonSweep {
  Variation moved;
  double seconds = 0;
  int line = 0;
};

/// `readout < value`, `<=`, `>`, `>=` (exact), `readout = value` (within 1e-9 relative) or `readout = value ± within`.
struct Condition {
  enum class Relation { less, at_most, greater, at_least, equal };
  std::string readout;
  Relation relation = Relation::equal;
  double value = 0;
  std::optional<double> within;  ///< tolerance of `=`: absolute; nullopt: 1e-9 of the value
  int line = 0;
};
/// Parses a condition. Throws InputError with the expected form.
Condition parse_condition(std::string_view text);
/// Returns whether a number meets the condition.
bool holds(const Condition& condition, double number);

/// The question of a step.
struct LessonAsk {
  enum class Kind { choice, number, draw, reach };  ///< reach: `do`, a goal to reach with the controls
  struct Choice {
    std::string text;
    std::optional<Condition> when;  ///< nullopt: never right
  };
  /// Names in the file format, in the order of Kind.
  static constexpr std::string_view kKinds[] = {"choice", "number", "draw", "do"};
  Kind kind = Kind::choice;
  std::string question;
  std::vector<Choice> choices;        ///< for `choice`
  std::string answer;                 ///< for `number`: the readout
  double low = 0, high = 1;           ///< for `number`: the slider
  bool logarithmic = false;           ///< for `number`: scale of the slider
  std::string figure, curve;          ///< for `draw`: which line of which figure
  std::vector<Condition> goals;       ///< for `reach`: all of them
  std::vector<LessonSetting> solved;  ///< for `reach`: settings that reach the goals, as the solution
  std::vector<std::string> cover;     ///< figures and cards that reveal the answer
  std::vector<std::string> show;  ///< figures and cards in presentation mode after the answer; default: covered ones
  std::string after;              ///< text shown after the answer
  int line = 0;
};

struct LessonStep {
  std::string name;
  bool reserve = false;  ///< skipped in presentation mode unless requested
  std::string title;
  std::vector<LessonParagraph> text;
  std::vector<LessonSetting> set;
  std::vector<LessonSweep> sweeps;
  std::vector<std::string> points;  ///< highlighted controls, cards, figures
  std::optional<LessonAsk> ask;
  std::vector<LessonParagraph> notes;  ///< for the lecturer
  std::vector<std::string> remarks;    ///< comments: "misconception 4", "eq 12, 13"
  int line = 0;
};

/// A lesson, a user's lecture or a chapter: one Markdown file, and its words in the selected language.
struct Lesson {
  std::string id;        ///< "04-turn", "handbook/06-check"; for any other file its name
  std::string file;      ///< the file with the settings
  std::string language;  ///< of its words
  std::string title;
  double minutes = 0;                 ///< 0: not specified
  std::vector<LessonParagraph> lead;  ///< the learning goal: what readers can do afterwards
  std::vector<LessonStep> steps;
  std::vector<LessonError> faults;
  bool chapter = false;  ///< its steps are sections: one without settings leaves the experiment unchanged
};
/// Returns "8  Does it decay?" for the lesson "08-decay"; only the title if the id has no number.
std::string numbered_title(const std::string& id, const std::string& title);
/// Estimates the minutes that a step takes in a lecture: its words are spoken, its sweeps run, its figure is looked at,
/// its question is thought about.
double estimate_minutes(const LessonStep& step);
/// Returns the index of the step with that name.
std::optional<std::size_t> find_step(const Lesson& lesson, std::string_view name);

/// A placeholder such as {decay.trend} in a text; braces within a formula belong to TeX.
struct Placeholder {
  std::string name;
  std::size_t begin = 0, end = 0;  ///< its byte range, braces included
};
std::vector<Placeholder> placeholders_of(std::string_view text);

/// Converts the formulas of all words into the characters that painters draw as formulas (`signs`), or into plain
/// Unicode. One without a picture stays as written and is reported as a fault.
void set_formulas(Lesson& lesson, const Formulas& formulas, bool signs);

/// Reads a text file of a lesson. Throws InputError if it is too large or not UTF-8.
std::string read_words(const std::filesystem::path& path);
/// Parses a lesson's Markdown; errors become faults. `translation`: a file of words, without settings and conditions. A
/// byte order mark is skipped.
Lesson read_lesson(std::string_view markdown, const std::string& file, bool translation = false);
/// Parses a handbook chapter in the same way: its title and each `##` begin a step, named by its title. Tables and code
/// are separate paragraphs; pictures are omitted because the step shows their content.
Lesson read_chapter(std::string_view markdown, const std::string& file, bool translation = false);
/// Replaces the lesson's words with those of a translation, step by step; adds faults for missing parts.
void translate(Lesson& lesson, const Lesson& words);

/// A lesson among the assets.
struct LessonEntry {
  std::string id;
  std::filesystem::path folder;
  std::vector<std::string> languages;  ///< languages of its files, English first
};
/// Returns whether a name denotes this id: "04-turn" may also be called "turn".
bool is_called(const std::string& id, const std::string& given);
/// Lists the folders of assets/lessons that contain an en.md, by name.
std::vector<LessonEntry> list_lessons(const std::filesystem::path& assets);
/// Loads a lesson by its id ("04-turn", or just "turn"), a chapter ("handbook/06-check"), else by the path of a file.
/// Throws InputError if there is none, or the file cannot be read or is not UTF-8. The words are English if there are
/// none in the language (Lesson::language).
Lesson load_lesson(const std::filesystem::path& assets, const std::string& id_or_path, const std::string& language);

// --- Steps ---------------------------------------------------------------------------------------------------------

/// The experiment of a step: the defaults, then the settings of every step up to it, reserve or not (in a chapter only
/// its own). Settings that fail become faults and have no effect.
struct StepState {
  Experiment experiment;
  Experiment solved;                ///< with the settings that reach the question's goals; else equal to the experiment
  std::vector<LessonError> faults;  ///< errors in the settings and sweeps of this step only
};
StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets);
/// The states of all steps in order: every setting is applied once, however many steps follow it.
class StepStates {
 public:
  /// Keeps references to both, which must outlive it.
  StepStates(const Lesson& lesson, const std::filesystem::path& assets) : lesson_(lesson), assets_(assets) {}
  StepState next();

 private:
  const Lesson& lesson_;
  const std::filesystem::path& assets_;
  /// Applies settings in order; settings that fail become faults.
  void set(Experiment& experiment, const std::vector<LessonSetting>& settings, StepState& state) const;

  Experiment experiment_;
  std::size_t next_ = 0;
};

/// Returns the experiment with files in or below the lesson's folder named relative to it, as the lesson does: for
/// experiments that are passed on.
Experiment resolve_lesson_files(const Lesson& lesson, Experiment experiment);
/// Returns the errors in a step's files: missing, devices or pipes, an invalid config.
std::vector<LessonError> collect_file_errors(const Lesson& lesson, std::size_t step);

/// Returns the number of a readout of the current view, or its first number if it has several. nullopt if there is no
/// such readout or it has no number.
std::optional<double> number_of(const ViewResult& shown, std::string_view readout);

/// Keeps the part of a view for presentation mode: only the figures that the step points to or its question draws in;
/// if the step names none, the first two. After the answer, those in the question's `show`, or up to two that it
/// covered. Cards: those that the step points to and those with the answer (those in `show`, if it names any).
void keep_pointed(ViewResult& shown, const LessonStep& step, bool answered);

/// Returns the words of a lesson with the current value for each {name}; a dash if the view lacks the readout.
std::string filled(std::string_view words, const ViewResult& shown);
/// Returns a paragraph filled in likewise, except its code; paragraphs of a chapter are unchanged.
LessonParagraph filled(LessonParagraph paragraph, const ViewResult& shown);

/// Returns the index of the choice whose condition holds now; nullopt if none holds, or several.
std::optional<std::size_t> right_choice(const LessonAsk& ask, const ViewResult& shown);
/// Returns whether every goal is reached.
bool has_reached_goals(const LessonAsk& ask, const ViewResult& shown);
/// Returns the names of cards and figures that reveal the answer: those in `cover`, and the readouts of conditions.
std::vector<std::string> covered(const LessonAsk& ask);

/// Finds the style of the line, path, arrow or points with this key in the figures of a view; null if there is none.
const LineStyle* find_mark(const ViewResult& shown, std::string_view key);
/// Lights the marks with these keys (LineStyle::lit).
void light_marks(std::vector<Panel>& panels, const std::vector<std::string>& keys);

/// Finds a line in a figure of the view; null if there is none.
const Line* find_line(const ViewResult& shown, std::string_view figure, std::string_view key);

/// Returns the errors found by comparing a step with the view of its state: unknown names, questions in which not
/// exactly one condition holds; and with the view of its solution, whether that reaches the goals.
std::vector<LessonError> faults_of(const Lesson& lesson, std::size_t step, const StepState& state,
                                   const ViewResult& shown, const ViewResult& solved);

// --- JSON ----------------------------------------------------------------------------------------------------------

/// Returns the assets' lessons: [{"id", "minutes", "title": {"en", …}, "steps": [names], "languages": [codes]}].
std::string lessons_json(const std::filesystem::path& assets);

/// Called after every step with the completed share of the work, 0 to 1.
using LessonProgress = std::function<void(double share)>;

/// Returns a lesson with formulas in plain Unicode and readouts filled in: {"id", "language", "title", "minutes",
/// "steps": [{"name", "reserve", "title", "text", "notes", "set": {key: value}, "readouts": {name: number}, "ask": null
/// or {"kind", "question", "choices": [{"text", "right"}], "answer", "after"}}]}; only one step if `step` is set.
/// "readouts" has those with numbers; "answer" is the requested number or the text of the right choice.
std::string lesson_json(const Lesson& lesson, std::optional<std::size_t> step, const std::filesystem::path& assets,
                        const Text& text, Store& store, const LessonProgress& progress = {});

/// Returns all errors in a lesson, its steps drawn in order; the search ends at about a thousand.
std::vector<LessonError> all_faults(const Lesson& lesson, const std::filesystem::path& assets, const Text& text,
                                    Store& store, const LessonProgress& progress = {});
/// Returns "FILE:LINE: reason".
std::string to_error_text(const LessonError& fault, const Text& text);

}  // namespace ropescope
