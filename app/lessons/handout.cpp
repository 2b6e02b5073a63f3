// Sets the steps of lessons on pages and in HTML, and paints single steps.
//
// Contents: Pages; Handouts; HTML; PDF.

#include "app/lessons/handout.h"

#include <algorithm>
#include <cmath>

#include "app/figure/gif.h"
#include "app/figure/page.h"
#include "app/figure/page_canvas.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/words.h"

namespace ropescope {

// --- Pages ---------------------------------------------------------------------------------------------------------

namespace {

constexpr double kWordsShare = 0.37;  ///< of the width

/// Sets paragraphs one under the other from the top of a column.
class LessonPageColumn {
 public:
  LessonPageColumn(Scene& scene, const Rect& room, const ViewResult& shown, const MeasureText& measure)
      : scene_(scene), room_(room), shown_(shown), measure_(measure), at_(room.top) {}

  void add(const std::vector<FlowWords>& words, double size, double gap, double indent = 0) {
    const TextFlow flow = flow_text(words, {size, room_.width - indent, 1.32}, shown_.formulas.get(), measure_);
    at_ += gap;
    add_flow(scene_, flow, {room_.left + indent, at_});
    at_ += flow.height();
  }
  double bottom() const { return at_; }

 private:
  Scene& scene_;
  Rect room_;
  const ViewResult& shown_;
  const MeasureText& measure_;
  double at_;
};

struct StepWords {
  const Lesson& lesson;
  const LessonStep& step;
  const ViewResult& shown;
  const Text& text;
};

void add_words(LessonPageColumn& column, const StepWords& words, const Palette& colours, double size) {
  const auto plain = [&](const std::string& said, Colour colour, FontWeight weight = FontWeight::regular) {
    return std::vector<FlowWords>{{filled(said, words.shown), weight, colour}};
  };
  column.add(plain(words.lesson.title, colours.secondary), 0.8 * size, 0);
  column.add(plain(words.step.title, colours.text, FontWeight::semibold), 1.5 * size, 0.2 * size);
  double gap = 0.8 * size;
  for (const LessonParagraph& paragraph : words.step.text) {
    column.add(flow_words(paragraph, words.shown, colours.text), size, gap, paragraph.item ? 0.6 * size : 0);
    gap = 0.5 * size;
  }
  if (!words.step.ask) return;
  const LessonAsk& ask = *words.step.ask;
  column.add(plain(ask.question, colours.accent, FontWeight::semibold), size, size);
  for (std::size_t i = 0; i < ask.choices.size(); ++i) {
    const std::string number = std::to_string(i + 1) + "  ";
    column.add(plain(number + ask.choices[i].text, colours.text), size, 0.35 * size, 0.6 * size);
  }
}

/// Words as large as the column holds them, at most as large as wanted.
double fitting_size(const StepWords& words, const Rect& room, const Palette& colours, double wanted,
                    const MeasureText& measure) {
  double size = wanted;
  for (int i = 0; i < 12; ++i) {
    Scene unused;
    LessonPageColumn column(unused, room, words.shown, measure);
    add_words(column, words, colours, size);
    if (column.bottom() <= room.bottom()) break;
    size *= 0.94;
  }
  return size;
}

}  // namespace

std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme) {
  const Experiment experiment = state_of(lesson, step, assets).experiment;
  const ViewResult whole = draw_view(find_view(experiment.view), experiment, text, store);
  ViewResult shown = whole;
  const LessonStep& one = lesson.steps[step];
  if (one.ask) cover(shown, *one.ask, text);
  const Palette colours = palette(theme);
  const PageSize dots = format == PageFormat::png && size.millimetres
                            ? PageSize{std::round(size.width / 25.4 * 300), std::round(size.height / 25.4 * 300), false}
                            : size;
  PageCanvas canvas(format, dots, {shown.language, shown.font, shown.formulas, colours});
  const MeasureText measure = canvas.measure();
  // Text is as large as in the room: 24 px at 720 lines.
  const double unit = std::min(canvas.height() / 720, canvas.width() / 1280);
  const double margin = 28 * unit;
  const Rect words_room{margin, margin, kWordsShare * canvas.width() - margin, canvas.height() - 2 * margin};
  const StepWords words{lesson, one, whole, text};
  Scene scene;
  LessonPageColumn column(scene, words_room, shown, measure);
  add_words(column, words, colours, fitting_size(words, words_room, colours, 24 * unit, measure));
  FigureOptions options;
  options.text_size = 17 * unit;
  options.line_width = 2.4 * unit;
  options.column = format == PageFormat::png ? std::max(1.0, std::round(unit)) : unit;
  const double left = words_room.right() + margin;
  add_view(scene, shown,
           {{left, margin, canvas.width() - margin - left, canvas.height() - 2 * margin}, colours, options}, measure);
  canvas.fill(colours.canvas);
  canvas.draw(scene);
  return canvas.finish();
}

// --- Handouts ------------------------------------------------------------------------------------------------------

Paper parse_paper(const std::string& name) {
  if (name == "a4") return Paper::a4;
  if (name == "letter") return Paper::letter;
  throw InputError("page.paper", {{"found", name}});
}

std::string handout_title(const std::vector<Lesson>& lessons, const Text& text) {
  if (lessons.size() == 1) return lessons.front().title;
  return text.format("lesson.handout_title", {{"lessons", std::to_string(lessons.size())}});
}

void require_steps(const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) {
    if (!lesson.steps.empty()) continue;
    throw InputError(Words("error.within", {{"place", lesson.file}, {"what", Words("lesson.fault.no_step")}}));
  }
}

HandoutStep handout_step(const Lesson& lesson, std::size_t step, const StepState& state, const Text& text, Store& store,
                         const HandoutOptions& options) {
  HandoutStep made;
  made.experiment = state.experiment;
  made.whole = draw_view(find_view(made.experiment.view), made.experiment, text, store);
  if (options.fault) {
    for (const LessonFault& fault : file_faults_of(lesson, step)) options.fault(fault);
    for (const LessonFault& fault : faults_of(lesson, step, state, made.whole)) options.fault(fault);
  }
  made.covered = made.whole;
  if (lesson.steps[step].ask) cover(made.covered, *lesson.steps[step].ask, text);
  made.command = "ropescope render " + made.experiment.view + " -o figure.svg";
  for (const std::string& assignment : arguments_of(with_files_beside(lesson, made.experiment)))
    made.command += " --set " + shell_quoted(assignment);
  return made;
}

std::string answer_words(const LessonAsk& ask, const ViewResult& shown) {
  std::string words;
  if (const std::optional<std::size_t> right = right_choice(ask, shown)) {
    words = std::to_string(*right + 1) + "  " + filled(ask.choices[*right].text, shown) + ". ";
  }
  return words + filled(ask.after, shown);
}

// --- HTML ----------------------------------------------------------------------------------------------------------

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

// --- PDF -----------------------------------------------------------------------------------------------------------

namespace {

constexpr double kMargin = 54, kSize = 10;  ///< points

/// What stays together on a page, its origin at its top left corner.
struct Block {
  Scene scene;
  double height = 0;
  bool with_next = false;  ///< does not end a page
  std::string place;       ///< links and the outline lead here
  std::string link;        ///< where all of it leads: the name of a place, or a web address
  bool web = false;
};

/// An entry of contents and outline.
struct Entry {
  std::string title, place;
  int level = 0;
};

/// Makes the blocks of the document.
class Writer {
 public:
  Writer(double width, const Palette& colours, const ViewResult& fonts, const MeasureText& measure)
      : width_(width), colours_(colours), formulas_(fonts.formulas), measure_(measure) {}
  std::vector<Block> blocks;
  std::vector<Entry> entries;

  struct Look {
    double size = kSize, gap = 0.5 * kSize, indent = 0;
    FontWeight weight = FontWeight::regular;
    bool faint = false, with_next = false;
  };
  void add_words(const std::vector<FlowWords>& words, const Look& look) {
    const TextFlow flow = flow_text(words, {look.size, width_ - look.indent, 1.32}, formulas_.get(), measure_);
    Block block;
    block.with_next = look.with_next;
    add_flow(block.scene, flow, {look.indent, look.gap});
    block.height = look.gap + flow.height();
    blocks.push_back(std::move(block));
  }
  void add_text(const std::string& text, const Look& look) {
    add_words({{text, look.weight, look.faint ? colours_.secondary : colours_.text}}, look);
  }
  void add_heading(const std::string& title, const std::string& place, int level) {
    add_text(title, {level == 0 ? 18.0 : 12.5, level == 0 ? 0.0 : 18.0, 0, FontWeight::semibold, false, true});
    blocks.back().place = place;
    entries.push_back({title, place, level});
  }
  void add_paragraphs(const std::vector<LessonParagraph>& paragraphs, const ViewResult& shown) {
    for (const LessonParagraph& paragraph : paragraphs) {
      add_words(flow_words(paragraph, shown, colours_.text), {kSize, 0.45 * kSize, paragraph.item ? kSize : 0.0});
    }
  }
  void add_figure(const HandoutStep& step) {
    FigureOptions options;
    options.text_size = 8;
    options.line_width = 1.1;
    options.column = 0.5;
    const double height = step.covered.panels.size() > 3 ? 0.62 * width_ : 0.46 * width_;
    Block block;
    const double top = kSize;
    add_view(block.scene, step.covered, {{0, top, width_, height}, colours_, options}, measure_);
    block.height = top + height;
    block.with_next = true;
    blocks.push_back(std::move(block));
    add_text(step.command, {7.5, 3, 0, FontWeight::regular, true});
    blocks.back().link = "ropescope:" + step.command;
    blocks.back().web = true;
  }
  void add_question(const LessonAsk& ask, const ViewResult& shown) {
    add_text(filled(ask.question, shown), {kSize + 1, kSize, 0, FontWeight::semibold, false, true});
    for (std::size_t i = 0; i < ask.choices.size(); ++i) {
      add_text("☐  " + std::to_string(i + 1) + "  " + filled(ask.choices[i].text, shown), {kSize, 0.4 * kSize, kSize});
      blocks.back().with_next = i + 1 < ask.choices.size();
    }
    add_room();
  }
  void add_room() {
    Block block;
    const int lines = 2;
    for (int i = 1; i <= lines; ++i) {
      const double y = 20.0 * i;
      block.scene.items.push_back(PathItem{{{0, y}, {width_, y}}, colours_.faint, 0.5, Dash::dots});
    }
    block.height = 20.0 * lines + 4;
    blocks.push_back(std::move(block));
  }
  void break_page() {
    Block block;
    block.height = -1;
    blocks.push_back(std::move(block));
  }

 private:
  double width_;
  Palette colours_;
  std::shared_ptr<const Formulas> formulas_;
  MeasureText measure_;
};

/// Which blocks stand on which page, and where.
struct Placed {
  std::size_t block = 0, page = 0;
  double top = 0;
};
std::vector<Placed> set_pages(const std::vector<Block>& blocks, double height) {
  std::vector<Placed> placed;
  std::size_t page = 0;
  double at = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].height < 0) {
      if (at > 0) ++page;
      at = 0;
      continue;
    }
    // A heading goes with what follows it, up to the first block that may end a page.
    double needed = 0;
    std::size_t last = i;
    while (true) {
      needed += blocks[last].height;
      if (!blocks[last].with_next || last + 1 >= blocks.size() || blocks[last + 1].height < 0) break;
      ++last;
    }
    const bool begins = i == 0 || !blocks[i - 1].with_next;
    if (at > 0 && ((begins && at + needed > height && needed <= height) || at + blocks[i].height > height)) {
      ++page;
      at = 0;
    }
    placed.push_back({i, page, at});
    at += blocks[i].height;
  }
  return placed;
}

/// The pages of the contents and of what follows them.
class Printer {
 public:
  Printer(PageCanvas& canvas, const Palette& colours, const Text& text, const MeasureText& measure)
      : canvas_(canvas), colours_(colours), text_(text), measure_(measure) {}

  double body_height() const { return canvas_.height() - 2 * kMargin; }
  double body_width() const { return canvas_.width() - 2 * kMargin; }

  void print(const Writer& writer, const std::string& title) {
    const std::vector<Placed> placed = set_pages(writer.blocks, body_height());
    const std::size_t lines_a_page = static_cast<std::size_t>((body_height() - 40) / kLine);
    const std::size_t contents = (writer.entries.size() + lines_a_page - 1) / lines_a_page;
    std::size_t page = 0;
    for (std::size_t first = 0; first < writer.entries.size(); first += lines_a_page) {
      begin_page(page++);
      if (first == 0) draw_line({title, 20, 0, FontWeight::semibold}, 0);
      for (std::size_t i = first; i < std::min(first + lines_a_page, writer.entries.size()); ++i) {
        draw_entry(writer.entries[i], contents + page_of(writer, placed, writer.entries[i].place) + 1,
                   40 + kLine * static_cast<double>(i - first));
      }
    }
    std::size_t shown = SIZE_MAX;
    for (const Placed& one : placed) {
      if (one.page != shown) {
        begin_page(page++);
        shown = one.page;
      }
      draw_block(writer.blocks[one.block], one.top);
    }
    int chapter = 0;
    for (const Entry& entry : writer.entries) {
      const int number =
          canvas_.add_bookmark(entry.level == 0 ? 0 : chapter, plain_text(formulas(), entry.title), entry.place);
      if (entry.level == 0) chapter = number;
    }
  }
  const Formulas* formulas() const { return text_.formulas().get(); }

 private:
  static constexpr double kLine = 17;
  struct LineLook {
    std::string text;
    double size = kSize, left = 0;
    FontWeight weight = FontWeight::regular;
  };

  static std::size_t page_of(const Writer& writer, const std::vector<Placed>& placed, const std::string& place) {
    for (const Placed& one : placed) {
      if (writer.blocks[one.block].place == place) return one.page;
    }
    return 0;
  }

  void begin_page(std::size_t page) {
    if (page > 0) canvas_.next_page();
    canvas_.fill(colours_.canvas);
    Scene scene;
    scene.items.push_back(TextItem{{canvas_.width() / 2, canvas_.height() - kMargin / 2},
                                   0.5,
                                   0.5,
                                   std::to_string(page + 1),
                                   {8.5},
                                   colours_.secondary,
                                   false});
    canvas_.draw(scene);
  }
  void draw_line(const LineLook& line, double top) {
    Scene scene;
    const TextStyle style{line.size, line.weight};
    scene.items.push_back(TextItem{{kMargin + line.left, kMargin + top},
                                   0,
                                   0,
                                   elided(line.text, style, body_width() - line.left - 40, measure_),
                                   style,
                                   colours_.text,
                                   false});
    canvas_.draw(scene);
  }
  void draw_entry(const Entry& entry, std::size_t page, double top) {
    canvas_.begin_link(entry.place);
    draw_line({entry.title, entry.level == 0 ? 11.5 : kSize, entry.level == 0 ? 0.0 : 16.0,
               entry.level == 0 ? FontWeight::semibold : FontWeight::regular},
              top);
    Scene scene;
    scene.items.push_back(TextItem{
        {canvas_.width() - kMargin, kMargin + top}, 1, 0, std::to_string(page), {kSize}, colours_.secondary, false});
    canvas_.draw(scene);
    canvas_.end_link();
  }
  void draw_block(const Block& block, double top) {
    if (!block.place.empty()) canvas_.name_place(block.place);
    if (!block.link.empty() && block.web) canvas_.begin_web_link(block.link);
    canvas_.translate({kMargin, kMargin + top});
    canvas_.draw(block.scene);
    canvas_.translate({-kMargin, -kMargin - top});
    if (!block.link.empty() && block.web) canvas_.end_link();
  }

  PageCanvas& canvas_;
  Palette colours_;
  const Text& text_;
  const MeasureText& measure_;
};

PageSize size_of(Paper paper) {
  return paper == Paper::a4 ? PageSize{210, 297, true} : PageSize{215.9, 279.4, true};
}

void write_lesson(Writer& writer, const Lesson& lesson, const std::vector<HandoutStep>& steps) {
  writer.add_heading(lesson.title, lesson.id, 0);
  writer.add_paragraphs(lesson.lead, {});
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    writer.add_heading(filled(step.title, steps[i].whole), lesson.id + "/" + step.name, 1);
    writer.add_paragraphs(step.text, steps[i].whole);
    // A step that sets nothing speaks of the figure before it.
    const bool shows = !step.set.empty() || i == 0;
    if (shows && !steps[i].covered.panels.empty()) writer.add_figure(steps[i]);
    if (step.ask) writer.add_question(*step.ask, steps[i].whole);
  }
  writer.break_page();
}

void write_answers(Writer& writer, const std::vector<Lesson>& lessons,
                   const std::vector<std::vector<HandoutStep>>& steps, const Text& text) {
  writer.add_heading(text["lesson.answers"], "answers", 0);
  for (std::size_t k = 0; k < lessons.size(); ++k) {
    writer.add_text(lessons[k].title, {11.5, 14, 0, FontWeight::semibold, false, true});
    for (std::size_t i = 0; i < lessons[k].steps.size(); ++i) {
      const LessonStep& step = lessons[k].steps[i];
      if (!step.ask) continue;
      writer.add_text(filled(step.ask->question, steps[k][i].whole),
                      {kSize, kSize, 0, FontWeight::semibold, false, true});
      writer.add_text(answer_words(*step.ask, steps[k][i].whole), {});
    }
  }
}

}  // namespace

std::string handout_pdf(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                        Store& store, const HandoutOptions& options) {
  require_steps(lessons);
  const Palette colours = palette(ThemeName::light);
  PageCanvas canvas(PageFormat::pdf, size_of(options.paper),
                    {text.language(), text["language.font"], text.formulas(), colours});
  const MeasureText measure = canvas.measure();
  ViewResult fonts;
  fonts.formulas = text.formulas();
  Printer printer(canvas, colours, text, measure);
  Writer writer(printer.body_width(), colours, fonts, measure);
  std::vector<std::vector<HandoutStep>> steps(lessons.size());
  std::size_t all = 0, made = 0;
  for (const Lesson& lesson : lessons) all += lesson.steps.size();
  for (std::size_t k = 0; k < lessons.size(); ++k) {
    StepStates states(lessons[k], assets);
    for (std::size_t i = 0; i < lessons[k].steps.size(); ++i) {
      if (options.stop.stop_requested()) return {};
      steps[k].push_back(handout_step(lessons[k], i, states.next(), text, store, options));
      if (options.progress) options.progress(static_cast<double>(++made) / static_cast<double>(all));
    }
    write_lesson(writer, lessons[k], steps[k]);
  }
  if (options.answers) write_answers(writer, lessons, steps, text);
  const std::string title = handout_title(lessons, text);
  canvas.set_title(plain_text(text.formulas().get(), title));
  printer.print(writer, title);
  return canvas.finish();
}

}  // namespace ropescope
