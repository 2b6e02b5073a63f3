// Background computation with memoisation: runs long computations on a worker thread and caches results by their input.
// Views request function results and draw what is available. Read together with app/views/view.h.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

class ResultCache;

/// Maximum cost, in steps, of computations done immediately in the requesting call: about a millisecond on one core.
inline constexpr double kOnTheSpot = 1e6;

// --- Requests ------------------------------------------------------------------------------------------------------

// A store is requested to call `Result f(const Key&, const Work&)`. The key is a value with == that contains everything
// the result depends on, because results are cached by it. The return value of a cancelled function is discarded. A
// function that returns a std::shared_ptr<const Result> decides this itself: null if cancelled.

template <class Function>
struct Computation;
template <class Returned, class Taken>
struct Computation<Returned (*)(const Taken&, const Work&)> {
  using Key = Taken;
  using Result = Returned;
};
template <class Returned, class Taken>
struct Computation<std::shared_ptr<const Returned> (*)(const Taken&, const Work&)> {
  using Key = Taken;
  using Result = Returned;
};
template <auto function>
using KeyOf = typename Computation<decltype(function)>::Key;
template <auto function>
using ResultOf = typename Computation<decltype(function)>::Result;

/// Returns the function's result for the key, computed immediately; null if cancelled, including by an InputError.
template <auto function>
std::shared_ptr<const ResultOf<function>> computed(const KeyOf<function>& key, const Work& work = {}) {
  try {
    if constexpr (std::same_as<decltype(function(key, work)), ResultOf<function>>) {
      auto result = std::make_shared<const ResultOf<function>>(function(key, work));
      return work.stopped() ? nullptr : result;
    } else {
      return function(key, work);
    }
  } catch (const InputError&) {
    if (work.stopped()) return nullptr;
    throw;
  }
}

/// Numbers in a key, with a comparison that allows vectors of different lengths.
struct KeyVector : Eigen::VectorXd {
  using Eigen::VectorXd::VectorXd;
  using Eigen::VectorXd::operator=;
  friend bool operator==(const KeyVector& a, const KeyVector& b) {
    return a.size() == b.size() && (a.array() == b.array()).all();
  }
};

// Approximate memory of a result: its member bytes() if there is one, otherwise its size. Types of other modules have
// a function count_bytes() of their own, which is found by argument-dependent lookup.
template <class Result>
std::size_t count_bytes(const Result& result) {
  if constexpr (requires { result.bytes(); }) {
    return result.bytes();
  } else {
    return sizeof(Result);
  }
}
template <class Number, int rows, int columns, int order>
std::size_t count_bytes(const Eigen::Matrix<Number, rows, columns, order>& matrix) {
  return static_cast<std::size_t>(matrix.size()) * sizeof(Number);
}
template <class Item>
std::size_t count_bytes(const std::vector<Item>& items) {
  if constexpr (std::is_trivially_copyable_v<Item>) return items.size() * sizeof(Item);
  std::size_t sum = 0;
  for (const Item& item : items) sum += count_bytes(item);
  return sum;
}
template <class Item>
std::size_t count_bytes(const std::shared_ptr<const Item>& item) {
  return item ? count_bytes(*item) : 0;
}
/// Returns the total for several parts of a result.
template <class... Parts>
std::size_t bytes_in(const Parts&... parts) {
  return (std::size_t{0} + ... + count_bytes(parts));
}

/// The options of a request.
struct RequestOptions {
  /// The slot of the result ("current", "pin1"): its last finished result is shown meanwhile. Slots of different
  /// functions are independent.
  std::string slot;
  double cost = 0;  ///< in elementary steps of about a nanosecond
  /// Whether an InputError of the function is a valid answer (Answer::fault), cached like any other. Otherwise it is
  /// thrown to the caller if the store is synchronous, and reported by Store::failure() if not.
  bool faults = false;
  /// Whether the result replaces the earlier ones of its slot: for a long computation that continues from its last
  /// result, after which earlier results are useless.
  bool replaces = false;
};

// --- Store ---------------------------------------------------------------------------------------------------------

/// Computes and caches results. In the window it is asynchronous: cheap work is computed immediately, other work by a
/// worker while the last finished result of the slot is shown. The newest request wins; unneeded work is cancelled. For
/// the command line and tests it is synchronous.
class Store {
 public:
  enum class Mode { synchronous, asynchronous };
  /// `threads`: for expensive work (0: all cores). `stop`: for a synchronous store, which then throws
  /// std::runtime_error to callers that request more.
  explicit Store(Mode mode, int threads = 0, std::stop_token stop = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  template <class Result>
  struct Answer {
    std::shared_ptr<const Result> result;  ///< null if nothing has ever finished for this slot, or after an error
    bool current = false;                  ///< false: stale, for an earlier key
    Message fault;                         ///< why there is no result; empty: no error. See RequestOptions::faults
    double progress = 0;                   ///< 0 … 1: progress of the worker that is computing it

    /// Returns whether there is neither a result nor an error.
    bool nothing() const { return !result && fault.empty(); }
    /// Returns the result, null if it is still to be computed. Throws InputError if there is an error instead.
    std::shared_ptr<const Result> present() const {
      if (current && !fault.empty()) throw InputError(fault);
      return current ? result : nullptr;
    }
  };
  /// Requests function(key, …).
  template <auto function>
  Answer<ResultOf<function>> request(const RequestOptions& asked, const KeyOf<function>& key) {
    const Request request = request_of<function>(asked, std::make_shared<const KeyOf<function>>(key));
    const Reply reply = answer(request);
    return {std::static_pointer_cast<const ResultOf<function>>(reply.outcome.result), reply.current,
            reply.outcome.fault, reply.progress};
  }

  /// Returns the slot's last result without a request, to continue a long computation (null: none).
  template <auto function>
  std::shared_ptr<const ResultOf<function>> last(const std::string& slot) const {
    return std::static_pointer_cast<const ResultOf<function>>(last_of(&outcome_of<function>, scope_ + slot));
  }

  /// Returns whether everything is computed in the requesting call.
  bool at_once() const;

  /// Sets where long computations save their state so it survives a kill; null: nowhere. Call before any request.
  void keep_on(std::shared_ptr<ResultCache> shelf) { shelf_ = std::move(shelf); }
  const std::shared_ptr<ResultCache>& shelf() const { return shelf_; }

  /// Sets the scope of the following slots: a view requested several times in a pass has separate slots each time.
  void enter_scope(std::string scope) { scope_ = std::move(scope); }
  const std::string& scope() const { return scope_; }

  /// Bracket one pass over the visible views: work not requested between begin and end is cancelled.
  void begin_pass();
  void end_pass();
  /// Returns whether a worker computes something, or is about to.
  bool busy() const;
  /// Sets a function for the worker to call whenever it has finished or failed; call before any request.
  void on_finished(std::function<void()> told);
  /// Returns why the worker could not compute a request of this pass (words_of an exception); empty if there was no
  /// error. It is retried only after a pass without this request. A synchronous store throws to the caller instead.
  Message failure() const;
  /// Returns the number of computations started (tests: a second call with the same experiment computes nothing).
  std::int64_t started() const;
  /// Waits until nothing is being computed (screenshots, tests).
  void wait();
  /// Computes pending work on this thread until a stop is requested between two tasks: for a store without a worker.
  void work_here(const std::stop_token& stop);

 private:
  /// A type-erased result or an error; neither if cancelled.
  struct Outcome {
    std::shared_ptr<const void> result;
    std::size_t bytes = 0;
    Message fault;
    bool nothing() const { return !result && fault.empty(); }
  };
  using Compute = Outcome (*)(const void* key, const Work& work);

  /// A type-erased key with its function.
  struct Request {
    RequestOptions asked;  ///< the slot within its scope
    std::shared_ptr<const void> key;
    bool (*equal)(const void*, const void*);
    Compute compute;  ///< distinct for each function
    bool same(const Request& other) const { return compute == other.compute && equal(key.get(), other.key.get()); }
    /// Computes it, and catches valid InputErrors.
    Outcome outcome(const Work& work) const;
  };
  struct Reply {
    Outcome outcome;
    bool current = false;
    double progress = 0;
  };

  template <auto function>
  static Outcome outcome_of(const void* key, const Work& work) {
    auto result = computed<function>(*static_cast<const KeyOf<function>*>(key), work);
    const std::size_t bytes = result ? count_bytes(*result) : 0;
    return {std::move(result), bytes, {}};
  }
  template <auto function>
  Request request_of(RequestOptions asked, std::shared_ptr<const void> key) const {
    using Key = KeyOf<function>;
    asked.slot = scope_ + asked.slot;
    return {std::move(asked), std::move(key),
            [](const void* a, const void* b) { return *static_cast<const Key*>(a) == *static_cast<const Key*>(b); },
            &outcome_of<function>};
  }
  Reply answer(const Request& request);
  std::shared_ptr<const void> last_of(Compute compute, const std::string& slot) const;

  struct State;
  std::unique_ptr<State> state_;
  std::string scope_;
  std::shared_ptr<ResultCache> shelf_;
};

}  // namespace ropescope
