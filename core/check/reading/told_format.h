#pragma once

#include <set>

#include "core/check/compare/compare.h"
#include "core/row_matrix.h"

namespace ropescope {

/// Tells from numbers alone whether all of them are of a short format although more was stored (what cos.float() gives
/// of a bfloat16 cos). What chance would give as well tells nothing: it takes many bits that are 0 without need.
class FormatTeller {
 public:
  /// `file`: half a unit of what the numbers are stored as, or printed with.
  FormatTeller(ShortFormat format, const StorageUnit& file)
      : format_(format), of_format_(unit_of(format)), file_(file) {}

  void add(const double* numbers, Eigen::Index count);
  /// A number was none of the format.
  bool refuted() const { return refuted_; }
  bool told() const;

 private:
  ShortFormat format_;
  StorageUnit of_format_, file_;
  bool refuted_ = false;
  double bits_ = 0;
  std::set<double> seen_;  ///< sizes that have counted
};

/// The format of the cosines and sines of tables, or of any planes: none where it is that of the file.
ShortFormat told_format(const std::vector<const StoredTensor*>& tensors,
                        const std::vector<const RowMatrixXd*>& some_rows);

}  // namespace ropescope
