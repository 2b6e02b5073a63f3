// Parsing of a lesson from its Markdown: the parts that read_lesson.cpp, read_blocks.cpp and lesson.cpp share. The
// result is declared in lesson.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ropescope {

struct LessonError;
struct LessonStep;

// --- Cuts ----------------------------------------------------------------------------------------------------------

inline std::string_view trimmed_view(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}
inline std::string trimmed(std::string_view text) {
  return std::string(trimmed_view(text));
}

/// Returns the lines of a block, without their line ends.
inline std::vector<std::string_view> lines_of(std::string_view block) {
  std::vector<std::string_view> lines;
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    lines.push_back(block.substr(0, end));
    block = end == std::string_view::npos ? std::string_view() : block.substr(end + 1);
  }
  return lines;
}

/// Splits "a, b" at the commas.
std::vector<std::string> names_in(std::string_view text);

// --- Blocks --------------------------------------------------------------------------------------------------------

/// Reads `set`, `sweep` and `point` of a block that begins in this line.
void read_set(LessonStep& step, std::string_view block, int line, std::vector<LessonError>& faults,
              const std::string& file);
/// Reads the question in a block `ask`.
void read_ask(LessonStep& step, std::string_view block, int line, bool translation, std::vector<LessonError>& faults,
              const std::string& file);

// --- Formulas ------------------------------------------------------------------------------------------------------

/// The byte range of a $formula$ or $$formula$$ in a Markdown text.
struct FormulaSpan {
  std::size_t begin, end;  ///< including its dollars
  std::size_t dollars;     ///< 1 or 2 at each end
};

/// What "$$…$$" adds to the source of its formula.
inline constexpr std::string_view kDisplayStyle = "\\displaystyle ";

/// Returns the formulas of a text in order: each within one paragraph, item or heading, outside code and HTML; "\$" is
/// no delimiter. md4c's own detection is not used: since version 0.5.1 it finds none next to letters, as in Japanese
/// and Korean ("$\theta$는"). Source of the rule for pairs: md4c 0.4.8, md_analyze_dollar.
std::vector<FormulaSpan> find_formulas(std::string_view markdown);

}  // namespace ropescope
