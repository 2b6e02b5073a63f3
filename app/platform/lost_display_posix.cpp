#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "app/platform/lost_display.h"

namespace ropescope {

namespace {

/// Xlib's handler takes no data of ours.
std::function<void()>& lost_display() {
  static std::function<void()> told;
  return told;
}

}  // namespace

void on_lost_display(std::function<void()> told) {
  lost_display() = std::move(told);
  // Xlib ends the program when its connection breaks; it is there where GLFW talks X11, and not otherwise.
  using Handler = int (*)(void*);
  using SetHandler = Handler (*)(Handler);
  if (const auto set = reinterpret_cast<SetHandler>(::dlsym(RTLD_DEFAULT, "XSetIOErrorHandler"))) {
    set([](void*) -> int {
      if (lost_display()) lost_display()();
      ::_exit(1);
    });
  }
}

}  // namespace ropescope
