// Settings as JSON.

#include "app/ui/settings.h"

#include <algorithm>
#include <utility>

#include "app/experiment/fields.h"
#include "app/ui/ui.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope::ui {

namespace {

/// Fills the fields of pages; a value that is not valid keeps the default, because settings are never refused for it.
void read_page_fields(const nlohmann::json& json, PageFields& page) {
  nlohmann::json save = json.value("save", nlohmann::json::object());
  // Its name up to 0.2.
  if (save.contains("text_percent")) save["text_size"] = save["text_percent"];
  const nlohmann::json root = {{"save", std::move(save)}};
  JsonReader reader(root, {});
  FieldList fields = fields_of(page);
  for (Field& field : fields) {
    try {
      reader.read(field);
    } catch (const InputError&) {
    }
  }
}

}  // namespace

std::string settings_to_json(const Settings& settings) {
  nlohmann::ordered_json json = {{"theme", settings.theme},
                                 {"text_scale", settings.text_scale},
                                 {"language", settings.language},
                                 {"controls_open", settings.controls_open},
                                 {"sweep_seconds", settings.sweep_seconds},
                                 {"recent", settings.recent},
                                 {"folder", settings.folder},
                                 {"save", nlohmann::ordered_json::object()},
                                 {"motion", settings.motion},
                                 {"lessons", settings.lesson_places},
                                 {"link", settings.link},
                                 {"lesson_open", settings.lesson_open},
                                 {"start_screen", settings.start_screen},
                                 {"contrast", settings.contrast}};
  write_json(json, fields_of(settings.save));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

PageStyle page_style(const Settings& settings) {
  return style_of(settings.save, parse_theme(settings.theme));
}

void remember_file(Settings& settings, const std::string& path) {
  std::erase(settings.recent, path);
  settings.recent.insert(settings.recent.begin(), path);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
}

Settings settings_from_json(const std::string& text, const std::string& source) {
  Settings settings;
  try {
    const auto json = parse_own_json(text);
    settings.theme = json.value("theme", settings.theme);
    settings.text_scale = json.value("text_scale", settings.text_scale);
    settings.language = json.value("language", settings.language);
    settings.controls_open = json.value("controls_open", settings.controls_open);
    settings.sweep_seconds = json.value("sweep_seconds", settings.sweep_seconds);
    settings.recent = json.value("recent", settings.recent);
    settings.folder = json.value("folder", settings.folder);
    settings.motion = json.value("motion", settings.motion);
    settings.lesson_places = json.value("lessons", settings.lesson_places);
    settings.link = json.value("link", settings.link);
    settings.lesson_open = json.value("lesson_open", settings.lesson_open);
    settings.start_screen = json.value("start_screen", settings.start_screen);
    settings.contrast = json.value("contrast", settings.contrast);
    read_page_fields(json, settings.save);
  } catch (const nlohmann::json::exception&) {
    throw InputError(source, "settings.unreadable", {});
  }
  if (!find_theme(settings.theme)) settings.theme = Settings().theme;
  settings.sweep_seconds = std::clamp(settings.sweep_seconds, kFastestSweep, kSlowestSweep);
  settings.text_scale = std::clamp(settings.text_scale, kSmallestText, kLargestText);
  if (settings.recent.size() > kMaximumRecent) settings.recent.resize(kMaximumRecent);
  while (settings.lesson_places.size() > kMaximumPlaces) settings.lesson_places.erase(settings.lesson_places.begin());
  return settings;
}

}  // namespace ropescope::ui
