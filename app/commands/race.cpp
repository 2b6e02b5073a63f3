#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "app/commands/commands.h"
#include "app/commands/interrupt.h"
#include "app/commands/progress_line.h"
#include "app/commands/race_beyond.h"
#include "app/commands/race_files.h"
#include "app/commands/race_plan.h"
#include "app/commands/race_report.h"
#include "app/resources/files.h"
#include "app/resources/part_file.h"
#include "core/error.h"

namespace ropescope {

namespace {

using RaceClock = std::chrono::steady_clock;
/// Runs are saved at most every so often, and at most for a twentieth of the time.
constexpr auto kRaceBetween = std::chrono::seconds(3);
constexpr int kRaceShareOfWriting = 20;
/// How long Ctrl-C waits for a file that is just being written.
constexpr auto kPatience = std::chrono::milliseconds(30);

std::filesystem::path saved_path_of(const RaceOptions& options) {
  return *options.output + ".saved";
}

/// All runners on their way, whoever is last first.
class Track {
 public:
  /// `saves`: runs are kept beside the table.
  Track(const RacePlan& plan, const RaceOptions& options, bool saves) : plan_(plan), options_(options), saves_(saves) {}

  /// `memory`: said once what is saved has been found good, before room is taken.
  void go(const std::string& memory) {
    const StopOnSignals interrupt({StopRequest::interrupt}, [this] { leave(); });
    take_places(memory);
    run_workers();
    if (failure_) std::rethrow_exception(failure_);
    snapshot_all();
    {
      const std::lock_guard lock(writing_);
      write_saved();
      end_curves();
      put_result(options_.output, race_table(plan_, states_));
      write_weights();
    }
    ProgressLine::wipe();
    for (const std::string& sentence : race_verdict(plan_, states_)) put_notice(sentence);
    look_into_them();
    read_beyond();
  }

 private:
  std::filesystem::path saved_path() const { return saved_path_of(options_); }

  void take_places(const std::string& memory) {
    std::vector<RunnerState> states;
    if (options_.resume && std::filesystem::exists(saved_path())) {
      states = read_states(plan_.fingerprint, read_file(saved_path()), saved_path().string());
    }
    put_notice(memory);  // what is bad has been refused by now, in one line
    for (const RunnerSpec& spec : plan_.runners) {
      runners_.push_back(std::make_unique<Runner>(plan_.setup, spec, plan_.threads_of_one));
    }
    busy_.assign(runners_.size(), false);
    for (std::size_t i = 0; i < states.size(); ++i) runners_[i]->restore(std::move(states[i]));
    states_.resize(runners_.size());
    snapshot_all();
    saved_ = RaceClock::now();
  }

  void snapshot_all() {
    for (std::size_t i = 0; i < runners_.size(); ++i) states_[i] = runners_[i]->state();
  }

  void run_workers() {
    std::vector<std::jthread> workers;
    const int count = std::min(plan_.threads, static_cast<int>(runners_.size()));
    try {
      for (int i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
    } catch (...) {  // no more threads: those that began must not run the whole race before that is said
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// The last row of each curve is tested, so that the verdict is about the weights of the end.
  void end_curves() {
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (runners_[i]->fault()) continue;
      const std::optional<RacePoint> last = runners_[i]->final_point();
      if (!last) continue;
      std::vector<RacePoint>& curve = states_[i].curve;
      if (!curve.empty() && curve.back().step == last->step) curve.pop_back();
      curve.push_back(*last);
    }
  }

  /// The idle runner with the fewest steps that is not done; none: −1. All that are not idle are looked after.
  int next_runner() const {
    int best = -1;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const Runner& runner = *runners_[i];
      if (busy_[i] || runner.fault() || runner.steps() >= plan_.steps) continue;
      if (best < 0 || runner.steps() < runners_[static_cast<std::size_t>(best)]->steps()) best = static_cast<int>(i);
    }
    return best;
  }

  void work() {
    try {
      for (;;) {
        std::unique_lock lock(mutex_);
        const int chosen = failure_ ? -1 : next_runner();
        if (chosen < 0) return;
        const auto index = static_cast<std::size_t>(chosen);
        busy_[index] = true;
        lock.unlock();
        Runner& runner = *runners_[index];
        const std::int64_t end = std::min(plan_.steps, (runner.steps() / plan_.setup.every + 1) * plan_.setup.every);
        while (runner.steps() < end && runner.advance()) {
        }
        lock.lock();
        release(index, lock);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void release(std::size_t index, std::unique_lock<std::mutex>& lock) {
    busy_[index] = false;
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) done_[i] = runners_[i]->fault() ? plan_.steps : runners_[i]->steps();
      steps += done_[i];
    }
    const std::int64_t all = plan_.steps * static_cast<std::int64_t>(runners_.size());
    line_.show(static_cast<double>(steps) / static_cast<double>(all),
               "step " + std::to_string(steps) + " of " + std::to_string(all));
    if (!saves_ || RaceClock::now() < saved_ + pause_ || !writing_.try_lock()) return;
    const std::lock_guard writing(writing_, std::adopt_lock);
    const RaceClock::time_point begin = RaceClock::now();
    // Those that run keep what was known of them before: each run can go on from its own step.
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) states_[i] = runners_[i]->state();
    }
    lock.unlock();
    write();
    lock.lock();
    saved_ = RaceClock::now();
    pause_ = std::max<RaceClock::duration>(kRaceBetween, kRaceShareOfWriting * (saved_ - begin));
  }

  void write_saved() const {
    if (saves_) write_file(saved_path(), write_states(plan_.fingerprint, states_));
  }
  void write() const {
    write_saved();
    put_result(options_.output, race_table(plan_, states_));
  }

  void write_weights() const {
    if (!options_.weights) return;
    for (const std::unique_ptr<Runner>& runner : runners_) {
      const std::string name = file_name_of(runner->spec()) + ".safetensors";
      write_file(std::filesystem::path(*options_.weights) / name, safetensors_of(runner->trainer()));
    }
  }

  /// Queries and keys of each runner as dumps.
  void look_into_them() {
    for (std::size_t i = 0; i < runners_.size() && options_.dump; ++i) {
      const Runner& runner = *runners_[i];
      if (runner.fault()) continue;
      const TrainedHeads heads =
          look_inside(plan_.setup, runner.spec(), runner.trainer().parameters(), {}, plan_.threads);
      const std::filesystem::path path =
          std::filesystem::path(*options_.dump) / (file_name_of(runner.spec()) + ".qk.safetensors");
      const std::lock_guard lock(writing_);
      write_file(path, dump_of(heads));
      const std::string command = look_command(heads, path.string());
      put_notice("look into " + name_of(runner.spec()) + ", seed " + std::to_string(runner.spec().seed) + ": " +
                 (command.empty()
                      ? path.string() + "; the numbers that it trained for its scores stand in the file, and "
                                        "`ropescope attention` has no options for them"
                      : command));
    }
  }

  /// Every runner on longer sequences, by every context extension; the table appears when all have been read.
  void read_beyond() {
    std::vector<BeyondRead> reads = plan_beyond(plan_);
    if (reads.empty()) return;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      BeyondRead& read = reads[i];
      const Runner& runner = *runners_[read.runner];
      line_.show(static_cast<double>(i) / static_cast<double>(reads.size()),
                 "beyond the length: " + name_of(runner.spec()) + ", " + read.options.method);
      if (!read.absent.empty() || runner.fault()) continue;
      read.losses =
          beyond_losses(plan_.setup, runner.spec(), runner.trainer().parameters(), read.options, plan_.threads);
    }
    {
      const std::lock_guard lock(writing_);
      write_file(beyond_path(*options_.output), beyond_table(plan_, reads));
    }
    ProgressLine::wipe();
    for (const std::string& sentence : beyond_verdict(plan_, reads)) put_notice(sentence);
  }

  /// What was saved stays; nobody waits for the steps of the moment.
  [[noreturn]] void leave() {
    ProgressLine::wipe();
    const bool kept = saves_ && std::filesystem::exists(saved_path());
    // Said at once; only then a file that is nearly there may still appear.
    const int code = cancelled(kept ? "before the end; --resume goes on from what was saved last" : "before the end");
    if (!writing_.try_lock_for(kPatience)) remove_part();
    ProgressLine::wipe();  // of those that still ran
    std::_Exit(code);
  }

  const RacePlan& plan_;
  const RaceOptions& options_;
  bool saves_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<RunnerState> states_;
  std::vector<bool> busy_;
  std::vector<std::int64_t> done_ = std::vector<std::int64_t>(plan_.runners.size());
  std::mutex mutex_;
  std::timed_mutex writing_;
  std::exception_ptr failure_;
  ProgressLine line_;
  RaceClock::time_point saved_;
  RaceClock::duration pause_ = kRaceBetween;
};

void run_race(const RaceOptions& options) {
  if (options.output && options.output->empty()) throw InputError("file.no_name_to_write", {});
  const bool to_file = options.output && *options.output != "-";
  if (options.resume && !to_file) {
    throw InputError("--resume is given; -o with the name of a CSV file was expected with it");
  }
  if (options.beyond && !to_file) {
    throw InputError("--beyond is given; -o with the name of a CSV file was expected with it");
  }
  if (to_file) {
    require_folder(*options.output);
    if (std::filesystem::is_directory(*options.output)) reject("-o", *options.output, "the name of a CSV file");
  }
  const RacePlan plan = plan_race(options);
  if (options.weights && !std::filesystem::is_directory(*options.weights)) {
    reject("--weights", *options.weights, "a folder that is there");
  }
  if (options.dump && !std::filesystem::is_directory(*options.dump)) {
    reject("--dump", *options.dump, "a folder that is there");
  }
  // Beside a pipe or /dev/null nothing is kept.
  const bool saves =
      to_file && (!std::filesystem::exists(*options.output) || std::filesystem::is_regular_file(*options.output));
  std::error_code none;
  const std::uintmax_t saved = options.resume ? std::filesystem::file_size(saved_path_of(options), none) : 0;
  Track(plan, options, saves).go(check_memory(plan, none ? 0 : saved));
}

}  // namespace

Action declare_race(Arguments& arguments) {
  const auto options = std::make_shared<RaceOptions>();
  add_race_options(arguments, *options);
  return [options] { run_race(*options); };
}

}  // namespace ropescope
