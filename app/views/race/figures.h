// The figures of the view Race: lanes and losses, what runners do beyond their trained length, and a look inside one.
// inputs.h holds the race itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/race_runners.h"
#include "app/resources/shelf.h"
#include "app/resources/text.h"
#include "app/views/race/inputs.h"
#include "app/views/view.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Lanes ---------------------------------------------------------------------------------------------------------

/// A runner with all its seeds.
struct RaceLane {
  RaceRunner runner;
  std::string key, label;
  std::string card;  ///< ends the names of its cards, which conditions of lessons can hold: "rope-base-500000"
  int slot = 0;
  std::vector<const RunnerState*> seeds;
  /// Test losses of the last step at which all that still run measured it, a seed that failed being not a number;
  /// empty: none yet.
  std::vector<double> last_tests() const;
  /// The step at which last_tests() were measured; 0: none.
  std::int64_t last_test_step() const;
};
/// The lanes of a race: its runners, each with all its seeds. They point into the race, which must outlive them. Up to
/// five lanes have colours of their own.
std::vector<RaceLane> lanes_of(const Race& race, const Text& text);

/// What a runner is called: "RoPE, linear attention, base 500 000", with the kind of attention where the kinds differ.
std::string runner_label(const RaceRunner& runner, bool kinds_differ, const Text& text);
/// An extension in words: "yarn ×4"; "not extended".
std::string extension_words(const Extension& extension, const Text& text);

/// Lanes that have been tested with their mean loss, the least one first.
std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes);

// --- Curves --------------------------------------------------------------------------------------------------------

/// The losses by step or second: the mean of so many steps and of all seeds, behind it their mean raw losses and the
/// seeds' range; floor and unigram entropy as rules, where the rope was changed, and where a runner stopped.
Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text);
Figure empty_race_figure(const Experiment& experiment, const Text& text);

// --- Beyond --------------------------------------------------------------------------------------------------------

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
  /// Lets go of the race, once the request is computed.
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

// --- Inside --------------------------------------------------------------------------------------------------------

/// A file of a runner's trained q, k and v in every layer and head, as the view Attention opens dumps; or why there is
/// none.
struct InsideFile {
  std::string path;
  Words fault;
  std::size_t bytes() const { return path.size(); }
};
struct InsideInput {
  using Result = InsideFile;
  static constexpr bool kReplaces = true;  ///< the file replaces an earlier one, too
  RaceMoment moment;
  std::size_t lane = 0;  ///< its first seed that still runs
  std::shared_ptr<Shelf> shelf;
  bool operator==(const InsideInput& other) const { return moment == other.moment && lane == other.lane; }
  double cost() const { return 1e9; }
  std::shared_ptr<const InsideFile> compute(int threads, const std::stop_token& stop) const;
};

/// Whether the view Attention can make the scores of the model from q and k: T5 and KERPLE have trained numbers that no
/// field holds.
bool can_look_into(const RaceRunner& runner);

/// The key of a card's button that looks into a runner, and what it says: which runner, the rope that the race had last
/// (RaceRunner has what it has by itself), and where its heads lie.
std::string inside_key(const RaceRunner& runner, const RaceCourse& course, const std::string& path);
/// Turns to the view Attention on that file, with the rope, kind and mask that the runner was trained with. False: it
/// is no such key, or there is no such runner any more.
bool look_into(Experiment& experiment, const std::string& key);

}  // namespace ropescope
