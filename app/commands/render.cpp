#include <cmath>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/figure_option.h"
#include "app/commands/language_option.h"
#include "app/commands/threads_option.h"
#include "app/figure/number_text.h"
#include "app/figure/page.h"
#include "app/figure/table.h"
#include "app/resources/files.h"
#include "app/resources/nearest.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct Values {
  std::string view;
  ExperimentOptions experiment;
  std::optional<std::string> size, dpi, theme, text_size, outlines, language, figure, output, threads;
};

PageSize read_size(const Values& values) {
  return values.size ? parse_page_size(*values.size) : PageSize{};
}

double read_between(const char* option, const std::string& text, double least, double most) {
  const std::optional<double> number = parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  reject(option, text, "a number from " + shortest_number(least) + " to " + shortest_number(most));
}

/// Options that say nothing about this file are refused, not overlooked.
PageStyle read_style(const Values& values, const std::string& format) {
  PageStyle style{.theme = parse_theme(values.theme.value_or("dark"))};
  if (values.text_size) {
    style.text_percent = read_between("--text-size", *values.text_size, kSmallestPageText, kLargestPageText);
  }
  if (values.dpi) {
    if (format != ".png" || !read_size(values).millimetres) {
      throw InputError("--dpi is " + *values.dpi + "; a PNG with a --size in millimetres was expected with it");
    }
    style.dpi = read_between("--dpi", *values.dpi, kSmallestDpi, kLargestDpi);
  }
  if (values.outlines) {
    if (format != ".svg") throw InputError("--outlines is " + *values.outlines + "; an SVG was expected with it");
    if (*values.outlines != "yes" && *values.outlines != "no") reject("--outlines", *values.outlines, "yes or no");
    style.outlines = *values.outlines == "yes";
  }
  return style;
}

std::string painted(const ViewResult& result, const std::string& format, const Values& values) {
  if (format == ".csv") return table_csv(find_panel(result, values.figure.value_or("1")).figure, result.formulas.get());
  ViewResult shown = result;
  if (values.figure) shown.panels = {find_panel(result, *values.figure)};
  if (format == ".json") return table_json(shown);
  const PageFormat page = format == ".svg" ? PageFormat::svg : format == ".pdf" ? PageFormat::pdf : PageFormat::png;
  return paint_page(shown, page, read_size(values), read_style(values, format));
}

std::string read_format(const std::string& output) {
  const std::string format = std::filesystem::path(output).extension().string();
  for (const char* known : {".svg", ".pdf", ".png", ".csv", ".json"}) {
    if (format == known) return format;
  }
  throw InputError("-o is \"" + output + "\"; a name that ends in .svg, .pdf, .png, .csv or .json was expected");
}

/// What is not finite is a gap in a curve, which is seen; in a table it is nan and in JSON null.
void notice_gaps(const ViewResult& result) {
  for (const Panel& panel : result.panels) {
    for (const Line& line : panel.figure.lines) {
      std::size_t count = 0, first = 0;
      for (std::size_t i = 0; i < line.series->ys.size(); ++i) {
        if (!std::isfinite(line.series->ys[i]) && count++ == 0) first = i;
      }
      if (count == 0) continue;
      put_notice(panel.figure.name + ", " + line.label + ": " + std::to_string(count) + " of " +
                 std::to_string(line.series->ys.size()) + " values are not finite, first at " +
                 shortest_number(line.series->x_at(first)));
    }
  }
}

void run(const Values& values) {
  const View& view = find_view(values.view);
  const std::string format = read_format(*values.output);
  const bool table = format == ".csv" || format == ".json";
  if (table) {
    refuse_picture_options({{"--size", &values.size},
                            {"--dpi", &values.dpi},
                            {"--theme", &values.theme},
                            {"--text-size", &values.text_size},
                            {"--outlines", &values.outlines}});
  }
  // Wrong options are said before anything is computed.
  read_size(values);
  if (!table) read_style(values, format);
  const int threads = read_threads(values.threads);
  ExperimentOptions options = values.experiment;
  options.view = values.view;
  const Experiment experiment = resolve_experiment(options);
  const Text text = read_language(values.language, table ? Text::FormulaForm::plain : Text::FormulaForm::drawn);
  Store store(Store::Mode::synchronous, threads);
  const ViewResult result = draw_view(view, experiment, text, store);
  if (!result.fault.empty()) throw InputError(result.fault);
  put_result(values.output, painted(result, format, values));
  if (table) notice_gaps(result);
}

}  // namespace

Action declare_render(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  std::vector<std::string> views;
  for (const View* view : all_views()) views.emplace_back(view->id);
  arguments.positional("VIEW", values->view, "What to draw: " + or_list(views));
  add_experiment_options(arguments, values->experiment);
  arguments.option("--size", "1200x800", values->size, "Pixels, or millimetres: 170x110mm");
  arguments.option("--dpi", "300", values->dpi, "Pixels per inch of a PNG in millimetres (default: 300)");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  arguments.option("--text-size", "100", values->text_size, "Text in percent of its usual size, 50 to 300");
  arguments.option("--outlines", "yes|no", values->outlines, "SVG: text as outlines (default: yes), or as text");
  add_language_option(arguments, values->language);
  arguments.option("--figure", "N", values->figure, "Number or name of one figure of the view (CSV default: 1)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .svg, .pdf, .png, .csv or .json",
                   Arguments::Need::required);
  return [values] { run(*values); };
}

}  // namespace ropescope
