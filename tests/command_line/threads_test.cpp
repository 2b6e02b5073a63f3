// --threads: the output is the same, byte for byte, for any number of threads.

#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/layered_files.h"
#include "tests/said.h"
#include "tests/sampled.h"

namespace ropescope {
namespace {

using ThreadsOption = InWorkplace;

/// Runs of commands that share their work; "OUT" stands for the file that one writes.
const std::vector<Words> kChecks = {
    {"check", "--layout", "flux.1", "--size", "1664x928", "--text", "512", "--cos", "cos.npy", "--sin", "sin.npy",
     "--json"},
    {"check", "--against-cos", "cos.npy", "--against-sin", "sin.npy", "--cos", "cos.npy", "--sin", "sin.npy", "--json"},
    {"check", "--layout", "qwen-image", "--size", "1664x928", "--text", "512", "--cos", "cos.npy", "--sin", "sin.npy"},
};
const std::vector<Words> kLong = {
    {"limits", "--dim", "128", "--base", "10000", "--context", "4096"},
    {"limits", "--model", "llama-2-7b", "--context", "8192", "--factors", "linear,ntk-aware"},
    {"compare", "llama-2-7b", "llama-3.1-8b", "--json"},
    {"sweep", "decay.first_negative", "--over", "rope.base=1e3..1e5:6:log"},
    {"vectors", "layers.safetensors", "--base", "500", "--dim", "16", "--what", "scores"},
    {"decay", "--dim", "128", "--base", "10000", "--distances", "0:70000"},
    {"attention", "--encoding", "rope", "--dim", "32", "--tokens", "300", "-o", "OUT.csv"},
    {"attention", "--encoding", "rope", "--kind", "linear", "--dim", "32", "--tokens", "300", "-o", "OUT.npy"},
    {"render", "limits", "--set", "limits.context=4096", "-o", "OUT.csv"},
    {"render", "atlas", "-o", "OUT.csv"},
    {"render", "decay", "-o", "OUT.svg"},
    {"render", "attention", "-o", "OUT.csv"},
    // Views whose status line says how many milliseconds it took differ in these.
    {"animate", "decay", "--sweep", "rope.base=100..1e6:log", "--seconds", "1", "--fps", "3", "--size", "300x200", "-o",
     "OUT.gif"},
    {"table", "--ropes", "llama-2-7b,llama-3.1-8b", "--cards", "limits.smallest_base,decay.first_negative", "--format",
     "json"},
    {"lesson", "01-order", "--step", "with-encoding", "--json"},
    {"screenshot", "--view", "limits", "--size", "800x600", "-o", "OUT.png"},
    {"handout", "12-measured", "-o", "OUT.pdf"},
    {"weights", "rope-softmax-1.safetensors", "--json"},
};

/// Standard output, or the file that was written; the exit code in front.
std::string result_of(const Workplace& place, Words words, int threads) {
  std::string written;
  for (std::string& word : words) {
    if (word.rfind("OUT", 0) == 0) written = word;
  }
  words.insert(words.end(), {"--threads", std::to_string(threads)});
  const Outcome outcome = place.run(words);
  EXPECT_LT(outcome.exit_code, 2) << words[0] << ' ' << words[1] << ": " << outcome.errors;
  return std::to_string(outcome.exit_code) + outcome.output + (written.empty() ? "" : place.read(written));
}

void expect_the_same(const Workplace& place, const std::vector<Words>& runs) {
  Sample sample("commands × numbers of threads");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Words& words = runs[i];
    SCOPED_TRACE(words[0] + " " + words[1] + " " + words.back());
    const std::string alone = result_of(place, words, 1);
    EXPECT_GT(alone.size(), 100u);
    for (const int threads : sample.of(i, std::vector<int>{2, 5})) {
      EXPECT_EQ(result_of(place, words, threads) == alone, true) << threads;
    }
  }
}

}  // namespace

// The thread sanitizer runs this one: what the others compute it sees in the tests of core, without the packages that
// draw, which were not built for it.
TEST_F(ThreadsOption, ChecksAreTheSameForAnyNumber) {
  place.good({"layout", "flux.1", "--size", "1664x928", "--text", "512", "-o", "ids.npy", "--cos", "cos.npy", "--sin",
              "sin.npy"});
  expect_the_same(place, kChecks);
}

TEST_F(ThreadsOption, ResultsAreTheSameForAnyNumber) {
  place.write("layers.safetensors", safetensors_of(random_layers(3, 40, 4, 2, 16)));
  place.good({"race",    "--encodings", "rope",    "--steps",   "1",        "--layers", "1",
              "--width", "32",          "--heads", "2",         "--length", "16",       "--batch",
              "1",       "--seeds",     "1",       "--weights", ".",        "-o",       "race.csv"});
  expect_the_same(place, kLong);
}

TEST_F(ThreadsOption, EveryCommandThatHasItIsTried) {
  std::set<std::string> tried{"race"};  // in race_test.cpp: its table tells seconds, which are never the same
  for (const std::vector<Words>* runs : {&kChecks, &kLong}) {
    for (const Words& words : *runs) tried.insert(words[0]);
  }
  std::istringstream help(place.good({"--help"}));
  std::set<std::string> having;
  for (std::string line; std::getline(help, line);) {
    std::istringstream words(line);
    std::string name;
    if (line.rfind("  ", 0) != 0 || !(words >> name) || name[0] == '-' || name[0] == '[') continue;
    const Outcome of_command = place.run({name, "--help"});
    if (of_command.exit_code == 0 && of_command.output.find("--threads") != std::string::npos) having.insert(name);
  }
  EXPECT_EQ(having, tried);
}

TEST_F(ThreadsOption, TakesWholeNumbers) {
  for (const char* wrong : {"0", "-2", "1.5", "many", "100000"}) {
    place.bad({"limits", "--dim", "64", "--threads", wrong},
              {"--threads", wrong, said(Message("expected.whole", {{"least", "1"}, {"most", "256"}}))});
  }
}

}  // namespace ropescope
