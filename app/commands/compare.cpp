#include <algorithm>
#include <memory>
#include <optional>

#include "app/commands/as_option.h"
#include "app/commands/check_junit.h"
#include "app/commands/commands.h"
#include "app/commands/compare_report.h"
#include "app/commands/interrupt.h"
#include "app/commands/threads_option.h"
#include "app/resources/files.h"
#include "app/views/shared/model_sides.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kCompareDisagrees = 1;

struct CompareValues {
  std::string a, b;
  std::optional<std::string> as, threads, output, junit;
  bool json = false;
};

int compared(const CompareValues& values) {
  CompareOptions options;
  options.threads = read_threads(values.threads);
  CompareReport report;
  if (values.as) report.as = &read_as(*values.as);
  report.a = read_described(values.a);
  report.b = read_described(values.b);
  for (const Described* described : {&report.a, &report.b}) {
    for (const Profile& profile : described->side.profiles) require_understood(profile, described->name);
  }
  const StopOnInterrupt interrupt;
  options.stop = interrupt.token();
  try {
    report.comparison = compare_models(report.a.side, report.b.side, options);
  } catch (const InputError& error) {
    throw InputError::within(values.a + ", " + values.b, error);
  }
  if (options.stop.stop_requested()) return cancelled("before there was a verdict");
  Words::List& remarks = report.comparison.remarks;
  for (const Described* described : {&report.a, &report.b}) {
    for (const Words& note : notes_of(described->side)) {
      if (std::find(remarks.begin(), remarks.end(), note) == remarks.end()) remarks.push_back(note);
    }
  }
  const Text text = Text::load(find_places().assets);
  if (values.junit) write_file(*values.junit, compare_junit(report, text));
  put_result(values.output, values.json ? compare_json(report, text) : compare_text(report, text));
  return report.comparison.agrees ? 0 : kCompareDisagrees;
}

int run_compare(const CompareValues& values) {
  require_different_files({{"-o", &values.output}, {"--junit", &values.junit}});
  try {
    return compared(values);
  } catch (const InputError& error) {
    if (values.junit) write_file(*values.junit, unusable_junit("compare", said_in_english(error.words())));
    throw;
  }
}

std::string compare_footer() {
  return "A and B: a model's config.json or .gguf, a folder with one (a snapshot of Hugging Face, a diffusers "
         "pipeline), a\n"
         "saved experiment, or a preset (\"ropescope models\" lists them).\n"
         "Each difference has its cause, by the names of \"check\", and what it alone does to the score\n"
         "A^2*K, K = (2/d) times the sum of cos(distance * frequency) over all pairs, A the amplitude: the largest "
         "change\n"
         "within the trained length, and the first distance where it is above 0.05. What changes no score is a note.\n"
         "Of two layouts of image tokens each difference carries the change of the whole arrangement instead.\n"
         "Exit code: 0 agrees, 1 disagrees, 2 unusable input.\n";
}

}  // namespace

Action declare_compare(Arguments& arguments) {
  const auto values = std::make_shared<CompareValues>();
  arguments.positional("A", values->a, "A config.json, a .gguf, a folder, a saved experiment or a preset");
  arguments.positional("B", values->b, "Another one");
  add_as_option(arguments, values->as);
  arguments.flag("--json", values->json, "JSON instead of text");
  arguments.option("--junit", "F.xml", values->junit, "Write a JUnit report too, whatever the verdict is");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer(compare_footer);
  return [values] { return run_compare(*values); };
}

}  // namespace ropescope
