// Runners, saved states and comparison of final losses. Read race.h first.
//
// Contents: Race; Saved races; Finals.

#include "core/training/race.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Race ----------------------------------------------------------------------------------------------------------

namespace {

PositionTables tables_of(const RaceSetup& setup, const RunnerSpec& spec) {
  EncodingValues settings = spec.settings;
  settings.trained_length = setup.length;
  return position_tables(find_encoding(spec.encoding), settings, shape_of(setup, spec), setup.length);
}

std::size_t cells_of(int sequences, int length) {
  return static_cast<std::size_t>(sequences) * static_cast<std::size_t>(length);
}

// --- Saved races ---------------------------------------------------------------------------------------------------

// States as bytes: a header line, the fingerprint, little-endian numbers, and a checksum over everything.

constexpr std::string_view kFirstLine = "ropescope-race-1\n";

class Writer {
 public:
  template <class Number>
  void put(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    append_little_endian(std::span<const Number>(&number, 1), text);
  }
  std::string text{kFirstLine};
};

class StateReader {
 public:
  StateReader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) throw InputError("training.saved_damaged", {{"file", source_}});
    const auto size = static_cast<std::size_t>(count);
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  template <class Number>
  Number get() {
    return from_little_endian<Number>(take(sizeof(Number)).data());
  }

 private:
  std::string_view bytes_;
  const std::string& source_;
};

void write_state(Writer& to, const RunnerState& state) {
  to.put(state.steps), to.put(state.seconds), to.put(state.sum), to.put(state.summed);
  to.put(static_cast<std::int64_t>(state.fault ? state.fault->step : -1));
  to.put(static_cast<std::int64_t>(state.fault && state.fault->by_gradient));
  to.put(static_cast<std::uint64_t>(state.curve.size()));
  for (const RacePoint& point : state.curve) {
    to.put(point.step), to.put(point.seconds), to.put(point.loss);
    to.put(point.test_loss.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  to.put(static_cast<std::uint64_t>(state.cells.size()));
  append_little_endian(std::span<const float>(state.cells), to.text);
}

RunnerState read_state(StateReader& from) {
  RunnerState state;
  state.steps = from.get<std::int64_t>();
  state.seconds = from.get<double>(), state.sum = from.get<double>(), state.summed = from.get<std::int64_t>();
  const auto fault = from.get<std::int64_t>(), by_gradient = from.get<std::int64_t>();
  if (fault >= 0) state.fault = RunnerError{fault, by_gradient != 0};
  const auto points = from.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < points; ++i) {
    RacePoint point;
    point.step = from.get<std::int64_t>(), point.seconds = from.get<double>(), point.loss = from.get<double>();
    const auto test = from.get<double>();
    if (!std::isnan(test)) point.test_loss = test;
    state.curve.push_back(point);
  }
  const std::string_view cells = from.take(from.get<std::uint64_t>() * sizeof(float));
  state.cells.resize(cells.size() / sizeof(float));
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    state.cells[i] = from_little_endian<float>(cells.data() + i * sizeof(float));
  }
  return state;
}

// --- Finals --------------------------------------------------------------------------------------------------------

/// Returns Student's t for a two-sided 95 % interval, by degrees of freedom 1 … 10; its limit is 1.96.
double student(int freedom) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  // Slightly conservative for more than 10 degrees of freedom.
  return freedom <= 10 ? kTable[freedom - 1] : 2.228;
}

double average_finite(const std::vector<double>& losses) {
  double sum = 0;
  int count = 0;
  for (const double loss : losses) {
    if (std::isfinite(loss)) sum += loss, ++count;
  }
  return count ? sum / count : std::numeric_limits<double>::infinity();
}

RunnerComparison compare_two(const FinalLosses& ahead, const FinalLosses& behind) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(ahead.losses.size(), behind.losses.size()); ++i) {
    const double difference = behind.losses[i] - ahead.losses[i];
    if (std::isfinite(difference)) differences.push_back(difference);
  }
  RunnerComparison result{ahead.name, behind.name, 0, {}, static_cast<int>(differences.size()), false};
  if (differences.empty()) return result;
  const auto count = static_cast<double>(differences.size());
  result.difference = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  if (differences.size() > 1) {
    double squares = 0;
    for (const double difference : differences) squares += std::pow(difference - result.difference, 2);
    result.spread = std::sqrt(squares / (count - 1));
    result.told_apart = std::abs(result.difference) > student(result.seeds - 1) * *result.spread / std::sqrt(count);
  }
  if (result.difference < 0) {
    std::swap(result.ahead, result.behind);
    result.difference = -result.difference;
  }
  return result;
}

}  // namespace

ModelShape shape_of(const RaceSetup& setup, const RunnerSpec& spec) {
  ModelShape shape;
  shape.vocabulary = setup.task.vocabulary;
  shape.layers = setup.layers, shape.width = setup.width, shape.heads = setup.heads, shape.length = setup.length;
  shape.causal = setup.task.causal(), shape.linear_attention = spec.linear_attention;
  shape.random_features = spec.random_features;
  return shape;
}

std::string name_of(const RunnerSpec& spec) {
  return spec.encoding + (!spec.linear_attention ? "/softmax" : spec.random_features ? "/performer" : "/linear");
}

Runner::Runner(const RaceSetup& setup, RunnerSpec spec, int threads)
    : setup_(setup),
      spec_(std::move(spec)),
      trainer_(shape_of(setup, spec_), tables_of(setup, spec_), setup.training, spec_.seed, threads),
      tokens_(cells_of(setup.training.batch, setup.length)),
      targets_(tokens_.size()),
      test_tokens_(cells_of(setup.test_sequences, setup.length)),
      test_targets_(test_tokens_.size()) {
  draw_batch(setup_.task, Split::test, 0, 0, setup_.length, test_tokens_, test_targets_);
}

std::int64_t Runner::bytes_required(const RaceSetup& setup, const RunnerSpec& spec, int threads) {
  const auto tokens = static_cast<std::int64_t>(cells_of(setup.training.batch + setup.test_sequences, setup.length));
  return Trainer<float>::bytes_required(shape_of(setup, spec), tables_of(setup, spec), setup.training, threads) +
         8 * tokens;
}

bool Runner::advance(const std::stop_token& stop) {
  if (state_.fault) return false;
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t step = trainer_.steps() + 1;
  draw_batch(setup_.task, Split::train, spec_.seed, static_cast<std::uint64_t>(step), setup_.length, tokens_, targets_);
  const StepResult result = trainer_.step(tokens_, targets_, stop);
  state_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result.done) {
    if (!stop.stop_requested()) state_.fault = RunnerError{step, std::isfinite(result.loss)};
    return false;
  }
  state_.sum += result.loss;
  ++state_.summed;
  if (step % setup_.every == 0) add_point(stop);
  return true;
}

void Runner::add_point(const std::stop_token& stop) {
  RacePoint point{trainer_.steps(), state_.seconds, state_.sum / static_cast<double>(state_.summed), {}};
  state_.sum = 0, state_.summed = 0;
  if (point.step % setup_.test_every == 0) {
    const double loss = trainer_.test(test_tokens_, test_targets_, stop);
    if (std::isfinite(loss)) point.test_loss = loss;
  }
  state_.curve.push_back(point);
}

std::optional<RacePoint> Runner::final_point(const std::stop_token& stop) {
  const bool has_row = !state_.curve.empty() && state_.curve.back().step == trainer_.steps();
  if (trainer_.steps() == 0 || (has_row && state_.curve.back().test_loss)) return std::nullopt;
  RacePoint point;
  if (has_row) {
    point = state_.curve.back();
  } else {
    point = {trainer_.steps(),
             state_.seconds,
             state_.sum / static_cast<double>(std::max<std::int64_t>(1, state_.summed)),
             {}};
  }
  const double loss = trainer_.test(test_tokens_, test_targets_, stop);
  if (!std::isfinite(loss)) return std::nullopt;
  point.test_loss = loss;
  return point;
}

void Runner::change_settings(const EncodingValues& settings) {
  RunnerSpec spec = spec_;
  spec.settings = settings;
  trainer_.change_tables(tables_of(setup_, spec));
  spec_ = std::move(spec);
}

RunnerState Runner::state() const {
  RunnerState state = state_;
  state.steps = trainer_.steps();
  state.cells = trainer_.state();
  return state;
}

void Runner::restore(RunnerState state) {
  trainer_.restore(state.cells, state.steps);
  state.cells.clear();
  state_ = std::move(state);
}

std::string write_states(const std::string& fingerprint, std::span<const RunnerState> states) {
  Writer writer;
  std::size_t room = 1024 + fingerprint.size();
  for (const RunnerState& state : states) {
    room += 128 + state.curve.size() * sizeof(RacePoint) + state.cells.size() * sizeof(float);
  }
  writer.text.reserve(room);
  writer.put(static_cast<std::uint64_t>(fingerprint.size()));
  writer.text += fingerprint;
  writer.put(static_cast<std::uint64_t>(states.size()));
  for (const RunnerState& state : states) write_state(writer, state);
  writer.put(fnv1a(writer.text));
  return std::move(writer.text);
}

bool is_saved_race(std::string_view bytes) {
  return bytes.starts_with(kFirstLine);
}

std::vector<RunnerState> read_states(const std::string& fingerprint, const std::string& bytes,
                                     const std::string& source) {
  StateReader whole(bytes, source);
  if (whole.take(std::min(bytes.size(), kFirstLine.size())) != kFirstLine || bytes.size() < 8 + kFirstLine.size()) {
    throw InputError("training.saved_damaged", {{"file", source}});
  }
  const std::string_view content = std::string_view(bytes).substr(0, bytes.size() - 8);
  StateReader last(std::string_view(bytes).substr(content.size()), source);
  if (last.get<std::uint64_t>() != fnv1a(content)) throw InputError("training.saved_damaged", {{"file", source}});
  StateReader reader(content.substr(kFirstLine.size()), source);
  if (reader.take(reader.get<std::uint64_t>()) != fingerprint) {
    throw InputError("training.saved_other", {{"file", source}});
  }
  std::vector<RunnerState> states(reader.get<std::uint64_t>());
  for (RunnerState& state : states) state = read_state(reader);
  return states;
}

std::vector<RunnerComparison> compare_finals(std::vector<FinalLosses> finals) {
  std::stable_sort(finals.begin(), finals.end(), [](const FinalLosses& a, const FinalLosses& b) {
    return average_finite(a.losses) < average_finite(b.losses);
  });
  std::vector<RunnerComparison> comparisons;
  for (std::size_t i = 1; i < finals.size(); ++i) comparisons.push_back(compare_two(finals[i - 1], finals[i]));
  return comparisons;
}

}  // namespace ropescope
