// POSIX calls that emscripten 3.1.6 declares but lacks. The page has private files and no users.

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
