// Positions read back from what was observed, row by row, and by how much whole blocks are shifted. Read situation.h
// first; causes among ids, and the report of what nothing explains, use it.
#pragma once

#include "core/check/evidence/situation.h"
#include "core/machine.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

/// Where rows stand, as each of them shows it alone.
struct RowPositions {
  std::vector<std::int64_t> rows;  ///< of the tensors, rising
  RowMatrixXd id;                  ///< [rows × axes], as they stand in the tensors
  RowMatrixXd due;                 ///< those of the model
  RowMatrixXd sure;                ///< 1 where an id is certain, 0 where nothing shows one
};

/// Reads the ids of the rows that are looked at: from the slowest pair of an axis, which tells the range, to the
/// fastest, which tell the digits; or off given ids. A number counts where all pairs of the axis give it and its
/// neighbours would be told from it. None where axes share pairs, where the first rows show that something else is
/// wrong, or where the effort is spent.
std::optional<RowPositions> row_positions(const Situation& situation);

/// Rows whose ids on an axis go up by one step.
struct PositionRun {
  std::int64_t row = 0, count = 0;
  double start = 0, step = 1;
  double at(std::int64_t of) const { return start + step * static_cast<double>(of - row); }
  double last() const { return at(row + count - 1); }
};
/// The rows of the tensors in such runs, their ends found between the rows that were looked at. Empty where some row is
/// not certain, or they are more than a few hundred.
std::vector<PositionRun> position_runs(const Situation& situation, const RowPositions& positions);

/// How the ids of one axis run through a block, where that is not as in the model.
struct BlockCourse {
  std::size_t block = 0, axis = 0;
  AxisIds ids;
  std::int64_t times = 1;  ///< tokens that share an id, one after the other
};
/// Blocks and axes that run otherwise; none where some run in no such way.
std::optional<std::vector<BlockCourse>> block_courses(const Situation& situation, const RowPositions& positions);

/// "rows 0 to 255 stand at 0 to 255; rows 256 to 511 stand at 0 to 255; …".
Words runs_text(const std::vector<PositionRun>& runs);
/// "image: x stands at 0; y counts the columns from 0; …".
Words courses_text(const CheckModel& model, const std::vector<BlockCourse>& courses);

/// What was read as a sentence for a report that has no cause; empty where the rows stand where they should, or do not
/// show it.
Words positions_read(const Situation& situation);

// --- Shifts --------------------------------------------------------------------------------------------------------

/// By how much the ids of each block stand elsewhere, as the inputs show it: [block][axis], 0 where nothing shows.
using BlockShifts = std::vector<std::vector<double>>;

/// Recovered from the slowest pair of an axis to the fastest, or read off given ids. Whole and half numbers where the
/// evidence allows them.
BlockShifts recover_shifts(const Situation& situation);
/// Puts the ids of the rows that are looked at where these stand in `ids` [all rows × axes], from the phases alone:
/// whole and half numbers, or those of the model, where the evidence allows them. False where axes share pairs, or the
/// effort is spent.
bool recover_ids(const Situation& situation, RowMatrixXd& ids);
/// The id of one axis in row i of the evidence, as the phases of that row alone or a given id show it.
double recovered_id(const Situation& situation, Eigen::Index i, std::size_t axis);
/// Moves the ids of the blocks.
void shift_blocks(CheckModel& model, const BlockShifts& shifts);

/// What the first id of each block that is looked at moved by.
BlockShifts shifts_between(const CheckModel& before, const CheckModel& after);

/// Whether the rows of a block are among those of the tensors.
bool is_looked_at(const CheckModel& model, const TokenBlock& block);
bool is_shifted(const std::vector<double>& shift);
bool is_reference(const TokenBlock& block);

}  // namespace ropescope
