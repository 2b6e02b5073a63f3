#pragma once

#include <span>
#include <string>

#include "core/check/model/ladders.h"
#include "core/check/phrases.h"

namespace ropescope {

/// What a cause changes; two causes at once come from different groups.
enum class CauseGroup { ids, frequencies, channels, values };

/// How much a proposal was bent to fit: what is less bent is looked at first.
enum class Doubt {
  none,          ///< nothing was fitted
  round_number,  ///< a fitted number of few digits
  fitted,        ///< any other number, or an odd case
};
/// Of a proposal with a fitted number, rounded or not: float64 shows a round one to the last digit.
Doubt doubt_of(double value);

/// A cause with its parameters, applied.
struct Proposal {
  CheckModel model;
  std::vector<CheckParameter> parameters;
  Words evidence;  ///< a sentence or two
  Words advice;    ///< one sentence
  /// The same change on another model, where copying what a cause of its group changes would take along what another
  /// cause changed; null: copying will do.
  std::function<CheckModel(const CheckModel&)> again = nullptr;
  Doubt doubt = Doubt::none;
};

/// Observations that several searches share: phases cost more than most causes.
class ObservedCache {
 public:
  explicit ObservedCache(const Evidence& evidence) : evidence_(evidence) {}
  const Observed& of(const CheckModel& model);

 private:
  struct Key {
    Pairing repeats, companions;
    bool out_by_halves;
    std::int64_t still;
    bool conjugate, exchanged;
    double cosine_factor, sine_factor;
    Eigen::Index pairs;
    bool operator==(const Key&) const = default;
  };
  const Evidence& evidence_;
  std::vector<std::pair<Key, std::unique_ptr<Observed>>> kept_;
};

/// What a cause looks at when it proposes itself: the reference with another cause applied already, or as it is.
class Situation {
 public:
  Situation(const CheckReference& of, const CheckModel& applied, const Evidence& read, ObservedCache& cache)
      : reference(of), model(applied), evidence(read), cache_(cache) {}

  const CheckReference& reference;
  const CheckModel& model;
  const Evidence& evidence;

  const Observed& observed() const { return cache_.of(model); }
  const Measured& measured() const;
  const Ladders& ladders() const;
  /// By how much the ids of each block stand elsewhere: [block][axis] (shifts.h).
  const std::vector<std::vector<double>>& shifts() const;
  /// The tables say what the frequencies are, and they are those of the model.
  bool frequencies_fit() const;
  /// The same, give or take one factor for all of them.
  bool frequencies_fit_but_for_a_factor() const;
  /// A copy of the model to change.
  Proposal proposal() const { return {model, {}, {}, {}, nullptr, Doubt::none}; }
  /// The same evidence about another model.
  Situation about(const CheckModel& other) const { return {reference, other, evidence, cache_}; }

 private:
  ObservedCache& cache_;
  mutable std::optional<Measured> measured_;
  mutable std::optional<Ladders> ladders_;
  mutable std::optional<std::vector<std::vector<double>>> shifts_;
};

/// Whether scores change by a cause.
enum class Harm {
  none,        ///< no more than by storing the numbers
  by_weights,  ///< they do with weights that were trained without it, not with a program's own
  always,
};

/// One known mistake: one file, one line in all_causes().
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
