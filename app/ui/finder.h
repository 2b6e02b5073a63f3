// The finder, and keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// One line of the list that F1 shows.
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

}  // namespace ropescope::ui
