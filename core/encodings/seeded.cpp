#include "core/encodings/seeded.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/decay/random.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kWaves = 9;
constexpr std::int64_t kMostEntries = std::int64_t{1} << 26;

SplitMix generator_of(std::uint64_t seed, std::uint64_t stream) {
  // The streams of one seed begin at mixed, hence unrelated, states.
  SplitMix mixer{seed};
  for (std::uint64_t i = 0; i < stream; ++i) mixer.next();
  return SplitMix{mixer.next()};
}

void fill_normal_seeded(double* begin, std::int64_t count, double level, std::uint64_t seed, std::uint64_t stream) {
  SplitMix generator = generator_of(seed, stream);
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::complex<double> normals = level * normal_pair(generator);
    begin[i] = normals.real();
    if (i + 1 < count) begin[i + 1] = normals.imag();
  }
}

}  // namespace

SmoothTable::SmoothTable(std::int64_t count, int width, double level, std::uint64_t seed, std::uint64_t stream)
    : count_(count), coefficients_(kWaves, width) {
  fill_normal_seeded(coefficients_.data(), coefficients_.size(), 1, seed, stream);
  // Over the rows cos² has mean 1/2, but 1 for j = 0.
  double mean_square = 0;
  for (int wave = 0; wave < kWaves; ++wave) mean_square += (wave == 0 ? 1.0 : 0.5) / ((1 + wave) * (1 + wave));
  for (int wave = 0; wave < kWaves; ++wave) coefficients_.row(wave) *= level / ((1 + wave) * std::sqrt(mean_square));
}

void SmoothTable::row(std::int64_t r, std::span<double> out) const {
  Eigen::Map<Eigen::RowVectorXd> target(out.data(), static_cast<Eigen::Index>(out.size()));
  if (r < 0 || r >= count_) {
    target.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Eigen::Matrix<double, 1, kWaves> waves;
  const double angle_radians = std::numbers::pi * (static_cast<double>(r) + 0.5) / static_cast<double>(count_);
  for (int wave = 0; wave < kWaves; ++wave) waves[wave] = std::cos(wave * angle_radians);
  target.noalias() = waves * coefficients_;
}

TokenMatrix SmoothTable::all() const {
  if (count_ > kMostEntries / width()) {
    throw InputError("encodings.table_size", {{"rows", count_}, {"columns", width()}, {"most", kMostEntries}});
  }
  TokenMatrix table(count_, width());
  for (std::int64_t r = 0; r < count_; ++r) {
    row(r, {table.data() + r * width(), static_cast<std::size_t>(width())});
  }
  return table;
}

Weights seeded_weights(int rows, int columns, std::uint64_t seed, std::uint64_t stream) {
  auto weights = std::make_shared<TokenMatrix>(rows, columns);
  fill_normal_seeded(weights->data(), weights->size(), 1 / std::sqrt(static_cast<double>(columns)), seed, stream);
  return weights;
}

Eigen::VectorXd seeded_vector(int size, double level, std::uint64_t seed, std::uint64_t stream) {
  Eigen::VectorXd vector(size);
  fill_normal_seeded(vector.data(), size, level, seed, stream);
  return vector;
}

}  // namespace ropescope
