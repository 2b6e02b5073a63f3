// What a cause of a fault is, what the search and the report have to know of one, and which there are. The causes
// themselves stand beside it, a file for each kind: ids, shifts, scales, sizes, ladders,
// extensions, channels, values (amplitude, sign, formats).
// Read evidence/situation.h first.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/check/evidence/situation.h"

namespace ropescope {

/// What a cause changes; two causes at once come from different groups.
enum class CauseGroup { ids, frequencies, channels, values };

/// Whether scores change by a cause.
enum class Harm {
  none,        ///< no more than by storing the numbers
  by_weights,  ///< they do with weights that were trained without it, not with a program's own
  always,
};

/// How a cause of ids changes them: two of different kinds can be at work at once.
enum class IdChange {
  none,      ///< in a way of its own
  exchange,  ///< ids stand in each other's place
  factor,
  shift,  ///< found with everything else known: such a cause is never the first of two
};

/// What is to be written so that a cause is mended, together or one of them: core/formats/programs/check_fix.h says it.
enum MendedBy : unsigned {
  kByNumpyAlone = 0,  ///< a rounding on the way: no config and no formula of ids says it
  kByBase = 1,        ///< the line of the config with the base
  kByAxes = 2,        ///< the line of the config with channels of axes
  kByLadder = kByBase | kByAxes,
  kByIds = 4,  ///< formulas of ids
  kByRotation = 8,
  kByNothing = 16,       ///< nothing of the model is wrong
  kByGroup = 64,         ///< as its group: ids by formulas, frequencies by the config, else by NumPy alone
  kByPermutation = 128,  ///< a rotation, and how the weights before it are permuted
  kByMetadata = 32,      ///< of a GGUF: what the file itself says, for which no program has an option
};

struct Cause;

/// One of two causes that together stand in the place of a single one.
struct CauseOfTwo {
  const Cause* cause = nullptr;
  Proposal proposal;  ///< with the other cause applied as well
  CheckModel alone;   ///< the reference with this cause alone
};
struct TwoCauses {
  CauseOfTwo first, second;
};

/// One known mistake: one block, and its place in registry.cpp. What the search and the report
/// have to know of it stands here, so that neither knows any cause by its name.
struct Cause {
  std::string_view name;
  CauseGroup group;
  std::string_view seen_in;
  Harm harm = Harm::always;
  unsigned mended_by = kByGroup;
  IdChange id_change = IdChange::none;
  /// Fits nearly anything (an id of its own for every row): tried where nothing else explains the tensors, as a second
  /// cause only where no other two do.
  bool last_resort = false;
  /// Fits much with numbers of its own: tried only where no other cause and no two causes explain the tensors.
  bool after_pairs = false;
  /// Nothing is fitted for it, and nothing else mends as many inputs at once: tried before all others.
  bool tried_first = false;
  /// Gives the tensors another number of rows: tried before all others where that differs, and judged by the rows too
  /// that the reference has not.
  bool changes_rows = false;
  /// Rounds numbers on the way to the tables: may be at work beside another cause of the values.
  bool rounds_on_the_way = false;
  /// How cos and sin are stored: detected in the numbers themselves (with_detected_formats()), and named beside any
  /// other cause.
  bool of_storage = false;
  /// Vectors turn the other way, as those do that a model turns back (CheckReference::turns_back).
  bool turns_back = false;
  /// Appends what the cause could be here, likely ones first; whether it is, is found out by applying it. Nothing: the
  /// cause is told before anything is looked for.
  void (*propose)(const Situation&, std::vector<Proposal>&) = [](const Situation&, std::vector<Proposal>&) {};
  /// The model's own number in the place of a parameter, of an axis where each has one: a proposal that prints as it
  /// changes nothing. Null: no parameter has one; none: this one has none.
  std::optional<double> (*own_number)(const CheckModel& model, std::string_view parameter, std::size_t axis) = nullptr;
  /// Puts what a cause of the values changed in one model into another. Null: it changed the size of the numbers, or
  /// its group says what it changed.
  void (*copy_change)(const CheckModel& changed, CheckModel& model) = nullptr;
  /// Two causes that give the same and say more; none where there are no such. Null: there never are.
  std::optional<TwoCauses> (*as_two)(const Situation&) = nullptr;
};

/// The axes of the frequencies of one ladder that they share, from the fastest to the slowest: "(row, column) x 16".
std::string order_of_shared_ladder(const TokenLayout& tokens);

/// All causes; of several that give the same tensor the first is named.
std::span<const Cause* const> all_causes();

// Those that the report, or a comparison of two models, speaks of by itself; the others registry.cpp declares.
extern const Cause kAxesSwapped, kSign, kCentring, kTextStart, kPositionOffset, kPositionScale, kLength,
    kScalingMissing, kScalingFields, kLengthSwitch, kFrequencyLadder, kRotaryDimension, kBase, kScalingKind, kPairing,
    kTableRotationMismatch, kSectionLayout, kAxisDimensions, kTableTransposed, kProfile, kVectorScale, kAmplitude,
    kHeadOrder, kWeightPermutation;

}  // namespace ropescope
