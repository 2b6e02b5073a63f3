#include "core/check/search/together.h"

#include <algorithm>

#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// What a cause does to ids, where two of them can be at work at once.
enum class IdKind { none, exchange, factor, shift };

IdKind id_kind_of(const Cause& cause) {
  if (&cause == &kAxesSwapped || &cause == &kOrder) return IdKind::exchange;
  if (&cause == &kPositionScale) return IdKind::factor;
  return cause.group == CauseGroup::ids && cause.by_shifts ? IdKind::shift : IdKind::none;
}

/// Whether a cause is a format on the way to the tables.
bool is_format(const Cause& cause) {
  return &cause == &kPositionFormat || &cause == &kFrequencyFormat || &cause == &kAngleFormat;
}

}  // namespace

bool go_together(const Cause& a, const Cause& b) {
  if (&a == &kCollision || &b == &kCollision) return false;
  if (a.group != b.group) return true;
  return a.group == CauseGroup::values && is_format(a) != is_format(b);
}

bool go_together_in_ids(const Cause& a, const Cause& b) {
  const IdKind of_a = id_kind_of(a), of_b = id_kind_of(b);
  return of_a != IdKind::none && of_b != IdKind::none && of_a != of_b;
}

void take_values(const Cause& cause, const CheckModel& found, CheckModel& only) {
  if (&cause == &kSign) {
    only.conjugate = found.conjugate;
  } else if (&cause == &kCosSinExchanged) {
    only.exchanged = found.exchanged;
  } else if (is_format(cause)) {
    only.id_format = found.id_format;
    only.frequency_format = found.frequency_format;
    only.angle_format = found.angle_format;
  } else {
    only.amplitude = found.amplitude;
    only.cosine_factor = found.cosine_factor;
    only.sine_factor = found.sine_factor;
    only.slack = found.slack;
  }
}

void move_alike(const CheckModel& before, const CheckModel& after, CheckModel& model) {
  if (before.id_factor != 0) model.id_factor *= after.id_factor / before.id_factor;
  const std::vector<TokenBlock>&from = before.tokens.blocks, &to = after.tokens.blocks;
  BlockShifts shifts(std::min({from.size(), to.size(), model.tokens.blocks.size()}));
  for (std::size_t block = 0; block < shifts.size(); ++block) {
    for (std::size_t axis = 0; axis < from[block].ids.size(); ++axis) {
      shifts[block].push_back(after.id_factor * (to[block].ids[axis].at(0) - from[block].ids[axis].at(0)));
    }
  }
  shift_blocks(model, shifts);
}

}  // namespace ropescope
