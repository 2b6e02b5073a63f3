#include "app/commands/screenshot.h"

#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/figure/page.h"
#include "app/figure/palette.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kSmallestScale = 100, kLargestScale = 250;

struct Values {
  ExperimentOptions experiment;
  std::optional<std::string> view, size, theme, text_scale, output;
};

void read_size(const std::string& text, ScreenshotOptions& options) {
  const PageSize size = parse_page_size(text);
  if (size.millimetres) throw InputError("--size is " + text + "; a size in pixels such as 1600x1000 was expected");
  options.width = static_cast<int>(size.width);
  options.height = static_cast<int>(size.height);
}

double read_scale(const std::string& text) {
  const std::string number = text.ends_with("%") ? text.substr(0, text.size() - 1) : text;
  const std::optional<double> scale = parse_number(number);
  if (!scale || *scale < kSmallestScale || *scale > kLargestScale) {
    throw InputError("--text-scale is \"" + text + "\"; a percentage from 100 to 250 was expected");
  }
  return *scale;
}

void run(const Values& values) {
  const std::string& output = *values.output;
  if (output != "-" && std::filesystem::path(output).extension() != ".png") {
    throw InputError("-o is \"" + output + "\"; a name that ends in .png was expected");
  }
  ScreenshotOptions options;
  if (values.size) read_size(*values.size, options);
  if (values.theme) {
    parse_theme(*values.theme);
    options.theme = *values.theme;
  }
  if (values.text_scale) options.text_scale = read_scale(*values.text_scale);
  options.experiment = resolve_experiment(values.experiment);
  if (values.view) options.experiment.view = *values.view;
  find_view(options.experiment.view);
  put_result(output, take_screenshot(options));
}

}  // namespace

Action declare_screenshot(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  arguments.option("--view", "V", values->view, "Which view (default: that of the experiment)");
  add_experiment_options(arguments, values->experiment);
  arguments.option("--size", "1600x1000", values->size, "Pixels of the window");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  arguments.option("--text-scale", "PERCENT", values->text_scale, "Size of the text, 100 to 250");
  arguments.option("-o,--output", "F.png", values->output, "File to write", Arguments::Need::required);
  return [values] { run(*values); };
}

}  // namespace ropescope
