#include "core/decay/sum_bands.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/decay/kernel_path.h"
#include "core/decay/phasor.h"

namespace ropescope {

namespace {

constexpr std::size_t kPoints = kBlockDistances;
/// Between the strides of neighbouring bands.
constexpr std::size_t kRatio = 4;
/// Intervals of the coarser band under one call.
constexpr std::size_t kCoarser = kPoints / kRatio;
/// The straight lines through nine values are nine hats, two of which the kernel takes for one pair.
constexpr std::size_t kLines = kCoarser / 2 + 1;
/// As many bands as leave at least these shares of the pairs to the coarsest: with more of them a tile is long and its
/// tables are large.
constexpr double kShareOfFive = 0.6, kShareOfFour = 0.45;
/// Distances after which the phasors are computed anew; and up to where the rounding of an angle, distance·θ·2^−53, may
/// be left in it.
constexpr std::int64_t kAnew = 1 << 17, kPlain = 1 << 20;
/// A band takes the pairs that turn by up to this much, in radians, from one of its points to the next.
constexpr double kAngle = 1;
/// Rounding: of each pair, and of the whole.
constexpr double kRoundingOfPair = 1e-9, kSumBandsRounding = 1e-7;

/// hat k at point t of a call: 1 where the point is the coarser band's k-th, falling to 0 at its neighbours.
double hat(std::size_t k, std::size_t t) {
  return std::max(0.0, 1 - std::abs(static_cast<double>(t) / kRatio - static_cast<double>(k)));
}

Phasor squared(Phasor p) {
  return {p.cosine * p.cosine - p.sine * p.sine, 2 * p.cosine * p.sine};
}

}  // namespace

struct SumBands::Request {
  std::int64_t tile, last;
  double below;
  const std::function<bool(std::int64_t)>& visit;
};

SumBands::SumBands() : path_(&best_kernel_path()) {}

void SumBands::set_levels(std::size_t levels) {
  if (bands_.size() == levels) return;
  bands_.assign(levels, {});
  for (std::size_t level = 0; level < levels; ++level) {
    Band& band = bands_[level];
    band.stride = std::int64_t{1} << (2 * level);
    band.calls = std::size_t{1} << (2 * (levels - 1 - level));
    band.lines = level + 1 == levels ? 0 : kLines;
    band.fine.resize(band.lines * kPoints);
    for (std::size_t k = 0; k < band.lines * kPoints; ++k) {
      band.fine.cosine[k] = hat(2 * (k / kPoints), k % kPoints);
      band.fine.sine[k] = hat(2 * (k / kPoints) + 1, k % kPoints);
    }
  }
}

void SumBands::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  // A cosine does not know the sign.
  for (double& frequency : frequencies_) frequency = std::abs(frequency);
  if (!std::is_sorted(frequencies_.begin(), frequencies_.end(), std::greater<>())) {
    std::sort(frequencies_.begin(), frequencies_.end(), std::greater<>());
  }
  const auto share_below = [this](double frequency) {
    const auto fast = std::partition_point(frequencies_.begin(), frequencies_.end(),
                                           [frequency](double each) { return each > frequency; });
    return static_cast<double>(frequencies_.end() - fast) / static_cast<double>(frequencies_.size());
  };
  set_levels(share_below(kAngle / 256) >= kShareOfFive ? 5 : share_below(kAngle / 64) >= kShareOfFour ? 4 : 3);
  std::size_t pair = 0;
  for (Band& band : bands_) {
    const bool coarsest = &band == &bands_.back();
    const double slowest = coarsest ? -1 : kAngle / static_cast<double>(kRatio * static_cast<std::size_t>(band.stride));
    band.first = pair;
    while (pair < frequencies_.size() && frequencies_[pair] > slowest) ++pair;
    band.pairs = pair - band.first;
    fill(band);
  }
  set_margins();
}

void SumBands::set_margins() {
  double error = kSumBandsRounding + kRoundingOfPair * static_cast<double>(frequencies_.size());
  for (std::size_t level = bands_.size(); level-- > 0;) {
    Band& band = bands_[level];
    double squares = 0;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      squares += frequencies_[band.first + i] * frequencies_[band.first + i];
    }
    // At every distance nothing lies between two points.
    const double stride = static_cast<double>(band.stride);
    if (level > 0) error += stride * stride / 8 * squares;
    band.margin = error + static_cast<double>(band.first);
  }
}

void SumBands::fill(Band& band) {
  // The lines in front of the pairs stay.
  band.fine.resize((band.lines + band.pairs) * kPoints);
  band.jump.resize((band.calls + 1) * band.pairs);
  band.tile.resize(band.pairs);
  band.turn.resize(band.lines + band.pairs);
  for (std::size_t pair = 0; pair < band.pairs; ++pair) {
    double* cosine = band.fine.cosine.data() + (band.lines + pair) * kPoints;
    double* sine = band.fine.sine.data() + (band.lines + pair) * kPoints;
    const double frequency = frequencies_[band.first + pair];
    Phasor step{std::cos(frequency), std::sin(frequency)};
    for (std::int64_t stride = 1; stride < band.stride; stride *= 2) step = squared(step);
    cosine[0] = 1, sine[0] = 0;
    for (std::size_t filled = 1; filled < kPoints; filled *= 2) {
      for (std::size_t t = 0; t < filled; ++t) {
        cosine[filled + t] = cosine[t] * step.cosine - sine[t] * step.sine;
        sine[filled + t] = cosine[t] * step.sine + sine[t] * step.cosine;
      }
      step = squared(step);
    }
    band.jump.cosine[pair] = 1, band.jump.sine[pair] = 0;
    band.turn.cosine[pair] = step.cosine, band.turn.sine[pair] = step.sine;
  }
  for (std::size_t call = 0; call < band.calls; ++call) {
    const double *cosine = band.jump.cosine.data() + call * band.pairs, *by_cosine = band.turn.cosine.data();
    const double *sine = band.jump.sine.data() + call * band.pairs, *by_sine = band.turn.sine.data();
    double* next_cosine = band.jump.cosine.data() + (call + 1) * band.pairs;
    double* next_sine = band.jump.sine.data() + (call + 1) * band.pairs;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      next_cosine[i] = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
      next_sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
    }
  }
}

void SumBands::begin_tile(std::int64_t distance, bool anew) {
  for (Band& band : bands_) {
    double *cosine = band.tile.cosine.data(), *sine = band.tile.sine.data();
    const double* by_cosine = band.jump.cosine.data() + band.calls * band.pairs;
    const double* by_sine = band.jump.sine.data() + band.calls * band.pairs;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      if (anew) {
        const double frequency = frequencies_[band.first + i], angle = frequency * static_cast<double>(distance);
        const Phasor turn = distance < kPlain ? Phasor{std::cos(angle), std::sin(angle)}
                                              : phasor(frequency, static_cast<double>(distance));
        cosine[i] = turn.cosine, sine[i] = turn.sine;
      } else {
        const double real = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
        sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
        cosine[i] = real;
      }
    }
  }
}

void SumBands::evaluate(Band& band, std::size_t call, const double* coarser, double* values) {
  const std::size_t lines = band.lines;
  for (std::size_t k = 0; k < lines; ++k) {
    band.turn.cosine[k] = coarser[2 * k];
    band.turn.sine[k] = k + 1 < lines ? -coarser[2 * k + 1] : 0;
  }
  const double *cosine = band.tile.cosine.data(), *sine = band.tile.sine.data();
  const double* by_cosine = band.jump.cosine.data() + call * band.pairs;
  const double* by_sine = band.jump.sine.data() + call * band.pairs;
  double *turn_cosine = band.turn.cosine.data() + lines, *turn_sine = band.turn.sine.data() + lines;
  double end = coarser ? coarser[kCoarser] : 0;
  for (std::size_t i = 0; i < band.pairs; ++i) {
    turn_cosine[i] = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
    turn_sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
    end += cosine[i] * by_cosine[band.pairs + i] - sine[i] * by_sine[band.pairs + i];
  }
  if (lines + band.pairs > 0) {
    path_->score({static_cast<int>(lines + band.pairs), band.fine.cosine.data(), band.fine.sine.data(),
                  band.turn.cosine.data(), band.turn.sine.data(), values, nullptr});
  } else {
    std::fill_n(values, kPoints, 0.0);
  }
  values[kPoints] = end;
}

bool SumBands::descend(std::size_t level, std::size_t call, const double* coarser, const Request& request) {
  Band& band = bands_[level];
  double values[kPoints + 1];
  evaluate(band, call, coarser, values);
  const double limit = request.below + band.margin;
  const std::int64_t begin = request.tile + static_cast<std::int64_t>(call * kPoints) * band.stride;
  if (level == 0) {
    for (std::size_t t = 0; t < kPoints; ++t) {
      if (values[t] >= limit) continue;
      const std::int64_t distance = begin + static_cast<std::int64_t>(t);
      if (distance > request.last || !request.visit(distance)) return false;
    }
    return true;
  }
  for (std::size_t group = 0; group < kPoints / kCoarser; ++group) {
    const double* of_group = values + group * kCoarser;
    double least = of_group[0];
    for (std::size_t k = 1; k <= kCoarser; ++k) least = of_group[k] < least ? of_group[k] : least;
    if (least < limit && !descend(level - 1, call * kRatio + group, of_group, request)) return false;
  }
  return true;
}

bool SumBands::visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                          const std::function<bool(std::int64_t)>& visit) {
  const std::int64_t tile_length = static_cast<std::int64_t>(kPoints) * bands_.back().stride;
  std::int64_t since = kAnew;
  for (std::int64_t tile = first; tile <= last; tile += tile_length, since += tile_length) {
    if (stop.stop_requested()) return false;
    begin_tile(tile, since >= kAnew);
    if (since >= kAnew) since = 0;
    if (!descend(bands_.size() - 1, 0, nullptr, {tile, last, below, visit})) return true;
  }
  return true;
}

}  // namespace ropescope
