// ropescope check --watch: one line per verdict as files appear, change and disappear. Nothing depends on timing: every
// step waits for its line.

#include <csignal>

#include "tests/command_line/check_tables.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using CheckWatch = InWorkplace;

using testing::MatchesRegex;

Words watching(const Workplace& place, const Words& more = {}) {
  Words words = plain_check(tables_of(place));
  words.push_back("--watch");
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Both tables in the place of those that are there, as programs do that write beside and rename.
void replace_tables(const Workplace& place, const PlainTable& table) {
  place.write("cos.new", npy(table.shape(), table.cosines()));
  place.write("sin.new", npy(table.shape(), table.sines()));
  fs::rename(place.path("cos.new"), place.path("cos.npy"));
  fs::rename(place.path("sin.new"), place.path("sin.npy"));
}

PlainTable of_base(double base) {
  PlainTable table;
  table.base = base;
  return table;
}

/// Waits for a line that says this, from line `from` on; how many lines there are then.
std::size_t await(const Running& running, std::size_t from, const std::string& words) {
  for (std::size_t count = from + 1; count < from + 20; ++count) {
    const Words lines = running.lines(count);
    if (lines.size() < count) return lines.size();
    if (lines[count - 1].find(words) != std::string::npos) return count;
  }
  ADD_FAILURE() << "never said: " << words;
  return from;
}

TEST_F(CheckWatch, EveryChangeHasItsVerdict) {
  write_tables(place, PlainTable());
  Running running = place.start(watching(place));
  std::size_t seen = 1;
  EXPECT_THAT(running.lines(1).at(0), MatchesRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9]  agrees"));
  write_tables(place, of_base(500));
  seen = await(running, seen, "disagrees: base (base 500)");
  // Another file of the same name, of the same size.
  replace_tables(place, of_base(200));
  seen = await(running, seen, "disagrees: base (base 200)");
  replace_tables(place, PlainTable());
  await(running, seen, "  agrees");
  running.signal(SIGINT);
  const Outcome outcome = running.end();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(CheckWatch, TheExitCodeIsThatOfTheLastVerdict) {
  write_tables(place, of_base(500));
  Running running = place.start(watching(place));
  await(running, 0, "disagrees: base");
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 1);
}

TEST_F(CheckWatch, AFileThatIsGoneIsWaitedFor) {
  write_tables(place, PlainTable());
  fs::rename(place.path("sin.npy"), place.path("kept"));
  Running running = place.start(watching(place));
  EXPECT_THAT(running.lines(1).at(0), EndsWith("waiting: " + place.path("sin.npy").string() + " is missing"));
  fs::rename(place.path("kept"), place.path("sin.npy"));
  std::size_t seen = await(running, 1, "  agrees");
  fs::remove(place.path("cos.npy"));
  fs::remove(place.path("sin.npy"));
  seen = await(running, seen, "sin.npy are missing");
  write_tables(place, PlainTable());
  await(running, seen, "  agrees");
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(CheckWatch, WithoutAVerdictItWasCancelled) {
  Running running = place.start(watching(place));
  await(running, 0, "waiting: ");
  running.signal(SIGINT);
  const Outcome outcome = running.end();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT);
  EXPECT_THAT(outcome.errors, HasSubstr("before there was a verdict"));
}

TEST_F(CheckWatch, AHalfWrittenFileIsNoVerdict) {
  write_tables(place, PlainTable());
  const std::string whole = place.read("cos.npy");
  place.write("cos.npy", whole.substr(0, whole.size() / 2));
  Running running = place.start(watching(place, {"--json"}));
  const json first = json::parse(running.lines(1).at(0));
  EXPECT_EQ(first["verdict"], "unusable");
  EXPECT_THAT(first["error"].get<std::string>(), HasSubstr("cos.npy"));
  place.write("cos.npy", whole);
  await(running, 1, "\"verdict\":\"agrees\"");
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(CheckWatch, JsonIsALineForEachVerdict) {
  write_tables(place, of_base(500));
  Running running = place.start(watching(place, {"--json", "--junit", "report.xml"}));
  const json report = json::parse(running.lines(1).at(0));
  EXPECT_THAT(report["time"].get<std::string>(), MatchesRegex("20..-..-..T..:..:...*"));
  EXPECT_EQ(report["verdict"], "disagrees");
  EXPECT_EQ(report["causes"][0]["name"], "base");
  EXPECT_THAT(report["causes"][0]["fix"]["numpy"].get<std::string>(), HasSubstr("ladder(32, 10000)"));
  EXPECT_THAT(place.read("report.xml"), HasSubstr("failures=\"2\""));
  fs::remove(place.path("sin.npy"));
  EXPECT_EQ(json::parse(running.lines(2).at(1))["verdict"], "waiting");
  write_tables(place, PlainTable());
  await(running, 2, "\"verdict\":\"agrees\"");
  EXPECT_THAT(place.read("report.xml"), HasSubstr("failures=\"0\""));
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 0);
}

TEST_F(CheckWatch, AConfigInAFolderCounts) {
  const auto write_config = [&](const char* base) {
    fs::create_directories(place.path("model"));
    place.write("model/config.json", std::string(R"({"model_type": "llama", "head_dim": 32, "hidden_size": 64,
        "num_attention_heads": 2, "rope_theta": )") +
                                         base + "}");
  };
  write_config("500000");
  write_tables(place, PlainTable());
  Running running = place.start(
      {"check", "--config", "model", "--watch", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  const std::size_t seen = await(running, 0, "disagrees: base");
  write_config("10000.0");
  await(running, seen, "  agrees");
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 0);
}

}  // namespace
}  // namespace ropescope
