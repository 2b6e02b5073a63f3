#include <md4c.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/lessons/formula_spans.h"
#include "app/lessons/lesson.h"
#include "app/lessons/text_cuts.h"

namespace ropescope {

namespace {

/// More than any lecture has: a file of another kind is not read on.
constexpr std::size_t kMostSteps = 1000;

/// A title "Half a turn is minus one {half-turn, reserve}" in its parts.
struct Heading {
  std::string title;
  std::vector<std::string> names;  ///< what stands in braces at its end
};
Heading heading_of(std::string_view text) {
  text = trimmed_view(text);
  const std::size_t open = text.rfind('{');
  if (open == std::string_view::npos || text.back() != '}') return {std::string(text), {}};
  return {trimmed(text.substr(0, open)), names_in(text.substr(open + 1, text.size() - open - 2))};
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; });
}

/// What md4c tells of a file becomes steps. Positions are those of the file, so that faults know their lines. md4c
/// reads `parsed`, where formulas are words; what it tells of is taken from the file.
class Reader {
 public:
  Reader(std::string_view markdown, std::string_view parsed, std::vector<FormulaSpan> formulas, const std::string& file,
         bool translation)
      : markdown_(markdown), parsed_(parsed), formulas_(std::move(formulas)), translation_(translation) {
    lesson.file = file;
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
      case MD_BLOCK_LI:
        start();
        item_ = true;
        break;
      case MD_BLOCK_CODE: {
        const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
        block_ = trimmed(std::string_view(info.text, info.size));
        // The block's own first line where nothing stands in it.
        start();
        if (info.text) line_ = line_at(info.text);
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
        break;
      case MD_BLOCK_P:
        finish_paragraph();
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

  void enter_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM || type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_CODE) code_ = true;
  }
  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM || type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_CODE) code_ = false;
  }

  void text(MD_TEXTTYPE type, std::string_view piece) {
    if (line_ == 0) line_ = line_at(piece.data());
    const std::size_t place = place_of(piece.data());
    if (place != std::string_view::npos) piece = markdown_.substr(place, piece.size());
    switch (type) {
      case MD_TEXT_SOFTBR:
      case MD_TEXT_BR:
        add(" ");
        break;
      case MD_TEXT_NULLCHAR:
        break;
      case MD_TEXT_HTML:
        if (html_) {
          add(piece);
        } else if (!piece.starts_with("</")) {
          fault(line_, Words("lesson.fault.html"));
        }
        break;
      case MD_TEXT_NORMAL:
        add_text(piece, place);
        break;
      default:
        add(piece);
        break;
    }
  }

  void finish() {
    if (lesson.title.empty()) fault(1, Words("lesson.fault.no_title"));
    if (lesson.steps.empty()) fault(1, Words("lesson.fault.no_step"));
  }

 private:
  void start() {
    words_.clear();
    line_ = 0;
  }
  void add(std::string_view piece) {
    const bool strong = strong_ > 0;
    if (words_.empty() || words_.back().strong != strong || words_.back().code != code_) {
      words_.push_back({{}, strong, code_});
    }
    words_.back().text += piece;
  }
  /// Formulas between single dollars, and a dollar that is none of theirs as the other texts write it.
  void add_text(std::string_view piece, std::size_t place) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const FormulaSpan* formula = place == std::string_view::npos ? nullptr : formula_at(place + i);
      const std::string_view one = piece.substr(i, 1);
      if (!formula) {
        add(one == "$" ? "\\$" : one);
      } else {
        const bool second = formula->dollars == 2 && (place + i == formula->begin + 1 || place + i + 1 == formula->end);
        if (!second) add(one);
      }
    }
  }
  /// The one that the byte is of. Pieces come in their order.
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
  /// npos: what md4c puts in by itself.
  std::size_t place_of(const char* read) const {
    const bool within = read >= parsed_.data() && read < parsed_.data() + parsed_.size();
    return within ? static_cast<std::size_t>(read - parsed_.data()) : std::string_view::npos;
  }
  int line_at(const char* read) const {
    const std::size_t place = place_of(read);
    if (place == std::string_view::npos) return 0;
    return 1 + static_cast<int>(std::count(parsed_.data(), parsed_.data() + place, '\n'));
  }
  void fault(int line, Words reason) { lesson.faults.push_back({lesson.file, std::max(line, 1), std::move(reason)}); }
  LessonStep* step() { return lesson.steps.empty() ? nullptr : &lesson.steps.back(); }

  void finish_heading() {
    const Heading heading = heading_of(plain());
    if (level_ == 1) {
      if (lesson.title.empty()) lesson.title = heading.title;
      return;
    }
    if (level_ > 2) {
      if (step()) step()->text.push_back({{{heading.title, true, false}}, false, line_});
      return;
    }
    if (lesson.steps.size() == kMostSteps) return;
    LessonStep next;
    next.title = heading.title;
    next.line = line_;
    for (const std::string& name : heading.names) {
      if (name == "reserve") {
        next.reserve = true;
      } else if (next.name.empty() && is_name(name)) {
        next.name = name;
      } else {
        fault(line_, Words("lesson.fault.braces", {{"found", name}}));
      }
    }
    if (next.name.empty()) {
      if (heading.names.empty()) fault(line_, Words("lesson.fault.no_name", {{"title", heading.title}}));
      next.name = "step-" + std::to_string(lesson.steps.size() + 1);
    }
    if (find_step(lesson, next.name)) {
      fault(line_, Words("lesson.fault.same_name", {{"name", next.name}}));
      while (find_step(lesson, next.name)) next.name += "-again";
    }
    lesson.steps.push_back(std::move(next));
  }

  void finish_paragraph() {
    if (words_.empty()) return;
    LessonParagraph paragraph{words_, item_, line_};
    words_.clear();
    std::vector<LessonParagraph>& into = step() ? step()->text : lesson.lead;
    if (!step() && lesson.minutes == 0 && into.empty()) read_minutes(paragraph);
    into.push_back(std::move(paragraph));
  }

  /// "7 minutes. Afterwards …": the number that the lead begins with.
  void read_minutes(const LessonParagraph& paragraph) {
    const std::string text = text_of(paragraph);
    const std::size_t end = text.find_first_not_of("0123456789");
    if (end == 0 || end == std::string::npos || end > 4) return;
    lesson.minutes = std::stod(text.substr(0, end));
  }

  void finish_block() {
    const std::string content = plain();
    const std::string block = std::exchange(block_, {});
    const int first = line_;
    words_.clear();
    if (!step()) {
      fault(first, Words("lesson.fault.block_before_step", {{"block", block}}));
    } else if (block == "set") {
      if (translation_) {
        fault(first, Words("lesson.fault.set_in_translation"));
      } else {
        read_set(*step(), content, first, lesson.faults, lesson.file);
      }
    } else if (block == "ask") {
      read_ask(*step(), content, first, translation_, lesson.faults, lesson.file);
    } else if (block == "notes") {
      int line = first;
      for (const std::string_view text : lines_of(content)) {
        ++line;
        if (!trimmed(text).empty()) step()->notes.push_back({{{trimmed(text), false, false}}, false, line});
      }
    } else {
      if (!block.empty()) fault(first, Words("lesson.fault.block", {{"block", block}}));
      step()->text.push_back({{{trimmed(content), false, true}}, false, first});
    }
  }

  /// One comment, or several on lines of their own.
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
        fault(line_, Words("lesson.fault.html"));
        return;
      }
      if (step()) step()->remarks.push_back(trimmed(rest.substr(kOpen.size(), close - kOpen.size())));
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
  bool item_ = false, code_ = false, html_ = false;
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
int enter_span(MD_SPANTYPE type, void*, void* reader) {
  reader_of(reader).enter_span(type);
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

}  // namespace

std::string text_of(const LessonParagraph& paragraph) {
  std::string text;
  for (const LessonWords& words : paragraph.words) text += words.text;
  return text;
}

std::optional<std::size_t> find_step(const Lesson& lesson, std::string_view name) {
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    if (lesson.steps[i].name == name) return i;
  }
  return std::nullopt;
}

Lesson read_lesson(std::string_view markdown, const std::string& file, bool translation) {
  std::vector<FormulaSpan> formulas = find_formulas(markdown);
  const std::string parsed = with_letters_for(formulas, markdown);
  Reader reader(markdown, parsed, std::move(formulas), file, translation);
  MD_PARSER parser{};
  parser.flags = lesson_markdown_flags();
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = take_text;
  md_parse(parsed.data(), static_cast<MD_SIZE>(parsed.size()), &parser, &reader);
  reader.finish();
  return std::move(reader.lesson);
}

}  // namespace ropescope
