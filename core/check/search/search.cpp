#include "core/check/search/search.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "core/check/compare/all_rows.h"
#include "core/check/compare/remainders.h"
#include "core/check/search/shifts.h"
#include "core/check/search/together.h"

namespace ropescope {

namespace {

struct Hit {
  const Cause* cause;
  Proposal proposal;
  bool as_rounded = true;  ///< by half a unit: what only a whole unit allows comes after it
};

/// What explains all inputs, and what explains those that disagree.
struct Hits {
  std::vector<Hit> all, wrong;
  std::vector<Hit>& best() { return all.empty() ? wrong : all; }
};

/// One of many half explanations, waiting for its other half.
struct Half {
  const Cause* cause;
  Proposal proposal;
  double share = 0;  ///< of the numbers that it explains
  int place = 0;     ///< among those of its cause, likely ones first
};

/// Which inputs an explanation is for.
struct Wanted {
  unsigned all = 0, wrong = 0;
};

class Search {
 public:
  Search(const CheckReference& reference, const CheckModel& told, const Evidence& evidence, Wanted wanted,
         const CheckOptions& options)
      : reference_(reference), evidence_(evidence), wanted_(wanted), options_(options), cache_(evidence), told_(told) {}

  /// Every cause of those asked for that explains what is left, each with its first proposal that does. `alone`: no
  /// other cause is at work.
  template <class Asked>
  Hits hits(const CheckModel& model, const Asked& asked, bool alone = false) {
    const Situation situation(reference_, model, evidence_, cache_);
    Hits found;
    // Beside another cause, other frequencies than those that the tables show explain nothing.
    const bool frequencies_fit = !alone && situation.frequencies_fit();
    std::optional<Remainders> without;
    for (const Cause* cause : all_causes()) {
      if (cause->group == CauseGroup::frequencies && frequencies_fit) continue;
      if (cause == &kCollision && !found.all.empty()) continue;
      if (!asked(*cause) || stopped()) continue;
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
      const auto mends_it = [&](const CheckModel& proposed, unsigned inputs) {
        if (!reference_left_) reference_left_ = remainders_of(told_, evidence_, wanted_.all);
        if (!mends(proposed, *reference_left_, evidence_, inputs)) return false;
        if (alone) return true;
        if (!without) without = remainders_of(model, evidence_, wanted_.all);
        return mends(proposed, *without, evidence_, inputs);
      };
      keep_first(*cause, proposals, wanted_.all, mends_it, found.all);
      const bool in_part = wanted_.wrong != wanted_.all && (cause != &kCollision || found.wrong.empty());
      if (in_part) keep_first(*cause, proposals, wanted_.wrong, mends_it, found.wrong);
      if (alone && !evidence_.is_spent()) tried_.insert(cause);
    }
    keep_rounded(found.all), keep_rounded(found.wrong);
    return found;
  }

  /// Every proposal of every cause, likely ones first. `fitting`: ladders only where the tables show them.
  std::vector<Half> halves(const CheckModel& model, bool fitting) {
    const Situation situation(reference_, model, evidence_, cache_);
    std::vector<Half> found;
    for (const Cause* cause : all_causes()) {
      if (stopped()) break;
      // Ids of its own for every row explain too much to be half of anything.
      if (cause == &kCollision || cause->by_shifts) continue;
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
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

  Situation about(const CheckModel& model) { return {reference_, model, evidence_, cache_}; }
  bool gives(const CheckModel& model, bool all) const {
    return reproduces(model, evidence_, all ? wanted_.all : wanted_.wrong);
  }

  /// Shifts of ids beside the model that make most numbers right, though not all; none where no cause gives such.
  template <class Asked>
  std::optional<Hit> nearly(const CheckModel& model, const Asked& asked) {
    constexpr double kMost = 0.5;
    const Situation situation(reference_, model, evidence_, cache_);
    for (const Cause* cause : all_causes()) {
      if (!cause->by_shifts || !asked(*cause) || stopped()) continue;
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
      for (Proposal& proposal : proposals) {
        if (share_reproduced(proposal.model, evidence_) >= kMost) return Hit{cause, std::move(proposal)};
      }
    }
    return std::nullopt;
  }

  /// Whether the first of two causes is needed beside the second.
  bool needs_first(const Explanation& two) const {
    const Remainders without = remainders_of(two.causes[0].without, evidence_, wanted_.all);
    return mends(two.model, without, evidence_, wanted_.all);
  }

  bool stopped() const { return options_.stop.stop_requested() || evidence_.is_spent(); }
  bool spent() const { return evidence_.is_spent(); }
  /// What is left is kept for a collision beside another cause, which is looked for last.
  bool pairs_spent() const { return 4 * evidence_.effort->spent() > 3 * evidence_.effort->most(); }
  void report(double part) const {
    if (options_.progress) options_.progress(part, "searching causes");
  }
  /// Whether a cause was searched alone.
  bool tried(const Cause& cause) const { return tried_.count(&cause) != 0; }

  /// How far the pairs were searched: of so many candidates for the first cause.
  std::size_t first_ones = 0, first_ones_tried = 0;

 private:
  /// The first proposal that gives the inputs and owes that to what it changes; of several one that gives them by what
  /// rounding to the nearest moves them.
  template <class Mends>
  void keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs, const Mends& mends_it,
                  std::vector<Hit>& found) const {
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

  static void keep_rounded(std::vector<Hit>& found) {
    const auto is_rounded = [](const Hit& hit) { return hit.as_rounded; };
    if (std::any_of(found.begin(), found.end(), is_rounded)) std::erase_if(found, std::not_fn(is_rounded));
  }

  const CheckReference& reference_;
  const Evidence& evidence_;
  const Wanted wanted_;
  const CheckOptions& options_;
  ObservedCache cache_;
  const CheckModel told_;                     ///< the reference, its numbers in the formats that they tell
  std::optional<Remainders> reference_left_;  ///< what it leaves
  std::set<const Cause*> tried_;
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

Explanation single(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr bool kAlone = true;
  Hits hits = search.hits(
      model, [](const Cause&) { return true; }, kAlone);
  std::vector<Hit>& found = hits.best();
  if (found.empty()) return explanation;
  if (found[0].cause == &kPositionOffset) {
    Explanation two = centring_and_text(search.about(model));
    if (!two.causes.empty() && search.gives(two.model, !hits.all.empty())) return two;
  }
  explanation.model = found[0].proposal.model;
  const CheckModel alone = found[0].proposal.model;
  explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), others(found), alone, model});
  return explanation;
}

Explanation only_length(Search& search, const CheckModel& model) {
  Explanation explanation;
  Hits hits = search.hits(
      model, [](const Cause& cause) { return &cause == &kLength; }, true);
  if (hits.all.empty()) return explanation;
  explanation.model = hits.all[0].proposal.model;
  const CheckModel alone = hits.all[0].proposal.model;
  explanation.causes.push_back({&kLength, std::move(hits.all[0].proposal), {}, alone, model});
  return explanation;
}

/// The model with a cause alone that was found beside another: as it proposed itself there, else what it changed.
CheckModel alone(const std::vector<Half>& halves, const Half& half, const Hit& hit, const CheckModel& model) {
  CheckModel only = model;
  const CheckModel& found = hit.proposal.model;
  if (hit.cause->group == CauseGroup::values) {
    if (hit.proposal.again) return hit.proposal.again(model);
    take_values(*hit.cause, found, only);
    return only;
  }
  for (const Half& own : halves) {
    if (own.cause == hit.cause && own.proposal.parameters == hit.proposal.parameters) return own.proposal.model;
  }
  if (hit.proposal.again) return hit.proposal.again(model);
  if (go_together_in_ids(*half.cause, *hit.cause)) {
    move_alike(half.proposal.model, found, only);
  } else if (hit.cause->group == CauseGroup::ids) {
    only.tokens.blocks = found.tokens.blocks;
    only.order = found.order;
    only.id_factor = found.id_factor;
    only.rows = found.rows;
    only.row_count = found.row_count;
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
Explanation beside_collision(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr double kMostlyRight = 0.4;
  constexpr int kMost = 24;
  int tried = 0;
  std::vector<Half> halves = search.halves(model, false);
  std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) { return a.share > b.share; });
  for (const Half& half : halves) {
    if (half.cause->group == CauseGroup::ids || half.share < kMostlyRight) continue;
    if (++tried > kMost || search.stopped()) break;
    Hits hits = search.hits(half.proposal.model, [](const Cause& cause) { return &cause == &kCollision; });
    std::vector<Hit>& found = hits.best();
    if (found.empty()) continue;
    CheckModel only = model;
    only.own_ids = found[0].proposal.model.own_ids;
    explanation.model = found[0].proposal.model;
    explanation.causes.push_back({half.cause, half.proposal, {}, half.proposal.model, only});
    explanation.causes.push_back({&kCollision, std::move(found[0].proposal), {}, only, half.proposal.model});
    if (!hits.all.empty()) break;
  }
  return explanation;
}

/// The explanation by a half and the causes that were found beside it.
Explanation joined(Search& search, const CheckModel& model, const std::vector<Half>& halves, const Half& half,
                   std::vector<Hit>& second, Together together) {
  Explanation explanation;
  // With the second cause at rest, the first one may have ties of its own that come before it.
  const CauseGroup first = half.cause->group, other = second[0].cause->group;
  std::vector<Hit> seconds;
  for (Hit& hit : second) {
    if (hit.cause->group == other) seconds.push_back(std::move(hit));
  }
  const CheckModel only_second = alone(halves, half, seconds[0], model);
  FoundCause b{seconds[0].cause, seconds[0].proposal, others(seconds), only_second, half.proposal.model};
  explanation.model = seconds[0].proposal.model;
  FoundCause a{half.cause, half.proposal, {}, half.proposal.model, only_second};
  Hits hits = search.hits(only_second, [&](const Cause& cause) {
    const bool same_group = cause.group == first && together(cause, *b.cause);
    return same_group || go_together_in_ids(cause, *b.cause);
  });
  if (std::vector<Hit>& firsts = hits.best(); !firsts.empty()) {
    explanation.model = firsts[0].proposal.model;
    a.also = others(firsts);
    a.cause = firsts[0].cause;
    a.proposal = std::move(firsts[0].proposal);
  }
  explanation.causes.push_back(std::move(a));
  explanation.causes.push_back(std::move(b));
  return explanation;
}

/// A number that was fitted while ids were wrong is not exact: once more with the ids as they seem to be. None where
/// they do not seem to be any, or nothing fits then.
std::optional<Half> fitted_again(Search& search, const CheckModel& model, const std::vector<Half>& halves,
                                 const Half& half, Together together) {
  if (half.cause->group != CauseGroup::frequencies || half.proposal.doubt == Doubt::none) return std::nullopt;
  const auto moved =
      search.nearly(half.proposal.model, [&](const Cause& cause) { return together(*half.cause, cause); });
  if (!moved) return std::nullopt;
  const CheckModel only_moved = alone(halves, half, *moved, model);
  Hits hits = search.hits(only_moved, [&](const Cause& cause) { return &cause == half.cause; });
  if (hits.all.empty()) return std::nullopt;
  Half again{half.cause, std::move(hits.all[0].proposal), half.share};
  again.proposal.model = alone(halves, {moved->cause, moved->proposal, 0}, {half.cause, again.proposal}, model);
  return again;
}

Explanation pair(Search& search, const CheckModel& model, const std::vector<Half>& halves, Together together) {
  Explanation in_part;
  for (std::size_t i = 0; i < halves.size() && !search.stopped() && !search.pairs_spent(); ++i) {
    const Half& half = halves[i];
    const auto asked = [&](const Cause& cause) { return together(*half.cause, cause); };
    const bool some =
        std::any_of(all_causes().begin(), all_causes().end(), [&](const Cause* one) { return asked(*one); });
    if (!some) continue;
    search.report(static_cast<double>(i) / static_cast<double>(halves.size()));
    Hits second = search.hits(half.proposal.model, asked);
    search.first_ones_tried = std::max(search.first_ones_tried, i + 1);
    if (!second.all.empty()) {
      Explanation two = joined(search, model, halves, half, second.all, together);
      if (search.needs_first(two)) return two;
    } else if (const auto again = fitted_again(search, model, halves, half, together)) {
      Hits beside = search.hits(again->proposal.model, asked);
      if (!beside.all.empty()) return joined(search, model, halves, *again, beside.all, together);
    }
    // What explains the wrong inputs alone counts where nothing explains all.
    if (!second.wrong.empty() && in_part.causes.empty()) {
      Explanation two = joined(search, model, halves, half, second.wrong, together);
      if (search.needs_first(two)) in_part = std::move(two);
    }
  }
  return in_part;
}

/// Two causes of different groups, else two of ids.
Explanation any_pair(Search& search, const CheckModel& model) {
  const std::vector<Half> halves = search.halves(model, true);
  search.first_ones = halves.size();
  Explanation found = pair(search, model, halves, go_together);
  if (found.causes.empty()) found = pair(search, model, halves, go_together_in_ids);
  return found;
}

/// "numbers" with spaces between thousands.
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

std::string searched_words(const Search& search, const Evidence& evidence) {
  std::string words = "The search was left off after " + grouped(evidence.effort->most()) +
                      " numbers had been computed for candidates: ";
  std::string tried;
  bool all = true;
  std::string_view last;
  for (const Cause* cause : all_causes()) {
    all = all && search.tried(*cause);
    if (!search.tried(*cause) || cause->name == last) continue;
    tried += (tried.empty() ? "" : ", ") + std::string(cause->name);
    last = cause->name;
  }
  if (!all) {
    return words + (tried.empty() ? "none was searched to its end."
                                  : "each alone, these were searched: " + tried + "; no two together were.");
  }
  return words + "no known cause gives these numbers alone; of two together " +
         std::to_string(search.first_ones_tried) + " of " + std::to_string(search.first_ones) +
         " candidates for the first were searched, the likely ones.";
}

/// Takes the formats that were told out of what each cause changed, and names them as a cause of their own where
/// nothing but them explains what is left.
void name_formats(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                  Explanation& explanation) {
  const CheckModel told = with_told_formats(model, evidence);
  const bool some = told.table_format != model.table_format || told.vector_format != model.vector_format;
  if (!some) return;
  const auto at_rest = [&](CheckModel of) {
    of.table_format = model.table_format;
    of.vector_format = model.vector_format;
    return of;
  };
  for (FoundCause& found : explanation.causes) found.alone = at_rest(found.alone);
  const CheckModel without = at_rest(explanation.model);
  if (!explanation.causes.empty() && reproduces(without, evidence, wrong)) {
    explanation.model = without;
    for (FoundCause& found : explanation.causes) found.without = at_rest(found.without);
    return;
  }
  ObservedCache cache(evidence);
  std::vector<Proposal> proposals;
  kTableFormat.propose(Situation(reference, without, evidence, cache), proposals);
  explanation.causes.push_back({&kTableFormat, std::move(proposals[0]), {}, told, without});
}

}  // namespace

Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options) {
  const unsigned all = inputs_of(evidence);
  const Wanted wanted{all, wrong == 0 ? all : wrong};
  // Numbers kept in a wider format are judged as what they are, whatever else is at work.
  const CheckModel told = with_told_formats(model, evidence);
  Explanation found;
  const bool by_format = wrong == 0;
  if (by_format) {
    found.model = told;
  } else {
    Search search(reference, told, evidence, wanted, options);
    // Another number of rows is nothing but "length": it is looked at before anything is fitted.
    const bool other_rows = evidence.tensors->rows != 0 && evidence.tensors->rows != model.row_count;
    if (other_rows) found = only_length(search, told);
    if (found.causes.empty()) found = single(search, told);
    if (found.causes.empty() && !search.stopped()) found = any_pair(search, told);
    if (found.causes.empty() && !search.stopped()) found = beside_collision(search, told);
    if (found.causes.empty() && (search.spent() || search.first_ones_tried < search.first_ones))
      found.searched = searched_words(search, evidence);
  }
  if (by_format || !found.causes.empty()) name_formats(reference, model, evidence, wanted.wrong, found);
  return found;
}

}  // namespace ropescope
