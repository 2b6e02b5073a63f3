// Conditions and answers of lessons, their errors, and the experiments of their steps.
//
// Contents: Conditions; Answers; Faults; State; Library; Translations; Formulas.

#include "app/lessons/lesson.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/cells.h"
#include "app/lessons/handbook.h"
#include "app/lessons/read_lesson.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Conditions ----------------------------------------------------------------------------------------------------

Condition parse_condition(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  Condition condition;
  const auto refuse = [text] { return InputError("lesson.condition", {{"found", std::string(text)}}); };
  if (at == std::string_view::npos) throw refuse();
  condition.readout = current_key(trimmed(text.substr(0, at)));
  condition.relation = text[at] == '<'   ? Condition::Relation::less
                       : text[at] == '>' ? Condition::Relation::greater
                                         : Condition::Relation::equal;
  const bool or_equal = condition.relation != Condition::Relation::equal && text.substr(at + 1).starts_with('=');
  if (or_equal) {
    const bool less = condition.relation == Condition::Relation::less;
    condition.relation = less ? Condition::Relation::at_most : Condition::Relation::at_least;
  }
  std::string_view number = trimmed_view(text.substr(at + (or_equal ? 2 : 1)));
  constexpr std::string_view kPlusMinus = "±";
  if (const std::size_t margin = number.find(kPlusMinus); margin != std::string_view::npos) {
    condition.within = parse_number(trimmed_view(number.substr(margin + kPlusMinus.size())));
    number = trimmed_view(number.substr(0, margin));
    if (!condition.within || *condition.within < 0 || condition.relation != Condition::Relation::equal) throw refuse();
  }
  const std::optional<double> value = parse_number(number);
  if (!value || condition.readout.empty() || condition.readout.find_first_of(" \t") != std::string::npos)
    throw refuse();
  condition.value = *value;
  return condition;
}

bool holds(const Condition& condition, double number) {
  switch (condition.relation) {
    case Condition::Relation::less:
      return number < condition.value;
    case Condition::Relation::at_most:
      return number <= condition.value;
    case Condition::Relation::greater:
      return number > condition.value;
    case Condition::Relation::at_least:
      return number >= condition.value;
    case Condition::Relation::equal:
      break;
  }
  return std::abs(number - condition.value) <= condition.within.value_or(1e-9 * std::abs(condition.value));
}

// --- Answers -------------------------------------------------------------------------------------------------------

namespace {

std::optional<double> number_in(const ReadoutValue& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return quantity->number.value;
  if (const auto* named = std::get_if<NamedValues>(&value)) {
    for (const NamedValues::One& one : named->list) {
      if (!one.numbers.empty()) return one.numbers.front().value;
    }
  }
  return std::nullopt;
}

/// Shares the labels of two maps in a row: the left one names the y axis, the right one has the colour bar.
void share_axes(std::vector<Panel>& panels) {
  Figure &left = panels[0].figure, &right = panels[1].figure;
  if (!panels[1].beside || left.maps.empty() || right.maps.empty()) return;
  const Map &first = left.maps.front(), &second = right.maps.front();
  panels[1].inner_y = is_same_axis(left.y, right.y) && left.y.range == right.y.range && left.y.names == right.y.names;
  if (first.colours == second.colours && first.range == second.range && first.label == second.label && second.bar) {
    left.maps.front().bar = false;
  }
}

// --- Faults --------------------------------------------------------------------------------------------------------

class Judge {
 public:
  Judge(const Lesson& lesson, const LessonStep& step, const ViewResult& shown, const ViewResult& solved)
      : lesson_(lesson), step_(step), shown_(shown), solved_(solved) {
    for (const Readout& readout : shown.readouts) readouts_.insert(readout.name);
    for (const Panel& panel : shown.panels) figures_.insert(panel.figure.name);
  }
  std::vector<LessonError> faults;

  void placeholders(std::string_view text, int line) {
    for (const Placeholder& place : placeholders_of(text)) {
      if (!readouts_.contains(place.name)) fault(line, Message("lesson.fault.readout", {{"name", place.name}}));
    }
  }
  void names(const std::vector<std::string>& names, int line, bool controls) {
    for (const std::string& name : names) {
      if (readouts_.contains(name) || figures_.contains(name) || (controls && is_control(name))) continue;
      fault(line, Message("lesson.fault.name", {{"name", name}}));
    }
  }
  void condition(const Condition& condition) {
    if (!readouts_.contains(condition.readout)) {
      fault(condition.line, Message("lesson.fault.readout", {{"name", condition.readout}}));
    } else if (!number_of(shown_, condition.readout)) {
      fault(condition.line, Message("lesson.fault.no_number", {{"name", condition.readout}}));
    }
  }

  void ask(const LessonAsk& ask) {
    placeholders(ask.question, ask.line);
    placeholders(ask.after, ask.line);
    names(ask.cover, ask.line, false);
    names(ask.show, ask.line, false);
    switch (ask.kind) {
      case LessonAsk::Kind::choice:
        choice(ask);
        break;
      case LessonAsk::Kind::number:
        number(ask);
        break;
      case LessonAsk::Kind::draw:
        if (!find_line(shown_, ask.figure, ask.curve)) {
          fault(ask.line, Message("lesson.fault.curve", {{"figure", ask.figure}, {"curve", ask.curve}}));
        }
        break;
      case LessonAsk::Kind::reach:
        for (const Condition& goal : ask.goals) condition(goal);
        if (has_reached_goals(ask, shown_)) fault(ask.line, Message("lesson.fault.goal_holds"));
        if (!ask.solved.empty() && !has_reached_goals(ask, solved_)) {
          fault(ask.solved.front().line, Message("lesson.fault.solved"));
        }
        break;
    }
  }

 private:
  void fault(int line, Message reason) { faults.push_back({lesson_.file, std::max(line, 1), std::move(reason)}); }

  bool is_control(const std::string& name) {
    if (fields_.empty()) fields_ = list_fields();
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const FieldInfo& field) { return field.key == name || field.key.ends_with("." + name); });
  }

  void choice(const LessonAsk& ask) {
    int holding = 0;
    for (const LessonAsk::Choice& choice : ask.choices) {
      placeholders(choice.text, ask.line);
      if (!choice.when) continue;
      condition(*choice.when);
      const std::optional<double> number = number_of(shown_, choice.when->readout);
      if (number && holds(*choice.when, *number)) ++holding;
    }
    if (holding == 0) fault(ask.line, Message("lesson.fault.none_right"));
    if (holding > 1) fault(ask.line, Message("lesson.fault.several_right", {{"count", holding}}));
  }

  void number(const LessonAsk& ask) {
    const std::optional<double> answer = number_of(shown_, ask.answer);
    if (!readouts_.contains(ask.answer)) {
      fault(ask.line, Message("lesson.fault.readout", {{"name", ask.answer}}));
    } else if (!answer) {
      fault(ask.line, Message("lesson.fault.no_number", {{"name", ask.answer}}));
    } else if (*answer < ask.low || *answer > ask.high) {
      fault(ask.line, Message("lesson.fault.off_slider", {{"name", ask.answer}}));
    }
  }

  const Lesson& lesson_;
  const LessonStep& step_;
  const ViewResult &shown_, &solved_;
  std::set<std::string> readouts_, figures_;
  std::vector<FieldInfo> fields_;  ///< loaded at the first lookup of a different name

 public:
  void step() {
    for (const LessonParagraph& paragraph : step_.text) {
      if (!paragraph.literal) placeholders(text_of(paragraph), paragraph.line);
      for (const LessonTerm& term : paragraph.lit) {
        if (!find_mark(shown_, term.mark)) names({term.mark}, paragraph.line, true);
      }
    }
    names(step_.points, step_.line, true);
    if (step_.ask) ask(*step_.ask);
  }
};

// --- State ---------------------------------------------------------------------------------------------------------

/// More of them give no new information.
constexpr std::size_t kMaxErrorsPerStep = 100;

/// Returns the whole keys of the fields that contain a file path.
const std::set<std::string, std::less<>>& path_keys() {
  static const auto keys = [] {
    std::set<std::string, std::less<>> found;
    const Experiment experiment;
    for (const Field& field : fields_of(experiment)) {
      if (!field.endings.empty()) found.emplace(field.key);
    }
    return found;
  }();
  return keys;
}

void show_preset(Experiment& experiment, const std::string& id, const std::filesystem::path& assets) {
  const Preset preset = load_preset(assets, id);
  RopeFields rope = to_rope_fields(preset.profiles.front(), preset.name);
  rope.model = id;
  experiment.rope = rope;
  follow_opening(experiment);
}

/// Returns a setting's value; a file next to the lesson has a relative name there.
std::string value_of(const LessonSetting& setting, const std::set<std::string, std::less<>>& paths,
                     const std::string& lesson_file) {
  if (setting.value.empty() || !paths.contains(setting.key)) return setting.value;
  const std::filesystem::path path = setting.value;
  return path.is_absolute() ? setting.value : (std::filesystem::path(lesson_file).parent_path() / path).string();
}

void check_sweep(const LessonSweep& written, const Experiment& experiment, const std::string& file,
                 std::vector<LessonError>& faults) {
  const std::string& key = written.moved.key;
  Message reason("lesson.fault.sweep_key", {{"key", key}});
  if (const auto field = find_number(experiment, key)) {
    if (accepts(*field, written.moved.values.front()) && accepts(*field, written.moved.values.back())) return;
    reason = Message("lesson.fault.sweep_range", {{"key", key}, {"expected", expectation(*field)}});
  }
  faults.push_back({file, written.line, reason});
}

// --- Library -------------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

/// Maximum size of a lesson file.
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20;

Lesson read_file_as_lesson(const fs::path& path, bool translation) {
  return read_lesson(read_words(path), path.string(), translation);
}

Lesson load_entry(const LessonEntry& entry, const std::string& language) {
  Lesson lesson = read_file_as_lesson(entry.folder / "en.md", false);
  lesson.id = entry.id;
  lesson.language = kEnglish;
  const bool has = std::find(entry.languages.begin(), entry.languages.end(), language) != entry.languages.end();
  if (language == kEnglish || !has) return lesson;
  Lesson words = read_file_as_lesson(entry.folder / (language + ".md"), true);
  words.language = language;
  translate(lesson, words);
  return lesson;
}

std::vector<std::string> languages_in(const fs::path& folder) {
  std::vector<std::string> languages;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    if (has_extension(file.path(), kMarkdownExtension) && file.path().stem() != kEnglish)
      languages.push_back(file.path().stem().string());
  }
  std::sort(languages.begin(), languages.end());
  languages.insert(languages.begin(), kEnglish);
  return languages;
}

// --- Translations --------------------------------------------------------------------------------------------------

/// Returns the whole text of a step as one string.
std::string all_words(const LessonStep& step) {
  std::string all;
  for (const LessonParagraph& paragraph : step.text) all += text_of(paragraph) + "\n";
  if (!step.ask) return all;
  all += step.ask->question + "\n" + step.ask->after + "\n";
  for (const LessonAsk::Choice& choice : step.ask->choices) all += choice.text + "\n";
  return all;
}

/// Returns its placeholders and formulas with the number of their occurrences.
std::map<std::string, int> count_inserted(const LessonStep& step) {
  std::map<std::string, int> counts;
  const std::string all = all_words(step);
  for (const std::string& tex : tex_of(all)) ++counts["$" + tex + "$"];
  for (const Placeholder& place : placeholders_of(all)) ++counts["{" + place.name + "}"];
  return counts;
}

void compare_step(const LessonStep& own, const LessonStep& words, const std::string& file,
                  std::vector<LessonError>& faults) {
  const auto fault = [&](Message reason) { faults.push_back({file, words.line, std::move(reason)}); };
  const std::map<std::string, int> wanted = count_inserted(own), found = count_inserted(words);
  for (const auto& [what, count] : wanted) {
    const auto place = found.find(what);
    if (place == found.end() || place->second != count) {
      fault(Message("lesson.fault.translation_lacks", {{"step", own.name}, {"what", what}}));
    }
  }
  for (const auto& [what, count] : found) {
    if (!wanted.contains(what)) fault(Message("lesson.fault.translation_adds", {{"step", own.name}, {"what", what}}));
  }
  const bool marked = std::any_of(own.text.begin(), own.text.end(),
                                  [](const LessonParagraph& one) { return one.with_formula || !one.lit.empty(); });
  if (marked && own.text.size() != words.text.size()) {
    fault(Message("lesson.fault.translation_paragraphs", {{"step", own.name}}));
  }
  const bool same_ask =
      own.ask.has_value() == words.ask.has_value() &&
      (!own.ask || (own.ask->kind == words.ask->kind && own.ask->choices.size() == words.ask->choices.size()));
  if (!same_ask) fault(Message("lesson.fault.translation_asks", {{"step", own.name}}));
}

// --- Formulas ------------------------------------------------------------------------------------------------------

// More than any formula has: a formula that cannot be set is shown as written, but one above this limit is not shown.
constexpr std::size_t kMaxFormulaLength = 1000;
constexpr int kMaxNesting = 50;

/// Returns the nesting depth of its braces.
int nesting_of(std::string_view tex) {
  int depth = 0, most = 0;
  for (const char c : tex) {
    if (c == '{') most = std::max(most, ++depth);
    if (c == '}') --depth;
  }
  return most;
}

/// The widest formula beside a figure in presentation mode, in its em.
constexpr double kWidestFormula = 15;
/// Where a wide formula may be split: before its relations, else before the signs of its terms.
constexpr std::string_view kRelations[] = {"=",    "<",        ">",        "\\approx",    "\\le",    "\\leq",
                                           "\\ge", "\\geq",    "\\ne",     "\\neq",       "\\equiv", "\\sim",
                                           "\\to", "\\mapsto", "\\propto", "\\Rightarrow"};
constexpr std::string_view kSigns[] = {"+", "-", "\\pm"};

/// Returns the bytes of the command or the character at a place of a formula.
std::size_t token_size(std::string_view tex, std::size_t at) {
  if (tex[at] != '\\' || at + 1 == tex.size()) return 1;
  std::size_t end = at + 1;
  while (end < tex.size() && std::isalpha(static_cast<unsigned char>(tex[end])) != 0) ++end;
  return std::max<std::size_t>(end - at, 2);
}

/// Splits a formula before these tokens, except within braces, brackets, \left … \right and environments.
std::vector<std::string> split_formula(std::string_view tex, std::span<const std::string_view> before) {
  const std::string style(tex.starts_with(kDisplayStyle) ? kDisplayStyle : "");
  tex.remove_prefix(style.size());
  std::vector<std::string> pieces{style};
  int depth = 0;
  bool takes_next = false;  // the token is an argument of the one before: x^+
  for (std::size_t at = 0; at < tex.size();) {
    const std::size_t size = token_size(tex, at);
    const std::string_view token = tex.substr(at, size);
    constexpr std::string_view kOpen[] = {"{", "(", "[", "\\{", "\\left", "\\begin", "\\langle"},
                               kClose[] = {"}", ")", "]", "\\}", "\\right", "\\end", "\\rangle"},
                               kTakeNext[] = {"^", "_", "\\not"}, kSized[] = {"\\left", "\\right"};
    const auto is_in = [&](const auto& list) {
      return std::find(std::begin(list), std::end(list), token) != std::end(list);
    };
    const bool splits = depth == 0 && !takes_next && is_in(before);
    takes_next = is_in(kTakeNext);
    if (splits && pieces.back().find_first_not_of(' ', style.size()) != std::string::npos)
      pieces.push_back(style + "{}");
    pieces.back() += token;
    at += size;
    if (is_in(kOpen)) ++depth;
    if (is_in(kClose)) --depth;
    // The brackets of \left( and \right] count once.
    if (is_in(kSized) && at < tex.size()) {
      const std::size_t bracket = token_size(tex, at);
      pieces.back() += tex.substr(at, bracket);
      at += bracket;
    }
  }
  return pieces;
}

/// Visits all words of a lesson, each with its line.
class Replace {
 public:
  Replace(Lesson& lesson, const Formulas& formulas, bool signs) : lesson_(lesson), formulas_(formulas), signs_(signs) {}

  void words(std::string& text, int line) {
    for (const std::string& tex : tex_of(text)) {
      if (formulas_.find(tex)) continue;
      if (tex.size() > kMaxFormulaLength || nesting_of(tex) > kMaxNesting) {
        fault(line, Message("lesson.fault.formula_size", {{"bytes", kMaxFormulaLength}, {"nested", kMaxNesting}}));
        const std::size_t at = text.find("$" + tex + "$");
        if (at != std::string::npos) text.replace(at, tex.size() + 2, "…");
        continue;
      }
      try {
        if (formulas_.typeset(tex).width > kWidestFormula) split(text, tex);
      } catch (const InputError& error) {
        const std::string_view own = tex;
        const std::size_t style = own.starts_with(kDisplayStyle) ? kDisplayStyle.size() : 0;
        fault(line, Message("lesson.fault.formula", {{"tex", std::string(own.substr(style))}, {"why", error.words()}}));
      }
    }
    text = signs_ ? formulas_.with_signs(text) : formulas_.without_tex(text);
  }
  void paragraphs(std::vector<LessonParagraph>& list) {
    for (LessonParagraph& paragraph : list) {
      for (LessonWords& part : paragraph.words) {
        if (!part.code) words(part.text, paragraph.line);
      }
    }
  }

 private:
  void fault(int line, Message reason) { lesson_.faults.push_back({lesson_.file, line, std::move(reason)}); }
  /// Replaces a formula that is wider than the text beside a figure by several, between which a line may end. It stays
  /// whole if one of them is not a formula on its own.
  void split(std::string& text, const std::string& tex) {
    std::string pieces;
    try {
      for (const std::string& piece : split_formula(tex, kRelations)) {
        const bool wide = formulas_.typeset(piece).width > kWidestFormula;
        for (const std::string& part : wide ? split_formula(piece, kSigns) : std::vector<std::string>{piece}) {
          formulas_.typeset(part);
          pieces += (pieces.empty() ? "$" : " $") + part + "$";
        }
      }
    } catch (const InputError&) {
      return;
    }
    const std::size_t at = text.find("$" + tex + "$");
    if (at != std::string::npos) text.replace(at, tex.size() + 2, pieces);
  }

  Lesson& lesson_;
  const Formulas& formulas_;
  bool signs_;
};

}  // namespace

std::pair<std::size_t, std::size_t> find_formulas_before(const std::vector<LessonParagraph>& text, std::size_t at) {
  while (at > 0 && text[at - 1].with_formula) --at;
  std::size_t first = at;
  while (first > 0 && text[first - 1].formula) --first;
  return {first, at};
}

std::size_t count_words(const std::string& text) {
  std::size_t words = 0, wide = 0;
  bool inside = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xe3 && byte <= 0xed) ++wide;
    const bool space = byte == ' ' || byte == '\n';
    if (!space && !inside) ++words;
    inside = !space;
  }
  return std::max(words, (wide + 2) / 3);
}

std::string numbered_title(const std::string& id, const std::string& title) {
  const std::size_t first = id.find_first_not_of('0'), last = id.find('-');
  const bool has_number = first < last && last != std::string::npos && id.find_first_not_of("0123456789") == last;
  return has_number ? id.substr(first, last - first) + "  " + title : title;
}

double estimate_minutes(const LessonStep& step) {
  // Spoken words per minute, and seconds for a look at the figure and for each kind of question.
  constexpr double kSpoken = 150, kLook = 10, kThought[] = {30, 30, 45, 60};
  std::size_t words = 0;
  for (const LessonParagraph& paragraph : step.text) words += count_words(text_of(paragraph));
  double seconds = kLook;
  for (const LessonSweep& sweep : step.sweeps) seconds += sweep.seconds;
  if (step.ask) {
    words += count_words(step.ask->question) + count_words(step.ask->after);
    for (const LessonAsk::Choice& choice : step.ask->choices) words += count_words(choice.text);
    seconds += kThought[static_cast<std::size_t>(step.ask->kind)];
  }
  return static_cast<double>(words) / kSpoken + seconds / 60;
}

std::optional<double> number_of(const ViewResult& shown, std::string_view readout) {
  const Readout* found = find_readout(shown, readout);
  return found ? number_in(found->value) : std::nullopt;
}

void keep_pointed(ViewResult& shown, const LessonStep& step, bool answered) {
  const auto among = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto any_shown = [&](const std::vector<std::string>& names) {
    return std::any_of(shown.panels.begin(), shown.panels.end(),
                       [&](const Panel& panel) { return among(names, figure_of_cell(panel.figure.name)); });
  };
  std::vector<std::string> figures = step.points, told;
  bool chosen = true;  // listed by the step's author, so not limited in number
  if (step.ask) {
    const LessonAsk& ask = *step.ask;
    const auto any_card = [&](const std::vector<std::string>& names) {
      return std::any_of(shown.readouts.begin(), shown.readouts.end(),
                         [&](const Readout& card) { return among(names, card.name); });
    };
    figures.push_back(ask.figure);
    if (answered) told = covered(ask);
    // A drawn line stays in its place for comparison.
    if (answered && any_shown(ask.show)) {
      figures = ask.show;
    } else if (ask.kind != LessonAsk::Kind::draw && any_shown(told)) {
      figures = told;
      chosen = false;
    }
    if (answered && any_card(ask.show)) told = ask.show;
  }
  if (any_shown(figures)) {
    std::erase_if(shown.panels, [&](const Panel& panel) { return !among(figures, figure_of_cell(panel.figure.name)); });
  } else {
    chosen = false;
  }
  if (!chosen && shown.panels.size() > 2 && !are_cells(shown.panels)) shown.panels.resize(2);
  // Two figures over the same axis are one below the other; else side by side, because their axes and titles would
  // leave little height of the plots. A drawing of words needs the whole width.
  if (shown.panels.size() == 2) {
    constexpr double kNarrowest = 0.9;  // share of the other one's width
    shown.panels[0].height_share = shown.panels[1].height_share = 1;
    if (shown.panels[0].figure.x.name != shown.panels[1].figure.x.name) {
      shown.panels[0].inner_x = false;
      shown.panels[1].beside = true;
    }
    double &left = shown.panels[0].width_share, &right = shown.panels[1].width_share;
    left = std::max(left, kNarrowest * right);
    right = std::max(right, kNarrowest * left);
    const auto words = [](const Panel& panel) { return panel.figure.bare && !panel.figure.equal_axes; };
    if (words(shown.panels[0]) && words(shown.panels[1])) shown.panels[1].beside = false;
    share_axes(shown.panels);
  }
  const auto spoken_of = [&](const Readout& card) { return among(step.points, card.name) || among(told, card.name); };
  if (std::any_of(shown.readouts.begin(), shown.readouts.end(), spoken_of)) {
    std::erase_if(shown.readouts, [&](const Readout& card) { return !card.aside && !spoken_of(card); });
  }
}

std::string filled(std::string_view words, const ViewResult& shown) {
  std::string out;
  std::size_t from = 0;
  for (const Placeholder& place : placeholders_of(words)) {
    out += words.substr(from, place.begin - from);
    const Readout* readout = find_readout(shown, place.name);
    out += readout && !readout->text.empty() ? readout->text : "–";
    from = place.end;
  }
  return out + std::string(words.substr(from));
}

LessonParagraph filled(LessonParagraph paragraph, const ViewResult& shown) {
  for (LessonWords& part : paragraph.words) {
    if (!part.code && !paragraph.literal) part.text = filled(part.text, shown);
  }
  return paragraph;
}

std::optional<std::size_t> right_choice(const LessonAsk& ask, const ViewResult& shown) {
  std::optional<std::size_t> right;
  for (std::size_t i = 0; i < ask.choices.size(); ++i) {
    const std::optional<Condition>& when = ask.choices[i].when;
    const std::optional<double> number = when ? number_of(shown, when->readout) : std::nullopt;
    if (!number || !holds(*when, *number)) continue;
    if (right) return std::nullopt;
    right = i;
  }
  return right;
}

bool has_reached_goals(const LessonAsk& ask, const ViewResult& shown) {
  return !ask.goals.empty() && std::all_of(ask.goals.begin(), ask.goals.end(), [&](const Condition& goal) {
    const std::optional<double> number = number_of(shown, goal.readout);
    return number && holds(goal, *number);
  });
}

std::vector<std::string> covered(const LessonAsk& ask) {
  std::vector<std::string> names = ask.cover;
  for (const LessonAsk::Choice& choice : ask.choices) {
    if (choice.when) names.push_back(choice.when->readout);
  }
  if (!ask.answer.empty()) names.push_back(ask.answer);
  return names;
}

const LineStyle* find_mark(const ViewResult& shown, std::string_view key) {
  for (const Panel& panel : shown.panels) {
    const Figure& figure = panel.figure;
    const LineStyle* found = nullptr;
    const auto look = [&](const auto& marks) {
      for (const auto& mark : marks) {
        if constexpr (requires { mark.role; }) {
          if (mark.role != Role::curve) continue;
        }
        if (!found && mark.key == key) found = &mark.style;
      }
    };
    look(figure.lines), look(figure.paths), look(figure.arrows), look(figure.points);
    if (found) return found;
  }
  return nullptr;
}

void light_marks(std::vector<Panel>& panels, const std::vector<std::string>& keys) {
  const auto light = [&](auto& marks) {
    for (auto& mark : marks) mark.style.lit |= std::find(keys.begin(), keys.end(), mark.key) != keys.end();
  };
  for (Panel& panel : panels) {
    light(panel.figure.lines), light(panel.figure.paths), light(panel.figure.arrows), light(panel.figure.points);
  }
}

const Line* find_line(const ViewResult& shown, std::string_view figure, std::string_view key) {
  for (const Panel& panel : shown.panels) {
    if (panel.figure.name != figure) continue;
    for (const Line& line : panel.figure.lines) {
      if (line.key == key) return &line;
    }
  }
  return nullptr;
}

std::vector<LessonError> faults_of(const Lesson& lesson, std::size_t step, const StepState& state,
                                   const ViewResult& shown, const ViewResult& solved) {
  Judge judge(lesson, lesson.steps[step], shown, solved);
  judge.step();
  std::vector<LessonError> faults = state.faults;
  faults.insert(faults.end(), judge.faults.begin(), judge.faults.end());
  if (!shown.fault.empty()) {
    faults.push_back(
        {lesson.file, lesson.steps[step].line, Message("lesson.fault.view_says", {{"what", verbatim(shown.fault)}})});
  }
  return faults;
}

// --- State ---------------------------------------------------------------------------------------------------------

void StepStates::set(Experiment& experiment, const std::vector<LessonSetting>& settings, StepState& state) const {
  for (const LessonSetting& setting : settings) {
    try {
      if (state.faults.size() == kMaxErrorsPerStep) throw InputError(Message("lesson.fault.many_faults"));
      if (setting.key == kVariedModel) {
        show_preset(experiment, setting.value, assets_);
      } else {
        assign(experiment, setting.key + "=" + value_of(setting, path_keys(), lesson_.file));
      }
    } catch (const InputError& error) {
      state.faults.push_back({lesson_.file, setting.line, error.words()});
      if (state.faults.size() > kMaxErrorsPerStep) break;
    }
  }
}

StepState StepStates::next() {
  const std::size_t step = next_++;
  StepState state;
  if (lesson_.chapter) experiment_ = {};
  if (step < lesson_.steps.size()) set(experiment_, lesson_.steps[step].set, state);
  state.experiment = experiment_;
  clamp(state.experiment);
  const auto views = all_views();
  const bool known =
      std::any_of(views.begin(), views.end(), [&](const View* view) { return view->id == state.experiment.view; });
  if (!known) {
    state.faults.push_back({lesson_.file, step < lesson_.steps.size() ? lesson_.steps[step].line : 1,
                            Message("lesson.fault.view", {{"view", state.experiment.view}})});
    state.experiment.view = Experiment().view;
  }
  if (step < lesson_.steps.size()) {
    for (const LessonSweep& sweep : lesson_.steps[step].sweeps) {
      check_sweep(sweep, state.experiment, lesson_.file, state.faults);
    }
  }
  state.solved = state.experiment;
  if (step < lesson_.steps.size() && lesson_.steps[step].ask) {
    set(state.solved, lesson_.steps[step].ask->solved, state);
    clamp(state.solved);
  }
  return state;
}

StepState state_of(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets) {
  StepStates states(lesson, assets);
  for (std::size_t i = 0; i < step && i < lesson.steps.size(); ++i) states.next();
  return states.next();
}

Experiment resolve_lesson_files(const Lesson& lesson, Experiment experiment) {
  const std::string folder = (std::filesystem::path(lesson.file).parent_path() / "").string();
  for (Field& field : fields_of(experiment)) {
    if (field.endings.empty() || folder.empty()) continue;
    std::string& path = field.as<std::string>();
    if (path.starts_with(folder)) path.erase(0, folder.size());
  }
  return experiment;
}

std::vector<LessonError> collect_file_errors(const Lesson& lesson, std::size_t step) {
  std::vector<LessonError> faults;
  for (const LessonSetting& setting : lesson.steps[step].set) {
    if (setting.value.empty() || !path_keys().contains(setting.key)) continue;
    std::string path = value_of(setting, path_keys(), lesson.file);
    try {
      constexpr std::pair<std::string_view, void (*)(const std::string&)> kConfigs[] = {
          {"rope.config", [](const std::string& file) { load_model_config(file); }},
          {"layout.config", [](const std::string& file) { load_layout_config(file); }}};
      const auto config = std::find_if(std::begin(kConfigs), std::end(kConfigs),
                                       [&setting](const auto& each) { return each.first == setting.key; });
      if (config != std::end(kConfigs)) {
        config->second(path);
      } else if (!is_folder(path)) {
        // "table.npz:cos" is an array of a file.
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) path = path.substr(0, path.rfind(':'));
        os::Status status;
        open_regular(path, status);
      }
    } catch (const InputError& error) {
      faults.push_back({lesson.file, setting.line, error.words()});
    }
  }
  return faults;
}

// --- Library -------------------------------------------------------------------------------------------------------

bool is_called(const std::string& id, const std::string& given) {
  const std::size_t dash = id.find('-');
  return id == given || (dash != std::string::npos && id.substr(dash + 1) == given);
}

std::string read_words(const fs::path& path) {
  std::string content = read_file(path, kMaxBytes);
  require_utf8(content, verbatim(path.string()));
  return content;
}

std::vector<LessonEntry> list_lessons(const fs::path& assets) {
  std::vector<LessonEntry> lessons;
  std::error_code ignored;
  for (const fs::directory_entry& folder : fs::directory_iterator(assets / "lessons", ignored)) {
    if (!fs::exists(folder.path() / "en.md", ignored)) continue;
    lessons.push_back({folder.path().filename().string(), folder.path(), languages_in(folder.path())});
  }
  std::sort(lessons.begin(), lessons.end(), [](const LessonEntry& a, const LessonEntry& b) { return a.id < b.id; });
  return lessons;
}

Lesson load_lesson(const fs::path& assets, const std::string& id_or_path, const std::string& language) {
  if (is_chapter(id_or_path)) return load_chapter(assets, id_or_path, language);
  const std::vector<LessonEntry> entries = list_lessons(assets);
  for (const LessonEntry& entry : entries) {
    if (is_called(entry.id, id_or_path)) return load_entry(entry, language);
  }
  const fs::path path = id_or_path;
  std::error_code ignored;
  if (!fs::exists(path, ignored) && !has_extension(path, kMarkdownExtension)) {
    std::vector<std::string> ids;
    for (const LessonEntry& entry : entries) ids.push_back(entry.id);
    throw InputError("lesson.unknown", {{"found", id_or_path}, {"known", one_of(near_or_all(id_or_path, ids))}});
  }
  // A translation is read with the English file next to it, which has the settings.
  const fs::path english = path.parent_path() / (std::string(kEnglish) + std::string(kMarkdownExtension));
  if (path.filename() != english.filename() && path.stem().string().size() == 2 &&
      has_extension(path, kMarkdownExtension) && fs::exists(english, ignored)) {
    LessonEntry entry{path.parent_path().filename().string(), path.parent_path(), languages_in(path.parent_path())};
    return load_entry(entry, path.stem().string());
  }
  Lesson lesson = read_file_as_lesson(path, false);
  lesson.id = path.stem().string();
  lesson.language = language;
  return lesson;
}

// --- Translations --------------------------------------------------------------------------------------------------

std::vector<Placeholder> placeholders_of(std::string_view text) {
  std::vector<Placeholder> found;
  bool formula = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '$') {
      formula = !formula;
    } else if (text[i] == '{' && !formula) {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos) break;
      found.push_back({current_key(trimmed(text.substr(i + 1, end - i - 1))), i, end + 1});
      i = end;
    }
  }
  return found;
}

void translate(Lesson& lesson, const Lesson& words) {
  lesson.language = words.language;
  lesson.title = words.title;
  lesson.lead = words.lead;
  lesson.faults.insert(lesson.faults.end(), words.faults.begin(), words.faults.end());
  for (LessonStep& step : lesson.steps) {
    const std::optional<std::size_t> found = find_step(words, step.name);
    if (!found) {
      lesson.faults.push_back({words.file, 1, Message("lesson.fault.translation_step", {{"step", step.name}})});
      continue;
    }
    const LessonStep& other = words.steps[*found];
    if (!lesson.chapter) compare_step(step, other, words.file, lesson.faults);
    step.title = other.title;
    const std::vector<LessonParagraph> own = std::exchange(step.text, other.text);
    for (std::size_t i = 0; i < step.text.size() && own.size() == step.text.size(); ++i) {
      step.text[i].with_formula = own[i].with_formula;
      step.text[i].lit = own[i].lit;
      step.text[i].builds = own[i].builds;
    }
    step.notes = other.notes;
    if (!step.ask || !other.ask || step.ask->choices.size() != other.ask->choices.size()) continue;
    step.ask->question = other.ask->question;
    step.ask->after = other.ask->after;
    for (std::size_t i = 0; i < step.ask->choices.size(); ++i) step.ask->choices[i].text = other.ask->choices[i].text;
  }
  for (const LessonStep& step : words.steps) {
    if (find_step(lesson, step.name)) continue;
    lesson.faults.push_back(
        {words.file, step.line, Message("lesson.fault.translation_unknown_step", {{"step", step.name}})});
  }
}

// --- Formulas ------------------------------------------------------------------------------------------------------

void set_formulas(Lesson& lesson, const Formulas& formulas, bool signs) {
  Replace replace(lesson, formulas, signs);
  replace.words(lesson.title, 1);
  replace.paragraphs(lesson.lead);
  for (LessonStep& step : lesson.steps) {
    replace.words(step.title, step.line);
    replace.paragraphs(step.text);
    replace.paragraphs(step.notes);
    if (!step.ask) continue;
    replace.words(step.ask->question, step.ask->line);
    replace.words(step.ask->after, step.ask->line);
    for (LessonAsk::Choice& choice : step.ask->choices) replace.words(choice.text, step.ask->line);
  }
  formulas.keep();
}

}  // namespace ropescope
