#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// A $formula$ or $$formula$$ of a Markdown text, in bytes.
struct FormulaSpan {
  std::size_t begin, end;  ///< with its dollars
  std::size_t dollars;     ///< 1 or 2 at each end
};

/// How lessons are read: flags of md4c.
unsigned lesson_markdown_flags();

/// The formulas of a text, in their order: each within one paragraph, item or heading, outside of code and HTML. "\$"
/// begins and ends none. md4c's own formulas are none after or before a letter since its version 0.5.1, as they stand
/// in Japanese and Korean ("$\theta$는"). Source of the rule for pairs: md4c 0.4.8, md_analyze_dollar.
std::vector<FormulaSpan> find_formulas(std::string_view markdown);

/// The text with a letter for every byte of a formula, so that whatever reads it takes them for words: of as many
/// bytes, lines and what lines of quotes begin with left as they are.
std::string with_letters_for(const std::vector<FormulaSpan>& formulas, std::string_view markdown);

}  // namespace ropescope
