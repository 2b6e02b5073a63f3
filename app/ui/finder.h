// The finder (Ctrl+K), which finds views, fields, presets, lessons, chapters and commands by name, and the keys that
// work anywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// One line of the list that Shift+F1 shows.
struct KeyLine {
  std::string keys;     ///< "Ctrl+Z"
  std::string meaning;  ///< "Undo"
};
std::vector<KeyLine> key_lines(const Text& text);

/// Keys that work anywhere (finder.cpp declares each once: for this and for the list of Shift+F1).
void handle_keys(App& app, Experiment& edited);

/// Ctrl+K: views, fields, presets, lessons, chapters and commands by their names.
void draw_finder(App& app, const Rect& screen, Experiment& edited);

}  // namespace ropescope::ui
