// What a cause looks at when it proposes itself, and what it proposes. Read evidence.h and fit.h first; causes/cause.h
// is what stands on it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/check/evidence/fit.h"
#include "core/check/phrases.h"

namespace ropescope {

/// How much a proposal was bent to fit: what is less bent is looked at first.
enum class Doubt {
  none,          ///< nothing was fitted
  round_number,  ///< a fitted number of few digits
  fitted,        ///< any other number, or an odd case
};
/// How much a proposal with a fitted number was bent, rounded or not: float64 shows a round one to the last digit.
Doubt doubt_of(double value);

/// A cause with its parameters, applied.
struct Proposal {
  CheckModel model;
  std::vector<CheckParameter> parameters;
  Words evidence;  ///< a sentence or two
  Words advice;    ///< one sentence
  /// Makes the change of the proposal on another model, where copying what a cause of its group changes would take
  /// along what another cause changed; null: copying will do.
  std::function<CheckModel(const CheckModel&)> again = nullptr;
  Doubt doubt = Doubt::none;
};

/// What an observation depends on, ids and tables given.
struct ObservedKey {
  Pairing repeats, companions;
  bool out_by_halves, halves_by_axis;
  std::int64_t still;
  bool conjugate, exchanged;
  double cosine_factor, sine_factor;
  Eigen::Index pairs;
  bool operator==(const ObservedKey&) const = default;
};
ObservedKey observed_key(const CheckModel& model, Eigen::Index pairs);

/// Observations that several searches share: phases cost more than most causes.
class ObservedCache {
 public:
  explicit ObservedCache(const Evidence& evidence) : evidence_(evidence) {}
  const Observed& of(const CheckModel& model);

 private:
  const Evidence& evidence_;
  std::vector<std::pair<ObservedKey, std::unique_ptr<Observed>>> kept_;
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
  /// By how much the ids of each block stand elsewhere: [block][axis] (positions.h).
  const std::vector<std::vector<double>>& shifts() const;
  /// The tables say what the frequencies are, and they are those of the model.
  bool frequencies_fit() const;
  /// The tables say what the frequencies are, and they are those of the model but for one factor of all, or of each
  /// axis.
  bool frequencies_fit_but_for_a_factor() const;
  /// A copy of the model to change.
  Proposal proposal() const { return {model, {}, {}, {}, nullptr, Doubt::none}; }
  /// A copy of the model to change, as the last of the proposals; good until another one is appended.
  Proposal& add_to(std::vector<Proposal>& proposals) const { return proposals.emplace_back(proposal()); }
  /// A situation of the same evidence about another model.
  Situation about(const CheckModel& other) const { return {reference, other, evidence, cache_}; }

 private:
  ObservedCache& cache_;
  mutable std::optional<Measured> measured_;
  mutable std::optional<Ladders> ladders_;
  mutable std::optional<std::vector<std::vector<double>>> shifts_;
};

}  // namespace ropescope
