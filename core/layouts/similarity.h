// The similarity of every token of a layout to one of them, and what each axis adds to it. Read tables.h first: all is
// computed from its phasors.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/decay/kernel.h"
#include "core/layouts/tables.h"

namespace ropescope {

/// What one axis adds to the similarity within a block: one number for each value of AxisIds. For aligned content
/// n_axis·K_axis(Δ)/n: the part of the pairs that the axis turns, times their similarity.
struct AxisContribution {
  Eigen::Index axis = 0;
  Eigen::VectorXd values;
};

/// Rows of a layout two axes of which turn the same pair (vit-mixed), by how they are compared with an anchor: those of
/// an image whose two axes are short and turn every pair come from one product of matrices, others each go through all
/// their pairs, some ten times as long. None where every pair is one axis' own: then a row is a sum of one number per
/// axis.
struct SharedRows {
  std::int64_t multiplied = 0, one_by_one = 0;
};
SharedRows shared_rows(const LayoutTables& tables);

/// Similarity of every rotated token to an anchor.
struct LayoutSimilarity {
  Eigen::VectorXd total;  ///< [rows], 1 at the anchor for aligned content
  /// Per block and axis; empty for a block whose axes share pairs (vit-mixed). They sum to the total together with
  /// `still`.
  std::vector<std::vector<AxisContribution>> contributions;
  double still = 0;  ///< of the pairs that no axis turns (padding)
};

/// K = Σ_p a_p cos(Δ·θ_p + φ_p)/Σ a_p from the anchor's row to every row, Δ = to − from; what an axis with an amplitude
/// adds is its square times as large. One dot product per row,
/// column and frame where every pair belongs to one axis, else as shared_rows says; a matrix product too where one long
/// line of tokens is measured. Empty content stands for aligned q and k. Throws InputError where the anchor is not a
/// row or the content does not fit.
LayoutSimilarity similarity_from(const LayoutTables& tables, std::int64_t anchor, const Content& content = {});

/// What one axis adds to the similarity of every row: [rows], 0 where it turns nothing. Empty where axes share pairs
/// (vit-mixed): no part of the sum is one axis' own then.
Eigen::VectorXd contribution_of(const TokenLayout& layout, const LayoutSimilarity& similarity, Eigen::Index axis);

/// Similarity between two rows straight from the formula, for picked values: total and one contribution per axis (empty
/// where axes share pairs).
struct TokenSimilarity {
  std::vector<double> difference;  ///< ids of `to` − ids of `from`, per axis
  std::vector<double> per_axis;
  double total = 0;
};
TokenSimilarity similarity_between(const TokenLayout& layout, std::int64_t from, std::int64_t to,
                                   const Content& content = {});

}  // namespace ropescope
