#include "core/error.h"

#include <new>

namespace ropescope {

Words words_of(const std::exception& error) {
  if (const auto* input = dynamic_cast<const InputError*>(&error)) return input->words();
  if (dynamic_cast<const std::bad_alloc*>(&error)) return Words("error.memory");
  return Words("error.unexpected", {{"what", error.what()}});
}

}  // namespace ropescope
