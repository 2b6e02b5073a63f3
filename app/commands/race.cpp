// The command `race`: reads a plan of runners and seeds, trains them (core/training/race.h), and writes losses, models
// and dumps. The view Race of the window (app/views/race) does the same step by step.
//
// Contents: Plan; Files; Report; Beyond; race.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "core/training/beyond.h"
#include "core/training/race.h"
#include "core/words.h"

namespace ropescope {

// --- Plan ----------------------------------------------------------------------------------------------------------

namespace {

/// What `race` was told.
struct RaceOptions {
  std::optional<std::string> encodings, attention, task, objective, layers, width, heads, length, batch, steps, seeds,
      base, rate, every, threads, output, weights, beyond, dump;
  bool resume = false;
};

/// Who runs what, for how long. The fingerprint says what must be the same for saved runs to go on.
struct RacePlan {
  RaceSetup setup;
  std::vector<RunnerSpec> runners;  ///< seeds of a runner side by side
  std::int64_t steps = 1200;
  int beyond = 0;          ///< how many times the length they are read at in the end; 0: they are not
  bool dumps = false;      ///< whether their queries and keys are written
  int threads = 1;         ///< in all
  int threads_of_one = 1;  ///< each runner's own
  std::string fingerprint;
};

/// A run that is read past its trained length by one method, or why it is not.
struct BeyondRead {
  std::size_t runner = 0;  ///< index into RacePlan::runners
  BeyondOptions options;
  std::string absent;  ///< a reason; empty: it is read
  BeyondLosses losses;
};

constexpr int kMostSeeds = 100, kMostSteps = 10'000'000;
constexpr std::uint64_t kRacePlanLargestText = std::uint64_t{1} << 30;

std::vector<std::string> parts_of_race_plan(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) reject(option, text, Words("expected.commas"));
    if (std::count(parts.begin(), parts.end(), part) > 1) reject(option, text, Words("expected.each_once"));
  }
  return parts;
}

/// What options give of the view's fields: the command, at which nobody looks on, takes more than the sliders show, and
/// trains for longer where it is not told.
struct RaceCounts {
  NumberField layers = window_field("race.layers"), width = window_field("race.width"),
              heads = with_range(window_field("race.heads"), 1, 32),
              length = with_range(window_field("race.length"), 2, 4096),
              batch = with_range(window_field("race.batch"), 1, 1024),
              steps = with_range(window_field("race.steps"), 1, kMostSteps);
  RaceCounts() { steps.initial = 1200; }
};

/// The value that the option of a field's name gives, or the field's own.
int count_of(const NumberField& field, const std::optional<std::string>& text) {
  return static_cast<int>(text ? read_whole(field, option_name(field), *text)
                               : static_cast<std::int64_t>(field.initial));
}

std::vector<std::uint64_t> seeds_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::int64_t first = read_whole("--seeds", text.substr(0, colon));
  const std::int64_t last = colon == std::string::npos ? first : read_whole("--seeds", text.substr(colon + 1));
  if (first < 0 || last < first || last - first >= kMostSeeds) {
    reject("--seeds", text, {"expected.seeds", {{"most", kMostSeeds}}});
  }
  std::vector<std::uint64_t> seeds;
  for (std::int64_t seed = first; seed <= last; ++seed) seeds.push_back(static_cast<std::uint64_t>(seed));
  return seeds;
}

bool is_masked(const RaceOptions& options) {
  return read_choice<RaceObjective>("--objective", options.objective.value_or("next")) == RaceObjective::masked;
}

Task task_of(const RaceOptions& options, int length) {
  const bool masked = is_masked(options);
  if (options.task && is_made_task(*options.task)) {
    if (masked) reject("--objective", "masked", {"expected.next_with", {{"task", *options.task}}});
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
  EncodingValues settings;
  if (options.base) settings.base = read_base(*options.base, "expected.above");
  const std::vector<std::uint64_t> seeds = seeds_of(options.seeds.value_or("1:3"));
  for (const std::string& attention : parts_of_race_plan("--attention", options.attention.value_or("softmax"))) {
    const bool performer = attention == "performer", linear = performer || attention == "linear";
    read_choice("--attention", attention, {"softmax", "linear", "performer"});
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

/// Those that a small model can be trained with, kin side by side.
std::string trained_encodings() {
  std::vector<Encoding> all(all_encodings().begin(), all_encodings().end());
  std::erase_if(all, [](const Encoding& one) { return one.training == Training::none; });
  std::ranges::sort(all, {}, [](const Encoding& one) { return std::pair(one.training, one.slot); });
  return joined(entry_names(all));
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

void add_race_options(Arguments& arguments, RaceOptions& options) {
  arguments.option("--encodings", "A,B,…", options.encodings,
                   "Position encodings that run: " + trained_encodings() + " (default: rope,none)");
  arguments.option("--attention", "A,B", options.attention,
                   "softmax, linear (elu + 1) or performer, or several (default: softmax)");
  arguments.option("--task", "TASK|FILE", options.task,
                   "copy:N, nearest, count:N, phrase, sorted, or a text file whose bytes are learned (default: the "
                   "program's own lessons and texts)");
  arguments.option("--objective", "O", options.objective,
                   "Of a text: next, or masked: 15 % of the bytes, as BERT (default: next)");
  const RaceCounts counts;
  const auto add_count = [&arguments](const NumberField& field, const char* symbol, std::optional<std::string>& target,
                                      const std::string& help) {
    arguments.option(option_name(field), symbol, target, help + " (default: " + shortest_number(field.initial) + ")");
  };
  const auto limits = [](const NumberField& field) {
    return shortest_number(field.minimum) + " to " + shortest_number(field.maximum);
  };
  add_count(counts.layers, "N", options.layers, limits(counts.layers));
  add_count(counts.width, "D", options.width, "Channels, " + limits(counts.width));
  add_count(counts.heads, "H", options.heads, "Heads");
  add_count(counts.length, "T", options.length, "Tokens of a sequence");
  add_count(counts.batch, "B", options.batch, "Sequences of a step");
  add_count(counts.steps, "N", options.steps, "Steps of every runner");
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

/// Throws InputError that names the option or the file.
RacePlan plan_race(const RaceOptions& options) {
  RacePlan plan;
  RaceSetup& setup = plan.setup;
  const RaceCounts counts;
  setup.layers = count_of(counts.layers, options.layers);
  setup.width = count_of(counts.width, options.width);
  setup.heads = count_of(counts.heads, options.heads);
  setup.length = count_of(counts.length, options.length);
  setup.training.batch = count_of(counts.batch, options.batch);
  if (options.rate) {
    setup.training.rate = read_number("--rate", *options.rate);
    validate(setup.training);
  }
  plan.steps = count_of(counts.steps, options.steps);
  if (options.every) setup.every = static_cast<int>(read_whole("--every", *options.every, 1, kMostSteps));
  setup.test_every = 5 * setup.every;
  ModelShape shape;
  shape.layers = setup.layers, shape.width = setup.width, shape.heads = setup.heads, shape.length = setup.length;
  validate(shape);
  setup.task = task_of(options, setup.length);
  plan.runners = runners_of(options, setup);
  if (options.beyond) plan.beyond = static_cast<int>(read_whole("--beyond", *options.beyond, 1, kLargestBeyond));
  plan.dumps = options.dump.has_value();
  plan.threads = read_threads(options.threads);
  if (plan.threads == 0) plan.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  plan.threads_of_one = std::max(1, plan.threads / static_cast<int>(plan.runners.size()));
  plan.fingerprint = fingerprint_of(plan);
  return plan;
}

}  // namespace

// --- Files ---------------------------------------------------------------------------------------------------------

/// "rope-softmax-1": of files.
std::string file_name_of(const RunnerSpec& spec) {
  std::string name = name_of(spec) + "-" + std::to_string(spec.seed);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

/// The command that looks at such a dump; empty for T5 and KERPLE, whose trained numbers no option of it takes.
std::string look_command(const TrainedHeads& heads, const std::string& path) {
  if (trains_its_scores(heads.encoding)) return {};
  std::string command = "ropescope attention --encoding " + heads.encoding;
  const EncodingValues& settings = heads.settings.front();
  // Said always: one program's default is not another's.
  if (takes(find_encoding(heads.encoding), "pairing")) command += " --pairing " + word_of(settings.pairing);
  if (takes(find_encoding(heads.encoding), "base") && settings.base != EncodingValues().base) {
    command += " --base " + number_text(settings.base);
  }
  if (heads.linear_attention) command += " --kind linear";
  if (heads.random_features) command += " --kernel performer";
  if (heads.causal) command += " --causal";
  return command + " --input " + path + " --layer 0 -o heads.png";
}

// --- Report --------------------------------------------------------------------------------------------------------

namespace {

std::string nats(double loss) {
  return decimals_for_people(loss, 3) + " nats";
}

std::string fault_sentence(const RunnerSpec& spec, const RunnerFault& fault) {
  return name_of(spec) + ", seed " + std::to_string(spec.seed) + ", stopped at step " + std::to_string(fault.step) +
         ": " + (fault.by_gradient ? "its gradient" : "its loss") + " became infinite; a smaller --rate may help";
}

std::string seeds_text(int seeds) {
  return std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds");
}

std::string sentence_of_race_report(const RunnerComparison& c) {
  if (c.seeds == 0) return c.ahead + " and " + c.behind + " are not compared: no seed of both was tested";
  if (c.seeds == 1) {
    return c.ahead + " and " + c.behind + " are not told apart: they differ by " + nats(c.difference) +
           ", and one seed says nothing about how much seeds differ";
  }
  const std::string evidence = nats(c.difference) + " over " + seeds_text(c.seeds) + ", spread " + nats(*c.spread);
  if (c.told_apart) return c.ahead + " is ahead of " + c.behind + " by " + evidence;
  return c.ahead + " and " + c.behind + " are not told apart: they differ by " + evidence;
}

double last_test(const RunnerState& state) {
  if (state.fault) return std::numeric_limits<double>::quiet_NaN();
  for (auto point = state.curve.rbegin(); point != state.curve.rend(); ++point) {
    if (point->test_loss) return *point->test_loss;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// run,seed,step,seconds,loss,test_loss: a row per point of every curve.
std::string race_table(const RacePlan& plan, const std::vector<RunnerState>& states) {
  std::string text = "run,seed,step,seconds,loss,test_loss\n";
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string head = name_of(plan.runners[i]) + "," + std::to_string(plan.runners[i].seed) + ",";
    for (const RacePoint& point : states[i].curve) {
      text += head + std::to_string(point.step) + "," + number_text(std::round(point.seconds * 1000) / 1000) + "," +
              number_text(point.loss) + "," + (point.test_loss ? number_text(*point.test_loss) : "") + "\n";
    }
  }
  return text;
}

/// Who stopped, where the curves could end, and who is ahead of whom, in sentences.
std::vector<std::string> race_verdict(const RacePlan& plan, const std::vector<RunnerState>& states) {
  std::vector<std::string> sentences;
  std::vector<FinalLosses> finals;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].fault) sentences.push_back(fault_sentence(plan.runners[i], *states[i].fault));
    const std::string name = name_of(plan.runners[i]);
    if (finals.empty() || finals.back().name != name) finals.push_back({name, {}});
    finals.back().losses.push_back(last_test(states[i]));
  }
  const Task& task = plan.setup.task;
  sentences.push_back("who knows only how often each answer came in training loses " + nats(task.unigram) +
                      (task.floor ? "; the least possible is " + nats(*task.floor) : ""));
  for (const RunnerComparison& comparison : compare_finals(finals))
    sentences.push_back(sentence_of_race_report(comparison));
  return sentences;
}

}  // namespace

// --- Beyond --------------------------------------------------------------------------------------------------------

namespace {

/// The mean over the seeds of one runner by one method.
struct MethodMean {
  std::string method;
  double past = 0, within = 0;
  int seeds = 0;
};

std::string tokens_text(const RacePlan& plan) {
  const int trained = plan.setup.length;
  if (plan.beyond == 1) return " at its own length of " + std::to_string(trained) + " tokens: ";
  return " past token " + std::to_string(trained) + ", up to " + std::to_string(trained * plan.beyond) + ": ";
}

std::string sentence_of_race_beyond(const RacePlan& plan, const std::string& name, std::vector<MethodMean> means) {
  const MethodMean plain = means.front();
  std::stable_sort(means.begin(), means.end(),
                   [](const MethodMean& a, const MethodMean& b) { return a.past < b.past; });
  std::string sentence = name + tokens_text(plan);
  for (const MethodMean& mean : means) {
    sentence += (&mean == &means.front() ? "" : ", ") + mean.method + " " + decimals_for_people(mean.past, 3);
  }
  sentence += " nats";
  if (plain.seeds > 1) sentence += ", means over " + std::to_string(plain.seeds) + " seeds";
  if (plan.beyond > 1 && !std::isnan(plain.within)) {
    sentence += "; before it, with " + plain.method + ": " + decimals_for_people(plain.within, 3) + " nats";
  }
  return sentence;
}

std::string reason_against(const RacePlan& plan, std::size_t runner, std::string_view method) {
  try {
    check_beyond(plan.setup, plan.runners[runner], method, plan.beyond);
  } catch (const InputError& error) {
    return said_in_english(error.words());
  }
  return {};
}

/// All that --beyond asks for, nothing read yet. Throws InputError where the task has no sequence of that length.
std::vector<BeyondRead> plan_beyond(const RacePlan& plan) {
  std::vector<BeyondRead> reads;
  if (plan.beyond == 0) return reads;
  require_text(plan.setup, plan.beyond * plan.setup.length);
  for (std::size_t i = 0; i < plan.runners.size(); ++i) {
    for (const std::string_view method : beyond_methods(plan.runners[i])) {
      BeyondRead read;
      read.runner = i;
      read.options.method = method, read.options.factor = plan.beyond;
      // What holds for one seed holds for the next.
      const auto before = std::find_if(reads.begin(), reads.end(), [&](const BeyondRead& one) {
        return name_of(plan.runners[one.runner]) == name_of(plan.runners[i]) && one.options.method == method;
      });
      if (before != reads.end()) {
        read.absent = before->absent;
      } else {
        read.absent = reason_against(plan, i, method);
      }
      reads.push_back(std::move(read));
    }
  }
  return reads;
}

/// Bytes of the one that takes most: they are read one after the other.
std::int64_t beyond_bytes(const RacePlan& plan) {
  std::int64_t most = 0;
  for (const BeyondRead& read : plan_beyond(plan)) {
    // A method changes what stands in the tables and not how much.
    if (!read.absent.empty() || read.options.method != "none") continue;
    most = std::max(most, beyond_bytes_wanted(plan.setup, plan.runners[read.runner], read.options, plan.threads));
  }
  return most;
}

/// "race.csv" → "race.beyond.csv"
std::filesystem::path beyond_path(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  const std::string ending = output.extension().string();
  return path.replace_extension(".beyond" + (ending.empty() ? ".csv" : ending));
}

/// run,seed,method,length,position_from,position_to,tokens,loss: a row for each bucket; the last position belongs to
/// it.
std::string beyond_table(const RacePlan& plan, const std::vector<BeyondRead>& reads) {
  std::string text = "run,seed,method,length,position_from,position_to,tokens,loss\n";
  for (const BeyondRead& read : reads) {
    const RunnerSpec& spec = plan.runners[read.runner];
    const std::string head = name_of(spec) + "," + std::to_string(spec.seed) + "," + read.options.method + "," +
                             std::to_string(read.losses.length) + ",";
    for (const PositionBucket& bucket : read.losses.buckets) {
      text += head + std::to_string(bucket.from) + "," + std::to_string(bucket.to - 1) + "," +
              std::to_string(bucket.tokens) + "," + (bucket.tokens > 0 ? number_text(bucket.loss) : "") + "\n";
    }
  }
  return text;
}

/// Lines that say for each runner what its methods lose past the trained length: means over its seeds, the least first.
std::vector<std::string> beyond_verdict(const RacePlan& plan, const std::vector<BeyondRead>& reads) {
  std::vector<std::string> sentences;
  std::string name;
  std::vector<MethodMean> means;
  const auto end_runner = [&] {
    if (!means.empty()) sentences.push_back(sentence_of_race_beyond(plan, name, means));
    means.clear();
  };
  for (const BeyondRead& read : reads) {
    if (name_of(plan.runners[read.runner]) != name) end_runner();
    name = name_of(plan.runners[read.runner]);
    if (!read.absent.empty()) {
      const std::string sentence = name + tokens_text(plan) + read.absent;
      if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) sentences.push_back(sentence);
    }
    if (read.losses.buckets.empty()) continue;
    auto mean = std::find_if(means.begin(), means.end(),
                             [&](const MethodMean& one) { return one.method == read.options.method; });
    if (mean == means.end()) mean = means.insert(means.end(), {read.options.method, 0, 0, 0});
    const double past = plan.beyond == 1 ? read.losses.whole.loss : read.losses.past.loss, n = mean->seeds++;
    mean->past += (past - mean->past) / (n + 1);
    mean->within += (read.losses.within.loss - mean->within) / (n + 1);
  }
  end_runner();
  return sentences;
}

}  // namespace

// --- race ----------------------------------------------------------------------------------------------------------

namespace {

/// How much memory the race takes, as a sentence; `saved`: bytes of the saved runs that it goes on from. Throws
/// InputError where that is more than there is.
std::string check_memory(const RacePlan& plan, std::uint64_t saved) {
  // A text as the file that was read, and as what is trained and tested; saved runs as the file and as what it says.
  double bytes = 2 * static_cast<double>(plan.setup.task.train.size() + plan.setup.task.test.size()) +
                 2 * static_cast<double>(saved);
  // The numbers of every runner stand a second time in the runs that are saved.
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
    throw InputError("command.race_memory", {{"wanted", wanted}, {"free", number_for_people(std::floor(*free / 1e6))}});
  }
  return std::to_string(plan.runners.size()) + (plan.runners.size() == 1 ? " run takes" : " runs take") + " up to " +
         wanted + " of memory";
}

using RaceClock = std::chrono::steady_clock;
/// Runs are saved at most every so often, and at most for a twentieth of the time.
constexpr auto kRaceBetween = std::chrono::seconds(3);
constexpr int kRaceShareOfWriting = 20;
/// How long Ctrl-C waits for a file that is just being written.
constexpr auto kPatience = std::chrono::milliseconds(30);

std::filesystem::path saved_path_of(const RaceOptions& options) {
  return *options.output + ".saved";
}

/// All runners on their way, whoever is last first.
class Track {
 public:
  /// `saves`: runs are kept beside the table.
  Track(const RacePlan& plan, const RaceOptions& options, bool saves) : plan_(plan), options_(options), saves_(saves) {}

  /// `memory`: said once what is saved has been found good, before room is taken.
  void go(const std::string& memory) {
    const StopOnSignals interrupt({StopRequest::interrupt}, [this] { leave(); });
    take_places(memory);
    run_workers();
    if (failure_) std::rethrow_exception(failure_);
    snapshot_all();
    {
      const std::lock_guard lock(writing_);
      write_saved();
      end_curves();
      put_result(options_.output, race_table(plan_, states_));
      write_weights();
    }
    ProgressLine::wipe();
    for (const std::string& sentence : race_verdict(plan_, states_)) put_notice(sentence);
    look_into_them();
    read_beyond();
  }

 private:
  std::filesystem::path saved_path() const { return saved_path_of(options_); }

  void take_places(const std::string& memory) {
    std::vector<RunnerState> states;
    if (options_.resume && std::filesystem::exists(saved_path())) {
      states = read_states(plan_.fingerprint, read_file(saved_path()), saved_path().string());
      ProtectedInputs::release(saved_path());
    }
    put_notice(memory);  // what is bad has been refused by now, in one line
    for (const RunnerSpec& spec : plan_.runners) {
      runners_.push_back(std::make_unique<Runner>(plan_.setup, spec, plan_.threads_of_one));
    }
    busy_.assign(runners_.size(), false);
    for (std::size_t i = 0; i < states.size(); ++i) runners_[i]->restore(std::move(states[i]));
    states_.resize(runners_.size());
    snapshot_all();
    saved_ = RaceClock::now();
  }

  void snapshot_all() {
    for (std::size_t i = 0; i < runners_.size(); ++i) states_[i] = runners_[i]->state();
  }

  void run_workers() {
    std::vector<std::jthread> workers;
    const int count = std::min(plan_.threads, static_cast<int>(runners_.size()));
    try {
      for (int i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
    } catch (...) {  // no more threads: those that began must not run the whole race before that is said
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// The last row of each curve is tested, so that the verdict is about the weights of the end.
  void end_curves() {
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (runners_[i]->fault()) continue;
      const std::optional<RacePoint> last = runners_[i]->final_point();
      if (!last) continue;
      std::vector<RacePoint>& curve = states_[i].curve;
      if (!curve.empty() && curve.back().step == last->step) curve.pop_back();
      curve.push_back(*last);
    }
  }

  /// The idle runner with the fewest steps that is not done; none: −1. All that are not idle are looked after.
  int next_runner() const {
    int best = -1;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const Runner& runner = *runners_[i];
      if (busy_[i] || runner.fault() || runner.steps() >= plan_.steps) continue;
      if (best < 0 || runner.steps() < runners_[static_cast<std::size_t>(best)]->steps()) best = static_cast<int>(i);
    }
    return best;
  }

  void work() {
    try {
      for (;;) {
        std::unique_lock lock(mutex_);
        const int chosen = failure_ ? -1 : next_runner();
        if (chosen < 0) return;
        const auto index = static_cast<std::size_t>(chosen);
        busy_[index] = true;
        lock.unlock();
        Runner& runner = *runners_[index];
        const std::int64_t end = std::min(plan_.steps, (runner.steps() / plan_.setup.every + 1) * plan_.setup.every);
        while (runner.steps() < end && runner.advance()) {
        }
        lock.lock();
        release(index, lock);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void release(std::size_t index, std::unique_lock<std::mutex>& lock) {
    busy_[index] = false;
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) done_[i] = runners_[i]->fault() ? plan_.steps : runners_[i]->steps();
      steps += done_[i];
    }
    const std::int64_t all = plan_.steps * static_cast<std::int64_t>(runners_.size());
    line_.show(static_cast<double>(steps) / static_cast<double>(all),
               "step " + std::to_string(steps) + " of " + std::to_string(all));
    if (!saves_ || RaceClock::now() < saved_ + pause_ || !writing_.try_lock()) return;
    const std::lock_guard writing(writing_, std::adopt_lock);
    const RaceClock::time_point begin = RaceClock::now();
    // Those that run keep what was known of them before: each run can go on from its own step.
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) states_[i] = runners_[i]->state();
    }
    lock.unlock();
    write();
    lock.lock();
    saved_ = RaceClock::now();
    pause_ = std::max<RaceClock::duration>(kRaceBetween, kRaceShareOfWriting * (saved_ - begin));
  }

  void write_saved() const {
    if (saves_) write_file(saved_path(), write_states(plan_.fingerprint, states_));
  }
  void write() const {
    write_saved();
    put_result(options_.output, race_table(plan_, states_));
  }

  void write_weights() const {
    if (!options_.weights) return;
    for (const std::unique_ptr<Runner>& runner : runners_) {
      const std::string name = file_name_of(runner->spec()) + ".safetensors";
      write_file(std::filesystem::path(*options_.weights) / name, safetensors_of(runner->trainer()));
    }
  }

  /// Queries and keys of each runner as dumps.
  void look_into_them() {
    for (std::size_t i = 0; i < runners_.size() && options_.dump; ++i) {
      const Runner& runner = *runners_[i];
      if (runner.fault()) continue;
      const TrainedHeads heads =
          look_inside(plan_.setup, runner.spec(), runner.trainer().parameters(), {}, {plan_.threads});
      const std::filesystem::path path =
          std::filesystem::path(*options_.dump) / (file_name_of(runner.spec()) + ".qk.safetensors");
      const std::lock_guard lock(writing_);
      write_file(path, dump_of(heads));
      const std::string command = look_command(heads, path.string());
      put_notice("look into " + name_of(runner.spec()) + ", seed " + std::to_string(runner.spec().seed) + ": " +
                 (command.empty()
                      ? path.string() + "; the numbers that it trained for its scores stand in the file, and "
                                        "`ropescope attention` has no options for them"
                      : command));
    }
  }

  /// Every runner on longer sequences, by every context extension; the table appears when all have been read.
  void read_beyond() {
    std::vector<BeyondRead> reads = plan_beyond(plan_);
    if (reads.empty()) return;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      BeyondRead& read = reads[i];
      const Runner& runner = *runners_[read.runner];
      line_.show(static_cast<double>(i) / static_cast<double>(reads.size()),
                 "beyond the length: " + name_of(runner.spec()) + ", " + read.options.method);
      if (!read.absent.empty() || runner.fault()) continue;
      read.losses =
          beyond_losses(plan_.setup, runner.spec(), runner.trainer().parameters(), read.options, {plan_.threads});
    }
    {
      const std::lock_guard lock(writing_);
      write_file(beyond_path(*options_.output), beyond_table(plan_, reads));
    }
    ProgressLine::wipe();
    for (const std::string& sentence : beyond_verdict(plan_, reads)) put_notice(sentence);
  }

  /// What was saved stays; nobody waits for the steps of the moment.
  [[noreturn]] void leave() {
    ProgressLine::wipe();
    const bool kept = saves_ && std::filesystem::exists(saved_path());
    // Said at once; only then a file that is nearly there may still appear.
    const int code = cancelled(kept ? "before the end; --resume goes on from what was saved last" : "before the end");
    if (!writing_.try_lock_for(kPatience)) remove_part();
    ProgressLine::wipe();  // of those that still ran
    std::_Exit(code);
  }

  const RacePlan& plan_;
  const RaceOptions& options_;
  bool saves_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<RunnerState> states_;
  std::vector<bool> busy_;
  std::vector<std::int64_t> done_ = std::vector<std::int64_t>(plan_.runners.size());
  std::mutex mutex_;
  std::timed_mutex writing_;
  std::exception_ptr failure_;
  ProgressLine line_;
  RaceClock::time_point saved_;
  RaceClock::duration pause_ = kRaceBetween;
};

void run_race(const RaceOptions& options) {
  if (options.output && options.output->empty()) throw InputError("file.no_name_to_write", {});
  const bool to_file = options.output && *options.output != "-";
  if (options.resume && !to_file) throw InputError("command.csv_needed", {{"option", "--resume"}});
  if (options.beyond && !to_file) throw InputError("command.csv_needed", {{"option", "--beyond"}});
  if (to_file) {
    require_folder(*options.output);
    if (std::filesystem::is_directory(*options.output)) reject("-o", *options.output, Words("expected.csv_name"));
  }
  const RacePlan plan = plan_race(options);
  if (options.weights && !std::filesystem::is_directory(*options.weights)) {
    reject("--weights", *options.weights, Words("expected.folder"));
  }
  if (options.dump && !std::filesystem::is_directory(*options.dump)) {
    reject("--dump", *options.dump, Words("expected.folder"));
  }
  // Beside a pipe or /dev/null nothing is kept.
  const bool saves =
      to_file && (!std::filesystem::exists(*options.output) || std::filesystem::is_regular_file(*options.output));
  std::error_code none;
  const std::uintmax_t saved = options.resume ? std::filesystem::file_size(saved_path_of(options), none) : 0;
  Track(plan, options, saves).go(check_memory(plan, none ? 0 : saved));
}

}  // namespace

Action declare_race(Arguments& arguments) {
  const auto options = std::make_shared<RaceOptions>();
  add_race_options(arguments, *options);
  return [options] { run_race(*options); };
}

}  // namespace ropescope
