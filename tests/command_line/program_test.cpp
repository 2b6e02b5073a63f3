// Properties of the program as a whole: help, errors, files that cannot be read or written.

#include <unistd.h>

#include "app/views/view.h"
#include "tests/command_line/program.h"
#include "tests/places.h"
#include "tests/said.h"

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

TEST_F(Program, WrongArguments) {
  place.bad({"--foo"}, {"--foo"});
  place.bad({"decay", "--foo"}, {"--distances"});
  place.bad({"decay", "--dim", "8", "--base", "5", "--distances", "1", "--foo"}, {"--foo", "ropescope decay --help"});
  place.bad({"decay", "--dim"}, {"--dim"});
  place.bad({"models", "extra"}, {"extra"});
  place.bad({"decya"}, {"decya", "decay"});
  place.bad({"decya", "--dim", "8"}, {"decya", "decay"});
  place.bad({"nowhere.json"}, {"nowhere.json", part_of("error.file.missing")});
  place.bad({"/"}, {"folder"});
}

TEST_F(Program, AWrongArgumentNamesTheNearestRightOne) {
  place.bad({"decay", "--dim", "8", "--base", "5", "--distance", "1"}, {"--distance", "--distances"});
  place.bad({"limits", "--dim", "8", "--theta", "5"}, {"--theta", "--base"});
  place.bad({"limits", "llama-3.1-8b"}, {"llama-3.1-8b", "--model llama-3.1-8b"});
  place.bad({"check", "--language", "ko"}, {"check", "--language", "render"});
  place.bad({"check", "--language=ko"}, {"check", "--language", "render"});
  place.bad({"layout", "flux"}, {"flux", "flux.1", "flux.2"});
  place.bad({"check", "--example", "flux-axis-swapped"}, {"flux-axis-swapped", "flux-axes-swapped"});
  place.bad({"render", "limts", "-o", "a.svg"}, {"limts", "limits"});
  place.bad({"help", "chek"}, {"chek", "06-check"});
  place.bad({"lesson", "trun"}, {"trun", "04-turn"});
  place.bad({"frequencies", "--model", "llama-3-8b"}, {"llama-3-8b", "did you mean llama-3.1-8b"});
}

TEST_F(Program, TheDimensionOfAHeadIsEnough) {
  EXPECT_EQ(place.good({"frequencies", "--head-dim", "8", "--base", "100"}),
            place.good({"frequencies", "--dim", "8", "--base", "100"}));
  place.bad({"frequencies", "--base", "100"}, {"--dim"});
}

TEST_F(Program, WithoutTextsItSaysWhyAndNamesTheKeys) {
  place.set_environment("ROPESCOPE_ASSETS=/nowhere");
  place.bad({"frequencies", "--dim", "7", "--base", "10"},
            {"ROPESCOPE_ASSETS", "/nowhere", "error.field", "--dim", "7"});
}

TEST_F(Program, NoRope) {
  for (const std::string command : {"frequencies", "decay", "rotate"}) {
    Words arguments = {command};
    if (command == "decay") arguments.insert(arguments.end(), {"--distances", "1"});
    if (command == "rotate") arguments.insert(arguments.end(), {"--input", "x", "--positions", "1", "-o", "y"});
    place.bad(arguments, {"--config", "--model", "--dim"});
  }
}

TEST_F(Program, BadRopeNumbers) {
  for (const std::string dim : {"127", "0", "-4", "8194", "nan", "inf", "12.5", "abc", ""}) {
    place.bad({"frequencies", "--dim", dim, "--base", "10000"}, {"--dim", "even number from 2 to 8192"});
  }
  for (const std::string base : {"1", "0", "-5", "nan", "inf", "abc", "1e999", ""}) {
    place.bad({"frequencies", "--dim", "128", "--base", base}, {"--base", "greater than 1"});
  }
  place.bad({"frequencies", "--dim", "128"}, {"--base"});
  place.bad({"frequencies", "--base", "128"}, {"--dim"});
  for (const std::string fraction : {"0", "-1", "1.5", "nan", "abc"}) {
    place.bad({"frequencies", "--dim", "128", "--base", "5", "--rotary-fraction", fraction}, {"--rotary-fraction"});
  }
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--rotary-fraction", "0.4"}, {"--rotary-fraction", "51"});
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--rotary-fraction", "0.001"}, {"--rotary-fraction"});
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--head-dim", "64"}, {"--head-dim", "128"});
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--head-dim", "x"}, {"--head-dim"});
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--pairing", "both"}, {"--pairing", "interleaved or half"});
  place.bad({"frequencies", "--dim", "128", "--base", "5", "--profile", "text"}, {"--profile"});
}

TEST_F(Program, ANumberOfAFieldNamesItsRange) {
  const auto whole = [](const char* least, const char* most) {
    return said(Message("expected.whole", {{"least", least}, {"most", most}}));
  };
  place.bad({"limits", "--dim", "8", "--base", "2", "--context", "1.5"}, {whole("1", "16777216")});
  place.bad({"race", "--base", "1"}, {said(Message("expected.above", {{"least", "1"}}))});
  place.bad({"race", "--layers", "5"}, {whole("1", "4")});
  place.bad({"race", "--layers", "x"}, {part_of("expected.whole_of_any_size")});
  place.bad({"race", "--heads", "33"}, {whole("1", "32")});
  place.bad({"race", "--steps", "10000001"}, {whole("1", "10000000")});
  const Words rope = {"frequencies", "--dim", "8", "--base", "5"};
  const auto bad_rope = [&](const std::string& option, const std::string& text, const std::string& expected) {
    place.bad(rope + Words{option, text}, {option, expected});
  };
  bad_rope("--head-dim", "8193", whole("2", "8192"));
  bad_rope("--length", "0", part_of("expected.positions"));
  place.bad({"encoding", "rope", "--dim", "8", "--positions", "1", "--seed", "-1"}, {whole("0", "9007199254740992")});
}

TEST_F(Program, BadConfigs) {
  const auto bad = [&](const std::string& file, Words culprits) {
    culprits.push_back(file);
    place.bad({"frequencies", "--config", file}, culprits);
    place.bad({"config", file}, culprits);
    place.bad({"config", file, "--json"}, culprits);
  };
  bad("missing.json", {part_of("error.file.missing")});
  fs::create_directory(place.path("folder.json"));
  bad("folder.json", {"folder"});
  place.write("empty.json", "");
  bad("empty.json", {});
  place.write("truncated.json", R"({"model_type": "llama", "hidden_size": 40)");
  bad("truncated.json", {"line 1"});
  place.write("list.json", "[1, 2]");
  bad("list.json", {});
  place.write("unknown.json", R"({"model_type": "resnet", "layers": 50})");
  bad("unknown.json", {"resnet"});
  place.write("odd.json", R"({"model_type": "llama", "head_dim": 127, "rope_theta": 10000})");
  bad("odd.json", {});
  place.write("base.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": 1})");
  bad("base.json", {"rope_theta"});
  place.write("text.json", R"({"model_type": "llama", "head_dim": "128", "rope_theta": 10000})");
  bad("text.json", {"head_dim"});
  place.write("nan.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": NaN})");
  bad("nan.json", {"NaN"});
  place.write("deep.json", std::string(100'000, '['));
  bad("deep.json", {});
  place.write("good.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": 10000})");
  place.bad({"frequencies", "--config", "good.json", "--profile", "vision"}, {"vision", "text"});
  place.bad({"frequencies", "--config", "good.json", "--model", "llama-2-7b"}, {"--config", "--model"});
  place.bad({"frequencies", "--config", ""}, {"--config"});
}

TEST_F(Program, AHugeConfigIsRefusedAtOnce) {
  // 100 MB; a hole in the file takes no room and reads as zeros.
  place.write("huge.json", "{");
  fs::resize_file(place.path("huge.json"), 100'000'000);
  place.bad({"frequencies", "--config", "huge.json"}, {"huge.json", "64 MiB"});
  place.bad({"render", "decay", "--experiment", "huge.json", "-o", "f.svg"}, {"huge.json", "64 MiB"});
}

TEST_F(Program, MissingPresetNamesNearOnes) {
  place.bad({"frequencies", "--model", "llama-3.1-8"}, {"llama-3.1-8", "llama-3.1-8b"});
  place.bad({"frequencies", "--model", "../text/en"}, {"../text/en"});
  place.bad({"frequencies", "--model", "xyzzyxyzzy"}, {"xyzzyxyzzy", "ropescope models"});
}

TEST_F(Program, UnwritableTargets) {
  const auto bad = [&](const std::string& target, Words culprits) {
    place.bad({"frequencies", "--dim", "8", "--base", "5", "-o", target}, culprits);
    place.bad({"decay", "--dim", "8", "--base", "5", "--distances", "1", "-o", target}, culprits);
  };
  fs::create_directory(place.path("folder"));
  bad("folder", {"folder", part_of("error.file.folder")});
  bad("no/f.csv", {"no/f.csv", "folder does not exist"});
  bad("/dev/full", {"/dev/full"});
  bad("/proc/f.csv", {"/proc/f.csv"});
  bad("", {"empty"});
  // What would be good to know beside a result is not said beside an error.
  place.bad({"decay", "--model", "flux.1-dev", "--distances", "1", "-o", "no/f.csv"}, {"folder does not exist"});
  for (const std::string format : {"csv", "json"}) {
    place.bad({"render", "decay", "--model", "llama-3.1-8b", "-o", "no/f." + format}, {"folder does not exist"});
  }
}

TEST_F(Program, AFailedCommandLeavesTheOldFile) {
  place.write("f.csv", "old");
  place.bad({"frequencies", "--dim", "7", "--base", "5", "-o", "f.csv"}, {"--dim"});
  EXPECT_EQ(place.read("f.csv"), "old");
  place.good({"frequencies", "--dim", "8", "--base", "5", "-o", "f.csv"});
  EXPECT_NE(place.read("f.csv"), "old");
  EXPECT_EQ(place.files().size(), 1u);
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

TEST_F(Program, AMessageIsOneLineWhateverTheNameIs) {
  place.bad({"config", "two\nlines.json"}, {"two lines.json"});
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

TEST_F(Program, AnEmptyNameOfAFileIsSaid) {
  place.bad({"config", ""}, {part_of("error.file.no_name_to_read")});
  place.bad({"check", "--dim", "8", "--base", "10", "--cos", "", "--sin", ""}, {part_of("error.file.no_name_to_read")});
  place.bad({"render", "decay", "-o", "f.svg", "--experiment", ""}, {part_of("error.file.no_name_to_read")});
}

TEST_F(Program, WithoutADisplayTheWindowSaysSo) {
  place.write("m.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": 10000})");
  for (const Words& arguments : {Words{}, {"m.json"}}) {
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("display"));
    for (const char* name : {"render", "check", "limits", "similarity", "encodings", "score"}) {
      EXPECT_THAT(outcome.errors, HasSubstr(name));
    }
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
}

TEST(Config, SaysWhatWasRead) {
  const Workplace place;
  place.write("m.json", R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
      "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8,
      "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})");
  const json found = json::parse(place.good({"config", "m.json", "--json"}));
  ASSERT_EQ(found["profiles"].size(), 1u);
  const json& profile = found["profiles"][0];
  EXPECT_EQ(profile["head_dim"], 128);
  EXPECT_EQ(profile["rotary_dim"], 128);
  EXPECT_EQ(profile["base"], 500000.0);
  EXPECT_EQ(profile["pairing"], "half");
  EXPECT_EQ(profile["extension"]["method"], "llama3");
  EXPECT_EQ(profile["extension"]["factor"], 8.0);
  EXPECT_EQ(profile["trained_length"], 8192.0);
  EXPECT_THAT(profile["origin"]["base"].get<std::string>(), HasSubstr("rope_theta"));
  const std::string text = place.good({"config", "m.json"});
  for (const std::string word : {"llama", "128", "500000", "half", "llama3 (factor 8)", "8192", "rope_theta"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
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

TEST_F(Program, EscapesBytesThatAreNoText) {
  place.bad({"gr\xfc\xdf"}, {"gr\\xFC\\xDF"});
  place.bad({"lesson", "\xff.md", "--check"}, {"\\xFF.md"});
}

TEST_F(Program, RefusesAnEmptyNameOfAFileAtOnce) {
  place.bad({"race", "-o", ""}, {part_of("error.file.no_name_to_write")});
}

}  // namespace
}  // namespace ropescope
