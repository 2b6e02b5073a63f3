#include <algorithm>
#include <cmath>

#include "app/figure/page_canvas.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/step.h"

namespace ropescope {

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
