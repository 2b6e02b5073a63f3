#include <algorithm>

#include "app/lessons/lesson_page.h"
#include "app/lessons/step.h"

namespace ropescope {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The same axes with nothing in them.
Figure emptied(const Figure& figure, const std::string& message) {
  Figure empty;
  empty.name = figure.name;
  empty.title = figure.title;
  empty.x = figure.x;
  empty.y = figure.y;
  empty.bare = true;
  empty.empty_message = message;
  return empty;
}

}  // namespace

std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const ViewResult& shown, Colour colour) {
  std::vector<FlowWords> words;
  if (paragraph.item) words.push_back({"• ", FontWeight::regular, colour});
  for (const LessonWords& part : paragraph.words) {
    words.push_back({part.code ? part.text : filled(part.text, shown),
                     part.strong ? FontWeight::semibold : FontWeight::regular, colour});
  }
  return words;
}

void cover(ViewResult& shown, const LessonAsk& ask, const Text& text) {
  const std::vector<std::string> names = covered(ask);
  for (Panel& panel : shown.panels) {
    if (has(names, panel.figure.name)) panel.figure = emptied(panel.figure, text["lesson.covered"]);
    if (ask.kind != LessonAsk::Kind::draw || panel.figure.name != ask.figure) continue;
    std::erase_if(panel.figure.lines, [&](const Line& line) { return line.key == ask.curve; });
  }
  // Numbers below would say where a curve goes.
  const bool all = ask.kind == LessonAsk::Kind::draw;
  std::erase_if(shown.readouts, [&](const Readout& readout) { return all || has(names, readout.name); });
}

}  // namespace ropescope
