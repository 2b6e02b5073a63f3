#include "app/views/store.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace ropescope {

namespace {

/// Distances × pairs that are computed on the spot: about a millisecond on one core.
constexpr double kOnTheSpot = 1e6;
/// Finished results kept beyond those on screen, so that undo and a pin cost nothing.
constexpr std::size_t kKeptBytes = std::size_t{512} << 20;

bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

double cost_of(const DecayInput& input) {
  return static_cast<double>(input.span + 1) * static_cast<double>(input.frequencies.size());
}

std::size_t bytes_of(const DecayCurves& curves) {
  std::size_t count = 0;
  for (const auto& series : {curves.similarity, curves.bound, curves.envelope}) {
    if (series) count += series->ys.size();
  }
  return count * sizeof(double);
}

/// Null where it was stopped.
std::shared_ptr<const DecayCurves> compute(const DecayInput& input, int threads, const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  KernelRequest request;
  request.frequencies = input.frequencies;
  request.content = input.content;
  request.order = input.order;
  request.first = 0;
  request.count = input.span + 1;
  request.want_bound = input.bound;
  request.threads = threads;
  KernelCurves curves = kernel_curves(request, stop);
  if (stop.stop_requested() || curves.similarity.empty()) return nullptr;
  auto result = std::make_shared<DecayCurves>();
  result->summary = summarise_decay(curves.similarity);
  if (input.envelope == EnvelopeKind::from_here) {
    result->envelope = make_series(0, 1, envelope_from(curves.similarity));
  } else if (input.envelope == EnvelopeKind::window) {
    result->envelope = make_series(0, 1, envelope_window(curves.similarity, input.window));
  }
  result->similarity = make_series(0, 1, std::move(curves.similarity));
  if (input.bound) result->bound = make_series(0, 1, std::move(curves.bound));
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace

bool DecayInput::operator==(const DecayInput& other) const {
  return span == other.span && order == other.order && bound == other.bound && envelope == other.envelope &&
         window == other.window && content == other.content && same(frequencies, other.frequencies);
}

struct Store::State {
  struct Finished {
    DecayInput input;
    std::shared_ptr<const DecayCurves> curves;
  };
  struct Wanted {
    std::string slot;
    DecayInput input;
  };

  Mode mode;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Finished> finished;  ///< newest first
  std::map<std::string, std::shared_ptr<const DecayCurves>> last_of_slot;
  std::vector<Wanted> wanted;  ///< asked for in this pass and not there
  std::deque<Wanted> pending;  ///< waiting for the worker, newest first
  std::optional<Wanted> running;
  std::stop_source running_stop;
  std::int64_t started = 0;
  std::jthread worker;  // last: stops before the rest goes

  explicit State(Mode m) : mode(m) {}

  std::shared_ptr<const DecayCurves> find(const DecayInput& input) const {
    for (const Finished& entry : finished) {
      if (entry.input == input) return entry.curves;
    }
    return nullptr;
  }

  void keep(const std::string& slot, const DecayInput& input, std::shared_ptr<const DecayCurves> curves) {
    last_of_slot[slot] = curves;
    finished.push_front({input, std::move(curves)});
    std::size_t bytes = 0, count = 0;
    for (const Finished& entry : finished) {
      bytes += bytes_of(*entry.curves);
      if (bytes > kKeptBytes && count >= kAlwaysKept) break;
      ++count;
    }
    finished.resize(count);
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] { return !pending.empty(); })) {
      running = std::move(pending.front());
      pending.pop_front();
      running_stop = std::stop_source();
      std::stop_callback forward(stop, [this] { running_stop.request_stop(); });
      ++started;
      const Wanted job = *running;
      const std::stop_token token = running_stop.get_token();
      lock.unlock();
      auto curves = compute(job.input, 0, token);
      lock.lock();
      if (curves) keep(job.slot, job.input, std::move(curves));
      running.reset();
      changed.notify_all();
    }
  }

  static constexpr std::size_t kAlwaysKept = 12;  ///< current and pinned curves stay whatever their size
};

Store::Store(Mode mode) : state_(std::make_unique<State>(mode)) {
  if (mode == Mode::asynchronous) {
    state_->worker = std::jthread([state = state_.get()](const std::stop_token& stop) { state->work(stop); });
  }
}

Store::~Store() = default;

Store::Answer Store::decay(const std::string& slot, const DecayInput& input) {
  std::unique_lock lock(state_->mutex);
  if (auto found = state_->find(input)) {
    state_->last_of_slot[slot] = found;
    return {found, true};
  }
  if (state_->mode == Mode::synchronous || cost_of(input) <= kOnTheSpot) {
    ++state_->started;
    lock.unlock();
    const int threads = cost_of(input) <= kOnTheSpot ? 1 : 0;
    auto curves = compute(input, threads, {});
    lock.lock();
    state_->keep(slot, input, curves);
    return {curves, true};
  }
  state_->wanted.push_back({slot, input});
  const auto last = state_->last_of_slot.find(slot);
  return {last == state_->last_of_slot.end() ? nullptr : last->second, false};
}

void Store::begin_pass() {
  const std::lock_guard lock(state_->mutex);
  state_->wanted.clear();
}

void Store::end_pass() {
  const std::lock_guard lock(state_->mutex);
  State& s = *state_;
  const auto is_wanted = [&s](const State::Wanted& job) {
    return std::any_of(s.wanted.begin(), s.wanted.end(), [&job](const auto& w) { return w.input == job.input; });
  };
  if (s.running && !is_wanted(*s.running)) s.running_stop.request_stop();
  s.pending.clear();
  for (const State::Wanted& job : s.wanted) {
    if (s.running && s.running->input == job.input) continue;
    s.pending.push_back(job);
  }
  s.wanted.clear();
  s.changed.notify_all();
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
