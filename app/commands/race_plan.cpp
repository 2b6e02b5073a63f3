#include "app/commands/race_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "app/commands/encoding_options.h"
#include "app/commands/race_beyond.h"
#include "app/commands/threads_option.h"
#include "app/experiment/experiment.h"
#include "app/experiment/split.h"
#include "app/resources/files.h"
#include "app/resources/own_text.h"
#include "app/resources/system.h"
#include "core/error.h"
#include "core/number_for_people.h"
#include "core/number_text.h"
#include "core/training/heads.h"

namespace ropescope {

namespace {

constexpr int kMostSeeds = 100;
constexpr std::uint64_t kRacePlanLargestText = std::uint64_t{1} << 30;

std::vector<std::string> parts_of_race_plan(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) reject(option, text, "a list with commas between");
    if (std::count(parts.begin(), parts.end(), part) > 1) reject(option, text, "each name once");
  }
  return parts;
}

std::int64_t whole(const std::string& option, const std::optional<std::string>& text, std::int64_t otherwise,
                   std::int64_t least, std::int64_t most) {
  if (!text) return otherwise;
  const std::int64_t value = read_whole(option, *text);
  if (value < least || value > most) {
    reject(option, *text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::vector<std::uint64_t> seeds_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::int64_t first = read_whole("--seeds", text.substr(0, colon));
  const std::int64_t last = colon == std::string::npos ? first : read_whole("--seeds", text.substr(colon + 1));
  if (first < 0 || last < first || last - first >= kMostSeeds) {
    reject("--seeds", text, "a seed, or FIRST:LAST of at most " + std::to_string(kMostSeeds) + " seeds");
  }
  std::vector<std::uint64_t> seeds;
  for (std::int64_t seed = first; seed <= last; ++seed) seeds.push_back(static_cast<std::uint64_t>(seed));
  return seeds;
}

bool is_masked(const RaceOptions& options) {
  const std::string objective = options.objective.value_or("next");
  if (objective != "next" && objective != "masked") reject("--objective", objective, "next or masked");
  return objective == "masked";
}

Task task_of(const RaceOptions& options, int length) {
  const bool masked = is_masked(options);
  if (options.task && is_made_task(*options.task)) {
    if (masked) reject("--objective", "masked", "next with the made task " + *options.task);
    return make_task(*options.task, length);
  }
  if (!options.task) return text_task("the program's own text", own_text(find_places().assets), length, masked);
  if (!std::filesystem::exists(*options.task) && options.task->find_first_of("/.") == std::string::npos) {
    return make_task(*options.task, length);  // says which tasks there are
  }
  return text_task(*options.task, read_file(*options.task, kRacePlanLargestText), length, masked);
}

std::vector<RunnerSpec> runners_of(const RaceOptions& options, const RaceSetup& setup) {
  std::vector<RunnerSpec> runners;
  EncodingSettings settings;
  if (options.base) {
    const std::optional<double> base = parse_number(*options.base);
    if (!base || !(*base > 1)) reject("--base", *options.base, "a number above 1");
    settings.base = *base;
  }
  const std::vector<std::uint64_t> seeds = seeds_of(options.seeds.value_or("1:3"));
  for (const std::string& attention : parts_of_race_plan("--attention", options.attention.value_or("softmax"))) {
    const bool performer = attention == "performer", linear = performer || attention == "linear";
    if (attention != "softmax" && !linear) reject("--attention", attention, "softmax, linear or performer");
    for (const std::string& encoding : parts_of_race_plan("--encodings", options.encodings.value_or("rope,none"))) {
      RunnerSpec spec{encoding, linear, 1, settings, performer};
      find_encoding(encoding);
      Runner::bytes_wanted(setup, spec, 1);  // refuses what cannot be trained
      for (const std::uint64_t seed : seeds) {
        spec.seed = seed;
        runners.push_back(spec);
      }
    }
  }
  return runners;
}

std::string fingerprint_of(const RacePlan& plan) {
  const RaceSetup& setup = plan.setup;
  std::string all = setup.task.name + (setup.task.masked ? " masked" : " next");
  for (const std::string* text : {&setup.task.train, &setup.task.test}) {
    all += " " + std::to_string(std::hash<std::string>{}(*text));
  }
  for (const double number :
       {double(setup.layers), double(setup.width), double(setup.heads), double(setup.length), double(setup.every),
        double(setup.test_every), double(setup.training.batch), setup.training.rate}) {
    all += " " + number_text(number);
  }
  for (const RunnerSpec& spec : plan.runners) {
    all += "\n" + name_of(spec) + " " + std::to_string(spec.seed) + " " + number_text(spec.settings.base);
  }
  return all;
}

}  // namespace

void add_race_options(Arguments& arguments, RaceOptions& options) {
  arguments.option("--encodings", "A,B,…", options.encodings,
                   "Position encodings that run: rope, p-rope, xpos, none, sinusoidal, learned, alibi, sandwich, t5, "
                   "kerple (default: rope,none)");
  arguments.option("--attention", "A,B", options.attention,
                   "softmax, linear (elu + 1) or performer, or several (default: softmax)");
  arguments.option("--task", "TASK|FILE", options.task,
                   "copy:N, nearest, count:N, phrase, sorted, or a text file whose bytes are learned (default: the "
                   "program's own lessons and texts)");
  arguments.option("--objective", "O", options.objective,
                   "Of a text: next, or masked: 15 % of the bytes, as BERT (default: next)");
  arguments.option("--layers", "N", options.layers, "1 to 4 (default: 2)");
  arguments.option("--width", "D", options.width, "Channels, 32 to 256 (default: 64)");
  arguments.option("--heads", "H", options.heads, "Heads (default: 4)");
  arguments.option("--length", "T", options.length, "Tokens of a sequence (default: 128)");
  arguments.option("--batch", "B", options.batch, "Sequences of a step (default: 16)");
  arguments.option("--steps", "N", options.steps, "Steps of every runner (default: 1200)");
  arguments.option("--seeds", "FIRST:LAST", options.seeds, "Every runner once for each (default: 1:3)");
  arguments.option("--base", "B", options.base, "Base of those that have one (default: 10000)");
  arguments.option("--rate", "R", options.rate, "Learning rate after 100 steps of warm-up (default: 0.001)");
  arguments.option("--every", "N", options.every, "Steps of a row; every fifth row is tested (default: 10)");
  add_threads_option(arguments, options.threads);
  arguments.flag("--resume", options.resume, "Go on with the runs that are saved beside the file of -o");
  arguments.option("--weights", "DIR", options.weights, "Folder to write the trained weights to, as .safetensors");
  arguments.option("--dump", "DIR", options.dump,
                   "Folder to write queries, keys and values of all layers to, on a sequence of the test: dumps that "
                   "`attention` and the view Attention open");
  arguments.option("--beyond", "N", options.beyond,
                   "Loss by position up to N times the length, 1 to 8, by every context extension, beside the file of "
                   "-o: race.beyond.csv");
  arguments.option("-o,--output", "F", options.output, "CSV to write (default: standard output, without saved runs)");
}

RacePlan plan_race(const RaceOptions& options) {
  RacePlan plan;
  RaceSetup& setup = plan.setup;
  setup.layers = static_cast<int>(whole("--layers", options.layers, 2, 1, 4));
  setup.width = static_cast<int>(whole("--width", options.width, 64, 32, 256));
  setup.heads = static_cast<int>(whole("--heads", options.heads, 4, 1, 32));
  setup.length = static_cast<int>(whole("--length", options.length, 128, 2, 4096));
  setup.training.batch = static_cast<int>(whole("--batch", options.batch, 16, 1, 1024));
  if (options.rate) {
    const std::optional<double> rate = parse_number(*options.rate);
    if (!rate) reject("--rate", *options.rate, "a number");
    setup.training.rate = *rate;
    validate(setup.training);
  }
  plan.steps = whole("--steps", options.steps, 1200, 1, 10'000'000);
  const std::int64_t every = whole("--every", options.every, 10, 1, 10'000'000);
  setup.every = static_cast<int>(every);
  setup.test_every = 5 * setup.every;
  ModelShape shape;
  shape.layers = setup.layers, shape.width = setup.width, shape.heads = setup.heads, shape.length = setup.length;
  validate(shape);
  setup.task = task_of(options, setup.length);
  plan.runners = runners_of(options, setup);
  if (options.beyond) plan.beyond = static_cast<int>(whole("--beyond", options.beyond, 0, 1, kLargestBeyond));
  plan.dumps = options.dump.has_value();
  plan.threads = read_threads(options.threads);
  if (plan.threads == 0) plan.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  plan.threads_of_one = std::max(1, plan.threads / static_cast<int>(plan.runners.size()));
  plan.fingerprint = fingerprint_of(plan);
  return plan;
}

std::string check_memory(const RacePlan& plan, std::uint64_t saved) {
  // A text as the file that was read, and as what is trained and tested; saved runs as the file and as what it says.
  double bytes = 2 * static_cast<double>(plan.setup.task.train.size() + plan.setup.task.test.size()) +
                 2 * static_cast<double>(saved);
  // Of every runner its numbers stand a second time in the runs that are saved.
  for (const RunnerSpec& spec : plan.runners) {
    bytes += 2 * static_cast<double>(Runner::bytes_wanted(plan.setup, spec, plan.threads_of_one));
  }
  // Those that come after the race come one at a time.
  std::int64_t after = plan.beyond > 0 ? beyond_bytes(plan) : 0;
  for (const RunnerSpec& spec : plan.runners) {
    // Twice: what is looked at, and the file that is made of it.
    if (plan.dumps) after = std::max(after, 2 * look_bytes_wanted(plan.setup, spec, {}, plan.threads));
  }
  bytes += static_cast<double>(after);
  const std::optional<double> free = os::free_memory();
  const std::string wanted = number_for_people(std::ceil(bytes / 1e6)) + " MB";
  if (free && bytes > *free) {
    throw InputError("the race takes up to " + wanted + " of memory, of which " +
                     number_for_people(std::floor(*free / 1e6)) +
                     " MB are free; fewer runners, a smaller model or a shorter length was expected");
  }
  return std::to_string(plan.runners.size()) + (plan.runners.size() == 1 ? " run takes" : " runs take") + " up to " +
         wanted + " of memory";
}

}  // namespace ropescope
