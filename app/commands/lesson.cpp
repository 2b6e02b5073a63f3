#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/progress_line.h"
#include "app/commands/threads_option.h"
#include "app/figure/page.h"
#include "app/lessons/lesson_json.h"
#include "app/lessons/lesson_page.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/resources/nearest.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct LessonValues {
  std::string lesson;
  std::optional<std::string> step, language, size, theme, output, threads;
  bool json = false, check = false;
};

std::size_t place_of(const Lesson& lesson, const std::string& name) {
  if (const std::optional<std::size_t> place = find_step(lesson, name)) return *place;
  std::vector<std::string> names;
  for (const LessonStep& step : lesson.steps) names.push_back(step.name);
  reject("--step", name, or_list(names));
}

PageFormat read_format_lesson(const std::string& output) {
  const std::string ending = std::filesystem::path(output).extension().string();
  if (ending == ".png") return PageFormat::png;
  if (ending == ".svg") return PageFormat::svg;
  if (ending == ".pdf") return PageFormat::pdf;
  throw InputError("-o is \"" + output +
                   "\"; a name that ends in .png, .svg or .pdf was expected, or --json or --check");
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

int run_lesson(const LessonValues& values) {
  const Places places = find_places();
  if (!values.json && !values.check && !values.output) {
    throw InputError("one of --json, --check and -o was expected");
  }
  const bool picture = !values.json && !values.check;
  const std::optional<PageFormat> format = picture ? std::optional(read_format_lesson(*values.output)) : std::nullopt;
  if (!picture) refuse_picture_options({{"--size", &values.size}, {"--theme", &values.theme}});
  const Text text = read_language(values.language, picture ? Text::FormulaForm::drawn : Text::FormulaForm::plain);
  Lesson lesson = load_lesson(places.assets, values.lesson, text.language());
  set_formulas(lesson, *Formulas::load(places.assets, picture), picture);
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
  if (lesson.steps.empty()) throw InputError(lesson.file + " has no step");
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
  arguments.option("--size", "1920x1080", values->size, "Size of the picture in pixels, or in millimetres: 297x210mm");
  arguments.option("--theme", "dark|light", values->theme, "Colours of the picture (default: light)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output,
                   "File to write: .png, .svg or .pdf of a step as the room sees it; with --json or --check any");
  return [values] { return run_lesson(*values); };
}

}  // namespace ropescope
