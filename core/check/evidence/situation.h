// Input and output of a cause's proposal function: the situation it inspects, and the proposals it makes. Read
// evidence.h and fit.h first; used by causes/cause.h.
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

/// How strongly a proposal was fitted; less fitted ones are tried first.
enum class Doubt {
  none,          ///< nothing was fitted
  round_number,  ///< a fitted number with few digits
  fitted,        ///< any other number, or an unusual case
};
/// Returns round_number for a number with few digits, otherwise fitted.
Doubt doubt_of(double value);

/// A factor of all positions, or of all frequencies.
struct Factor {
  double value = 1;
  bool fitted = false;  ///< the number is the fit itself, not a round one near it
  Doubt doubt = Doubt::none;
};

/// A cause applied with its parameters.
struct Proposal {
  CheckModel model;
  std::vector<CheckParameter> parameters;
  Message evidence;  ///< a sentence or two
  Message advice;    ///< one sentence
  /// What the proposal changes, if it depends on the model. Null: the parts of its group that differ are copied.
  Change change = nullptr;
  Doubt doubt = Doubt::none;

  /// `fitted`: a number is used as it was fitted.
  void set_fitted(bool fitted, Doubt by) {
    if (fitted) model.slack = tuned::kSlackOfFit;
    doubt = by;
  }
};

/// What an observation depends on, with ids and tables fixed.
struct ObservedKey {
  ChannelPlan channels;
  TableSigns signs;
  bool halves_by_axis;
  Eigen::Index pairs;
  bool operator==(const ObservedKey&) const = default;
};
ObservedKey make_observed_key(const CheckModel& model, Eigen::Index pairs);

/// Observations shared by several searches, because computing phases takes longer than testing most causes.
class ObservedCache {
 public:
  explicit ObservedCache(const Evidence& evidence) : evidence_(evidence) {}
  const Observed& of(const CheckModel& model);

 private:
  const Evidence& evidence_;
  std::vector<std::pair<ObservedKey, std::unique_ptr<Observed>>> kept_;
};

/// Input of a cause's proposal function: the reference, unchanged or with another cause already applied.
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
  /// Returns the shifts of each block's ids: [block][axis] (positions.h).
  const std::vector<std::vector<double>>& shifts() const;
  /// Returns the factors that `find` takes from the inputs; only the first call computes them. Each call spends their
  /// effort, so that how far a search gets does not depend on what is kept.
  const std::vector<Factor>& factors(std::vector<Factor> (*find)(const Situation&)) const;
  /// Returns whether the tables determine the frequencies, and these are those of the model.
  bool frequencies_fit() const;
  /// Returns whether the tables determine the frequencies, and these are those of the model up to one factor for all,
  /// or one for each axis.
  bool frequencies_fit_but_for_a_factor() const;
  /// Returns a copy of the model to change.
  Proposal proposal() const { return {model, {}, {}, {}, nullptr, Doubt::none}; }
  /// Returns the model with a change that applies to others too.
  Proposal proposal(Change change) const;
  /// Appends a copy of the model to change; the reference is valid until another proposal is appended.
  Proposal& add_to(std::vector<Proposal>& proposals) const { return proposals.emplace_back(proposal()); }
  Proposal& add_to(std::vector<Proposal>& proposals, Change change) const {
    return proposals.emplace_back(proposal(std::move(change)));
  }
  /// Returns a situation with the same evidence and another model.
  Situation about(const CheckModel& other) const { return {reference, other, evidence, cache_}; }

 private:
  ObservedCache& cache_;
  mutable std::optional<Measured> measured_;
  mutable std::optional<Ladders> ladders_;
  mutable std::optional<std::vector<std::vector<double>>> shifts_;
  mutable std::optional<std::vector<Factor>> factors_;
  mutable std::vector<Factor> (*found_by_)(const Situation&) = nullptr;
  mutable std::int64_t effort_of_factors_ = 0;
};

}  // namespace ropescope
