#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// The stable names of those entries of a registry that something holds for, in its order.
template <class Entries, class Wanted>
std::vector<std::string> entry_names(const Entries& entries, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (wanted(entry)) names.emplace_back(entry.name);
  }
  return names;
}
/// Of all of them.
template <class Entries>
std::vector<std::string> entry_names(const Entries& entries) {
  return entry_names(entries, [](const auto&) { return true; });
}

/// "linear, yarn".
inline std::string joined(const std::vector<std::string>& words, std::string_view between = ", ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

}  // namespace ropescope
