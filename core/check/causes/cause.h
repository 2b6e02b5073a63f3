// What a cause of a fault is, and which there are. The causes themselves stand beside it, a file per kind.
#pragma once

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

/// One known mistake: one block, one line in all_causes().
struct Cause {
  std::string_view name;
  CauseGroup group;
  std::string_view seen_in;
  Harm harm = Harm::always;
  bool by_shifts = false;  ///< finds its parameters with everything else known: never the first of two
  /// Appends what the cause could be here, likely ones first; whether it is, is found out by applying it.
  void (*propose)(const Situation&, std::vector<Proposal>&);
};

/// All causes; of several that give the same tensor the first is named.
std::span<const Cause* const> all_causes();

// Every cause is declared here, one line each.
extern const Cause kAxesSwapped, kOrder, kCentring, kTextStart, kReferenceIndex, kPositionOffset, kPositionScale,
    kPositionRows, kLength, kCollision, kFrequencyScale;
extern const Cause kScalingMissing, kScalingParameters, kLengthSwitch, kFrequencyLadder, kRotaryDimension, kBase,
    kScalingKindExact, kScalingKind, kScalingRamp, kScalingRampFitted, kTurnedPart;
extern const Cause kPairing, kTableRotationMismatch, kSectionLayout, kAxisDimensions;
extern const Cause kSign, kCosSinExchanged, kTableTransposed, kTableFormat, kProfile, kVectorScale, kAmplitude,
    kPositionFormat, kFrequencyFormat, kAngleFormat;

}  // namespace ropescope
