// Properties of the program as a whole: help, errors, files that cannot be read or written.

#include <unistd.h>

#include "app/views/view.h"
#include "tests/command_line/program.h"
#include "tests/places.h"

namespace ropescope {
namespace {

using Program = InWorkplace;
using Models = InWorkplace;

const Words kCommands = {"frequencies", "decay", "rotate", "render", "screenshot", "config", "models"};

TEST_F(Program, HelpEverywhere) {
  const std::string help = place.good({"--help"});
  for (const std::string& command : kCommands) {
    EXPECT_THAT(help, HasSubstr(command));
    const Outcome outcome = place.run({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.errors, "");
    EXPECT_THAT(outcome.output, HasSubstr("Usage: ropescope " + command));
  }
  EXPECT_EQ(place.good({"--version"}).substr(0, 10), "ropescope ");
}

TEST_F(Program, HelpOfATopic) {
  const std::string brief = place.good({"render", "--help"}), decay = place.good({"render", "--help", "decay"}),
                    all = place.good({"render", "--help", "all"});
  EXPECT_LT(std::count(brief.begin(), brief.end(), '\n'), 60);
  EXPECT_THAT(brief, Not(AnyOf(HasSubstr("decay.span"), HasSubstr("  --beta-fast"))));
  EXPECT_THAT(decay, AllOf(HasSubstr("decay.span"), HasSubstr("rope.base"), Not(HasSubstr("race.steps"))));
  EXPECT_EQ(place.good({"render", "decay", "--help"}), decay);
  EXPECT_EQ(place.good({"screenshot", "--view", "compare", "--help"}),
            place.good({"screenshot", "--view", "encodings", "--help"}));
  EXPECT_THAT(all, AllOf(HasSubstr("decay.span"), HasSubstr("race.steps"), HasSubstr("  --beta-fast")));
  for (const char* command : {"render", "decay", "sweep", "animate", "limits"}) {
    EXPECT_THAT(place.good({command, "--help", "scaling"}), AllOf(HasSubstr("  --beta-fast"), Not(HasSubstr("race."))));
    EXPECT_THAT(place.good({command, "--help"}), AllOf(Not(HasSubstr("  --beta-fast")), HasSubstr("--help scaling")));
  }
  place.bad({"render", "decay", "--them", "dark", "-o", "x.svg"}, {"--them", "--theme"});
}

TEST_F(Program, HelpFindsTheChapterOfACommandOrView) {
  EXPECT_EQ(place.good({"help", "race"}), place.good({"help", "10"}));
  EXPECT_EQ(place.good({"help", "limits"}), place.good({"help", "extend"}));
  EXPECT_EQ(place.good({"help", "layout"}), place.good({"help", "images"}));
  EXPECT_EQ(place.good({"help", "compare"}), place.good({"help", "command-line"}));
  for (const View* view : all_views()) EXPECT_FALSE(place.good({"help", std::string(view->id)}).empty()) << view->id;
  place.bad({"help", "nothing-like-it"}, {"nothing-like-it"});
  place.bad({"help", "--site", ""}, {"--site"});
  place.bad({"help", "--site", "-"}, {"--site"});
  place.bad({"llama-3.1-8"}, {"llama-3.1-8b"});
  place.bad({"config", "llama-3.1-8"}, {"llama-3.1-8b"});
}

TEST_F(Program, AHugeConfigIsRefusedAtOnce) {
  // 100 MB; a hole in the file takes no room and reads as zeros.
  place.write("huge.json", "{");
  fs::resize_file(place.path("huge.json"), 100'000'000);
  place.bad({"frequencies", "--config", "huge.json"}, {"huge.json", "64 MiB"});
  place.bad({"render", "decay", "--experiment", "huge.json", "-o", "f.svg"}, {"huge.json", "64 MiB"});
}

TEST_F(Program, AFullDiskOrGoneReaderIsSaid) {
  const Outcome full = place.run({"frequencies", "--dim", "128", "--base", "5"}, "/dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.errors, HasSubstr("standard output"));
  EXPECT_EQ(place.run({"--help"}, "/dev/full").exit_code, 2);
  // A pipe whose reader has gone.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const Outcome gone = place.run({"decay", "--dim", "128", "--base", "5", "--distances", "0:50000"},
                                 "/proc/self/fd/" + std::to_string(ends[1]));
  ::close(ends[1]);
  EXPECT_EQ(gone.exit_code, 2) << gone.errors;
}

// 100 000 bytes of an argument are not said again: what stands in a message keeps its ends.
TEST_F(Program, ALongArgumentIsCut) {
  std::string umlauts;
  for (int i = 0; i < 30'000; ++i) umlauts += "ä";
  const std::string letters(100'000, 'x'), spaced = "a b " + std::string(50'000, ' ') + letters.substr(0, 40'000);
  for (const std::string& text : {letters, umlauts, spaced}) {
    for (const Words& words :
         std::vector<Words>{{text},
                            {"--" + text},
                            {text + ".json"},
                            {"config", text},
                            {"config", "x/" + text + "/y.json"},
                            {"render", text, "-o", "f.svg"},
                            {"render", "decay", "-o", text},
                            {"render", "decay", "-o", "f.svg", "--size", text},
                            {"render", "decay", "-o", "f.svg", "--figure=" + text},
                            {"render", "decay", "-o", "f.svg", "--set", text},
                            {"render", "decay", "-o", "f.svg", "--set", text + "=1"},
                            {"render", "decay", "-o", "f.svg", "--set", "decay.span=" + text},
                            {"render", "decay", "-o", "f.svg", "--experiment", text},
                            {"decay", "--dim", "8", "--base", "10", "--distances", "1,2," + text + ",5"},
                            {"check", "--dim", "8", "--base", "10", "--cos", text, "--sin", "y.npy:" + text},
                            {"precision", "--dim", "8", "--base", "10", "--positions", "1", "--policy", text},
                            {"frequencies", "--model", text}}) {
      const std::string line = place.bad(words, {"…"});
      EXPECT_LT(line.size(), 800u) << line.substr(0, 1000);
    }
  }
  // Cut by characters, not within one, and not before there are many.
  const std::string path = "folder/" + std::string(60, 'y') + ".json";
  place.bad({"config", path}, {path});
  const std::string line = place.bad({"render", umlauts, "-o", "f.svg"}, {"ää…ää"});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\xA4'), 79);
}

TEST_F(Models, ListsEveryPreset) {
  const std::string list = place.good({"models"});
  EXPECT_THAT(list, HasSubstr("llama-3.1-8b"));
  std::size_t presets = 0;
  for (const auto& entry : fs::directory_iterator(source_folder() + "/assets/models")) {
    if (entry.path().extension() != ".json") continue;
    ++presets;
    EXPECT_THAT(list, HasSubstr(entry.path().stem().string()));
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')), presets);
}

TEST_F(Models, EveryPresetGoesThroughFrequencies) {
  for (const auto& entry : fs::directory_iterator(source_folder() + "/assets/models")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_GT(parse_csv(place.good({"frequencies", "--model", entry.path().stem().string()})).size(), 1u);
  }
}

}  // namespace
}  // namespace ropescope
