// Sinusoids as rows by the formula and as maps by angle addition, with loops for each kind of processor.

#include "core/encodings/sinusoid.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "core/decay/kernel.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/rotary/rotary_tables.h"

namespace ropescope {

namespace {

/// Rows between exact ones: with 8 192 rows, equally many phasors are computed for the steps as for the blocks.
constexpr std::int64_t kSinusoidBlock = 64;
constexpr double kTurnsOfRadian = 1 / kTurn;

/// Limit on numbers whose floor is found by adding and subtracting 1.5·2^52.
constexpr double kShiftable = 0x1p51;

/// Returns ⌊x⌋ for |x| < kShiftable, equal to std::floor. Before SSE4.1 there is no instruction for it, and a function
/// call would dominate the cost of the loop.
ROPESCOPE_INLINE double shifted_floor(double x) {
  constexpr double kShift = 0x1.8p52;
  const double nearest = (x + kShift) - kShift;
  return nearest - (nearest > x ? 1.0 : 0.0);
}

/// Returns the angle in [0, 2π), even if rounding of a tiny negative angle would give 2π itself.
ROPESCOPE_INLINE double wrapped(double angle_radians, double whole_turns) {
  const double wrapped = angle_radians - kTurn * whole_turns;
  // Minimum and maximum are single instructions; a branch would be unpredictable.
  const double inside = wrapped < kTurn ? wrapped : 0;
  return inside > 0 ? inside : 0;
}
double wrapped(double angle_radians) {
  return wrapped(angle_radians, std::floor(angle_radians / kTurn));
}

/// Writes one row of a map of angles, all below kShiftable.
ROPESCOPE_INLINE void write_shiftable(const double* frequency, Eigen::Index pair_count, double position, float* out) {
  for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
    const double angle_radians = position * frequency[pair];
    out[pair] = static_cast<float>(wrapped(angle_radians, shifted_floor(angle_radians * kTurnsOfRadian)));
  }
}
ROPESCOPE_AVX2 void write_shiftable_avx2(const double* frequency, Eigen::Index pair_count, double position,
                                         float* out) {
  write_shiftable(frequency, pair_count, position, out);
}

/// Writes one row of a map of angles.
void write_angles(const Eigen::VectorXd& frequencies, double position, bool shiftable, float* out) {
  const Eigen::Index pair_count = frequencies.size();
  const double* const frequency = frequencies.data();
  if (shiftable && has_avx2()) return write_shiftable_avx2(frequency, pair_count, position, out);
  if (shiftable) return write_shiftable(frequency, pair_count, position, out);
  for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
    out[pair] = static_cast<float>(wrapped(position * frequency[pair]));
  }
}

struct SinusoidTurns {
  RowMatrix<float> cosine, sine;  ///< [positions × pairs]
};

SinusoidTurns sinusoid_turns(const Eigen::VectorXd& frequencies, std::int64_t first, std::int64_t count,
                             double amplitude = 1) {
  SinusoidTurns turns{RowMatrix<float>(count, frequencies.size()), RowMatrix<float>(count, frequencies.size())};
  for (std::int64_t row = 0; row < count; ++row) {
    for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
      const Phasor turn = phasor(frequencies[pair], static_cast<double>(first + row));
      turns.cosine(row, pair) = static_cast<float>(amplitude * turn.cosine);
      turns.sine(row, pair) = static_cast<float>(amplitude * turn.sine);
    }
  }
  return turns;
}

/// Writes one row of the map from A·e^{i·begin·θ} and e^{i·step·θ}: cos(a + b) = cos a cos b − sin a sin b.
ROPESCOPE_INLINE void add_angles_in(const SinusoidTurns& begin, const SinusoidTurns& step, std::int64_t step_row,
                                    SinusoidPart part, float* out) {
  const Eigen::Index pair_count = begin.cosine.cols();
  const float* const begin_cosine = begin.cosine.data();
  const float* const begin_sine = begin.sine.data();
  const float* const cosine = step.cosine.data() + step_row * pair_count;
  const float* const sine = step.sine.data() + step_row * pair_count;
  switch (part) {
    case SinusoidPart::sine_cosine:
      for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
        out[2 * pair] = begin_sine[pair] * cosine[pair] + begin_cosine[pair] * sine[pair];
        out[2 * pair + 1] = begin_cosine[pair] * cosine[pair] - begin_sine[pair] * sine[pair];
      }
      break;
    case SinusoidPart::sine:
      for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
        out[pair] = begin_sine[pair] * cosine[pair] + begin_cosine[pair] * sine[pair];
      }
      break;
    default:
      for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
        out[pair] = begin_cosine[pair] * cosine[pair] - begin_sine[pair] * sine[pair];
      }
  }
}
ROPESCOPE_AVX2 void add_angles_avx2(const SinusoidTurns& begin, const SinusoidTurns& step, std::int64_t step_row,
                                    SinusoidPart part, float* out) {
  add_angles_in(begin, step, step_row, part, out);
}
void add_angles(const SinusoidTurns& begin, const SinusoidTurns& step, std::int64_t step_row, SinusoidPart part,
                float* out) {
  (has_avx2() ? add_angles_avx2 : add_angles_in)(begin, step, step_row, part, out);
}

}  // namespace

int column_count(const Sinusoids& sinusoids) {
  const int pair_count = static_cast<int>(sinusoids.frequencies.size());
  return sinusoids.part == SinusoidPart::sine_cosine ? 2 * pair_count : pair_count;
}

std::vector<std::string> numbered(std::string_view prefix, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(std::string(prefix) + " " + std::to_string(i));
  return names;
}

std::vector<std::string> column_names(const Sinusoids& sinusoids) {
  const int pair_count = static_cast<int>(sinusoids.frequencies.size());
  if (sinusoids.part == SinusoidPart::cosine) return numbered("cos", pair_count);
  if (sinusoids.part == SinusoidPart::sine) return numbered("sin", pair_count);
  if (sinusoids.part == SinusoidPart::angle) return numbered("angle", pair_count);
  std::vector<std::string> names;
  for (int pair = 0; pair < pair_count; ++pair) {
    names.push_back("sin " + std::to_string(pair));
    names.push_back("cos " + std::to_string(pair));
  }
  return names;
}

void sinusoid_row(const Sinusoids& sinusoids, std::int64_t position, std::span<double> out) {
  const std::span<const double> frequencies(sinusoids.frequencies.data(),
                                            static_cast<std::size_t>(sinusoids.frequencies.size()));
  const auto place = static_cast<double>(position);
  if (sinusoids.part == SinusoidPart::angle) return write_wrapped_angles(frequencies, place, out.data());
  constexpr std::size_t kAtOnce = 64;
  for (std::size_t first = 0; first < frequencies.size(); first += kAtOnce) {
    std::array<double, kAtOnce> cosine{}, sine{};
    const std::size_t some = std::min(kAtOnce, frequencies.size() - first);
    write_phasors(frequencies.subspan(first, some), place, cosine.data(), sine.data());
    for (std::size_t i = 0; i < some; ++i) {
      const double c = sinusoids.amplitude * cosine[i], s = sinusoids.amplitude * sine[i];
      const std::size_t column = first + i;
      if (sinusoids.part == SinusoidPart::sine_cosine) {
        out[2 * column] = s;
        out[2 * column + 1] = c;
      } else {
        out[column] = sinusoids.part == SinusoidPart::sine ? s : c;
      }
    }
  }
}

RowMatrix<float> sinusoid_map(const Sinusoids& sinusoids, std::int64_t first, std::int64_t count, const Work& work) {
  RowMatrix<float> map(count, column_count(sinusoids));
  const bool angles = sinusoids.part == SinusoidPart::angle;
  const SinusoidTurns steps =
      angles ? SinusoidTurns{} : sinusoid_turns(sinusoids.frequencies, 0, std::min(kSinusoidBlock, count));
  const double farthest = std::max(std::abs(static_cast<double>(first)), std::abs(static_cast<double>(first + count)));
  const bool shiftable =
      angles && sinusoids.frequencies.size() > 0 && farthest * sinusoids.frequencies.cwiseAbs().maxCoeff() < kShiftable;
  std::atomic<std::int64_t> next = 0;
  run_on_threads(work.threads, [&] {
    for (std::int64_t begin = next.fetch_add(kSinusoidBlock); begin < count && !work.stopped();
         begin = next.fetch_add(kSinusoidBlock)) {
      const SinusoidTurns begin_turns =
          angles ? SinusoidTurns{} : sinusoid_turns(sinusoids.frequencies, first + begin, 1, sinusoids.amplitude);
      for (std::int64_t row = begin; row < std::min(count, begin + kSinusoidBlock); ++row) {
        if (angles) {
          write_angles(sinusoids.frequencies, static_cast<double>(first + row), shiftable,
                       map.data() + row * map.cols());
        } else {
          add_angles(begin_turns, steps, row - begin, sinusoids.part, map.data() + row * map.cols());
        }
      }
    }
  });
  if (work.stopped()) return {};
  return map;
}

}  // namespace ropescope
