// The values on both sides of a comparison for display, float32 error bounds of angles, and the rows that provide
// evidence. Read compare.h first.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/check/compare/compare.h"
#include "core/check/types.h"

namespace ropescope {

// --- Sides ---------------------------------------------------------------------------------------------------------

/// The rows and columns that both sides have. Columns are pairs of tables and vectors, or axes of ids.
struct CheckExtent {
  std::int64_t rows = 0, columns = 0;
};

/// Differences [rows × columns], for maps and profiles.
struct CheckDifferences {
  std::string which;  ///< "tables", "table", "after", "ids"
  std::int64_t first = 0, rows = 0, columns = 0;
  /// Row-major |difference| of an id, or of the number of a pair that exceeds its tolerance most.
  std::vector<float> values;
  std::vector<float> tolerance;  ///< of each value
};
/// The numbers of both sides, row-major.
struct CheckValues {
  std::int64_t first = 0, rows = 0, columns = 0;
  std::vector<float> mine, reference;
};

/// The frequencies of both sides, in the order in which they were stored.
struct CheckFrequencies {
  std::vector<double> mine, reference;
};

/// Tensors and the values that the reference expects for them, read row by row: tables if there are any, else vectors
/// before and after, else ids. Safe to share between threads.
class ComparedValues {
 public:
  /// `model`: the reference with causes applied, which must outlive this; null: the reference itself. Throws InputError
  /// as check().
  ComparedValues(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model);
  ~ComparedValues();
  ComparedValues(const ComparedValues&) = delete;
  ComparedValues& operator=(const ComparedValues&) = delete;

  /// Returns the rows and columns that both sides have; 0 if only frequencies are given.
  CheckExtent extent() const;
  /// Returns "tables", "table", "after" or "ids".
  std::string which() const;
  /// Returns for each row and pair the difference of the number (cos, sin, or a channel of some head) that exceeds its
  /// tolerance most. Rows past the end are omitted.
  CheckDifferences differences(std::int64_t first, std::int64_t count) const;
  /// Returns the cosines of tables; for vectors the cosine of the angle by which each pair of the first head was
  /// rotated, Re(after · conj(before)) ÷ |before|², or NaN if the pair is 0; else ids.
  CheckValues values(std::int64_t first, std::int64_t count) const;
  /// Returns the frequencies; empty if there are none.
  CheckFrequencies frequencies() const;
  /// Returns the largest |id| of a row of the reference.
  double position(std::int64_t row) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// --- Errors of angles ----------------------------------------------------------------------------------------------

/// Error bounds of a pair's angles in a float32 computation, relative to their sizes (RowEvaluator::angles). Every
/// rounding errs by at most u = 2⁻²⁴ of its result. The bounds count such roundings:
///   frequency  e^{−x} with x = −ln θ: 2 for x (an exponent, or a product with a rounded logarithm), multiplied by x in
///              e^{−x}, and 4 for the power (a whole unit in the last place), a division and a scaling:
///              u·(4 + 2|ln θ|), the same in every row of a pair;
///   id         integers are exact; 4 for a coordinate with a fraction, 2 for a scale or an offset;
///   product    1, and 1 more for each further axis that rotates the pair.
/// If the model allows ggml's recurrence, pair k has in addition:
///   frequency  its scale s = powf(b, −2/d), with a whole unit in the last place (2 roundings) and its exponent
///              (|ln s|), is raised to k: k·(2 + |ln s|). GPUs compute exp2(k·log2 s) with a log2 that errs by up to
///              2⁻²² (CUDA's __log2f, to which ggml compiles powf): k·4·ln 2;
///   row        k products; if an extension changes the pair, also 3 for freq_scale or a division by a freq_factor,
///              and YaRN's two parts with their sum.
/// This is at most a change of the base b to b·(1 + 5·u·d/2): 2·10⁻⁵ of b if d = 128.
struct AngleErrors {
  std::vector<double> of_pair;  ///< total, [pairs]
  std::vector<double> of_row;   ///< id and product only, [pairs]
};
AngleErrors angle_errors(const CheckModel& model);
/// Returns the error bound of a frequency alone, the first entry above. Precondition: not 0.
double frequency_error(double frequency);

/// Estimates the angle errors from the rows of tables, [pairs]. A pair's frequency has a single error, from which each
/// row may deviate only by rounding. Over rows r with angles a and deviations ψ (excess rotation of the pair) the
/// estimate is δ = Σ aψ ÷ Σ a². Storing changes ψ by n and rounding by of_row·|a|. So δ errs by at most
/// ε = Σ |a|(n + of_row·|a|) ÷ Σ a². The result is |δ| + ε + of_row, and at most of_pair.
std::vector<double> estimate_angle_errors(const CheckModel& model, const RowEvaluator& evaluator,
                                          const TablePlanes& tables);

// --- Evidence ------------------------------------------------------------------------------------------------------

/// The smallest and largest of some ids; smallest > largest if there are none.
struct IdRange {
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;

  void add(double id);
  void join(const IdRange& other);
};

/// The parts of the tensors that could show an error, see CheckEvidence.
struct ShownByInputs {
  CheckEvidence evidence;
  std::set<std::string> inputs;  ///< inputs that could show one
  std::vector<IdRange> ids;      ///< per axis, for the rows that could
};
/// Counts the evidence over all rows. If cancelled, the numbers are too small.
ShownByInputs compare_shown_inputs(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

}  // namespace ropescope
