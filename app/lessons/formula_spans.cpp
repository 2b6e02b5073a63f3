#include "app/lessons/formula_spans.h"

namespace ropescope {

namespace {

std::size_t run_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of(text[at], at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

/// Where the paragraph that the offset stands in ends: at an empty line.
std::size_t end_of_paragraph(std::string_view text, std::size_t at) {
  for (std::size_t line = text.find('\n', at); line != std::string_view::npos; line = text.find('\n', line + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r", line + 1);
    if (next == std::string_view::npos || text[next] == '\n') return line;
  }
  return text.size();
}

bool begins_line(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t");
  return before == std::string_view::npos || text[before] == '\n';
}

/// Behind the code that the backticks there begin; behind them alone where nothing closes it. A block's code, which
/// begins a line, may have empty lines.
std::size_t after_code(std::string_view text, std::size_t at) {
  constexpr std::size_t kFence = 3;
  const std::size_t run = run_at(text, at);
  const bool block = run >= kFence && begins_line(text, at);
  const std::size_t end = block ? text.size() : end_of_paragraph(text, at);
  for (std::size_t i = text.find('`', at + run); i < end; i = text.find('`', i)) {
    const std::size_t other = run_at(text, i);
    if (block ? other >= run && begins_line(text, i) : other == run) return i + other;
    i += other;
  }
  return block ? end : at + run;
}

/// Where the formula that these dollars begin is closed, by as many; npos: they begin none.
std::size_t closing_dollars(std::string_view text, std::size_t at, std::size_t count) {
  constexpr std::size_t kNone = std::string_view::npos;
  if (count > 2 || (at > 0 && text[at - 1] == '`')) return kNone;
  const std::size_t end = end_of_paragraph(text, at), first = at + count;
  for (std::size_t i = first; i < end && text[i] != '`'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '$') {
      // Beside code its backticks would be taken for those of the code.
      const bool closes = i > first && run_at(text, i) == count && (i + count == end || text[i + count] != '`');
      return closes ? i : kNone;
    }
  }
  return kNone;
}

}  // namespace

std::string formulas_as_code(std::string_view markdown) {
  std::string code(markdown);
  std::size_t i = 0;
  while (i < markdown.size()) {
    const char c = markdown[i];
    if (c == '`') {
      i = after_code(markdown, i);
    } else if (c == '$') {
      const std::size_t run = run_at(markdown, i), close = closing_dollars(markdown, i, run);
      const bool formula = close != std::string_view::npos;
      for (std::size_t k = 0; formula && k < run; ++k) code[i + k] = code[close + k] = '`';
      i = (formula ? close : i) + run;
    } else {
      i += c == '\\' ? 2 : 1;
    }
  }
  return code;
}

}  // namespace ropescope
