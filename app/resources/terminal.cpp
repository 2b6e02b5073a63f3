#include "app/resources/terminal.h"

#include <unistd.h>

namespace ropescope {

bool errors_go_to_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

}  // namespace ropescope
