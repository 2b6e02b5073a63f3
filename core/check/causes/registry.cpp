// All causes in the order in which they are tried: of several that give the same tensor the first is named. Read
// cause.h first; add a cause here: its declaration and its place.

#include "core/check/causes/cause.h"

namespace ropescope {

extern const Cause kAxisExtension, kAxisExtensionFitted, kUsualBase, kOrder, kReferenceIndex, kPositionRows,
    kListedPositions, kCollision, kFrequencyScale, kScalingKindExact, kScalingRamp, kScalingRampFitted, kTurnedPart,
    kCosSinExchanged, kTableFormat, kPositionFormat, kFrequencyFormat, kAngleFormat;

namespace {

// Where several causes give the same tensor the first is named, the others stand in `also`. Frequencies before ids: a
// factor that the config speaks of is not one of positions. Within the frequencies what the config asks for comes
// first; within the ids whole exchanges before orders of tokens, shifts of a part before shifts of everything.
const Cause* const kInOrder[] = {
    &kTableFormat,            // harmless: nothing else is wrong
    &kFrequencyFormat,        // rounding before what is fitted; before ids: small ones are not moved
    &kAngleFormat,            //
    &kPositionFormat,         //
    &kScalingMissing,         // plain where an extension is asked for
    &kLengthSwitch,           // dynamic NTK at another length; before its factor
    &kScalingKindExact,       // another method as it stands, before the same numbers out of the one asked for
    &kScalingFields,          // the method asked for, with other numbers
    &kScalingRamp,            // its ramp or one of its parts made otherwise
    &kAxisExtension,          // of a layout's axes, as asked for or by its sides alone
    &kFrequencyLadder,        // before the factor and the base that give the same rungs
    &kUsualBase,              // the one that code has by default
    &kRotaryDimension,        // before the base that gives the same exponents
    &kBase,                   // any other geometric ladder
    &kCosSinExchanged,        //
    &kProfile,                // told before anything is looked for: never proposed
    &kTableTransposed,        // told by the shape, or by what the first tokens hold: never proposed
    &kSign,                   // before the factor -1
    &kAxesSwapped,            // before the order of tokens: on a square they are the same
    &kOrder,                  //
    &kCentring,               // a shift of the image by a part of its side
    &kTextStart,              // of the text alone
    &kReferenceIndex,         // of the references alone
    &kPositionOffset,         // any other shift
    &kPositionScale,          // any other factor
    &kFrequencyScale,         // the same, where ids or frequencies show that it is one of frequencies
    &kAxisExtensionFitted,    // after the bases and factors that give the same with fewer numbers
    &kPositionRows,           // shifts and steps of single rows, after those of whole parts
    &kScalingKind,            // what no method asked for gives
    &kScalingRampFitted,      // after the methods that have such a ramp
    &kTurnedPart,             // the right channels, elsewhere in the head
    &kHeadOrder,              // told by lengths before anything is looked for: never proposed
    &kWeightPermutation,      // as it
    &kPairing,                // before the mismatch that only vectors can show
    &kTableRotationMismatch,  //
    &kSectionLayout,          // before other numbers of pairs
    &kAxisDimensions,         //
    &kAmplitude,              //
    &kVectorScale,            // what no rotation does: told from the vectors that nothing explains, never proposed
    &kLength,                 //
    &kListedPositions,        // only where no two causes explain it
    &kCollision,              // only where nothing else explains it
};

}  // namespace

std::span<const Cause* const> all_causes() {
  return kInOrder;
}

}  // namespace ropescope
