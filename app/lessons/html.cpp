// Escaping, inline formulas and emphasis of lesson words in HTML.

#include "app/lessons/html.h"

#include "app/figure/text_flow.h"
#include "core/message.h"

namespace ropescope {

std::string html_of(std::string_view text, const Formulas* formulas) {
  std::string out;
  for (const TextRun& run : runs_of(text, formulas)) {
    if (!run.formula) {
      out += xml_escaped(run.words);
      continue;
    }
    std::string svg = run.formula->svg;
    const std::string size = "<svg role=\"img\" aria-label=\"" + xml_escaped(run.formula->plain) +
                             "\" style=\"width:" + shortest_number(run.formula->width) +
                             "em;height:" + shortest_number(run.formula->height + run.formula->depth) +
                             "em;vertical-align:-" + shortest_number(run.formula->depth) + "em\"";
    if (svg.starts_with("<svg")) svg.replace(0, 4, size);
    while (!svg.empty() && svg.back() == '\n') svg.pop_back();
    out += svg;
  }
  return out;
}

std::string html_of(const LessonParagraph& paragraph, const Formulas* formulas,
                    const std::function<std::string(const std::string& link)>& target) {
  std::string all;
  for (const LessonWords& part : paragraph.words) {
    std::string inside = part.code ? "<code>" + xml_escaped(part.text) + "</code>" : html_of(part.text, formulas);
    if (part.strong) inside.insert(0, "<strong>").append("</strong>");
    const std::string address = target && !part.link.empty() ? target(part.link) : std::string();
    all += address.empty() ? inside : "<a href=\"" + xml_escaped(address) + "\">" + inside + "</a>";
  }
  return all;
}

}  // namespace ropescope
