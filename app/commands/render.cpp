#include <cmath>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
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
  std::optional<std::string> size, theme, figure, output, threads;
};

/// The panel that --figure names by its number, counted from 1, or by its name.
const Panel& find_panel(const ViewResult& result, const std::string& figure) {
  std::string names;
  for (std::size_t i = 0; i < result.panels.size(); ++i) {
    const Panel& panel = result.panels[i];
    if (figure == panel.figure.name || figure == std::to_string(i + 1)) return panel;
    names += (names.empty() ? "" : ", ") + std::to_string(i + 1) + " (" + panel.figure.name + ")";
  }
  throw InputError("--figure is \"" + figure + "\"; one of " + names + " was expected");
}

std::string painted(const ViewResult& result, const std::string& format, const Values& values) {
  if (format == ".csv") return table_csv(find_panel(result, values.figure.value_or("1")).figure);
  ViewResult shown = result;
  if (values.figure) shown.panels = {find_panel(result, *values.figure)};
  if (format == ".json") return table_json(shown);
  const PageSize size = values.size ? parse_page_size(*values.size) : PageSize{};
  if (format == ".png" && size.millimetres) {
    throw InputError("--size is " + *values.size + "; a PNG has a size in pixels such as 1200x800");
  }
  const PageFormat page = format == ".svg" ? PageFormat::svg : format == ".pdf" ? PageFormat::pdf : PageFormat::png;
  return paint_page(shown, page, size, parse_theme(values.theme.value_or("dark")));
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
  if (table) refuse_picture_options({{"--size", &values.size}, {"--theme", &values.theme}});
  // Wrong options are said before anything is computed.
  if (values.size) parse_page_size(*values.size);
  if (values.theme) parse_theme(*values.theme);
  const int threads = read_threads(values.threads);
  ExperimentOptions options = values.experiment;
  options.view = values.view;
  const Experiment experiment = resolve_experiment(options);
  const Text text = Text::load(find_places().assets);
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
  arguments.option("--size", "1200x800", values->size, "Pixels, or 170x110mm for SVG and PDF");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  arguments.option("--figure", "N", values->figure, "Number or name of one figure of the view (CSV default: 1)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .svg, .pdf, .png, .csv or .json",
                   Arguments::Need::required);
  return [values] { run(*values); };
}

}  // namespace ropescope
