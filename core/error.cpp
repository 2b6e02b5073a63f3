#include "core/error.h"

#include <new>
#include <system_error>

namespace ropescope {

Words words_of(const std::exception& error) {
  if (const auto* input = dynamic_cast<const InputError*>(&error)) return input->words();
  if (dynamic_cast<const std::bad_alloc*>(&error)) return Words("error.memory");
  // A thread that does not begin: its stack takes memory too.
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system &&
      (system->code() == std::errc::resource_unavailable_try_again || system->code() == std::errc::not_enough_memory)) {
    return Words("error.memory");
  }
  return Words("error.unexpected", {{"what", error.what()}});
}

}  // namespace ropescope
