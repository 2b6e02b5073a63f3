// Similarity of every token of a layout to an anchor token, with the contribution of each axis, computed from the
// phasors of tables.h. Read tables.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/decay/kernel.h"
#include "core/layouts/tables.h"

namespace ropescope {

/// The contribution of an axis to the similarity within a block: one number for each value of AxisIds. For aligned
/// content n_axis·K_axis(Δ)/n: the fraction of the pairs that the axis rotates, times their similarity.
struct AxisContribution {
  Eigen::Index axis = 0;
  Eigen::VectorXd values;
};

/// Counts of the rows in which two axes rotate the same pair (vit-mixed), by method of comparison with an anchor. One
/// matrix product covers an image whose two axes are short and rotate every pair. Other rows each process all pairs,
/// about ten times as slowly. Both counts are 0 if no pair is shared: then a row is a sum of one number per axis.
struct SharedRows {
  std::int64_t multiplied = 0, one_by_one = 0;
};
SharedRows shared_rows(const LayoutTables& tables);

/// The similarity of every rotated token to an anchor.
struct LayoutSimilarity {
  Eigen::VectorXd total;  ///< [rows], 1 at the anchor for aligned content
  /// Per block and axis; empty for a block whose axes share pairs (vit-mixed). Their sum plus `still` is the total.
  std::vector<std::vector<AxisContribution>> contributions;
  double still = 0;  ///< contribution of the pairs that no axis rotates (padding)
};

/// Returns K = Σ_p a_p cos(Δ·θ_p + φ_p)/Σ a_p from the anchor's row to every row, Δ = to − from; the contribution of an
/// axis is multiplied by its amplitude squared. Cost: one dot product per row, column and frame if every pair belongs
/// to one axis, else see SharedRows; also a matrix product for one long line of tokens. Empty content means aligned q
/// and k. Throws InputError if the anchor is not a row or the content does not match.
LayoutSimilarity similarity_from(const LayoutTables& tables, std::int64_t anchor, const Content& content = {});

/// Returns the contribution of one axis to the similarity of every row: [rows], 0 where it rotates nothing. Empty if
/// axes share pairs (vit-mixed), because then no part of the sum belongs to a single axis.
Eigen::VectorXd contribution_of(const TokenLayout& layout, const LayoutSimilarity& similarity, Eigen::Index axis);

/// The similarity between two rows, directly from the formula: the total and one contribution per axis (empty if axes
/// share pairs).
struct TokenSimilarity {
  std::vector<double> difference;  ///< ids of `to` − ids of `from`, per axis
  std::vector<double> per_axis;
  double total = 0;
};
TokenSimilarity similarity_between(const TokenLayout& layout, std::int64_t from, std::int64_t to,
                                   const Content& content = {});

}  // namespace ropescope
