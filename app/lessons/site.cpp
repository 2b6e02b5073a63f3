// Pages of the site: chapters and lessons as HTML, their figures, the style and the search.
//
// Contents: Style and search; Writer; Pages.

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/figure/pages/page.h"
#include "app/lessons/handbook.h"
#include "app/lessons/html.h"
#include "app/lessons/step_page.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope {

// --- Style and search ----------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"ropescope help --site\">";

constexpr const char* kSiteStyle = R"(:root {
  color-scheme: light dark;
  --text: #1c1e22; --soft: #5b616b; --back: #fff; --panel: #f3f6fa; --line: #d5dae1; --link: #00619c;
  --query: #0072b2; --key: #b84f00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e8eb; --soft: #a6adb8; --back: #15171b; --panel: #20242a; --line: #3a4049; --link: #79bdf0;
    --query: #56b4e9; --key: #e69f00;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; color: var(--text); background: var(--back);
  font: 17px/1.55 Inter, 'Noto Sans CJK JP', 'Noto Sans CJK KR', system-ui, sans-serif;
}
html[lang=ko] body { word-break: keep-all; }
a { color: var(--link); }
header {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center;
  padding: .5rem 1rem; background: var(--panel); border-bottom: 1px solid var(--line);
}
header > a { font-weight: 600; color: inherit; text-decoration: none; }
.search { position: relative; flex: 1 1 12rem; max-width: 28rem; }
.search input {
  width: 100%; padding: .35rem .6rem; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: .3rem;
}
#found { position: absolute; left: 0; right: 0; margin: .2rem 0 0; padding: 0; list-style: none; background: var(--back);
  border: 1px solid var(--line); border-radius: .3rem; max-height: 70vh; overflow-y: auto; }
#found:empty { display: none; }
#found a, #found span { display: block; padding: .3rem .6rem; text-decoration: none; }
#found small, .live, figcaption, footer { color: var(--soft); }
.body { display: grid; grid-template-columns: 17rem minmax(0, 50rem); gap: 2.5rem; padding: 0 1rem; }
nav, main { grid-row: 1; }
nav { grid-column: 1; font-size: .9rem; padding: 1rem 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: .3rem 0; }
nav [aria-current] { font-weight: 600; color: inherit; text-decoration: none; }
main { grid-column: 2; padding: 1rem 0 4rem; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.2em; }
pre, .table { overflow-x: auto; }
pre { padding: .7rem 1rem; background: var(--panel); border-radius: .3rem; line-height: 1.4; }
code { font-size: .9em; overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; }
table { border-collapse: collapse; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
figure { margin: 1.2rem 0; }
figure img { width: 100%; height: auto; border: 1px solid var(--line); border-radius: .3rem; }
figcaption, .live { font-size: .85rem; }
.ask { padding: .2rem 1rem; background: var(--panel); border-left: 4px solid var(--query); }
.query { fill: var(--query); color: var(--query); }
.key { fill: var(--key); color: var(--key); }
@media (max-width: 60rem) {
  .body { display: block; }
  main { padding-bottom: 1rem; }
  nav { border-top: 1px solid var(--line); }
}
)";

constexpr const char* kSearch = R"(// Search in titles and headings; index.js has the entries: [heading, address, page].
const box = document.querySelector('#search'), list = document.querySelector('#found');
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ([heading, , page]) => words.every((word) => `${heading} ${page}`.toLowerCase().includes(word));
  const found = words.length ? entries.filter(fits).slice(0, 20) : [];
  list.replaceChildren(...found.map(([heading, address, page]) => {
    const item = document.createElement('li'), link = document.createElement('a'), of = document.createElement('small');
    link.href = address;
    link.textContent = heading + ' ';
    of.textContent = page === heading ? '' : page;
    link.append(of);
    item.append(link);
    return item;
  }));
  if (words.length && !found.length) list.innerHTML = '<li><span></span></li>';
  if (words.length && !found.length) list.querySelector('span').textContent = list.dataset.none;
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.replaceChildren();
  if (event.key === '/' && event.target !== box) {
    event.preventDefault();
    box.focus();
  }
});
)";

std::string start_of_page(const std::string& language, const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"" + xml_escaped(language) + "\">\n<head>\n<meta charset=\"utf-8\">\n" +
         std::string(kGenerator) +
         "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + xml_escaped(title) +
         "</title>\n";
}

// --- Writer --------------------------------------------------------------------------------------------------------

using Write = std::function<void(const std::string& path, const std::string& content)>;

/// A page of the site, its headings as entries of the search.
struct SitePage {
  std::string file, title;  ///< the title in plain Unicode
  std::string html;
  std::vector<std::pair<std::string, std::string>> headings = {};  ///< text and anchor
  bool in_english = false;                                         ///< in a language into which it is not translated
};

/// Writes the pages of one language.
class SiteWriter {
 public:
  /// Keeps references to all arguments; they must outlive it.
  SiteWriter(const std::filesystem::path& assets, const Text& text, Store& store, const SiteOptions& options,
             const Write& write)
      : assets_(assets), text_(text), store_(store), options_(options), write_(write) {}

  SitePage chapter_page(const std::string& id) {
    Lesson chapter = load_chapter(assets_, id, text_.language());
    set_formulas(chapter, *text_.formulas(), true);
    const std::string name = id.substr(kHandbook.size());
    SitePage page{name + ".html", plain(chapter.title), {}};
    page.in_english = chapter.language != text_.language();
    StepStates states(chapter, assets_);
    for (const LessonStep& section : chapter.steps) {
      const StepState state = states.next();
      const bool first = &section == &chapter.steps.front();
      begin_section(page, section.name, html_of(section.title, formulas()), plain(section.title), first);
      if (first && page.in_english) {
        page.html += "<p class=\"live\">" + xml_escaped(text_["handbook.in_english"]) + "</p>\n";
      }
      for (const LessonParagraph& paragraph : section.text) add(page, paragraph);
      close(page);
      if (!section.set.empty()) add_figure(page, chapter, section, state.experiment);
      page.html += "</section>\n";
    }
    return page;
  }

  SitePage lesson_page(const std::string& id) {
    Lesson lesson = load_lesson(assets_, id, text_.language());
    set_formulas(lesson, *text_.formulas(), true);
    SitePage page{"lesson-" + id + ".html", plain(lesson.title), {}};
    page.headings.emplace_back(page.title, std::string());
    page.html += "<h1>" + html_of(lesson.title, formulas()) + "</h1>\n<p class=\"live\">" +
                 xml_escaped(text_.format("lesson.minutes", {{"minutes", shortest_number(lesson.minutes)}})) + "</p>\n";
    for (const LessonParagraph& paragraph : lesson.lead) add(page, paragraph);
    close(page);
    StepStates states(lesson, assets_);
    for (const LessonStep& step : lesson.steps) add_step(page, lesson, step, states.next());
    return page;
  }

  /// Returns the reference of the Python package (assets/reference/make.py), in English in every language.
  SitePage reference_page() {
    const nlohmann::json entries = nlohmann::json::parse(read_file(assets_ / "reference/python.json"));
    SitePage page{"python.html", text_["handbook.site.python"], {}};
    begin_section(page, "python", xml_escaped(page.title), page.title, true);
    page.in_english = text_.language() != kEnglish;
    if (page.in_english) {
      page.html += "<p class=\"live\">" + xml_escaped(text_["handbook.in_english"]) + "</p>\n";
    }
    page.html += "</section>\n";
    for (const nlohmann::json& entry : entries) {
      const auto name = entry.at("name").get<std::string>();
      begin_section(page, name, "<code>" + xml_escaped(name) + "</code>", name, false);
      page.html += "<pre><code>" + xml_escaped(entry.at("signature").get<std::string>()) + "</code></pre>\n";
      for (const nlohmann::json& part : entry.at("doc")) {
        if (part.is_string()) {
          page.html += "<p>" + xml_escaped(part.get<std::string>()) + "</p>\n";
        } else {
          const std::string code = joined(part.get<std::vector<std::string>>(), "\n");
          page.html += "<pre><code>" + xml_escaped(code) + "</code></pre>\n";
        }
      }
      page.html += "</section>\n";
    }
    return page;
  }

  void write_page(const SitePage& page, const std::vector<SitePage>& chapters, const std::vector<SitePage>& lessons) {
    std::string html = start_of_page(text_.language(), page.title + " · ropescope");
    html +=
        "<link rel=\"stylesheet\" href=\"../site.css\">\n<script src=\"index.js\" defer></script>\n"
        "<script src=\"../search.js\" defer></script>\n</head>\n<body>\n<header>\n<a href=\"index.html\">" +
        xml_escaped(text_["handbook.site.title"]) +
        "</a>\n<div class=\"search\"><input id=\"search\" type=\"search\" "
        "autocomplete=\"off\" placeholder=\"" +
        xml_escaped(text_["handbook.site.search"]) + "\" aria-label=\"" + xml_escaped(text_["handbook.site.search"]) +
        "\"><ul id=\"found\" data-none=\"" + xml_escaped(text_["shell.find.nothing"]) + "\"></ul></div>\n<span>";
    for (const std::string& language : languages(assets_)) {
      html += language == text_.language() ? "<strong>" : "<a href=\"../" + language + "/" + page.file + "\">";
      html += xml_escaped(text_["language." + language]);
      html += language == text_.language() ? "</strong> " : "</a> ";
    }
    html += "</span>\n</header>\n<div class=\"body\">\n<main>\n" + page.html + "</main>\n<nav>\n";
    add_list(html, text_["handbook.list"], chapters, page.file);
    add_list(html, text_["lesson.list"], lessons, page.file);
    write_(text_.language() + "/" + page.file, html + "</nav>\n</div>\n</body>\n</html>\n");
  }

  SitePage home_page(const std::vector<SitePage>& chapters, const std::vector<SitePage>& lessons) const {
    SitePage page{"index.html", text_["handbook.site.title"], {}};
    page.html = "<h1>" + xml_escaped(text_["handbook.site.title"]) + "</h1>\n<p>" +
                xml_escaped(text_["handbook.site.about"]) + "</p>\n<p><a href=\"" + xml_escaped(home_link()) + "\">" +
                xml_escaped(text_["handbook.site.start"]) + "</a></p>\n";
    for (const auto& [heading, pages] :
         {std::pair(text_["handbook.list"], &chapters), std::pair(text_["lesson.list"], &lessons)}) {
      page.html += "<h2>" + xml_escaped(heading) + "</h2>\n<ul>\n";
      for (const SitePage& one : *pages) {
        page.html += "<li><a href=\"" + one.file + "\">" + xml_escaped(entry_of(one)) + "</a></li>\n";
      }
      page.html += "</ul>\n";
    }
    return page;
  }

  void write_index(const std::vector<SitePage>& chapters, const std::vector<SitePage>& lessons) const {
    nlohmann::json entries = nlohmann::json::array();
    for (const auto* pages : {&chapters, &lessons}) {
      for (const SitePage& page : *pages) {
        for (const auto& [heading, anchor] : page.headings) {
          const std::string place = heading == page.title ? std::string() : "#" + anchor;
          entries.push_back({heading, page.file + place, page.title});
        }
      }
    }
    write_(text_.language() + "/index.js", "const entries = " + entries.dump(0) + ";\n");
  }

 private:
  const Formulas* formulas() const { return text_.formulas().get(); }
  std::string plain(const std::string& text) const { return plain_text(formulas(), text); }

  /// Returns the prefix of links for a page in a language's folder.
  std::string prefix() const {
    const bool whole = options_.link.starts_with("/") || options_.link.find(':') != std::string::npos;
    return whole ? options_.link : "../" + options_.link;
  }
  std::string home_link() const { return view_link(Experiment(), prefix()); }
  std::string step_link(const Lesson& lesson, const LessonStep& step, const Experiment& experiment) const {
    if (options_.link == kOwnAddress) return view_link(experiment, kOwnAddress);
    return prefix() + std::string(kLessonLink) + lesson.id + "/" + step.name;
  }
  /// Returns the address for a link of a chapter; empty for files of the checkout, which the site lacks.
  static std::string target_of(const std::string& link) {
    if (link.starts_with("#") || link.starts_with("https://") || link.starts_with("http://")) return link;
    const std::optional<std::string> chapter = find_linked_chapter(link);
    if (!chapter) return {};
    const std::size_t place = link.find('#');
    return chapter->substr(kHandbook.size()) + ".html" + (place == std::string::npos ? "" : link.substr(place));
  }

  void begin_section(SitePage& page, const std::string& anchor, const std::string& html, const std::string& heading,
                     bool title) {
    const std::string tag = title ? "h1" : "h2";
    page.html += "<section id=\"" + xml_escaped(anchor) + "\">\n<" + tag + ">" + html + "</" + tag + ">\n";
    page.headings.emplace_back(heading, anchor);
  }

  /// Ends the open list or table, if any, and starts another one; "": none.
  void enter(SitePage& page, const std::string& tag) {
    if (tag == open_) return;
    constexpr std::string_view kTable = "table";  // in an element that scrolls
    if (!open_.empty()) page.html += "</" + open_ + ">\n" + (open_ == kTable ? "</div>\n" : "");
    if (!tag.empty()) page.html += (tag == kTable ? "<div class=\"table\">\n<" : "<") + tag + ">\n";
    open_ = tag;
  }
  void close(SitePage& page) { enter(page, ""); }

  void add(SitePage& page, const LessonParagraph& paragraph) {
    using Kind = LessonParagraph::Kind;
    const std::string said = html_of(paragraph, formulas(), target_of);
    if (paragraph.kind == Kind::head) close(page);  // two tables in a row are two
    const bool row = paragraph.kind == Kind::head || paragraph.kind == Kind::row;
    enter(page, row ? "table" : paragraph.item ? (paragraph.number > 0 ? "ol" : "ul") : "");
    if (row) {
      const std::string cell = paragraph.kind == Kind::head ? "th" : "td";
      page.html += "<tr>";
      for (const LessonParagraph& one : cells_of(paragraph)) {
        page.html.append("<").append(cell).append(">").append(html_of(one, formulas(), target_of));
        page.html.append("</").append(cell).append(">");
      }
      page.html += "</tr>\n";
    } else if (paragraph.kind == Kind::code) {
      page.html += "<pre><code>" + xml_escaped(text_of(paragraph)) + "</code></pre>\n";
    } else if (paragraph.item) {
      page.html += "<li>" + said + "</li>\n";
    } else if (paragraph.words.size() == 1 && paragraph.words.front().strong) {
      page.html += "<h3>" + html_of(paragraph.words.front().text, formulas()) + "</h3>\n";
    } else if (!said.empty()) {
      page.html += "<p>" + said + "</p>\n";
    }
  }

  /// Adds the figure of a section. A chapter in English shows the English figure in every language.
  void add_figure(SitePage& page, const Lesson& chapter, const LessonStep& section, const Experiment& experiment) {
    const std::string name = "/pictures/" + chapter.id.substr(kHandbook.size()) + "-" + section.name;
    const std::string from = chapter.language + name;
    PageSize size{960, 460, false};
    if (chapter.language == text_.language()) {
      const ViewResult shown = draw_view(find_view(experiment.view), experiment, text_, store_);
      if (shown.panels.empty()) return;
      if (shown.panels.size() > 3) size.height = 640;
      for (const ThemeName theme : {ThemeName::light, ThemeName::dark}) {
        PageStyle style;
        style.theme = theme;
        style.carries = figure_text(experiment);
        write_(from + (theme == ThemeName::dark ? "-dark.svg" : ".svg"),
               paint_page(shown, PageFormat::svg, size, style));
      }
    }
    const std::string command = render_command(section);
    page.html += "<figure>\n<picture><source srcset=\"../" + from +
                 "-dark.svg\" media=\"(prefers-color-scheme: dark)\"><img src=\"../" + from + ".svg\" alt=\"" +
                 xml_escaped(plain(section.title)) + "\" loading=\"lazy\"></picture>\n<figcaption>" +
                 open_link(view_link(experiment, prefix())) +
                 (command.empty() ? "" : "<br><code>" + xml_escaped(command) + "</code>") +
                 "</figcaption>\n</figure>\n";
  }
  std::string open_link(const std::string& address) const {
    return "<a href=\"" + xml_escaped(address) + "\">" + xml_escaped(text_["handbook.site.open"]) + "</a>";
  }

  void add_step(SitePage& page, const Lesson& lesson, const LessonStep& step, const StepState& state) {
    using Kind = LessonBlock::Kind;
    const auto draw = [this](const Experiment& experiment) {
      return draw_view(find_view(experiment.view), experiment, text_, store_);
    };
    const ViewResult shown = draw(state.experiment);
    const ViewResult solved = state.solved == state.experiment ? shown : draw(state.solved);
    for (const LessonBlock& block : blocks_of(step, step.text, shown, &solved)) {
      const std::string said = html_of(block.said, formulas(), target_of);
      if (block.kind != Kind::words && block.kind != Kind::choice) close(page);
      switch (block.kind) {
        case Kind::title:
          begin_section(page, step.name, said, plain(text_of(block.said)), false);
          break;
        case Kind::words:
          add(page, block.said);
          break;
        case Kind::figure:
          page.html += "<p class=\"live\">" + open_link(step_link(lesson, step, state.experiment)) + "</p>\n";
          break;
        case Kind::question:
          page.html += "<div class=\"ask\">\n<p><strong>" + said + "</strong></p>\n";
          break;
        case Kind::choice:
          enter(page, "ol");
          page.html += "<li>" + said + "</li>\n";
          break;
        case Kind::answer:
          page.html += "<details><summary>" + xml_escaped(text_["lesson.answer"]) + "</summary><p>" + said +
                       "</p></details>\n</div>\n";
          break;
      }
    }
    close(page);
    page.html += "</section>\n";
  }

  /// Returns a page's title in a list, which marks pages that are in English only.
  std::string entry_of(const SitePage& page) const {
    return page.in_english ? text_.format("handbook.site.in_english", {{"title", page.title}}) : page.title;
  }

  void add_list(std::string& html, const std::string& heading, const std::vector<SitePage>& pages,
                const std::string& current) const {
    html += "<p><strong>" + xml_escaped(heading) + "</strong></p>\n<ul>\n";
    for (const SitePage& page : pages) {
      html += "<li><a href=\"" + page.file + "\"" + (page.file == current ? " aria-current=\"page\"" : "") + ">" +
              xml_escaped(entry_of(page)) + "</a></li>\n";
    }
    html += "</ul>\n";
  }

  const std::filesystem::path& assets_;
  const Text& text_;
  Store& store_;
  const SiteOptions& options_;
  const Write& write_;
  std::string open_ = {};  ///< the open list or table
};

// --- Pages ---------------------------------------------------------------------------------------------------------

/// Returns the page that leads to the reader's language, or to English.
std::string root_page(const std::filesystem::path& assets) {
  const Text english = Text::load(assets);
  std::string html = start_of_page(kEnglish, english["handbook.site.title"]), known;
  std::string list;
  for (const std::string& language : languages(assets)) {
    known.append(known.empty() ? "'" : ", '").append(language).append("'");
    list.append("<li><a href=\"").append(language).append("/index.html\" lang=\"").append(language).append("\">");
    list.append(xml_escaped(english["language." + language])).append("</a></li>\n");
  }
  html +=
      "<link rel=\"stylesheet\" href=\"site.css\">\n<script>\nconst wanted = navigator.language.slice(0, 2);\n"
      "location.replace(([" +
      known + "].includes(wanted) ? wanted : 'en') + '/index.html');\n</script>\n</head>\n<body>\n<main>\n<ul>\n" +
      list + "</ul>\n</main>\n</body>\n</html>\n";
  return html;
}

}  // namespace

bool is_site_index(std::string_view html) {
  return html.find(kGenerator) != std::string_view::npos;
}

void make_site(const std::filesystem::path& assets, Store& store, const SiteOptions& options, const Write& write) {
  write(std::string(kSiteIndex), root_page(assets));
  write("site.css", kSiteStyle);
  write("search.js", kSearch);
  const std::vector<LessonEntry> chapters = list_chapters(assets), lessons = list_lessons(assets);
  const std::vector<std::string> all = languages(assets);
  const double steps = static_cast<double>(all.size() * (chapters.size() + lessons.size()));
  std::size_t done = 0;
  const auto advance = [&] {
    if (options.progress) options.progress(static_cast<double>(++done) / steps);
  };
  for (const std::string& language : all) {
    const Text text = Text::load(assets, language, Text::FormulaForm::drawn);
    const ThousandsMark mark(text["language.thousands"]);
    SiteWriter writer(assets, text, store, options, write);
    std::vector<SitePage> chapter_pages, lesson_pages;
    for (const LessonEntry& entry : chapters) {
      chapter_pages.push_back(writer.chapter_page(entry.id));
      advance();
    }
    chapter_pages.push_back(writer.reference_page());
    for (const LessonEntry& entry : lessons) {
      lesson_pages.push_back(writer.lesson_page(entry.id));
      advance();
    }
    writer.write_page(writer.home_page(chapter_pages, lesson_pages), chapter_pages, lesson_pages);
    for (const auto* pages : {&chapter_pages, &lesson_pages}) {
      for (const SitePage& page : *pages) writer.write_page(page, chapter_pages, lesson_pages);
    }
    writer.write_index(chapter_pages, lesson_pages);
  }
}

}  // namespace ropescope
