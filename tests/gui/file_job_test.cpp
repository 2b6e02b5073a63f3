// A file written in the background, without any drawing on the worker, so that the thread sanitizer can check it.

#include "app/ui/state.h"

#include "app/resources/files.h"
#include "core/message.h"
#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope::ui {

namespace {

constexpr auto kPause = std::chrono::milliseconds(1);

void wait_for(const FileJob& job) {
  while (!job.finished()) std::this_thread::sleep_for(kPause);
}

TEST(FileJobs, WritesWhatItsWorkMakesAndTellsHowFarItIs) {
  const TemporaryFolder folder;
  std::atomic<bool> seen = false;
  FileJob job(
      [&seen](const std::stop_token&, const FileJob::Progress& progress) {
        progress(0.5);
        while (!seen) std::this_thread::sleep_for(kPause);
        progress(1);
        return std::string("made");
      },
      (folder.path / "made.txt").string());
  while (job.progress() != 0.5) std::this_thread::sleep_for(kPause);
  EXPECT_FALSE(job.finished());
  seen = true;
  wait_for(job);
  EXPECT_TRUE(job.written());
  EXPECT_TRUE(job.failure().empty());
  EXPECT_EQ(job.progress(), 1);
  EXPECT_EQ(read_file(job.path()), "made");
}

TEST(FileJobs, OneThatIsStoppedWritesNothing) {
  const TemporaryFolder folder;
  FileJob job(
      [](const std::stop_token& stop, const FileJob::Progress&) {
        while (!stop.stop_requested()) std::this_thread::sleep_for(kPause);
        return std::string("too late");
      },
      (folder.path / "stopped.txt").string());
  job.stop();
  wait_for(job);
  EXPECT_FALSE(job.written());
  EXPECT_TRUE(job.failure().empty());
  EXPECT_FALSE(fs::exists(job.path()));
}

TEST(FileJobs, SaysWhyItFailed) {
  const TemporaryFolder folder;
  const auto fail = [](const std::stop_token&, const FileJob::Progress&) -> std::string {
    throw InputError("file", "check.no_tensor", {});
  };
  FileJob job(fail, (folder.path / "failed.txt").string());
  wait_for(job);
  EXPECT_FALSE(job.written());
  EXPECT_FALSE(job.failure().empty());
  FileJob nowhere([](const std::stop_token&, const FileJob::Progress&) { return std::string("made"); },
                  (folder.path / "no folder" / "made.txt").string());
  wait_for(nowhere);
  EXPECT_FALSE(nowhere.written());
  EXPECT_FALSE(nowhere.failure().empty());
}

TEST(FileJobs, EndsWithTheWindowThatBeganIt) {
  const TemporaryFolder folder;
  std::atomic<bool> left = false;
  {
    const FileJob job(
        [&left](const std::stop_token& stop, const FileJob::Progress&) {
          while (!stop.stop_requested()) std::this_thread::sleep_for(kPause);
          left = true;
          return std::string();
        },
        (folder.path / "never.txt").string());
  }
  EXPECT_TRUE(left);
}

}  // namespace

}  // namespace ropescope::ui
