#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/experiment/experiment.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// `problem`: the key of a text.
[[noreturn]] void reject(const std::string& option, const std::string& part, std::string_view problem) {
  throw InputError(option, "number_list.part", {{"part", part}, {"problem", Words(problem)}});
}

std::string_view lists_trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Appends the numbers of "a", "a:b" or "a:b:step".
void append(const std::string& part, const std::string& option, std::size_t limit, std::vector<double>& numbers) {
  double ends[3] = {0, 0, 1};
  int count = 0;
  std::size_t begin = 0;
  for (bool more = true; more; ++count) {
    if (count == 3) reject(option, part, "number_list.too_many_colons");
    const std::size_t end = part.find(':', begin);
    more = end != std::string::npos;
    const std::optional<double> number =
        parse_number(lists_trimmed(std::string_view(part).substr(begin, more ? end - begin : part.size())));
    if (!number) reject(option, part, "number_list.no_number");
    ends[count] = *number;
    begin = end + 1;
  }
  const auto check_room = [&](double wanted) {
    if (wanted + static_cast<double>(numbers.size()) > static_cast<double>(limit)) {
      throw InputError(option, "number_list.too_many", {{"part", part}, {"most", limit}});
    }
  };
  if (count == 1) {
    check_room(1);
    numbers.push_back(ends[0]);
    return;
  }
  const auto [first, last, step] = ends;
  if (step == 0) reject(option, part, "number_list.no_step");
  // The last number counts even where rounding lets first + n·step fall just beyond it.
  const double steps = std::floor((last - first) / step * (1 + 1e-12) + 1e-12);
  if (!(steps >= 0)) reject(option, part, "number_list.empty");
  check_room(steps + 1);
  // Exactly as many as there will be, where they are most of them: a vector that grows holds three times as much.
  const std::size_t wanted = numbers.size() + static_cast<std::size_t>(steps) + 1;
  if (wanted > numbers.capacity()) numbers.reserve(std::max(wanted, numbers.capacity() + numbers.capacity() / 2));
  for (double i = 0; i <= steps; ++i) numbers.push_back(first + i * step);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_list(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  return text.find_first_of(kDigits) != std::string_view::npos &&
         text.find_first_not_of("0123456789+-.eE:, ") == std::string_view::npos;
}

std::vector<double> parse_list(const std::string& text, const std::string& option, std::size_t limit) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  for (bool more = true; more;) {
    const std::size_t end = text.find(',', begin);
    more = end != std::string::npos;
    append(text.substr(begin, more ? end - begin : std::string::npos), option, limit, numbers);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace ropescope
