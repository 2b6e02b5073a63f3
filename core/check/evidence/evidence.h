// The rows on which causes are searched, the formats of their numbers, whether a model gives them, and the rotation
// that they show. The fourth step of check: read compare/compare.h first; fit.h, positions.h and ropes.h measure on it,
// causes look at it through situation.h.
#pragma once

#include <memory>

#include "core/check/check.h"
#include "core/check/compare/compare.h"
#include "core/machine.h"

namespace ropescope {

/// How a rotation was observed: phase and how exactly it is known, for the rows that are looked at.
struct Observed {
  RowMatrixXd cosine, sine;  ///< [rows × pairs]
  RowMatrixXd phase, noise;  ///< radians
  double radius = 1;         ///< median of √(cos² + sin²)
  double spread = 0;         ///< how far the middle half of the radii lies apart
};

/// Frequencies that were measured already, by what they depend on (fit.cpp).
struct MeasuredMemory;
/// Numbers of extensions that were fitted already (ropes.cpp).
struct FitMemory;

/// The rows of the tensors on which causes are searched, at most 4 096 spread over the file, and some that disagree
/// where those hold few of them.
struct Evidence {
  const CheckTensors* tensors = nullptr;
  std::vector<std::int64_t> rows;  ///< those that tell most come first
  RowMatrixXd cosine, sine;        ///< of the tables; empty where there are none
  RowMatrixXd before, after;       ///< [rows × heads·channels]
  RowMatrixXd ids;                 ///< [rows × axes]
  std::vector<double> frequencies;
  StorageUnit table_unit;                  ///< usual one of the numbers of the tables, whatever the file could hold
  StorageUnit usual_file_unit, file_unit;  ///< of what the tables are stored as, the second the loose one
  /// The format that every number of the tables is one of although more was stored, and of the rotated vectors.
  ShortFormat table_format = ShortFormat::none, vector_format = ShortFormat::none;
  /// What the angle of a candidate may err by at most: as much as those of the reference, and 0.1 in any case.
  double most_angle_error = std::numeric_limits<double>::infinity();
  std::shared_ptr<Effort> effort;  ///< of the search; shared by all its parts
  std::shared_ptr<MeasuredMemory> measured;
  std::shared_ptr<FitMemory> fits;
  CheckOptions options;  ///< threads and stop for what looks at whole tensors; no progress of its own

  bool has_tables() const { return cosine.rows() > 0; }
  bool has_heads() const { return before.rows() > 0; }
  bool has_ids() const { return ids.rows() > 0; }
  bool has_rotation() const { return has_tables() || has_heads(); }
  /// Nothing more is to be searched: what is asked of a spent search fits nothing.
  bool is_spent() const { return effort->is_spent(); }
  void spend(Eigen::Index numbers) const { effort->spend(numbers); }
};

/// How strictly a model is judged.
enum class Strictness {
  candidate,  ///< by the largest errors that a computation of its angles can have and the slack of what was fitted
  rounded,    ///< as a candidate, but numbers of short formats by the half unit that rounding moves them
  verdict,    ///< with errors of angles as they are estimated from the rows
};

/// Inputs as bits, for which of them something holds.
enum InputBit : unsigned { kTables = 1, kHeads = 2, kIds = 4, kFrequencies = 8 };

/// Reads the rows. Those that disagree with the reference come first. Throws InputError on NaN and infinity.
Evidence gather(const CheckTensors& tensors, const CheckModel& reference, const CheckOptions& options = {});
/// A model whose tables and vectors are of the formats that their numbers tell.
CheckModel with_detected_formats(const CheckModel& model, const Evidence& evidence);
/// The evidence of other rows of the same tensors, in the order given.
Evidence at_rows(const Evidence& evidence, std::vector<std::int64_t> rows);
/// The inputs that there are.
unsigned inputs_of(const Evidence& evidence);

/// Whether the model has the shape of the inputs.
bool has_shape(const CheckModel& model, const Evidence& evidence, unsigned inputs);
/// Whether a model gives what was read, for the inputs asked for; stops at the first number that it does not give.
bool reproduces(const CheckModel& model, const Evidence& evidence, unsigned inputs,
                Strictness how = Strictness::candidate);
/// The first row of the tensors, among those that are looked at, which a model does not give although it has it; none
/// where it gives all, or has other pairs.
std::optional<std::int64_t> first_wrong_row(const CheckModel& model, const Evidence& evidence);
/// The rows among those that are looked at which a model does not give, in their order. Precondition: it has the pairs
/// of the tensors.
std::vector<std::int64_t> wrong_rows(const CheckModel& model, const Evidence& evidence);
/// Part of the numbers of a few rows that a model gives: how near a half-right model is.
double share_reproduced(const CheckModel& model, const Evidence& evidence);

/// The rotation as the tables hold it, or as it follows from the vectors if channels are paired as the model says.
Observed observe(const Evidence& evidence, const CheckModel& model);

/// An angle in (−π, π], or a number in (−period/2, period/2].
double wrapped(double value, double period);

}  // namespace ropescope
