#include "core/training/task.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/training/random.h"

namespace ropescope {

namespace {

constexpr int kSymbols = 16, kKeys = 8, kPhrase = 16, kRun = 8, kMask = 256;
constexpr std::int32_t kMark = kSymbols;  // what stands before a phrase, or a sorted run
constexpr std::int32_t kTaskNone = -1;

struct Made {
  std::string_view name;
  TaskKind kind;
  int vocabulary;
  int least, most;  // of the number; 0: it takes none
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
    targets[m] = m >= back ? tokens[m - back] : kTaskNone;
  }
}

void draw_nearest(RandomStream& random, Tokens tokens, Tokens targets) {
  std::array<std::int32_t, kKeys> last;
  last.fill(kTaskNone);
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
  std::fill(targets.begin(), targets.end(), kTaskNone);
  for (std::int32_t& token : tokens) token = draw(random, kSymbols);
  const auto room = static_cast<std::int64_t>(tokens.size()) - 2 * (kPhrase + 1);  // tokens of noise
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
  std::fill(targets.begin(), targets.end(), kTaskNone);
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
    targets[i] = task.masked ? kTaskNone : byte(i + 1);
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

/// Cross entropy of the answers of a test with how often each came in training, where every possible one counts as seen
/// once more (Laplace's rule): a byte that training never had costs much, but not all.
double cross_entropy(const Counts& trained, const Counts& tested, int possible) {
  double seen = possible, asked = 0, sum = 0;
  for (const std::int64_t count : trained) seen += static_cast<double>(count);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    asked += static_cast<double>(tested[i]);
    sum -= static_cast<double>(tested[i]) * std::log(static_cast<double>(trained[i] + 1) / seen);
  }
  return sum / asked;
}

/// How often each answer comes: those of a text are its bytes, those of a made task are drawn, many of them.
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
  // The last tenth must hold a sequence and the byte after it.
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

}  // namespace ropescope
