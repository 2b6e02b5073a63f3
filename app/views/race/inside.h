#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/resources/shelf.h"
#include "app/views/race/beyond.h"
#include "core/training/heads.h"

namespace ropescope {

/// A file of a runner's trained q, k and v in every layer and head, as the view Attention opens dumps; or why there is
/// none.
struct InsideFile {
  std::string path;
  Words fault;
  std::size_t bytes() const { return path.size(); }
};
struct InsideInput {
  using Result = InsideFile;
  static constexpr bool kReplaces = true;  ///< so does the file
  RaceMoment moment;
  std::size_t lane = 0;  ///< its first seed that still runs
  std::shared_ptr<Shelf> shelf;
  bool operator==(const InsideInput& other) const { return moment == other.moment && lane == other.lane; }
  double cost() const { return 1e9; }
  std::shared_ptr<const InsideFile> compute(int threads, const std::stop_token& stop) const;
};

/// Whether the view Attention can make the scores of the model from q and k: T5 and KERPLE have trained numbers that no
/// knob holds.
bool can_look_into(const RaceRunner& runner);

/// The key of a card's button that looks into a runner, and what it says: which runner, the rope that the race had last
/// (RaceRunner has what it has by itself), and where its heads lie.
std::string inside_key(const RaceRunner& runner, const RaceCourse& course, const std::string& path);
/// Turns to the view Attention on that file, with the rope, kind and mask that the runner was trained with. False: it
/// is no such key, or there is no such runner any more.
bool look_into(Experiment& experiment, const std::string& key);

}  // namespace ropescope
