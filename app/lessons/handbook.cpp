// Chapters and their names, filled-in values, and terminal output.
//
// Contents: Chapters; What is filled in; At a terminal.

#include "app/lessons/handbook.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "app/figure/text_flow.h"
#include "app/lessons/step_page.h"
#include "app/resources/models.h"
#include "app/views/view.h"
#include "core/check/causes/cause.h"
#include "core/encodings/encoding.h"
#include "core/formats/families/config_families.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Chapters ------------------------------------------------------------------------------------------------------

namespace {

std::string file_of_chapter(std::string_view id) {
  return std::string(id.substr(kHandbook.size())) + ".md";
}

std::string fill_markdown(const std::filesystem::path& path, const std::filesystem::path& assets) {
  std::string markdown = read_words(path);
  const std::vector<FilledIn> places = find_filled_parts(markdown);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const std::string value = value_of(place->what, assets).value_or(place->written);
    markdown.replace(place->begin, place->end - place->begin, value);
  }
  return markdown;
}

/// Returns whether a number names a chapter: "6" and "06" are the number of "06-check".
bool has_number(const std::string& name, const std::string& called) {
  return name.starts_with(called + "-") || name.starts_with("0" + called + "-");
}
bool begins_with(const std::string& name, const std::string& called) {
  return (called.size() > 2 && name.starts_with(called)) || name.substr(name.find('-') + 1).starts_with(called);
}

/// Returns the number of causes; several have more than one variant under one name.
std::string count_causes() {
  std::set<std::string_view> names;
  for (const Cause* cause : all_causes()) names.insert(cause->name);
  return std::to_string(names.size());
}

std::string list_layouts_as_text() {
  std::string list;
  for (const Layout& layout : all_layouts()) {
    if (layout.name != "custom") list += (list.empty() ? "`" : ", `") + std::string(layout.name) + "`";
  }
  return list;
}

/// The known data of a model for images or videos.
enum class KnownOf { all, frequencies, nothing };

KnownOf known_of(const ImageFamily& family) {
  KnownOf known = family.layout == ImageLayout::unsupported ? KnownOf::nothing : KnownOf::frequencies;
  for (const Layout& layout : all_layouts()) {
    for (const LayoutClass& one : layout.classes) {
      if (one.name == family.class_name)
        known = std::min(known, one.note.empty() ? KnownOf::all : KnownOf::frequencies);
    }
  }
  return known;
}

/// Returns a list with each model once, in its best known class.
std::string list_of_models(KnownOf known) {
  std::vector<std::pair<std::string_view, KnownOf>> models;
  for (const ImageFamily& family : all_image_families()) {
    const auto seen =
        std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.first == family.model; });
    if (seen == models.end()) {
      models.emplace_back(family.model, known_of(family));
    } else {
      seen->second = std::min(seen->second, known_of(family));
    }
  }
  std::string list;
  for (const auto& [name, of] : models) {
    if (of == known) list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return list;
}

bool reads_images(const Layout& layout) {
  return layout.config.holds == ConfigHolds::sections || layout.config.holds == ConfigHolds::patches;
}

/// Returns a list of model types that read images and whose layouts have a note (noted) or none.
std::string list_image_readers(bool noted) {
  std::string list;
  for (const Layout& layout : all_layouts()) {
    if (!reads_images(layout) || layout.has_quirk != noted) continue;
    for (const LayoutClass& one : layout.classes) {
      if (!one.name.empty()) list += (list.empty() ? "`" : ", `") + std::string(one.name) + "`";
    }
  }
  return list;
}

/// Returns a list of those whose frequencies are defined neither by a rope nor by a layout.
std::string list_rejected_readers() {
  std::string list;
  const auto add = [&](std::string_view type) {
    for (const Layout& layout : all_layouts()) {
      if (find_named_entry(layout.classes, type)) return;
    }
    const std::string word = "`" + std::string(type) + "`";
    if (list.find(word) == std::string::npos) list += (list.empty() ? "" : ", ") + word;
  };
  for (const VisionFamily& family : all_vision_families()) {
    if (family.rules.layout == VisionLayout::not_shown) add(family.model_type);
  }
  for (const RefusedFamily& family : all_refused_families()) add(family.model_type);
  return list;
}

std::string sum_lesson_minutes(const std::filesystem::path& assets) {
  double minutes = 0;
  for (const LessonEntry& entry : list_lessons(assets)) minutes += load_lesson(assets, entry.id, kEnglish).minutes;
  return std::to_string(static_cast<int>(minutes));
}

// --- At a terminal -------------------------------------------------------------------------------------------------

/// Returns a paragraph in lines of at most so many columns. Text to be typed is broken only if it does not fit.
std::vector<std::string> terminal_lines(const LessonParagraph& paragraph, std::size_t columns = kTerminalColumns) {
  LessonParagraph said = paragraph;
  said.words.clear();
  for (const LessonWords& words : paragraph.words) {
    said.words.push_back(words);
    if (words.code) said.words.back().text = "`" + words.text + "`";
    if (const auto chapter = find_linked_chapter(words.link)) {
      const std::string name = chapter->substr(chapter->find('-') + 1);
      said.words.back().text += " (";
      said.words.push_back({.text = "`ropescope help " + name + "`", .code = true, .column = words.column});
      said.words.push_back({.text = ")", .column = words.column});
    }
  }
  // Indented to the words after "• " or "12. ".
  const std::size_t indent = !paragraph.item         ? 0
                             : paragraph.number == 0 ? 2
                                                     : std::to_string(paragraph.number).size() + 2;
  // A page whose unit is the column.
  const FlowStyle style{1, static_cast<double>(columns - indent), 1};
  const TextFlow flow = flow_text(flow_words(said, {}), style, nullptr, [](std::string_view part, const auto&) {
    return Vec2{static_cast<double>(screen_width(part)), 1};
  });
  std::vector<std::string> lines;
  double top = -1;
  for (const TextItem& item : flow.items) {
    if (item.at.y != top) lines.push_back(std::string(lines.empty() ? 0 : indent, ' '));
    lines.back() += item.text;
    top = item.at.y;
  }
  return lines;
}

std::string pad_text(const std::string& text, std::size_t columns) {
  const std::size_t filled = screen_width(text);
  return text + std::string(columns > filled ? columns - filled : 0, ' ');
}

/// Returns the column widths of a table: the longest cell of each, the widest columns narrowed until all fit.
std::vector<std::size_t> widths_of(const std::vector<std::vector<LessonParagraph>>& rows) {
  constexpr std::size_t kEndless = 10000, kMin = 8;
  std::vector<std::size_t> widths;
  for (const auto& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const std::string& line : terminal_lines(cells[i], kEndless))
        widths[i] = std::max(widths[i], screen_width(line));
    }
  }
  const auto together = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1)); };
  while (!widths.empty() && together() > kTerminalColumns) {
    std::size_t& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= kMin) break;
    --widest;
  }
  return widths;
}

std::string table_text(const std::vector<std::vector<LessonParagraph>>& rows) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  const auto add_line = [&](const std::function<std::string(std::size_t)>& cell) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) line += pad_text(cell(i), widths[i] + 2);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  for (const auto& cells : rows) {
    std::vector<std::vector<std::string>> lines(widths.size());
    std::size_t height = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines[i] = terminal_lines(cells[i], widths[i]);
      height = std::max(height, lines[i].size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      add_line([&](std::size_t i) { return k < lines[i].size() ? lines[i][k] : std::string(); });
    }
    const bool head = !cells.empty() && cells.front().kind == LessonParagraph::Kind::head;
    if (head) add_line([&](std::size_t i) { return std::string(widths[i], '-'); });
  }
  return text;
}

std::string code_text(const LessonParagraph& code) {
  std::string text = "    " + text_of(code) + "\n";
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    if (text[at + 1] != '\n') text.insert(at + 1, "    ");
  }
  return text;
}

std::string underline_title(const std::string& title, char line) {
  return title + "\n" + std::string(screen_width(title), line) + "\n";
}

bool is_row(const LessonParagraph& paragraph) {
  return paragraph.kind == LessonParagraph::Kind::head || paragraph.kind == LessonParagraph::Kind::row;
}

std::string section_text(const LessonStep& section) {
  std::string text;
  for (std::size_t i = 0; i < section.text.size(); ++i) {
    const LessonParagraph& paragraph = section.text[i];
    if (i == 0 || !(paragraph.item && section.text[i - 1].item)) text += "\n";
    if (is_row(paragraph)) {
      std::vector<std::vector<LessonParagraph>> rows;
      for (; i < section.text.size() && is_row(section.text[i]); ++i) rows.push_back(cells_of(section.text[i]));
      --i;
      text += table_text(rows);
    } else if (paragraph.kind == LessonParagraph::Kind::code) {
      text += code_text(paragraph);
    } else if (paragraph.words.size() == 1 && paragraph.words.front().strong && !paragraph.item) {
      text += underline_title(text_of(paragraph), '~');
    } else {
      for (const std::string& line : terminal_lines(paragraph)) text += line + "\n";
    }
  }
  return text;
}

/// Returns whether code is a single command that draws a figure.
bool draws_figure(const std::string& code) {
  return (code.starts_with("ropescope render ") || code.starts_with("ropescope animate ")) &&
         code.find('\n') == std::string::npos;
}

}  // namespace

bool is_chapter(std::string_view id) {
  return id.starts_with(kHandbook) && !id.ends_with(".md");
}

std::vector<LessonEntry> list_chapters(const std::filesystem::path& assets) {
  std::vector<LessonEntry> chapters;
  std::error_code ignored;
  const std::filesystem::path folder = assets / "handbook";
  for (const std::filesystem::directory_entry& file : std::filesystem::directory_iterator(folder, ignored)) {
    if (!has_extension(file.path(), kMarkdownExtension)) continue;
    LessonEntry entry{std::string(kHandbook) + file.path().stem().string(), folder, {kEnglish}};
    for (const std::string& code : languages(assets)) {
      if (std::filesystem::exists(folder / code / file.path().filename(), ignored)) entry.languages.push_back(code);
    }
    chapters.push_back(std::move(entry));
  }
  std::sort(chapters.begin(), chapters.end(), [](const LessonEntry& a, const LessonEntry& b) { return a.id < b.id; });
  return chapters;
}

std::string find_chapter(const std::filesystem::path& assets, const std::string& given) {
  // As users write it: "Command line", "06-check.md".
  std::string called = given.ends_with(".md") ? given.substr(0, given.size() - 3) : given;
  for (char& c : called) c = c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::vector<std::string> all, fitting;
  for (const LessonEntry& entry : list_chapters(assets)) {
    const std::string name = entry.id.substr(kHandbook.size());
    if (is_called(name, called) || has_number(name, called)) return entry.id;
    all.push_back(name);
    if (!called.empty() && begins_with(name, called)) fitting.push_back(name);
  }
  if (fitting.size() == 1) return std::string(kHandbook) + fitting.front();
  throw InputError("handbook.unknown",
                   {{"found", given}, {"known", one_of(fitting.empty() ? near_or_all(given, all) : fitting)}});
}

Lesson load_chapter(const std::filesystem::path& assets, const std::string& id, const std::string& language) {
  const std::vector<LessonEntry> entries = list_chapters(assets);
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const LessonEntry& one) { return one.id == id; });
  if (entry == entries.end()) return load_chapter(assets, find_chapter(assets, id.substr(kHandbook.size())), language);
  const std::filesystem::path file = entry->folder / file_of_chapter(id);
  Lesson chapter = read_chapter(fill_markdown(file, assets), file.string());
  chapter.id = id;
  chapter.language = kEnglish;
  const auto& known = entry->languages;
  if (language == kEnglish || std::find(known.begin(), known.end(), language) == known.end()) return chapter;
  const std::filesystem::path other = entry->folder / language / file_of_chapter(id);
  Lesson words = read_chapter(fill_markdown(other, assets), other.string(), true);
  words.language = language;
  // Sections follow the order of the English file.
  for (std::size_t i = 0; i < std::min(chapter.steps.size(), words.steps.size()); ++i) {
    words.steps[i].name = chapter.steps[i].name;
  }
  translate(chapter, words);
  return chapter;
}

std::optional<std::string> find_linked_chapter(std::string_view link) {
  while (link.starts_with("../")) link.remove_prefix(3);
  if (link.starts_with(kHandbook)) link.remove_prefix(kHandbook.size());
  link = link.substr(0, link.find('#'));
  if (!link.ends_with(".md") || link.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(kHandbook) + std::string(link.substr(0, link.size() - 3));
}

// --- What is filled in ---------------------------------------------------------------------------------------------

std::vector<FilledIn> find_filled_parts(std::string_view markdown) {
  constexpr std::string_view kOpen = "<!-- ", kShut = " -->", kEnd = "<!-- / -->";
  std::vector<FilledIn> places;
  for (std::size_t at = markdown.find(kOpen); at != std::string_view::npos; at = markdown.find(kOpen, at + 1)) {
    const std::size_t shut = markdown.find(kShut, at), from = shut + kShut.size(), end = markdown.find(kEnd, shut);
    if (shut == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view what = markdown.substr(at + kOpen.size(), shut - at - kOpen.size());
    if (what.find(':') == std::string_view::npos || what.find(' ') != std::string_view::npos) continue;
    places.push_back({std::string(what), std::string(markdown.substr(from, end - from)), at, end + kEnd.size()});
  }
  return places;
}

std::optional<std::string> value_of(std::string_view what, const std::filesystem::path& assets) {
  using Value = std::function<std::string()>;
  const std::pair<std::string_view, Value> values[] = {
      {"count:views", [] { return std::to_string(all_views().size()); }},
      {"count:encodings", [] { return std::to_string(all_encodings().size()); }},
      {"count:layouts", [] { return std::to_string(all_layouts().size() - 1); }},
      {"count:methods", [] { return std::to_string(all_scaling_methods().size()); }},
      {"count:causes", [] { return count_causes(); }},
      {"count:presets", [&] { return std::to_string(load_presets(assets).size()); }},
      {"count:lessons", [&] { return std::to_string(list_lessons(assets).size()); }},
      {"minutes:lessons", [&] { return sum_lesson_minutes(assets); }},
      {"list:layouts", [] { return list_layouts_as_text(); }},
      {"list:models_with_layout", [] { return list_of_models(KnownOf::all); }},
      {"list:models_without_layout", [] { return list_of_models(KnownOf::frequencies); }},
      {"list:models_refused", [] { return list_of_models(KnownOf::nothing); }},
      {"list:readers", [] { return list_image_readers(false); }},
      {"list:readers_noted", [] { return list_image_readers(true); }},
      {"list:readers_refused", [] { return list_rejected_readers(); }},
  };
  for (const auto& [name, value] : values) {
    if (name == what) return value();
  }
  return std::nullopt;
}

std::string render_command(const LessonStep& section) {
  if (section.set.empty() && section.sweeps.empty()) return {};
  for (const LessonParagraph& paragraph : section.text) {
    if (paragraph.kind == LessonParagraph::Kind::code && draws_figure(text_of(paragraph))) return {};
  }
  std::string view, options;
  for (const LessonSetting& setting : section.set) {
    if (setting.key == kViewKey) {
      view = setting.value;
    } else if (setting.key == kVariedModel) {
      options += " --model " + setting.value;
    } else {
      constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyz0123456789_-,.";
      const char* quote = setting.value.find_first_not_of(kPlain) == std::string::npos ? "" : "'";
      options += " --set " + (quote + setting.key) + "=" + setting.value + quote;
    }
  }
  if (section.sweeps.empty()) return "ropescope render " + view + options + " -o " + view + ".svg";
  for (const LessonSweep& sweep : section.sweeps) {
    const Variation& moved = sweep.moved;
    options += " --sweep " + moved.key + "=" + shortest_number(moved.values.front()) + ".." +
               shortest_number(moved.values.back()) + (moved.logarithmic ? ":log" : "");
  }
  return "ropescope animate " + view + options + " -o " + view + ".gif";
}

std::string chapter_text(const Lesson& chapter, const Text& text) {
  std::string all;
  const auto say = [&](const std::string& words) {
    for (const std::string& line : terminal_lines(paragraph_of(words))) all += line + "\n";
  };
  for (const LessonStep& section : chapter.steps) {
    const bool first = &section == &chapter.steps.front();
    if (!first) all += "\n";
    all += underline_title(section.title, first ? '=' : '-');
    if (first && chapter.language != text.language()) say(text["handbook.in_english"]);
    all += section_text(section);
    const std::string command = render_command(section);
    if (command.empty()) continue;
    all += "\n";
    say(text["handbook.picture"]);
    all += "\n    " + command + "\n";
  }
  return all;
}

}  // namespace ropescope
