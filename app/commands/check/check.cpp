// The command `check`: reads its options (check_options.h), lets core/check judge, and writes the report
// (app/views/check/report.h); with --watch again and again, whenever one of the files changes.
//
// Contents: Watched files; Watching; check.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/check/check_options.h"
#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "core/check/check.h"
#include "core/words.h"

namespace ropescope {

// --- Watched files -------------------------------------------------------------------------------------------------

namespace {

/// Which files are watched, and what is done with them.
struct FileWatcher {
  std::vector<std::string> paths;
  /// Looks at the files and gives an exit code. `still_same` is whether they are as they were when it was called: what
  /// is found in files that changed meanwhile counts for nothing, and it is called again. Throws InputError.
  std::function<std::optional<int>(const std::function<bool()>& still_same)> look;
  /// Told once each time that some of the files are gone; it waits for them.
  std::function<void(const std::vector<std::string>& missing)> missing;
  /// Told what InputError said of files that have not changed for kDoubt; gives an exit code.
  std::function<int(const std::string& why)> unusable;
};

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A program that writes a file may pause: an empty or truncated file is reported after it has not changed for kDoubt.
constexpr milliseconds kBetweenLooks(200), kDoubt(3000), kStep(20);

/// Folders in which a model may keep its config: a pipeline's transformer, its VAE.
constexpr int kDeepest = 1;

void add_models_in(const std::string& folder, std::vector<FileState>& states) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    const std::string ending = at->path().extension().string();
    if (ending == ".json" || ending == ".gguf") found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) states.push_back(state_of(path));
}

/// False where it was stopped meanwhile.
bool rest(milliseconds duration, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStep);
  return !stop.stop_requested();
}

/// The states of all paths; for a folder also those of the model's files in it (.json, .gguf), so that a config in it
/// counts.
std::vector<FileState> states_of(const std::vector<std::string>& paths) {
  std::vector<FileState> states;
  for (const std::string& path : paths) {
    states.push_back(state_of(path));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    // Other files may come and go in it.
    states.back() = {};
    states.back().path = path;
    states.back().there = true;
    add_models_in(path, states);
  }
  return states;
}

/// The states once two looks find the same.
std::vector<FileState> at_rest(const std::vector<std::string>& paths, const std::stop_token& stop) {
  std::vector<FileState> states = states_of(paths);
  while (rest(kBetweenLooks, stop)) {
    std::vector<FileState> next = states_of(paths);
    if (next == states) break;
    states = std::move(next);
  }
  return states;
}

std::vector<std::string> missing_in(const std::vector<FileState>& states) {
  std::vector<std::string> missing;
  for (const FileState& state : states) {
    if (!state.there) missing.push_back(state.path);
  }
  return missing;
}

/// Calls `look` once, and again whenever one of the files has changed and rests: where two looks, a fifth of a second
/// apart, find the same. Ends at the request to stop: the last exit code; none where there was none.
std::optional<int> watch_files(const FileWatcher& watcher, const std::stop_token& stop) {
  std::optional<int> last;
  std::optional<std::vector<FileState>> seen;
  while (!stop.stop_requested()) {
    const std::vector<FileState> now = at_rest(watcher.paths, stop);
    if (stop.stop_requested()) break;
    if (seen && now == *seen) continue;
    if (const std::vector<std::string> missing = missing_in(now); !missing.empty()) {
      watcher.missing(missing);
      seen = now;
      continue;
    }
    const auto still_same = [&] { return states_of(watcher.paths) == now; };
    try {
      const std::optional<int> code = watcher.look(still_same);
      if (!code) continue;
      last = code;
    } catch (const InputError& error) {
      // Perhaps its writer only paused.
      if (!rest(kDoubt, stop) || !still_same()) continue;
      last = watcher.unusable(said_in_english(error.words()));
    }
    seen = now;
  }
  return last;
}

}  // namespace

// What --watch writes, a line each: the time, then "disagrees: base (base 500 000)", "waiting: cos.npy is not there" or
// "unusable: …"; as JSON {"time", "verdict", …}: the report of `check`, {"missing"} or {"error"}.

// --- Watching ------------------------------------------------------------------------------------------------------

namespace {

/// This moment where the program runs: "14:03:59", or with the date and the offset from UTC.
std::string local_time(const char* format) {
  const std::tm parts = os::local_time(std::time(nullptr));
  char text[40];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string moment() {
  return local_time("%Y-%m-%dT%H:%M:%S%z");
}

std::string line_of(const std::string& words) {
  std::string line = local_time("%H:%M:%S") + "  " + words;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

/// The files and folders that `check` is given, each once. Throws InputError where there are none to watch.
std::vector<std::string> files_of(const CheckArguments& given) {
  std::vector<std::string> paths;
  const auto add = [&paths](const std::string& path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  if (given.dump) add(*given.dump);
  if (given.rope.config) add(*given.rope.config);
  const auto add_tensor = [&add](const std::optional<std::string>& argument) {
    if (argument) add(read_tensor_argument(*argument).path);
  };
  for (const TensorOption& option : kTensorOptions) add_tensor(given.tensors[option.role]);
  add_tensor(given.tensors[CheckRole::against_cosine]);
  add_tensor(given.tensors[CheckRole::against_sine]);
  if (given.positions && !is_list(*given.positions)) add_tensor(given.positions);
  if (paths.empty()) throw InputError("command.watch_nothing", {});
  return paths;
}

std::string verdict_report(const CheckReport& report, const CheckReference& reference, const Text& text, bool json) {
  if (json) return json_text(check_forms(report, reference, text, moment()).json, -1);
  return line_of(verdict_line(report, text, true));
}

std::string waiting_report(const std::vector<std::string>& missing, bool json) {
  if (json) return json_text({{"time", moment()}, {"verdict", "waiting"}, {"missing", missing}}, -1);
  return line_of("waiting: " + joined(missing) + (missing.size() == 1 ? " is not there" : " are not there"));
}

std::string unusable_report(const std::string& why, bool json) {
  if (json) return json_text({{"time", moment()}, {"verdict", "unusable"}, {"error", why}}, -1);
  return line_of("unusable: " + why);
}

}  // namespace

// --- check ---------------------------------------------------------------------------------------------------------

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
  const ReportForms forms = check_forms(report, checked.request.reference, text);
  put_result(std::nullopt, values.json ? json_text(forms.json) : forms.text);
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
  return "Files: .npy, .npz, .safetensors, PyTorch's .pt and .pth (nothing of them is run), .gguf, ggml's .bin and\n"
         ".dat (F:tensor names one of several), .csv; float64, float32, float16, bfloat16, integers, complex tables.\n"
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
