#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/decay/sum_bands.h"

namespace ropescope {

/// B_m = Σ_i cos(mθ_i) at whole distances m, for one ladder after the other: tables that one thread keeps and fills
/// anew for each ladder, cheap enough that a search which ends early is not ruled by them. What is told of a sum is
/// exact to the rounding of `at`; SumBands proves where none need be looked at.
class CosineSums {
 public:
  /// θ_i of the ladder to look at, radians per position, all finite.
  void set_frequencies(std::span<const double> frequencies);
  /// θ_i = b^(−2i/d): plain_frequencies to one or two units in the last place, many times faster.
  void set_plain(int rotary_dim, double base);

  std::span<const double> frequencies() const { return frequencies_; }
  /// B_m, one direct evaluation: absolute error about 1e-15 per pair.
  double at(std::int64_t distance) const;
  /// The smallest m with B_m < 0, first ≤ m ≤ last and first ≥ 0; none, too, where `stop` was requested meanwhile
  /// (looked at every few thousand distances).
  std::optional<std::int64_t> first_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);
  /// Calls visit(m, B_m) in ascending order for the distances of first … last, first ≥ 0, with B_m < below, until it
  /// returns false. False where stopped.
  bool visit_below(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                   const std::function<bool(std::int64_t, double)>& visit);
  /// The same for distances among which all with B_m < below are: none is evaluated, see SumBands.
  bool visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                  const std::function<bool(std::int64_t)>& visit);

 private:
  double against(std::int64_t distance, double level) const;

  std::vector<double> frequencies_;
  double sum_of_frequencies_ = 0;
  SumBands bands_;
  bool bands_set_ = false;
};

}  // namespace ropescope
