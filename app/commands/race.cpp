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
#include "app/commands/race_plan.h"
#include "app/commands/race_report.h"
#include "app/resources/files.h"
#include "core/error.h"

namespace ropescope {

namespace {

using Clock = std::chrono::steady_clock;
/// Runs are saved at most every so often, and at most for a twentieth of the time.
constexpr auto kBetween = std::chrono::seconds(3);
constexpr int kShareOfWriting = 20;
/// How long Ctrl-C waits for a file that is just being written.
constexpr auto kPatience = std::chrono::milliseconds(30);

/// All runners on their way, whoever is last first.
class Track {
 public:
  Track(const RacePlan& plan, const RaceOptions& options)
      : plan_(plan), options_(options), saves_(options.output && *options.output != "-") {}

  void go(const std::string& memory) {
    const StopOnSignals interrupt({StopRequest::interrupt}, [this] { leave(); });
    take_places();
    put_notice(memory);  // what is bad has been refused by now, in one line
    {
      std::vector<std::jthread> workers;
      const int count = std::min(plan_.threads, static_cast<int>(runners_.size()));
      for (int i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    ProgressLine::wipe();
    snapshot_all();
    const std::lock_guard lock(writing_);
    write();
    write_weights();
    for (const std::string& sentence : race_verdict(plan_, states_)) put_notice(sentence);
  }

 private:
  std::filesystem::path saved_path() const { return *options_.output + ".saved"; }

  void take_places() {
    for (const RunnerSpec& spec : plan_.runners) {
      runners_.push_back(std::make_unique<Runner>(plan_.setup, spec, plan_.threads_of_one));
    }
    busy_.assign(runners_.size(), false);
    if (options_.resume && std::filesystem::exists(saved_path())) {
      const std::string source = saved_path().string();
      std::vector<RunnerState> states = read_states(plan_.fingerprint, read_file(saved_path()), source);
      for (std::size_t i = 0; i < states.size(); ++i) runners_[i]->restore(std::move(states[i]));
    }
    states_.resize(runners_.size());
    snapshot_all();
    saved_ = Clock::now();
  }

  void snapshot_all() {
    for (std::size_t i = 0; i < runners_.size(); ++i) states_[i] = runners_[i]->state();
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
    if (!saves_ || Clock::now() < saved_ + pause_ || !writing_.try_lock()) return;
    const std::lock_guard writing(writing_, std::adopt_lock);
    const Clock::time_point begin = Clock::now();
    // Those that run keep what was known of them before: each run can go on from its own step.
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) states_[i] = runners_[i]->state();
    }
    lock.unlock();
    write();
    lock.lock();
    saved_ = Clock::now();
    pause_ = std::max<Clock::duration>(kBetween, kShareOfWriting * (saved_ - begin));
  }

  void write() const {
    if (saves_) write_file(saved_path(), write_states(plan_.fingerprint, states_));
    put_result(options_.output, race_table(plan_, states_));
  }

  void write_weights() const {
    if (!options_.weights) return;
    for (const std::unique_ptr<Runner>& runner : runners_) {
      std::string name = name_of(runner->spec()) + "-" + std::to_string(runner->spec().seed) + ".safetensors";
      std::replace(name.begin(), name.end(), '/', '-');
      write_file(std::filesystem::path(*options_.weights) / name, safetensors_of(runner->trainer()));
    }
  }

  /// What was saved stays; nobody waits for the steps of the moment.
  [[noreturn]] void leave() {
    const bool quiet = writing_.try_lock_for(kPatience);
    ProgressLine::wipe();
    const bool kept = saves_ && quiet && std::filesystem::exists(saved_path());
    std::_Exit(cancelled(kept ? "before the end; --resume goes on from what was saved last" : "before the end"));
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
  Clock::time_point saved_;
  Clock::duration pause_ = kBetween;
};

void run(const RaceOptions& options) {
  const bool to_file = options.output && *options.output != "-";
  if (options.resume && !to_file) {
    throw InputError("--resume is given; -o with the name of a CSV file was expected with it");
  }
  if (to_file) require_folder(*options.output);
  const RacePlan plan = plan_race(options);
  if (options.weights && !std::filesystem::is_directory(*options.weights)) {
    reject("--weights", *options.weights, "a folder that is there");
  }
  const std::string memory = check_memory(plan);
  Track(plan, options).go(memory);
}

}  // namespace

Action declare_race(Arguments& arguments) {
  const auto options = std::make_shared<RaceOptions>();
  add_race_options(arguments, *options);
  return [options] { run(*options); };
}

}  // namespace ropescope
