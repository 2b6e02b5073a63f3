#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ropescope {

inline std::string_view trimmed_view(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}
inline std::string trimmed(std::string_view text) {
  return std::string(trimmed_view(text));
}

/// The lines of a block, without their ends.
inline std::vector<std::string_view> lines_of(std::string_view block) {
  std::vector<std::string_view> lines;
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    lines.push_back(block.substr(0, end));
    block = end == std::string_view::npos ? std::string_view() : block.substr(end + 1);
  }
  return lines;
}

/// "a, b": what stands between the commas.
inline std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (std::string name = trimmed(text.substr(0, comma)); !name.empty()) names.push_back(std::move(name));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return names;
}

}  // namespace ropescope
