#pragma once

namespace ropescope {

/// Whether standard error is shown to somebody at a terminal, and not kept in a file.
bool errors_go_to_terminal();

}  // namespace ropescope
