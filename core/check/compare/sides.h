#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/check/check.h"

namespace ropescope {

/// Rows that both sides have, and columns: pairs of tables and vectors, axes of ids.
struct CheckExtent {
  std::int64_t rows = 0, columns = 0;
};

/// Rows × pairs of difference, for maps and profiles.
struct CheckDifferences {
  std::string which;  ///< "tables", "table", "after", "ids"
  std::int64_t first = 0, rows = 0, columns = 0;
  /// Row-major |difference| of an id, or of that number of a pair which lies furthest beyond its tolerance.
  std::vector<float> values;
  std::vector<float> tolerance;  ///< of each
};
/// The numbers of both sides, row-major.
struct CheckValues {
  std::int64_t first = 0, rows = 0, columns = 0;
  std::vector<float> mine, reference;
};

/// Frequencies one after the other as they were stored.
struct CheckFrequencies {
  std::vector<double> mine, reference;
};

/// Tensors beside what the reference expects in their place, read row by row: tables if there are any, else before and
/// after, else ids. Safe to share between threads.
class CheckSides {
 public:
  /// `model`: what is applied to the reference, it must outlive this; null: the reference as it is. Throws InputError
  /// as check().
  CheckSides(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model);
  ~CheckSides();
  CheckSides(const CheckSides&) = delete;
  CheckSides& operator=(const CheckSides&) = delete;

  /// Both are 0 where frequencies alone are given.
  CheckExtent extent() const;
  /// "tables", "table", "after", "ids".
  std::string which() const;
  /// Of the numbers of a pair (cos and sin; channels of all heads) the one that lies furthest beyond its tolerance.
  /// Rows past the end are left out.
  CheckDifferences differences(std::int64_t first, std::int64_t count) const;
  /// Cosines of tables; of before and after the cosine of the angle by which each pair of the first head was turned,
  /// Re(after · conj(before)) ÷ |before|², NaN where the pair is 0; else ids.
  CheckValues values(std::int64_t first, std::int64_t count) const;
  /// Empty where there are none.
  CheckFrequencies frequencies() const;
  /// Largest |id| of a row of the reference.
  double position(std::int64_t row) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace ropescope
