// The figures of the view Race: lanes and losses, losses beyond the trained length, and the inside of a runner. Read
// inputs.h first: it defines the race.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/race_runners.h"
#include "app/resources/result_cache.h"
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
  std::string card;  ///< suffix of its card names, usable in lesson conditions: "rope-base-500000"
  int slot = 0;
  std::vector<const RunnerState*> seeds;
  /// Returns the test losses at the last step measured by all active seeds, with NaN for failed seeds; empty if there
  /// are none yet.
  std::vector<double> last_tests() const;
  /// Returns the step at which last_tests() were measured; 0 if none.
  std::int64_t last_test_step() const;
};
/// Returns the lanes of a race: its runners, each with all its seeds. They point into the race, which must outlive
/// them. The first five lanes have different colours.
std::vector<RaceLane> lanes_of(const Race& race, const Text& text);

/// Returns a runner's name, "RoPE, linear attention, base 500 000", with the kind of attention if the kinds differ.
std::string runner_label(const RaceRunner& runner, bool kinds_differ, const Text& text);

/// Returns the tested lanes with their mean loss in ascending order.
std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes);

/// Returns the verdict on a lead, for cards and the command `race`: one of the texts "not_compared", "one_seed",
/// "told_apart" and "not_told_apart" after `words`, a key with a final dot.
Message lead_words(const std::string& words, const RunnerComparison& found);

// --- Curves --------------------------------------------------------------------------------------------------------

/// Draws the losses by step or second: moving averages over seeds on top of their mean raw losses and range; floor and
/// unigram entropy as rules; the steps at which the rope was changed or a runner failed.
Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text);
Figure empty_race_figure(const Experiment& experiment, const Text& text);

// --- Beyond --------------------------------------------------------------------------------------------------------

/// Loss by position of a runner under a context extension, beyond its trained length.
struct BeyondCurve {
  std::vector<double> positions, losses;  ///< centre of a bucket, mean over the active seeds
  int factor = 1;                         ///< multiple of the trained length
  double within = 0, past = 0;            ///< means below and from the trained length (NaN: no positions)
  std::size_t bytes() const { return bytes_in(positions, losses); }
};
struct BeyondInput {
  RaceMoment moment;
  std::size_t lane = 0;
  std::string method;
  bool operator==(const BeyondInput&) const = default;
};
BeyondCurve beyond_curve(const BeyondInput& input, const Work& work);

/// Draws the picture "beyond" of a race that is not running, with a card per lane. It fills in as results arrive.
ViewResult beyond_figures(const Experiment& experiment, const std::shared_ptr<const Race>& race,
                          const std::vector<RaceLane>& lanes, const Text& text, Store& store);

// --- Inside --------------------------------------------------------------------------------------------------------

struct InsideInput {
  RaceMoment moment;
  std::size_t lane = 0;  ///< uses its first active seed
  std::shared_ptr<ResultCache> shelf;
  bool operator==(const InsideInput&) const = default;
};
/// Writes a runner's trained q, k and v of all layers and heads to a file that the view Attention can open, replacing
/// an earlier one, and returns its path. Empty if the race has continued. Throws InputError if it cannot be written.
std::shared_ptr<const std::string> inside_file(const InsideInput& input, const Work& work);

/// Returns whether the view Attention can compute the model's scores from q and k. T5 and KERPLE have trained
/// parameters that no field stores.
bool can_look_into(const RaceRunner& runner);

/// Returns the key of a card's button that opens a runner. It encodes the runner, the race's last rope (RaceRunner has
/// its own settings), and the path of its heads.
std::string inside_key(const RaceRunner& runner, const RaceCourse& course, const std::string& path);
/// Opens the view Attention on that file with the rope, kind and mask that the runner was trained with. Returns false
/// if the key is of another kind or the runner no longer exists.
bool inspect_heads(Experiment& experiment, const std::string& key);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns the cards on the leader and the significance of its lead, then on each lane's test loss in ascending order,
/// and at the end on any problem with the saved race.
std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Message& fault,
                                   const Text& text);

}  // namespace ropescope
