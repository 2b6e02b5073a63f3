#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

struct KernelPath;

/// B_m = Σ_i cos(mθ_i) at neighbouring whole distances m, for one ladder after the other: tables that one thread keeps
/// and fills anew for each ladder, cheap enough that a scan which ends early is not ruled by them.
class CosineSums {
 public:
  CosineSums();

  /// θ_i of the ladder to look at, radians per position.
  void set_frequencies(std::span<const double> frequencies);
  /// θ_i = b^(−2i/d): plain_frequencies to one or two units in the last place, many times faster.
  void set_plain(int rotary_dim, double base);

  std::span<const double> frequencies() const { return frequencies_; }
  /// B_m, one direct evaluation: absolute error about 1e-15 per pair.
  double at(std::int64_t distance) const;
  /// The smallest m with B_m < 0, first ≤ m ≤ last and first ≥ 0; none, too, where `stop` was requested meanwhile
  /// (looked at every few thousand distances). A sum too close to zero for the fast way is evaluated directly.
  std::optional<std::int64_t> first_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);
  /// The distance m of first … last whose −B_m/m² is largest, none where no sum is negative or where stopped: the
  /// failure that lasts longest when the base grows, see smallest_base.
  std::optional<std::int64_t> strongest_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);

 private:
  /// Calls visit(m, B_m) for m = first … last in order until it returns false. False where stopped.
  template <class Visit>
  bool scan(std::int64_t first, std::int64_t last, const std::stop_token& stop, Visit&& visit);
  struct Phasors {
    std::vector<double> cosine, sine;
    void resize(std::size_t size) { cosine.resize(size), sine.resize(size); }
  };
  void fill_tables();
  void begin_tile(std::int64_t distance);
  void turn_by_a_block();

  const KernelPath* path_;
  std::vector<double> frequencies_;
  Phasors fine_;   ///< [pair][t]: e^{itθ}, t = 0 … 31
  Phasors block_;  ///< [pair]: e^{i·32·θ}
  Phasors turn_;   ///< [pair]: e^{imθ} at the beginning of the block
  bool tables_filled_ = false;
};

}  // namespace ropescope
