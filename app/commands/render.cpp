#include <cmath>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/figure_option.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/threads_option.h"
#include "app/experiment/figure_file.h"
#include "app/figure/cells.h"
#include "app/figure/number_text.h"
#include "app/figure/page.h"
#include "app/figure/table.h"
#include "app/figure/table_cells.h"
#include "app/resources/files.h"
#include "app/resources/nearest.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct RenderValues {
  std::string view;
  ExperimentOptions experiment;
  std::optional<std::string> size, dpi, theme, text_size, outlines, language, figure, output, threads;
};

PageSize read_size_render(const RenderValues& values) {
  return values.size ? parse_page_size(*values.size) : PageSize{};
}

double read_between(const char* option, const std::string& text, double least, double most) {
  const std::optional<double> number = parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  reject(option, text, "a number from " + shortest_number(least) + " to " + shortest_number(most));
}

/// Options that say nothing about this file are refused, not overlooked.
PageStyle read_style(const RenderValues& values, const std::string& format) {
  PageStyle style{.theme = parse_theme(values.theme.value_or("dark"))};
  if (values.text_size) {
    style.text_percent = read_between("--text-size", *values.text_size, kSmallestPageText, kLargestPageText);
  }
  if (values.dpi) {
    if (format != ".png" || !read_size_render(values).millimetres) {
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

/// The figure of all cells where it is given by its name, or not at all.
std::vector<Panel> chosen_panels(const ViewResult& result, const std::string& figure) {
  const bool first = figure == "1" && !result.panels.front().figure.cell.empty();
  const std::string name = first ? figure_of_cell(result.panels.front().figure.name) : figure;
  const std::vector<Panel> panels = panels_of_cells(result.panels, name);
  if (!panels.empty()) return panels;
  return {find_panel(result, figure)};
}

/// Cells with many figures show one of them.
void notice_left_out_render(const ViewResult& shown) {
  std::string names;
  for (const std::string& name : figures_left_out(shown.panels)) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) {
    put_notice("each cell shows " + figure_of_cell(shown.panels.front().figure.name) +
               " alone, to be read; --figure takes another one: " + names);
  }
}

std::string painted(const ViewResult& result, const Experiment& experiment, const std::string& format,
                    const RenderValues& values) {
  ViewResult shown = result;
  if (values.figure || format == ".csv") shown.panels = chosen_panels(result, values.figure.value_or("1"));
  if (format == ".csv") return cells_csv(shown);
  if (format == ".json") return table_json(shown);
  const PageFormat page = format == ".svg" ? PageFormat::svg : format == ".pdf" ? PageFormat::pdf : PageFormat::png;
  notice_left_out_render(shown);
  PageStyle style = read_style(values, format);
  style.carries = figure_text(experiment);
  const PageSize size = read_size_render(values);
  if (page == PageFormat::png) check_picture_memory(in_pixels(size, style.dpi));
  const EndOnInterrupt interrupt("before the picture was drawn");
  return paint_page(shown, page, size, style);
}

std::string read_format_render(const std::string& output) {
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

/// The view's name, or a file that holds an experiment in the place of it.
ExperimentOptions read_shown(const RenderValues& values) {
  ExperimentOptions options = values.experiment;
  // No view has these in its name; what a window set aside is called "last-experiment.json.1".
  if (values.view.find_first_of("./") == std::string::npos) {
    options.view = find_view(values.view).id;
  } else if (options.experiment) {
    throw InputError("--experiment is given, and " + values.view + " holds an experiment too; one was expected");
  } else {
    options.experiment = values.view;
  }
  return options;
}

void run_render(const RenderValues& values) {
  const ExperimentOptions options = read_shown(values);
  const std::string format = read_format_render(*values.output);
  const bool table = format == ".csv" || format == ".json";
  if (table) {
    refuse_picture_options({{"--size", &values.size},
                            {"--dpi", &values.dpi},
                            {"--theme", &values.theme},
                            {"--text-size", &values.text_size},
                            {"--outlines", &values.outlines}});
  }
  // Wrong options are said before anything is computed.
  read_size_render(values);
  if (!table) read_style(values, format);
  const int threads = read_threads(values.threads);
  const Experiment experiment = resolve_experiment(options);
  const View& view = find_view(experiment.view);
  const Text text = read_language(values.language, table ? Text::FormulaForm::plain : Text::FormulaForm::drawn);
  Store store(Store::Mode::synchronous, threads);
  const ViewResult result = draw_view(view, experiment, text, store);
  for (const std::string& why : {result.fault, result.undone}) {
    if (!why.empty()) throw InputError(why);
  }
  put_result(values.output, painted(result, experiment, format, values));
  if (table) notice_gaps(result);
}

}  // namespace

Action declare_render(Arguments& arguments) {
  const auto values = std::make_shared<RenderValues>();
  std::vector<std::string> views;
  for (const View* view : all_views()) views.emplace_back(view->id);
  arguments.positional("VIEW", values->view,
                       "What to draw: " + or_list(views) + "; or a figure or saved experiment to start from");
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
  return [values] { run_render(*values); };
}

}  // namespace ropescope
