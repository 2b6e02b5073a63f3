#include "app/commands/screenshot.h"

#include <charconv>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/progress_line.h"
#include "app/commands/threads_option.h"
#include "app/figure/page.h"
#include "app/resources/nearest.h"
#include "app/ui/settings.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct ScreenshotValues {
  ExperimentOptions experiment;
  std::optional<std::string> view, lesson, step, size, theme, language, text_scale, output, threads;
  bool room = false;
};

void read_size_screenshot(const std::string& text, ScreenshotOptions& options) {
  const PageSize size = parse_page_size(text);
  if (size.millimetres) throw InputError("--size is \"" + text + "\"; a window has a size in pixels such as 1600x1000");
  options.width = static_cast<int>(size.width);
  options.height = static_cast<int>(size.height);
}

double read_text_scale(const std::string& text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole_text = error == std::errc() && (end == text.data() + text.size() || std::string(end) == "%");
  // The negated form also refuses NaN.
  if (!whole_text || !(percent >= ui::kSmallestText && percent <= ui::kLargestText)) {
    throw InputError("--text-scale is \"" + text + "\"; a percentage from 100 to 250 was expected");
  }
  return percent;
}

std::string watched_screenshot(ScreenshotOptions options) {
  const EndOnInterrupt interrupt("before the window was drawn");
  ProgressLine line;
  options.progress = [&line](double fraction, std::string_view step) { line.show(fraction, step); };
  return take_screenshot(options);
}

void run_screenshot(const ScreenshotValues& values) {
  if (std::filesystem::path(*values.output).extension() != ".png") {
    throw InputError("-o is \"" + *values.output + "\"; a name that ends in .png was expected");
  }
  ScreenshotOptions options;
  if (values.size) read_size_screenshot(*values.size, options);
  if (values.text_scale) options.text_scale = read_text_scale(*values.text_scale);
  if (values.theme) {
    parse_theme(*values.theme);
    options.theme = *values.theme;
  }
  options.language = read_language(values.language).language();
  options.threads = read_threads(values.threads);
  options.lesson = values.lesson.value_or("");
  options.step = values.step.value_or("");
  options.room = values.room;
  if (options.lesson.empty() && (options.room || !options.step.empty())) {
    throw InputError("--step and --room show a lesson; --lesson was expected with them");
  }
  ExperimentOptions shown = values.experiment;
  if (values.view) shown.view = find_view(*values.view).id;
  options.experiment = resolve_experiment(shown);
  put_result(values.output, watched_screenshot(options));
}

}  // namespace

Action declare_screenshot(Arguments& arguments) {
  const auto values = std::make_shared<ScreenshotValues>();
  std::vector<std::string> views;
  for (const View* view : all_views()) views.emplace_back(view->id);
  arguments.option("--view", "VIEW", values->view, "What the window shows: " + or_list(views));
  add_experiment_options(arguments, values->experiment);
  arguments.option("--lesson", "ID", values->lesson, "A lesson, or a lecture of your own, in place of all these");
  arguments.option("--step", "NAME", values->step, "Its step (default: the first)");
  arguments.flag("--room", values->room, "As a room sees it");
  arguments.option("--size", "1600x1000", values->size, "Pixels of the window (default: 1600x1000)");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  add_language_option(arguments, values->language);
  arguments.option("--text-scale", "100", values->text_scale, "Size of text and controls in percent, 100 to 250");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .png", Arguments::Need::required);
  return [values] { run_screenshot(*values); };
}

}  // namespace ropescope
