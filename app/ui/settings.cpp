#include "app/ui/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace ropescope::ui {

void remember_file(Settings& settings, const std::string& path) {
  std::erase(settings.recent, path);
  settings.recent.insert(settings.recent.begin(), path);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
}

std::string settings_to_json(const Settings& settings) {
  const nlohmann::ordered_json json = {{"theme", settings.theme},
                                       {"text_scale", settings.text_scale},
                                       {"controls_open", settings.controls_open},
                                       {"recent", settings.recent},
                                       {"folder", settings.folder}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Settings settings_from_json(const std::string& text, const std::string& source) {
  Settings settings;
  try {
    const auto json = nlohmann::json::parse(text);
    settings.theme = json.value("theme", settings.theme);
    settings.text_scale = json.value("text_scale", settings.text_scale);
    settings.controls_open = json.value("controls_open", settings.controls_open);
    settings.recent = json.value("recent", settings.recent);
    settings.folder = json.value("folder", settings.folder);
  } catch (const nlohmann::json::exception&) {
    throw InputError(source, "settings.unreadable", {});
  }
  if (settings.theme != "dark" && settings.theme != "light") settings.theme = "dark";
  settings.text_scale = std::clamp(settings.text_scale, kSmallestText, kLargestText);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
  return settings;
}

}  // namespace ropescope::ui
