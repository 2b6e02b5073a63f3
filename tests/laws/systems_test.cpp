// Calls of the operating system are confined to a few pairs of files: *_posix.cpp and *_windows.cpp of app/platform and
// app/resources. This test reads every line of core and app.

#include <cctype>

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

namespace {

using Names = std::set<std::string, std::less<>>;

/// What gives a system away: headers in <>, words of any place, and functions that are called as ::name(.
struct Marks {
  Names headers, folders, words, calls;
};

const Marks kPosix{
    {"unistd.h", "fcntl.h",   "pwd.h",   "grp.h",      "dlfcn.h",     "dirent.h",  "poll.h",
     "spawn.h",  "termios.h", "sched.h", "pthread.h",  "glob.h",      "ftw.h",     "netdb.h",
     "syslog.h", "strings.h", "utime.h", "langinfo.h", "semaphore.h", "execinfo.h"},
    {"sys", "arpa", "netinet", "linux", "mach", "mach-o"},
    // They come with headers of the standard library too.
    {"sigaction",      "sigset_t",      "sigemptyset",   "sigtimedwait", "sigwait",     "pthread_sigmask",
     "pthread_create", "localtime_r",   "gmtime_r",      "popen",        "pclose",      "fileno",
     "fdopen",         "getpid",        "getuid",        "isatty",       "ioctl",       "fork",
     "posix_spawn",    "mmap",          "munmap",        "flock",        "mkstemp",     "mkostemp",
     "mkdtemp",        "setenv",        "unsetenv",      "getpwuid",     "nl_langinfo", "readlink",
     "realpath",       "dlsym",         "sysconf",       "usleep",       "nanosleep",   "strcasecmp",
     "ssize_t",        "off_t",         "pid_t",         "mode_t",       "O_RDONLY",    "O_WRONLY",
     "O_RDWR",         "O_CREAT",       "O_CLOEXEC",     "S_ISREG",      "S_ISDIR",     "SIGPIPE",
     "SIGHUP",         "SIGBUS",        "SIGKILL",       "SIGUSR1",      "SIGUSR2",     "SIGCHLD",
     "SIGXFSZ",        "STDOUT_FILENO", "STDERR_FILENO", "waitpid",      "malloc_trim", "__APPLE__",
     "__linux__",      "__unix__"},
    {"kill", "open", "close", "read", "write", "stat", "fstat", "unlink", "_exit", "raise", "access", "rename", "fsync",
     "fchmod", "chmod", "lseek", "pipe", "dup2"}};
const Marks kWindows{{"windows.h", "windowsx.h", "winbase.h", "shlobj.h", "shellapi.h", "knownfolders.h", "io.h",
                      "direct.h", "process.h"},
                     {},
                     {"HANDLE", "DWORD", "LPVOID", "WINAPI", "GetLastError", "CreateFileW", "_wopen", "_wgetenv",
                      "_isatty", "SetConsoleCtrlHandler", "localtime_s", "_putenv_s", "_WIN32", "_MSC_VER"},
                     {}};

/// Without what follows //, which no text of these sources holds but addresses.
std::string without_comment(const std::string& text) {
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at + 1)) {
    if (at == 0 || text[at - 1] != ':') return text.substr(0, at);
  }
  return text;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The header that a line includes in <>; empty where it includes none.
std::string included(const std::string& line) {
  const std::size_t from = line.find('<'), to = line.find('>');
  const bool includes = line.starts_with("#include") && from != std::string::npos && to != std::string::npos;
  return includes ? line.substr(from + 1, to - from - 1) : std::string();
}

/// What of a line asks the system that has these marks; empty: nothing does.
std::string asked(const std::string& text, const Marks& marks) {
  const std::string line = without_comment(text), header = included(line);
  if (!header.empty()) {
    const std::size_t slash = header.find('/');
    const bool of_folder = slash != std::string::npos && marks.folders.contains(header.substr(0, slash));
    return of_folder || marks.headers.contains(header) ? header : "";
  }
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!is_of_word(line[at])) continue;
    std::size_t end = at;
    while (end < line.size() && is_of_word(line[end])) ++end;
    const std::string word = line.substr(at, end - at);
    // Of no namespace, class or macro: ::name( after a space, an operator or a bracket.
    const bool global = at >= 2 && line.compare(at - 2, 2, "::") == 0 && end < line.size() && line[end] == '(' &&
                        (at == 2 || !(is_of_word(line[at - 3]) || line[at - 3] == '>'));
    if (marks.words.contains(word) || (global && marks.calls.contains(word))) return word;
    at = end;
  }
  return "";
}

/// Sources of core and app, from the top of the repository, but for those of the page in a browser: of one system.
std::vector<std::string> sources() {
  const fs::path top = source_folder();
  std::vector<std::string> found;
  for (const char* room : {"core", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      const std::string ending = entry.path().extension().string();
      const std::string source = fs::relative(entry.path(), top).generic_string();
      if (source.starts_with("app/platform/web/")) continue;
      if (ending == ".cpp" || ending == ".h") found.push_back(source);
    }
  }
  return found;
}

/// Whether a source is the half of a twin that may ask this system: "_posix.cpp" or "_windows.cpp"; or the header that
/// finds OpenGL's functions on each.
bool may_ask(const std::string& source, const std::string& half) {
  if (source == "app/gpu/gl.h") return true;
  return source.ends_with(half) && (source.starts_with("app/platform/") || source.starts_with("app/resources/"));
}

/// Fails for every line that asks this system and stands in no file that may.
void forbid_systems(const Marks& marks, const std::string& half) {
  std::size_t lines = 0, found = 0;
  for (const std::string& source : sources()) {
    std::ifstream file(fs::path(source_folder()) / source);
    std::string text;
    for (int number = 1; std::getline(file, text); ++number, ++lines) {
      const std::string word = asked(text, marks);
      if (word.empty()) continue;
      ++found;
      EXPECT_TRUE(may_ask(source, half)) << source << ':' << number << " asks a system by itself: " << word;
    }
  }
  EXPECT_GT(lines, 10'000u);
  EXPECT_GT(found, 10u) << "the halves themselves do";
}

}  // namespace

TEST(Systems, PosixStandsInItsFilesAlone) {
  forbid_systems(kPosix, "_posix.cpp");
}

TEST(Systems, WindowsStandsInItsFilesAlone) {
  forbid_systems(kWindows, "_windows.cpp");
}

TEST(Systems, EveryFileHasItsTwin) {
  const std::string posix_end = "_posix.cpp", windows_end = "_windows.cpp";
  std::set<std::string> posix, windows, resources;
  for (const std::string& source : sources()) {
    if (source.ends_with(posix_end)) posix.insert(source.substr(0, source.size() - posix_end.size()));
    if (source.ends_with(windows_end)) windows.insert(source.substr(0, source.size() - windows_end.size()));
  }
  EXPECT_EQ(posix, windows);
  for (const std::string& stem : posix) {
    if (stem.starts_with("app/resources/")) resources.insert(stem);
  }
  EXPECT_EQ(resources, std::set<std::string>{"app/resources/system"}) << "one file of the room asks the system";
}

TEST(Systems, TheReaderSeesWhatItLooksFor) {
  EXPECT_EQ(asked("#include <sys/stat.h>", kPosix), "sys/stat.h");
  EXPECT_EQ(asked("#include <unistd.h>", kPosix), "unistd.h");
  EXPECT_EQ(asked("  const ssize_t count = 0;", kPosix), "ssize_t");
  EXPECT_EQ(asked("  if (::close(descriptor)) return;", kPosix), "close");
  EXPECT_EQ(asked("#ifdef __APPLE__", kPosix), "__APPLE__");
  EXPECT_EQ(asked("  return ::rename(a, b);", kPosix), "rename");
  EXPECT_EQ(asked("#if defined(_WIN32)", kWindows), "_WIN32");
  EXPECT_EQ(asked("  fs::rename(a, b);", kPosix), "");
  EXPECT_EQ(asked("#include <windows.h>", kWindows), "windows.h");
  EXPECT_EQ(asked("  const DWORD count = 0;", kWindows), "DWORD");
  EXPECT_EQ(asked("#include <system_error>", kPosix), "");
  EXPECT_EQ(asked("int File::close() {", kPosix), "");
  EXPECT_EQ(asked("  file.close();  // as ::close() does, or isatty", kPosix), "");
  EXPECT_EQ(asked("  os::remove(path);", kPosix), "");
}

}  // namespace ropescope
