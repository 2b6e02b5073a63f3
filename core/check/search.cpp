#include "core/check/search.h"

#include <algorithm>

namespace ropescope {

namespace {

struct Hit {
  const Cause* cause;
  Proposal proposal;
};

/// One of many half explanations, waiting for its other half.
struct Half {
  const Cause* cause;
  Proposal proposal;
  double share = 0;  ///< of the numbers that it explains
};

class Search {
 public:
  Search(const CheckReference& reference, const Evidence& evidence, const CheckOptions& options)
      : reference_(reference), evidence_(evidence), options_(options), cache_(evidence) {}

  /// Every cause of a group (all but one, or one) that explains what is left, each with its first proposal that does.
  /// `alone`: no other cause is at work.
  template <class Wanted>
  std::vector<Hit> hits(const CheckModel& model, unsigned inputs, const Wanted& wanted, bool alone = false) {
    const Situation situation(reference_, model, evidence_, cache_);
    std::vector<Hit> found;
    // Beside another cause, other frequencies than those that the tables show explain nothing.
    const bool frequencies_fit = !alone && situation.frequencies_fit();
    for (const Cause* cause : all_causes()) {
      if (cause->group == CauseGroup::frequencies && frequencies_fit) continue;
      if (cause == &kCollision && !found.empty()) continue;
      if (!wanted(*cause) || options_.stop.stop_requested()) continue;
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
      const auto first = std::find_if(proposals.begin(), proposals.end(), [&](const Proposal& proposal) {
        return reproduces(proposal.model, evidence_, inputs);
      });
      if (first != proposals.end()) found.push_back({cause, std::move(*first)});
    }
    return found;
  }

  /// Every proposal of every cause, likely ones first. `fitting`: ladders only where the tables show them.
  std::vector<Half> halves(const CheckModel& model, bool fitting) {
    const Situation situation(reference_, model, evidence_, cache_);
    std::vector<Half> found;
    for (const Cause* cause : all_causes()) {
      if (options_.stop.stop_requested()) break;
      // Ids of its own for every row explain too much to be half of anything.
      if (cause == &kCollision || cause->by_shifts) continue;
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
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
        found.push_back({cause, std::move(proposal), share});
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const Half& a, const Half& b) {
      return std::pair(a.proposal.doubt, -a.share) < std::pair(b.proposal.doubt, -b.share);
    });
    return found;
  }

  bool stopped() const { return options_.stop.stop_requested(); }
  void report(double part) const {
    if (options_.progress) options_.progress(part, "searching causes");
  }

 private:
  const CheckReference& reference_;
  const Evidence& evidence_;
  const CheckOptions& options_;
  ObservedCache cache_;
};

std::vector<std::string> others(const std::vector<Hit>& hits) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < hits.size(); ++i) {
    const bool seen = hits[i].cause->name == hits[0].cause->name ||
                      std::find(names.begin(), names.end(), hits[i].cause->name) != names.end();
    if (!seen) names.emplace_back(hits[i].cause->name);
  }
  return names;
}

Explanation single(Search& search, const CheckModel& model, unsigned inputs) {
  Explanation explanation;
  constexpr bool kAlone = true;
  auto found = search.hits(
      model, inputs, [](const Cause&) { return true; }, kAlone);
  if (found.empty()) return explanation;
  explanation.model = found[0].proposal.model;
  const CheckModel alone = found[0].proposal.model;
  explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), others(found), alone, model});
  return explanation;
}

/// The model with a cause alone that was found beside another: as it proposed itself there, else what it changed.
CheckModel alone(const std::vector<Half>& halves, const Hit& hit, const CheckModel& model) {
  for (const Half& half : halves) {
    if (half.cause == hit.cause && half.proposal.parameters == hit.proposal.parameters) return half.proposal.model;
  }
  if (hit.proposal.again) return hit.proposal.again(model);
  CheckModel only = model;
  const CheckModel& found = hit.proposal.model;
  if (hit.cause->group == CauseGroup::ids) {
    only.tokens.blocks = found.tokens.blocks;
    only.order = found.order;
    only.id_factor = found.id_factor;
    only.rows = found.rows;
    only.row_count = found.row_count;
  } else if (hit.cause->group == CauseGroup::values) {
    only.amplitude = found.amplitude;
    only.slack = found.slack;
  } else if (hit.cause->group == CauseGroup::frequencies) {
    only.tokens.frequencies = found.tokens.frequencies;
    only.tokens.axes = found.tokens.axes;
    only.rope = found.rope;
    only.length = found.length;
    only.slack = found.slack;
  }
  return only;
}

/// A collision beside another cause: only where no other two explain it, as ids of its own for every row fit much.
Explanation beside_collision(Search& search, const CheckModel& model, unsigned inputs) {
  Explanation explanation;
  constexpr double kMostlyRight = 0.4;
  constexpr int kMost = 24;
  int tried = 0;
  std::vector<Half> halves = search.halves(model, false);
  std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) { return a.share > b.share; });
  for (const Half& half : halves) {
    if (half.cause->group == CauseGroup::ids || half.share < kMostlyRight) continue;
    if (++tried > kMost || search.stopped()) break;
    auto found = search.hits(half.proposal.model, inputs, [](const Cause& cause) { return &cause == &kCollision; });
    if (found.empty()) continue;
    CheckModel only = model;
    only.own_ids = found[0].proposal.model.own_ids;
    explanation.model = found[0].proposal.model;
    explanation.causes.push_back({half.cause, half.proposal, {}, half.proposal.model, only});
    explanation.causes.push_back({&kCollision, std::move(found[0].proposal), {}, only, half.proposal.model});
    break;
  }
  return explanation;
}

Explanation pair(Search& search, const CheckModel& model, unsigned inputs) {
  Explanation explanation;
  const std::vector<Half> halves = search.halves(model, true);
  for (std::size_t i = 0; i < halves.size() && !search.stopped(); ++i) {
    const Half& half = halves[i];
    search.report(static_cast<double>(i) / static_cast<double>(halves.size()));
    const CauseGroup first = half.cause->group;
    auto second = search.hits(half.proposal.model, inputs,
                              [&](const Cause& cause) { return cause.group != first && &cause != &kCollision; });
    if (second.empty()) continue;
    // With the second cause at rest, the first one may have ties of its own that come before it.
    const CauseGroup other = second[0].cause->group;
    std::vector<Hit> seconds;
    for (Hit& hit : second) {
      if (hit.cause->group == other) seconds.push_back(std::move(hit));
    }
    const CheckModel only_second = alone(halves, seconds[0], model);
    FoundCause b{seconds[0].cause, seconds[0].proposal, others(seconds), only_second, half.proposal.model};
    explanation.model = seconds[0].proposal.model;
    FoundCause a{half.cause, half.proposal, {}, half.proposal.model, only_second};
    auto firsts = search.hits(only_second, inputs,
                              [&](const Cause& cause) { return cause.group == first && &cause != &kCollision; });
    if (!firsts.empty()) {
      explanation.model = firsts[0].proposal.model;
      a.also = others(firsts);
      a.cause = firsts[0].cause;
      a.proposal = std::move(firsts[0].proposal);
    }
    explanation.causes.push_back(std::move(a));
    explanation.causes.push_back(std::move(b));
    return explanation;
  }
  return explanation;
}

}  // namespace

Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options) {
  Search search(reference, evidence, options);
  const unsigned all = inputs_of(evidence);
  std::vector<unsigned> wanted = {all};
  if (wrong != all && wrong != 0) wanted.push_back(wrong);
  for (const unsigned inputs : wanted) {
    Explanation found = single(search, model, inputs);
    if (!found.causes.empty()) return found;
  }
  for (const unsigned inputs : wanted) {
    Explanation found = pair(search, model, inputs);
    if (!found.causes.empty()) return found;
  }
  for (const unsigned inputs : wanted) {
    Explanation found = beside_collision(search, model, inputs);
    if (!found.causes.empty()) return found;
  }
  return {};
}

}  // namespace ropescope
