#include "app/ui/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/figure/page.h"
#include "app/ui/knob_sweep.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

nlohmann::ordered_json save_to_json(const SaveSettings& save) {
  return {{"size", save.size},
          {"dpi", save.dpi},
          {"theme", save.theme},
          {"text_percent", save.text_percent},
          {"words", save.words}};
}

SaveSettings save_from_json(const nlohmann::json& json) {
  SaveSettings save;
  save.size = json.value("size", save.size);
  save.dpi = std::clamp(json.value("dpi", save.dpi), kSmallestDpi, kLargestDpi);
  save.theme = json.value("theme", save.theme);
  save.text_percent = std::clamp(json.value("text_percent", save.text_percent), kSmallestPageText, kLargestPageText);
  save.words = json.value("words", save.words);
  if (save.theme != "dark" && save.theme != "light") save.theme = "automatic";
  if (save.words != "text") save.words = "outlines";
  return save;
}

}  // namespace

void remember_file(Settings& settings, const std::string& path) {
  std::erase(settings.recent, path);
  settings.recent.insert(settings.recent.begin(), path);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
}

std::string settings_to_json(const Settings& settings) {
  const nlohmann::ordered_json json = {{"theme", settings.theme},
                                       {"text_scale", settings.text_scale},
                                       {"language", settings.language},
                                       {"controls_open", settings.controls_open},
                                       {"sweep_seconds", settings.sweep_seconds},
                                       {"recent", settings.recent},
                                       {"folder", settings.folder},
                                       {"save", save_to_json(settings.save)},
                                       {"motion", settings.motion},
                                       {"lessons", settings.lesson_places}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Settings settings_from_json(const std::string& text, const std::string& source) {
  Settings settings;
  try {
    const auto json = nlohmann::json::parse(text);
    settings.theme = json.value("theme", settings.theme);
    settings.text_scale = json.value("text_scale", settings.text_scale);
    settings.language = json.value("language", settings.language);
    settings.controls_open = json.value("controls_open", settings.controls_open);
    settings.sweep_seconds = json.value("sweep_seconds", settings.sweep_seconds);
    settings.recent = json.value("recent", settings.recent);
    settings.folder = json.value("folder", settings.folder);
    settings.motion = json.value("motion", settings.motion);
    settings.lesson_places = json.value("lessons", settings.lesson_places);
    if (json.contains("save")) settings.save = save_from_json(json.at("save"));
  } catch (const nlohmann::json::exception&) {
    throw InputError(source, "settings.unreadable", {});
  }
  if (settings.theme != "dark" && settings.theme != "light") settings.theme = "dark";
  settings.sweep_seconds = std::clamp(settings.sweep_seconds, kFastestSweep, kSlowestSweep);
  settings.text_scale = std::clamp(settings.text_scale, kSmallestText, kLargestText);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
  while (settings.lesson_places.size() > kMaximumPlaces) settings.lesson_places.erase(settings.lesson_places.begin());
  return settings;
}

}  // namespace ropescope::ui
