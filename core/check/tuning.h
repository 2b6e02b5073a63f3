// The tuned constants of check: what counts as equal, how much is sampled and tried, and how much is said. All folders
// of check use them. Whether a change is good is decided by the cases of tests/audit. Constants of formats and of the
// float32 error model are in compare/, with their derivations.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

namespace ropescope::tuned {

// --- Errors ---------------------------------------------------------------------------------------------------------

// Standard errors, or bounds of noise, up to which two measured numbers are equal. The bounds are estimates, so several
// are allowed; fewer where a miss is found again later, more where a wrong match would be reported.

inline constexpr double kErrorsOfShift = 3;      ///< a shift of ids that no pair shows
inline constexpr double kErrorsOfPhase = 4;      ///< phases of one pair in two rows
inline constexpr double kErrorsOfQuotient = 4;   ///< quotients of integers, of which there are many
inline constexpr double kErrorsOfFit = 5;        ///< fitted numbers
inline constexpr double kErrorsOfAmplitude = 6;  ///< amplitudes of cos and of sin
inline constexpr double kErrors = 8;             ///< frequencies, their ratios, and steps from row to row
inline constexpr double kErrorsOfStep = 12;      ///< frequencies of single steps from their median: rows out of place
inline constexpr double kClearOfNoise = 3;       ///< a frequency above 0, for a line through logarithms
inline constexpr double kClearOfNoiseStart = 4;  ///< the same for a start of a fit, which may be wrong
inline constexpr double kClearOfNoiseAlone = 5;  ///< the same for the first of them, on which all others build
inline constexpr double kHalfWeight = 12;        ///< residuals in units that count half in a robust slope
inline constexpr double kNoWeight = 300;         ///< residuals in units of a wrapped cell, or of another error
inline constexpr double kMaxMisfitOfPhase = 64;  ///< units² of one deviation: a replay need not fit everywhere

// Radians added to the errors of phases that are compared; kPhaseOfMeasured is also multiplied.
inline constexpr double kLeastPhase = 1e-9;       ///< rounding of the comparison itself
inline constexpr double kPhaseOfGrid = 1e-4;      ///< rows of an image: angles of large ids err more than is stored
inline constexpr double kPhaseOfRepeats = 1e-3;   ///< rows that repeat, with the larger ids of long texts
inline constexpr double kPhaseOfSteps = 2e-3;     ///< rows that continue with the same step
inline constexpr double kPhaseOfMeasured = 0.02;  ///< angles of measured frequencies over many ids

// Radians from which an angle shows nothing.
inline constexpr double kClearTurn = 0.8;            ///< uncertainty of an angle above which its turn is ambiguous
inline constexpr double kClearFirstTurn = 0.5;       ///< the same for the first pair, whose noise nothing bounds
inline constexpr double kShowsNothing = 0.5;         ///< error of an angle of ids so large that any value may be right
inline constexpr double kLeastMostAngleError = 0.1;  ///< allowed to candidates of references with small angles

// --- Ratios ---------------------------------------------------------------------------------------------------------

inline constexpr double kSameLadder = 1e-9;         ///< frequencies by two formulas of the same ladder
inline constexpr double kPlainFactor = 1e-12;       ///< an extension that leaves a pair unchanged
inline constexpr double kSameRatio = 1e-4;          ///< ratios in one run of pairs
inline constexpr double kSameStretch = 1e-5;        ///< ratios of pairs to one of a few ladders
inline constexpr double kSameExponent = 1e-5;       ///< a base that is a power of the model's
inline constexpr double kSameBase = 1e-3;           ///< the config's base without its extension
inline constexpr double kNearRatio = 2e-3;          ///< likely the same number, whatever error a fit claims
inline constexpr double kNearAmplitude = 1e-6;      ///< amplitudes computed in float32
inline constexpr double kExactFactor = 1e-7;        ///< error of a factor between two lists of float32 frequencies
inline constexpr double kErrorOfGivenIds = 2e-7;    ///< of factors between ids, stored in float32
inline constexpr double kShiftedRatio = 1e-6;       ///< ratios of ids that differ by more: the ids are shifted too
inline constexpr double kSureFactor = 0.1;          ///< error of a fitted factor beyond which it is not used
inline constexpr double kSureBase = 0.3;            ///< the same for a base: even far ones change frequencies little
inline constexpr double kSlackOfFit = 0.5;          ///< of a unit, for numbers used as they were fitted
inline constexpr double kSureRatio = 0.05;          ///< error of a ratio that is known well enough to be named
inline constexpr double kSureSide = 0.02;           ///< the same for factors of an image's sides
inline constexpr double kSureOfPeriod = 0.2;        ///< part of a period within which a prediction settles the turn
inline constexpr double kBlended = 1e-3;            ///< part of a ramp that is neither plain nor fully extended
inline constexpr double kLeastFactor = 1.05;        ///< a slower pair than the plain one: not only noise
inline constexpr double kLeastFactorOfSide = 1.02;  ///< the same for an image's sides
inline constexpr double kStillFactor = 1e-6;        ///< a factor of 0
inline constexpr double kShortOfId = 1e-3;          ///< a fitted factor that ends slightly below a whole id
inline constexpr double kMinBase = 1.01;            ///< nearer to 1, all frequencies are nearly equal
inline constexpr double kMaxBase = 1e15;            ///< beyond it, only the first pair of a layout's ladder moves
inline constexpr double kMaxPositionFactor = 1e3;   ///< beyond it, float32 does not determine the angles
inline constexpr double kMinPositionFactor = 1e-3;  ///< below it, the ids are hardly distinguished
inline constexpr double kDistinctId = 0.12;         ///< error of an id, in its unit, that excludes its neighbours
inline constexpr double kMaxWholeId = 1e9;          ///< ids whose differences are exact in an integer
inline constexpr double kIdOfRecurrence = 1e-3;     ///< error of a shift by ggml's recurrence, the same in all rows
inline constexpr double kFitOfRecurrence = 4e-6;    ///< relative error of a number fitted under ggml's recurrence

// --- Lengths and numbers of tables ----------------------------------------------------------------------------------

inline constexpr double kSameLength = 0.03;        ///< lengths of a pair in bfloat16, before and after a rotation
inline constexpr double kSameLengthOfHead = 0.02;  ///< the same, where the sources of a head are distinguished by it
inline constexpr double kSameRadius = 0.02;        ///< √(cos² + sin²) in short formats
inline constexpr double kSameStep = 0.02;          ///< steps of angles from row to row in short formats
inline constexpr double kMaxTableNumber = 2;       ///< larger than any amplitude: angles, not cos or sin
inline constexpr double kStillSine = 1e-6;         ///< sines of the token at position 0
inline constexpr double kTurnedSine = 0.05;        ///< sines of the token at position 1, in its fastest pair
inline constexpr double kBetweenOfRadius = 0.2;    ///< cos and sin both far from 0: either shows an amplitude
inline constexpr double kParallel = 1e-3;          ///< vectors that are multiples of one
inline constexpr double kScaledAndRounded = 2;     ///< the scaled numbers and the scales were both rounded
inline constexpr double kSureMinAngle = 0.1;       ///< radians within which a sine exceeds every tolerance …
inline constexpr double kSureMaxAngle = 3;         ///< … up to nearly half a turn

// --- Shares ---------------------------------------------------------------------------------------------------------

inline constexpr double kNearlyAll = 0.9;         ///< of the numbers: some may be wrong for another reason
inline constexpr double kMostly = 0.8;            ///< of the ids of an axis, or of the rows that show ids
inline constexpr double kHalfRight = 0.5;         ///< of the numbers, for a shift that is then fitted again
inline constexpr double kMostlyRight = 0.4;       ///< of the numbers, for a cause beside a collision of ids
inline constexpr double kSomeRight = 0.3;         ///< of the numbers, for a fit that all of them can refine
inline constexpr double kHardlyAny = 0.3;         ///< of the vectors keep their length: they are others
inline constexpr double kAgreedMisfit = 0.25;     ///< misfit per pair of a shift on which all agree
inline constexpr std::int64_t kOneInOthers = 16;  ///< at most one number in so many may have another length

// --- Samples --------------------------------------------------------------------------------------------------------

// Rows that decide as well as all: errors of a kind appear in many rows, and the time is bounded.

inline constexpr std::int64_t kRowsOfFormat = 256, kRowsOfOrder = 64, kRowsOfLengths = 24, kRowsAtOnce = 4096;
inline constexpr Eigen::Index kRowsOfReplay = 256, kRowsOfReplayErrors = 512, kRowsOfAmplitudes = 256,
                              kRowsOfShare = 48;
inline constexpr std::size_t kRowsOfSlope = 160, kRowsOfRatios = 65, kRowsOfSign = 64, kRowsOfProbe = 24;
inline constexpr std::int64_t kFewRows = 32;          ///< reject most candidates before all rows are compared
inline constexpr std::int64_t kRowsOfText = 4096;     ///< of a text at the ends of a sequence
inline constexpr std::int64_t kRowsAtEnds = 48;       ///< of every part: its borders
inline constexpr std::int64_t kLinesOfGrid = 24;      ///< whose starts are sampled
inline constexpr std::size_t kScattered = 17;         ///< stride; a prime, so that it shares no period with grids
inline constexpr std::size_t kEnoughWrongRows = 256;  ///< in the sample: no more are looked for
inline constexpr std::size_t kEnoughRadii = 24;       ///< of numbers between the axes, for their median
inline constexpr std::int64_t kEnoughBetween = 24;    ///< the same, for two amplitudes
inline constexpr std::int64_t kEnoughLengths = 16;    ///< pairs that show lengths: fewer agree by chance
inline constexpr std::int64_t kMaxAxisNumbers = 1 << 22, kMinAxisRows = 256;  ///< looked at for agreeing axes
inline constexpr Eigen::Index kMaxScaledNumbers = 1 << 18;                    ///< looked at for scaled vectors
inline constexpr std::int64_t kManyPairs = 64;       ///< in the largest sample: beyond it, the budget is doubled
inline constexpr Eigen::Index kRowsOfCandidate = 3;  ///< cost of building a candidate, in rows

// --- Fits -----------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxMeasureLines = 24, kStepsOfLine = 6, kMaxSteps = 12;  ///< of the measured frequencies
inline constexpr double kMaxAliases = 64;             ///< turns tried between the two nearest rows
inline constexpr std::size_t kKeptMeasurements = 48;  ///< keyed by what they depend on; the oldest are replaced
inline constexpr double kNewtonStep = 1e-6;           ///< in ln(value), for a derivative in frequencies
inline constexpr double kRefinedStep = 1e-7;          ///< the same in tables, whose numbers are more precise
inline constexpr double kFarthestRefined = 1e-2;      ///< a refinement that goes farther left its valley
inline constexpr int kRefinements = 8;                ///< Newton's method doubles the digits each time
inline constexpr std::size_t kTriedStarts = 3;        ///< the best starts of a fit: more rarely lead elsewhere
inline constexpr int kNewtonSteps = 24;               ///< a fit converges in fewer, even from a far start
inline constexpr double kConverged = 1e-13;           ///< in ln(value): the last digits of a double
inline constexpr double kFarBetter = 0.5;       ///< misfit of a number far from the model's own, over that of this
inline constexpr double kErrorOfRounded = 0.6;  ///< of a unit, of frequencies rounded to the nearest number
inline constexpr double kLongestStep = 0.7;     ///< a factor of 2, beyond which the slope says nothing
inline constexpr int kFewDigits = 3, kMaxDigits = 9;  ///< of the round numbers near a fit
inline constexpr int kValuesAround = 24;              ///< to each side, up to three errors, for rounded frequencies
inline constexpr int kTurnsOfFirst = 2;               ///< of the first pair between two rows
inline constexpr int kScaleRounds = 12;               ///< of alternating least squares: both sides converge
inline constexpr double kFirstEdge = 1e-6, kFarthestEdge = 0.7;  ///< of the range of numbers with the same frequencies
inline constexpr int kLargestDenominator = 256;                  ///< of a side fitted to another
inline constexpr std::size_t kMaxFactorStarts = 80;              ///< of one factor: nearly all pairs show the same
inline constexpr std::size_t kMaxAxisFactorStarts = 160;         ///< of one axis: enough for the largest heads
inline constexpr double kNearTimes = 0.05;                       ///< of a time around the best of a coarse grid
inline constexpr double kProductLimit = 1e250;  ///< below the largest double: one logarithm for many factors

// Starts of fits, spaced logarithmically over what ports have had, near enough for a fit to converge from one of them.
struct Grid {
  double low = 1, high = 1;
  int count = 0;
  constexpr Grid times(double by) const { return {low * by, high * by, count}; }
};
inline constexpr Grid kStartsOfFactor = {1e-3, 1e3, 25}, kStartsOfAxisFactor = {1.0 / 256, 256, 81};
inline constexpr Grid kStartsOfBase = {2, 1e9, 28}, kStartsOfLayoutBase = {2, 1e8, 33};
inline constexpr Grid kStartsOfKind = {1.01, 512, 33};    ///< factors of another method
inline constexpr Grid kStartsOfField = {0.01, 1000, 41};  ///< numbers of the specified method
// If a ramp is cut to whole pairs, each number represents a narrow range: all ranges are tried.
inline constexpr Grid kStartsOfCutRamp = {0.01, 1000, 221}, kStartsOfTrainedLength = {1.0 / 32, 32, 133};
inline constexpr Grid kStartsOfFactorAtLength = {1, 256, 25};          ///< with a trained length from the config
inline constexpr Grid kStartsOfLength = {1.02, 512, 49};               ///< of current lengths over the trained one
inline constexpr double kMinStartBase = 1.0001, kMaxBaseOfFit = 1e18;  ///< beyond them, all pairs but one are equal
inline constexpr double kMinExponent = 0.05;                           ///< of a pair that shows a base
inline constexpr std::size_t kMaxBaseStarts = 64;                      ///< from single pairs: nearly all show the same
inline constexpr double kClearOfPeriod = 0.15;  ///< part of a period up to which the sign of a deviation is sure

// ggml's recurrence, replayed.
inline constexpr int kFloatNeighbours = 1, kPartsOfLogarithm = 40;  ///< of the scale on the CPU; of its error on GPUs
inline constexpr double kRoundingsOfCpu = 0.25, kRoundingsOfGpu = 2,
                        kRoundingsOfExtension = 4;                          ///< of an angle: the CPU's replay is exact
inline constexpr double kLeastOfReplay = 2e-7, kFastCosineOfReplay = 2e-6;  ///< radians of storage and fast cosines

// --- Candidates -----------------------------------------------------------------------------------------------------

// Limits of what is tried: beyond them the case does not occur, or its candidates would spend the whole budget.

inline constexpr std::size_t kMaxPermutedAxes = 4;   ///< 23 orders
inline constexpr Eigen::Index kMaxDealtPairs = 256;  ///< assigned to axes in other ways
inline constexpr Eigen::Index kAxesReadOff = 3;      ///< with no more axes, the measurement shows the axis of each pair
inline constexpr std::int64_t kMaxGivenPairs = 4096;  ///< pairs of the largest dimension (kLargestDimension)
inline constexpr std::int64_t kMinPermutedBlock = 4, kMinPermutedPairs = 4,
                              kMaxPermutedHeads = 256;      ///< smaller blocks agree by chance
inline constexpr int kMaxLadderHeads = 64;                  ///< with ladders of their own, as in LTX-2
inline constexpr std::int64_t kRowsOfRun = 8;               ///< on average; shorter runs do not count as runs
inline constexpr std::int64_t kMaxPatchTokens = 1 << 16;    ///< in other orders of patches, each a list of ids
inline constexpr std::size_t kFewParts = 4, kMaxParts = 9;  ///< in all orders; moved one at a time
inline constexpr std::int64_t kTimesOfStride = 4, kMoreOfStride = 64;  ///< sides are never padded to more
inline constexpr std::int64_t kLongestSide = 1 << 14;                  ///< of an image in tokens
inline constexpr int kMaxFrames = 512;                                 ///< of a video in tokens
inline constexpr std::int64_t kMaxItems = 64;                          ///< of a batch: each is searched row by row
inline constexpr std::int64_t kMaxRanks = 256;                         ///< that share a sequence
inline constexpr std::size_t kFewSizes = 3;           ///< most like the reference's, if none reproduces the rows
inline constexpr std::size_t kMaxExtensions = 4;      ///< the best methods of a resolution
inline constexpr std::size_t kMaxLadderRuns = 4;      ///< of pairs that use one of a few ladders
inline constexpr std::size_t kMaxKnownIds = 1 << 16;  ///< fractions that a model has on an axis
inline constexpr int kMaxTurnsOfId = 48;              ///< of the slowest pair, of an axis with fast pairs only
inline constexpr double kNearShift = 48;              ///< ids tried where even the slowest pair wraps early
inline constexpr int kMaxTurnsOfShift = 512;          ///< of the slowest pair
inline constexpr double kFarthestShift = 2e5;         ///< how far they lead at most: farther ones would agree by chance
inline constexpr int kReachOfMixed = 48;              ///< half ids to each side, for two axes at once
inline constexpr int kMaxBesideCollision = 24;        ///< causes tried beside a collision

// --- Words ----------------------------------------------------------------------------------------------------------

// Items of a list in a sentence; the others are counted, or stand for themselves as "…".

inline constexpr std::size_t kSaidFrequencies = 3, kSaidIdRuns = 4, kSaidItems = 6, kSaidIds = 8, kSaidPairs = 8,
                             kSaidRuns = 8, kSaidCourses = 9;

}  // namespace ropescope::tuned
