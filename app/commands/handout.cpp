#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/progress_line.h"
#include "app/commands/threads_option.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson_json.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct HandoutValues {
  std::vector<std::string> lessons;
  std::optional<std::string> language, paper, format, output, threads;
  bool answers = false;
};

/// By --format, else by the name's end.
bool is_html(const HandoutValues& values) {
  const std::string ending = std::filesystem::path(*values.output).extension().string();
  if (values.format) {
    if (*values.format != "pdf" && *values.format != "html") reject("--format", *values.format, "pdf or html");
    return *values.format == "html";
  }
  if (ending == ".html") return true;
  if (ending == ".pdf") return false;
  reject("-o", *values.output, "a name that ends in .pdf or .html, or --format");
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
  const bool html = is_html(values);
  HandoutOptions options;
  options.answers = values.answers;
  if (values.paper) {
    if (html) throw InputError("--paper is \"" + *values.paper + "\"; a PDF was expected with it");
    options.paper = parse_paper(*values.paper);
  }
  const Text text = read_language(values.language, Text::FormulaForm::drawn);
  const std::shared_ptr<const Formulas> formulas = Formulas::load(assets);
  std::vector<Lesson> lessons;
  std::vector<std::string> names = values.lessons;
  if (names.empty()) {
    for (const LessonEntry& entry : list_lessons(assets)) names.push_back(entry.id);
  }
  for (const std::string& name : names) {
    lessons.push_back(load_lesson(assets, name, text.language()));
    set_formulas(lessons.back(), *formulas, true);
  }
  Store store(Store::Mode::synchronous, read_threads(values.threads));
  std::vector<LessonFault> faults;
  for (const Lesson& lesson : lessons) faults.insert(faults.end(), lesson.faults.begin(), lesson.faults.end());
  options.fault = [&faults](const LessonFault& fault) { faults.push_back(fault); };
  {
    const EndOnInterrupt interrupt("before all steps were drawn");
    ProgressLine line;
    options.progress = [&line](double share) { line.show(share, "drawing the steps"); };
    put_result(values.output, html ? handout_html(lessons, assets, text, store, options)
                                   : handout_pdf(lessons, assets, text, store, options));
  }
  notice_faults(faults, read_language(values.language, Text::FormulaForm::plain));
}

}  // namespace

Action declare_handout(Arguments& arguments) {
  const auto values = std::make_shared<HandoutValues>();
  arguments.list("LESSON", values->lessons, "Lessons such as 04-turn, or Markdown files (default: all lessons)");
  add_language_option(arguments, values->language);
  arguments.flag("--answers", values->answers, "With the answers: at the end, or in HTML below each question");
  arguments.option("--paper", "a4|letter", values->paper, "Size of the pages (default: a4)");
  arguments.option("--format", "pdf|html", values->format, "Kind of the file (default: by the end of its name)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .pdf or .html", Arguments::Need::required);
  return [values] { run_handout(*values); };
}

}  // namespace ropescope
