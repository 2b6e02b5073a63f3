// The memory of a store, its worker, and which work is wanted.

#include "app/store/store.h"

#include <algorithm>
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

#include "core/words.h"

namespace ropescope {

namespace {

/// Finished results kept beyond those on screen, so that undo and a pin cost nothing.
constexpr std::size_t kKeptBytes = std::size_t{512} << 20;
/// The newest results stay whatever their size: those that are on screen.
constexpr std::size_t kAlwaysKept = 48;
/// No more results than this, however small: every request looks through them.
constexpr std::size_t kMostKept = 512;

/// What an exception of `work` says; empty: there was none. On a worker nobody else would catch it.
template <class Work>
Words failure_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const std::exception& error) {
    return words_of(error);
  }
}

}  // namespace

struct Store::State {
  struct Finished {
    Request request;
    std::shared_ptr<const void> result;
  };

  /// What threw an exception; forgotten by the end of a pass that does not ask for it.
  struct Failed {
    Request request;
    Words why;
    bool asked = true;
  };

  Mode mode;
  int threads;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::list<Finished> finished;  ///< what was asked for last first
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<const void>> last_of_slot;
  std::vector<Request> wanted;  ///< asked for in this pass and not there
  std::deque<Request> pending;  ///< waiting for the worker
  std::optional<Request> running;
  std::stop_source running_stop;
  std::vector<Failed> failed;
  std::function<void()> told;
  std::int64_t started = 0;
  std::jthread worker;  // last: stops before the rest goes

  State(Mode m, int count) : mode(m), threads(count) {}

  std::shared_ptr<const void> find(const Request& request) {
    const auto found = std::find_if(finished.begin(), finished.end(),
                                    [&request](const Finished& entry) { return entry.request.same_input(request); });
    if (found == finished.end()) return nullptr;
    // What every frame asks for must outlast what a mouse leaves behind.
    finished.splice(finished.begin(), finished, found);
    return found->result;
  }

  void keep(const Request& request, std::shared_ptr<const void> result) {
    last_of_slot[{request.type, request.slot}] = result;
    if (request.replaces) {
      finished.remove_if([&request](const Finished& entry) {
        return entry.request.type == request.type && entry.request.slot == request.slot;
      });
    }
    finished.push_front({request, std::move(result)});
    std::size_t bytes = 0, count = 0;
    for (const Finished& entry : finished) {
      bytes += entry.request.bytes(entry.result.get());
      if ((bytes > kKeptBytes && count >= kAlwaysKept) || count >= kMostKept) break;
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
      ++started;
      const Request job = *running;
      const std::stop_source source = running_stop;
      lock.unlock();
      std::shared_ptr<const void> result;
      Words why;
      {
        const std::stop_callback forward(stop, [source]() mutable { source.request_stop(); });
        why = failure_of([&] { result = job.compute(job.input.get(), threads, source.get_token()); });
      }
      lock.lock();
      if (result) keep(job, std::move(result));
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

Store::Store(Mode mode, int threads) : state_(std::make_unique<State>(mode, threads)) {
  if (mode == Mode::asynchronous) {
    state_->worker = std::jthread([state = state_.get()](const std::stop_token& stop) { state->work(stop); });
  }
}

Store::~Store() = default;

Store::Reply Store::answer(const Request& request) {
  std::unique_lock lock(state_->mutex);
  const std::pair slot{request.type, request.slot};
  if (auto found = state_->find(request)) {
    state_->last_of_slot[slot] = found;
    return {found, true};
  }
  const bool cheap = request.cost <= kOnTheSpot;
  const auto last = state_->last_of_slot.find(slot);
  const Reply meanwhile{last == state_->last_of_slot.end() ? nullptr : last->second, false};
  for (State::Failed& failed : state_->failed) {
    if (!failed.request.same_input(request)) continue;
    failed.asked = true;
    return meanwhile;
  }
  if (state_->mode == Mode::synchronous || cheap) {
    ++state_->started;
    lock.unlock();
    auto result = request.compute(request.input.get(), cheap ? 1 : state_->threads, {});
    lock.lock();
    state_->keep(request, result);
    return {result, true};
  }
  state_->wanted.push_back(request);
  return meanwhile;
}

std::shared_ptr<const void> Store::last_of(std::type_index type, const std::string& slot) const {
  const std::lock_guard lock(state_->mutex);
  const auto last = state_->last_of_slot.find({type, slot});
  return last == state_->last_of_slot.end() ? nullptr : last->second;
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
    return std::any_of(s.wanted.begin(), s.wanted.end(), [&job](const Request& w) { return w.same_input(job); });
  };
  if (s.running && !is_wanted(*s.running)) s.running_stop.request_stop();
  s.pending.clear();
  for (const Request& job : s.wanted) {
    if (s.running && s.running->same_input(job)) continue;
    // It may have failed since it was asked for.
    const auto is_job = [&job](const State::Failed& failed) { return failed.request.same_input(job); };
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

Words Store::failure() const {
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

void Store::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->running && state_->pending.empty(); });
}

}  // namespace ropescope
