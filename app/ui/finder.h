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

/// What a key does, to be found by its name: the key of its meaning and its first key as printed.
struct Command {
  std::string text, keys;
};
std::vector<Command> key_commands();
/// Does what the key with this meaning does.
void act_by_text(App& app, Experiment& edited, std::string_view text);

/// Keys that work anywhere (finder.cpp declares each once: for this and for the list of Shift+F1).
void handle_keys(App& app, Experiment& edited);

/// Ctrl+K: views, fields, presets, lessons, chapters and commands by their names.
void draw_finder(App& app, const Rect& screen, Experiment& edited);

}  // namespace ropescope::ui
