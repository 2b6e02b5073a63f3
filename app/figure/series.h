#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ropescope {

/// y over x for a line: x is either uniform (first_x + i·step) or given in xs (ascending). Immutable once made and shared
/// between painters; blocks hold minimum, maximum and sum of every 64 values, so that a line of millions is reduced to
/// pixel columns in microseconds.
struct Series {
  static constexpr std::size_t kBlock = 64;
  struct Block {
    double minimum, maximum, sum;
  };
  double first_x = 0, step = 1;
  std::vector<double> xs;
  std::vector<double> ys;  ///< NaN breaks the line
  std::vector<Block> blocks;

  double x_at(std::size_t index) const { return xs.empty() ? first_x + static_cast<double>(index) * step : xs[index]; }
};

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
/// Index of the x nearest to value. Precondition: not empty.
std::size_t nearest_index(const Series& series, double value);

}  // namespace ropescope
