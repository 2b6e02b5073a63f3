// Layout of a text figure: its paragraphs in lines, as large as space allows. Read scene_parts.h first.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/figure/scene/scene_parts.h"
#include "app/figure/text_flow.h"

namespace ropescope {

namespace {

/// The look of a paragraph, in units of the text's size.
struct ParagraphStyle {
  double size = 1, before = 0;  ///< factor on the em, and the space above
  FontWeight weight = FontWeight::regular;
  Colour colour;
};

ParagraphStyle style_of(Paragraph::Look look, const Palette& palette) {
  switch (look) {
    case Paragraph::Look::title:
      return {1.8, 0, FontWeight::semibold, palette.text};
    case Paragraph::Look::strong:
      return {1.15, 0.5, FontWeight::semibold, palette.text};
    case Paragraph::Look::faint:
      return {0.92, 0.6, FontWeight::regular, palette.secondary};
    case Paragraph::Look::code:
      return {0.92, 0.4, FontWeight::mono, palette.text};
    case Paragraph::Look::body:
      break;
  }
  return {1.15, 0.5, FontWeight::regular, palette.text};
}

/// Returns lines of code: one that is too wide continues below with an indent.
std::vector<std::string> code_lines(const std::string& code, const TextStyle& style, double width,
                                    const MeasureText& measure) {
  const double letter = std::max(measure("0", style).x, 1e-6);
  const auto room = static_cast<std::size_t>(std::max(12.0, std::floor(width / letter)));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    std::string line = code.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    while (line.size() > room) {
      std::size_t cut = line.rfind(' ', room);
      if (cut == std::string::npos || cut <= indent + 8) cut = room;
      lines.push_back(line.substr(0, cut));
      line = std::string(std::min(indent + 8, room / 2), ' ') + line.substr(cut + (line[cut] == ' ' ? 1 : 0));
    }
    lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

/// Paragraphs set in a rectangle at a size, including those that do not fit.
struct SetParagraphs {
  Scene scene;
  double height = 0;
};

SetParagraphs set_paragraphs(const Figure& figure, const Rect& rect, const Palette& palette,
                             const FigureOptions& options, const MeasureText& measure, bool spare) {
  constexpr double kSpacing = 1.3, kCodeSpacing = 1.25, kPadding = 0.5, kButtonRoom = 7;
  const double em = options.text_size;
  SetParagraphs set;
  for (const Paragraph& paragraph : figure.paragraphs) {
    if (paragraph.text.empty() || (paragraph.spare && !spare)) continue;
    const ParagraphStyle look = style_of(paragraph.look, palette);
    const double size = std::max(em * look.size, options.least_text);
    if (set.height > 0) set.height += look.before * em;
    const Vec2 at{rect.left, rect.top + set.height};
    if (paragraph.look != Paragraph::Look::code) {
      const bool by_button = !figure.copies.empty() && set.height == 0;
      const double width = rect.width - (by_button ? kButtonRoom * em : 0);
      const TextFlow flow = flow_text({{paragraph.text, look.weight, look.colour}},
                                      {size, std::max(width, 8 * em), kSpacing}, nullptr, measure);
      add_flow(set.scene, flow, at);
      set.height += flow.height();
      continue;
    }
    const TextStyle style{size, FontWeight::mono};
    const double line = std::ceil(kCodeSpacing * size), pad = kPadding * em;
    const std::vector<std::string> lines = code_lines(paragraph.text, style, rect.width - 2 * pad, measure);
    const double height = line * static_cast<double>(lines.size()) + 2 * pad;
    set.scene.items.push_back(RectItem{{at.x, at.y, rect.width, height}, palette.raised, 0.4 * em});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Vec2 place{at.x + pad, at.y + pad + line * static_cast<double>(i)};
      set.scene.items.push_back(TextItem{place, 0, 0, lines[i], style, look.colour, false});
    }
    set.height += height;
  }
  return set;
}

}  // namespace

FigureLayout lay_out_paragraphs(const Figure& figure, const Rect& rect, const Palette& palette,
                                const FigureOptions& options, const MeasureText& measure) {
  constexpr double kSmallest = 0.7, kStep = 0.05;
  FigureLayout result;
  // Nothing in it is a place of data: its plot is empty, at a corner of the rectangle.
  result.plot = {rect.left, rect.top, 0, 0};
  SetParagraphs set = set_paragraphs(figure, rect, palette, options, measure, true);
  if (set.height > rect.height) set = set_paragraphs(figure, rect, palette, options, measure, false);
  FigureOptions smaller = options;
  const double smallest = std::max(kSmallest, options.least_text / options.text_size);
  for (double size = 1 - kStep; set.height > rect.height && size >= smallest; size -= kStep) {
    smaller.text_size = size * options.text_size;
    set = set_paragraphs(figure, rect, palette, smaller, measure, false);
  }
  // Text that is still below the edge is cut by whole lines.
  for (SceneItem& item : set.scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) {
      if (text->at.y + measure(text->text, text->style).y > rect.bottom() + 0.5) continue;
    } else if (auto* area = std::get_if<RectItem>(&item)) {
      if (area->rect.top >= rect.bottom()) continue;
      area->rect.height = std::min(area->rect.height, rect.bottom() - area->rect.top);
    }
    result.scene.items.push_back(std::move(item));
  }
  return result;
}

}  // namespace ropescope
