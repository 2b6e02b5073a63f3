#include "app/resources/files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(ReadFile, WholeContent) {
  const TemporaryFolder folder;
  const std::string content = std::string("a\0b\n", 4) + std::string(300'000, 'x');
  write_file(folder.path / "f", content);
  EXPECT_EQ(read_file(folder.path / "f"), content);
  EXPECT_EQ(read_file(folder.path / "f", content.size()), content);
  write_file(folder.path / "empty", "");
  EXPECT_EQ(read_file(folder.path / "empty"), "");
}

TEST(ReadFile, NamesFileAndFault) {
  const TemporaryFolder folder;
  const std::string name = (folder.path / "f").string();
  EXPECT_REFUSED(read_file(name), AllOf(HasSubstr(name + ": "), Says("error.file.missing")));
  EXPECT_REFUSED(read_file(folder.path), HasSubstr("folder"));
  write_file(name, std::string(100, 'x'));
  EXPECT_REFUSED(read_file(name, 99), Says("error.file.too_large"));
  EXPECT_REFUSED(read_file(folder.path / "f/g"), Says("error.file.not_read"));
}

TEST(WriteFile, ReplacesAndKeepsTheMode) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "f";
  write_file(file, "one");
  fs::permissions(file, fs::perms(0640));
  write_file(file, "two");
  EXPECT_EQ(read_file(file), "two");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_EQ(entries(folder.path), 1u);
}

TEST(WriteFile, ANewFileFollowsTheUmask) {
  const TemporaryFolder folder;
  const mode_t old = ::umask(027);
  write_file(folder.path / "f", "x");
  ::umask(old);
  EXPECT_EQ(fs::status(folder.path / "f").permissions(), fs::perms(0640));
}

TEST(WriteFile, WritesThroughALink) {
  const TemporaryFolder folder;
  write_file(folder.path / "target", "one");
  fs::create_symlink("target", folder.path / "link");
  write_file(folder.path / "link", "two");
  EXPECT_TRUE(fs::is_symlink(folder.path / "link"));
  EXPECT_EQ(read_file(folder.path / "target"), "two");
}

TEST(WriteFile, WritesThroughLinksWhoseTargetIsNotThereYet) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "deeper");
  fs::create_symlink("deeper/second", folder.path / "first");
  fs::create_symlink("../target", folder.path / "deeper/second");
  write_file(folder.path / "first", "one");
  EXPECT_TRUE(fs::is_symlink(folder.path / "first"));
  EXPECT_TRUE(fs::is_symlink(folder.path / "deeper/second"));
  EXPECT_EQ(read_file(folder.path / "target"), "one");

  fs::create_symlink("no/target", folder.path / "dangling");
  EXPECT_REFUSED(write_file(folder.path / "dangling", "x"), Says("error.file.no_folder"));
  fs::create_symlink("circle", folder.path / "circle");
  EXPECT_REFUSED(write_file(folder.path / "circle", "x"), Says("error.file.not_written"));
  EXPECT_TRUE(fs::is_symlink(folder.path / "circle"));
}

TEST(WriteFile, PiecesInTheirOrderOrNothing) {
  const TemporaryFolder folder;
  const std::vector<std::string> parts = {"one ", "two ", "three", ""};
  std::size_t next = 0;
  write_file(folder.path / "f", [&]() -> std::string_view { return parts[next++]; });
  EXPECT_EQ(read_file(folder.path / "f"), "one two three");
  next = 0;
  const auto broken = [&]() -> std::string_view {
    if (next == 2) throw InputError("no more");
    return parts[next++];
  };
  EXPECT_EQ(refusal_of([&] { write_file(folder.path / "f", broken); }), "no more");
  EXPECT_EQ(read_file(folder.path / "f"), "one two three");
  EXPECT_EQ(entries(folder.path), 1u);
}

TEST(WriteFile, NamesFileAndFaultAndLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_REFUSED(write_file(folder.path, "x"),
                 AllOf(HasSubstr(folder.path.string() + ": "), Says("error.file.folder")));
  EXPECT_REFUSED(write_file(folder.path / "new/", "x"), HasSubstr("folder"));
  EXPECT_REFUSED(write_file(folder.path / "no/f", "x"), Says("error.file.no_folder"));
  EXPECT_REFUSED(write_file("/dev/full", "x"), AllOf(HasSubstr("/dev/full: "), Says("error.file.not_written")));
  EXPECT_REFUSED(write_file("", "x"), HasSubstr("empty"));
  EXPECT_EQ(entries(folder.path), 0u);
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
}

TEST(ReadFile, RefusesWhatHasNoSize) {
  EXPECT_REFUSED(read_file("/dev/zero"), AllOf(HasSubstr("/dev/zero: "), Says("error.file.device")));
}

TEST(WriteFile, SweepsWhatProcessesThatAreGoneLeft) {
  const TemporaryFolder folder;
  constexpr int kNobody = 4194305;  // above the largest number of a process
  write_file(part_name(folder.path, kNobody, 0), "left");
  write_file(part_name(folder.path, ::getpid(), 7), "ours");
  write_file(folder.path / ".ropescope-notes.part", "no part of ours");
  write_file(folder.path / "f", "one");
  EXPECT_FALSE(fs::exists(part_name(folder.path, kNobody, 0)));
  EXPECT_TRUE(fs::exists(part_name(folder.path, ::getpid(), 7)));
  EXPECT_TRUE(fs::exists(folder.path / ".ropescope-notes.part"));
}

TEST(WriteFile, LosesItsPartBeforeAnEndWithoutASignal) {
  const TemporaryFolder folder;
  remove_part();  // nobody writes
  std::size_t before = 0, after = 0;
  bool first = true;
  try {
    write_file(folder.path / "f", [&]() -> std::string_view {
      if (!std::exchange(first, false)) return {};
      before = entries(folder.path);
      remove_part();
      after = entries(folder.path);
      return "half";
    });
    ADD_FAILURE() << "it was written";
  } catch (const InputError&) {
  }
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(after, 0u);
  EXPECT_EQ(entries(folder.path), 0u);
}

/// The part of `folder` once a child that writes there has been ended by `signal`, and how it ended.
void write_and_end(const fs::path& folder, int signal, int& status) {
  const pid_t child = ::fork();
  if (child == 0) {
    write_file(folder / "f", [&]() -> std::string_view {
      ::raise(signal);
      return {};
    });
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, &status, 0), child);
}

TEST(WriteFile, ASignalLeavesNothingBeside) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    write_file(folder.path / "f", "before");
    int status = 0;
    write_and_end(folder.path, signal, status);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "it still ends by the signal " << signal;
    EXPECT_EQ(entries(folder.path), 1u);
    EXPECT_EQ(read_file(folder.path / "f"), "before");
  }
}

// Whatever the moment: before the part is known, and after it has become the file.
TEST(WriteFile, ASignalLeavesNothingBesideAtAnyMoment) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(STDERR_FILENO);
      while (true) write_file(folder.path / "f", "after");
    }
    ::usleep(random() % 3000);
    ::kill(child, SIGTERM);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    ASSERT_LE(entries(folder.path), 1u) << "run " << run;
  }
}

TEST(WriteFile, AnIgnoredSignalStaysIgnored) {
  const TemporaryFolder folder;
  const auto before = std::signal(SIGHUP, SIG_IGN);
  write_file(folder.path / "f", [&, given = false]() mutable -> std::string_view {
    ::raise(SIGHUP);
    return std::exchange(given, true) ? std::string_view() : std::string_view("one");
  });
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
  EXPECT_EQ(read_file(folder.path / "f"), "one");
}

TEST(WriteFile, AReadOnlyFileIsLeftAlone) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const TemporaryFolder folder;
  write_file(folder.path / "f", "one");
  fs::permissions(folder.path / "f", fs::perms(0440));
  EXPECT_THROW(write_file(folder.path / "f", "two"), InputError);
  EXPECT_EQ(read_file(folder.path / "f"), "one");
}

TEST(Reason, IsSaidOfEveryError) {
  for (int error = 1; error < 140; ++error) EXPECT_NE(said(reason(error)), "") << error;
  EXPECT_EQ(said(reason(ENOENT)), "No such file or directory");
  EXPECT_THAT(said(reason(9999)), Says("reason.other", {{"number", "9999"}}));
}

TEST(Places, FollowTheEnvironment) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path / "text");
  write_file(folder.path / "text/en.json", "{}");
  const Variable assets("ROPESCOPE_ASSETS", folder.path.string());
  const Variable state("XDG_STATE_HOME", "/somewhere/state");
  EXPECT_EQ(find_places().assets, folder.path);
  EXPECT_TRUE(fs::exists(find_places().shaders / "map.frag")) << "found without the assets' help";
  EXPECT_EQ(find_places().state, "/somewhere/state/ropescope");
  const Variable wrong("ROPESCOPE_ASSETS", "/nowhere");
  EXPECT_REFUSED(find_places(), HasSubstr("ROPESCOPE_ASSETS"));
}

TEST(Places, ARelativeStateFolderIsIgnored) {
  const Variable state("XDG_STATE_HOME", "relative");
  const Variable home("HOME", "/home/someone");
  EXPECT_EQ(find_places().state, "/home/someone/.local/state/ropescope");
}

TEST(Places, TheSourceTreeIsFoundWithoutTheEnvironment) {
  const Variable assets("ROPESCOPE_ASSETS", "");
  EXPECT_TRUE(fs::exists(find_places().assets / "text/en.json"));
  EXPECT_TRUE(fs::exists(find_places().shaders / "map.vert"));
}

}  // namespace
}  // namespace ropescope
