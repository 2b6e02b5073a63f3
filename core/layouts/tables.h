// cos and sin of a whole layout, from short tables for each block and axis, for similarity.h and check. Read layout.h
// first, which defines token positions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

/// cos and sin of all values of a block on one axis, for the pairs that the axis rotates. A long run of equal steps is
/// stored as two short tables, fine (the first values) and coarse (every fine_count-th), whose products are the values.
struct AxisPhasors {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Run {
    Eigen::Index first = 0, count = 0, pair = 0;  ///< entries first … of `pairs` are the pairs `pair`, pair + 1, …
  };

  Eigen::Index axis = 0;
  Along along = Along::none;
  std::vector<Eigen::Index> pairs;  ///< the pairs that the axis rotates, ascending
  std::vector<Run> runs;            ///< `pairs` as runs of consecutive pairs
  bool shared = false;              ///< an earlier axis rotates the same pairs (vit-mixed): phasors multiply
  std::int64_t value_count = 1;
  std::int64_t fine_count = 0;      ///< 0: not split
  Rows cosine, sine;                ///< [values × pairs], or [fine_count × pairs]
  Rows coarse_cosine, coarse_sine;  ///< [values / fine_count, rounded up × pairs]
  /// Many listed integer ids: the value of v is coarse row parts[v].first times fine row parts[v].second; empty if the
  /// values are consecutive.
  std::vector<std::pair<std::int32_t, std::int32_t>> parts;

  /// Computes cos and sin of value v for all `pairs`.
  void at(std::int64_t v, double* cosines, double* sines) const;
};

/// Rotation tables of a layout, computed row by row from short tables per axis: nothing of size tokens × pairs is
/// stored. Safe to share between threads.
class LayoutTables {
 public:
  explicit LayoutTables(TokenLayout layout);

  const TokenLayout& layout() const { return layout_; }
  /// Returns the axes that rotate at least one pair, for each block.
  const std::vector<std::vector<AxisPhasors>>& phasors() const { return phasors_; }

  /// Computes cos and sin of rows first … first + count − 1, each [count × pairs], row-major, in the caller's memory.
  /// The error is at most 4e-16 + 2e-16·angle (float: rounded once). Cell: float or double. Throws InputError if the
  /// rows do not all exist.
  template <class Cell>
  void table_rows(std::int64_t first, std::int64_t count, Cell* cosines, Cell* sines) const;

 private:
  TokenLayout layout_;
  std::vector<std::vector<AxisPhasors>> phasors_;
};

}  // namespace ropescope
