#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/figure/series.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"

namespace ropescope {

enum class EnvelopeKind { none, from_here, window };

/// Everything the decay curves of one rope depend on: the cache key is this value itself.
struct DecayInput {
  Eigen::VectorXd frequencies;
  Content content;
  PairOrder order = PairOrder::fast_first;
  std::int64_t span = 0;  ///< distances 0 … span
  bool bound = true;
  EnvelopeKind envelope = EnvelopeKind::none;
  std::int64_t window = 0;  ///< width in positions of the window envelope
  bool operator==(const DecayInput& other) const;
};
struct DecayCurves {
  std::shared_ptr<const Series> similarity, bound, envelope;  ///< bound and envelope null where not asked for
  DecaySummary summary;
  double seconds = 0;  ///< what it took
};

/// Computes and remembers. In the window it is asynchronous: cheap inputs are computed on the spot, others by a worker
/// while the last finished result of the same slot is shown; newest request wins, unwanted work is stopped.
/// For the command line and tests it is synchronous.
class Store {
 public:
  enum class Mode { synchronous, asynchronous };
  explicit Store(Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  struct Answer {
    std::shared_ptr<const DecayCurves> curves;  ///< null where nothing has ever finished for this slot
    bool current = false;                       ///< false: stale, of an earlier input
  };
  /// `slot` names whose curves they are ("current", "pin1"): the last finished one of a slot stands in meanwhile.
  Answer decay(const std::string& slot, const DecayInput& input);

  /// Bracket one pass over the visible views: work whose input nobody asked for between begin and end is stopped.
  void begin_pass();
  void end_pass();
  /// True while a worker computes something: the window keeps drawing frames.
  bool busy() const;
  /// How many computations have been started (tests: a second call with the same experiment computes nothing).
  std::int64_t started() const;
  /// Waits until nothing is being computed (screenshots, tests).
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
