#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ropescope::ui {

/// How figures are saved.
struct SaveSettings {
  std::string size = "1200x800";    ///< as parse_page_size takes it
  double dpi = 300;                 ///< of a PNG in millimetres
  std::string theme = "automatic";  ///< "dark", "light", or what suits: light for pages (SVG, PDF), else the window's
  double text_percent = 100;
  std::string words = "outlines";  ///< "outlines" or "text", in SVG
  bool operator==(const SaveSettings&) const = default;
};

/// What belongs to the person, not to the experiment: kept between starts, not undone.
struct Settings {
  std::string theme = "dark";  ///< "dark" or "light"
  double text_scale = 100;     ///< percent, kSmallestText…kLargestText
  std::string language = {};   ///< "ja"; empty: the locale's
  bool controls_open = true;
  double sweep_seconds = 5;         ///< a swept knob takes from end to end, kFastestSweep…kSlowestSweep
  std::vector<std::string> recent;  ///< files opened last, newest first
  std::string folder;               ///< where the file dialogs were last
  SaveSettings save;
  bool motion = true;                                ///< lessons glide and sweep from step to step
  std::map<std::string, std::string> lesson_places;  ///< the step at which each lesson was left
  bool operator==(const Settings&) const = default;
};
inline constexpr double kSmallestText = 100, kLargestText = 250;
inline constexpr std::size_t kMaximumRecent = 12, kMaximumPlaces = 100;

/// Puts a file at the head of the recent ones.
void remember_file(Settings& settings, const std::string& path);

/// JSON; reading is forgiving about missing keys and throws InputError for anything else that is wrong.
std::string settings_to_json(const Settings& settings);
Settings settings_from_json(const std::string& text, const std::string& source);

}  // namespace ropescope::ui
