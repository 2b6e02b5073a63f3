// Tasks and their sequences, training options, and the steps of a trainer. Read race.h first.
//
// Contents: The task; Trainer.

#include "core/training/race.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/message.h"
#include "core/training/parameters.h"

namespace ropescope {

// --- The task ------------------------------------------------------------------------------------------------------

namespace {

constexpr int kSymbols = 16, kKeys = 8, kPhrase = 16, kRun = 8, kMask = 256;
constexpr std::int32_t kMark = kSymbols;  // the mark before a phrase or a sorted run
constexpr std::int32_t kNoTarget = -1;

struct Made {
  std::string_view name;
  TaskKind kind;
  int vocabulary;
  int least, most;  // limits of the number; 0: the task has no number
};
constexpr Made kMade[] = {{"copy", TaskKind::copy, kSymbols, 1, 4095},
                          {"nearest", TaskKind::nearest, kKeys* kKeys, 0, 0},
                          {"count", TaskKind::count, 16, 2, 16},
                          {"phrase", TaskKind::phrase, kSymbols + 1, 0, 0},
                          {"sorted", TaskKind::sorted, kSymbols + 1, 0, 0}};

const Made* find_made(std::string_view name) {
  const auto found = std::find_if(std::begin(kMade), std::end(kMade),
                                  [&](const Made& made) { return made.name == name.substr(0, name.find(':')); });
  return found == std::end(kMade) ? nullptr : found;
}

using Tokens = std::span<std::int32_t>;

std::int32_t draw(RandomStream& random, int count) {
  return static_cast<std::int32_t>(random.below(count));
}

void draw_copy(const Task& task, RandomStream& random, Tokens tokens, Tokens targets) {
  const auto back = static_cast<std::size_t>(task.number);
  for (std::size_t m = 0; m < tokens.size(); ++m) {
    tokens[m] = draw(random, kSymbols);
    targets[m] = m >= back ? tokens[m - back] : kNoTarget;
  }
}

void draw_nearest(RandomStream& random, Tokens tokens, Tokens targets) {
  std::array<std::int32_t, kKeys> last;
  last.fill(kNoTarget);
  for (std::size_t m = 0; m < tokens.size(); ++m) {
    const std::int32_t key = draw(random, kKeys), value = draw(random, kKeys);
    tokens[m] = key * kKeys + value;
    targets[m] = last[static_cast<std::size_t>(key)];
    last[static_cast<std::size_t>(key)] = value;
  }
}

void draw_count(const Task& task, RandomStream& random, Tokens tokens, Tokens targets) {
  std::int32_t ones = 0;
  for (std::size_t m = 0; m < tokens.size(); ++m) {
    tokens[m] = draw(random, 2);
    ones = (ones + tokens[m]) % task.number;
    targets[m] = ones;
  }
}

void draw_phrase(Split split, RandomStream& random, Tokens tokens, Tokens targets) {
  std::fill(targets.begin(), targets.end(), kNoTarget);
  for (std::int32_t& token : tokens) token = draw(random, kSymbols);
  const auto room = static_cast<std::int64_t>(tokens.size()) - 2 * (kPhrase + 1);  // number of noise tokens
  const std::int64_t half = room / 2;
  const std::int64_t before = split == Split::train ? random.below(half + 1) : half + random.below(room - half + 1);
  const std::int64_t between = random.below(room - before + 1);
  const auto first = static_cast<std::size_t>(before),
             second = static_cast<std::size_t>(before + kPhrase + 1 + between);
  tokens[first] = tokens[second] = kMark;
  for (std::size_t i = 0; i < kPhrase; ++i) {
    tokens[second + 1 + i] = tokens[first + 1 + i];
    targets[second + i] = tokens[first + 1 + i];
  }
}

void draw_sorted(RandomStream& random, Tokens tokens, Tokens targets) {
  std::fill(targets.begin(), targets.end(), kNoTarget);
  for (std::size_t begin = 0; begin < tokens.size(); begin += 2 * kRun + 1) {
    std::array<std::int32_t, kRun> run;
    for (std::int32_t& token : run) token = draw(random, kSymbols);
    std::array<std::int32_t, 2 * kRun + 1> all;
    std::copy(run.begin(), run.end(), all.begin());
    all[kRun] = kMark;
    std::sort(run.begin(), run.end());
    std::copy(run.begin(), run.end(), all.begin() + kRun + 1);
    for (std::size_t i = 0; i < all.size() && begin + i < tokens.size(); ++i) {
      tokens[begin + i] = all[i];
      if (i >= kRun && i + 1 < all.size()) targets[begin + i] = all[i + 1];
    }
  }
}

void draw_text(const Task& task, Split split, RandomStream& random, Tokens tokens, Tokens targets) {
  const std::string& text = split == Split::train ? task.train : task.test;
  const std::size_t length = tokens.size(), window = length + (task.masked ? 0 : 1);
  const auto begin = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size() - window + 1)));
  const auto byte = [&](std::size_t i) {
    return static_cast<std::int32_t>(static_cast<unsigned char>(text[begin + i]));
  };
  for (std::size_t i = 0; i < length; ++i) {
    tokens[i] = byte(i);
    targets[i] = task.masked ? kNoTarget : byte(i + 1);
    if (!task.masked || random.uniform() >= 0.15) continue;
    targets[i] = tokens[i];
    const double part = random.uniform();
    if (part < 0.8) {
      tokens[i] = kMask;
    } else if (part < 0.9) {
      tokens[i] = draw(random, 256);
    }
  }
}

void draw_sequence(const Task& task, Split split, RandomStream& random, Tokens tokens, Tokens targets) {
  switch (task.kind) {
    case TaskKind::text:
      return draw_text(task, split, random, tokens, targets);
    case TaskKind::copy:
      return draw_copy(task, random, tokens, targets);
    case TaskKind::nearest:
      return draw_nearest(random, tokens, targets);
    case TaskKind::count:
      return draw_count(task, random, tokens, targets);
    case TaskKind::phrase:
      return draw_phrase(split, random, tokens, targets);
    case TaskKind::sorted:
      return draw_sorted(random, tokens, targets);
  }
}

using Counts = std::vector<std::int64_t>;

/// Returns the cross entropy of a test's answers with their frequencies in training. Each possible answer is counted
/// once more (Laplace's rule), so a byte absent from training has a high but finite cost.
double cross_entropy(const Counts& trained, const Counts& tested, int possible) {
  double seen = possible, asked = 0, sum = 0;
  for (const std::int64_t count : trained) seen += static_cast<double>(count);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    asked += static_cast<double>(tested[i]);
    sum -= static_cast<double>(tested[i]) * std::log(static_cast<double>(trained[i] + 1) / seen);
  }
  return sum / asked;
}

/// Counts how often each answer occurs: the bytes of a text, or many sampled answers of a synthetic task.
Counts counts_of(const Task& task, Split split, int length) {
  Counts counts(static_cast<std::size_t>(std::max(task.vocabulary, 256)));
  if (task.kind == TaskKind::text) {
    for (const char c : split == Split::train ? task.train : task.test) ++counts[static_cast<unsigned char>(c)];
    return counts;
  }
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(length)), targets(tokens.size());
  for (std::uint64_t step = 0; step < 512; ++step) {
    draw_batch(task, split, 0, step, length, tokens, targets);
    for (const std::int32_t target : targets) {
      if (target >= 0) ++counts[static_cast<std::size_t>(target)];
    }
  }
  return counts;
}

double unigram_of(const Task& task, int length) {
  return cross_entropy(counts_of(task, Split::train, length), counts_of(task, Split::test, length),
                       std::min(task.vocabulary, 256));
}

// --- Trainer -------------------------------------------------------------------------------------------------------

/// Number of pieces per batch, independent of the number of threads.
constexpr std::int64_t kPieces = 8;
constexpr std::int64_t kChunk = 16384;

int piece_count(const TrainingOptions& options) {
  return static_cast<int>(std::min<std::int64_t>(kPieces, options.batch));
}
int most_sequences(const TrainingOptions& options) {
  return (options.batch + piece_count(options) - 1) / piece_count(options);
}
/// More threads would have no piece to work on.
int thread_count(const TrainingOptions& options, int threads) {
  return std::clamp(threads, 1, piece_count(options));
}

void check_number(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw InputError(
      "training.number",
      {{"name", Message(std::string("training.number.") + name)}, {"found", value}, {"least", least}, {"most", most}});
}

}  // namespace

bool is_made_task(std::string_view name) {
  return find_made(name) != nullptr;
}

Task make_task(std::string_view name, int length) {
  const Made* const made = find_made(name);
  if (!made) throw InputError("training.task", {{"name", name}});
  Task task;
  task.name = name, task.kind = made->kind, task.vocabulary = made->vocabulary, task.floor = 0;
  const std::size_t colon = name.find(':');
  const std::string_view given = colon == std::string_view::npos ? "" : name.substr(colon + 1);
  if (made->least == 0) {
    if (colon != std::string_view::npos) throw InputError("training.task_takes_none", {{"name", made->name}});
  } else {
    const auto read = std::from_chars(given.data(), given.data() + given.size(), task.number);
    if (read.ec != std::errc() || read.ptr != given.data() + given.size() || task.number < made->least ||
        task.number > made->most) {
      throw InputError("training.task_number", {{"name", made->name}, {"least", made->least}, {"most", made->most}});
    }
  }
  int wanted = 2;
  if (task.kind == TaskKind::copy) wanted = task.number + 1;
  if (task.kind == TaskKind::phrase) wanted = 2 * (kPhrase + 1);
  if (task.kind == TaskKind::sorted) wanted = 2 * kRun + 1;
  if (length < wanted) {
    throw InputError("training.task_length", {{"name", name}, {"found", length}, {"expected", wanted}});
  }
  task.unigram = unigram_of(task, length);
  return task;
}

Task text_task(const std::string& name, std::string_view bytes, int length, bool masked) {
  // The last tenth must contain a sequence and the byte after it.
  const std::size_t wanted = 10 * (static_cast<std::size_t>(length) + 1);
  if (bytes.size() < wanted) {
    throw InputError("training.text_short",
                     {{"name", name}, {"found", bytes.size()}, {"expected", wanted}, {"length", length}});
  }
  Task task;
  task.name = name, task.masked = masked, task.vocabulary = masked ? kMask + 1 : 256;
  const std::size_t test = bytes.size() / 10;
  task.train = bytes.substr(0, bytes.size() - test);
  task.test = bytes.substr(bytes.size() - test);
  task.unigram = unigram_of(task, length);
  return task;
}

void draw_batch(const Task& task, Split split, std::uint64_t seed, std::uint64_t step, int length,
                std::span<std::int32_t> tokens, std::span<std::int32_t> targets) {
  RandomStream random{split == Split::train ? 1u : 2u, seed, step};
  const auto each = static_cast<std::size_t>(length);
  for (std::size_t begin = 0; begin + each <= tokens.size(); begin += each) {
    draw_sequence(task, split, random, tokens.subspan(begin, each), targets.subspan(begin, each));
  }
}

void validate(const TrainingOptions& options) {
  check_number("batch", options.batch, 1, 1024);
  check_number("rate", options.rate, 1e-8, 1);
  check_number("warm_up", options.warm_up, 1, 1e6);
  check_number("weight_decay", options.weight_decay, 0, 1);
  check_number("clip", options.clip, 1e-6, 1e6);
}

template <class Cell>
Trainer<Cell>::Trainer(const ModelShape& shape, const PositionTables& tables, const TrainingOptions& options,
                       std::uint64_t seed, int threads)
    : shape_(shape),
      options_(options),
      tables_(tables, shape),
      layout_(parameter_layout(shape, tables)),
      packed_(shape, layout_),
      pool_(thread_count(options, threads)),
      alone_(threads <= 1) {
  validate(shape);
  validate(options);
  const auto total = static_cast<std::size_t>(layout_.total);
  for (std::vector<Cell>* cells : {&parameters_, &first_, &second_, &gradient_}) cells->resize(total);
  put_initial(layout_, shape_, tables, seed, parameters_.data());
  const auto pieces = static_cast<std::size_t>(piece_count(options));
  piece_losses_.resize(pieces);
  piece_gradients_.resize(alone_ ? 1 : pieces);
  for (std::vector<Cell>& cells : piece_gradients_) cells.resize(total);
  for (int i = 0; i < thread_count(options, threads); ++i) {
    training_pieces_.push_back(
        std::make_unique<Piece<Cell>>(shape_, layout_, most_sequences(options), tables.length, &packed_));
  }
  for (const ParameterBlock& block : layout_.blocks) {
    for (std::int64_t i = 0; i < block.count(); i += kChunk) {
      chunks_.push_back({block.offset + i, std::min(kChunk, block.count() - i), block.decays});
    }
  }
  norms_.resize(chunks_.size());
}

template <class Cell>
std::int64_t Trainer<Cell>::bytes_required(const ModelShape& shape, const PositionTables& tables,
                                           const TrainingOptions& options, int threads) {
  const std::int64_t pieces = threads <= 1 ? 1 : piece_count(options);
  const ParameterLayout layout = parameter_layout(shape, tables);
  const std::int64_t piece = Piece<Cell>::cells_required(shape, most_sequences(options), tables.length);
  return static_cast<std::int64_t>(sizeof(Cell)) *
         (layout.total * (4 + pieces) + PackedWeights<Cell>::cells_required(shape, layout) +
          thread_count(options, threads) * piece);
}

template <class Cell>
std::int64_t Trainer<Cell>::piece_begin(std::int64_t piece) const {
  return piece * options_.batch / piece_count(options_);
}

template <class Cell>
void Trainer<Cell>::run_piece(std::int64_t index, int worker, std::span<const std::int32_t> tokens,
                              std::span<const std::int32_t> targets, const Halt& halt) {
  if (halt.requested()) return;
  const auto at = static_cast<std::size_t>(index);
  const auto length = static_cast<std::size_t>(tables_.from.length);
  const auto begin = static_cast<std::size_t>(piece_begin(index)) * length;
  const auto count = static_cast<std::size_t>(piece_begin(index + 1)) * length - begin;
  const std::span<const std::int32_t> own = tokens.subspan(begin, count);
  Piece<Cell>& room = *training_pieces_[static_cast<std::size_t>(worker)];
  std::vector<Cell>& gradient = piece_gradients_[alone_ ? 0 : at];
  piece_losses_[at] = room.forward(parameters_.data(), tables_, own, targets.subspan(begin, count), weight_, halt);
  if (halt.requested()) return;
  room.backward(parameters_.data(), tables_, own, gradient.data(), halt);
  if (alone_) add_cells(gradient.data(), gradient_.data(), layout_.total);
}

template <class Cell>
std::optional<double> Trainer<Cell>::run_batch(std::span<const std::int32_t> tokens,
                                               std::span<const std::int32_t> targets, const std::stop_token& stop) {
  const Halt halt(stop, watch_);
  tables_.take(layout_, parameters_.data());
  const auto predicted = std::count_if(targets.begin(), targets.end(), [](std::int32_t target) { return target >= 0; });
  weight_ = predicted > 0 ? Cell{1} / static_cast<Cell>(predicted) : Cell{0};
  std::fill(gradient_.begin(), gradient_.end(), Cell{0});
  pool_.share(packed_.jobs(), [&](std::int64_t job) { packed_.pack(job, parameters_.data()); });
  pool_.share(piece_count(options_),
              [&](std::int64_t index, int worker) { run_piece(index, worker, tokens, targets, halt); });
  if (!alone_) {
    pool_.share(static_cast<std::int64_t>(chunks_.size()), [&](std::int64_t chunk) {
      if (!halt.requested() && !halt.before(kChunk)) add_up(chunk);
    });
  }
  if (stop.stop_requested()) return std::nullopt;
  const double sum = std::accumulate(piece_losses_.begin(), piece_losses_.end(), 0.0);
  return sum / static_cast<double>(std::max<std::int64_t>(1, predicted));
}

template <class Cell>
void Trainer<Cell>::add_up(std::int64_t chunk) {
  const Chunk& part = chunks_[static_cast<std::size_t>(chunk)];
  for (const std::vector<Cell>& piece : piece_gradients_) {
    add_cells(piece.data() + part.offset, gradient_.data() + part.offset, part.count);
  }
}

template <class Cell>
double Trainer<Cell>::squared_norm(const Halt& halt) {
  pool_.share(static_cast<std::int64_t>(chunks_.size()), [&](std::int64_t chunk) {
    if (halt.requested() || halt.before(kChunk)) return;
    const Chunk& part = chunks_[static_cast<std::size_t>(chunk)];
    double sum = 0;
    for (std::int64_t i = part.offset; i < part.offset + part.count; ++i) {
      const auto number = static_cast<double>(gradient_[static_cast<std::size_t>(i)]);
      sum += number * number;
    }
    norms_[static_cast<std::size_t>(chunk)] = sum;
  });
  return std::accumulate(norms_.begin(), norms_.end(), 0.0);
}

template <class Cell>
StepResult Trainer<Cell>::step(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                               const std::stop_token& stop) {
  const std::optional<double> loss = run_batch(tokens, targets, stop);
  if (!loss) return {};
  StepResult result{*loss, std::sqrt(squared_norm(Halt(stop, watch_))), false};
  if (stop.stop_requested()) return {};
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) return result;
  ++steps_;
  AdamStep adam;
  const auto t = static_cast<double>(steps_);
  adam.rate = options_.rate * std::min(1.0, t / options_.warm_up);
  adam.first_correction = 1 - std::pow(adam.first_decay, t);
  adam.second_correction = 1 - std::pow(adam.second_decay, t);
  adam.gradient_scale = std::min(1.0, options_.clip / (result.gradient_norm + 1e-6));
  pool_.share(static_cast<std::int64_t>(chunks_.size()), [&](std::int64_t chunk) {
    const Chunk& part = chunks_[static_cast<std::size_t>(chunk)];
    AdamStep own = adam;
    own.weight_decay = part.decays ? options_.weight_decay : 0;
    const auto at = static_cast<std::size_t>(part.offset);
    adam_step(own, &gradient_[at], &first_[at], &second_[at], &parameters_[at], part.count);
  });
  result.done = true;
  return result;
}

template <class Cell>
double Trainer<Cell>::gradient(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                               std::span<Cell> result) {
  const double loss = *run_batch(tokens, targets, {});
  std::copy(gradient_.begin(), gradient_.end(), result.begin());
  return loss;
}

template <class Cell>
double Trainer<Cell>::test(std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets,
                           const std::stop_token& stop) {
  const Halt halt(stop, watch_);
  tables_.take(layout_, parameters_.data());
  packed_.pack_forward(parameters_.data());
  const auto predicted = std::count_if(targets.begin(), targets.end(), [](std::int32_t target) { return target >= 0; });
  const std::size_t block =
      static_cast<std::size_t>(tables_.from.length) * static_cast<std::size_t>(most_sequences(options_));
  double sum = 0;
  for (std::size_t begin = 0; begin < tokens.size(); begin += block) {
    const std::size_t count = std::min(block, tokens.size() - begin);
    sum += training_pieces_[0]->forward(parameters_.data(), tables_, tokens.subspan(begin, count),
                                        targets.subspan(begin, count), Cell{0}, halt);
    if (stop.stop_requested()) return std::numeric_limits<double>::quiet_NaN();
  }
  return sum / static_cast<double>(std::max<std::int64_t>(1, predicted));
}

template <class Cell>
void Trainer<Cell>::change_tables(const PositionTables& tables) {
  tables_ = CellTables<Cell>(tables, shape_);
}

template <class Cell>
std::vector<Cell> Trainer<Cell>::state() const {
  std::vector<Cell> all = parameters_;
  all.insert(all.end(), first_.begin(), first_.end());
  all.insert(all.end(), second_.begin(), second_.end());
  return all;
}

template <class Cell>
void Trainer<Cell>::restore(std::span<const Cell> state, std::int64_t steps) {
  if (state.size() != 3 * parameters_.size()) {
    throw InputError("training.state_size", {{"found", state.size()}, {"expected", 3 * parameters_.size()}});
  }
  const auto begin = state.begin();
  const auto total = static_cast<std::ptrdiff_t>(parameters_.size());
  std::copy(begin, begin + total, parameters_.begin());
  std::copy(begin + total, begin + 2 * total, first_.begin());
  std::copy(begin + 2 * total, state.end(), second_.begin());
  steps_ = steps;
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace ropescope
