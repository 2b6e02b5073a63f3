// Paths of the web page, whose files are all in memory, as packed by page.cmake.

#include "app/resources/places.h"

namespace ropescope {

Places find_places() {
  return {"/assets", "/shaders", "/state"};
}

}  // namespace ropescope
