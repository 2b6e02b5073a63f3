// Opens the window, which is what the program does without a subcommand. app/ui/app.h holds what it shows.
#pragma once

#include <optional>
#include <string>

namespace ropescope {

struct WindowOptions {
  std::optional<std::string> file;      ///< config.json or experiment to open
  std::optional<std::string> language;  ///< of the window, from now on
  std::optional<std::string> link;      ///< what its links begin with, from now on
};

/// Opens the window and runs it until it is closed; returns the exit code. Throws InputError where there is no display
/// or no GL 3.3.
int open_window(const WindowOptions& options);

}  // namespace ropescope
