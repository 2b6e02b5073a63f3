#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/resources/shelf.h"
#include "app/views/race/inputs.h"

namespace ropescope {

/// Of a race that is on the shelf: the same in every window and after every start of the program.
std::string saved_name(const RaceStart& start);

/// Of everything that must be the same for saved runners to go on. Reads through the whole text of the task.
std::string race_digits(const RaceStart& start, const RaceSetup& setup);
/// A rope of a race as one line, and back to the bit. Throws nlohmann::json::exception where it is none.
std::string course_text(const RaceCourse& course);
RaceCourse course_of(const std::string& text);

/// A race that was saved, or why what was there cannot be used. Both are empty where nothing was there, or the text
/// that it learns has become another one.
struct SavedRace {
  std::shared_ptr<const Race> race;
  Words fault;
  std::size_t bytes() const { return race ? race->bytes() : 0; }
};
struct SavedRaceInput {
  using Result = SavedRace;
  static constexpr bool kReplaces = true;
  RaceStart start;
  std::shared_ptr<Shelf> shelf;
  bool operator==(const SavedRaceInput& other) const { return start == other.start; }
  double cost() const { return 1e9; }
  /// A damaged file is set aside and named. Throws InputError where there is one, and too little memory for its race.
  std::shared_ptr<const SavedRace> compute(int threads, const std::stop_token& stop) const;
};

/// Saves a race that stands.
struct KeepRaceInput {
  using Result = RaceKept;
  static constexpr bool kReplaces = true;
  RaceStart start;
  std::int64_t step = 0;
  std::vector<CourseChange> changes;
  std::weak_ptr<const Race> race;  ///< no request that is remembered keeps it alive
  std::shared_ptr<Shelf> shelf;
  bool operator==(const KeepRaceInput& other) const {
    return start == other.start && step == other.step && changes == other.changes;
  }
  double cost() const { return 1e9; }
  std::shared_ptr<const RaceKept> compute(int threads, const std::stop_token& stop) const;
};

/// Saves it now. Never throws for what cannot be written: the answer says why.
RaceKept keep_race(const Race& race, Shelf& shelf, const std::stop_token& stop);

}  // namespace ropescope
