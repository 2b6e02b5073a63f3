#include <algorithm>
#include <cmath>

#include "app/figure/line_starts.h"
#include "app/figure/screen_line.h"
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

/// The end of the first line of a text whose lines may begin at `starts` (in bytes of `whole`), at most `width` wide.
/// The spaces at a break belong to neither line.
struct Break {
  std::size_t end, next;
};
Break first_break(ImFont* font, std::string_view whole, std::size_t begin, const std::vector<std::size_t>& starts,
                  double width) {
  const std::string_view text = whole.substr(begin);
  const std::size_t newline = std::min(text.find('\n'), text.size());
  const std::size_t fits = fitting_bytes(font, text, width);
  if (newline <= fits) return {newline, std::min(newline + 1, text.size())};
  const auto without_spaces = [&text](std::size_t end) {
    while (end > 0 && text[end - 1] == ' ') --end;
    return end;
  };
  for (auto start = std::upper_bound(starts.begin(), starts.end(), begin + newline); start != starts.begin();) {
    --start;
    if (*start <= begin) break;
    const std::size_t next = *start - begin, end = without_spaces(next);
    if (end > 0 && end <= fits) return {end, next};
  }
  const std::size_t forced = std::max(fits, character_length(text, 0));
  return {forced, forced};
}

}  // namespace

float text_width(ImFont* font, std::string_view text) {
  return line_extent(font, font_size(font), text).width;
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
  const std::vector<std::size_t> starts = line_starts(text);
  std::size_t begin = 0;
  cut = false;
  while (begin < text.size() && lines.size() < count) {
    const Break at = first_break(font, text, begin, starts, width);
    const std::string line = text.substr(begin, at.end);
    begin += at.next;
    if (lines.size() + 1 == count && begin < text.size()) {
      cut = true;
      const double room = width - static_cast<double>(text_width(font, kEllipsis));
      lines.push_back(line.substr(0, fitting_bytes(font, line, room)) + kEllipsis);
      break;
    }
    lines.push_back(line);
  }
  if (count == 0 && !text.empty()) cut = true;
  return lines;
}

namespace {

/// A line as an item of the window, as high as its formulas are.
void line_item(const std::string& line) {
  ImFont* font = ImGui::GetFont();
  const float size = font_size(font);
  const LineExtent extent = line_extent(font, size, line);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec4 colour = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  const auto part = [](float value) { return static_cast<std::uint8_t>(std::lround(255 * value)); };
  draw_screen_line(
      ImGui::GetWindowDrawList(),
      {font, size, {at.x, at.y + extent.over}, {part(colour.x), part(colour.y), part(colour.z), part(colour.w)}}, line);
  ImGui::Dummy({extent.width, size + extent.over + extent.under});
}

}  // namespace

void wrapped_text(const std::string& text, double width) {
  bool cut = false;
  const std::vector<std::string> lines = wrapped_lines(ImGui::GetFont(), text, width, text.size(), cut);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  for (const std::string& line : lines) line_item(line);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

}  // namespace ropescope::ui
