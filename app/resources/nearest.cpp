#include "app/resources/nearest.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ropescope {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Levenshtein's distance by one row of the table at a time.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, exchanged}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known,
                                       std::size_t count) {
  constexpr std::size_t kLongestWord = 200;
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::string wanted = lower(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : known) {
    const std::string name = lower(candidate);
    const std::size_t distance = edit_distance(wanted, name);
    if (name.find(wanted) != std::string::npos) {
      found.emplace_back(0, candidate);
    } else if (2 * distance <= std::max(wanted.size(), name.size())) {
      found.emplace_back(distance, candidate);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) result.push_back(found[i].second);
  return result;
}

std::string or_list(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

}  // namespace ropescope
