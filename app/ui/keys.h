#pragma once

#include <string>
#include <vector>

#include "app/resources/text.h"

namespace ropescope::ui {

/// One line of the list that F1 shows.
struct KeyLine {
  std::string keys;     ///< "Ctrl+Z"
  std::string meaning;  ///< "Undo"
};
std::vector<KeyLine> key_lines(const Text& text);

}  // namespace ropescope::ui
