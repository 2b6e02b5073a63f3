// The sampled rows used to search for causes, their number formats, whether a model reproduces them, and the
// observed rotation. The fourth stage of check: read compare/compare.h first; fit.h, positions.h and ropes.h take
// measurements from it, and causes access it through situation.h.
#pragma once

#include <memory>

#include "core/check/compare/compare.h"
#include "core/check/types.h"
#include "core/machine.h"

namespace ropescope {

/// The observed rotation of the sampled rows: phases and their errors.
struct Observed {
  RowMatrixXd cosine, sine;  ///< [rows × pairs]
  RowMatrixXd phase, noise;  ///< radians
  double radius = 1;         ///< median of √(cos² + sin²)
  double spread = 0;         ///< distance between the quartiles of the radii
};

/// Frequencies measured earlier, keyed by everything they depend on (fit.cpp).
struct MeasuredMemory;
/// Extension numbers fitted earlier (ropes.cpp).
struct FitMemory;

/// The tensor rows used to search for causes (the sample): at most 4 096 spread over the file, and some that
/// disagree if it contains few of these.
struct Evidence : StoredFormats {
  const CheckTensors* tensors = nullptr;
  std::vector<std::int64_t> rows;  ///< most informative first
  RowMatrixXd cosine, sine;        ///< of the tables; empty if there are none
  RowMatrixXd before, after;       ///< [rows × heads·channels]
  RowMatrixXd ids;                 ///< [rows × axes]
  std::vector<double> frequencies;
  StorageUnit table_unit;                  ///< usual unit of the table values, which the file may store more finely
  StorageUnit usual_file_unit, file_unit;  ///< units of the tables' storage format: the usual and the loose one
  /// Maximum angle error allowed for a candidate: that of the reference, and at least 0.1.
  double most_angle_error = std::numeric_limits<double>::infinity();
  std::shared_ptr<Effort> effort;  ///< budget of the search, shared by all its parts
  std::shared_ptr<MeasuredMemory> measured;
  std::shared_ptr<FitMemory> fits;
  CheckOptions options;  ///< threads and stop token for passes over whole tensors; no progress callback

  bool has_tables() const { return cosine.rows() > 0; }
  bool has_heads() const { return before.rows() > 0; }
  bool has_ids() const { return ids.rows() > 0; }
  bool has_rotation() const { return has_tables() || has_heads(); }
  /// Returns whether the budget is spent; then nothing more is fitted.
  bool is_spent() const { return effort->is_spent(); }
  void spend(Eigen::Index numbers) const { effort->spend(numbers); }
};

/// How strictly a model is judged.
enum class Strictness {
  candidate,  ///< by the largest possible errors of its angles, with the slack of fitted numbers
  rounded,    ///< as a candidate, but with half a unit for numbers of short formats
  verdict,    ///< with angle errors estimated from the rows
};

/// Bits for a set of inputs.
enum InputBit : unsigned { kTables = 1, kHeads = 2, kIds = 4, kFrequencies = 8 };

/// Samples the rows; in tables, disagreeing and agreeing ones alternate. Throws InputError for NaN or infinity.
Evidence gather(const CheckTensors& tensors, const CheckModel& reference, const CheckOptions& options = {});
/// Returns the model with the formats detected in the numbers of tables and vectors.
CheckModel set_detected_formats(const CheckModel& model, const Evidence& evidence);
/// Returns the evidence for other rows of the same tensors, in the specified order.
Evidence select_rows(const Evidence& evidence, std::vector<std::int64_t> rows);
/// Returns the inputs that are present.
unsigned inputs_of(const Evidence& evidence);

/// Returns whether the model has the shape of the inputs.
bool has_shape(const CheckModel& model, const Evidence& evidence, unsigned inputs);
/// Returns whether a model reproduces the requested inputs; stops at the first number that it does not reproduce.
bool reproduces(const CheckModel& model, const Evidence& evidence, unsigned inputs,
                Strictness how = Strictness::candidate);
/// Returns the first sampled row that a model contains but does not reproduce; nullopt if it reproduces all, or has
/// other pairs.
std::optional<std::int64_t> first_wrong_row(const CheckModel& model, const Evidence& evidence);
/// Returns the sampled rows that a model does not reproduce, in sample order. Precondition: it has the pairs of the
/// tensors.
std::vector<std::int64_t> wrong_rows(const CheckModel& model, const Evidence& evidence);
/// Returns the fraction of a few rows' numbers that a model reproduces: how near a partly correct model is.
double share_reproduced(const CheckModel& model, const Evidence& evidence);

/// Returns the rotation in the tables, or derived from the vectors with the channel pairing of the model.
Observed observe(const Evidence& evidence, const CheckModel& model);

/// Wraps an angle into (−π, π], or a number into (−period/2, period/2].
double wrapped(double value, double period);

}  // namespace ropescope
