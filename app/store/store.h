// Computes what takes long, on a worker, and remembers it by what was asked. A view asks for a function of a value and
// draws what is there already. Read app/views/view.h beside it.
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

#include "core/parallel.h"
#include "core/words.h"

namespace ropescope {

class Shelf;

/// Steps that are computed on the spot, in the call that asks for them: about a millisecond on one core.
inline constexpr double kOnTheSpot = 1e6;

// --- What can be asked for -----------------------------------------------------------------------------------------

// A store is asked for a function `Result f(const Key&, const Work&)`. The key is a value with ==; it says everything
// that the result depends on, as it is what the result is remembered by. What a stopped function returns is thrown
// away. A function that returns a std::shared_ptr<const Result> decides that itself: null where it was stopped.

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

/// What the function gives for the key, computed now; null where it was stopped, be it by an InputError.
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

/// Numbers of a key: as they are, but vectors of different lengths may be compared.
struct KeyVector : Eigen::VectorXd {
  using Eigen::VectorXd::VectorXd;
  using Eigen::VectorXd::operator=;
  friend bool operator==(const KeyVector& a, const KeyVector& b) {
    return a.size() == b.size() && (a.array() == b.array()).all();
  }
};

// How much memory a result takes, about: what its bytes() says where it has that member, or its size.
template <class Result>
std::size_t bytes_of(const Result& result) {
  if constexpr (requires { result.bytes(); }) {
    return result.bytes();
  } else {
    return sizeof(Result);
  }
}
template <class Number, int rows, int columns, int order>
std::size_t bytes_of(const Eigen::Matrix<Number, rows, columns, order>& matrix) {
  return static_cast<std::size_t>(matrix.size()) * sizeof(Number);
}
template <class Item>
std::size_t bytes_of(const std::vector<Item>& items) {
  if constexpr (std::is_trivially_copyable_v<Item>) return items.size() * sizeof(Item);
  std::size_t sum = 0;
  for (const Item& item : items) sum += bytes_of(item);
  return sum;
}
template <class Item>
std::size_t bytes_of(const std::shared_ptr<const Item>& item) {
  return item ? bytes_of(*item) : 0;
}
/// Of several parts of a result.
template <class... Parts>
std::size_t bytes_in(const Parts&... parts) {
  return (std::size_t{0} + ... + bytes_of(parts));
}

/// How something is asked for.
struct Asked {
  /// Whose result it is ("current", "pin1"): the last finished one of a slot stands in meanwhile. Slots of different
  /// functions do not meet.
  std::string slot;
  double cost = 0;  ///< in elementary steps of about a nanosecond
  /// Whether an InputError of the function is the answer (Answer::fault), remembered as any other. Else it is the
  /// caller's where the store is synchronous, and Store::failure() where it is not.
  bool faults = false;
  /// Whether the result replaces the earlier ones of its slot: a long computation that goes on from its last result,
  /// beside which the others are of no use.
  bool replaces = false;
};

// --- Store ---------------------------------------------------------------------------------------------------------

/// Computes and remembers. In the window it is asynchronous: what is cheap is computed on the spot, the rest by a
/// worker while the last finished result of the same slot is shown; newest request wins, unwanted work is stopped.
/// For the command line and tests it is synchronous.
class Store {
 public:
  enum class Mode { synchronous, asynchronous };
  /// `threads`: for what is dear (0: all cores). `stop`: of a synchronous one, which then ends who asks for more by
  /// std::runtime_error.
  explicit Store(Mode mode, int threads = 0, std::stop_token stop = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  template <class Result>
  struct Answer {
    std::shared_ptr<const Result> result;  ///< null where nothing has ever finished for this slot, or there is a fault
    bool current = false;                  ///< false: stale, of an earlier key
    Words fault;                           ///< why there is no result; empty: nothing is wrong. See Asked::faults
    double progress = 0;                   ///< 0 … 1: how far the worker has come that computes it now

    /// Whether nothing is there, not even a fault.
    bool nothing() const { return !result && fault.empty(); }
    /// The result, null where it is still to be computed. Throws InputError where there is a fault instead.
    std::shared_ptr<const Result> present() const {
      if (current && !fault.empty()) throw InputError(fault);
      return current ? result : nullptr;
    }
  };
  /// Asks for function(key, …).
  template <auto function>
  Answer<ResultOf<function>> ask(const Asked& asked, const KeyOf<function>& key) {
    const Request request = request_of<function>(asked, std::make_shared<const KeyOf<function>>(key));
    const Reply reply = answer(request);
    return {std::static_pointer_cast<const ResultOf<function>>(reply.outcome.result), reply.current,
            reply.outcome.fault, reply.progress};
  }

  /// What the slot holds, without asking for anything: where a long computation goes on from (null: nothing).
  template <auto function>
  std::shared_ptr<const ResultOf<function>> last(const std::string& slot) const {
    return std::static_pointer_cast<const ResultOf<function>>(last_of(&outcome_of<function>, scope_ + slot));
  }

  /// Whether all that is asked for is computed in the call that asks.
  bool at_once() const;

  /// Where long computations keep what they have, so that it is there after a kill; null: nowhere. Given before
  /// anything is asked for.
  void keep_on(std::shared_ptr<Shelf> shelf) { shelf_ = std::move(shelf); }
  const std::shared_ptr<Shelf>& shelf() const { return shelf_; }

  /// Puts the slots from now on into a scope: a view that is asked for several times in a pass has its own each time.
  void enter_scope(std::string scope) { scope_ = std::move(scope); }

  /// Bracket one pass over the visible views: work that nobody asked for between begin and end is stopped.
  void begin_pass();
  void end_pass();
  /// True while a worker computes something, or is about to.
  bool busy() const;
  /// Called by the worker whenever it has finished something, also where that failed; set before anything is asked for.
  void on_finished(std::function<void()> told);
  /// Why something that this pass asked for could not be computed by the worker (words_of an exception); empty: all
  /// could. It is not tried again until a pass has not asked for it. Where the store is synchronous the exception is
  /// the caller's.
  Words failure() const;
  /// How many computations have been started (tests: a second call with the same experiment computes nothing).
  std::int64_t started() const;
  /// Waits until nothing is being computed (screenshots, tests).
  void wait();
  /// Computes what waits, on this thread, until a stop is asked for between two: for who has no worker.
  void work_here(const std::stop_token& stop);

 private:
  /// A result whose type is forgotten, or what was wrong; neither where it was stopped.
  struct Outcome {
    std::shared_ptr<const void> result;
    std::size_t bytes = 0;
    Words fault;
    bool nothing() const { return !result && fault.empty(); }
  };
  using Compute = Outcome (*)(const void* key, const Work& work);

  /// A key whose type is forgotten, with its function.
  struct Request {
    Asked asked;  ///< the slot within its scope
    std::shared_ptr<const void> key;
    bool (*equal)(const void*, const void*);
    Compute compute;  ///< another one for each function
    bool same(const Request& other) const { return compute == other.compute && equal(key.get(), other.key.get()); }
    /// Computes it, and catches what is a fault.
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
    const std::size_t bytes = result ? bytes_of(*result) : 0;
    return {std::move(result), bytes, {}};
  }
  template <auto function>
  Request request_of(Asked asked, std::shared_ptr<const void> key) const {
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
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace ropescope
