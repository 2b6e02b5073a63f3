// The command `check`: reads its options (check_options.h), calls core/check, and writes the report
// (app/views/check/report.h). With --watch it repeats this whenever one of the files changes.
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
#include "app/resources/models.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "core/check/check.h"
#include "core/message.h"

namespace ropescope {

// --- Watched files -------------------------------------------------------------------------------------------------

namespace {

/// The watched files, and the actions on them.
struct FileWatcher {
  std::vector<std::string> paths;
  /// Checks the files and returns an exit code. `still_same` returns whether they are unchanged since the call; results
  /// from files that changed meanwhile are discarded, and `look` is called again. Throws InputError.
  std::function<std::optional<int>(const std::function<bool()>& still_same)> look;
  /// Called once each time that some of the files disappear; the watcher then waits for them.
  std::function<void(const std::vector<std::string>& missing)> missing;
  /// Called with the message of InputError for files that have not changed for kDoubt; returns an exit code.
  std::function<int(const std::string& why)> unusable;
};

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A program that writes a file may pause: an empty or truncated file is reported after it has not changed for kDoubt.
constexpr milliseconds kBetweenLooks(200), kDoubt(3000), kStep(20);

/// Depth of subfolders in which a model may keep its config: a pipeline's transformer, its VAE.
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

/// Waits; returns false if cancelled meanwhile.
bool rest(milliseconds duration, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStep);
  return !stop.stop_requested();
}

/// Returns the states of all paths, and for a folder also of the model's files in it (.json, .gguf), so that changes of
/// a config in it are noticed.
std::vector<FileState> states_of(const std::vector<std::string>& paths) {
  std::vector<FileState> states;
  for (const std::string& path : paths) {
    states.push_back(state_of(path));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    // Other files in the folder may appear and disappear.
    states.back() = {};
    states.back().path = path;
    states.back().there = true;
    add_models_in(path, states);
  }
  return states;
}

/// Returns the states once two consecutive reads agree.
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

/// Calls `look` once, and again whenever one of the files has changed and then is equal in two reads, a fifth of a
/// second apart. Ends when cancelled: returns the last exit code, or nullopt if there was none.
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
      // The program that writes the file may only have paused.
      if (!rest(kDoubt, stop) || !still_same()) continue;
      last = watcher.unusable(to_english(error.words()));
    }
    seen = now;
  }
  return last;
}

// --- Watching ------------------------------------------------------------------------------------------------------

/// Returns the current local time: "14:03:59", or with the date and the offset from UTC.
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

/// Returns the files and folders named in the options of `check`, each once. Throws InputError if there are none.
std::vector<std::string> files_of(const CheckArguments& given) {
  std::vector<std::string> paths;
  const auto add = [&paths](const std::string& path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  if (given.dump) add(*given.dump);
  if (given.rope.config) add(resolve_model(*given.rope.config).path);
  const auto add_tensor = [&add](const std::optional<std::string>& argument) {
    if (argument) add(read_tensor_argument(*argument).path);
  };
  for (const CheckRole role : kTensorOptions) add_tensor(given.tensors[role]);
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
  return line_of(to_english({"notice.waiting", {{"files", joined(missing)}, {"count", missing.size()}}}));
}

std::string unusable_report(const std::string& why, bool json) {
  if (json) return json_text({{"time", moment()}, {"verdict", "unusable"}, {"error", why}}, -1);
  return line_of(to_english({"notice.unusable", {{"why", why}}}));
}

// --- check ---------------------------------------------------------------------------------------------------------

constexpr int kCheckDisagrees = 1, kUnusable = 2;

struct CommandsCheckValues {
  CheckArguments given;
  int threads = 0;
  OutputFile junit;
  std::optional<std::string> example;  ///< replaced before the line is parsed (commands.cpp)
  bool json = false, watch = false;
};

struct Checked {
  CheckRequest request;
  CheckReport report;

  int exit_code() const {
    return report.verdict == Verdict::agrees ? 0 : report.verdict == Verdict::disagrees ? kCheckDisagrees : kUnusable;
  }
};

/// Reads the files named by the options and checks their contents.
Checked check_given_files(CommandsCheckValues& values, const std::stop_token& stop, const Text& text) {
  take_dump(values.given);
  Checked checked{check_request(values.given), {}};
  ProgressLine line;
  CheckOptions options;
  options.threads = values.threads;
  options.stop = stop;
  options.progress = [&](double fraction, const Message& step) { line.show(fraction, text.render(step)); };
  try {
    CheckReference& reference = checked.request.reference;
    checked.report = check(reference, checked.request.inputs, options);
    reference = CheckReference(find_reported_reference(reference, checked.report));
    checked.request.check_unchanged();
    Message::List& notes = checked.report.notes;
    notes.insert(notes.end(), checked.request.notes.begin(), checked.request.notes.end());
    return checked;
  } catch (const InputError&) {
    // An error in a file that another program is still writing is not reported.
    checked.request.check_unchanged();
    throw;
  }
}

void put_junit(const CommandsCheckValues& values, const Checked& checked, const Text& text) {
  if (values.junit.is_given()) {
    put_text(values.junit, check_junit(checked.report, checked.request.reference, text));
  }
}

void put_unusable_junit(const CommandsCheckValues& values, const std::string& why) {
  if (values.junit.is_given()) put_result(values.junit, unusable_junit("check", why));
}

int run_once(CommandsCheckValues& values, const Text& text) {
  const StopOnInterrupt interrupt;
  const Checked checked = check_given_files(values, interrupt.token(), text);
  const CheckReport& report = checked.report;
  if (report.cancelled) return cancelled("verdict");
  put_junit(values, checked, text);
  const ReportForms forms = check_forms(report, checked.request.reference, text);
  put_text({}, values.json ? json_text(forms.json) : forms.text);
  if (report.verdict == Verdict::no_evidence) {
    print_notice(Message("notice.no_evidence"));
  }
  return checked.exit_code();
}

int run_watching(CommandsCheckValues& values, const Text& text) {
  const CheckArguments as_given = values.given;
  const StopOnInterrupt interrupt;
  FileWatcher watcher;
  watcher.paths = files_of(values.given);
  watcher.look = [&](const auto& still_same) -> std::optional<int> {
    values.given = as_given;
    const Checked checked = check_given_files(values, interrupt.token(), text);
    if (checked.report.cancelled || !still_same()) return std::nullopt;
    put_junit(values, checked, text);
    put_text({}, verdict_report(checked.report, checked.request.reference, text, values.json));
    return checked.exit_code();
  };
  watcher.missing = [&](const auto& missing) { put_text({}, waiting_report(missing, values.json)); };
  watcher.unusable = [&](const std::string& why) {
    put_unusable_junit(values, why);
    put_text({}, unusable_report(why, values.json));
    return kUnusable;
  };
  const std::optional<int> last = watch_files(watcher, interrupt.token());
  return last ? *last : cancelled("verdict");
}

int run_check(CommandsCheckValues& values) {
  const Text text = Text::load(find_places().assets);
  Arguments::take(values.given.options, kTextStage);
  if (values.watch) return run_watching(values, text);
  try {
    return run_once(values, text);
  } catch (const InputError& error) {
    put_unusable_junit(values, to_english(error.words()));
    throw;
  }
}

}  // namespace

// Output of --watch, one line each: the time, then "disagrees: base (base 500 000)", "waiting: cos.npy is missing" or
// "unusable: …"; as JSON {"time", "verdict", …}: the report of `check`, {"missing"} or {"error"}.

Action declare_check(Arguments& arguments) {
  const auto values = std::make_shared<CommandsCheckValues>();
  add_check_options(arguments, values->given);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json);
  arguments.option("--junit", "F.xml", values->junit);
  arguments.option("--example", "NAME", values->example);
  arguments.flag("--watch", values->watch);
  arguments.footer({"help.check.footer", {{"layouts", layout_names()}}});
  return [values] { return run_check(*values); };
}

}  // namespace ropescope
