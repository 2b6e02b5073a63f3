#include "core/check/check.h"

#include <memory>
#include <optional>

#include "app/commands/check_options.h"
#include "app/commands/check_report.h"
#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/progress_line.h"
#include "app/commands/threads_option.h"
#include "app/resources/files.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kDisagrees = 1, kNoEvidence = 2;

struct Values {
  CheckArguments given;
  std::optional<std::string> threads;
  bool json = false;
};

CheckReport watched_check(const CheckRequest& request, int threads, const Text& text) {
  const StopOnInterrupt interrupt;
  ProgressLine line;
  CheckOptions options;
  options.threads = threads;
  options.stop = interrupt.token();
  options.progress = [&](double fraction, const Words& step) { line.show(fraction, text.say(step)); };
  try {
    CheckReport report = check(request.reference, request.inputs, options);
    request.check_unchanged();
    return report;
  } catch (const InputError&) {
    // What is wrong with a file that another program is writing says nothing.
    request.check_unchanged();
    throw;
  }
}

int run(const Values& values) {
  const int threads = read_threads(values.threads);
  const CheckRequest request = check_request(values.given);
  const Text text = Text::load(find_places().assets);
  const CheckReport report = watched_check(request, threads, text);
  if (report.cancelled) return cancelled("before there was a verdict");
  put_result(std::nullopt, values.json ? check_json(report, text) : check_text(report, text));
  if (report.verdict == Verdict::no_evidence) {
    put_notice(
        "no evidence: at position 0, of vectors that are zero, and where a turn is smaller than what is tolerated, "
        "every "
        "convention gives the same numbers; tokens at other positions, with vectors of some length, were expected");
    return kNoEvidence;
  }
  return report.verdict == Verdict::agrees ? 0 : kDisagrees;
}

std::string footer() {
  return "Files: .npy, .npz and .safetensors (F:tensor names one of several), .csv; float64, float32, float16,\n"
         "bfloat16, integers, complex tables.\n"
         "Layouts: " +
         layout_names() +
         "\n"
         "Two dumps against each other: --against-cos F --against-sin F --cos F --sin F\n"
         "Evidence: the tokens and pairs that could have shown a fault. At position 0, of vectors that are zero,\n"
         "and where a turn is smaller than what is tolerated, every convention gives the same numbers; where that is\n"
         "all there is, the verdict is \"no evidence\".\n"
         "Exit code: 0 agrees, 1 disagrees, 2 unusable input or no evidence.\n";
}

}  // namespace

Action declare_check(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  add_check_options(arguments, values->given);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json, "JSON instead of text");
  arguments.footer(footer);
  return [values] { return run(*values); };
}

}  // namespace ropescope
