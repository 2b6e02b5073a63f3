#include <cfloat>

#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr const char* kEllipsis = "…";

/// Length in bytes of the character that starts here.
std::size_t character_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

/// Kana, Han and Hangul may be broken after any character: they start with a byte from 0xE3 to 0xED.
bool is_wide(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xE3 && lead <= 0xED;
}

/// Bytes of the longest beginning that is at most `width` wide.
std::size_t fitting_bytes(ImFont* font, std::string_view text, double width) {
  double taken = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = character_length(text, at);
    taken += static_cast<double>(text_width(font, text.substr(at, length)));
    if (taken > width) break;
    at += length;
  }
  return at;
}

/// Where the first line of the text ends and the next one begins, in bytes.
struct Break {
  std::size_t end, next;
};
Break first_break(ImFont* font, std::string_view text, double width) {
  const std::size_t newline = text.find('\n');
  const std::size_t fits = fitting_bytes(font, text, width);
  if (newline != std::string_view::npos && newline <= fits) return {newline, newline + 1};
  if (fits >= text.size()) return {text.size(), text.size()};
  if (text[fits] == ' ') return {fits, fits + 1};
  std::size_t last = 0;  // the last place where a line may end
  std::size_t after = 0;
  for (std::size_t at = 0; at < fits; at += character_length(text, at)) {
    if (text[at] == ' ') {
      last = at;
      after = at + 1;
    } else if (is_wide(text, at) || text[at] == '/') {  // a long path breaks after a folder
      const std::size_t end = at + character_length(text, at);
      if (end <= fits) last = after = end;
    }
  }
  if (last > 0) return {last, after};
  const std::size_t forced = std::max(fits, character_length(text, 0));
  return {forced, forced};
}

}  // namespace

float text_width(ImFont* font, std::string_view text) {
  return font->CalcTextSizeA(font_size(font), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

std::string shortened(ImFont* font, const std::string& text, double width) {
  if (static_cast<double>(text_width(font, text)) <= width) return text;
  const double room = width - static_cast<double>(text_width(font, kEllipsis));
  if (room < 0) return {};
  std::size_t end = fitting_bytes(font, text, room);
  while (end > 0 && text[end - 1] == ' ') --end;
  return text.substr(0, end) + kEllipsis;
}

std::string shortened_middle(ImFont* font, const std::string& text, double width) {
  if (static_cast<double>(text_width(font, text)) <= width) return text;
  const double room = width - static_cast<double>(text_width(font, kEllipsis));
  if (room < 0) return {};
  const std::string head = text.substr(0, fitting_bytes(font, text, room / 3));
  const double for_tail = room - static_cast<double>(text_width(font, head));
  std::size_t tail = head.size();
  while (tail < text.size() && static_cast<double>(text_width(font, text.substr(tail))) > for_tail) {
    tail += character_length(text, tail);
  }
  return head + kEllipsis + text.substr(tail);
}

std::vector<std::string> wrapped_lines(ImFont* font, const std::string& text, double width, std::size_t count,
                                       bool& cut) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  cut = false;
  while (!rest.empty() && lines.size() < count) {
    const Break at = first_break(font, rest, width);
    if (lines.size() + 1 == count && at.next < rest.size()) {
      cut = true;
      const std::string_view line = rest.substr(0, at.end);
      const double room = width - static_cast<double>(text_width(font, kEllipsis));
      lines.push_back(std::string(line.substr(0, fitting_bytes(font, line, room))) + kEllipsis);
      break;
    }
    lines.emplace_back(rest.substr(0, at.end));
    rest.remove_prefix(at.next);
  }
  if (count == 0 && !text.empty()) cut = true;
  return lines;
}

}  // namespace ropescope::ui
