// `race`: its table, the input it rejects, and the continuation of a stopped race.

#include "core/formats/dumps/dump.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_file.h"
#include "core/training/beyond.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using RaceCommand = InWorkplace;

using RaceThreads = InWorkplace;

Words small_race(const Words& more) {
  Words all{"race", "--task",   "copy:4", "--layers", "1", "--width", "32", "--heads",
            "2",    "--length", "16",     "--batch",  "4", "--seeds", "1:2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The table without its seconds.
std::string without_seconds(const std::string& table) {
  std::string rest;
  int column = 0;
  for (const char c : table) {
    if (c == '\n') column = 0;
    if (c == ',') ++column;
    if (column != 3) rest += c;
  }
  return rest;
}

TEST_F(RaceThreads, WriteTheSameTableForAnyNumber) {
  for (const std::string threads : {"1", "2", "5"}) {
    place.good(small_race({"--encodings", "rope,none", "--steps", "20", "--threads", threads, "-o", threads + ".csv"}));
  }
  const std::string table = place.read("1.csv");
  EXPECT_THAT(table, StartsWith("run,seed,step,seconds,loss,test_loss\nrope/softmax,1,10,"));
  EXPECT_THAT(table, HasSubstr("\nnone/softmax,2,20,"));
  EXPECT_EQ(without_seconds(place.read("2.csv")), without_seconds(table));
  EXPECT_EQ(without_seconds(place.read("5.csv")), without_seconds(table));
}

// README's losses are of this text, which never changes: words that lessons gain or lose must not move them.
TEST_F(RaceCommand, ReadsTheTextOfReadmeAsItWas) {
  place.good({"race", "--task", source_folder() + "/tests/reference/training/text.txt", "--layers", "1", "--width",
              "32", "--heads", "2", "--length", "32", "--batch", "4", "--steps", "100", "--seeds", "1", "-o",
              "text.csv"});
  std::map<std::string, double> last;
  for (const Words& row : parse_csv(place.read("text.csv"))) {
    if (row.at(2) == "100") last[row.at(0)] = std::stod(row.at(5));
  }
  // The same within 2e-8 by the portable loops, AVX2 and AVX-512.
  EXPECT_NEAR(last.at("rope/softmax"), 3.62282147, 1e-6);
  EXPECT_NEAR(last.at("none/softmax"), 3.61486487, 1e-6);
}

TEST_F(RaceCommand, GoesOnFromWhatWasSaved) {
  place.good(small_race({"--steps", "60", "-o", "whole.csv"}));
  place.good(small_race({"--steps", "20", "-o", "part.csv"}));
  place.good(small_race({"--steps", "60", "-o", "part.csv", "--resume"}));
  EXPECT_EQ(without_seconds(place.read("part.csv")), without_seconds(place.read("whole.csv")));
  place.bad(small_race({"--steps", "60", "-o", "part.csv", "--resume", "--base", "500"}), {"part.csv.saved"});
}

TEST_F(RaceCommand, TestsItsLastStepWhereverThatIs) {
  place.good(small_race({"--steps", "60", "-o", "whole.csv"}));
  for (const std::string steps : {"3", "23"}) {
    SCOPED_TRACE(steps);
    const std::string file = "part" + steps + ".csv";
    place.good(small_race({"--steps", steps, "-o", file}));
    const std::string table = place.read(file);
    const std::size_t row = table.find("none/softmax,2," + steps + ",");
    ASSERT_NE(row, std::string::npos) << table;
    const std::size_t end = table.find('\n', row);
    EXPECT_EQ(end, table.size() - 1) << "it is the last one";
    EXPECT_NE(table[end - 1], ',') << "and tested";
    place.good(small_race({"--steps", "60", "-o", file, "--resume"}));
    EXPECT_EQ(without_seconds(place.read(file)), without_seconds(place.read("whole.csv")))
        << "who goes on has the rows of who never stopped";
  }
}

/// The race of small_race as the library runs it.
RaceSetup small_setup() {
  RaceSetup setup;
  setup.layers = 1, setup.width = 32, setup.heads = 2, setup.length = 16;
  setup.training.batch = 4;
  setup.task = make_task("copy:4", setup.length);
  return setup;
}

std::span<const std::byte> bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content));
}

std::vector<double> numbers_of(const StoredTensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.count()));
  read_rows(tensor, 0, tensor.shape.front(), numbers.data());
  return numbers;
}

/// The last row of a run in the table.
Words last_row(const std::string& table, const std::string& run, const std::string& seed) {
  Words last;
  for (const Words& row : parse_csv(table)) {
    if (row.at(0) == run && row.at(1) == seed) last = row;
  }
  return last;
}

TEST_F(RaceCommand, WritesWeightsWhoseLossIsThatOfTheTable) {
  fs::create_directory(place.path("weights"));
  place.good(small_race({"--encodings", "rope,t5", "--attention", "softmax", "--steps", "50", "-o", "race.csv",
                         "--weights", place.path("weights")}));
  RaceSetup setup = small_setup();
  for (const std::string encoding : {"rope", "t5"}) {
    for (const std::string seed : {"1", "2"}) {
      const std::string file = place.read("weights/" + encoding + "-softmax-" + seed + ".safetensors");
      RunnerSpec spec;
      spec.encoding = encoding, spec.seed = 77;  // begins elsewhere: all of it must come from the file
      Runner runner(setup, spec, 1);
      const ParameterLayout& layout = runner.trainer().layout();
      RunnerState state = runner.state();
      std::size_t named = 0;
      for (const ParameterBlock& block : layout.blocks) {
        if (block.count() == 0) continue;
        const StoredTensor tensor = open_safetensors(bytes_of(file), nullptr, "weights", block.name);
        EXPECT_EQ(tensor.count(), block.count()) << block.name;
        if (block.rows > 1) EXPECT_THAT(tensor.shape, ElementsAre(block.rows, block.columns)) << block.name;
        if (block.rows == 1) EXPECT_THAT(tensor.shape, ElementsAre(block.columns)) << block.name;
        std::ptrdiff_t at = block.offset;
        for (const double number : numbers_of(tensor)) {
          state.cells[static_cast<std::size_t>(at++)] = static_cast<float>(number);
        }
        ++named;
      }
      EXPECT_EQ(read_safetensors_header(bytes_of(file), "weights").size(), named);
      BeyondOptions own;
      own.factor = 1;
      const auto parameters = std::span<const float>(state.cells).first(static_cast<std::size_t>(layout.total));
      const double loss = beyond_losses(setup, spec, parameters, own, {1}).whole.loss;
      const Words row = last_row(place.read("race.csv"), encoding + "/softmax", seed);
      ASSERT_EQ(row.size(), 6u);
      EXPECT_EQ(row[2], "50");
      EXPECT_NEAR(std::stod(row[5]), loss, 2e-5 * loss) << encoding << seed;
    }
  }
}

TEST_F(RaceThreads, ReadBeyondTheLengthTheSameForAnyNumber) {
  for (const std::string threads : {"1", "3"}) {
    place.good(small_race(
        {"--encodings", "rope,none", "--steps", "20", "--threads", threads, "-o", threads + ".csv", "--beyond", "4"}));
  }
  EXPECT_EQ(place.read("1.beyond.csv"), place.read("3.beyond.csv"));
}

TEST_F(RaceCommand, ReadsBeyondItsLengthByEveryExtension) {
  const Outcome outcome =
      place.run(small_race({"--encodings", "rope,learned,alibi", "--steps", "20", "-o", "race.csv", "--beyond", "4"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("rope/softmax beyond token 16, up to 64: "));
  EXPECT_THAT(outcome.errors, HasSubstr("alibi/softmax beyond token 16, up to 64: none "));
  EXPECT_THAT(outcome.errors, HasSubstr("means over 2 seeds"));
  EXPECT_THAT(
      outcome.errors,
      HasSubstr("learned/softmax beyond token 16, up to 64: " +
                said(Message("error.training.past_table", {{"encoding", "learned"}, {"length", "16"}})) + "\n"));
  std::map<std::string, std::set<std::string>> methods;
  double sum = 0;
  std::int64_t tokens = 0;
  const auto rows = parse_csv(place.read("race.beyond.csv"));
  EXPECT_THAT(rows.front(),
              ElementsAre("run", "seed", "method", "length", "position_from", "position_to", "tokens", "loss"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    methods[rows[i][0]].insert(rows[i][2]);
    EXPECT_EQ(rows[i][3], "64");
    EXPECT_EQ(rows[i][6] == "0", rows[i][7].empty());
    if (std::stoi(rows[i][5]) < 4) EXPECT_EQ(rows[i][6], "0");  // nothing to copy yet
    if (rows[i][0] != "alibi/softmax" || rows[i][1] != "2" || rows[i][6] == "0") continue;
    tokens += std::stoll(rows[i][6]);
    sum += std::stod(rows[i][6]) * std::stod(rows[i][7]);
  }
  RunnerSpec rope, alibi;
  alibi.encoding = "alibi", alibi.seed = 2;
  const auto known = beyond_methods(rope);
  EXPECT_EQ(methods["rope/softmax"], std::set<std::string>(known.begin(), known.end()));
  EXPECT_THAT(methods["alibi/softmax"], ElementsAre("none"));
  EXPECT_EQ(methods.count("learned/softmax"), 0u);
  EXPECT_EQ(tokens, 32 * 60);
  // The same from the library, trained anew.
  const RaceSetup setup = small_setup();
  Runner runner(setup, alibi, 1);
  for (int i = 0; i < 20; ++i) runner.advance();
  BeyondOptions options;
  options.factor = 4;
  const double loss = beyond_losses(setup, alibi, runner.trainer().parameters(), options, {1}).whole.loss;
  EXPECT_NEAR(sum / static_cast<double>(tokens), loss, 1e-9);
}

TEST_F(RaceCommand, SaysBeforehandWhatMemoryItsEndTakesToo) {
  fs::create_directory(place.path("dump"));
  const auto megabytes = [&](const Words& more) {
    Words race{"race",    "--task",  "copy:4",   "--encodings", "none",    "--layers", "1",
               "--width", "32",      "--length", "1024",        "--batch", "1",        "--seeds",
               "1",       "--steps", "1",        "--threads",   "1",       "-o",       "race.csv"};
    race.insert(race.end(), more.begin(), more.end());
    const std::string said = place.run(race).errors;
    const std::string before = "ropescope: 1 run takes up to ";
    EXPECT_THAT(said, StartsWith(before));
    return std::stod(said.substr(before.size()));
  };
  const double alone = megabytes({}), dumped = megabytes({"--dump", place.path("dump")});
  const double beyond = megabytes({"--beyond", "2"}), farther = megabytes({"--beyond", "4"});
  EXPECT_GT(dumped, alone);
  EXPECT_GT(beyond, alone);
  EXPECT_GT(farther, beyond);
}

TEST_F(RaceCommand, DumpsWhatTheAttentionCommandOpens) {
  fs::create_directory(place.path("dump"));
  Words race = small_race({"--encodings", "rope,sinusoidal", "--attention", "softmax,linear", "--steps", "20", "-o",
                           "race.csv", "--dump", place.path("dump")});
  race[4] = "2";  // layers
  const Outcome outcome = place.run(race);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("ropescope attention --encoding none --kind linear --causal --input "));
  const std::string path = place.path("dump/rope-softmax-2.qk.safetensors");
  const std::string file = place.read("dump/rope-softmax-2.qk.safetensors");
  EXPECT_THAT(dump_layers(bytes_of(file), path), ElementsAre(0, 1));
  // The command as the race says it, for the other layer.
  const std::string said = "ropescope attention --encoding rope --pairing interleaved --causal --input " + path + " ";
  ASSERT_THAT(outcome.errors,
              Says("notice.race.look",
                   {{"runner", "rope/softmax"}, {"seed", "2"}, {"command", said + "--layer 0 -o heads.png\n"}}));
  place.good({"attention", "--encoding", "rope", "--pairing", "interleaved", "--causal", "--input", path, "--layer",
              "1", "-o", "w.npy"});
  const std::string written = place.read("w.npy");
  const Tensor weights = parse_npy(bytes_of(written), "w.npy");
  EXPECT_THAT(weights.shape, ElementsAre(2, 16, 16));
  // The weights by the library, of a model that is trained anew.
  RaceSetup setup = small_setup();
  setup.layers = 2;
  RunnerSpec spec;
  spec.seed = 2;
  Runner runner(setup, spec, 1);
  for (int i = 0; i < 20; ++i) runner.advance();
  const TrainedHeads heads = look_inside(setup, spec, runner.trainer().parameters(), {}, {1});
  for (int head = 0; head < 2; ++head) {
    AttentionInput input{TokenMatrix(16, 16), TokenMatrix(16, 16), TokenMatrix(0, 0)};
    for (int m = 0; m < 16; ++m) {
      for (int c = 0; c < 16; ++c) {
        input.queries(m, c) = heads.layers[1].q[static_cast<std::size_t>((m * 2 + head) * 16 + c)];
        input.keys(m, c) = heads.layers[1].k[static_cast<std::size_t>((m * 2 + head) * 16 + c)];
      }
    }
    AttentionOptions causal;
    causal.causal = true;
    const auto model = make_model(find_encoding("rope"), heads.settings[static_cast<std::size_t>(head)]);
    const RowMatrixXd expected = softmax_attention<double>(*model, input, causal).weights;
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 16; ++n) {
        EXPECT_NEAR(weights.values[static_cast<std::size_t>((head * 16 + m) * 16 + n)], expected(m, n), 1e-12);
      }
    }
  }
  place.bad({"attention", "--encoding", "rope", "--input", path, "--layer", "2", "-o", "w.npy"}, {"2"});
  place.bad({"attention", "--encoding", "rope", "--input", path, "--layer", "-1", "-o", "w.npy"}, {"--layer"});
  place.bad({"attention", "--encoding", "rope", "--tokens", "4", "--layer", "1", "-o", "w.npy"},
            {"--layer", "--input"});
}

/// A step of this race takes many seconds, and it has one: if Ctrl+C were heard between steps alone, the race would end
/// before it.
TEST_F(RaceCommand, HearsCtrlCInTheMiddleOfAStep) {
  const Outcome outcome =
      place.interrupted({"race", "--task",  "nearest", "--encodings", "rope",     "--seeds",   "1",    "--width",
                         "256",  "--heads", "1",       "--layers",    "4",        "--length",  "1024", "--batch",
                         "16",   "--steps", "1",       "-o",          "race.csv", "--threads", "1"});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.errors, Says("notice.cancelled.race"));
  EXPECT_FALSE(fs::exists(place.path("race.csv")));
}

/// Reading 32 sequences of 32 768 tokens takes minutes: there is no table when it is left, and the runs are kept.
TEST_F(RaceCommand, HearsCtrlCWhileItReadsBeyondTheLength) {
  const Words race{"race", "--task",  "nearest", "--encodings", "none",     "--seeds",   "1",    "--width",
                   "256",  "--heads", "1",       "--layers",    "1",        "--length",  "4096", "--batch",
                   "1",    "--steps", "1",       "-o",          "race.csv", "--threads", "1",    "--beyond",
                   "8"};
  const Outcome outcome = place.interrupted(race, "race.csv");
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.errors, HasSubstr("--resume"));
  EXPECT_FALSE(fs::exists(place.path("race.beyond.csv")));
  EXPECT_TRUE(fs::exists(place.path("race.csv.saved")));
}

/// At this rate the features of linear attention with two channels a head underflow within some fifty steps, and what
/// it divides by is 0; softmax has nothing that could.
TEST_F(RaceCommand, SaysWhoStoppedAndLetsTheOthersGoOn) {
  Words race = small_race({"--encodings", "rope", "--attention", "softmax,linear", "--rate", "1", "--steps", "400",
                           "-o", "race.csv", "--beyond", "2"});
  race[8] = "16";  // heads
  const Outcome outcome = place.run(race);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  for (const std::string seed : {"1", "2"}) {
    const std::string said = "rope/linear, seed " + seed + ", stopped at step ";
    const std::size_t at = outcome.errors.find(said);
    ASSERT_NE(at, std::string::npos) << outcome.errors;
    const int step = std::stoi(outcome.errors.substr(at + said.size()));
    const TextValues values{{"runner", "rope/linear"}, {"seed", seed}, {"step", std::to_string(step)}};
    EXPECT_THAT(outcome.errors,
                AnyOf(Says("notice.race.infinite_loss", values), Says("notice.race.infinite_gradient", values)));
    const Words last = last_row(place.read("race.csv"), "rope/linear", seed);
    EXPECT_EQ(std::stoi(last.at(2)), (step - 1) / 10 * 10);
    EXPECT_EQ(last_row(place.read("race.csv"), "rope/softmax", seed).at(2), "400");
  }
  EXPECT_THAT(place.read("race.beyond.csv"), Not(HasSubstr("rope/linear")));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("rope/linear beyond")));
}

TEST_F(RaceCommand, RefusesSavedRunsThatAreDamaged) {
  place.good(small_race({"--steps", "20", "-o", "race.csv"}));
  const std::string saved = place.read("race.csv.saved");
  std::string turned = saved;
  turned[saved.size() / 2] ^= 1;
  for (const std::string& damaged : {std::string(), saved.substr(0, 1), saved.substr(0, saved.size() / 2), turned,
                                     saved + "x", std::string("not a race\n")}) {
    place.write("race.csv.saved", damaged);
    place.bad(small_race({"--steps", "40", "-o", "race.csv", "--resume"}), {"race.csv.saved", "damaged"});
  }
  place.write("race.csv.saved", saved);
  place.bad(small_race({"--steps", "40", "-o", "race.csv", "--resume", "--rate", "0.002"}),
            {"race.csv.saved", "another"});
  place.good(small_race({"--steps", "40", "-o", "race.csv", "--resume"}));
}

}  // namespace
}  // namespace ropescope
