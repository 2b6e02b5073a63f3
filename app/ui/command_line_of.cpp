#include <string>

#include "app/figure/number_text.h"
#include "app/figure/page.h"
#include "app/ui/shell.h"
#include "app/views/shared/arguments.h"

namespace ropescope::ui {

std::string command_line_of(const Experiment& experiment, const Settings& settings) {
  const PageStyle style = page_style(settings, "svg");
  std::string line = "ropescope render " + experiment.view;
  for (const std::string& assignment : arguments_of(experiment)) line += " --set " + shell_quoted(assignment);
  line +=
      " --size " + shell_quoted(settings.save.size) + " --theme " + (style.theme == ThemeName::dark ? "dark" : "light");
  if (style.text_percent != 100) line += " --text-size " + shortest_number(style.text_percent);
  if (!style.outlines) line += " --outlines no";
  return line + " -o " + experiment.view + ".svg";
}

}  // namespace ropescope::ui
