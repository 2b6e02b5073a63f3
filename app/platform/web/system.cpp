// Calls of POSIX that emscripten 3.1.6 declares and lacks. The page has its files for itself, and no users.

#include <pwd.h>
#include <sys/file.h>

extern "C" {

int flock(int, int) {
  return 0;
}

struct passwd* getpwuid(uid_t) {
  return nullptr;
}
}
