// Lesson parsing with md4c: formulas, steps and their paragraphs, and translations.
//
// Contents: Formulas; Lessons.

#include "app/lessons/read_lesson.h"

#include <md4c.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

// --- Formulas ------------------------------------------------------------------------------------------------------

namespace {

/// Pairs the dollars in md4c's text events.
class Finder {
 public:
  explicit Finder(std::string_view markdown) : markdown_(markdown) {}
  std::vector<FormulaSpan> found;

  /// A formula that begins in one block cannot end in another.
  void change_block() { open_ = 0; }

  void read(std::string_view piece) {
    if (piece.data() < markdown_.data() || piece.data() >= markdown_.data() + markdown_.size()) return;
    const auto begin = static_cast<std::size_t>(piece.data() - markdown_.data()), end = begin + piece.size();
    for (std::size_t i = begin; i < end; ++i) {
      if (markdown_[i] != '$') continue;
      // After the backslash of an escape, md4c starts a separate text.
      if (i == begin && i > 0 && markdown_[i - 1] == '\\') continue;
      std::size_t count = 1;
      while (i + count < end && markdown_[i + count] == '$') ++count;
      add(i, count);
      i += count - 1;
    }
  }

 private:
  void add(std::size_t at, std::size_t count) {
    if (count > 2) return;
    if (open_ == count && at > open_at_ + count) {
      found.push_back({open_at_, at + count, count});
      open_ = 0;
      return;
    }
    open_ = count;
    open_at_ = at;
  }

  std::string_view markdown_;
  std::size_t open_ = 0, open_at_ = 0;  ///< dollars waiting for a closing match, and where
};

Finder& finder_of(void* given) {
  return *static_cast<Finder*>(given);
}
int change_block(MD_BLOCKTYPE, void*, void* finder) {
  finder_of(finder).change_block();
  return 0;
}
int pass_span(MD_SPANTYPE, void*, void*) {
  return 0;
}
int read_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* finder) {
  if (type == MD_TEXT_NORMAL) finder_of(finder).read({text, size});
  return 0;
}

/// Returns the md4c flags for lessons.
unsigned lesson_markdown_flags() {
  return MD_FLAG_NOINDENTEDCODEBLOCKS;
}

/// Returns the text with a letter for every byte of a formula, so that parsers treat formulas as words. Byte count,
/// line ends and quote prefixes are unchanged.
std::string add_formula_letters(const std::vector<FormulaSpan>& formulas, std::string_view markdown) {
  std::string letters(markdown);
  for (const FormulaSpan& formula : formulas) {
    bool line_begins = false;
    for (std::size_t i = formula.begin; i < formula.end; ++i) {
      const char c = letters[i];
      const bool ends_line = c == '\n' || c == '\r', before_text = line_begins && (c == ' ' || c == '\t' || c == '>');
      line_begins = ends_line || before_text;
      if (!line_begins) letters[i] = 'x';
    }
  }
  return letters;
}

// --- Lessons -------------------------------------------------------------------------------------------------------

// More than any lecture has; the rest is ignored, so that reading a file of another kind ends soon.
constexpr std::size_t kMaxSteps = 1000;
constexpr std::size_t kMaxBlockLines = 20000;  ///< in all blocks together
/// Bytes of a step's text, its notes, or the words before the steps; a paragraph counts as kParagraph more. A screen
/// fits 2 000, and words are set a dozen times until they fit.
constexpr std::size_t kMaxLessonWords = 20000, kParagraph = 20;
/// The comment before a paragraph that needs the formulas right before it on its page.
constexpr std::string_view kWithFormula = "with formula";
/// The comment before a paragraph that highlights terms, or builds a formula up to them: "light a, b = c".
constexpr std::string_view kLight = "light", kBuild = "build", kTermVerbs[] = {kLight, kBuild};
/// The word in braces after a title: "{half-turn, reserve}".
constexpr std::string_view kReserve = "reserve";
/// The blocks of a lesson.
constexpr std::string_view kSetBlock = "set", kAskBlock = "ask", kNotesBlock = "notes";
/// ASCII characters without a space: a longer run is not a word, and would be broken character by character.
constexpr std::size_t kMaxWordLength = 1000;
constexpr int kMaxMinutes = 600;

/// Returns whether a formula can name a term so: the bundled MathJax keeps such classes, see
/// assets/formulas/typeset.mjs.
bool is_term_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
  });
}

/// A title such as "Half a turn is minus one {half-turn, reserve}", split into its parts.
struct Heading {
  std::string title;
  std::vector<std::string> names;  ///< names in the braces at its end
};
Heading heading_of(std::string_view text) {
  text = trimmed_view(text);
  const std::size_t open = text.rfind('{');
  if (open == std::string_view::npos || text.back() != '}') return {std::string(text), {}};
  return {trimmed(text.substr(0, open)), names_in(text.substr(open + 1, text.size() - open - 2))};
}

/// Converts "Which factor does a context need?" to "which-factor-does-a-context-need".
std::string to_step_name(std::string_view title) {
  std::string name;
  for (const unsigned char c : title) {
    if (std::isalnum(c)) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Returns whether a character is Japanese or Chinese: a line end between two of them is not a space.
bool is_wide(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return (byte >= 0xe3 && byte <= 0xe9) || byte == 0xef;
}

/// Returns whether a text consists of formulas and the punctuation between them.
bool is_formula(std::string_view text) {
  bool formula = false, any = false;
  for (const char c : text) {
    if (c == '$') {
      formula = !formula;
      any = true;
    } else if (!formula && std::string_view(" ,.;:\n").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return any && !formula;
}

/// Returns whether a paragraph is a table in Markdown: one of its lines is like "| --- | :--: |".
bool is_table(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text.find("|--") != std::string::npos || text.find("--|") != std::string::npos ||
         text.find("|:--") != std::string::npos;
}

/// Returns whether two words differ in one place by at most two letters: swapped, missing, added or other ones.
bool is_nearly(std::string_view a, std::string_view b) {
  const auto start = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto [rest, other] = std::pair{a.substr(static_cast<std::size_t>(start.first - a.begin())),
                                       b.substr(static_cast<std::size_t>(start.second - b.begin()))};
  const auto end = std::mismatch(rest.rbegin(), rest.rend(), other.rbegin(), other.rend());
  return rest.rend() - end.first <= 2 && other.rend() - end.second <= 2;
}

/// Returns whether a comment is a misspelt mark: nearly "with formula", or nearly "light" or "build" before a term of
/// the file's formulas or one with its mark.
bool is_misspelt_mark(std::string_view remark, std::string_view file) {
  const std::size_t space = std::min(remark.find(' '), remark.size());
  const std::string_view verb = remark.substr(0, space);
  const auto is_verb = [verb](std::string_view known) { return verb == known; };
  const auto is_nearly_verb = [verb](std::string_view known) { return is_nearly(verb, known); };
  if (remark == kWithFormula || std::any_of(std::begin(kTermVerbs), std::end(kTermVerbs), is_verb)) return false;
  if (is_nearly(remark, kWithFormula)) return true;
  if (std::none_of(std::begin(kTermVerbs), std::end(kTermVerbs), is_nearly_verb)) return false;
  const std::vector<std::string> terms = names_in(remark.substr(space));
  return std::any_of(terms.begin(), terms.end(), [file](const std::string& term) {
    return term.find('=') != std::string::npos ||
           file.find("{" + std::string(kTermClass) + term + "}") != std::string::npos;
  });
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; });
}

/// Converts md4c's events for a file to steps. Positions refer to the file, so faults have line numbers. md4c reads
/// `parsed`, in which formulas are words; the text is taken from the file.
class Reader {
 public:
  Reader(std::string_view markdown, std::string_view parsed, std::vector<FormulaSpan> formulas, const std::string& file,
         bool translation, bool chapter)
      : markdown_(markdown), parsed_(parsed), formulas_(std::move(formulas)), translation_(translation) {
    lesson.file = file;
    lesson.chapter = chapter;
  }
  Lesson lesson;

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_H: {
        level_ = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        start();
        break;
      }
      case MD_BLOCK_P:
        start();
        break;
      case MD_BLOCK_UL:
        next_number_ = 0;
        break;
      case MD_BLOCK_OL:
        next_number_ = static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
        break;
      case MD_BLOCK_LI:
        start();
        item_ = true;
        number_ = next_number_ > 0 && lesson.chapter ? next_number_++ : 0;
        break;
      case MD_BLOCK_THEAD:
        kind_ = LessonParagraph::Kind::head;
        break;
      case MD_BLOCK_TBODY:
        kind_ = LessonParagraph::Kind::row;
        break;
      case MD_BLOCK_TR:
        start();
        column_ = 0;
        break;
      case MD_BLOCK_CODE: {
        const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
        block_ = trimmed(std::string_view(info.text, info.size));
        // The block's first line if it is empty.
        start();
        if (info.text) line_ = line_at(info.text);
        if (const std::size_t place = place_of(info.text); place != std::string_view::npos) seen_ = place + info.size;
        break;
      }
      case MD_BLOCK_HTML:
        start();
        html_ = true;
        break;
      default:
        break;
    }
  }

  void leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_H:
        finish_heading();
        break;
      case MD_BLOCK_LI:
        finish_paragraph();
        item_ = false;
        number_ = 0;
        break;
      case MD_BLOCK_P:
      case MD_BLOCK_TR:
        finish_paragraph();
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        ++column_;
        break;
      case MD_BLOCK_TABLE:
        kind_ = LessonParagraph::Kind::words;
        column_ = 0;
        break;
      case MD_BLOCK_CODE:
        finish_block();
        break;
      case MD_BLOCK_HTML:
        finish_comment();
        html_ = false;
        break;
      default:
        break;
    }
  }

  void enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_EM || type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_CODE) code_ = true;
    if (type == MD_SPAN_IMG) ++pictures_;
    if (type == MD_SPAN_A) {
      const MD_ATTRIBUTE& target = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
      link_ = std::string(target.text, target.size);
    }
  }
  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM || type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_CODE) code_ = false;
    if (type == MD_SPAN_IMG) {
      --pictures_;
      // The line of the text next to it.
      const bool is_first = seen_ == std::string_view::npos;
      if (!lesson.chapter) fault(is_first ? line_ : line_at(parsed_.data() + seen_), Message("lesson.fault.picture"));
    }
    if (type == MD_SPAN_A) link_.clear();
  }

  void text(MD_TEXTTYPE type, std::string_view piece) {
    if (pictures_ > 0 && lesson.chapter) return;
    if (line_ == 0) line_ = line_at(piece.data());
    const std::size_t place = place_of(piece.data());
    if (place != std::string_view::npos) {
      piece = markdown_.substr(place, piece.size());
      seen_ = place + piece.size();
    }
    switch (type) {
      case MD_TEXT_SOFTBR:
      case MD_TEXT_BR:
        line_ended_ = true;
        break;
      case MD_TEXT_NULLCHAR:
        break;
      case MD_TEXT_HTML:
        if (html_) {
          add(piece);
        } else if (!piece.starts_with("</")) {
          fault(line_, Message("lesson.fault.html"));
        }
        break;
      case MD_TEXT_NORMAL:
        add_text(piece, place);
        break;
      case MD_TEXT_CODE:
        // md4c keeps the backslash before a bar within a table.
        if (kind_ == LessonParagraph::Kind::head || kind_ == LessonParagraph::Kind::row) {
          for (std::size_t bar; (bar = piece.find("\\|")) != std::string_view::npos; piece = piece.substr(bar + 1)) {
            add(piece.substr(0, bar));
          }
        }
        add(piece);
        break;
      default:
        add(piece);
        break;
    }
  }

  void finish() {
    require_text();
    bound_words(lesson.title, lesson.lead, 1);
    for (LessonStep& each : lesson.steps) {
      bound_words(each.title, each.text, each.line, each.ask ? &*each.ask : nullptr);
      std::string none;
      bound_words(none, each.notes, each.line);
    }
    if (lesson.title.empty()) fault(1, Message("lesson.fault.no_title"));
    if (lesson.steps.empty()) fault(1, Message("lesson.fault.no_step"));
  }

 private:
  void start() {
    words_.clear();
    line_ended_ = false;
    line_ = 0;
    seen_ = std::string_view::npos;
  }
  void add(std::string_view piece) {
    if (std::exchange(line_ended_, false) && !words_.empty() && !piece.empty()) {
      const std::string& before = words_.back().text;
      const bool wide = before.size() > 2 && is_wide(before, before.size() - 3);
      const bool together = wide && (is_wide(piece, 0) || before.ends_with("。") || before.ends_with("、"));
      // Next to code or a link, the space belongs to the words.
      const bool apart = words_.back().code != code_ || words_.back().link != link_;
      if (!together && apart && (words_.back().code || !words_.back().link.empty())) {
        words_.push_back({" ", strong_ > 0 && !code_, false, {}, column_});
      } else if (!together) {
        words_.back().text += ' ';
      }
    }
    const bool strong = strong_ > 0;
    if (words_.empty() || words_.back().strong != strong || words_.back().code != code_ ||
        words_.back().link != link_ || words_.back().column != column_) {
      words_.push_back({{}, strong, code_, link_, column_});
    }
    words_.back().text += piece;
  }
  /// Adds text with formulas in single dollars, and other dollars escaped as in the other texts.
  void add_text(std::string_view piece, std::size_t place) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const FormulaSpan* formula = place == std::string_view::npos ? nullptr : formula_at(place + i);
      const std::string_view one = piece.substr(i, 1);
      if (!formula) {
        const bool dollar = piece[i] == '$';
        if (dollar && place != std::string_view::npos) require_escape(place + i);
        add(dollar ? "\\$" : one);
      } else {
        const bool second = formula->dollars == 2 && (place + i == formula->begin + 1 || place + i + 1 == formula->end);
        if (!second) add(one);
        if (second && place + i == formula->begin + 1) add(kDisplayStyle);
      }
    }
  }
  /// Reports a dollar sign that neither opens nor closes a formula, once for two in a row.
  void require_escape(std::size_t place) {
    if (lesson.chapter || (place > 0 && markdown_[place - 1] == '$')) return;
    const std::size_t before = markdown_.substr(0, place).find_last_not_of('\\') + 1;  // npos + 1: the beginning
    const bool is_escaped = (place - before) % 2 == 1;
    if (!is_escaped) fault(line_at(parsed_.data() + place), Message("lesson.fault.dollar"));
  }
  /// Returns the formula that contains the byte. Pieces are passed in order.
  const FormulaSpan* formula_at(std::size_t place) {
    while (next_formula_ < formulas_.size() && formulas_[next_formula_].end <= place) ++next_formula_;
    const bool within = next_formula_ < formulas_.size() && formulas_[next_formula_].begin <= place;
    return within ? &formulas_[next_formula_] : nullptr;
  }
  std::string plain() const {
    std::string text;
    for (const LessonWords& words : words_) text += words.text;
    return text;
  }
  /// Returns npos for text that md4c inserts.
  std::size_t place_of(const char* read) const {
    const bool within = read >= parsed_.data() && read < parsed_.data() + parsed_.size();
    return within ? static_cast<std::size_t>(read - parsed_.data()) : std::string_view::npos;
  }
  /// Returns the line of a place. Places are nearly in order, so lines are counted from the previous one.
  int line_at(const char* read) {
    const std::size_t place = place_of(read);
    if (place == std::string_view::npos) return 0;
    if (place < counted_) counted_ = 0, lines_ = 1;
    lines_ += static_cast<int>(std::count(parsed_.data() + counted_, parsed_.data() + place, '\n'));
    counted_ = place;
    return lines_;
  }
  void fault(int line, Message reason) { lesson.faults.push_back({lesson.file, std::max(line, 1), std::move(reason)}); }
  LessonStep* step() { return lesson.steps.empty() ? nullptr : &lesson.steps.back(); }

  /// Rejects bytes that no text has; md4c skips them, or treats them as letters.
  void require_text() {
    const auto odd = std::find_if(markdown_.begin(), markdown_.end(), [](unsigned char c) {
      return (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f;
    });
    if (odd == markdown_.end()) return;
    const int line = 1 + static_cast<int>(std::count(markdown_.begin(), odd, '\n'));
    fault(line, Message("lesson.fault.control", {{"byte", static_cast<int>(static_cast<unsigned char>(*odd))}}));
  }

  /// Truncates what exceeds any reasonable length.
  void bound_words(std::string& title, std::vector<LessonParagraph>& text, int line, LessonAsk* ask = nullptr) {
    std::size_t left = kMaxLessonWords;
    bool cut = false;
    const auto bound = [&](std::string& words) {
      if (words.size() > left) {
        words = words.substr(0, start_of_character(words, left)) + "…";
        cut = true;
      }
      std::size_t together = 0;
      bool formula = false;  // has its own limit
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == '$') formula = !formula;
        const bool parts = formula || words[i] == ' ' || static_cast<unsigned char>(words[i]) >= 0x80;
        together = parts ? 0 : together + 1;
        if (together <= kMaxWordLength) continue;
        words = words.substr(0, i) + "…";
        cut = true;
        break;
      }
      left -= std::min(left, words.size());
    };
    bound(title);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (left < kParagraph) {
        text.resize(i);
        cut = true;
        break;
      }
      left -= kParagraph;
      for (LessonWords& words : text[i].words) bound(words.text);
    }
    if (ask) {
      bound(ask->question);
      bound(ask->after);
      for (LessonAsk::Choice& choice : ask->choices) bound(choice.text);
      if (ask->choices.size() > kMaxLessonWords / kParagraph)
        ask->choices.resize(kMaxLessonWords / kParagraph), cut = true;
    }
    if (cut) fault(line, Message("lesson.fault.long", {{"most", kMaxLessonWords}, {"word", kMaxWordLength}}));
  }

  void finish_heading() {
    const Heading heading = lesson.chapter ? Heading{trimmed(plain()), {}} : heading_of(plain());
    if (level_ == 1) {
      if (lesson.title.empty()) lesson.title = heading.title;
      if (!lesson.chapter) return;
    }
    if (level_ > 2) {
      if (step()) add_paragraph({{{heading.title, true, false}}, false, line_});
      return;
    }
    if (lesson.steps.size() == kMaxSteps) {
      if (!std::exchange(too_many_steps_, true))
        fault(line_, Message("lesson.fault.many_steps", {{"most", kMaxSteps}}));
      return;
    }
    LessonStep next;
    next.title = heading.title;
    next.line = line_;
    for (const std::string& name : heading.names) {
      if (name == kReserve) {
        next.reserve = true;
      } else if (next.name.empty() && is_name(name)) {
        next.name = name;
      } else {
        fault(line_, Message("lesson.fault.braces", {{"found", name}}));
      }
    }
    if (lesson.chapter && !translation_) next.name = to_step_name(next.title);
    if (next.name.empty()) {
      if (heading.names.empty() && !lesson.chapter)
        fault(line_, Message("lesson.fault.no_name", {{"title", heading.title}}));
      next.name = "step-" + std::to_string(lesson.steps.size() + 1);
    }
    if (find_step(lesson, next.name)) {
      fault(line_, Message("lesson.fault.same_name", {{"name", next.name}}));
      next.name += "-" + std::to_string(lesson.steps.size() + 1);
    }
    lesson.steps.push_back(std::move(next));
    with_formula_ = builds_ = false;
    lit_.clear();
  }

  void finish_paragraph() {
    if (words_.empty()) return;
    LessonParagraph paragraph{words_, item_, line_, kind_, number_};
    words_.clear();
    if (!step() && lesson.minutes == 0 && lesson.lead.empty()) read_minutes(paragraph);
    if (!lesson.chapter && is_table(text_of(paragraph))) fault(line_, Message("lesson.fault.table"));
    add_paragraph(std::move(paragraph));
  }
  void add_paragraph(LessonParagraph paragraph) {
    paragraph.literal = lesson.chapter;
    paragraph.formula = is_formula(text_of(paragraph));
    paragraph.with_formula = std::exchange(with_formula_, false);
    paragraph.lit = std::exchange(lit_, {});
    paragraph.builds = std::exchange(builds_, false);
    std::vector<LessonParagraph>& text = step() ? step()->text : lesson.lead;
    text.push_back(std::move(paragraph));
    require_formulas(text);
  }

  /// Checks that the last paragraph of a text has what its marks name: formulas before it, and their terms there or in
  /// its own.
  void require_formulas(std::vector<LessonParagraph>& text) {
    LessonParagraph& last = text.back();
    const auto [first, end] = find_formulas_before(text, text.size() - 1);
    if (last.with_formula && first == end) fault(last.line, Message("lesson.fault.no_formula"));
    std::string before;
    for (std::size_t i = first; i < end; ++i) before += text_of(text[i]);
    for (const LessonTerm& term : last.lit) {
      if (!is_term_name(term.name)) {
        fault(last.line, Message("lesson.fault.term_name", {{"term", term.name}}));
        continue;
      }
      const std::string written = "\\class{" + std::string(kTermClass) + term.name + "}";
      const bool is_within = text_of(last).find(written) != std::string::npos;
      last.with_formula = last.with_formula || !is_within;
      if (!is_within && before.find(written) == std::string::npos) {
        fault(last.line, Message("lesson.fault.no_term", {{"term", term.name}}));
      }
    }
  }

  /// Reads the terms of a mark "light a, b = c" or "build a".
  void read_terms(std::string_view remark) {
    for (const std::string_view verb : kTermVerbs) {
      if (!remark.starts_with(verb) || !remark.substr(verb.size()).starts_with(' ')) continue;
      builds_ = verb == kBuild;
      for (const std::string& term : names_in(remark.substr(verb.size() + 1))) {
        const std::size_t equals = std::min(term.find('='), term.size());
        const std::string name = trimmed(term.substr(0, equals));
        lit_.push_back({name, equals == term.size() ? name : current_key(trimmed(term.substr(equals + 1)))});
      }
    }
  }

  /// Reads "7 minutes. Afterwards …": the number at the start of the lead.
  void read_minutes(const LessonParagraph& paragraph) {
    const std::string text = text_of(paragraph);
    std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
    while (end > 0 && !std::isdigit(static_cast<unsigned char>(text[end - 1]))) --end;
    if (end == 0) return;
    const std::optional<double> minutes = parse_number(text.substr(0, end));
    if (minutes && *minutes >= 1 && *minutes <= kMaxMinutes) {
      lesson.minutes = *minutes;
      return;
    }
    const std::size_t unit = text.find_first_not_of(" -", end);
    for (const std::string_view named : {"minute", "分", "분"}) {
      if (unit == std::string::npos || !std::string_view(text).substr(unit).starts_with(named)) continue;
      fault(paragraph.line, Message("lesson.fault.minutes", {{"found", text.substr(0, end)}, {"most", kMaxMinutes}}));
    }
  }

  /// An unclosed one extends to the end of the file or to the next block.
  bool is_closed(std::string_view content) const {
    if (seen_ == std::string_view::npos) return true;
    const std::size_t next = parsed_.find_first_not_of(" \t\r\n>", seen_);
    if (next == std::string_view::npos) return false;
    if (parsed_[next] != '`') return parsed_[next] == '~';
    const auto ticks = [](std::string_view line) { return std::min(line.find_first_not_of('`'), line.size()); };
    const std::size_t closing = ticks(parsed_.substr(next));
    for (const std::string_view line : lines_of(content)) {
      if (ticks(trimmed_view(line)) >= closing) return false;
    }
    return true;
  }

  void finish_block() {
    const std::string content = plain();
    const std::string block = std::exchange(block_, {});
    const int first = line_;
    words_.clear();
    if (!is_closed(content)) fault(first, Message("lesson.fault.unclosed", {{"block", block}}));
    const std::size_t before = block_lines_;
    block_lines_ += 1 + static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n'));
    if (block_lines_ > kMaxBlockLines) {
      if (before <= kMaxBlockLines) fault(first, Message("lesson.fault.many_block_lines", {{"most", kMaxBlockLines}}));
      return;
    }
    if (!step()) {
      fault(first, Message("lesson.fault.block_before_step", {{"block", block}}));
    } else if (block == kSetBlock) {
      if (translation_) {
        fault(first, Message("lesson.fault.set_in_translation"));
      } else {
        read_set(*step(), content, first, lesson.faults, lesson.file);
      }
    } else if (lesson.chapter) {
      const std::size_t end = content.find_last_not_of("\n ");
      add_paragraph({{{content.substr(0, end + 1), false, true}}, false, first, LessonParagraph::Kind::code});
    } else if (block == kAskBlock) {
      read_ask(*step(), content, first, translation_, lesson.faults, lesson.file);
    } else if (block == kNotesBlock) {
      int line = first;
      for (const std::string_view text : lines_of(content)) {
        ++line;
        if (!trimmed(text).empty()) step()->notes.push_back({{{trimmed(text), false, false}}, false, line});
      }
    } else {
      if (!block.empty()) fault(first, Message("lesson.fault.block", {{"block", block}}));
      step()->text.push_back({{{trimmed(content), false, true}}, false, first});
    }
  }

  /// Finishes one comment, or several on separate lines.
  void finish_comment() {
    const std::string whole = plain();
    words_.clear();
    constexpr std::string_view kOpen = "<!--", kClose = "-->";
    std::string_view rest = whole;
    while (true) {
      const std::size_t first = rest.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos) return;
      rest = rest.substr(first);
      const std::size_t close = rest.find(kClose);
      if (!rest.starts_with(kOpen) || close == std::string_view::npos) {
        fault(line_, Message("lesson.fault.html"));
        return;
      }
      const std::string remark = trimmed(rest.substr(kOpen.size(), close - kOpen.size()));
      if (remark == kWithFormula) with_formula_ = true;
      if (!lesson.chapter && is_misspelt_mark(remark, markdown_))
        fault(line_, Message("lesson.fault.mark", {{"found", remark}}));
      read_terms(remark);
      if (step()) step()->remarks.push_back(remark);
      rest = rest.substr(close + kClose.size());
    }
  }

  std::string_view markdown_, parsed_;
  std::vector<FormulaSpan> formulas_;
  std::size_t next_formula_ = 0;
  bool translation_;
  std::vector<LessonWords> words_;
  std::string block_;
  int level_ = 0, strong_ = 0, line_ = 0;
  std::size_t counted_ = 0;  ///< bytes before the place whose line is `lines_`
  int lines_ = 1;
  std::size_t block_lines_ = 0;
  bool too_many_steps_ = false;
  std::size_t seen_ = std::string_view::npos;  ///< end of the last md4c event of a block; npos: no event yet
  bool item_ = false, code_ = false, html_ = false;
  bool line_ended_ = false;    ///< a space if two words meet across the end of a line
  bool with_formula_ = false;  ///< the next paragraph is marked
  std::vector<LessonTerm> lit_;
  bool builds_ = false;
  std::string link_;
  int pictures_ = 0, column_ = 0, number_ = 0, next_number_ = 0;
  LessonParagraph::Kind kind_ = LessonParagraph::Kind::words;
};

Reader& reader_of(void* given) {
  return *static_cast<Reader*>(given);
}
int enter_block(MD_BLOCKTYPE type, void* detail, void* reader) {
  reader_of(reader).enter(type, detail);
  return 0;
}
int leave_block(MD_BLOCKTYPE type, void*, void* reader) {
  reader_of(reader).leave(type);
  return 0;
}
int enter_span(MD_SPANTYPE type, void* detail, void* reader) {
  reader_of(reader).enter_span(type, detail);
  return 0;
}
int leave_span(MD_SPANTYPE type, void*, void* reader) {
  reader_of(reader).leave_span(type);
  return 0;
}
int take_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* reader) {
  reader_of(reader).text(type, {text, size});
  return 0;
}

Lesson read_markdown(std::string_view markdown, const std::string& file, bool translation, bool chapter) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (markdown.starts_with(kByteOrderMark)) markdown.remove_prefix(kByteOrderMark.size());
  std::vector<FormulaSpan> formulas = find_formulas(markdown);
  const std::string parsed = add_formula_letters(formulas, markdown);
  Reader reader(markdown, parsed, std::move(formulas), file, translation, chapter);
  MD_PARSER parser{};
  parser.flags = lesson_markdown_flags() | (chapter ? MD_FLAG_TABLES : 0u);
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = take_text;
  md_parse(parsed.data(), static_cast<MD_SIZE>(parsed.size()), &parser, &reader);
  reader.finish();
  return std::move(reader.lesson);
}

}  // namespace

std::vector<FormulaSpan> find_formulas(std::string_view markdown) {
  Finder finder(markdown);
  MD_PARSER parser{};
  parser.flags = lesson_markdown_flags();
  parser.enter_block = parser.leave_block = change_block;
  parser.enter_span = parser.leave_span = pass_span;
  parser.text = read_text;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &finder);
  return std::move(finder.found);
}

std::string text_of(const LessonParagraph& paragraph) {
  std::string text;
  for (const LessonWords& words : paragraph.words) text += words.text;
  return text;
}

LessonParagraph paragraph_of(const std::string& words) {
  return {{LessonWords{words}}};
}

std::vector<LessonParagraph> cells_of(const LessonParagraph& row) {
  std::vector<LessonParagraph> cells;
  for (const LessonWords& words : row.words) {
    while (cells.size() <= static_cast<std::size_t>(words.column)) {
      cells.push_back({{}, false, row.line, row.kind, 0, row.literal});
    }
    cells.back().words.push_back(words);
  }
  return cells;
}

std::optional<std::size_t> find_step(const Lesson& lesson, std::string_view name) {
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    if (lesson.steps[i].name == name) return i;
  }
  return std::nullopt;
}

Lesson read_lesson(std::string_view markdown, const std::string& file, bool translation) {
  return read_markdown(markdown, file, translation, false);
}

Lesson read_chapter(std::string_view markdown, const std::string& file, bool translation) {
  return read_markdown(markdown, file, translation, true);
}

}  // namespace ropescope
