// In the page everything lies in its file system in memory, where page.cmake puts it.

#include "app/resources/places.h"

namespace ropescope {

Places find_places() {
  return {"/assets", "/shaders", "/state"};
}

}  // namespace ropescope
