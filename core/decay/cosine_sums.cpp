#include "core/decay/cosine_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/decay/kernel_path.h"
#include "core/decay/phasor.h"

namespace ropescope {

namespace {

constexpr auto kBlock = static_cast<std::size_t>(kBlockDistances);
/// Blocks after which the phasors are computed anew: their products lose about half a unit in the last place a block.
constexpr std::int64_t kTileBlocks = 64;
/// Sums of up to 4 096 products and this many roundings each stay within it.
constexpr double kDoubtful = 1e-9;

}  // namespace

CosineSums::CosineSums() : path_(&best_kernel_path()) {}

void CosineSums::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  tables_filled_ = false;
}

void CosineSums::set_plain(int rotary_dim, double base) {
  frequencies_.resize(static_cast<std::size_t>(rotary_dim / 2));
  // Extended precision: thousands of products in a row stay below a double's rounding.
  const long double ratio = std::pow(static_cast<long double>(base), -2.0L / rotary_dim);
  long double frequency = 1;
  for (double& each : frequencies_) {
    each = static_cast<double>(frequency);
    frequency *= ratio;
  }
  tables_filled_ = false;
}

double CosineSums::at(std::int64_t distance) const {
  double sum = 0;
  for (const double frequency : frequencies_) sum += phasor(frequency, static_cast<double>(distance)).cosine;
  return sum;
}

void CosineSums::fill_tables() {
  const std::size_t pair_count = frequencies_.size();
  fine_.resize(pair_count * kBlock);
  block_.resize(pair_count);
  turn_.resize(pair_count);
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    double* cosine = fine_.cosine.data() + pair * kBlock;
    double* sine = fine_.sine.data() + pair * kBlock;
    cosine[0] = 1, sine[0] = 0;
    Phasor step = phasor(frequencies_[pair], 1);
    for (std::size_t filled = 1; filled < kBlock; filled *= 2) {
      for (std::size_t t = 0; t < filled; ++t) {
        cosine[filled + t] = cosine[t] * step.cosine - sine[t] * step.sine;
        sine[filled + t] = cosine[t] * step.sine + sine[t] * step.cosine;
      }
      step = phasor(frequencies_[pair], static_cast<double>(2 * filled));
    }
    block_.cosine[pair] = step.cosine, block_.sine[pair] = step.sine;
  }
  tables_filled_ = true;
}

void CosineSums::begin_tile(std::int64_t distance) {
  for (std::size_t pair = 0; pair < frequencies_.size(); ++pair) {
    const Phasor turn = phasor(frequencies_[pair], static_cast<double>(distance));
    turn_.cosine[pair] = turn.cosine, turn_.sine[pair] = turn.sine;
  }
}

void CosineSums::turn_by_a_block() {
  const std::size_t pair_count = frequencies_.size();
  const double *by_cosine = block_.cosine.data(), *by_sine = block_.sine.data();
  double *cosine = turn_.cosine.data(), *sine = turn_.sine.data();
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    const double real = cosine[pair] * by_cosine[pair] - sine[pair] * by_sine[pair];
    sine[pair] = cosine[pair] * by_sine[pair] + sine[pair] * by_cosine[pair];
    cosine[pair] = real;
  }
}

template <class Visit>
bool CosineSums::scan(std::int64_t first, std::int64_t last, const std::stop_token& stop, Visit&& visit) {
  if (!tables_filled_) fill_tables();
  std::array<double, kBlock> sums;
  const KernelBlock block{static_cast<int>(frequencies_.size()),
                          fine_.cosine.data(),
                          fine_.sine.data(),
                          turn_.cosine.data(),
                          turn_.sine.data(),
                          sums.data(),
                          nullptr};
  std::int64_t blocks_left = 0;
  for (std::int64_t begin = first; begin <= last; begin += kBlockDistances) {
    if (blocks_left == 0) {
      if (stop.stop_requested()) return false;
      begin_tile(begin);
      blocks_left = kTileBlocks;
    }
    path_->score(block);
    const std::int64_t count = std::min<std::int64_t>(kBlockDistances, last + 1 - begin);
    for (std::int64_t t = 0; t < count; ++t) {
      double sum = sums[static_cast<std::size_t>(t)];
      if (std::abs(sum) < kDoubtful) sum = at(begin + t);
      if (!visit(begin + t, sum)) return true;
    }
    turn_by_a_block();
    --blocks_left;
  }
  return true;
}

std::optional<std::int64_t> CosineSums::first_negative(std::int64_t first, std::int64_t last,
                                                       const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  scan(first, last, stop, [&found](std::int64_t distance, double sum) {
    if (sum < 0) found = distance;
    return !found;
  });
  return found;
}

std::optional<std::int64_t> CosineSums::strongest_negative(std::int64_t first, std::int64_t last,
                                                           const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  double strength = 0;
  const bool complete = scan(first, last, stop, [&](std::int64_t distance, double sum) {
    if (sum >= 0) return true;
    const double m = static_cast<double>(distance);
    if (-sum / (m * m) > strength) {
      strength = -sum / (m * m);
      found = distance;
    }
    return true;
  });
  return complete ? found : std::nullopt;
}

}  // namespace ropescope
