#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/views/race/lanes.h"
#include "app/views/view.h"
#include "core/training/beyond.h"

namespace ropescope {

/// Which race, and where on its way: what is computed from its weights of that moment depends on nothing else.
struct RaceMoment {
  RaceStart start;
  std::int64_t step = 0;
  std::vector<CourseChange> changes;
  std::weak_ptr<const Race> race;              ///< no request that is remembered keeps it alive,
  mutable std::shared_ptr<const Race> wanted;  ///< but one that is not computed yet does
  explicit RaceMoment(const std::shared_ptr<const Race>& of)
      : start(of->start), step(of->step), changes(of->changes), race(of), wanted(of) {}
  std::shared_ptr<const Race> present() const { return wanted ? wanted : race.lock(); }
  /// It is computed.
  void release() const { wanted = nullptr; }
  bool operator==(const RaceMoment& other) const {
    return start == other.start && step == other.step && changes == other.changes;
  }
};

/// Loss by position of a runner under a context extension, past the length that it is trained on.
struct BeyondCurve {
  Words fault;
  std::vector<double> positions, losses;  ///< middle of a bucket, mean over the seeds that still run
  int factor = 1;                         ///< how many times the trained length
  double within = 0, past = 0;            ///< means below the trained length, and from there on (NaN: nothing there)
  std::size_t bytes() const { return (positions.size() + losses.size()) * sizeof(double); }
};
struct BeyondInput {
  using Result = BeyondCurve;
  RaceMoment moment;
  std::size_t lane = 0;
  std::string method;
  bool operator==(const BeyondInput& other) const {
    return moment == other.moment && lane == other.lane && method == other.method;
  }
  double cost() const { return 1e9; }
  std::shared_ptr<const BeyondCurve> compute(int threads, const std::stop_token& stop) const;
};

/// The picture "beyond" of a race that does not go on, with a card for each lane. It fills in while it is computed.
ViewResult beyond_figures(const Experiment& experiment, const std::shared_ptr<const Race>& race,
                          const std::vector<RaceLane>& lanes, const Text& text, Store& store);

}  // namespace ropescope
