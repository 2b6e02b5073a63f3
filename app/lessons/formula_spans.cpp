#include "app/lessons/formula_spans.h"

#include <md4c.h>

#include <utility>

namespace ropescope {

namespace {

/// Pairs the dollars that md4c tells of as text.
class Finder {
 public:
  explicit Finder(std::string_view markdown) : markdown_(markdown) {}
  std::vector<FormulaSpan> found;

  /// What begins in one block does not end in another.
  void change_block() { open_ = 0; }

  void read(std::string_view piece) {
    if (piece.data() < markdown_.data() || piece.data() >= markdown_.data() + markdown_.size()) return;
    const auto begin = static_cast<std::size_t>(piece.data() - markdown_.data()), end = begin + piece.size();
    for (std::size_t i = begin; i < end; ++i) {
      if (markdown_[i] != '$') continue;
      // A text of its own begins behind the backslash of an escape.
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
  std::size_t open_ = 0, open_at_ = 0;  ///< dollars that wait for as many, and where
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

}  // namespace

unsigned lesson_markdown_flags() {
  return MD_FLAG_NOINDENTEDCODEBLOCKS;
}

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

std::string with_letters_for(const std::vector<FormulaSpan>& formulas, std::string_view markdown) {
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

}  // namespace ropescope
