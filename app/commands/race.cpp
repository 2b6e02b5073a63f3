// The command `race`: reads a plan of runners and seeds, trains them (core/training/race.h), and writes losses, models
// and dumps. The window's view Race (app/views/race) does this step by step.
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
#include "app/views/race/figures.h"
#include "core/formats/json.h"
#include "core/message.h"
#include "core/training/beyond.h"
#include "core/training/race.h"

namespace ropescope {

// --- Plan ----------------------------------------------------------------------------------------------------------

namespace {

/// The options of `race`.
struct RaceOptions {
  RaceFields race;
  FieldOptions given;  ///< the options that set fields of the view Race
  std::vector<std::string> encodings{"rope", "none"};
  std::vector<RaceAttention> attentions{RaceAttention::softmax};
  std::optional<std::string> task, weights, dump;
  std::vector<std::uint64_t> seeds{1, 2, 3};
  EncodingValues settings;  ///< of every runner
  double rate = TrainingOptions().rate;
  int every = RaceSetup().every;
  int threads = 0;
  int beyond = 0;  ///< as RacePlan::beyond
  OutputFile output;
  bool resume = false;
};

/// The runners and their settings. The fingerprint identifies the settings that saved runs must match to continue.
struct RacePlan {
  RaceSetup setup;
  std::vector<RunnerSpec> runners;  ///< seeds of a runner are adjacent
  std::int64_t steps = 1200;
  int beyond = 0;          ///< factor on the length for the final evaluation; 0: none
  bool dumps = false;      ///< whether their queries and keys are written
  int threads = 1;         ///< in total
  int threads_of_one = 1;  ///< per runner
  std::string fingerprint;
};

/// A run that is evaluated past its trained length by one method, or the reason why it is not.
struct BeyondRead {
  std::size_t runner = 0;  ///< index into RacePlan::runners
  BeyondOptions options;
  std::string absent;  ///< the reason; empty: it is evaluated
  BeyondLosses losses;
};

constexpr int kMaxSeeds = 100, kMaxSteps = 10'000'000;
constexpr double kCommandSteps = 1200;
constexpr std::uint64_t kMaxTaskTextBytes = std::uint64_t{1} << 30;

std::vector<std::string> split_unique_parts(const std::string& option, const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    if (part.empty()) reject(option, text, Message("expected.commas"));
    if (std::count(parts.begin(), parts.end(), part) > 1) reject(option, text, Message("expected.each_once"));
  }
  return parts;
}

std::vector<RaceAttention> parse_attentions(const std::string& option, const std::string& text) {
  std::vector<RaceAttention> attentions;
  for (const std::string& part : split_unique_parts(option, text)) {
    const std::vector<std::string> known{"softmax", "linear", "performer"};
    constexpr RaceAttention kKnown[] = {RaceAttention::softmax, RaceAttention::linear, RaceAttention::performer};
    attentions.push_back(kKnown[read_choice(option, part, known)]);
  }
  return attentions;
}

std::vector<std::uint64_t> parse_seeds(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::int64_t first = read_whole(option, text.substr(0, colon));
  const std::int64_t last = colon == std::string::npos ? first : read_whole(option, text.substr(colon + 1));
  if (first < 0 || last < first || last - first >= kMaxSeeds) {
    reject(option, text, {"expected.seeds", {{"most", kMaxSeeds}}});
  }
  std::vector<std::uint64_t> seeds;
  for (std::int64_t seed = first; seed <= last; ++seed) seeds.push_back(static_cast<std::uint64_t>(seed));
  return seeds;
}

Task task_of(const RaceOptions& options, int length, bool masked) {
  if (options.task && is_made_task(*options.task)) {
    if (masked) reject("--objective", "masked", {"expected.next_with", {{"task", *options.task}}});
    return make_task(*options.task, length);
  }
  if (!options.task)
    return text_task("the program's own text", bundled_training_text(find_places().assets), length, masked);
  std::error_code ignored;
  if (!std::filesystem::exists(*options.task, ignored) && options.task->find_first_of("/.") == std::string::npos) {
    return make_task(*options.task, length);  // lists the tasks
  }
  return text_task(*options.task, read_file(*options.task, kMaxTaskTextBytes), length, masked);
}

std::vector<RunnerSpec> runners_of(const RaceOptions& options, const RaceSetup& setup) {
  std::vector<RunnerSpec> runners;
  for (const RaceAttention attention : options.attentions) {
    const bool performer = attention == RaceAttention::performer, linear = attention != RaceAttention::softmax;
    for (const std::string& encoding : options.encodings) {
      RunnerSpec spec{encoding, linear, 1, options.settings, performer};
      find_encoding(encoding);
      Runner::bytes_required(setup, spec, 1);  // rejects encodings that cannot be trained
      for (const std::uint64_t seed : options.seeds) {
        spec.seed = seed;
        runners.push_back(spec);
      }
    }
  }
  return runners;
}

/// Returns the encodings that a small model can be trained with, related ones adjacent.
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
  arguments.option("--encodings", "A,B,…", parsed_into(options.encodings, split_unique_parts),
                   {"help.race.encodings", {{"encodings", trained_encodings()}}});
  arguments.option("--attention", "A,B", parsed_into(options.attentions, parse_attentions));
  arguments.option("--task", "TASK|FILE", options.task);
  options.race.steps = kCommandSteps;  // longer than in the view
  const FieldList fields = fields_of(options.race);
  options.given.add(arguments, *find_field(fields, "race.objective"), "O");
  for (const auto& [key, symbol] : {std::pair("race.layers", "N"),
                                    {"race.width", "D"},
                                    {"race.heads", "H"},
                                    {"race.length", "T"},
                                    {"race.batch", "B"},
                                    {"race.steps", "N"}}) {
    const Field& field = *find_field(fields, key);
    const double initial = key == std::string_view("race.steps") ? kCommandSteps : field.initial;
    options.given.add(arguments, field, symbol,
                      {"help.race." + std::string(field.name),
                       {{"least", field.typed->low}, {"most", field.typed->high}, {"initial", initial}}});
  }
  arguments.option("--seeds", "FIRST:LAST", parsed_into(options.seeds, parse_seeds));
  const NumberField base = any_base();
  arguments.option("--base", "B",
                   number_into(options.settings.base, base, {"expected.above", {{"least", base.minimum}}}));
  arguments.option("--rate", "R", parsed_into(options.rate, read_number));
  arguments.option("--every", "N", whole_into(options.every, 1, kMaxSteps));
  add_threads_option(arguments, options.threads);
  arguments.flag("--resume", options.resume);
  arguments.option("--weights", "DIR", options.weights);
  arguments.option("--dump", "DIR", options.dump);
  arguments.option("--beyond", "N", whole_into(options.beyond, 1, kLargestBeyond));
  arguments.option("-o,--output", "F", options.output);
}

/// Throws InputError that names the option or the file.
RacePlan plan_race(const RaceOptions& options) {
  RacePlan plan;
  RaceSetup& setup = plan.setup;
  const RaceFields& race = options.race;
  setup.layers = static_cast<int>(race.layers);
  setup.width = static_cast<int>(race.width);
  setup.heads = static_cast<int>(race.heads);
  setup.length = static_cast<int>(race.length);
  setup.training.batch = static_cast<int>(race.batch);
  setup.training.rate = options.rate;
  validate(setup.training);
  plan.steps = static_cast<std::int64_t>(race.steps);
  setup.every = options.every;
  setup.test_every = 5 * setup.every;
  ModelShape shape;
  shape.layers = setup.layers, shape.width = setup.width, shape.heads = setup.heads, shape.length = setup.length;
  validate(shape);
  setup.task = task_of(options, setup.length, race.objective == RaceObjective::masked);
  plan.runners = runners_of(options, setup);
  plan.beyond = options.beyond;
  plan.dumps = options.dump.has_value();
  plan.threads = options.threads;
  if (plan.threads == 0) plan.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  plan.threads_of_one = std::max(1, plan.threads / static_cast<int>(plan.runners.size()));
  plan.fingerprint = fingerprint_of(plan);
  return plan;
}

// --- Files ---------------------------------------------------------------------------------------------------------

/// Returns a name for files: "rope-softmax-1".
std::string file_name_of(const RunnerSpec& spec) {
  std::string name = name_of(spec) + "-" + std::to_string(spec.seed);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

std::filesystem::path weights_path(const RaceOptions& options, const RunnerSpec& spec) {
  return std::filesystem::path(*options.weights) / (file_name_of(spec) + ".safetensors");
}

std::filesystem::path dump_path(const RaceOptions& options, const RunnerSpec& spec) {
  return std::filesystem::path(*options.dump) / (file_name_of(spec) + ".qk.safetensors");
}

/// Returns the command that inspects this dump; empty for T5 and KERPLE, whose trained numbers have no option.
std::string make_inspection_command(const TrainedHeads& heads, const std::string& path) {
  if (trains_its_scores(heads.encoding)) return {};
  std::string command = "ropescope attention --encoding " + heads.encoding;
  const EncodingValues& settings = heads.settings.front();
  // Always included, because defaults differ between programs.
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

std::string nats(double loss) {
  return decimals_for_people(loss, 3);
}

Message describe_runner_error(const RunnerSpec& spec, const RunnerError& fault) {
  return {fault.by_gradient ? "notice.race.infinite_gradient" : "notice.race.infinite_loss",
          {{"runner", name_of(spec)}, {"seed", spec.seed}, {"step", fault.step}}};
}

double last_test(const RunnerState& state) {
  if (state.fault) return std::numeric_limits<double>::quiet_NaN();
  for (auto point = state.curve.rbegin(); point != state.curve.rend(); ++point) {
    if (point->test_loss) return *point->test_loss;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Returns the table run,seed,step,seconds,loss,test_loss with a row per point of every curve.
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

/// Returns sentences on stopped runners, the reference losses, and the ranking.
Message::List race_verdict(const RacePlan& plan, const std::vector<RunnerState>& states) {
  Message::List sentences;
  std::vector<FinalLosses> finals;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].fault) sentences.push_back(describe_runner_error(plan.runners[i], *states[i].fault));
    const std::string name = name_of(plan.runners[i]);
    if (finals.empty() || finals.back().name != name) finals.push_back({name, {}});
    finals.back().losses.push_back(last_test(states[i]));
  }
  const Task& task = plan.setup.task;
  sentences.push_back({task.floor ? "notice.race.guessing_floor" : "notice.race.guessing",
                       {{"loss", nats(task.unigram)}, {"floor", nats(task.floor.value_or(0))}}});
  for (const RunnerComparison& found : compare_finals(finals)) {
    sentences.push_back(lead_words("notice.race.lead.", found));
  }
  return sentences;
}

// --- Beyond --------------------------------------------------------------------------------------------------------

/// The mean over the seeds of one runner by one method.
struct MethodMean {
  std::string method;
  double past = 0, within = 0;
  int seeds = 0;
};

/// Returns the message on a runner's losses, `what`, at its trained length or beyond it.
Message describe_beyond(const RacePlan& plan, const std::string& name, const Message& what) {
  const int trained = plan.setup.length;
  return {plan.beyond == 1 ? "notice.race.own_length" : "notice.race.beyond",
          {{"runner", name}, {"length", trained}, {"end", trained * plan.beyond}, {"what", what}}};
}

Message describe_method_means(const RacePlan& plan, const std::string& name, std::vector<MethodMean> means) {
  const MethodMean plain = means.front();
  std::stable_sort(means.begin(), means.end(),
                   [](const MethodMean& a, const MethodMean& b) { return a.past < b.past; });
  const std::string losses =
      joined(means, ", ", [](const MethodMean& mean) { return mean.method + " " + nats(mean.past); });
  Message what(plain.seeds > 1 ? "notice.race.means" : "notice.race.losses",
               {{"losses", losses}, {"seeds", plain.seeds}});
  if (plan.beyond > 1 && !std::isnan(plain.within)) {
    what = {"notice.race.before", {{"what", what}, {"method", plain.method}, {"loss", nats(plain.within)}}};
  }
  return describe_beyond(plan, name, what);
}

std::string reason_against(const RacePlan& plan, std::size_t runner, std::string_view method) {
  try {
    check_beyond(plan.setup, plan.runners[runner], method, plan.beyond);
  } catch (const InputError& error) {
    return to_english(error.words());
  }
  return {};
}

/// Plans everything for --beyond, before evaluation. Throws InputError if the task has no sequence of that length.
std::vector<BeyondRead> plan_beyond(const RacePlan& plan) {
  std::vector<BeyondRead> reads;
  if (plan.beyond == 0) return reads;
  require_text(plan.setup, plan.beyond * plan.setup.length);
  for (std::size_t i = 0; i < plan.runners.size(); ++i) {
    for (const std::string_view method : beyond_methods(plan.runners[i])) {
      BeyondRead read;
      read.runner = i;
      read.options.method = method, read.options.factor = plan.beyond;
      // The result for one seed is valid for the next.
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

/// Returns the bytes of the largest evaluation; they run one after another.
std::int64_t beyond_bytes(const RacePlan& plan) {
  std::int64_t most = 0;
  for (const BeyondRead& read : plan_beyond(plan)) {
    // A method changes the contents of the tables, not their size.
    if (!read.absent.empty() || read.options.method != "none") continue;
    most = std::max(most, beyond_bytes_required(plan.setup, plan.runners[read.runner], read.options, plan.threads));
  }
  return most;
}

/// Returns "race.beyond.csv" for "race.csv".
std::filesystem::path beyond_path(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  const std::string ending = output.extension().string();
  return path.replace_extension(".beyond" + (ending.empty() ? ".csv" : ending));
}

/// Returns the table run,seed,method,length,position_from,position_to,tokens,loss with a row per bucket; position_to is
/// inclusive.
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

/// Returns lines with each runner's losses past the trained length by method: means over its seeds, the smallest first.
Message::List beyond_verdict(const RacePlan& plan, const std::vector<BeyondRead>& reads) {
  Message::List sentences;
  std::string name;
  std::vector<MethodMean> means;
  const auto end_runner = [&] {
    if (!means.empty()) sentences.push_back(describe_method_means(plan, name, means));
    means.clear();
  };
  for (const BeyondRead& read : reads) {
    if (name_of(plan.runners[read.runner]) != name) end_runner();
    name = name_of(plan.runners[read.runner]);
    if (!read.absent.empty()) {
      const Message sentence = describe_beyond(plan, name, verbatim(read.absent));
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

// --- race ----------------------------------------------------------------------------------------------------------

/// Returns a sentence on the memory that the race needs; `saved`: bytes of the saved runs to continue. Throws
/// InputError if it exceeds the free memory.
Message check_memory(const RacePlan& plan, std::uint64_t saved) {
  // Two copies each: a text as read and as training data; saved runs as file and as parsed states.
  double bytes = 2 * static_cast<double>(plan.setup.task.train.size() + plan.setup.task.test.size()) +
                 2 * static_cast<double>(saved);
  // The saved states contain a second copy of every runner's numbers.
  for (const RunnerSpec& spec : plan.runners) {
    bytes += 2 * static_cast<double>(Runner::bytes_required(plan.setup, spec, plan.threads_of_one));
  }
  // Evaluations after the race run one at a time.
  std::int64_t after = plan.beyond > 0 ? beyond_bytes(plan) : 0;
  for (const RunnerSpec& spec : plan.runners) {
    // Two copies: the vectors, and the file written from them.
    if (plan.dumps) after = std::max(after, 2 * look_bytes_required(plan.setup, spec, {}, plan.threads));
  }
  bytes += static_cast<double>(after);
  const std::optional<double> free = os::free_memory();
  const std::string wanted = number_for_people(std::ceil(bytes / 1e6)) + " MB";
  if (free && bytes > *free) {
    throw InputError("command.race_memory", {{"wanted", wanted}, {"free", number_for_people(std::floor(*free / 1e6))}});
  }
  return {"notice.race.memory", {{"runs", plan.runners.size()}, {"wanted", wanted}}};
}

using RaceClock = std::chrono::steady_clock;
/// Minimum time between saves; saving takes at most a twentieth of the time.
constexpr auto kRaceSaveInterval = std::chrono::seconds(3);
constexpr int kRaceSaveTimeDivisor = 20;
/// How long Ctrl-C waits for a file that is being written.
constexpr auto kPatience = std::chrono::milliseconds(30);

std::filesystem::path find_saved_path(const RaceOptions& options) {
  return options.output.path() + ".saved";
}

/// All runners; the one with the fewest steps is advanced first.
class Track {
 public:
  /// `saves`: runs are saved in addition to the table.
  Track(const RacePlan& plan, const RaceOptions& options, bool saves) : plan_(plan), options_(options), saves_(saves) {}

  /// `memory`: the notice to print after the saved runs are validated and before memory is allocated.
  void go(const Message& memory) {
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
    print_notices(race_verdict(plan_, states_));
    look_into_them();
    read_beyond();
  }

 private:
  std::filesystem::path saved_path() const { return find_saved_path(options_); }

  void take_places(const Message& memory) {
    std::vector<RunnerState> states;
    std::error_code ignored;
    if (options_.resume && std::filesystem::exists(saved_path(), ignored)) {
      states = read_states(plan_.fingerprint, read_file(saved_path()), saved_path().string());
      ProtectedInputs::release(saved_path());
    }
    print_notice(memory);  // invalid input has been rejected by now, in one line
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
    } catch (...) {  // no more threads: the running ones must stop before this is reported
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// Tests the last row of each curve, so that the comparison uses the final weights.
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

  /// Returns the idle, unfinished runner with the fewest steps, or −1. Busy runners belong to other threads.
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
    // Busy runners keep their previous state: each run can continue from its own step.
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!busy_[i]) states_[i] = runners_[i]->state();
    }
    lock.unlock();
    write();
    lock.lock();
    saved_ = RaceClock::now();
    pause_ = std::max<RaceClock::duration>(kRaceSaveInterval, kRaceSaveTimeDivisor * (saved_ - begin));
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
      write_file(weights_path(options_, runner->spec()),
                 safetensors_of(runner->trainer(), plan_.setup, runner->spec()));
    }
  }

  /// Writes the queries and keys of each runner as dumps.
  void look_into_them() {
    for (std::size_t i = 0; i < runners_.size() && options_.dump; ++i) {
      const Runner& runner = *runners_[i];
      if (runner.fault()) continue;
      const TrainedHeads heads =
          look_inside(plan_.setup, runner.spec(), runner.trainer().parameters(), {}, {plan_.threads});
      const std::filesystem::path path = dump_path(options_, runner.spec());
      const std::lock_guard lock(writing_);
      write_file(path, dump_of(heads));
      const std::string command = make_inspection_command(heads, path.string());
      print_notice({command.empty() ? "notice.race.no_options" : "notice.race.look",
                    {{"runner", name_of(runner.spec())},
                     {"seed", runner.spec().seed},
                     {"command", command},
                     {"file", path.string()}}});
    }
  }

  /// Evaluates every runner on longer sequences, by every context extension; the table is written after all of them.
  void read_beyond() {
    std::vector<BeyondRead> reads = plan_beyond(plan_);
    if (reads.empty()) return;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      BeyondRead& read = reads[i];
      const Runner& runner = *runners_[read.runner];
      line_.show(static_cast<double>(i) / static_cast<double>(reads.size()),
                 "beyond the trained length: " + name_of(runner.spec()) + ", " + read.options.method);
      if (!read.absent.empty() || runner.fault()) continue;
      read.losses =
          beyond_losses(plan_.setup, runner.spec(), runner.trainer().parameters(), read.options, {plan_.threads});
    }
    {
      const std::lock_guard lock(writing_);
      write_file(beyond_path(options_.output.path()), beyond_table(plan_, reads));
    }
    ProgressLine::wipe();
    print_notices(beyond_verdict(plan_, reads));
  }

  /// Ends the program with the saved runs in place, without waiting for current steps.
  [[noreturn]] void leave() {
    ProgressLine::wipe();
    std::error_code ignored;
    const bool kept = saves_ && std::filesystem::exists(saved_path(), ignored);
    // Reported at once; only then may a file that is almost complete still be written.
    const int code = cancelled(kept ? "race_saved" : "race");
    if (!writing_.try_lock_for(kPatience)) remove_part();
    ProgressLine::wipe();  // of the threads still running
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
  RaceClock::duration pause_ = kRaceSaveInterval;
};

struct SideFile {
  const char* option = "";  ///< the option that requests it
  std::filesystem::path path;
};
/// Returns the files that are written in addition to the table, from the first save to the end.
std::vector<SideFile> side_files(const RacePlan& plan, const RaceOptions& options, bool saves) {
  std::vector<SideFile> files;
  if (saves) files.push_back({"-o", find_saved_path(options)});
  if (plan.beyond > 0) files.push_back({"--beyond", beyond_path(options.output.path())});
  for (const RunnerSpec& spec : plan.runners) {
    if (options.weights) files.push_back({"--weights", weights_path(options, spec)});
    if (options.dump) files.push_back({"--dump", dump_path(options, spec)});
  }
  return files;
}

/// Throws InputError if the race reads a file to write, if a side file is also the table, or if the runs would be
/// saved over a file of another program. Called before the training, which such an error would waste.
void require_free_files(const RacePlan& plan, const RaceOptions& options, bool saves) {
  const bool to_file = options.output.is_file();
  if (to_file) require_not_input(options.output.path());
  for (const auto& [option, path] : side_files(plan, options, saves)) {
    require_not_input(path);
    if (!to_file || !is_same_file(path, options.output.path())) continue;
    throw InputError("command.same_file", {{"one", "-o"}, {"other", option}, {"file", in_quotes(path.string())}});
  }
  // With --resume it is read, and refused if it is damaged.
  if (saves && !options.resume) require_replaceable(find_saved_path(options), is_saved_race);
}

void run_race(const RaceOptions& options) {
  const std::string& output = options.output.path();
  if (output.empty()) throw InputError("file.no_name_to_write", {});
  const bool to_file = options.output.is_file();
  if (options.resume && !to_file) throw InputError("command.csv_needed", {{"option", "--resume"}});
  if (options.beyond > 0 && !to_file) throw InputError("command.csv_needed", {{"option", "--beyond"}});
  if (to_file) {
    require_folder(output);
    if (is_folder(output)) reject("-o", output, Message("expected.csv_name"));
  }
  const RacePlan plan = plan_race(options);
  if (options.weights && !is_folder(*options.weights)) {
    reject("--weights", *options.weights, Message("expected.folder"));
  }
  if (options.dump && !is_folder(*options.dump)) {
    reject("--dump", *options.dump, Message("expected.folder"));
  }
  // With a pipe or /dev/null as output nothing is saved.
  std::error_code none;
  const bool saves =
      to_file && (!std::filesystem::exists(output, none) || std::filesystem::is_regular_file(output, none));
  require_free_files(plan, options, saves);
  const std::uintmax_t saved = options.resume ? std::filesystem::file_size(find_saved_path(options), none) : 0;
  Track(plan, options, saves).go(check_memory(plan, none ? 0 : saved));
}

}  // namespace

Action declare_race(Arguments& arguments) {
  const auto options = std::make_shared<RaceOptions>();
  add_race_options(arguments, *options);
  return [options] { run_race(*options); };
}

}  // namespace ropescope
