// Opening the window, which is the program's action without a subcommand. app/ui/app.h contains its content.
#pragma once

#include <optional>
#include <string>

namespace ropescope {

struct WindowOptions {
  std::optional<std::string> file;      ///< config.json or experiment to open
  std::optional<std::string> language;  ///< sets the window's language permanently
  std::optional<std::string> link;      ///< sets the start of its links permanently
};

/// Opens the window and runs it until it is closed; returns the exit code. Throws InputError if there is no display or
/// no GL 3.3.
int open_window(const WindowOptions& options);

}  // namespace ropescope
