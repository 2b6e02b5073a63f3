// Interface of a cause (a known mistake) for the search and the report, and the registry of causes. The causes are
// implemented in this folder, one file per kind: from ids and frequencies to channels and values.
// Read evidence/situation.h first.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/check/compare/arrangement.h"
#include "core/check/evidence/situation.h"

namespace ropescope {

/// The group of quantities that a cause affects; two simultaneous causes must be from different groups.
enum class CauseGroup { ids, frequencies, channels, values };

/// Effect of a cause on attention scores.
enum class Harm {
  none,        ///< no more effect than storing the numbers has
  by_weights,  ///< only for weights that were trained without it
  always,
};

/// How a cause changes ids; two causes of different kinds can act at once.
enum class IdChange {
  none,      ///< does not change ids in one of these ways
  exchange,  ///< ids are swapped
  factor,
  shift,  ///< detected with everything else known: such a cause is never the first of two
};

/// Flags for what fixes a cause, one or several together; core/formats/programs/check_fix.h writes the fix.
enum FixKind : unsigned {
  kNumpyOnly = 0,  ///< a rounding step: neither a config nor id formulas express it
  kByBase = 1,     ///< the config line with the base
  kByAxes = 2,     ///< the config line with the channels of the axes
  kByLadder = kByBase | kByAxes,
  kByIds = 4,  ///< id formulas
  kByRotation = 8,
  kNoFix = 16,           ///< nothing in the model is wrong
  kByGroup = 64,         ///< as for its group: id formulas, the config for frequencies, NumPy alone for others
  kByPermutation = 128,  ///< a rotation, and the permutation of the weights before it
  kByMetadata = 32,      ///< metadata of a GGUF file, for which no program has an option
};

/// What was seen in the inputs apart from a rotation. Parts that were not seen are null.
struct Sighting {
  const CheckReference& reference;
  const CheckModel* model = nullptr;         ///< for the next three; with the detected formats for `evidence`
  const Evidence* evidence = nullptr;        ///< vectors that disagree
  const Arrangement* arrangement = nullptr;  ///< heads and channels that are not in place
  const HeadVectors* vectors = nullptr;      ///< those of the arrangement
  const TablePlanes* transposed = nullptr;   ///< tables that could be read only transposed
  const CheckReference* agreeing = nullptr;  ///< the model's other embedding that gives the tensors
};

struct Cause;

/// One of two causes that are applied in combination.
struct CauseOfTwo {
  const Cause* cause = nullptr;
  Proposal proposal;  ///< with the other cause applied as well
  CheckModel alone;   ///< the reference with only this cause
};
struct TwoCauses {
  CauseOfTwo first, second;
};

/// A known mistake: a self-contained definition, registered in registry.cpp. It contains everything the search and the
/// report need, so that neither refers to a cause by name.
struct Cause {
  std::string_view name;
  CauseGroup group;
  std::string_view seen_in;
  Harm harm = Harm::always;
  unsigned fix_kinds = kByGroup;
  IdChange id_change = IdChange::none;
  /// Gives single rows ids of their own, which can fit almost any tensors: tried only if nothing else explains the
  /// tensors, and as a second cause only if no other two do.
  bool last_resort = false;
  /// Fits many tensors with its own numbers: tried only if no other cause and no two causes explain them.
  bool after_pairs = false;
  /// Fits nothing, and fixes more inputs at once than any other cause: tried before all others.
  bool tried_first = false;
  /// Changes the number of rows: tried first if that number differs, and also judged by rows that the reference does
  /// not have.
  bool changes_rows = false;
  /// Rounds intermediate values: may act together with another cause in the values.
  bool rounds_on_the_way = false;
  /// How cos and sin are stored: detected in the numbers themselves (set_detected_formats()), and reported in addition
  /// to any other cause.
  bool of_storage = false;
  /// Vectors are rotated the other way, as by a model that rotates its output back
  /// (CheckReference::rotates_output_back).
  bool rotates_output_back = false;
  /// Appends proposals for this cause, likely ones first; applying one shows whether it applies.
  void (*propose)(const Situation&, std::vector<Proposal>&) = [](const Situation&, std::vector<Proposal>&) {};
  /// Returns what to report if a sighting shows this cause, which no model then has to reproduce; tell_causes()
  /// completes it. Null: the cause is found by its proposals.
  std::optional<CheckCause> (*tell)(const Sighting&) = nullptr;
  /// Returns the model's value of a parameter, of an axis if each has one: a proposal that prints the same value
  /// changes nothing. nullopt: this parameter has no value. Null: no parameter has one.
  std::optional<double> (*own_number)(const CheckModel& model, std::string_view parameter, std::size_t axis) = nullptr;
  /// Returns two causes that together have the same result and are more specific; nullopt if there are none. Null:
  /// there never are any.
  std::optional<TwoCauses> (*as_two)(const Situation&) = nullptr;
};

/// Returns the axes of a shared ladder in the order of its frequencies, fastest first: "(row, column) x 16".
std::string order_of_shared_ladder(const TokenLayout& tokens);

/// Returns all causes in order of precedence: of several that give the same tensor, the first is reported.
std::span<const Cause* const> all_causes();

/// Returns the causes that a sighting shows, with full confidence and without residuals.
std::vector<CheckCause> tell_causes(const Sighting& seen);

// Causes that the report or a comparison of two models names directly; registry.cpp declares the others.
extern const Cause kAxesSwapped, kSign, kCentring, kTextStart, kPositionOffset, kPositionScale, kLength,
    kScalingMissing, kScalingFields, kLengthSwitch, kFrequencyLadder, kRotaryDimension, kBase, kScalingKind, kPairing,
    kTableRotationMismatch, kSectionLayout, kAxisDimensions, kAmplitude;

}  // namespace ropescope
