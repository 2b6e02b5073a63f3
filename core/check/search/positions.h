#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

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

}  // namespace ropescope
