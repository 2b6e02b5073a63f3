// Computes what takes long, on a worker, and remembers it by its input. A view asks for results by value (StoreInput)
// and draws what is there already. Read app/views/view.h beside it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <typeindex>
#include <utility>

#include "core/words.h"

namespace ropescope {

class Shelf;

/// Steps that are computed on the spot, in the call that asks for them: about a millisecond on one core.
inline constexpr double kOnTheSpot = 1e6;

/// What a store can compute: a value that says everything the result depends on (it is the cache key), what it costs,
/// and how it is computed. compute() returns null only where `stop` was requested.
template <class Input>
concept StoreInput = std::equality_comparable<Input> && requires(const Input input, const std::stop_token& stop) {
  typename Input::Result;
  { input.cost() } -> std::convertible_to<double>;  ///< in elementary steps of about a nanosecond
  {
    input.compute(1, stop)
    } -> std::same_as<std::shared_ptr<const typename Input::Result>>;  ///< threads (0: all), stop
} && requires(const typename Input::Result result) {
  { result.bytes() } -> std::convertible_to<std::size_t>;
};
/// Whether the result of an input replaces the earlier ones of its slot: a long computation that goes on from its last
/// result, beside which the others are of no use. Such an input says so by a member, `static constexpr bool kReplaces =
/// true`.
template <class Input>
inline constexpr bool kReplacesEarlier = false;
template <class Input>
requires requires {
  Input::kReplaces;
}
inline constexpr bool kReplacesEarlier<Input> = Input::kReplaces;

/// Computes and remembers. In the window it is asynchronous: cheap inputs are computed on the spot, others by a worker
/// while the last finished result of the same slot is shown; newest request wins, unwanted work is stopped.
/// For the command line and tests it is synchronous.
class Store {
 public:
  enum class Mode { synchronous, asynchronous };
  /// `threads`: for what is dear (0: all cores).
  explicit Store(Mode mode, int threads = 0);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  template <class Result>
  struct Answer {
    std::shared_ptr<const Result> result;  ///< null where nothing has ever finished for this slot
    bool current = false;                  ///< false: stale, of an earlier input
  };
  /// `slot` names whose result it is ("current", "pin1"): the last finished one of a slot stands in meanwhile. Slots of
  /// different input types do not meet.
  template <StoreInput Input>
  Answer<typename Input::Result> get(const std::string& slot, const Input& input) {
    using Result = typename Input::Result;
    const Request request{
        std::type_index(typeid(Input)),
        scope_ + slot,
        std::make_shared<const Input>(input),
        [](const void* a, const void* b) { return *static_cast<const Input*>(a) == *static_cast<const Input*>(b); },
        [](const void* key, int threads, const std::stop_token& stop) -> std::shared_ptr<const void> {
          return static_cast<const Input*>(key)->compute(threads, stop);
        },
        [](const void* result) { return static_cast<const Result*>(result)->bytes(); },
        input.cost(),
        kReplacesEarlier<Input>};
    const Reply reply = answer(request);
    return {std::static_pointer_cast<const Result>(reply.result), reply.current};
  }

  /// What the slot holds, without asking for anything: where a long computation goes on from (null: nothing).
  template <StoreInput Input>
  std::shared_ptr<const typename Input::Result> last(const std::string& slot) const {
    return std::static_pointer_cast<const typename Input::Result>(
        last_of(std::type_index(typeid(Input)), scope_ + slot));
  }

  /// Whether all that is asked for is computed in the call that asks.
  bool at_once() const;

  /// Where long computations keep what they have, so that it is there after a kill; null: nowhere. Given before
  /// anything is asked for.
  void keep_on(std::shared_ptr<Shelf> shelf) { shelf_ = std::move(shelf); }
  const std::shared_ptr<Shelf>& shelf() const { return shelf_; }

  /// Puts the slots from now on into a scope: a view that is asked for several times in a pass has its own each time.
  void enter_scope(std::string scope) { scope_ = std::move(scope); }

  /// Bracket one pass over the visible views: work whose input nobody asked for between begin and end is stopped.
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

 private:
  /// An input whose type is forgotten.
  struct Request {
    std::type_index type;
    std::string slot;
    std::shared_ptr<const void> input;
    bool (*equal)(const void*, const void*);
    std::shared_ptr<const void> (*compute)(const void*, int, const std::stop_token&);
    std::size_t (*bytes)(const void*);
    double cost;
    bool replaces;
    bool same_input(const Request& other) const { return type == other.type && equal(input.get(), other.input.get()); }
  };
  struct Reply {
    std::shared_ptr<const void> result;
    bool current = false;
  };
  Reply answer(const Request& request);
  std::shared_ptr<const void> last_of(std::type_index type, const std::string& slot) const;

  struct State;
  std::unique_ptr<State> state_;
  std::string scope_;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace ropescope
