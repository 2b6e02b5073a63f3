// The evidence behind a verdict of `check`: tokens and pairs that could have shown an error.

#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

/// q of one head and 8 pairs, interleaved, before and after a rotation that is right.
struct Vectors {
  std::int64_t tokens = 6;
  double first = 0;
  std::vector<double> before;

  explicit Vectors(std::int64_t count) : tokens(count), before(static_cast<std::size_t>(count * 16)) {}
  double& at(std::int64_t token, std::int64_t channel) {
    return before[static_cast<std::size_t>(token * 16 + channel)];
  }
  void fill_pair(std::int64_t token, std::int64_t pair) {
    at(token, 2 * pair) = 1 + 0.25 * static_cast<double>(pair);
    at(token, 2 * pair + 1) = -0.5;
  }
  std::vector<double> after() {
    std::vector<double> turned = before;
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t pair = 0; pair < 8; ++pair) {
        const double angle = (first + static_cast<double>(token)) * std::pow(10000.0, -static_cast<double>(pair) / 8);
        const double x = at(token, 2 * pair), y = at(token, 2 * pair + 1);
        const auto place = static_cast<std::size_t>(token * 16 + 2 * pair);
        turned[place] = x * std::cos(angle) - y * std::sin(angle);
        turned[place + 1] = x * std::sin(angle) + y * std::cos(angle);
      }
    }
    return turned;
  }
};

struct CheckEvidence : testing::Test {
  Workplace place;

  void write(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
    const std::vector<std::byte> bytes = write_npy({shape, NumberFormat::float32, false, values});
    place.write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  Words words_for(Vectors vectors, const Words& more = {}) {
    write("before.npy", {vectors.tokens, 16}, vectors.before);
    write("after.npy", {vectors.tokens, 16}, vectors.after());
    Words words = Words{"check", "--dim", "16", "--base", "10000", "--pairing", "interleaved"} +
                  Words{"--before", place.path("before.npy"), "--after", place.path("after.npy"), "--json"} + more;
    return words;
  }
  json agreeing(const Words& words) {
    const json report = json::parse(place.good(words));
    EXPECT_EQ(report["verdict"], "agrees");
    return report;
  }
  /// Exit code 2, one line of notice, and a report all the same.
  json without_evidence(const Words& words) {
    const Outcome outcome = place.run(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_THAT(outcome.errors, Says("notice.no_evidence"));
    const json report = json::parse(outcome.output);
    EXPECT_EQ(report["verdict"], "no evidence");
    EXPECT_EQ(report["evidence"]["tokens"], 0);
    EXPECT_EQ(report["evidence"]["pairs"], 0);
    EXPECT_TRUE(report["causes"].empty());
    return report;
  }
};

TEST_F(CheckEvidence, VectorsOfNoLengthProveNothing) {
  const json report = without_evidence(words_for(Vectors(6)));
  EXPECT_THAT(report["notes"].dump(), Says("check.note.all_lengthless"));
  EXPECT_TRUE(report["inputs"][0]["agrees"].is_null());
}

TEST_F(CheckEvidence, NorDoesAVectorAtPosition0) {
  Vectors vectors(6);
  for (std::int64_t pair = 0; pair < 8; ++pair) vectors.fill_pair(0, pair);
  without_evidence(words_for(vectors));
  vectors.fill_pair(3, 5);
  const json report = agreeing(words_for(vectors));
  EXPECT_EQ(report["evidence"]["tokens"], 1);
  EXPECT_EQ(report["evidence"]["pairs"], 1);
  EXPECT_THAT(report["notes"].dump(),
              Says("check.note.lengthless", {{"pairs", "0, 1, 2, 3, 4, 6, 7"}, {"count", "7"}, {"all", "8"}}));
}

TEST_F(CheckEvidence, APairThatIsZeroAtAllTokensIsNamed) {
  Vectors vectors(6);
  for (std::int64_t token = 0; token < 6; ++token) {
    for (std::int64_t pair = 0; pair < 8; ++pair) {
      if (pair != 3) vectors.fill_pair(token, pair);
    }
  }
  const json report = agreeing(words_for(vectors));
  EXPECT_EQ(report["evidence"]["tokens"], 5) << "position 0 shows nothing";
  EXPECT_EQ(report["evidence"]["pairs"], 7);
  EXPECT_THAT(report["notes"].dump(), Says("check.note.lengthless", {{"pairs", "3"}, {"count", "1"}, {"all", "8"}}));
}

TEST_F(CheckEvidence, OneDecodingStepIsEnough) {
  Vectors vectors(1);
  vectors.first = 4095;
  for (std::int64_t pair = 0; pair < 8; ++pair) vectors.fill_pair(0, pair);
  const json report = agreeing(words_for(vectors, {"--positions", "4095"}));
  EXPECT_EQ(report["evidence"]["tokens"], 1);
  EXPECT_EQ(report["evidence"]["pairs"], 8);
}

TEST_F(CheckEvidence, TablesOfPosition0ProveNothing) {
  write("cos.npy", {3, 8}, std::vector<double>(24, 1));
  write("sin.npy", {3, 8}, std::vector<double>(24, 0));
  Words words = {
      "check", "--dim", "16", "--base", "10000", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")};
  const Words tables = words;
  words.insert(words.end(), {"--positions", "0,0,0"});
  Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, StartsWith("no evidence\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\nevidence: 0 tokens, 0 pairs\n"));
  words.push_back("--json");
  without_evidence(words);
  // Frequencies are compared wherever tokens stand.
  std::vector<double> frequencies;
  for (int pair = 0; pair < 8; ++pair) frequencies.push_back(std::pow(10000.0, -pair / 8.0));
  write("frequencies.npy", {8}, frequencies);
  words.insert(words.end(), {"--frequencies", place.path("frequencies.npy")});
  EXPECT_EQ(agreeing(words)["evidence"]["pairs"], 8);
  // Nothing turned them, where it should have: a fault that is seen is one.
  outcome = place.run(tables);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("\nevidence: 2 tokens, 8 pairs\n"));
  // The same dump against itself.
  const Outcome dumps =
      place.run({"check", "--against-cos", place.path("cos.npy"), "--against-sin", place.path("sin.npy"), "--cos",
                 place.path("cos.npy"), "--sin", place.path("sin.npy")});
  EXPECT_EQ(dumps.exit_code, 2) << dumps.output << dumps.errors;
}

TEST_F(CheckEvidence, DumpsOfEqualRowsProveNothing) {
  for (const double constant : {0.0, 1.0, 5.0}) {
    write("table.npy", {32, 32}, std::vector<double>(1024, constant));
    const std::string table = place.path("table.npy");
    without_evidence(
        {"check", "--against-cos", table, "--against-sin", table, "--cos", table, "--sin", table, "--json"});
  }
  // One row is one decoding step.
  std::vector<double> cosines(8), sines(8);
  for (std::size_t i = 0; i < 8; ++i) cosines[i] = std::cos(4095 / (i + 1.0)), sines[i] = std::sin(4095 / (i + 1.0));
  write("cos.npy", {1, 8}, cosines);
  write("sin.npy", {1, 8}, sines);
  const std::string cosine = place.path("cos.npy"), sine = place.path("sin.npy");
  const json one =
      agreeing({"check", "--against-cos", cosine, "--against-sin", sine, "--cos", cosine, "--sin", sine, "--json"});
  EXPECT_EQ(one["evidence"]["tokens"], 1);
}

TEST_F(CheckEvidence, AnInputThatShowsNothingDoesNotAgree) {
  Words words = words_for(Vectors(6), {"--positions", "0:5"});
  write("ids.npy", {6}, {0, 1, 2, 3, 4, 5});
  words.insert(words.end(), {"--ids", place.path("ids.npy")});
  const json report = agreeing(words);
  for (const json& input : report["inputs"]) {
    if (input["input"] == "after") {
      EXPECT_TRUE(input["agrees"].is_null());
    } else {
      EXPECT_TRUE(input["agrees"].get<bool>());
    }
  }
  EXPECT_THAT(report["notes"].dump(), Says("check.note.all_lengthless"));
  std::erase(words, "--json");
  EXPECT_THAT(place.good(words), HasSubstr("\n  after: no evidence\n"));
}

TEST_F(CheckEvidence, ATurnSmallerThanWhatIsToleratedProvesNothing) {
  Vectors vectors(6);
  for (std::int64_t token = 0; token < 6; ++token) vectors.fill_pair(token, 7);
  Words words = words_for(vectors);
  words[4] = "1e12";
  write("after.npy", {6, 16}, vectors.before);
  without_evidence(words);
}

TEST_F(CheckEvidence, ItReachesAsFarAsTheTokensThatGaveIt) {
  Vectors vectors(16);
  vectors.fill_pair(5, 0);
  json report = agreeing(words_for(vectors));
  EXPECT_EQ(report["reach"][0]["smallest"], 5);
  EXPECT_EQ(report["reach"][0]["largest"], 5);
  EXPECT_THAT(report["notes"].dump(), Says("check.note.reach", {{"ranges", "position 5"}}));
  Vectors step(1);
  step.first = 4095;
  for (std::int64_t pair = 0; pair < 8; ++pair) step.fill_pair(0, pair);
  report = agreeing(words_for(step, {"--positions", "4095"}));
  EXPECT_NEAR(report["reach"][0]["slowest_turn"], 4095 * std::pow(10000.0, -7 / 8.0), 1e-9);
}

// A folder that is called as a list begins.
TEST_F(CheckEvidence, AListOfPositionsIsNoFile) {
  fs::create_directory(place.path("0"));
  Vectors vectors(6);
  for (std::int64_t token = 0; token < 6; ++token) vectors.fill_pair(token, 0);
  agreeing(words_for(vectors, {"--positions", "0:5"}));
  write("7", {6}, {0, 1, 2, 3, 4, 5});
  agreeing(words_for(vectors, {"--positions", "./7"}));
  place.bad(words_for(vectors, {"--positions", "./0"}), {"0", "folder"});
}

TEST_F(CheckEvidence, TextThatBelongsToPosition0IsAFindingOfIds) {
  place.good({"layout", "flux.1", "--grid", "4x6", "--text", "3", "-o", place.path("ids.npy")});
  write("text.npy", {3, 3}, std::vector<double>(9, 0));
  Words words = {
      "check", "--layout", "flux.1", "--grid", "4x6", "--text", "3", "--part", "text", "--ids", place.path("text.npy"),
      "--json"};
  EXPECT_EQ(agreeing(words)["evidence"]["tokens"], 3);
}

}  // namespace
}  // namespace ropescope
