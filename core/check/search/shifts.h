#pragma once

#include "core/check/causes/cause.h"
#include "core/row_matrix.h"

namespace ropescope {

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

/// The shifts of images from one way of placing 0 on a side to another, all others 0; none where the model does not
/// centre its images, or the shifts are others.
std::optional<BlockShifts> centring_shifts(const CheckModel& model, const BlockShifts& shifts);
/// The cause "centring" with these shifts, which are of images alone.
Proposal centred_otherwise(const Situation& situation, const BlockShifts& shifts);
/// The cause "text-start" with these shifts, which are of texts alone.
Proposal text_started_at(const Situation& situation, const BlockShifts& shifts);

/// Whether the rows of a block are among those of the tensors.
bool is_looked_at(const CheckModel& model, const TokenBlock& block);
bool is_shifted(const std::vector<double>& shift);
bool is_reference(const TokenBlock& block);

}  // namespace ropescope
