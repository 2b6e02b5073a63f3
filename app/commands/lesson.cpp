// The commands `lesson`, `lessons` and `handout`; app/lessons reads, checks and prints the lessons.
//
// Contents: lessons; lesson; handout.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/figure/pages/page.h"
#include "app/lessons/handbook.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson.h"
#include "app/platform/desktop.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/resources/result_cache.h"
#include "app/resources/text.h"
#include "app/views/race/inputs.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- lessons -------------------------------------------------------------------------------------------------------

namespace {

struct LessonsValues {
  bool json = false;
  OutputFile output;
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

// --- lesson --------------------------------------------------------------------------------------------------------

struct LessonValues {
  std::string lesson;
  PageOptions page;
  std::optional<std::string> step;
  std::string language;
  int threads = 0;
  OutputFile output;
  bool json = false, check = false, names = false;
};

std::size_t place_of(const Lesson& lesson, const std::string& name) {
  if (const std::optional<std::size_t> place = find_step(lesson, name)) return *place;
  std::vector<std::string> names;
  for (const LessonStep& step : lesson.steps) names.push_back(step.name);
  reject("--step", name, names);
}

/// Reports what the races of a step, or of all steps, cost, to explain the wait: a lesson by someone else may train for
/// days.
void report_races(const Lesson& lesson, const std::optional<std::size_t>& step, const std::filesystem::path& assets) {
  std::vector<std::pair<RaceStart, RaceCourse>> known;
  std::string named;
  std::int64_t runs = 0, steps_in_all = 0;
  double bytes = 0;
  StepStates states(lesson, assets);
  for (std::size_t i = 0; i < lesson.steps.size() && i <= step.value_or(i); ++i) {
    const Experiment experiment = states.next().experiment;
    if (experiment.view != "race" || !experiment.race.running || i < step.value_or(i)) continue;
    try {
      std::pair race(race_start(experiment), race_course(experiment));
      if (std::find(known.begin(), known.end(), race) != known.end()) continue;  // it is trained once
      const auto count = static_cast<std::int64_t>(runner_specs(race.first, race.second).size());
      bytes = std::max(bytes, race_bytes(race.first, race.second));
      runs += count;
      steps_in_all += count * static_cast<std::int64_t>(experiment.race.steps);
      named += (named.empty() ? "" : ", ") + lesson.steps[i].name;
      known.push_back(std::move(race));
    } catch (const InputError&) {
      // A race that cannot start is an error of its step.
    }
  }
  if (known.empty()) return;
  print_notice({"notice.lesson_training",
                {{"steps", named}, {"runs", runs}, {"count", steps_in_all}, {"megabytes", std::ceil(bytes / 1e6)}}});
}

/// Returns the estimated minutes of each step and of the steps that are not in reserve, one per line.
std::string minutes_by_step(const Lesson& lesson) {
  const auto line = [](double minutes, const std::string& what) {
    const std::string number = decimals_for_people(minutes, 1);
    return std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number + " min  " + what + "\n";
  };
  std::string lines;
  double sum = 0;
  for (const LessonStep& step : lesson.steps) {
    const double minutes = estimate_minutes(step);
    sum += step.reserve ? 0 : minutes;
    lines += line(minutes, step.name + (step.reserve ? " (reserve)" : ""));
  }
  const std::string planned = lesson.minutes > 0 ? ", " + shortest_number(lesson.minutes) + " planned" : "";
  return lines + line(sum, "in total without reserve" + planned);
}

/// Writes the errors to standard output, one per line; returns whether there are none.
bool check(const Lesson& lesson, const std::filesystem::path& assets, const Text& text, Store& store,
           const OutputFile& output) {
  std::string lines;
  const std::vector<LessonError> faults = [&] {
    const EndOnInterrupt interrupt("steps_checked");
    ProgressLine line;
    return all_faults(lesson, assets, text, store, [&line](double share) { line.show(share, "checking the steps"); });
  }();
  for (const LessonError& fault : faults) lines += to_error_text(fault, text) + "\n";
  if (faults.empty()) {
    lines = lesson.file + ": " + std::to_string(lesson.steps.size()) + " steps, no errors\n" + minutes_by_step(lesson);
  }
  put_result(output, lines);
  return faults.empty();
}

/// Returns the names that a step may use per picture of a view: a name, a tab and its label, one per line.
std::string names_of_view(const std::string& id, const Text& text, Store& store) {
  const View& view = find_view(id);
  Experiment made;
  made.view = id;
  const Field* show = nullptr;
  const FieldList fields = fields_of(view, made);
  for (const Field& field : fields) {
    if (!show && field.kind == Field::Kind::choice && field.key.ends_with(".show")) show = &field;
  }
  std::vector<std::pair<std::string, std::string>> lines;  // once each, in order of appearance
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
      const auto add_marks = [&](const auto& marks) {
        for (const auto& mark : marks) {
          if (!mark.key.empty() && find_mark(shown, mark.key)) add("mark", figure.name + " " + mark.key, "");
        }
      };
      add_marks(figure.paths), add_marks(figure.arrows), add_marks(figure.points);
    }
    for (const Readout& readout : shown.readouts) add("card", readout.name, readout.label);
    for (const Field& field : fields_of(view, experiment)) {
      if (field.has_value() && field.control) {
        add("control", std::string(field.key), text["field." + words_key(field.key) + ".label"]);
      }
    }
  }
  std::string said;
  for (const char* kind : {"figure", "curve", "mark", "card", "control"}) {
    for (const auto& [begin, label] : lines) {
      if (begin.starts_with(std::string(kind) + "\t")) said.append(begin).append("\t").append(label).append("\n");
    }
  }
  return said;
}

/// Returns the formulas of the texts, and custom formulas typeset before.
std::shared_ptr<const Formulas> load_formulas(const Text& text, const Places& places) {
  std::shared_ptr<const Formulas> formulas = text.formulas() ? text.formulas() : Formulas::load(places.assets, false);
  formulas->keep_on(std::make_shared<ResultCache>(places.state / "formulas"));
  return formulas;
}

int run_lesson(const LessonValues& values) {
  if (values.names) {
    Store store(Store::Mode::synchronous, values.threads);
    put_result(values.output, names_of_view(values.lesson, load_text(values.language), store));
    return 0;
  }
  const Places places = find_places();
  const bool words = !values.json && !values.check && !values.output.is_given();
  const bool picture = !values.json && !values.check && !words;
  const std::optional<PageFormat> format = picture_format(values.output.ending());
  if (picture && !format) throw InputError("command.lesson_output", {{"found", in_quotes(values.output.path())}});
  const PageFields page = to_page(values.page, picture);
  Text text = load_text(values.language, picture ? Text::FormulaForm::drawn : Text::FormulaForm::plain);
  if (values.json) text.use_plain_numbers();
  Lesson lesson = load_lesson(places.assets, values.lesson, text.language());
  set_formulas(lesson, *load_formulas(text, places), picture);
  std::optional<std::size_t> step;
  if (values.step) step = place_of(lesson, *values.step);
  if (words) {
    if (step) lesson.steps = {lesson.steps[*step]};
    put_text(values.output, chapter_text(lesson, text));
    return 0;
  }
  Store store(Store::Mode::synchronous, values.threads);
  report_races(lesson, values.check ? std::nullopt : picture ? step.value_or(0) : step, places.assets);
  if (values.check) return check(lesson, places.assets, text, store, values.output) ? 0 : 1;
  if (values.json) {
    const EndOnInterrupt interrupt("steps_drawn");
    ProgressLine line;
    put_result(values.output, lesson_json(lesson, step, places.assets, text, store,
                                          [&line](double share) { line.show(share, "drawing the steps"); }));
    return 0;
  }
  if (lesson.steps.empty()) throw InputError("command.no_step", {{"lesson", lesson.file}});
  put_result(values.output, paint_step(lesson, step.value_or(0), places.assets, text, store, *format,
                                       parse_page_size(page.size), style_of(page).theme));
  return 0;
}

// --- handout -------------------------------------------------------------------------------------------------------

struct HandoutValues {
  std::vector<std::string> lessons;
  std::string language;
  std::optional<Paper> paper;
  std::optional<std::string> link;
  std::optional<bool> html;
  int threads = 0;
  OutputFile output;
  HandoutOptions options;  ///< without those above
  bool slides = false, mp4 = false;
};

/// Returns whether the output is a folder, which gets a file per lesson.
bool is_folder_of(const std::string& output) {
  return output.ends_with('/') || is_folder(output);
}

/// Returns the format by --format, otherwise by the name's end; PDF for a folder.
bool is_html(const HandoutValues& values) {
  if (values.html) return *values.html;
  if (is_folder_of(values.output.path())) return false;
  const bool html = values.output.ending() == ".html";
  if (!html && values.output.ending() != ".pdf") {
    reject("-o", values.output.path(), Message("expected.ending_or_format"));
  }
  return html;
}

/// Reports the first error in a written document in the same form as "lesson --check".
void report_errors(const std::vector<LessonError>& faults, const Text& text) {
  constexpr std::size_t kMaxReported = 10;
  for (std::size_t i = 0; i < std::min(faults.size(), kMaxReported); ++i)
    print_notice(verbatim(to_error_text(faults[i], text)));
  if (faults.size() <= kMaxReported) return;
  print_notice({"notice.more_errors", {{"count", faults.size() - kMaxReported}, {"file", faults.front().file}}});
}

/// Throws InputError if two options exclude each other, or one needs another.
void check_handout_options(const HandoutValues& values, bool html) {
  if (values.slides && html) throw InputError("command.slides_are_pdf", {});
  if (values.slides && values.options.notes) refuse_both("--slides", "--notes");
  if (values.slides && values.link) refuse_both("--slides", "--link");
  if (values.slides && values.options.commands) refuse_both("--slides", "--commands");
  if (values.mp4 && !values.slides) throw InputError("command.mp4_needs_slides", {});
  if (values.mp4 && !has_ffmpeg()) throw InputError("video.no_ffmpeg", {});
  if (values.paper && (html || values.slides))
    throw InputError("command.paper", {{"found", in_quotes(word_of(*values.paper))}});
}

/// Loads the named lessons, or all. Throws InputError if two would be written to one file of a folder.
std::vector<Lesson> load_lessons(const HandoutValues& values, const std::filesystem::path& assets, const Text& text) {
  const std::shared_ptr<const Formulas> formulas = load_formulas(text, find_places());
  std::vector<Lesson> lessons;
  std::vector<std::string> names = values.lessons;
  if (names.empty()) {
    for (const LessonEntry& entry : list_lessons(assets)) names.push_back(entry.id);
  }
  for (const std::string& name : names) {
    lessons.push_back(load_lesson(assets, name, text.language()));
    set_formulas(lessons.back(), *formulas, true);
  }
  for (std::size_t i = 0; is_folder_of(values.output.path()) && i < lessons.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (lessons[k].id != lessons[i].id) continue;
      throw InputError("command.same_file",
                       {{"one", names[k]}, {"other", names[i]}, {"file", in_quotes(lessons[i].id)}});
    }
  }
  return lessons;
}

/// What the documents of a command share.
struct HandoutFiles {
  const HandoutValues& values;
  const std::filesystem::path& assets;
  const Text& text;
  Store& store;
  const HandoutOptions& options;
  bool html = false;
  std::filesystem::path loops;      ///< the folder of the slides' animations
  std::set<std::string> gifs = {};  ///< lessons of different folders may have one name
};

void write_loop(HandoutFiles& files, const std::string& name, const std::string& gif) {
  std::string own = name;
  for (int n = 2; !files.gifs.insert(own).second; ++n) own = name + "-" + std::to_string(n);
  const std::string loop = (files.loops / (own + ".gif")).string();
  put_result(loop, gif);
  if (files.values.mp4) write_mp4(loop, (files.loops / (own + ".mp4")).string());
}

void write_document(HandoutFiles& files, const std::vector<Lesson>& lessons, const std::string& file) {
  const auto& [values, assets, text, store, options, html, loops, gifs] = files;
  if (values.slides) {
    const auto write = [&files](const std::string& name, const std::string& gif) { write_loop(files, name, gif); };
    return put_result(file, handout_slides(lessons, assets, text, store, options, write));
  }
  put_result(file, html ? handout_html(lessons, assets, text, store, options)
                        : handout_pdf(lessons, assets, text, store, options));
}

/// Writes the lessons to one document, or each to its own in a folder.
void write_documents(HandoutFiles& files, const std::vector<Lesson>& lessons) {
  const std::filesystem::path output = files.values.output.path();
  if (!is_folder_of(output.string())) return write_document(files, lessons, output.string());
  std::error_code ignored;  // writing into it reports the reason
  std::filesystem::create_directories(output, ignored);
  for (const Lesson& lesson : lessons) {
    write_document(files, {lesson}, (output / (lesson.id + (files.html ? ".html" : ".pdf"))).string());
  }
}

void run_handout(const HandoutValues& values) {
  const std::filesystem::path assets = find_places().assets;
  const bool html = is_html(values), folder = is_folder_of(values.output.path());
  check_handout_options(values, html);
  HandoutOptions options = values.options;
  options.link = values.link.value_or(options.link);
  options.paper = values.paper.value_or(options.paper);
  const Text text = load_text(values.language, Text::FormulaForm::drawn);
  const std::vector<Lesson> lessons = load_lessons(values, assets, text);
  Store store(Store::Mode::synchronous, values.threads);
  for (const Lesson& lesson : lessons) report_races(lesson, {}, assets);
  std::vector<LessonError> faults;
  for (const Lesson& lesson : lessons) faults.insert(faults.end(), lesson.faults.begin(), lesson.faults.end());
  options.fault = [&faults](const LessonError& fault) { faults.push_back(fault); };
  {
    const EndOnInterrupt interrupt("steps_drawn");
    ProgressLine line;
    options.progress = [&line](double share) { line.show(share, "drawing the steps"); };
    const std::filesystem::path output = values.output.path();
    HandoutFiles files{values, assets, text, store, options, html, folder ? output : output.parent_path()};
    write_documents(files, lessons);
  }
  report_errors(faults, load_text(values.language));
}

}  // namespace

Action declare_lessons(Arguments& arguments) {
  const auto values = std::make_shared<LessonsValues>();
  arguments.flag("--json", values->json);
  arguments.option("-o,--output", "F", values->output);
  return [values] {
    const std::filesystem::path assets = find_places().assets;
    put_result(values->output, values->json ? lessons_json(assets) : lines_of_lessons(assets));
  };
}

Action declare_lesson(Arguments& arguments) {
  const auto values = std::make_shared<LessonValues>();
  arguments.positional("LESSON", values->lesson);
  arguments.option("--step", "NAME", values->step);
  add_language_option(arguments, values->language);
  arguments.flag("--json", values->json);
  arguments.flag("--check", values->check);
  arguments.flag("--names", values->names);
  add_picture_options(arguments, values->page, "1920x1080");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output);
  return [values] { return run_lesson(*values); };
}

Action declare_handout(Arguments& arguments) {
  const auto values = std::make_shared<HandoutValues>();
  arguments.list("LESSON", values->lessons);
  add_language_option(arguments, values->language);
  arguments.flag("--answers", values->options.answers);
  arguments.flag("--notes", values->options.notes);
  arguments.flag("--slides", values->slides);
  arguments.flag("--mp4", values->mp4);
  arguments.flag("--commands", values->options.commands);
  arguments.option("--link", "ADDRESS", values->link);
  arguments.option("--paper", "a4|letter", parsed_into(values->paper, parse_paper));
  arguments.option("--format", "pdf|html", word_into(values->html, {{"pdf", false}, {"html", true}}));
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, Arguments::Need::required);
  return [values] { run_handout(*values); };
}

}  // namespace ropescope
