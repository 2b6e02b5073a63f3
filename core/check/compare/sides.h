// Both sides of a comparison as numbers to look at, what float32 may make of an angle, and which rows could show
// anything. Read compare.h first.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/check/compare/compare.h"

namespace ropescope {

// --- Sides ---------------------------------------------------------------------------------------------------------

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

  /// Rows and columns that both sides have; 0 where frequencies alone are given.
  CheckExtent extent() const;
  /// "tables", "table", "after", "ids".
  std::string which() const;
  /// For each row and pair the difference of that number (cos or sin, a channel of some head) which lies furthest
  /// beyond its tolerance. Rows past the end are left out.
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

// --- Errors of angles ----------------------------------------------------------------------------------------------

/// What a float32 computation of a pair's angles may err by, relative to their sizes (RowEvaluator::angles). With
/// u = 2⁻²⁴ every rounding errs by at most u of its result:
///   frequency  e^{−x} with x = −ln θ: 2 for x (an exponent, or a product with a rounded logarithm), which e^{−x}
///              multiplies by x, and 4 for the power (a whole unit in the last place), a division and a scaling:
///              u·(4 + 2|ln θ|), the same in every row of a pair;
///   id         whole ones are exact; 4 for a coordinate with a fraction, 2 for a scale or an offset;
///   product    1, and 1 more for each further axis that turns the pair.
/// Where the model says that ggml's recurrence may have computed them, at the pair θ_k besides:
///   frequency  its scale s = powf(b, −2/d), a whole unit in the last place (2 of what is rounded here) and its
///   exponent
///              (|ln s|), is raised to k: k·(2 + |ln s|); GPUs raise it as exp2(k·log2 s) with a log2 that is off by up
///              to 2⁻²² (CUDA's __log2f, which ggml compiles powf to): k·4·ln 2;
///   row        k products, and where an extension changes the pair 3 for freq_scale or a division by a freq_factor,
///   and
///              YaRN's two parts with their sum.
/// Of a base b that is b·(1 + 5·u·d/2) at most: 2·10⁻⁵ of it where d = 128.
struct AngleErrors {
  std::vector<double> of_pair;  ///< all of it, [pairs]
  std::vector<double> of_row;   ///< id and product alone
};
AngleErrors angle_errors(const CheckModel& model);
/// The error of a frequency alone, as the list above has it first. Precondition: not 0.
double frequency_error(double frequency);

/// Errors of angles as the rows of tables show them: as a pair's frequency has one error, it is estimated from the
/// rows, and each of them may differ from it by rounding only. An estimate over rows r of angles a and deviations ψ (by
/// which the pair turned too far) is δ = Σ aψ ÷ Σ a²; storing moves ψ by n and rounding by of_row·|a|, so that δ errs
/// by no more than Σ |a|(n + of_row·|a|) ÷ Σ a². What is allowed is |δ| + that + of_row, and never more than of_pair.
/// [pairs]
std::vector<double> estimated_angle_errors(const CheckModel& model, const RowEvaluator& evaluator,
                                           const TablePlanes& tables);

// --- What is shown -------------------------------------------------------------------------------------------------

/// Smallest and largest of some ids; the smallest is the larger one where there were none.
struct IdRange {
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;

  void add(double id);
  void join(const IdRange& other);
};

/// What of the tensors could show a fault, see CheckEvidence.
struct ShownByInputs {
  CheckEvidence evidence;
  std::set<std::string> inputs;  ///< those that could
  std::vector<IdRange> ids;      ///< of the rows that could, axis by axis
};
/// What of the tensors could show a fault, counted over all rows; where it is stopped the numbers are too small.
ShownByInputs shown_by(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

}  // namespace ropescope
