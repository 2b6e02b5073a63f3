#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ropescope {

/// y over x for a line: x is either uniform (first_x + i·step, step > 0) or given in xs (finite, ascending). Immutable
/// once made and shared between painters; blocks hold minimum, maximum, sum and count of every 64 values that are not
/// NaN, so that a line of millions is reduced to pixel columns in microseconds.
struct Series {
  static constexpr std::size_t kBlock = 64;
  struct Block {
    double minimum, maximum, sum;
    std::size_t count;
  };
  double first_x = 0, step = 1;
  std::vector<double> xs;
  std::vector<double> ys;  ///< NaN breaks the line
  std::vector<Block> blocks;

  /// Not inline: whether the product and the sum are fused depends on the flags of whoever compiles it, and every
  /// reader of a line is to see the same x.
  double x_at(std::size_t index) const;
};

/// std::invalid_argument where step is not positive, xs are not finite and ascending, or lengths differ.
std::shared_ptr<const Series> make_series(double first_x, double step, std::vector<double> ys);
std::shared_ptr<const Series> make_series(std::vector<double> xs, std::vector<double> ys);

/// Exact minimum, maximum, mean of ys[begin, end) by blocks; NaN values are passed over; count 0 where nothing is left.
struct Summary {
  double minimum = 0, maximum = 0, mean = 0;
  std::size_t count = 0;
};
Summary summarise(const Series& series, std::size_t begin, std::size_t end);

/// Index of the first x ≥ value (ys.size() if none).
std::size_t lower_index(const Series& series, double value);
/// Index of the x nearest to value, the lower one of two equally near. Precondition: not empty.
std::size_t nearest_index(const Series& series, double value);

}  // namespace ropescope
