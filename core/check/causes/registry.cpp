// All causes in the order in which they are tried: of several that give the same tensor, the first is reported. Read
// cause.h first. To add a cause, add its declaration and its place here.

#include "core/check/causes/cause.h"

namespace ropescope {

extern const Cause kAxisExtension, kAxisExtensionFitted, kUsualBase, kOrder, kReferenceIndex, kPositionRows,
    kListedPositions, kCollision, kShiftedRows, kFrequencyScale, kScalingKindExact, kScalingRamp, kScalingRampFitted,
    kTurnedPart, kCosSinExchanged, kTableTransposed, kProfile, kVectorScale, kHeadOrder, kWeightPermutation,
    kTableFormat, kPositionFormat, kFrequencyFormat, kAngleFormat;

namespace {

// If several causes give the same tensor, the first is reported and the others are listed in `also`. Frequencies
// precede ids: a factor in the config is not a factor of positions. Among frequencies, causes named in the config come
// first; among ids, swaps precede orders of tokens, and shifts of a part precede shifts of everything.
const Cause* const kInOrder[] = {
    &kTableFormat,            // harmless: nothing else is wrong
    &kFrequencyFormat,        // rounding before what is fitted; before ids: small ones are not moved
    &kAngleFormat,            //
    &kPositionFormat,         //
    &kScalingMissing,         // no extension where the config specifies one
    &kLengthSwitch,           // dynamic NTK at another length; before its factor
    &kScalingKindExact,       // another method unchanged, before the same numbers as the specified one
    &kScalingFields,          // the specified method with other numbers
    &kScalingRamp,            // its ramp or one of its parts computed differently
    &kAxisExtension,          // of a layout's axes, as specified or by its sides alone
    &kFrequencyLadder,        // before the factor and the base that give the same frequencies
    &kUsualBase,              // the default of much code
    &kRotaryDimension,        // before the base that gives the same exponents
    &kBase,                   // any other geometric ladder
    &kCosSinExchanged,        //
    &kProfile,                // detected before the search
    &kTableTransposed,        // detected by shape or by the first tokens
    &kSign,                   // before the factor -1
    &kAxesSwapped,            // before the order of tokens: on a square they are the same
    &kOrder,                  //
    &kCentring,               // a shift of the image by a part of its side
    &kTextStart,              // of the text alone
    &kReferenceIndex,         // of the references alone
    &kPositionOffset,         // any other shift
    &kPositionScale,          // any other factor
    &kFrequencyScale,         // the same, if ids or frequencies show a factor of frequencies
    &kAxisExtensionFitted,    // after the bases and factors that give the same with fewer numbers
    &kPositionRows,           // shifts and steps of single rows, after those of whole parts
    &kScalingKind,            // frequencies that the specified method cannot give
    &kScalingRampFitted,      // after the methods that have such a ramp
    &kTurnedPart,             // the right channels, elsewhere in the head
    &kHeadOrder,              // detected by lengths before the search
    &kWeightPermutation,      // detected by lengths before the search
    &kPairing,                // before the mismatch that only vectors can show
    &kTableRotationMismatch,  //
    &kSectionLayout,          // before other numbers of pairs
    &kAxisDimensions,         //
    &kAmplitude,              //
    &kVectorScale,            // not a rotation: detected before the search
    &kLength,                 //
    &kListedPositions,        // only if no two causes explain the tensors
    &kShiftedRows,            // only if nothing else explains the tensors
    &kCollision,              // the same, after a shift that makes tokens share ids
};

}  // namespace

std::span<const Cause* const> all_causes() {
  return kInOrder;
}

std::vector<CheckCause> tell_causes(const Sighting& seen) {
  std::vector<CheckCause> found;
  for (const Cause* cause : all_causes()) {
    std::optional<CheckCause> one = cause->tell != nullptr ? cause->tell(seen) : std::nullopt;
    if (!one) continue;
    one->name = cause->name;
    one->seen_in = cause->seen_in;
    one->confidence = 1;
    found.push_back(std::move(*one));
  }
  return found;
}

}  // namespace ropescope
