#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "core/words.h"

namespace ropescope {

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
  bool operator==(const LessonWords&) const = default;
};

/// A paragraph, or an item of a list.
struct LessonParagraph {
  std::vector<LessonWords> words;
  bool item = false;
  int line = 0;
};
/// Its words in one text, without what makes some stand out.
std::string text_of(const LessonParagraph& paragraph);

/// One line `key = value` of a `set` block: what `--set` takes. The key may also be "model": a preset.
struct LessonSetting {
  std::string key, value;
  int line = 0;
};

/// `sweep = KEY FROM -> TO in SECONDS s`: the knob runs from one value to the other when the step begins.
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
  Kind kind = Kind::choice;
  std::string question;
  std::vector<Choice> choices;     ///< of `choice`
  std::string answer;              ///< of `number`: the readout
  double low = 0, high = 1;        ///< of `number`: the slider
  bool logarithmic = false;        ///< and how it runs
  std::string figure, curve;       ///< of `draw`: which line of which figure
  std::vector<Condition> goals;    ///< of `reach`: all of them
  std::vector<std::string> cover;  ///< figures and cards that would tell
  std::string after;               ///< words for after the answer
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

/// A lesson or somebody's lecture: one Markdown file, and its words in the chosen language.
struct Lesson {
  std::string id;        ///< "04-turn"; of a file anywhere its name
  std::string file;      ///< the one with the settings
  std::string language;  ///< of its words
  std::string title;
  double minutes = 0;                 ///< 0: not said
  std::vector<LessonParagraph> lead;  ///< what one can do afterwards
  std::vector<LessonStep> steps;
  std::vector<LessonFault> faults;
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

/// Reads Markdown as far as it goes: what is wrong is among the faults. `translation`: a file of words, which has no
/// settings and no conditions. A byte order mark is passed over.
Lesson read_lesson(std::string_view markdown, const std::string& file, bool translation = false);
/// Puts the words of a translation in place of the lesson's own, step by step; says in its faults what that lacks.
void translate(Lesson& lesson, const Lesson& words);
/// `set`, `sweep` and `point` of a block, and what is asked: for read_lesson().
void read_set(LessonStep& step, std::string_view block, int line, std::vector<LessonFault>& faults,
              const std::string& file);
void read_ask(LessonStep& step, std::string_view block, int line, bool translation, std::vector<LessonFault>& faults,
              const std::string& file);

/// A lesson among the assets.
struct LessonEntry {
  std::string id;
  std::filesystem::path folder;
  std::vector<std::string> languages;  ///< of its files, English first
};
/// The folders of assets/lessons that hold an en.md, by name.
std::vector<LessonEntry> list_lessons(const std::filesystem::path& assets);
/// A lesson by its id ("04-turn", or "turn" alone), else by the path of a file. Throws InputError: none of these, or
/// a file that cannot be read or is not UTF-8.
Lesson load_lesson(const std::filesystem::path& assets, const std::string& id_or_path, const std::string& language);

}  // namespace ropescope
