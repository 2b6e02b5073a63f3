#include "core/check/search/hits.h"

#include <algorithm>
#include <tuple>

#include "core/check/compare/all_rows.h"
#include "core/number_for_people.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

void keep_rounded(std::vector<Hit>& found) {
  const auto is_rounded = [](const Hit& hit) { return hit.as_rounded; };
  if (std::any_of(found.begin(), found.end(), is_rounded)) std::erase_if(found, std::not_fn(is_rounded));
}

/// Whether two numbers read the same in a report.
bool prints_as(double a, double b) {
  constexpr int kDigits = 6;
  return number_for_people(a, kDigits) == number_for_people(b, kDigits);
}

/// The reference's own number in place of a parameter of a cause; none where it has none, or the cause names something
/// else beside it.
std::optional<double> own_number(const Cause& cause, const std::string& parameter, const CheckModel& model,
                                 std::size_t axis) {
  const bool of_scaling = &cause == &kScalingParameters || &cause == &kScalingMissing;
  if (&cause == &kBase) return model.tokens.axes[axis].base;
  if (&cause == &kAmplitude) return model.amplitude;
  if (&cause == &kPositionScale || &cause == &kFrequencyScale) return 1;
  if (&cause == &kPositionOffset || &cause == &kCentring) return 0;
  if (!model.rope || !(of_scaling || &cause == &kLengthSwitch)) return std::nullopt;
  if (parameter == "trained_length") return model.rope->trained_length;
  if (parameter == "length") return model.length ? model.length : model.rope->trained_length;
  const auto& numbers = model.rope->extension.numbers;
  if (const auto found = numbers.find(parameter); found != numbers.end()) return found->second;
  for (const ScalingParameter& one : find_scaling_method(model.rope->extension.method).parameters) {
    if (one.name == parameter) return one.initial;
  }
  return std::nullopt;
}

/// A factor that prints as 1, a base that prints as the reference's own, is no cause: who reads it would find nothing
/// to change.
bool prints_as_own(const Cause& cause, const Proposal& proposal, const CheckModel& model) {
  const auto is_own = [&](const CheckParameter& parameter) {
    std::vector<double> numbers;
    if (const auto* one = std::get_if<double>(&parameter.value)) numbers = {*one};
    if (const auto* several = std::get_if<std::vector<double>>(&parameter.value)) numbers = *several;
    // What is said in words beside a number is which one it is of ("of"), or a difference of its own.
    if (numbers.empty()) return parameter.name == "of";
    for (std::size_t axis = 0; axis < numbers.size(); ++axis) {
      const auto own = own_number(cause, parameter.name, model, std::min(axis, model.tokens.axes.size() - 1));
      if (!own || !prints_as(numbers[axis], *own)) return false;
    }
    return true;
  };
  return !proposal.parameters.empty() && std::all_of(proposal.parameters.begin(), proposal.parameters.end(), is_own);
}

/// What a cause could be on a model.
std::vector<Proposal> proposals_of(const Cause& cause, const Situation& situation) {
  std::vector<Proposal> proposals;
  cause.propose(situation, proposals);
  std::erase_if(proposals, [&](const Proposal& one) { return prints_as_own(cause, one, situation.model); });
  return proposals;
}

}  // namespace

Hits Search::hits(const CheckModel& model, const Asked& asked, bool alone) {
  const Situation situation = about(model);
  Hits found;
  // Beside another cause, other frequencies than those that the tables show explain nothing.
  const bool frequencies_fit = !alone && situation.frequencies_fit();
  std::optional<Remainders> without;
  const Mends mends_it = [&](const CheckModel& proposed, unsigned inputs) {
    if (!reference_left_) reference_left_ = remainders_of(told_, evidence_, wanted_.all);
    if (!mends(proposed, *reference_left_, evidence_, inputs)) return false;
    if (alone) return true;
    if (!without) without = remainders_of(model, evidence_, wanted_.all);
    return mends(proposed, *without, evidence_, inputs);
  };
  for (const Cause* cause : all_causes()) {
    if (cause->group == CauseGroup::frequencies && frequencies_fit) continue;
    if (cause == &kCollision && !found.all.empty()) continue;
    if (!asked(*cause) || stopped()) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    keep_first(*cause, proposals, wanted_.all, mends_it, found.all);
    const bool in_part = wanted_.wrong != wanted_.all && (cause != &kCollision || found.wrong.empty());
    if (in_part) keep_first(*cause, proposals, wanted_.wrong, mends_it, found.wrong);
    if (alone && !evidence_.is_spent()) tried_.insert(cause);
  }
  keep_rounded(found.all), keep_rounded(found.wrong);
  return found;
}

std::vector<Half> Search::halves(const CheckModel& model, bool fitting) {
  const Situation situation = about(model);
  std::vector<Half> found;
  for (const Cause* cause : all_causes()) {
    if (stopped()) break;
    // Ids of its own for every row explain too much to be half of anything.
    if (cause == &kCollision || cause->by_shifts) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    int place = 0;
    for (Proposal& proposal : proposals) {
      // Frequencies are fitted after exchanges and formats, and before shifts; a factor of positions shows in them.
      const bool is_ladder = cause->group == CauseGroup::frequencies;
      if (is_ladder && fitting) {
        const Situation with_it = situation.about(proposal.model);
        if (!with_it.frequencies_fit() &&
            (proposal.doubt == Doubt::fitted || !with_it.frequencies_fit_but_for_a_factor()))
          continue;
      }
      const double share = share_reproduced(proposal.model, evidence_);
      found.push_back({cause, std::move(proposal), share, place++});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Half& a, const Half& b) {
    // Where nothing tells them apart, the likeliest of every cause before many of one.
    return std::tuple(a.proposal.doubt, -a.share, a.place) < std::tuple(b.proposal.doubt, -b.share, b.place);
  });
  return found;
}

std::optional<Hit> Search::nearly(const CheckModel& model, const Asked& asked) {
  constexpr double kMost = 0.5;
  const Situation situation = about(model);
  for (const Cause* cause : all_causes()) {
    if (!cause->by_shifts || !asked(*cause) || stopped()) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    for (Proposal& proposal : proposals) {
      if (share_reproduced(proposal.model, evidence_) >= kMost) return Hit{cause, std::move(proposal)};
    }
  }
  return std::nullopt;
}

bool Search::gives(const CheckModel& model, bool all) const {
  return reproduces(model, evidence_, all ? wanted_.all : wanted_.wrong);
}

bool Search::needs_first(const CheckModel& without_first, const CheckModel& model) const {
  return mends(model, remainders_of(without_first, evidence_, wanted_.all), evidence_, wanted_.all);
}

bool Search::pairs_spent() const {
  return 4 * evidence_.effort->spent() > 3 * evidence_.effort->most();
}

void Search::report(double part) const {
  if (options_.progress) options_.progress(part, Words("check.step.search"));
}

std::int64_t Search::most_effort() const {
  return evidence_.effort->most();
}

/// The first proposal that gives the inputs and owes that to what it changes; of several one that gives them by what
/// rounding to the nearest moves them.
void Search::keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs,
                        const Mends& mends_it, std::vector<Hit>& found) const {
  const auto gives = [&](const Proposal& proposal) {
    const bool reproduced = &cause == &kLength ? reproduces_all(proposal.model, evidence_, inputs)
                                               : reproduces(proposal.model, evidence_, inputs);
    return reproduced && mends_it(proposal.model, inputs);
  };
  const auto as_rounded = [&](const Proposal& proposal) {
    return reproduces(proposal.model, evidence_, inputs, Judged::as_rounded);
  };
  const auto first = std::find_if(proposals.begin(), proposals.end(), gives);
  if (first == proposals.end()) return;
  const auto better = std::find_if(first, proposals.end(), [&](const Proposal& proposal) {
    return as_rounded(proposal) && (&proposal == &*first || gives(proposal));
  });
  const bool exact = better != proposals.end();
  found.push_back({&cause, exact ? *better : *first, exact});
}

}  // namespace ropescope
