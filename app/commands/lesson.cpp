// The commands `lesson`, `lessons` and `handout`, over what app/lessons reads, checks and prints.
//
// Contents: lessons; lesson; handout.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/figure/pages/page.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson_json.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/resources/shelf.h"
#include "app/resources/text.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

// --- lessons -------------------------------------------------------------------------------------------------------

namespace {

struct LessonsValues {
  bool json = false;
  std::optional<std::string> output;
};

std::string lines_of_lessons(const std::filesystem::path& assets) {
  const std::vector<LessonEntry> entries = list_lessons(assets);
  std::size_t width = 0;
  for (const LessonEntry& entry : entries) width = std::max(width, entry.id.size());
  std::string lines;
  for (const LessonEntry& entry : entries) {
    const Lesson lesson = load_lesson(assets, entry.id, "en");
    lines += entry.id + std::string(width - entry.id.size() + 2, ' ') + lesson.title + " (" +
             std::to_string(static_cast<int>(lesson.minutes)) + " minutes; " + joined(entry.languages) + ")\n";
  }
  return lines;
}

}  // namespace

Action declare_lessons(Arguments& arguments) {
  const auto values = std::make_shared<LessonsValues>();
  arguments.flag("--json", values->json, "Titles in every language, minutes and steps as JSON");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] {
    const std::filesystem::path assets = find_places().assets;
    put_result(values->output, values->json ? lessons_json(assets) : lines_of_lessons(assets));
  };
}

// --- lesson --------------------------------------------------------------------------------------------------------

namespace {

struct LessonValues {
  std::string lesson;
  std::optional<std::string> step, language, size, theme, output, threads;
  bool json = false, check = false, names = false;
};

std::size_t place_of(const Lesson& lesson, const std::string& name) {
  if (const std::optional<std::size_t> place = find_step(lesson, name)) return *place;
  std::vector<std::string> names;
  for (const LessonStep& step : lesson.steps) names.push_back(step.name);
  reject("--step", name, names);
}

/// What is wrong, a line each on standard output; whether nothing is.
bool check(const Lesson& lesson, const std::filesystem::path& assets, const Text& text, Store& store,
           const std::optional<std::string>& output) {
  std::string lines;
  const std::vector<LessonFault> faults = [&] {
    const EndOnInterrupt interrupt("before all steps were looked at");
    ProgressLine line;
    return all_faults(lesson, assets, text, store, [&line](double share) { line.show(share, "looking at the steps"); });
  }();
  for (const LessonFault& fault : faults) lines += fault_text(fault, text) + "\n";
  if (faults.empty()) lines = lesson.file + ": " + std::to_string(lesson.steps.size()) + " steps, nothing wrong\n";
  put_result(output, lines);
  return faults.empty();
}

/// What a step of a view may name, for each of its pictures: a name, a tab, what it is called on screen, a line each.
std::string names_of_view(const std::string& id, const Text& text, Store& store) {
  const View& view = find_view(id);
  Experiment made;
  made.view = id;
  const Field* show = nullptr;
  const FieldList fields = fields_of(view, made);
  for (const Field& field : fields) {
    if (!show && field.kind == Field::Kind::choice && field.key.ends_with(".show")) show = &field;
  }
  std::vector<std::pair<std::string, std::string>> lines;  // once each, in the order in which they are met
  const auto add = [&lines](const std::string& kind, const std::string& name, const std::string& label) {
    const std::string begin = kind + "\t" + name;
    const auto same = [&begin](const auto& line) { return line.first == begin; };
    if (std::none_of(lines.begin(), lines.end(), same)) lines.emplace_back(begin, label);
  };
  for (const std::string& picture : show ? show->options : std::vector<std::string>{""}) {
    Experiment experiment = made;
    if (show) assign(experiment, std::string(show->key) + "=" + picture);
    clamp(experiment);
    const ViewResult shown = draw_view(view, experiment, text, store);
    for (const Panel& panel : shown.panels) {
      const Figure& figure = panel.figure;
      add("figure", figure.name, figure.title.empty() ? figure.y.label : figure.title);
      for (const Line& line : figure.lines) add("curve", figure.name + " " + line.key, line.label);
    }
    for (const Readout& readout : shown.readouts) add("card", readout.name, readout.label);
    for (const Field& field : fields_of(view, experiment)) {
      if (field.has_value() && field.control) {
        add("control", std::string(field.key), text["field." + std::string(field.key) + ".label"]);
      }
    }
  }
  std::string said;
  for (const char* kind : {"figure", "curve", "card", "control"}) {
    for (const auto& [begin, label] : lines) {
      if (begin.starts_with(std::string(kind) + "\t")) said += begin + "\t" + label + "\n";
    }
  }
  return said;
}

/// The formulas of the texts, and of one's own as they were set before.
std::shared_ptr<const Formulas> kept_formulas(const Text& text, const Places& places) {
  const std::shared_ptr<const Formulas> formulas =
      text.formulas() ? text.formulas() : Formulas::load(places.assets, false);
  formulas->keep_on(std::make_shared<Shelf>(places.state / "formulas"));
  return formulas;
}

int run_lesson(const LessonValues& values) {
  if (values.names) {
    Store store(Store::Mode::synchronous, read_threads(values.threads));
    put_result(values.output,
               names_of_view(values.lesson, read_language(values.language, Text::FormulaForm::plain), store));
    return 0;
  }
  const Places places = find_places();
  if (!values.json && !values.check && !values.output) throw InputError("command.lesson_nothing", {});
  const bool picture = !values.json && !values.check;
  const std::string ending = picture ? std::filesystem::path(*values.output).extension().string() : "";
  const std::optional<PageFormat> format = picture_format(ending);
  if (picture && !format) throw InputError("command.lesson_output", {{"found", in_quotes(*values.output)}});
  if (!picture) refuse_picture_options({{"--size", &values.size}, {"--theme", &values.theme}});
  const Text text = read_language(values.language, picture ? Text::FormulaForm::drawn : Text::FormulaForm::plain);
  Lesson lesson = load_lesson(places.assets, values.lesson, text.language());
  set_formulas(lesson, *kept_formulas(text, places), picture);
  std::optional<std::size_t> step;
  if (values.step) step = place_of(lesson, *values.step);
  Store store(Store::Mode::synchronous, read_threads(values.threads));
  if (values.check) return check(lesson, places.assets, text, store, values.output) ? 0 : 1;
  if (values.json) {
    const EndOnInterrupt interrupt("before all steps were drawn");
    ProgressLine line;
    put_result(values.output, lesson_json(lesson, step, places.assets, text, store,
                                          [&line](double share) { line.show(share, "drawing the steps"); }));
    return 0;
  }
  if (lesson.steps.empty()) throw InputError("command.no_step", {{"lesson", lesson.file}});
  const PageSize size = parse_page_size(values.size.value_or("1920x1080"));
  const ThemeName theme = parse_theme(values.theme.value_or("light"));
  put_result(values.output, paint_step(lesson, step.value_or(0), places.assets, text, store, *format, size, theme));
  return 0;
}

}  // namespace

Action declare_lesson(Arguments& arguments) {
  const auto values = std::make_shared<LessonValues>();
  arguments.positional("LESSON", values->lesson,
                       "A lesson such as 04-turn (see lessons), or a Markdown file of your own");
  arguments.option("--step", "NAME", values->step, "One step alone (default of -o: the first)");
  add_language_option(arguments, values->language);
  arguments.flag("--json", values->json, "Words, settings, readouts and questions of the steps as JSON");
  arguments.flag("--check", values->check, "Say what is wrong, by file and line (exit code 1), or that nothing is");
  arguments.flag(
      "--names", values->names,
      "Figures, curves, cards and controls that a step may name, of the view that is given in place of LESSON");
  arguments.option("--size", "1920x1080", values->size, "Size of the picture in pixels, or in millimetres: 297x210mm");
  arguments.option("--theme", "dark|light", values->theme, "Colours of the picture (default: light)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output,
                   "File to write: .png, .svg or .pdf of a step as the room sees it; with --json or --check any");
  return [values] { return run_lesson(*values); };
}

// --- handout -------------------------------------------------------------------------------------------------------

namespace {

struct HandoutValues {
  std::vector<std::string> lessons;
  std::optional<std::string> language, paper, format, link, output, threads;
  bool answers = false, notes = false, slides = false;
};

/// A folder takes a file for each lesson.
bool is_folder_of(const std::string& output) {
  return output.ends_with('/') || is_folder(output);
}

/// By --format, else by the name's end; of a folder PDF.
bool is_html(const HandoutValues& values) {
  const std::string ending = std::filesystem::path(*values.output).extension().string();
  if (values.format) return read_choice("--format", *values.format, {"pdf", "html"}) == 1;
  if (is_folder_of(*values.output)) return false;
  if (ending == ".html") return true;
  if (ending == ".pdf") return false;
  reject("-o", *values.output, Words("expected.ending_or_format"));
}

/// The document is there; what is wrong in it is said as "lesson --check" says it, the first of it.
void notice_faults(const std::vector<LessonFault>& faults, const Text& text) {
  constexpr std::size_t kMostSaid = 10;
  for (std::size_t i = 0; i < std::min(faults.size(), kMostSaid); ++i) put_notice(fault_text(faults[i], text));
  if (faults.size() <= kMostSaid) return;
  put_notice("and " + std::to_string(faults.size() - kMostSaid) + " more faults; \"ropescope lesson " +
             faults.front().file + " --check\" names them");
}

void run_handout(const HandoutValues& values) {
  const std::filesystem::path assets = find_places().assets;
  const bool html = is_html(values), folder = is_folder_of(*values.output);
  if (values.slides && html) throw InputError("command.slides_are_pdf", {});
  if (values.slides && values.notes) refuse_both("--slides", "--notes");
  if (values.slides && values.link) refuse_both("--slides", "--link");
  HandoutOptions options;
  options.answers = values.answers;
  options.notes = values.notes;
  if (values.link) options.link = *values.link;
  if (values.paper) {
    if (html || values.slides) throw InputError("command.paper", {{"found", in_quotes(*values.paper)}});
    options.paper = parse_paper(*values.paper);
  }
  const Text text = read_language(values.language, Text::FormulaForm::drawn);
  const std::shared_ptr<const Formulas> formulas = kept_formulas(text, find_places());
  std::vector<Lesson> lessons;
  std::vector<std::string> names = values.lessons;
  if (names.empty()) {
    for (const LessonEntry& entry : list_lessons(assets)) names.push_back(entry.id);
  }
  for (const std::string& name : names) {
    lessons.push_back(load_lesson(assets, name, text.language()));
    set_formulas(lessons.back(), *formulas, true);
  }
  for (std::size_t i = 0; folder && i < lessons.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (lessons[k].id != lessons[i].id) continue;
      throw InputError("command.same_file",
                       {{"one", names[k]}, {"other", names[i]}, {"file", in_quotes(lessons[i].id)}});
    }
  }
  Store store(Store::Mode::synchronous, read_threads(values.threads));
  std::vector<LessonFault> faults;
  for (const Lesson& lesson : lessons) faults.insert(faults.end(), lesson.faults.begin(), lesson.faults.end());
  options.fault = [&faults](const LessonFault& fault) { faults.push_back(fault); };
  {
    const EndOnInterrupt interrupt("before all steps were drawn");
    ProgressLine line;
    options.progress = [&line](double share) { line.show(share, "drawing the steps"); };
    const std::filesystem::path output = *values.output, beside = folder ? output : output.parent_path();
    std::error_code ignored;  // writing into it says why
    if (folder) std::filesystem::create_directories(output, ignored);
    const auto write = [&](const std::vector<Lesson>& some, const std::string& file) {
      if (values.slides) {
        put_result(file, handout_slides(some, assets, text, store, options,
                                        [&](const std::string& name, const std::string& gif) {
                                          put_result((beside / (name + ".gif")).string(), gif);
                                        }));
      } else {
        put_result(file, html ? handout_html(some, assets, text, store, options)
                              : handout_pdf(some, assets, text, store, options));
      }
    };
    if (!folder) write(lessons, output.string());
    for (std::size_t i = 0; folder && i < lessons.size(); ++i) {
      write({lessons[i]}, (output / (lessons[i].id + (html ? ".html" : ".pdf"))).string());
    }
  }
  notice_faults(faults, read_language(values.language, Text::FormulaForm::plain));
}

}  // namespace

Action declare_handout(Arguments& arguments) {
  const auto values = std::make_shared<HandoutValues>();
  arguments.list("LESSON", values->lessons, "Lessons such as 04-turn, or Markdown files (default: all lessons)");
  add_language_option(arguments, values->language);
  arguments.flag("--answers", values->answers,
                 "With the answers and what the questions cover: at the end, in HTML below each question");
  arguments.flag("--notes", values->notes, "With the lecturer's notes");
  arguments.flag("--slides", values->slides,
                 "A page of 16:9 for each step, and beside the file what steps sweep as LESSON-STEP.gif");
  arguments.option("--link", "ADDRESS", values->link,
                   "What the links of the figures begin with, https://…/# (default: ropescope:)");
  arguments.option("--paper", "a4|letter", values->paper, "Size of the pages (default: a4)");
  arguments.option("--format", "pdf|html", values->format, "Kind of the file (default: by the end of its name)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output,
                   "File to write: .pdf or .html, or a folder (its name ends with /) for a file of each lesson",
                   Arguments::Need::required);
  return [values] { run_handout(*values); };
}

}  // namespace ropescope
