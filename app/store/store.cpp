// The cache of a store, its worker, and the selection of work. Read store.h first.

#include "app/store/store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/message.h"

namespace ropescope {

namespace {

/// Size of finished results kept in addition to those on screen, so undo and pins are immediate.
constexpr std::size_t kKeptBytes = std::size_t{512} << 20;
/// The newest results are kept whatever their size: those on screen.
constexpr std::size_t kAlwaysKept = 48;
/// Maximum number of results of any size, because every request searches them.
constexpr std::size_t kMaxKept = 512;

}  // namespace

Store::Outcome Store::Request::outcome(const Work& work) const {
  if (!asked.faults) return compute(key.get(), work);
  try {
    return compute(key.get(), work);
  } catch (const InputError& error) {
    return {nullptr, 0, error.words()};
  }
}

struct Store::State {
  struct Finished {
    Request request;
    Outcome outcome;
  };

  /// A request that threw an exception; removed at the end of a pass that does not request it.
  struct Failed {
    Request request;
    Message why;
    bool asked = true;
  };

  Mode mode;
  int threads;
  std::stop_token stop;  ///< for a synchronous store
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::list<Finished> finished;  ///< most recently requested first
  std::map<std::pair<Compute, std::string>, Outcome> last_of_slot;
  std::vector<Request> wanted;  ///< requested in this pass and not available
  std::deque<Request> pending;  ///< waiting for the worker
  std::optional<Request> running;
  std::stop_source running_stop;
  std::atomic<double> progress = 0;  ///< of the running computation
  std::vector<Failed> failed;
  std::function<void()> told;
  std::int64_t started = 0;
  std::jthread worker;  // last: stops before the rest is destroyed

  State(Mode m, int count, std::stop_token stopped) : mode(m), threads(count), stop(std::move(stopped)) {}

  Outcome find(const Request& request) {
    const auto found = std::find_if(finished.begin(), finished.end(),
                                    [&request](const Finished& entry) { return entry.request.same(request); });
    if (found == finished.end()) return {};
    // Results requested in every frame must outlast those left over from mouse movements.
    finished.splice(finished.begin(), finished, found);
    return found->outcome;
  }

  void keep(const Request& request, const Outcome& outcome) {
    last_of_slot[{request.compute, request.asked.slot}] = outcome;
    if (request.asked.replaces) {
      finished.remove_if([&request](const Finished& entry) {
        return entry.request.compute == request.compute && entry.request.asked.slot == request.asked.slot;
      });
    }
    finished.push_front({request, outcome});
    std::size_t bytes = 0, count = 0;
    for (const Finished& entry : finished) {
      bytes += entry.outcome.bytes;
      if ((bytes > kKeptBytes && count >= kAlwaysKept) || count >= kMaxKept) break;
      ++count;
    }
    while (finished.size() > count) finished.pop_back();
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] { return !pending.empty(); })) {
      running = std::move(pending.front());
      pending.pop_front();
      running_stop = std::stop_source();
      progress = 0;
      ++started;
      const Request job = *running;
      const std::stop_source source = running_stop;
      lock.unlock();
      Outcome outcome;
      Message why;
      try {
        const std::stop_callback forward(stop, [source]() mutable { source.request_stop(); });
        outcome = job.outcome({threads, source.get_token(), [this](double fraction) { progress = fraction; }});
      } catch (const std::exception& error) {  // not caught elsewhere on a worker
        why = words_of(error);
      }
      lock.lock();
      if (!outcome.nothing()) keep(job, outcome);
      if (!why.empty()) failed.push_back({job, why});
      running.reset();
      changed.notify_all();
      if (!told) continue;
      lock.unlock();
      told();
      lock.lock();
    }
  }
};

Store::Store(Mode mode, int threads, std::stop_token asked)
    : state_(std::make_unique<State>(mode, threads, std::move(asked))) {
  if (mode == Mode::asynchronous) {
    state_->worker = std::jthread([state = state_.get()](const std::stop_token& stop) { state->work(stop); });
  }
}

Store::~Store() = default;

Store::Reply Store::answer(const Request& request) {
  std::unique_lock lock(state_->mutex);
  const std::pair slot{request.compute, request.asked.slot};
  if (Outcome found = state_->find(request); !found.nothing()) {
    state_->last_of_slot[slot] = found;
    return {std::move(found), true, 1};
  }
  const bool cheap = request.asked.cost <= kOnTheSpot;
  const auto last = state_->last_of_slot.find(slot);
  Reply meanwhile;
  if (last != state_->last_of_slot.end()) meanwhile.outcome = last->second;
  if (state_->running && state_->running->same(request)) meanwhile.progress = state_->progress;
  for (State::Failed& failed : state_->failed) {
    if (!failed.request.same(request)) continue;
    failed.asked = true;
    return meanwhile;
  }
  if (state_->mode == Mode::synchronous || cheap) {
    ++state_->started;
    lock.unlock();
    Outcome outcome = request.outcome({cheap ? 1 : state_->threads, state_->stop});
    // The caller cannot continue without the result.
    if (outcome.nothing() && state_->stop.stop_requested()) throw std::runtime_error("stopped");
    lock.lock();
    state_->keep(request, outcome);
    return {std::move(outcome), true, 1};
  }
  state_->wanted.push_back(request);
  return meanwhile;
}

std::shared_ptr<const void> Store::last_of(Compute compute, const std::string& slot) const {
  const std::lock_guard lock(state_->mutex);
  const auto last = state_->last_of_slot.find({compute, slot});
  return last == state_->last_of_slot.end() ? nullptr : last->second.result;
}

bool Store::at_once() const {
  return state_->mode == Mode::synchronous;
}

void Store::begin_pass() {
  const std::lock_guard lock(state_->mutex);
  state_->wanted.clear();
  for (State::Failed& failed : state_->failed) failed.asked = false;
}

void Store::end_pass() {
  const std::lock_guard lock(state_->mutex);
  State& s = *state_;
  const auto is_wanted = [&s](const Request& job) {
    return std::any_of(s.wanted.begin(), s.wanted.end(), [&job](const Request& w) { return w.same(job); });
  };
  if (s.running && !is_wanted(*s.running)) s.running_stop.request_stop();
  s.pending.clear();
  for (const Request& job : s.wanted) {
    if (s.running && s.running->same(job)) continue;
    // It may have failed since it was requested.
    const auto is_job = [&job](const State::Failed& failed) { return failed.request.same(job); };
    if (std::any_of(s.failed.begin(), s.failed.end(), is_job)) continue;
    s.pending.push_back(job);
  }
  s.wanted.clear();
  std::erase_if(s.failed, [](const State::Failed& failed) { return !failed.asked; });
  s.changed.notify_all();
}

void Store::on_finished(std::function<void()> told) {
  const std::lock_guard lock(state_->mutex);
  state_->told = std::move(told);
}

Message Store::failure() const {
  const std::lock_guard lock(state_->mutex);
  for (const State::Failed& failed : state_->failed) {
    if (failed.asked) return failed.why;
  }
  return {};
}

bool Store::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running.has_value() || !state_->pending.empty();
}

std::int64_t Store::started() const {
  const std::lock_guard lock(state_->mutex);
  return state_->started;
}

void Store::work_here(const std::stop_token& stop) {
  state_->work(stop);
}

void Store::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->running && state_->pending.empty(); });
}

}  // namespace ropescope
