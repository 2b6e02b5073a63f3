// Settings of the user, kept between sessions, and their file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/experiment/page_fields.h"
#include "app/figure/palette.h"

namespace ropescope::ui {

/// Settings of the user, not of the experiment: kept between sessions, not undone.
struct Settings {
  std::string theme = "dark";  ///< "dark" or "light"
  double text_scale = 100;     ///< percent, kSmallestText…kLargestText
  std::string language = {};   ///< "ja"; empty: the locale's
  bool controls_open = true;
  double sweep_seconds = 5;         ///< duration of a sweep from end to end, kFastestSweep…kSlowestSweep
  std::vector<std::string> recent;  ///< recently opened files, newest first
  std::string folder;               ///< last folder of the file dialogs
  PageFields save;                  ///< of figures in files
  bool motion = true;               ///< lessons animate transitions between steps
  std::map<std::string, std::string> lesson_places;  ///< the last step of each lesson
  std::string link;                                  ///< prefix of codes and links; empty: kOwnAddress
  std::string lesson_open;                           ///< the current lesson; it continues after a crash
  bool start_screen = true;                          ///< shown at startup if there is nothing to restore
  bool contrast = false;                             ///< quiet text and lines are as clear as the others
  bool operator==(const Settings&) const = default;
};
inline std::string_view link_address(const Settings& settings) {
  return settings.link.empty() ? kOwnAddress : std::string_view(settings.link);
}
inline constexpr double kSmallestText = 100, kLargestText = 250;
inline constexpr std::size_t kMaximumRecent = 12, kMaximumPlaces = 100;

/// Returns the style of figures in files.
PageStyle page_style(const Settings& settings);

/// Puts a file first in the list of recent files.
void remember_file(Settings& settings, const std::string& path);

/// Parses settings from JSON. Missing keys are allowed; throws InputError for any other error.
Settings settings_from_json(const std::string& text, const std::string& source);

/// Returns settings as JSON, as settings_from_json() reads them.
std::string settings_to_json(const Settings& settings);

}  // namespace ropescope::ui
