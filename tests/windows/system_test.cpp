// The guarantees of app/resources on every system, tested for its Windows half (built by tests/windows/check.sh, run by
// wine): files complete or absent, locked or not, mapped, found in their places.

#include "app/resources/system.h"

#include <gmock/gmock.h>

#include <windows.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "app/platform/desktop.h"
#include "app/resources/files.h"
#include "app/resources/result_cache.h"
#include "core/message.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// Key and values of what an action is refused with; empty where it is not.
std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(System, AFileIsWrittenWholeAndReplaced) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / fs::path(u8"\u4f4d\uc704.txt");
  const std::string content = std::string("a\0b\r\n", 5) + std::string(3'000'000, 'x');
  write_file(file, content);
  EXPECT_EQ(read_file(file), content) << "no byte is changed on the way";
  write_file(file, "two");
  EXPECT_EQ(read_file(file), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

TEST(System, NothingIsLeftWhereWritingFails) {
  const TemporaryFolder folder;
  write_file(folder.path / "f", "one");
  EXPECT_THROW(write_file(folder.path / "f",
                          [piece = 0]() mutable -> std::string_view {
                            if (piece++ == 3) throw InputError("no more");
                            return "piece";
                          }),
               InputError);
  EXPECT_EQ(read_file(folder.path / "f"), "one");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

TEST(System, RefusalsAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { read_file(folder.path / "none"); }), HasSubstr("file.missing"));
  EXPECT_THAT(refusal_of([&] { read_file(folder.path); }), HasSubstr("file.folder"));
  EXPECT_THAT(refusal_of([&] { write_file(folder.path, "x"); }), HasSubstr("file.folder"));
  EXPECT_THAT(refusal_of([&] { write_file(folder.path / "no/f", "x"); }), HasSubstr("file.no_folder"));
  write_file(folder.path / "large", std::string(100, 'x'));
  EXPECT_THAT(refusal_of([&] { read_file(folder.path / "large", 99); }), HasSubstr("file.too_large"));
}

TEST(System, AMappedFileHasItsBytesAndTellsThatItChanged) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "f").string();
  write_file(path, "some text");
  const auto file = map_file(path);
  EXPECT_EQ(text_of(*file), "some text");
  EXPECT_NO_THROW(file->check_unchanged());
  std::ofstream(path, std::ios::app | std::ios::binary) << "more";
  EXPECT_THAT(refusal_of([&] { file->check_unchanged(); }), HasSubstr("file.changed"));
  EXPECT_EQ(text_of(*file), "some text");
  write_file(folder.path / "empty", "");
  EXPECT_TRUE(map_file((folder.path / "empty").string())->bytes().empty());
}

TEST(System, StatusTellsFilesApart) {
  const TemporaryFolder folder;
  write_file(folder.path / "a", "one");
  write_file(folder.path / "b", "three");
  os::Status a, b, of_folder;
  ASSERT_EQ(os::status_of(folder.path / "a", a), 0);
  ASSERT_EQ(os::status_of(folder.path / "b", b), 0);
  ASSERT_EQ(os::status_of(folder.path, of_folder), 0);
  EXPECT_EQ(a.kind, os::Kind::regular);
  EXPECT_EQ(of_folder.kind, os::Kind::folder);
  EXPECT_EQ(a.size, 3u);
  EXPECT_EQ(b.size, 5u);
  EXPECT_NE(a.node, b.node);
  os::Status none;
  EXPECT_EQ(os::status_of(folder.path / "none", none), ENOENT);
}

TEST(System, WhatIsThereIsNotCreatedAnew) {
  const TemporaryFolder folder;
  os::File first, second;
  EXPECT_EQ(os::create_new(folder.path / "f", first), 0);
  EXPECT_EQ(os::create_new(folder.path / "f", second), EEXIST);
  EXPECT_FALSE(second.is_open());
}

TEST(System, ASessionThatWasLeftIsFoundAndOneAtWorkIsNot) {
  const TemporaryFolder folder;
  {
    const Session first(folder.path);
    EXPECT_FALSE(first.earlier_crashed());
    EXPECT_FALSE(os::remove_unlocked(folder.path / ("running-" + std::to_string(os::process_id()))));
  }
  EXPECT_TRUE(fs::is_empty(folder.path)) << "it ended in good order";
  write_file(folder.path / "running-4194305", "");
  const Session after(folder.path);
  EXPECT_TRUE(after.earlier_crashed());
  EXPECT_FALSE(fs::exists(folder.path / "running-4194305"));
}

TEST(System, PartsOfProcessesThatAreGoneAreSwept) {
  const TemporaryFolder folder;
  write_file(part_name(folder.path, 2'000'000'001, 0), "left");
  write_file(part_name(folder.path, os::process_id(), 7), "ours");
  write_file(folder.path / "f", "one");
  EXPECT_FALSE(fs::exists(part_name(folder.path, 2'000'000'001, 0)));
  EXPECT_TRUE(fs::exists(part_name(folder.path, os::process_id(), 7)));
}

TEST(System, PlacesAreAbsolute) {
  EXPECT_TRUE(os::home_folder().is_absolute());
  EXPECT_TRUE(os::state_folder().is_absolute());
  EXPECT_TRUE(os::executable().is_absolute());
  EXPECT_EQ(os::executable().extension(), ".exe");
  EXPECT_TRUE(os::environment_path("ROPESCOPE_NO_SUCH_VARIABLE").empty());
  ASSERT_TRUE(os::free_memory());
  EXPECT_GT(*os::free_memory(), 1e6);
  EXPECT_GE(os::local_time(1'700'000'000).tm_year, 123);
}

TEST(System, AFileThatSomebodyReadsIsReplaced) {
  if (::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version")) {
    GTEST_SKIP() << "wine 8 replaces no file that is open, whoever shares it";
  }
  const TemporaryFolder folder;
  write_file(folder.path / "f", "one");
  os::File reader;
  ASSERT_EQ(os::open_to_read(folder.path / "f", reader), 0);
  write_file(folder.path / "f", "two");
  EXPECT_EQ(read_file(folder.path / "f"), "two");
}

TEST(System, APlaceIsLockedOnceAndFreeAfterwards) {
  const TemporaryFolder folder;
  os::File first, second;
  ASSERT_EQ(os::open_locked(folder.path / "f.lock", first), 0);
  EXPECT_EQ(os::open_locked(folder.path / "f.lock", second), EBUSY);
  EXPECT_FALSE(second.is_open());
  os::remove_locked(folder.path / "f.lock", first);
  EXPECT_FALSE(fs::exists(folder.path / "f.lock"));
  EXPECT_EQ(os::open_locked(folder.path / "f.lock", second), 0);
}

TEST(System, WhatIsLookedAfterIsRemovedOnce) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "part";
  write_file(file, "half");
  ASSERT_TRUE(os::remove_at_end(file, "not written\n"));
  EXPECT_FALSE(os::remove_at_end(folder.path / "other", ""));
  os::keep_at_end();
  os::remove_now();
  EXPECT_TRUE(fs::exists(file)) << "it stays";
  os::forget_at_end();
  ASSERT_TRUE(os::remove_at_end(file, "not written\n"));
  os::remove_now();
  EXPECT_FALSE(fs::exists(file));
  os::forget_at_end();
}

/// Where the token of `stop` asks to stop within some seconds.
bool stops(const StopOnSignals& stop) {
  for (int i = 0; i < 200 && !stop.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return stop.token().stop_requested();
}

TEST(System, CtrlCIsHeardByTheLatestWhoAskedForIt) {
  ::FreeConsole();
  if (!::AllocConsole()) GTEST_SKIP() << "there is no console here: " << ::GetLastError();
  ::SetConsoleCtrlHandler(nullptr, FALSE);
  const TemporaryFolder folder;
  write_file(folder.path / "part", "half");
  int told = 0;
  const StopOnSignals outer({StopRequest::interrupt});
  {
    const StopOnSignals inner({StopRequest::interrupt, StopRequest::terminate}, [&told] { ++told; });
    const StopOnSignals other({StopRequest::terminate});
    ASSERT_TRUE(os::remove_at_end(folder.path / "part", ""));
    ASSERT_TRUE(::GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) << ::GetLastError();
    EXPECT_TRUE(stops(inner));
    EXPECT_FALSE(other.token().stop_requested());
  }
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(outer.token().stop_requested());
  EXPECT_TRUE(fs::exists(folder.path / "part")) << "who was asked to stop may still finish it";
  os::forget_at_end();
  ASSERT_TRUE(::GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0));
  EXPECT_TRUE(stops(outer));
}

}  // namespace
}  // namespace ropescope
