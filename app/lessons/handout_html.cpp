#include <algorithm>

#include "app/figure/formula_ink.h"
#include "app/figure/gif.h"
#include "app/figure/page.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/step.h"
#include "app/resources/formulas.h"
#include "app/resources/xml.h"
#include "app/views/shared/animation.h"

namespace ropescope {

namespace {

/// All loops of a lesson together; one that would need more is left out, and its figure stands still.
constexpr std::size_t kMostLoopBytes = std::size_t{2} << 20;

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

/// Text with its formulas as small pictures that stand on its baseline.
std::string html_text(std::string_view text, const Formulas* formulas) {
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

/// Writes one document.
class HandoutHtmlPage {
 public:
  explicit HandoutHtmlPage(const Text& text) : text_(text), formulas_(text.formulas().get()) {}
  std::string body;

  void paragraphs(const std::vector<LessonParagraph>& list, const ViewResult& shown) {
    bool items = false;
    for (const LessonParagraph& paragraph : list) {
      if (paragraph.item != items) body += paragraph.item ? "<ul>\n" : "</ul>\n";
      items = paragraph.item;
      body += items ? "<li>" : "<p>";
      for (const LessonWords& part : paragraph.words) {
        const std::string inside =
            part.code ? "<code>" + xml_escaped(part.text) + "</code>" : html_text(filled(part.text, shown), formulas_);
        body += part.strong ? "<strong>" + inside + "</strong>" : inside;
      }
      body += items ? "</li>\n" : "</p>\n";
    }
    if (items) body += "</ul>\n";
  }
  std::string line(const std::string& words, const ViewResult& shown) const {
    return html_text(filled(words, shown), formulas_);
  }
  void question(const LessonAsk& ask, const ViewResult& shown) {
    body += "<div class=\"ask\"><p><strong>" + line(ask.question, shown) + "</strong></p>\n";
    if (!ask.choices.empty()) {
      body += "<ol>\n";
      for (const LessonAsk::Choice& choice : ask.choices) body += "<li>" + line(choice.text, shown) + "</li>\n";
      body += "</ol>\n";
    }
  }
  void answer(const LessonAsk& ask, const ViewResult& shown) {
    body += "<details><summary>" + xml_escaped(text_["lesson.answer"]) + "</summary><p>" +
            html_text(answer_words(ask, shown), formulas_) + "</p></details>\n";
  }

 private:
  const Text& text_;
  const Formulas* formulas_;
};

/// Where Cairo repeats names in several pictures of one document, each gets its own.
std::string with_own_names(std::string svg, const std::string& prefix) {
  for (const std::string_view start : {"id=\"", "xlink:href=\"#", "url(#"}) {
    for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
      at += start.size();
      svg.insert(at, prefix);
    }
  }
  const std::size_t head = svg.find("<svg");
  return head == std::string::npos ? svg : svg.substr(head);
}

/// The loop of what the step sweeps, as an element; empty where it sweeps nothing or would be larger than `room`.
std::string loop_of(const Lesson& lesson, std::size_t step, const HandoutStep& made, const Text& text, Store& store,
                    std::size_t& room) {
  Animation animation;
  animation.experiment = made.experiment;
  for (const LessonSweep& sweep : lesson.steps[step].sweeps) {
    if (const std::optional<Sweep> found = sweep_of(sweep, made.experiment)) animation.sweeps.push_back(*found);
  }
  if (animation.sweeps.empty() || lesson.steps[step].ask) return {};
  animation.frames = 24;
  FramePaint paint;
  paint.format = PageFormat::png;
  paint.size = {720, 420, false};
  paint.theme = ThemeName::light;
  const std::vector<std::string> frames = draw_frames(animation, paint, text, store, {}, [](std::size_t) {});
  const std::string gif = encode_gif(frames, {.frames_per_second = 6}, {}, [](double) {});
  const std::string element =
      "<img alt=\"" + xml_escaped(lesson.steps[step].name) + "\" src=\"data:image/gif;base64," + base64(gif) + "\">\n";
  if (element.size() > room) return {};
  room -= element.size();
  return element;
}

constexpr const char* kStyle =
    "body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:17px/1.5 Inter,'Noto Sans CJK JP','Noto Sans CJK KR',"
    "system-ui,sans-serif;color:#1c1e22;background:#fff}h1{line-height:1.2}h2{margin-top:2.2em;line-height:1.25}"
    "figure{margin:1rem 0}figure svg,figure img{width:100%;height:auto}figcaption{font-size:.75rem;color:#5b616b;"
    "overflow-wrap:anywhere}.ask{border-left:4px solid #0072b2;padding:.2rem 1rem;background:#f3f6fa}nav ul{list-style:"
    "none;padding-left:1rem}.query{fill:#0072b2;color:#0072b2}.key{fill:#d55e00;color:#d55e00}code{font-size:.9em}"
    "@media print{h2{break-after:avoid}figure{break-inside:avoid}}";

std::string contents(const std::vector<Lesson>& lessons, const std::vector<std::vector<HandoutStep>>& steps,
                     const HandoutHtmlPage& page) {
  std::string nav = "<nav><ul>\n";
  for (std::size_t k = 0; k < lessons.size(); ++k) {
    nav += "<li><a href=\"#" + xml_escaped(lessons[k].id) + "\">" + page.line(lessons[k].title, {}) + "</a><ul>\n";
    for (std::size_t i = 0; i < lessons[k].steps.size(); ++i) {
      nav += "<li><a href=\"#" + xml_escaped(lessons[k].id + "-" + lessons[k].steps[i].name) + "\">" +
             page.line(lessons[k].steps[i].title, steps[k][i].whole) + "</a></li>\n";
    }
    nav += "</ul></li>\n";
  }
  return nav + "</ul></nav>\n";
}

void write_step(HandoutHtmlPage& page, const Lesson& lesson, std::size_t place, const HandoutStep& made,
                const std::string& figure, bool answers) {
  const LessonStep& step = lesson.steps[place];
  page.body += "<section id=\"" + xml_escaped(lesson.id + "-" + step.name) + "\">\n<h2>" +
               page.line(step.title, made.whole) + "</h2>\n";
  page.paragraphs(step.text, made.whole);
  if (!figure.empty()) {
    page.body += "<figure>" + figure + "<figcaption>" + xml_escaped(made.command) + "</figcaption></figure>\n";
  }
  if (step.ask) {
    page.question(*step.ask, made.whole);
    if (answers) page.answer(*step.ask, made.whole);
    page.body += "</div>\n";
  }
  page.body += "</section>\n";
}

}  // namespace

std::string handout_html(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                         Store& store, const HandoutOptions& options) {
  require_steps(lessons);
  require_steps(lessons);
  HandoutHtmlPage page(text);
  std::vector<std::vector<HandoutStep>> steps(lessons.size());
  std::size_t all = 0, done = 0;
  for (const Lesson& lesson : lessons) all += lesson.steps.size();
  for (std::size_t k = 0; k < lessons.size(); ++k) {
    const Lesson& lesson = lessons[k];
    StepStates states(lesson, assets);
    std::size_t room = kMostLoopBytes;
    page.body += "<h1 id=\"" + xml_escaped(lesson.id) + "\">" + page.line(lesson.title, {}) + "</h1>\n";
    page.paragraphs(lesson.lead, {});
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
      if (options.stop.stop_requested()) return {};
      steps[k].push_back(handout_step(lesson, i, states.next(), text, store, options));
      const HandoutStep& made = steps[k].back();
      std::string figure = loop_of(lesson, i, made, text, store, room);
      // A step that sets nothing speaks of the figure before it.
      const bool shows = !lesson.steps[i].set.empty() || i == 0;
      if (shows && figure.empty() && !made.covered.panels.empty()) {
        const PageSize size{960, made.covered.panels.size() > 3 ? 640.0 : 460.0, false};
        figure = with_own_names(paint_page(made.covered, PageFormat::svg, size, ThemeName::light),
                                "f" + std::to_string(k) + "-" + std::to_string(i) + "-");
      }
      write_step(page, lesson, i, made, figure, options.answers);
      if (options.progress) options.progress(static_cast<double>(++done) / static_cast<double>(all));
    }
  }
  const std::string title = handout_title(lessons, text);
  const std::string head = "<!DOCTYPE html>\n<html lang=\"" + xml_escaped(text.language()) +
                           "\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                           "<title>" +
                           xml_escaped(plain_text(text.formulas().get(), title)) + "</title><style>" + kStyle +
                           "</style></head>\n<body>\n";
  return head + contents(lessons, steps, page) + page.body + "</body>\n</html>\n";
}

}  // namespace ropescope
