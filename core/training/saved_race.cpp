#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "core/error.h"
#include "core/little_endian.h"
#include "core/training/race.h"

// States as bytes: a first line, the fingerprint, the numbers with their least byte first, and a sum over all of it.

namespace ropescope {

namespace {

constexpr std::string_view kFirstLine = "ropescope-race-1\n";

std::uint64_t sum_over(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

class Writer {
 public:
  template <class Number>
  void put(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    append_little_endian(std::span<const Number>(&number, 1), text);
  }
  std::string text{kFirstLine};
};

class SavedRaceReader {
 public:
  SavedRaceReader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

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

RunnerState read_state(SavedRaceReader& from) {
  RunnerState state;
  state.steps = from.get<std::int64_t>();
  state.seconds = from.get<double>(), state.sum = from.get<double>(), state.summed = from.get<std::int64_t>();
  const auto fault = from.get<std::int64_t>(), by_gradient = from.get<std::int64_t>();
  if (fault >= 0) state.fault = RunnerFault{fault, by_gradient != 0};
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

}  // namespace

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
  writer.put(sum_over(writer.text));
  return std::move(writer.text);
}

std::vector<RunnerState> read_states(const std::string& fingerprint, const std::string& bytes,
                                     const std::string& source) {
  SavedRaceReader whole(bytes, source);
  if (whole.take(std::min(bytes.size(), kFirstLine.size())) != kFirstLine || bytes.size() < 8 + kFirstLine.size()) {
    throw InputError("training.saved_damaged", {{"file", source}});
  }
  const std::string_view content = std::string_view(bytes).substr(0, bytes.size() - 8);
  SavedRaceReader last(std::string_view(bytes).substr(content.size()), source);
  if (last.get<std::uint64_t>() != sum_over(content)) throw InputError("training.saved_damaged", {{"file", source}});
  SavedRaceReader reader(content.substr(kFirstLine.size()), source);
  if (reader.take(reader.get<std::uint64_t>()) != fingerprint) {
    throw InputError("training.saved_other", {{"file", source}});
  }
  std::vector<RunnerState> states(reader.get<std::uint64_t>());
  for (RunnerState& state : states) state = read_state(reader);
  return states;
}

}  // namespace ropescope
