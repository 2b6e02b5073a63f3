// Positions recovered row by row from the observed rotation, and shifts of whole blocks. Read situation.h first; used
// by causes in ids and by the report of unexplained differences.
#pragma once

#include "core/check/evidence/situation.h"
#include "core/machine.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

/// Positions of rows, each recovered from its own row.
struct RowPositions {
  std::vector<std::int64_t> rows;  ///< of the tensors, ascending
  RowMatrixXd id;                  ///< [rows × axes], as in the tensors
  RowMatrixXd due;                 ///< those of the model
  RowMatrixXd sure;                ///< 1 if an id is certain, 0 if nothing shows it
};

/// Recovers the ids of the sampled rows from the slowest pair of an axis, which determines the range, to the fastest,
/// which determines the digits; or reads given ids. An id counts if all pairs of the axis agree on it and exclude its
/// neighbours. nullopt if axes share pairs, the first rows show another error, or the effort is spent.
std::optional<RowPositions> row_positions(const Situation& situation);

/// Rows whose ids on an axis increase by a constant step.
struct PositionRun {
  std::int64_t row = 0, count = 0;
  double start = 0, step = 1;
  double at(std::int64_t of) const { return start + step * static_cast<double>(of - row); }
  double last() const { return at(row + count - 1); }
};
/// Returns the rows of the tensors as runs, and locates their ends between the sampled rows. Empty if some row is not
/// certain, or there are more than a few hundred runs.
std::vector<PositionRun> position_runs(const Situation& situation, const RowPositions& positions);

/// The ids of one axis in a block, if they differ from those of the model.
struct BlockCourse {
  std::size_t block = 0, axis = 0;
  AxisIds ids;
  std::int64_t times = 1;  ///< consecutive tokens that share an id
};
/// Returns the blocks and axes that differ from the model; nullopt if the ids of some cannot be described in this way.
std::optional<std::vector<BlockCourse>> block_courses(const Situation& situation, const RowPositions& positions);

/// "rows 0 to 255 are at 0 to 255; rows 256 to 511 are at 0 to 255; …".
Message runs_text(const std::vector<PositionRun>& runs);
/// "in the image, x is constant at 0; in the image, y counts the columns from 0; …".
Message courses_text(const CheckModel& model, const std::vector<BlockCourse>& courses);

/// Describes the recovered positions for a report without a cause; empty if they are those of the model, or cannot be
/// recovered.
Message describe_positions(const Situation& situation);

// --- Shifts --------------------------------------------------------------------------------------------------------

/// Shifts of each block's ids as the inputs show them: [block][axis], 0 if nothing shows one.
using BlockShifts = std::vector<std::vector<double>>;

/// Recovers shifts from the slowest pair of an axis to the fastest, or reads them from given ids. The results are
/// integers or half-integers if the evidence allows that.
BlockShifts recover_shifts(const Situation& situation);
/// Writes the ids of the sampled rows, recovered from the phases alone, to `ids` [all rows × axes]: integers,
/// half-integers or ids of the model if the evidence allows that. Returns false if axes share pairs, or the effort is
/// spent.
bool recover_ids(const Situation& situation, RowMatrixXd& ids);
/// Returns the id of one axis in row i of the evidence, from the phases of that row alone or from given ids.
double recover_id(const Situation& situation, Eigen::Index i, std::size_t axis);
/// Shifts the ids of the blocks.
void shift_blocks(CheckModel& model, const BlockShifts& shifts);

/// Returns the shift of the first id of each block that is in the tensors.
BlockShifts shifts_between(const CheckModel& before, const CheckModel& after);

/// Returns the names of a model's axes, in their order.
Message::List axis_names_of(const CheckModel& model);
/// Returns whether rows of a block are in the tensors.
bool is_looked_at(const CheckModel& model, const TokenBlock& block);
bool is_shifted(const std::vector<double>& shift);
/// Returns whether all tokens have one shift, so that no score changes. Tokens that are not in the tensors or are not
/// rotated (class tokens, the text of some models) do not have it.
bool is_shift_of_all(const CheckReference& reference, const CheckModel& model, const BlockShifts& shifts);
bool is_reference(const TokenBlock& block);

}  // namespace ropescope
