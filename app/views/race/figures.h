// The figures of the view Race: lanes and losses, what runners do beyond their trained length, and a look inside one.
// inputs.h holds the race itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// Lanes that have been tested with their mean loss, the least one first.
std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes);

// --- Curves --------------------------------------------------------------------------------------------------------

/// The losses by step or second: the mean of so many steps and of all seeds, behind it their mean raw losses and the
/// seeds' range; floor and unigram entropy as rules, where the rope was changed, and where a runner stopped.
Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text);
Figure empty_race_figure(const Experiment& experiment, const Text& text);

// --- Beyond --------------------------------------------------------------------------------------------------------

/// Loss by position of a runner under a context extension, past the length that it is trained on.
struct BeyondCurve {
  std::vector<double> positions, losses;  ///< middle of a bucket, mean over the seeds that still run
  int factor = 1;                         ///< how many times the trained length
  double within = 0, past = 0;            ///< means below the trained length, and from there on (NaN: nothing there)
  std::size_t bytes() const { return bytes_in(positions, losses); }
};
struct BeyondInput {
  RaceMoment moment;
  std::size_t lane = 0;
  std::string method;
  bool operator==(const BeyondInput&) const = default;
};
BeyondCurve beyond_curve(const BeyondInput& input, const Work& work);

/// The picture "beyond" of a race that does not go on, with a card for each lane. It fills in while it is computed.
ViewResult beyond_figures(const Experiment& experiment, const std::shared_ptr<const Race>& race,
                          const std::vector<RaceLane>& lanes, const Text& text, Store& store);

// --- Inside --------------------------------------------------------------------------------------------------------

struct InsideInput {
  RaceMoment moment;
  std::size_t lane = 0;  ///< its first seed that still runs
  std::shared_ptr<Shelf> shelf;
  bool operator==(const InsideInput&) const = default;
};
/// The path of a file of a runner's trained q, k and v in every layer and head, as the view Attention opens dumps; it
/// replaces an earlier one. Empty where the race has gone on. Throws InputError where there can be none.
std::shared_ptr<const std::string> inside_file(const InsideInput& input, const Work& work);

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
