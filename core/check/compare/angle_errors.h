#pragma once

#include <cstdint>
#include <vector>

#include "core/check/compare/compare.h"

namespace ropescope {

/// What a float32 computation of a pair's angles may err by, relative to their sizes (RowEvaluator::angles). With
/// u = 2⁻²⁴ every rounding errs by at most u of its result:
///   frequency  e^{−x} with x = −ln θ: 2 for x (an exponent, or a product with a rounded logarithm), which e^{−x}
///              multiplies by x, and 4 for the power (a whole unit in the last place), a division and a scaling:
///              u·(4 + 2|ln θ|), the same in every row of a pair;
///   id         whole ones are exact; 4 for a coordinate with a fraction, 2 for a scale or an offset;
///   product    1, and 1 more for each further axis that turns the pair.
struct AngleErrors {
  std::vector<double> of_pair;  ///< all of it, [pairs]
  std::vector<double> of_row;   ///< id and product alone
};
AngleErrors angle_errors(const CheckModel& model);
/// The first of them. Precondition: not 0.
double frequency_error(double frequency);

/// The same for tables: as a pair's frequency has one error, it is estimated from the rows, and each of them may differ
/// from it by rounding only. An estimate over rows r of angles a and deviations ψ (by which the pair turned too far) is
/// δ = Σ aψ ÷ Σ a²; storing moves ψ by n and rounding by of_row·|a|, so that δ errs by no more than
/// Σ |a|(n + of_row·|a|) ÷ Σ a². What is allowed is |δ| + that + of_row, and never more than of_pair. [pairs]
std::vector<double> estimated_angle_errors(const CheckModel& model, const RowEvaluator& evaluator,
                                           const TablePlanes& tables);

}  // namespace ropescope
