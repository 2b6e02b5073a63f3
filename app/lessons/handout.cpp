// Layout of lesson steps on paper pages, in HTML and as slides.
//
// Contents: Handouts; HTML; PDF; Slides.

#include "app/lessons/handout.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/figure/pages/gif.h"
#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "app/figure/pages/qr.h"
#include "app/figure/text_flow.h"
#include "app/lessons/html.h"
#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/formats/embedded_text.h"
#include "core/message.h"

namespace ropescope {

// --- Handouts ------------------------------------------------------------------------------------------------------

Paper parse_paper(const std::string& name) {
  constexpr auto& kPapers = kWordsOf<Paper>;
  const auto found = std::find(std::begin(kPapers), std::end(kPapers), name);
  if (found == std::end(kPapers)) throw InputError("page.paper", {{"found", name}});
  return static_cast<Paper>(found - std::begin(kPapers));
}

namespace {

using Kind = LessonBlock::Kind;

std::string handout_title(const std::vector<Lesson>& lessons, const Text& text) {
  if (lessons.size() == 1) return lessons.front().title;
  return text.format("lesson.handout_title",
                     {{"lessons", {std::to_string(lessons.size()), static_cast<double>(lessons.size())}}});
}

/// A step as printed: its view, whole, as an open question leaves it and with the goal reached; and the command that
/// draws it.
struct HandoutStep {
  const Lesson& lesson;
  std::size_t place = 0;
  Experiment experiment = {};
  ViewResult whole = {}, covered = {}, solved = {};
  std::string command = {}, link = {};
  const LessonStep& step() const { return lesson.steps[place]; }
  std::vector<LessonBlock> blocks() const { return blocks_of(step(), step().text, whole, &solved); }
  std::vector<LessonBlock> notes() const {
    std::vector<LessonBlock> said = blocks_of(step(), step().notes, whole);
    std::erase_if(said, [](const LessonBlock& block) { return block.kind != Kind::words; });
    return said;
  }
  /// Returns whether its question covers something.
  bool covers() const {
    const std::optional<LessonAsk>& ask = step().ask;
    return ask && (ask->kind == LessonAsk::Kind::draw || ask->kind == LessonAsk::Kind::reach ||
                   !ropescope::covered(*ask).empty());
  }
  /// Returns whether a figure is printed: a step without settings refers to the figure before it.
  bool shows() const { return (!step().set.empty() || place == 0) && !covered.panels.empty(); }
};

/// Draws all steps in order for a painter: `begin` is called before each lesson. Returns false if cancelled. Throws
/// InputError for a lesson without a step.
bool draw_steps(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text, Store& store,
                const HandoutOptions& options, const std::function<void(const Lesson&)>& begin,
                const std::function<void(const HandoutStep&)>& paint) {
  std::size_t all = 0, done = 0;
  for (const Lesson& lesson : lessons) {
    all += lesson.steps.size();
    if (!lesson.steps.empty()) continue;
    throw InputError(Message("error.within", {{"place", lesson.file}, {"what", Message("lesson.fault.no_step")}}));
  }
  for (const Lesson& lesson : lessons) {
    begin(lesson);
    StepStates states(lesson, assets);
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
      if (options.stop.stop_requested()) return false;
      const StepState state = states.next();
      HandoutStep made{lesson, i, state.experiment};
      made.whole = draw_view(find_view(made.experiment.view), made.experiment, text, store);
      made.solved = state.solved == state.experiment
                        ? made.whole
                        : draw_view(find_view(state.solved.view), state.solved, text, store);
      if (options.fault) {
        for (const LessonError& fault : collect_file_errors(lesson, i)) options.fault(fault);
        for (const LessonError& fault : faults_of(lesson, i, state, made.whole, made.solved)) options.fault(fault);
      }
      made.covered = made.whole;
      if (made.step().ask) cover(made.covered, *made.step().ask, text);
      made.command = "ropescope render " + made.experiment.view + " -o figure.svg";
      for (const std::string& assignment : arguments_of(resolve_lesson_files(lesson, made.experiment)))
        made.command += " --set " + shell_quoted(assignment);
      made.link = view_link(made.experiment, options.link);
      paint(made);
      if (options.progress) options.progress(static_cast<double>(++done) / static_cast<double>(all));
    }
  }
  return true;
}

// --- HTML ----------------------------------------------------------------------------------------------------------

/// Limit for all loops of a lesson together; a loop beyond it is omitted, and its figure is static.
constexpr std::size_t kMaxLoopBytes = std::size_t{2} << 20;

/// Renames ids that Cairo repeats in several pictures of one document, so that each is unique.
std::string prefix_svg_ids(std::string svg, const std::string& prefix) {
  for (const std::string_view start : {"id=\"", "xlink:href=\"#", "url(#"}) {
    for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at)) {
      at += start.size();
      svg.insert(at, prefix);
    }
  }
  const std::size_t head = svg.find("<svg");
  return head == std::string::npos ? svg : svg.substr(head);
}

/// Returns the loop of a step's sweep as a GIF; empty without a sweep, or if a question is about its end.
std::string gif_of(const HandoutStep& made, const Text& text, Store& store, const PageSize& size) {
  Animation animation;
  animation.experiment = made.experiment;
  for (const LessonSweep& sweep : made.step().sweeps) {
    if (find_number(made.experiment, sweep.moved.key)) animation.moved.push_back(sweep.moved);
  }
  if (animation.moved.empty() || made.step().ask) return {};
  animation.frames = 24;
  FramePaint paint;
  paint.format = PageFormat::png;
  paint.size = size;
  paint.theme = ThemeName::light;
  const std::vector<std::string> frames = draw_frames(animation, paint, text, store, {}, [](std::size_t) {});
  return encode_gif(frames, {.frames_per_second = 6}, {}, [](double) {});
}

/// Returns the loop as an element; empty if there is none or it would be larger than `room`.
std::string loop_of(const HandoutStep& made, const Text& text, Store& store, std::size_t& room) {
  const std::string gif = gif_of(made, text, store, {720, 420, false});
  if (gif.empty()) return {};
  std::string element =
      "<img alt=\"" + xml_escaped(made.step().name) + "\" src=\"data:image/gif;base64," + base64(gif) + "\">\n";
  if (element.size() > room) return {};
  room -= element.size();
  return element;
}

constexpr const char* kStyle =
    "body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:17px/1.5 Inter,'Noto Sans CJK JP','Noto Sans CJK KR',"
    "system-ui,sans-serif;color:#1c1e22;background:#fff}h1{line-height:1.2}h2{margin-top:2.2em;line-height:1.25}"
    "figure{margin:1rem 0}figure svg,figure img{width:100%;height:auto}figcaption{font-size:.75rem;color:#5b616b;"
    "overflow-wrap:anywhere}.ask{border-left:4px solid #0072b2;padding:.2rem 1rem;background:#f3f6fa}nav ul{list-style:"
    "none;padding-left:1rem}.notes{font-size:.85em;color:#5b616b}html[lang=ko] "
    "body{word-break:keep-all}.query{fill:#0072b2;color:#0072b2}.key{fill:#d55e00;color:#d55e00}code{font-size:.9em}"
    ".narrow{display:none}@media(max-width:40rem){.wide{display:none}.narrow{display:block}}"
    "@media print{h2{break-after:avoid}figure{break-inside:avoid}}";

/// Writes one document and its contents list.
class HtmlHandout {
 public:
  HtmlHandout(const Text& text, bool answers) : text_(text), answers_(answers) {}
  std::string body, contents;

  void begin(const Lesson& lesson) {
    const std::string id = xml_escaped(lesson.id),
                      title = html(paragraph_of(filled(numbered_title(lesson.id, lesson.title), {})));
    contents += (contents.empty() ? "" : "</ul></li>\n") + ("<li><a href=\"#" + id) + "\">" + title + "</a><ul>\n";
    body += "<h1 id=\"" + id + "\">" + title + "</h1>\n";
    for (const LessonParagraph& paragraph : lesson.lead) add({Kind::words, filled(paragraph, {})});
    enter_list("");
  }
  /// `whole`: the figure that the question covers, shown after its answer.
  void add(const LessonBlock& block, const std::string& id = {}, const std::string& figure = {},
           const std::string& whole = {}) {
    const std::string said = html(block.said);
    enter_list(block.kind == Kind::choice ? "ol" : block.said.item ? "ul" : "");
    if (block.kind == Kind::title) {
      contents += "<li><a href=\"#" + id + "\">" + said + "</a></li>\n";
      body += "<section id=\"" + id + "\">\n<h2>" + said + "</h2>\n";
    } else if (block.kind == Kind::figure) {
      body += figure;
    } else if (block.kind == Kind::question) {
      body += "<div class=\"ask\"><p><strong>" + said + "</strong></p>\n";
    } else if (block.kind == Kind::answer) {
      const std::string label = xml_escaped(text_["lesson.answer"]);
      if (answers_) body += "<details><summary>" + label + "</summary><p>" + said + "</p>\n" + whole + "</details>\n";
      body += "</div>\n";
    } else {
      body += list_.empty() ? "<p>" + said + "</p>\n" : "<li>" + said + "</li>\n";
    }
  }

 private:
  /// Ends the open list and starts another one; "": none.
  void enter_list(const std::string& tag) {
    if (tag == list_) return;
    if (!list_.empty()) body += "</" + list_ + ">\n";
    if (!tag.empty()) body += "<" + tag + ">\n";
    list_ = tag;
  }
  std::string html(const LessonParagraph& said) const { return html_of(said, text_.formulas().get()); }

  const Text& text_;
  bool answers_;
  std::string list_ = {};
};

// --- PDF -----------------------------------------------------------------------------------------------------------

constexpr double kMargin = 54, kSize = 10;  ///< points

/// Content kept together on a page, its origin at its top left corner.
struct Block {
  Scene scene = {};
  double height = 0;
  bool with_next = false;  ///< may not end a page
  std::string place = {};  ///< target of links and of the outline
  std::string link = {};   ///< link address of the whole block
  /// A view instead of the scene, `height` being its smallest one; it grows up to `most` where its page has space.
  std::shared_ptr<const ViewResult> figure = {};
  double most = 0;
};

/// An entry of contents and outline.
struct Entry {
  std::string title, place;
  int level = 0;
};

/// Creates the blocks of the document.
class Writer {
 public:
  /// Keeps references to all arguments except the width; they must outlive it.
  Writer(double width, const Palette& colours, const Text& text, const MeasureText& measure)
      : width_(width), colours_(colours), text_(text), formulas_(text.formulas().get()), measure_(measure) {}
  std::vector<Block> blocks;
  std::vector<Entry> entries;

  void begin(const Lesson& lesson) {
    const std::string title = numbered_title(lesson.id, lesson.title);
    add_heading(title, lesson.id, 0);
    for (const LessonParagraph& paragraph : lesson.lead) add_words(filled(paragraph, {}));
    blocks.back().with_next = true;
    answers_.push_back({{paragraph_of(title), {11.5, 14, 0, colours_.text, FontWeight::semibold}, true}, {}});
  }
  void add(const HandoutStep& made, const HandoutOptions& options) {
    const std::size_t first = blocks.size();
    for (const LessonBlock& block : made.blocks()) {
      if (block.kind == Kind::title) add_heading(text_of(block.said), made.lesson.id + "/" + made.step().name, 1);
      if (block.kind == Kind::words) add_words(block.said);
      if (block.kind == Kind::figure && made.shows()) add_figure(made, options.commands);
      if (block.kind == Kind::question) {
        answers_.push_back({{block.said, {kSize, kSize, 0, colours_.text, FontWeight::semibold}, true}, {}});
        add_said({block.said, {kSize + 1, kSize, 0, colours_.text, FontWeight::semibold}, true});
      } else if (block.kind == Kind::choice) {
        add_said({numbered(block, "☐  "), {kSize, 0.4 * kSize, kSize, colours_.text}});
      } else if (block.kind == Kind::answer) {
        answers_.push_back({{block.said, {kSize, 0.5 * kSize, 0, colours_.text}}, {}});
        if (made.covers()) answers_.back().figure = std::make_shared<const ViewResult>(made.solved);
        add_room();
      }
    }
    for (std::size_t i = first; i + 1 < blocks.size(); ++i) blocks[i].with_next = true;
    if (!options.notes || made.step().notes.empty()) return;
    const double size = 0.9 * kSize;
    add_said({paragraph_of(text_["lesson.notes"]), {size, kSize, 0, colours_.secondary, FontWeight::semibold}, true});
    for (const LessonBlock& block : made.notes()) {
      add_said({block.said, {size, 0.3 * kSize, block.said.item ? kSize : 0.0, colours_.secondary}});
    }
  }
  void add_answers(const std::string& title) {
    break_page();
    add_heading(title, "answers", 0);
    for (const Answer& answer : answers_) {
      add_said(answer.said);
      if (!answer.figure || answer.figure->panels.empty()) continue;
      blocks.back().with_next = true;
      add_view_of(answer.figure);
    }
  }

 private:
  struct Said {
    LessonParagraph words;
    BlockLook look;
    bool with_next = false;
  };
  struct Answer {
    Said said;
    std::shared_ptr<const ViewResult> figure = {};  ///< what the question covers
  };
  void add_said(const Said& said) {
    LessonColumn column{{0, 0, width_, 0}, kPaperSpacing, formulas_, measure_};
    column.add(said.words, said.look);
    blocks.push_back({std::move(column.scene), column.bottom, said.with_next});
  }
  void add_words(const LessonParagraph& said) {
    add_said({said, {kSize, 0.45 * kSize, said.item ? kSize : 0.0, colours_.text}});
  }
  void add_heading(const std::string& title, const std::string& place, int level) {
    const double size = level == 0 ? 18.0 : 12.5, gap = level == 0 && blocks.empty() ? 0.0 : 18.0;
    add_said({paragraph_of(title), {size, gap, 0, colours_.text, FontWeight::semibold}, true});
    blocks.back().place = place;
    entries.push_back({title, place, level});
  }
  void add_view_of(const std::shared_ptr<const ViewResult>& shown) {
    // Shares of the width: of one row of panels, and of each further one.
    constexpr double kRow = 0.32, kFurther = 0.11, kMostRow = 0.62, kMostFurther = 0.2, kMost = 1.1;
    double rows = -1;
    for (const Panel& panel : shown->panels) rows += panel.beside && rows >= 0 ? 0 : 1;
    Block block;
    block.figure = shown;
    block.height = kSize + std::min(kMost, kRow + kFurther * rows) * width_;
    block.most = kSize + std::min(kMost, kMostRow + kMostFurther * rows) * width_;
    blocks.push_back(std::move(block));
  }
  void add_figure(const HandoutStep& step, bool command) {
    add_view_of(std::make_shared<const ViewResult>(step.covered));
    blocks.back().link = step.link;
    if (!command) return;
    // The link's QR code is next to the command.
    constexpr double kCode = 54;
    const std::optional<QrCode> code = qr_code(step.link);
    LessonColumn column{{0, 0, width_ - (code ? kCode + kSize : 0), 0}, kPaperSpacing, formulas_, measure_};
    column.add(paragraph_of(step.command), {7.5, 3, 0, colours_.secondary});
    if (code) {
      for (const Rect& rect : qr_rects(*code, {width_ - kCode, 3, kCode, kCode})) {
        column.scene.items.push_back(RectItem{rect, colours_.text});
      }
      column.bottom = std::max(column.bottom, 3 + kCode);
    }
    blocks.push_back({.scene = std::move(column.scene), .height = column.bottom, .link = step.link});
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
  void break_page() { blocks.push_back({.height = -1}); }

  double width_;
  const Palette& colours_;
  const Text& text_;
  const Formulas* formulas_;
  const MeasureText& measure_;
  std::vector<Answer> answers_;  ///< titles, questions and answers, for the end
};

/// The page and place of each block, and its height there.
struct Placed {
  std::size_t block = 0, page = 0;
  double top = 0, height = 0;
};

/// Puts blocks on pages: those that belong together on one page, if they fit on any.
class Pages {
 public:
  Pages(const std::vector<Block>& blocks, double height) : blocks_(blocks), height_(height) {}
  std::vector<Placed> placed;
  std::vector<double> filled;  ///< share of the height, per page

  void set() {
    for (std::size_t i = 0; i < blocks_.size();) {
      if (blocks_[i].height < 0) {
        end_page();
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < blocks_.size() && blocks_[end - 1].with_next && blocks_[end].height >= 0) ++end;
      add_group(i, end);
      i = end;
    }
    end_page();
  }

 private:
  double needed(std::size_t first, std::size_t end) const {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += blocks_[i].height;
    return sum;
  }
  void add_group(std::size_t first, std::size_t end) {
    const double sum = needed(first, end);
    if (at_ > 0 && at_ + sum > height_ && sum <= height_) end_page();
    for (std::size_t i = first; i < end; ++i) {
      if (at_ > 0 && at_ + blocks_[i].height > height_) end_page();
      placed.push_back({i, filled.size(), 0, blocks_[i].height});
      at_ += blocks_[i].height;
    }
  }
  /// Lets the figures of the page grow into the space that is left, each by the same share of what it may.
  void end_page() {
    if (at_ <= 0) return;
    double wanted = 0;
    for (std::size_t i = begun_; i < placed.size(); ++i) {
      const Block& block = blocks_[placed[i].block];
      if (block.figure) wanted += block.most - block.height;
    }
    const double share = wanted > 0 ? std::min(1.0, (height_ - at_) / wanted) : 0;
    double top = 0;
    for (std::size_t i = begun_; i < placed.size(); ++i) {
      const Block& block = blocks_[placed[i].block];
      if (block.figure) placed[i].height += share * (block.most - block.height);
      placed[i].top = top;
      top += placed[i].height;
    }
    filled.push_back(top / height_);
    begun_ = placed.size();
    at_ = 0;
  }

  const std::vector<Block>& blocks_;
  double height_, at_ = 0;
  std::size_t begun_ = 0;  ///< the first placed block of the page
};

/// Prints the contents pages and the pages after them.
class Printer {
 public:
  Printer(PageCanvas& canvas, const Palette& colours, const Text& text, const MeasureText& measure)
      : canvas_(canvas), colours_(colours), text_(text), measure_(measure) {}

  double body_height() const { return canvas_.height() - 2 * kMargin; }
  double body_width() const { return canvas_.width() - 2 * kMargin; }

  void print(const Writer& writer, const std::string& title, const HandoutOptions& options) {
    Pages pages(writer.blocks, body_height());
    pages.set();
    const std::vector<Placed>& placed = pages.placed;
    for (const double share : pages.filled) {
      if (options.page) options.page(share);
    }
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
      draw_block(writer.blocks[one.block], one);
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
  void draw_block(const Block& block, const Placed& placed) {
    if (!block.place.empty()) canvas_.name_place(block.place);
    if (!block.link.empty()) canvas_.begin_web_link(block.link);
    canvas_.translate({kMargin, kMargin + placed.top});
    if (block.figure) {
      FigureOptions options;
      options.text_size = 8;
      options.line_width = 1.1;
      options.column = 0.5;
      Scene scene;
      add_view(scene, *block.figure, {{0, kSize, body_width(), placed.height - kSize}, colours_, options}, measure_);
      canvas_.draw(scene);
    } else {
      canvas_.draw(block.scene);
    }
    canvas_.translate({-kMargin, -kMargin - placed.top});
    if (!block.link.empty()) canvas_.end_link();
  }

  PageCanvas& canvas_;
  Palette colours_;
  const Text& text_;
  const MeasureText& measure_;
};

PageSize size_of(Paper paper) {
  return paper == Paper::a4 ? PageSize{210, 297, true} : PageSize{215.9, 279.4, true};
}

}  // namespace

std::string handout_html(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                         Store& store, const HandoutOptions& options) {
  const ThousandsMark mark(text["language.thousands"]);
  HtmlHandout page(text, options.answers);
  std::size_t room = 0;
  const auto begin = [&](const Lesson& lesson) {
    room = kMaxLoopBytes;
    page.begin(lesson);
  };
  const auto paint = [&](const HandoutStep& made) {
    const auto lesson = std::to_string(&made.lesson - lessons.data());
    const auto painted = [&](const ViewResult& shown, const std::string& kind, const PageSize& size) {
      const std::string prefix = kind + lesson + "-" + std::to_string(made.place) + "-";
      return prefix_svg_ids(paint_page(shown, PageFormat::svg, size, ThemeName::light), prefix);
    };
    // A page of a phone's width has its own picture, with text as large as in the other.
    const auto drawn = [&](const ViewResult& shown, const std::string& kind) {
      const bool many = shown.panels.size() > 3;
      return "<div class=\"wide\">" + painted(shown, kind, {960, many ? 640.0 : 460.0, false}) +
             "</div><div class=\"narrow\">" + painted(shown, kind + "n", {420, many ? 560.0 : 400.0, false}) + "</div>";
    };
    std::string figure = loop_of(made, text, store, room), whole;
    if (figure.empty() && made.shows()) figure = drawn(made.covered, "f");
    if (!figure.empty()) {
      const std::string& caption = options.commands ? made.command : text["handbook.site.open"];
      figure = "<figure>" + figure + "<figcaption><a href=\"" + xml_escaped(made.link) + "\">" + xml_escaped(caption) +
               "</a></figcaption></figure>\n";
    }
    if (options.answers && made.covers()) whole = "<figure>" + drawn(made.solved, "w") + "</figure>\n";
    const std::string id = xml_escaped(made.lesson.id + "-" + made.step().name);
    for (const LessonBlock& block : made.blocks()) page.add(block, id, figure, whole);
    if (options.notes && !made.step().notes.empty()) {
      page.body += "<aside class=\"notes\">\n<p><strong>" + xml_escaped(text["lesson.notes"]) + "</strong></p>\n";
      for (const LessonBlock& block : made.notes()) page.add(block);
      page.body += "</aside>\n";
    }
    page.body += "</section>\n";
  };
  if (!draw_steps(lessons, assets, text, store, options, begin, paint)) return {};
  if (!page.contents.empty()) page.contents += "</ul></li>\n";
  const std::string title = handout_title(lessons, text);
  const std::string head = "<!DOCTYPE html>\n<html lang=\"" + xml_escaped(text.language()) +
                           "\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                           "<title>" +
                           xml_escaped(plain_text(text.formulas().get(), title)) + "</title><style>" + kStyle +
                           "</style></head>\n<body>\n";
  return head + "<nav><ul>\n" + page.contents + "</ul></nav>\n" + page.body + "</body>\n</html>\n";
}

std::string handout_pdf(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                        Store& store, const HandoutOptions& options) {
  const ThousandsMark mark(text["language.thousands"]);
  const Palette colours = palette(ThemeName::light);
  PageCanvas canvas(PageFormat::pdf, size_of(options.paper),
                    {text.language(), text["language.font"], text.formulas(), colours});
  const MeasureText measure = canvas.measure();
  Printer printer(canvas, colours, text, measure);
  Writer writer(printer.body_width(), colours, text, measure);
  const bool whole = draw_steps(
      lessons, assets, text, store, options, [&](const Lesson& lesson) { writer.begin(lesson); },
      [&](const HandoutStep& made) { writer.add(made, options); });
  if (!whole) return {};
  if (options.answers) writer.add_answers(text["lesson.answers"]);
  const std::string title = handout_title(lessons, text);
  canvas.set_title(plain_text(text.formulas().get(), title));
  printer.print(writer, title, options);
  return canvas.finish();
}

// --- Slides --------------------------------------------------------------------------------------------------------

std::string handout_slides(const std::vector<Lesson>& lessons, const std::filesystem::path& assets, const Text& text,
                           Store& store, const HandoutOptions& options,
                           const std::function<void(const std::string& name, const std::string& gif)>& loop) {
  const ThousandsMark mark(text["language.thousands"]);
  const Palette colours = palette(ThemeName::light);
  PageCanvas canvas(PageFormat::pdf, {1280, 720, false},
                    {text.language(), text["language.font"], text.formulas(), colours});
  const SlideLook look{{canvas.width(), canvas.height()}, colours, canvas.measure()};
  std::size_t pages = 0;
  const auto show = [&](const HandoutStep& made, bool answered) {
    ViewResult pointed = answered ? made.solved : made.covered;
    keep_pointed(pointed, made.step(), answered);
    const ViewResult& whole = answered ? made.solved : made.whole;
    for (const Scene& slide : slides_of({made.lesson, made.step(), whole, pointed, answered}, look)) {
      if (pages++ > 0) canvas.next_page();
      canvas.fill(colours.canvas);
      canvas.draw(slide);
    }
  };
  const bool whole = draw_steps(
      lessons, assets, text, store, options, [](const Lesson&) {},
      [&](const HandoutStep& made) {
        show(made, false);
        if (made.step().ask && options.answers) show(made, true);
        const std::string gif = gif_of(made, text, store, {1280, 720, false});
        if (!gif.empty()) loop(made.lesson.id + "-" + made.step().name, gif);
      });
  if (!whole) return {};
  canvas.set_title(plain_text(text.formulas().get(), handout_title(lessons, text)));
  return canvas.finish();
}

}  // namespace ropescope
