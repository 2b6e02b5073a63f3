#include "core/check/check.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "app/commands/check_dump.h"
#include "app/commands/check_junit.h"
#include "app/commands/check_options.h"
#include "app/commands/check_report.h"
#include "app/commands/check_watch.h"
#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/progress_line.h"
#include "app/commands/threads_option.h"
#include "app/resources/files.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kCheckDisagrees = 1, kUnusable = 2;

struct CommandsCheckValues {
  CheckArguments given;
  Arguments::Targets options;  ///< of `given`
  std::optional<std::string> threads, junit;
  bool json = false, watch = false;
};

struct Checked {
  CheckRequest request;
  CheckReport report;

  int exit_code() const {
    return report.verdict == Verdict::agrees ? 0 : report.verdict == Verdict::disagrees ? kCheckDisagrees : kUnusable;
  }
};

/// Of Qwen's own dynamic NTK nothing is known but that it leaves the trained length alone. Throws InputError beyond it.
void require_plain_length(const Checked& checked) {
  const std::optional<RotarySpec>& rope = checked.request.reference.rope;
  const bool dynamic = std::any_of(checked.request.notes.begin(), checked.request.notes.end(),
                                   [](const Words& note) { return note.key == "config_note.dynamic_ntk"; });
  if (!dynamic || !rope || !rope->trained_length) return;
  for (const CheckReach& reach : checked.report.reach) {
    if (reach.largest >= *rope->trained_length)
      throw InputError("config.dynamic_ntk", {{"length", *rope->trained_length}});
  }
}

/// Reads the files that the options name and checks what they hold.
Checked checked(CommandsCheckValues& values, const std::stop_token& stop, const Text& text) {
  take_dump(values.given, values.options);
  Checked checked{check_request(values.given), {}};
  ProgressLine line;
  CheckOptions options;
  options.threads = read_threads(values.threads);
  options.stop = stop;
  options.progress = [&](double fraction, const Words& step) { line.show(fraction, text.say(step)); };
  try {
    CheckReference& reference = checked.request.reference;
    checked.report = check(reference, checked.request.inputs, options);
    reference = CheckReference(reported_on(reference, checked.report));
    checked.request.check_unchanged();
    require_plain_length(checked);
    Words::List& notes = checked.report.notes;
    notes.insert(notes.end(), checked.request.notes.begin(), checked.request.notes.end());
    return checked;
  } catch (const InputError&) {
    // What is wrong with a file that another program is writing says nothing.
    checked.request.check_unchanged();
    throw;
  }
}

void put_junit(const CommandsCheckValues& values, const Checked& checked, const Text& text) {
  if (values.junit) write_file(*values.junit, check_junit(checked.report, checked.request.reference, text));
}

void put_unusable_junit(const CommandsCheckValues& values, const std::string& why) {
  if (values.junit) write_file(*values.junit, unusable_junit("check", why));
}

int run_once(CommandsCheckValues& values, const Text& text) {
  const StopOnInterrupt interrupt;
  const Checked checked = ropescope::checked(values, interrupt.token(), text);
  const CheckReport& report = checked.report;
  if (report.cancelled) return cancelled("before there was a verdict");
  put_junit(values, checked, text);
  const CheckReference& reference = checked.request.reference;
  put_result(std::nullopt, values.json ? check_json(report, reference, text) : check_text(report, reference, text));
  if (report.verdict == Verdict::no_evidence) {
    put_notice(
        "no evidence: at position 0, of vectors that are zero, and where a turn is smaller than what is tolerated, "
        "every convention gives the same numbers; tokens at other positions, with vectors of some length, were "
        "expected");
  }
  return checked.exit_code();
}

int run_watching(CommandsCheckValues& values, const Text& text) {
  const AsGiven as_given(values.given, values.options);
  const StopOnInterrupt interrupt;
  FileWatcher watcher;
  watcher.paths = files_of(values.given);
  watcher.look = [&](const auto& still_same) -> std::optional<int> {
    as_given.put_back(values.given, values.options);
    const Checked checked = ropescope::checked(values, interrupt.token(), text);
    if (checked.report.cancelled || !still_same()) return std::nullopt;
    put_junit(values, checked, text);
    put_result(std::nullopt, verdict_report(checked.report, checked.request.reference, text, values.json));
    return checked.exit_code();
  };
  watcher.missing = [&](const auto& missing) { put_result(std::nullopt, waiting_report(missing, values.json)); };
  watcher.unusable = [&](const std::string& why) {
    put_unusable_junit(values, why);
    put_result(std::nullopt, unusable_report(why, values.json));
    return kUnusable;
  };
  const std::optional<int> last = watch_files(watcher, interrupt.token());
  return last ? *last : cancelled("before there was a verdict");
}

int run_check(CommandsCheckValues& values) {
  read_threads(values.threads);
  const Text text = Text::load(find_places().assets);
  if (values.watch) return run_watching(values, text);
  try {
    return run_once(values, text);
  } catch (const InputError& error) {
    put_unusable_junit(values, said_in_english(error.words()));
    throw;
  }
}

std::string check_footer() {
  return "Files: .npy, .npz and .safetensors (F:tensor names one of several), .csv; float64, float32, float16,\n"
         "bfloat16, integers, complex tables.\n"
         "Layouts: " +
         layout_names() +
         "\n"
         "A dump of assets/dump/ropescope_dump.py or ropescope_dump.h needs no option: check out.safetensors\n"
         "Without --profile all profiles of a model are tried, and the report says whose the numbers are.\n"
         "Two dumps against each other: --against-cos F --against-sin F --cos F --sin F\n"
         "Evidence: the tokens and pairs that could have shown a fault. At position 0, of vectors that are zero,\n"
         "and where a turn is smaller than what is tolerated, every convention gives the same numbers; where that is\n"
         "all there is, the verdict is \"no evidence\".\n"
         "--watch ends with Ctrl-C; it waits for files that are not there, and looks at those that rest.\n"
         "Exit code: 0 agrees, 1 disagrees, 2 unusable input or no evidence; of --watch that of the last verdict.\n";
}

}  // namespace

Action declare_check(Arguments& arguments) {
  const auto values = std::make_shared<CommandsCheckValues>();
  add_check_options(arguments, values->given);
  values->options = arguments.targets();
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json, "JSON instead of text");
  arguments.option("--junit", "F.xml", values->junit, "Write a JUnit report too, whatever the verdict is");
  arguments.flag("--watch", values->watch, "Check again whenever a file changes: a line for each verdict");
  arguments.footer(check_footer);
  return [values] { return run_check(*values); };
}

}  // namespace ropescope
