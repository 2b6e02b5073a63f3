#include "app/commands/echo.h"

#include <algorithm>
#include <string_view>

#include "core/short_text.h"

namespace ropescope {

namespace {

void replace_all(std::string& message, std::string_view long_text) {
  const std::string short_text = without_middle(long_text);
  if (short_text.size() == long_text.size()) return;
  for (std::size_t at = message.find(long_text); at != std::string::npos; at = message.find(long_text, at)) {
    message.replace(at, long_text.size(), short_text);
    at += short_text.size();
  }
}

/// What stands between two of `ends`, shortened.
std::string shortened_between(std::string_view message, std::string_view ends) {
  std::string shorter;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find_first_of(ends, begin), message.size());
    shorter += without_middle(message.substr(begin, end - begin));
    if (end < message.size()) shorter += message[end];
    begin = end + 1;
  }
  return shorter;
}

/// Texts in quotes; sentences between them are the program's own.
std::string with_short_quotes(const std::string& message) {
  std::string shorter;
  bool quoted = false;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('"', begin), message.size());
    const std::string_view part = std::string_view(message).substr(begin, end - begin);
    shorter += quoted && end < message.size() ? without_middle(part) : std::string(part);
    if (end < message.size()) shorter += '"';
    quoted = !quoted;
    begin = end + 1;
  }
  return shorter;
}

}  // namespace

std::string with_short_echoes(std::string message, std::span<char* const> arguments) {
  if (message.size() <= kMostEchoed) return message;
  for (const char* argument : arguments) {
    const std::string_view text(argument);
    replace_all(message, text);
    // "--option=value", "key=value".
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && equals + 1 < text.size()) replace_all(message, text.substr(equals + 1));
  }
  return shortened_between(with_short_quotes(message), " \"");
}

}  // namespace ropescope
