#pragma once

#include <optional>
#include <string>

#include "app/experiment/experiment.h"
#include "app/ui/settings.h"
#include "core/words.h"

namespace ropescope::ui {

struct App;

/// What stands in the files of the state, and what waits to be written. Times are seconds on ImGui's clock.
struct Saving {
  bool allowed = true;            ///< false for pictures: nothing is written
  Experiment experiment;          ///< as it was seen last
  Settings settings;              ///< the same
  std::string experiment_file;    ///< content as written
  std::string settings_file;      ///< the same
  std::optional<double> waiting;  ///< time of the first edit that is not written
  double edited = 0;              ///< time of the last one
  std::optional<double> failed;   ///< time of the last try, where it failed
  Words said;                     ///< why, as the message said it
  bool operator==(const Saving&) const = default;
};

/// When the state is to be written: two seconds after the last edit, and at most ten after the first while edits go on;
/// ten after a try that failed. Nothing waits: no value.
std::optional<double> save_due(const Saving& saving);

/// Reads settings and the last experiment. What cannot be read (broken, or of a newer version) is kept beside as
/// NAME.1 (.2, …) and said; the defaults start. `crashed`: the last window did not end in good order, so the last
/// experiment, which may be why, is kept beside too and offered.
void load_state(App& app, bool crashed = false);
/// Once a frame: looks for edits, writes where it is time to.
void keep_state(App& app, double now);
/// Writes what changed, now. Never throws: a message instead, and another try later. The experiment is written where
/// the settings cannot be, and the recent files of other windows stay.
void save_state(App& app, double now = 0);

}  // namespace ropescope::ui
